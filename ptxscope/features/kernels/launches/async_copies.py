"""Copies from global to shared memory that threads wait for later (PTX ISA 9.7.9.25, ``cp.async``).

A copy reads its source at once. Its bytes in shared memory are unknown until the thread has waited
for the copy: they may be the old ones or the new ones. If anything else writes them meanwhile, they
stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import ConstantOperand, Operand
from .memory import Elements, join_bytes
from .memory_regions import AccessError, Numbers
from .memory_steps import Address, MemoryForm, Target
from .pending_copies import PendingCopy
from .thread_state import (
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    WaveState,
    get_operands,
)

_SIZES = {"ca": (4, 8, 16), "cg": (16,)}
"""The bytes that a copy may have, by its cache operator."""
_WORD = 4


def make_async_copy(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``cp.async``; raise UnmodelledError for bulk copies and mbarriers."""
    kind = statement.modifiers[1:2]
    if statement.modifiers[:1] != ("async",):
        raise UnmodelledError
    if kind == ("commit_group",):
        return _make_commit(frame.state)
    if kind in (("wait_all",), ("wait_group",)):
        return _make_wait(frame.state, statement)
    return _make_copy(frame, statement)


def _make_commit(state: WaveState) -> Step:
    def commit(group: ThreadGroup) -> None:
        state.copies.groups[group.lanes] += 1

    return commit


def _make_wait(state: WaveState, statement: Statement) -> Step:
    open_count = None
    if "wait_group" in statement.modifiers:
        (count,) = get_operands(statement, 1, is_exact=True)
        open_count = _get_constant(count)

    def wait(group: ThreadGroup) -> None:
        groups = state.copies.groups
        limits = groups + 1 if open_count is None else groups - open_count
        state.copies.complete(group.mask, limits)

    return wait


def _get_constant(operand: Operand | None) -> int:
    if not isinstance(operand, ConstantOperand):
        raise UnmodelledError
    return int(operand.value)


def _make_copy(frame: CallFrame, statement: Statement) -> Step:
    cache = next((x for x in statement.modifiers if x in _SIZES), "")
    spaces = [x.partition("::")[0] for x in statement.modifiers if "::cluster" not in x]
    has_policy = any("cache_hint" in x for x in statement.modifiers)
    if not cache or not {"shared", "global"} <= {*spaces} or has_policy:
        raise UnmodelledError
    target, source, size_operand, *rest = get_operands(statement, len(statement.operands))
    size = _get_constant(size_operand)
    if size not in _SIZES[cache] or len(rest) > 1:
        raise UnmodelledError
    destination = Address(frame, target, MemoryForm("shared", "b32", size // _WORD))
    source_address = Address(frame, source, MemoryForm("global", "b8", size))
    length = frame.get_source(rest[0], "u32") if rest else None
    state = frame.state
    cause = state.fidelity.get_cause(statement, "the thread has not waited for the copy here")

    def copy(group: ThreadGroup) -> None:
        for address, of in ((source_address, "source"), (destination, "destination")):
            if address.find_causes(group) is not None:
                effect = f"the {of} of a copy"
                state.fidelity.note_decision(statement, effect, group.count)
                return
        if length is not None and length.causes is not None and length.causes[group.lanes].any():
            state.fidelity.note_decision(statement, "the bytes of a copy", group.count)
            return
        lanes = group.lanes
        counts = _count_bytes(length, lanes, size)
        if (counts > size).any():
            state.fail(statement, lanes[counts > size], f"copies more than {size} bytes")
        try:
            words = _read_words(source_address, statement, lanes, counts)
        except AccessError as error:
            state.fail(statement, error.lanes, f"reads {error}")
        _begin_copy(state, statement, destination, lanes, words, cause)

    return copy


def _count_bytes(length: ThreadValues | None, lanes: Numbers, size: int) -> Numbers:
    """Return the bytes that each thread reads: none if it ignores the source."""
    if length is None:
        return np.full(len(lanes), size)
    values = length.bits[lanes]
    if values.dtype == bool:
        return np.where(values, 0, size)
    return values.astype(np.int64)


def _read_words(
    address: Address, statement: Statement, lanes: Numbers, counts: Numbers
) -> list[Elements]:
    """Return the words of each thread: the bytes that it reads, then zeros."""
    size, state = address.form.element_count, address.state
    data = np.zeros((len(lanes), size), np.uint8)
    causes = np.zeros((len(lanes), size), np.uint64)
    for count in np.unique(counts[counts > 0]).tolist():
        positions = np.flatnonzero(counts == count)
        for target in address.iter_targets(lanes[positions]):
            rows = positions[target.positions]
            for byte, x in enumerate(_iter_bytes(target, count)):
                data[rows, byte] = x.bits
                if x.causes is not None:
                    causes[rows, byte] = x.causes
            if state.accessors.finds_conflicts and count == size:
                conflict = target.space.note_reads(
                    target.access, target.instances, state.accessors, statement.line
                )
                state.note_conflict(statement, conflict)
    return [
        join_bytes(
            np.ascontiguousarray(data[:, i : i + _WORD]).view(np.uint32)[:, 0],
            causes[:, i : i + _WORD],
        )
        for i in range(0, size, _WORD)
    ]


def _iter_bytes(target: Target, count: int) -> Iterator[Elements]:
    """Yield each of the first bytes of some threads' places; all bytes have to be aligned."""
    access = target.access
    if count == access.element_count:
        yield from target.space.load(access, target.instances)
        return
    for byte in range(count):
        part = access._replace(offsets=access.offsets + byte, element_count=1)
        yield from target.space.load(part, target.instances)


def _begin_copy(
    state: WaveState,
    statement: Statement,
    destination: Address,
    lanes: Numbers,
    words: list[Elements],
    cause: np.uint64,
) -> None:
    """Make the destination unknown, and keep the words until the threads wait."""
    pending = [Elements(x.bits, np.full(len(lanes), cause)) for x in words]
    try:
        for target in destination.iter_targets(lanes):
            conflict = target.space.store(
                target.access,
                target.instances,
                [x.select(target.positions) for x in pending],
                state.accessors,
            )
            state.note_conflict(statement, conflict)
            target.space.note_line(target.access, target.instances, statement.line)
            state.copies.copies.append(
                PendingCopy(
                    target.space,
                    target.access,
                    target.instances,
                    [x.select(target.positions) for x in words],
                    state.copies.groups[lanes][target.positions],
                    cause,
                )
            )
    except AccessError as error:
        state.fail(statement, error.lanes, f"writes {error}")
