"""A prompt for a line of text: a note, a file's name."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from ...widgets.base.form_fields import LabelledInput
from .dialog import Dialog, DialogFrame


class TextPrompt(Dialog[str | None]):
    """Asks for a line of text; returns it, or None if it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
    ]

    def __init__(
        self,
        title: str,
        label: str,
        text: str = "",
        hint: str = "",
        does: str = "keep",
        help_section: str = "",
    ) -> None:
        super().__init__()
        self.help_section = help_section
        self._title, self._label, self._text, self._hint = title, label, text, hint
        self._keys = f"Enter {does} · Esc leave"

    def compose(self) -> ComposeResult:
        """Yield the field."""
        with DialogFrame(self._title, self._keys):
            yield LabelledInput(self._label, "asked", self._text, self._hint)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the typed text."""
        self.close_with(event.value)

    def action_leave(self) -> None:
        """Close without a text."""
        self.close_with(None)
