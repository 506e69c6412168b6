"""A trace as a vector picture: the path of the bits from the registers to the result.

The scene has the content, the document has the words; this package decides positions and sizes. A
picture stands alone or in an HTML page, follows a light or dark theme, and never relies on colour
alone. The bits in a box have a ``0x``, but not if copies of their sign are in the box beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from math import ceil
from typing import NamedTuple

from ...engine.micro_operations.properties import Stage
from ...engine.semantics.models import ISA_MODEL
from ...engine.tracing.trace import Trace
from ...scene.row_folding import FoldedScene
from ...scene.scene_model import Scene, StepScene
from ..content.alt_text import format_alt_text
from ..content.annotated_trace import abbreviate_names
from ..content.document import (
    Answers,
    Document,
    ResultView,
    Section,
    StepView,
    build_document,
    make_section,
)
from ..content.id_prefix import make_id_prefix
from ..options import DEFAULT, MachineRow, Options
from ..theme import Theme
from . import step_captions
from .cell_shapes import draw_register
from .page_layout import (
    COMPACT,
    EDGE,
    FIGURES,
    MAX_NAME_CHARS,
    PAGE,
    Area,
    Layout,
    Names,
    Sketch,
    build_folded_scene,
    build_visible_scene,
    draw_instruction,
    find_long_names,
)
from .picture_panels import (
    Panel,
    align_parts,
    describe_differences,
    find_differing_lanes,
    list_groups,
)
from .result_shapes import (
    draw_machine_rows,
    draw_machine_section,
    draw_note,
    draw_results,
    draw_step_notes,
)
from .statement_wires import BAND, Wires, draw_wires
from .step_layout import draw_rows, place_rows
from .svg_canvas import Ground, Sheet, SvgCanvas, Zone, list_elements, write_sheet
from .svg_colours import SvgColour
from .svg_figures import draw_bit_ruler
from .text_styles import (
    BODY,
    CAPTION,
    CODE,
    HEADING,
    LABEL,
    NAME,
    NOTE,
    REMARK,
    SMALL,
    STRONG,
    SUBHEADING,
    TITLE,
)

_PAGE = PAGE.page
_LABEL = FIGURES.x - EDGE
"""Smallest width in px for the name of an answer."""
_FIRST_ROLES = ("a", "b")
"""Registers at the top; others are drawn where they are read."""
_GAP = 34.0
"""Height in px for the wires above the line of a statement."""
_HEAD_GAP = 30.0
"""Height in px of that which the first line does without."""
_FORK = 50.0
"""Height in px of the words above two answers."""


class SvgDrawing(NamedTuple):
    """The drawing of a trace; the marks of the canvas are the places to cut it."""

    doc: Document
    canvas: SvgCanvas
    height: float
    about: str
    """Description in words."""
    model: str
    """The models in words."""
    theme: Theme = Theme.AUTO
    layout: Layout = PAGE
    long_names: Names = ()
    """Long names, with the letters that replace them."""
    owners: Mapping[str, str] = {}
    """The mark of the step from which the part below another mark is visible, if not the last."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render the picture as a scalable ``<svg>``: 800 px wide, or 400 if compact."""
    return render_drawing(draw_trace(trace, options))


