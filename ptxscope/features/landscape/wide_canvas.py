"""A canvas on which lines between rows run from left to right."""

from __future__ import annotations

import re

from ...documents.svg.svg_canvas import FlowStyle, SvgCanvas

_POINT = re.compile(r"(-?[\d.]+) (-?[\d.]+)")


class TurnedCanvas(SvgCanvas):
    """A canvas on which lines between rows run from left to right, and are stronger.

    Their first coordinate, across, is a height; the second, along, is a distance from the left.
    """

    flow_style = FlowStyle(2.2, 1.6, "5 4", 1.5)

    def orient_path(self, d: str) -> str:
        """Return a path with exchanged coordinates."""
        return _POINT.sub(r"\2 \1", d)
