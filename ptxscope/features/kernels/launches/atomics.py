"""Atomic operations (PTX ISA 9.7.13.5, 9.7.13.7): ``atom`` and ``red`` on integers, sums of floats.

The threads of a group act in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.program.statement_operands import Operand, RegisterOperand
from ....engine.syntax.opcodes import ADDRESS_PLACES
from .conflicts import ThreadScope
from .fidelity import Causes
from .float_arithmetic import find_float_type
from .float_operations import FloatOperation
from .memory import Bits, Elements, make_elements
from .memory_regions import AccessError
from .memory_steps import (
    SHARED_SPACES,
    Address,
    Target,
    gather_lane_causes,
    parse_memory_form,
)
from .register_names import iter_read_names
from .thread_state import (
    CallFrame,
    Step,
    ThreadGroup,
    UnmodelledError,
    get_operands,
    write_lanes,
)


def _increment(old: Bits, limit: Bits) -> Bits:
    bits: Bits = np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))
    return bits


def _decrement(old: Bits, limit: Bits) -> Bits:
    one = old.dtype.type(1)
    bits: Bits = np.where((old == 0) | (old > limit), limit, old - one)
    return bits


def _exchange(_: Bits, new: Bits) -> Bits:
    return new


_OPERATIONS: dict[str, Callable[[Bits, Bits], Bits]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "inc": _increment,
    "dec": _decrement,
    "exch": _exchange,
}
_FLOAT_ADDITIONS = frozenset(("f32", "f64", "f16", "f16x2", "bf16", "bf16x2"))
"""The types of floats of which ``add`` is modelled, rounded to nearest."""
_ORDERED = frozenset(("cas", "exch"))
"""The operations after which memory depends on the order of threads."""
_ANY_TYPE = frozenset(("exch", "cas"))


def make_atomic(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``atom`` or ``red``.

    An operation that is not modelled, as on floats, makes its place and its result unknown.
    """
    form = parse_memory_form(statement)
    if form.element_count > 1 or "async" in statement.modifiers:
        raise UnmodelledError
    name = next((x for x in statement.modifiers if x in _OPERATIONS or x == "cas"), "")
    count, place = 2 if name == "cas" else 1, ADDRESS_PLACES[statement.opcode]
    operands = get_operands(statement, place + 1 + count)
    first = operands[0] if place else None
    destination = frame.get_part(first) if place else None
    address = Address(frame, operands[place], form)
    values = [frame.get_source(x, form.type) for x in operands[place + 1 :]]
    state, act_count = frame.state, 0
    unknown = np.uint64(0)
    adds_floats = name == "add" and form.type in _FLOAT_ADDITIONS
    if adds_floats and ("f16" in form.type) != ("noftz" in statement.modifiers):
        raise UnmodelledError  # PTX ISA: .noftz is required for halves, and for nothing else
    is_integer = form.type[0] in "us" or form.type in ("b32", "b64")
    if not name or not (name in _ANY_TYPE or is_integer or adds_floats):
        unknown = state.fidelity.get_cause(statement, statement.explain_omission())
    integer_operation = _OPERATIONS.get(name, _exchange)
    is_ordered = name in _ORDERED or adds_floats or _is_read(frame.function, first)
    finds_conflicts = state.accessors.finds_conflicts
    scope = ThreadScope.BLOCK if "cta" in statement.modifiers else ThreadScope.GRID
    kind = "i" if form.type.startswith("s") else "u"
    number_type = np.dtype(f"{kind}{form.width}")

    def act(group: ThreadGroup) -> None:
        nonlocal act_count
        act_count += group.count
        if is_ordered and act_count > 1:
            state.fidelity.ordered_statements.setdefault(id(statement), statement)
        address_causes = address.find_causes(group)
        if address_causes is not None:
            count = int(np.count_nonzero(address_causes))
            state.fidelity.note_decision(statement, "the address of an atomic operation", count)
            if destination:
                old_bits = destination.bits[group.lanes]
                write_lanes(destination, Elements(old_bits, address_causes), group)
            known_group = address.find_known(group)
            if known_group is None:
                return
            group = known_group
        lanes = group.lanes
        bits = [x.bits[lanes].astype(f"u{form.width}").view(number_type) for x in values]
        causes = gather_lane_causes(values, lanes)
        if unknown:
            causes = np.full(len(lanes), unknown) if causes is None else causes | unknown
        old_bits = np.zeros(len(lanes), f"u{form.width}")
        old_causes = np.zeros(len(lanes), np.uint64)
        try:
            targets = list(address.iter_targets(lanes))
            for target in targets:  # before the first of them changes
                target.space.check(target.access, writes=True)
                if finds_conflicts and target.space.name in SHARED_SPACES:
                    conflict = target.space.check_update(
                        target.access, target.instances, state.accessors
                    )
                    state.note_conflict(statement, conflict)
            state.begin_epoch(group.mask, scope)  # threads may communicate by it, as by a fence
            for target in targets:
                part = [x[target.positions] for x in bits]
                part_causes = None if causes is None else causes[target.positions]
                operate = integer_operation
                if adds_floats:
                    operate = _make_float_addition(form.type, target.space.name)
                old, target_causes = _apply(target, part, part_causes, operate)
                target.space.note_line(target.access, target.instances, statement.line)
                if finds_conflicts and target.space.name in SHARED_SPACES:
                    target.space.note_update(
                        target.access, target.instances, state.accessors, statement.line
                    )
                old_bits[target.positions] = old.view(old_bits.dtype)
                old_causes[target.positions] = target_causes
        except AccessError as error:
            state.fail(statement, error.lanes, f"updates {error}")
        if destination:
            final_causes = old_causes | unknown
            result = old_bits.astype(destination.bits.dtype, copy=False)
            write_lanes(destination, make_elements(result, final_causes), group)

    return act


