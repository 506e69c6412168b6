"""The micro-operations, each written once over ``Arithmetic``.

A plan is made of them; they run alike on integers, on intervals and on arrays. What is known
of a kind (its lanes, its flags, where its bits come from) stands with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..isa.types import BoolOp, Cmp, Type
from .arithmetic import Arithmetic, LaneValues, Picks, V
from .micro_operation import WHOLE, Flag, InputBits, MicroOperation, get_lane, map_bits


def _is_outside(ar: Arithmetic[V], x: V, bits: int, signed: bool) -> V:
    """1 where an integer type does not hold x."""
    return _is_different(ar, x, ar.cast(x, bits, signed))


def _is_different(ar: Arithmetic[V], x: V, y: V) -> V:
    return ar.equal(ar.equal(x, y), 0)


def _map_read_bits(
    lane: int, low: int, high: int, inputs: tuple[LaneValues, ...], bits: int, signed: bool
) -> Iterator[InputBits]:
    """Where the bits of a number come from that is read off so many bits."""
    yield map_bits(inputs, 0, lane, low, min(high, bits))
    if signed and high > bits:
        yield map_bits(inputs, 0, lane, bits - 1, bits)


class Select(MicroOperation):
    """Pick bytes, half-words or the word from registers."""

    unit: int
    picks: Picks

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.gather(v, self.unit, self.picks)

    def count_output_lanes(self, first: int) -> int:
        return len(self.picks)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        word, index = self.picks[lane]
        start = self.unit * index
        yield InputBits(word, 0, start + low, start + min(high, self.unit))


class Extend(MicroOperation):
    """Read a bit pattern as a signed or unsigned integer."""

    bits: int
    signed: bool

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, self.signed)

    def find_lane_flags(
        self, lane: int, inputs: tuple[LaneValues, ...], value: int
    ) -> Iterable[Flag]:
        yield Flag.SIGN_EXTENDED if self.signed else Flag.ZERO_EXTENDED

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        return _map_read_bits(lane, low, high, inputs, self.bits, self.signed)


class Add(MicroOperation):
    """x + y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(*v)


class Subtract(MicroOperation):
    """x - y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.subtract(*v)


class Multiply(MicroOperation):
    """x * y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(*v)


class AbsoluteDifference(MicroOperation):
    """|x - y|."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.absolute(ar.subtract(*v))


class Minimum(MicroOperation):
    """The smaller of two."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.minimum(*v)


class Maximum(MicroOperation):
    """The larger of two."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.maximum(*v)


class Average(MicroOperation):
    """Half the sum, halves rounded away from zero."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        total = ar.add(*v)
        negative = ar.less(total, 0)
        return ar.shift_right(ar.subtract(ar.add(total, 1), negative), 1)


class LimitAmount(MicroOperation):
    """The shift amount: clamped to 32, or its low five bits."""

    wrap: bool

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.bitand(v[0], 31) if self.wrap else ar.minimum(v[0], 32)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED if self.wrap else Flag.CLAMPED_HIGH, _is_different(ar, value, v[0])


class ShiftLeft(MicroOperation):
    """x * 2**y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_left(*v)


class ShiftRight(MicroOperation):
    """x // 2**y, rounding down: the sign is shifted in."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_right(*v)


class ScaleDown(MicroOperation):
    """Shift right by a fixed amount, rounding down."""

    amount: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_right(v[0], self.amount)


class Negate(MicroOperation):
    """-x: the complement plus one, exactly."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.negative(v[0])


class Magnitude(MicroOperation):
    """|x| of a signed number of so many bits; the most negative one stays."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(ar.absolute(v[0]), self.bits, signed=True)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, ar.less(value, 0)