def draw_trace(trace: Trace, options: Options = DEFAULT, part: str = "") -> SvgDrawing:
    """Draw a trace, each statement below the ones before, with wires between.

    Two answers, and two traces, stand side by side in two compact columns; in a compact picture one
    below the other. The marks are ``operands``, ``step-saturate`` …, ``result`` …, ``foot``; if
    there are several statements, the name of each is in its marks and its nodes. `part`
    distinguishes the ids of several pictures.
    """
    doc, layout = build_document(trace, options), COMPACT if options.compact else PAGE
    about, has_lines = format_alt_text(doc), bool(doc.sections[0].heading)
    if not options.sentences:
        doc = doc.without_sentences()
    canvas, page = SvgCanvas(make_id_prefix(doc, options, "svg") + part), layout.page
    machine_rows = [*doc.machine_code.computing_rows] if doc.machine_code else []
    picture = _Picture(canvas, page.x, machine_rows)  # wires have as much room as is at the left
    long_names = [] if has_lines else find_long_names(trace)
    y = (_draw_compact_head if layout.is_compact else _draw_document_head)(doc, canvas, long_names)
    canvas.add_mark("operands", y)
    groups = [*list_groups(doc, layout)]
    y -= _HEAD_GAP if groups[0][0].section.heading else 0
    for above, panels in pairwise(((), *groups)):
        if above and panels[0].section.heading and not above[0].section.heading:
            y = _draw_fork(canvas, page, y)
        y = _draw_group(panels, picture, y)
    canvas.add_mark("notes", y)
    for text in describe_differences(groups[-1][-1]):
        y = canvas.draw_paragraph(page, y + 22, text, BODY) - 6
    y = _draw_notes(doc, canvas, y - 8 * layout.is_compact, page, picture.has_lanes)
    if doc.answers:
        canvas.add_mark("answers", y)
        y = _draw_answers(doc.answers, canvas, y, page)
    elif doc.agreement:
        canvas.add_mark("answers", y)
        y = _draw_agreement(doc.agreement, canvas, y, page)
    if doc.machine_code:
        y = draw_machine_section(canvas, doc.machine_code, picture.machine_rows, y, page)
    canvas.add_mark("foot", y)
    idle_steps = [step for step, is_idle in picture.idle_steps.items() if is_idle]
    idle_text = describe_idle_steps(idle_steps) if options.sentences else ""
    height = _draw_foot(doc, canvas, y, page, idle_text)
    owners = _list_owners(doc, chain(*groups), {x.name for x in canvas.marks})
    return SvgDrawing(
        doc, canvas, height, about, format_model(doc), options.theme, layout, long_names, owners
    )


def draw_form(
    doc: Document, short_document: Document, scene: Scene, result_views: tuple[ResultView, ...]
) -> str:
    """Draw a scene without known values, and the types of its results.

    `short_document` is the document with letters instead of long names.
    """
    canvas = SvgCanvas(make_id_prefix(doc, DEFAULT, "form"))
    y = _draw_document_head(doc, canvas, find_long_names(doc.trace))
    section = short_document.sections[0]._replace(results=result_views)
    y = draw_body(canvas, Panel(section, PAGE), section.steps, FoldedScene(scene), y, [])
    height = _draw_foot(doc, canvas, y, PAGE.page)
    return render_drawing(SvgDrawing(doc, canvas, height, format_alt_text(doc), format_model(doc)))


class _Picture(Wires):
    """The state that the statements of a picture share."""

    def __init__(self, canvas: SvgCanvas, margin: float, machine_rows: list[MachineRow]) -> None:
        super().__init__(canvas, margin)
        self.machine_rows = machine_rows
        """The machine instructions that compute values, until they are drawn below a step."""
        self.idle_steps: dict[IdleStep, bool] = {}
        """The steps of compact layouts, and whether each is never drawn."""
        self.has_lanes = False
        """Whether the statement that was drawn last has lanes."""


def _draw_group(panels: Sequence[Panel], picture: _Picture, y: float) -> float:
    """Draw the parts of a picture that are beside each other; return the end."""
    canvas, top = picture.canvas, y + _GAP
    if len(panels) > 1:
        tops = align_parts([_measure_parts(x, picture, top) for x in panels])
        panels = [x._replace(tops=tops) for x in panels]
    y = max([_draw_panel(x, picture, top if x.section.heading else y) for x in panels])
    picture.branches_above = frozenset(x.section.branch for x in panels)
    if len(panels) > 1:  # no cut between the steps of one answer
        *marks, last = canvas.marks
        canvas.marks = [*(x._replace(y=min(x.y, top)) for x in marks), last._replace(y=y)]
    return y


