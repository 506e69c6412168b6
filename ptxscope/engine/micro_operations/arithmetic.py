"""The operations on numbers that micro-operations use, and two of three implementations.

``Exact`` computes on Python integers, one value per lane. ``Ranges`` computes on intervals and
bounds the possible values. The third, ``tape.Tape``, records the operations for NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ..isa.encodings import Range, cast, get_limits

V = TypeVar("V")

Picks = tuple[tuple[int, int], ...]
"""For each output lane, the index of the word and of the byte, half-word or word in it."""


class Arithmetic(Protocol[V]):
    """Operations on lane vectors of exact integers, lane 0 first; truth is 1 or 0.

    Both arguments have the same number of lanes, or the second is one integer for all lanes.
    """

    def add(self, x: V, y: V | int, /) -> V:
        """Return x + y."""

    def subtract(self, x: V, y: V, /) -> V:
        """Return x - y."""

    def multiply(self, x: V, y: V | int, /) -> V:
        """Return x * y."""

    def divide(self, x: V, y: V | int, /) -> V:
        """Return x // y, for x not negative and y positive."""

    def negative(self, x: V) -> V:
        """Return -x."""

    def absolute(self, x: V) -> V:
        """Return |x|."""

    def minimum(self, x: V, y: V | int, /) -> V:
        """Return the smaller of x and y."""

    def maximum(self, x: V, y: V | int, /) -> V:
        """Return the larger of x and y."""

    def shift_left(self, x: V, y: V, /) -> V:
        """Return x * 2**y, for y in 0..64."""

    def shift_right(self, x: V, y: V | int, /) -> V:
        """Return x // 2**y, for y in 0..64."""

    def less(self, x: V, y: V | int, /) -> V:
        """Return x < y."""

    def equal(self, x: V, y: V | int, /) -> V:
        """Return x == y."""

    def where(self, condition: V, x: V, y: V | int) -> V:
        """Return x if the condition is 1, else y."""

    def bitand(self, x: V, y: V | int, /) -> V:
        """Return x & y, neither of them negative."""

    def bitor(self, x: V, y: V | int, /) -> V:
        """Return x | y, neither of them negative."""

    def bitxor(self, x: V, y: V | int, /) -> V:
        """Return x ^ y, neither of them negative."""

    def cast(self, x: V, bits: int, signed: bool) -> V:
        """Return the low bits of x in two's complement, read as signed or unsigned."""

    def gather(self, words: Sequence[V], unit: int, picks: Picks) -> V:
        """Return lanes of ``unit`` bits picked from one-lane words, unsigned."""

    def keep(self, x: V, y: V, lanes: tuple[int, ...], unit: int) -> V:
        """Return the lanes in ``lanes`` from x, the others from y; all unsigned.

        y has ``32 // unit`` lanes. x has as many, or a single one for all lanes in ``lanes``.
        """

    def pack(self, x: V, unit: int) -> V:
        """Return the word that consists of unsigned lanes of ``unit`` bits."""

    def sum_lanes(self, x: V, lanes: tuple[int, ...], count: int) -> V:
        """Return the sum of the lanes in ``lanes`` of x, which has ``count`` lanes."""

    def float_bits(self, x: V) -> V:
        """Return the binary32 pattern of the float nearest to x, ties to even.

        x is in -2**31..2**32 - 1; ``compute_float_bits`` computes the same with the other methods.
        """


def normalise_magnitude(ar: Arithmetic[V], x: V) -> tuple[V, V]:
    """Return |x|, shifted left until its top bit is bit 31, and an exponent.

    The low eight bits lie below the significand. The exponent is biased, less one; 0 for zero.
    """
    magnitude = ar.absolute(x)
    nonzero = ar.less(ar.negative(magnitude), 0)
    top, exponent = magnitude, ar.multiply(nonzero, 126 + 31)
    for distance in (16, 8, 4, 2, 1):
        low = ar.less(top, 1 << (32 - distance))
        top = ar.where(low, ar.multiply(top, 1 << distance), top)
        top = ar.cast(top, 32, signed=False)
        exponent = ar.subtract(exponent, ar.multiply(ar.minimum(low, nonzero), distance))
    return top, exponent


