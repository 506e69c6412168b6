"""Small parts of forms: a labelled input, a page of plain text, choices in a row."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from ..ptx_line import PlainInput
from .pane import CursorPane, Pane, StyledLine, StyledText
from .posted_message import PostedMessage


class LabelledInput(Horizontal):
    """A label and a one-line input."""

    DEFAULT_CSS = """
    LabelledInput {
        height: 1;
        & > Static { width: 10; color: $text-muted; }
        & > Input { width: 1fr; border: none; height: 1; padding: 0; }
        & > Input:focus { border: none; height: 1; background: $surface-lighten-1; }
    }
    """

    def __init__(self, label: str, id: str, value: str = "", hint: str = "") -> None:  # noqa: A002
        super().__init__()
        self._label = Static(Content(label))
        self.input = PlainInput(value, placeholder=hint, id=id, select_on_focus=False)

    def compose(self) -> ComposeResult:
        """Yield the label and the input."""
        yield self._label
        yield self.input


LINE_END_BINDINGS: list[BindingType] = [
    Binding("home", "scroll_home", "To the beginning", show=False),
    Binding("end", "scroll_end", "To the end", show=False),
]
"""Keys of a page of text, in addition to those of every pane."""


class Page(Pane):
    """A text, line by line."""

    BINDINGS: ClassVar[list[BindingType]] = LINE_END_BINDINGS

    def __init__(self, id: str, title: str) -> None:  # noqa: A002
        super().__init__(id, title)
        self._lines: list[str] = []

    def show(self, text: str) -> None:
        """Show a text, from its beginning."""
        self._lines = text.expandtabs(4).splitlines()
        self.redraw_lines()
        self.scroll_to(y=0, animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines, wrapped at blanks with a hanging indent; one above carets is cut."""
        lines: list[StyledLine] = []
        window = slice(0, None)
        for line, next_line in pairwise([*self._lines, ""]):
            if set(next_line.strip()) == {"^"}:
                window = _find_window(line, next_line.index("^"), width)
                parts = [_cut_line(line, window)]
            else:
                parts, window = _fold_line(line[window], width), slice(0, None)
            lines += [[StyledText(part)] for part in parts]
        return lines


_MAX_DRAWN_CHARS = 5_000
"""Characters above which a line is wrapped anywhere, because textwrap takes quadratic time."""


def _find_window(line: str, place: int, width: int) -> slice:
    """Return as much of a line as there is room for around a place."""
    start = max(0, min(place - width // 3, len(line) - width))
    return slice(start, start + width)


def _cut_line(line: str, window: slice) -> str:
    """Return a part of a line, with a mark where something is left out."""
    text = line[window]
    if window.start:
        text = f"…{text[1:]}"
    return f"{text[:-1]}…" if window.stop < len(line) else text


def _fold_line(line: str, width: int) -> list[str]:
    if len(line) > _MAX_DRAWN_CHARS:
        return [line[position : position + width] for position in range(0, len(line), width)]
    indent = " " * min(len(line) - len(line.lstrip()), width // 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


class ChoiceRow(CursorPane):
    """A row of alternatives and switches: ``[text] markdown html   ☐ both answers``.

    Left and right move the cursor; Enter, space or a click chooses the item under it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding("enter,space", "choose", "Choose", show=False),
    ]
    DEFAULT_CSS = """
    ChoiceRow { height: auto; border: none; &:focus { border: none; } }
    """

    class OptionChanged(PostedMessage):
        """Posted when an alternative is chosen or a switch toggled."""

        control: ChoiceRow

    def __init__(self, id: str, one_of: Sequence[str], switches: Sequence[str]) -> None:  # noqa: A002
        super().__init__(id, "")
        self.choices, self.switches = tuple(one_of), tuple(switches)
        self.choice = self.choices[0]
        self.active_switches: set[str] = set()
        """The switches that are on."""
        self._cursor = self.choice

    def draw(self, width: int) -> list[StyledLine]:
        """Return the alternatives, in one line if they fit, then the switches."""
        lines: list[StyledLine] = [[]]
        room = width
        for name in self.choices:
            is_chosen = name == self.choice
            if len(name) + 2 > room and lines[-1]:
                lines.append([])
                room = width
            room -= len(name) + 2
            lines[-1].append(
                self._make_piece(
                    f"[{name}]" if is_chosen else f" {name} ", name, is_chosen=is_chosen
                )
            )
        second = [StyledText(" ")]
        for name in self.switches:
            is_on = name in self.active_switches
            second.append(
                self._make_piece(f"{'■' if is_on else '□'} {name}", name, is_chosen=is_on)
            )
            second.append(StyledText("   "))
        return [*lines, second]

    def _make_piece(self, text: str, name: str, *, is_chosen: bool) -> StyledText:
        style_name = "chosen" if is_chosen else ""
        cursor_style = " cursor" if name == self._cursor and self.has_focus else ""
        return StyledText(text, (style_name + cursor_style).strip(), name)

    def action_move(self, delta: int) -> None:
        """Move the cursor."""
        names = (*self.choices, *self.switches)
        index = names.index(self._cursor) + delta
        self._cursor = names[min(max(index, 0), len(names) - 1)]
        self.redraw_lines()

    def action_choose(self) -> None:
        """Choose the item under the cursor."""
        if self._cursor in self.switches:
            self.active_switches ^= {self._cursor}
        else:
            self.choice = self._cursor
        self.redraw_lines()
        self.post_message(self.OptionChanged(self))

    def handle_click(self, target: object) -> None:
        """Choose the clicked item."""
        self._cursor = str(target)
        self.action_choose()
