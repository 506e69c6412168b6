"""A menu over the explorer: presets, pasted instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ..widgets.inks import InkModal
from ..widgets.menu import Item, Menu


class MenuScreen(InkModal[int | None]):
    """Asks for one of several; gives its index, or None when it is left."""

    DEFAULT_CSS = """
    MenuScreen {
        align: center middle;
        & > Menu {
            width: 80%; max-width: 100; height: auto; max-height: 80%;
            background: $surface; border: round $accent; padding: 0 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave", show=False),
    ]

    def __init__(self, title: str, items: Sequence[Item]) -> None:
        super().__init__()
        self._menu = Menu(title, items)

    def compose(self) -> ComposeResult:
        """The menu."""
        yield self._menu

    @on(Menu.Chosen)
    def _chosen(self, event: Menu.Chosen) -> None:
        self.answer(event.index)

    def action_leave(self) -> None:
        """Choose nothing."""
        self.answer(None)
