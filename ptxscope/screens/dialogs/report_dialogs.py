"""Dialogs of results: those of ``check``, and a proof."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from ...documents.formats.check_report import count_items, format_summary, item_lines
from ...documents.formats.report import write_text
from ...documents.formats.text import WIDTH
from ...documents.proofs.proof_report import iter_proof_blocks
from ...proof.equivalence import Proof, Verdict
from ...sources.diagnostic import CheckedInstruction
from ...sources.lint import check_text
from ...sources.suppressions import hide_remarks
from ...state.requests import MenuItem
from ...state.solver_questions import PROOF_SECONDS
from ...widgets.base.form_fields import Menu, Page
from .dialog import Dialog, DialogFrame


def check_listing_text(text: str, name: str) -> tuple[tuple[CheckedInstruction, ...], str]:
    """Return the checked instructions of a text and a line with their counts."""
    counts = Counter[str]()
    checked = count_items(hide_remarks(check_text(text, name)), counts)
    items = tuple(item for item in checked if item.diagnostics)
    return items, format_summary(counts)


class CheckDialog(Dialog[CheckedInstruction | None]):
    """Shows diagnostics and returns the one to open."""

    DEFAULT_CSS = """
    CheckDialog {
        & #found { height: auto; max-height: 35vh; }
        & #counts { height: auto; color: $text-muted; }
        & #details { height: auto; max-height: 45vh; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Leave", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    help_section = "check"

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self._instructions, self._title = check_listing_text(text, name)
        items = [_make_item(item) for item in self._instructions]
        self._menu = Menu("Diagnostics", items, "found")
        self._page = Page("details", "Details")

    def compose(self) -> ComposeResult:
        """Yield the diagnostics and, below them, one of them in full."""
        keys = "Enter open · Tab next · ^y copy · Esc leave"
        with DialogFrame("Check", keys):
            yield Static(Content(self._title), id="counts")
            yield self._menu
            yield self._page

    def on_mount(self) -> None:
        """Show the first diagnostic."""
        self._menu.focus()
        self._show()

    @on(Menu.ItemHighlighted)
    def _show(self) -> None:
        self._page.show(self._describe())

    def _describe(self) -> str:
        if not self._instructions:
            return "All of them are legal, and no erratum can change one."
        return "\n".join(item_lines(self._instructions[self._menu.index]))

    @on(Menu.ItemChosen)
    def _handle_item_chosen(self, event: Menu.ItemChosen) -> None:
        self.close_with(self._instructions[event.index])

    def action_copy(self) -> None:
        """Copy the report, with whole lines."""
        self.copy(self._describe(), "details")


def _make_item(item: CheckedInstruction) -> MenuItem:
    rules = ", ".join(dict.fromkeys(diagnostic.rule for diagnostic in item.diagnostics))
    return MenuItem(f"line {item.location.line}  {rules}", item.ptx)


_ADVICE = (
    f"The explorer stops after {PROOF_SECONDS:.0f} s. In a shell, `ptxscope prove A B` allows more "
    "time with --timeout, and fewer operands with --where."
)


class ProofDialog(Dialog[bool]):
    """Shows a proof; returns whether to take over the operands of its counterexample."""

    DEFAULT_CSS = """
    ProofDialog {
        & #proof { height: auto; max-height: 80vh; border: none; &:focus { border: none; } }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Leave", show=False),
        Binding("enter", "take", "Use these operands", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    help_section = "prove"

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
        """Close, and take over the operands of a counterexample."""
        self.close_with(self._has_operands)
