"""Integers of a fixed width: their ranges, and casts to them."""

from __future__ import annotations

from typing import NamedTuple


def cast(value: int, bits: int, signed: bool) -> int:
    """Return the low bits of an integer in two's complement, read as signed or unsigned."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class Range(NamedTuple):
    """The closed range low..high that holds every value of a lane vector."""

    low: int
    high: int

    @property
    def bits(self) -> int:
        """The width in bits of the smallest integer type that holds the range."""
        low, high = self
        return max(high.bit_length(), (~low).bit_length() if low < 0 else 1) + (low < 0)

    def fits_in(self, bits: int, signed: bool) -> bool:
        """Whether an integer type holds the whole range."""
        return get_limits(bits, signed).contains(self)

    def contains(self, inner: Range) -> bool:
        """Whether another range lies inside this one."""
        return self.low <= inner.low and inner.high <= self.high

    def intersect(self, bounds: Range) -> Range:
        """Return the values common to both ranges; low exceeds high if they are disjoint."""
        return Range(max(self.low, bounds.low), min(self.high, bounds.high))


def get_limits(bits: int, signed: bool) -> Range:
    """Return the range of an integer type."""
    if signed:
        return Range(-1 << (bits - 1), (1 << (bits - 1)) - 1)
    return Range(0, (1 << bits) - 1)
