"""The lowering of integer arithmetic and logic beside the 27 (PTX ISA 9.7.1, 9.7.2, 9.7.8, 9.7.9).

Additions and their like are scalar, packed, or links of a chain with a carry. Docstrings cite the
misconceptions (H…) whose rules they implement.
"""

from __future__ import annotations

from ..isa.encodings import get_limits
from ..isa.form import Form
from ..isa.types import BoolOp, Cmp, ProductWord, Type
from ..micro_operations.base import MicroOperation
from ..micro_operations.bitwise import CombineBits, InvertBits, Magnitude, TakeBits
from ..micro_operations.comparison import Compare
from ..micro_operations.logic import Combine, Encode, Not
from ..micro_operations.merge import Merge, Pack
from ..micro_operations.numbers import Add, Maximum, Minimum, Multiply, Negate, Subtract
from ..micro_operations.properties import Stage
from ..micro_operations.saturation import Wrap
from ..micro_operations.selection import Select
from ..micro_operations.shifts import Divide, LimitAmount, Remainder, ShiftLeft, ShiftRight
from ..micro_operations.word_pairs import JoinFields
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
        t = b.add_row(Stage.OPERATE, "t", _make_bitwise(form.opcode, type_.bits), *roles)
    return b.write_result(t)


def _make_bitwise(opcode: str, bits: int) -> MicroOperation:
    return InvertBits(bits) if opcode == "not" else CombineBits(bits, BoolOp(opcode))


def _lower_shift(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``shl`` and ``shr``: an amount above the width counts as the width (H12, H14)."""
    bits, x = form.source_type.bits, "a"
    if form.source_type.signed:
        x = b.extend(Stage.EXTEND, "a", "a", bits, signed=True)
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
    """Lower ``cvt`` of integers; the result is extended to a wider register, by its own sign."""
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
    """Return the quotient that is rounded down, or what it leaves, with the sign of y (H13)."""
    rest = b.add_row(Stage.OPERATE, "rest", Remainder(bits, True), x, y)
    total = b.add_row(Stage.OPERATE, "sum", Add(), rest, y)
    name = "left" if is_quotient else "t"
    left = b.add_row(Stage.OPERATE, name, Remainder(bits + 1, True), total, y)
    if not is_quotient:
        return left
    multiple = b.add_row(Stage.OPERATE, "multiple", Subtract(), x, left)
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


def build_lanes(b: Builder, role: str, signed: bool, unit: int, lanes: range) -> str:
    """Select lanes of an operand and read them as numbers."""
    part = b.add_row(Stage.SELECT, role, Select(unit, tuple((0, i) for i in lanes)), role)
    return b.extend(Stage.EXTEND, role, part, unit, signed)


def _build_operand(b: Builder, type_: Type, role: str) -> str:
    """Read an operand as a number, or as one number for each lane."""
    if type_.lanes == 1:
        return b.extend(Stage.EXTEND, role, role, type_.bits, type_.signed)
    return build_lanes(b, role, type_.signed, type_.bits // type_.lanes, range(type_.lanes))


def _make_lowering(operation: MicroOperation, roles: str) -> Lowering:
    """Return the lowering of an operation on scalars or lanes, clamped with .sat or .relu."""

    def lower(b: Builder, form: Form, _: Rules) -> dict[str, str]:
        type_ = form.source_type
        unit = type_.bits // type_.lanes
        operands = [_build_operand(b, type_, role) for role in roles]
        t = b.add_row(Stage.OPERATE, "t", operation, *operands)
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
    without_carry = _make_lowering(operation, "ab")

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
    "min": _make_lowering(Minimum(), "ab"),
    "max": _make_lowering(Maximum(), "ab"),
    "neg": _make_lowering(Negate(), "a"),
    **dict.fromkeys(("mad", "madc"), _lower_mad),
}
"""The lowering of each opcode."""
