"""Counterexamples that are easy to read: small launches and parameters, zeros in memory."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from ...engine.program.variables import Variable
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Term, Undecided
from .kernel_memory import InitialMemory, RootAccess
from .launch_registers import LAUNCH_REGISTERS
from .replay import DifferentLaunch

_SMALL_SECONDS = 1.0
"""The time to find small words of memory for a counterexample."""
_FLOAT_EXAMPLES = 16


def iter_launch_wishes(question: ProofQuestion) -> Iterator[list[Term]]:
    """Yield wishes for small launches, then for small parameters."""
    terms = question.solver.terms
    names = [x for x in LAUNCH_REGISTERS if x in question.inputs]
    names += [x for x in question.inputs if x not in LAUNCH_REGISTERS]
    for name in names:
        bits = question.get_bits(name)
        width = bits.sort().bv_size()
        if width > 1:
            limits = (1, 2, 8, 64, 1024) if name in LAUNCH_REGISTERS else (0, 1, 4, 64, 4096)
            yield [terms.make("BV_ULE", bits, terms.make_value(x, width)) for x in limits]


def list_small_words(
    initial: InitialMemory, accesses: Sequence[RootAccess], conditions: Sequence[Term]
) -> list[Term]:
    """Return conditions that words of memory or their high bytes are 0, as many as hold in time."""
    solver, terms, kept = initial.question.solver, initial.terms, list[Term]()
    end = solver.elapsed + _SMALL_SECONDS

    def grant(part: Term) -> bool:
        wish = terms.make("EQUAL", part, terms.make_value(0, part.sort().bv_size()))
        seconds = end - solver.elapsed
        try:
            if seconds > 0 and solver.is_possible(*conditions, *kept, wish, seconds=seconds):
                kept.append(wish)
                return True
        except Undecided:
            pass
        return False

    words = dict[Term, None]()
    for x in accesses:
        name = initial.get_name(x.root)
        index = initial.make_index(name, x.distance)
        for i in range(x.bytes // initial.get_unit(name)):
            place = initial.step(index, i)
            words[initial.read(initial.arrays[name], place, 1)] = None
    for word in words:
        if not grant(word):
            for low in range(word.sort().bv_size() - 8, -1, -8):
                grant(terms.cut(word, low, low + 8))
    return kept


def read_memory(
    initial: InitialMemory, accesses: Sequence[RootAccess]
) -> dict[tuple[str, int], int]:
    """Return the bytes at the places of memory that the kernels access."""
    memory, solver = {}, initial.question.solver
    for x in accesses:
        name = initial.get_name(x.root)
        is_done = x.condition is None or solver.is_true(x.condition)
        if x.root.is_own or not is_done:
            continue
        start, unit = solver.get_value(x.distance), initial.get_unit(name)
        index = initial.make_index(name, x.distance)
        for i in range(x.bytes // unit):
            word = initial.read(initial.arrays[name], initial.step(index, i), 1)
            value = solver.get_value(word)
            for j in range(unit):
                memory[name, start // unit * unit + i * unit + j] = value >> 8 * j & 0xFF
    return memory


def iter_float_examples(
    example: DifferentLaunch, units: Mapping[str, int], parameters: Sequence[Variable]
) -> Iterator[DifferentLaunch]:
    """Yield the launch of a counterexample with floats from -4 to 4 in memory and parameters."""
    for seed in range(_FLOAT_EXAMPLES):
        rng = Random(seed)  # noqa: S311 - not for security
        memory, operands = dict(example.memory), dict(example.operands)
        words = {(root, place // 4 * 4) for root, place in example.memory}
        for root, start in sorted(words):
            letter = {2: "e", 8: "d"}.get(units.get(root, 4), "f")
            size = struct.calcsize(letter)
            for offset in range(0, 8 if size == 8 else 4, size):
                data = struct.pack(letter, rng.uniform(-4, 4))
                places = (start // size * size + offset + x for x in range(size))
                memory |= {
                    (root, place): byte
                    for place, byte in zip(places, data, strict=True)
                    if (root, place) in memory
                }
        for i, x in enumerate(parameters):
            if x.type in ("f32", "f64") and not x.is_array:
                data = struct.pack("f" if x.type == "f32" else "d", rng.uniform(-4, 4))
                operands[f"param{i}"] = int.from_bytes(data, "little")
        yield DifferentLaunch(operands, memory)
