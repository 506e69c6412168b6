"""Counterexamples that are easy to read: small launches and parameters, zeros in memory."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random

from ...engine.program.variables import Variable
from ..kernels.launches.float_operations import FORMATS
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Solver, Term
from .kernel_memory import InitialMemory, RootAccess
from .launch_registers import LAUNCH_REGISTERS, LAUNCH_SIZES
from .parameters import BUFFER_NAME
from .replay import DifferentLaunch, Replay
from .smallest_values import SmallestValues

_LAUNCH_SECONDS = 3.0
"""The time to find the smallest size of a launch for a counterexample, in each direction."""
_NUMBER_SECONDS = 2.0
"""The time to find small numbers of the thread, and parameters."""
_WORD_SECONDS = 1.0
"""The time to find small words of memory."""
_FLOAT_EXAMPLES = 16
_OTHER_CONTENTS, _OTHER_WORDS = 8, 8
"""Launches with other words, and words after those that the thread accesses."""
_CLEARED_WORDS = 64
"""Words that are tried to be 0 in such a launch."""


def list_smallest_launch(question: ProofQuestion) -> list[Term]:
    """Return the conditions of a launch of one thread."""
    terms = question.solver.terms
    sizes = [question.get_bits(x) for x in LAUNCH_REGISTERS if x in question.inputs and "%n" in x]
    return [terms.make("EQUAL", x, terms.make_value(1, x.sort().bv_size())) for x in sizes]


def list_found_values(initial: InitialMemory, accesses: Sequence[RootAccess]) -> list[Term]:
    """Return the conditions that operands and words of memory have the values in the solver."""
    question, terms = initial.question, initial.terms
    values = [question.get_bits(x) for x in question.inputs] + _list_words(initial, accesses)
    numbers = [(x, question.solver.get_value(x)) for x in values]
    return [terms.make("EQUAL", x, terms.make_value(y, x.sort().bv_size())) for x, y in numbers]


def iter_float_wishes(question: ProofQuestion, types: Sequence[str]) -> Iterator[list[Term]]:
    """Yield wishes for numbers from 1 to 2, else from 2 to 4, of the first parameters."""
    make, terms = question.solver.terms.make, question.solver.terms
    for i, type_ in enumerate(types):
        format_, name = FORMATS.get(type_), f"param{i}"
        if format_ is None or name not in question.inputs:
            continue
        bits = question.get_bits(name)
        bias = (1 << format_.exponent_bits - 1) - 1
        for low in range(0, bits.sort().bv_size(), format_.bits):
            exponent = terms.cut(bits, low + format_.fraction_bits, low + format_.bits)
            width = format_.bits - format_.fraction_bits
            yield [make("EQUAL", exponent, terms.make_value(x, width)) for x in (bias, 0, bias + 1)]


def find_small_example(
    initial: InitialMemory,
    accesses: Sequence[RootAccess],
    conditions: Sequence[Term],
    wishes: Iterable[Sequence[Term]] = (),
) -> dict[str, int]:
    """Return operands for which conditions hold, and leave their memory in the solver.

    ``wishes`` are alternatives, of which the first that can hold is kept. The launch is as small as
    possible: first the threads of a block, then the blocks. The numbers
    of the thread and its block follow, then parameters, and at last the words of memory.
    """
    question = initial.question
    solver = question.solver
    names = sorted(question.inputs, key=lambda x: x not in LAUNCH_REGISTERS)
    sizes = [
        [question.get_bits(x) for x in LAUNCH_SIZES if x.startswith(name) and x in names]
        for name in ("%ntid", "%nctaid")
    ]
    numbers = [question.get_bits(x) for x in names if x not in LAUNCH_SIZES]
    words = _list_words(initial, accesses)
    smallest = SmallestValues(solver, conditions, [*sizes[0], *sizes[1], *numbers, *words])
    for counts in sizes:
        smallest.fix_product(counts, _LAUNCH_SECONDS)
    for alternatives in wishes:
        smallest.keep_one(alternatives)
    for terms, seconds in ((numbers, _NUMBER_SECONDS), (words, _WORD_SECONDS)):
        end = solver.elapsed + seconds
        for x in terms:
            smallest.fix_near_zero(x, end - solver.elapsed)
    solver.is_possible(*smallest.conditions)
    return question.get_operands()


def _list_words(initial: InitialMemory, accesses: Sequence[RootAccess]) -> list[Term]:
    """Return the words at the places of accesses at the start."""
    words = dict[Term, None]()
    for x in accesses:
        name = initial.get_name(x.root)
        index = initial.make_index(name, x.distance)
        for i in range(x.bytes // initial.get_unit(name)):
            words[initial.read(initial.arrays[name], initial.step(index, i), 1)] = None
    return [*words]


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


def count_shared_bytes(solver: Solver, accesses: Sequence[RootAccess]) -> int:
    """Return the bytes of dynamic shared memory that the thread of the found values needs."""
    return max(
        (
            solver.get_value(x.distance) + x.bytes
            for x in accesses
            if x.root.is_open
            and x.root.space == "shared"
            and (x.condition is None or solver.is_true(x.condition))
        ),
        default=0,
    )


def find_early_load(solver: Solver, accesses: Sequence[RootAccess]) -> RootAccess | None:
    """Return the first load of a variable of the thread that it has not written before.

    The thread is that of the found values.
    """
    written = set[tuple[str, int]]()
    for x in accesses:
        is_own = x.root.is_own and x.root.space in ("local", "shared")
        if not is_own or not (x.condition is None or solver.is_true(x.condition)):
            continue
        start = solver.get_value(x.distance)
        places = {(x.root.name, start + i) for i in range(x.bytes)}
        if x.is_store:
            written |= places
        elif not places <= written:
            return x
    return None


def iter_other_contents(
    example: DifferentLaunch, units: Mapping[str, int]
) -> Iterator[DifferentLaunch]:
    """Yield the launch of a counterexample with other words in the buffers.

    Other threads of the launch may hide a difference for the words that the solver chose.
    """
    ends = dict[str, int]()
    for root, place in example.memory:
        ends[root] = max(ends.get(root, 0), place + 1)
    for seed in range(_OTHER_CONTENTS):
        rng = Random(seed)  # noqa: S311 - not for security
        memory = dict(example.memory)
        for root, end in ends.items():
            unit = units.get(root, 1)
            more = _OTHER_WORDS * unit if BUFFER_NAME.fullmatch(root) else 0
            start = 0 if more else end
            places = {x for name, x in example.memory if name == root} | {*range(start, end + more)}
            for first in {x // unit * unit for x in places}:
                word = rng.choice((rng.randrange(1, 9), rng.getrandbits(8 * unit)))
                for i in range(unit):
                    if first + i in places:
                        memory[root, first + i] = word >> 8 * i & 0xFF
        yield example._replace(memory=memory)


def clear_words(
    runs: Replay, units: Mapping[str, int], run: Callable[[DifferentLaunch], Replay]
) -> Replay:
    """Return runs that still show a difference, with as many words as possible at 0."""
    words = dict.fromkeys(
        (root, place // units.get(root, 1)) for root, place in sorted(runs.example.memory)
    )
    for root, index in [*words][::-1][:_CLEARED_WORDS]:
        unit, memory = units.get(root, 1), runs.example.memory
        places = ((root, index * unit + i) for i in range(unit))
        cleared = {**memory, **{x: 0 for x in places if x in memory}}
        found = run(runs.example._replace(memory=cleared))
        runs = found if found.is_confirmed else runs
    return runs


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
        yield example._replace(operands=operands, memory=memory)
