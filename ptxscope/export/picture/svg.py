"""A trace as a vector picture: the way of the bits from the registers to the result.

What is drawn is the scene's; the words are the document's; where and how large is said here.

It stands alone or inside an HTML page, follows a light or a dark scheme, and tells nothing by
colour alone. The result stands in it once, as one unbroken word.
"""

from __future__ import annotations

from zlib import crc32

from ...engine.tracing.trace import Trace
from ...scene.build import scene
from ...scene.records import Place, StepScene
from ..document import NOTHING_KEPT, Answers, Document, ResultView, StepView, document
from ..options import DEFAULT, Options
from .bands import draw_rows, place_rows
from .drawing import Ink, Pen, definitions, escaped, number, text_width, wrapped
from .figures import ruler
from .layout import EDGE, FIGURES, ROLE_INKS, WIDTH, WORDS_WIDTH, WORDS_X, Area, Sketch, meet
from .rows import plain, register

_PAGE = Area(EDGE, WIDTH - 2 * EDGE)
_FIRST = ("a", "b")
"""The registers that stand on top; others are drawn where they are read."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """The picture as an ``<svg>`` 800 px wide that scales; its height follows from its steps."""
    doc = document(trace, options)
    prefix = f"px-{crc32(doc.command.encode('utf-8', 'replace')):08x}"
    pen = Pen(prefix)
    sketch = _sketch(pen, doc, trace, doc.steps)
    y = top = _head(doc, pen)
    y = _operands(sketch, _lanes(doc, sketch, y))
    y = _steps(sketch, doc.steps, y, prefix="step")
    y = _results(doc.results, sketch, _columns(sketch, top, y))
    y = _notes(doc, pen, y)
    if doc.answers:
        y = _answers(doc, doc.answers, pen, y)
    y = _foot(doc, pen, y)
    return "\n".join(_around(doc, pen, y)) + "\n"


def _sketch(pen: Pen, doc: Document, trace: Trace, steps: tuple[StepView, ...]) -> Sketch:
    sketch = Sketch(pen, scene(trace), doc, steps)
    place_rows(sketch)
    return sketch


def _around(doc: Document, pen: Pen, height: float) -> list[str]:
    prefix, high = pen.prefix, number(height)
    title = escaped(doc.title or doc.ptx)
    steps = ", ".join(step.title for step in doc.steps)
    about = escaped(plain(f"{doc.ptx} Model {doc.model}. Steps: {steps}."))
    page = Pen(prefix)
    page.rect(0.5, 0.5, WIDTH - 1, height - 1, Ink.PAGE, Ink.LINE, radius=12)
    drawn = [
        *page.parts,
        *pen.grounds,
        '<g class="px-flows">',
        *pen.flows,
        "</g>",
        *pen.parts,
    ]
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="px-svg" role="img" '
        f'viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" height="{high}" '
        f'font-family="DejaVu Sans, sans-serif" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">',
        f'<title id="{prefix}-title">{title}</title>',
        f'<desc id="{prefix}-desc">{about}</desc>',
        definitions("\n".join(drawn)),
        *drawn,
        "</svg>",
    ]


def _head(doc: Document, pen: Pen) -> float:
    """Title, instruction and model; returns where it ends."""
    y = 26.0
    pen.open("px-head")
    if doc.title:
        lines = wrapped(doc.title, _PAGE.width / 1.12, 21)  # bold is wider
        y = pen.lines(EDGE, y + 14, lines, 21, Ink.INK, step=27, bold=True) - 8
    model = plain(f"model {doc.model}")
    badge = min(text_width(model, 11) + 22, 240)
    lines = wrapped(doc.ptx, _PAGE.width - badge - 30, 14, mono=True)
    height = 20 + 20 * len(lines)
    pen.rect(EDGE, y, _PAGE.width, height, Ink.SOFT, Ink.LINE, radius=8)
    pen.lines(EDGE + 14, y + 25, lines, 14, Ink.INK, step=20, mono=True, bold=True)
    x = EDGE + _PAGE.width - badge - 10
    pen.rect(x, y + 9, badge, 22, Ink.PAGE, Ink.DIM, radius=11)
    pen.text(x + badge / 2, y + 24, model, 11, Ink.DIM, anchor="middle", width=badge - 14)
    pen.close()
    return y + height + 18


def _lanes(doc: Document, sketch: Sketch, y: float) -> float:
    """The names of the lane columns, with the numbers of the notes on them."""
    if sketch.scene.lanes == 1:
        return y
    notes = doc.trace.annotations.on_lanes
    sketch.pen.open("px-lanes")
    for at, column in enumerate(sketch.columns, 1):
        lane = len(sketch.columns) - at
        marks = [str(at) for at, note in enumerate(notes, 1) if note.lane == lane]
        name = f"lane {lane}" + (f" · note {', '.join(marks[:3])}" if marks else "")
        sketch.pen.text(column.center, y + 15, name, 11.5, Ink.DIM, anchor="middle",
                        width=column.width - 8)  # fmt: skip
    sketch.pen.close()
    return y + 16


def _columns(sketch: Sketch, top: float, end: float) -> float:
    """A light ground behind each lane column from its name to its last row."""
    ground = Pen("")
    for column in sketch.columns:
        ground.rect(column.x, top, column.width, end + 8 - top, Ink.SOFT, None, radius=8)
    sketch.pen.grounds += ground.parts
    return end


def _operands(sketch: Sketch, y: float) -> float:
    """The registers a and b; what else is read is drawn where it is used."""
    pen = sketch.pen
    pen.open("px-operands")
    pen.text(WORDS_X, y + 18, "Registers", 13, Ink.DIM, bold=True)
    shown = [sketch.registers[role] for role in _FIRST if role in sketch.registers]
    end, words = y, y + 38
    for each in shown:
        end = max(end, register(sketch, each, sketch.slots[each.role], y + 6))
        if each.by_lane:
            words = _called(sketch, each.role, words)
    pen.close()
    fields = [each for each in shown if each.figure]
    if fields:
        pen.open("px-fields")
        top = end + 6
        for each in fields:
            (area,) = sketch.areas_for(1, sketch.slots[each.role])
            for strip in each.figure.strips if each.figure else ():
                end = max(end, ruler(sketch, strip._replace(name=""), area, top, said=True))
                sketch.leave(strip.place, area, end)
        pen.close()
    return max(end, words - 12)


def _called(sketch: Sketch, role: str, y: float) -> float:
    """A register of lanes in the margin: its name, its bits, its number; returns the end."""
    shown, pen = sketch.registers[role], sketch.pen
    ink = ROLE_INKS.get(role, Ink.INK)
    bits = "".join(cell.spans[0].text for cell in shown.cells)
    pen.text(WORDS_X, y, shown.label, 13, ink, mono=True, bold=True)
    name = sketch.say(shown.name)
    if name and name != shown.label:
        pen.text(WORDS_X + 16, y, name, 11, Ink.DIM, mono=True, width=WORDS_WIDTH - 76)
    pen.text(WORDS_X + WORDS_WIDTH, y, bits, 11.5, ink, anchor="end", mono=True)
    return y + 17


def _steps(sketch: Sketch, steps: tuple[StepView, ...], y: float, *, prefix: str) -> float:
    """A band for each step; returns where the last ends."""
    pen = sketch.pen
    scenes: dict[int, StepScene] = {step.number: step for step in sketch.scene.steps}
    before: float | None = None
    for step in steps:
        pen.open(f"px-step px-{step.stage}", f"{prefix}-{step.stage}")
        top = y + 18
        if before is not None:
            pen.line(36, before, 36, top - 4, Ink.LINE)
        shown = scenes[step.number]
        words = _words(sketch, step, top)
        if sketch.scene.lanes > 1:
            brought = {x.role: x for row in shown.rows for x in sketch.brings(row) if x.unit > 1}
            for role in brought:
                words = _called(sketch, role, words + 4)
        before = top + 20
        end = max(draw_rows(sketch, shown, y), words - 6)
        y = _step_notes(pen, step, end)
        pen.close()
    return y


def _words(sketch: Sketch, step: StepView, y: float) -> float:
    """Number, title and sentence of a step at the margin; returns their end."""
    pen = sketch.pen
    pen.dot(36, y + 8, Ink.INK, hollow=True, size=11)
    pen.text(36, y + 12.3, str(step.number), 12, Ink.INK, anchor="middle", bold=True)
    shown = step.title[:1].upper() + step.title[1:]
    pen.text(WORDS_X, y + 12.5, shown, 14, Ink.INK, bold=True, width=WORDS_WIDTH)
    lines = wrapped(plain(sketch.say(step.about)), WORDS_WIDTH, 11)
    return pen.lines(WORDS_X, y + 29, lines, 11, Ink.DIM, step=14.5)


def _step_notes(pen: Pen, step: StepView, y: float) -> float:
    for note in step.notes:
        y = _note(pen, note, y + 10, FIGURES)
    return y


def _note(pen: Pen, text: str, y: float, area: Area) -> float:
    """A writer's remark behind a bar; returns its end."""
    lines = wrapped(text, area.width - 28, 12)
    height = 14 + 17 * len(lines)
    pen.rect(area.x, y, area.width, height, Ink.MARK_SOFT, None, radius=4)
    pen.rect(area.x, y, 4, height, Ink.MARK, None, radius=0)
    pen.lines(area.x + 16, y + 19, lines, 12, Ink.INK, step=17, italic=True)
    return y + height


