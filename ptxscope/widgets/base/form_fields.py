"""Parts of forms: a labelled input, a page of plain text, choices in a row."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from ...engine.syntax.errors import make_printable
from ...state.requests import MenuItem
from .explorer_app import PostedMessage
from .pane import CursorPane, Pane, StyledLine, StyledText


class PlainInput(Input):
    """An input that shows pasted control characters as text; its cursor does not blink."""

    def on_mount(self) -> None:
        """Stop the cursor's blinking, which is drawn twice a second."""
        self.cursor_blink = False

    def validate(self, value: str) -> None:
        """Skip validation, which would update styles. Overrides Textual."""

    def _on_paste(self, event: events.Paste) -> None:
        """Clean the text; Input's own handler, which runs next, inserts it."""
        event.text = make_printable(event.text)


class LabelledInput(Horizontal):
    """A label and a one-line input."""

    DEFAULT_CSS = """
    LabelledInput {
        height: 1;
        & > Static { width: 10; color: $quiet; }
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
"""Keys of a page of text, in addition to every pane's."""


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
        """Return the lines, wrapped at blanks with a hanging indent; a line above carets is cut."""
        lines: list[StyledLine] = []
        window = slice(0, None)
        for line, next_line in pairwise([*self._lines, ""]):
            if set(next_line.strip()) == {"^"}:
                window = _find_window(line, next_line.index("^"), width)
                parts = [_cut_line(line, window)]
            else:
                parts, window = fold_line(line[window], width), slice(0, None)
            lines += [[StyledText(part)] for part in parts]
        return lines


_MAX_DRAWN_CHARS = 5_000
"""Maximum characters of a line for textwrap, which takes quadratic time."""


def _find_window(line: str, place: int, width: int) -> slice:
    """Return the part of a line around a place that fits."""
    start = max(0, min(place - width // 3, len(line) - width))
    return slice(start, start + width)


def _cut_line(line: str, window: slice) -> str:
    """Return a part of a line, with marks of omissions."""
    text = line[window]
    if window.start:
        text = f"…{text[1:]}"
    return f"{text[:-1]}…" if window.stop < len(line) else text


def fold_line(line: str, width: int) -> list[str]:
    """Return the lines of a text in a width; all but the first have its indent."""
    if len(line) > _MAX_DRAWN_CHARS:
        return [line[position : position + width] for position in range(0, len(line), width)]
    indent = " " * min(len(line) - len(line.lstrip()), width // 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


class ChoiceRow(CursorPane):
    """A row of alternatives and switches: ``[text] markdown html   ☐ both answers``.

    Left and right move the cursor and choose an alternative; down moves it to the switches, which
    Enter or space toggles. A click does the same.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding("down", "go_to_switches", "To the switches", show=False),
        Binding("up", "go_to_choices", "To the alternatives", show=False),
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
        """The active switches."""
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
        style_name = "strong" if is_chosen else ""
        cursor_style = " cursor" if name == self._cursor and self.has_focus else ""
        return StyledText(text, (style_name + cursor_style).strip(), name)

    def action_move(self, delta: int) -> None:
        """Move the cursor; an alternative under it is chosen."""
        names = (*self.choices, *self.switches)
        index = names.index(self._cursor) + delta
        self._place_cursor(names[min(max(index, 0), len(names) - 1)])

    def action_go_to_switches(self) -> None:
        """Move the cursor to the first switch, unless it is at one."""
        if self._cursor not in self.switches:
            self._place_cursor(self.switches[0])

    def action_go_to_choices(self) -> None:
        """Move the cursor to the chosen alternative."""
        self._place_cursor(self.choice)

    def _place_cursor(self, name: str) -> None:
        self._cursor = name
        if name in self.choices and name != self.choice:
            self.action_choose()
        else:
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
        """Return a line for each item, with notes in a column or, if they do not fit, below."""
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
                lines.append(
                    [StyledText(text, style_name, i), StyledText(f"  {about}", "quiet", i)]
                )
                continue
            lines += [[StyledText(part, style_name, i)] for part in _fold_text(label, width, "")]
            lines += [[StyledText(part, "quiet", i)] for part in _fold_text(about, width, "    ")]
        return lines

    def action_move(self, delta: int) -> None:
        """Move the cursor."""
        self.index = min(max(self.index + delta, 0), max(len(self.items) - 1, 0))
        self.redraw_lines()
        self.show_target(self.index)
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
