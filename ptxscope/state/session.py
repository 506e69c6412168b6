"""A session: the current setup and the open listing, with the undo history."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from ..engine.isa.encodings import format_hex
from ..engine.syntax.errors import quote_word
from ..engine.tracing.deviation import Deviation, find_deviation, find_deviations
from ..engine.tracing.trace import Trace
from .setup import Setup, trace_of

if TYPE_CHECKING:
    from .open_listing import ListingCursor

MAX_UNDO_STEPS = 1000
"""Edits that can be undone."""
MAX_UNDO_CHARS = 8_000_000
"""Characters of their lines and listings together."""


class Moment(NamedTuple):
    """An entry of the undo history."""

    setup: Setup
    cursor: ListingCursor | None = None
    """The cursor in the open listing, with its inputs but without computed values."""


class History:
    """The latest moments, limited in number and in characters; at least one is always kept."""

    def __init__(self) -> None:
        self._moments = deque[tuple[Moment, int]]()
        self._size = 0

    def __len__(self) -> int:
        return len(self._moments)

    def push(self, moment: Moment) -> None:
        """Add a moment, and drop the oldest ones if a limit is exceeded."""
        size = len(moment.setup.line)
        last_cursor = self._moments[-1][0].cursor if self._moments else None
        listing = moment.cursor and moment.cursor.listing
        if listing and not (last_cursor and listing.programs is last_cursor.listing.programs):
            size += len(listing.text)
        self._moments.append((moment, size))
        self._size += size
        while len(self._moments) > 1 and (
            len(self._moments) > MAX_UNDO_STEPS or self._size > MAX_UNDO_CHARS
        ):
            self._size -= self._moments.popleft()[1]

    def pop(self) -> Moment:
        """Remove and return the latest moment."""
        moment, size = self._moments.pop()
        self._size -= size
        return moment

    def clear(self) -> None:
        """Remove all moments."""
        self._moments.clear()
        self._size = 0


class Session:
    """The current Setup and the open listing, with their undo and redo histories."""

    def __init__(self, setup: Setup, cursor: ListingCursor | None = None) -> None:
        self.setup = setup
        self.cursor = cursor
        """The cursor in the open listing."""
        self.undo_history = History()
        self.redo_history = History()
        self._trace: Trace | None = None
        self._deviations: tuple[Deviation, ...] | None = None

    @property
    def trace(self) -> Trace:
        """The evaluation of the current setup."""
        if self._trace is None:
            self._trace = trace_of(self.setup)
        return self._trace

    @property
    def deviations(self) -> tuple[Deviation, ...]:
        """Every known answer that differs from the documented one."""
        if self._deviations is None:
            self._deviations = find_deviations(self.trace)
        return self._deviations

    @property
    def deviation(self) -> Deviation | None:
        """The two answers that are shown; None if they agree."""
        return find_deviation(self.trace, self.deviations)

    def apply(
        self,
        setup: Setup,
        cursor: ListingCursor | None = None,
        *,
        coalesce: bool = False,
        is_closing: bool = False,
    ) -> bool:
        """Apply an edit and return whether it changed anything.

        A cursor makes the listing a part of the edit, ``is_closing`` closes it. With ``coalesce``,
        one undo reverts this edit and the last one together.
        """
        cursor = None if is_closing else cursor or self.cursor
        if setup == self.setup and cursor == self.cursor:
            return False
        if not coalesce:
            self.undo_history.push(self.moment)
        self.redo_history.clear()
        self._set_state(setup, cursor)
        return True

    def amend(self, setup: Setup, cursor: ListingCursor | None) -> None:
        """Replace the current setup and cursor as part of the last edit."""
        self._set_state(setup, cursor)

    def drop_empty_edit(self) -> None:
        """Drop the last edit if it changed nothing."""
        if self.undo_history:
            last = self.undo_history.pop()
            if last != self.moment:
                self.undo_history.push(last)

    def undo(self) -> bool:
        """Undo the last edit and return whether there was one."""
        return self._move_history(self.undo_history, self.redo_history)

    def redo(self) -> bool:
        """Redo an undone edit and return whether there was one."""
        return self._move_history(self.redo_history, self.undo_history)

    def _move_history(self, source: History, target: History) -> bool:
        if not source:
            return False
        target.push(self.moment)
        self._set_state(*source.pop())
        return True

    @property
    def moment(self) -> Moment:
        """The state that undo would return to."""
        return Moment(self.setup, self.cursor and self.cursor.without_caches())

    def _set_state(self, setup: Setup, cursor: ListingCursor | None) -> None:
        if setup != self.setup:
            self._trace = self._deviations = None
        self.setup, self.cursor = setup, cursor


def describe_edit(old_moment: Moment, new_moment: Moment) -> str:
    """Return a description of the largest change between two moments."""
    old, new = old_moment.cursor, new_moment.cursor
    if new is not None and (old is None or old.listing.programs is not new.listing.programs):
        return f"the listing {quote_word(new.listing.name)}"
    setup, cursor = new_moment.setup, new or old
    if cursor is not None and setup.place is not None and old_moment.setup.place != setup.place:
        return f"line {cursor.statement.line} of {quote_word(cursor.listing.name)}"
    if old_moment.setup.line != setup.line:
        return f"the line {quote_word(setup.line)}"
    parts = _value_texts(old_moment.setup, setup)
    if old_moment.setup.model != setup.model:
        parts.append(f"the model {setup.model}")
    if old_moment.setup.annotations != setup.annotations:
        parts.append("the notes for exports")
    return ", ".join(parts) or "the values of the listing"


def _value_texts(old_moment: Setup, new_moment: Setup) -> list[str]:
    old, new, ins = (
        trace_of(old_moment).operands,
        trace_of(new_moment).operands,
        new_moment.instruction,
    )
    values = {
        name: format_hex(new[role], ins.type_of(role).bits)
        for role, name in ins.names.items()
        if role in old and old[role] != new[role]
    }
    return [f"{name} = {value}" for name, value in values.items()]
