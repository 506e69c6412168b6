"""Instructions of the catalog over all threads: form, plan, array program."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..arrays.array_program import RunBuffers
from ..arrays.block_runner import bind_plan
from ..arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ..records import replace
from ..semantics.plan import Plan
from ..tracing.evaluation import make_plan
from .device_code import CodeStatement
from .thread_state import Bits, Frame, Group, Step, ThreadValues, unite_causes, write_values


def make_plan_step(frame: Frame, statement: CodeStatement) -> Step | None:
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
    return _bind(frame, plan, sources, destinations)


def _bind(
    frame: Frame,
    plan: Plan,
    sources: dict[str, ThreadValues],
    destinations: dict[str, ThreadValues],
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

    def run_step(group: Group) -> None:
        causes = unite_causes(inputs)
        if compute_in_place and group.has_all:
            compute_in_place()
            for destination, _ in written:
                destination.causes = causes
            return
        compute()
        for destination, result in written:
            write_values(destination, result, group, causes)

    return run_step


def _bind_program(
    frame: Frame, plan: Plan, sources: Mapping[str, ThreadValues], results: Mapping[str, Bits]
) -> Callable[[], None]:
    """Return a function that computes all lanes."""
    count = frame.state.wave.lane_count
    arrays = {Buffer(BufferKind.OPERAND, role): x.bits for role, x in sources.items()}
    arrays |= {Buffer(BufferKind.RESULT, role): x for role, x in results.items()}
    return bind_plan(plan, RunBuffers(count, count, arrays, {}), frame.state.scratch_memory)
