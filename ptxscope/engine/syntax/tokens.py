"""Splitting of PTX text into tokens, and grouping of tokens into statements and directives.

Nothing is checked against the catalog yet.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Sequence, Set
from enum import Enum
from typing import NamedTuple

from .errors import Problem, Span
from .opcodes import ENDS


class TokenKind(Enum):
    """The kind of a token."""

    NAME = 1
    DOTTED = 2
    NUMBER = 3
    PUNCTUATION = 4
    STRING = 5
    """A string; only directives contain one."""
    BAD = 6
    STATEMENT = 7
    """A whole statement, including its ``;``, for patterns that match it as one token."""


class Token(NamedTuple):
    """A word of PTX at ``text[start:end]`` of its fragment."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The position in the fragment."""
        return self.start, self.end


class TokenGroupKind(Enum):
    """The kind of a group of tokens."""

    STATEMENT = 1
    DIRECTIVE = 2
    """A directive up to its ``;``, or a function's header up to its ``{``."""
    LABEL = 3
    BLOCK_START = 4
    BLOCK_END = 5
    GAP = 6
    """Unknown text outside any statement."""


class TokenGroup(NamedTuple):
    """Tokens ``start`` to ``end`` of a text."""

    kind: TokenGroupKind
    start: int
    end: int


class RawInstruction(NamedTuple):
    """An instruction split into words, unchecked: ``@!p opcode.mod.mod op, op;``."""

    guard: Token | None
    is_guard_negated: bool
    opcode: Token
    modifiers: tuple[Token, ...]
    operands: tuple[tuple[Token, ...], ...]
    span: Span
    problems: tuple[Problem, ...]
    modifier_names: tuple[str, ...] = ()
    """The modifiers without their dots."""


_BLANK = r"[ \t\r\n\f\v]++|//[^\n]*+|/\*.*?(?:\*/|\Z)"
_WORDS = r"""(?P<NAME>[A-Za-z][\w$]*+|[_$%][\w$]++|_)
      | (?P<DOTTED>\.(?!\d)[\w:]++)
      | (?P<NUMBER>(?:\d+\.(?![bh]\d)\d*|\.\d+)(?:[eE][+-]?\d+)?\w*|\d+[eE][+-]\d+\w*|\d\w*)
      | (?P<PUNCTUATION><<|>>|[<>=!]=|&&|\|\||[@!,|\-+~^*/%&<>=?:;(){}\[\].])
      | (?P<STRING>"[^"\n]*")
      | \Z
      | (?P<BAD>.)"""
_DATA = r"(?>(?:\s*+\.b(?:8|16|32|64)[ \t][^;{}\"/\n]*+(?=\n))*)"
"""Lines of numbers, in a section."""


def make_token_pattern(skipped: str = "", whole: str = "(?!)") -> re.Pattern[str]:
    """Return the pattern of a token.

    ``skipped`` matches whole statements that count as blanks after a ``;``, like the data of a
    section after a ``{``; ``whole`` matches statements that are a single token there. Neither
    begins with a blank.
    """
    skip = rf"(?:(?<=;)(?>(?:{_BLANK}|{skipped})*)|(?<=\{{){_DATA}|)" if skipped else ""
    start = rf"(?P<STATEMENT>(?<=[;{{\s])(?:{whole}))|(?>(?:{_BLANK})*)"
    pattern = rf"(?:{start}(?:{_WORDS})){skip}"
    return re.compile(pattern, re.VERBOSE | re.DOTALL | re.ASCII)


TOKEN = make_token_pattern()
_KINDS = {TOKEN.groupindex[kind.name]: kind for kind in TokenKind}
_LINE_DIRECTIVES = {".version", ".target", ".address_size", ".file", ".loc", ".pragma"}
DIRECTIVES = frozenset(
    """
    .version .target .address_size .file .loc .pragma .entry .func .section .reg .shared .local
    .const .global .param .visible .extern .weak .branchtargets .callprototype .calltargets
    """.split()
)
_BODY_DIRECTIVES = {".entry", ".func", ".section"}
_OPENING_BRACKETS, _CLOSING_BRACKETS = frozenset("([{"), frozenset(")]}")
_MARKS = _OPENING_BRACKETS | _CLOSING_BRACKETS | {";"}
_BRACES = {"{": TokenGroupKind.BLOCK_START, "}": TokenGroupKind.BLOCK_END}


def tokenize(
    text: str, start: int = 0, end: int = sys.maxsize, pattern: re.Pattern[str] = TOKEN
) -> list[Token]:
    """Return the tokens of a text between two positions, without blanks and comments."""
    make = tuple.__new__  # Token(…) takes twice as long
    return [
        make(Token, (_KINDS[group], match[group], *match.span(group)))
        for match in pattern.finditer(text, start, end)
        if (group := match.lastindex)
    ]


