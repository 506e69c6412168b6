"""The micro-operations, each written once over ``Arithmetic``.

Plans consist of them. They run on integers, on intervals and on arrays. Each class also knows its
lane count, its flags and the origin of its bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..isa.types import BoolOp, Cmp, Type
from .arithmetic import Arithmetic, LaneValues, Picks, V, normalise_magnitude
from .micro_operation import MAX_LANE_BITS, Flag, InputBits, MicroOperation, get_lane, map_bits


def _is_outside(ar: Arithmetic[V], x: V, bits: int, signed: bool) -> V:
    """Return 1 if an integer type does not hold x, else 0."""
    return _is_different(ar, x, ar.cast(x, bits, signed))


def _is_different(ar: Arithmetic[V], x: V, y: V) -> V:
    return ar.equal(ar.equal(x, y), 0)


def _map_read_bits(
    lane: int, low: int, high: int, inputs: tuple[LaneValues, ...], bits: int, signed: bool
) -> Iterator[InputBits]:
    """Yield the input bits behind bits low..high-1 of a number read from ``bits`` bits."""
    yield map_bits(inputs, 0, lane, low, min(high, bits))
    if signed and high > bits:
        yield map_bits(inputs, 0, lane, bits - 1, bits)


class Select(MicroOperation):
    """Pick bytes, half-words or whole words from registers."""

    unit: int
    picks: Picks

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.gather(v, self.unit, self.picks)

    def count_output_lanes(self, input_lanes: int) -> int:
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
    """The smaller of x and y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.minimum(*v)


class Maximum(MicroOperation):
    """The larger of x and y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.maximum(*v)


class Average(MicroOperation):
    """Half the sum, halves rounded away from zero."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        total = ar.add(*v)
        negative = ar.less(total, 0)
        return ar.shift_right(ar.subtract(ar.add(total, 1), negative), 1)


class LimitAmount(MicroOperation):
    """The shift distance: clamped to 32, or its low five bits with ``wrap``."""

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
    """Shift right by a fixed distance, rounding down."""

    amount: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_right(v[0], self.amount)


class Negate(MicroOperation):
    """-x: the complement plus one, exactly."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.negative(v[0])


class Magnitude(MicroOperation):
    """|x| of a signed number of ``bits`` bits; the most negative number is unchanged."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(ar.absolute(v[0]), self.bits, signed=True)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, ar.less(value, 0)


class ToBits(MicroOperation):
    """The bit pattern of a number that fits in ``bits`` bits."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, signed=False)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, self.bits))


class ToFloat(MicroOperation):
    """Convert an integer of at most 32 bits to a binary32 pattern, ties to even."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.float_bits(v[0])

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        top, _ = normalise_magnitude(ar, v[0])
        yield Flag.ROUNDED, _is_different(ar, ar.bitand(top, 0xFFFF_FF00), top)