class ToBits(MicroOperation):
    """A number that so many bits hold, as their pattern."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, signed=False)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, self.bits))


class ToFloat(MicroOperation):
    """An integer of at most 32 bits as a binary32 pattern, ties to even."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        top, exponent = self._normalise(ar, v[0])
        odd = ar.bitand(ar.shift_right(top, 8), 1)
        significand = ar.shift_right(ar.add(ar.add(top, 127), odd), 8)
        # its leading one, and a carry out of it, count as one more in the exponent
        bits = ar.add(ar.multiply(exponent, 1 << 23), significand)
        signed = ar.add(bits, ar.multiply(ar.less(v[0], 0), 1 << 31))
        return ar.cast(signed, 32, signed=False)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        top, _ = self._normalise(ar, v[0])
        yield Flag.ROUNDED, _is_different(ar, ar.bitand(top, 0xFFFF_FF00), top)

    def _normalise(self, ar: Arithmetic[V], x: V) -> tuple[V, V]:
        """Its magnitude moved up until the top bit is bit 31, and the exponent then.

        Eight bits lie below the significand.
        """
        magnitude = ar.absolute(x)
        some = ar.less(ar.negative(magnitude), 0)
        top, exponent = magnitude, ar.multiply(some, 126 + 31)
        for distance in (16, 8, 4, 2, 1):
            low = ar.less(top, 1 << (32 - distance))
            top = ar.where(low, ar.multiply(top, 1 << distance), top)
            top = ar.cast(top, 32, signed=False)
            exponent = ar.subtract(exponent, ar.multiply(ar.minimum(low, some), distance))
        return top, exponent


class PlusOne(MicroOperation):
    """x + 1, the ``.po`` of ``vmad``."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(v[0], 1)


class Clamp(MicroOperation):
    """Move what lies outside low..high to the nearer end; None does not bound."""

    low: int | None
    high: int | None

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        if self.low is not None:
            x = ar.maximum(x, self.low)
        return x if self.high is None else ar.minimum(x, self.high)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.CLAMPED_LOW, ar.less(v[0], value)
        yield Flag.CLAMPED_HIGH, ar.less(value, v[0])


class Wrap(MicroOperation):
    """Keep the low bits and read them as a signed or unsigned number."""

    bits: int
    signed: bool

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, self.signed)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, _is_different(ar, value, v[0])

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        return _map_read_bits(lane, low, high, inputs, self.bits, self.signed)


class Truncate(MicroOperation):
    """Keep the low bits as a pattern; ``signed`` says how the destination will read them."""

    bits: int
    signed: bool

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, signed=False)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, _is_outside(ar, v[0], self.bits, self.signed)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, self.bits))


class Merge(MicroOperation):
    """Lanes of t cut to the unit, the other lanes from c's word, if any are left to it."""

    unit: int
    lanes: tuple[int, ...]
    """The lanes that take t."""
    signed: bool
    """How the destination's lanes will be read."""
    high: bool = False
    """Take bits 31:16 of t instead of its low bits (erratum E1)."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        t, *c = v
        if self.high:
            t = ar.shift_right(ar.cast(t, 32, signed=False), 16)
        t = ar.cast(t, self.unit, signed=False)
        if not c:
            return t
        every = tuple((0, lane) for lane in range(32 // self.unit))
        return ar.keep(t, ar.gather(c, self.unit, every), self.lanes, self.unit)

    def count_output_lanes(self, first: int) -> int:
        return 32 // self.unit

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        """Of the lanes that take t."""
        if not self.high:
            yield Flag.WRAPPED, _is_outside(ar, v[0], self.unit, self.signed)

    def find_lane_flags(
        self, lane: int, inputs: tuple[LaneValues, ...], value: int
    ) -> Iterable[Flag]:
        if lane not in self.lanes:
            return (Flag.MASKED_OUT,)
        return super().find_lane_flags(lane, inputs, value)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        stop = min(high, self.unit)
        if lane in self.lanes:
            up = 16 if self.high else 0
            yield map_bits(inputs, 0, lane, low + up, stop + up)
        else:
            start = self.unit * lane
            yield InputBits(1, 0, start + low, start + stop)


class Pack(MicroOperation):
    """Join lanes to a word."""

    unit: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.pack(v[0], self.unit)

    def count_output_lanes(self, first: int) -> int:
        return 1

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        for index in range(len(inputs[0])):
            start = self.unit * index
            yield InputBits(0, index, max(low - start, 0), min(high - start, self.unit))


class Accumulate(MicroOperation):
    """c plus the chosen lanes of t."""

    lanes: tuple[int, ...]
    input_lanes: int
    """How many lanes t has."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        t, c = v
        return ar.add(ar.sum_lanes(t, self.lanes, self.input_lanes), c)

    def count_output_lanes(self, first: int) -> int:
        return 1

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield from (InputBits(0, index, 0, WHOLE) for index in self.lanes)
        yield InputBits(1, 0, 0, WHOLE)


