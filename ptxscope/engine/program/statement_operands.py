"""Operands of statements, whatever their opcodes, and their reading from tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from ..isa.encodings import encode_float
from ..isa.types import Type
from ..syntax.constants import BadConstantError, evaluate_constant
from ..syntax.operands import COMPONENTS, SPECIAL
from ..syntax.tokens import Token, TokenKind, is_constant


class RegisterOperand(NamedTuple):
    """A register, or one component of a vector register: ``v.x``."""

    name: str
    """Unique in the function; ``t#2`` is the second register named ``t``."""
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
    """A variable, a function or a label, plus a distance in bytes."""

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


_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
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


def read_operand(words: Sequence[Token], registers: Collection[str]) -> Operand | None:
    """Return an operand, or None for any other kind; ``registers`` are the names of registers."""
    if not words:
        return None
    if len(words) == 1:
        return _read_single(words, registers)
    first, last = words[0].text, words[-1].text
    if (first, last) == ("{", "}") and len(words) > 2:
        return _wrap(VectorOperand, _read_parts(words[1:-1], ",", registers))
    is_list = not is_constant(words) or any(word.text == "," for word in words)
    if (first, last) == ("(", ")") and is_list:
        return _wrap(ListOperand, _read_parts(words[1:-1], ",", registers))
    if (first, last) == ("[", "]"):
        return _read_address(words[1:-1], registers)
    if any(word.text == "|" for word in words) and not is_constant(words):
        return _wrap(PairOperand, _read_parts(words, "|", registers))
    return _read_single(words, registers)


def _read_single(words: Sequence[Token], registers: Collection[str]) -> Operand | None:
    """Read an operand without nested operands."""
    first = words[0].text
    if is_constant(words) and not (first == "!" and len(words) == 2):
        return read_constant(words)
    if first == "!" and len(words) > 1:
        inner = _read_name(words[1:], registers)
        if isinstance(inner, RegisterOperand):
            return inner._replace(is_negated=True)
        return None
    return _read_name(words, registers)


def _read_parts(
    words: Sequence[Token], separator: str, registers: Collection[str]
) -> list[Operand | None]:
    return [_read_part(x, registers) for x in split_words(words, separator) if x]


def split_words(words: Sequence[Token], separator: str) -> list[list[Token]]:
    """Split words at a separator outside of brackets."""
    parts, depth = list[list[Token]]([[]]), 0
    for word in words:
        depth += _BRACKETS.get(word.text, 0)
        if word.text == separator and not depth:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _read_part(words: Sequence[Token], registers: Collection[str]) -> Operand | None:
    """Read a part of an operand: a single operand, or a vector, as in ``{a, b}|p``."""
    if words[0].text == "{":
        parts = [_read_single(words[i : i + 1], registers) for i in range(1, len(words) - 1, 2)]
        return _wrap(VectorOperand, parts)
    return _read_single(words, registers)


def _read_name(words: Sequence[Token], registers: Collection[str]) -> Operand | None:
    """Read a register, a special register, or a symbol with a distance."""
    name = words[0].text
    if words[0].kind is not TokenKind.NAME:
        return None
    if name == "_":
        return SinkOperand() if len(words) == 1 else None
    component = "".join([COMPONENTS.get(word.text, "?") for word in words[1:]])
    if name + component in registers:
        return RegisterOperand(name + component)
    if f"{name}.x" in registers and len(words) == 1:
        parts = (RegisterOperand(name + x) for x in (".x", ".y", ".z", ".w"))
        return VectorOperand(tuple(x for x in parts if x.name in registers))
    if SPECIAL.fullmatch(name) and len(component) in (0, 2) and "?" not in component:
        return SpecialOperand(name + component)
    return read_symbol(words)


def _read_address(words: Sequence[Token], registers: Collection[str]) -> MemoryOperand | None:
    """Read the words within ``[ ]``."""
    if not words:
        return None
    if words[0].kind is not TokenKind.NAME:
        constant = read_constant(words)
        return constant and MemoryOperand(constant)
    if words[0].text in registers:
        offset = _read_offset(words[1:])
        if offset is None:
            return None
        return MemoryOperand(RegisterOperand(words[0].text), offset)
    symbol = read_symbol(words)
    return symbol and MemoryOperand(symbol._replace(offset=0), symbol.offset)


def _wrap(
    make: Callable[[tuple[Operand, ...]], Operand], parts: list[Operand | None]
) -> Operand | None:
    known_parts = tuple(x for x in parts if x is not None)
    return make(known_parts) if len(known_parts) == len(parts) else None


def read_constant(words: Sequence[Token]) -> ConstantOperand | None:
    """Return a literal or a constant expression; None if it is invalid."""
    try:
        constant = evaluate_constant(words)
    except BadConstantError:
        return None
    return ConstantOperand(constant.value, constant.pattern)


def _read_offset(words: Sequence[Token]) -> int | None:
    """Return the number of ``+4`` or ``+-4``, 0 for no words, None for anything else."""
    if not words:
        return 0
    constant = read_constant(words) if words[0].text in "+-" else None
    return constant.value if constant and isinstance(constant.value, int) else None


def read_symbol(words: Sequence[Token]) -> SymbolOperand | None:
    """Return a name with a distance, such as ``x+4``; None for other words."""
    if words[0].kind is not TokenKind.NAME:
        return None
    offset = _read_offset(words[1:])
    return None if offset is None else SymbolOperand(words[0].text, offset)


def convert_constant_operand(constant: ConstantOperand, type_: str) -> int:
    """Return the bits of a constant for a type: ``u8`` to ``f64``."""
    bits = TYPE_BITS[type_]
    if constant.pattern is not None and bits >= 32:
        return constant.pattern
    if isinstance(constant.value, float):
        return encode_float(constant.value, Type({32: "f32", 16: "f16"}.get(bits, "f64")))
    return int(constant.value) & ((1 << bits) - 1)