def _measure_parts(panel: Panel, picture: _Picture, y: float) -> dict[str, float]:
    """Return y of the steps and the result of a statement as it would be drawn alone."""
    trial = _Picture(SvgCanvas(""), picture.margin, [*picture.machine_rows])
    _draw_panel(panel, trial, y)
    marks, section = {mark.name: mark.y for mark in trial.canvas.marks}, panel.section
    names = {str(x.stage): x.mark for x in section.steps} | {"result": section.name_part("result")}
    return {part: marks[name] for part, name in names.items() if name in marks}


def _draw_panel(panel: Panel, picture: _Picture, y: float) -> float:
    """Draw a statement, from the top of its line if it has one, and the wires; return its end."""
    (section, layout), canvas, band = panel[:2], picture.canvas, y
    if section.heading:
        canvas.add_mark(section.name_part("line"), y)
        y = _draw_band(canvas, section, layout.page, y) + (0 if section.is_folded else 22)
    if not section.is_folded:
        section = _shorten_names(section)
        folded = _fold_scene(section, layout)
        picture.has_lanes = folded.scene.lanes > 1
        steps = tuple(step for step in section.steps if step.stage in panel.stages)
        panel = panel._replace(section=section)
        y = draw_body(canvas, panel, steps, folded, y, picture.machine_rows)
        idle_steps = list_idle_steps(folded.scene, steps) if layout.is_compact else []
        for step in map(make_idle_step, steps):  # under both models, one of them may draw it
            was_idle = picture.idle_steps.get(step, True)
            picture.idle_steps[step] = was_idle and step in idle_steps
    if section.heading:
        if section.lane_notes and not panel.is_answer:  # those of an answer are below both
            notes, page = section.lane_notes, layout.page
            y = draw_lane_notes(notes, canvas, y + 8, page, picture.has_lanes) - 8
        canvas.add_mark(section.name_part("wires"), y)
        draw_wires(section, picture, band, layout.page.right)
        picture.add_results(section, layout, y)
    return y


def _shorten_names(section: Section) -> Section:
    """Return a section with letters instead of long names."""
    if not find_long_names(section.trace):
        return section
    part, options = abbreviate_names(section.trace, MAX_NAME_CHARS), section.options
    short = make_section(
        section.statement, part, options, section.step_count, is_only=section.is_only
    )
    short = short if options.sentences else short.without_sentences()
    return section._replace(
        trace=part, operands=short.operands, steps=short.steps, results=short.results
    )


def _fold_scene(section: Section, layout: Layout) -> FoldedScene:
    """Return the scene of a statement, with its numbers; in a compact layout with fewer rows."""
    options = section.options
    if layout.is_compact:
        folded = build_folded_scene(section, options)
    else:
        folded = FoldedScene(build_visible_scene(section.trace, options))
    scene, count = folded.scene, section.step_count
    steps = tuple(x._replace(number=x.number + count) for x in scene.steps)
    return folded._replace(scene=scene._replace(steps=steps))


def _draw_band(canvas: SvgCanvas, section: Section, page: Area, y: float) -> float:
    """Draw the line of a statement, with its results if it is folded; return the end."""
    canvas.draw_box(page, y, BAND, SvgColour.SOFT, SvgColour.LINE, radius=6)
    right = page.right - 10
    if section.is_folded:
        for view in reversed(section.results):
            text = f"{view.name} = {view.bits}"
            width = LABEL.measure(text)
            canvas.draw_text(right - width, y + 20, text, LABEL)
            box = (right - width, y, width, BAND)
            canvas.zones.append(Zone((section.branch, f"{view.name} =", 0), box))
            right -= width + 16
    style = LABEL.with_weight(not section.is_folded)
    canvas.draw_text(page.x + 10, y + 20, section.heading, style, width=right - page.x - 14)
    return y + BAND


def _draw_fork(canvas: SvgCanvas, page: Area, y: float) -> float:
    """Draw the words above two answers; return the end."""
    canvas.add_mark("fork", y)
    title, about = "The answers differ from here", "The steps above are the same for both."
    canvas.draw_text(page.x, y + 24, title, HEADING)
    canvas.draw_text(page.x, y + 41, about, NOTE)
    return y + _FORK - _GAP


