"""A listing beside the trace: its statements, their results, and missing inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from ..engine.syntax.errors import make_printable
from ..feature import list_features
from ..state.listing_transitions import go_to
from ..state.requests import act
from .base.pane import Pane, StyledLine, StyledText
from .result_bar import HIDDEN_DIGIT

if TYPE_CHECKING:
    from ..state.listing_rows import ListingRow
    from ..state.open_listing import ListingCursor

_NUMBER = 5


def _iter_added_bindings() -> Iterator[Binding]:
    """Yield the keys that features add to the pane."""
    for key in (key for feature in list_features() for key in feature.keys):
        if keys := key.widget_keys.get("listing"):
            yield Binding(keys, f"screen.do('{key.id}')", key.label, show=False)


class ListingPane(Pane):
    """The statements of a listing's programs; explained ones can be chosen."""

    BINDING_GROUP_TITLE = "Listing"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("enter", "leave", "To the steps", show=False),
        *_iter_added_bindings(),
    ]
    DEFAULT_CSS = """
    ListingPane { height: 1fr; display: none; }
    """

    def __init__(self) -> None:
        super().__init__("listing", "Listing")
        self.place: ListingCursor | None = None
        self._rows: tuple[ListingRow, ...] = ()
        self._first_hidden: int | None = None

    @property
    def subject(self) -> object:
        """The programs of the listing."""
        return self.place and self.place.listing.programs

    @property
    def has_kernel(self) -> bool:
        """Whether the open listing has a kernel to run."""
        return self.place is not None and ".entry" in self.place.listing.text

    def hide_results(self, first: int | None) -> None:
        """Hide the results from a statement of the program on, or no results."""
        if first != self._first_hidden:
            self._first_hidden = first
            self.redraw_lines()

    def show(self, place: ListingCursor) -> None:
        """Show a listing, with the cursor in view."""
        if place == self.place:
            return
        self.place, self._rows = place, place.rows
        instruction_rows = [row for row in self._rows if row.is_explained]
        cursor = next(
            (index for index, row in enumerate(instruction_rows, 1) if self._is_current(row)), 0
        )
        self.set_title(
            f"{make_printable(place.listing.name)} · {cursor} of {len(instruction_rows)}"
        )
        self.redraw_lines()
        self._show_cursor()

    def _show_cursor(self) -> None:
        if self.place is not None:
            self.show_target((self.place.program, self.place.index), context=2)

    def on_resize(self) -> None:
        """Open a list that was hidden at its cursor."""
        super().on_resize()
        self._show_cursor()

    def draw(self, width: int) -> list[StyledLine]:
        """Return a line for each statement, its results below it, and missing inputs."""
        lines: list[StyledLine] = []
        if self.place is None:
            return lines
        sequences: dict[tuple[int, int], list[ListingRow]] = {}
        for row in self._rows:
            if row.sequence:
                sequences.setdefault(row.sequence, []).append(row)
        ends: dict[int, int] = {}
        source = ""
        for row in self._rows:
            folded = sequences.get(row.sequence, []) if row.sequence else []
            entry = next((x.place for x in folded if x.is_explained), None)
            count = len(lines)
            is_unfolded = entry is None or any(map(self._is_current, folded))
            if is_unfolded or row.call:
                if row.source and row.source != source:
                    lines += _draw_source(row.source, width)
                source = row.source
            if is_unfolded:
                sources = row.sources if self._is_current(row) else ()
                starts = sorted(ends[place] for place in sources if place in ends)
                _draw_wires(lines, starts)
                lines += self._draw_row(row, width, has_wires=bool(starts))
            elif row.call:  # the row of the whole sequence
                lines += self._draw_row(_join_rows(row, folded), width, entry)
            if row.program == self.place.program and len(lines) > count:
                ends[row.place] = len(lines) - 1
        return lines

    def _draw_row(
        self, row: ListingRow, width: int, place: int | None = None, *, has_wires: bool = False
    ) -> list[StyledLine]:
        """Return the lines of a row; a click on it opens its place or another one."""
        if row.place < 0:
            return [[StyledText(make_printable(row.text), "quiet")]]
        target = (row.program, row.place if place is None else place) if row.is_explained else None
        has_cursor = self._is_current(row)
        mark = "✗" if row.problem else "▸" if has_cursor else " "
        style_name = "quiet" if target is None else "focus" if has_cursor else ""
        style_name += " cursor" if has_cursor else ""
        room, lines = max(width - _NUMBER - 1, 1), list[StyledLine]()
        number = f"{row.line:>{_NUMBER - 1}} "
        for text in fold_text(make_printable(row.text), room):
            statement = StyledText(mark + text.ljust(room), style_name, target)
            lines.append([StyledText(number, "quiet", target), statement])
            number, mark = " " * _NUMBER, " "
        if has_wires:
            _draw_wire(lines[0], "╰")
        indent = StyledText(" " * (_NUMBER + 1), "", target)
        if row.missing_names:
            needs_text = f"needs {', '.join(map(make_printable, row.missing_names))}"
            lines.append([indent, StyledText(needs_text, "", target)])
        if row.call and row.call != row.text:
            call = fold_text(make_printable(row.call), room)
            lines += [[indent, StyledText(text, "quiet", target)] for text in call]
        result = HIDDEN_DIGIT * len(row.result) if self._is_hidden(row) else row.result
        effect = row.problem or row.unread or result
        changes = f"≠ {', '.join(row.errata)}" if row.errata else ""
        possible = f"{', '.join(row.possible_errata)} possible" if row.possible_errata else ""
        if effect or (possible and not changes):
            marks = f"  {changes or possible}".rstrip()
            *earlier_lines, last = fold_text(make_printable(effect), room)
            if len(last) + len(marks) > room:
                earlier_lines, last = [*earlier_lines, last], ""
            style_name = "surprise" if row.problem else "quiet"
            lines += [[indent, StyledText(text, style_name, target)] for text in earlier_lines]
            marks_style = "surprise" if changes else "quiet"
            marks_piece = StyledText(marks if last else marks.lstrip(), marks_style, target)
            lines.append([indent, StyledText(last, style_name, target), marks_piece])
        return lines

    def _is_current(self, row: ListingRow) -> bool:
        place = self.place
        return place is not None and (row.program, row.place) == (place.program, place.index)

    def _is_hidden(self, row: ListingRow) -> bool:
        place, first = self.place, self._first_hidden
        if place is None or first is None:
            return False
        return row.program == place.program and row.place >= first

    def action_move(self, delta: int) -> None:
        """Go to another instruction of the catalog."""
        if self.place is not None:
            self.do(go_to, self.place.move_by(delta))

    def action_leave(self) -> None:
        """Go on to the steps."""
        self.do(act, "leave")

    def handle_click(self, target: object) -> None:
        """Show the clicked statement."""
        if self.place is not None and isinstance(target, tuple):
            self.do(go_to, self.place.move_to(*target))


