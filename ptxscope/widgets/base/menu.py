"""A list of items to choose from."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from ...engine.syntax.errors import make_printable
from ...state.requests import MenuItem as MenuItem
from .pane import Pane, StyledLine, StyledText
from .posted_message import PostedMessage


class Menu(Pane):
    """Items in a column; Enter or a click chooses one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("home", "move(-9999)", "First", show=False),
        Binding("end", "move(9999)", "Last", show=False),
        Binding("enter", "choose", "Choose", show=False),
    ]

    class ItemChosen(PostedMessage):
        """Posted when an item is chosen."""

        control: Menu
        index: int

    class ItemHighlighted(PostedMessage):
        """Posted when the cursor moves to another item."""

        control: Menu
        index: int

    def __init__(
        self,
        title: str,
        items: Sequence[MenuItem],
        id: str = "menu",  # noqa: A002
        index: int = 0,
    ) -> None:
        super().__init__(id, title)
        self.items = items
        self.index = index
        """The index of the item under the cursor."""

    def show(self, items: Sequence[MenuItem]) -> None:
        """Show other items, with the cursor on the first."""
        self.items, self.index = items, 0
        self.redraw_lines()
        self.refresh(layout=True)  # the menu may have had no height
        self.scroll_to(y=0, animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return a line for each item, with the notes in a column, or below if they do not fit."""
        items = [MenuItem(*map(make_printable, item)) for item in self.items]
        described_items = [item for item in items if item.about]
        room = max((len(item.label) for item in described_items), default=0)
        if any(room + 2 + len(item.about) > width for item in described_items):
            room = 0
        lines: list[StyledLine] = []
        heading = ""
        for i, (label, about, group) in enumerate(items):
            if group != heading:
                heading = group
                lines.append([StyledText(group, "strong")])
            style_name, text = "cursor" if i == self.index else "", label.ljust(room)
            if about and len(text) + 2 + len(about) <= width:
                lines.append([StyledText(text, style_name, i), StyledText(f"  {about}", "dim", i)])
                continue
            lines += [[StyledText(part, style_name, i)] for part in _fold_text(label, width, "")]
            lines += [[StyledText(part, "dim", i)] for part in _fold_text(about, width, "    ")]
        return lines

    def action_move(self, delta: int) -> None:
        """Move the cursor."""
        self.index = min(max(self.index + delta, 0), max(len(self.items) - 1, 0))
        self.redraw_lines()
        item_lines = [
            y for y, line in enumerate(self.visible_lines) if line[-1].target == self.index
        ]
        for y in reversed(item_lines):
            self.show_line(y)
        self.post_message(self.ItemHighlighted(self, self.index))

    def action_choose(self) -> None:
        """Choose the item under the cursor."""
        if self.items:
            self.post_message(self.ItemChosen(self, self.index))

    def handle_click(self, target: object) -> None:
        """Choose the clicked item."""
        if isinstance(target, int):
            self.index = target
            self.redraw_lines()
            self.action_choose()


def _fold_text(text: str, width: int, indent: str) -> list[str]:
    indent = indent[: width // 2]
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent or "  "[: width // 2]
    )
