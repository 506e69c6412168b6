"""Sequences that compute a CUDA intrinsic: occurrences of patterns in a program's dataflow."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from ...blocks.intrinsic_sequence import IntrinsicSequence
from ...engine.isa.encodings import format_hex
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from .dataflow import CONSTANT, INPUT, DataFlow, find_flow
from .patterns import Match, get_index
from .sequence_dataflow import write_claim

_SYMMETRIC = re.compile(
    r"__v(?:add(?:[su]s)?|avg[su]|haddu|max[su]|min[su]|absdiff[su]|sad[su]|(?:set|cmp)(?:eq|ne))\d"
)
"""Intrinsics whose arguments may be swapped; the earlier value is then the first."""
_MAX_COVERING = 8
"""Maximum sequences that enclose another one."""


def find_sequences(program: Program) -> tuple[IntrinsicSequence, ...]:
    """Return the sequences of a program that compute an intrinsic, in the order of their ends.

    Their dataflow is exactly a pattern's, and no branch changes it. A sequence within another one
    is left out. Time is linear in the statements.
    """
    is_whole = not program.name.startswith("block")  # a string may be only a part of a function
    return tuple(_find_in_flow(find_flow(program.statements, is_whole=is_whole)))


def _find_in_flow(flow: DataFlow) -> Iterator[IntrinsicSequence]:
    index = get_index()
    matches = [x for root in range(len(flow.nodes)) if (x := index.find_match(flow, root))]
    sequences = [y for x in _drop_inner(matches) for y in _iter_sequences(flow, x)]
    yield from sorted(sequences, key=lambda x: x.statements[-1].span)


def _list_computed(match: Match) -> set[int]:
    """Return the nodes that a match computes."""
    operations = (x.operation for x in match.pattern.nodes)
    return {
        number
        for operation, number in zip(operations, match.numbers, strict=True)
        if operation not in (INPUT, CONSTANT)
    }


def _drop_inner(matches: Sequence[Match]) -> Iterator[Match]:
    """Yield the matches that are not within others."""
    computed = [_list_computed(x) for x in matches]
    covering: dict[int, list[int]] = defaultdict(list)
    for index, numbers in enumerate(computed):
        for number in numbers:
            covering[number].append(index)
    for index, match in enumerate(matches):
        others = covering[match.numbers[-1]][:_MAX_COVERING]
        if not any(computed[index] < computed[x] for x in others):
            yield match


def _iter_sequences(flow: DataFlow, match: Match) -> Iterator[IntrinsicSequence]:
    """Yield a sequence for each statement that computes the result of a match."""
    numbers, arguments = _list_computed(match), match.numbers[: len(match.pattern.parameters)]
    if _SYMMETRIC.fullmatch(match.pattern.intrinsic):
        arguments = tuple(sorted(arguments))
    for end, register in flow.computations[match.numbers[-1]]:
        computations = [flow.find_computation(x, end) for x in numbers]
        statements = {id(x.statement): x.statement for x in computations if x}
        yield IntrinsicSequence(
            match.pattern.intrinsic,
            tuple(_format_value(flow, x, end) for x in arguments),
            register,
            tuple(sorted(statements.values(), key=lambda x: x.span)),
            partial(write_claim, flow, match),
        )


def _format_value(flow: DataFlow, number: int, end: Statement) -> str:
    """Return the register of a value before a statement, or a constant."""
    operation, arguments = flow.nodes[number]
    if operation == CONSTANT:
        return format_hex(arguments[0], 32)
    computation = flow.find_computation(number, end)
    return computation.register if computation else flow.registers[number]
