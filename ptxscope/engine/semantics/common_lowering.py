"""The lowering of the instructions that stand in all code (PTX ISA 9.7.1, 9.7.8, 9.7.9)."""

from __future__ import annotations

from ..isa.form import Form
from ..isa.integers import get_limits
from ..isa.types import BoolOp, Cmp, ProductWord, Type
from ..micro_operations.bitwise import CombineBits, InvertBits
from ..micro_operations.carries import Magnitude, TakeBits
from ..micro_operations.comparison import Compare
from ..micro_operations.logic import Combine, Encode, Not
from ..micro_operations.numbers import Add, Maximum, Minimum, Multiply, Negate, Subtract
from ..micro_operations.quotients import Divide, Remainder
from ..micro_operations.saturation import Wrap
from ..micro_operations.shifts import LimitAmount, ShiftLeft, ShiftRight
from ..micro_operations.stage import Stage
from ..micro_operations.truncation import Truncate
from ..micro_operations.word_pairs import JoinFields
from .plan import Builder
from .rules import Rules


def _write(b: Builder, form: Form, t: str) -> dict[str, str]:
    """Write the low bits of a number to d."""
    assert form.stype
    micro = Truncate(form.stype.bits, b.get_range(t).low < 0)
    return {"d": b.add_row(Stage.WRITE, "d", micro, t)}


