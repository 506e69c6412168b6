"""The registers that a statement of PTX reads and writes, and what types they must have.

The catalog need not have its instruction, but an opcode of the catalog has the same operands with
types that it lacks: ``add.f32``. Operands of other instructions, and those that are not one
register, have no type here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...engine.isa.catalog import ENTRIES, list_shapes
from ...engine.isa.grammar import is_type_slot
from ...engine.isa.types import Form, ProductWord, Role, Type
from ...engine.syntax.opcodes import ADDRESS_PLACES, ALL_OPCODES, ONE_TYPE, VALUE_PLACES
from ...engine.syntax.register_accesses import find_destinations
from ...engine.syntax.tokens import RawInstruction, Token, TokenKind

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


# --- types (PTX ISA 9.4.1) ---------------------------------------------------------------

_NARROW_ADDRESS_SPACES = frozenset(("shared", "const", "local", "param"))


_VECTORS = frozenset(("v2", "v4", "v8"))


_TYPES = frozenset(str(x) for x in Type if x.bits >= 8) | {"b8"}


class OperandWidth(NamedTuple):
    """What a register must be, as one operand of a statement."""

    register: Token
    type: str
    """An instruction type: ``u32``."""
    can_be_wider: bool = False
    """Whether a wider register is accepted: by ``ld``, ``st`` and ``cvt``."""


def find_widths(statement: RawInstruction) -> Iterator[OperandWidth]:
    """Yield what the registers of a statement must be, as far as it is known."""
    opcode, modifiers = statement.opcode.text, statement.modifier_names
    types = [x for x in modifiers if x in _TYPES]
    operands = statement.operands
    has_vectors = not _VECTORS.isdisjoint(modifiers)
    if not types or not operands:
        return
    if list_shapes(opcode):
        yield from () if has_vectors else _find_catalog_widths(statement, types)
    elif len(types) > 1:
        return
    elif opcode in VALUE_PLACES and has_vectors:
        for words in operands:
            yield from _list_registers(_split_vector(words), types[0], can_be_wider=True)
    elif has_vectors:
        return
    elif opcode in ONE_TYPE:
        yield from _list_registers(operands, types[0])
    elif opcode in VALUE_PLACES:
        first, second = operands[:1], operands[1:2]
        value, address = (second, first) if VALUE_PLACES[opcode] else (first, second)
        yield from _list_registers(value, types[0], can_be_wider=True)
        yield from _list_addresses(address, modifiers)
    elif opcode in ADDRESS_PLACES:
        place = ADDRESS_PLACES[opcode]
        yield from _list_registers((*operands[:place], *operands[place + 1 :]), types[0])
        yield from _list_addresses(operands[place : place + 1], modifiers)


def _find_catalog_widths(statement: RawInstruction, types: list[str]) -> Iterator[OperandWidth]:
    """Yield what the registers must be if the opcode has the operands that the catalog knows."""
    operands, modifiers = statement.operands, statement.modifier_names
    entry = max(list_shapes(statement.opcode.text), key=lambda x: x.is_common)
    names = [slot.name for slot in entry.slots if is_type_slot(slot)]
    parts = [x for words in operands for x in _split_vector(words)]
    if (
        len(names) != len(types)
        or "b8" in types
        or any(x.type is Type.PRED for x in entry.written_sources)
    ):
        return
    if parts:  # `mov.b64 {low, high}, word`
        bits, remainder = divmod(Type(types[0]).bits, len(parts))
        if types[0] in ("b32", "b64") and bits >= 16 and not remainder:
            yield from _list_registers(parts, f"b{bits}")
            yield from _list_registers(operands, types[0])
        return
    word = ProductWord.WIDE if "wide" in modifiers else None
    form = Form(entry.opcode, product_word=word)._replace(
        **dict(zip(names, map(Type, types), strict=True))  # type: ignore[arg-type]
    )
    roles = (*(x for x in entry.destinations if not x.is_implicit), *entry.written_sources)
    for operand, words in zip((*roles, roles[-1]), operands, strict=False):  # `min.f32 d, a, b, c`
        type_: Type | None = operand.get_written_type(form)
        if operand.can_be_wider:
            type_ = form.dtype if operand.role is Role.D else form.atype
        yield from _list_registers([words], str(type_), can_be_wider=operand.can_be_wider)


def _list_registers(
    operands: Sequence[tuple[Token, ...]], type_: str, *, can_be_wider: bool = False
) -> Iterator[OperandWidth]:
    """Yield the operands that are one register and nothing else."""
    for words in operands if can_be_wider or not type_.endswith("8") else ():
        if len(words) == 1 and words[0].kind is TokenKind.NAME:
            yield OperandWidth(words[0], type_, can_be_wider)


def _split_vector(words: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """Return the elements of a list of registers in braces; none for another operand."""
    is_list = len(words) > 2 and words[0].text == "{" and all(x.text == "," for x in words[2:-1:2])
    return [(x,) for x in words[1:-1:2]] if is_list and words[-1].text == "}" else []


def _list_addresses(
    operands: Sequence[tuple[Token, ...]], modifiers: Sequence[str]
) -> Iterator[OperandWidth]:
    """Yield the register of an address; one of 32 bits suits only some state spaces."""
    spaces = {x.partition("::")[0] for x in modifiers}
    for words in operands if not spaces & _NARROW_ADDRESS_SPACES else ():
        if len(words) > 2 and words[0].text == "[" and words[1].kind is TokenKind.NAME:
            yield OperandWidth(words[1], "u64")
