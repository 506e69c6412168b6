"""The state of a thread after each of its steps: its registers, places in memory, and results.

The state is kept at every ``_INTERVAL`` steps, and only the steps after it are repeated, so a
position after a million steps is shown as fast as one after ten.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...engine.program.statement import Statement
from .launches.thread_log import ThreadStep

_INTERVAL = 1 << 11
MAX_PLACES = 256
"""Places in memory that are kept: the latest that the thread has accessed."""

Contents = tuple[int | None, int]
"""The bits, None if unknown, and the width."""
StatementPlace = tuple[int, int, int]
"""The line of a statement, its position in the text, and its number in its function."""


def find_place(statement: Statement) -> StatementPlace:
    """Return the place of a statement, which others on its line do not have."""
    return (statement.line, statement.span[0], statement.number)


class ThreadState(NamedTuple):
    """The state of a thread after a step."""

    frames: list[dict[str, Contents]]
    """The registers of each function that it is in, the kernel's first."""
    places: dict[str, Contents]
    """The places that it has accessed, the latest last."""
    results: dict[StatementPlace, ThreadStep]
    """Its last step at each statement."""

    def copy(self) -> ThreadState:
        """Return a state that changes by itself."""
        return ThreadState([dict(x) for x in self.frames], dict(self.places), dict(self.results))

    def add(self, step: ThreadStep) -> None:
        """Add the effects of a step."""
        frames, places = self.frames, self.places
        deepest = max((step.depth, *(x.depth for x in step.writes)))
        del frames[step.depth + 1 :]
        frames += [{} for _ in range(deepest + 1 - len(frames))]
        for x in step.writes:
            frames[x.depth][x.name] = (x.bits, x.width)
        for name, contents in iter_accesses(step):
            places.pop(name, None)
            places[name] = contents
        self.results[find_place(step.statement)] = step


class StepHistory:
    """The steps of a thread, with its positions at each statement."""

    def __init__(self, steps: Sequence[ThreadStep]) -> None:
        self._steps = steps
        self._states = [ThreadState([{}], {}, {})]
        self._passes: dict[StatementPlace, list[int]] = {}
        self._first_accesses: list[int] = []
        state, names = self._states[0].copy(), set[str]()
        for position, step in enumerate(steps):
            state.add(step)
            self._passes.setdefault(find_place(step.statement), []).append(position)
            new = {name for name, _ in iter_accesses(step)} - names
            names |= new
            self._first_accesses += [position] * len(new)
            if (position + 1) % _INTERVAL == 0:
                for name in list(state.places)[:-MAX_PLACES]:
                    del state.places[name]
                self._states.append(state.copy())

    def read_state(self, position: int) -> ThreadState:
        """Return the state of the thread after a number of steps."""
        number = position // _INTERVAL
        state = self._states[number].copy()
        for step in self._steps[number * _INTERVAL : position]:
            state.add(step)
        return state

    def count_places(self, position: int) -> int:
        """Return the number of places in memory that the thread has accessed after some steps."""
        return bisect_left(self._first_accesses, position)

    def list_passes(self, place: StatementPlace) -> Sequence[int]:
        """Return the positions at which the thread is at a statement."""
        return self._passes.get(place, ())


def iter_accesses(step: ThreadStep) -> Iterator[tuple[str, Contents]]:
    """Yield each place in memory that a step accesses, with its contents then."""
    for read in step.reads:
        if read.width:
            yield read.name, (read.bits, read.width)
    yield from iter_stored(step)


def iter_stored(step: ThreadStep) -> Iterator[tuple[str, Contents]]:
    """Yield each place that a step writes, with its bits then and their width."""
    for place in step.places:
        yield place.name, (place.bits, 8 * place.size)
