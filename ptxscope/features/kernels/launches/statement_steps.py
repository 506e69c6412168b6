"""The step of each statement: one of memory, a move, an exchange, or an instruction's plan."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from ....engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ....engine.program.statement import Statement
from ....engine.program.statement_operands import MemoryOperand
from ....engine.semantics.plan import Plan
from ....engine.syntax.opcodes import ATOMICS, BARRIERS, FENCES, LOADS, STORES, WAITS
from ....engine.tracing.evaluation import make_plan
from .async_copies import make_async_copy
from .atomics import make_atomic
from .conflicts import ThreadScope
from .float_steps import make_float_conversion, make_float_step
from .matrix_steps import make_matrix_load, make_product
from .memory import Bits, fill_unknown
from .memory_steps import make_load, make_store
from .model_comparison import with_comparison
from .move_steps import (
    make_active_mask,
    make_address_conversion,
    make_election,
    make_match,
    make_move,
    make_reduction,
    make_shuffle,
    make_space_test,
    make_vote,
)
from .plan_binding import bind_plan, compute, find_sources, may_overlap
from .register_names import iter_written_names
from .thread_state import (
    BoundCall,
    CallFrame,
    Step,
    StraightStep,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    require,
    unite_causes,
    write_causes,
    write_values,
)

_MEMORY_WRITERS = STORES | ATOMICS | {"mbarrier"}
"""Opcodes that write memory even if they have a result."""
_FIRST_SCRATCH = 8
"""The index of the first array that computes unknown bits."""

Maker = Callable[[CallFrame, Statement], Step]
"""Returns the step of a statement. Raises UnmodelledError for one of a kind without any."""


def _do_nothing(_: ThreadGroup) -> None:
    pass


def _make_nothing(_: CallFrame, __: Statement) -> Step:
    return _do_nothing


def _make_fence(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of a fence: later accesses of a thread conflict with none before it.

    ``bar.warp.sync`` orders the threads of a warp, and a fence of ``.cta`` those of a block.
    """
    scope = ThreadScope.GRID
    if "warp" in statement.modifiers:
        scope = ThreadScope.WARP
    elif "cta" in statement.modifiers:
        scope = ThreadScope.BLOCK
    return lambda group: frame.state.begin_epoch(group.mask, scope)


_MAKERS: dict[str, Maker] = {  # the lowerings of statements without a plan
    "activemask": make_active_mask,
    **dict.fromkeys(ATOMICS, make_atomic),
    **dict.fromkeys(BARRIERS | FENCES, _make_fence),
    "cp": make_async_copy,
    "cvta": make_address_conversion,
    "elect": make_election,
    "isspacep": make_space_test,
    **dict.fromkeys(LOADS, make_load),
    "ldmatrix": make_matrix_load,
    "match": make_match,
    "mma": make_product,
    "mov": make_move,
    "redux": make_reduction,
    "shfl": make_shuffle,
    **dict.fromkeys(STORES, make_store),
    "vote": make_vote,
    "cvt": make_float_conversion,
    **dict.fromkeys(
        (
            "abs",
            "add",
            "copysign",
            "div",
            "fma",
            "mad",
            "max",
            "min",
            "mul",
            "neg",
            "rcp",
            "sqrt",
            "sub",
        ),
        make_float_step,
    ),
    # in lock-step, each statement is complete before the next begins
    **dict.fromkeys(WAITS, _make_nothing),
}


