"""Barriers of blocks (PTX ISA 9.7.13.1): the threads that wait, and their release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import RegisterOperand
from ....engine.syntax.errors import format_count
from ....sources.source_lines import read_source_lines
from .conflicts import Mask, ThreadScope
from .launch import WARP
from .memory_regions import Numbers
from .thread_state import (
    CallFrame,
    RegisterPlace,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    WaveState,
    choose_modifier,
    get_operands,
    unite_causes,
    write_values,
)

_REDUCTIONS = ("popc", "and", "or")


class _Waiting(NamedTuple):
    """Threads that wait at a statement."""

    frame: CallFrame
    statement: Statement
    next_block: int
    mask: Mask
    reduction: _Reduction | None


class _Reduction(NamedTuple):
    """The value that ``bar.red`` computes from a predicate of all threads."""

    operation: str
    source: ThreadValues
    is_negated: bool
    destination: RegisterPlace


class _Barrier:
    """One numbered barrier, for each block of the wave."""

    def __init__(self, block_count: int, lane_count: int) -> None:
        self.arrived = np.zeros(block_count, np.int64)
        """Threads that have arrived."""
        self.expected = np.zeros(block_count, np.int64)
        """Threads that must arrive; 0 for all of the block."""
        self.waiting: list[_Waiting] = []
        self.truths = np.zeros(lane_count, bool)
        """The predicates of a reduction."""
        self.participants = np.zeros(lane_count, bool)


class WarpDivergence:
    """The warps of which only a part is at an aligned barrier (PTX ISA 9.7.13.1).

    All threads of a warp must execute the same ``bar.sync``. Those that end at once, as by an early
    return, need not.
    """

    def __init__(self, state: WaveState) -> None:
        self._state = state
        self._passed: dict[int, Mask] = {}
        """The threads that have been at a barrier, by the id of its statement."""
        self._left: Mask | None = None
        """The threads that passed a barrier at which other threads of their warps arrive again."""
        count = state.wave.lane_count
        self._working, self._divided = np.zeros(count, bool), np.zeros(count, bool)
        """The threads that have executed statements since; and warps that such a thread ended."""

    def note_arrival(self, statement: Statement, group: ThreadGroup) -> None:
        """Note that threads arrive at an aligned barrier."""
        passed = self._passed.setdefault(id(statement), np.zeros(len(group.mask), bool))
        if not group.has_all:
            others = passed & self._state.live & ~group.mask & _spread(group.mask)
            if others.any():
                self._left = others if self._left is None else self._left | others
            if self._left is not None:
                self._left &= ~group.mask
        passed |= group.mask

    def note_work(self, group: ThreadGroup) -> None:
        """Note that threads have executed statements."""
        if self._left is not None:
            self._working |= group.mask & self._left

    def note_exit(self, group: ThreadGroup) -> None:
        """Note that threads end."""
        if self._left is not None:
            self._divided |= _spread(group.mask & self._left & self._working)
            self._left &= ~group.mask

    def forget(self, lanes: Mask) -> None:
        """Note that the barrier of some blocks opens."""
        if self._left is not None:
            self._left &= ~lanes
            self._left = self._left if self._left.any() else None
            self._working &= ~lanes

    def remove(self, lanes: Mask) -> None:
        """Remove all threads of some blocks."""
        self.forget(lanes)
        self._divided &= ~lanes

    def find(self, waiting: Sequence[_Waiting]) -> Mask:
        """Return the threads in warps that a barrier divides."""
        divided = np.zeros(len(self._divided), bool)
        aligned = [x for x in waiting if _is_aligned(x.statement)]
        for x in aligned:
            if self._divided.any():
                divided |= x.mask & self._divided
            for y in waiting:
                if y.statement is not x.statement:
                    divided |= x.mask & _spread(y.mask)
        return divided

    def fail(self, waiting: Sequence[_Waiting], lanes: Numbers) -> NoReturn:
        """Raise LaunchError for the threads in divided warps."""
        warp = lanes[0] // WARP
        x = next(x for x in waiting if x.mask[lanes[0]])
        lines = sorted(
            {y.statement.line for y in waiting if y.mask.reshape(-1, WARP)[warp].any()}
            - {x.statement.line}
        )
        names = [read_source_lines(self._state.code.text).format_line(x) for x in lines[:1]]
        others = f"wait at {names[0]}" if names else "have left the loop around it and ended"
        name = ".".join((x.statement.opcode, *x.statement.modifiers))
        message = (
            f"waits at this barrier, but others of its warp {others}: "
            f"all threads of a warp must execute the same {name}"
        )
        self._state.fail(x.statement, lanes, message)


def _is_aligned(statement: Statement) -> bool:
    return statement.opcode == "bar" or "aligned" in statement.modifiers


def _spread(mask: Mask) -> Mask:
    """Return all lanes of the warps of some lanes."""
    return np.repeat(mask.reshape(-1, WARP).any(axis=1), WARP)


class Barriers:
    """The barriers of a wave."""

    def __init__(self, state: WaveState) -> None:
        self.state = state
        self._barriers: dict[int, _Barrier] = {}
        self._released: list[tuple[CallFrame, int, ThreadGroup]] = []
        self._divergence = WarpDivergence(state)

    def take_released(self) -> Iterator[tuple[CallFrame, int, ThreadGroup]]:
        """Yield the threads that continue, and the blocks at which they do."""
        while self._released:
            yield self._released.pop(0)

    def make_arrival(
        self, frame: CallFrame, statement: Statement, next_block: int
    ) -> Callable[[ThreadGroup], None]:
        """Return the act of threads at ``bar`` or ``barrier``."""
        operands, reduction = statement.operands, None
        try:
            kind = choose_modifier(statement, ("cluster", "sync", "arrive", "red"))
            if kind == "cluster":
                raise UnmodelledError
            if kind == "red":
                reduction = _make_reduction(frame, statement)
                operands = operands[1:-1]
        except UnmodelledError:
            return self._make_unmodelled(frame, statement, next_block)
        sources = [frame.find_source(x, "u32") for x in operands]
        waits = kind != "arrive"
        is_aligned = waits and _is_aligned(statement)

        def arrive(group: ThreadGroup) -> None:
            if is_aligned:
                self._divergence.note_arrival(statement, group)
            lane = int(group.lanes[0])
            number, count = [*(int(x.bits[lane]) if x else 0 for x in sources), 0, 0][:2]
            is_simple = waits and not count and not reduction and number not in self._barriers
            if is_simple and group.has_all:
                self.state.begin_epoch(group.mask, ThreadScope.BLOCK)
                self._released.append((frame, next_block, group))
                return
            waiting = _Waiting(frame, statement, next_block, group.mask, reduction)
            self._add(number, count, group, waiting, waits=waits)
            if not waits:
                self._released.append((frame, next_block, group))

        return arrive

    def _add(
        self, number: int, count: int, group: ThreadGroup, waiting: _Waiting, *, waits: bool
    ) -> None:
        wave = self.state.wave
        barrier = self._barriers.setdefault(number, _Barrier(wave.slot_count, wave.lane_count))
        arrivals = np.bincount(wave.slots[group.lanes], minlength=wave.slot_count)
        barrier.arrived += arrivals
        barrier.expected[arrivals > 0] = count
        if waits:
            barrier.waiting.append(waiting)
        if waiting.reduction:
            source, is_negated = waiting.reduction.source, waiting.reduction.is_negated
            truths = ~source.bits if is_negated else source.bits
            barrier.truths[group.mask] = truths[group.mask]
            barrier.participants |= group.mask
        self._release(number, barrier)

    def update(self) -> None:
        """Release the threads that waited only for threads that have ended."""
        if not self._barriers:
            return
        for number, barrier in list(self._barriers.items()):
            self._release(number, barrier)

    def _release(self, number: int, barrier: _Barrier) -> None:
        wave, state = self.state.wave, self.state
        live = np.bincount(wave.slots[state.live], minlength=wave.slot_count)
        expected = np.where(barrier.expected > 0, barrier.expected, live)
        is_complete = (barrier.arrived > 0) & (barrier.arrived >= expected)
        if is_complete.any():
            is_complete[np.unique(wave.slots[self._divergence.find(barrier.waiting)])] = False
        if not is_complete.any():
            return
        self._divergence.forget(is_complete[wave.slots])
        lanes = is_complete[wave.slots]
        state.begin_epoch(lanes, ThreadScope.BLOCK)
        left: list[_Waiting] = []
        for x in barrier.waiting:
            mask = x.mask & lanes
            group = ThreadGroup(mask, int(np.count_nonzero(mask)), state)
            if group.count:
                if x.reduction:
                    _write_reduction(state, barrier, x.reduction, group)
                self._released.append((x.frame, x.next_block, group))
            rest = x.mask & ~lanes
            if rest.any():
                left.append(x._replace(mask=rest))
        barrier.waiting = left
        barrier.arrived[is_complete] = 0
        barrier.participants[lanes] = False
        if not barrier.arrived.any():
            del self._barriers[number]

    def _make_unmodelled(
        self, frame: CallFrame, statement: Statement, next_block: int
    ) -> Callable[[ThreadGroup], None]:
        reason = statement.explain_omission()

        def go_on(group: ThreadGroup) -> None:
            self.state.fidelity.note_decision(
                statement, "when threads continue", group.count, reason
            )
            self._released.append((frame, next_block, group))

        return go_on

    def note_work(self, group: ThreadGroup) -> None:
        """Note that threads have executed statements."""
        self._divergence.note_work(group)

    def note_exit(self, group: ThreadGroup) -> None:
        """Note that threads end."""
        self._divergence.note_exit(group)

    def count_by_line(self) -> Counter[int]:
        """Return the number of threads that wait at each line."""
        return Counter(
            {
                waiting.statement.line: int(np.count_nonzero(waiting.mask))
                for barrier in self._barriers.values()
                for waiting in barrier.waiting
            }
        )

    def remove(self, mask: Mask) -> None:
        """Remove all threads of some blocks."""
        self._divergence.remove(mask)
        slots = np.unique(self.state.wave.slots[mask])
        for number, barrier in list(self._barriers.items()):
            waiting = [x._replace(mask=x.mask & ~mask) for x in barrier.waiting]
            barrier.waiting = [x for x in waiting if x.mask.any()]
            barrier.arrived[slots] = 0
            barrier.participants &= ~mask
            if not barrier.arrived.any():
                del self._barriers[number]

    def check_nobody_waits(self) -> None:
        """Raise LaunchError if threads wait at a barrier that others do not reach."""
        for barrier in self._barriers.values():
            lanes = np.flatnonzero(self._divergence.find(barrier.waiting))
            if lanes.size:
                self._divergence.fail(barrier.waiting, lanes)
        waiting = [x for barrier in self._barriers.values() for x in barrier.waiting]
        if not waiting:
            return
        first = waiting[0]
        count = int(np.count_nonzero(first.mask))
        lines = sorted({x.statement.line for x in waiting})
        name = read_source_lines(self.state.code.text).format_line(lines[-1])
        others = f"; others wait at {name}" if len(lines) > 1 else ""
        subject = "waits" if count == 1 else f"and {format_count(count - 1, 'other')} wait"
        message = f"{subject} at this barrier for threads that never arrive{others}"
        self.state.fail(first.statement, np.flatnonzero(first.mask), message)


def _make_reduction(frame: CallFrame, statement: Statement) -> _Reduction:
    operation = choose_modifier(statement, _REDUCTIONS)
    destination, last = get_operands(statement, 3)[0], statement.operands[-1]
    if not isinstance(destination, RegisterOperand):
        raise UnmodelledError
    is_negated = isinstance(last, RegisterOperand) and last.is_negated
    source = frame.get_source(last, "pred")
    return _Reduction(operation, source, is_negated, RegisterPlace(frame, destination.name))


def _write_reduction(
    state: WaveState, barrier: _Barrier, reduction: _Reduction, group: ThreadGroup
) -> None:
    """Write the result over all threads of a block to the threads that continue."""
    slots = state.wave.slots
    block_count = state.wave.slot_count
    counts: npt.NDArray[np.int64] = np.bincount(
        slots[barrier.truths & barrier.participants], minlength=block_count
    )
    totals = np.bincount(slots[barrier.participants], minlength=block_count)
    results = {"popc": counts, "and": counts == totals, "or": counts > 0}
    causes = unite_causes((reduction.source,))
    united = None
    if causes is not None:
        by_block = np.zeros(block_count, np.uint64)
        participants = barrier.participants
        np.bitwise_or.at(by_block, slots[participants], causes[participants])
        united = by_block[slots] if by_block.any() else None
    place = reduction.destination
    register = place.frame.get_register(place.name)
    write_values(register, results[reduction.operation][slots], group, united)
    if state.observer:
        state.observer.note_late_result(group, place)
