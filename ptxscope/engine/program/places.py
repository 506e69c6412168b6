"""Places of values: the statements that wrote what is in the registers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .statement import Statement, StatementKind

INITIAL = -1
"""The writer of what is in a register before the first statement."""


class Place(NamedTuple):
    """The place of a value: a register that a statement writes."""

    statement: int
    """The number of the statement, or ``INITIAL``."""
    register: str


def make_initial_place(register: str) -> Place:
    """Return the place of what is in a register before the first statement."""
    return Place(INITIAL, register)


def follow_places(statements: Iterable[Statement], places: dict[str, Place]) -> Iterator[Statement]:
    """Yield statements that run one after the other.

    ``places`` has, while a statement is in use and after the last one, the place of what is in each
    register that an earlier one writes, or may write. The brace of a block makes the registers that
    it declares unknown: it is a statement that writes them.
    """
    hidden_places = list[dict[str, Place]]()
    for statement in statements:
        yield statement
        if statement.kind is StatementKind.BLOCK_END:
            for name in statement.writes:
                places.pop(name, None)
            places |= hidden_places.pop() if hidden_places else {}
            continue
        if statement.kind is StatementKind.BLOCK_START:
            hidden_places.append({x: places.pop(x) for x in statement.writes if x in places})
        places |= {name: Place(statement.number, name) for name in statement.writes}
