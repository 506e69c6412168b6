"""A trace as a vector picture: the way of the bits from the registers to the result.

What is drawn is the scene's; the words are the document's; where and how large is said here.

It stands alone or inside an HTML page, follows a light or a dark scheme, and tells nothing by
colour alone. The result stands in it once, as one unbroken word.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ...engine.records import NamedTuple
from ...engine.semantics.models import ISA_MODEL
from ...engine.semantics.plan import Stage
from ...engine.tracing.trace import Trace
from ...scene.scene_model import Scene, StepScene
from ..content.document import Answers, Document, ResultView, StepView, build_document
from ..content.id_prefix import make_id_prefix
from ..content.name_abbreviation import abbreviate_names
from ..options import DEFAULT, Options
from ..theme import Theme
from . import step_captions
from .answer_branches import LONGEST_OF_BRANCH, draw_branches, make_branches
from .cell_shapes import drop_hex_prefixes, register
from .page_layout import (
    COMPACT,
    EDGE,
    FIGURES,
    LONGEST,
    PAGE,
    Area,
    Layout,
    Names,
    Sketch,
    abbreviate_long_names,
    build_visible_scene,
    draw_instruction,
    folded,
)
from .result_shapes import compact_results, draw_column_grounds, draw_note, draw_results, step_notes
from .step_layout import draw_rows, place_rows
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .svg_figures import draw_bit_ruler
from .svg_sheet import list_elements, make_sheet, write_sheet
from .text_fitting import LARGEST, USUAL, measure_text

_PAGE = PAGE.page
_LABEL = FIGURES.x - EDGE
"""Room for the name of an answer, at least."""
_FIRST = ("a", "b")
"""The registers that stand on top; others are drawn where they are read."""


class PictureStyle(NamedTuple):
    """How a trace is drawn: where things stand, and how large letters are."""

    layout: Layout = PAGE
    lettering: float = 1.0
    """How much larger than usual words beside the figures are."""
    least: float = USUAL
    """The smallest letters, where these have room."""


PLAIN = PictureStyle()
SMALL = PictureStyle(COMPACT)
"""One column of a paper."""


class SvgDrawing(NamedTuple):
    """All that is drawn of a trace; the pen's marks say where it may be cut."""

    doc: Document
    pen: SvgCanvas
    height: float
    theme: Theme = Theme.AUTO
    layout: Layout = PAGE
    named: Names = ()
    """What its letters stand for, where names are very long."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """The picture as an ``<svg>`` that scales: 800 px wide, 400 where it is compact."""
    return standing(draw_trace(trace, options, look=look_of(options)))


def look_of(options: Options) -> PictureStyle:
    """How a picture is drawn that is no slide."""
    return SMALL if options.compact else PLAIN


def draw_trace(
    trace: Trace, options: Options = DEFAULT, part: str = "", look: PictureStyle = PLAIN
) -> SvgDrawing:
    """Draw a trace; its marks are ``operands``, ``step-saturate`` …, ``result`` …, ``foot``.

    ``part`` tells the ids of one of several apart.
    """
    doc = build_document(trace, options)
    pen = SvgCanvas(make_id_prefix(doc, options, "svg") + part)
    pen.lettering, pen.least = look.lettering, look.least
    compact = look.layout.compact
    fork, told = None if compact else make_branches(doc, trace, options), doc
    longest = LONGEST_OF_BRANCH if fork else LONGEST
    named = abbreviate_long_names(doc, longest)
    if named:
        trace = abbreviate_names(trace, longest)
        told = build_document(trace, options)
        fork = make_branches(told, trace, options)
    trunk = fork.trunk if fork else told.steps
    layout = PAGE if fork else look.layout  # branches have one layout
    shown = folded(told, options) if compact else None
    drawn = shown.scene if shown else build_visible_scene(trace, options)
    sketch, page = Sketch(pen, drawn, told, trunk, layout), layout.page
    if shown:
        sketch.ends = shown.ends
    place_rows(sketch)
    y = top = (_compact_head if compact else _draw_document_head)(doc, pen, named)
    pen.smallest, pen.cut = LARGEST, 0  # of what stands below the head
    pen.mark("operands", y)
    y = _draw_operands(sketch, y)
    y = _draw_steps(sketch, trunk, y, before=fork.stage if fork else None)
    if fork:
        y = draw_branches(told, fork, pen, draw_column_grounds(sketch, top, y) + 8)
    else:
        pen.mark("result", y)
        y = draw_column_grounds(sketch, top, y)
        y = (
            compact_results(told, sketch, y)
            if compact
            else draw_results(told, told.results, sketch, y)
        )
    pen.mark("notes", y)
    y = _draw_notes(doc, pen, y - (8 if compact else 0), page, is_numbered=sketch.scene.lanes > 1)
    if doc.answers:
        pen.mark("answers", y)
        y = _draw_answers(doc.answers, pen, y, page, is_branched=fork is not None)
    elif doc.agreed:
        pen.mark("answers", y)
        y = _draw_agreement(doc.agreed, pen, y, page)
    pen.mark("foot", y)
    y = _draw_foot(doc, pen, y, page, _idle_steps(sketch, told.steps) if compact else "")
    return SvgDrawing(doc, pen, y, options.theme, layout, named)


def draw_form(doc: Document, told: Document, shown: Scene, ends: tuple[ResultView, ...]) -> str:
    """The picture of a scene whose values are not known, and what kinds come out of it.

    ``told`` is the document with letters for very long names.
    """
    pen = SvgCanvas(make_id_prefix(doc, DEFAULT, "form"))
    sketch = Sketch(pen, shown, told, told.steps)
    place_rows(sketch)
    y = top = _draw_document_head(doc, pen, abbreviate_long_names(doc))
    y = _draw_operands(sketch, y)
    y = _draw_steps(sketch, told.steps, y, before=None)
    y = draw_results(told, ends, sketch, draw_column_grounds(sketch, top, y))
    return standing(SvgDrawing(doc, pen, _draw_foot(doc, pen, y, PAGE.page)))


def standing(drawn: SvgDrawing, over: Sequence[str] = ()) -> str:
    """A drawing as an ``<svg>``; some elements may lie over it."""
    pen = drawn.pen
    sheet = make_sheet(drawn.doc, pen.prefix, drawn.layout.width, drawn.height)
    return write_sheet(sheet, [*paper(drawn), *list_elements(pen)], drawn.theme, over=over)


def paper(drawn: SvgDrawing) -> list[str]:
    """The page under a picture; a compact one has no frame, for it stands in a column."""
    pen, wide, high = SvgCanvas(drawn.pen.prefix), drawn.layout.width, drawn.height
    if drawn.layout.compact:
        pen.draw_rect(0, 0, wide, high, SvgColour.PAGE, None, radius=0)
    else:
        pen.draw_rect(0.5, 0.5, wide - 1, high - 1, SvgColour.PAGE, SvgColour.LINE, radius=12)
    return pen.parts


def _draw_document_head(doc: Document, pen: SvgCanvas, named: Names) -> float:
    """Title, instruction and model; returns where it ends."""
    return draw_head(pen, doc.title, doc.ptx, drop_hex_prefixes(format_model(doc)), named)


def format_model(doc: Document) -> str:
    """Whose answer is drawn: the model's, or where two are, both."""
    if doc.answers and doc.answers.steps:
        isa, other = sorted((doc.model, doc.answers.other), key=lambda x: x != ISA_MODEL.name)
        return f"models {isa} and {other}"
    return f"model {doc.model}"


