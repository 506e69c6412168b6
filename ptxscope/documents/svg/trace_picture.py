"""A trace as a vector picture: the path of the bits from the registers to the result.

The scene has the content, the document has the words; this package decides positions and sizes. A
picture stands alone or in an HTML page, follows a light or dark theme, and never relies on colour
alone. The bits in a box have a ``0x``, but not if copies of their sign are in the box beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from ...engine.micro_operations.stage import Stage
from ...engine.semantics.models import ISA_MODEL
from ...engine.tracing.trace import Trace
from ...scene.scene_model import LaneRef, Scene, StepScene
from ..content.alt_text import format_alt_text, format_short_alt
from ..content.document import (
    Answers,
    Document,
    ResultView,
    Section,
    StepView,
    build_document,
)
from ..content.id_prefix import make_id_prefix
from ..content.name_abbreviation import abbreviate_names
from ..options import DEFAULT, Options
from ..theme import Theme
from . import step_captions
from .answer_branches import LONGEST_OF_BRANCH, draw_branches, make_branches
from .cell_shapes import draw_register
from .machine_lines import draw_machine_rows, draw_machine_section
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
from .result_shapes import (
    draw_column_grounds,
    draw_compact_results,
    draw_note,
    draw_results,
    draw_step_notes,
)
from .step_layout import draw_rows, place_rows
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .svg_figures import draw_bit_ruler
from .svg_sheet import Sheet, list_elements, write_sheet
from .text_fitting import measure_text

_PAGE = PAGE.page
_LABEL = FIGURES.x - EDGE
"""Smallest width in px for the name of an answer."""
NOTHING_DIFFERS: Mapping[str, frozenset[int]] = {}
"""The lanes that differ, by row, of a trace that stands alone."""
_FIRST_ROLES = ("a", "b")
"""Registers at the top; others are drawn where they are read."""


class PictureStyle(NamedTuple):
    """The style of a picture."""

    layout: Layout = PAGE
    has_answers: bool = True
    """Whether it lists the answers of models that differ."""


PLAIN = PictureStyle()
SMALL = PictureStyle(COMPACT)
"""Style for one column of a paper."""


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
    has_frame: bool = True
    owners: Mapping[str, str] = {}
    """The mark of the step from which the part below another mark is visible, if not the last."""


class PictureKind(NamedTuple):
    """How a trace is drawn and described: of an instruction, or of a block."""

    draw: Callable[..., SvgDrawing]
    """Draws a trace with options, a part of its ids, and a style."""
    build_document: Callable[..., Document]
    """Returns the document of a trace with options."""
    describe: Callable[..., str]
    """Describes a document in words."""
    describe_shortly: Callable[..., str]
    """Describes it in one sentence."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render the picture as a scalable ``<svg>``: 800 px wide, or 400 if compact."""
    return render_drawing(draw_trace(trace, options, style=choose_style(options)))


def choose_style(options: Options) -> PictureStyle:
    """Return the style that options request."""
    return SMALL if options.compact else PLAIN


