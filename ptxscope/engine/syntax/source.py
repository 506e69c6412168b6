"""From what people paste to PTX: ``asm`` statements, glued string literals, plain PTX.

Every character of the PTX remembers which character of the pasted text it came from, so
that errors point into what the user sees. Between string literals a macro, an expression or a
preprocessor line may stand; one character, a gap, takes its place in the PTX.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from ..lazy_patterns import pattern
from ..records import NamedTuple
from .errors import Problem, Span, limit_problems

_WORD = r"\b(?:asm|__asm__|__asm)\b"
_MORE = r"\s++|\\\r?\n|(?:volatile|__volatile(?:__)?|goto|inline|__inline__)\b"
COMMENT = r"//(?:[^\n\\]++|\\.)*+|/\*.*?(?:\*/|\Z)"
"""A comment of C, where a dot is any character; one that is not closed goes to the end."""
ASM = rf"{_WORD}(?:{_MORE})*+\("
"""How an asm statement begins in a text without comments: a regular expression."""
COMMENTED_ASM = rf"{_WORD}(?:{_MORE}|{COMMENT})*+"
"""The same in any text, without its parenthesis: who searches for that scans comments again."""
_ASM = pattern(rf"{COMMENTED_ASM}(?P<opened>\()?+", re.DOTALL)
_BETWEEN = pattern(r"(?:\s++|\\\n|//[^\n]*+|/\*.*?(?:\*/|\Z))*+", re.DOTALL)
"""Blanks and comments of C; one that is not closed goes to the end."""
_STRING = pattern(r'(?:u8|[uUL])?"')
_RAW = pattern(r'(?:u8|[uUL])?R"([^\s()\\]{0,16})\(')
_PLAIN = pattern(r'[^"\\%\n]+')
_ESCAPE = pattern(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|\r?\n|.)", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b", "e": "\x1b"}


GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Takes the place of source text that is no literal: what it adds to the PTX is not known."""
_LONGEST_GAP = 60
"""Characters of a gap's source text that are shown."""


class Fragment(NamedTuple):
    """A stretch of PTX and where it stood.

    Piece i of the PTX starts at ``starts[i]`` and was copied from ``origins[i]`` on. Where
    ``width[i]`` is not 0 the piece is one character that was written with that many.
    """

    ptx: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    widths: tuple[int, ...] = (0,)
    problems: tuple[Problem, ...] = ()
    """Problems of the text around the PTX, in the pasted text's positions."""
    gaps: tuple[int, ...] = ()
    """The positions of the gaps in the PTX."""

    def find_gap(self, start: int, end: int) -> int | None:
        """The position of the first gap in a range of the PTX."""
        index = bisect_left(self.gaps, start)
        return self.gaps[index] if index < len(self.gaps) and self.gaps[index] < end else None

    def describe(self, start: int, end: int, text: str) -> str:
        """A range of the PTX, each gap as its source text: ``<MACRO>``."""
        found, done = list[str](), start
        for gap in self.gaps[bisect_left(self.gaps, start) : bisect_left(self.gaps, end)]:
            found += self.ptx[done:gap], show_gap(text[slice(*self.find_origin(gap, gap + 1))])
            done = gap + 1
        return "".join([*found, self.ptx[done:end]])

    def find_origin(self, start: int, end: int) -> Span:
        """Where a range of the PTX stood in the pasted text."""
        if self.starts == (0,) and not self.widths[0]:
            return self.origins[0] + start, self.origins[0] + max(start, end)
        first = self._find_position(start)[0]
        return (first, self._find_position(end - 1)[1]) if end > start else (first, first)

    def _find_position(self, position: int) -> Span:
        piece = max(bisect_right(self.starts, position) - 1, 0)
        start = self.origins[piece]
        if self.widths[piece]:
            return start, start + self.widths[piece]
        start += position - self.starts[piece]
        return start, start + 1


