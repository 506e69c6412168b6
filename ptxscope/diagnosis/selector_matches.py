"""Selectors of a SIMD instruction that explain a result, as a feature finds them."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from ..engine.isa.types import Selector

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
    """Any other; the fewest changed digits come first, then the smallest number."""


DISTINCTIVE_KINDS = frozenset(
    (
        SelectorSimplicity.DEFAULT,
        SelectorSimplicity.RENUMBERED,
        SelectorSimplicity.REVERSED,
        SelectorSimplicity.MIRRORED,
    )
)
"""Kinds with only one or two selectors, which rarely fit by coincidence."""
MIN_COINCIDENCE_COUNT = 100
"""Minimum number of fitting selectors for a coincidence, except of ``DISTINCTIVE_KINDS``."""


def make_default_word(lanes: int, role: str) -> Word:
    """Return the digits of an omitted selector."""
    return tuple(range(lanes)) if role == "a" else tuple(range(lanes, 2 * lanes))


LaneDigits = tuple[int, int]
"""The digits of asel and bsel for one lane."""


class SelectorMatches(NamedTuple):
    """The simplest of the selectors that fit, and their number; None is the default."""

    asel: Selector | None
    bsel: Selector | None
    match_count: int
    """Number of pairs that fit."""
    lanes: tuple[tuple[LaneDigits, ...], ...]
    """The digits that fit each lane, if the lanes are independent; else empty."""
    changed_digit_count: int
    """Number of digits that differ from the line."""
    simplicity: SelectorSimplicity
    """Simplicity of the selected pair: the less simple one's."""
    redundancy: int = 1
    """Number of pairs that differ only in digits of lanes outside the mask."""
    is_truncated: bool = False
    """Whether some pairs were not tried; more may fit."""