class PlusOne(MicroOperation):
    """x + 1, the ``.po`` of ``vmad``."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(v[0], 1)


class Clamp(MicroOperation):
    """Clamp to low..high; None means no bound."""

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
    """Truncate to the low bits, read as a signed or unsigned number."""

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
    """Truncate to the low bits as a pattern; ``signed`` is how the destination reads them."""

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
    """Lanes of t truncated to the unit, the other lanes from c's word if one is an input."""

    unit: int
    lanes: tuple[int, ...]
    """The lanes that take t."""
    signed: bool
    """Whether the destination's lanes are signed."""
    high: bool = False
    """Take bits 31:16 of t instead of its low bits (erratum E1)."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        t, *c = v
        if self.high:
            t = ar.shift_right(ar.cast(t, 32, signed=False), 16)
        t = ar.cast(t, self.unit, signed=False)
        if not c:
            return t
        all_picks = tuple((0, lane) for lane in range(32 // self.unit))
        return ar.keep(t, ar.gather(c, self.unit, all_picks), self.lanes, self.unit)

    def count_output_lanes(self, input_lanes: int) -> int:
        return 32 // self.unit

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        """Yield the flag of the lanes that take t."""
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
            shift = 16 if self.high else 0
            yield map_bits(inputs, 0, lane, low + shift, stop + shift)
        else:
            start = self.unit * lane
            yield InputBits(1, 0, start + low, start + stop)


class Pack(MicroOperation):
    """Join lanes into a word."""

    unit: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.pack(v[0], self.unit)

    def count_output_lanes(self, input_lanes: int) -> int:
        return 1

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        for index in range(len(inputs[0])):
            start = self.unit * index
            yield InputBits(0, index, max(low - start, 0), min(high - start, self.unit))


class Accumulate(MicroOperation):
    """c plus the lanes of t in ``lanes``."""

    lanes: tuple[int, ...]
    input_lanes: int
    """The number of lanes of t."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        t, c = v
        return ar.add(ar.sum_lanes(t, self.lanes, self.input_lanes), c)

    def count_output_lanes(self, input_lanes: int) -> int:
        return 1

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield from (InputBits(0, index, 0, MAX_LANE_BITS) for index in self.lanes)
        yield InputBits(1, 0, 0, MAX_LANE_BITS)


class Flush(MicroOperation):
    """Flush subnormal binary32 patterns to zeros of the same sign."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        small = ar.less(ar.bitand(x, 0x7FFF_FFFF), 0x0080_0000)
        return ar.where(small, ar.bitand(x, 0x8000_0000), x)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.FLUSHED, _is_different(ar, value, v[0])


class Compare(MicroOperation):
    """1 if the comparison holds, else 0.

    With a type, the inputs are its bit patterns; without one, they are integers. A single input is
    compared with zero. Unordered comparisons hold if an input is NaN.
    """

    cmp: Cmp
    type: Type | None = None

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        if self.type is None:
            return _compare_ordered(self.cmp, ar, *v)
        if not self.type.is_float:
            numbers = [ar.cast(x, self.type.bits, self.type.signed) for x in v]
            return _compare_ordered(self.cmp, ar, *numbers)
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
"""The simple comparison behind an unsigned or unordered one."""


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
    """Return the pattern of plus infinity in binary32 or binary64."""
    return 0x7F80_0000 if bits == 32 else 0x7FF0_0000_0000_0000


def is_nan(ar: Arithmetic[V], x: V, bits: int) -> V:
    """Return 1 if a binary32 or binary64 pattern is NaN, else 0."""
    return ar.equal(ar.less(ar.bitand(x, _get_magnitude_mask(bits)), get_infinity(bits) + 1), 0)


def _is_any_nan(ar: Arithmetic[V], v: Sequence[V], bits: int) -> V:
    nan = is_nan(ar, v[0], bits)
    for x in v[1:]:
        nan = ar.maximum(nan, is_nan(ar, x, bits))
    return nan


def _order_float(ar: Arithmetic[V], x: V, bits: int) -> V:
    """Map a float's pattern to an integer that compares as the number does; both zeros become 0."""
    magnitude = ar.bitand(x, _get_magnitude_mask(bits))
    negative = ar.equal(ar.less(x, 1 << (bits - 1)), 0)
    return ar.where(negative, ar.negative(magnitude), magnitude)


class Not(MicroOperation):
    """The negation of a predicate."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.equal(v[0], 0)


class Combine(MicroOperation):
    """``and``, ``or`` or ``xor`` of two predicates."""

    boolop: BoolOp

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        if self.boolop is BoolOp.AND:
            return ar.minimum(*v)
        if self.boolop is BoolOp.OR:
            return ar.maximum(*v)
        return ar.equal(ar.equal(*v), 0)


class Choose(MicroOperation):
    """x if the condition is true, else y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.where(*v)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, 0, MAX_LANE_BITS)
        yield map_bits(inputs, 1 if get_lane(inputs[0], lane) else 2, lane, low, high)


class Encode(MicroOperation):
    """The pattern that stands for true, or 0."""

    true: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(v[0], self.true)
