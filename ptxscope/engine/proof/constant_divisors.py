"""Quotients by a constant, as compilers compute them: the high bits of a product.

A solver seldom finds out that a division is such a product. Written as one, the two are alike.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from ..isa.integers import Range


class Multiplier(NamedTuple):
    """A number M and an amount p with x // d == x * M >> p."""

    factor: int
    shift: int


def find_multiplier(dividends: Range, divisor: int) -> Multiplier:
    """Return the smallest multiplier for all dividends of a range.

    It is M = (2^p + e) / d, rounded up from 2^p / d. Then x * M / 2^p is (x + x * e / 2^p) / d,
    and has the same floor as x / d while 0 <= x * e < 2^p (Granlund and Montgomery, 1994).

    For a negative x, ``~(x * M >> p)`` is the quotient of the magnitude: |x| * M / 2^p is above
    |x| / d, and at most its floor plus 1, while 0 < |x| * e <= 2^p. So there ``divisor`` must not
    be a power of two.
    """
    for shift in count():
        factor = -(-(1 << shift) // divisor)
        excess = factor * divisor - (1 << shift)
        if excess * dividends.high < 1 << shift and excess * -dividends.low <= 1 << shift:
            return Multiplier(factor, shift)
    raise AssertionError
