"""The dialog of ``check``: the diagnostics of a listing."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from ....screens.dialogs.dialog import Dialog, DialogFrame
from ....sources.source_lines import SourceLines, read_source_lines
from ....state.requests import MenuItem
from ....widgets.base.form_fields import Menu, Page
from ..check_report import count_items, format_summary, iter_item_lines
from ..diagnostic import CheckedInstruction
from ..lint import check_text
from ..sequence_notes import SequenceSearch
from ..suppressions import hide_remarks


def check_listing_text(text: str, name: str) -> tuple[tuple[CheckedInstruction, ...], str]:
    """Return the checked instructions of a text and a line with their counts."""
    counts = Counter[str]()
    search = SequenceSearch(name, with_intrinsics=False)
    search.search(text)
    checked = count_items(hide_remarks(search.merge(check_text(text, name))), counts)
    items = tuple(item for item in checked if item.diagnostics)
    return items, format_summary(counts)


class CheckDialog(Dialog[CheckedInstruction | None]):
    """Shows diagnostics and returns the one to open."""

    DEFAULT_CSS = """
    CheckDialog {
        & #found { height: auto; max-height: 35vh; }
        & #counts { height: auto; color: $quiet; }
        & #details { height: auto; max-height: 45vh; }
    }
    """
    BINDING_GROUP_TITLE = "Check"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Leave", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self._instructions, self._title = check_listing_text(text, name)
        sources = read_source_lines(text)
        items = [_make_item(item, sources) for item in self._instructions]
        self._menu = Menu("Diagnostics", items, "found")
        self._page = Page("details", "Details")

    def compose(self) -> ComposeResult:
        """Yield the diagnostics and, below them, one of them in full."""
        keys = "Enter open · Tab next · E erratum · Esc leave"
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
        return "\n".join(iter_item_lines(self._instructions[self._menu.index]))

    @on(Menu.ItemChosen)
    def _handle_item_chosen(self, event: Menu.ItemChosen) -> None:
        self.close_with(self._instructions[event.index])

    def action_copy(self) -> None:
        """Copy the report, with whole lines."""
        self.copy(self._describe(), "details")


def _make_item(item: CheckedInstruction, sources: SourceLines) -> MenuItem:
    rules = ", ".join(dict.fromkeys(diagnostic.rule for diagnostic in item.diagnostics))
    return MenuItem(f"{sources.format_line(item.location.line)}  {rules}", item.ptx)