def _list_owners(
    doc: Document, panels: Iterable[Panel], drawn_marks: Collection[str]
) -> dict[str, str]:
    """Return the marks of the steps with which the other parts of the statements appear.

    The line of a statement appears with its first step, or with the next one if it has none; its
    result with its last step, or with the previous one.
    """
    owners: dict[str, str] = {}
    steps = [step for step in doc.steps if step.mark in drawn_marks]
    marks = [step.mark for step in steps]
    for panel in panels if marks else ():
        section = panel.section
        shown = sum(step.number <= section.step_count for step in steps)
        own = [x.mark for x in section.steps if x.stage in panel.stages and x.mark in marks]
        first = own[0] if own else marks[min(shown, len(marks) - 1)]
        if section.heading:
            owners.setdefault("fork", first)
            owners[section.name_part("line")] = owners[section.name_part("wires")] = first
            owners[section.name_part("result")] = own[-1] if own else marks[max(shown - 1, 0)]
    return owners


def draw_body(
    canvas: SvgCanvas,
    panel: Panel,
    steps: tuple[StepView, ...],
    folded: FoldedScene,
    y: float,
    machine_rows: list[MachineRow],
) -> float:
    """Draw operands, steps and results, with nothing around them; return the end.

    Machine instructions that are drawn are taken from ``machine_rows``.
    """
    section, layout, scene = panel.section, panel.layout, folded.scene
    sketch = Sketch(canvas, scene, section, steps, layout, machine_rows)
    sketch.differing_lanes = find_differing_lanes(panel)
    sketch.ends = folded.ends or sketch.ends
    place_rows(sketch)
    top = y
    y = _draw_steps(sketch, panel, steps, _draw_operands(sketch, y))
    if panel.has_result:
        y = max(y, panel.tops.get("result", y))
        canvas.add_mark(section.name_part("result"), y)
    line = section.name_part("line") if section.heading else ""
    canvas.grounds += [Ground(x.x, x.width, top, y + 8, line) for x in sketch.columns]
    return draw_results(section, sketch, y, panel.rival) if panel.has_result else y + 8


def render_drawing(drawing: SvgDrawing, overlay: Sequence[str] = ()) -> str:
    """Render a drawing as an ``<svg>``, with elements over it."""
    canvas = drawing.canvas
    elements = [*draw_page(drawing), *list_elements(canvas)]
    return write_sheet(make_sheet(drawing), elements, drawing.theme, overlay=overlay)


def make_sheet(drawing: SvgDrawing) -> Sheet:
    """Return the page of a drawing."""
    width, height = drawing.layout.width, drawing.height
    return Sheet(drawing.canvas.prefix, width, height, drawing.doc.name, drawing.about)


def draw_page(drawing: SvgDrawing) -> list[str]:
    """Return the page below a picture; a compact one has no frame, because it is in a column."""
    canvas, width, height = SvgCanvas(drawing.canvas.prefix), drawing.layout.width, drawing.height
    if drawing.layout.is_compact:
        canvas.draw_rect(0, 0, width, height, SvgColour.PAGE, None, radius=0)
    else:
        canvas.draw_rect(0.5, 0.5, width - 1, height - 1, SvgColour.PAGE, SvgColour.LINE, radius=12)
    return canvas.parts


def _draw_document_head(doc: Document, canvas: SvgCanvas, long_names: Names) -> float:
    """Draw title, instruction and model; return the end."""
    return draw_head(canvas, doc.title, _format_head(doc), format_model(doc), long_names)


def _format_head(doc: Document) -> str:
    """Return the instruction; of several statements, which have lines, the given registers."""
    if doc.sections[0].heading:
        return ", ".join(f"{x.name} = {x.bits}" for x in doc.operands)
    return " ".join(doc.ptx.split("\n"))


