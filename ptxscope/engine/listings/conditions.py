"""Conditions of the C preprocessor, evaluated with definitions from outside.

A condition whose macros are not all known is unknown, and its branches stay as they are.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ..syntax.errors import Span
from ..syntax.source import COMMENT

Definitions = Mapping[str, str | None]
"""Texts of object macros by name; None for a name that is not defined."""

_DIRECTIVE = re.compile(
    r"^[^\S\n]*+\#[^\S\n]*+(?P<word>if(?:n?def)?|el(?:if(?:n?def)?|se)|endif|define|undef)\b"
    r"(?P<rest>(?>(?:[^\n\\]++|\\.)*))",
    re.MULTILINE | re.DOTALL,
)
_LITERAL = re.compile(
    rf"""(?P<comment>{COMMENT})
      | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]{{0,16}})\(.*?(?:\)(?P=delimiter)"|\Z))
      | (?P<string>"(?>(?:[^"\\\n]++|\\.)*)"?)""",
    re.VERBOSE | re.DOTALL,
)
_DEFINE = re.compile(
    r"\s++(?P<name>[A-Za-z_]\w*+)(?>(?P<call>\()|)(?P<body>.*)", re.DOTALL | re.ASCII
)
_TOKEN = re.compile(
    r"\s*+(?:(?P<number>0[xX][0-9a-fA-F']++|0[bB][01']++|[0-9][0-9']*+)[uUlLzZ]*+(?![\w.])"
    r"|(?P<name>[A-Za-z_]\w*+)|(?P<mark>&&|\|\||[<>=!]=|<<|>>|[-+*/%!~<>&^|?:()]))",
    re.ASCII,
)
_NOT_LINE_END = re.compile(r"[^\n]")
_MAX_CHARS = 1 << 10
"""Characters of a condition that is evaluated."""
_MAX_DEPTH = 40
"""Levels of parentheses and of macros in a condition."""
_LEAST_BUDGET = 1 << 16
"""Tokens of conditions that are read in any file; the longer it is, the more."""
_MAX_BITS = 64


_CONDITION_LINE = re.compile(r"^[^\S\n]*+#[^\S\n]*+(if|el|endif)(\w*+)([^\n]*+)", re.MULTILINE)
_ZERO_CONDITION_LINE = re.compile(
    r"[^\S\n]*+\(?[^\S\n]*+0[^\S\n]*+\)?[^\S\n]*+(?:/[/*][^\n]*+)?", re.ASCII
)


class _UnknownError(Exception):
    """A condition cannot be evaluated."""


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
        """Return the ranges that are not compiled; also the directives if all is known."""
        directives = [*(x.directive for x in self.branches), end]
        spans = [
            (branch.directive[1], following[0])
            for branch, following in zip(self.branches, directives[1:], strict=True)
            if branch.is_taken is False
        ]
        is_known = all(x.is_taken is not None for x in self.branches)
        return [*spans, *directives] if is_known else spans


class Directive(NamedTuple):
    """A preprocessor line with a condition or a definition."""

    word: str
    start: int
    rest_start: int
    """The position after the word."""
    end: int
    is_conditional: bool
    """Whether it stands in a condition other than the guard of the whole file."""


def iter_directives(text: str) -> Iterator[Directive]:
    """Yield the conditions and definitions of a C source, except in comments and raw strings."""
    matches = list(_DIRECTIVE.finditer(_blank_comments(text)))
    words = [match["word"] for match in matches]
    guard_depth = int(words[:2] == ["ifndef", "define"] and words[-1:] == ["endif"])
    if guard_depth and matches[0]["rest"].split()[:1] != matches[1]["rest"].split()[:1]:
        guard_depth = 0
    depth = 0
    for match, word in zip(matches, words, strict=True):
        depth += word.startswith("if")
        yield Directive(word, match.start(), match.end("word"), match.end(), depth > guard_depth)
        depth -= word == "endif"


