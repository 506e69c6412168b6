"""A canvas on which lines between rows run from left to right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...documents.svg.svg_canvas import FlowStyle, SvgCanvas, format_length
from ...documents.svg.svg_colours import SvgColour

_POINT = re.compile(r"(-?[\d.]+) (-?[\d.]+)")


class TurnedCanvas(SvgCanvas):
    """A canvas on which lines between rows run from left to right, and are stronger.

    Their first coordinate, across, is a height; the second, along, is a distance from the left.
    """

    flow_style = FlowStyle(2.2, 1.6, "5 4", 1.5)

    def orient_path(self, d: str) -> str:
        """Return a path with exchanged coordinates."""
        return _POINT.sub(r"\2 \1", d)

    @contextmanager
    def insert_below(self, index: int) -> Iterator[None]:
        """Put the drawings of the block below all elements from an index onwards."""
        count = len(self.parts)
        with super().insert_below(index):
            yield
        added = len(self.parts) - count
        marks = (x._replace(parts=x.parts + added * (x.parts > index)) for x in self.marks)
        self.marks = [*marks]

    @contextmanager
    def insert_flows(self, mark: int) -> Iterator[None]:
        """Show the lines that the block draws with a mark."""
        count = len(self.flows)
        yield
        flows, start = self.flows[count:], self.marks[mark].flows if self.marks else 0
        del self.flows[count:]
        self.flows[start:start] = flows
        later = (x._replace(flows=x.flows + len(flows)) for x in self.marks[mark + 1 :])
        self.marks[mark + 1 :] = later

    def draw_wire(self, points: Sequence[tuple[float, float]]) -> None:
        """Draw straight lines through points, with a head to the right."""
        count, (x, y) = len(self.parts), points[-1]
        texts = (" ".join(map(format_length, point)) for point in points)
        a, b, c, d = map(format_length, (x - 9, y - 5, y + 5, x - 1))
        self.draw_path(f"M{'L'.join(texts)}", SvgColour.DIM, line=2.2)
        self.draw_path(f"M{a} {b}L{a} {c}L{d} {format_length(y)}Z", None, SvgColour.DIM)
        self.flows += self.parts[count:]
        del self.parts[count:]
