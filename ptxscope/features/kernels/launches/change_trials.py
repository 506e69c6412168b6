"""Trials of many changes: on the threads that run first, then on all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import NamedTuple

import numpy as np

from ....engine.semantics.models import Model
from .first_threads import ExpectedLaunch
from .instruction_changes import StatementChange
from .launch_memory import LaunchMemory
from .replicas import ThreadSelection, run_replicas
from .replicated_space import ROW_SHARE

_MAX_LANES = 1 << 15
"""Lanes of all replicas that run at once, unless one needs more."""
_MAX_MEMORY_BYTES = 1 << 24
"""Memory of the replicas that run at once, unless one needs more; it takes 17 times as much."""
_MAX_REPLICA_STEPS = 1 << 28
"""Statements that one thread of each of the replicas that run at once executes in all."""
_GRACE_SECONDS = 30.0
"""The time after the end in which changes are tried to their ends that were begun before."""
_SLACK = 4
"""The bytes that a replica may write for each byte that is written in the run."""
_MAX_NEAREST = 6
"""The number of nearest changes, some of which may be near misses."""


class FirstResults(NamedTuple):
    """The changes that were tried in the threads that run first."""

    passing: list[StatementChange]
    """The changes with which these threads are right."""
    nearest: list[StatementChange]
    """Changes with which more elements are right than without them, the nearest first."""
    try_count: int
    """The number of changes that were tried."""


class Score(NamedTuple):
    """The right elements and the wrong bits under a change, in the threads that run first."""

    is_right: bool
    is_complete: bool
    match_count: int
    """Elements that are right."""
    wrong_bit_count: int
    lowest_wrong_bit: int
    """The place of the lowest wrong bit of all elements; 64 if none is wrong."""


class ChangeTrials(NamedTuple):
    """Runs of a launch with changes."""

    memory: LaunchMemory
    expected: ExpectedLaunch
    model: Model
    own_count: int
    """Elements of the first threads that are right without a change."""
    max_thread_steps: int
    end: float
    """The time after which no other change is tried."""
    on_progress: Callable[[int, int], None] | None
    has_calls: bool = False
    """Whether functions are called: each call has registers for all lanes."""

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self.end

    def try_first_threads(self, changes: Sequence[StatementChange]) -> FirstResults:
        """Try changes, until the time is over."""
        passing: list[StatementChange] = []
        nearer: list[tuple[int, int, StatementChange, int]] = []
        ordered = sorted(changes, key=lambda x: [y.span for y in x.statements])
        try_count, total = 0, sum(x.replica_count for x in changes)
        for change, scores in self.score(ordered):
            if self.on_progress:
                self.on_progress(try_count, total)
            for index, x in enumerate(scores):
                if x.is_right:
                    passing.append(change.pick(index))
                if x.match_count > self.own_count:
                    nearer.append((-x.match_count, change.cost, change, index))
            try_count += len(scores)
        nearer.sort(key=lambda x: x[:2])
        nearest = [x.pick(index) for *_, x, index in nearer[:_MAX_NEAREST]]
        return FirstResults(passing, nearest, try_count)

    def score(
        self, changes: Sequence[StatementChange]
    ) -> Iterator[tuple[StatementChange, list[Score]]]:
        """Yield changes, or parts of them, with the scores of all that they stand for.

        They are in order, and end when the time is over.
        """
        first_threads, results = self.expected.first_threads, self.expected.results
        is_whole = first_threads == self.expected.all_threads
        step_count = max(self.expected.step_count, 1)
        size = max(min(self.part_size, _MAX_REPLICA_STEPS // step_count), 1)
        max_steps, end = self.max_thread_steps, self.end + _GRACE_SECONDS
        for part in _split(changes, size):
            if self.is_late:
                return
            try:
                run = run_replicas(self.memory, part, first_threads, self.model, max_steps, end)
            except TimeoutError:
                return
            is_right, counts = results.judge(run.space, is_whole=is_whole)
            is_right &= run.is_complete
            columns = (is_right, run.is_complete, counts, *results.measure(run.space))
            scores = [Score(*x) for x in zip(*(x.tolist() for x in columns), strict=True)]
            start = 0
            for change in part:
                yield change, scores[start : start + change.replica_count]
                start += change.replica_count

    def count_all_matches(
        self, changes: Sequence[StatementChange]
    ) -> Iterator[tuple[StatementChange, int]]:
        """Yield the changes with the number of elements that all threads give as expected.

        None stands for several. They end when the time is long over.
        """
        all_threads = self.expected.all_threads
        ordered = sorted(changes, key=lambda x: [y.span for y in x.statements])
        max_steps, end = self.max_thread_steps, self.end + _GRACE_SECONDS
        for part in _split(ordered, self._find_part_size(all_threads)):
            try:
                results = run_replicas(self.memory, part, all_threads, self.model, max_steps, end)
            except TimeoutError:
                return
            counts = self.expected.results.count_all(results.space)
            yield from zip(part, np.where(results.is_complete, counts, 0).tolist(), strict=True)

    @property
    def part_size(self) -> int:
        """The number of changes that the first threads run at once."""
        return self._find_part_size(self.expected.first_threads)

    def _find_part_size(self, selection: ThreadSelection) -> int:
        expected, lane_count = self.expected, selection.count_lanes(self.memory.shape)
        is_first = selection is expected.first_threads
        written_bytes = expected.first_bytes if is_first else expected.all_bytes
        size = self.memory.spaces["global"].size
        bytes_ = min(_SLACK * written_bytes, size) + size // ROW_SHARE
        bytes_ += lane_count * self.memory.local_bytes
        bytes_ += len(selection.blocks) * self.memory.shared_bytes
        max_lanes = _MAX_LANES >> 2 if self.has_calls else _MAX_LANES
        return max(min(max_lanes // lane_count, _MAX_MEMORY_BYTES // max(bytes_, 1)), 1)


def _split(changes: Sequence[StatementChange], size: int) -> Iterator[Sequence[StatementChange]]:
    """Yield changes that run at once, at most ``size``; a change of many values is split."""
    part, count = list[StatementChange](), 0
    for change in changes:
        start = 0
        while start < change.replica_count:
            end = min(start + size - count, change.replica_count)
            part.append(change.narrow(start, end))
            count += end - start
            start = end
            if count == size:
                yield part
                part, count = [], 0
    if part:
        yield part
