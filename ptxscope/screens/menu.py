"""A menu over the explorer: presets, pasted instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset

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
        &.-placed { align: left top; background: transparent; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave", show=False),
    ]

    def __init__(
        self, title: str, items: Sequence[Item], index: int = 0, at: Offset | None = None
    ) -> None:
        super().__init__(classes="" if at is None else "-placed")
        self._menu = Menu(title, items)
        self._menu.index = index
        self._at = at
        """Where its corner should be; in the middle where it is None."""

    def compose(self) -> ComposeResult:
        """The menu."""
        yield self._menu

    def on_resize(self) -> None:
        """Stand where it was put, as far as there is room, the item under the cursor in sight."""
        if self._at is not None:
            menu, (width, height) = self._menu, self.size
            wanted = max(len(x.label) + 2 * x.off + 2 + len(x.about) for x in menu.items)
            wide = min(max(wanted, len(str(menu.border_title)) + 2) + 6, width)
            high = min(len(menu.draw(wide - 6)) + 2, max(height - self._at.y, 8), height)
            x, y = min(self._at.x, width - wide), min(self._at.y, height - high)
            menu.styles.offset = (max(x, 0), max(y, 0))
            menu.styles.width, menu.styles.max_width = wide, wide
            menu.styles.max_height = high
        self.call_after_refresh(self._menu.show_cursor)

    @on(Menu.Chosen)
    def _chosen(self, event: Menu.Chosen) -> None:
        self.answer(event.index)

    def action_leave(self) -> None:
        """Choose nothing."""
        self.answer(None)
