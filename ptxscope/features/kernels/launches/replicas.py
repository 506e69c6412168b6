"""Many changes at once: a lock-step run with a replica of some blocks for each change.

The replicas share the statements; only a changed one is another in its replica. Each has its own
memory. A replica ends if one of its threads can't go on, or takes many more steps than expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from math import inf
from time import monotonic
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....diagnosis.causes import Cause, ObservedCase
from ....diagnosis.observation import Observation
from ....engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ....engine.program.statement import Statement
from ....engine.semantics.models import Model
from .fidelity import Causes, Fidelity
from .instruction_changes import StatementChange
from .jumps import Leaving
from .launch import LaunchShape, Wave
from .launch_memory import LaunchMemory
from .lockstep import Lockstep
from .memory import Bits, fill_unknown
from .plan_binding import bind_plan, compute
from .replicated_space import ReplicatedSpace
from .statement_steps import make_step
from .thread_state import CallFrame, LaunchError, Step, ThreadGroup, ThreadValues, WaveState


class LaneChange(NamedTuple):
    """A change, and the lanes of its replicas."""

    change: StatementChange
    start: int
    end: int


def make_changed_step(
    frame: CallFrame,
    base: Step,
    changes: Sequence[LaneChange],
    protect: Callable[[Step], Step],
) -> Step:
    """Return a step that runs, instead of a statement, its changes in some replicas.

    ``base`` is the step of the others. ``changes`` are in the order of their lanes, which are side
    by side. ``protect`` makes a step end replicas that can't continue.
    """
    if changes[0].change.plan is not None:
        return _SlicedStep(frame, base, changes).run
    steps = [protect(make_step(frame, x.change.statement)) for x in changes]
    return make_choice(base, steps, changes)


def make_choice(base: Step, steps: Sequence[Step], changes: Sequence[LaneChange]) -> Step:
    """Return a step that differs in the lanes of each change."""
    start, end = changes[0].start, changes[-1].end

    def act(group: ThreadGroup) -> None:
        if not group.mask[start:end].any():
            base(group)
            return
        parts = [group.narrow_to(x.start, x.end) for x in changes]
        rest = group.narrow_to(start, end, is_inside=False)
        if rest:
            base(rest)
        for part, step in zip(parts, steps, strict=True):
            if part:
                step(part)

    return act


class _SlicedStep:
    """An instruction of the catalog that differs in some lanes.

    The base step runs in all lanes; then each changed instruction computes its lanes again from the
    former values of the registers.
    """

    def __init__(self, frame: CallFrame, base: Step, changes: Sequence[LaneChange]) -> None:
        self.base = base
        self.start, self.end = changes[0].start, changes[-1].end
        self.offsets = [x.start - self.start for x in changes]
        first = changes[0].change.original
        assert first.instruction
        names = dict.fromkeys(first.instruction.names.values())
        for x in changes:
            assert x.change.statement.instruction
            names |= dict.fromkeys(x.change.statement.instruction.names.values())
        if first.guard:
            names[first.guard.name] = None
        self.registers = {name: frame.get_register(name) for name in names}
        self.saved = {
            name: ThreadValues(np.empty(self.end - self.start, register.bits.dtype))
            for name, register in self.registers.items()
        }
        self.parts = [
            _SlicedPart(frame, change, self.registers, self.saved, self.start) for change in changes
        ]
        registers = [x for part in self.parts for x in part.iter_registers()]
        self.written = list({id(x): x for x in registers}.values())

    def run(self, group: ThreadGroup) -> None:
        """Execute the statement."""
        lanes = slice(self.start, self.end)
        active = np.flatnonzero(np.logical_or.reduceat(group.mask[lanes], self.offsets))
        if not active.size:
            self.base(group)
            return
        for name, register in self.registers.items():
            saved = self.saved[name]
            np.copyto(saved.bits, register.bits[lanes])
            saved.set_causes(None if register.causes is None else register.causes[lanes])
        mask = group.mask
        self.base(group)
        has_causes = any(x.causes is not None for x in (*self.saved.values(), *self.written))
        causes_by_register: dict[int, Causes] = {}
        if has_causes:
            causes_by_register = {id(x): _copy_causes(x) for x in self.written}
        for number in active.tolist():
            self.parts[number].run(mask, causes_by_register)
        for register in self.written if has_causes else ():
            causes = causes_by_register[id(register)]
            unknown = register.unknown
            if unknown is not None:  # recomputed values are unknown as a whole
                unknown = unknown.copy()
                unknown[lanes] = fill_unknown(causes[lanes], self.end - self.start, unknown.dtype)
            register.set_causes(causes if causes.any() else None, unknown)


def _copy_causes(register: ThreadValues) -> Causes:
    if register.causes is None:
        return np.zeros(len(register.bits), np.uint64)
    return register.causes.copy()


class _SlicedPart:
    """One of the changed instructions."""

    def __init__(
        self,
        frame: CallFrame,
        lane_change: LaneChange,
        registers: dict[str, ThreadValues],
        saved: dict[str, ThreadValues],
        offset: int,
    ) -> None:
        change, start, end = lane_change
        ins, plan, count = change.statement.instruction, change.plan, end - start
        original = change.original.instruction
        assert ins
        assert plan
        assert original
        self.lanes = slice(start, end)
        self.part = slice(start - offset, end - offset)
        arrays = dict[Buffer, Bits]()
        self.sources = list[ThreadValues]()
        self.cause = change.cause
        self.operands = dict[str, tuple[Bits, Bits]]()
        """By role: the operands, and as the cause changes them, if there is one."""
        for source in plan.sources:
            dtype = get_storage_dtype(source.type)
            if source.role in ins.constants:
                bits: Bits = np.full(count, ins.constants[source.role], dtype)
                if change.literal and source.role == change.literal.role:
                    values = np.array(change.literal.values, dtype)
                    bits = np.repeat(values, count // len(values))
            else:
                register = saved[ins.names[source.role]]
                self.sources.append(register)
                bits = register.bits[self.part]
            if self.cause:
                self.operands[source.role] = bits, bits.copy()
                bits = self.operands[source.role][1]
            arrays[Buffer(BufferKind.OPERAND, source.role)] = bits
        results = {x.role: np.empty(count, get_storage_dtype(x.type)) for x in plan.results}
        arrays |= {Buffer(BufferKind.RESULT, role): x for role, x in results.items()}
        self.results = results
        self.documented = {
            role: registers[name].bits[self.lanes] for role, name in ins.results.items()
        }
        memory = frame.state.scratch_memory
        self.calls = bind_plan(plan, arrays, memory)
        self.written = [
            (registers[name], results[role])
            for role, name in ins.results.items()
            if role in results
        ]
        old_names = dict.fromkeys(original.results.values())
        self.restored = [(registers[name], saved[name]) for name in old_names]
        self.guard: ThreadValues | None = None
        guard = change.statement.guard
        if guard and not any(x.role == "guard" for x in plan.sources):
            self.guard, self.is_negated = saved[guard.name], guard.negated

    def iter_registers(self) -> Iterator[ThreadValues]:
        """Yield the registers that the instruction or the original one writes."""
        yield from (register for register, _ in (*self.written, *self.restored))

    def run(self, group_mask: Bits, causes_by_register: Mapping[int, Causes]) -> None:
        """Replace the results of the base step by the results of the instruction.

        The causes are of the registers by id, for all lanes; they are empty if all is known.
        """
        mask = group_mask[self.lanes]
        acting = mask
        if self.guard:
            truths = self.guard.bits[self.part]
            acting = mask & (~truths if self.is_negated else truths)
        if self.cause:
            self._change_operands(self.cause, mask)
        compute(self.calls)
        if self.cause and self.cause.reading:
            self._change_results(self.cause.reading, mask)
        for register, saved in self.restored:
            np.copyto(register.bits[self.lanes], saved.bits[self.part], where=mask)
        for register, bits in self.written:
            np.copyto(register.bits[self.lanes], bits, where=acting, casting="unsafe")
        if causes_by_register:
            self._write_causes(mask, acting, causes_by_register)

    def _change_operands(self, cause: Cause, mask: Bits) -> None:
        """Write the operands of the threads that act as the cause changes them."""
        for bits, changed_bits in self.operands.values():
            np.copyto(changed_bits, bits)
        for lane in np.flatnonzero(mask).tolist() if cause.operands else ():
            assert cause.operands
            operands = {role: int(bits[lane]) for role, (bits, _) in self.operands.items()}
            documented = {role: int(bits[lane]) for role, bits in self.documented.items()}
            case = ObservedCase(Observation(operands, {}), documented)
            for role, changed in cause.operands(operands, case).items():
                if changed != operands.get(role):
                    self.operands[role][1][lane] = changed

    def _change_results(
        self, reading: Callable[[Mapping[str, int]], Mapping[str, int]], mask: Bits
    ) -> None:
        """Write the results of the threads that act as the cause changes them."""
        for lane in np.flatnonzero(mask).tolist():
            result = {role: int(bits[lane]) for role, bits in self.results.items()}
            for role, changed in reading(result).items():
                self.results[role][lane] = changed

    def _write_causes(
        self, mask: Bits, acting: Bits, causes_by_register: Mapping[int, Causes]
    ) -> None:
        for register, saved in self.restored:
            old_causes = np.uint64(0) if saved.causes is None else saved.causes[self.part]
            np.copyto(causes_by_register[id(register)][self.lanes], old_causes, where=mask)
        causes: Causes | np.uint64 = np.uint64(0)
        for x in self.sources:
            if x.causes is not None:
                causes = causes | x.causes[self.part]
        for register, _ in self.written:
            part = causes_by_register[id(register)][self.lanes]
            np.copyto(part, causes, where=acting)
            if self.guard and self.guard.causes is not None:
                np.bitwise_or(part, self.guard.causes[self.part], out=part, where=mask)


_LIMIT_INTERVAL = 16
"""Blocks of statements between two checks of the limits of steps and time."""


class ReplicaResults(NamedTuple):
    """The memory of replicas after a run."""

    space: ReplicatedSpace
    """The global memory, with an instance for each."""
    is_complete: npt.NDArray[np.bool_]
    """The replicas that came to their ends."""


class ThreadSelection(NamedTuple):
    """The threads that take part in a run."""

    blocks: Sequence[int]
    numbers: Sequence[int] | None = None
    """The threads of each block, which exchange nothing; None for all."""

    def count_lanes(self, shape: LaunchShape) -> int:
        """Return the number of lanes that a replica takes."""
        return len(self.blocks) * len(self.numbers or range(shape.padded_size))


def run_replicas(
    memory: LaunchMemory,
    changes: Sequence[StatementChange],
    selection: ThreadSelection,
    model: Model,
    max_thread_steps: int,
    end: float = inf,
) -> ReplicaResults:
    """Run some threads with each change; the changes of one statement are side by side.

    There is a replica for each change, or several if it stands for several.

    ``max_thread_steps`` is the limit of statements for each thread. Raise TimeoutError after the
    time ``end``.
    """
    shape, count = memory.shape, sum(x.replica_count for x in changes)
    wave = Wave(shape, selection.blocks, replica_count=count, numbers=selection.numbers)
    spaces = memory.make_spaces(wave)
    spaces["global"] = space = ReplicatedSpace(memory.spaces["global"], count)
    state = WaveState(memory.code, wave, spaces, memory.symbols, Fidelity(), model)
    lockstep = _ReplicaLockstep(state, memory, changes, max_thread_steps, end)
    with closing(lockstep):
        lockstep.run()
    return ReplicaResults(space, ~lockstep.has_failed)


class _ReplicaLockstep(Lockstep):
    def __init__(
        self,
        state: WaveState,
        memory: LaunchMemory,
        changes: Sequence[StatementChange],
        max_thread_steps: int,
        end: float,
    ) -> None:
        replica_count = sum(x.replica_count for x in changes)
        self.lane_changes = _group_changes(changes, state.wave.lane_count // replica_count)
        self.max_thread_steps, self.end = max_thread_steps, end
        self.lane_steps = np.zeros(state.wave.lane_count, np.int64)
        self.common_steps = 0
        """The steps of all remaining threads together; others are in ``lane_steps``."""
        self.has_failed = np.zeros(replica_count, bool)
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
        """Let threads continue at the start of a block, if any are left."""
        if group.count:
            super().send(frame, block, group)

    def make_step(self, frame: CallFrame, statement: Statement) -> Step:
        """Return the step of a statement, a different one in the replicas that change it."""
        step = self._protect(super().make_step(frame, statement))
        for changes in self.lane_changes.get(id(statement), ()):
            step = make_changed_step(frame, step, changes, self._protect)
        return step

    def make_leaving(self, frame: CallFrame, statement: Statement, next_block: int) -> Leaving:
        """Return the act of threads at the end of a block, a different one in some replicas."""
        leave = self._protect(super().make_leaving(frame, statement, next_block))
        for changes in self.lane_changes.get(id(statement), ()):
            changed = (x.change.statement for x in changes)
            parts = [
                super(_ReplicaLockstep, self).make_leaving(frame, x, next_block) for x in changed
            ]
            leave = make_choice(leave, [self._protect(x) for x in parts], changes)
        return leave

    def _protect(self, step: Step) -> Step:
        """Return a step that ends the replicas in which a thread can't continue."""

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
        """End the replicas of threads that can't continue; return all their lanes."""
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
            if monotonic() > self.end:
                raise TimeoutError
            limit = self.max_thread_steps - self.common_steps
            lanes = np.flatnonzero((self.lane_steps > limit) & self.state.live)
            if lanes.size:
                self._remove(lanes)


def _group_changes(
    changes: Sequence[StatementChange], lane_count: int
) -> Mapping[int, list[list[LaneChange]]]:
    """Return the changes with their lanes by the id of the statement that they change.

    Changes whose lanes are side by side are in one list.
    """
    groups: dict[int, list[list[LaneChange]]] = {}
    start = 0
    for change in changes:
        end = start + change.replica_count * lane_count
        for part in (change, *change.copies):
            runs = groups.setdefault(id(part.original), [])
            if not runs or runs[-1][-1].end != start:
                runs.append([])
            runs[-1].append(LaneChange(part, start, end))
        start = end
    return groups
