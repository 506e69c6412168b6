"""Many changes at once: a lock-step run with a replica of some blocks for each change.

The replicas share the statements; only a changed one is another in its replica. Each has its own
memory. A replica ends if one of its threads can't go on, or takes many more steps than expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.program.statement import Statement
from ...engine.semantics.models import Model
from .changed_steps import LaneChange, make_changed_step, make_choice
from .fidelity import Fidelity
from .instruction_changes import StatementChange
from .jumps import Leaving
from .launch import WARP, Wave
from .launch_memory import LaunchMemory
from .lockstep import Lockstep
from .memory import AddressSpace
from .thread_state import CallFrame, LaunchError, Step, ThreadGroup, WaveState

_LIMIT_INTERVAL = 16
"""Blocks of statements between two checks of the limit of steps."""


class ReplicaResults(NamedTuple):
    """The memory of replicas after a run."""

    space: AddressSpace
    """The global memory, with an instance for each."""
    is_complete: npt.NDArray[np.bool_]
    """Which came to their ends."""


class ThreadSelection(NamedTuple):
    """The threads that take part in a run."""

    blocks: Sequence[int]
    numbers: Sequence[int] | None = None
    """The threads of each block, which exchange nothing; None for all."""

    def count_lanes(self, block_size: int) -> int:
        """Return the number of lanes that a replica takes."""
        padded_size = -(-block_size // WARP) * WARP
        return len(self.blocks) * (padded_size if self.numbers is None else len(self.numbers))


def run_replicas(
    memory: LaunchMemory,
    changes: Sequence[StatementChange],
    selection: ThreadSelection,
    model: Model,
    max_thread_steps: int,
) -> ReplicaResults:
    """Run some threads with each change; those of one statement are side by side.

    ``max_thread_steps`` is the limit of statements for each thread.
    """
    shape, count = memory.shape, len(changes)
    padded_size = -(-shape.block_size // WARP) * WARP
    wave = Wave(
        shape,
        selection.blocks,
        padded_size,
        replica_count=count,
        numbers=selection.numbers,
    )
    spaces = memory.make_spaces(wave)
    spaces["global"] = memory.spaces["global"].replicate(count)
    state = WaveState(memory.code, wave, spaces, memory.symbols, Fidelity(), model)
    lockstep = _ReplicaLockstep(state, memory, changes, max_thread_steps)
    lockstep.run()
    return ReplicaResults(spaces["global"], ~lockstep.has_failed)


class _ReplicaLockstep(Lockstep):
    """Runs replicas to their ends."""

    def __init__(
        self,
        state: WaveState,
        memory: LaunchMemory,
        changes: Sequence[StatementChange],
        max_thread_steps: int,
    ) -> None:
        self.lane_changes = _group_changes(changes, state.wave.lane_count // len(changes))
        self.max_thread_steps = max_thread_steps
        self.lane_steps = np.zeros(state.wave.lane_count, np.int64)
        self.common_steps = 0
        """What all threads that were left executed together; the others are in ``lane_steps``."""
        self.has_failed = np.zeros(len(changes), bool)
        self._count = 0
        super().__init__(state, memory.kernel, 0, 1 << 62, None)

    def run(self) -> None:
        """Run all threads of all replicas."""
        while True:
            try:
                super().run()
            except LaunchError as error:
                assert self.group
                self._end_replicas(error, self.group)
            else:
                return

    def send(self, frame: CallFrame, block: int, group: ThreadGroup) -> None:
        """Let threads go on at the start of a block, if any are left."""
        if group.count:
            super().send(frame, block, group)

    def make_step(self, frame: CallFrame, statement: Statement) -> Step:
        """Return the step of a statement, another one in the replicas that change it."""
        changes = self.lane_changes.get(id(statement))
        if changes:
            return make_changed_step(frame, statement, changes, self._protect)
        return self._protect(super().make_step(frame, statement))

    def make_leaving(self, frame: CallFrame, statement: Statement, next_block: int) -> Leaving:
        """Return what threads do at the end of a block, another thing in some replicas."""
        leave = self._protect(super().make_leaving(frame, statement, next_block))
        changes = self.lane_changes.get(id(statement))
        if not changes:
            return leave
        parts = [
            self._protect(super(_ReplicaLockstep, self).make_leaving(frame, changed, next_block))
            for changed in (x.change.statement for x in changes)
        ]
        return make_choice(leave, parts, changes)

    def _protect(self, step: Step) -> Step:
        """Return a step that ends the replicas in which a thread can't go on."""

        def act(group: ThreadGroup) -> None:
            while group.count:
                try:
                    step(group)
                except LaunchError as error:
                    group.remove(self._end_replicas(error, group))
                else:
                    return

        return act

    def _end_replicas(self, error: LaunchError, group: ThreadGroup) -> npt.NDArray[np.bool_]:
        """End the replicas of the threads that can't go on; return the lanes of all of these."""
        return self._remove(group.lanes if error.lanes is None else error.lanes)

    def _remove(self, lanes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        state = self.state
        numbers = np.unique(state.wave.replicas[lanes])
        self.has_failed[numbers] = True
        mask = np.isin(state.wave.replicas, numbers)
        state.live &= ~mask
        state.live_count = int(np.count_nonzero(state.live))
        if self.group:
            self.group.remove(mask)
        for groups in (self.ready, self.parked):
            for place, group in list(groups.items()):
                group.remove(mask)
                if not group.count:
                    del groups[place]
        self.barriers.remove(mask)
        return mask

    def count_steps(self, group: ThreadGroup, size: int) -> None:
        """Count the statements of each thread, and end replicas that take too many."""
        if group.has_all:
            self.common_steps += size
        else:
            np.add(self.lane_steps, size, out=self.lane_steps, where=group.mask)
        self._count += 1
        if self._count % _LIMIT_INTERVAL == 0:
            limit = self.max_thread_steps - self.common_steps
            lanes = np.flatnonzero((self.lane_steps > limit) & self.state.live)
            if lanes.size:
                self._remove(lanes)


def _group_changes(
    changes: Sequence[StatementChange], lane_count: int
) -> Mapping[int, list[LaneChange]]:
    """Return the changes with their lanes by the id of the statement that they change."""
    groups: dict[int, list[LaneChange]] = {}
    for i, change in enumerate(changes):
        lanes = LaneChange(change, i * lane_count, (i + 1) * lane_count)
        groups.setdefault(id(change.original), []).append(lanes)
    return groups
