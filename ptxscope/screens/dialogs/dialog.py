"""The common frame of dialogs: a title above, key help below."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from ...widgets.base.explorer_app import get_explorer_app
from .themed_screen import ThemedScreen

Result = TypeVar("Result")


class DialogFrame(Vertical):
    """A framed part of the screen: a whole page, or as high as its contents."""

    DEFAULT_CSS = """
    DialogFrame {
        background: $surface; border: round $accent; padding: 0 1;
        border-title-color: $text-accent; border-title-style: bold;
        border-subtitle-color: $text-muted;
        width: 96%; max-width: 120; height: auto; max-height: 94%;
        &.-page { height: 94%; }
    }
    """

    def __init__(self, title: str, keys: str, *, page: bool = False) -> None:
        super().__init__(classes="-page" if page else "")
        self.border_title, self.border_subtitle = title, keys


class ThemedModal(ModalScreen[Result], ThemedScreen[Result]):
    """A modal screen, which the user answers or closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "app.suspend_process", "suspend", show=False, id="suspend"),
    ]

    def close_with(self, result: Result) -> None:
        """Return a result and close; a second call, by a queued key, is ignored."""
        if self.is_current:
            self.dismiss(result)


class Dialog(ThemedModal[Result]):
    """A frame in the middle of the screen, which the user answers or closes."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", "Help", show=False, id="help"),
    ]
    help_section = ""
    """The section that Help opens from this dialog."""

    def action_help(self) -> None:
        """Show Help at the section of this dialog."""
        get_explorer_app(self).show_help(self.help_section)