def draw_head(pen: SvgCanvas, title: str, ptx: str, model: str, named: Names = ()) -> float:
    """Title, instruction and what stands in the badge; returns where it ends."""
    y = 26.0
    pen.open("px-head")
    if title:
        lines = pen.wrap_text(title, _PAGE.width / 1.12, 21)  # bold is wider
        y = pen.draw_lines(EDGE, y + 14, lines, 21, SvgColour.INK, step=27, is_bold=True) - 8
    badge = min(measure_text(model, 11) + 22, 240)
    under = len(pen.parts)
    end = draw_instruction(pen, ptx, EDGE + 14, y + 25, _PAGE.width - badge - 30, 14, named) + 15
    line = pen.parts[under:]
    del pen.parts[under:]
    pen.draw_rect(EDGE, y, _PAGE.width, end - y, SvgColour.SOFT, SvgColour.LINE, radius=8)
    pen.parts += line
    x = EDGE + _PAGE.width - badge - 10
    pen.draw_rect(x, y + 9, badge, 22, SvgColour.PAGE, SvgColour.DIM, radius=11)
    pen.draw_text(
        x + badge / 2, y + 24, model, 11, SvgColour.DIM, anchor="middle", width=badge - 14
    )
    pen.close()
    return end + 18


def _compact_head(doc: Document, pen: SvgCanvas, named: Names) -> float:
    """Title, instruction, and the model where it is not the documentation; returns its end."""
    page, y = COMPACT.page, 10.0
    pen.open("px-head")
    if doc.title:
        lines = pen.wrap_text(doc.title, page.width / 1.12, 14)
        y = pen.draw_lines(page.x, y + 13, lines, 14, SvgColour.INK, step=18, is_bold=True) - 9
    model = (
        ""
        if doc.model == ISA_MODEL.name and not doc.answers
        else drop_hex_prefixes(f"model {doc.model}")
    )
    room = min(measure_text(model, pen.scale_size(_MODEL)) + 12, page.width / 2) if model else 0
    pen.draw_text(page.right, y + 14, model, _MODEL, SvgColour.DIM, anchor="end", width=room)
    end = draw_instruction(pen, doc.ptx, page.x, y + 14, page.width - room, 12.5, named)
    pen.draw_line(page.x, end + 7, page.right, end + 7, SvgColour.LINE)
    pen.close()
    return end + 14


