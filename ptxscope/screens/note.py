"""Writing a note on a step."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from ..widgets.fields import Field
from ..widgets.inks import InkModal


class NoteScreen(InkModal[str | None]):
    """Asks for the text of a note; gives it, or None when it is left."""

    DEFAULT_CSS = """
    NoteScreen {
        align: center middle;
        & > Vertical {
            width: 80%; max-width: 90; height: auto;
            background: $surface; border: round $accent; padding: 0 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
    ]

    def __init__(self, step: str, text: str = "") -> None:
        super().__init__()
        self._step, self._text = step, text

    def compose(self) -> ComposeResult:
        """One field."""
        with Vertical() as box:
            box.border_title = f"A note on {self._step} · Enter keeps it, Esc leaves"
            yield Field("note", "note", self._text, "what a reader should see here")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the note."""
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """Keep what was there before."""
        self.dismiss(None)
