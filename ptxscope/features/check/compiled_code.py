"""The parts of a C source that are compiled: its conditions, with definitions from outside.

A condition with an unknown macro is unknown, and its branches are unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...engine.syntax.c_expression import (
    OPERATORS,
    SIGNS,
    ExpressionError,
    ExpressionParser,
    parse_c_integer,
)
from ...engine.syntax.c_lexer import CToken, CTokenKind, blank_spans, iter_c_tokens, iter_directives
from ...engine.syntax.errors import Span
from ...sources.preprocessor import Definitions, is_condition, is_definition, read_definition

_MAYBE_DISABLED = re.compile(r"#[^\S\n]*+if(?>(?:[^\S\n]|\()*)0")
_MAX_CHARS = 1 << 10
"""Characters of a condition that is evaluated."""
_MAX_DEPTH = 40
"""Levels of parentheses and of macros in a condition."""
_MIN_TOKEN_BUDGET = 1 << 16
"""Tokens of conditions that are read in any file; the longer it is, the more."""
_MAX_BITS = 64


class _Branch(NamedTuple):
    """A branch of a ladder: its directive, and whether it is compiled; None if it is unknown."""

    directive: Span
    is_taken: bool | None


class _Ladder:
    """The branches from an ``#if`` to its ``#endif``."""

    def __init__(self, outside: bool | None) -> None:
        self.outside = outside
        """Whether the text around it is compiled."""
        self.branches = list[_Branch]()
        self.has_taken: bool | None = False
        """Whether one of the branches so far is compiled."""

    def add_branch(self, directive: Span, condition: bool | None) -> None:
        """Add a branch with a condition that counts if no branch before is compiled."""
        is_taken = condition
        if self.has_taken or condition is False:
            is_taken = False
        elif self.has_taken is None:
            is_taken = None
        self.branches.append(_Branch(directive, is_taken))
        if not self.has_taken and is_taken is not False:
            self.has_taken = condition

    @property
    def state(self) -> bool | None:
        """Whether the text of the last branch is compiled."""
        states = (self.outside, self.branches[-1].is_taken)
        return False if False in states else None if None in states else True

    def list_blanked(self, end: Span) -> list[Span]:
        """Return the ranges that are not compiled; also the directives if conditions are known."""
        directives = [*(x.directive for x in self.branches), end]
        spans = [
            (branch.directive[1], following[0])
            for branch, following in zip(self.branches, directives[1:], strict=True)
            if branch.is_taken is False
        ]
        is_known = all(x.is_taken is not None for x in self.branches)
        return [*spans, *directives] if is_known else spans


class Condition(NamedTuple):
    """A condition as text, which may be assumed to hold at each occurrence."""

    key: str
    is_negated: bool


def read_condition(word: str, rest: str) -> Condition | None:
    """Return the condition of a directive; None for ``#else``."""
    text = "".join(rest.replace("\\\n", " ").split())
    if word.endswith("def"):
        return Condition(f"defined({text})", word.endswith("ndef"))
    if word == "else":
        return None
    is_negated = text.startswith("!defined") and _DEFINED.fullmatch(text[1:]) is not None
    return Condition(_DEFINED.sub(r"defined(\1)", text.removeprefix("!" * is_negated)), is_negated)


_DEFINED = re.compile(r"defined\(?(\w+)\)?", re.ASCII)


def select_branches(
    text: str, definitions: Definitions, assumed: Mapping[str, bool] = MappingProxyType({})
) -> str:
    """Return a C source of the same length with the branches that are not compiled blanked.

    The directives of a ladder whose conditions are all known are blanked, too. Definitions in the
    source count from their line on. ``assumed`` has conditions that hold or do not.
    """
    definitions, budget = dict(definitions), [_MIN_TOKEN_BUDGET + 4 * len(text)]
    blanked, ladders = list[Span](), list[_Ladder]()
    for directive in iter_directives(text):
        word, span, rest = directive.word, directive.span, directive.rest
        state = ladders[-1].state if ladders else True
        if is_definition(directive):
            _define(definitions, word, rest, state)
        elif not is_condition(directive):
            continue
        elif word.startswith("if"):
            ladders.append(_Ladder(state))
            condition = None
            if state is not False:
                condition = _evaluate(word, rest, definitions, budget, assumed)
            ladders[-1].add_branch(span, condition)
        elif ladders and word == "endif":
            blanked += ladders.pop().list_blanked(span)
        elif ladders:
            condition = _evaluate(word.removeprefix("el"), rest, definitions, budget, assumed)
            ladders[-1].add_branch(span, condition)
    while ladders:
        blanked += ladders.pop().list_blanked((len(text), len(text)))
    return blank_spans(text, sorted(blanked))


