"""Simple instructions that a run executes besides the 27 instructions: moves, bits, sums.

They carry values from one explained instruction to the next, so they need no stages: each is one
function on unsigned bits, and its result is truncated to the width of the instruction.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from ..isa.integers import cast, get_limits
from ..isa.types import Type
from ..records import NamedTuple

_WORD = get_limits(32, signed=False).high
_SIGNED = get_limits(32, signed=True)


class PlainOperation(NamedTuple):
    """The computation of a simple instruction."""

    type: Type
    """Type of the destination and of every source; a predicate is 0 or 1."""
    sources: int
    compute: Callable[..., int]
    """Function of unsigned bits; only the low bits of its result count."""

    def compute_result(self, values: tuple[int, ...]) -> int:
        """Return the destination's bits, unsigned, from the bits of each source."""
        return self.compute(*values) & get_limits(self.type.bits, signed=False).high


def find_operation(name: str) -> PlainOperation | None:
    """Return the operation of an opcode with modifiers (``shr.s32``), or None."""
    return _OPERATIONS.get(name)


def join(parts: tuple[int, ...]) -> int:
    """Return the word that ``mov.b32 d, {low, high}`` makes of two half-words."""
    return parts[1] << 16 | parts[0]


def split(word: int) -> tuple[int, ...]:
    """Return the half-words, low and high, that ``mov.b32 {low, high}, a`` makes of a word."""
    return word & 0xFFFF, word >> 16


def _shift_left(word: int, amount: int) -> int:
    return word << amount if amount < 32 else 0


def _shift_right(word: int, amount: int) -> int:
    return word >> amount if amount < 32 else 0


def _shift_right_signed(word: int, amount: int) -> int:
    return cast(word, 32, True) >> min(amount, 31)


def _make_saturating(sum_: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def saturate(x: int, y: int) -> int:
        exact = sum_(cast(x, 32, True), cast(y, 32, True))
        return max(_SIGNED.low, min(_SIGNED.high, exact))

    return saturate


def _compute_lop3(a: int, b: int, c: int, table: int) -> int:
    """Look up each result bit in the table: the index is the bits of a, b, c, a highest."""
    result = 0
    for index in range(8):
        if table >> index & 1:
            word = _WORD
            for place, source in ((4, a), (2, b), (1, c)):
                word &= source if index & place else ~source
            result |= word
    return result


def _compute_prmt(a: int, b: int, control: int) -> int:
    """Return four bytes of {b, a}, or their signs, by the digits of the control."""
    pair = (b << 32 | a).to_bytes(8, "little")
    picked = bytearray()
    for index in range(4):
        digit = control >> 4 * index & 0xF
        byte = pair[digit & 7]
        picked.append((0xFF if byte & 0x80 else 0) if digit & 8 else byte)
    return int.from_bytes(picked, "little")


_PERMUTATIONS = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}
"""Selectors by the two low control bits, for each mode of ``prmt`` (PTX ISA 9.7.9.7)."""


def _make_permute_mode(selectors: tuple[int, ...]) -> Callable[[int, int, int], int]:
    return lambda a, b, control: _compute_prmt(a, b, selectors[control & 3])


def _copy_word(word: int) -> int:
    return word


def _make_operations() -> dict[str, PlainOperation]:
    words: dict[str, tuple[int, Callable[..., int]]] = {
        "and": (2, operator.and_),
        "or": (2, operator.or_),
        "xor": (2, operator.xor),
        "not": (1, operator.invert),
    }
    operations = {f"mov.{type_}": PlainOperation(type_, 1, _copy_word) for type_ in _MOVE_TYPES}
    for type_ in (Type.B32, Type.PRED):
        for name, (sources, compute) in words.items():
            operations[f"{name}.{type_}"] = PlainOperation(type_, sources, compute)
    for type_ in (Type.U32, Type.S32):
        operations[f"add.{type_}"] = PlainOperation(type_, 2, operator.add)
        operations[f"sub.{type_}"] = PlainOperation(type_, 2, operator.sub)
    operations["add.sat.s32"] = PlainOperation(Type.S32, 2, _make_saturating(operator.add))
    operations["sub.sat.s32"] = PlainOperation(Type.S32, 2, _make_saturating(operator.sub))
    operations["shl.b32"] = PlainOperation(Type.B32, 2, _shift_left)
    operations["shr.b32"] = PlainOperation(Type.B32, 2, _shift_right)
    operations["shr.u32"] = PlainOperation(Type.U32, 2, _shift_right)
    operations["shr.s32"] = PlainOperation(Type.S32, 2, _shift_right_signed)
    operations["lop3.b32"] = PlainOperation(Type.B32, 4, _compute_lop3)
    operations["prmt.b32"] = PlainOperation(Type.B32, 3, _compute_prmt)
    for mode, selectors in _PERMUTATIONS.items():
        operations[f"prmt.b32.{mode}"] = PlainOperation(Type.B32, 3, _make_permute_mode(selectors))
    return operations


_MOVE_TYPES = (Type.B32, Type.U32, Type.S32, Type.F32, Type.PRED)
_OPERATIONS = _make_operations()