def format_model(doc: Document) -> str:
    """Return the model whose answer is drawn; if two are, both."""
    names = [doc.model]
    if doc.answers and doc.answers.steps:
        names.append(doc.answers.other_name)
    if doc.other:
        names.append(doc.other.model.name)
    ordered = sorted(dict.fromkeys(names), key=lambda x: x != ISA_MODEL.name)
    return f"model{'s' * (len(ordered) > 1)} {' and '.join(ordered)}"


def draw_head(canvas: SvgCanvas, title: str, ptx: str, model: str, long_names: Names = ()) -> float:
    """Draw title, instruction and the text of the badge; return the end."""
    y = 26.0
    canvas.open_group("px-head")
    if title:
        y = canvas.draw_paragraph(_PAGE, y + 14, title, TITLE) - 8
    badge = min(NOTE.measure(model) + 22, 240)
    parts_start = len(canvas.parts)
    end = (
        draw_instruction(canvas, ptx, EDGE + 14, y + 25, _PAGE.width - badge - 30, CODE, long_names)
        + 15
    )
    line = canvas.parts[parts_start:]
    del canvas.parts[parts_start:]
    if ptx:
        canvas.draw_rect(EDGE, y, _PAGE.width, end - y, SvgColour.SOFT, SvgColour.LINE, radius=8)
    canvas.parts += line
    x = EDGE + _PAGE.width - badge - 10
    canvas.draw_rect(x, y + 9, badge, 22, SvgColour.PAGE, SvgColour.DIM, radius=11)
    canvas.draw_text(x + badge / 2, y + 24, model, NOTE, anchor="middle", width=badge - 14)
    canvas.close_group()
    return end + 18


def _draw_compact_head(doc: Document, canvas: SvgCanvas, long_names: Names) -> float:
    """Draw title, instruction, and the model unless it is the documentation; return the end."""
    page, y = COMPACT.page, 10.0
    canvas.open_group("px-head")
    if doc.title:
        y = canvas.draw_paragraph(page, y + 13, doc.title, SUBHEADING) - 9
    is_documented = doc.model == ISA_MODEL.name and not doc.answers and not doc.other
    model = "" if is_documented else format_model(doc)
    room = min(SMALL.measure(model) + 12, page.width / 2) if model else 0
    canvas.draw_text(page.right, y + 14, model, SMALL, anchor="end", width=room)
    end = draw_instruction(
        canvas, _format_head(doc), page.x, y + 14, page.width - room, NAME, long_names
    )
    canvas.draw_line(page.x, end + 7, page.right, end + 7, SvgColour.LINE)
    canvas.close_group()
    return end + 14


def _draw_lane_names(sketch: Sketch, y: float) -> float:
    """Draw the names of the lane columns, with the numbers of their notes; return the end."""
    if sketch.scene.lanes == 1:
        return y
    notes = sketch.notes
    sketch.canvas.open_group("px-lanes")
    for number, column in enumerate(sketch.columns, 1):
        lane = len(sketch.columns) - number
        marks = [str(number) for number, note in enumerate(notes, 1) if note.lane == lane]
        name = f"lane {lane}" + (f" · note {', '.join(marks[:3])}" if marks else "")
        sketch.canvas.draw_centered(column, y + 15, name, REMARK, margin=8)
    sketch.canvas.close_group()
    return y + 16