def lower_mov(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``mov``."""
    return _write(b, form, _read_source(b, form, "a"))


def _read_source(b: Builder, form: Form, role: str) -> str:
    """Return an operand, negated if it is written ``!a``."""
    is_negated = form.nega if role == "a" else form.negb
    return b.add_row(Stage.BOOLEAN, role, Not(), role) if is_negated else role


def lower_logic(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``and``, ``or`` and ``xor``."""
    assert form.stype
    boolop = BoolOp(form.opcode)
    if form.stype is Type.PRED:
        sources = (_read_source(b, form, role) for role in ("a", "b"))
        return _write(b, form, b.add_row(Stage.BOOLEAN, "t", Combine(boolop), *sources))
    micro = CombineBits(form.stype.bits, boolop)
    return _write(b, form, b.add_row(Stage.OPERATE, "t", micro, "a", "b"))


def lower_not(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``not``."""
    assert form.stype
    if form.stype is Type.PRED:
        a = _read_source(b, form, "a")
        return _write(b, form, b.add_row(Stage.BOOLEAN, "t", Not(), a))
    return _write(b, form, b.add_row(Stage.OPERATE, "t", InvertBits(form.stype.bits), "a"))


def lower_shift(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``shl`` and ``shr``: an amount above the width counts as the width (H12, H14)."""
    assert form.stype
    bits, x = form.stype.bits, "a"
    if form.stype.signed:
        x = b.extend(Stage.EXTEND, "a", "a", bits, signed=True)
    limit = LimitAmount(wrap=False, bits=bits)
    amount_bits = bits.bit_length() - 1
    amount = b.add_row(
        Stage.OPERATE, "amount", Wrap(amount_bits, False) if rules.amount_wraps else limit, "b"
    )
    shift = ShiftLeft() if form.opcode == "shl" else ShiftRight()
    t = b.add_row(Stage.OPERATE, "t", shift, x, amount)
    if rules.shift_to_zero:
        t = _round_to_zero(b, x, amount, t)
    return _write(b, form, t)


def _round_to_zero(b: Builder, x: str, amount: str, down: str) -> str:
    """Return a right shift that rounds up if x is negative (H14); ``down`` rounds down."""
    minus = b.add_row(Stage.OPERATE, "minus", Negate(), x)
    shifted = b.add_row(Stage.OPERATE, "shifted", ShiftRight(), minus, amount)
    up = b.add_row(Stage.OPERATE, "up", Negate(), shifted)
    zero = b.add_row(Stage.OPERATE, "zero", Subtract(), x, x)
    limited = b.add_row(Stage.OPERATE, "limited", Minimum(), up, zero)
    return b.add_row(Stage.OPERATE, "rounded", Maximum(), down, limited)


def lower_mul(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``mul`` and ``mad``: the low or high word of an exact product, or all of it, plus c.

    The factors of ``mul24`` and ``mad24`` are the low 24 bits of a and b, the high word is at 16.
    """
    assert form.stype
    assert form.product_type
    bits, signed, total_bits = form.stype.bits, form.stype.signed, form.product_type.bits
    factor_bits, high = (24, 16) if form.opcode.endswith("24") else (bits, bits)
    x = b.extend(Stage.EXTEND, "a", "a", factor_bits, signed)
    y = b.extend(Stage.EXTEND, "b", "b", factor_bits, signed)
    t = b.add_row(Stage.OPERATE, "t", Multiply(), x, y)
    is_high = form.product_word is ProductWord.HI
    if is_high:
        t = b.add_row(Stage.OPERATE, "word", TakeBits(high, bits), t)
    if form.opcode.startswith("mad"):
        if is_high and signed:  # a high word is unsigned so far
            t = b.extend(Stage.SUM, "word", t, bits, signed)
        c = b.extend(Stage.SUM, "c", "c", total_bits, signed)
        t = b.add_row(Stage.SUM, "t", Add(), t, c)
    if form.sat:
        t = b.clamp(t, *get_limits(bits, signed))
    return {"d": b.add_row(Stage.WRITE, "d", Truncate(total_bits, b.get_range(t).low < 0), t)}


def lower_cvt(b: Builder, form: Form, _: Rules) -> dict[str, str]:
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
    micro = Truncate(form.converted_type.bits, signed)
    return {"d": b.add_row(Stage.WRITE, "d", micro, t)}


def _lower_pack(b: Builder, bits: int, signed: bool, others: tuple[str, ...]) -> dict[str, str]:
    """Lower ``cvt.pack``: two clamped numbers as fields of a word, with c above them."""
    keys = [b.extend(Stage.EXTEND, role, role, 32, signed=True) for role in "ab"]
    high, low = (
        b.clamp(key, *get_limits(bits, signed), name=role)
        for role, key in zip("ab", keys, strict=True)
    )
    return {"d": b.add_row(Stage.WRITE, "d", JoinFields(bits), low, high, *others)}


def lower_division(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``div`` and ``rem`` (H13)."""
    assert form.stype
    bits, signed = form.stype.bits, form.stype.signed
    x = b.extend(Stage.EXTEND, "a", "a", bits, signed)
    y = b.extend(Stage.EXTEND, "b", "b", bits, signed)
    is_quotient = form.opcode == "div"
    if rules.quotient_down and signed:
        t = _divide_down(b, x, y, bits, is_quotient)
    else:
        micro = Divide(bits, signed) if is_quotient else Remainder(bits, signed)
        t = b.add_row(Stage.OPERATE, "t", micro, x, y)
    return {"d": b.add_row(Stage.WRITE, "d", Truncate(bits, signed), t)}


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


def lower_abs(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``abs``: the most negative number is its own magnitude (H16)."""
    assert form.stype
    bits = form.stype.bits
    x = b.extend(Stage.EXTEND, "a", "a", bits, signed=True)
    t = b.add_row(Stage.OPERATE, "t", Magnitude(bits + rules.magnitude_clamps), x)
    if rules.magnitude_clamps:
        t = b.clamp(t, *get_limits(bits, signed=True))
    return _write(b, form, t)


def lower_cnot(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``cnot``: 1 if a is 0."""
    assert form.stype
    t = b.add_row(Stage.COMPARE, "t", Compare(Cmp.EQ, form.stype), "a")
    return {"d": b.add_row(Stage.WRITE, "d", Encode(1, form.stype), t)}


LOWERINGS = {
    "mov": lower_mov,
    "and": lower_logic,
    "or": lower_logic,
    "xor": lower_logic,
    "not": lower_not,
    "shl": lower_shift,
    "shr": lower_shift,
    "cvt": lower_cvt,
    "mul": lower_mul,
    "mul24": lower_mul,
    "mad24": lower_mul,
    "div": lower_division,
    "rem": lower_division,
    "abs": lower_abs,
    "cnot": lower_cnot,
}
"""The lowering of each opcode."""
