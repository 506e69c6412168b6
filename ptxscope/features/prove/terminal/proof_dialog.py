"""The dialog of an answer: a proof about the pin, or a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ....documents.formats.markup import Block
from ....documents.formats.report import write_text
from ....documents.formats.text import WIDTH
from ....screens.dialogs.dialog import Dialog, DialogFrame
from ....widgets.base.form_fields import Page


class ProofDialog(Dialog[bool]):
    """Shows an answer; returns whether Enter was pressed for the operands of a counterexample."""

    DEFAULT_CSS = """
    ProofDialog {
        & #proof { height: auto; max-height: 80vh; border: none; &:focus { border: none; } }
    }
    """
    BINDING_GROUP_TITLE = "Proof"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Leave", show=False),
        Binding("enter", "take", "Use these operands", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    def __init__(
        self, title: str, make_blocks: Callable[[], Iterable[Block]], enter_text: str = ""
    ) -> None:
        """``enter_text`` says what Enter does; empty if it does nothing."""
        super().__init__()
        self._title, self._make_blocks, self._enter_text = title, make_blocks, enter_text
        self._page = Page("proof", "")

    def compose(self) -> ComposeResult:
        """Yield the answer."""
        enter = f"Enter {self._enter_text} · " if self._enter_text else ""
        with DialogFrame(self._title, f"{enter}^y copy · Esc leave"):
            yield self._page

    def on_mount(self) -> None:
        """Show the answer."""
        self._page.focus()
        self._show()

    def on_resize(self) -> None:
        """Fold the text for the new width."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        width = min(self._page.scrollable_content_region.width or WIDTH, WIDTH)
        self._page.show(write_text(self._make_blocks(), width))
        self._page.refresh(layout=True)

    def action_copy(self) -> None:
        """Copy the answer."""
        self.copy(self._page.read_text(), "the answer")

    def action_take(self) -> None:
        """Close, and load the operands of a counterexample."""
        self.close_with(bool(self._enter_text))
