"""The dialog of a proof about the pin."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ....documents.formats.report import write_text
from ....documents.formats.text import WIDTH
from ....screens.dialogs.dialog import Dialog, DialogFrame
from ....widgets.base.form_fields import Page
from ..pin_proof import PROOF_SECONDS
from ..proof import Proof, Verdict
from ..proof_report import iter_proof_blocks

_ADVICE = (
    f"The explorer stops after {PROOF_SECONDS:.0f} s. In a shell, `ptxscope prove A B` allows more "
    "time with --timeout, and fewer operands with --where."
)


class ProofDialog(Dialog[bool]):
    """Shows a proof; returns whether to load the operands of its counterexample."""

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

    def __init__(self, proof: Proof) -> None:
        super().__init__()
        self._has_operands = proof.verdict is Verdict.DIFFERENT and bool(proof.operands)
        self._proof = proof
        self._page = Page("proof", "")

    def compose(self) -> ComposeResult:
        """Yield the answer."""
        enter = "Enter shows these operands · " if self._has_operands else ""
        with DialogFrame("A: the pinned, B: the current", f"{enter}^y copy · Esc leave"):
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
        blocks = iter_proof_blocks(self._proof, is_brief=True, advice=_ADVICE)
        self._page.show(write_text(blocks, width))
        self._page.refresh(layout=True)

    def action_copy(self) -> None:
        """Copy the answer."""
        self.copy(self._page.read_text(), "the answer")

    def action_take(self) -> None:
        """Close, and load the operands of a counterexample."""
        self.close_with(self._has_operands)
