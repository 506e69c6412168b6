"""Plans bound to the registers and arrays of a run, which are one block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....engine.arrays.array_program import Array, ArrayProgram, RunBuffers
from ....engine.arrays.block_runner import get_program
from ....engine.arrays.call_sequence import get_storage_dtype
from ....engine.semantics.plan import Plan
from ....engine.syntax.instruction import Instruction
from .thread_state import CallFrame, ThreadValues


def bind_plan(plan: Plan, buffers: RunBuffers, memory: list[Array]) -> Callable[[], None]:
    """Return a function that computes a plan from the arrays' contents at that time.

    The arrays are one block; ``memory`` is as for ``ArrayProgram.bind``.
    """
    program = get_program(plan)
    if isinstance(program, ArrayProgram):
        return program.bind(buffers, memory)
    return partial(program.run, buffers)


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
