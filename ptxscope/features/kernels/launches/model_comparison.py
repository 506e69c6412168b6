"""Statements for which another model gives another value, on the operands of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ....engine.program.statement import Statement
from ....engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ....engine.semantics.plan import Plan
from ....engine.syntax.instruction import Instruction
from ....engine.tracing.deviation import find_deviation, find_deviations
from ....engine.tracing.evaluation import make_model_plan
from ....engine.tracing.trace import trace
from .memory import Bits
from .plan_binding import bind_plan, compute, find_sources
from .thread_state import BoundCall, CallFrame, Step, ThreadGroup, ThreadValues, unite_causes

_FIRST_SCRATCH = 32
"""The index of the first array with the results of another model; no step uses it."""
_MAX_RESULTS = 4
"""Maximum results of an instruction, the carry flag included."""


def with_comparison(frame: CallFrame, statement: Statement, step: Step) -> Step:
    """Return a step that also notes the first value that another model gives otherwise.

    The step itself is returned if no other model differs for the statement's form.
    """
    ins, fidelity = statement.instruction, frame.state.fidelity
    plans = [] if ins is None else _list_plans(ins, frame.state.model)
    if ins is None or len(plans) < 2 or id(statement) in fidelity.model_differences:
        return step
    roles, comparisons = dict[str, ThreadValues](), list[_Comparison]()
    for number, plan in enumerate(plans):
        sources = find_sources(frame, ins, plan)
        if sources is None:
            return step
        roles |= sources
        if number:
            first = _FIRST_SCRATCH + _MAX_RESULTS * number
            comparisons.append(_bind(frame, ins, plan, sources, first))
    register_ids = {id(frame.get_register(name)) for name in ins.results.values()}

    def act(group: ThreadGroup) -> None:
        if id(statement) in fidelity.model_differences:
            step(group)
            return
        causes = unite_causes(roles.values())
        part = group if causes is None else group.narrow(causes == 0)
        old_bits = {x: y.bits.copy() if id(y) in register_ids else y.bits for x, y in roles.items()}
        for x in comparisons:
            compute(x.calls)
        step(group)
        for x in comparisons:
            lane = x.find_difference(part) if part else None
            if lane is not None:
                values = {
                    ins.names[role]: int(bits[lane])
                    for role, bits in old_bits.items()
                    if role not in ins.constants
                }
                trace_ = trace(ins, values, model=frame.state.model)
                if deviation := find_deviation(trace_, find_deviations(trace_)):
                    number = int(frame.state.wave.threads[lane])
                    thread = frame.state.wave.shape.format_thread(number)
                    fidelity.note_model_difference(statement, thread, deviation)
                return

    return act


class _Comparison(NamedTuple):
    """The results of another model for all lanes, beside the registers that a step writes."""

    calls: Sequence[BoundCall]
    results: list[tuple[ThreadValues, Bits]]

    def find_difference(self, group: ThreadGroup) -> int | None:
        """Return the first lane of a group whose register differs from the model's result."""
        differs = np.zeros(len(group.mask), bool)
        for register, result in self.results:
            differs |= register.bits != result
        differs &= group.mask
        return int(np.argmax(differs)) if differs.any() else None


def _list_plans(ins: Instruction, model: Model) -> list[Plan]:
    """Return the plan of a model, and the different plans of the models to compare."""
    plans = list[Plan]()
    for x in (model, *((ISA_MODEL,) if model.errata else PTXAS_MODELS)):
        plan = make_model_plan(ins, x)
        if plan not in plans:
            plans.append(plan)
    return plans


def _bind(
    frame: CallFrame, ins: Instruction, plan: Plan, sources: dict[str, ThreadValues], index: int
) -> _Comparison:
    state, results = frame.state, list[tuple[ThreadValues, Bits]]()
    arrays = {Buffer(BufferKind.OPERAND, role): x.bits for role, x in sources.items()}
    for x in plan.results:
        scratch = state.get_scratch(get_storage_dtype(x.type), index)
        arrays[Buffer(BufferKind.RESULT, x.role)] = scratch
        index += 1
        if x.role in ins.results:
            results.append((frame.get_register(ins.results[x.role]), scratch))
    return _Comparison(bind_plan(plan, arrays, state.scratch_memory, ins.constants), results)
