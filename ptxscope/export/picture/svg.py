"""A trace as a vector picture: the way of the bits from the registers to the result.

What is drawn is the scene's; the words are the document's; where and how large is said here.

It stands alone or inside an HTML page, follows a light or a dark scheme, and tells nothing by
colour alone. The result stands in it once, as one unbroken word.
"""

from __future__ import annotations

from ...engine.records import NamedTuple
from ...engine.semantics.plan import Stage
from ...engine.tracing.trace import Trace
from ...scene.branches import agree
from ...scene.build import scene
from ...scene.records import Scene, StepScene
from ..alt import alt
from ..document import Answers, Document, ResultView, StepView, document
from ..identity import prefix
from ..options import DEFAULT, Options
from ..theme import Theme
from .bands import draw_rows, place_rows
from .drawing import Ink, Pen, definitions, dressed, escaped, number, text_width, wrapped
from .figures import ruler
from .fork import branches, fork_of
from .layout import EDGE, FIGURES, ROLE_INKS, WIDTH, WORDS_WIDTH, WORDS_X, Area, Sketch
from .results import columns, note, results, step_notes
from .rows import plain, register

_PAGE = Area(EDGE, WIDTH - 2 * EDGE)
AGREED = "One answer: on these values isa and every known ptxas agree."
_BESIDE = 1.3
"""How much larger the words of a step are on a slide, where they would be small."""
_FIRST = ("a", "b")
"""The registers that stand on top; others are drawn where they are read."""


class Drawing(NamedTuple):
    """All that is drawn of a trace; the pen's marks say where it may be cut."""

    doc: Document
    pen: Pen
    height: float
    theme: Theme = Theme.AUTO


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """The picture as an ``<svg>`` 800 px wide that scales; its height follows from its steps."""
    return _standing(drawing(trace, options))


def drawing(trace: Trace, options: Options = DEFAULT, part: str = "") -> Drawing:
    """Draw a trace; its marks are ``operands``, ``step-saturate`` …, ``result`` …, ``foot``.

    ``part`` tells the ids of one of several apart.
    """
    doc = document(trace, options)
    pen = Pen(prefix(doc, options, "svg") + part)
    pen.lettering = _BESIDE if options.slide else 1
    fork = fork_of(doc, trace, options)
    trunk = fork.trunk if fork else doc.steps
    sketch = Sketch(pen, scene(trace), doc, trunk)
    place_rows(sketch)
    y = top = _head(doc, pen)
    pen.mark("operands", y)
    y = _operands(sketch, _lanes(doc, sketch, y))
    y = _steps(sketch, trunk, y, before=fork.stage if fork else None)
    if fork:
        y = branches(doc, fork, pen, columns(sketch, top, y) + 8)
    else:
        pen.mark("result", y)
        y = results(doc, doc.results, sketch, columns(sketch, top, y))
    pen.mark("notes", y)
    y = _notes(doc, pen, y)
    if doc.answers:
        pen.mark("answers", y)
        y = _answers(doc.answers, pen, y, forked=fork is not None)
    elif options.both and options.result and agree(trace):
        pen.mark("answers", y)
        y = _agreed(pen, y)
    pen.mark("foot", y)
    return Drawing(doc, pen, _foot(doc, pen, y), options.theme)


def picture(doc: Document, shown: Scene, ends: tuple[ResultView, ...]) -> str:
    """The picture of a scene whose values are not known, and what kinds come out of it."""
    pen = Pen(prefix(doc, DEFAULT, "form"))
    sketch = Sketch(pen, shown, doc, doc.steps)
    place_rows(sketch)
    y = top = _head(doc, pen)
    y = _operands(sketch, _lanes(doc, sketch, y))
    y = _steps(sketch, doc.steps, y, before=None)
    y = results(doc, ends, sketch, columns(sketch, top, y))
    return _standing(Drawing(doc, pen, _foot(doc, pen, y)))


def _standing(drawn: Drawing) -> str:
    return "\n".join(_around(*drawn)) + "\n"


def _around(doc: Document, pen: Pen, height: float, theme: Theme) -> list[str]:
    page = Pen(pen.prefix)
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
        *opened(doc, pen.prefix, WIDTH, height),
        definitions("\n".join(drawn), theme),
        *dressed(drawn, theme),
        "</svg>",
    ]


def opened(doc: Document, name: str, width: float, height: float, role: str = "img") -> list[str]:
    """The beginning of an ``<svg>``: its size, and what it shows in words."""
    return begun(doc.title or doc.ptx, plain(alt(doc)), name, width, height, role)


def begun(
    title: str, about: str, name: str, width: float, height: float, role: str = "img"
) -> list[str]:
    """The beginning of an ``<svg>`` with a title and a description."""
    wide, high = number(width), number(height)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="px-svg" role="{role}" '
        f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'font-family="DejaVu Sans, sans-serif" '
        f'aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escaped(title)}</title>',
        f'<desc id="{name}-desc">{escaped(about)}</desc>',
    ]


def _head(doc: Document, pen: Pen) -> float:
    """Title, instruction and model; returns where it ends."""
    return head(pen, doc.title, doc.ptx, plain(f"model {doc.model}"))


def head(pen: Pen, title: str, ptx: str, model: str) -> float:
    """Title, instruction and what stands in the badge; returns where it ends."""
    y = 26.0
    pen.open("px-head")
    if title:
        lines = wrapped(title, _PAGE.width / 1.12, 21)  # bold is wider
        y = pen.lines(EDGE, y + 14, lines, 21, Ink.INK, step=27, bold=True) - 8
    badge = min(text_width(model, 11) + 22, 240)
    lines = wrapped(ptx, _PAGE.width - badge - 30, 14, mono=True)
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


