"""C literals: their value and their type, also after signs, ``~`` and casts."""

from __future__ import annotations

import re
from math import inf
from typing import NamedTuple

from ..isa.floats import decode_float, encode_float
from ..isa.types import Type

_INTEGER = re.compile(
    r"(?P<digits>0[xX][0-9a-fA-F]++|0[bB][01]++|[1-9][0-9]*+|0[0-7]*+)"
    r"(?P<suffix>[uU]?(?:[lL]{1,2})?[uU]?)"
)
_FLOAT = re.compile(
    r"(?P<number>(?:[0-9]++\.[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|[0-9]++[eE][-+]?[0-9]++)"
    r"(?P<suffix>[fF]?)",
    re.ASCII,
)
_CAST = re.compile(r"\(\s*+(?P<type>[a-z_]\w*+(?>(?:\s++[a-z]\w*+)*))\s*+\)", re.ASCII)
_CASTS = {
    **dict.fromkeys(("char", "signed char", "int8_t"), "s8"),
    **dict.fromkeys(("unsigned char", "uint8_t"), "u8"),
    **dict.fromkeys(("short", "short int", "int16_t"), "s16"),
    **dict.fromkeys(("unsigned short", "unsigned short int", "ushort", "uint16_t"), "u16"),
    **dict.fromkeys(("int", "signed", "signed int", "int32_t"), "s32"),
    **dict.fromkeys(("unsigned", "unsigned int", "uint", "uint32_t"), "u32"),
    **dict.fromkeys(("long long", "long long int", "long", "int64_t"), "s64"),
    **dict.fromkeys(("unsigned long long", "unsigned long", "uint64_t", "size_t"), "u64"),
    "float": "f32",
    "double": "f64",
}
_NAMES = {
    "s8": "char",
    "u8": "unsigned char",
    "s16": "short",
    "u16": "unsigned short",
    "s32": "int",
    "u32": "unsigned",
    "s64": "long long",
    "u64": "unsigned long long",
    "f32": "float",
    "f64": "double",
}
_MAX_CHARS = 66


class CLiteral(NamedTuple):
    """A literal in C source, as its value and its type."""

    value: int | float
    type: str
    """The PTX type of that width: ``s32`` for ``int``."""

    @property
    def is_float(self) -> bool:
        """Whether its type is ``float`` or ``double``."""
        return self.type[0] == "f"

    @property
    def width(self) -> int:
        """Width of its type in bits."""
        return int(self.type[1:])

    @property
    def c_type(self) -> str:
        """Its type as C calls it, in short: ``unsigned char``."""
        return _NAMES[self.type]

    def is_accepted_as(self, type_: str) -> bool:
        """Return whether nvcc accepts it for a register operand of a type."""
        return self.width == int(type_[1:]) and self.is_float is (type_[0] == "f")

    def convert_to(self, type_: str) -> CLiteral | None:
        """Return the value after a cast; None if C does not define it."""
        bits = int(type_[1:])
        if type_[0] == "f":
            pattern = encode_float(float(self.value), Type(type_))
            return CLiteral(decode_float(pattern, Type(type_)), type_)
        value = int(self.value) if abs(self.value) < inf else 0
        low, high = (-1 << bits - 1, 1 << bits - 1) if type_[0] == "s" else (0, 1 << bits)
        if self.is_float and not low <= value < high:
            return None
        value &= (1 << bits) - 1
        return CLiteral(value - (1 << bits) if value >= high else value, type_)

    def encode(self, bits: int) -> int:
        """Return the bits of a register that receives the value."""
        if isinstance(self.value, float):
            return encode_float(self.value, Type(f"f{bits}"))
        return self.value & ((1 << bits) - 1)


def parse_c_literal(text: str) -> CLiteral | None:
    """Parse a C literal with signs, ``~``, parentheses and casts; return None for other text."""
    word = text.strip() if len(text) < _MAX_CHARS else ""
    if word[:1] == "(":
        inner = parse_c_literal(word[1:-1]) if word[-1] == ")" else None
        if inner is not None:
            return inner
        cast = _CAST.match(word)
        type_ = _CASTS.get(" ".join(cast["type"].split())) if cast else None
        operand = parse_c_literal(word[cast.end() :]) if cast and type_ else None
        return operand.convert_to(type_) if operand and type_ else None
    if word[:1] in ("-", "+", "~") and word[1:2] != word[0]:
        return _apply_sign(word[0], parse_c_literal(word[1:]))
    if match := _INTEGER.fullmatch(word):
        return _parse_integer(match["digits"], match["suffix"].lower())
    if match := _FLOAT.fullmatch(word):
        return CLiteral(float(match["number"]), "f64").convert_to(
            "f32" if match["suffix"] else "f64"
        )
    return None


def _apply_sign(sign: str, operand: CLiteral | None) -> CLiteral | None:
    if operand is None or (sign == "~" and operand.is_float):
        return None
    if not operand.is_float and operand.width < 32:
        operand = operand._replace(type="s32")
    if sign == "+":
        return operand
    value = -operand.value if sign == "-" else ~int(operand.value)
    return operand._replace(value=value).convert_to(operand.type)


def _parse_integer(digits: str, suffix: str) -> CLiteral | None:
    """Return an integer in the first C type that holds it."""
    is_octal = digits[0] == "0" and digits.isdecimal()
    value = int(digits, 8 if is_octal else 0)
    can_be_unsigned = "u" in suffix or is_octal or not digits.isdecimal()
    for bits in (32, 64):
        if bits == 32 and "l" in suffix:
            continue
        if "u" not in suffix and value >> (bits - 1) == 0:
            return CLiteral(value, f"s{bits}")
        if can_be_unsigned and value >> bits == 0:
            return CLiteral(value, f"u{bits}")
    return None
