"""Encodings of numbers, and numbers as text.

Integers have a fixed width; floats are binary16, bfloat16, binary32 and binary64, as bit patterns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import NamedTuple

from .types import Role, Type


def cast(value: int, bits: int, signed: bool) -> int:
    """Return the low bits of an integer in two's complement, read as signed or unsigned."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class Range(NamedTuple):
    """The closed range low..high of the values of a lane vector."""

    low: int
    high: int

    @property
    def bits(self) -> int:
        """The width in bits of the smallest integer type for the range."""
        low, high = self
        return max(high.bit_length(), (~low).bit_length() if low < 0 else 1) + (low < 0)

    def fits_in(self, bits: int, signed: bool) -> bool:
        """Whether the whole range fits in an integer type."""
        return get_limits(bits, signed).contains(self)

    def contains(self, inner: Range) -> bool:
        """Whether another range lies inside this one."""
        return self.low <= inner.low and inner.high <= self.high

    def intersect(self, bounds: Range) -> Range:
        """Return the values common to both ranges; low exceeds high if they are disjoint."""
        return Range(max(self.low, bounds.low), min(self.high, bounds.high))


def get_limits(bits: int, signed: bool) -> Range:
    """Return the range of an integer type."""
    if signed:
        return Range(-1 << (bits - 1), (1 << (bits - 1)) - 1)
    return Range(0, (1 << bits) - 1)


# --- floats -----------------------------------------------------------------------------


def encode_float(value: float, type_: Type) -> int:
    """Return the bit pattern of a number as a float type, rounded to nearest even."""
    import struct  # few instructions have floats

    if type_ is Type.BF16:
        return _round_to_bfloat16(value)
    try:
        return int.from_bytes(struct.pack(_CODES[type_], value))
    except OverflowError:
        sign = 1 << (type_.bits - 1) if value < 0 else 0
        return sign | get_infinity(type_)


def _round_to_bfloat16(value: float) -> int:
    """Return a number as bfloat16, rounded once, to nearest even."""
    pattern = encode_float(value, Type.F64)
    sign, exponent, fraction = split_float(pattern, Type.F64)
    if exponent == 0x7FF:
        return sign << 15 | (get_quiet_nan(Type.BF16) if fraction else get_infinity(Type.BF16))
    # a carry out of the rounded fraction adds one to the exponent
    power = max(exponent - 1023, -126)
    bits = (power + 126) * 128 + round(abs(value) / 2.0**power * 128)
    return sign << 15 | min(bits, get_infinity(Type.BF16))


