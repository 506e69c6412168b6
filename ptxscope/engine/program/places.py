"""Places of values: the statements that wrote the contents of the registers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .statement import Statement, StatementKind

INITIAL = -1
"""The writer of the contents of a register before the first statement."""


class WritePlace(NamedTuple):
    """The place of a value: a register that a statement writes."""

    statement: int
    """The number of the statement, or ``INITIAL``."""
    register: str


def make_initial_place(register: str) -> WritePlace:
    """Return the place of the contents of a register before the first statement."""
    return WritePlace(INITIAL, register)


def follow_places(
    statements: Iterable[Statement], places: dict[str, WritePlace]
) -> Iterator[Statement]:
    """Yield statements that run one after the other.

    When a statement is yielded, and after the last one, ``places`` has the place of the contents
    of each register that an earlier statement writes, or may write. The brace of a block makes the
    registers that it declares unknown: it is a statement that writes them.
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