def _draw_operands(sketch: Sketch, y: float) -> float:
    """Draw the lane columns and the registers a and b; others are drawn where they are read."""
    canvas = sketch.canvas
    registers = [
        sketch.registers[x]
        for x in _FIRST_ROLES
        if x in sketch.registers and x in sketch.read_keys - sketch.own_keys
    ]
    lanes = [x.role for x in registers if x.is_by_lane]
    words_end = y
    if registers and sketch.layout.is_compact:
        canvas.open_group("px-registers")
        y = words_end = step_captions.draw_registers(sketch, lanes, y)
        canvas.close_group()
    y = _draw_lane_names(sketch, y)
    if not registers:
        return y
    canvas.open_group("px-operands")
    if not sketch.layout.is_compact:
        words_end = step_captions.draw_registers(sketch, lanes, y)
    end = max(
        draw_register(sketch, figure, sketch.slots[figure.role], y + 6) for figure in registers
    )
    for figure in registers:
        sketch.add_zones(figure.cells, y + 6)
    canvas.close_group()
    fields = [figure for figure in registers if figure.figure]
    if fields:
        canvas.open_group("px-fields")
        top = end + 6
        for figure in fields:
            (area,) = sketch.make_areas(1, sketch.slots[figure.role])
            for ruler in figure.figure.rulers if figure.figure else ():
                end = max(
                    end, draw_bit_ruler(sketch, ruler._replace(name=""), area, top, with_value=True)
                )
                sketch.set_port(ruler.place, area, end)
        canvas.close_group()
    return max(end, words_end)


def _draw_steps(sketch: Sketch, panel: Panel, steps: tuple[StepView, ...], y: float) -> float:
    """Draw a band for each step, and a line for omitted ones; return the end."""
    canvas, section = sketch.canvas, panel.section
    css = "px-step px-{} px-other" if section.is_other else "px-step px-{}"
    shown_steps = {step.number: step for step in steps}
    previous_end: float | None = None
    omitted_steps: list[StepScene] = []
    selected: StepView | None = None
    for scene_step in sketch.scene.steps:
        if scene_step.stage not in panel.stages:
            continue
        step = shown_steps.get(scene_step.number)
        if step is None:
            omitted_steps.append(scene_step)
            continue
        if not scene_step.rows and not step.notes:  # the step changes nothing
            selected = step if step.stage is Stage.SELECT else None
            continue
        joined_step = selected if step.stage is Stage.EXTEND else None
        y = step_captions.draw_gap(sketch, omitted_steps, y, previous_end or y)
        omitted_steps, y = [], max(y, panel.tops.get(step.stage, y))
        canvas.add_mark(step.mark, y)
        canvas.open_group(css.format(step.stage), section.name_step(step))
        previous_end = step_captions.draw_thread(sketch, previous_end, y)
        new_registers = (x for row in scene_step.rows for x in sketch.find_new_registers(row))
        named_registers = (x for x in new_registers if x.unit > 1 and sketch.scene.lanes > 1)
        named_roles = dict.fromkeys(
            x.role for x in named_registers if x.is_by_lane or sketch.has_no_room(x)
        )
        words_end = step_captions.draw_step_caption(sketch, step, named_roles, y, joined_step)
        end = words_end
        if scene_step.rows:
            top = words_end if sketch.layout.is_compact else y
            end = max(draw_rows(sketch, scene_step, top, words_end), words_end)
        y = draw_step_notes(canvas, step, end, sketch.figures)
        stages = [x.stage for x in (joined_step, step) if x and sketch.has_machine_code(x.stage)]
        y = draw_machine_rows(canvas, sketch.take_machine_rows(stages), y, sketch.figures)
        canvas.close_group()
    return step_captions.draw_gap(sketch, omitted_steps, y, previous_end or y)


class IdleStep(NamedTuple):
    """A step without a place of its own in a picture."""

    name: str
    """Number and title."""
    is_beside: bool
    """Whether the operands have its numbers beside them; otherwise it changes nothing."""


def make_idle_step(step: StepView) -> IdleStep:
    """Return a step as one that is not drawn."""
    return IdleStep(f"{step.number} {step.title}", step.stage is Stage.EXTEND)


def list_idle_steps(scene: Scene, steps: tuple[StepView, ...]) -> list[IdleStep]:
    """Return the steps that are not drawn because they change nothing, or show nothing more."""
    drawn_stages = {step.stage for step in scene.steps if step.rows}
    joined_stages = {Stage.SELECT} if Stage.EXTEND in drawn_stages else set()
    omitted_steps = (
        x for x in steps if x.stage not in drawn_stages | joined_stages and not x.notes
    )
    return [*map(make_idle_step, omitted_steps)]


