"""Operands of statements, whatever their opcodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class RegisterOperand(NamedTuple):
    """A register, or one component of a vector register: ``v.x``."""

    name: str
    """Unique in the function; ``t#2`` is the second register of that name."""
    is_negated: bool = False
    """Whether it is written ``!p``."""


class ConstantOperand(NamedTuple):
    """A literal or a constant expression."""

    value: int | float
    pattern: int | None = None
    """The bits of a float written as such."""


class SpecialOperand(NamedTuple):
    """A special register: ``%tid.x``."""

    name: str


class SymbolOperand(NamedTuple):
    """A variable, a function or a label, and a distance in bytes."""

    name: str
    offset: int = 0
    is_generic: bool = False
    """Whether it is written ``generic(name)`` in an initializer."""


class MemoryOperand(NamedTuple):
    """``[base+offset]``."""

    base: RegisterOperand | SymbolOperand | ConstantOperand
    offset: int = 0


class VectorOperand(NamedTuple):
    """``{a, b}``."""

    parts: tuple[Operand, ...]


class PairOperand(NamedTuple):
    """``d|p``."""

    parts: tuple[Operand, ...]


class ListOperand(NamedTuple):
    """``(a, b)``: the arguments or the results of a call."""

    parts: tuple[Operand, ...]


class SinkOperand(NamedTuple):
    """``_``: a result that is discarded."""


Operand = (
    RegisterOperand
    | ConstantOperand
    | SpecialOperand
    | SymbolOperand
    | MemoryOperand
    | VectorOperand
    | PairOperand
    | ListOperand
    | SinkOperand
)


def iter_register_names(operand: Operand | None) -> Iterator[str]:
    """Yield the registers of an operand, except those of an address."""
    if isinstance(operand, RegisterOperand):
        yield operand.name
    elif isinstance(operand, (VectorOperand, PairOperand, ListOperand)):
        for part in operand.parts:
            yield from iter_register_names(part)


TYPE_BITS: Mapping[str, int] = {
    "pred": 1,
    **{f"{kind}8": 8 for kind in "bus"},
    **{f"{kind}16": 16 for kind in "bus"},
    **{f"{kind}32": 32 for kind in "busf"},
    **{f"{kind}64": 64 for kind in "busf"},
    **dict.fromkeys(("f16", "bf16", "u8x2", "s8x2", "e4m3x2", "e5m2x2"), 16),
    **dict.fromkeys(("f16x2", "bf16x2", "u16x2", "s16x2", "u8x4", "s8x4", "tf32"), 32),
    **dict.fromkeys(("f32x2",), 64),
    "b128": 128,
}
"""The widths of PTX types in bits."""
