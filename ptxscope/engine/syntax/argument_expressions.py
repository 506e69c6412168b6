"""Expressions of C as arguments of intrinsics: ``__vadd4(a & 0x7f7f7f7f, b)``.

Constants are evaluated as in C. Expressions of variables become PTX statements. Only operators
whose bits do not depend on the variables' types are supported, and ``>>`` after a cast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from .c_expression import C_TYPES, CConstantParser, CLiteral, ExpressionError, ExpressionParser
from .c_lexer import CToken, CTokenKind
from .errors import Problem, Span, quote_word

_OPCODES = {"&": "and.b", "|": "or.b", "^": "xor.b", "+": "add.u", "-": "sub.u", "*": "mul.lo.u"}
_SHIFTS = {"<<": "shl.b", ">>": "shr."}
_UNARY_OPCODES = {"~": "not.b", "-": "neg.s"}
_READABLE = "& | ^ ~ + - * << >>"
_MAX_WORDS = 400
_MAX_DEPTH = 40


class CVariable(NamedTuple):
    """A C variable, or the result of a statement that computes with variables."""

    name: str
    sign: str = ""
    """``s`` or ``u``: whether its type is signed; empty if that is unknown."""


Value = CLiteral | CVariable
ReadCall = Callable[[int], tuple[str, int] | None]
"""Reads the call at a word, if there is one; returns its result's name and its number of words."""
Compute = Callable[[str, tuple[str, ...], Span], str]
"""Writes a statement, given its opcode, operands and place; returns the name of its result."""


class _ArgumentParser(ExpressionParser[CToken, Value]):
    """Parses an argument and writes the statements that compute it."""

    def __init__(
        self, words: Sequence[CToken], bits: int, compute: Compute, read_call: ReadCall
    ) -> None:
        super().__init__(words)
        self._bits, self._compute, self._read_call = bits, compute, read_call
        self._constants = CConstantParser(words, {})

    def check_size(self) -> None:
        if self.depth > _MAX_DEPTH:
            self.fail("this argument is nested too deeply")

    def parse_operand(self) -> Value:
        start = self.position
        if call := self._read_call(start):
            name, count = call
            self.position += count
            return CVariable(name)
        word = self.take_operand()
        if word.kind is CTokenKind.NAME and word.text != "sizeof":
            if self.peek_word() in ("(", "[", ".", "->"):
                self.position = start
                self.fail(
                    f"{quote_word(word.text + self._peek_after(start))} is not supported here"
                )
            return CVariable(word.text)
        self._constants.position = start
        value = self._constants.parse_operand()
        self.position = self._constants.position
        if value.is_float:
            self.fail("this is not an integer")
        return value

    def _peek_after(self, position: int) -> str:
        return self.words[position + 1].text if position + 1 < len(self.words) else ""

    def parse_cast(self) -> Value | None:
        self._constants.position = self.position
        type_ = self._constants.take_type()
        if type_ is None:
            return None
        start = self.position
        self.position = self._constants.position
        self.take_parenthesis()
        value = self.parse_unary()
        if isinstance(value, CLiteral):
            return value.convert_to(type_)
        width = int(type_[1:])
        # arithmetic in a narrower type than the parameter's would wrap sooner
        is_wrong = width not in (self._bits, 8, 16) or (type_[0] == "s" and width < self._bits)
        if is_wrong or type_[0] == "f":
            self.position = start
            self.fail(f"a cast to {quote_word(C_TYPES[type_])} is not supported here")
        if width < self._bits:
            mask = f"{(1 << width) - 1:#x}"
            return CVariable(self._write(f"and.b{self._bits}", value.name, mask), "s")
        return value._replace(sign=type_[0])

    def apply_sign(self, sign: str, value: Value) -> Value:
        if isinstance(value, CLiteral):
            return self._constants.apply_sign(sign, value)
        if sign == "+":
            return value
        if sign not in _UNARY_OPCODES:
            self._refuse(sign)
        return value._replace(name=self._write(f"{_UNARY_OPCODES[sign]}{self._bits}", value.name))

    def combine(self, sign: str, left: Value, right: Value) -> Value:
        if isinstance(left, CLiteral) and isinstance(right, CLiteral):
            return self._constants.combine(sign, left, right)
        if sign in _SHIFTS:
            return self._shift(sign, left, right)
        if sign not in _OPCODES:
            self._refuse(sign)
        name = self._write(f"{_OPCODES[sign]}{self._bits}", *map(self.format_value, (left, right)))
        signs = {x.type[0] if isinstance(x, CLiteral) else x.sign for x in (left, right)}
        return CVariable(name, "u" if "u" in signs else "" if "" in signs else "s")

    def _shift(self, sign: str, value: Value, amount: Value) -> Value:
        kind = value.sign if isinstance(value, CVariable) else value.type[0]
        if sign == ">>" and not kind:
            self.position = self.start
            self.fail(
                "`>>` shifts a signed or an unsigned number: its type is not known",
                "(unsigned)(…) >> … (int)(…) >> …",
            )
        if isinstance(amount, CLiteral) and not 0 <= amount.value < self._bits:
            self.position -= 1
            self.fail("the shift is not defined")
        if not isinstance(amount, CLiteral) and self._bits != 32:
            self.fail("the amount of this shift must be a constant")
        opcode = f"{_SHIFTS[sign]}{kind if sign == '>>' else ''}{self._bits}"
        name = self._write(opcode, self.format_value(value), self.format_value(amount))
        return CVariable(name, kind)

    def choose(self, condition: Value, first: Value, second: Value) -> Value:
        if not isinstance(condition, CLiteral):
            self._refuse("? :")
        if isinstance(first, CLiteral) and isinstance(second, CLiteral):
            return self._constants.choose(condition, first, second)
        return first if condition.value else second

    def _refuse(self, sign: str) -> NoReturn:
        self.position = self.start
        self.fail(f"{quote_word(sign)} of a variable is not supported in an argument", _READABLE)

    def format_value(self, value: Value) -> str:
        if isinstance(value, CVariable):
            return value.name
        number = int(value.value)
        if not -(1 << self._bits - 1) <= number < 1 << self._bits:
            self.fail(f"{quote_word(f'{number:#x}')} does not fit {self._bits} bits")
        return str(number) if -10 < number < 10 else f"{number:#x}"

    def _write(self, opcode: str, *operands: str) -> str:
        word = self.words[min(self.start, len(self.words) - 1)]
        return self._compute(opcode, operands, word.span)


def parse_argument(
    words: Sequence[CToken], bits: int, compute: Compute, read_call: ReadCall
) -> str | Problem:
    """Return an argument as a name or a number, after its statements; or why it is unsupported.

    ``bits`` is the width of the intrinsic's operands.
    """
    try:
        if len(words) > _MAX_WORDS:
            raise ExpressionError("this argument is too long", 0)
        parser = _ArgumentParser(words, bits, compute, read_call)
        return parser.format_value(parser.parse_all())
    except ExpressionError as error:
        word = words[min(error.position, len(words) - 1)]
        message = error.message.replace("a constant", "an expression")
        return Problem(message, word.span, error.hint)
