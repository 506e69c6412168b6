"""The words of a picture: numbers, titles and sentences of its steps, and what lanes are called.

They stand at the margin beside the figures, or in a strip above them that lines pass behind.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...engine.semantics.plan import Stage
from ...scene.scene_model import StepScene
from ..content.document import StepView
from ..content.hidden_rows import HIDDEN_RESULT_TEXT
from .cell_shapes import drop_hex_prefixes
from .page_layout import ROLE_INKS, WORDS_WIDTH, WORDS_X, Area, Sketch
from .svg_colours import SvgColour
from .text_fitting import measure_text

_STRIP = 22
"""Least height of a strip."""
_SMALL = 10
"""The size of sentences in a compact figure."""
_NUMBER = 36
"""Where the number of a step stands, at the margin."""


def draw_registers(sketch: Sketch, roles: Iterable[str], y: float) -> float:
    """A title above the registers, and the bits of those that are drawn by lanes."""
    pen, words = sketch.pen, sketch.layout.words
    if sketch.layout.compact:
        roles = list(roles)
        if roles:
            pen.draw_rect(
                sketch.layout.page.x,
                y,
                sketch.layout.page.width,
                16,
                SvgColour.PAGE,
                None,
                radius=0,
            )
        for role, area in zip(roles, words.split_columns(2, 24), strict=False):
            _draw_register_name(sketch, role, y + 10, area)
        return y + 16 if roles else y
    if not sketch.layout.above:
        pen.draw_text(WORDS_X, y + 18, "Registers", 13, SvgColour.DIM, is_bold=True)
        end = y + 38
        for role in roles:
            end = _draw_register_name(sketch, role, end, Area(WORDS_X, WORDS_WIDTH))
        return end - 12
    page = sketch.layout.page
    pen.draw_rect(page.x, y - 2, page.width, _STRIP + 4, SvgColour.PAGE, None)
    pen.draw_text(page.x + 8, y + 15, "Registers", 13, SvgColour.DIM, is_bold=True)
    for role, area in zip(roles, words.split_columns(2, 30), strict=False):
        _draw_register_name(sketch, role, y + 15, area)
    return y + _STRIP + 2


def step(
    sketch: Sketch, shown: StepView, roles: Iterable[str], y: float, joined: StepView | None = None
) -> float:
    """Number, title and sentence of a step, and the registers it brings; returns their end.

    ``joined`` is the step before, where a compact figure draws both in one.
    """
    if sketch.layout.compact:
        return _heading(sketch, [joined, shown] if joined else [shown], roles, y)
    return _strip(sketch, shown, roles, y) if sketch.layout.above else _draw_side_caption(
        sketch, shown, roles, y)  # fmt: skip


def draw_gap(sketch: Sketch, steps: Iterable[StepScene], y: float, above: float) -> float:
    """Which steps are left out, where they would stand; returns where it ends."""
    named = ", ".join(f"{step.number} {step.title}" for step in steps)
    if not named:
        return y
    pen, page = sketch.pen, sketch.layout.page
    area = Area(page.x + 8, page.width - 16) if sketch.layout.above else sketch.layout.words
    lines = pen.wrap_text(f"not shown: {named}", area.width, 10.5)
    pen.open("px-gap")
    if sketch.layout.above:
        pen.draw_rect(page.x, y + 6, page.width, 8 + 13 * len(lines), SvgColour.PAGE, None)
        y -= 6
    else:
        pen.draw_line(
            _NUMBER, above + 4, _NUMBER, y + 14 + 13 * len(lines), SvgColour.LINE, dash="2 4"
        )
    y = pen.draw_lines(area.x, y + 22, lines, 10.5, SvgColour.DIM, step=13, is_italic=True)
    pen.close()
    return y - 8


def draw_thread(sketch: Sketch, above: float | None, y: float) -> float:
    """The line from the number of the step above to that of one that begins here."""
    top = y + 18
    if above is not None and not sketch.layout.above:
        sketch.pen.draw_line(_NUMBER, above, _NUMBER, top - 4, SvgColour.LINE)
    return top + 20


def _draw_side_caption(sketch: Sketch, shown: StepView, roles: Iterable[str], y: float) -> float:
    pen, large = sketch.pen, sketch.pen.lettering
    y += 18
    pen.draw_dot(_NUMBER, y + 8, SvgColour.INK, is_hollow=True, size=11)
    pen.draw_text(
        _NUMBER, y + 12.3, str(shown.number), 12, SvgColour.INK, anchor="middle", is_bold=True
    )
    pen.draw_text(
        WORDS_X,
        y + 12.5,
        _format_title(shown),
        14 * large,
        SvgColour.INK,
        is_bold=True,
        width=WORDS_WIDTH,
    )
    lines = pen.wrap_text(drop_hex_prefixes(shown.about), WORDS_WIDTH, 11 * large)
    first = y + 12.5 + 16.5 * large
    end = pen.draw_lines(WORDS_X, first, lines, 11 * large, SvgColour.DIM, step=14.5 * large)
    for role in roles:
        end = _draw_register_name(sketch, role, end + 4, Area(WORDS_X, WORDS_WIDTH))
    return end - 6


def _strip(sketch: Sketch, shown: StepView, roles: Iterable[str], y: float) -> float:
    pen, page, words = sketch.pen, sketch.layout.page, sketch.layout.words
    large = pen.lettering
    lines = pen.wrap_text(drop_hex_prefixes(shown.about), words.width, 11 * large)
    roles, each, top = list(roles), 14 * large, y + 8
    height = max(8 + each * len(lines), _STRIP + 17 * len(roles), _STRIP)
    pen.draw_rect(page.x, top, page.width, height, SvgColour.PAGE, None)
    pen.draw_dot(page.x + 14, top + 12, SvgColour.INK, is_hollow=True, size=10)
    pen.draw_text(
        page.x + 14, top + 16, str(shown.number), 12, SvgColour.INK, anchor="middle", is_bold=True
    )
    room = words.x - page.x - 44
    pen.draw_text(
        page.x + 30,
        top + 17,
        _format_title(shown),
        14,
        SvgColour.INK,
        is_bold=True,
        width=room / 1.12,
    )
    first = top + 12.5 + (each - 11 * large) / 2 + max(_STRIP - 8 - each * len(lines), 0) / 2
    pen.draw_lines(words.x, first, lines, 11 * large, SvgColour.DIM, step=each)
    end = top + 33
    for role in roles:
        end = _draw_register_name(sketch, role, end, Area(page.x + 30, room))
    return top + height


def _heading(sketch: Sketch, steps: list[StepView], roles: Iterable[str], y: float) -> float:
    """Numbers and titles of steps drawn in one, and the first sentence, on few lines."""
    pen, words, page = sketch.pen, sketch.layout.words, sketch.layout.page
    numbers, titles = (
        ", ".join(x) for x in zip(*((str(x.number), x.title) for x in steps), strict=True)
    )
    title = f"{numbers} {titles[:1].upper()}{titles[1:]}"
    size, top = pen.scale_size(11), y + 4
    start = measure_text(title, size) * 1.1 + 10
    said = drop_hex_prefixes(steps[0].about)
    if steps[0].stage is not Stage.SELECT:  # there each operand has a sentence of its own
        said = _first_sentence(said)
    lines = pen.wrap_text(said, words.width - start, _SMALL)
    roles = list(roles)
    height = 4 + 13 * max(len(lines), 1) + 15 * len(roles)
    pen.draw_rect(page.x, top, page.width, height, SvgColour.PAGE, None, radius=0)
    pen.draw_text(words.x, top + 11, title, size, SvgColour.INK, is_bold=True)
    end = pen.draw_lines(words.x + start, top + 11, lines, _SMALL, SvgColour.DIM, step=13)
    for role in roles:
        end = _draw_register_name(sketch, role, end, words.split_columns(2, 24)[0]) - 2
        shown = sketch.registers[role]
        if sketch.has_no_room(shown):
            pen.draw_text(words.center + 12, end - 15, f"= {shown.meant}", 11.5,
                     ROLE_INKS.get(role, SvgColour.INK), is_monospaced=True)  # fmt: skip
    return top + height


def _first_sentence(text: str) -> str:
    """The first of several sentences, and the one that says that a result is kept back."""
    first, dot, rest = text.partition(". ")
    return (
        f"{first}." + f" {HIDDEN_RESULT_TEXT}" * rest.endswith(HIDDEN_RESULT_TEXT) if dot else text
    )


def _format_title(shown: StepView) -> str:
    return shown.title[:1].upper() + shown.title[1:]


def _draw_register_name(sketch: Sketch, role: str, y: float, area: Area) -> float:
    """A register of lanes: its name and its bits; returns the end."""
    shown, pen = sketch.registers[role], sketch.pen
    ink = ROLE_INKS.get(role, SvgColour.INK)
    pen.draw_text(area.x, y, shown.label, 13, ink, is_monospaced=True, is_bold=True)
    name = shown.name
    if name and name != shown.label:
        pen.draw_text(
            area.x + 16, y, name, 11, SvgColour.DIM, is_monospaced=True, width=area.width - 76
        )
    pen.draw_text(area.right, y, shown.bits, 11.5, ink, anchor="end", is_monospaced=True)
    return y + 17
