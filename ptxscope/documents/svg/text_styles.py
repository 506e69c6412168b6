"""The texts in pictures: styles, widths and fitting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, Self

from .svg_colours import SvgColour

MIN_SIZE = 10.0
"""Minimum usual size of letters in px."""
MIN_LETTER_PX = 9.0
"""Minimum possible size of letters in px."""
_BREAKS = re.compile(r"(?<=\.\.)(?=[^.])|(?<=\|)(?=[^|])|(?<=\})(?=[{.a-z])|(?<=[^{.|])(?=\.[a-z])")
"""Matches preferred breaks in a long word: in ranges, between destinations, choices, modifiers."""
_TERM = re.compile(r"(?:[^\s()\w]++ )?(?>(?:\([^()]*+(?>(?:\([^()]*+\)[^()]*+)*)\)|[^\s()])+)")
"""A term of a formula with its preceding operator; parentheses are part of a term."""
_WIDE_LETTERS = re.compile(r"[MWmw@%\u2014\u2026]")
_CAPITAL = re.compile(r"[A-Z0-9_+<>=#&?$\u2192]")
_NARROW_LETTERS = re.compile(r"[iljftr.,:;'|!()\[\] /\\-]")


@lru_cache(4096)
def measure_text(text: str, size: float, is_monospaced: bool = False) -> float:
    """Return an upper bound of the width of a text in px, for any fallback font."""
    # integers, because sum() rounds floats differently since Python 3.12
    if is_monospaced:
        return size * (sum(1200 if _is_wide(char) else 605 for char in text) / 1000)
    return size * (sum(map(_measure_char, text)) / 1000)


def _is_wide(char: str) -> bool:
    """Whether a character may come from a wider fallback font."""
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
    """Wrap a text at a width; words that are too long are broken."""
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
        segments = _BREAKS.split(word)
        pieces = (_break_word(x, width, size, is_monospaced) for x in segments)
        for piece in chain.from_iterable(pieces):
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
    """Whether a text runs from right to left, by its first character with a direction."""
    if text.isascii():
        return False
    from unicodedata import bidirectional

    directions = (kind for kind in map(bidirectional, text) if kind in ("L", "R", "AL"))
    return next(directions, "L") != "L"


class Fitted(NamedTuple):
    """A text with its fitting size."""

    text: str
    size: float


@lru_cache(4096)
def fit_text(text: str, width: float, size: float, is_monospaced: bool) -> Fitted:
    """Return a text in a fitting size, truncated with an ellipsis if necessary."""
    em_width = measure_text(text, 1, is_monospaced)
    if em_width * size <= width:
        return Fitted(text, size)
    if em_width * MIN_LETTER_PX <= width:
        return Fitted(text, max(int(width / em_width * 10) / 10, MIN_LETTER_PX))
    while text and measure_text(text + "…", MIN_LETTER_PX, is_monospaced) > width:
        text = text[: -max(1, len(text) // 16)]
    return Fitted(text + "…", MIN_LETTER_PX)


_BOLD = 1.12
"""Width of bold letters of the proportional font, relative to usual ones."""


class TextStyle(NamedTuple):
    """The letters of a kind of text."""

    size: float
    colour: SvgColour = SvgColour.INK
    leading: float = 0
    """Distance of the lines of a paragraph in px."""
    is_monospaced: bool = False
    is_bold: bool = False
    is_italic: bool = False

    def with_size(self, size: float) -> Self:
        """Return the style in another size."""
        return self._replace(size=size)

    def scale(self, factor: float) -> Self:
        """Return the style scaled by a factor."""
        return self._replace(size=self.size * factor)

    def with_weight(self, is_bold: bool) -> Self:
        """Return the style in bold or usual letters."""
        return self._replace(is_bold=is_bold)

    def measure(self, text: str) -> float:
        """Return an upper bound of the width of a text in px."""
        width = measure_text(text, self.size, self.is_monospaced)
        return width * _BOLD if self.is_bold and not self.is_monospaced else width

    def wrap(self, text: str, width: float) -> list[str]:
        """Wrap a text at a width."""
        is_wide = self.is_bold and not self.is_monospaced
        return wrap_text(text, width / _BOLD if is_wide else width, self.size, self.is_monospaced)

    def fit(self, text: str, width: float) -> Fitted:
        """Return a text in its fitting size."""
        return fit_text(text, width, self.size, self.is_monospaced)


TITLE = TextStyle(21, leading=27, is_bold=True)
"""The author's title."""
HEADING = TextStyle(17, is_bold=True)
"""Heading of a part of the page."""
SUBHEADING = TextStyle(14, leading=18, is_bold=True)
"""Heading of a step."""
STRONG = TextStyle(12, leading=16, is_bold=True)
"""Words that stand out: truth values, warnings."""
EMPHASIS = TextStyle(11, SvgColour.MARK, is_bold=True)
"""Flags and clamps of a number."""
BODY = TextStyle(12, leading=16)
"""Sentences below the picture."""
QUOTE = TextStyle(12, leading=17, is_italic=True)
"""The author's notes."""
CAPTION = TextStyle(13, leading=19, is_italic=True)
"""The author's caption."""
REMARK = TextStyle(11.5, SvgColour.DIM, leading=16)
"""Sentences on the whole picture, and names of columns."""
NOTE = TextStyle(11, SvgColour.DIM, leading=14.5)
"""Sentences beside their subject."""
OMISSION = TextStyle(10.5, SvgColour.DIM, leading=13, is_italic=True)
"""Remarks on omitted parts."""
SMALL = TextStyle(10, SvgColour.DIM, leading=13)
"""The smallest words: sources, labels, names in corners."""

RESULT = TextStyle(26, is_monospaced=True, is_bold=True)
"""Bits of the result."""
VALUE = TextStyle(17, is_monospaced=True, is_bold=True)
"""Outcome of an operation."""
BITS = TextStyle(15, is_monospaced=True, is_bold=True)
"""Bits in a box, and their number."""
CODE = TextStyle(14, is_monospaced=True, is_bold=True)
"""The instruction."""
LABEL = TextStyle(13, is_monospaced=True, is_bold=True)
"""Names of registers, results and axes."""
NAME = TextStyle(12, is_monospaced=True, is_bold=True)
"""Names beside truth values and words."""
TAG = TextStyle(11, SvgColour.DIM, is_monospaced=True, is_bold=True)
"""Names above values, and ticks that count."""
FORMULA = TextStyle(13, SvgColour.DIM, is_monospaced=True)
"""The operation, and the meaning of its result."""
DATUM = TextStyle(11, SvgColour.DIM, is_monospaced=True)
"""Numbers beside a picture: values of registers, ticks, code."""


def wrap_formula(
    formula: str, width: float, sizes: Sequence[float] = (MIN_SIZE, MIN_LETTER_PX)
) -> list[str]:
    """Wrap a formula before its operators; elsewhere only if a term is too wide."""
    terms = [match.group() for match in _TERM.finditer(formula)]
    widest = max(terms, key=len, default="")
    styles = (FORMULA.with_size(x) for x in sizes if measure_text(widest, x, True) <= width)
    style = next(styles, None)
    if style is None or " ".join(terms) != formula:
        return FORMULA.with_size(sizes[0]).wrap(formula, width)
    lines = list[str]()
    for term in terms:
        longer_line = f"{lines[-1]} {term}" if lines else term
        lines[-1:] = [longer_line] if style.measure(longer_line) <= width else [*lines[-1:], term]
    return lines
