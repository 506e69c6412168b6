"""The instruction browser: the 27 in their groups, with a fuzzy filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.fuzzy import Matcher
from textual.message import Message
from textual.widgets import Input

from ..engine.catalog import CATALOG
from .pane import Line, Pane, Piece


class Browser(Vertical):
    """A filter over a list of instructions."""

    DEFAULT_CSS = """
    Browser {
        height: 1fr;
        & > Input { border: none; height: 1; padding: 0 1; }
        & > Input:focus { border: none; height: 1; }
        & > InstructionList { height: 1fr; }
    }
    """
    BINDING_GROUP_TITLE = "Instructions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Previous", show=False),
        Binding("down", "move(1)", "Next", show=False),
        Binding("enter", "choose", "Open", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """An instruction is to be opened."""

        browser: Browser
        opcode: str

        @property
        def control(self) -> Browser:
            """The widget that sent it."""
            return self.browser

    def __init__(self, id: str = "browser") -> None:  # noqa: A002
        super().__init__(id=id)
        self.filter = Input(placeholder="/ filter", id="filter", select_on_focus=True)
        self.list = InstructionList()

    def compose(self) -> ComposeResult:
        """The list, and the filter above it."""
        yield self.filter
        yield self.list

    def show(self, opcode: str) -> None:
        """Mark the instruction that is open."""
        self.list.show(opcode)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        event.stop()
        self.list.filter(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the best match."""
        event.stop()
        self.action_choose()

    def action_move(self, by: int) -> None:
        """Move the cursor of the list."""
        self.list.move(by)

    def action_choose(self) -> None:
        """Open the instruction under the cursor."""
        if self.list.cursor is not None:
            self.post_message(self.Chosen(self, self.list.cursor))


class InstructionList(Pane):
    """The instructions that match, by group."""

    def __init__(self) -> None:
        super().__init__("instructions", "Instructions")
        self._open = ""
        self._query = ""
        self.cursor: str | None = None
        """The opcode under the cursor."""

    def show(self, opcode: str) -> None:
        """Mark the instruction that is open, and put the cursor on it."""
        if opcode != self._open:
            self._open = self.cursor = opcode
            self.redraw()
            self._show_cursor()

    def filter(self, query: str) -> None:
        """Keep what matches."""
        self._query = query
        found = self.matches()
        self.cursor = found[0] if query and found else self._open if not query else None
        self.redraw()
        self._show_cursor()

    def matches(self) -> list[str]:
        """The opcodes that match, best first; all in their order without a filter."""
        if not self._query.strip():
            return list(CATALOG)
        matcher = Matcher(self._query.strip())
        scored = [
            (matcher.match(opcode) * 2 + matcher.match(entry.summary), opcode)
            for opcode, entry in CATALOG.items()
        ]
        return [opcode for score, opcode in sorted(scored, key=lambda x: -x[0]) if score]

    def move(self, by: int) -> None:
        """Move the cursor among what is shown."""
        shown = self.matches()
        if not shown:
            return
        at = shown.index(self.cursor) + by if self.cursor in shown else 0
        self.cursor = shown[min(max(at, 0), len(shown) - 1)]
        self.redraw()
        self._show_cursor()

    def draw(self, width: int) -> list[Line]:
        """Group heads and an instruction a line; best matches first while filtering."""
        lines: list[Line] = []
        group = None
        for opcode in self.matches():
            entry = CATALOG[opcode]
            if not self._query and entry.group is not group:
                group = entry.group
                lines.append([Piece(group, "dim")])
            mark = "▸" if opcode == self._open else " "
            ink = "current" if opcode == self._open else ""
            here = " cursor" if opcode == self.cursor and self._has_cursor() else ""
            text = f"{mark}{opcode:<9} "
            room = max(width - len(text), 0)
            summary = entry.summary[:room]
            lines.append([Piece(text, ink + here, opcode), Piece(summary, "dim", opcode)])
        return lines or [[Piece("nothing matches", "dim")]]

    def _has_cursor(self) -> bool:
        return self.parent is not None and self.parent.has_focus_within  # type: ignore[attr-defined]

    def _show_cursor(self) -> None:
        for y, line in enumerate(self.drawn):
            if any(piece.target == self.cursor for piece in line):
                self.show_line(y, context=1)

    def clicked(self, target: object) -> None:
        """Open the clicked instruction."""
        self.cursor = str(target)
        browser = self.parent
        assert isinstance(browser, Browser)
        browser.action_choose()

    def on_focus(self) -> None:
        """Show the cursor."""
        self.redraw()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.redraw()