class Flush(MicroOperation):
    """Turn subnormal binary32 patterns into zeros of the same sign."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        small = ar.less(ar.bitand(x, 0x7FFF_FFFF), 0x0080_0000)
        return ar.where(small, ar.bitand(x, 0x8000_0000), x)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.FLUSHED, _is_different(ar, value, v[0])


class Compare(MicroOperation):
    """1 where the comparison holds, else 0.

    With a type, the inputs are bit patterns of it; without, they are integers. With one
    input, the second is zero. Unordered comparisons hold where an input is NaN.
    """

    cmp: Cmp
    type: Type | None = None

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        if self.type is None:
            return _compare_ordered(self.cmp, ar, *v)
        if not self.type.is_float:
            read = [ar.cast(x, self.type.bits, self.type.signed) for x in v]
            return _compare_ordered(self.cmp, ar, *read)
        nan = _is_any_nan(ar, v, self.type.bits)
        if self.cmp is Cmp.NAN:
            return nan
        if self.cmp is Cmp.NUM:
            return ar.equal(nan, 0)
        holds = _compare_ordered(self.cmp, ar, *(_order_float(ar, x, self.type.bits) for x in v))
        if self.cmp in UNORDERED:
            return ar.maximum(holds, nan)
        return ar.minimum(holds, ar.equal(nan, 0))

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        if self.type is not None and self.type.is_float:
            yield Flag.NAN, _is_any_nan(ar, v, self.type.bits)


UNORDERED = frozenset((Cmp.EQU, Cmp.NEU, Cmp.LTU, Cmp.LEU, Cmp.GTU, Cmp.GEU))
RELATIONS = {
    Cmp.LO: Cmp.LT,
    Cmp.LS: Cmp.LE,
    Cmp.HI: Cmp.GT,
    Cmp.HS: Cmp.GE,
    **{cmp: Cmp(cmp[:-1]) for cmp in UNORDERED},
}
"""The plain comparison behind an unsigned or unordered one."""


def _compare_ordered(cmp: Cmp, ar: Arithmetic[V], x: V, y: V | int = 0) -> V:
    match RELATIONS.get(cmp, cmp):
        case Cmp.EQ:
            return ar.equal(x, y)
        case Cmp.NE:
            return ar.equal(ar.equal(x, y), 0)
        case Cmp.LT:
            return ar.less(x, y)
        case Cmp.GE:
            return ar.equal(ar.less(x, y), 0)
        case Cmp.GT:
            return ar.equal(ar.maximum(ar.less(x, y), ar.equal(x, y)), 0)
        case _:
            return ar.maximum(ar.less(x, y), ar.equal(x, y))


def _get_magnitude_mask(bits: int) -> int:
    return (1 << (bits - 1)) - 1


def get_infinity(bits: int) -> int:
    """The pattern of plus infinity in binary32 or binary64."""
    return 0x7F80_0000 if bits == 32 else 0x7FF0_0000_0000_0000


def is_nan(ar: Arithmetic[V], x: V, bits: int) -> V:
    """1 where a binary32 or binary64 pattern is NaN."""
    return ar.equal(ar.less(ar.bitand(x, _get_magnitude_mask(bits)), get_infinity(bits) + 1), 0)


def _is_any_nan(ar: Arithmetic[V], v: Sequence[V], bits: int) -> V:
    nan = is_nan(ar, v[0], bits)
    for other in v[1:]:
        nan = ar.maximum(nan, is_nan(ar, other, bits))
    return nan


def _order_float(ar: Arithmetic[V], x: V, bits: int) -> V:
    """A float's pattern as an integer that compares as the number does; both zeros are 0."""
    magnitude = ar.bitand(x, _get_magnitude_mask(bits))
    negative = ar.equal(ar.less(x, 1 << (bits - 1)), 0)
    return ar.where(negative, ar.negative(magnitude), magnitude)


class Not(MicroOperation):
    """The opposite of a predicate."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.equal(v[0], 0)


class Combine(MicroOperation):
    """and, or, xor of two predicates."""

    boolop: BoolOp

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        if self.boolop is BoolOp.AND:
            return ar.minimum(*v)
        if self.boolop is BoolOp.OR:
            return ar.maximum(*v)
        return ar.equal(ar.equal(*v), 0)


class Choose(MicroOperation):
    """x where the condition is true, else y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.where(*v)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, 0, WHOLE)
        yield map_bits(inputs, 1 if get_lane(inputs[0], lane) else 2, lane, low, high)


class Encode(MicroOperation):
    """The pattern that stands for true, or 0."""

    true: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(v[0], self.true)
