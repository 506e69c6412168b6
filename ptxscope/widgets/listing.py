"""A listing beside the trace: its statements, their results, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from ..engine.text.errors import printable
from .pane import Line, Pane, Piece

if TYPE_CHECKING:
    from ..walk import Row, Walk

_NUMBER = 5


class Listing(Pane):
    """The statements of the programs of a listing; the 27 can be chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("enter", "leave", "To the steps", show=False),
    ]
    DEFAULT_CSS = """
    Listing { height: 1fr; display: none; }
    """

    @dataclass
    class Moved(Message):
        """Another statement is to be shown."""

        listing: Listing
        walk: Walk

        @property
        def control(self) -> Listing:
            """The widget that sent it."""
            return self.listing

    @dataclass
    class Left(Message):
        """The statement under the cursor is what was looked for."""

        listing: Listing

        @property
        def control(self) -> Listing:
            """The widget that sent it."""
            return self.listing

    def __init__(self) -> None:
        super().__init__("listing", "Listing")
        self.walk: Walk | None = None
        self._rows: tuple[Row, ...] = ()

    def show(self, walk: Walk) -> None:
        """Show a listing, the cursor in view."""
        if walk == self.walk:
            return
        self.walk, self._rows = walk, walk.rows
        chosen = [row for row in self._rows if row.explained]
        here = next((at for at, row in enumerate(chosen, 1) if self._is_here(row)), 0)
        self.border_title = f"{printable(walk.name)} · {here} of {len(chosen)}"
        self.redraw()
        self._show_cursor()

    def _show_cursor(self) -> None:
        here = self.walk and (self.walk.program, self.walk.index)
        for y, line in enumerate(self.drawn):
            if any(piece.target is not None and piece.target == here for piece in line):
                self.show_line(y, context=2)
                return

    def on_resize(self) -> None:
        """A list that was hidden opens at its cursor."""
        super().on_resize()
        self._show_cursor()

    def draw(self, width: int) -> list[Line]:
        """A line a statement, what it wrote under it; and what the run needs."""
        lines: list[Line] = []
        if self.walk is None:
            return lines
        for row in self._rows:
            lines += self._lines(row, width)
        return lines

    def _lines(self, row: Row, width: int) -> list[Line]:
        if row.place < 0:
            return [[Piece(printable(row.text), "dim")]]
        target = (row.program, row.place) if row.explained else None
        here = self._is_here(row)
        mark = "✗" if row.problem else "▸" if here else " "
        ink = "dim" if target is None else "current" if here else ""
        room = max(width - _NUMBER - 1, 1)
        text = printable(row.text)
        lines = [
            [
                Piece(f"{row.line:>{_NUMBER - 1}} ", "dim", target),
                Piece(mark + text[:room].ljust(room), f"{ink} cursor" if here else ink, target),
            ]
        ]
        if row.needs:
            needs = f"needs {', '.join(map(printable, row.needs))}"
            lines.append([Piece(" " * (_NUMBER + 1), "", target), Piece(needs, "changed", target)])
        told = row.problem or row.result
        bites = f"≠ {', '.join(row.errata)}" if row.errata else ""
        can = f"{', '.join(row.possible)} can bite" if row.possible and not bites else ""
        if told or can:
            told = printable(told)[:room] + ("  " if told else "")
            lines.append(
                [
                    Piece(" " * (_NUMBER + 1), "", target),
                    Piece(told, "bad" if row.problem else "dim", target),
                    Piece(bites, "changed", target),
                    Piece(can, "dim", target),
                ]
            )
        return lines

    def _is_here(self, row: Row) -> bool:
        walk = self.walk
        return walk is not None and (row.program, row.place) == (walk.program, walk.index)

    def action_move(self, by: int) -> None:
        """Go to another of the 27."""
        if self.walk is not None:
            self.post_message(self.Moved(self, self.walk.moved(by)))

    def action_leave(self) -> None:
        """On to the steps."""
        self.post_message(self.Left(self))

    def clicked(self, target: object) -> None:
        """Show the statement that was clicked."""
        if self.walk is not None and isinstance(target, tuple):
            self.post_message(self.Moved(self, self.walk.at(*target)))