def decode_float(pattern: int, type_: Type) -> float:
    """Return the number that a bit pattern of a float type encodes."""
    import struct

    if type_ is Type.BF16:  # the upper half of binary32
        pattern, type_ = pattern << 16, Type.F32
    number: float = struct.unpack(_CODES[type_], pattern.to_bytes(type_.bits // 8))[0]
    return number


_CODES = {Type.F16: ">e", Type.F32: ">f", Type.F64: ">d"}


def get_infinity(type_: Type) -> int:
    """Return the pattern of plus infinity."""
    return (1 << (type_.bits - 1)) - (1 << type_.fraction_bits)


def get_magnitude_mask(type_: Type) -> int:
    """Return the mask of all bits except the sign."""
    return (1 << (type_.bits - 1)) - 1


def get_quiet_nan(type_: Type) -> int:
    """Return the pattern of the NaN with only the highest fraction bit set."""
    return get_infinity(type_) | 1 << (type_.fraction_bits - 1)


class FloatClass(StrEnum):
    """The class of a float's bits."""

    ZERO = "zero"
    SUBNORMAL = "subnormal"
    NORMAL = "normal"
    INFINITE = "infinite"
    NAN = "NaN"


def split_float(bits: int, type_: Type) -> tuple[int, int, int]:
    """Return the sign, biased exponent and fraction of a pattern."""
    fraction = type_.fraction_bits
    exponent = (1 << (type_.bits - 1 - fraction)) - 1
    return bits >> (type_.bits - 1), bits >> fraction & exponent, bits & ((1 << fraction) - 1)


def format_float_fields(bits: int, type_: Type) -> str:
    """Return the meaning of a float's exponent and fraction: ``1.fraction × 2^-124``."""
    exponent = split_float(bits, type_)[1]
    match classify_float(bits, type_):
        case FloatClass.NAN:
            return "exponent all 1, fraction not 0"
        case FloatClass.INFINITE:
            return "exponent all 1, fraction 0"
        case FloatClass.SUBNORMAL:
            return "exponent 0, so subnormal"
        case FloatClass.ZERO:
            return "exponent and fraction 0"
        case FloatClass.NORMAL:
            bias = (1 << (type_.bits - 2 - type_.fraction_bits)) - 1
            return f"1.fraction × 2^{exponent - bias}"


def classify_float(bits: int, type_: Type) -> FloatClass:
    """Return the class of a pattern."""
    magnitude = bits & get_magnitude_mask(type_)
    if magnitude < 1 << type_.fraction_bits:
        return FloatClass.SUBNORMAL if magnitude else FloatClass.ZERO
    infinity = get_infinity(type_)
    if magnitude >= infinity:
        return FloatClass.NAN if magnitude > infinity else FloatClass.INFINITE
    return FloatClass.NORMAL


def step_float(bits: int, type_: Type, steps: int) -> int | None:
    """Return the pattern ``steps`` patterns up, or down if negative; -0.0 is one below 0.0.

    None for a NaN, and for steps beyond the infinities.
    """
    if classify_float(bits, type_) is FloatClass.NAN:
        return None
    top = 1 << (type_.bits - 1)
    rank = (bits if bits < top else top - 1 - bits) + steps
    result = rank if rank >= 0 else top - 1 - rank
    is_beyond = not 0 <= result < 2 * top or classify_float(result, type_) is FloatClass.NAN
    return None if is_beyond else result


def format_float(bits: int, type_: Type) -> str:
    """Return the shortest decimal that rounds to the pattern; ``65504.0``, ``NaN``, ``-0.0``."""
    value, class_ = decode_float(bits, type_), classify_float(bits, type_)
    if class_ is FloatClass.NAN:
        return "-NaN" if bits >> (type_.bits - 1) else "NaN"
    if type_ is Type.F64 or class_ is FloatClass.INFINITE:
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if encode_float(float(text), type_) == bits:
            break
    if "e+" in text and abs(value) < 1e7:  # easier to read without an exponent: 65504.0
        text = f"{value:.0f}"
    return text if set(text) & set(".en") else text + ".0"


def format_finite_range(type_: Type) -> str:
    """Return the range of a float type: ``-3.4028235e+38 to 3.4028235e+38, inf, -inf``."""
    largest = format_float(get_infinity(type_) - 1, type_)
    return f"-{largest} to {largest}, inf, -inf"


# --- integers, bits and types as text ----------------------------------------------------

UNIT_NAMES = {8: "byte", 16: "half-word", 32: "word"}


def format_hex(bits: int, width: int) -> str:
    """Return ``0x00000007``, padded to the width in bits; a predicate is ``0`` or ``1``."""
    return str(bits) if width == 1 else f"0x{bits:0{(width + 3) // 4}x}"


def format_registers(values: Iterable[tuple[str, int, Type]]) -> str:
    """Return names, bits and types as ``a = 0x00000007, p = 1``."""
    return ", ".join(f"{name} = {format_hex(bits, type_.bits)}" for name, bits, type_ in values)


def format_value(bits: int, type_: Type) -> str:
    """Return the value of the bits as the type: ``-1``, ``1.5``, ``true``, ``[1.5, -0.0]``.

    Lanes are listed from the most significant one.
    """
    if type_ is Type.PRED:
        return "true" if bits else "false"
    if type_.is_float:
        return format_float(bits, type_)
    if type_.lanes > 1:
        unit = type_.bits // type_.lanes
        parts = [bits >> x & ((1 << unit) - 1) for x in reversed(range(0, type_.bits, unit))]
        if type_.lane_type.is_float:
            lanes = [format_float(part, type_.lane_type) for part in parts]
        else:
            lanes = [str(cast(part, unit, type_.signed)) for part in parts]
        return f"[{', '.join(lanes)}]"
    return str(cast(bits, type_.bits, type_.signed))


def format_bit_range(low: int, count: int) -> str:
    """Return the name of ``count`` bits from bit ``low`` up: ``bits 11:8``; "" for none."""
    if count <= 1:
        return f"bit {low}" if count else ""
    return f"bits {low + count - 1}:{low}"


def format_lane(bits: int, unit: int, type_: Type, *, signed: bool) -> str:
    """Return the value of a lane of ``unit`` bits of an operand: an integer, or a half."""
    if type_.lane_type.is_float:
        return format_float(bits & ((1 << unit) - 1), type_.lane_type)
    return str(cast(bits, unit, signed))


def format_integer_type(signed: bool, bits: int = 32) -> str:
    """Return an integer type's name: ``s8``, ``u32``."""
    return f"{'s' if signed else 'u'}{bits}"


def format_part(name: str, unit: int, index: int) -> str:
    """Return the name of a part of a register: ``a.b3``, ``b.h0``, or ``a`` for the whole."""
    return name if unit >= 32 else f"{name}.{'b' if unit == 8 else 'h'}{index}"


def format_letters(role: str, unit: int, index: int) -> str:
    """Return the letters of bits without a value: ``a.b3``, ``b.h0``, ``c[31:0]``, ``c[7:4]``."""
    letter = Role(role).label[:1]
    if unit == 1:
        return letter
    if unit in (8, 16):
        return format_part(letter, unit, index)
    return f"{letter}[{unit * (index + 1) - 1}:{unit * index}]"


def format_lanes(lanes: Collection[int]) -> str:
    """Return lanes by number, highest first: ``lanes 3, 1 and 0``, ``lane 2``."""
    *initial_lanes, last_lane = map(str, sorted(lanes, reverse=True))
    return (
        f"lanes {', '.join(initial_lanes)} and {last_lane}"
        if initial_lanes
        else f"lane {last_lane}"
    )
