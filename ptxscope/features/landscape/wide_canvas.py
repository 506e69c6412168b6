"""A canvas on which lines between rows run from left to right."""

from __future__ import annotations

import re

from ...documents.svg.svg_canvas import SvgCanvas, format_paint, make_arrow_head
from ...documents.svg.svg_colours import SvgColour

_PAIR, _TURNED = re.compile(r"(-?[\d.]+) (-?[\d.]+)"), r"\2 \1"


class TurnedCanvas(SvgCanvas):
    """A canvas on which lines between rows run from left to right, and are stronger.

    Their first coordinate, across, is a height; the second, along, is a distance from the left.
    """

    def draw_flow_path(
        self, d: str, end: tuple[float, float], colour: SvgColour, is_strong: bool, has_head: bool
    ) -> None:
        """Draw the line of a flow turned, and its head at the end."""
        paint = format_paint(None, colour, 2.2 if is_strong else 1.6, "" if is_strong else "5 4")
        self.flows.append(f'<path d="{_PAIR.sub(_TURNED, d)}"{paint}/>')
        if has_head:
            head = _PAIR.sub(_TURNED, make_arrow_head(*end, 1.5))
            self.flows.append(f'<path d="{head}"{format_paint(colour, None, 0, "")}/>')
