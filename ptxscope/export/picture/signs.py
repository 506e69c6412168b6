"""Small signs of a picture: registers, truth values, flags, the line of a clamp."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.semantics.micro import Clamp
from ...engine.semantics.operation import Flag
from ..document import CellView
from .drawing import Ink, Pen, number, text_width
from .layout import Area, DrawnRegister

_FLAGS = {
    Flag.CLAMPED_LOW: "M0 0V8M4 0V6M1.5 3.5L4 0.5L6.5 3.5",
    Flag.CLAMPED_HIGH: "M0 0V8M4 2V8M1.5 4.5L4 7.5L6.5 4.5",
    Flag.WRAPPED: "M7 4A3 3 0 1 1 4 1H7M5 -1L7 1L5 3",
    Flag.MASKED_OUT: "M0 0H7V8H0ZM0 8L7 0",
    Flag.FLUSHED: "M0 8H8M4 0V5M2 3L4 5.5L6 3",
    Flag.ROUNDED: "M0 7L2.5 1L5 7M1 5H4M5 3C6.5 1.5 7 4.5 8.5 3",
    Flag.NAN: "M0 1L7 7M7 1L0 7",
}
"""A drawn sign for each flag, in a box 8 px wide."""


def register(
    pen: Pen, area: Area, y: float, bits: int, width: int, inks: tuple[Ink, Ink],
    *, unit: int = 8, taken: frozenset[int] | None = None, named: bool = True,
) -> DrawnRegister:  # fmt: skip
    """A register as a row of boxes of a unit, 28 px high, with small names of its parts above.

    The boxes begin 12 px down.

    ``taken`` are the boxes that are read; the others are drawn pale.
    """
    ink, soft = inks
    letter = {8: "b", 16: "h"}.get(unit, "") if named else ""
    for at, box in enumerate(area.columns(width // unit), 1):
        index = width // unit - at
        read = taken is None or index in taken
        pen.rect(box.x, y + 12, box.width, 28, soft if read else Ink.PAGE, ink, radius=2)
        if letter:
            pen.text(box.center, y + 8, f"{letter}{index}", 9, Ink.DIM, anchor="middle")
        digits = f"{bits >> unit * index & (1 << unit) - 1:0{unit // 4}x}"
        pen.text(
            box.center, y + 31, digits, 15, ink if read else Ink.DIM,
            anchor="middle", mono=True, bold=read, width=box.width - 4,
        )  # fmt: skip
    return DrawnRegister(area, y + 40, width)


PILL_WIDTH, PILL_HEIGHT = 66, 24
"""The size of a truth value."""


def truth(pen: Pen, center: float, y: float, value: int) -> None:
    """A truth value: a pill with a drawn sign and a word."""
    ink, soft = (Ink.B, Ink.B_SOFT) if value else (Ink.MARK, Ink.MARK_SOFT)
    x = center - PILL_WIDTH / 2
    pen.rect(
        x, y, PILL_WIDTH, PILL_HEIGHT, soft, ink, radius=PILL_HEIGHT / 2,
        dash="" if value else "4 2",
    )  # fmt: skip
    left, top = x + 10, y + 8
    sign = ((0, 4), (3, 8), (9, 0)) if value else ((0, 0), (8, 8))
    points = "L".join(f"{number(left + dx)} {number(top + dy)}" for dx, dy in sign)
    cross = "" if value else f"M{number(left)} {number(top + 8)}L{number(left + 8)} {number(top)}"
    pen.path(f"M{points}{cross}", ink, line=1.8)
    pen.text(x + 24, y + 16.5, "true" if value else "false", 12, ink, bold=True)


def flags(pen: Pen, area: Area, y: float, cell: CellView) -> None:
    """What happened to a lane: sign and word of each flag, centred, on lines of 14 px."""
    for at, flag in enumerate(cell.flags):
        wide = text_width(flag, 10.5) + 12
        x, top = area.center - wide / 2, y + 4 + at * 14
        pen.parts.append(f'<g class="px-flag" transform="translate({number(x)} {number(top)})">')
        pen.path(_FLAGS[flag], Ink.MARK, line=1.2)
        pen.close()
        pen.text(x + 12, top + 8, flag, 10.5, Ink.MARK, bold=True)


def flags_height(cells: Sequence[CellView]) -> float:
    """How high the flags of a row stand."""
    return 14 * max(len(cell.flags) for cell in cells) + (4 if any(x.flags for x in cells) else 0)


class Scale:
    """A number line on which a clamp's range takes the middle.

    Within the range it is true to scale; what lies outside is drawn nearer than it is.
    """

    def __init__(self, area: Area, clamp: Clamp, values: Sequence[int]) -> None:
        low, high = clamp.low, clamp.high
        self.low = min(0, *values) if low is None else low
        self.high = max(*values, self.low + 1) if high is None else high
        self.room = area.width * 0.2
        self.start = area.x + (4 if low is None else self.room)
        self.stop = area.x + area.width - (4 if high is None else self.room)

    def place(self, value: int) -> float:
        """Where a number stands, in px."""
        span = self.high - self.low
        if value < self.low:
            return self.start - self._outside(self.low - value, span)
        if value > self.high:
            return self.stop + self._outside(value - self.high, span)
        return self.start + (self.stop - self.start) * ((value - self.low) / span)

    def _outside(self, distance: int, span: int) -> float:
        return 17 + (self.room - 24) * (distance / (distance + span))


def clamp_line(
    pen: Pen, area: Area, y: float, clamp: Clamp, before: int, after: int
) -> tuple[float, float]:
    """The number line of a clamp, 62 px high; returns where the exact number stands on top."""
    scale = Scale(area, clamp, (before, after))
    axis, exact, kept = y + 34, scale.place(before), scale.place(after)
    pen.line(area.x + 2, axis, area.x + area.width - 2, axis, Ink.LINE, 1.2, "2 3")
    pen.rect(scale.start, axis - 3, scale.stop - scale.start, 6, Ink.BAR, None, radius=0)
    half = (scale.stop - scale.start) / 2
    for bound, x, side in ((clamp.low, scale.start, -1), (clamp.high, scale.stop, 1)):
        if bound is None:
            point, back = number(x + 2 * side), number(x - 6 * side)
            d = f"M{back} {number(axis - 7)}L{point} {number(axis)}L{back} {number(axis + 7)}"
            pen.path(d, Ink.BAR, line=1.6)
            continue
        pen.line(x, axis - 7, x, axis + 7, Ink.INK, 1.4)
        here = bound == after
        wide = text_width(str(bound), 10.5, mono=True)
        shift = area.inside(x + side * min(0, half - wide / 2 - 2), wide)
        pen.text(
            shift, axis + 20, str(bound), 10.5, Ink.INK if here else Ink.DIM,
            anchor="middle", mono=True, bold=here,
        )  # fmt: skip
    label = area.inside(exact, text_width(str(before), 12, mono=True))
    moved = before != after
    pen.text(
        label, y + 11, str(before), 12, Ink.MARK if moved else Ink.INK,
        anchor="middle", mono=True, bold=not moved,
    )  # fmt: skip
    if moved:
        top, tip = axis - 17, axis - 6.5
        a, b, c, d = map(number, (exact, axis - 5, kept, top))
        pen.path(f"M{a} {b}C{a} {number(top)} {c} {d} {c} {number(tip - 3)}", Ink.MARK, line=1.5)
        pen.head(kept, tip + 1, Ink.MARK)
        pen.dot(exact, axis, Ink.MARK, hollow=True, size=4)
    pen.dot(kept, axis, Ink.MARK if moved else Ink.INK, size=4)
    return label, y
