"""The lowering of the integer instructions outside the 27 (PTX ISA 9.7.1, 9.7.2, 9.7.8, 9.7.9).

Docstrings cite the sections of docs/semantics.md, and the errata (E…) and misconceptions (H…) whose
rules they implement.
"""

from __future__ import annotations

from collections.abc import Callable

from ..isa.encodings import get_limits
from ..isa.types import (
    BoolOp,
    Cmp,
    Destinations,
    Form,
    ProductWord,
    ShiftDirection,
    ShiftMode,
    Type,
)
from ..micro_operations.base import MicroOperation
from ..micro_operations.bitwise import (
    CombineBits,
    InvertBits,
    JoinFields,
    JoinWords,
    Magnitude,
    TakeBits,
    TakeWord,
)
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
from ..micro_operations.logic import Combine, Encode, Not
from ..micro_operations.merge import Merge, Pack
from ..micro_operations.numbers import (
    AbsoluteDifference,
    Accumulate,
    Add,
    Maximum,
    Minimum,
    Multiply,
    Negate,
    Subtract,
)
from ..micro_operations.permutation import EvaluateTable, PermuteByMode, PermuteBytes, SelectDigits
from ..micro_operations.properties import Stage
from ..micro_operations.saturation import Wrap
from ..micro_operations.selection import Select
from ..micro_operations.shifts import Divide, LimitAmount, Remainder, ShiftLeft, ShiftRight
from .plan import Builder, Lowering
from .rules import Rules


