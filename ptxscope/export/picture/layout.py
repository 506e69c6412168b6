"""Where things stand in a picture: columns of lanes, and from where a line may go on.

A page is 800 px wide: a margin with the words of each step, and beside it the figures. The
most significant lane is always on the left.
"""

from __future__ import annotations

from typing import NamedTuple

from ...engine.tracing.trace import Trace
from ...engine.tracing.words import operand_name
from ..document import OperandView
from .drawing import Ink, Pen

WIDTH = 800
EDGE = 24
"""Free space at the border of the page."""
WORDS_X = 58
WORDS_WIDTH = 156
"""The column of titles and sentences."""
Point = tuple[float, float]


class Area(NamedTuple):
    """A column of the page."""

    x: float
    width: float

    @property
    def center(self) -> float:
        """Its middle."""
        return self.x + self.width / 2

    def columns(self, count: int, gap: float = 0) -> list[Area]:
        """Columns side by side, from left to right."""
        each = (self.width - gap * (count - 1)) / count
        return [Area(self.x + at * (each + gap), each) for at in range(count)]

    def lanes(self, count: int, gap: float = 0) -> list[Area]:
        """Columns by lane: lane 0, the rightmost, first."""
        return self.columns(count, gap)[::-1]

    def middle(self, width: float) -> Area:
        """A column of at most a width in its middle."""
        width = min(width, self.width)
        return Area(self.center - width / 2, width)

    def inside(self, x: float, wide: float) -> float:
        """The nearest x at which something of a width, centred there, stays within."""
        return min(max(x, self.x + wide / 2), self.x + self.width - wide / 2)


FIGURES = Area(232, WIDTH - EDGE - 232)
LEFT, RIGHT = FIGURES.columns(2, 20)
"""Where a and b are drawn."""
_TINTS = {
    "a": (Ink.A, Ink.A_SOFT),
    "b": (Ink.B, Ink.B_SOFT),
    "amount": (Ink.B, Ink.B_SOFT),
    "c": (Ink.C, Ink.C_SOFT),
    "c64": (Ink.C, Ink.C_SOFT),
}


class DrawnRegister(NamedTuple):
    """A register that was drawn: the boxes of its bits."""

    area: Area
    bottom: float
    bits: int

    def port(self, low: int, high: int) -> Point:
        """Where a line from bits low..high-1 begins."""
        middle = (low + high) / 2 / self.bits
        return self.area.x + self.area.width * (1 - middle), self.bottom


class Sketch:
    """A picture that is being drawn: pen, trace, and what stands where."""

    def __init__(self, pen: Pen, trace: Trace, operands: tuple[OperandView, ...]) -> None:
        self.pen = pen
        self.trace = trace
        self.operands = {operand.role: operand for operand in operands}
        self.registers: dict[str, DrawnRegister] = {}
        """By role."""
        self.ports: dict[str, list[Point]] = {}
        """Where lines from the lanes of a row begin, lane 0 first; by key."""

    def called(self, key: str) -> str:
        """What a row or an operand is called."""
        known = self.trace.rows.get(key)
        return known.name if known else operand_name(self.trace, key)

    def flow(self, key: str, lane: int, end: Point, *, strong: bool = True) -> None:
        """A line to a point from where a row's lane, or an operand, was drawn; none if it wasn't.

        A row of one lane goes to every lane.
        """
        ports = self.ports.get(key)
        if ports:
            start = ports[lane if len(ports) > 1 else 0]
        elif key in self.registers:
            register = self.registers[key]
            start = register.port(0, register.bits)
        else:
            return
        self.pen.flow(start, end, tint(key)[0], strong=strong)


def tint(key: str) -> tuple[Ink, Ink]:
    """The ink of what a row or an operand holds, and the ink behind it."""
    return _TINTS.get(key.rpartition(".")[2], (Ink.DIM, Ink.SOFT))
