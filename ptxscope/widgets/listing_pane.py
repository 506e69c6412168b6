"""A listing beside the trace: its statements, their results, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from ..engine.syntax.errors import printable
from .base.pane import Line, Pane, Piece
from .base.posted_message import PartMessage, Posted
from .result_bar import VEIL

if TYPE_CHECKING:
    from ..state.open_listing import ListingCursor, ListingRow

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

    class Moved(PartMessage):
        """Another statement is to be shown."""

        control: Listing
        to: ListingCursor

    class Left(Posted):
        """The statement under the cursor is what was looked for."""

        control: Listing

    def __init__(self) -> None:
        super().__init__("listing", "Listing")
        self.place: ListingCursor | None = None
        self._rows: tuple[ListingRow, ...] = ()
        self._is_veiled = False

    @property
    def subject(self) -> object:
        """The programs of the listing."""
        return self.place and self.place.listing.programs

    def veil(self, *, veiled: bool) -> None:
        """Hold back what the statement under the cursor and those behind it compute, or tell it."""
        if veiled != self._is_veiled:
            self._is_veiled = veiled
            self.redraw()

    def show(self, place: ListingCursor) -> None:
        """Show a listing, the cursor in view."""
        if place == self.place:
            return
        self.place, self._rows = place, place.rows
        chosen = [row for row in self._rows if row.explained]
        here = next((at for at, row in enumerate(chosen, 1) if self._is_here(row)), 0)
        self.entitle(f"{printable(place.listing.name)} · {here} of {len(chosen)}")
        self.redraw()
        self._show_cursor()

    def _show_cursor(self) -> None:
        here = self.place and (self.place.program, self.place.index)
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
        if self.place is None:
            return lines
        for row in self._rows:
            lines += self._lines(row, width)
        return lines

    def _lines(self, row: ListingRow, width: int) -> list[Line]:
        if row.place < 0:
            return [[Piece(printable(row.text), "dim")]]
        target = (row.program, row.place) if row.explained else None
        here = self._is_here(row)
        mark = "✗" if row.problem else "▸" if here else " "
        ink = "dim" if target is None else "current" if here else ""
        room = max(width - _NUMBER - 1, 1)
        lines = [
            [
                Piece(" " * _NUMBER if at else f"{row.line:>{_NUMBER - 1}} ", "dim", target),
                Piece(
                    (" " if at else mark) + text.ljust(room),
                    f"{ink} cursor" if here else ink,
                    target,
                ),
            ]
            for at, text in enumerate(_folded(printable(row.text), room))
        ]
        if row.needs:
            needs = f"needs {', '.join(map(printable, row.needs))}"
            lines.append([Piece(" " * (_NUMBER + 1), "", target), Piece(needs, "changed", target)])
        told = (
            row.problem
            or row.unread
            or (VEIL * len(row.result) if self._is_held(row) else row.result)
        )
        bites = f"≠ {', '.join(row.errata)}" if row.errata else ""
        can = f"{', '.join(row.possible)} can bite" if row.possible and not bites else ""
        if told or can:
            marks = "  " + (bites or can)
            *before, last = _folded(printable(told), room)
            if len(last) + len(marks) > room:
                before, last = [*before, last], ""
            indent = Piece(" " * (_NUMBER + 1), "", target)
            ink = "bad" if row.problem else "dim"
            lines += [[indent, Piece(text, ink, target)] for text in before]
            mark_ink = "changed" if bites else "dim"
            marked = Piece(marks if last else marks.lstrip(), mark_ink, target)
            lines.append([indent, Piece(last, ink, target), marked])
        return lines

    def _is_here(self, row: ListingRow) -> bool:
        place = self.place
        return place is not None and (row.program, row.place) == (place.program, place.index)

    def _is_held(self, row: ListingRow) -> bool:
        place = self.place
        behind = place is not None and row.program == place.program and row.place >= place.index
        return self._is_veiled and behind

    def action_move(self, by: int) -> None:
        """Go to another of the 27."""
        if self.place is not None:
            self.Moved(self, self.place.moved(by)).tell()

    def action_leave(self) -> None:
        """On to the steps."""
        self.Left(self).tell()

    def clicked(self, target: object) -> None:
        """Show the statement that was clicked."""
        if self.place is not None and isinstance(target, tuple):
            self.Moved(self, self.place.at(*target)).tell()


def _folded(text: str, room: int) -> list[str]:
    """A text in lines of so many columns, broken at blanks where there are any."""
    lines, indent = [], "  " if room > 2 * _NUMBER else ""
    while len(text) > room:
        cut = text.rfind(" ", len(indent) + 1, room + 1)  # past the indent: the rest gets shorter
        cut = cut if cut > 0 else room
        lines.append(text[:cut])
        text = indent + text[cut:].lstrip()
    return [*lines, text]
