"""Operands of statements, whatever their opcodes."""

from __future__ import annotations

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
