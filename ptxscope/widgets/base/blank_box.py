"""A container of other widgets."""

from __future__ import annotations

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class Box(Widget, inherit_bindings=False):
    """A blank widget under its children, which is quick to render."""

    DEFAULT_CSS = """
    Box { width: 1fr; height: 1fr; layout: vertical; overflow: hidden hidden; }
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return blank lines. Overrides Textual."""
        blank = Strip.blank(crop.width, self.rich_style)
        for line_filter in self.get_line_filters():
            blank = blank.apply_filter(line_filter, self.background_colors[1])
        return [blank] * crop.height
