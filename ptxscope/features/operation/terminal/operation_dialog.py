"""The dialog of the operation: the pseudocode of the line, and of all forms."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ....engine.isa.catalog import get_entry
from ....engine.syntax.errors import make_printable
from ....engine.syntax.instruction import Instruction
from ....screens.dialogs.dialog import Dialog, DialogFrame
from ....widgets.base.form_fields import Page
from ..pseudocode import list_line_code, make_pseudocode
from ..statements import align_remarks

_INDENT = "    "


class OperationDialog(Dialog[None]):
    """Shows pseudocode: of the line at once, of all forms when it is made."""

    DEFAULT_CSS = """
    OperationDialog #pseudocode { height: auto; max-height: 80vh; }
    """
    BINDING_GROUP_TITLE = "Operation"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Leave", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    def __init__(self, ins: Instruction) -> None:
        super().__init__()
        self._instruction = ins
        self._page = Page("pseudocode", make_printable(str(ins)))
        self._text = ""

    def compose(self) -> ComposeResult:
        """Yield the pseudocode."""
        title = f"Operation · {self._instruction.opcode}"
        with DialogFrame(title, "↑↓ scroll · ^y copy · Esc leave"):
            yield self._page

    def on_mount(self) -> None:
        """Show the pseudocode of the line, and begin to make the one of all forms."""
        super().on_mount()
        self._page.focus()
        lines = [*align_remarks(list_line_code(self._instruction))]
        self._show([*_indent(lines or ["none"]), "", "All forms: …"])
        self.run_worker(self._add_general(lines))

    async def _add_general(self, lines: list[str]) -> None:
        made = await asyncio.to_thread(make_pseudocode, get_entry(self._instruction.form))
        if made is None:
            self._show([*_indent(lines)])
            return
        head = f"All forms of {self._instruction.opcode}:"
        notes = (f"- {note}" for note in made.notes)
        self._show([*_indent(lines), "", head, "", *_indent(made.lines), "", *notes])

    def _show(self, lines: list[str]) -> None:
        self._text = "\n".join(lines)
        self._page.show(self._text)

    def action_copy(self) -> None:
        """Copy the pseudocode."""
        self.copy(self._text, "the pseudocode")


def _indent(lines: Iterable[str]) -> Iterable[str]:
    return (f"{_INDENT}{line}" for line in lines)
