"""The registers that a statement of PTX reads and writes, whatever its opcode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import dropwhile
from typing import NamedTuple

from ..isa.catalog import ENTRIES
from ..isa.other_opcodes import BARRIERS, WITHOUT_DESTINATION
from .opcodes import OPCODES, OTHER_OPCODES
from .tokens import RawInstruction, Token, TokenKind

_ZEROING = frozenset(x.opcode for x in ENTRIES if x.is_zero_of_equals)
"""Opcodes whose result is 0 if both sources are one register."""


class RegisterAccesses(NamedTuple):
    """The names that a statement reads, and those that it writes."""

    reads: tuple[Token, ...] = ()
    writes: tuple[Token, ...] = ()


def find_accesses(statement: RawInstruction) -> RegisterAccesses | None:
    """Return what a statement reads and writes; None if its opcode is unknown.

    The names include those of variables, labels and functions. The guard is one of the reads.
    """
    opcode = statement.opcode.text
    if opcode not in OPCODES and opcode not in OTHER_OPCODES:
        return None
    guard = (statement.guard,) if statement.guard else ()
    operands = statement.operands
    if operands:  # `.32x32b` and what follows it are modifiers
        operands = (tuple(dropwhile(_is_modifier, operands[0])), *operands[1:])
    if not _has_destination(statement, operands):
        return RegisterAccesses((*guard, *_list_names(operands)))
    count = 1
    if opcode == "mbarrier":  # `p|q, value, [address]`
        count = next((n for n, x in enumerate(operands) if x and x[0].text == "["), 1)
    elif opcode == "tcgen05" and {"ld", "red"} <= {*statement.modifier_names}:
        count = 2  # `{values}, reduced, [address]`
    sources = operands[count:]
    if opcode in _ZEROING and len(sources) == 2 and _format(sources[0]) == _format(sources[1]):
        sources = ()
    return RegisterAccesses((*guard, *_list_names(sources)), _list_names(operands[:count]))


def _is_modifier(word: Token) -> bool:
    return word.text.startswith(".")


def _has_destination(statement: RawInstruction, operands: Sequence[Sequence[Token]]) -> bool:
    """Return whether the first operand is written."""
    opcode, modifiers = statement.opcode.text, statement.modifier_names
    if not operands or not operands[0]:
        return False
    first = operands[0][0].text
    if opcode == "call":
        return first == "("
    if opcode in BARRIERS:
        return "red" in modifiers
    is_freed = opcode == "tcgen05" and "dealloc" in modifiers
    return first != "[" and opcode not in WITHOUT_DESTINATION and not is_freed


def _list_names(operands: Iterable[tuple[Token, ...]]) -> tuple[Token, ...]:
    return tuple(word for words in operands for word in words if word.kind is TokenKind.NAME)


def _format(operand: tuple[Token, ...]) -> str:
    return " ".join(word.text for word in operand)
