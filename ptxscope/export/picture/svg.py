"""A trace as a vector picture: the way of the bits from the registers to the result.

It stands alone or inside an HTML page, follows a light or a dark scheme, and tells nothing by
colour alone. The result stands in it once, as one unbroken word.
"""

from __future__ import annotations

from zlib import crc32

from ...engine.semantics.micro import Accumulate, Merge, Select
from ...engine.tracing.trace import Trace
from ..document import NOTHING_KEPT, Answers, Document, ResultView, StepView, document
from ..options import DEFAULT, Options
from .bands import draw_rows
from .drawing import Ink, Pen, definitions, escaped, number, text_width, wrapped
from .layout import (
    EDGE,
    FIGURES,
    LEFT,
    RIGHT,
    WIDTH,
    WORDS_WIDTH,
    WORDS_X,
    Area,
    Sketch,
)
from .rows import operand, plain

_READ_C = (Merge, Accumulate)
"""Kinds whose figure shows c in parts only: the margin tells it whole."""
_PAGE = Area(EDGE, WIDTH - 2 * EDGE)


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """The picture as an ``<svg>`` 800 px wide that scales; its height follows from its steps."""
    doc = document(trace, options)
    prefix = f"px-{crc32(doc.command.encode('utf-8', 'replace')):08x}"
    pen = Pen(prefix)
    sketch = Sketch(pen, trace, doc.operands)
    y = _head(doc, pen)
    y = _operands(doc, sketch, y)
    y = _steps(sketch, doc.steps, y, prefix="step")
    y = _results(doc.results, sketch, y)
    y = _notes(doc, pen, y)
    if doc.answers:
        y = _answers(doc, doc.answers, pen, y)
    y = _foot(doc, pen, y)
    return "\n".join(_around(doc, pen, y)) + "\n"


def _around(doc: Document, pen: Pen, height: float) -> list[str]:
    prefix, high = pen.prefix, number(height)
    title = escaped(doc.title or doc.ptx)
    steps = ", ".join(step.title for step in doc.steps)
    about = escaped(plain(f"{doc.ptx} Model {doc.model}. Steps: {steps}."))
    page = Pen(prefix)
    page.rect(0.5, 0.5, WIDTH - 1, height - 1, Ink.PAGE, Ink.LINE, radius=12)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="px-svg" role="img" '
        f'viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" height="{high}" '
        f'style="max-width:100%;height:auto" font-family="DejaVu Sans, sans-serif" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">',
        f'<title id="{prefix}-title">{title}</title>',
        f'<desc id="{prefix}-desc">{about}</desc>',
        definitions(prefix),
        *page.parts,
        '<g class="px-flows">',
        *pen.flows,
        "</g>",
        *pen.parts,
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


def _operands(doc: Document, sketch: Sketch, y: float) -> float:
    """The registers a and b; what else is read is drawn where it is used."""
    unit, taken = _taken(doc.trace)
    sketch.pen.open("px-operands")
    sketch.pen.text(WORDS_X, y + 14, "Registers", 13, Ink.DIM, bold=True)
    end = y
    for role, area in (("a", LEFT), ("b", RIGHT)):
        if role in sketch.operands:
            read = frozenset(taken.get(role, ())) if taken else None
            end = max(end, operand(sketch, role, area, y, unit, read))
    sketch.pen.close()
    return end


def _taken(trace: Trace) -> tuple[int, dict[str, set[int]]]:
    """The unit in which a and b are drawn, and which boxes of each are selected."""
    picked = [
        (row.input_keys[word], micro.unit, index)
        for row in trace.rows.values()
        if isinstance(micro := row.micro, Select)
        for word, index in micro.picks
    ]
    unit = 16 if {width for _, width, _ in picked} <= {16, 32} and picked else 8
    if all(width == 32 for _, width, _ in picked):
        unit = 8
    taken: dict[str, set[int]] = {}
    for role, width, index in picked:
        each = width // unit
        taken.setdefault(role, set()).update(range(index * each, (index + 1) * each))
    return unit, taken


def _steps(sketch: Sketch, steps: tuple[StepView, ...], y: float, *, prefix: str) -> float:
    """A band for each step; returns where the last ends."""
    pen = sketch.pen
    before: float | None = None
    for step in steps:
        pen.open(f"px-step px-{step.stage}", f"{prefix}-{step.stage}")
        top = y + 22
        if before is not None:
            pen.line(36, before, 36, top - 4, Ink.LINE)
        words = _words(sketch, step, top)
        before = top + 20
        end = max(draw_rows(sketch, step.rows, y), words)
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
    lines = wrapped(plain(step.about), WORDS_WIDTH, 11)
    y = pen.lines(WORDS_X, y + 29, lines, 11, Ink.DIM, step=14.5)
    if "c" in sketch.operands and any(isinstance(x.micro, _READ_C) for x in step.rows):
        c = sketch.operands["c"]
        said = plain(" ".join(filter(None, ("c", c.name, "=", c.bits))))
        pen.text(WORDS_X, y + 4, said, 11.5, Ink.C, mono=True, bold=True, width=WORDS_WIDTH)
        pen.text(WORDS_X, y + 19, f"= {c.meant}", 11, Ink.C, mono=True, width=WORDS_WIDTH)
        y += 24
    return y


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
    written = {x.role: x.key for x in sketch.trace.plan.results}
    roles = sketch.trace.instruction.results
    areas = FIGURES.columns(len(results), 20) if len(results) > 1 else [FIGURES.middle(440)]
    if not results:
        return _nowhere(sketch, areas[0], y)
    pen.open("px-result")
    top = y + 30
    pen.text(WORDS_X, top + 26, "Result", 14, Ink.INK, bold=True)
    for (name, bits, meant), role, area in zip(results, roles, areas, strict=True):
        sketch.flow(written[role], 0, (area.center, top))
        pen.rect(area.x, top, area.width, 66, Ink.SOFT, Ink.INK, radius=8, line=1.8)
        label = f"{name} ="
        pen.text(area.center, top + 58, meant, 12, Ink.DIM, anchor="middle", mono=True,
                 width=area.width - 24)  # fmt: skip
        wide = text_width(bits, 26, mono=True)
        pen.text(area.center, top + 36, bits, 26, Ink.INK, anchor="middle", mono=True, bold=True)
        pen.text(area.center - wide / 2 - 10, top + 35, label, 14, Ink.DIM, anchor="end", mono=True,
                 width=(area.width - wide) / 2 - 16)  # fmt: skip
    pen.close()
    return top + 66


def _nowhere(sketch: Sketch, area: Area, y: float) -> float:
    """An empty place where a result would stand, and a faint way there."""
    pen, top = sketch.pen, y + 30
    pen.open("px-result")
    pen.text(WORDS_X, top + 22, "Result", 14, Ink.INK, bold=True)
    for written in sketch.trace.plan.results:
        sketch.flow(written.key, 0, (area.center, top), strong=False)
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
    sketch = Sketch(pen, other, doc.operands)
    y = _steps(sketch, answers.steps, y + 40, prefix="other")
    results = document(other, DEFAULT).results
    y = _results(results, sketch, y)
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
