"""Statements that differ only in their numbered registers, as one text: a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import NamedTuple

from ...engine.syntax.opcodes import ALL_OPCODES, BRANCHES, STORES
from ...engine.syntax.tokens import RawInstruction, Token, find_statements
from .statement_registers import find_accesses, is_padding, list_names

RegisterPicker = Callable[[Sequence[str]], tuple[str, ...]]
"""Function that picks some registers out of a sequence."""
_NUMBERED = re.compile(r"(%(?:r|rd|rs|rc|rl|rh|f|fd|fl|p|h|hh|b|q)?\d+)", re.ASCII)
_STAND_IN = re.compile(r"%z(\d++)", re.ASCII)


def split_registers(text: str) -> tuple[tuple[object, ...], Sequence[str]]:
    """Return the text that a statement shares with others of its template, and its registers.

    There are none if the statement has a register named like a stand-in.
    """
    if "%" not in text or "%z" in text:
        return (text,), ()
    parts = _NUMBERED.split(text)
    registers: Sequence[str] = parts[1::2]
    key: tuple[object, ...] = tuple(parts[::2])
    if len(set(registers)) < len(registers):  # repeated registers distinguish the key
        order = [*dict.fromkeys(registers)]
        key = (*key, *map(order.index, registers))
        registers = order
    return key, registers


def make_template(text: str, registers: Sequence[str]) -> str:
    """Return a statement with stand-ins: ``%z0`` for the first of its registers."""
    numbers = {register: number for number, register in enumerate(registers)}
    return _NUMBERED.sub(lambda match: f"%z{numbers[match[0]]}", text) if registers else text


def fill_template(text: str, registers: Sequence[str]) -> str:
    """Return a template, or a message about one, with a statement's registers."""
    if not registers or "%z" not in text:
        return text
    return _STAND_IN.sub(lambda match: registers[int(match[1])], text)


def make_picker(names: Sequence[str]) -> RegisterPicker | None:
    """Return the function that picks the registers of some stand-ins; None if there are others."""
    numbers = [int(match[1]) for name in names if (match := _STAND_IN.fullmatch(name))]
    if len(numbers) < len(names):
        return None
    if len(numbers) > 1:
        return itemgetter(*numbers)
    number = numbers[0] if numbers else 0
    return lambda registers: (registers[number],) if numbers else ()


class StatementTemplate(NamedTuple):
    """Names, types and accesses that the statements of a template share."""

    names: tuple[str, ...]
    """The names that may be registers, without the numbered ones."""
    accepted_types: set[tuple[object, ...]]
    """Some declarations that need no diagnostic."""
    reads: tuple[RegisterPicker, tuple[str, ...]]
    """The numbered registers that are read, and other names."""
    writes: tuple[RegisterPicker, tuple[str, ...]]
    has_known_accesses: bool
    """Whether the reads and writes are known."""
    is_branch: bool

    def list_reads(self, registers: Sequence[str]) -> tuple[str, ...]:
        """Return the names that a statement with these numbered registers reads."""
        pick, names = self.reads
        return pick(registers) + names

    def list_writes(self, registers: Sequence[str]) -> tuple[str, ...]:
        """Return the names that a statement with these numbered registers writes."""
        pick, names = self.writes
        return pick(registers) + names


def read_template(text: str, registers: Sequence[str]) -> StatementTemplate:
    """Return the known properties of a template's statements, without the reads of its padding."""
    names, reads, writes = list[str](), list[str](), list[str]()
    statements = list(find_statements(text, ALL_OPCODES))
    is_known = True
    for statement in statements:
        names += [x.text for x in list_names(statement)]
        names += [x.text for x in [statement.guard] if x]
        accesses = find_accesses(statement)
        is_known &= accesses is not None
        if accesses:
            reads += [x.text for x in accesses.reads if not _may_be_unwritten(statement, x)]
            writes += [x.text for x in accesses.writes]
    is_branch = any(x.opcode.text in BRANCHES for x in statements)
    return StatementTemplate(
        _split_names(names, registers)[1],
        set(),
        _make_name_picker(reads, registers),
        _make_name_picker(writes, registers),
        is_known,
        is_branch,
    )


def _may_be_unwritten(statement: RawInstruction, register: Token) -> bool:
    """Return whether compilers let a statement read a register that has no value.

    They pack halves that nothing reads, and store elements of vectors and objects of empty classes.
    """
    if statement.opcode.text not in STORES or register is statement.guard:
        return is_padding(statement, register)
    value = statement.operands[1] if len(statement.operands) > 1 else ()
    if not value or not value[0].start <= register.start <= value[-1].start:
        return False
    return value[0].text == "{" or not {"b8", "s8", "u8"}.isdisjoint(statement.modifier_names)


def _split_names(
    names: Sequence[str], registers: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the stand-ins for registers, and the other names."""
    unique_names = dict.fromkeys(names)
    stand_ins = {x: None for x in unique_names if registers and _STAND_IN.fullmatch(x)}
    return tuple(stand_ins), tuple(x for x in unique_names if x not in stand_ins)


def _make_name_picker(
    names: Sequence[str], registers: Sequence[str]
) -> tuple[RegisterPicker, tuple[str, ...]]:
    stand_ins, others = _split_names(names, registers)
    pick = make_picker(stand_ins)
    assert pick
    return pick, others
