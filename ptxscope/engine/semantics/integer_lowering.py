"""The lowering of the integer instructions beside the 27 (PTX ISA 9.7.1, 9.7.8).

Docstrings cite the sections of docs/semantics.md, and the errata (E…) whose rules they implement.
"""

from __future__ import annotations

from collections.abc import Callable

from ..isa.form import Form
from ..isa.types import BytePair, Cmp, Destinations, ShiftDirection, ShiftMode, Type
from ..micro_operations.base import MicroOperation
from ..micro_operations.comparison import Compare
from ..micro_operations.counts import (
    CountLeadingZeros,
    CountOnes,
    FindNthOne,
    InvertNegative,
    ReplaceValue,
    ReverseBits,
    SubtractFrom,
)
from ..micro_operations.fields import (
    ExtendField,
    FieldMask,
    FoldField,
    InsertField,
    LimitField,
    ReadField,
)
from ..micro_operations.logic import Combine, Not
from ..micro_operations.merge import Pack
from ..micro_operations.numbers import AbsoluteDifference, Accumulate, Add, Multiply
from ..micro_operations.permutation import EvaluateTable, PermuteByMode, PermuteBytes, SelectDigits
from ..micro_operations.properties import Stage
from ..micro_operations.saturation import Wrap
from ..micro_operations.selection import Select
from ..micro_operations.shifts import LimitAmount
from ..micro_operations.word_pairs import JoinWords, TakeWord
from .arithmetic_lowering import LOWERINGS as ARITHMETIC_LOWERINGS
from .arithmetic_lowering import build_lanes
from .plan import Builder, Lowering
from .rules import Rules

# --- permute and logic -------------------------------------------------------------------