def _operands(sketch: Sketch, y: float) -> float:
    """The registers a and b; what else is read is drawn where it is used."""
    pen = sketch.pen
    shown = [sketch.registers[x] for x in _FIRST if x in sketch.registers and x in sketch.fed]
    if not shown:
        return y
    pen.open("px-operands")
    pen.text(WORDS_X, y + 18, "Registers", 13, Ink.DIM, bold=True)
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


def _steps(sketch: Sketch, steps: tuple[StepView, ...], y: float, before: Stage | None) -> float:
    """A band for each step, and a line for those left out; returns where the last ends.

    What comes from a stage on, where answers part, is not drawn here.
    """
    pen = sketch.pen
    shown = {step.number: step for step in steps}
    above: float | None = None
    left_out: list[StepScene] = []
    for scene_step in sketch.scene.steps:
        if scene_step.stage is before:
            break
        step = shown.get(scene_step.number)
        if step is None:
            left_out.append(scene_step)
            continue
        y = _gap(pen, left_out, y, above)
        left_out = []
        pen.mark(f"step-{step.stage}", y)
        pen.open(f"px-step px-{step.stage}", f"step-{step.stage}")
        top = y + 18
        if above is not None:
            pen.line(36, above, 36, top - 4, Ink.LINE)
        words = _words(sketch, step, top)
        if sketch.scene.lanes > 1:
            brought = {x.role: x for row in scene_step.rows for x in sketch.brings(row)
                       if x.unit > 1}  # fmt: skip
            for role in brought:
                words = _called(sketch, role, words + 4)
        above = top + 20
        end = max(draw_rows(sketch, scene_step, y), words - 6)
        y = step_notes(pen, step, end, FIGURES)
        pen.close()
    return _gap(pen, left_out, y, above)


def _gap(pen: Pen, steps: list[StepScene], y: float, above: float | None) -> float:
    """Which steps are left out, where they would stand; returns where it ends."""
    if not steps:
        return y
    named = ", ".join(f"{step.number} {step.title}" for step in steps)
    lines = wrapped(f"not shown: {named}", WORDS_WIDTH, 10.5)
    pen.open("px-gap")
    pen.line(36, (above or y) + 4, 36, y + 14 + 13 * len(lines), Ink.LINE, dash="2 4")
    y = pen.lines(WORDS_X, y + 22, lines, 10.5, Ink.DIM, step=13, italic=True)
    pen.close()
    return y - 8


def _words(sketch: Sketch, step: StepView, y: float) -> float:
    """Number, title and sentence of a step at the margin; returns their end."""
    pen, large = sketch.pen, sketch.pen.lettering
    pen.dot(36, y + 8, Ink.INK, hollow=True, size=11)
    pen.text(36, y + 12.3, str(step.number), 12, Ink.INK, anchor="middle", bold=True)
    shown = step.title[:1].upper() + step.title[1:]
    pen.text(WORDS_X, y + 12.5, shown, 14 * large, Ink.INK, bold=True, width=WORDS_WIDTH)
    lines = wrapped(plain(sketch.say(step.about)), WORDS_WIDTH, 11 * large)
    first = y + 12.5 + 16.5 * large
    return pen.lines(WORDS_X, first, lines, 11 * large, Ink.DIM, step=14.5 * large)


def _answers(answers: Answers, pen: Pen, y: float, *, forked: bool) -> float:
    """Where models part: each answer, and why they differ."""
    y += 16
    pen.open("px-answers")
    pen.line(EDGE, y, WIDTH - EDGE, y, Ink.MARK, 1.5, "6 4")
    pen.text(EDGE, y + 28, "Why" if forked else "Two answers", 17, Ink.INK, bold=True)
    pen.text(FIGURES.x, y + 28, f"They part at the step “{answers.step}”.", 12, Ink.DIM)
    y += 52
    for label, result, errata in answers.all:
        pen.text(EDGE, y, label, 12, Ink.INK, width=FIGURES.x - EDGE - 8)
        said = plain(result)
        pen.text(FIGURES.x, y, said, 13, Ink.INK, mono=True, bold=True, width=360)
        pen.text(WIDTH - EDGE, y, ", ".join(errata), 12, Ink.MARK, anchor="end", bold=True)
        y += 20
    for erratum in answers.errata:
        y = note(pen, f"{erratum.id}: {erratum.sentence}", y, _PAGE) + 8
    pen.close()
    return y


def _agreed(pen: Pen, y: float) -> float:
    pen.open("px-answers")
    pen.text(EDGE, y + 18, AGREED, 12, Ink.INK, bold=True)
    pen.close()
    return y + 20


def _notes(doc: Document, pen: Pen, y: float) -> float:
    """Numbered remarks on lanes, and what ptxscope itself remarks."""
    y += 14
    for at, said in enumerate(doc.lane_notes, 1):
        y = note(pen, f"note {at}: {said}", y, _PAGE) + 8
    for text in doc.notes:
        lines = wrapped(plain(f"Note: {text}."), _PAGE.width, 11.5)
        y = pen.lines(EDGE, y + 14, lines, 11.5, Ink.DIM, step=16) - 6
    return y


def _foot(doc: Document, pen: Pen, y: float) -> float:
    """Caption and source; returns the height of the page."""
    pen.open("px-foot")
    if doc.caption:
        lines = wrapped(doc.caption, _PAGE.width, 13)
        y = pen.lines(EDGE, y + 20, lines, 13, Ink.INK, step=19, italic=True) - 10
    pen.text(EDGE, y + 22, doc.source, 10, Ink.DIM, width=_PAGE.width)
    pen.close()
    return y + 40
