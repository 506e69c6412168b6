"""The step of each statement: one of memory, a move, an exchange, or an instruction's plan."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...engine.isa.other_opcodes import (
    ATOMICS,
    BARRIERS,
    FENCES,
    LOADS,
    MEMORY_WRITERS,
    STORES,
    WAITS,
)
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import MemoryOperand
from .atomics import make_atomic
from .conflicts import ThreadScope
from .float_steps import make_float_conversion, make_float_step
from .memory_steps import make_load, make_store
from .move_steps import make_address_conversion, make_any_move, make_space_test
from .plan_steps import make_plan_step
from .thread_state import CallFrame, Step, ThreadGroup, ThreadValues, unite_causes, write_causes
from .warp_steps import (
    make_active_mask,
    make_election,
    make_match,
    make_reduction,
    make_shuffle,
    make_vote,
)

Maker = Callable[[CallFrame, Statement], Step | None]
"""Returns the step of a statement; None if the statement is of a kind that is not modelled."""


def _do_nothing(_: ThreadGroup) -> None:
    pass


def _make_nothing(_: CallFrame, __: Statement) -> Step:
    return _do_nothing


def _make_fence(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of a fence: what a thread does after it conflicts with nothing before.

    ``bar.warp.sync`` orders the threads of a warp, and a fence of ``.cta`` those of a block.
    """
    scope = ThreadScope.GRID
    if "warp" in statement.modifiers:
        scope = ThreadScope.WARP
    elif "cta" in statement.modifiers:
        scope = ThreadScope.BLOCK
    return lambda group: frame.state.begin_epoch(group.mask, scope)


_MAKERS: dict[str, Maker] = {  # the lowerings of what has no plan
    "activemask": make_active_mask,
    **dict.fromkeys(ATOMICS, make_atomic),
    **dict.fromkeys(BARRIERS | FENCES, _make_fence),
    "cvta": make_address_conversion,
    "elect": make_election,
    "isspacep": make_space_test,
    **dict.fromkeys(LOADS, make_load),
    "match": make_match,
    "mov": make_any_move,
    "redux": make_reduction,
    "shfl": make_shuffle,
    **dict.fromkeys(STORES, make_store),
    "vote": make_vote,
    "cvt": make_float_conversion,
    **dict.fromkeys(
        ("abs", "add", "div", "fma", "mad", "max", "min", "mul", "neg", "rcp", "sqrt", "sub"),
        make_float_step,
    ),
    # in lock-step each statement is complete before the next begins
    **dict.fromkeys(WAITS, _make_nothing),
}


def make_step(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of a statement that stays in its block, with its guard."""
    make = _MAKERS.get(statement.opcode)
    step = make(frame, statement) if make else None
    if step is None and statement.instruction:
        step = make_plan_step(frame, statement)
    if step is None:
        step = _make_unmodelled(frame, statement)
    if statement.guard and not _is_guard_in_plan(frame, statement):
        step = _with_guard(frame, statement, step)
    return with_observer(frame, statement, step)


def with_observer(
    frame: CallFrame, statement: Statement, step: Step, *, is_leaving: bool = False
) -> Step:
    """Return a step of which the observer of the wave is told, if there is one.

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
    """Whether an instruction reads its guard itself, since it writes without it (E14)."""
    ins = statement.instruction
    return ins is not None and frame.state.model.make_rules(ins.form).old_converted


def find_results(frame: CallFrame, statement: Statement) -> list[ThreadValues]:
    """Return the registers that a statement writes."""
    return [frame.get_register(name) for name in statement.iter_written_names()]


def _make_unmodelled(frame: CallFrame, statement: Statement) -> Step:
    """Return a step that makes results unknown."""
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
    if statement.opcode in MEMORY_WRITERS:
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
        part = group.narrow(~guard.bits if is_negated else guard.bits)
        if part:
            step(part)
        if doubtful:
            for register in results:
                causes = unite_causes((register, guard))
                write_causes(register, doubtful, causes)
            if _may_write_memory(statement):
                state.fidelity.note_decision(statement, "whether it acts", doubtful.count)

    return act
