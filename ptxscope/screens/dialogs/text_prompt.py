"""A prompt for a line of text: a note, a file's name."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from ...engine.syntax.errors import make_printable
from ...proof.solver import IsStopped, Stopped
from ...state.requests import AskText
from ...widgets.base.form_fields import LabelledInput
from ..solver_search import SolverSearch
from .dialog import Dialog, DialogFrame

_PROGRESS_SECONDS = 0.25


class TextPrompt(Dialog[str | None]):
    """Asks for a line of text; returns it, or None if it is closed.

    A prompt with a ``check`` stays open and shows why a text is refused.
    """

    DEFAULT_CSS = """
    TextPrompt #refusal { height: auto; display: none; color: $text-error; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
    ]

    def __init__(self, request: AskText) -> None:
        super().__init__()
        self.request = request
        self.help_section = request.help_section
        self.text = request.text
        """The text as it stands."""
        self._search = SolverSearch(self)
        self._done_count = 0

    def compose(self) -> ComposeResult:
        """Yield the field, and the reason why its text is refused."""
        request = self.request
        with DialogFrame(request.title, f"Enter {request.does} · Esc leave"):
            yield LabelledInput(request.label, "asked", self.text, request.hint)
            yield Static(id="refusal")

    def on_mount(self) -> None:
        """Select a text that is to be replaced."""
        self.set_interval(_PROGRESS_SECONDS, self._show_progress)
        if self.request.is_suggestion:
            self.query_one(Input).select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the text, also that of a prompt that is left."""
        self.text = event.value

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the typed text, or show why it is refused."""
        text, check = event.value, self.request.check
        if check is None or not text.strip():
            self.close_with(text)
            return

        def ask(is_stopped: IsStopped) -> None:
            def advance(count: int, *_: object) -> None:
                self._done_count = count
                if is_stopped():
                    raise Stopped

            check(text, advance)

        self._done_count = 0
        await self._search.start(
            ask, lambda _: self.close_with(text), lambda error: self._show_note(str(error))
        )
        self._show_progress()

    def _show_progress(self) -> None:
        if self._search.is_running:
            self._show_note(f"Running: {self._done_count:,} instructions · Esc stops")

    def _show_note(self, text: str) -> None:
        note = self.query_one("#refusal", Static)
        note.update(Content(make_printable(text)))
        note.display = True

    def action_leave(self) -> None:
        """Stop what runs, or close without a text."""
        if self._search.is_running:
            self._search.stop()
            self._show_note(f"Stopped after {self._done_count:,} instructions.")
        else:
            self.close_with(None)
