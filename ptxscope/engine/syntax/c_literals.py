"""C literals: their value and their type, also after signs, ``~`` and casts."""

from __future__ import annotations

import re
from itertools import takewhile
from math import inf
from typing import NamedTuple

from ..isa.encodings import decode_float, encode_float
from ..isa.types import Type
from .c_expression import CInteger, ExpressionError, ExpressionParser, parse_c_integer
from .c_lexer import CToken, CTokenKind, iter_c_tokens

_FLOAT = re.compile(
    r"(?P<number>(?:[0-9]++\.[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|[0-9]++[eE][-+]?[0-9]++)"
    r"(?P<suffix>[fF]?)",
    re.ASCII,
)
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
    tokens = iter_c_tokens(text) if len(text) < _MAX_CHARS else ()
    try:
        return _LiteralParser([x for x in tokens if x.kind is not CTokenKind.BLANK]).parse_all()
    except ExpressionError:
        return None


class _LiteralParser(ExpressionParser[CToken, CLiteral]):
    """A literal of C; no operator of two operands is one."""

    def parse_cast(self) -> CLiteral | None:
        names = list(takewhile(lambda x: x.kind is CTokenKind.NAME, self.words[self.position :]))
        if not names:
            return None
        self.position += len(names)
        self.take_parenthesis()
        return self._convert(self.parse_unary(), _CASTS.get(" ".join(x.text for x in names)))

    def _convert(self, literal: CLiteral, type_: str | None) -> CLiteral:
        converted_literal = literal.convert_to(type_) if type_ else None
        if converted_literal is None:
            self.fail("the value is not defined")
        return converted_literal

    def apply_sign(self, sign: str, value: CLiteral) -> CLiteral:
        if sign == "!" or (sign == "~" and value.is_float):
            self.fail("the value is not defined")
        if not value.is_float and value.width < 32:
            value = value._replace(type="s32")
        if sign == "+":
            return value
        number = -value.value if sign == "-" else ~int(value.value)
        return self._convert(value._replace(value=number), value.type)

    def parse_operand(self) -> CLiteral:
        text = self.take_operand().text
        if number := parse_c_integer(text):
            return self._choose_type(number)
        match = _FLOAT.fullmatch(text)
        if match is None:
            self.fail("this is not a literal")
        literal = CLiteral(float(match["number"]), "f64")
        return self._convert(literal, "f32" if match["suffix"] else "f64")

    def _choose_type(self, number: CInteger) -> CLiteral:
        """Return an integer in the first C type that holds it."""
        value, suffix, is_decimal = number
        for bits in (32, 64):
            if bits == 32 and set(suffix) & set("lz"):
                continue
            if "u" not in suffix and value >> (bits - 1) == 0:
                return CLiteral(value, f"s{bits}")
            if ("u" in suffix or not is_decimal) and value >> bits == 0:
                return CLiteral(value, f"u{bits}")
        raise ExpressionError("the integer is too large", self.position)
