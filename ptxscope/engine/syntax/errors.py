"""Errors with their positions in the text, and the alternatives."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

Span = tuple[int, int]
"""A half-open range of characters of the text."""

MAX_PROBLEMS = 12
"""Maximum problems reported per statement; the rest are counted."""
_MAX_SHOWN_PROBLEMS = 24
"""Maximum problems shown per text; the rest are counted."""
_WINDOW_CHARS = 76
"""Characters of a long line that a diagram shows around the caret."""
_MAX_QUOTED_CHARS = 60
"""Characters of an overlong word that are shown."""
_LONG_WORD = re.compile(r"\S{256,}")
_MAX_LINE_CHARS = 1 << 11
"""Maximum characters of a message line."""


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 bit``, ``2 bits``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_names(names: Collection[str], conjunction: str = "and") -> str:
    """Return names as part of a sentence: ``html, svg, png and pdf``."""
    *first_names, last = names or ("",)
    return f"{', '.join(first_names)} {conjunction} {last}" if first_names else last


def abbreviate_names(names: Sequence[str], max_count: int = 12) -> str:
    """Return the first names and the count of the others: ``%r1, %r2 and 3 more``."""
    rest_count = len(names) - max_count
    suffix = f" and {rest_count} more" if rest_count > 0 else ""
    return ", ".join(names[:max_count]) + suffix


def format_existence(number: int, noun: str = "") -> str:
    """Return ``there is 1``, ``there are 2 bits``."""
    phrase = format_count(number, noun) if noun else str(number)
    return f"there is {phrase}" if number == 1 else f"there are {phrase}"


class Problem(NamedTuple):
    """One error in a text."""

    message: str
    span: Span
    hint: str = ""
    """The alternatives that are allowed there."""
    fix: str | None = None
    """The text that should replace the span, if one alternative is likely."""
    unread: bool = False
    """Whether ptxas probably accepts the text, and only ptxscope cannot evaluate it."""


def limit_problems(problems: Sequence[Problem], omitted_count: int = 0) -> list[Problem]:
    """Return the first problems of a statement; the last counts the rest if there are too many.

    ``omitted_count`` problems are counted in addition.
    """
    if len(problems) + omitted_count <= MAX_PROBLEMS:
        return list(problems)
    sorted_problems = sorted(problems, key=lambda problem: problem.span)
    omitted_total = max(len(sorted_problems) - (MAX_PROBLEMS - 1), 0) + omitted_count
    span = sorted_problems[min(MAX_PROBLEMS - 1, len(sorted_problems) - 1)].span
    return [
        *sorted_problems[: MAX_PROBLEMS - 1],
        Problem(f"there are {omitted_total} more errors in this statement", span),
    ]


class PtxError(ValueError):
    """A text is invalid. ``errors`` has every problem, at least one."""

    def __init__(self, text: str, errors: tuple[Problem, ...]) -> None:
        super().__init__(text, errors)
        self.text = text
        self.errors = tuple(sorted(errors, key=lambda problem: problem.span))

    @property
    def message(self) -> str:
        """The message of the first problem."""
        return self.errors[0].message

    @property
    def span(self) -> Span:
        """The span of the first problem."""
        return self.errors[0].span

    @property
    def hint(self) -> str:
        """The hint of the first problem."""
        return self.errors[0].hint

    @property
    def fix(self) -> tuple[Span, str] | None:
        """The span of the first problem with a likely alternative, and its replacement."""
        return next(((x.span, x.fix) for x in self.errors if x.fix is not None), None)

    @property
    def summary(self) -> str:
        """The first problem and its alternatives, as one line; not escaped."""
        return f"{self.message}; allowed: {self.hint}" if self.hint else self.message

    def shift_into(self, text: str, start: int) -> PtxError:
        """Return the error for a longer text that contains this one's at position ``start``."""
        shifted = (x._replace(span=(x.span[0] + start, x.span[1] + start)) for x in self.errors)
        return PtxError(text, tuple(shifted))

    def __str__(self) -> str:
        """Return the problems, each with a caret under the text concerned."""
        return "\n".join(self._iter_texts())

    def format_with_lines(self, place: str = "") -> str:
        """Return the problems as ``str`` does, below ``PLACEline 5:`` for each line."""
        return "\n".join(self._iter_texts(place))

    def _iter_texts(self, place: str | None = None) -> Iterator[str]:
        count, last_line = len(self.errors), 0
        shown_count = count if count <= _MAX_SHOWN_PROBLEMS else _MAX_SHOWN_PROBLEMS - 1
        for problem in self.errors[:shown_count]:
            if place is not None:
                line = self.text.count("\n", 0, problem.span[0]) + 1
                if line != last_line:
                    yield f"{place}line {line}:"
                last_line = line
            yield format_problem(self.text, problem)
        if shown_count < count:
            yield f"there are {count - shown_count} more errors"


class NotOneError(PtxError):
    """The text, although legal, has no instruction or several, but one is needed."""


