"""The row of hints: the meaning of the item under the cursor, refusals, outcomes."""

from __future__ import annotations

import textwrap
from time import monotonic

from textual.widget import Widget

from ...state.requests import REFUSED
from .explorer_app import Hint
from .pane import Pane, StyledLine, StyledText


class HintBar(Pane, can_focus=False):
    """One row that is always there, so that nothing moves when a hint appears.

    Parts at the end of a line that do not fit are left out whole. A single part that needs more
    rows covers what is above; a text of several lines has rows of its own.
    """

    DEFAULT_CSS = """
    HintBar {
        dock: bottom; layer: over; margin-bottom: 1;
        height: auto; min-height: 1; border: none; padding: 0 1; overflow: hidden;
    }
    """
    SEPARATOR = " · "
    FIRM = 4.0
    """Seconds in which hints of the focus do not replace a sticky hint."""
    READING_SECONDS = 1.0
    """Seconds in which only messages replace it, because a click may also cause an edit."""

    def __init__(self) -> None:
        super().__init__("hint", "")
        self._message = ("", "")
        self._message_source: Widget | None = None
        self._firm_since = -self.FIRM

    def show_message(
        self,
        text: str,
        style: str = "dim",
        widget: Widget | None = None,
        *,
        is_sticky: bool = False,
    ) -> None:
        """Show a text; its most important part comes first."""
        self._message_source = widget
        self._firm_since = monotonic() if is_sticky else -self.FIRM
        if (text, style) != self._message:
            self._message = text, style
            self.set_class(text.startswith(REFUSED), "-refused")
            self.screen.set_class("\n" in text, "-greeting")
            self.redraw_lines()

    def show_widget_hint(self, hint: Hint) -> None:
        """Show a widget's hint; only the widget that posted a hint withdraws it."""
        if not hint.text and hint.control is not self._message_source:
            return
        if self._age >= self.FIRM or hint.text.startswith(REFUSED):
            self.show_message(hint.text, "changed", hint.control)

    def clear_widget_hint(self) -> None:
        """Clear a widget's hint when nothing has the focus."""
        if self._message_source is not None:
            self.clear()

    def clear(self) -> None:
        """Clear the hint."""
        if self._age >= self.READING_SECONDS:
            self.show_message("")

    @property
    def _age(self) -> float:
        """Seconds since a sticky hint was shown."""
        return monotonic() - self._firm_since

    def draw(self, width: int) -> list[StyledLine]:
        """Return the parts of each line that fit; the first is wrapped if necessary."""
        text, style_name = self._message
        rows: list[str] = []
        for line in text.split("\n"):
            parts = line.split(self.SEPARATOR)
            while len(parts) > 1 and len(self.SEPARATOR.join(parts)) > width:
                parts.pop()
            line = self.SEPARATOR.join(parts)
            rows += textwrap.wrap(line, max(width, 12), break_on_hyphens=False)
        return [[StyledText(row, style_name)] for row in rows or [""]]
