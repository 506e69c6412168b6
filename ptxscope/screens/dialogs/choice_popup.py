"""The values of a slot in a list over the explorer, placed at the slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset

from ...widgets.base.explorer_app import get_explorer_app
from ...widgets.form.choice_list import ChoiceList
from ...widgets.form.slot_choices import SlotOption
from .dialog import ThemedModal

_LOWEST = 8
"""Minimum rows of the list, if the screen has them."""
_FRAME = 6
"""Columns of border, padding and scrollbar."""


class ChoicePopup(ThemedModal[int | None]):
    """Asks for one of several values; returns its index, or None if it is closed."""

    DEFAULT_CSS = """
    ChoicePopup {
        align: left top; background: transparent;
        & > ChoiceList {
            height: auto; background: $surface; padding: 0 1;
            border: round $accent; &:focus { border: round $accent; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "leave", key_display="Esc"),
        Binding("question_mark,f1", "help", "Help", show=False, id="help"),
    ]

    def __init__(
        self, title: str, options: Sequence[SlotOption], index: int, offset: Offset
    ) -> None:
        super().__init__()
        self._list = ChoiceList(title, options, index)
        self._position = offset

    def compose(self) -> ComposeResult:
        """Yield the list."""
        yield self._list

    def on_resize(self) -> None:
        """Place the list at the slot, as far as there is room, with the cursor in view."""
        menu, (width, height) = self._list, self.size
        wide = min(max(menu.widest, len(str(menu.border_title)) + 2) + _FRAME, width)
        rows = len(menu.draw(max(wide - _FRAME, 1))) + 2
        high = min(rows, max(height - self._position.y, _LOWEST), height)
        x, y = min(self._position.x, width - wide), min(self._position.y, height - high)
        menu.styles.offset = (max(x, 0), max(y, 0))
        menu.styles.width, menu.styles.max_height = wide, high
        self.call_after_refresh(menu.show_cursor)

    @on(ChoiceList.ItemChosen)
    def _handle_item_chosen(self, event: ChoiceList.ItemChosen) -> None:
        self.close_with(event.index)

    def on_click(self, event: events.Click) -> None:
        """Close after a click outside the list."""
        if event.widget is self:
            self.action_leave()

    def action_help(self) -> None:
        """Show Help at the section on modifiers."""
        get_explorer_app(self).show_help("modifiers")

    def action_leave(self) -> None:
        """Close without a choice."""
        self.close_with(None)
