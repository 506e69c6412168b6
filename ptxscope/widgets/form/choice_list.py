"""A list of a slot's values; illegal ones are included with the reason."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..base.menu import Menu, MenuItem
from ..base.pane import StyledLine, StyledText
from .slot_choices import SlotOption

_MARK = "× "


class ChoiceList(Menu):
    """A menu of options; an illegal one can be selected but not chosen."""

    def __init__(self, title: str, options: Sequence[SlotOption], index: int) -> None:
        super().__init__(
            title, [MenuItem(option.text, option.about) for option in options], "choices"
        )
        self.options = options
        self.index = index

    def draw(self, width: int) -> list[StyledLine]:
        """Return a line for each option; the reason why it is illegal may need more."""
        mark_width = len(_MARK) * any(option.why_not for option in self.options)
        room = mark_width + max(len(option.text) for option in self.options)
        lines: list[StyledLine] = []
        for i, (_, label, about, why_not) in enumerate(self.options):
            text = ((_MARK if why_not else " " * mark_width) + label).ljust(room)
            style_name = f"{'off' * bool(why_not)} {'cursor' * (i == self.index)}".strip()
            for part in textwrap.wrap(why_not or about, max(width - room - 2, 8)) or [""]:
                lines.append(
                    [StyledText(text, style_name, i), StyledText(f"  {part}".rstrip(), "dim", i)]
                )
                text, style_name = " " * room, ""
        return lines

    @property
    def widest(self) -> int:
        """The columns in which every option fits in one line."""
        return max(sum(len(piece.text) for piece in line) for line in self.draw(1000))

    def show_cursor(self) -> None:
        """Scroll until the option under the cursor is visible."""
        row = [y for y, line in enumerate(self.visible_lines) if line[0].target == self.index]
        for y in reversed(row):
            self.show_line(y)

    def action_move(self, delta: int) -> None:
        """Move the cursor."""
        self.index = min(max(self.index + delta, 0), len(self.options) - 1)
        self.redraw_lines()
        self.show_cursor()

    def action_choose(self) -> None:
        """Choose the option under the cursor if it is legal."""
        if not self.options[self.index].why_not:
            super().action_choose()
