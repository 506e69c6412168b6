"""Widths of texts, and ways to fit them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

MIN_SIZE = 10.0
"""Smallest usual letters in px."""
MIN_LETTER_PX = 9.0
"""Smallest possible letters in px."""
_BREAKS = re.compile(r"(?<=\.\.)(?=[^.])|(?<=\|)(?=[^|])|(?<=\})(?=[{.a-z])|(?<=[^{.|])(?=\.[a-z])")
"""Matches preferred breaks in a long word: in a range, between destinations or choices, between
modifiers."""
_WIDE_LETTERS = re.compile(r"[MWmw@%\u2014\u2026]")
_CAPITAL = re.compile(r"[A-Z0-9_+<>=#&?$\u2192]")
_NARROW_LETTERS = re.compile(r"[iljftr.,:;'|!()\[\] /\\-]")


@lru_cache(4096)
def measure_text(text: str, size: float, is_monospaced: bool = False) -> float:
    """Return an upper bound of the width of a text in px, for any fallback font."""
    # whole numbers: from Python 3.12 on, sum() rounds floats otherwise than before
    if is_monospaced:
        return size * (sum(1200 if _is_wide(char) else 605 for char in text) / 1000)
    return size * (sum(map(_measure_char, text)) / 1000)


def _is_wide(char: str) -> bool:
    """Whether a character may come from a fallback font, wider than the surrounding one."""
    return ord(char) > 0x1100 and char not in "…→“”‘’–"


@lru_cache(maxsize=512)
def _measure_char(char: str) -> int:
    """Return the width of a character of a wide sans-serif font, in thousandths of an em."""
    if _is_wide(char):
        return 1200
    if _WIDE_LETTERS.match(char):
        return 1000
    if _CAPITAL.match(char):
        return 700
    return 400 if _NARROW_LETTERS.match(char) else 610


def wrap_text(text: str, width: float, size: float, is_monospaced: bool = False) -> list[str]:
    """Wrap a text at a width; a word that is too long is broken."""
    return [*_wrap_text(text, width, size, is_monospaced)]


@lru_cache(1024)
def _wrap_text(text: str, width: float, size: float, is_monospaced: bool) -> tuple[str, ...]:
    lines = [""]
    for word in _iter_words(text, width, size, is_monospaced):
        longer_line = f"{lines[-1]} {word}" if lines[-1] else word
        if measure_text(longer_line, size, is_monospaced) <= width:
            lines[-1] = longer_line
        else:
            lines.append(word)
    return tuple(line for line in lines if line)


def _iter_words(text: str, width: float, size: float, is_monospaced: bool) -> Iterator[str]:
    for word in text.split():
        if measure_text(word, size, is_monospaced) <= width:
            yield word
            continue
        part = ""
        for piece in (
            piece
            for segment in _BREAKS.split(word)
            for piece in _break_word(segment, width, size, is_monospaced)
        ):
            if part and measure_text(part + piece, size, is_monospaced) > width:
                yield part
                part = ""
            part += piece
        yield part


def _break_word(word: str, width: float, size: float, is_monospaced: bool) -> Iterator[str]:
    """Yield parts of a word of at most a width."""
    start, used_width = 0, 0.0
    for index, char in enumerate(word):
        char_width = measure_text(char, size, is_monospaced)
        if used_width + char_width > width and index > start:
            yield word[start:index]
            start, used_width = index, 0.0
        used_width += char_width
    yield word[start:]


def is_leftwards(text: str) -> bool:
    """Whether a text is read from right to left, by its first character with a direction."""
    if text.isascii():
        return False
    from unicodedata import bidirectional

    directions = (kind for kind in map(bidirectional, text) if kind in ("L", "R", "AL"))
    return next(directions, "L") != "L"


class Fitted(NamedTuple):
    """A text with the size at which it fits."""

    text: str
    size: float


@lru_cache(4096)
def fit_text(text: str, width: float, size: float, is_monospaced: bool) -> Fitted:
    """Return a text in a size at which it fits, truncated with an ellipsis if none does."""
    em_width = measure_text(text, 1, is_monospaced)
    if em_width * size <= width:
        return Fitted(text, size)
    if em_width * MIN_LETTER_PX <= width:
        return Fitted(text, max(int(width / em_width * 10) / 10, MIN_LETTER_PX))
    while text and measure_text(text + "…", MIN_LETTER_PX, is_monospaced) > width:
        text = text[: -max(1, len(text) // 16)]
    return Fitted(text + "…", MIN_LETTER_PX)
