"""Expressions of C: one parser, for constants of PTX, conditions of ``#if``, and literals of C."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, NoReturn, Protocol, TypeVar

from .errors import quote_word

_LEVELS = ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
_PRECEDENCES = {sign: level for level, signs in enumerate(_LEVELS, 1) for sign in signs.split()}
"""The precedence of each operator (C11 6.5)."""
_INTEGER = re.compile(
    r"(?P<digits>0[xX](?>'?[0-9a-fA-F])+|0[bB](?>'?[01])+|0(?>'?[0-7])*|[1-9](?>'?[0-9])*)"
    r"(?P<suffix>[uU](?:[lL]{1,2}|[zZ])?|(?:[lL]{1,2}|[zZ])[uU]?|)"
)


class _Word(Protocol):
    @property
    def text(self) -> str: ...


WordT = TypeVar("WordT", bound=_Word)
ValueT = TypeVar("ValueT")


class ExpressionError(Exception):
    """The words are no expression, or its value is not defined."""

    def __init__(self, message: str, position: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.position, self.hint = message, position, hint


class ExpressionParser(Generic[WordT, ValueT]):
    """Parses the words of an expression by precedence climbing.

    A subclass reads the operands and computes the values. Both sides of ``&&``, ``||`` and ``? :``
    are evaluated.
    """

    def __init__(self, words: Sequence[WordT], depth: int = 0) -> None:
        self.words, self.position = words, 0
        self.depth, self.term_count = depth, 0
        """The open levels of nesting, and the signs, parentheses and operands so far."""
        self.start = 0
        """The first word of the cast, the sign, the operator or the choice to compute."""

    def fail(self, message: str, hint: str = "") -> NoReturn:
        """Raise the error for the word at the position."""
        raise ExpressionError(message, self.position, hint)

    # --- what differs ----------------------------------------------------------------------

    def check_size(self) -> None:
        """Raise an error if the expression is too long or too deep."""

    def parse_operand(self) -> ValueT:
        """Return the value of the number or name at the position."""
        self.fail(f"{quote_word(self.peek_word())} is not a constant")

    def parse_cast(self) -> ValueT | None:
        """Return the value of a cast after its ``(``; None for any other expression."""
        return None

    def apply_sign(self, sign: str, value: ValueT) -> ValueT:
        """Return the value after a sign."""
        self.fail(f"{quote_word(sign)} is not allowed before {value}")

    def combine(self, sign: str, left: ValueT, right: ValueT) -> ValueT:
        """Return the value of an operator and its operands."""
        self.fail(f"{quote_word(sign)} is not allowed between {left} and {right}")

    def choose(self, condition: ValueT, first: ValueT, second: ValueT) -> ValueT:
        """Return the value of ``? :``."""
        self.fail(f"`? :` is not allowed with {condition}, {first} and {second}")

    # --- the grammar -----------------------------------------------------------------------

    def peek_word(self) -> str:
        """Return the text of the word at the position; empty at the end."""
        return self.words[self.position].text if self.position < len(self.words) else ""

    def take_word(self, text: str) -> bool:
        """Return whether the word at the position is this one, and pass it if so."""
        is_match = self.peek_word() == text
        self.position += is_match
        return is_match

    def take_operand(self) -> WordT:
        """Return the word at the position, and pass it."""
        if self.position >= len(self.words):
            self.fail("a constant is missing here")
        self.position += 1
        return self.words[self.position - 1]

    def take_parenthesis(self) -> None:
        """Pass a closing parenthesis."""
        if not self.take_word(")"):
            self.fail("a parenthesis is not closed", "`)`")

    def parse_all(self) -> ValueT:
        """Return the value of all words."""
        value = self.parse_choice()
        if self.position < len(self.words):
            self.fail(f"{quote_word(self.peek_word())} does not continue a constant")
        return value

    def parse_choice(self) -> ValueT:
        """Return the value of the expression at the position."""
        start = self.position
        condition = self.parse_binary(1)
        if not self.take_word("?"):
            return condition
        self.depth += 1
        self.check_size()
        first = self.parse_choice()
        if not self.take_word(":"):
            self.fail("`?` without its `:`")
        second = self.parse_choice()
        self.depth -= 1
        self.start = start
        return self.choose(condition, first, second)

    def parse_binary(self, least: int) -> ValueT:
        """Return the value of operators that bind at least so tightly, and their operands."""
        value = self.parse_unary()
        while (precedence := _PRECEDENCES.get(sign := self.peek_word(), 0)) >= least:
            start = self.position
            self.position += 1
            right = self.parse_binary(precedence + 1)
            self.start = start
            value = self.combine(sign, value, right)
        return value

    def parse_unary(self) -> ValueT:
        """Return the value of an operand with its signs and casts."""
        start, sign = self.position, self.peek_word()
        self.depth += 1
        self.term_count += 1
        self.check_size()
        value: ValueT | None
        if self.take_word("("):
            self.start = start
            value = self.parse_cast()
            if value is None:
                value = self.parse_choice()
                self.take_parenthesis()
        elif sign in SIGNS:
            self.position += 1
            operand = self.parse_unary()
            self.start = start
            value = self.apply_sign(sign, operand)
        else:
            value = self.parse_operand()
        self.depth -= 1
        return value


def _divide(a: int, b: int) -> int:
    """Return the quotient of two integers, rounded towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
OPERATORS: dict[str, Callable[[int, int], int]] = {
    **COMPARISONS,
    "||": lambda a, b: bool(a or b),
    "&&": lambda a, b: bool(a and b),
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
}
"""The operators on integers of any size; a truth value is a bool."""
SIGNS: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": operator.not_,
}


class CInteger(NamedTuple):
    """An integer of C source."""

    value: int
    suffix: str
    """In lower case: ``ull``."""
    is_decimal: bool


def parse_c_integer(text: str) -> CInteger | None:
    """Return the integer that a text is, without a sign; None for any other text."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    digits = match["digits"].replace("'", "")
    is_decimal = digits[0] != "0"
    base = 8 if digits.isdecimal() and not is_decimal else 0
    return CInteger(int(digits, base), match["suffix"].lower(), is_decimal)