def compute_float_bits(ar: Arithmetic[V], x: V) -> V:
    """Return ``ar.float_bits(x)``."""
    top, exponent = normalise_magnitude(ar, x)
    odd_bit = ar.bitand(ar.shift_right(top, 8), 1)
    significand = ar.shift_right(ar.add(ar.add(top, 127), odd_bit), 8)
    # the leading one, and a carry out of it, add one to the exponent each
    bits = ar.add(ar.multiply(exponent, 1 << 23), significand)
    signed = ar.add(bits, ar.multiply(ar.less(x, 0), 1 << 31))
    return ar.cast(signed, 32, signed=False)


def fill(ar: Arithmetic[V], x: V, value: int) -> V:
    """Return a vector like x with one value in every lane."""
    return ar.add(ar.multiply(x, 0), value)


def is_different(ar: Arithmetic[V], x: V, y: V) -> V:
    """Return 1 if x and y differ, else 0."""
    return ar.equal(ar.equal(x, y), 0)


def is_outside(ar: Arithmetic[V], x: V, bits: int, signed: bool) -> V:
    """Return 1 if x is outside an integer type's range, else 0."""
    return is_different(ar, x, ar.cast(x, bits, signed))


LaneValues = tuple[int, ...]
Inputs = tuple[LaneValues, ...]
"""The lane values of each input."""


def get_lane(lanes: LaneValues, lane: int) -> int:
    """Return one lane of a vector; all lanes of a one-lane vector are the same."""
    return lanes[lane if len(lanes) > 1 else 0]


def _map_lanes(
    function: Callable[[int, int], int],
) -> Callable[[LaneValues, LaneValues | int], LaneValues]:
    def map_lanes(x: LaneValues, y: LaneValues | int) -> LaneValues:
        if isinstance(y, int):
            return tuple(function(i, y) for i in x)
        return tuple(function(i, j) for i, j in zip(x, y, strict=True))

    return map_lanes


class Exact:
    """Arithmetic on Python integers: no width, no overflow."""

    add = staticmethod(_map_lanes(int.__add__))
    subtract = staticmethod(_map_lanes(int.__sub__))
    multiply = staticmethod(_map_lanes(int.__mul__))
    divide = staticmethod(_map_lanes(int.__floordiv__))
    minimum = staticmethod(_map_lanes(min))
    maximum = staticmethod(_map_lanes(max))
    shift_left = staticmethod(_map_lanes(int.__lshift__))
    shift_right = staticmethod(_map_lanes(int.__rshift__))
    less = staticmethod(_map_lanes(lambda i, j: int(i < j)))
    equal = staticmethod(_map_lanes(lambda i, j: int(i == j)))
    bitand = staticmethod(_map_lanes(int.__and__))
    bitor = staticmethod(_map_lanes(int.__or__))
    bitxor = staticmethod(_map_lanes(int.__xor__))

    def negative(self, x: LaneValues) -> LaneValues:
        return tuple(-i for i in x)

    def absolute(self, x: LaneValues) -> LaneValues:
        return tuple(map(abs, x))

    def where(self, condition: LaneValues, x: LaneValues, y: LaneValues | int) -> LaneValues:
        y_lanes = (y,) * len(x) if isinstance(y, int) else y
        return tuple(i if c else j for c, i, j in zip(condition, x, y_lanes, strict=True))

    def cast(self, x: LaneValues, bits: int, signed: bool) -> LaneValues:
        return tuple(cast(i, bits, signed) for i in x)

    def gather(self, words: Sequence[LaneValues], unit: int, picks: Picks) -> LaneValues:
        mask = (1 << unit) - 1
        return tuple(words[word][0] >> unit * index & mask for word, index in picks)

    def keep(self, x: LaneValues, y: LaneValues, lanes: tuple[int, ...], unit: int) -> LaneValues:
        wide = x * len(y) if len(x) == 1 else x
        return tuple(wide[i] if i in lanes else y[i] for i in range(len(y)))

    def pack(self, x: LaneValues, unit: int) -> LaneValues:
        return (sum(lane << unit * i for i, lane in enumerate(x)),)

    def sum_lanes(self, x: LaneValues, lanes: tuple[int, ...], count: int) -> LaneValues:
        return (sum(x[i] for i in lanes),)

    def float_bits(self, x: LaneValues) -> LaneValues:
        return compute_float_bits(self, x)