def draw_trace(
    trace: Trace, options: Options = DEFAULT, part: str = "", style: PictureStyle = PLAIN
) -> SvgDrawing:
    """Draw a trace; its marks are ``operands``, ``step-saturate`` …, ``result`` …, ``foot``.

    `part` distinguishes the ids of several pictures.
    """
    doc = build_document(trace, options)
    about = format_alt_text(doc)
    canvas = SvgCanvas(make_id_prefix(doc, options, "svg") + part)
    is_compact = style.layout.is_compact
    branches, short_document = None if is_compact else make_branches(doc, trace, options), doc
    max_chars = LONGEST_OF_BRANCH if branches else MAX_NAME_CHARS
    long_names = find_long_names(trace, max_chars)
    if long_names:
        trace = abbreviate_names(trace, max_chars)
        short_document = build_document(trace, options)
        branches = make_branches(short_document, trace, options)
    if not options.sentences:
        doc, short_document = doc.without_sentences(), short_document.without_sentences()
        branches = branches and make_branches(short_document, trace, options)
    trunk = branches.trunk if branches else short_document.steps
    section = short_document.sections[0]
    layout = PAGE if branches else style.layout  # branches have one layout
    folded_scene = build_folded_scene(section, options) if is_compact else None
    scene = folded_scene.scene if folded_scene else build_visible_scene(trace, options)
    sketch, page = Sketch(canvas, scene, section, trunk, layout), layout.page
    if folded_scene:
        sketch.ends = folded_scene.ends
    place_rows(sketch)
    y = top = (_draw_compact_head if is_compact else _draw_document_head)(doc, canvas, long_names)
    canvas.add_mark("operands", y)
    y = _draw_operands(sketch, y)
    y = _draw_steps(sketch, trunk, y, end_stage=branches.stage if branches else None)
    if branches:
        y = draw_column_grounds(sketch, top, y) + 8
        y = draw_branches(section, branches, sketch, y)
    else:
        canvas.add_mark("result", y)
        y = draw_column_grounds(sketch, top, y)
        y = (
            draw_compact_results(section, sketch, y)
            if is_compact
            else draw_results(section, section.results, sketch, y)
        )
    canvas.add_mark("notes", y)
    y = _draw_notes(
        doc, canvas, y - (8 if is_compact else 0), page, is_numbered=sketch.scene.lanes > 1
    )
    if doc.answers and style.has_answers:
        canvas.add_mark("answers", y)
        y = _draw_answers(doc.answers, canvas, y, page, is_branched=branches is not None)
    elif doc.agreement:
        canvas.add_mark("answers", y)
        y = _draw_agreement(doc.agreement, canvas, y, page)
    if doc.machine_code:
        y = draw_machine_section(canvas, doc.machine_code, sketch.machine_rows, y, page)
    canvas.add_mark("foot", y)
    y = _draw_foot(
        doc,
        canvas,
        y,
        page,
        describe_idle_steps(list_idle_steps(sketch.scene, short_document.steps))
        if is_compact and options.sentences
        else "",
    )
    return SvgDrawing(doc, canvas, y, about, format_model(doc), options.theme, layout, long_names)


INSTRUCTION = PictureKind(draw_trace, build_document, format_alt_text, format_short_alt)


def draw_form(
    doc: Document, short_document: Document, scene: Scene, result_views: tuple[ResultView, ...]
) -> str:
    """Draw a scene without known values, and the types of its results.

    `short_document` is the document with letters instead of long names.
    """
    canvas = SvgCanvas(make_id_prefix(doc, DEFAULT, "form"))
    y = _draw_document_head(doc, canvas, find_long_names(doc.trace))
    section = short_document.sections[0]._replace(results=result_views)
    y = draw_body(canvas, scene, section, y)
    height = _draw_foot(doc, canvas, y, PAGE.page)
    return render_drawing(SvgDrawing(doc, canvas, height, format_alt_text(doc), format_model(doc)))


def draw_body(
    canvas: SvgCanvas,
    scene: Scene,
    section: Section,
    y: float,
    layout: Layout = PAGE,
    ends: tuple[tuple[LaneRef, ...], ...] | None = None,
    differing_lanes: Mapping[str, frozenset[int]] = NOTHING_DIFFERS,
) -> float:
    """Draw operands, steps and results, with nothing around them; return the end.

    ``ends`` are the source places of the results, if the scene lacks rows that it should have.
    ``differing_lanes`` are the lanes of rows to mark.
    """
    sketch = Sketch(canvas, scene, section, section.steps, layout)
    sketch.differing_lanes = differing_lanes
    if ends is not None:
        sketch.ends = ends
    place_rows(sketch)
    top = y
    y = _draw_steps(sketch, section.steps, _draw_operands(sketch, y), end_stage=None)
    canvas.add_mark("result", y)
    y = draw_column_grounds(sketch, top, y)
    if layout.is_compact:
        return draw_compact_results(section, sketch, y)
    return draw_results(section, section.results, sketch, y)


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
    if drawing.layout.is_compact or not drawing.has_frame:
        canvas.draw_rect(0, 0, width, height, SvgColour.PAGE, None, radius=0)
    else:
        canvas.draw_rect(0.5, 0.5, width - 1, height - 1, SvgColour.PAGE, SvgColour.LINE, radius=12)
    return canvas.parts


