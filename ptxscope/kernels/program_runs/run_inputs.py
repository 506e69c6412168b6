"""The inputs of a run: one for each time that it cannot know a register's contents.

A register is unknown from the start, from the brace of the block that declares it, and from every
statement that the run cannot compute. Each of these has a key: ``u@0``, ``u@17`` by the line, or
``u@17#2`` for the second on that line. The name alone is the key of the first of them that is read
and has no input under its own key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ...engine.program.places import INITIAL, WritePlace
from ...engine.program.program import Program
from ...engine.program.statement import Statement, StatementKind


class UnknownSites(NamedTuple):
    """The places where registers become unknown, except the start."""

    keys: Mapping[WritePlace, str]
    """The key of the unknown contents of each place."""
    statements: Mapping[str, Statement]
    """Statements by key."""

    def find_key(self, place: WritePlace) -> str:
        """Return the key of the unknown contents of a place; empty if it is computed."""
        is_initial = place.statement == INITIAL
        return make_initial_key(place.register) if is_initial else self.keys.get(place, "")

    def list_keys(self, name: str) -> tuple[str, ...]:
        """Return every key of a register except that of the start."""
        return tuple(key for place, key in self.keys.items() if place.register == name)

    def has_key(self, key: str) -> bool:
        """Return whether a key of a register of the program accepts an input."""
        return key in self.statements or key in (
            register_of(key),
            make_initial_key(register_of(key)),
        )


def find_unknown_sites(program: Program) -> UnknownSites:
    """Return the places of a program where registers become unknown."""
    keys: dict[WritePlace, str] = {}
    statements: dict[str, Statement] = {}
    counts = Counter[str]()
    braces = (x for x in program.statements if x.kind is StatementKind.BLOCK_START)
    # a key seldom refers to a brace
    for statement in (*(x for x in program.statements if x.may_become_unknown), *braces):
        for name in dict.fromkeys(statement.writes):
            key = f"{name}@{statement.line}"
            counts[key] += 1
            key = f"{key}#{counts[key]}" if counts[key] > 1 else key
            keys[WritePlace(statement.number, name)] = key
            statements[key] = statement
    return UnknownSites(keys, statements)


def make_initial_key(name: str) -> str:
    """Return the key of a register's value before the first statement."""
    return f"{name}@0"


def register_of(key: str) -> str:
    """Return the register of a key."""
    return key.partition("@")[0]
