"""The machine instructions of the current line, each beside what it computes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ...export.proofs.machine_report import render_listings
from ...state.machine_code import MachineCode
from ...widgets.base.form_fields import Page
from .dialog import Dialog, DialogFrame


class MachineDialog(Dialog[None]):
    """Shows machine code."""

    DEFAULT_CSS = """
    MachineDialog {
        & #machine { height: auto; max-height: 80vh; border: none; &:focus { border: none; } }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    help_section = "machine code"

    def __init__(self, code: MachineCode) -> None:
        super().__init__()
        self._text = render_listings(code.line, [code.listing], code.tools)
        self._page = Page("machine", "")

    def compose(self) -> ComposeResult:
        """Yield the instructions."""
        with DialogFrame("Machine code", "^y copy · Esc leave"):
            yield self._page

    def on_mount(self) -> None:
        """Show the instructions."""
        self._page.focus()
        self._page.show(self._text)
        self._page.refresh(layout=True)

    def action_copy(self) -> None:
        """Copy the text."""
        self.app.copy_to_clipboard(self._text)
        self.notify("the machine code", title="Copied", markup=False)

    def action_leave(self) -> None:
        """Close."""
        self.close_with(None)
