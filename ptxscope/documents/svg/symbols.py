"""Small symbols of a picture: bit boxes, truth values, mask boxes, flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...engine.micro_operations.properties import Flag
from ...scene.scene_model import SpanKind, Tint
from .page_layout import Area, choose_chip_colours
from .svg_canvas import Box, SvgCanvas, format_length
from .svg_colours import SvgColour
from .text_styles import BITS, EMPHASIS, MIN_SIZE, STRONG

_FLAGS = {
    Flag.CLAMPED_LOW: "M0 0V8M4 0V6M1.5 3.5L4 0.5L6.5 3.5",
    Flag.CLAMPED_HIGH: "M0 0V8M4 2V8M1.5 4.5L4 7.5L6.5 4.5",
    Flag.WRAPPED: "M7 4A3 3 0 1 1 4 1H7M5 -1L7 1L5 3",
    Flag.MASKED_OUT: "M0 0H7V8H0ZM0 8L7 0",
    Flag.FLUSHED: "M0 8H8M4 0V5M2 3L4 5.5L6 3",
    Flag.ROUNDED: "M0 7L2.5 1L5 7M1 5H4M5 3C6.5 1.5 7 4.5 8.5 3",
    Flag.NAN: "M0 4L4 0L8 4L4 8Z",
}
"""Path of the symbol of each flag, in a box 8 px wide."""


class BitBoxStyle(NamedTuple):
    """The style of a box of bits."""

    text: SvgColour
    fill: SvgColour | None
    frame: SvgColour
    dash: str = ""
    is_hatched: bool = False
    """Whether it is hatched, in the colour of the frame."""
    is_struck: bool = False
    is_bold: bool = True


STYLES: dict[SpanKind, BitBoxStyle] = {
    SpanKind.CHIP: BitBoxStyle(SvgColour.ON, None, SvgColour.INK),
    SpanKind.UNUSED: BitBoxStyle(SvgColour.DIM, SvgColour.PAGE, SvgColour.LINE, is_bold=False),
    SpanKind.SIGN: BitBoxStyle(
        SvgColour.INK, SvgColour.PAGE, SvgColour.INK, is_hatched=True, is_bold=False
    ),
    SpanKind.ZERO: BitBoxStyle(SvgColour.DIM, SvgColour.PAGE, SvgColour.DIM, "2 2", is_bold=False),
    SpanKind.BEYOND: BitBoxStyle(
        SvgColour.INK, SvgColour.SOFT, SvgColour.DIM, "4 3", is_bold=False
    ),
    SpanKind.LOST: BitBoxStyle(
        SvgColour.MARK, SvgColour.MARK_SOFT, SvgColour.MARK, "3 2", is_struck=True, is_bold=False
    ),
    SpanKind.OUTSIDE: BitBoxStyle(
        SvgColour.DIM, SvgColour.PAGE, SvgColour.LINE, is_hatched=True, is_bold=False
    ),
    SpanKind.FIELD: BitBoxStyle(SvgColour.ON, None, SvgColour.INK),
}
"""Style of every kind of bits. Chips, fields and hatched frames have the operand's colour."""
_FILLED = (SpanKind.CHIP, SpanKind.FIELD)


def choose_bit_colour(kind: SpanKind, tint: Tint) -> SvgColour:
    """Return the colour of letters on bits: ink on a chip without a colour."""
    is_plain = kind in _FILLED and choose_chip_colours(tint)[0] is SvgColour.PAGE
    return SvgColour.INK if is_plain else STYLES[kind].text


def draw_bit_box(
    canvas: SvgCanvas, area: Area, y: float, height: float, text: str, kind: SpanKind, tint: Tint,
    size: float = BITS.size, *, aside: float = 0,
) -> None:  # fmt: skip
    """Draw bits in a box, in the style of their kind; ``aside`` px beside them stay free."""
    style, (fill, frame) = STYLES[kind], choose_chip_colours(tint)
    frame_colour = frame if kind in (*_FILLED, SpanKind.SIGN, SpanKind.ZERO) else style.frame
    canvas.draw_box(area, y, height, style.fill or fill, frame_colour, radius=3, dash=style.dash)
    colour = choose_bit_colour(kind, tint)
    middle, letters = y + height / 2, BITS.with_size(size).with_weight(style.is_bold)
    if style.is_hatched:
        text_width = min(letters.measure(text), area.width - 4)
        canvas.draw_hatch(area.x, y, area.width, height, frame_colour)
        cover = max(16, size + 1)
        canvas.draw_cover(area.take_middle(text_width + 4), middle - cover / 2, cover)
    canvas.draw_text(
        area.center - aside / 2, middle + size * 0.36, text, letters, colour,
        anchor="middle", width=area.width - 2,
    )  # fmt: skip
    if style.is_struck:
        canvas.draw_line(area.x + 2, middle + 1, area.right - 2, middle - 1, SvgColour.MARK, 1.4)


PILL_WIDTH, PILL_HEIGHT = 66, 24
"""Size of a truth value in px."""


