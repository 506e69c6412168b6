"""What only holds other widgets."""

from __future__ import annotations

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class Box(Widget, inherit_bindings=False):
    """Widgets that cover it; it is blank, and as quickly rendered."""

    DEFAULT_CSS = """
    Box { width: 1fr; height: 1fr; layout: vertical; overflow: hidden hidden; }
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """Blanks. Part of Textual."""
        blank = Strip.blank(crop.width, self.rich_style)
        for line_filter in self.get_line_filters():
            blank = blank.apply_filter(line_filter, self.background_colors[1])
        return [blank] * crop.height
