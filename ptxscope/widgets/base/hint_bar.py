"""The row of hints: what the thing under the cursor means, why it can't be, what happened."""

from __future__ import annotations

import textwrap
from time import monotonic

from textual.widget import Widget

from .pane import Pane, StyledLine, StyledText
from .posted_message import PostedMessage

REFUSED = "×"
"""What a hint begins with that says why something can't be."""


class Hint(PostedMessage):
    """Something to say in the row of hints; empty when there is nothing more to say."""

    control: Widget
    text: str


class HintBar(Pane, can_focus=False):
    """One row that is always there, so that nothing moves when a hint comes.

    Parts at its end that do not fit are left out whole; one part that needs more rows lies over
    what stands above.
    """

    DEFAULT_CSS = """
    HintBar {
        dock: bottom; layer: over; margin-bottom: 1;
        height: auto; min-height: 1; border: none; padding: 0 1; overflow: hidden;
    }
    """
    BETWEEN = " · "
    FIRM = 4.0
    """Seconds in which hints of what gets the focus do not displace what must be read."""
    SEEN = 1.0
    """Seconds in which nothing does but what is said: a click may also change something."""

    def __init__(self, id: str = "hint") -> None:  # noqa: A002
        super().__init__(id, "")
        self._said = ("", "")
        self._from: Widget | None = None
        self._firm_since = -self.FIRM

    def show_message(
        self,
        text: str,
        style: str = "dim",
        widget: Widget | None = None,
        *,
        is_sticky: bool = False,
    ) -> None:
        """Say something; what matters most comes first."""
        self._from = widget
        self._firm_since = monotonic() if is_sticky else -self.FIRM
        if (text, style) != self._said:
            self._said = text, style
            self.set_class(text.startswith(REFUSED), "-refused")
            self.redraw_lines()

    def show_widget_hint(self, hint: Hint) -> None:
        """Say what a widget has to say; only who said something takes it back."""
        if not hint.text and hint.control is not self._from:
            return
        if self._age >= self.FIRM or hint.text.startswith(REFUSED):
            self.show_message(hint.text, "changed", hint.control)

    def clear_widget_hint(self) -> None:
        """Nothing has the focus: no widget has anything to say."""
        if self._from is not None:
            self.clear()

    def clear(self) -> None:
        """Say nothing any more."""
        if self._age >= self.SEEN:
            self.show_message("")

    @property
    def _age(self) -> float:
        """Seconds since something was said that must be read."""
        return monotonic() - self._firm_since

    def draw(self, width: int) -> list[StyledLine]:
        """The parts of the text that fit; the first is wrapped where it must be."""
        text, ink = self._said
        parts = text.split(self.BETWEEN)
        while len(parts) > 1 and len(self.BETWEEN.join(parts)) > width:
            parts.pop()
        rows = textwrap.wrap(self.BETWEEN.join(parts), max(width, 12), break_on_hyphens=False)
        return [[StyledText(row, ink)] for row in rows or [""]]
