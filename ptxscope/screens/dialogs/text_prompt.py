"""A prompt for a line of text: a note, a file's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from ...engine.proof.solver import IsStopped, Stopped
from ...engine.syntax.errors import make_printable
from ...widgets.base.form_fields import LabelledInput
from ..solver_search import SolverSearch
from .dialog import Dialog, DialogFrame

Check = Callable[[str, Callable[..., None]], object]
_PROGRESS_SECONDS = 0.25


class TextPrompt(Dialog[str | None]):
    """Asks for a line of text; returns it, or None if it is closed.

    With ``check``, which raises ValueError for a text that it refuses, the prompt stays open and
    shows why. ``check`` runs in a thread; it calls its second argument with the number of the
    instructions that it has run, which raises Stopped if the user has stopped it. With
    ``is_suggestion``, the first text is selected, so that a new one replaces it.
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
        check: Check | None = None,
        *,
        is_suggestion: bool = False,
    ) -> None:
        super().__init__()
        self.help_section = help_section
        self.text = text
        """The text as it stands."""
        self._title, self._label, self._hint = title, label, hint
        self._check, self._is_suggestion = check, is_suggestion
        self._search = SolverSearch(self)
        self._done_count = 0
        self._keys = f"Enter {does} · Esc leave"

    def compose(self) -> ComposeResult:
        """Yield the field, and the reason why its text is refused."""
        with DialogFrame(self._title, self._keys):
            yield LabelledInput(self._label, "asked", self.text, self._hint)
            yield Static(id="refusal")

    def on_mount(self) -> None:
        """Select a text that is to be replaced."""
        self.set_interval(_PROGRESS_SECONDS, self._show_progress)
        if self._is_suggestion:
            self.query_one(Input).select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the text, also that of a prompt that is left."""
        self.text = event.value

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the typed text, or show why it is refused."""
        text, check = event.value, self._check
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