def make_printable(text: str) -> str:
    """Replace each control, format and unassigned character with a visible one.

    Character positions are kept, so spans stay right. Nothing in the result moves the cursor, or
    changes the colours or writing direction of a terminal.
    """
    if text.isascii():
        return text if text.isprintable() else text.translate(_PRINTABLE)
    return "".join(map(_make_printable_char, text))


def _make_printable_char(char: str) -> str:
    if char in "\t\n\r\v\f":
        return " "
    if char < " ":
        return chr(0x2400 + ord(char))
    if char.isprintable():
        from unicodedata import bidirectional  # an extension module; most text is ASCII

        if bidirectional(char) not in ("R", "AL"):
            return char
    return "\N{REPLACEMENT CHARACTER}"


_PRINTABLE = {
    code: _make_printable_char(chr(code)) for code in range(128) if not chr(code).isprintable()
}


def make_printable_lines(text: str) -> str:
    """Apply ``make_printable`` to each line of a text."""
    return "\n".join(map(make_printable, text.split("\n")))


def quote_word(text: str) -> str:
    """Put a word of a user's text in backquotes, shortened if it is very long."""
    return f"`{text}`" if len(text) <= 48 else f"`{text[:40]}…`"


def quote_value(value: object) -> str:
    """Return a value as Python writes it, shortened if that is very long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:58]}…{text[-1]}"


def shorten_words(text: str) -> str:
    """Shorten each overlong word to its first characters, and each line to ``_MAX_LINE_CHARS``.

    Words contain no blanks. The limit is higher than the length of any file name.
    """
    text = _LONG_WORD.sub(lambda match: f"{match[0][:_MAX_QUOTED_CHARS]}…", text)
    lines = text.split("\n")
    return "\n".join(x if len(x) <= _MAX_LINE_CHARS else f"{x[:_MAX_LINE_CHARS]}…" for x in lines)


def measure_cells(text: str) -> int:
    """Return the number of terminal columns of a printable text."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(x) else 1 + (east_asian_width(x) in "WF") for x in text)


def format_problem(text: str, problem: Problem) -> str:
    """Return the message, the line concerned with a caret under the span, and the hint."""
    message = _wrap_message(f"error: {make_printable(problem.message)}", "  ")
    return "\n".join([message, *mark_problem(text, problem)])


def mark_problem(text: str, problem: Problem) -> list[str]:
    """Return the lines of a diagram below its message."""
    start, end = problem.span
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    start, end = start - line_start, min(end, line_end) - line_start
    window_start, length = 0, line_end - line_start
    if length > _WINDOW_CHARS:
        window_start = max(0, min(start - _WINDOW_CHARS // 3, length - _WINDOW_CHARS))
        start, end = start - window_start, min(end - window_start, _WINDOW_CHARS)
    line = make_printable(
        text[line_start + window_start : min(line_start + window_start + _WINDOW_CHARS, line_end)]
    )
    lead, mark = ("\u2026" if window_start else ""), line[start:end]
    tail = "\u2026" if window_start + _WINDOW_CHARS < length else ""
    lines = [
        f"  {lead}{line}{tail}",
        "  " + " " * measure_cells(lead + line[:start]) + "^" * max(1, measure_cells(mark)),
    ]
    if problem.hint:
        hint = _wrap_message(f"  allowed: {make_printable(problem.hint)}", " " * 11)
        lines += hint.split("\n")
    return lines


def _wrap_message(text: str, indent: str) -> str:
    return textwrap.fill(shorten_words(text), 79, subsequent_indent=indent, break_on_hyphens=False)


def find_closest_spelling(
    word: str, spellings: Sequence[str], likeness: float = 0.6, *, with_distant: bool = False
) -> str | None:
    """Return the known spelling closest to a word; None if none is as similar as ``likeness``.

    At most a third of the word's characters may differ, except ``with_distant``.
    """
    from difflib import get_close_matches

    lower = word.lower()
    if lower in spellings:
        return lower
    matches = get_close_matches(lower[:64], spellings, n=3, cutoff=likeness)
    max_distance = 64 if with_distant else max(len(lower) // 3, 1)
    return next((x for x in matches if _count_edits(lower[:64], x) <= max_distance), None)


def _count_edits(word: str, other: str) -> int:
    """Return how many characters to change, insert, omit or exchange with the next one."""
    previous, row = list[int](), list(range(len(other) + 1))
    for i, char in enumerate(word, 1):
        before, previous, row = previous, row, [i]
        for j, other_char in enumerate(other, 1):
            count = min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (char != other_char))
            if i > 1 < j and char == other[j - 2] and word[i - 2] == other_char:
                count = min(count, before[j - 2] + 1)
            row.append(count)
    return row[-1]


# --- missing extras -----------------------------------------------------------------------

INSTALL_COMMAND: Final = "pipx install --force '.[{extra}]'"
"""The command for a clone: ptxscope is on no package index. A release changes this line."""


def format_install_hint(extra: str) -> str:
    """Return how to install ptxscope with an extra, such as ``images``."""
    return f"in a clone of ptxscope, run {INSTALL_COMMAND.format(extra=extra)}"
