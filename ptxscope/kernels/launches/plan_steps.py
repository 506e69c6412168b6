"""Instructions of the catalog over all threads: form, plan, array program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from ...engine.arrays.array_program import RunBuffers
from ...engine.arrays.block_runner import bind_plan
from ...engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ...engine.program.statement import Statement
from ...engine.semantics.plan import Plan
from ...engine.tracing.evaluation import make_plan
from .memory import fill_unknown
from .thread_state import (
    Bits,
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    unite_causes,
    write_values,
)

_FIRST_SCRATCH = 8
"""The index of the first array that computes unknown bits."""


def make_plan_step(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of an instruction of the catalog; None if a register does not suit it."""
    ins = statement.instruction
    assert ins
    rules = frame.state.model.make_rules(ins.form)
    if not rules.old_converted:  # without E14, the lanes of a group are what a guard decides
        ins = replace(ins, guard=None)
    plan = make_plan(ins, rules)
    sources = dict[str, ThreadValues]()
    for source in plan.sources:
        dtype = get_storage_dtype(source.type)
        if source.role in ins.constants:
            values = frame.state.get_constant(ins.constants[source.role], dtype)
        else:
            values = frame.get_register(ins.names[source.role])
        if values.bits.dtype != dtype:
            return None
        sources[source.role] = values
    destinations = {role: frame.get_register(name) for role, name in ins.results.items()}
    for result in plan.results:
        destination = destinations.get(result.role)
        if destination and destination.bits.dtype != get_storage_dtype(result.type):
            return None
    find_unknown = None
    if len(plan.results) == 1 and not ins.form.sat:
        data = [x for x in ins.entry.data_roles if x in sources]
        find_unknown = _bind_unknown(frame, plan, sources, data) if data else None
    return _bind(frame, plan, sources, destinations, find_unknown)


def _bind_unknown(
    frame: CallFrame, plan: Plan, sources: Mapping[str, ThreadValues], data: Sequence[str]
) -> Callable[[], Bits]:
    """Return a function that finds the unknown bits of a result.

    They are those that change if the unknown bits of some operands become 0 or 1, since each bit of
    the result depends on at most one bit of each of them. An unknown bit of another operand makes
    all bits unknown.
    """
    state = frame.state
    varied = {
        role: ThreadValues(state.get_scratch(sources[role].bits.dtype, _FIRST_SCRATCH + i))
        for i, role in enumerate(data)
    }
    dtype = get_storage_dtype(plan.results[0].type)
    result = state.get_scratch(dtype, _FIRST_SCRATCH + len(data))

    @cache
    def bind() -> Callable[[], None]:
        results = {plan.results[0].role: result}
        return _bind_program(frame, plan, {**sources, **varied}, results)

    def find_unknown() -> Bits:
        compute, choices = bind(), list[tuple[Bits, Bits, Bits]]()
        for role, values in varied.items():
            source = sources[role]
            np.copyto(values.bits, source.bits)
            if source.causes is not None:
                unknown = source.list_unknown()
                choices.append((values.bits, source.bits & ~unknown, source.bits | unknown))
        first: Bits | None = None
        changed = np.zeros(len(result), dtype)
        for picks in product((1, 2), repeat=len(choices)):
            for choice, pick in zip(choices, picks, strict=True):
                np.copyto(choice[0], choice[pick])
            compute()
            first = result.copy() if first is None else first
            changed |= first ^ result
        others = unite_causes(x for role, x in sources.items() if role not in varied)
        return changed | fill_unknown(others, len(changed), dtype)

    return find_unknown


def _bind(
    frame: CallFrame,
    plan: Plan,
    sources: dict[str, ThreadValues],
    destinations: dict[str, ThreadValues],
    find_unknown: Callable[[], Bits] | None,
) -> Step:
    results = {
        x.role: frame.state.get_scratch(get_storage_dtype(x.type), index)
        for index, x in enumerate(plan.results)
    }
    compute = _bind_program(frame, plan, sources, results)
    inputs = tuple(sources.values())
    written = [(destinations[role], results[role]) for role in results if role in destinations]
    overlaps = any(x is y for x in destinations.values() for y in inputs)
    compute_in_place = None
    if not overlaps and len(set(map(id, destinations.values()))) == len(results):
        places = {role: x.bits for role, x in destinations.items()}
        compute_in_place = _bind_program(frame, plan, sources, places)

    def run_step(group: ThreadGroup) -> None:
        causes, unknown = unite_causes(inputs), None
        if causes is not None and find_unknown:
            unknown = find_unknown()
            causes = np.where(unknown != 0, causes, np.uint64(0))
            causes = causes if causes.any() else None
        if compute_in_place and group.has_all:
            compute_in_place()
            for destination, _ in written:
                destination.set_causes(causes, unknown)
            return
        compute()
        for destination, result in written:
            write_values(destination, result, group, causes, unknown)

    return run_step


def _bind_program(
    frame: CallFrame, plan: Plan, sources: Mapping[str, ThreadValues], results: Mapping[str, Bits]
) -> Callable[[], None]:
    """Return a function that computes all lanes."""
    count = frame.state.wave.lane_count
    arrays = {Buffer(BufferKind.OPERAND, role): x.bits for role, x in sources.items()}
    arrays |= {Buffer(BufferKind.RESULT, role): x for role, x in results.items()}
    return bind_plan(plan, RunBuffers(count, count, arrays, {}), frame.state.scratch_memory)