def _lower_prmt(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``prmt``: without a mode, four digits of c pick the bytes."""
    if form.permute_mode is None:
        digits = b.add_row(Stage.SELECT, "c", SelectDigits(), "c")
        t = b.add_row(Stage.OPERATE, "t", PermuteBytes(), digits, "a", "b")
    else:
        number = b.add_row(Stage.SELECT, "c", Wrap(2, signed=False), "c")
        t = b.add_row(Stage.OPERATE, "t", PermuteByMode(form.permute_mode), number, "a", "b")
    return {"d": b.add_row(Stage.WRITE, "d", Pack(8), t)}


def _lower_lop3(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``lop3``: with a Boolean operator, p says whether any bit of d is 1."""
    assert form.lut is not None
    t = b.add_row(Stage.OPERATE, "t", EvaluateTable(form.lut), "a", "b", "c")
    results = {} if form.dst is Destinations.SINK_P else b.write_result(t)
    if form.boolop:
        p = b.add_row(Stage.COMPARE, "p", Compare(Cmp.NE, Type.U32), t)
        e = b.add_row(Stage.BOOLEAN, "e", Not(), "e") if form.nege else "e"
        p = b.add_row(Stage.BOOLEAN, "p", Combine(form.boolop), p, e)
        results |= b.write_result(p, role="p")
    return results


# --- bit fields --------------------------------------------------------------------------


def _build_byte(b: Builder, role: str, name: str, bits: int, rules: Rules) -> str:
    """Read a position or a length: the low byte of an operand, at most ``bits`` (E16)."""
    unit = 32 if rules.fields_uncut and bits == 64 else 8
    part = b.add_row(Stage.SELECT, role, Select(unit, ((0, 0),)), role)
    return b.add_row(Stage.OPERATE, name, LimitField(bits, wrap=False), part)


def _lower_bfe(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``bfe``: a field of a, extended (1.7; E15, E16)."""
    bits, signed = form.source_type.bits, form.source_type.signed
    x = b.extend(Stage.EXTEND, "a", "a", bits, signed)
    position = _build_byte(b, "b", "position", bits, rules)
    length = _build_byte(b, "c", "length", bits, rules)
    read = FoldField() if rules.field_folded else ReadField(bits, signed)
    return b.write_result(b.add_row(Stage.OPERATE, "t", read, x, position, length))


def _lower_bfi(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``bfi`` (E16)."""
    bits = form.source_type.bits
    position = _build_byte(b, "c", "position", bits, rules)
    length = _build_byte(b, "e", "length", bits, rules)
    t = b.add_row(Stage.OPERATE, "t", InsertField(bits), "a", "b", position, length)
    return b.write_result(t)


def _build_limit(b: Builder, form: Form, role: str, name: str) -> str:
    """Limit a position or a length to 32, or take its low five bits with ``.wrap``."""
    return b.add_row(Stage.OPERATE, name, LimitField(32, form.mode is ShiftMode.WRAP), role)


def _lower_shf(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``shf``: the word of the pair b:a that begins at bit c, or at bit 32 - c for ``.l``."""
    pair = b.add_row(Stage.OPERATE, "pair", JoinWords(), "a", "b")
    start = b.add_row(Stage.OPERATE, "amount", LimitAmount(form.mode is ShiftMode.WRAP), "c")
    if form.direction is ShiftDirection.LEFT:
        start = b.add_row(Stage.OPERATE, "start", SubtractFrom(32), start)
    return b.write_result(b.add_row(Stage.OPERATE, "t", TakeWord(), pair, start))


def _lower_szext(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    length = _build_limit(b, form, "b", "length")
    extend = ExtendField(32, form.stype is Type.S32)
    return b.write_result(b.add_row(Stage.OPERATE, "t", extend, "a", length))


def _lower_bmsk(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    position = _build_limit(b, form, "a", "position")
    length = _build_limit(b, form, "b", "length")
    return b.write_result(b.add_row(Stage.OPERATE, "t", FieldMask(32), position, length))


def _make_lowering(kind: Callable[[int], MicroOperation]) -> Lowering:
    """Return the lowering of an operation on all bits of a."""

    def lower(b: Builder, form: Form, _: Rules) -> dict[str, str]:
        return b.write_result(b.add_row(Stage.OPERATE, "t", kind(form.source_type.bits), "a"))

    return lower


def _lower_bfind(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``bfind``: all ones if every bit is like the sign, with ``.shiftamt`` too."""
    bits = form.source_type.bits
    x = "a"
    if form.source_type.signed:
        x = b.extend(Stage.EXTEND, "a", "a", bits, signed=True)
        x = b.add_row(Stage.OPERATE, "pattern", InvertNegative(bits), x)
    count = b.add_row(Stage.OPERATE, "zeros", CountLeadingZeros(bits), x)
    last = ReplaceValue(bits, -1) if form.shiftamt else SubtractFrom(bits - 1)
    return b.write_result(b.add_row(Stage.OPERATE, "t", last, count))


def _lower_fns(b: Builder, _: Form, rules: Rules) -> dict[str, str]:
    """Lower ``fns`` (E17)."""
    offset = b.extend(Stage.EXTEND, "c", "c", 32, signed=True)
    find = FindNthOne(rules.offset_overflows)
    return b.write_result(b.add_row(Stage.OPERATE, "t", find, "a", "b", offset))


# --- sums of products and differences ----------------------------------------------------


def _lower_dp4a(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``dp4a``: the products of four pairs of bytes."""
    lanes = range(4)
    x = build_lanes(b, "a", form.atype is Type.S32, 8, lanes)
    y = build_lanes(b, "b", form.btype is Type.S32, 8, lanes)
    return _build_dot_product(b, form, x, y, 4)


def _lower_dp2a(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``dp2a``: the products of both half-words of a and the low or high bytes of b."""
    first = 2 if form.byte_pair is BytePair.HI else 0
    x = build_lanes(b, "a", form.atype is Type.S32, 16, range(2))
    y = build_lanes(b, "b", form.btype is Type.S32, 8, range(first, first + 2))
    return _build_dot_product(b, form, x, y, 2)


def _build_dot_product(b: Builder, form: Form, x: str, y: str, count: int) -> dict[str, str]:
    t = b.add_row(Stage.OPERATE, "t", Multiply(), x, y)
    signed = form.dot_type is Type.S32
    c = b.extend(Stage.ACCUMULATE, "c", "c", 32, signed=True) if signed else "c"
    total = b.add_row(Stage.ACCUMULATE, "t", Accumulate(tuple(range(count)), count), t, c)
    return b.write_result(total)


def _lower_sad(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``sad``: c plus |a - b|, modulo the width."""
    bits, signed = form.source_type.bits, form.source_type.signed
    x, y = (b.extend(Stage.EXTEND, role, role, bits, signed) for role in "ab")
    t = b.add_row(Stage.OPERATE, "t", AbsoluteDifference(), x, y)
    c = b.extend(Stage.SUM, "c", "c", bits, signed)
    return b.write_result(b.add_row(Stage.SUM, "t", Add(), t, c))


LOWERINGS: dict[str, Lowering] = {
    **ARITHMETIC_LOWERINGS,
    "prmt": _lower_prmt,
    "lop3": _lower_lop3,
    "bfe": _lower_bfe,
    "bfi": _lower_bfi,
    "shf": _lower_shf,
    "szext": _lower_szext,
    "bmsk": _lower_bmsk,
    "brev": _make_lowering(ReverseBits),
    "clz": _make_lowering(CountLeadingZeros),
    "popc": _make_lowering(CountOnes),
    "bfind": _lower_bfind,
    "fns": _lower_fns,
    "dp4a": _lower_dp4a,
    "dp2a": _lower_dp2a,
    "sad": _lower_sad,
}
"""The lowering of each opcode."""
