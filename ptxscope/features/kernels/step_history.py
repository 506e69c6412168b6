"""The state of a thread after each of its steps: its registers, places in memory, and results.

The state is kept at every ``_INTERVAL`` steps, and only the steps after it are repeated, so that a
position is as fast to show after a million steps as after ten.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .launches.thread_log import ThreadStep

_INTERVAL = 1 << 11
MAX_PLACES = 256
"""Places in memory that are kept, those that the thread has accessed last."""

Contents = tuple[int | None, int]
"""The bits, None if unknown, and the width."""


class ThreadState(NamedTuple):
    """The state of a thread after a step."""

    frames: list[dict[str, Contents]]
    """The registers of each function that it is in, the kernel's first."""
    places: dict[str, Contents]
    """The places that it has accessed, the latest last."""
    results: dict[int, ThreadStep]
    """Its last step at each line."""

    def copy(self) -> ThreadState:
        """Return a state that changes by itself."""
        return ThreadState([dict(x) for x in self.frames], dict(self.places), dict(self.results))

    def add(self, step: ThreadStep) -> None:
        """Add what a step has done."""
        frames, places = self.frames, self.places
        deepest = max((step.depth, *(x.depth for x in step.writes)))
        del frames[step.depth + 1 :]
        frames += [{} for _ in range(deepest + 1 - len(frames))]
        for x in step.writes:
            frames[x.depth][x.name] = (x.bits, x.width)
        for name, contents in iter_accesses(step):
            places.pop(name, None)
            places[name] = contents
        self.results[step.statement.line] = step


class StepHistory:
    """The steps of a thread, with where it comes to each line."""

    def __init__(self, steps: Sequence[ThreadStep]) -> None:
        self._steps = steps
        self._states = [ThreadState([{}], {}, {})]
        self._lines: dict[int, list[int]] = {}
        self._passes: dict[tuple[int, int], list[int]] = {}
        self._first_accesses: list[int] = []
        state, seen = self._states[0].copy(), set[str]()
        for position, step in enumerate(steps):
            state.add(step)
            self._lines.setdefault(step.statement.line, []).append(position)
            self._passes.setdefault(step.statement.span, []).append(position)
            new = {name for name, _ in iter_accesses(step)} - seen
            seen |= new
            self._first_accesses += [position] * len(new)
            if (position + 1) % _INTERVAL == 0:
                for name in list(state.places)[:-MAX_PLACES]:
                    del state.places[name]
                self._states.append(state.copy())

    def read_state(self, position: int) -> ThreadState:
        """Return what the thread has done after so many steps."""
        number = position // _INTERVAL
        state = self._states[number].copy()
        for step in self._steps[number * _INTERVAL : position]:
            state.add(step)
        return state

    def count_places(self, position: int) -> int:
        """Return how many places in memory the thread has accessed after so many steps."""
        return bisect_left(self._first_accesses, position)

    def list_line(self, line: int) -> Sequence[int]:
        """Return the positions at which the thread is at a line."""
        return self._lines.get(line, ())

    def list_passes(self, step: ThreadStep) -> Sequence[int]:
        """Return the positions at which the thread is at the statement of a step."""
        return self._passes[step.statement.span]


def iter_accesses(step: ThreadStep) -> Iterator[tuple[str, Contents]]:
    """Yield each place in memory that a step accesses, with what is there then."""
    for read in step.reads:
        if read.width:
            yield read.name, (read.bits, read.width)
    yield from iter_stored(step)


def iter_stored(step: ThreadStep) -> Iterator[tuple[str, Contents]]:
    """Yield each place that a step writes, with its bits then and their width."""
    for place in step.places:
        yield place.name, (place.bits, 8 * place.size)
