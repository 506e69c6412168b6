"""The values that a run can be given: one for each time that it can't know a register's contents.

A register holds nothing known from the start, from the brace of the block that declares it, and
from every statement on that the run does not understand. Each of these has a key: ``u@0``, ``u@17``
by the line, ``u@17#2`` for the second on that line. The name alone is for the first of them that is
read and has no value by its own key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..records import NamedTuple
from .program import Program, Statement, StatementKind


class UnknownSites(NamedTuple):
    """Where registers come to hold what is not known, but for the start."""

    keys: Mapping[tuple[int, str], str]
    """By the ``id`` of the statement and the register."""
    statements: Mapping[str, Statement]
    """By the key."""

    def key(self, statement: Statement, name: str) -> str:
        """The key of what a statement leaves unknown in a register."""
        return self.keys[id(statement), name]

    def list_keys(self, name: str) -> tuple[str, ...]:
        """Every key of a register but for that of the start."""
        return tuple(key for (_, register), key in self.keys.items() if register == name)

    def has_key(self, key: str) -> bool:
        """Whether something may be given under a key of a register of the program."""
        return key in self.statements or key in (
            register_of(key),
            make_initial_key(register_of(key)),
        )


def find_unknown_sites(program: Program) -> UnknownSites:
    """The places of a program."""
    keys: dict[tuple[int, str], str] = {}
    statements: dict[str, Statement] = {}
    seen = Counter[str]()
    for kind in (StatementKind.OTHER, StatementKind.OPEN):  # a brace is seldom meant
        for statement in program.statements:
            if statement.kind is kind:
                for name in dict.fromkeys(statement.writes):
                    key = f"{name}@{statement.line}"
                    seen[key] += 1
                    key = f"{key}#{seen[key]}" if seen[key] > 1 else key
                    keys[id(statement), name] = key
                    statements[key] = statement
    return UnknownSites(keys, statements)


def make_initial_key(name: str) -> str:
    """The key of what a register holds before the first statement."""
    return f"{name}@0"


def register_of(key: str) -> str:
    """The register that a key is of."""
    return key.partition("@")[0]
