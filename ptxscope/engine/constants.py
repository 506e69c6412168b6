"""PTX constants and constant expressions (PTX ISA 4.5)."""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .errors import Problem, Span, quoted
from .syntax import Kind, Token
from .types import Type

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)(U?)")
_SINGLE = re.compile(r"0[fF]([0-9a-fA-F]{8})")
_DOUBLE = re.compile(r"0[dD]([0-9a-fA-F]{16})")
_DECIMAL = re.compile(r"(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+")
_LONGEST = 64
"""Signs, parentheses and numbers in one constant expression."""
_CASTS = {".s64": False, ".u64": True}

_Binary = Callable[[int, int], int]
_LEVELS: tuple[dict[str, _Binary], ...] = (
    {"||": lambda x, y: bool(x or y)},
    {"&&": lambda x, y: bool(x and y)},
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge},
    {"<<": lambda x, y: x << (y & 63), ">>": lambda x, y: x >> (y & 63)},
    {"+": operator.add, "-": operator.sub},
    {
        "*": operator.mul,
        "/": lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
        "%": lambda x, y: abs(x) % abs(y) * (-1 if x < 0 else 1),
    },
)
_TRUTH = {"||", "&&", "==", "!=", "<", ">", "<=", ">="}


class Constant(NamedTuple):
    """What a constant expression is worth: a 64-bit integer, or a binary64 number."""

    value: int | float
    unsigned: bool = False
    pattern: int | None = None
    """The bits of a float that was written as ``0f…`` or ``0d…``; keeps a NaN's payload."""
    width: int = 64
    """Width of the pattern: 32 for ``0f…``."""


