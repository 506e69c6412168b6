"""Plans bound to the registers and arrays of a run, which are one block."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ....engine.arrays.array_program import Array, ArrayProgram, RunBuffers
from ....engine.arrays.block_runner import get_program
from ....engine.arrays.call_sequence import Buffer, BufferKind, CallConstant, get_storage_dtype
from ....engine.semantics.plan import Plan
from ....engine.syntax.instruction import Instruction
from .thread_state import BoundCall, CallFrame, ThreadValues


def bind_plan(
    plan: Plan, arrays: Mapping[Buffer, Array], memory: list[Array], constants: Container[str] = ()
) -> list[BoundCall]:
    """Return the calls that compute a plan from the arrays' contents at that time.

    The arrays are of the plan's operands and results, one element for each lane. Calls that do not
    run at the same time may share ``memory``, which is scratch memory. The operands with the roles
    in ``constants`` never change: what follows from them alone is computed once.
    """
    program, size = get_program(plan), len(next(iter(arrays.values()), ()))
    if not isinstance(program, ArrayProgram):
        return [(partial(_run, program.run, RunBuffers(size, size, arrays, {})), (), None)]
    slots = program.bind(arrays, size, memory)
    folded: dict[Any, Array] = {}
    calls = list[BoundCall]()
    for function, inputs, out in program.calls:
        operands, is_constant = list[Array](), True
        for index in inputs:
            place, dtype, _ = program.slots[index]
            operands.append(folded[place].view(dtype) if place in folded else slots[index])
            is_constant &= place in folded or _is_constant(place, constants)
        place, result = program.slots[out].place, slots[out]
        if is_constant and isinstance(place, Buffer) and place.kind is BufferKind.SCRATCH:
            folded[place] = np.empty_like(result)
            function(*operands, out=folded[place])
            continue
        folded.pop(place, None)
        calls.append((function, tuple(operands), result))
    return calls


def _run(run: Callable[[RunBuffers], None], buffers: RunBuffers, *, out: None) -> None:  # noqa: ARG001
    run(buffers)


def _is_constant(place: Buffer | CallConstant, constants: Container[str]) -> bool:
    if isinstance(place, CallConstant):
        return True
    return place.kind is BufferKind.OPERAND and place.name in constants


def compute(calls: Iterable[BoundCall]) -> None:
    """Make calls."""
    for function, operands, result in calls:
        function(*operands, out=result)


def may_overlap(plan: Plan, arrays: Mapping[Buffer, Array]) -> bool:
    """Whether a plan may be computed though some of its operands and results are the same array.

    No call may read an operand after another has written it.
    """
    program, written = get_program(plan), set[int | None]()
    if not isinstance(program, ArrayProgram):
        return True
    places = [x.place for x in program.slots]
    bound = [id(arrays[x]) if isinstance(x, Buffer) and x in arrays else None for x in places]
    for _, inputs, out in program.calls:
        if any(bound[x] in written for x in inputs):
            return False
        if bound[out] is not None:
            written.add(bound[out])
    return True


def find_sources(frame: CallFrame, ins: Instruction, plan: Plan) -> dict[str, ThreadValues] | None:
    """Return the values that a plan reads, by role; None if they are not as wide as it takes."""
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
    return sources
