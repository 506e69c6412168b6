"""PTX constants and constant expressions (PTX ISA 4.5), as ptxas 13.0 evaluates them.

Differences from C: ``~`` and ``%`` read their operands as unsigned and return an unsigned result;
``!`` returns a signed one. ``? :`` has the type of the chosen operand. Both sides of
``&&``, ``||`` and ``? :`` are evaluated. ``+ - * /`` and comparisons also take two floats, in
binary64. ``0f…`` is alone or in parentheses.

Undecided cases are refused with a message: the quotient of -2^63 and -1 (ptxas crashes), and a sum
or product of two NaNs (it is unknown whose payload survives). A decimal below the normal numbers of
binary64 is refused, as by ptxas; whether ptxas accepts one that is exactly a subnormal is unknown.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..isa.encodings import cast, decode_float, encode_float
from ..isa.types import Form, Type
from .c_expression import COMPARISONS, OPERATORS, SIGNS, ExpressionError, ExpressionParser
from .errors import Problem, Span, quote_word
from .instruction import Immediate, Register
from .tokens import Token, TokenKind, tokenize

INTEGER = re.compile(
    r"(?:0[xX](?P<x>[0-9a-fA-F]+)|0[bB](?P<b>[01]+)|(?P<o>0[0-7]*)|(?P<d>[1-9][0-9]*))(?P<U>U?)"
)
"""Matches an integer, its digits in the group of their base."""
BASES = {"x": 16, "b": 2, "o": 8, "d": 10}
_SINGLE = re.compile(r"0[fF]([0-9a-fA-F]{8})")
_DOUBLE = re.compile(r"0[dD]([0-9a-fA-F]{16})")
_DECIMAL = re.compile(r"(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+")
_MAX_TERMS = 64
"""Maximum number of signs, parentheses and numbers in a constant expression."""
_CASTS = {".s64": False, ".u64": True}

_TOP = 1 << 63
_ONES = (1 << 64) - 1
_SMALLEST = 2.0**-1022
"""The smallest positive normal number of binary64."""

_FLOATS: dict[str, Callable[[float, float], float | bool]] = {
    **COMPARISONS,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class Constant(NamedTuple):
    """The value of a constant expression: a 64-bit integer or a binary64 number."""

    value: int | float
    is_unsigned: bool = False
    pattern: int | None = None
    """The bits of a float written as ``0f…`` or ``0d…``; preserves a NaN's payload."""
    width: int = 64
    """The width of the pattern: 32 for ``0f…``."""
    is_truncated: bool = False
    """Whether an integer in the expression has more than 64 bits."""


_SHORT = 10
"""The digits of a decimal literal that may have a value above 31 bits."""


