"""Statements that are another one in some replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...diagnosis.causes import Cause, ObservedCase
from ...diagnosis.observation import Observation
from ...engine.arrays.array_program import RunBuffers
from ...engine.arrays.block_runner import bind_plan
from ...engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ...engine.program.statement import Statement
from .fidelity import Causes
from .instruction_changes import StatementChange
from .memory import fill_unknown
from .statement_steps import make_step
from .thread_state import Bits, CallFrame, Step, ThreadGroup, ThreadValues


class LaneChange(NamedTuple):
    """A change, and the lanes of its replica."""

    change: StatementChange
    start: int
    end: int


def make_changed_step(
    frame: CallFrame,
    statement: Statement,
    changes: Sequence[LaneChange],
    protect: Callable[[Step], Step],
) -> Step:
    """Return a step that does what each replica has in a statement's place.

    ``changes`` are in the order of their lanes, which are side by side. ``protect`` makes a step
    end replicas that can't go on.
    """
    base = protect(make_step(frame, statement))
    if changes[0].change.plan is not None:
        return _SlicedStep(frame, base, changes).run
    steps = [protect(make_step(frame, x.change.statement)) for x in changes]
    return make_choice(base, steps, changes)


def make_choice(base: Step, steps: Sequence[Step], changes: Sequence[LaneChange]) -> Step:
    """Return a step that is another one in the lanes of each change."""
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
    """An instruction of the catalog that is another one in some lanes.

    The base step runs in all lanes; then each changed instruction computes its lanes again from
    what the registers were before.
    """

    def __init__(self, frame: CallFrame, base: Step, changes: Sequence[LaneChange]) -> None:
        self.base = base
        self.start, self.end = changes[0].start, changes[-1].end
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
        written = [x for part in self.parts for x in part.iter_registers()]
        self.written = list({id(x): x for x in written}.values())

    def run(self, group: ThreadGroup) -> None:
        """Execute the statement."""
        lanes = slice(self.start, self.end)
        active = np.flatnonzero(group.mask[lanes].reshape(len(self.parts), -1).any(axis=1))
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
            if unknown is not None:  # what was computed again is unknown as a whole
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
            else:
                values = saved[ins.names[source.role]]
                self.sources.append(values)
                bits = values.bits[self.part]
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
        self.compute = bind_plan(plan, RunBuffers(count, count, arrays, {}), memory)
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
        """Write what the instruction gives, rather than what the base step gave.

        The causes are of the registers by id, for all lanes; they are empty if all is known.
        """
        mask = group_mask[self.lanes]
        acting = mask
        if self.guard:
            truths = self.guard.bits[self.part]
            acting = mask & (~truths if self.is_negated else truths)
        if self.cause:
            self._change_operands(self.cause, mask)
        self.compute()
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
