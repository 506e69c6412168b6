"""The special registers that identify the thread and its launch, and their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from ...engine.ir.tape import Node
from ...engine.isa.types import Type
from ..kernels.launches.launch import LaunchShape
from ..prove.proof_question import ProofQuestion

_AXES = "xyz"
_PAIRS = (("%tid", "%ntid"), ("%ctaid", "%nctaid"))
"""The places of a thread and of a block, and the sizes above them."""
LAUNCH_REGISTERS = tuple(
    f"{name}.{axis}" for pair in _PAIRS for name in reversed(pair) for axis in _AXES
)
LAUNCH_SIZES = tuple(x for x in LAUNCH_REGISTERS if x.startswith("%n"))
_MAX_COUNTS: Mapping[str, tuple[int, int, int]] = {
    "%ntid": (1024, 1024, 64),
    "%nctaid": ((1 << 31) - 1, 65535, 65535),
}
_MAX_THREADS = 1024
"""The threads of a block."""


def add_launch_register(question: ProofQuestion, name: str) -> Node:
    """Return a special register; restrict a new one to the values of possible launches."""
    if name in question.inputs:
        return question.add_input(name, Type.B32)
    base, _, axis = name.partition(".")
    own, count = next(pair for pair in _PAIRS if base in pair)
    place, size = (question.add_input(f"{x}.{axis}", Type.B32) for x in (own, count))
    limit = _MAX_COUNTS[count][_AXES.index(axis)]
    tape = question.tape
    facts = [tape.less(place, size), tape.less(size, question.make_constant(limit + 1))]
    if count == "%ntid":
        sizes = (f"{count}.{x}" for x in _AXES)
        known = [question.add_input(x, Type.B32) for x in sizes if x in question.inputs]
        if len(known) > 1:
            threads = reduce(tape.multiply, known)
            facts.append(tape.less(threads, question.make_constant(_MAX_THREADS + 1)))
    for fact in facts:
        question.solver.add(question.make_truth(fact))
    return question.add_input(name, Type.B32)


def has_one_thread(question: ProofQuestion) -> bool:
    """Whether the conditions on operands leave only blocks of one thread."""
    names = [f"%ntid.{x}" for x in _AXES]
    if not question.inputs.keys() >= {*names}:
        return False
    terms = question.solver.terms
    one = terms.make_value(1, Type.B32.bits)
    others = [terms.make("DISTINCT", question.get_bits(x), one) for x in names]
    return not question.solver.is_possible(terms.join("OR", others))


def make_shape(operands: Mapping[str, int]) -> LaunchShape:
    """Return the launch of some operands; a size without an effect is 1."""
    grid, block = (
        tuple(max(operands.get(f"{name}.{axis}", 1), 1) for axis in _AXES)
        for name in ("%nctaid", "%ntid")
    )
    return LaunchShape((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]))


def list_places(operands: Mapping[str, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of the thread and of its block."""
    thread, block = (
        tuple(operands.get(f"{name}.{axis}", 0) for axis in _AXES) for name in ("%tid", "%ctaid")
    )
    return thread, block
