"""The sequences of a listing or a source that compute an intrinsic of CUDA."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from ...engine.isa.encodings import format_hex
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.syntax.source import GAP
from ...sources.source_programs import load
from . import may_have_sequences
from .dataflow import CONSTANT, INPUT, DataFlow, find_flow
from .pattern import Match, Pattern, PatternIndex, extract_pattern, read_pattern

_SYMMETRIC = re.compile(
    r"__v(?:add(?:[su]s)?|avg[su]|haddu|max[su]|min[su]|absdiff[su]|sad[su]|(?:set|cmp)(?:eq|ne))\d"
)
"""Intrinsics whose arguments may be swapped; then the value that comes first is the first."""
_MAX_COVERING = 8
"""Most sequences around another one with which it is compared."""


class IntrinsicSequence(NamedTuple):
    """Statements that compute an intrinsic: other statements may stand between them."""

    intrinsic: str
    """The intrinsic's name: ``__vaddss4``."""
    arguments: tuple[str, ...]
    """The registers or constants that it is given, in the order of C's parameters."""
    result: str
    """The register that holds the result."""
    statements: tuple[Statement, ...]
    """In order; the last one gives the result."""
    flow: DataFlow
    match: Match

    @property
    def call(self) -> str:
        """The call as C writes it: ``__vaddss4(%r1, %r2)``."""
        return f"{self.intrinsic}({', '.join(self.arguments)})"

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the statements, from 1."""
        return tuple(sorted({x.line for x in self.statements}))

    @property
    def line_ranges(self) -> tuple[range, ...]:
        """The lines, as ranges."""
        lines = self.lines
        starts = [lines[0], *(b for a, b in pairwise(lines) if b != a + 1)]
        ends = [*(a for a, b in pairwise(lines) if b != a + 1), lines[-1]]
        return tuple(range(a, b + 1) for a, b in zip(starts, ends, strict=True))

    def extract_dataflow(self) -> tuple[Pattern, str]:
        """Return what the statements compute, of a, b and c, and the call of the intrinsic."""
        letters: dict[int, str] = {}
        numbers = self.match.numbers[: len(self.arguments)]
        for number in numbers:
            letters.setdefault(number, "abc"[len(letters)])
        pattern = extract_pattern(self.flow, self.match.numbers[-1], self.intrinsic, letters)
        return pattern, f"d = {self.intrinsic}({', '.join(letters[x] for x in numbers)});"

    def __str__(self) -> str:
        return self.describe()

    def describe(self, lines_before: int = 0) -> str:
        """Return a sentence without its full stop: ``lines 40–52 compute __vadd4(a, b) → d``.

        ``lines_before`` is the number of lines before the loaded text.
        """
        lines = self.format_lines(lines_before)
        where = f"line {lines} computes" if len(self.lines) == 1 else f"lines {lines} compute"
        return f"{where} `{self.call}` → {self.result}"

    def format_lines(self, lines_before: int = 0) -> str:
        """Return the numbers of the lines: ``40–43, 45``."""
        ends = [(x[0] + lines_before, x[-1] + lines_before) for x in self.line_ranges]
        return ", ".join(f"{a}–{b}" if a < b else f"{a}" for a, b in ends)


def find_sequences(program: Program) -> tuple[IntrinsicSequence, ...]:
    """Return the sequences of a program that compute an intrinsic, in the order of their ends.

    Only what has exactly the dataflow of a pattern is found: no branch changes it. A sequence
    within another one is left out. Time is linear in the statements.
    """
    is_whole = not program.name.startswith("block")  # a string may be a part of a function
    return tuple(_find_in_flow(find_flow(program.statements, is_whole=is_whole)))


def find_text_sequences(text: str, name: str = "") -> tuple[IntrinsicSequence, ...]:
    """Return the sequences of a file's text, whose name is ``name``, as ``find_sequences`` does."""
    if not may_have_sequences(text):
        return ()
    programs = load(text, name, is_wanted=_may_hold_pattern)
    return tuple(x for program in programs for x in find_sequences(program))


@cache
def get_patterns() -> tuple[Pattern, ...]:
    """Return the patterns of the table."""
    table = files(__package__).joinpath("patterns.txt").read_text("utf-8").splitlines()
    return tuple(read_pattern(line) for line in table if not line.startswith("#"))


@cache
def _get_index() -> PatternIndex:
    return PatternIndex(get_patterns())


def _may_hold_pattern(ptx: str) -> bool:
    """Whether PTX has more than one statement, or a macro that may be several."""
    return GAP in ptx or ";" in ptx.rstrip(";\n\t ")


def _find_in_flow(flow: DataFlow) -> Iterator[IntrinsicSequence]:
    index = _get_index()
    matches = [x for root in range(len(flow.nodes)) if (x := index.find_match(flow, root))]
    found = [y for x in _drop_inner(matches) for y in _iter_sequences(flow, x)]
    yield from sorted(found, key=lambda x: x.statements[-1].span)


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
        found = [flow.find_computation(x, end) for x in numbers]
        statements = {id(x.statement): x.statement for x in found if x}
        yield IntrinsicSequence(
            match.pattern.intrinsic,
            tuple(_format_value(flow, x, end) for x in arguments),
            register,
            tuple(sorted(statements.values(), key=lambda x: x.span)),
            flow,
            match,
        )


def _format_value(flow: DataFlow, number: int, end: Statement) -> str:
    """Return the register that holds a value before a statement, or a constant."""
    operation, arguments = flow.nodes[number]
    if operation == CONSTANT:
        return format_hex(arguments[0], 32)
    computation = flow.find_computation(number, end)
    return computation.register if computation else flow.registers[number]
