"""Moves of values: between registers, of special ones and addresses, between threads of a warp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ....engine.arrays.call_sequence import copy as copy_bits
from ....engine.program.statement import Statement, make_vector_move
from ....engine.program.statement_operands import (
    TYPE_BITS,
    Operand,
    PairOperand,
    RegisterOperand,
    SpecialOperand,
    SymbolOperand,
    VectorOperand,
)
from .conflicts import Mask
from .fidelity import Causes
from .launch import WARP, Words
from .memory import Bits, make_elements
from .memory_regions import SPACES, WINDOW_BITS, get_window_start
from .thread_state import (
    BoundCall,
    CallFrame,
    Step,
    StraightStep,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    choose_modifier,
    find_dtype,
    get_operands,
    require,
    unite_causes,
    write_values,
)


def _get_move_source(frame: CallFrame, source: Operand | None, type_: str) -> ThreadValues:
    """Return the value that a ``mov`` copies, unless it is a vector."""
    dtype = find_dtype(type_)
    if isinstance(source, SpecialOperand):
        special = frame.state.wave.make_special_register(source.name)
        if special is None:
            raise UnmodelledError
        if isinstance(special, int):
            return frame.state.get_constant(special, dtype)
        return ThreadValues(special.astype(dtype))
    if isinstance(source, SymbolOperand):
        return frame.state.get_constant(require(_find_address(frame, source)), dtype)
    return frame.get_source(source, type_)


def _find_address(frame: CallFrame, symbol: SymbolOperand) -> int | None:
    """Return the address of a variable in its space, or of a function; None for another name."""
    if place := frame.find_symbol(symbol.name):
        space, offset = place
        start = get_window_start(space) if space == "global" else 0
        return start + offset + symbol.offset
    names = list(frame.state.code.functions)
    return names.index(symbol.name) + 1 if symbol.name in names else None


def _make_copy(destination: ThreadValues, source: ThreadValues) -> Step:
    def copy(group: ThreadGroup) -> None:
        write_values(destination, source.bits, group, source.causes, source.unknown)

    calls: list[BoundCall] = [(copy_bits, (source.bits,), destination.bits)]
    return StraightStep(copy, calls, (source,), (destination,))


def _make_parts_move(
    frame: CallFrame, statement: Statement, *operands: tuple[Operand | None, ...]
) -> Step:
    """Return the step of ``mov.b64 d, {a, b}``, of the reverse, or of ``mov.v2.b32``."""
    destinations, sources = operands
    target_count, source_count = len(destinations), len(sources)
    names = ("",) * target_count, ("",) * source_count
    move = require(make_vector_move(".".join(statement.modifiers), *names))
    count = max(target_count, source_count)
    part_dtype = np.dtype(f"u{move.part_bits // 8}")
    source_type = f"b{move.part_bits * count // source_count}"
    values = [frame.get_source(x, source_type) for x in sources]
    registers = [frame.get_part(x) for x in destinations]

    def convert(arrays: list[Bits]) -> list[Bits]:
        """Return the elements of each destination."""
        if source_count == 1:
            columns = arrays[0].view(part_dtype).reshape(-1, count).copy()
        else:
            columns = np.empty((len(arrays[0]), count), part_dtype)
            for i, x in enumerate(arrays):
                columns[:, i] = x
        if target_count > 1:
            return [*columns.T]
        return [columns.view(f"u{part_dtype.itemsize * count}").reshape(-1)]

    def act(group: ThreadGroup) -> None:
        bits, causes = convert([x.bits for x in values]), unite_causes(values)
        unknown = None if causes is None else convert([x.list_unknown() for x in values])
        for i, register in enumerate(registers):
            if register:
                part = make_elements(bits[i], causes, None if unknown is None else unknown[i])
                write_values(register, part.bits, group, part.causes, part.unknown)

    return act


def make_move(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``mov``, of a value or of parts."""
    destination, source = operands = get_operands(statement, 2, is_exact=True)
    if any(isinstance(x, VectorOperand) for x in operands):
        parts = (x.parts if isinstance(x, VectorOperand) else (x,) for x in operands)
        return _make_parts_move(frame, statement, *parts)
    type_ = "".join(statement.modifiers[-1:])
    if TYPE_BITS.get(type_, 128) > 64:
        raise UnmodelledError
    return _make_copy(frame.get_destination(destination), _get_move_source(frame, source, type_))