def _draw_document_head(doc: Document, canvas: SvgCanvas, long_names: Names) -> float:
    """Draw title, instruction and model; return the end."""
    return draw_head(canvas, doc.title, doc.ptx, format_model(doc), long_names)


def format_model(doc: Document) -> str:
    """Return the model whose answer is drawn; if two are, both."""
    if doc.answers and doc.answers.steps:
        isa, other_name = sorted(
            (doc.model, doc.answers.other_name), key=lambda x: x != ISA_MODEL.name
        )
        return f"models {isa} and {other_name}"
    return f"model {doc.model}"


def draw_head(canvas: SvgCanvas, title: str, ptx: str, model: str, long_names: Names = ()) -> float:
    """Draw title, instruction and the text of the badge; return the end."""
    y = 26.0
    canvas.open_group("px-head")
    if title:
        lines = canvas.wrap_text(title, _PAGE.width / 1.12, 21)  # bold is wider
        y = canvas.draw_lines(EDGE, y + 14, lines, 21, SvgColour.INK, step=27, is_bold=True) - 8
    badge = min(measure_text(model, 11) + 22, 240)
    parts_start = len(canvas.parts)
    end = (
        draw_instruction(canvas, ptx, EDGE + 14, y + 25, _PAGE.width - badge - 30, 14, long_names)
        + 15
    )
    line = canvas.parts[parts_start:]
    del canvas.parts[parts_start:]
    canvas.draw_rect(EDGE, y, _PAGE.width, end - y, SvgColour.SOFT, SvgColour.LINE, radius=8)
    canvas.parts += line
    x = EDGE + _PAGE.width - badge - 10
    canvas.draw_rect(x, y + 9, badge, 22, SvgColour.PAGE, SvgColour.DIM, radius=11)
    canvas.draw_text(
        x + badge / 2, y + 24, model, 11, SvgColour.DIM, anchor="middle", width=badge - 14
    )
    canvas.close_group()
    return end + 18


def _draw_compact_head(doc: Document, canvas: SvgCanvas, long_names: Names) -> float:
    """Draw title, instruction, and the model unless it is the documentation; return the end."""
    page, y = COMPACT.page, 10.0
    canvas.open_group("px-head")
    if doc.title:
        lines = canvas.wrap_text(doc.title, page.width / 1.12, 14)
        y = canvas.draw_lines(page.x, y + 13, lines, 14, SvgColour.INK, step=18, is_bold=True) - 9
    model = "" if doc.model == ISA_MODEL.name and not doc.answers else f"model {doc.model}"
    room = min(measure_text(model, canvas.scale_size(_MODEL)) + 12, page.width / 2) if model else 0
    canvas.draw_text(page.right, y + 14, model, _MODEL, SvgColour.DIM, anchor="end", width=room)
    end = draw_instruction(canvas, doc.ptx, page.x, y + 14, page.width - room, 12.5, long_names)
    canvas.draw_line(page.x, end + 7, page.right, end + 7, SvgColour.LINE)
    canvas.close_group()
    return end + 14


_MODEL = 10.5
"""Size of the name of the model in a compact figure."""


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
        sketch.canvas.draw_text(column.center, y + 15, name, 11.5, SvgColour.DIM, anchor="middle",
                        width=column.width - 8)  # fmt: skip
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


