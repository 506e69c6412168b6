"""Basic blocks of a function, and places: the statements that wrote its registers' contents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..syntax.opcodes import CALLS, NEVER_FALLS_THROUGH
from .statement import Statement, StatementKind

INITIAL = -1
"""The writer of the contents of a register before the first statement."""


class WritePlace(NamedTuple):
    """The place of a value: a register that a statement writes."""

    statement: int
    """The number of the statement, or ``INITIAL``."""
    register: str


def make_initial_place(register: str) -> WritePlace:
    """Return the place of a register's initial contents."""
    return WritePlace(INITIAL, register)


def follow_places(
    statements: Iterable[Statement], places: dict[str, WritePlace]
) -> Iterator[Statement]:
    """Yield the statements of a straight line.

    At each statement, and after the last one, ``places`` has the place of the contents of each
    register that an earlier statement writes, or may write. The brace of a block writes the
    registers that it declares: it makes them unknown.
    """
    hidden_places = list[dict[str, WritePlace]]()
    for statement in statements:
        yield statement
        if statement.kind is StatementKind.BLOCK_END:
            for name in statement.writes:
                places.pop(name, None)
            places |= hidden_places.pop() if hidden_places else {}
            continue
        if statement.kind is StatementKind.BLOCK_START:
            hidden_places.append({x: places.pop(x) for x in statement.writes if x in places})
        places |= {name: WritePlace(statement.number, name) for name in statement.writes}


_MAX_STEPS = 200
"""Maximum blocks searched for writers, per block of a function."""


def find_starts(statements: Iterable[Statement]) -> list[int]:
    """Return the indices of the statements before which another path may end, or calls return."""
    ends = (StatementKind.BRANCH, StatementKind.LABEL)
    return [
        i for i, x in enumerate(statements, 1) if x.kind in ends or x.is_opaque or x.opcode in CALLS
    ]


class CodeBlock(NamedTuple):
    """The statements ``start`` to ``end`` of a function, a straight line."""

    start: int
    end: int
    """The index after the last statement."""
    following: tuple[int, ...]
    """The numbers of the blocks that may follow."""


def find_blocks(statements: Sequence[Statement], starts: Iterable[int]) -> tuple[CodeBlock, ...]:
    """Return the basic blocks in order; ``starts`` are the indices of their first statements.

    Branches lead to the start of a block. An empty block ends the statements.
    """
    count = len(statements)
    ordered = sorted({0, *(x for x in starts if x < count)}) if count else []
    numbers = {start: number for number, start in enumerate((*ordered, count))}
    blocks = list[CodeBlock]()
    for start, end in pairwise((*ordered, count)):
        last = statements[end - 1]
        following = [numbers[x] for x in last.targets]
        if last.guard or last.opcode not in NEVER_FALLS_THROUGH:
            following.insert(0, numbers[end])
        blocks.append(CodeBlock(start, end, tuple(following)))
    return (*blocks, CodeBlock(count, count, ()))


class Writers:
    """Finds the statements that may have written a register's contents at the start of a block."""

    def __init__(self, blocks: Sequence[CodeBlock], writes: Sequence[Collection[str]]) -> None:
        """``writes`` has the registers that each statement writes, or may write."""
        self._last = [
            {name: i for i in range(block.start, block.end) for name in writes[i]}
            for block in blocks
        ]
        """The last writer of each register in each block."""
        self._preceding: list[list[int]] = [[] for _ in blocks]
        self._found: dict[tuple[int, str], frozenset[int]] = {}
        self._steps = _MAX_STEPS * len(blocks)
        pending, reached = [0], {0}
        while pending:
            number = pending.pop()
            for following in blocks[number].following:
                self._preceding[following].append(number)
                if following not in reached:
                    reached.add(following)
                    pending.append(following)

    def find(self, number: int, register: str) -> frozenset[int]:
        """Return the indices of the statements; none if they are unknown or unreachable.

        They include ``INITIAL`` if the register may have its initial contents.
        """
        key = number, register
        if key not in self._found:
            self._found[key] = self._search(number, register)
        return self._found[key]

    def _search(self, number: int, register: str) -> frozenset[int]:
        writers, visited, pending = set[int](), {number}, [number]
        while pending:
            current = pending.pop()
            if not current:
                writers.add(INITIAL)
            for before in self._preceding[current]:
                writer = self._last[before].get(register)
                if writer is not None:
                    writers.add(writer)
                elif before not in visited:
                    visited.add(before)
                    pending.append(before)
            self._steps -= 1
            if self._steps < 0:
                return frozenset()
        return frozenset(writers)
