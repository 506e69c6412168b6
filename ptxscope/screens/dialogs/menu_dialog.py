"""A menu over the explorer: edge cases, pasted instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ...widgets.base.menu import Menu, MenuItem
from .dialog import Dialog, DialogFrame


class MenuDialog(Dialog[int | None]):
    """Asks for one of several items; returns its index, or None if it is closed."""

    DEFAULT_CSS = """
    MenuDialog {
        & Menu { height: auto; max-height: 80vh; border: none; &:focus { border: none; } }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave", show=False),
    ]

    def __init__(
        self, title: str, items: Sequence[MenuItem], index: int = 0, help_section: str = ""
    ) -> None:
        super().__init__()
        self.help_section = help_section
        self._title, self._menu = title, Menu("", items, index=index)

    def compose(self) -> ComposeResult:
        """Yield the menu."""
        with DialogFrame(self._title, "Enter choose · Esc leave"):
            yield self._menu

    @on(Menu.ItemChosen)
    def _handle_item_chosen(self, event: Menu.ItemChosen) -> None:
        self.close_with(event.index)

    def action_leave(self) -> None:
        """Close without a choice."""
        self.close_with(None)