class _Gluer:
    """Collects decoded string literals into one Fragment."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.size = 0
        self.starts: list[int] = []
        self.origins: list[int] = []
        self.widths: list[int] = []

    def add(self, text: str, origin: int, width: int = 0) -> None:
        self.starts.append(self.size)
        self.origins.append(origin)
        self.widths.append(width)
        self.text.append(text)
        self.size += len(text)

    def make_fragment(self, problems: list[Problem]) -> Fragment:
        if not self.starts:
            return Fragment("", problems=tuple(problems))
        return Fragment(
            "".join(self.text),
            tuple(self.starts),
            tuple(self.origins),
            tuple(self.widths),
            tuple(problems),
            find_gaps(self.text, self.starts, self.widths),
        )


def show_gap(source: str) -> str:
    """The source text of a gap in one line."""
    shown = " ".join(source[:_LONGEST_GAP].split())
    return f"<{shown}{'…' * (len(source) > _LONGEST_GAP)}>"


def find_gaps(
    texts: Iterable[str], starts: Iterable[int], widths: Iterable[int]
) -> tuple[int, ...]:
    """The positions of the pieces that are gaps; a user's own character has no width."""
    every = zip(texts, starts, widths, strict=True)
    return tuple(start for text, start, width in every if width and text == GAP)


def find_fragments(text: str) -> Iterator[Fragment]:
    """The PTX in a text: of ``asm`` statements, of glued string literals, or the text itself."""
    found = False
    for statement in find_asm_texts(text):
        found = True
        yield statement.fragment
    if found:
        return
    start = skip_blanks(text, 0)
    if _STRING.match(text, start):
        yield _glue_literals(text, start)[0]
    else:
        yield Fragment(text)


class AsmText(NamedTuple):
    """The text of an ``asm`` statement."""

    fragment: Fragment
    start: int
    """Of its ``asm``."""
    end: int
    """Where its operands begin, or a macro that may hold them."""


def find_asm_texts(text: str) -> Iterator[AsmText]:
    """The text of each ``asm`` statement, in order."""
    end = 0
    while match := _find_opening(text, end):
        statement = read_asm(text, match.start(), match.end())
        yield statement
        end = statement.end


def read_asm(text: str, start: int, opened: int) -> AsmText:
    """The text of the ``asm`` statement at ``start``; ``opened`` is behind its parenthesis."""
    fragment, end = _glue_literals(text, opened)
    macro = _find_last_macro(text, fragment, end)
    if macro is not None:
        if _is_operand_macro(text[macro:end], fragment.ptx[:-1]):
            fragment = _cut_last_gap(fragment)
        end = macro
    return AsmText(fragment, start, end)


_MACRO_CALL = pattern(r"\w++\s*+(?:\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)\s*+)?+")
_COMPLETE = pattern(r"[;}]\s*+\Z")
_OPERAND = pattern(r"%(?:\d|\[)")


def _find_last_macro(text: str, fragment: Fragment, end: int) -> int | None:
    """Where a macro begins that is the last word of an asm statement; None where none is."""
    gap = len(fragment.ptx) - 1
    if gap < 1 or fragment.gaps[-1:] != (gap,) or not text.startswith(")", end):
        return None
    start = fragment.origins[-1]
    return None if is_condition(text[start:end]) else start


def _is_operand_macro(macro: str, ptx: str) -> bool:
    """Whether a macro behind the PTX holds nothing but the operands.

    The PTX is complete and names operands, which stand nowhere else.
    """
    return bool(
        _MACRO_CALL.fullmatch(macro) and _COMPLETE.search(ptx[-_INDENT:]) and _OPERAND.search(ptx)
    )


def _cut_last_gap(fragment: Fragment) -> Fragment:
    """The PTX without the gap that is its last piece."""
    return Fragment(
        fragment.ptx[:-1],
        fragment.starts[:-1],
        fragment.origins[:-1],
        fragment.widths[:-1],
        fragment.problems,
        fragment.gaps[:-1],
    )


def find_asm_openings(text: str) -> Iterator[int]:
    """The positions behind the parentheses that open ``asm`` statements, also in a string."""
    end = 0
    while match := _find_opening(text, end):
        end = match.end()
        yield end


def _find_opening(text: str, position: int) -> re.Match[str] | None:
    """How the next ``asm`` statement begins."""
    while match := _ASM.search(text, position):
        if match["opened"]:
            return match
        position = match.end()
    return None


def find_text_outside_asm(text: str) -> Iterator[Span]:
    """The stretches of a text that stand around its ``asm`` statements; none where it has none."""
    end = None
    for statement in find_asm_texts(text):
        yield end or 0, statement.start
        end = statement.end
    if end is not None:
        yield end, len(text)


def skip_blanks(text: str, position: int) -> int:
    """The position behind blanks and comments."""
    match = _BETWEEN.match(text, position)
    return match.end() if match else position


