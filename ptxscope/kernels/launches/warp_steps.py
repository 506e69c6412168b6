"""Instructions by which the threads of a warp exchange values (PTX ISA 9.7.9.6, 9.7.13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.program.statement import Statement
from ...engine.program.statement_operands import Operand, PairOperand, RegisterOperand
from .conflicts import Mask
from .fidelity import Causes
from .launch import WARP, Words
from .memory import Bits, make_elements
from .thread_state import (
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    choose_modifier,
    get_operands,
    write_values,
)

_LANES = np.arange(WARP)
_LANE_BITS = np.uint32(1) << np.arange(WARP, dtype=np.uint32)


def _by_warp(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an element for each lane as a row for each warp."""
    return x.reshape(-1, WARP)


def _spread(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an element for each warp as one for each lane."""
    return np.repeat(x, WARP)


def _ballot(truths: Mask) -> Words:
    """Return a word for each warp, with a bit for each lane."""
    words: Words = (_by_warp(truths) * _LANE_BITS).sum(axis=1, dtype=np.uint32)
    return words


def _unite_by_warp(values: ThreadValues, mask: Mask) -> Causes | None:
    """Return the causes of all acting threads of a warp, for each lane."""
    if values.causes is None:
        return None
    rows = _by_warp(np.where(mask, values.causes, np.uint64(0)))
    causes: Causes = _spread(np.bitwise_or.reduce(rows, axis=1))
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
        write_values(register, _spread(_ballot(group.mask)), group, None)

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
"""Functions of the lanes whose predicate holds, and of those that take part, as words."""


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
            np.bitwise_and(_spread(_ballot(mask)), members.bits) for mask in (truths, group.mask)
        )
        result = vote(true_lanes, acting_lanes)
        write_values(destination, result, group, _unite_by_warp(source, group.mask))

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
        values, mask = _by_warp(source.bits), _by_warp(group.mask)
        equal = (values[:, :, np.newaxis] == values[:, np.newaxis, :]) & mask[:, np.newaxis, :]
        words = (equal * _LANE_BITS).sum(axis=2, dtype=np.uint32).reshape(-1) & members.bits
        causes = _unite_by_warp(source, group.mask)
        if is_all:
            is_common = words == _spread(_ballot(group.mask)) & members.bits
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
        causes = _unite_by_warp(source, group.mask)
        for word in np.unique(members.bits[group.lanes]):  # usually one
            mask = group.mask & (members.bits == word)
            values = np.where(mask, source.bits.view(dtype), start)
            words: Bits = function.reduce(_by_warp(values), axis=1, dtype=dtype).view(np.uint32)
            part = group.narrow(mask)
            assert part
            write_values(destination, _spread(words), part, causes)

    return act


def make_election(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``elect.sync``: the thread with the lowest number is elected."""
    destination, predicate = _find_pair(frame, *get_operands(statement, 1))
    lane_ids = np.tile(_LANES, frame.state.wave.lane_count // WARP)
    members = _find_members(frame, statement)

    def act(group: ThreadGroup) -> None:
        acting = (_spread(_ballot(group.mask)) & members.bits).astype(np.int64)
        leaders = np.bitwise_count((acting & -acting) - 1)
        if destination:
            write_values(destination, leaders, group, None)
        if predicate:
            write_values(predicate, leaders == lane_ids, group, None)

    return act
