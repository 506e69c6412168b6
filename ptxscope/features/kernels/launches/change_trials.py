"""Trials of many changes: on the threads that run first, then on all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from time import monotonic
from typing import NamedTuple

import numpy as np

from ....engine.semantics.models import Model
from .first_threads import ExpectedLaunch
from .instruction_changes import StatementChange
from .launch_memory import LaunchMemory
from .replicas import ThreadSelection, run_replicas

_MAX_LANES = 1 << 15
"""Lanes of all replicas that run at once, unless one needs more."""
_MAX_MEMORY_BYTES = 1 << 24
"""Memory of the replicas that run at once, unless one needs more; it takes 17 times as much."""


class FirstResults(NamedTuple):
    """What changes give in the threads that run first."""

    passing: list[StatementChange]
    """Those with which these threads are right."""
    nearer: list[tuple[int, StatementChange]]
    """Those with which more elements are right than without, with their number; nearest first."""
    try_count: int
    """Those that were tried."""


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

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self.end

    def try_first_threads(self, changes: Sequence[StatementChange]) -> FirstResults:
        """Try changes, until the time is over."""
        passing: list[StatementChange] = []
        scores: list[tuple[int, StatementChange]] = []
        done, first_threads = 0, self.expected.first_threads
        is_whole = first_threads == self.expected.all_threads
        for part in self._split(changes, first_threads):
            if self.is_late:
                break
            if self.on_progress:
                self.on_progress(done, len(changes))
            results = run_replicas(
                self.memory, part, first_threads, self.model, self.max_thread_steps
            )
            is_right, counts = self.expected.results.judge(results.space, is_whole=is_whole)
            is_right &= results.is_complete
            passing += [x for x, y in zip(part, is_right.tolist(), strict=True) if y]
            scores += zip(counts.tolist(), part, strict=True)
            done += len(part)
        scores = [x for x in scores if x[0] > self.own_count]
        scores.sort(key=lambda x: (-x[0], x[1].cost))
        return FirstResults(passing, scores, done)

    def count_all_matches(
        self, changes: Sequence[StatementChange]
    ) -> Iterator[tuple[StatementChange, int]]:
        """Yield the changes with the number of elements that all threads give as expected."""
        all_threads = self.expected.all_threads
        for part in self._split(changes, all_threads):
            results = run_replicas(
                self.memory, part, all_threads, self.model, self.max_thread_steps
            )
            counts = self.expected.results.count_all(results.space)
            yield from zip(part, np.where(results.is_complete, counts, 0).tolist(), strict=True)

    def _split(
        self, changes: Sequence[StatementChange], selection: ThreadSelection
    ) -> Iterator[Sequence[StatementChange]]:
        """Yield as many changes as run at once, those of the same statements side by side."""
        lane_count = selection.count_lanes(self.memory.shape)
        bytes_ = self.memory.spaces["global"].size + lane_count * self.memory.local_bytes
        bytes_ += len(selection.blocks) * self.memory.shared_bytes
        size = max(min(_MAX_LANES // lane_count, _MAX_MEMORY_BYTES // max(bytes_, 1)), 1)
        iterator = iter(sorted(changes, key=lambda x: [y.span for y in x.statements]))
        while part := list(islice(iterator, size)):
            yield part
