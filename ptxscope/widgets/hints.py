"""The row of hints: what the thing under the cursor means, why it can't be, what happened."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from textual.message import Message
from textual.message_pump import MessagePump

from .pane import Line, Pane, Piece

REFUSED = "×"
"""What a hint begins with that says why something can't be."""


@dataclass
class Hint(Message):
    """Something to say in the row of hints; empty when there is nothing more to say."""

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

    def __init__(self, id: str = "hint") -> None:  # noqa: A002
        super().__init__(id, "")
        self._said = ("", "")
        self._from: MessagePump | None = None

    def say(self, text: str, ink: str = "dim", sender: MessagePump | None = None) -> None:
        """Say something; what matters most comes first."""
        self._from = sender
        if (text, ink) != self._said:
            self._said = text, ink
            self.set_class(text.startswith(REFUSED), "-refused")
            self.redraw()

    def hint(self, event: Hint, sender: MessagePump | None) -> None:
        """Say what a widget has to say; only who said something takes it back."""
        if event.text or sender is self._from:
            self.say(event.text, "changed", sender)

    def clear(self) -> None:
        """Say nothing any more."""
        self.say("")

    def draw(self, width: int) -> list[Line]:
        """The parts of the text that fit; the first is wrapped where it must be."""
        text, ink = self._said
        parts = text.split(self.BETWEEN)
        while len(parts) > 1 and len(self.BETWEEN.join(parts)) > width:
            parts.pop()
        rows = textwrap.wrap(self.BETWEEN.join(parts), max(width, 12), break_on_hyphens=False)
        return [[Piece(row, ink)] for row in rows or [""]]
