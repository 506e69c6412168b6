"""A session: the current setup, other values that are undone with it, and the undo history."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Protocol, Self

from ..engine.isa.encodings import format_hex
from ..engine.records import FrozenDict
from ..engine.syntax.errors import quote_word
from ..engine.tracing.deviation import Deviation, find_deviation, find_deviations
from ..engine.tracing.trace import Trace
from .setup import Setup, evaluate_setup

LISTING_KEY = "listing"
"""The key of the core's extra, the cursor in an open listing."""
MAX_UNDO_STEPS = 1000
"""Maximum edits that can be undone."""
MAX_UNDO_CHARS = 8_000_000
"""Maximum characters of their lines and listings together."""


class Extra(Protocol):
    """A frozen value that is undone together with the setup, such as an open listing."""

    key: ClassVar[str]
    """A session has one value of each key."""
    values_label: ClassVar[str]
    """The name of a change if ``describe_change`` returns nothing."""

    def follow_setup(self, setup: Setup) -> tuple[Self, Setup]:
        """Make the value and the setup consistent after an edit of the setup; return both."""

    def count_chars(self, previous: Self | None) -> int:
        """Return its size in characters, without parts shared with an older value."""

    def without_caches(self) -> Self:
        """Return an equal value without computed values."""

    def describe_change(self, old: Moment, new: Moment) -> str:
        """Describe the largest change between two moments, at least one with the value; or ""."""


class Moment(NamedTuple):
    """An entry of the undo history."""

    setup: Setup
    extras: Mapping[str, Extra] = FrozenDict()
    """By key, without computed values."""


class History:
    """The latest moments, limited in number and characters; at least one is kept."""

    def __init__(self) -> None:
        self._moments = deque[tuple[Moment, int]]()
        self._size = 0

    def __len__(self) -> int:
        return len(self._moments)

    def push(self, moment: Moment) -> None:
        """Add a moment, and drop the oldest ones if a limit is exceeded."""
        old_extras = self._moments[-1][0].extras if self._moments else {}
        size = len(moment.setup.line)
        size += sum(x.count_chars(old_extras.get(key)) for key, x in moment.extras.items())
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
    """The current Setup and its extras, with their undo and redo histories."""

    def __init__(self, setup: Setup, *extras: Extra) -> None:
        self.setup = setup
        self.extras: Mapping[str, Extra] = FrozenDict((x.key, x) for x in extras)
        """By key."""
        self.undo_history = History()
        self.redo_history = History()
        self._trace: Trace | None = None
        self._deviations: tuple[Deviation, ...] | None = None

    @property
    def trace(self) -> Trace:
        """The evaluation of the current setup."""
        if self._trace is None:
            self._trace = evaluate_setup(self.setup)
        return self._trace

    @property
    def deviations(self) -> tuple[Deviation, ...]:
        """The known answers that differ from the documented one."""
        if self._deviations is None:
            self._deviations = find_deviations(self.trace)
        return self._deviations

    @property
    def deviation(self) -> Deviation | None:
        """The two answers to show; None if all agree."""
        return find_deviation(self.trace, self.deviations)

    def apply(
        self,
        setup: Setup,
        extra: Extra | None = None,
        *,
        coalesce: bool = False,
        removed_key: str = "",
    ) -> bool:
        """Apply an edit and return whether it changed anything.

        The edit replaces any ``extra``, and removes the one with ``removed_key``. With
        ``coalesce``, one undo reverts this edit and the last one together.
        """
        extras = {key: x for key, x in self.extras.items() if key != removed_key}
        if extra is not None:
            extras[extra.key] = extra
        if setup == self.setup and extras == self.extras:
            return False
        if not coalesce:
            self.undo_history.push(self.moment)
        self.redo_history.clear()
        self._set_state(setup, extras)
        return True

    def amend(self, setup: Setup, extra: Extra | None = None) -> None:
        """Replace the current setup, and any ``extra``, as part of the last edit."""
        self._set_state(setup, {**self.extras, extra.key: extra} if extra else self.extras)

    def follow_setup(self) -> None:
        """Make the setup and its extras consistent, as part of the last edit."""
        for extra in self.extras.values():
            followed, setup = extra.follow_setup(self.setup)
            self.amend(setup, followed)

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
        extras = FrozenDict((key, x.without_caches()) for key, x in self.extras.items())
        return Moment(self.setup, extras)

    def _set_state(self, setup: Setup, extras: Mapping[str, Extra]) -> None:
        if setup != self.setup:
            self._trace = self._deviations = None
        self.setup, self.extras = setup, FrozenDict(extras)


def describe_edit(old_moment: Moment, new_moment: Moment) -> str:
    """Return a description of the largest change between two moments."""
    extras = {**old_moment.extras, **new_moment.extras}
    for extra in extras.values():
        if text := extra.describe_change(old_moment, new_moment):
            return text
    setup = new_moment.setup
    if old_moment.setup.line != setup.line:
        return f"the line {quote_word(setup.line)}"
    parts = _list_value_texts(old_moment.setup, setup)
    if old_moment.setup.model != setup.model:
        parts.append(f"the model {setup.model}")
    if old_moment.setup.annotations != setup.annotations:
        parts.append("the notes for exports")
    parts = parts or [extra.values_label for extra in extras.values()]
    return ", ".join(parts)


def _list_value_texts(old_moment: Setup, new_moment: Setup) -> list[str]:
    old, new, ins = (
        evaluate_setup(old_moment).operands,
        evaluate_setup(new_moment).operands,
        new_moment.instruction,
    )
    values = {
        name: format_hex(new[role], ins.type_of(role).bits)
        for role, name in ins.names.items()
        if role in old and old[role] != new[role]
    }
    return [f"{name} = {value}" for name, value in values.items()]
