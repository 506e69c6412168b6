"""The micro-operations on bits: permutations, truth tables, fields, counts (9.7.1, 9.7.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..isa.truth_tables import Formula, find_formulas
from ..isa.types import PermuteMode
from .arithmetic import Arithmetic, LaneValues, Picks, V
from .micro_operation import InputBits, MicroOperation, map_bits

_BYTES = 4
_WORD_BYTES = 8
"""The bytes that ``prmt`` permutes: a's are 0 to 3, b's are 4 to 7."""


def _make_picks(bytes_: Iterable[int]) -> Picks:
    """Return the picks of bytes numbered from a's lowest to b's highest."""
    return tuple((index // _BYTES, index % _BYTES) for index in bytes_)


class SelectDigits(MicroOperation):
    """The low four hexadecimal digits of x, one in each lane."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        digits = ar.gather((ar.bitand(x, 15),), 8, ((0, 0),) * _BYTES)
        for lane in range(1, _BYTES):
            digit = ar.bitand(ar.shift_right(x, 4 * lane), 15)
            digits = ar.keep(digit, digits, (lane,), 8)
        return digits

    def count_output_lanes(self, input_lanes: int) -> int:
        return _BYTES

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield InputBits(0, 0, 4 * lane + low, 4 * lane + min(high, 4))


class PermuteBytes(MicroOperation):
    """Pick a byte of a or b by each digit of a selector; bit 3 repeats the byte's top bit."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        digits, *words = v
        index = ar.bitand(digits, 7)
        value = ar.gather(words, 8, _make_picks([0] * _BYTES))
        for number in range(1, _WORD_BYTES):
            byte = ar.gather(words, 8, _make_picks([number] * _BYTES))
            value = ar.where(ar.equal(index, number), byte, value)
        sign = ar.multiply(ar.equal(ar.less(value, 128), 0), 255)
        return ar.where(ar.less(digits, 8), value, sign)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        digit = inputs[0][lane]
        word, start = 1 + digit % 8 // _BYTES, 8 * (digit % _BYTES)
        yield InputBits(0, lane, 0, 4)
        if digit < 8:
            yield InputBits(word, 0, start + low, start + min(high, 8))
        else:
            yield InputBits(word, 0, start + 7, start + 8)


class PermuteByMode(MicroOperation):
    """Arrange four bytes of a and b by a mode and a number from 0 to 3."""

    mode: PermuteMode

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        number, *words = v
        value = ar.gather(words, 8, _make_picks(self.list_bytes(0)))
        wide_number = ar.gather((number,), 8, ((0, 0),) * _BYTES)
        for n in range(1, 4):
            arrangement = ar.gather(words, 8, _make_picks(self.list_bytes(n)))
            value = ar.where(ar.equal(wide_number, n), arrangement, value)
        return value

    def list_bytes(self, n: int) -> list[int]:
        """Return the number of the byte that each lane takes, lane 0 first."""
        return [_PERMUTATIONS[self.mode](n, lane) for lane in range(_BYTES)]

    def count_output_lanes(self, input_lanes: int) -> int:
        return _BYTES

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        ((word, index),) = _make_picks(self.list_bytes(inputs[0][0])[lane : lane + 1])
        yield InputBits(0, 0, 0, 2)
        yield InputBits(1 + word, 0, 8 * index + low, 8 * index + min(high, 8))


_PERMUTATIONS: dict[PermuteMode, Callable[[int, int], int]] = {
    PermuteMode.F4E: lambda n, i: n + i,
    PermuteMode.B4E: lambda n, i: (n - i) % 8,
    PermuteMode.RC8: lambda n, _: n,
    PermuteMode.ECL: lambda n, i: max(i, n),
    PermuteMode.ECR: lambda n, i: min(i, n),
    PermuteMode.RC16: lambda n, i: n % 2 * 2 + i % 2,
}
"""The byte of a and b that lane i takes, by mode, for a number n."""


class EvaluateTable(MicroOperation):
    """Look each triple of bits up in a truth table: bit 4x + 2y + z of it is the result."""

    table: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        names = dict(zip("abc", v, strict=True))
        return _evaluate_formula(ar, find_formulas()[self.table], names)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        return (map_bits(inputs, index, lane, low, min(high, 32)) for index in range(3))


def _evaluate_formula(ar: Arithmetic[V], formula: Formula, names: Mapping[str, V]) -> V:
    """Evaluate a formula on words."""
    sign = formula.operator
    if sign in names:
        return names[sign]
    if sign in "01":
        return fill(ar, names["a"], (1 << 32) - 1 if sign == "1" else 0)
    x, *y = (_evaluate_formula(ar, operand, names) for operand in formula.operands)
    if sign == "~":
        return ar.bitxor(x, (1 << 32) - 1)
    return {"&": ar.bitand, "|": ar.bitor, "^": ar.bitxor}[sign](x, *y)


class ExtendField(MicroOperation):
    """Read the low y bits of x as a signed or unsigned number, for y from 0 to ``bits``."""

    bits: int
    signed: bool

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, length = v
        distance = ar.add(ar.negative(length), self.bits)
        top = ar.cast(ar.shift_left(x, distance), self.bits, self.signed)
        return ar.shift_right(top, distance)


class InsertField(MicroOperation):
    """Replace bits of y, from a position up, by as many low bits of x as a length says.

    Bits above ``bits`` are cut off. The position and the length are from 0 to ``bits``.
    """

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, y, position, length = v
        read = ExtendField(self.bits, signed=False)
        end = ar.minimum(ar.add(position, length), self.bits)
        field = ar.shift_left(read.run(ar, x, length), position)
        above = ar.shift_left(ar.shift_right(y, end), end)
        below = read.run(ar, y, position)
        total = ar.add(ar.add(above, ar.cast(field, self.bits, signed=False)), below)
        return ar.cast(total, self.bits, signed=False)


class FieldMask(MicroOperation):
    """As many ones as y says, from bit x up; bits above ``bits`` are cut off."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        position, length = v
        one = fill(ar, length, 1)
        ones = ar.subtract(ar.shift_left(one, length), one)
        return ar.cast(ar.shift_left(ones, position), self.bits, signed=False)


