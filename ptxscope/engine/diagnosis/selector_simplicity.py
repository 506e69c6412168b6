"""Simplicity of lane selectors: of several that fit, the simplest is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from itertools import product

Word = tuple[int, ...]
"""The digits of one selector, lane 0 first."""


class SelectorSimplicity(IntEnum):
    """Relation of a selector to the written one, simplest first."""

    DEFAULT = 0
    """Omitted: 3210 for a, 7654 for b."""
    RENUMBERED = 1
    """0 to 3 confused with 4 to 7, in the written selector or the default."""
    ONE_DIGIT = 2
    """The written selector with another digit in one place."""
    REVERSED = 3
    """The written selector or the default in reverse order."""
    MIRRORED = 4
    """The written selector with digits counted from the other end of a register."""
    ROTATED = 5
    """The written selector rotated by some lanes."""
    REPEATED = 6
    """The same digit in every lane."""
    OTHER = 7
    """Any other; those with the fewest changed digits come first, then the smallest."""


DISTINCTIVE_KINDS = frozenset(
    (
        SelectorSimplicity.DEFAULT,
        SelectorSimplicity.RENUMBERED,
        SelectorSimplicity.REVERSED,
        SelectorSimplicity.MIRRORED,
    )
)
"""Kinds with only one or two selectors, which seldom fit by coincidence."""
MIN_COINCIDENCE_COUNT = 100
"""Number of fitting selectors from which a match is probably a coincidence.

A kind in `DISTINCTIVE_KINDS` is an exception.
"""


@lru_cache(maxsize=64)
def iter_simple_selectors(written_word: Word, role: str) -> Mapping[Word, SelectorSimplicity]:
    """Return every selector of a or b that is simpler than ``OTHER``, simplest first."""
    words: dict[Word, SelectorSimplicity] = {}
    for word, simplicity in _iter_simple_words(written_word, role):
        if word != written_word:
            words[word] = min(simplicity, words.get(word, simplicity))
    return dict(sorted(words.items(), key=lambda x: x[1]))


def make_default_word(lanes: int, role: str) -> Word:
    """Return the digits of an omitted selector."""
    return tuple(range(lanes)) if role == "a" else tuple(range(lanes, 2 * lanes))


def _iter_simple_words(written_word: Word, role: str) -> Iterator[tuple[Word, SelectorSimplicity]]:
    lanes = len(written_word)
    default = make_default_word(lanes, role)
    yield default, SelectorSimplicity.DEFAULT
    # with two lanes, one changed digit is the simpler explanation
    renumbered = SelectorSimplicity.RENUMBERED if lanes > 2 else SelectorSimplicity.REVERSED
    for word in (written_word, default):
        yield tuple(digit ^ lanes for digit in word), renumbered
    for word in _list_one_digit_changes(written_word):
        yield word, SelectorSimplicity.ONE_DIGIT
    for word in (written_word, default):
        yield word[::-1], SelectorSimplicity.REVERSED
    yield tuple(digit ^ lanes - 1 for digit in written_word), SelectorSimplicity.MIRRORED
    for shift in range(1, lanes):
        yield written_word[shift:] + written_word[:shift], SelectorSimplicity.ROTATED
    for digit in range(2 * lanes):
        yield (digit,) * lanes, SelectorSimplicity.REPEATED


def _list_one_digit_changes(written_word: Word) -> list[Word]:
    """Return the written selector with one digit changed, smallest digits first."""
    lanes = len(written_word)
    changes = product(range(lanes), range(2 * lanes))
    return sorted(
        (*written_word[:lane], digit, *written_word[lane + 1 :]) for lane, digit in changes
    )