def group_tokens(
    text: str, words: list[Token], opcodes: Set[str], gaps: Collection[int] = ()
) -> Iterator[TokenGroup]:
    """Yield the groups of a text's tokens in order, without stray ``;``.

    A statement ends at ``;`` or at the end of the text. Since users omit the ``;``, it also ends
    before a line that starts another instruction of ``opcodes``. ``gaps`` are the positions of
    characters that replace unknown text.
    """
    gaps = frozenset(gaps)
    i = 0
    while i < len(words):
        if words[i].text == ";":
            i += 1
            continue
        item = find_group(text, words, i, opcodes, gaps)
        yield item
        i = item.end


def find_group(
    text: str, words: Sequence[Token], i: int, opcodes: Set[str], gaps: Set[int] = frozenset()
) -> TokenGroup:
    """Return the group that begins with the token at ``i``, which is not a ``;``."""
    word, end = words[i], i + 1
    if word.kind is TokenKind.STATEMENT:
        return TokenGroup(TokenGroupKind.STATEMENT, i, end)
    if word.text in _BRACES:
        return TokenGroup(_BRACES[word.text], i, end)
    if word.kind is TokenKind.DOTTED:
        return TokenGroup(TokenGroupKind.DIRECTIVE, i, _find_directive_end(text, words, i))
    if word.kind is TokenKind.NAME and end < len(words) and words[end].text == ":":
        return TokenGroup(TokenGroupKind.LABEL, i, end + 1)
    if word.start in gaps and _is_alone(words, i, gaps):
        return TokenGroup(TokenGroupKind.GAP, i, end)
    end = _find_statement_end(text, words, i, opcodes)
    return TokenGroup(TokenGroupKind.STATEMENT, i, end)


def _is_alone(words: Sequence[Token], i: int, gaps: Set[int]) -> bool:
    """Whether a statement, a directive or nothing begins after the gap at ``i``."""
    if i + 1 == len(words):
        return True
    word = words[i + 1]
    if word.kind is TokenKind.NAME:
        operand = word.text[0] in "%$_" or (i + 2 < len(words) and words[i + 2].text == ",")
        return not operand
    if word.kind is TokenKind.DOTTED:
        return word.text in DIRECTIVES
    return word.text in ("@", "{", "}") or word.start in gaps


def find_statements(
    text: str, opcodes: Set[str], gaps: Collection[int] = ()
) -> Iterator[RawInstruction]:
    """Yield only the instructions of a text, whatever their opcode."""
    words = tokenize(text)
    for item in group_tokens(text, words, opcodes, gaps):
        if item.kind is TokenGroupKind.STATEMENT:
            yield read_raw_instruction(text, words, item)


def read_raw_instruction(text: str, words: list[Token], item: TokenGroup) -> RawInstruction:
    """Return the guard, opcode, modifiers and operands of a statement."""
    return _make_statement(words[item.start : item.end], find_end(text, words, item.end))


def find_end(text: str, words: list[Token], end: int) -> int:
    """Return the position for text that is missing at the end of a statement."""
    if end < len(words):
        return words[end].start if words[end].text in (";", "}") else words[end - 1].end
    return len(text.rstrip()) or len(text)


def _find_directive_end(text: str, words: Sequence[Token], i: int) -> int:
    if words[i].text in _LINE_DIRECTIVES:
        i += 1
        while i < len(words) and words[i - 1].text != ";":
            if "\n" in text[words[i - 1].end : words[i].start]:
                break
            i += 1
        return i
    depth, has_body = 0, False
    while i < len(words):
        word = words[i].text
        has_body = has_body or word in _BODY_DIRECTIVES
        depth += (word in _OPENING_BRACKETS) - (word in _CLOSING_BRACKETS)
        if depth < 0 or (word == "{" and (has_body or _is_block_start(words, i))):
            return i
        i += 1
        if word == ";":
            break
    return i


def _find_statement_end(text: str, words: Sequence[Token], start: int, opcodes: Set[str]) -> int:
    depth = 0
    has_opcode = words[start].text != "@"  # the token after a guard has not been read yet
    for i in range(start, len(words)):
        word = words[i].text
        if word in _MARKS:
            if word == ";" or (word == "}" and not depth):
                return max(i, start + 1)
            if word == "{" and i > start and _is_block_start(words, i):
                return i
            depth += (word in _OPENING_BRACKETS) - (word in _CLOSING_BRACKETS)
        if (word == "@" or word in opcodes) and has_opcode and i > start:
            if "\n" in text[words[i - 1].end : words[i].start] and _has_opcode(
                text, words, i, opcodes
            ):
                return i
        elif words[i].kind is TokenKind.STATEMENT:
            return i
        elif word in DIRECTIVES and "\n" in text[words[i - 1].end : words[i].start]:
            is_modifier = words[i - 1].kind is TokenKind.DOTTED or i - 1 <= skip_guard(words, start)
            if not is_modifier:
                return i
        if not has_opcode:
            has_opcode = words[i].kind is words[i - 1].kind is TokenKind.NAME
    return len(words)