def draw_truth(
    canvas: SvgCanvas, center: float, y: float, value: bool | None, scale: float = 1
) -> Area:
    """Draw a truth value as a pill with a symbol and a word; return its extent."""
    width, height, letters = PILL_WIDTH * scale, PILL_HEIGHT * scale, STRONG.scale(scale)
    x, base = center - width / 2, y + 16.5 * scale
    pill = Area(x, width)
    if value is None:
        canvas.draw_box(
            pill, y, height, SvgColour.PAGE, SvgColour.DIM, radius=height / 2, dash="2 2"
        )
        canvas.draw_text(center, base, "0 or 1", letters, SvgColour.DIM, anchor="middle")
        return pill
    colour, soft = (
        (SvgColour.TRUE, SvgColour.TRUE_SOFT) if value else (SvgColour.DIM, SvgColour.PAGE)
    )
    canvas.draw_box(pill, y, height, soft, colour, radius=height / 2, dash="" if value else "4 2")
    left, top = x + 10 * scale, y + 8 * scale
    if value:
        shape = ((0, 4), (3, 8), (9, 0))
        points = [z for dx, dy in shape for z in (left + dx * scale, top + dy * scale)]
        canvas.draw_path("M{} {}L{} {}L{} {}".format(*map(format_length, points)), colour, line=1.8)
    else:
        canvas.draw_cross(left + 4 * scale, top + 4 * scale, colour, 4 * scale)
    canvas.draw_text(x + 24 * scale, base, "true" if value else "false", letters, colour)
    return pill


def get_truth(value: int | None) -> bool | None:
    """Convert the number of a truth value for ``draw_truth``."""
    return None if value is None else bool(value)


def draw_mask_box(
    canvas: SvgCanvas, x: float, y: float, is_set: bool, colour: SvgColour, size: float = 10
) -> None:
    """Draw the box of a lane in a mask, filled if the mask has the lane."""
    fill = colour if is_set else SvgColour.PAGE
    canvas.draw_rect(x, y, size, size, fill, colour, radius=1, line=1.4)


def draw_flags(
    canvas: SvgCanvas, area: Area, y: float, flags: Sequence[Flag], scale: float = 1,
    *, is_short: bool = False,
) -> None:  # fmt: skip
    """Draw symbol and word of each flag of a lane, centred, on lines of 14 px.

    If large letters leave no room for both, only the word is drawn. A short word omits what its
    symbol shows.
    """
    for index, flag in enumerate(flags):
        word = shorten_flag(flag) if is_short else flag
        room = (area.width - 12) / EMPHASIS.with_size(1).measure(word)
        style = EMPHASIS.with_size(max(min(EMPHASIS.size * scale, room), MIN_SIZE * scale))
        word_width = style.measure(word)
        symbol_width = 12 * scale if word_width + 12 * scale <= area.width else 0
        x, top = area.center - (word_width + symbol_width) / 2, y + (4 + index * 14) * scale
        if symbol_width:
            shift = f"translate({format_length(x)} {format_length(top)})"
            shift += f" scale({format_length(scale)})" if scale != 1 else ""
            canvas.parts.append(f'<g class="px-flag" transform="{shift}">')
            canvas.draw_path(_FLAGS[flag], SvgColour.MARK, line=1.2)
            canvas.close_group()
        canvas.draw_text(x + symbol_width, top + 8 * scale, word, style)


def shorten_flag(flag: Flag) -> str:
    """Return the word of a flag without the part that its symbol shows."""
    return flag.removesuffix(" low").removesuffix(" high")


def measure_flags(count: int, scale: float = 1) -> float:
    """Return the height of a number of flags in px."""
    return (14 * count + 4) * scale if count else 0


def draw_difference_frame(canvas: SvgCanvas, box: Box, sign: float | None) -> None:
    """Draw a frame around a value that differs from the other answer's, with a sign if it fits."""
    x, y, width, height = box
    left, right, top, low = map(format_length, (x - 3, x + width + 3, y - 3, y + height + 3))
    canvas.draw_path(
        f"M{left} {top}L{right} {top}L{right} {low}L{left} {low}Z", SvgColour.MARK, line=1.8
    )
    if sign is not None:
        _draw_unequal_sign(canvas, sign, y + 8)


def _draw_unequal_sign(canvas: SvgCanvas, x: float, y: float) -> None:
    """Draw the sign for unequal as a path, because not every font has it."""
    a, b, c, d = map(format_length, (x, x + 9, y - 2, y + 2))
    e, f, g, h = map(format_length, (x + 2, x + 7, y + 6, y - 6))
    canvas.draw_path(f"M{a} {c}L{b} {c}M{a} {d}L{b} {d}M{e} {g}L{f} {h}", SvgColour.MARK, line=1.5)


def draw_underline(
    canvas: SvgCanvas, center: float, y: float, word: str, other_word: str, size: float
) -> None:
    """Draw bars below the digits of a word that differ from another word's."""
    digit_width = size * 0.602
    left = center - len(word) * digit_width / 2
    for index, (x, z) in enumerate(zip(word, other_word, strict=True)):
        if x != z:
            start = left + index * digit_width
            canvas.draw_line(start + 1.5, y, start + digit_width - 1.5, y, SvgColour.MARK, 3)
