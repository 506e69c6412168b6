"""The dialog of the key."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ptxscope import Trace
from ptxscope.screens.dialogs.dialog import Dialog, DialogFrame

from ..counts import iter_counts


class CountsDialog(Dialog[None]):
    """Shows how many ones each result has."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Leave", show=False)]
    help_section = "ones"

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self._trace = trace

    def compose(self) -> ComposeResult:
        """Yield the counts."""
        with DialogFrame("Ones", "Esc leave"):
            yield Static("\n".join(iter_counts(self._trace)), markup=False)