def describe_idle_steps(steps: Collection[IdleStep]) -> str:
    """Return a sentence or two with the steps that are not drawn; empty if all are."""
    idle = [x.name for x in steps if not x.is_beside]
    beside = [x.name for x in steps if x.is_beside]
    clause = "it changes" if len(idle) == 1 else "they change"
    sentences = [f"Not drawn, because {clause} nothing: {', '.join(idle)}."] if idle else []
    sentences += [f"Drawn beside the operands: {', '.join(beside)}."] if beside else []
    return " ".join(sentences)


def _draw_answers(answers: Answers, canvas: SvgCanvas, y: float, page: Area) -> float:
    """Draw each answer of models that differ, and the reasons; return the end."""
    y += 16
    canvas.open_group("px-answers")
    canvas.draw_line(page.x, y, page.right, y, SvgColour.MARK, 1.5, "6 4")
    title = "Why" if answers.other_trace else "Two answers"  # both are drawn, or one of them
    canvas.draw_text(page.x, y + 28, title, HEADING)
    widest = max(BODY.measure(answer.label) for answer in answers.all)
    room = min(max(_LABEL, widest + 9), page.width / 2)
    text_area = Area(page.x + room, page.width - room)
    about = f"They first differ at “{answers.step}”."
    canvas.draw_text(text_area.x, y + 28, about, BODY, SvgColour.DIM, width=text_area.width)
    y += 52
    for answer in answers.all:
        reason = answer.reason
        canvas.draw_text(page.x, y, answer.label, BODY, width=room - 8)
        result_room = min(text_area.width - STRONG.measure(reason) - 8, 360)
        canvas.draw_text(text_area.x, y, answer.result, LABEL, width=result_room)
        canvas.draw_text(page.right, y, reason, STRONG, SvgColour.MARK, anchor="end")
        y += 20
    for erratum in answers.errata:
        y = draw_note(canvas, f"{erratum.id}: {erratum.sentence}", y, page) + 8
    canvas.close_group()
    return y


def _draw_agreement(text: str, canvas: SvgCanvas, y: float, page: Area) -> float:
    canvas.open_group("px-answers")
    y = canvas.draw_paragraph(page, y + 18, text, STRONG)
    canvas.close_group()
    return y - 14


def _draw_notes(doc: Document, canvas: SvgCanvas, y: float, page: Area, has_lanes: bool) -> float:
    """Draw the notes on lanes and the notes of ptxscope; return the end."""
    only, notes = doc.sections[0], dict.fromkeys(x for y in doc.sections for x in y.notes)
    y = draw_lane_notes(() if only.heading else only.lane_notes, canvas, y + 14, page, has_lanes)
    texts = [f"Note: {text}." for text in dict.fromkeys((*notes, *doc.notes))]
    if only.heading and doc.no_result:
        texts.append(f"The result: {doc.no_result}.")
    for text in texts:
        y = canvas.draw_paragraph(page, y + 14, text, REMARK) - 6
    return y


def draw_lane_notes(
    notes: tuple[str, ...], canvas: SvgCanvas, y: float, page: Area, is_numbered: bool
) -> float:
    """Draw the notes of the author on lanes, numbered like their columns; return the end."""
    for number, text in enumerate(notes, 1):
        y = draw_note(canvas, f"note {number}: {text}" if is_numbered else text, y, page) + 8
    return y


def _draw_foot(
    doc: Document, canvas: SvgCanvas, y: float, page: Area, idle_text: str = ""
) -> float:
    """Draw caption and source; return the height of the page in whole px, as renderers round it."""
    canvas.open_group("px-foot")
    if doc.caption:
        y = canvas.draw_paragraph(page, y + 20, doc.caption, CAPTION) - 10
    y = canvas.draw_paragraph(page, y + 22, idle_text, SMALL) - 22
    if doc.source:
        canvas.draw_text(page.x, y + 22, doc.source, SMALL, width=page.width)
    else:
        y -= 14
    canvas.close_group()
    return ceil(y + (30 if idle_text else 40))
