"""Integers of so many bits: which there are, and what a pattern is as one of them."""

from __future__ import annotations

from ..records import NamedTuple


def cast(value: int, bits: int, signed: bool) -> int:
    """The low bits of an integer in two's complement, read as signed or unsigned."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class Range(NamedTuple):
    """Every value of a lane vector lies in low..high, ends included."""

    low: int
    high: int

    def fits_in(self, bits: int, signed: bool) -> bool:
        """Whether an integer type holds all of it."""
        return get_limits(bits, signed).contains(self)

    def contains(self, other: Range) -> bool:
        """Whether the other lies inside."""
        return self.low <= other.low and other.high <= self.high

    def intersect(self, other: Range) -> Range:
        """What lies in both; the nearer end where nothing does."""
        return Range(max(self.low, other.low), min(self.high, other.high))


def get_limits(bits: int, signed: bool) -> Range:
    """The values of an integer type."""
    if signed:
        return Range(-1 << (bits - 1), (1 << (bits - 1)) - 1)
    return Range(0, (1 << bits) - 1)
