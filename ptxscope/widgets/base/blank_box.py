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
        return render_blank(self, crop)


def render_blank(widget: Widget, crop: Region) -> list[Strip]:
    """Return blank lines in a widget's background."""
    blank = Strip.blank(crop.width, widget.rich_style)
    for line_filter in widget.get_line_filters():
        blank = blank.apply_filter(line_filter, widget.background_colors[1])
    return [blank] * crop.height
