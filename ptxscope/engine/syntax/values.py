"""Operand values as text: parsing what users type, and formatting."""

from __future__ import annotations

import math
import re
from enum import StrEnum

from ..isa.integers import cast, get_limits
from ..isa.types import Type
from .constants import decode_float, encode_float
from .errors import Problem, PtxError, format_count, quote_word

_PREFIXED = re.compile(r"([+-]?)0([xXbBoO])([0-9a-fA-F]+)[uU]?")
_DECIMAL = re.compile(r"([+-]?)()(\d+)[uU]?")
_FLOAT_BITS = re.compile(r"0([fFdD])([0-9a-fA-F]+)")
_LANES = re.compile(r"\s*+\[\s*+(?:([bhw])\s*+:)?(.*)\]\s*+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_BASES = {"x": 16, "b": 2, "o": 8}
_UNITS = {"b": 8, "h": 16, "w": 32}
_NAMED = {"nan": 0x7FC0_0000, "inf": 0x7F80_0000, "infinity": 0x7F80_0000}
_NAMED64 = {
    "nan": 0x7FF8_0000_0000_0000,
    "inf": 0x7FF0_0000_0000_0000,
    "infinity": 0x7FF0_0000_0000_0000,
}


def parse_value(text: str, type_: Type) -> int:
    """Parse a value of an operand type to its bits. Raise PtxError if it is invalid.

    ``0x 0b 0o 017 0f 0d`` introduce bits. A plain decimal is a number: an integer or, for an ``.f``
    operand, a float (``1``, ``1.5``, ``nan``, ``-inf``). ``[3,2,1,0]`` lists lanes, the most
    significant first; ``[h:1,0]`` lists half-words. Numbers that are too large are refused, floats
    as well as integers; infinity is written ``inf``.
    """
    word = text.strip()
    if not word:
        raise _make_error(text, "a value is missing", _format_allowed_values(type_))
    if word[0] == "[":
        return _read_lanes(text, type_)
    if match := _FLOAT_BITS.fullmatch(word):
        digits = 8 if match[1] in "fF" else 16
        if len(match[2]) != digits or digits * 4 != type_.bits:
            size_text = format_count(len(match[2]) * 4, "bit")
            message = f"{quote_word(word)} has {size_text}; the operand has {type_.bits}"
            raise _make_error(text, message, _format_allowed_values(type_))
        return int(match[2], 16)
    if (type_.is_float and not _PREFIXED.fullmatch(word)) or word.lower() in ("true", "false"):
        return _read_named_or_float(text, word, type_)
    number = _read_integer(text, word, type_.bits)
    if number is not None:
        return number
    if _NUMBER.fullmatch(word) or word.lstrip("+-").lower() in _NAMED:
        raise _make_error(
            text,
            f"{quote_word(word)} is a float; the operand is `.{type_}`",
            _format_allowed_values(type_),
        )
    raise _make_error(text, f"{quote_word(word)} is not a value", _format_allowed_values(type_))


def parse_integer(text: str, bits: int) -> int:
    """Parse an integer of ``bits`` bits, signed or unsigned. Raise PtxError if it is invalid."""
    value = _read_integer(text, text.strip(), bits)
    if value is None:
        raise _make_error(
            text, f"{quote_word(text.strip())} is not an integer", "0x7f, -5, 0b1010, 255"
        )
    return value


def _format_allowed_values(type_: Type) -> str:
    if type_ is Type.PRED:
        return "0, 1, true, false"
    forms = "0x7f, -5, 0b1010, 0o17, 4294967295"
    if type_.is_float:
        forms = "1.5, -0.0, nan, inf, 0x3f800000, " + (
            "0f3F800000" if type_.bits == 32 else "0d3FF0000000000000"
        )
    return forms + (", [0x80,0xff,0x7f,1], [h:-1,32767]" if type_.bits == 32 else "")


def _make_error(text: str, message: str, hint: str) -> PtxError:
    start = len(text) - len(text.lstrip()) if text.strip() else 0
    return PtxError(text, (Problem(message, (start, max(len(text.rstrip()), start + 1)), hint),))


def _read_integer(text: str, word: str, bits: int) -> int | None:
    """Return the bits of an integer of a width, or None if the word is not an integer."""
    if match := _PREFIXED.fullmatch(word):
        base = _BASES[match[2].lower()]
    elif match := _DECIMAL.fullmatch(word):
        base = 8 if len(match[3]) > 1 and match[3][0] == "0" else 10
    else:
        return None
    if not set(match[3].lower()) <= set("0123456789abcdef"[:base]):
        problem = f"{quote_word(word)} has a digit that does not belong in base {base}"
        raise _make_error(text, problem, "0o17 or 017 is octal, 17 decimal" if base == 8 else "")
    low, high = get_limits(bits, signed=True).low, get_limits(bits, signed=False).high
    digits = match[3].lstrip("0") or "0"
    number = int(digits[:66], base) * (-1 if match[1] == "-" else 1)
    if len(digits) > 66 or not low <= number <= high:
        hint = f"{low} to {high}" if bits > 1 else "0 or 1"
        raise _make_error(text, f"the value does not fit in {format_count(bits, 'bit')}", hint)
    return number & high


def _read_named_or_float(text: str, word: str, type_: Type) -> int:
    if type_ is Type.PRED:
        return int(word.lower() == "true")
    constant = (_NAMED if type_.bits == 32 else _NAMED64).get(word.lstrip("+-").lower())
    if constant is not None and len(word.lstrip("+-")) >= len(word) - 1:
        return constant | (1 << (type_.bits - 1) if word[0] == "-" else 0)
    if not type_.is_float or not _NUMBER.fullmatch(word):
        raise _make_error(text, f"{quote_word(word)} is not a value", _format_allowed_values(type_))
    bits = encode_float(float(word), type_.bits)
    if classify_float(bits, type_.bits) is FloatClass.INFINITE:
        raise _make_error(
            text, f"{quote_word(word)} is too large for `.{type_}`", format_finite_range(type_)
        )
    return bits


def format_finite_range(type_: Type) -> str:
    """Return the range of a float type: ``-3.4028235e+38 to 3.4028235e+38, inf, -inf``."""
    largest = format_float(
        _NAMED["inf"] - 1 if type_.bits == 32 else _NAMED64["inf"] - 1, type_.bits
    )
    return f"-{largest} to {largest}, inf, -inf"


def _read_lanes(text: str, type_: Type) -> int:
    match = _LANES.fullmatch(text)
    if not match:
        raise _make_error(text, "the list of lanes is not closed", "[3,2,1,0] or [h:1,0]")
    parts = match[2].split(",")
    unit = _UNITS[match[1]] if match[1] else type_.bits // len(parts)
    if unit not in _UNITS.values() or unit * len(parts) != type_.bits:
        counts = [f"{type_.bits // u} {name}" for u, name in _LANE_NAMES if u < type_.bits]
        makes = "lane does not make" if len(parts) == 1 else "lanes do not make"
        message = f"{len(parts)} {makes} {format_count(type_.bits, 'bit')}"
        raise _make_error(text, message, " or ".join(counts) or "a plain value")
    bits, position = 0, match.start(2)
    for part in parts:
        try:
            lane = parse_integer(part, unit)
        except PtxError as error:
            raise error.shift_into(text, position) from None
        bits = bits << unit | lane
        position += len(part) + 1
    return bits


_LANE_NAMES = ((8, "bytes"), (16, "half-words"), (32, "words"))


def format_hex(bits: int, width: int) -> str:
    """Return ``0x00000007``, padded to the width in bits; a predicate is ``0`` or ``1``."""
    return str(bits) if width == 1 else f"0x{bits:0{(width + 3) // 4}x}"


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


def format_value(bits: int, type_: Type) -> str:
    """Return the value of the bits as the type: ``-1``, ``1.5``, ``true``."""
    if type_ is Type.PRED:
        return "true" if bits else "false"
    if type_.is_float:
        return format_float(bits, type_.bits)
    return str(cast(bits, type_.bits, type_.signed))