_MODEL = 10.5
"""The size of the model's name in a compact figure."""


def _draw_lane_names(sketch: Sketch, y: float) -> float:
    """The names of the lane columns, with the numbers of the notes on them."""
    if sketch.scene.lanes == 1:
        return y
    notes = sketch.notes
    sketch.pen.open("px-lanes")
    for at, column in enumerate(sketch.columns, 1):
        lane = len(sketch.columns) - at
        marks = [str(at) for at, note in enumerate(notes, 1) if note.lane == lane]
        name = f"lane {lane}" + (f" · note {', '.join(marks[:3])}" if marks else "")
        sketch.pen.draw_text(column.center, y + 15, name, 11.5, SvgColour.DIM, anchor="middle",
                        width=column.width - 8)  # fmt: skip
    sketch.pen.close()
    return y + 16


def _draw_operands(sketch: Sketch, y: float) -> float:
    """The lane columns, and the registers a and b; what else is read is drawn where it is used."""
    pen = sketch.pen
    shown = [sketch.registers[x] for x in _FIRST if x in sketch.registers and x in sketch.fed]
    lanes = [x.role for x in shown if x.by_lane]
    words = y
    if shown and sketch.layout.above:
        pen.open("px-registers")
        y = words = step_captions.draw_registers(sketch, lanes, y)
        pen.close()
    y = _draw_lane_names(sketch, y)
    if not shown:
        return y
    pen.open("px-operands")
    if not sketch.layout.above:
        words = step_captions.draw_registers(sketch, lanes, y)
    end = max(register(sketch, each, sketch.slots[each.role], y + 6) for each in shown)
    for each in shown:
        sketch.add_zones(each.cells, y + 6)
    pen.close()
    fields = [each for each in shown if each.figure]
    if fields:
        pen.open("px-fields")
        top = end + 6
        for each in fields:
            (area,) = sketch.make_areas(1, sketch.slots[each.role])
            for strip in each.figure.strips if each.figure else ():
                end = max(
                    end, draw_bit_ruler(sketch, strip._replace(name=""), area, top, with_value=True)
                )
                sketch.set_port(strip.place, area, end)
        pen.close()
    return max(end, words)


def _draw_steps(
    sketch: Sketch, steps: tuple[StepView, ...], y: float, before: Stage | None
) -> float:
    """A band for each step, and a line for those left out; returns where the last ends.

    What comes from a stage on, where answers part, is not drawn here.
    """
    pen = sketch.pen
    shown = {step.number: step for step in steps}
    above: float | None = None
    left_out: list[StepScene] = []
    selected: StepView | None = None
    for scene_step in sketch.scene.steps:
        if scene_step.stage is before:
            break
        step = shown.get(scene_step.number)
        if step is None:
            left_out.append(scene_step)
            continue
        if not scene_step.rows and not step.notes:  # nothing of it is left to draw
            selected = step if step.stage is Stage.SELECT else None
            continue
        joined = selected if step.stage is Stage.EXTEND else None
        y = step_captions.draw_gap(sketch, left_out, y, above or y)
        left_out = []
        pen.mark(f"step-{step.stage}", y)
        pen.open(f"px-step px-{step.stage}", f"step-{step.stage}")
        above = step_captions.draw_thread(sketch, above, y)
        new = (x for row in scene_step.rows for x in sketch.find_new_registers(row))
        named = (x for x in new if x.unit > 1 and sketch.scene.lanes > 1)
        brought = dict.fromkeys(x.role for x in named if x.by_lane or sketch.has_no_room(x))
        words = step_captions.step(sketch, step, brought, y, joined)
        end = words
        if scene_step.rows:
            top = words if sketch.layout.above else y
            end = max(draw_rows(sketch, scene_step, top, words), words)
        y = step_notes(pen, step, end, sketch.figures)
        pen.close()
    return step_captions.draw_gap(sketch, left_out, y, above or y)