class JoinWords(MicroOperation):
    """The number of 64 bits whose low word is x and whose high word is y."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        low, high = v
        return ar.add(ar.multiply(high, 1 << 32), low)

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, 32))
        yield map_bits(inputs, 1, lane, max(low - 32, 0), high - 32)


class SubtractFrom(MicroOperation):
    """A constant minus x."""

    constant: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(ar.negative(v[0]), self.constant)


class ReverseBits(MicroOperation):
    """The bits of x in reverse order."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        for distance in _list_distances(self.bits):
            low_parts = _make_stripes(self.bits, distance)
            low = ar.multiply(ar.bitand(x, low_parts), 1 << distance)
            x = ar.add(low, ar.bitand(ar.shift_right(x, distance), low_parts))
        return x

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, max(self.bits - high, 0), self.bits - low)


class CountOnes(MicroOperation):
    """The number of ones in x."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        for distance in reversed(_list_distances(self.bits)):  # sums of 2, 4, 8, … bits
            low_parts = _make_stripes(self.bits, distance)
            x = ar.add(ar.bitand(x, low_parts), ar.bitand(ar.shift_right(x, distance), low_parts))
        return x


class CountLeadingZeros(MicroOperation):
    """The number of zeros above the highest 1 of x; ``bits`` if there is none."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        count = ar.equal(x, 0)
        for distance in _list_distances(self.bits):
            is_low = ar.less(x, 1 << (self.bits - distance))
            x = ar.where(
                is_low,
                ar.multiply(ar.bitand(x, (1 << (self.bits - distance)) - 1), 1 << distance),
                x,
            )
            count = ar.add(count, ar.multiply(is_low, distance))
        return count


class InvertNegative(MicroOperation):
    """x, or ~x if x is negative: its highest 1 is the highest bit that differs from the sign."""

    bits: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        larger = ar.maximum(x, ar.add(ar.negative(x), -1))
        return ar.cast(larger, self.bits, signed=False)


class ReplaceValue(MicroOperation):
    """x, or another constant if x is one constant."""

    old: int
    new: int

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.where(ar.equal(v[0], self.old), fill(ar, v[0], self.new), v[0])


class FindNthOne(MicroOperation):
    """The position of the z-th 1 of x from bit y on, upwards or, for a negative z, downwards.

    With z = 0 it is y if that bit is 1. The result is -1 if there is none, or if y is above 31.
    """

    overflows: bool = False
    """Whether z = -2**31 yields 0 (erratum E17)."""

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, start, offset = v
        result = fill(ar, x, -1)
        bits = [ar.bitand(ar.shift_right(x, index), 1) for index in range(32)]
        up = down = fill(ar, x, 0)
        for index in range(32):
            is_after = ar.equal(ar.less(start, index + 1), 1)
            up = ar.add(up, ar.minimum(bits[index], is_after))
            is_hit = ar.minimum(ar.minimum(bits[index], is_after), ar.equal(up, offset))
            result = ar.where(is_hit, fill(ar, x, index), result)
        wanted = ar.negative(offset)
        for index in reversed(range(32)):
            is_before = ar.minimum(ar.equal(ar.less(start, index), 0), ar.less(start, 32))
            down = ar.add(down, ar.minimum(bits[index], is_before))
            is_hit = ar.minimum(ar.minimum(bits[index], is_before), ar.equal(down, wanted))
            result = ar.where(is_hit, fill(ar, x, index), result)
            is_start = ar.minimum(ar.equal(start, index), ar.equal(offset, 0))
            result = ar.where(ar.minimum(bits[index], is_start), fill(ar, x, index), result)
        if self.overflows:
            result = ar.where(ar.equal(offset, -(1 << 31)), fill(ar, x, 0), result)
        return result


def fill(ar: Arithmetic[V], x: V, value: int) -> V:
    """Return a vector like x with one value in every lane."""
    return ar.add(ar.multiply(x, 0), value)


def _list_distances(bits: int) -> list[int]:
    """Return half the width, a quarter, …, 1."""
    return [bits >> exponent for exponent in range(1, bits.bit_length())]


def _make_stripes(bits: int, width: int) -> int:
    """Return a mask of stripes of ``width`` bits, ones at the bottom: 0x0f0f0f0f for 4 of 32."""
    return sum(((1 << width) - 1) << start for start in range(0, bits, 2 * width))
