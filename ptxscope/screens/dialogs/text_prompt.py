"""A prompt for a line of text: a note, a file's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from ...engine.syntax.errors import make_printable
from ...widgets.base.form_fields import LabelledInput
from .dialog import Dialog, DialogFrame


class TextPrompt(Dialog[str | None]):
    """Asks for a line of text; returns it, or None if it is closed.

    With ``check``, which raises ValueError for a text that it refuses, the prompt stays open and
    shows why. With ``is_suggestion``, its first text is selected, so that a new one replaces it.
    """

    DEFAULT_CSS = """
    TextPrompt #refusal { height: auto; display: none; color: $text-error; }
    """
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
        check: Callable[[str], object] | None = None,
        *,
        is_suggestion: bool = False,
    ) -> None:
        super().__init__()
        self.help_section = help_section
        self.text = text
        """The text as it stands."""
        self._title, self._label, self._hint = title, label, hint
        self._check, self._is_suggestion = check, is_suggestion
        self._keys = f"Enter {does} · Esc leave"

    def compose(self) -> ComposeResult:
        """Yield the field, and the reason why its text is refused."""
        with DialogFrame(self._title, self._keys):
            yield LabelledInput(self._label, "asked", self.text, self._hint)
            yield Static(id="refusal")

    def on_mount(self) -> None:
        """Select a text that is to be replaced."""
        if self._is_suggestion:
            self.query_one(Input).select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the text, also that of a prompt that is left."""
        self.text = event.value

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the typed text, or show why it is refused."""
        try:
            if self._check is not None and event.value.strip():
                self._check(event.value)
        except ValueError as error:
            refusal = self.query_one("#refusal", Static)
            refusal.update(Content(make_printable(str(error))))
            refusal.display = True
            return
        self.close_with(event.value)

    def action_leave(self) -> None:
        """Close without a text."""
        self.close_with(None)
