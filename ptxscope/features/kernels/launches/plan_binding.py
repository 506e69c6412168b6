"""Plans bound to the arrays of a run, which are one block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....engine.arrays.array_program import Array, ArrayProgram, RunBuffers
from ....engine.arrays.block_runner import get_program
from ....engine.semantics.plan import Plan


def bind_plan(plan: Plan, buffers: RunBuffers, memory: list[Array]) -> Callable[[], None]:
    """Return a function that computes a plan from the arrays' contents at that time.

    The arrays are one block; ``memory`` is as for ``ArrayProgram.bind``.
    """
    program = get_program(plan)
    if isinstance(program, ArrayProgram):
        return program.bind(buffers, memory)
    return partial(program.run, buffers)