def make_step(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of a statement that stays in its block, with its guard."""
    step = _make_unguarded_step(frame, statement)
    if statement.guard and not _is_guard_in_plan(frame, statement):
        step = _with_guard(frame, statement, step)
    if frame.state.has_comparison:
        step = with_comparison(frame, statement, step)
    return with_observer(frame, statement, step)


def _make_unguarded_step(frame: CallFrame, statement: Statement) -> Step:
    for make in (_MAKERS.get(statement.opcode), _make_plan_step):
        with suppress(UnmodelledError):
            return require(make)(frame, statement)
    return _make_unmodelled(frame, statement)


def with_observer(
    frame: CallFrame, statement: Statement, step: Step, *, is_leaving: bool = False
) -> Step:
    """Return a step that informs the observer of the wave, if there is one.

    A step that leaves its block ends before the threads are elsewhere.
    """
    observer = frame.state.observer
    if observer is None:
        return step

    def act(group: ThreadGroup) -> None:
        observer.begin(statement, frame, group)
        if is_leaving:
            observer.end(statement, frame, group)
        step(group)
        if not is_leaving:
            observer.end(statement, frame, group)

    return act


def _is_guard_in_plan(frame: CallFrame, statement: Statement) -> bool:
    """Whether an instruction reads its guard itself, because it writes without it (E14)."""
    ins = statement.instruction
    return ins is not None and frame.state.model.make_rules(ins.form).old_converted


def find_results(frame: CallFrame, statement: Statement) -> list[ThreadValues]:
    """Return the registers that a statement writes."""
    return [frame.get_register(name) for name in iter_written_names(statement)]


def _make_unmodelled(frame: CallFrame, statement: Statement) -> Step:
    state = frame.state
    results = find_results(frame, statement)
    reason = statement.explain_omission()
    cause = state.fidelity.get_cause(statement, reason)
    causes = np.full(state.wave.lane_count, cause)
    may_write = _may_write_memory(statement)

    def forget(group: ThreadGroup) -> None:
        for register in results:
            write_causes(register, group, causes)
        if may_write:
            effect = "what it writes to memory"
            state.fidelity.note_decision(statement, effect, group.count, reason)

    return forget


def _may_write_memory(statement: Statement) -> bool:
    """Whether a statement may write memory: its first operand is an address, or can't be read.

    Textures, matrices and copies have operands that are not read: ``[t, {x, y}]``.
    """
    if statement.opcode in _MEMORY_WRITERS:
        return True
    is_place = [x is None or isinstance(x, MemoryOperand) for x in statement.operands[:1]]
    return any(is_place)


def _with_guard(frame: CallFrame, statement: Statement, step: Step) -> Step:
    """Return the step of the threads whose guard holds."""
    assert statement.guard
    guard, is_negated = frame.get_register(statement.guard.name), statement.guard.negated
    results = find_results(frame, statement)
    state = frame.state

    def act(group: ThreadGroup) -> None:
        doubtful: ThreadGroup | None = None
        if guard.causes is not None:
            doubtful = group.narrow(guard.causes != 0)
        part = group.choose(guard.bits, is_negated=is_negated)
        if part:
            step(part)
        if doubtful:
            for register in results:
                causes = unite_causes((register, guard))
                write_causes(register, doubtful, causes)
            if _may_write_memory(statement):
                state.fidelity.note_decision(statement, "whether it acts", doubtful.count)

    return act


# --- instructions of the catalog over all threads: form, plan, array program --------------


def _make_plan_step(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of an instruction of the catalog, if its registers suit it."""
    ins = require(statement.instruction)
    rules = frame.state.model.make_rules(ins.form)
    if not rules.old_converted:  # without E14, a guard decides the lanes of a group
        ins = replace(ins, guard=None)
    plan = make_plan(ins, rules)
    sources = find_sources(frame, ins, plan)
    if sources is None:
        raise UnmodelledError
    destinations = {role: frame.get_register(name) for role, name in ins.results.items()}
    for result in plan.results:
        destination = destinations.get(result.role)
        if destination and destination.bits.dtype != get_storage_dtype(result.type):
            raise UnmodelledError
    find_unknown = None
    if len(plan.results) == 1 and not ins.form.sat:
        data = [x for x in ins.entry.data_roles if x in sources]
        find_unknown = _bind_unknown(frame, plan, sources, data) if data else None
    return _bind(frame, plan, sources, destinations, find_unknown, ins.constants)


def _bind_unknown(
    frame: CallFrame, plan: Plan, sources: Mapping[str, ThreadValues], data: Sequence[str]
) -> Callable[[], Bits]:
    """Return a function that finds the unknown bits of a result.

    They are the bits that change if the unknown bits of some operands become 0 or 1, since each bit
    of the result depends on at most one bit of each of them. An unknown bit of another operand
    makes all bits unknown.
    """
    state = frame.state
    varied = {
        role: ThreadValues(state.get_scratch(sources[role].bits.dtype, _FIRST_SCRATCH + i))
        for i, role in enumerate(data)
    }
    dtype = get_storage_dtype(plan.results[0].type)
    result = state.get_scratch(dtype, _FIRST_SCRATCH + len(data))

    @cache
    def bind() -> list[BoundCall]:
        arrays = _list_arrays({**sources, **varied}, {plan.results[0].role: result})
        return bind_plan(plan, arrays, state.scratch_memory)

    def find_unknown() -> Bits:
        calls, choices = bind(), list[tuple[Bits, Bits, Bits]]()
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
            compute(calls)
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
    constants: Container[str],
) -> Step:
    memory = frame.state.scratch_memory
    results = {
        result.role: frame.state.get_scratch(get_storage_dtype(result.type), index)
        for index, result in enumerate(plan.results)
    }
    calls = bind_plan(plan, _list_arrays(sources, results), memory, constants)
    inputs = tuple(sources.values())
    written = [(destinations[role], results[role]) for role in results if role in destinations]
    calls_in_place = list[BoundCall]()
    if len(set(map(id, destinations.values()))) == len(results):
        arrays = _list_arrays(sources, {role: x.bits for role, x in destinations.items()})
        if may_overlap(plan, arrays):
            calls_in_place = bind_plan(plan, arrays, memory, constants)

    def run_step(group: ThreadGroup) -> None:
        causes, unknown = unite_causes(inputs), None
        if causes is not None and not causes.any(where=group.mask):
            causes = None  # only of other threads, as of those that have ended
        if causes is not None and find_unknown:
            unknown = find_unknown()
            causes = np.where(unknown != 0, causes, np.uint64(0))
            causes = causes if causes.any() else None
        if calls_in_place and group.has_all:
            compute(calls_in_place)
            for destination, _ in written:
                destination.set_causes(causes, unknown)
            return
        compute(calls)
        for destination, result in written:
            write_values(destination, result, group, causes, unknown)

    return StraightStep(run_step, calls_in_place, inputs, [x for x, _ in written])


def _list_arrays(
    sources: Mapping[str, ThreadValues], results: Mapping[str, Bits]
) -> dict[Buffer, Bits]:
    arrays = {Buffer(BufferKind.OPERAND, role): x.bits for role, x in sources.items()}
    return arrays | {Buffer(BufferKind.RESULT, role): x for role, x in results.items()}