def _make_float_addition(type_: str, space: str) -> Callable[[Bits, Bits], Bits]:
    """Return the sum of floats as ``atom.add`` rounds it; f32 in global memory is flushed."""
    float_type = find_float_type(type_)
    flags = frozenset(("ftz",)) if (type_, space) == ("f32", "global") else frozenset()
    operation = FloatOperation("add", type_, flags)

    def add(old: Bits, new: Bits) -> Bits:
        words = [np.ascontiguousarray(x).view(float_type.bits) for x in (old, new)]
        return float_type.compute(operation, words).view(old.dtype)

    return add


def _is_read(function: Program, destination: Operand | None) -> bool:
    """Whether a statement of a function reads the result; nvcc gives each ``atomicAdd`` one."""
    return isinstance(destination, RegisterOperand) and any(
        destination.name in iter_read_names(statement) for statement in function.statements
    )


def _apply(
    target: Target,
    values: list[Bits],
    causes: Causes | None,
    operation: Callable[[Bits, Bits], Bits],
) -> tuple[Bits, Causes]:
    """Update the places one thread after the other; return the old values and their causes.

    Threads are taken together as long as their places differ.
    """
    space, access = target.space, target.access
    rounds = _list_rounds(space.find_indices(access, target.instances, writes=True))
    if isinstance(operation, np.ufunc) and len(values) == 1 and len(rounds) > len(rounds[0]):
        return _accumulate(target, values[0], causes, operation)
    count = len(access.lanes)
    dtype = values[0].dtype
    old_bits: Bits = np.zeros(count, dtype)
    old_causes = np.zeros(count, np.uint64)
    instances = target.instances
    for positions in rounds:
        part = access._replace(lanes=access.lanes[positions], offsets=access.offsets[positions])
        ((loaded, loaded_causes, _),) = space.load(part, instances)
        old = loaded.view(dtype)
        if len(values) == 2:
            new = np.where(old == values[0][positions], values[1][positions], old)
        else:
            new = operation(old, values[0][positions])
        new_causes = loaded_causes
        if causes is not None:
            part_causes = causes[positions]
            new_causes = part_causes if new_causes is None else new_causes | part_causes
        space.store(part, instances, [make_elements(new.view(loaded.dtype), new_causes)], None)
        old_bits[positions] = old
        if loaded_causes is not None:
            old_causes[positions] = loaded_causes
    return old_bits, old_causes


def _accumulate(
    target: Target, values: Bits, causes: Causes | None, operation: np.ufunc
) -> tuple[Bits, Causes]:
    """Update a few places, each with the values of many threads."""
    space, access, instances = target.space, target.access, target.instances
    old_bits: Bits = np.zeros(len(values), values.dtype)
    old_causes = np.zeros(len(values), np.uint64)
    index = space.find_indices(access, instances)
    for place in np.unique(index):
        positions = np.flatnonzero(index == place)
        part = access._replace(
            lanes=access.lanes[positions[:1]], offsets=access.offsets[positions[:1]]
        )
        ((loaded, loaded_causes, _),) = space.load(part, instances)
        terms = np.concatenate((loaded.view(values.dtype), values[positions]))
        sums: Bits = operation.accumulate(terms, dtype=values.dtype)
        term_causes = np.zeros(len(terms), np.uint64)
        if loaded_causes is not None:
            term_causes[0] = loaded_causes[0]
        if causes is not None:
            term_causes[1:] = causes[positions]
        sum_causes = np.bitwise_or.accumulate(term_causes)
        last = make_elements(sums[-1:].view(loaded.dtype), sum_causes[-1:])
        space.store(part, instances, [last], None)
        old_bits[positions], old_causes[positions] = sums[:-1], sum_causes[:-1]
    return old_bits, old_causes


def _list_rounds(index: np.ndarray) -> list[np.ndarray]:
    """Return the positions in rounds; the places of each round differ, earlier positions first."""
    if len(index) == 1:
        return [np.zeros(1, np.int64)]
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    is_first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    if is_first.all():
        return [np.arange(len(index))]
    starts = np.flatnonzero(is_first)
    ranks = np.arange(len(index)) - np.repeat(starts, np.diff([*starts, len(index)]))
    rounds = np.empty(len(index), np.int64)
    rounds[order] = ranks
    by_round = np.argsort(rounds, kind="stable")
    ends = np.cumsum(np.bincount(rounds))
    return np.split(by_round, ends[:-1])
