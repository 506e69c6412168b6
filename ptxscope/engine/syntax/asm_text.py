"""Extraction of PTX from pasted text: ``asm`` statements, string literals, bare PTX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .c_lexer import (
    ASM_WORDS,
    BLANKS,
    COMMENTED_ASM,
    REST_OF_LINE,
    STRING_KINDS,
    CTokenKind,
    iter_c_tokens,
    read_string,
    skip_blanks,
)
from .errors import Problem, Span
from .source import GAP, Fragment, TextFragment, decode_escape, join_fragments, replace_matches

_ASM = re.compile(rf"{COMMENTED_ASM}(?>(?P<opened>\()|)", re.DOTALL)
_ESCAPE = re.compile(r"%[%=]|\\(?P<code>x[0-9a-fA-F]+|[0-7]{1,3}|\r?\n|.)", re.DOTALL)
_RAW_ESCAPE = re.compile(r"%[%=](?P<code>)")
"""An escape, and one in a raw string."""
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "v": "\v",
    "f": "\f",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
}


def find_fragments(text: str) -> Iterator[Fragment]:
    """Yield the PTX in a text: its ``asm`` statements, its string literals, or the text itself."""
    has_asm = False
    for statement in find_asm_texts(text):
        has_asm = True
        yield statement.fragment
    if has_asm:
        return
    start = skip_blanks(text, 0)
    token = next(iter_c_tokens(text, start), None)
    if token and token.kind is CTokenKind.STRING:
        yield join_literals(text, start)[0]
    else:
        yield Fragment(text)


class AsmText(NamedTuple):
    """The text of an ``asm`` statement."""

    fragment: Fragment
    start: int
    """The position of ``asm``."""
    end: int
    """The position of the operands, or of a macro that may contain them."""


def find_asm_texts(text: str) -> Iterator[AsmText]:
    """Yield the text of each ``asm`` statement, in order."""
    end = 0
    while match := _find_opening(text, end):
        statement = read_asm(text, match.start(), match.end())
        yield statement
        end = statement.end


def read_asm(text: str, start: int, text_start: int) -> AsmText:
    """Return the text of the ``asm`` statement at ``start``; ``text_start`` follows its "("."""
    fragment, end = join_literals(text, text_start)
    macro = _find_last_macro(text, fragment, end)
    if macro is not None:
        if _is_operand_macro(text[macro:end], fragment.ptx[:-1]):
            fragment = _cut_last_gap(fragment)
        end = macro
    return AsmText(fragment, start, end)


_MACRO_CALL = r"\w++\s*+(?>\((?>(?:[^()]++|\((?>(?:[^()]++|\([^()]*+\))*)\))*)\)\s*+|)"
_COMPLETE = re.compile(r"[;}]\s*+\Z")
_OPERAND = re.compile(r"%(?:\d|\[)")


def _find_last_macro(text: str, fragment: Fragment, end: int) -> int | None:
    """Return the start of a macro that ends an asm statement, or None."""
    gap = len(fragment.ptx) - 1
    if gap < 1 or fragment.gaps[-1:] != (gap,) or not text.startswith(")", end):
        return None
    start = fragment.origins[-1]
    return None if is_condition(text[start:end]) else start


def _is_operand_macro(macro: str, ptx: str) -> bool:
    """Return whether a macro after the PTX contains nothing but the operands.

    This is so if the PTX is complete and names operands that appear nowhere else.
    """
    return bool(
        re.fullmatch(_MACRO_CALL, macro)
        and _COMPLETE.search(ptx[-_MAX_INDENT_CHARS:])
        and _OPERAND.search(ptx)
    )


def _cut_last_gap(fragment: Fragment) -> Fragment:
    """Return the PTX without the gap that is its last piece."""
    return Fragment(
        fragment.ptx[:-1],
        fragment.starts[:-1],
        fragment.origins[:-1],
        fragment.widths[:-1],
        fragment.problems,
        fragment.gaps[:-1],
    )


def find_asm_openings(text: str) -> Iterator[int]:
    """Yield the positions after the parentheses that open ``asm`` statements, even in strings."""
    end = 0
    while match := _find_opening(text, end):
        end = match.end()
        yield end


def _find_opening(text: str, position: int) -> re.Match[str] | None:
    while match := _ASM.search(text, position):
        if match["opened"]:
            return match
        position = match.end()
    return None


def find_text_outside_asm(text: str) -> Iterator[Span]:
    """Yield the parts of a text between its ``asm`` statements."""
    end = None
    for statement in find_asm_texts(text):
        yield end or 0, statement.start
        end = statement.end
    if end is not None:
        yield end, len(text)


def join_literals(text: str, position: int) -> tuple[Fragment, int]:
    """Join the string literals from a position on as a C compiler does; also return the end.

    A gap replaces anything else between or after them.
    """
    parts, problems, depth = list[TextFragment](), list[Problem](), 0
    while True:
        position = skip_blanks(text, position)
        token = next(iter_c_tokens(text, position), None)
        if token and token.kind in STRING_KINDS:
            string, position = read_string(token), token.end
            escape = _ESCAPE if token.kind is CTokenKind.STRING else _RAW_ESCAPE
            end = string.start + len(string.body)
            parts += replace_matches(text, escape, _decode_mark, string.start, end)
            if not string.is_closed:
                start = string.start - 1 if token.kind is CTokenKind.STRING else token.start
                span = start, max(position, start + 1)
                problems.append(_UNCLOSED._replace(span=span))
        else:
            end, depth = _skip_gap(text, position, depth)
            if end == position:
                first_problem = tuple(problems[:1])  # others follow from it
                return join_fragments(parts)._replace(problems=first_problem), position
            parts.append((GAP, position, end - position))
            position = end


_REST_OF_LINE = re.compile(REST_OF_LINE, re.DOTALL)
_LINE_START = re.compile(r"(?<!\\)\n[^\S\n]*+\Z")
_MAX_INDENT_CHARS = 80
"""Maximum blanks before a preprocessor line."""


def _skip_gap(text: str, position: int, depth: int) -> tuple[int, int]:
    """Return the end of text that is not a literal, and the number of its open parentheses.

    It ends at a string, at a character that no macro's argument contains or, outside parentheses,
    at the end of an asm statement's text.
    """
    end = line_end = position
    for token in iter_c_tokens(text, position):
        if token.start < line_end or token.kind is CTokenKind.BLANK:
            continue
        mark = token.text
        is_stop = token.kind in STRING_KINDS or mark in ASM_WORDS or mark in _STOPS
        if is_stop or (mark in _CLOSING_MARKS and not depth):
            break
        depth += (mark == "(") - (mark == ")")
        end = token.end
        if mark[0] == "#" and _LINE_START.search(
            text, max(token.start - _MAX_INDENT_CHARS, 0), token.start
        ):
            line = _REST_OF_LINE.match(text, end)
            end = line_end = line.end() if line else end
    return end, depth


_STOPS, _CLOSING_MARKS = frozenset(";{}"), frozenset("):,")
_PERCENT = {"%%": "%", "%=": "0"}
"""The escapes for ``%`` and for a number unique to each statement; any number will do."""


def _decode_mark(mark: re.Match[str]) -> str:
    code = mark["code"]
    if not code:
        return _PERCENT[mark[0]]
    decoded = decode_escape(code, _ESCAPES)
    return code if decoded is None else decoded


_UNCLOSED = Problem("this string literal is not closed", (0, 0), 'a closing `"`')
_CONDITIONS = r"\#[^\S\n]*+(?:endif|else|elif(?:n?def)?|if(?:n?def)?|pragma|line)\b" + REST_OF_LINE


def is_condition(source: str) -> bool:
    """Whether a gap's source text consists of preprocessor lines that add no text."""
    return re.fullmatch(rf"(?>(?:{BLANKS}{_CONDITIONS})*){BLANKS}", source, re.DOTALL) is not None