def _define(definitions: dict[str, str | None], word: str, rest: str, state: bool | None) -> None:
    """Note a definition; one in a branch that may be compiled makes the name unknown."""
    definition = read_definition(rest) if state is not False else None
    if definition is None:
        return
    name, parameters, body = definition
    if state is None:
        definitions.pop(name, None)
    elif word == "undef":
        definitions[name] = None
    else:
        definitions[name] = "?" if parameters is not None else body.replace("\\\n", " ").strip()


def _evaluate(
    word: str, rest: str, definitions: Definitions, budget: list[int], assumed: Mapping[str, bool]
) -> bool | None:
    """Return whether a condition holds; None if it is unknown."""
    text = rest.replace("\\\n", " ").strip()
    if word == "se":  # of `else`
        return True
    condition = read_condition(word, rest) if assumed else None
    if condition and condition.key in assumed:
        return assumed[condition.key] is not condition.is_negated
    if word.endswith("def"):
        name = text.split(maxsplit=1)[0] if text else ""
        if name not in definitions:
            return None
        return (definitions[name] is not None) is not word.endswith("ndef")
    try:
        value = _Condition(text, definitions, budget).parse_all()
    except ExpressionError:
        return None
    return None if value is None else value != 0


_Value = int | None
"""The value of an expression; None for an unknown one."""
_DECISIVE = {"||": 1, "&&": 0}
"""The value of one side that decides the result."""


class _Condition(ExpressionParser[CToken, _Value]):
    """A constant expression of the preprocessor."""

    def __init__(
        self, text: str, definitions: Definitions, budget: list[int], depth: int = 0
    ) -> None:
        tokens = iter_c_tokens(text) if len(text) <= _MAX_CHARS else ()
        words = [x for x in tokens if x.kind is not CTokenKind.BLANK]
        super().__init__(words, depth)
        self.definitions, self.budget = definitions, budget
        budget[0] -= 1 + len(words)

    def check_size(self) -> None:
        if self.depth > _MAX_DEPTH or self.budget[0] < 0:
            self.fail("the condition is too long")

    def choose(self, condition: _Value, first: _Value, second: _Value) -> _Value:
        return None if condition is None else first if condition else second

    def apply_sign(self, sign: str, value: _Value) -> _Value:
        return None if value is None else int(SIGNS[sign](value))

    def combine(self, sign: str, left: _Value, right: _Value) -> _Value:
        decisive = _DECISIVE.get(sign)
        if any(x is not None and int(bool(x)) == decisive for x in (left, right)):
            return decisive
        if left is None or right is None:
            return None
        is_shift_wrong = sign in ("<<", ">>") and not 0 <= right < _MAX_BITS
        if is_shift_wrong or (sign in ("/", "%") and not right):
            self.fail("the value is not defined")
        value = int(OPERATORS[sign](left, right))
        if value.bit_length() > _MAX_BITS:
            self.fail("the value is too large")
        return value

    def parse_operand(self) -> _Value:
        token = self.take_operand()
        if token.kind is CTokenKind.NUMBER and (number := parse_c_integer(token.text)):
            return number.value
        if token.kind is not CTokenKind.NAME:
            self.fail("this is neither a number nor a name")
        name = token.text
        if name == "defined":
            has_parenthesis = self.take_word("(")
            operand = self.take_operand()
            if operand.kind is not CTokenKind.NAME:
                self.fail("`defined` takes a name")
            if has_parenthesis:
                self.take_parenthesis()
            is_known = operand.text in self.definitions
            return int(self.definitions[operand.text] is not None) if is_known else None
        if self.peek_word() == "(":
            self.fail(
                "a macro with arguments is unknown"
            )  # a macro with arguments, or __has_include
        if name in ("true", "false"):
            return int(name == "true")
        if name not in self.definitions:
            return None
        body = self.definitions[name]
        if body is None:
            return 0
        return _Condition(body, self.definitions, self.budget, self.depth + 1).parse_all()


def find_disabled_code(text: str) -> list[Span]:
    """Return the ranges between ``#if 0`` and its ``#else`` or ``#endif``."""
    if not _MAYBE_DISABLED.search(text):
        return []
    spans, depth, start, outer = list[Span](), 0, -1, 0
    for directive in filter(is_condition, iter_directives(text, with_raw_strings=True)):
        word = directive.word
        if word.startswith("if"):
            depth += 1
            if start < 0 and word == "if" and directive.rest.strip(" \t()") == "0":
                start, outer = directive.end, depth
        elif start >= 0 and depth == outer:
            spans.append((start, directive.start))
            start = -1
        depth -= word == "endif"
    return [*spans, (start, len(text))] if start >= 0 else spans