def _results(results: tuple[ResultView, ...], sketch: Sketch, y: float) -> float:
    """Every destination with its bits in one piece; returns the end."""
    pen = sketch.pen
    if not results:
        return _nowhere(sketch, FIGURES.middle(440), y)
    areas = FIGURES.columns(len(results), 20)
    if len(results) == 1:  # the name stands beside the word in the middle
        name, bits, _ = results[0]
        beside = text_width(f"{sketch.say(name)} =", 14, mono=True) + 26
        wide = text_width(bits, 26, mono=True) + 2 * beside
        areas = [FIGURES.middle(max(440, wide))]
    pen.open("px-result")
    top = y + 34
    pen.text(WORDS_X, top + 26, "Result", 14, Ink.INK, bold=True)
    for (name, bits, meant), place, area in zip(results, sketch.scene.results, areas, strict=True):
        _end(sketch, place, area, top, strong=True)
        pen.rect(area.x, top, area.width, 66, Ink.SOFT, Ink.INK, radius=8, line=1.8)
        label = f"{sketch.say(name)} ="
        pen.text(area.center, top + 58, meant, 12, Ink.DIM, anchor="middle", mono=True,
                 width=area.width - 24)  # fmt: skip
        wide = text_width(bits, 26, mono=True)
        pen.text(area.center, top + 36, bits, 26, Ink.INK, anchor="middle", mono=True, bold=True)
        pen.text(area.center - wide / 2 - 10, top + 35, label, 14, Ink.DIM, anchor="end", mono=True,
                 width=(area.width - wide) / 2 - 16)  # fmt: skip
    pen.close()
    return top + 66


