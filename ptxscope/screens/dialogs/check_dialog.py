"""What ``check`` has to say of the open listing, or of the line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from ...engine.listings.lint import Checked, check_text
from ...export.formats.check_report import counted, summary, told
from ...widgets.base.form_fields import Page
from ...widgets.base.menu import Item, Menu
from .dialog import Dialog, Frame


def diagnostics(text: str, name: str) -> tuple[tuple[Checked, ...], str]:
    """What there is to say of a text, and the counts in a line."""
    counts = Counter[str]()
    said = tuple(item for item in counted(check_text(text, name), counts) if item.diagnostics)
    return said, summary(counts)


class CheckScreen(Dialog[Checked | None]):
    """Shows diagnostics; gives the one to be opened."""

    DEFAULT_CSS = """
    CheckScreen {
        & #found { height: auto; max-height: 40%; }
        & #counts { height: auto; color: $text-muted; }
        & #told { height: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    help_section = "check"

    def __init__(self, found: Sequence[Checked], title: str) -> None:
        super().__init__()
        self._found, self._title = found, title
        self._menu = Menu("Findings", [_item(item) for item in found], "found")
        self._page = Page("told", "What it says")

    def compose(self) -> ComposeResult:
        """The diagnostics above, one of them in full below."""
        keys = "Enter open · Tab next · ^y copy · Esc leave"
        with Frame("Check", keys, page=True):
            yield Static(Content(self._title), id="counts")
            yield self._menu
            yield self._page

    def on_mount(self) -> None:
        """Show the first."""
        self._menu.focus()
        self._show()

    @on(Menu.Moved)
    def _show(self) -> None:
        if self._found:
            self._page.show("\n".join(told(self._found[self._menu.index])))
        else:
            self._page.show("Nothing is wrong with any of them, and no erratum can change one.")

    @on(Menu.Chosen)
    def _chosen(self, event: Menu.Chosen) -> None:
        self.answer(self._found[event.index])

    def action_copy(self) -> None:
        """Copy what it says."""
        self.app.copy_to_clipboard(self._page.text())
        self.notify("what it says", title="Copied", markup=False)

    def action_leave(self) -> None:
        """Open nothing."""
        self.answer(None)


def _item(item: Checked) -> Item:
    rules = ", ".join(dict.fromkeys(diagnostic.rule for diagnostic in item.diagnostics))
    return Item(f"line {item.place.line}  {rules}", item.ptx)
