"""Expressions of C: one parser, for constants of PTX, conditions of ``#if``, and literals of C.

A literal of C has a value and a type, also after signs, ``~`` and casts.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from math import inf
from typing import Generic, NamedTuple, NoReturn, Protocol, TypeVar

from ..isa.encodings import decode_float, encode_float
from ..isa.types import Type
from .c_lexer import CToken, CTokenKind, iter_c_tokens
from .errors import quote_word
from .source import remove_comments

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
    """The words are not an expression, or its value is undefined."""

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

    # --- for subclasses --------------------------------------------------------------------

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
        """Pass a word if it is at the position; return whether it was."""
        is_match = self.peek_word() == text
        self.position += is_match
        return is_match

    def take_operand(self) -> WordT:
        """Pass and return the word at the position."""
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
        """Return the value of an expression whose operators have at least this precedence."""
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
    """Parse an unsigned C integer; return None for any other text."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    digits = match["digits"].replace("'", "")
    is_decimal = digits[0] != "0"
    base = 8 if digits.isdecimal() and not is_decimal else 0
    return CInteger(int(digits, base), match["suffix"].lower(), is_decimal)


# --- literals -----------------------------------------------------------------------------

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
C_TYPES = {
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
_MAX_CHARS = 200
_MAX_DEPTH = 40


class CLiteral(NamedTuple):
    """A literal in C source, or a constant expression, as its value and its type."""

    value: int | float
    type: str
    """The PTX type of the same width: ``s32`` for ``int``."""

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
        """The name of its type in C: ``unsigned char``."""
        return C_TYPES[self.type]

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


@lru_cache(maxsize=4096)  # cached: an editor parses the text at every keystroke
def parse_c_literal(text: str) -> CLiteral | None:
    """Parse a C literal, or a constant expression of literals; return None for other text."""
    return parse_c_constant(text, {})


def parse_c_constant(text: str, constants: Mapping[str, CLiteral]) -> CLiteral | None:
    """Parse a constant expression of literals and named constants; None for other text.

    It is evaluated as in C (C11 6.3.1.8, 6.6). The result is None if that overflows or is
    undefined.
    """
    tokens = iter_c_tokens(text) if len(text) < _MAX_CHARS else ()
    words = [x for x in tokens if x.kind is not CTokenKind.BLANK]
    try:
        return CConstantParser(words, constants).parse_all()
    except ExpressionError:
        return None


class CConstantParser(ExpressionParser[CToken, CLiteral]):
    """A constant expression of C; only literals and casts may be floats."""

    def __init__(self, words: Sequence[CToken], constants: Mapping[str, CLiteral]) -> None:
        super().__init__(words)
        self._constants = constants

    def check_size(self) -> None:
        """Raise an error if the expression is too deep."""
        if self.depth > _MAX_DEPTH:
            self.fail("the expression is too deep")

    def take_type(self) -> str | None:
        """Pass and return the type at the position; None for other words."""
        names = takewhile(lambda x: x.kind is CTokenKind.NAME, self.words[self.position :])
        texts = [x.text for x in names]
        type_ = _CASTS.get(" ".join(texts))
        self.position += len(texts) if type_ else 0
        return type_

    def parse_cast(self) -> CLiteral | None:
        """Return the value of a cast after its ``(``; None for any other expression."""
        type_ = self.take_type()
        if type_ is None:
            return None
        self.take_parenthesis()
        return self._convert(self.parse_unary(), type_)

    def combine(self, sign: str, left: CLiteral, right: CLiteral) -> CLiteral:
        """Return the value of an operator as in C (C11 6.5)."""
        left_value, right_value = left.value, right.value
        if isinstance(left_value, float) or isinstance(right_value, float):
            self.fail("the value is not an integer")
        if sign in ("&&", "||"):
            return CLiteral(int(OPERATORS[sign](left_value, right_value)), "s32")
        left, right = _promote(left), _promote(right)
        type_ = left.type
        if sign in ("<<", ">>"):
            if not 0 <= right_value < left.width:
                self.fail("the shift is not defined")
        else:
            type_ = _find_common_type(left, right)
            left, right = self._convert(left, type_), self._convert(right, type_)
        left_value, right_value = int(left.value), int(right.value)
        if sign in ("/", "%") and not right_value:
            self.fail("the quotient is not defined")
        value = int(OPERATORS[sign](left_value, right_value))
        if sign in COMPARISONS:
            return CLiteral(value, "s32")
        result = self._convert(CLiteral(value, type_), type_)
        if result.value != value and type_[0] == "s" and sign != "<<":
            self.fail("the value is too large for its type")
        return result

    def choose(self, condition: CLiteral, first: CLiteral, second: CLiteral) -> CLiteral:
        """Return the value of ``? :``."""
        if first.is_float or second.is_float:
            self.fail("the value is not an integer")
        type_ = _find_common_type(_promote(first), _promote(second))
        return self._convert(first if condition.value else second, type_)

    def _convert(self, literal: CLiteral, type_: str | None) -> CLiteral:
        converted_literal = literal.convert_to(type_) if type_ else None
        if converted_literal is None:
            self.fail("the value is not defined")
        return converted_literal

    def apply_sign(self, sign: str, value: CLiteral) -> CLiteral:
        """Return the value after a sign."""
        if sign in ("!", "~") and value.is_float:
            self.fail("the value is not defined")
        if sign == "!":
            return CLiteral(int(not value.value), "s32")
        value = _promote(value)
        if sign == "+":
            return value
        number = -value.value if sign == "-" else ~int(value.value)
        return self._convert(value._replace(value=number), value.type)

    def parse_operand(self) -> CLiteral:
        """Return the value of the literal or the named constant at the position."""
        text = self.take_operand().text
        if number := parse_c_integer(text):
            return self._choose_type(number)
        if text in self._constants:
            return self._constants[text]
        if text == "sizeof" and self.take_word("("):
            type_ = self.take_type()
            self.take_parenthesis()
            return self._convert(CLiteral(int((type_ or "s0")[1:]) // 8, "u64"), type_ and "u64")
        if text == "static_cast" and self.take_word("<"):
            type_ = self.take_type()
            if not (self.take_word(">") and self.take_word("(")):
                self.fail("this is not a cast")
            value = self.parse_choice()
            self.take_parenthesis()
            return self._convert(value, type_)
        match = _FLOAT.fullmatch(text)
        if match is None:
            self.fail("this is not a literal")
        literal = CLiteral(float(match["number"]), "f64")
        return self._convert(literal, "f32" if match["suffix"] else "f64")

    def _choose_type(self, number: CInteger) -> CLiteral:
        """Return an integer in the first C type that can represent it."""
        value, suffix, is_decimal = number
        for bits in (32, 64):
            if bits == 32 and set(suffix) & set("lz"):
                continue
            if "u" not in suffix and value >> (bits - 1) == 0:
                return CLiteral(value, f"s{bits}")
            if ("u" in suffix or not is_decimal) and value >> bits == 0:
                return CLiteral(value, f"u{bits}")
        raise ExpressionError("the integer is too large", self.position)


def _promote(literal: CLiteral) -> CLiteral:
    """Return an integer as operators read it: at least ``int``."""
    return literal._replace(type="s32") if not literal.is_float and literal.width < 32 else literal


def _find_common_type(left: CLiteral, right: CLiteral) -> str:
    """Return the common type of an operator's two integers (C11 6.3.1.8)."""
    if left.width != right.width:
        return max((left, right), key=lambda x: x.width).type
    return left.type if left.type[0] == "u" else right.type


_CONSTANT = re.compile(
    r"(?<![\w.])const(?:expr)?\s++(?:(?:static|inline|__device__|const|constexpr)\s++){0,3}"
    r"(?P<type>[a-z_]\w*+(?:\s++(?:int|long|char|short)\b){0,3})\s++(?:const\s++)?"
    r"(?P<name>[A-Za-z_]\w*+)\s*+"
    r"(?:=\s*+(?P<value>[^;{}\"]{1,200}+)|\{(?P<braced>[^;{}\"]{1,200}+)\}\s*+);",
    re.ASCII,
)
_NAME_AFTER_TYPE = re.compile(
    r"(?<=[\w>*&])(?:\s++|(?<=[>*&]))(?P<name>[A-Za-z_]\w*+)\s*+[=,;)\[{:>]", re.ASCII
)
_MACRO_PARAMETERS = re.compile(
    r"^[ \t]*+#[ \t]*+define[ \t]++\w++\(([^()\n]*+)\)", re.ASCII | re.MULTILINE
)
_WORD_BEFORE_VALUE = re.compile(r"\b(?:return|case|goto|else|throw)\Z")


@lru_cache(maxsize=2)
def find_c_constants(text: str) -> Mapping[str, CLiteral]:
    """Return the integers that a C source names with ``const`` or ``constexpr``.

    Names that are declared twice, possibly as parameters, are left out.
    """
    if "const" not in text:
        return {}
    text = remove_comments(text)
    definitions = list(_CONSTANT.finditer(text))
    if not definitions:
        return {}
    names = Counter(
        x["name"]
        for x in _NAME_AFTER_TYPE.finditer(text)
        if not _WORD_BEFORE_VALUE.search(text, max(x.start() - 8, 0), x.start())
    )
    for x in _MACRO_PARAMETERS.finditer(text):
        names.update(parameter.strip() for parameter in x[1].split(","))
    constants = dict[str, CLiteral]()
    for x in definitions:
        type_, name = _CASTS.get(" ".join(x["type"].split())), x["name"]
        value = parse_c_constant(x["value"] or x["braced"], constants)
        if type_ and type_[0] != "f" and names[name] == 1 and value and not value.is_float:
            constants |= {name: converted} if (converted := value.convert_to(type_)) else {}
    return constants