def make_address_conversion(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``cvta`` on 64 bits (PTX ISA 9.7.9.20)."""
    destination, source = get_operands(statement, 2, is_exact=True)
    names = [x.partition("::")[0] for x in statement.modifiers]
    space = next((x for x in names if x in SPACES), None)
    if space is None or names[-1] != "u64":
        raise UnmodelledError
    if isinstance(source, SymbolOperand) and (place := frame.find_symbol(source.name)):
        space = place[0] if space == "param" else space
    register, values = frame.get_destination(destination), _get_move_source(frame, source, "u64")
    if space == "global":
        return _make_copy(register, values)
    start = np.uint64(get_window_start(space))
    convert = np.subtract if "to" in statement.modifiers else np.add

    def convert_address(group: ThreadGroup) -> None:
        write_values(register, convert(values.bits, start), group, values.causes)

    return convert_address


def make_space_test(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``isspacep`` (PTX ISA 9.7.9.19)."""
    destination, source = get_operands(statement, 2, is_exact=True)
    register, values = frame.get_destination(destination), frame.get_source(source, "u64")
    space = "".join(statement.modifiers[:1]).partition("::")[0]
    if space not in SPACES:
        raise UnmodelledError
    window = get_window_start(space) >> WINDOW_BITS

    def test(group: ThreadGroup) -> None:
        bits = values.bits >> np.uint64(WINDOW_BITS) == window
        write_values(register, bits, group, values.causes)

    return test


# --- exchanges between the threads of a warp (PTX ISA 9.7.9.6, 9.7.13)

_LANES = np.arange(WARP)
_LANE_BITS = np.uint32(1) << np.arange(WARP, dtype=np.uint32)


def by_warp(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an element for each lane as a row for each warp."""
    return x.reshape(-1, WARP)


def spread(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an element for each warp as one for each lane."""
    return np.repeat(x, WARP)


def _ballot(truths: Mask) -> Words:
    """Return a word for each warp, with a bit for each lane."""
    words: Words = (by_warp(truths) * _LANE_BITS).sum(axis=1, dtype=np.uint32)
    return words


def unite_by_warp(values: ThreadValues, mask: Mask) -> Causes | None:
    """Return the causes of all acting threads of a warp, for each lane."""
    if values.causes is None:
        return None
    rows = by_warp(np.where(mask, values.causes, np.uint64(0)))
    causes: Causes = spread(np.bitwise_or.reduce(rows, axis=1))
    return causes if causes.any() else None


def _find_pair(
    frame: CallFrame, operand: Operand | None
) -> tuple[ThreadValues | None, ThreadValues | None]:
    """Return the registers of ``d`` or ``d|p``."""
    if isinstance(operand, PairOperand):
        first, second = map(frame.find_register, operand.parts[:2])
        return first, second
    return frame.find_register(operand), None


def make_active_mask(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``activemask``."""
    register = frame.get_destination(*get_operands(statement, 1))

    def act(group: ThreadGroup) -> None:
        write_values(register, spread(_ballot(group.mask)), group, None)

    return act


def _find_members(frame: CallFrame, statement: Statement) -> ThreadValues:
    """Return the threads of its warp that take part, as a word for each lane."""
    members = None
    if "sync" in statement.modifiers:
        members = frame.find_source(statement.operands[-1], "b32")
    return members or frame.state.get_constant(0xFFFFFFFF, np.dtype(np.uint32))


_VOTES: dict[str, Callable[[Words, Words], npt.NDArray[Any]]] = {
    "all": lambda true, acting: true == acting,
    "any": lambda true, _: true != 0,
    "uni": lambda true, acting: (true == acting) | (true == 0),
    "ballot": lambda true, _: true,
}
"""Functions of two words: the lanes whose predicate holds, and the lanes that take part."""


def make_vote(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``vote``."""
    vote = _VOTES[choose_modifier(statement, _VOTES)]
    target, operand = get_operands(statement, 2)
    destination, source = frame.get_destination(target), frame.get_source(operand, "pred")
    members = _find_members(frame, statement)
    is_negated = isinstance(operand, RegisterOperand) and operand.is_negated

    def act(group: ThreadGroup) -> None:
        truths = (~source.bits if is_negated else source.bits) & group.mask
        true_lanes, acting_lanes = (
            np.bitwise_and(spread(_ballot(mask)), members.bits) for mask in (truths, group.mask)
        )
        result = vote(true_lanes, acting_lanes)
        write_values(destination, result, group, unite_by_warp(source, group.mask))

    return act


def make_shuffle(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``shfl`` (PTX ISA 9.7.9.6).

    A value from a thread that does not act is unknown.
    """
    mode = choose_modifier(statement, ("up", "down", "bfly", "idx"))
    target, *operands = get_operands(statement, 4)
    destination, predicate = _find_pair(frame, target)
    a, b, c = (frame.get_source(x, "b32") for x in operands)
    lane_ids = np.tile(_LANES, frame.state.wave.lane_count // WARP)
    starts = np.arange(len(lane_ids)) - lane_ids
    state = frame.state

    def act(group: ThreadGroup) -> None:
        segment = c.bits.astype(np.int64) >> 8 & 31
        distance, clamp = b.bits.astype(np.int64) & 31, c.bits.astype(np.int64) & 31
        low = lane_ids & segment
        high = low | clamp & ~segment
        if mode == "up":
            chosen = lane_ids - distance
            is_inside = chosen >= high
        else:
            chosen = {
                "down": lane_ids + distance,
                "bfly": lane_ids ^ distance,
                "idx": low | distance & ~segment,
            }[mode]
            is_inside = chosen <= high
        places = starts + np.where(is_inside, chosen, lane_ids)
        control = [x.causes for x in (b, c) if x.causes is not None]
        causes: Causes = np.zeros(len(places), np.uint64)
        for x in control:
            causes |= x
        if predicate:
            write_values(predicate, is_inside, group, causes if causes.any() else None)
        if destination:
            is_absent = ~group.mask[places]
            if (is_absent & group.mask).any():
                reason = f"{statement.name} reads a thread that does not take part"
                causes = causes | is_absent * state.fidelity.get_cause(statement, reason)
            unknown = None
            if a.unknown is not None:
                unknown = np.where(causes != 0, ~np.uint32(0), a.unknown[places])
            if a.causes is not None:
                causes = causes | a.causes[places]
            element = make_elements(a.bits[places], causes, unknown)
            write_values(destination, element.bits, group, element.causes, element.unknown)

    return act


def make_match(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``match``."""
    is_all = "all" in statement.modifiers
    type_ = choose_modifier(statement, ("b32", "b64"))
    target, operand = get_operands(statement, 2)
    destination, predicate = _find_pair(frame, target)
    source, members = frame.get_source(operand, type_), _find_members(frame, statement)

    def act(group: ThreadGroup) -> None:
        values, mask = by_warp(source.bits), by_warp(group.mask)
        equal = (values[:, :, np.newaxis] == values[:, np.newaxis, :]) & mask[:, np.newaxis, :]
        words = (equal * _LANE_BITS).sum(axis=2, dtype=np.uint32).reshape(-1) & members.bits
        causes = unite_by_warp(source, group.mask)
        if is_all:
            is_common = words == spread(_ballot(group.mask)) & members.bits
            words = np.where(is_common, words, 0)
            if predicate:
                write_values(predicate, is_common, group, causes)
        if destination:
            write_values(destination, words, group, causes)

    return act


_REDUCTIONS: dict[str, tuple[np.ufunc, int | None]] = {
    "add": (np.add, 0),
    "and": (np.bitwise_and, -1),
    "or": (np.bitwise_or, 0),
    "xor": (np.bitwise_xor, 0),
    "min": (np.minimum, None),
    "max": (np.maximum, None),
}


def make_reduction(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``redux`` on 32-bit integers."""
    name = choose_modifier(statement, _REDUCTIONS)
    type_ = choose_modifier(statement, ("b32", "u32", "s32"))
    target, operand = get_operands(statement, 2)
    destination, source = frame.get_destination(target), frame.get_source(operand, type_)
    function, neutral = _REDUCTIONS[name]
    members = _find_members(frame, statement)
    dtype = np.dtype(np.int32 if type_ == "s32" else np.uint32)
    if neutral is None:
        limits = np.iinfo(dtype)
        neutral = int(limits.max if name == "min" else limits.min)
    start = np.array(neutral & 0xFFFFFFFF, np.uint32).view(dtype)

    def act(group: ThreadGroup) -> None:
        causes = unite_by_warp(source, group.mask)
        for word in np.unique(members.bits[group.lanes]):  # usually one
            mask = group.mask & (members.bits == word)
            values = np.where(mask, source.bits.view(dtype), start)
            words: Bits = function.reduce(by_warp(values), axis=1, dtype=dtype).view(np.uint32)
            part = group.narrow(mask)
            assert part
            write_values(destination, spread(words), part, causes)

    return act


def make_election(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``elect.sync``: the thread with the lowest number is elected."""
    destination, predicate = _find_pair(frame, *get_operands(statement, 1))
    lane_ids = np.tile(_LANES, frame.state.wave.lane_count // WARP)
    members = _find_members(frame, statement)

    def act(group: ThreadGroup) -> None:
        acting = (spread(_ballot(group.mask)) & members.bits).astype(np.int64)
        leaders = np.bitwise_count((acting & -acting) - 1)
        if destination:
            write_values(destination, leaders, group, None)
        if predicate:
            write_values(predicate, leaders == lane_ids, group, None)

    return act
