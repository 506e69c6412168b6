"""How plain a selector of lanes is: of several that fit, the plainest is the one that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from itertools import product

Word = tuple[int, ...]
"""The digits of one selector, lane 0 first."""


class SelectorSimplicity(IntEnum):
    """What a selector is beside the one that is written, the plainest first."""

    DEFAULT = 0
    """It is left out: 3210 for a, 7654 for b."""
    RENUMBERED = 1
    """0 to 3 taken for 4 to 7, or the reverse: in what is written, or in the default."""
    ONE_DIGIT = 2
    """One digit of what is written is another."""
    REVERSED = 3
    """What is written, or the default, the other way round."""
    MIRRORED = 4
    """Every digit of what is written counted from the other end of its register."""
    ROTATED = 5
    """What is written, moved on by some lanes."""
    REPEATED = 6
    """The same digit in every lane."""
    OTHER = 7
    """Anything else: the fewest digits changed, then the smallest, come first."""


FEW = frozenset(
    (
        SelectorSimplicity.DEFAULT,
        SelectorSimplicity.RENUMBERED,
        SelectorSimplicity.REVERSED,
        SelectorSimplicity.MIRRORED,
    )
)
"""Selectors of which there are one or two: that one of them fits is seldom chance."""
MANY = 100
"""Where so many selectors fit, that one does is likely chance, unless it is one of the few."""


@lru_cache(maxsize=64)
def iter_simple_selectors(written: Word, role: str) -> Mapping[Word, SelectorSimplicity]:
    """Every selector of a or b that is plainer than ``OTHER``, the plainest first."""
    found: dict[Word, SelectorSimplicity] = {}
    for word, plainness in _iter_simple_words(written, role):
        if word != written:
            found[word] = min(plainness, found.get(word, plainness))
    return dict(sorted(found.items(), key=lambda x: x[1]))


def make_default_word(lanes: int, role: str) -> Word:
    """The digits of a selector that is left out."""
    return tuple(range(lanes)) if role == "a" else tuple(range(lanes, 2 * lanes))


def _iter_simple_words(written: Word, role: str) -> Iterator[tuple[Word, SelectorSimplicity]]:
    lanes = len(written)
    default = make_default_word(lanes, role)
    yield default, SelectorSimplicity.DEFAULT
    # with two lanes, one digit less to change tells more
    renumbered = SelectorSimplicity.RENUMBERED if lanes > 2 else SelectorSimplicity.REVERSED
    for word in (written, default):
        yield tuple(digit ^ lanes for digit in word), renumbered
    for word in _list_one_digit_changes(written):
        yield word, SelectorSimplicity.ONE_DIGIT
    for word in (written, default):
        yield word[::-1], SelectorSimplicity.REVERSED
    yield tuple(digit ^ lanes - 1 for digit in written), SelectorSimplicity.MIRRORED
    for by in range(1, lanes):
        yield written[by:] + written[:by], SelectorSimplicity.ROTATED
    for digit in range(2 * lanes):
        yield (digit,) * lanes, SelectorSimplicity.REPEATED


def _list_one_digit_changes(written: Word) -> list[Word]:
    """What is written with another digit somewhere, the smallest digits first."""
    lanes = len(written)
    changes = product(range(lanes), range(2 * lanes))
    return sorted((*written[:lane], digit, *written[lane + 1 :]) for lane, digit in changes)
