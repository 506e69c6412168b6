"""The words of a picture: numbers, titles and sentences of its steps, and what lanes are called.

They stand at the margin beside the figures, or in a strip above them that lines pass behind.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...scene.records import StepScene
from ..document import StepView
from .inks import Ink
from .layout import ROLE_INKS, WORDS_WIDTH, WORDS_X, Area, Sketch
from .rows import plain

_STRIP = 22
"""Least height of a strip."""
_NUMBER = 36
"""Where the number of a step stands, at the margin."""


def registers(sketch: Sketch, roles: Iterable[str], y: float) -> float:
    """A title above the registers, and the bits of those that are drawn by lanes."""
    pen, words = sketch.pen, sketch.layout.words
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


def step(sketch: Sketch, shown: StepView, roles: Iterable[str], y: float) -> float:
    """Number, title and sentence of a step, and the registers it brings; returns their end."""
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
    pen, (page, _, words, _), large = sketch.pen, sketch.layout, sketch.pen.lettering
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