def select_branches(text: str, definitions: Definitions) -> str:
    """Return a C source of the same length with the branches that are not compiled blanked.

    The directives of a ladder whose conditions are all known are blanked, too. Definitions in the
    source count from their line on.
    """
    known, budget = dict(definitions), [_LEAST_BUDGET + 4 * len(text)]
    blanked, ladders = list[Span](), list[_Ladder]()
    for match in _DIRECTIVE.finditer(_blank_comments(text)):
        word, span, rest = match["word"], match.span(), match["rest"]
        state = ladders[-1].state if ladders else True
        if word in ("define", "undef"):
            _define(known, word, rest, state)
        elif word.startswith("if"):
            ladders.append(_Ladder(state))
            condition = _evaluate(word, rest, known, budget) if state is not False else None
            ladders[-1].add_branch(span, condition)
        elif ladders and word == "endif":
            blanked += ladders.pop().list_blanked(span)
        elif ladders:
            condition = _evaluate(word.removeprefix("el"), rest, known, budget)
            ladders[-1].add_branch(span, condition)
    while ladders:
        blanked += ladders.pop().list_blanked((len(text), len(text)))
    return _blank(text, sorted(blanked))


def _blank_comments(text: str) -> str:
    """Return a C source with its comments and raw strings blanked."""
    spans = [x.span() for x in _LITERAL.finditer(text) if x.lastgroup != "string"]
    return _blank(text, spans)


def _blank(text: str, spans: list[Span]) -> str:
    parts, copied_end = list[str](), 0
    for start, end in spans:
        if end > copied_end:
            start = max(start, copied_end)
            parts += text[copied_end:start], _NOT_LINE_END.sub(" ", text[start:end])
            copied_end = end
    return "".join((*parts, text[copied_end:]))


def _define(known: dict[str, str | None], word: str, rest: str, state: bool | None) -> None:
    """Note a definition; one in a branch that may be compiled makes the name unknown."""
    match = _DEFINE.fullmatch(rest) if state is not False else None
    if match is None:
        return
    name = match["name"]
    if state is None:
        known.pop(name, None)
    elif word == "undef":
        known[name] = None
    else:
        known[name] = "?" if match["call"] else match["body"].replace("\\\n", " ").strip()


def _evaluate(word: str, rest: str, known: Definitions, budget: list[int]) -> bool | None:
    """Return whether a condition holds; None if it is unknown."""
    text = rest.replace("\\\n", " ").strip()
    if word == "se":  # of `else`
        return True
    if word.endswith("def"):
        name = text.split(maxsplit=1)[0] if text else ""
        if name not in known:
            return None
        return (known[name] is not None) is not word.endswith("ndef")
    try:
        value = _Expression(text, known, budget).evaluate()
    except _UnknownError:
        return None
    return None if value is None else value != 0


_Value = int | None
"""The value of an expression; None if it is unknown."""


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_OPERATORS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a or b))),
    "&&": (2, lambda a, b: int(bool(a and b))),
    "|": (3, operator.or_),
    "^": (4, operator.xor),
    "&": (5, operator.and_),
    "==": (6, lambda a, b: int(a == b)),
    "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)),
    "<=": (7, lambda a, b: int(a <= b)),
    ">": (7, lambda a, b: int(a > b)),
    ">=": (7, lambda a, b: int(a >= b)),
    "<<": (8, lambda a, b: a << b),
    ">>": (8, lambda a, b: a >> b),
    "+": (9, operator.add),
    "-": (9, operator.sub),
    "*": (10, operator.mul),
    "/": (10, _divide),
    "%": (10, lambda a, b: a - b * _divide(a, b)),
}
"""Precedence and value of each operator (C11 6.5)."""
_DECISIVE = {"||": 1, "&&": 0}
"""The value of one side that decides the result."""