def _end(sketch: Sketch, place: Place, area: Area, y: float, *, strong: bool) -> None:
    """The line to where a result stands, or would stand."""
    port = sketch.ports.get(place)
    if port:
        start, end = meet(port.area, area)
        sketch.pen.flow((start, port.y), (end, y), Ink.DIM, strong=strong)


def _nowhere(sketch: Sketch, area: Area, y: float) -> float:
    """An empty place where a result would stand, and a faint way there."""
    pen, top = sketch.pen, y + 34
    pen.open("px-result")
    pen.text(WORDS_X, top + 22, "Result", 14, Ink.INK, bold=True)
    for place in sketch.scene.thrown:
        _end(sketch, place, area, top, strong=False)
    pen.rect(area.x, top, area.width, 36, Ink.PAGE, Ink.LINE, radius=8, dash="4 3")
    pen.text(area.center, top + 22, NOTHING_KEPT, 12, Ink.DIM, anchor="middle",
             width=area.width - 24)  # fmt: skip
    pen.close()
    return top + 36


def _notes(doc: Document, pen: Pen, y: float) -> float:
    """Numbered remarks on lanes, and what ptxscope itself remarks."""
    y += 14
    for at, note in enumerate(doc.lane_notes, 1):
        y = _note(pen, f"note {at}: {note}", y, _PAGE) + 8
    for text in doc.notes:
        lines = wrapped(plain(f"Note: {text}."), _PAGE.width, 11.5)
        y = pen.lines(EDGE, y + 14, lines, 11.5, Ink.DIM, step=16) - 6
    return y


def _answers(doc: Document, answers: Answers, pen: Pen, y: float) -> float:
    """Where models part: each answer, why they differ, and the other's steps where asked for."""
    y += 16
    pen.open("px-answers")
    pen.line(EDGE, y, WIDTH - EDGE, y, Ink.MARK, 1.5, "6 4")
    pen.text(EDGE, y + 28, "Two answers", 17, Ink.INK, bold=True)
    pen.text(FIGURES.x, y + 28, f"They part at the step “{answers.step}”.", 12, Ink.DIM)
    y += 52
    for label, result, errata in answers.all:
        pen.text(EDGE, y, label, 12, Ink.INK, width=200)
        said = plain(result)
        pen.text(FIGURES.x, y, said, 13, Ink.INK, mono=True, bold=True, width=360)
        pen.text(WIDTH - EDGE, y, ", ".join(errata), 12, Ink.MARK, anchor="end", bold=True)
        y += 20
    for erratum in answers.errata:
        y = _note(pen, f"{erratum.id}: {erratum.sentence}", y, _PAGE) + 8
    pen.close()
    if answers.of:
        y = _other(doc, answers, answers.of, pen, y)
    return y


def _other(doc: Document, answers: Answers, other: Trace, pen: Pen, y: float) -> float:
    heading = plain(f"The steps of {answers.other} from there")
    pen.open("px-other")
    pen.text(EDGE, y + 22, heading, 15, Ink.INK, bold=True, width=_PAGE.width)
    sketch = _sketch(pen, doc, other, answers.steps)
    top = y + 36
    y = _steps(sketch, answers.steps, _lanes(doc, sketch, top), prefix="other")
    results = document(other, DEFAULT).results
    y = _results(results, sketch, _columns(sketch, top, y))
    pen.close()
    return y + 14


def _foot(doc: Document, pen: Pen, y: float) -> float:
    """Caption and source; returns the height of the page."""
    pen.open("px-foot")
    if doc.caption:
        lines = wrapped(doc.caption, _PAGE.width, 13)
        y = pen.lines(EDGE, y + 20, lines, 13, Ink.INK, step=19, italic=True) - 10
    pen.text(EDGE, y + 22, doc.source, 10, Ink.DIM, width=_PAGE.width)
    pen.close()
    return y + 40