def _draw_steps(
    sketch: Sketch, steps: tuple[StepView, ...], y: float, end_stage: Stage | None
) -> float:
    """Draw a band for each step, and a line for omitted ones; return the end.

    Steps from `end_stage` onwards are left to the branches.
    """
    canvas = sketch.canvas
    shown_steps = {step.number: step for step in steps}
    previous_end: float | None = None
    omitted_steps: list[StepScene] = []
    selected: StepView | None = None
    for scene_step in sketch.scene.steps:
        if scene_step.stage is end_stage:
            break
        step = shown_steps.get(scene_step.number)
        if step is None:
            omitted_steps.append(scene_step)
            continue
        if not scene_step.rows and not step.notes:  # the step changes nothing
            selected = step if step.stage is Stage.SELECT else None
            continue
        joined_step = selected if step.stage is Stage.EXTEND else None
        y = step_captions.draw_gap(sketch, omitted_steps, y, previous_end or y)
        omitted_steps = []
        canvas.add_mark(step.mark, y)
        canvas.open_group(f"px-step px-{step.stage}", f"step-{step.stage}")
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


def _draw_answers(
    answers: Answers, canvas: SvgCanvas, y: float, page: Area, *, is_branched: bool
) -> float:
    """Draw each answer of models that differ, and the reasons; return the end."""
    y += 16
    canvas.open_group("px-answers")
    canvas.draw_line(page.x, y, page.right, y, SvgColour.MARK, 1.5, "6 4")
    canvas.draw_text(
        page.x, y + 28, "Why" if is_branched else "Two answers", 17, SvgColour.INK, is_bold=True
    )
    widest = max(measure_text(answer.label, canvas.scale_size(12)) for answer in answers.all)
    room = min(max(_LABEL, widest + 9), page.width / 2)
    text_area = Area(page.x + room, page.width - room)
    canvas.draw_text(
        text_area.x,
        y + 28,
        f"They first differ at “{answers.step}”.",
        12,
        SvgColour.DIM,
        width=text_area.width,
    )
    y += 52
    for answer in answers.all:
        reason = answer.reason
        canvas.draw_text(page.x, y, answer.label, 12, SvgColour.INK, width=room - 8)
        canvas.draw_text(
            text_area.x,
            y,
            answer.result,
            13,
            SvgColour.INK,
            is_monospaced=True,
            is_bold=True,
            width=min(text_area.width - measure_text(reason, 12) * 1.12 - 8, 360),
        )
        canvas.draw_text(page.right, y, reason, 12, SvgColour.MARK, anchor="end", is_bold=True)
        y += 20
    for erratum in answers.errata:
        y = draw_note(canvas, f"{erratum.id}: {erratum.sentence}", y, page) + 8
    canvas.close_group()
    return y


def _draw_agreement(text: str, canvas: SvgCanvas, y: float, page: Area) -> float:
    canvas.open_group("px-answers")
    canvas.draw_text(page.x, y + 18, text, 12, SvgColour.INK, is_bold=True)
    canvas.close_group()
    return y + 20


def _draw_notes(
    doc: Document, canvas: SvgCanvas, y: float, page: Area, *, is_numbered: bool
) -> float:
    """Draw the notes on lanes and the notes of ptxscope; return the end."""
    y = draw_lane_notes(doc.lane_notes, canvas, y + 14, page, is_numbered)
    for text in doc.notes:
        lines = canvas.wrap_text(f"Note: {text}.", page.width, 11.5)
        y = canvas.draw_lines(page.x, y + 14, lines, 11.5, SvgColour.DIM, step=16) - 6
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
        lines = canvas.wrap_text(doc.caption, page.width, 13)
        y = (
            canvas.draw_lines(page.x, y + 20, lines, 13, SvgColour.INK, step=19, is_italic=True)
            - 10
        )
    for line in canvas.wrap_text(idle_text, page.width, 10):
        canvas.draw_text(page.x, y + 22, line, 10, SvgColour.DIM)
        y += 13
    if doc.source:
        canvas.draw_text(page.x, y + 22, doc.source, 10, SvgColour.DIM, width=page.width)
    else:
        y -= 14
    canvas.close_group()
    return ceil(y + (30 if idle_text else 40))