class _Expression:
    """A constant expression of the preprocessor."""

    def __init__(self, text: str, known: Definitions, budget: list[int], depth: int = 0) -> None:
        self.known, self.budget, self.depth = known, budget, depth
        self.tokens = list[tuple[str, str]]()
        position = 0
        if depth > _MAX_DEPTH or len(text) > _MAX_CHARS:
            raise _UnknownError
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise _UnknownError
            kind = match.lastgroup or ""
            self.tokens.append((kind, match[kind]))
            position = match.end()
        self.index = 0
        budget[0] -= 1 + len(self.tokens)
        if budget[0] < 0:
            raise _UnknownError

    def evaluate(self) -> _Value:
        """Return the value of the whole text; raise _UnknownError if it is no expression."""
        value = self._read_choice()
        if self.index < len(self.tokens):
            raise _UnknownError
        return value

    def _peek(self) -> str:
        return self.tokens[self.index][1] if self.index < len(self.tokens) else ""

    def _take(self) -> tuple[str, str]:
        if self.index >= len(self.tokens):
            raise _UnknownError
        self.index += 1
        return self.tokens[self.index - 1]

    def _expect(self, mark: str) -> None:
        if self._take()[1] != mark:
            raise _UnknownError

    def _read_choice(self) -> _Value:
        value = self._read_binary(1)
        if self._peek() != "?":
            return value
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _UnknownError
        self.index += 1
        first = self._read_choice()
        self._expect(":")
        second = self._read_choice()
        self.depth -= 1
        return None if value is None else first if value else second

    def _read_binary(self, least: int) -> _Value:
        left = self._read_unary()
        while (mark := self._peek()) in _OPERATORS and _OPERATORS[mark][0] >= least:
            self.index += 1
            precedence, compute = _OPERATORS[mark]
            right = self._read_binary(precedence + 1)
            left = _combine(mark, compute, left, right)
        return left

    def _read_unary(self) -> _Value:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _UnknownError
        kind, text = self._take()
        value: _Value
        if text in ("!", "~", "-", "+") and kind == "mark":
            operand = self._read_unary()
            signs: dict[str, Callable[[int], int]] = {
                "!": lambda x: int(not x),
                "~": operator.invert,
                "-": operator.neg,
                "+": operator.pos,
            }
            value = None if operand is None else signs[text](operand)
        elif text == "(":
            value = self._read_choice()
            self._expect(")")
        elif kind == "number":
            value = _parse_number(text)
        elif kind == "name":
            value = self._read_name(text)
        else:
            raise _UnknownError
        self.depth -= 1
        return value

    def _read_name(self, name: str) -> _Value:
        if name == "defined":
            has_parenthesis = self._peek() == "("
            self.index += has_parenthesis
            kind, operand = self._take()
            if kind != "name":
                raise _UnknownError
            if has_parenthesis:
                self._expect(")")
            return int(self.known[operand] is not None) if operand in self.known else None
        if self._peek() == "(":
            raise _UnknownError  # a macro with arguments, or __has_include
        if name in ("true", "false"):
            return int(name == "true")
        if name not in self.known:
            return None
        body = self.known[name]
        if body is None:
            return 0
        return _Expression(body, self.known, self.budget, self.depth + 1).evaluate()


def _combine(mark: str, compute: Callable[[int, int], int], left: _Value, right: _Value) -> _Value:
    if mark in _DECISIVE:
        decisive = _DECISIVE[mark]
        if any(x is not None and int(bool(x)) == decisive for x in (left, right)):
            return decisive
    if left is None or right is None:
        return None
    is_shift_wrong = mark in ("<<", ">>") and not 0 <= right < _MAX_BITS
    if is_shift_wrong or (mark in ("/", "%") and not right):
        raise _UnknownError
    value = compute(left, right)
    if value.bit_length() > _MAX_BITS:
        raise _UnknownError
    return value


def _parse_number(text: str) -> int:
    digits = text.replace("'", "")
    is_octal = len(digits) > 1 and digits[0] == "0" and digits.isdecimal()
    try:
        return int(digits, 8 if is_octal else 0)
    except ValueError:
        raise _UnknownError from None


def find_disabled_code(text: str) -> list[Span]:
    """Return the ranges between ``#if 0`` and its ``#else`` or ``#endif``."""
    spans, depth, start, outer = list[Span](), 0, -1, 0
    for line in _CONDITION_LINE.finditer(text):
        word, suffix, condition = line.groups()
        if word == "if":
            depth += 1
            if start < 0 and not suffix and _ZERO_CONDITION_LINE.fullmatch(condition):
                start, outer = line.end(), depth
        elif start >= 0 and depth == outer:
            spans.append((start, line.start()))
            start = -1
        depth -= word == "endif"
    return [*spans, (start, len(text))] if start >= 0 else spans
