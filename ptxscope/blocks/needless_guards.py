"""Opposite guards, under which one of two statements acts: ``@p mov d, a; @!p mov d, b``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..engine.program.statement import Statement
from ..engine.syntax.errors import quote_word
from ..engine.syntax.instruction import Register

_MAX_DISTANCE = 64
"""Maximum distance of the second statement from the first."""


class GuardedStatement(NamedTuple):
    """A statement of a block, as written and as evaluated."""

    original: Statement
    statement: Statement
    """Without its guard if another statement replaces its result when the guard is false."""
    note: str = ""


def drop_needless_guards(statements: Sequence[Statement]) -> Iterator[GuardedStatement]:
    """Yield the statements; the first of two with opposite guards is evaluated without its guard.

    It keeps the guard if it writes several registers, or one that already has a value.
    """
    names = set[str]()
    for index, x in enumerate(statements):
        complement = None
        if x.guard and names.isdisjoint(x.writes):
            complement = _find_complement(x, statements[index + 1 : index + 1 + _MAX_DISTANCE])
        if complement:
            texts = quote_word(x.text), quote_word(complement.text)
            note = "{} is computed without its guard; if that is false, {} replaces the result"
            yield GuardedStatement(x, _drop_guard(x), note.format(*texts))
        else:
            yield GuardedStatement(x, x)
        names.update(name for name, _ in x.declared)


def _find_complement(statement: Statement, later: Sequence[Statement]) -> Statement | None:
    """Return the statement that writes a register under the opposite guard before it is read."""
    if len(statement.writes) != 1 or statement.writes[0] in _list_sources(statement):
        return None
    name, guard = statement.writes[0], statement.guard
    assert guard
    for x in later:
        if any(name == other for other, _ in x.declared):
            is_opposite = x.guard == guard._replace(negated=not guard.negated)
            is_write = x.writes == (name,) and name not in _list_sources(x)
            return x if is_opposite and is_write else None
        if x.span == (0, 0) or x.is_opaque or guard.name in x.writes:
            return None
    return None


def _list_sources(statement: Statement) -> list[str]:
    """Return an instruction's sources without its guard; for other statements, their registers."""
    ins = statement.instruction
    if ins is None:
        return [name for name, _ in statement.declared]
    return [x.name for x in ins.sources if isinstance(x, Register)]


def _drop_guard(statement: Statement) -> Statement:
    ins = statement.instruction and replace(statement.instruction, guard=None, text="", spans={})
    return statement._replace(guard=None, instruction=ins)
