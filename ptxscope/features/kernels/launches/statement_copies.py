"""Copies of one statement of the source, and changes of all of them at once.

Compilers unroll loops and inline functions, so one statement of the source is often several of PTX:
at the same ``.loc``, or in equal asm statements, and equal apart from registers and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.syntax.opcodes import JUMPS
from ....sources.source_lines import read_source_lines
from .asm_registers import iter_asm_statements
from .instruction_changes import StatementChange
from .register_names import iter_written_names

_DOUBTFUL_COST = 1
"""Cost of a change of all equal statements, if nothing shows that they are copies."""
_WORD = re.compile(r"(?<![\w%$.])(?:(?P<name>[A-Za-z_$%][\w$]*+)|(?P<number>-?\d\w*+))", re.ASCII)
"""A name or a number of a statement, but no modifier."""


class Copies(NamedTuple):
    """Statements of a function that are equal apart from registers, in order."""

    statements: tuple[Statement, ...]
    has_equal_numbers: bool
    """Whether their numbers are the same, too."""
    has_place: bool
    """Whether a place in the source, or equal asm statements, show that they are copies."""


def find_copies(function: Program, text: str) -> list[Copies]:
    """Return groups of statements that may be copies of one, in a function of a listing.

    They are at one place of the source, or the same part of equal asm statements. Without places,
    all equal statements may be copies.
    """
    names = {x.partition("#")[0] for x in function.registers}
    statements = [x for x in function.statements if x.opcode not in JUMPS]
    shapes = {id(x): _find_shape(x, names) for x in statements}
    sources = read_source_lines(text)
    places = [sources.find_place(x.line) for x in statements]
    has_places = any(places)
    groups: dict[tuple[object, object], list[Statement]] = {}
    for x, place in zip(statements, places, strict=True):
        if place or not has_places:
            own_place = place and place._replace(call=None)  # the calls of an inlined function
            groups.setdefault((own_place, shapes[id(x)]), []).append(x)
    for asm in iter_asm_statements(statements, text):
        whole = tuple(shapes[id(x)] for x in asm)
        for index, x in enumerate(asm):
            groups.setdefault((whole, index), []).append(x)
    copies_by_place: dict[tuple[int, ...], Copies] = {}
    for (where, _), group in groups.items():
        has_place = bool(where)
        numbers = {id(x): tuple(_list_numbers(x)) for x in group}
        parts = dict[tuple[str, ...], list[Statement]]()
        for x in group:
            parts.setdefault(numbers[id(x)], []).append(x)
        for part in (group, *parts.values()):
            if len(part) > 1:
                key = tuple(id(x) for x in part)
                has_equal_numbers = len({numbers[x] for x in key}) == 1
                copies = Copies(tuple(part), has_equal_numbers, has_place)
                if has_place or key not in copies_by_place:
                    copies_by_place[key] = copies
    return list(copies_by_place.values())


def _list_numbers(statement: Statement) -> Iterator[str]:
    return (x["number"] for x in _WORD.finditer(statement.text) if x["number"])


def _find_shape(statement: Statement, names: Set[str]) -> str:
    """Return a statement without its registers and numbers."""
    return _WORD.sub(
        lambda match: "\0" if match["number"] or match[0] in names else match[0], statement.text
    )


def unite_changes(
    function: Program, copies: Sequence[Copies], changes: Iterable[StatementChange]
) -> Iterator[StatementChange]:
    """Yield the changes that several copies of a statement have, each as one.

    Where the change of one copy names a register that is written by a copy of another statement,
    the change of the next copy names the register that the next copy of that statement writes.
    """
    changes_by_statement: dict[int, list[StatementChange]] = {}
    for x in changes:
        changes_by_statement.setdefault(id(x.original), []).append(x)
    names = {x.partition("#")[0] for x in function.registers}
    writers = _find_writers(copies)
    for group in copies:
        parts: dict[object, list[StatementChange]] = {}
        own_writers = writers.get(len(group.statements), {})
        for index, statement in enumerate(group.statements):
            words = _CopyWords(statement, index, names, own_writers, group.has_equal_numbers)
            own = {words.make_key(x): x for x in changes_by_statement.get(id(statement), ())}
            for key, change in own.items():
                parts.setdefault(key, []).append(change)
        for first, *others in parts.values():
            if others:
                cost = first.cost + (0 if group.has_place else _DOUBTFUL_COST)
                yield first._replace(copies=tuple(others), cost=cost)


_Writers = Mapping[str, tuple[int, int]]
"""The group and the place in it of the statement that writes a register."""


def _find_writers(copies: Sequence[Copies]) -> dict[int, dict[str, tuple[int, int]]]:
    """Return by number of copies which of them write registers."""
    writers: dict[int, dict[str, tuple[int, int]]] = {}
    for number, group in enumerate(copies):
        own = writers.setdefault(len(group.statements), {})
        for place, statement in enumerate(group.statements):
            for name in iter_written_names(statement):
                own.setdefault(name.partition("#")[0], (number, place))
    return writers


class _CopyWords:
    """The words of a copy of a statement, with places instead of registers."""

    def __init__(
        self,
        statement: Statement,
        index: int,
        names: Set[str],
        writers: _Writers,
        has_equal_numbers: bool,
    ) -> None:
        self.parts, self.index, self.writers = _split(statement.text), index, writers
        self.words: dict[str, str] = {}
        """The place of each register, and of each number that the copies do not share."""
        for place, part in enumerate(self.parts):
            for match in _WORD.finditer(part):
                if match[0] in names or (match["number"] and not has_equal_numbers):
                    self.words.setdefault(match[0], f"\0{place}")

    def make_key(self, change: StatementChange) -> object:
        """Return a key that is equal for equal changes of copies."""
        if change.statement.text == change.original.text:
            return _WORD.sub(self._substitute, change.phrase)
        parts = _split(change.statement.text)
        if len(parts) != len(self.parts):
            return tuple(_WORD.sub(self._substitute, x) for x in parts)
        return tuple(
            "" if x == y else _WORD.sub(self._substitute, x)
            for x, y in zip(parts, self.parts, strict=True)
        )

    def _substitute(self, match: re.Match[str]) -> str:
        word = match[0]
        if word in self.writers and word not in self.words:
            number, place = self.writers[word]
            return f"\0{number}{place - self.index:+d}"
        return self.words.get(word, word)


def _split(text: str) -> list[str]:
    """Return the guard with the opcode, and the operands."""
    head, _, operands = text.partition(", ")
    opcode, _, first = head.rpartition(" ")
    return [opcode, first, *operands.split(", ")]
