"""Operand values as users type them."""

from __future__ import annotations

import re

from ..isa.encodings import (
    FloatClass,
    classify_float,
    encode_float,
    format_finite_range,
    get_infinity,
    get_limits,
    get_quiet_nan,
)
from ..isa.types import Type
from .errors import Problem, PtxError, format_count, quote_word

_PREFIXED = re.compile(r"([+-]?)0([xXbBoO])([0-9a-fA-F]+(?:[_ ][0-9a-fA-F]+)*)[uU]?")
_DECIMAL = re.compile(r"([+-]?)()(\d+(?:_\d+)*)[uU]?")
_BARE_HEX = re.compile(r"[0-9a-fA-F]+(?:[_ ][0-9a-fA-F]+)*")
_THOUSANDS = re.compile("[0-9]{1,3}(?: [0-9]{3})+")
_FLOAT_BITS = re.compile(r"0([fFdD])([0-9a-fA-F]+)")
_LANES = re.compile(r"\s*+\[\s*+(?:([bhw])\s*+:)?(.*)\]\s*+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:_\d+)*(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_BASES = {"x": 16, "b": 2, "o": 8}
_ALLOWED_DIGITS = {2: "0 and 1: 0b1010", 8: "0o17 or 017 is octal, 17 decimal", 10: "0 to 9"}
_UNITS = {"b": 8, "h": 16, "w": 32}
_FLOAT_NAMES = {"nan": get_quiet_nan, "inf": get_infinity, "infinity": get_infinity}


def parse_value(text: str, type_: Type) -> int:
    """Parse a value of an operand type to its bits. Raise PtxError if it is invalid.

    ``0x 0b 0o 017 0f 0d`` introduce bits. A decimal is a number: an integer or, for a float
    operand, a float (``1``, ``1.5``, ``nan``, ``-inf``). ``[3,2,1,0]`` lists lanes, the most
    significant first; lanes of ``.f16x2`` and ``.bf16x2`` are floats. ``[h:1,0]`` lists half-words.
    Digits may be grouped: ``0b1000 0000``, ``0x80ff_7f01``, ``1_000``. Numbers that are too large
    are refused, including floats; infinity is written ``inf``.
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
    if _NUMBER.fullmatch(word) or word.lstrip("+-").lower() in _FLOAT_NAMES:
        raise _make_error(
            text,
            f"{quote_word(word)} is a float; the operand is `.{type_}`",
            _format_allowed_values(type_),
        )
    raise _make_word_error(text, word, "a value", _format_allowed_values(type_))


def list_first_characters(type_: Type) -> str:
    """Return the possible first characters of a value of an operand type."""
    letters = "inIN" if type_.lane_type.is_float else "tfTF" if type_ is Type.PRED else ""
    return "0123456789+-.[" + letters


def parse_integer(text: str, bits: int) -> int:
    """Parse an integer of ``bits`` bits, signed or unsigned. Raise PtxError if it is invalid."""
    value = _read_integer(text, text.strip(), bits)
    if value is None:
        raise _make_word_error(text, text.strip(), "an integer", "0x7f, -5, 0b1010, 255")
    return value


def _make_word_error(text: str, word: str, kind: str, allowed: str) -> PtxError:
    """Return the error for a word that is not a value, such as digits without a prefix."""
    message = f"{quote_word(word)} is not {kind}" if word else f"{kind} is missing"
    if _THOUSANDS.fullmatch(word):
        message, allowed = f"{message}: `_` groups decimal digits", word.replace(" ", "_")
    elif _BARE_HEX.fullmatch(word):
        message, allowed = f"{message}: hexadecimal digits need a 0x in front", f"0x{word}"
    return _make_error(text, message, allowed)


def _format_allowed_values(type_: Type) -> str:
    if type_ is Type.PRED:
        return "0, 1, true, false"
    forms = "0x7f, -5, 0b1010, 0o17, 4294967295"
    if type_.lane_type.is_float:
        one = encode_float(1.0, type_.lane_type)
        if type_.lanes > 1:
            return f"[1.5,-0.0] (highest lane first), [nan,inf], 0x{one:04x}{one:04x}"
        forms = "1.5, -0.0, nan, inf, " + (f"0x{one:x}" if type_.bits < 64 else "0x3f800000")
        forms += {32: ", 0f3F800000", 64: ", 0d3FF0000000000000"}.get(type_.bits, "")
    lists = ", [0x80,0xff,0x7f,1] (highest lane first), [h:-1,32767]"
    return forms + (lists if type_.bits == 32 else "")


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
    digits = re.sub("[_ ]", "", match[3])
    if not set(digits.lower()) <= set("0123456789abcdef"[:base]):
        problem = f"{quote_word(word)} has a digit that does not belong in base {base}"
        raise _make_error(text, problem, _ALLOWED_DIGITS[base])
    low, high = get_limits(bits, signed=True).low, get_limits(bits, signed=False).high
    digits = digits.lstrip("0") or "0"
    number = int(digits[: bits + 1], base) * (-1 if match[1] == "-" else 1)
    if len(digits) > bits or not low <= number <= high:
        hint = f"{low} to {high}" if bits > 1 else "0 or 1"
        raise _make_error(text, f"the value does not fit in {format_count(bits, 'bit')}", hint)
    return number & high


def _read_named_or_float(text: str, word: str, type_: Type) -> int:
    if type_ is Type.PRED:
        return int(word.lower() == "true")
    if not type_.is_float:
        raise _make_error(text, f"{quote_word(word)} is not a value", _format_allowed_values(type_))
    get_constant = _FLOAT_NAMES.get(word.lstrip("+-").lower())
    if get_constant is not None and len(word.lstrip("+-")) >= len(word) - 1:
        return get_constant(type_) | (1 << (type_.bits - 1) if word[0] == "-" else 0)
    if not _NUMBER.fullmatch(word):
        raise _make_word_error(text, word, "a value", _format_allowed_values(type_))
    bits = encode_float(float(word), type_)
    if classify_float(bits, type_) is FloatClass.INFINITE:
        raise _make_error(
            text, f"{quote_word(word)} is too large for `.{type_}`", format_finite_range(type_)
        )
    return bits


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
            lane = (
                parse_value(part, type_.lane_type)
                if type_.lane_type.bits == unit and not match[1]
                else parse_integer(part, unit)
            )
        except PtxError as error:
            raise error.shift_into(text, position) from None
        bits = bits << unit | lane
        position += len(part) + 1
    return bits


_LANE_NAMES = ((8, "bytes"), (16, "half-words"), (32, "words"))
