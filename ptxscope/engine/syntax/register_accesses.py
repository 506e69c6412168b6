"""The registers that a statement of PTX reads and writes, whatever its opcode."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ..isa.catalog import ENTRIES
from ..isa.other_opcodes import BARRIERS, CALLS, FREEING, REDUCING, WITHOUT_DESTINATION
from .opcodes import ALL_OPCODES
from .tokens import RawInstruction, Token, TokenKind

_ZEROING = frozenset(x.opcode for x in ENTRIES if x.is_zero_of_equals)
"""Opcodes whose result is 0 if both sources are one register."""


class RegisterAccesses(NamedTuple):
    """The names that a statement reads, and those that it writes."""

    reads: tuple[Token, ...] = ()
    writes: tuple[Token, ...] = ()


def count_written(opcode: str, modifiers: Collection[str], openings: Sequence[str]) -> int:
    """Return how many of the first operands of a statement are written.

    ``openings`` has the first word of each operand: ``(`` of a list, ``[`` of an address.
    """
    if opcode in CALLS:
        return int(openings[:1] == ["("])
    if opcode in BARRIERS:
        return int(REDUCING in modifiers)
    if opcode in WITHOUT_DESTINATION or FREEING in modifiers:
        return 0
    return openings.index("[") if "[" in openings else 1


def find_destinations(statement: RawInstruction) -> tuple[tuple[Token, ...], ...]:
    """Return the operands that a statement writes; an unknown opcode writes the first."""
    openings = [
        next((x.text for x in words if x.text[0] != "."), "") for words in statement.operands
    ]
    return statement.operands[
        : count_written(statement.opcode.text, statement.modifier_names, openings)
    ]


def find_accesses(statement: RawInstruction) -> RegisterAccesses | None:
    """Return what a statement reads and writes; None if its opcode is unknown.

    The names include those of variables, labels and functions. The guard is one of the reads.
    """
    opcode = statement.opcode.text
    if opcode not in ALL_OPCODES:
        return None
    guard = (statement.guard,) if statement.guard else ()
    destinations = find_destinations(statement)
    sources = statement.operands[len(destinations) :]
    if opcode in _ZEROING and len(sources) == 2 and _format(sources[0]) == _format(sources[1]):
        sources = ()
    return RegisterAccesses((*guard, *_list_names(sources)), _list_names(destinations))


def _list_names(operands: Iterable[tuple[Token, ...]]) -> tuple[Token, ...]:
    return tuple(word for words in operands for word in words if word.kind is TokenKind.NAME)


def _format(operand: tuple[Token, ...]) -> str:
    return " ".join(word.text for word in operand)