def _lower_mov(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    return b.write_result(_read_source(b, form, "a"))


def _read_source(b: Builder, form: Form, role: str) -> str:
    """Return an operand, negated if it is written ``!a``."""
    is_negated = form.nega if role == "a" else form.negb
    return b.add_row(Stage.BOOLEAN, role, Not(), role) if is_negated else role


def _lower_logic(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``and``, ``or``, ``xor`` and ``not``."""
    type_, roles = form.source_type, "a" if form.opcode == "not" else "ab"
    if type_ is Type.PRED:
        sources = [_read_source(b, form, role) for role in roles]
        micro = Combine(BoolOp(form.opcode)) if sources[1:] else Not()
        t = b.add_row(Stage.BOOLEAN, "t", micro, *sources)
    else:
        is_not, bits = form.opcode == "not", type_.bits
        operation = InvertBits(bits) if is_not else CombineBits(bits, BoolOp(form.opcode))
        t = b.add_row(Stage.OPERATE, "t", operation, *map(b.read_bytes, roles))
    return b.write_result(t)


def _lower_shift(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``shl`` and ``shr``: an amount above the width counts as the width (H12, H14)."""
    bits, signed = form.source_type.bits, form.source_type.signed
    x = b.extend(Stage.EXTEND, "a", "a", bits, signed) if signed else b.read_bytes("a")
    wrap = Wrap(bits.bit_length() - 1, signed=False)
    limit = wrap if rules.amount_wraps else LimitAmount(wrap=False, bits=bits)
    amount = b.add_row(Stage.OPERATE, "amount", limit, "b")
    shift = ShiftLeft() if form.opcode == "shl" else ShiftRight()
    t = b.add_row(Stage.OPERATE, "t", shift, x, amount)
    if rules.shift_to_zero:
        t = _round_to_zero(b, x, amount, t)
    return b.write_result(t)


def _round_to_zero(b: Builder, x: str, amount: str, down: str) -> str:
    """Return a right shift that rounds up if x is negative (H14); ``down`` rounds down."""
    minus = b.add_row(Stage.OPERATE, "minus", Negate(), x)
    shifted = b.add_row(Stage.OPERATE, "shifted", ShiftRight(), minus, amount)
    up = b.add_row(Stage.OPERATE, "up", Negate(), shifted)
    zero = b.add_row(Stage.OPERATE, "zero", Subtract(), x, x)
    limited = b.add_row(Stage.OPERATE, "limited", Minimum(), up, zero)
    return b.add_row(Stage.OPERATE, "rounded", Maximum(), down, limited)


def _lower_mul(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``mul`` and ``mad``: the low or high word of an exact product, or all of it, plus c.

    The factors of ``mul24`` and ``mad24`` are the low 24 bits of a and b, the high word is at 16.
    """
    assert form.product_type
    bits, signed = form.source_type.bits, form.source_type.signed
    factor_bits, high = (24, 16) if form.opcode.endswith("24") else (bits, bits)
    factors = [b.extend(Stage.EXTEND, x, x, factor_bits, signed) for x in "ab"]
    t = b.add_row(Stage.OPERATE, "t", Multiply(), *factors)
    is_high = form.product_word is ProductWord.HI
    if is_high:
        t = b.add_row(Stage.OPERATE, "word", TakeBits(high, bits), t)
    if form.opcode.startswith("mad"):
        if is_high and signed:  # a high word is unsigned so far
            t = b.extend(Stage.SUM, "word", t, bits, signed)
        c = b.extend(Stage.SUM, "c", "c", form.product_type.bits, signed)
        t = b.add_row(Stage.SUM, "t", Add(), t, c)
    if form.sat:
        t = b.clamp(t, *get_limits(bits, signed))
    return b.write_result(t)


def _lower_cvt(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``cvt`` of integers; in a wider register, the result is extended by its own sign."""
    assert form.dtype
    assert form.atype
    assert form.converted_type
    bits, signed = form.dtype.bits, form.dtype.signed
    if form.pack:
        return _lower_pack(b, bits, signed, ("c",) if form.ctype else ())
    t = b.extend(Stage.EXTEND, "a", "a", form.atype.bits, form.atype.signed)
    if form.sat:
        t = b.clamp(t, *get_limits(bits, signed))
    elif bits < form.converted_type.bits:
        t = b.wrap(Stage.OPERATE, "t", t, bits, signed)
    return b.write_result(t, signed)


def _lower_pack(b: Builder, bits: int, signed: bool, others: tuple[str, ...]) -> dict[str, str]:
    """Lower ``cvt.pack``: two clamped numbers as fields of a word, with c above them."""
    keys = [b.extend(Stage.EXTEND, role, role, 32, signed=True) for role in "ab"]
    high, low = (
        b.clamp(key, *get_limits(bits, signed), name=role)
        for role, key in zip("ab", keys, strict=True)
    )
    return {"d": b.add_row(Stage.WRITE, "d", JoinFields(bits), low, high, *others)}


def _lower_division(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``div`` and ``rem`` (H13)."""
    bits, signed = form.source_type.bits, form.source_type.signed
    x, y = (b.extend(Stage.EXTEND, role, role, bits, signed) for role in "ab")
    is_quotient = form.opcode == "div"
    if rules.quotient_down and signed:
        t = _divide_down(b, x, y, bits, is_quotient)
    else:
        micro = Divide(bits, signed) if is_quotient else Remainder(bits, signed)
        t = b.add_row(Stage.OPERATE, "t", micro, x, y)
    return b.write_result(t, signed)


def _divide_down(b: Builder, x: str, y: str, bits: int, is_quotient: bool) -> str:
    """Return the quotient rounded down, or its remainder, which has the sign of y (H13)."""
    rest = b.add_row(Stage.OPERATE, "rest", Remainder(bits, True), x, y)
    total = b.add_row(Stage.OPERATE, "sum", Add(), rest, y)
    name = "left" if is_quotient else "t"
    remainder = b.add_row(Stage.OPERATE, name, Remainder(bits + 1, True), total, y)
    if not is_quotient:
        return remainder
    multiple = b.add_row(Stage.OPERATE, "multiple", Subtract(), x, remainder)
    return b.add_row(Stage.OPERATE, "t", Divide(bits + 1, True), multiple, y)


def _lower_abs(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``abs``: the most negative number is its own magnitude (H16)."""
    bits = form.source_type.bits
    x = b.extend(Stage.EXTEND, "a", "a", bits, signed=True)
    t = b.add_row(Stage.OPERATE, "t", Magnitude(bits + rules.magnitude_clamps), x)
    if rules.magnitude_clamps:
        t = b.clamp(t, *get_limits(bits, signed=True))
    return b.write_result(t)


def _lower_cnot(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``cnot``: 1 if a is 0."""
    t = b.add_row(Stage.COMPARE, "t", Compare(Cmp.EQ, form.source_type), "a")
    return {"d": b.add_row(Stage.WRITE, "d", Encode(1, form.source_type), t)}


# --- scalar and packed -------------------------------------------------------------------


def _build_lanes(b: Builder, role: str, signed: bool, unit: int, lanes: range) -> str:
    """Select lanes of an operand and read them as numbers."""
    part = b.add_row(Stage.SELECT, role, Select(unit, tuple((0, i) for i in lanes)), role)
    return b.extend(Stage.EXTEND, role, part, unit, signed)


def _build_operand(b: Builder, type_: Type, role: str) -> str:
    """Read an operand as a number, or as one number for each lane."""
    if type_.lanes == 1:
        return b.extend(Stage.EXTEND, role, role, type_.bits, type_.signed)
    return _build_lanes(b, role, type_.signed, type_.bits // type_.lanes, range(type_.lanes))


def _make_lane_lowering(operation: MicroOperation, roles: str) -> Lowering:
    """Return the lowering of an operation on scalars or lanes, clamped with .sat or .relu."""

    def lower(b: Builder, form: Form, _: Rules) -> dict[str, str]:
        type_ = form.source_type
        unit = type_.bits // type_.lanes
        operands = [_build_operand(b, type_, role) for role in roles]
        t = b.add_row(Stage.OPERATE, "t", operation, *operands)
        if sign := next((x.sign for x in b.fusions.values() if x.sign), 0):
            high = get_limits(unit, type_.signed).high  # the negative of the lowest is clamped
            wrap = Wrap(unit, type_.signed, None if sign > 0 else -high)
            t = b.add_row(Stage.OPERATE, "t.exact", wrap, t)
        if form.sat:
            t = b.clamp(t, *get_limits(unit, type_.signed))
        if form.relu:
            t = b.clamp(t, 0, None)
        if type_.lanes == 1:
            return b.write_result(t, type_.signed)
        merge = Merge(unit, tuple(range(type_.lanes)), type_.signed)
        t = b.add_row(Stage.MERGE, "t", merge, t)
        return {"d": b.add_row(Stage.WRITE, "d", Pack(unit), t)}

    return lower


# --- chains with a carry (9.7.2) ---------------------------------------------------------


def _make_link(operation: MicroOperation, opcode: str) -> Lowering:
    """Return the lowering of a link: unsigned numbers, since the carry is that of their sum."""
    without_carry = _make_lane_lowering(operation, "ab")

    def lower(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
        if form.opcode == opcode and not form.cc:
            return without_carry(b, form, rules)
        return _build_carries(b, form, rules, b.add_row(Stage.OPERATE, "t", operation, "a", "b"))

    return lower


def _lower_mad(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``mad.cc`` and ``madc``: a word of the product, then c and the carry."""
    if form.opcode == "mad" and not form.cc:
        return _lower_mul(b, form, rules)
    type_ = form.source_type
    t = b.add_row(Stage.OPERATE, "t", Multiply(), *[_build_operand(b, type_, x) for x in "ab"])
    low = type_.bits if form.product_word is ProductWord.HI else 0
    word = b.add_row(Stage.OPERATE, "word", TakeBits(low, type_.bits), t)
    c = b.extend(Stage.SUM, "c", "c", type_.bits, signed=False)
    return _build_carries(b, form, rules, b.add_row(Stage.SUM, "t", Add(), word, c))


def _build_carries(b: Builder, form: Form, rules: Rules, t: str) -> dict[str, str]:
    """Add or subtract the carry if the opcode ends in c; write the result and the new carry."""
    bits = form.source_type.bits
    if form.opcode.endswith("c"):
        operation = Subtract() if form.opcode == "subc" else Add()
        carry = "cc"
        if rules.borrow_inverted and form.is_carry_in_inverted:
            carry = b.add_row(Stage.CARRY, "borrow", Not(), carry)
        t = b.add_row(Stage.CARRY, "t", operation, t, carry)
    results = b.write_result(t, signed=False)
    if form.cc:
        carry = b.add_row(Stage.CARRY, "carry", TakeBits(bits, 1), t)
        if rules.borrow_inverted and form.is_carry_out_inverted:
            carry = b.add_row(Stage.CARRY, "inverse", Not(), carry)
        results |= b.write_result(carry, role="cf")
    return results


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
    """Lower ``lop3``: with a Boolean operator, p is whether any bit of d is 1."""
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
    return b.add_row(Stage.OPERATE, name, LimitField(False, bits), part)


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
    return b.add_row(Stage.OPERATE, name, LimitField(form.mode is ShiftMode.WRAP), role)


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
    """Lower ``bfind``: all ones if every bit equals the sign, also with ``.shiftamt``."""
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
    x = _build_lanes(b, "a", form.atype is Type.S32, 8, lanes)
    y = _build_lanes(b, "b", form.btype is Type.S32, 8, lanes)
    return _build_dot_product(b, form, x, y, 4)


def _lower_dp2a(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``dp2a``: the products of both half-words of a and the low or high bytes of b."""
    first = 2 if form.byte_pair is ProductWord.HI else 0
    x = _build_lanes(b, "a", form.atype is Type.S32, 16, range(2))
    y = _build_lanes(b, "b", form.btype is Type.S32, 8, range(first, first + 2))
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
    "mov": _lower_mov,
    **dict.fromkeys(("and", "or", "xor", "not"), _lower_logic),
    **dict.fromkeys(("shl", "shr"), _lower_shift),
    "cvt": _lower_cvt,
    **dict.fromkeys(("mul", "mul24", "mad24"), _lower_mul),
    **dict.fromkeys(("div", "rem"), _lower_division),
    "abs": _lower_abs,
    "cnot": _lower_cnot,
    **dict.fromkeys(("add", "addc"), _make_link(Add(), "add")),
    **dict.fromkeys(("sub", "subc"), _make_link(Subtract(), "sub")),
    "min": _make_lane_lowering(Minimum(), "ab"),
    "max": _make_lane_lowering(Maximum(), "ab"),
    "neg": _make_lane_lowering(Negate(), "a"),
    **dict.fromkeys(("mad", "madc"), _lower_mad),
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
