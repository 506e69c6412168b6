"""A menu over the explorer: edge cases, pasted instructions."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ...state.requests import AskItem
from ...widgets.base.menu import Menu
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

    def __init__(self, request: AskItem) -> None:
        super().__init__()
        self.help_section = request.help_section
        self._title = request.title
        self._menu = Menu("", request.items, index=request.first)

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
