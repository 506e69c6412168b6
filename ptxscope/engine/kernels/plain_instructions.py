"""Simple instructions that a run executes, but does not explain: sums, moves, shifts.

They carry values from one explained instruction to the next. Common instructions of the catalog,
such as ``add.u32``, are computed by their plans. The others are functions on unsigned bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache

from ..isa.catalog import find_entry
from ..isa.form import Form
from ..isa.integers import cast, get_limits
from ..isa.types import Type
from ..records import NamedTuple
from ..semantics.lowering import lower
from ..semantics.plan_execution import compute_results
from ..syntax.opcodes import is_passed_over


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
    return _OPERATIONS.get(name) or _find_common_operation(name)


@cache
def _find_common_operation(name: str) -> PlainOperation | None:
    """Return the operation of a common instruction of the catalog: ``add.u32``."""
    opcode, *modifiers = name.split(".")
    entry = find_entry(opcode, modifiers)
    if entry is None or not entry.is_common or not is_passed_over(opcode, modifiers):
        return None
    type_ = next((x for x in entry.slots[-1].values if [x] == modifiers), None)
    if not isinstance(type_, Type) or type_.bits == 64:  # a run has no addresses
        return None
    plan = lower(Form(opcode, stype=type_))
    roles = [operand.role for operand in entry.sources]

    def compute(*bits: int) -> int:
        return compute_results(plan, dict(zip(roles, bits, strict=True)))["d"]

    return PlainOperation(type_, len(roles), compute)


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
    operations["shl.b32"] = PlainOperation(Type.B32, 2, _shift_left)
    operations["shr.b32"] = PlainOperation(Type.B32, 2, _shift_right)
    operations["shr.u32"] = PlainOperation(Type.U32, 2, _shift_right)
    operations["shr.s32"] = PlainOperation(Type.S32, 2, _shift_right_signed)
    return operations


_MOVE_TYPES = (Type.B32, Type.U32, Type.S32, Type.F32, Type.PRED)
_OPERATIONS = _make_operations()