def _is_block_start(words: Sequence[Token], i: int) -> bool:
    """Return whether the ``{`` at ``i`` certainly does not begin a vector."""
    following = words[i + 1] if i + 1 < len(words) else words[i]
    return following.kind is TokenKind.STATEMENT or following.text in DIRECTIVES


def _has_opcode(text: str, words: Sequence[Token], i: int, opcodes: Set[str]) -> bool:
    """Return whether an instruction begins at ``i``, not an operand with such a name."""
    opcode = skip_guard(words, i)
    if opcode + 1 >= len(words) or words[opcode].text not in opcodes:
        return False
    is_operand = text[words[i - 1].start : words[i].start].rstrip() == ","
    is_last = words[opcode].text in ENDS and not is_operand
    following = words[opcode + 1].text
    return following[0] == "." or (is_last and following == ";")


def skip_guard(words: Sequence[Token], i: int) -> int:
    """Return the index of the token after a guard that may begin at ``i``."""
    if i < len(words) and words[i].text == "@":
        i += 1
        if i < len(words) and words[i].text == "!":
            i += 1
        return i + 1
    return i


def _make_statement(words: list[Token], end: int) -> RawInstruction:
    problems: list[Problem] = []
    guard, is_negated = None, False
    i = skip_guard(words, 0)
    if i:
        is_negated = len(words) > 1 and words[1].text == "!"
        guard = words[i - 1] if i - 1 < len(words) else None
        if guard and i < len(words) and words[i].kind is TokenKind.DOTTED:
            i -= 1  # the predicate is missing: this is the opcode
            guard = None
        if guard is None or guard.kind is not TokenKind.NAME or guard.text == "_":
            guard_span = (
                guard.span if guard else (words[0].start, words[min(i, len(words)) - 1].end)
            )
            problems.append(Problem("a predicate is missing after `@`", guard_span, "@p or @!p"))
            guard = None
    if i >= len(words):
        opcode = Token(TokenKind.BAD, "", end, end)
        return RawInstruction(
            guard, is_negated, opcode, (), (), (words[0].start, end), tuple(problems)
        )
    opcode = words[i]
    modifiers_start = i = i + 1
    while i < len(words) and (_is_modifier(words, i) or words[i].text == "."):
        if words[i].text == ".":
            problems.append(Problem("a modifier must directly follow its dot", words[i].span))
            i += i + 1 < len(words) and words[i + 1].kind is TokenKind.NAME
        i += 1
    modifiers = tuple(
        word if word.kind is TokenKind.DOTTED else word._replace(kind=TokenKind.DOTTED)
        for word in words[modifiers_start:i]
        if word.text[0] == "." != word.text
    )
    operands = tuple(_split_operands(words[i:], end, problems))
    span = (words[0].start, max(end, words[-1].end))
    names = tuple([word.text[1:] for word in modifiers])
    return RawInstruction(
        guard, is_negated, opcode, modifiers, operands, span, tuple(problems), names
    )


def _is_modifier(words: list[Token], i: int) -> bool:
    """Whether a word is a modifier; ``.2d`` in ``tex.2d`` looks like a number."""
    word = words[i]
    if word.kind is TokenKind.NUMBER:
        return word.text[0] == "." and word.start == words[i - 1].end
    return word.kind is TokenKind.DOTTED


def _split_operands(
    words: list[Token], end: int, problems: list[Problem]
) -> Iterator[tuple[Token, ...]]:
    """Yield the tokens of each operand, split at the commas outside brackets."""
    if not words:
        return
    current: list[Token] = []
    depth = 0
    for word in words:
        if word.text == "," and not depth:
            if not current:
                problems.append(Problem("an operand is missing before this comma", word.span))
            yield tuple(current)
            current = []
        else:
            depth += (word.text in _OPENING_BRACKETS) - (word.text in _CLOSING_BRACKETS)
            current.append(word)
    if current:
        yield tuple(current)
    else:
        problems.append(Problem("an operand is missing after the last comma", (end, end)))


def is_constant(words: Sequence[Token]) -> bool:
    """Whether the words of an operand begin a constant, not a register."""
    for word in words:
        if word.kind is TokenKind.NUMBER or word.text == "WARP_SZ":
            return True
        if word.text not in ("-", "+", "~", "!", "(", ")", ".s64", ".u64"):
            return False
    return False
