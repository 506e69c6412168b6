"""The row of hints: what the thing under the cursor means, or why it can't be."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from textual.message import Message
from textual.message_pump import MessagePump

from .pane import Line, Pane, Piece

BETWEEN = " · "
"""Stands between parts that can be left out."""
REFUSED = "×"
"""What a hint begins with that says why something can't be."""


@dataclass
class Hint(Message):
    """Something to say in the row of hints; empty when there is nothing more to say."""

    text: str


class HintRow(Pane, can_focus=False):
    """One row that is always there, so that nothing moves when a hint comes.

    A hint that needs more rows lies over what stands above.
    """

    DEFAULT_CSS = """
    HintRow {
        dock: bottom; layer: over; margin-bottom: 1;
        height: auto; min-height: 1; border: none; padding: 0 1; overflow: hidden;
    }
    """

    def __init__(self, id: str = "hint") -> None:  # noqa: A002
        super().__init__(id, "")
        self._text = ""
        self._from: MessagePump | None = None
        self._said = ("", "")

    def show(self, text: str, sender: MessagePump | None = None) -> None:
        """Show what a widget says; only who said something takes it back."""
        if text or sender is self._from:
            self._text, self._from = text, sender
            self.set_class(text.startswith(REFUSED), "-refused")
            self.redraw()

    def say(self, text: str, ink: str = "dim") -> None:
        """Say something until the next edit or step; what matters most comes first.

        A widget's hint goes before it.
        """
        if (text, ink) != self._said:
            self._said = text, ink
            self.redraw()

    def clear(self) -> None:
        """Say nothing any more."""
        self.say("")

    def draw(self, width: int) -> list[Line]:
        """The hint, wrapped where it must be; of what is said the parts that fit in a line."""
        text, ink = self._said
        if not self._text and text:
            parts = text.split(BETWEEN)
            while len(parts) > 1 and len(BETWEEN.join(parts)) > width:
                parts.pop()
            return [[Piece(BETWEEN.join(parts), ink)]]
        lines = textwrap.wrap(self._text, max(width, 12), break_on_hyphens=False)
        return [[Piece(line, "changed")] for line in lines or [""]]
