"""The words of a picture: numbers, titles and sentences of its steps, and what lanes are called.

They stand at the margin beside the figures, or in a strip above them that lines pass behind.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...scene.scene_model import StepScene
from ..content.document import StepView
from ..content.hidden_rows import SAID
from .cell_shapes import plain
from .page_layout import ROLE_INKS, WORDS_WIDTH, WORDS_X, Area, Sketch
from .svg_colours import Ink
from .text_fitting import text_width

_STRIP = 22
"""Least height of a strip."""
_SMALL = 10
"""The size of sentences in a compact figure."""
_NUMBER = 36
"""Where the number of a step stands, at the margin."""


def registers(sketch: Sketch, roles: Iterable[str], y: float) -> float:
    """A title above the registers, and the bits of those that are drawn by lanes."""
    pen, words = sketch.pen, sketch.layout.words
    if sketch.layout.compact:
        roles = list(roles)
        if roles:
            pen.rect(
                sketch.layout.page.x, y, sketch.layout.page.width, 16, Ink.PAGE, None, radius=0
            )
        for role, area in zip(roles, words.columns(2, 24), strict=False):
            _called(sketch, role, y + 10, area)
        return y + 16 if roles else y
    if not sketch.layout.above:
        pen.text(WORDS_X, y + 18, "Registers", 13, Ink.DIM, bold=True)
        end = y + 38
        for role in roles:
            end = _called(sketch, role, end, Area(WORDS_X, WORDS_WIDTH))
        return end - 12
    page = sketch.layout.page
    pen.rect(page.x, y - 2, page.width, _STRIP + 4, Ink.PAGE, None)
    pen.text(page.x + 8, y + 15, "Registers", 13, Ink.DIM, bold=True)
    for role, area in zip(roles, words.columns(2, 30), strict=False):
        _called(sketch, role, y + 15, area)
    return y + _STRIP + 2


def step(
    sketch: Sketch, shown: StepView, roles: Iterable[str], y: float, joined: StepView | None = None
) -> float:
    """Number, title and sentence of a step, and the registers it brings; returns their end.

    ``joined`` is the step before, where a compact figure draws both in one.
    """
    if sketch.layout.compact:
        return _heading(sketch, [joined, shown] if joined else [shown], roles, y)
    return _strip(sketch, shown, roles, y) if sketch.layout.above else _beside(
        sketch, shown, roles, y)  # fmt: skip


def gap(sketch: Sketch, steps: Iterable[StepScene], y: float, above: float) -> float:
    """Which steps are left out, where they would stand; returns where it ends."""
    named = ", ".join(f"{step.number} {step.title}" for step in steps)
    if not named:
        return y
    pen, page = sketch.pen, sketch.layout.page
    area = Area(page.x + 8, page.width - 16) if sketch.layout.above else sketch.layout.words
    lines = pen.wrapped(f"not shown: {named}", area.width, 10.5)
    pen.open("px-gap")
    if sketch.layout.above:
        pen.rect(page.x, y + 6, page.width, 8 + 13 * len(lines), Ink.PAGE, None)
        y -= 6
    else:
        pen.line(_NUMBER, above + 4, _NUMBER, y + 14 + 13 * len(lines), Ink.LINE, dash="2 4")
    y = pen.lines(area.x, y + 22, lines, 10.5, Ink.DIM, step=13, italic=True)
    pen.close()
    return y - 8


def thread(sketch: Sketch, above: float | None, y: float) -> float:
    """The line from the number of the step above to that of one that begins here."""
    top = y + 18
    if above is not None and not sketch.layout.above:
        sketch.pen.line(_NUMBER, above, _NUMBER, top - 4, Ink.LINE)
    return top + 20


def _beside(sketch: Sketch, shown: StepView, roles: Iterable[str], y: float) -> float:
    pen, large = sketch.pen, sketch.pen.lettering
    y += 18
    pen.dot(_NUMBER, y + 8, Ink.INK, hollow=True, size=11)
    pen.text(_NUMBER, y + 12.3, str(shown.number), 12, Ink.INK, anchor="middle", bold=True)
    pen.text(WORDS_X, y + 12.5, _title(shown), 14 * large, Ink.INK, bold=True, width=WORDS_WIDTH)
    lines = pen.wrapped(plain(shown.about), WORDS_WIDTH, 11 * large)
    first = y + 12.5 + 16.5 * large
    end = pen.lines(WORDS_X, first, lines, 11 * large, Ink.DIM, step=14.5 * large)
    for role in roles:
        end = _called(sketch, role, end + 4, Area(WORDS_X, WORDS_WIDTH))
    return end - 6


def _strip(sketch: Sketch, shown: StepView, roles: Iterable[str], y: float) -> float:
    pen, page, words = sketch.pen, sketch.layout.page, sketch.layout.words
    large = pen.lettering
    lines = pen.wrapped(plain(shown.about), words.width, 11 * large)
    roles, each, top = list(roles), 14 * large, y + 8
    height = max(8 + each * len(lines), _STRIP + 17 * len(roles), _STRIP)
    pen.rect(page.x, top, page.width, height, Ink.PAGE, None)
    pen.dot(page.x + 14, top + 12, Ink.INK, hollow=True, size=10)
    pen.text(page.x + 14, top + 16, str(shown.number), 12, Ink.INK, anchor="middle", bold=True)
    room = words.x - page.x - 44
    pen.text(page.x + 30, top + 17, _title(shown), 14, Ink.INK, bold=True, width=room / 1.12)
    first = top + 12.5 + (each - 11 * large) / 2 + max(_STRIP - 8 - each * len(lines), 0) / 2
    pen.lines(words.x, first, lines, 11 * large, Ink.DIM, step=each)
    end = top + 33
    for role in roles:
        end = _called(sketch, role, end, Area(page.x + 30, room))
    return top + height


def _heading(sketch: Sketch, steps: list[StepView], roles: Iterable[str], y: float) -> float:
    """Numbers and titles of steps drawn in one, and the first sentence, on few lines."""
    pen, words, page = sketch.pen, sketch.layout.words, sketch.layout.page
    numbers, titles = (
        ", ".join(x) for x in zip(*((str(x.number), x.title) for x in steps), strict=True)
    )
    title = f"{numbers} {titles[:1].upper()}{titles[1:]}"
    size, top = pen.sized(11), y + 4
    start = text_width(title, size) * 1.1 + 10
    said = _first_sentence(plain(steps[0].about))
    lines = pen.wrapped(said, words.width - start, _SMALL)
    roles = list(roles)
    height = 4 + 13 * max(len(lines), 1) + 15 * len(roles)
    pen.rect(page.x, top, page.width, height, Ink.PAGE, None, radius=0)
    pen.text(words.x, top + 11, title, size, Ink.INK, bold=True)
    end = pen.lines(words.x + start, top + 11, lines, _SMALL, Ink.DIM, step=13)
    for role in roles:
        end = _called(sketch, role, end, words.columns(2, 24)[0]) - 2
        shown = sketch.registers[role]
        if sketch.has_no_room(shown):
            pen.text(words.center + 12, end - 15, f"= {shown.meant}", 11.5,
                     ROLE_INKS.get(role, Ink.INK), mono=True)  # fmt: skip
    return top + height


def _first_sentence(text: str) -> str:
    """The first of several sentences, and the one that says that a result is kept back."""
    first, dot, rest = text.partition(". ")
    return f"{first}." + f" {SAID}" * rest.endswith(SAID) if dot else text


def _title(shown: StepView) -> str:
    return shown.title[:1].upper() + shown.title[1:]


def _called(sketch: Sketch, role: str, y: float, area: Area) -> float:
    """A register of lanes: its name and its bits; returns the end."""
    shown, pen = sketch.registers[role], sketch.pen
    ink = ROLE_INKS.get(role, Ink.INK)
    pen.text(area.x, y, shown.label, 13, ink, mono=True, bold=True)
    name = shown.name
    if name and name != shown.label:
        pen.text(area.x + 16, y, name, 11, Ink.DIM, mono=True, width=area.width - 76)
    pen.text(area.right, y, shown.bits, 11.5, ink, anchor="end", mono=True)
    return y + 17