class BadConstantError(Exception):
    """The words are not a constant; ``problem`` has the reason and the position."""

    def __init__(self, message: str, span: Span, hint: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(message, span, hint)


def evaluate_constant(words: Sequence[Token]) -> Constant:
    """Evaluate a constant expression; raise BadConstantError if it is invalid."""
    text = words[0].text if len(words) == 1 else ""
    if text.isdecimal() and (text == "0" or text[0] != "0") and len(text) < _SHORT:
        return Constant(int(text))  # as most are
    reader = _ConstantParser(words)
    try:
        value = reader.parse_choice()
    except ExpressionError as error:
        span = words[min(error.position, len(words) - 1)].span
        raise BadConstantError(error.message, span, error.hint) from None
    if reader.position < len(words):
        extra = words[reader.position]
        if extra.kind is TokenKind.DOTTED:
            raise BadConstantError(
                f"a literal takes no selector {quote_word(extra.text)}", extra.span
            )
        raise BadConstantError(f"{quote_word(extra.text)} does not continue a constant", extra.span)
    return value._replace(is_truncated=reader.is_truncated)


def convert_constant(value: Constant, type_: Type) -> int | str:
    """Return the bits of a constant for an operand type, or the constants that the type takes."""
    if type_ is Type.PRED:
        return int(value.value != 0) if isinstance(value.value, int) else "an integer"
    if isinstance(value.value, int):
        if type_.is_float:
            return "a float: `1.0`, `0f3F800000` or `0d3FF0000000000000`"
        return value.value & ((1 << type_.bits) - 1)
    is_accepted = type_.is_float or (type_ in (Type.B32, Type.B64) and value.width == type_.bits)
    if not is_accepted:
        return {
            Type.B32: "an integer, or a float as `0f3F800000`",
            Type.B64: "an integer, `1.0` or `0d3FF0000000000000`",
        }.get(type_, "an integer")
    if value.pattern is not None and value.width <= type_.bits:
        return value.pattern
    return encode_float(value.value, Type(f"f{type_.bits}"))


def convert_literal(text: str, type_: Type) -> int | None:
    """Return the bits of a literal's text for an operand type; None if the type cannot take it."""
    return convert_words(tokenize(text), type_)


def convert_words(words: Sequence[Token], type_: Type) -> int | None:
    """Return the bits of a constant for an operand type; None if it is invalid or does not fit."""
    try:
        bits = convert_constant(evaluate_constant(words), type_)
    except BadConstantError:
        return None
    return bits if isinstance(bits, int) else None


class _ConstantParser(ExpressionParser[Token, Constant]):
    """Parses the words of one operand."""

    is_truncated = False

    def check_size(self) -> None:
        if self.term_count > _MAX_TERMS:
            self.fail("the constant expression is too long")

    def parse_cast(self) -> Constant | None:
        type_ = self.peek_word()
        if type_ not in _CASTS or self.position + 1 == len(self.words):
            return None
        span = self.words[self.start].span
        self.position += 1
        self.take_parenthesis()
        is_unsigned = _CASTS[type_]
        return Constant(_get_integer(self.parse_unary(), span, is_unsigned), is_unsigned)

    def choose(self, condition: Constant, first: Constant, second: Constant) -> Constant:
        if any(isinstance(x.value, float) for x in (condition, first, second)):
            raise BadConstantError("`? :` takes integers only", self.words[self.start].span)
        return first if condition.value else second

    def combine(self, sign: str, left: Constant, right: Constant) -> Constant:
        return _combine(sign, left, right, self.words[self.start].span)

    def apply_sign(self, sign: str, value: Constant) -> Constant:
        span = self.words[self.start].span
        if isinstance(value.value, float) and sign in "+-":
            if value.width == 32:
                raise BadConstantError("a `0f` literal takes no sign; set its top bit", span)
            if sign == "+":
                return value
            pattern = None if value.pattern is None else value.pattern ^ _TOP
            return value._replace(value=-value.value, pattern=pattern)
        number = _get_integer(value, span, value.is_unsigned)
        is_unsigned = sign != "!" and (sign == "~" or value.is_unsigned)
        return _wrap_integer(SIGNS[sign](number), is_unsigned)

    def parse_operand(self) -> Constant:
        word = self.take_operand()
        if word.text == "WARP_SZ":
            return Constant(32)
        if match := INTEGER.fullmatch(word.text):
            value, is_truncated = _parse_literal(match, word.span)
            self.is_truncated = self.is_truncated or is_truncated
            return value
        if match := _SINGLE.fullmatch(word.text):
            pattern = int(match[1], 16)
            return Constant(decode_float(pattern, Type.F32), pattern=pattern, width=32)
        if match := _DOUBLE.fullmatch(word.text):
            pattern = int(match[1], 16)
            return Constant(decode_float(pattern, Type.F64), pattern=pattern)
        if _DECIMAL.fullmatch(word.text):
            number = float(word.text)
            if number == float("inf"):
                raise BadConstantError("the constant is too large for binary64", word.span)
            if number < _SMALLEST and any(x in "123456789" for x in re.split("[eE]", word.text)[0]):
                message = "the constant is below the normal numbers of binary64"
                raise BadConstantError(message, word.span, "its bits: 0d0000000000000001")
            return Constant(number)
        raise BadConstantError(
            f"{quote_word(word.text)} is not a PTX literal", word.span, _make_hint(word.text)
        )


def _make_hint(text: str) -> str:
    if text[-1:] in ("u", "L", "l", "f") and text[:-1].isdigit():
        return "an integer without suffix, or with the suffix `U`"
    if text.isdigit():
        return "octal digits 0-7 after a leading 0, or no leading 0"
    return "123, 0x7f, 0b1010, 017, 1.5, 0f3F800000, 0d3FF0000000000000"


def _parse_literal(match: re.Match[str], span: Span) -> tuple[Constant, bool]:
    """Return an integer, and whether it was truncated.

    ptxas truncates an integer that is one digit too long, and refuses longer ones.
    """
    kind = next(kind for kind in BASES if match[kind])
    base, number, is_truncated = BASES[kind], 0, False
    for digit in match[kind].lstrip("0"):
        if number >= _TOP:
            raise BadConstantError("the constant does not fit in 64 bits", span)
        number = number * base + int(digit, base)
        is_truncated = is_truncated or number > _ONES
        number &= _ONES
    return _wrap_integer(number, bool(match["U"]) or number >= _TOP), is_truncated


def _wrap_integer(number: int, is_unsigned: bool) -> Constant:
    return Constant(cast(number, 64, not is_unsigned), is_unsigned)


def _get_integer(value: Constant, span: Span, is_unsigned: bool) -> int:
    if isinstance(value.value, float):
        raise BadConstantError("this operator takes integers only", span)
    return cast(value.value, 64, not is_unsigned)


def _combine(sign: str, x: Constant, y: Constant, span: Span) -> Constant:
    if isinstance(x.value, float) and isinstance(y.value, float) and sign in _FLOATS:
        return _combine_floats(sign, x, y, span)
    is_unsigned = sign == "%" or x.is_unsigned or (y.is_unsigned and sign not in ("<<", ">>"))
    left_number, right_number = (_get_integer(number, span, is_unsigned) for number in (x, y))
    if sign in ("/", "%") and not right_number:
        raise BadConstantError("division by zero", span)
    if sign == "/" and (left_number, right_number) == (-_TOP, -1):
        raise BadConstantError("the quotient does not fit in 64 bits; ptxas crashes on it", span)
    if sign in ("<<", ">>"):
        right_number &= 63
    value = OPERATORS[sign](left_number, right_number)
    return _wrap_integer(int(value), is_unsigned and not isinstance(value, bool))


def _combine_floats(sign: str, x: Constant, y: Constant, span: Span) -> Constant:
    """Combine two binary64 numbers; NaN results have the bits that an x86 processor returns."""
    if 32 in (x.width, y.width):
        raise BadConstantError("a `0f` literal can't be part of an expression", span, "0d…, or 1.5")
    if sign == "/" and not y.value:
        raise BadConstantError("division by zero", span)
    value = _FLOATS[sign](x.value, y.value)
    if isinstance(value, bool):
        return Constant(int(value))
    if value == value:
        return Constant(value)
    nans = [number for number in (x, y) if number.value != number.value]
    if len(nans) == 2:
        raise BadConstantError("it is unspecified which of two NaNs results", span)
    pattern = convert_constant(nans[0], Type.F64) if nans else 0xFFF8 << 48
    assert isinstance(pattern, int)
    return Constant(value, pattern=pattern | 1 << 51)


# --- the constant folding of slct by ptxas, F1 (docs/semantics.md, 2.1) -------------------

FOLDING = "ptxas 11.8 to 13.3 at -O1 and above"
"""The versions and options that misfold a constant c of ``slct``."""


class Folding(NamedTuple):
    """A ``slct`` whose constant c is misfolded."""

    folded_choice: Register | Immediate
    documented_choice: Register | Immediate
    mistaken_value: str


def find_folding(form: Form, operands: Sequence[Register | Immediate], c: int) -> Folding | None:
    """Return how a ``slct`` with a constant c is misfolded; None if its result is right.

    ``operands`` are a and b as written, ``c`` the bits of the constant.
    """
    if (form.opcode, form.dtype, form.ctype) != ("slct", Type.S32, Type.S32):
        return None
    a, b, *_ = operands
    if a == b or (a.bits is not None and a.bits == b.bits):
        return None
    documented, folded = cast(c, 32, signed=True) >= 0, decode_float(c, Type.F32) >= 0
    if documented == folded:
        return None
    folded_choice, documented_choice = (a, b) if folded else (b, a)
    mistaken_value = "-0.0, which is >= 0" if folded else "a NaN, which is not >= 0"
    return Folding(folded_choice, documented_choice, mistaken_value)


def format_folding_note(form: Form, operands: Sequence[Register | Immediate], c: int) -> str:
    """Return the note on a misfolded ``slct``; empty if its result is right."""
    folding = find_folding(form, operands, c)
    if folding is None:
        return ""
    return (
        f"with this constant c {FOLDING} takes {folding.folded_choice}, not "
        f"{folding.documented_choice} as documented: it folds c as if it were an f32, "
        f"{folding.mistaken_value}; -O0, ptxas 13.5 and a c that is not a constant are right"
    )
