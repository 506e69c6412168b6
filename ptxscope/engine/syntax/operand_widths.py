"""The types of the operands of common PTX instructions that the catalog lacks.

Each is a type, and whether a wider register is accepted (PTX ISA 9.4.1): by ``ld``, ``st`` and
``cvt``. Operands of other instructions, and those that are not one register, have no type here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..isa.types import Type
from .tokens import RawInstruction, Token, TokenKind

_ONE_TYPE = frozenset(
    """
    abs add addc and brev cnot copysign cos cvta div ex2 fma lg2 mad mad24 madc max min mov
    mul mul24 neg not or rcp rem rsqrt sad sin sqrt sub subc tanh xor
    """.split()
)
"""Opcodes whose operands all have the instruction's type."""
_SHIFTS = frozenset(("shl", "shr"))
_COUNTS = frozenset(("popc", "clz", "bfind"))
_PRODUCTS = frozenset(("mul", "mad"))
_NARROW_ADDRESS_SPACES = frozenset(("shared", "const", "local", "param"))
_VECTOR_ACCESSES = frozenset(("ld", "ldu", "st"))
_VECTORS = frozenset(("v2", "v4", "v8"))
_TYPES = frozenset(str(x) for x in Type if x is not Type.PRED) | {"u8", "s8", "b8"}


class OperandWidth(NamedTuple):
    """What a register must be, as one operand of a statement."""

    register: Token
    type: str
    """An instruction type: ``u32``."""
    can_be_wider: bool = False


def find_widths(statement: RawInstruction) -> Iterator[OperandWidth]:
    """Yield what the registers of a statement must be, as far as it is known."""
    opcode, modifiers = statement.opcode.text, statement.modifier_names
    types = [x for x in modifiers if x in _TYPES]
    operands = statement.operands
    if not types or not operands:
        return
    type_ = types[0]
    if opcode == "cvt" and len(types) == 2:
        yield from _list_registers(operands[:1], types[0], can_be_wider=True)
        yield from _list_registers(operands[1:], types[1], can_be_wider=True)
    elif len(types) > 1:
        return
    elif opcode in _VECTOR_ACCESSES and any(x in _VECTORS for x in modifiers):
        for words in operands:
            yield from _list_registers(_split_vector(words), type_, can_be_wider=True)
    elif any(x in _VECTORS for x in modifiers):
        return
    elif opcode == "mov" and any(_split_vector(x) for x in operands):
        parts = [x for words in operands for x in _split_vector(words)]
        bits, remainder = divmod(int(type_[1:]), len(parts))
        if type_[0] == "b" and bits >= 16 and not remainder:
            yield from _list_registers(parts, f"b{bits}")
            yield from _list_registers(operands, type_)
    elif opcode in _PRODUCTS and "wide" in modifiers:
        wide = f"{type_[0]}{2 * int(type_[1:])}" if type_ in ("u16", "s16", "u32", "s32") else ""
        yield from _list_registers((*operands[:1], *operands[3:]), wide) if wide else ()
        yield from _list_registers(operands[1:3], type_) if wide else ()
    elif opcode in _ONE_TYPE:
        yield from _list_registers(operands, type_)
    elif opcode in _SHIFTS:
        yield from _list_registers(operands[:2], type_)
        yield from _list_registers(operands[2:3], "u32")
    elif opcode in _COUNTS:
        yield from _list_registers(operands[:1], "u32")
        yield from _list_registers(operands[1:2], type_)
    elif opcode in ("ld", "ldu", "st"):
        value, address = operands[:1], operands[1:2]
        value, address = (address, value) if opcode == "st" else (value, address)
        yield from _list_registers(value, type_, can_be_wider=True)
        yield from _list_addresses(address, modifiers)
    elif opcode in ("atom", "red"):
        first = opcode == "atom"
        yield from _list_registers((*operands[:first], *operands[first + 1 :]), type_)
        yield from _list_addresses(operands[first : first + 1], modifiers)


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