def _draw_source(source: str, width: int) -> list[StyledLine]:
    """Return the lines with the source of the statements below."""
    texts = fold_text(make_printable(source), max(width - _NUMBER - 1, 1))
    return [[StyledText(" " * (_NUMBER + 1)), StyledText(x, "quiet")] for x in texts]


def _draw_wires(lines: Sequence[StyledLine], starts: Sequence[int]) -> None:
    """Draw wires in the first column, from the ends of some statements to the end of the lines."""
    for y in range(starts[0], len(lines)) if starts else ():
        _draw_wire(lines[y], "╭" if y == starts[0] else "├" if y in starts else "│")


def _draw_wire(line: StyledLine, glyph: str) -> None:
    """Draw a part of a wire in the first column of a line, unless a line number is there."""
    first = line[0]
    if first.text[:1] == " ":
        line[0] = first._replace(text=glyph + first.text[1:])


def _join_rows(row: ListingRow, folded: list[ListingRow]) -> ListingRow:
    """Return the last row of a sequence as the row of the whole."""
    return row._replace(
        text=row.call,
        is_explained=True,
        possible_errata=(),
        errata=tuple(dict.fromkeys(y for x in folded for y in x.errata)),
        missing_names=tuple(dict.fromkeys(y for x in folded for y in x.missing_names)),
    )


def fold_text(text: str, room: int) -> list[str]:
    """Break a text into lines of at most ``room`` columns, at blanks or else at dots."""
    lines, indent = [], "  " if room > 2 * _NUMBER else ""
    while len(text) > room:
        # after the indent, so that the rest becomes shorter
        cuts = (text.rfind(mark, len(indent) + 1, room + 1) for mark in " .")
        cut = next((x for x in cuts if x > 0), room)
        lines.append(text[:cut])
        text = indent + text[cut:].lstrip()
    return [*lines, text]
