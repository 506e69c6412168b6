"""Floats as bit patterns: binary32 and binary64."""

from __future__ import annotations

import math
from enum import StrEnum

from .types import Type


def encode_float(value: float, bits: int) -> int:
    """Return the bit pattern of a number as binary32 or binary64, rounded to nearest even."""
    import struct  # few instructions have floats

    if bits == 64:
        return int.from_bytes(struct.pack(">d", value))
    try:
        return int.from_bytes(struct.pack(">f", value))
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def decode_float(pattern: int, bits: int) -> float:
    """Return the number behind a binary32 or binary64 bit pattern."""
    import struct

    code, size = (">d", 8) if bits == 64 else (">f", 4)
    number: float = struct.unpack(code, pattern.to_bytes(size))[0]
    return number


def get_infinity(bits: int) -> int:
    """Return the pattern of plus infinity in binary32 or binary64."""
    return 0x7F80_0000 if bits == 32 else 0x7FF0_0000_0000_0000


class FloatClass(StrEnum):
    """The class of a float's bits."""

    ZERO = "zero"
    SUBNORMAL = "subnormal"
    NORMAL = "normal"
    INFINITE = "infinite"
    NAN = "NaN"


def split_float(bits: int, width: int) -> tuple[int, int, int]:
    """Return the sign, biased exponent and fraction of a binary32 or binary64 pattern."""
    fraction = 23 if width == 32 else 52
    exponent = (1 << (width - 1 - fraction)) - 1
    return bits >> (width - 1), bits >> fraction & exponent, bits & ((1 << fraction) - 1)


def format_float_fields(bits: int, width: int) -> str:
    """Return the meaning of a float's exponent and fraction: ``exponent 2^-124``."""
    exponent = split_float(bits, width)[1]
    match classify_float(bits, width):
        case FloatClass.NAN:
            return "exponent all 1, fraction not 0"
        case FloatClass.INFINITE:
            return "exponent all 1, fraction 0"
        case FloatClass.SUBNORMAL:
            return "exponent 0, so subnormal"
        case FloatClass.ZERO:
            return "exponent and fraction 0"
        case FloatClass.NORMAL:
            bias = 127 if width == 32 else 1023
            return f"exponent 2^{exponent - bias}"


def classify_float(bits: int, width: int) -> FloatClass:
    """Return the class of a binary32 or binary64 pattern."""
    _, exponent, fraction = split_float(bits, width)
    if exponent == 0:
        return FloatClass.SUBNORMAL if fraction else FloatClass.ZERO
    if exponent == (0xFF if width == 32 else 0x7FF):
        return FloatClass.NAN if fraction else FloatClass.INFINITE
    return FloatClass.NORMAL


def step_float(bits: int, width: int, steps: int) -> int | None:
    """Return the pattern ``steps`` patterns up, or down if negative; -0.0 is one below 0.0.

    None for a NaN, and for steps beyond the infinities.
    """
    if classify_float(bits, width) is FloatClass.NAN:
        return None
    top = 1 << (width - 1)
    rank = (bits if bits < top else top - 1 - bits) + steps
    result = rank if rank >= 0 else top - 1 - rank
    is_beyond = not 0 <= result < 2 * top or classify_float(result, width) is FloatClass.NAN
    return None if is_beyond else result


def format_float(bits: int, width: int) -> str:
    """Return the shortest decimal that rounds to the pattern; ``NaN``, ``inf``, ``-0.0``."""
    value = decode_float(bits, width)
    if math.isnan(value):
        return "-NaN" if bits >> (width - 1) else "NaN"
    if width == 64 or math.isinf(value):
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if encode_float(float(text), 32) == bits:
            break
    return text if set(text) & set(".en") else text + ".0"


def format_finite_range(type_: Type) -> str:
    """Return the range of a float type: ``-3.4028235e+38 to 3.4028235e+38, inf, -inf``."""
    largest = format_float(get_infinity(type_.bits) - 1, type_.bits)
    return f"-{largest} to {largest}, inf, -inf"