def _idle_steps(sketch: Sketch, steps: tuple[StepView, ...]) -> str:
    """Which steps are not drawn because they change nothing."""
    drawn = {step.stage for step in sketch.scene.steps if step.rows}
    joined = {Stage.SELECT} if Stage.EXTEND in drawn else set()
    left_out = (x for x in steps if x.stage not in drawn | joined and not x.notes)
    idle = [f"{x.number} {x.title}" for x in left_out]
    return f"Not drawn, since nothing changes there: {', '.join(idle)}." if idle else ""


def _draw_answers(
    answers: Answers, pen: SvgCanvas, y: float, page: Area, *, is_branched: bool
) -> float:
    """Where models part: each answer, and why they differ."""
    y += 16
    pen.open("px-answers")
    pen.draw_line(page.x, y, page.right, y, SvgColour.MARK, 1.5, "6 4")
    pen.draw_text(
        page.x, y + 28, "Why" if is_branched else "Two answers", 17, SvgColour.INK, is_bold=True
    )
    widest = max(measure_text(answer.label, pen.scale_size(12)) for answer in answers.all)
    room = min(max(_LABEL, widest + 9), page.width / 2)
    said = Area(page.x + room, page.width - room)
    pen.draw_text(said.x, y + 28, f"They part at the step “{answers.step}”.", 12, SvgColour.DIM,
             width=said.width)  # fmt: skip
    y += 52
    for answer in answers.all:
        why = answer.why
        pen.draw_text(page.x, y, answer.label, 12, SvgColour.INK, width=room - 8)
        pen.draw_text(
            said.x,
            y,
            drop_hex_prefixes(answer.result),
            13,
            SvgColour.INK,
            is_monospaced=True,
            is_bold=True,
            width=min(said.width - measure_text(why, 12) * 1.12 - 8, 360),
        )
        pen.draw_text(page.right, y, why, 12, SvgColour.MARK, anchor="end", is_bold=True)
        y += 20
    for erratum in answers.errata:
        y = draw_note(pen, f"{erratum.id}: {erratum.sentence}", y, page) + 8
    pen.close()
    return y


def _draw_agreement(said: str, pen: SvgCanvas, y: float, page: Area) -> float:
    pen.open("px-answers")
    pen.draw_text(page.x, y + 18, said, 12, SvgColour.INK, is_bold=True)
    pen.close()
    return y + 20


def _draw_notes(doc: Document, pen: SvgCanvas, y: float, page: Area, *, is_numbered: bool) -> float:
    """Remarks on lanes, numbered where their heads name them, and what ptxscope itself remarks."""
    y += 14
    for at, said in enumerate(doc.lane_notes, 1):
        y = draw_note(pen, f"note {at}: {said}" if is_numbered else said, y, page) + 8
    for text in doc.notes:
        lines = pen.wrap_text(drop_hex_prefixes(f"Note: {text}."), page.width, 11.5)
        y = pen.draw_lines(page.x, y + 14, lines, 11.5, SvgColour.DIM, step=16) - 6
    return y


def _draw_foot(doc: Document, pen: SvgCanvas, y: float, page: Area, idle: str = "") -> float:
    """Caption and source; returns the height of the page, in whole px: renderers round it."""
    pen.open("px-foot")
    if doc.caption:
        lines = pen.wrap_text(doc.caption, page.width, 13)
        y = pen.draw_lines(page.x, y + 20, lines, 13, SvgColour.INK, step=19, is_italic=True) - 10
    for line in pen.wrap_text(idle, page.width, 10):
        pen.draw_text(page.x, y + 22, line, 10, SvgColour.DIM)
        y += 13
    pen.draw_text(page.x, y + 22, doc.source, 10, SvgColour.DIM, width=page.width)
    pen.close()
    return ceil(y + (30 if idle else 40))