class BadConstantError(Exception):
    """The words are not a constant; ``problem`` says where and why."""

    def __init__(self, message: str, span: Span, hint: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(message, span, hint)


def is_constant(words: Sequence[Token]) -> bool:
    """Whether the words of an operand begin a constant rather than a register."""
    for word in words:
        if word.kind is Kind.NUMBER or word.text == "WARP_SZ":
            return True
        if word.text not in ("-", "+", "~", "!", "(", ")", *_CASTS):
            return False
    return False


def constant(words: Sequence[Token]) -> Constant:
    """Evaluate a constant expression; raises BadConstantError."""
    reader = _Reader(words)
    value = reader.ternary()
    if reader.at < len(words):
        extra = words[reader.at]
        if extra.kind is Kind.DOTTED:
            raise BadConstantError(f"a literal takes no selector {quoted(extra.text)}", extra.span)
        raise BadConstantError(f"{quoted(extra.text)} does not continue a constant", extra.span)
    return value


def constant_bits(value: Constant, type_: Type) -> int | str:
    """The bits of a constant for an operand type; or, where the type takes none such, why."""
    if type_ is Type.PRED:
        return int(value.value != 0) if isinstance(value.value, int) else "an integer"
    if isinstance(value.value, int):
        if type_.is_float:
            return "a float: `1.0`, `0f3F800000` or `0d3FF0000000000000`"
        return value.value & ((1 << type_.bits) - 1)
    fits = type_.is_float or (type_ in (Type.B32, Type.B64) and value.width == type_.bits)
    if not fits:
        return {
            Type.B32: "an integer, or a float as `0f3F800000`",
            Type.B64: "an integer, `1.0` or `0d3FF0000000000000`",
        }.get(type_, "an integer")
    if value.pattern is not None and value.width == type_.bits:
        return value.pattern
    return float_bits(value.value, type_.bits)


def float_bits(value: float, bits: int) -> int:
    """The bit pattern of a number as binary32 or binary64, rounded to nearest even."""
    if bits == 64:
        return int.from_bytes(struct.pack(">d", value))
    try:
        return int.from_bytes(struct.pack(">f", value))
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def bits_float(pattern: int, bits: int) -> float:
    """The number that a binary32 or binary64 bit pattern stands for."""
    code, size = (">d", 8) if bits == 64 else (">f", 4)
    number: float = struct.unpack(code, pattern.to_bytes(size))[0]
    return number


class _Reader:
    """Precedence climbing over the words of one operand."""

    def __init__(self, words: Sequence[Token]) -> None:
        self.words, self.at, self.depth = words, 0, 0

    def peek(self) -> str:
        return self.words[self.at].text if self.at < len(self.words) else ""

    def take(self, text: str) -> bool:
        found = self.peek() == text
        self.at += found
        return found

    def here(self) -> Span:
        return self.words[min(self.at, len(self.words) - 1)].span

    def ternary(self) -> Constant:
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        chosen = self.ternary()
        if not self.take(":"):
            raise BadConstantError("`?` without its `:`", self.here())
        other = self.ternary()
        return chosen if condition.value else other

    def binary(self, level: int) -> Constant:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while (sign := self.peek()) in _LEVELS[level]:
            at = self.here()
            self.at += 1
            left = _combine(sign, _LEVELS[level][sign], left, self.binary(level + 1), at)
        return left

    def unary(self) -> Constant:
        at = self.here()
        self.depth += 1
        if self.depth > _LONGEST:
            raise BadConstantError("the constant expression is too long", at)
        if self.take("("):
            if (cast := self.peek()) in _CASTS and self.words[self.at + 1 : self.at + 2]:
                self.at += 1
                self._close()
                return _integer(self.unary(), at, _CASTS[cast])
            inner = self.ternary()
            self._close()
            return inner
        for sign in ("-", "+", "~", "!"):
            if self.take(sign):
                return self._signed(sign, at)
        return self.number()

    def _signed(self, sign: str, at: Span) -> Constant:
        value = self.unary()
        if sign == "+":
            return value
        if sign == "-" and isinstance(value.value, float):
            if value.width == 32:
                raise BadConstantError("a `0f` literal takes no sign; set its top bit", at)
            pattern = None if value.pattern is None else value.pattern ^ (1 << 63)
            return value._replace(value=-value.value, pattern=pattern)
        number = _integer(value, at, value.unsigned).value
        assert isinstance(number, int)
        return _wrapped({"-": -number, "~": ~number, "!": number == 0}[sign], value.unsigned)

    def _close(self) -> None:
        if not self.take(")"):
            raise BadConstantError("a parenthesis is not closed", self.here(), "`)`")

    def number(self) -> Constant:
        if self.at >= len(self.words):
            raise BadConstantError("a constant is missing here", self.here())
        word = self.words[self.at]
        self.at += 1
        if word.text == "WARP_SZ":
            return Constant(32)
        if match := _INTEGER.fullmatch(word.text):
            digits = match[1]
            if len(digits) > 66:
                raise BadConstantError("the constant does not fit in 64 bits", word.span)
            octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
            number = int(digits, 8 if octal else 0)
            if number >> 64:
                raise BadConstantError("the constant does not fit in 64 bits", word.span)
            return _wrapped(number, bool(match[2]) or number >> 63 != 0)
        if match := _SINGLE.fullmatch(word.text):
            pattern = int(match[1], 16)
            return Constant(bits_float(pattern, 32), pattern=pattern, width=32)
        if match := _DOUBLE.fullmatch(word.text):
            pattern = int(match[1], 16)
            return Constant(bits_float(pattern, 64), pattern=pattern)
        if _DECIMAL.fullmatch(word.text):
            value = float(word.text)
            if value == float("inf"):
                raise BadConstantError("the constant is too large for binary64", word.span)
            return Constant(value)
        raise BadConstantError(
            f"{quoted(word.text)} is not a PTX literal", word.span, _hint(word.text)
        )


def _hint(text: str) -> str:
    if text[-1:] in ("u", "L", "l", "f") and text[:-1].isdigit():
        return "an integer without suffix, or with the suffix `U`"
    if text.isdigit():
        return "octal digits 0-7 behind a leading 0, or no leading 0"
    return "123, 0x7f, 0b1010, 017, 1.5, 0f3F800000, 0d3FF0000000000000"


def _wrapped(number: int, unsigned: bool) -> Constant:
    number &= (1 << 64) - 1
    return Constant(number if unsigned or number >> 63 == 0 else number - (1 << 64), unsigned)


def _integer(value: Constant, at: Span, unsigned: bool) -> Constant:
    if isinstance(value.value, float):
        raise BadConstantError("this operator takes integers only", at)
    return _wrapped(value.value, unsigned)


def _combine(sign: str, run: _Binary, x: Constant, y: Constant, at: Span) -> Constant:
    unsigned = x.unsigned if sign in ("<<", ">>") else x.unsigned or y.unsigned
    left, right = _integer(x, at, unsigned).value, _integer(y, at, unsigned).value
    assert isinstance(left, int)
    assert isinstance(right, int)
    if sign in ("/", "%") and not right:
        raise BadConstantError("division by zero", at)
    return _wrapped(int(run(left, right)), unsigned and sign not in _TRUTH)