def _make_range(y: Range | int) -> Range:
    return Range(y, y) if isinstance(y, int) else y


def _map_corners(function: Callable[[int, int], int]) -> Callable[[Range, Range | int], Range]:
    """Return the ranges of a function that is monotonic in each argument."""

    def map_corners(x: Range, y: Range | int) -> Range:
        y = _make_range(y)
        values = [function(i, j) for i in x for j in y]
        return Range(min(values), max(values))

    return map_corners


class Ranges:
    """Arithmetic on intervals: each result contains every possible value."""

    add = staticmethod(_map_corners(int.__add__))
    subtract = staticmethod(_map_corners(int.__sub__))
    multiply = staticmethod(_map_corners(int.__mul__))
    divide = staticmethod(_map_corners(int.__floordiv__))
    minimum = staticmethod(_map_corners(min))
    maximum = staticmethod(_map_corners(max))
    shift_left = staticmethod(_map_corners(int.__lshift__))
    shift_right = staticmethod(_map_corners(int.__rshift__))

    def negative(self, x: Range) -> Range:
        return Range(-x.high, -x.low)

    def absolute(self, x: Range) -> Range:
        return Range(max(x.low, -x.high, 0), max(-x.low, x.high))

    def less(self, x: Range, y: Range | int) -> Range:
        y = _make_range(y)
        return Range(int(x.high < y.low), int(x.low < y.high))

    def equal(self, x: Range, y: Range | int) -> Range:
        y = _make_range(y)
        return Range(int(x == y and x.low == x.high), int(x.low <= y.high and y.low <= x.high))

    def where(self, condition: Range, x: Range, y: Range | int) -> Range:
        y = _make_range(y)
        return Range(min(x.low, y.low), max(x.high, y.high))

    def bitand(self, x: Range, y: Range | int) -> Range:
        return Range(0, min(x.high, _make_range(y).high))

    def bitor(self, x: Range, y: Range | int) -> Range:
        y = _make_range(y)
        return Range(max(x.low, y.low), (1 << (x.high | y.high).bit_length()) - 1)

    def bitxor(self, x: Range, y: Range | int) -> Range:
        return Range(0, (1 << (x.high | _make_range(y).high).bit_length()) - 1)

    def cast(self, x: Range, bits: int, signed: bool) -> Range:
        full = get_limits(bits, signed)
        return x if full.contains(x) else full

    def gather(self, words: Sequence[Range], unit: int, picks: Picks) -> Range:
        full = get_limits(unit, signed=False)
        is_whole = len(words) == 1 and not any(index for _, index in picks)
        return words[0] if is_whole and full.contains(words[0]) else full

    def keep(self, x: Range, y: Range, lanes: tuple[int, ...], unit: int) -> Range:
        full = get_limits(unit, signed=False)
        joint = Range(min(x.low, y.low), max(x.high, y.high))
        return joint if full.contains(joint) else full

    def pack(self, x: Range, unit: int) -> Range:
        return get_limits(32, signed=False)

    def sum_lanes(self, x: Range, lanes: tuple[int, ...], count: int) -> Range:
        return Range(x.low * len(lanes), x.high * len(lanes))

    def float_bits(self, x: Range) -> Range:
        return get_limits(32, signed=False)


EXACT = Exact()
RANGES = Ranges()
