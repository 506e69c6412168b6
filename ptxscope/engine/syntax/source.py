"""Extraction of PTX from pasted text: ``asm`` statements, string literals, bare PTX.

Every character of the PTX is mapped to its origin in the pasted text, so that errors point into
what the user sees. Macros, expressions and preprocessor lines between string literals become one
character of the PTX, a gap.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
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


GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
"""The stand-in for source text that is not a literal; its PTX is unknown."""
_MAX_GAP_CHARS = 60
"""Maximum characters shown of a gap's source text."""


class Fragment(NamedTuple):
    """A stretch of PTX and its origin.

    Piece i of the PTX starts at ``starts[i]`` and is a copy of the text from ``origins[i]`` on. If
    ``widths[i]`` is not 0, the piece is one character, written with that many.
    """

    ptx: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    widths: tuple[int, ...] = (0,)
    problems: tuple[Problem, ...] = ()
    """Problems of the text around the PTX, as positions in the pasted text."""
    gaps: tuple[int, ...] = ()
    """The positions of the gaps in the PTX."""
    constants: Mapping[str, int] = {}
    """The bits of registers that the text makes constants."""
    notes: tuple[str, ...] = ()
    """Remarks on the text that the PTX was read from."""
    call_span: Span | None = None
    """The span of a call in the pasted text that stands for the PTX."""

    def find_gap(self, start: int, end: int) -> int | None:
        """Return the position of the first gap in a range of the PTX, or None."""
        index = bisect_left(self.gaps, start)
        return self.gaps[index] if index < len(self.gaps) and self.gaps[index] < end else None

    def describe(self, start: int, end: int, text: str) -> str:
        """Return a range of the PTX with each gap as its source text: ``<MACRO>``."""
        parts, position = list[str](), start
        for gap in self.gaps[bisect_left(self.gaps, start) : bisect_left(self.gaps, end)]:
            parts += (
                self.ptx[position:gap],
                format_gap(text[slice(*self.find_origin(gap, gap + 1))]),
            )
            position = gap + 1
        return "".join([*parts, self.ptx[position:end]])

    def find_origin(self, start: int, end: int) -> Span:
        """Return the span in the pasted text of a range of the PTX."""
        if self.starts == (0,) and not self.widths[0]:
            return self.origins[0] + start, self.origins[0] + max(start, end)
        first_position = self._find_position(start)[0]
        return (
            (first_position, self._find_position(end - 1)[1])
            if end > start
            else (first_position, first_position)
        )

    def _find_position(self, position: int) -> Span:
        piece = max(bisect_right(self.starts, position) - 1, 0)
        start = self.origins[piece]
        if self.widths[piece]:
            return start, start + self.widths[piece]
        start += position - self.starts[piece]
        return start, start + 1


TextFragment = tuple[str, int, int]
"""A piece of text, its position, and its width in the source; 0 if that is its length."""


def join_fragments(parts: Iterable[TextFragment]) -> Fragment:
    """Join pieces into a fragment."""
    starts, gaps, position = list[int](), list[int](), 0
    texts, origins, widths = tuple(zip(*parts, strict=True)) or (("",), (0,), (0,))
    for text, width in zip(texts, widths, strict=True):
        starts.append(position)
        if width and text == GAP:  # the same character in a user's own text has no width
            gaps.append(position)
        position += len(text)
    return Fragment("".join(texts), tuple(starts), origins, widths, gaps=tuple(gaps))


def format_gap(source: str) -> str:
    """Return the source text of a gap on one line."""
    excerpt = " ".join(source[:_MAX_GAP_CHARS].split())
    return f"<{excerpt}{'…' * (len(source) > _MAX_GAP_CHARS)}>"


_PTX_COMMENT = re.compile(r"//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)


def remove_comments(ptx: str) -> str:
    """Return PTX with a blank for each comment."""
    return _PTX_COMMENT.sub(" ", ptx)


def find_fragments(text: str) -> Iterator[Fragment]:
    """Yield the PTX of a text: of its ``asm`` statements or string literals, or the text itself."""
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


def replace_matches(
    text: str,
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], str | None],
    start: int = 0,
    end: int | None = None,
) -> Iterator[TextFragment]:
    """Yield the pieces of a range of a text with its matches replaced; None keeps a match."""
    copied_end, end = start, len(text) if end is None else end
    for match in pattern.finditer(text, start, end):
        replacement = replace(match)
        if replacement is None:
            continue
        if copied_end < match.start():
            yield text[copied_end : match.start()], copied_end, 0
        if replacement:
            yield replacement, match.start(), len(match[0])
        copied_end = match.end()
    if copied_end < end:
        yield text[copied_end:end], copied_end, 0


class AsmText(NamedTuple):
    """The text of an ``asm`` statement."""

    fragment: Fragment
    start: int
    """The position of ``asm``."""
    end: int
    """The position of the operands, or of a macro that may hold them."""


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
    """Return the start of a macro that ends an asm statement, or None if there is none."""
    gap = len(fragment.ptx) - 1
    if gap < 1 or fragment.gaps[-1:] != (gap,) or not text.startswith(")", end):
        return None
    start = fragment.origins[-1]
    return None if is_condition(text[start:end]) else start


def _is_operand_macro(macro: str, ptx: str) -> bool:
    """Return whether a macro after the PTX holds nothing but the operands.

    The PTX is complete and names operands, which stand nowhere else.
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
    """Return the match for the start of the next ``asm`` statement."""
    while match := _ASM.search(text, position):
        if match["opened"]:
            return match
        position = match.end()
    return None


def find_text_outside_asm(text: str) -> Iterator[Span]:
    """Yield the stretches around a text's ``asm`` statements."""
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
    """Return where text that is not a literal ends, and how many of its parentheses are open.

    It ends at a string, at a character that no macro's argument contains or, outside parentheses,
    where the text of an asm statement ends.
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


def decode_escape(code: str, escapes: Mapping[str, str]) -> str | None:
    """Return the character of an escape, by the text after its backslash; None if it has none.

    A newline continues the line: it is left out.
    """
    if code.endswith("\n"):
        return ""
    if code[0] == "x" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0xFF))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return escapes.get(code)


_UNCLOSED = Problem("this string literal is not closed", (0, 0), 'a closing `"`')
_CONDITIONS = r"\#[^\S\n]*+(?:endif|else|elif(?:n?def)?|if(?:n?def)?|pragma|line)\b" + REST_OF_LINE


def is_condition(source: str) -> bool:
    """Whether a gap's source text consists of preprocessor lines that add no text."""
    return re.fullmatch(rf"(?>(?:{BLANKS}{_CONDITIONS})*){BLANKS}", source, re.DOTALL) is not None