def _glue_literals(text: str, position: int) -> tuple[Fragment, int]:
    """The string literals from a position on, joined as a C compiler joins them.

    A gap stands for what is no literal between or behind them. Also where all of that ends.
    """
    gluer, problems, depth = _Gluer(), list[Problem](), 0
    while True:
        position = skip_blanks(text, position)
        if raw := _RAW.match(text, position):
            end = text.find(f'){raw[1]}"', raw.end())
            if end < 0:
                problems.append(_make_unclosed_problem(position, len(text)))
                end = len(text)
            _add_plain_text(text[raw.end() : end], raw.end(), gluer)
            position = end + len(raw[1]) + 2
        elif string := _STRING.match(text, position):
            position = _decode(text, string.end(), gluer, problems)
        else:
            end, depth = _skip_gap(text, position, depth)
            if end == position:
                return gluer.make_fragment(limit_problems(problems)), position
            gluer.add(GAP, position, end - position)
            position = end


_GAP_TOKEN = pattern(
    rf"""(?P<blank>(?:\s++|\\\r?\n|{COMMENT})++)
      | (?P<stop>(?=(?:u8|[uUL])?R?")|[;{{}}]|{_WORD})
      | (?P<mark>[():,])
      | \w++ | .""",
    re.VERBOSE | re.DOTALL,
)
_LINE = pattern(r"(?:[^\n\\]++|\\.)*+", re.DOTALL)
_LINE_START = pattern(r"(?<!\\)\n[^\S\n]*+\Z")
_INDENT = 80
"""Blanks in front of a preprocessor line, at most."""


def _skip_gap(text: str, position: int, depth: int) -> tuple[int, int]:
    """Where what is no literal ends, and how many of its parentheses are open there.

    It ends at a string, at a mark that no macro's argument holds, and, outside of parentheses,
    where the text of an asm statement ends.
    """
    end = at = position
    while token := _GAP_TOKEN.match(text, at):
        kind, mark = token.lastgroup, token["mark"]
        if kind == "stop" or (mark and mark != "(" and not depth):
            break
        depth += (mark == "(") - (mark == ")")
        at = token.end()
        if token[0] == "#" and _LINE_START.search(text, max(at - _INDENT, 0), at - 1):
            line = _LINE.match(text, at)
            at = line.end() if line else at
        if kind != "blank":
            end = at
    return end, depth


_PERCENT = {"%%": "%", "%=": "0"}
"""What stands for ``%``, and for a number that no other statement has: any will do."""
_PERCENTS = re.compile(r"%[%=]|(?:[^%]++|%(?![%=]))++")


def _add_plain_text(text: str, origin: int, gluer: _Gluer) -> None:
    """Plain characters, in which ``%%`` stands for ``%``."""
    for part in _PERCENTS.finditer(text):
        at, found = origin + part.start(), part[0]
        gluer.add(_PERCENT.get(found, found), at, 2 if found in _PERCENT else 0)


def _decode(text: str, position: int, gluer: _Gluer, problems: list[Problem]) -> int:
    """One string literal's characters; returns the position behind its closing quote."""
    start = position
    while position < len(text):
        if plain := _PLAIN.match(text, position):
            gluer.add(plain[0], position)
            position = plain.end()
        elif text[position] == '"':
            return position + 1
        elif text[position] == "\n":
            break
        elif text[position] == "%":
            meant = _PERCENT.get(text[position : position + 2])
            gluer.add(meant or "%", position, 2 if meant else 0)
            position += 2 if meant else 1
        elif escape := _ESCAPE.match(text, position):
            if not escape[1].endswith("\n"):
                gluer.add(_decode_escape(escape[1]), position, len(escape[0]))
            position = escape.end()
        else:
            position += 1
    problems.append(_make_unclosed_problem(start - 1, position))
    return len(text) if position >= len(text) else position


def _decode_escape(code: str) -> str:
    if code[0] == "x" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0xFF))
    if code[0].isdigit() and code[0] < "8":
        return chr(int(code, 8) & 0xFF)
    return _NAMED.get(code, code)


def _make_unclosed_problem(start: int, end: int) -> Problem:
    return Problem(
        "this string literal is not closed", (start, max(end, start + 1)), 'a closing `"`'
    )


_CONDITIONS = pattern(
    r"(?:\s++|//[^\n]*+|/\*.*?(?:\*/|\Z)"
    r"|\#[^\S\n]*+(?:endif|else|elif(?:n?def)?|if(?:n?def)?|pragma|line)\b(?:[^\\\n]++|\\.)*+)*+",
    re.DOTALL,
)


def is_condition(source: str) -> bool:
    """Whether the source text of a gap is lines of the preprocessor that add no text."""
    return _CONDITIONS.fullmatch(source) is not None
