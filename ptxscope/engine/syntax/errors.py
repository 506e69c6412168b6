"""Errors that point at the text: what is wrong, where, and what is allowed there."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

from ..lazy_patterns import pattern
from ..records import NamedTuple

Span = tuple[int, int]
"""A half-open range of characters of the given text."""

MAX_PROBLEMS = 12
"""Problems of one statement that are told; of the others it is told how many they are."""
_MOST_SHOWN = 24
"""Problems of one text that are shown."""
_WINDOW = 76
"""Characters of a long line that a diagram shows around the caret."""
_MAX_QUOTED_CHARS = 60
"""Characters of a long word that are shown."""
_LONG_WORD = pattern(r"\S{256,}")
_LONGEST = 1 << 11
"""Characters of a message that are shown."""


def format_count(number: int, noun: str) -> str:
    """``1 bit``, ``2 bits``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_existence(number: int, noun: str = "") -> str:
    """``there is 1``, ``there are 2 bits``."""
    said = format_count(number, noun) if noun else str(number)
    return f"there is {said}" if number == 1 else f"there are {said}"


class Problem(NamedTuple):
    """One thing that is wrong with a text."""

    message: str
    span: Span
    hint: str = ""
    """What is allowed there."""
    fix: str | None = None
    """What to write in place of the span, where one thing is likely meant."""
    unread: bool = False
    """ptxas takes it, as far as is known; only what it computes is not known here."""


def limit_problems(problems: Sequence[Problem], omitted_count: int = 0) -> list[Problem]:
    """The first problems of a statement; where there are more, the last says how many.

    ``more`` are not among them.
    """
    if len(problems) + omitted_count <= MAX_PROBLEMS:
        return list(problems)
    first = sorted(problems, key=lambda problem: problem.span)
    left = max(len(first) - (MAX_PROBLEMS - 1), 0) + omitted_count
    at = first[min(MAX_PROBLEMS - 1, len(first) - 1)].span
    return [
        *first[: MAX_PROBLEMS - 1],
        Problem(f"there are {left} more errors in this statement", at),
    ]


class PtxError(ValueError):
    """A text is not what it should be. ``errors`` holds every problem found, never none."""

    def __init__(self, text: str, errors: tuple[Problem, ...]) -> None:
        super().__init__(text, errors)
        self.text = text
        self.errors = tuple(sorted(errors, key=lambda problem: problem.span))

    @property
    def message(self) -> str:
        """What is wrong, of the first problem."""
        return self.errors[0].message

    @property
    def span(self) -> Span:
        """Where it is wrong, of the first problem."""
        return self.errors[0].span

    @property
    def hint(self) -> str:
        """What is allowed there, of the first problem."""
        return self.errors[0].hint

    def shift_into(self, text: str, start: int) -> PtxError:
        """The same error of a longer text, in which this one's begins at a place."""
        moved = (x._replace(span=(x.span[0] + start, x.span[1] + start)) for x in self.errors)
        return PtxError(text, tuple(moved))

    def __str__(self) -> str:
        """The problems, with a caret under the text they are about."""
        shown = self.errors if len(self.errors) <= _MOST_SHOWN else self.errors[: _MOST_SHOWN - 1]
        lines = [format_problem(self.text, problem) for problem in shown]
        more = len(self.errors) - len(shown)
        return "\n".join([*lines, f"there are {more} more errors"] if more else lines)


class NotOneError(PtxError):
    """No instruction, or several, where one is wanted; nothing is illegal."""


def make_printable(text: str) -> str:
    """The text with every control, format and unassigned character replaced by one visible one.

    Character positions are kept, so spans stay right. Nothing in the result moves the
    cursor, changes colours or the writing direction of a terminal.
    """
    if text.isascii():
        return text if text.isprintable() else text.translate(_SHOWN)
    return "".join(map(_make_printable_char, text))


def _make_printable_char(char: str) -> str:
    if char in "\t\n\r\v\f":
        return " "
    if char < " ":
        return chr(0x2400 + ord(char))
    if char.isprintable() and unicodedata.bidirectional(char) not in ("R", "AL"):
        return char
    return "\N{REPLACEMENT CHARACTER}"


_SHOWN = {
    code: _make_printable_char(chr(code)) for code in range(128) if not chr(code).isprintable()
}


def make_printable_lines(text: str) -> str:
    """The same of a text of several lines."""
    return "\n".join(map(make_printable, text.split("\n")))


def quote_word(text: str) -> str:
    """A word of somebody's text in backquotes, shortened where it is very long."""
    return f"`{text}`" if len(text) <= 48 else f"`{text[:40]}…`"


def quote_value(value: object) -> str:
    """A value as Python writes it, shortened where that is very long."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:58]}…{shown[-1]}"


def shorten_words(text: str) -> str:
    """The text with each word that no file name is as long as cut to its first characters.

    Words have no blanks. Lines keep at most ``_LONGEST`` characters.
    """
    text = _LONG_WORD.sub(lambda match: f"{match[0][:_MAX_QUOTED_CHARS]}…", text)
    lines = text.split("\n")
    return "\n".join(x if len(x) <= _LONGEST else f"{x[:_LONGEST]}…" for x in lines)


def measure_cells(text: str) -> int:
    """How many terminal columns a printable text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def format_problem(text: str, problem: Problem) -> str:
    """Message, the line it is about with a caret under the span, and the hint."""
    message = _wrap_message(f"error: {make_printable(problem.message)}", "  ")
    return "\n".join([message, *caret_lines(text, problem)])


def caret_lines(text: str, problem: Problem) -> list[str]:
    """The lines of a diagram that stand below its message."""
    start, end = problem.span
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    start, end = start - line_start, min(end, line_end) - line_start
    first, length = 0, line_end - line_start
    if length > _WINDOW:
        first = max(0, min(start - _WINDOW // 3, length - _WINDOW))
        start, end = start - first, min(end - first, _WINDOW)
    line = make_printable(text[line_start + first : min(line_start + first + _WINDOW, line_end)])
    lead, mark = ("\u2026" if first else ""), line[start:end]
    lines = [
        f"  {lead}{line}",
        "  " + " " * measure_cells(lead + line[:start]) + "^" * max(1, measure_cells(mark)),
    ]
    if problem.hint:
        hint = _wrap_message(f"  allowed: {make_printable(problem.hint)}", " " * 11)
        lines += hint.split("\n")
    return lines


def _wrap_message(text: str, indent: str) -> str:
    return textwrap.fill(shorten_words(text), 79, subsequent_indent=indent, break_on_hyphens=False)


def find_closest_spelling(word: str, known: Sequence[str], likeness: float = 0.6) -> str | None:
    """The known spelling closest to a word, or None when nothing is as like as that."""
    from difflib import get_close_matches

    lower = word.lower()
    if lower in known:
        return lower
    found = get_close_matches(lower[:64], known, n=1, cutoff=likeness)
    return found[0] if found else None
