"""The micro-operations that count or search the bits of a number, and reverse them.

Operations that return bits, not a number, share a base class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..isa.encodings import format_bit_range, format_hex
from ..isa.types import WORD_BITS
from .arithmetic import Arithmetic, Inputs, V, fill
from .base import LaneView, MicroOperation, RowTrace
from .drawings import BitFate, BitField, FieldBits, FieldRuler
from .properties import (
    InputBits,
    InstructionView,
    LaneText,
    Notation,
    format_short_name,
    make_equation,
    make_transition,
    map_bits,
)


@dataclass(frozen=True)
class WordOperation(MicroOperation):
    """A function of words of ``bits`` bits whose output is bits, not a number.

    By default, each bit of the output depends on the bits of the inputs at its position.
    """

    bits: int

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        return (
            map_bits(inputs, index, lane, low, min(high, self.bits)) for index in range(len(inputs))
        )

    def describe_lane(self, view: LaneView) -> LaneText:
        terms, result = [format_hex(x, self.bits) for x in view.inputs], self.format_result(view)
        sentence = f"{self.fill_formula(*view.names)} is {result}"
        return LaneText(make_equation(self.fill_formula(*terms), result), sentence)

    def format_result(self, view: LaneView) -> str:
        """Return the bits of the output of a lane."""
        return format_hex(view.value, self.bits)

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.bits, is_number=False)


def describe_found_bit(ins: InstructionView) -> str:
    """Describe the bit that ``bfind`` finds: ``the highest 1 of a (all ones if there is none)``."""
    a, type_ = format_short_name(ins, "a"), ins.form.stype
    is_signed = type_ is not None and type_.signed
    bit = f"the highest 0 of {a} if {a} is negative, else its highest 1"
    return f"{bit if is_signed else f'the highest 1 of {a}'} (all ones if there is none)"


@dataclass(frozen=True)
class SubtractFrom(MicroOperation):
    """A constant minus x."""

    constant: int
    formula = "{self.constant} - {x:()}"
    about = "The number subtracted from a constant."
    title = "subtract"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(ar.negative(v[0]), self.constant)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        about = describe_found_bit(rows[0].instruction)
        return f"The position of {about}: {self.constant} less the number of zeros above it."


@dataclass(frozen=True)
class ReverseBits(WordOperation):
    """The bits of x in reverse order."""

    unit: int = 1
    """Number of bits that stay together; more than one is a mistake."""
    formula = "reverse({x})"
    about = "The bits of {a} in reverse order: bit 0 becomes the highest."
    title = "reverse"
    has_passed_bits = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        for distance in _list_distances(self.bits):
            if distance < self.unit:
                break
            low_parts = _make_stripes(self.bits, distance)
            low = ar.multiply(ar.bitand(x, low_parts), 1 << distance)
            x = ar.add(low, ar.bitand(ar.shift_right(x, distance), low_parts))
        return x

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, max(self.bits - high, 0), self.bits - low)

    def describe_lane(self, view: LaneView) -> LaneText:
        formula = super().describe_lane(view).formula
        return LaneText(formula, f"{formula.left} is {formula.right}")

    def make_figure(self, row: RowTrace) -> FieldBits:
        role = row.inputs[0].role
        places = [(low, low + _BYTE - 1) for low in range(0, self.bits, _BYTE)]
        source = [BitField(_BYTE, BitFate.TAKEN, f"{high}:{low}", role) for low, high in places]
        result = [
            BitField(_BYTE, BitFate.TAKEN, f"{role}[{low}:{high}]", role) for low, high in places
        ]
        return FieldBits((FieldRuler(0, tuple(source)), FieldRuler(None, tuple(result[::-1]))))


@dataclass(frozen=True)
class CountOnes(MicroOperation):
    """The number of ones in x."""

    bits: int
    formula = "ones in {x}"
    about = "The number of ones in {a}."
    title = "count"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        for distance in reversed(_list_distances(self.bits)):  # sums of 2, 4, 8, … bits
            low_parts = _make_stripes(self.bits, distance)
            x = ar.add(ar.bitand(x, low_parts), ar.bitand(ar.shift_right(x, distance), low_parts))
        return x

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = format_hex(view.x, self.bits)
        noun = "one" if view.value == 1 else "ones"
        formula = make_equation(self.fill_formula(bits), view.value)
        return LaneText(formula, f"{bits} has {view.value} {noun}")

    def make_figure(self, row: RowTrace) -> FieldBits:
        (source,) = row.inputs
        counts = [
            (source.values[0] >> low & _DIGIT_MASK).bit_count() for low in range(0, self.bits, 4)
        ]
        fields = (
            BitField(4, BitFate.TAKEN if count else BitFate.OUTSIDE, str(count), source.role)
            for count in counts
        )
        return FieldBits((FieldRuler(0, tuple(fields)),))


@dataclass(frozen=True)
class CountLeadingZeros(MicroOperation):
    """The number of zeros above the highest 1 of x; ``bits`` if there is none."""

    bits: int
    formula = "zeros above {x}"
    about = "The number of zeros above the highest 1; the width if there is none."
    title = "count"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        count = ar.equal(x, 0)
        for distance in _list_distances(self.bits):
            room = self.bits - distance
            is_low = ar.less(x, 1 << room)
            raised = ar.multiply(ar.bitand(x, (1 << room) - 1), 1 << distance)
            x = ar.where(is_low, raised, x)
            count = ar.add(count, ar.multiply(is_low, distance))
        return count

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = format_hex(view.x, self.bits)
        formula = make_equation(self.fill_formula(bits), view.value)
        if view.x == 0:
            return LaneText(formula, f"{bits} has no 1, so all {self.bits} bits count")
        noun = "zero" if view.value == 1 else "zeros"
        return LaneText(formula, f"{bits} has {view.value} {noun} above its highest 1")

    def make_figure(self, row: RowTrace) -> FieldBits:
        (source,) = row.inputs
        top, (count,) = source.values[0].bit_length(), row.values
        noun = "zero" if count == 1 else "zeros"
        fields = (
            BitField(max(top - 1, 0), BitFate.OUTSIDE),
            BitField(min(top, 1), BitFate.TAKEN, f"bit {top - 1}", source.role),
            BitField(count, BitFate.TAKEN, f"{count} {noun}"),
        )
        return FieldBits((FieldRuler(0, fields),))


@dataclass(frozen=True)
class InvertNegative(MicroOperation):
    """x, or ~x if x is negative: its highest 1 is the highest bit that differs from the sign."""

    bits: int
    formula = "max({x}, ~{x:()})"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        larger = ar.maximum(x, ar.add(ar.negative(x), -1))
        return ar.cast(larger, self.bits, signed=False)

    def describe_lane(self, view: LaneView) -> LaneText:
        text = super().describe_lane(view)
        if view.x >= 0:
            return text._replace(sentence=f"{view.x} is not negative: unchanged")
        sentence = f"{view.x} is negative, so its bits are inverted: {view.value}"
        return text._replace(sentence=sentence)


@dataclass(frozen=True)
class ReplaceValue(MicroOperation):
    """x, or another constant if x is one constant."""

    old: int
    new: int
    formula = "{x}"
    about = "The number, but all ones if no bit was found."
    title = "amount"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.where(ar.equal(v[0], self.old), fill(ar, v[0], self.new), v[0])

    def describe_lane(self, view: LaneView) -> LaneText:
        if view.x == self.old:
            sentence = f"no bit differs from the sign, so {view.x} becomes {view.value}"
            return LaneText(make_transition("none found", str(view.value)), sentence)
        sentence = f"a shift by {view.x} brings that bit to the top"
        return LaneText(make_equation("zeros", view.value), sentence)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        return f"The left shift that brings {describe_found_bit(rows[0].instruction)} to the top."


@dataclass(frozen=True)
class FindNthOne(MicroOperation):
    """The position of the z-th 1 of x from bit y on, upwards or, for a negative z, downwards.

    With z = 0 it is y if that bit is 1. The result is -1 if there is none, or if y is above 31.
    """

    overflows: bool = False
    """Whether z = -2**31 yields 0 (erratum E17)."""
    formula = "one {z} of {x} from bit {y}"
    about = (
        "The offset {c} counts ones of {a} from bit {b} on: upwards if positive, downwards if "
        "negative. The result is the position of the last one; for an offset of 0 it is {b}, if "
        "bit {b} is a 1. It is all ones if there is none."
    )
    title = "find"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, start, offset = v
        result = fill(ar, x, -1)
        bits = [ar.bitand(ar.shift_right(x, index), 1) for index in range(WORD_BITS)]
        up = down = fill(ar, x, 0)
        for index in range(WORD_BITS):
            is_after = ar.equal(ar.less(start, index + 1), 1)
            up = ar.add(up, ar.minimum(bits[index], is_after))
            is_hit = ar.minimum(ar.minimum(bits[index], is_after), ar.equal(up, offset))
            result = ar.where(is_hit, fill(ar, x, index), result)
        count = ar.negative(offset)
        for index in reversed(range(WORD_BITS)):
            is_before = ar.minimum(ar.equal(ar.less(start, index), 0), ar.less(start, WORD_BITS))
            down = ar.add(down, ar.minimum(bits[index], is_before))
            is_hit = ar.minimum(ar.minimum(bits[index], is_before), ar.equal(down, count))
            result = ar.where(is_hit, fill(ar, x, index), result)
            is_start = ar.minimum(ar.equal(start, index), ar.equal(offset, 0))
            result = ar.where(ar.minimum(bits[index], is_start), fill(ar, x, index), result)
        if self.overflows:
            result = ar.where(ar.equal(offset, _MIN_OFFSET), fill(ar, x, 0), result)
        return result

    def _is_overflow(self, offset: int) -> bool:
        """Whether the offset yields 0 by the erratum: no 1 is found."""
        return self.overflows and offset == _MIN_OFFSET

    def describe_lane(self, view: LaneView) -> LaneText:
        x, start, offset = view.inputs
        bits = format_hex(x, WORD_BITS)
        wanted = f"{_format_ordinal(abs(offset))} one of {bits} from bit {start}"
        wanted += " downwards" if offset < 0 else " upwards"
        if offset == 0:
            wanted = f"bit {start} of {bits} if it is a 1"
        formula = make_equation(wanted, view.value)
        if self._is_overflow(offset):
            formula = make_transition(f"offset {offset}", str(view.value))
            return LaneText(formula, f"{offset} has no magnitude in 32 bits: the result is 0")
        if view.value < 0:
            return LaneText(formula, f"{bits} has no such 1: the result is all ones")
        if offset == 0:
            sentence = f"bit {start} of {bits} is a 1, and an offset of 0 asks for no other"
            return LaneText(formula, sentence)
        return LaneText(formula, f"the {wanted} is bit {view.value}")

    def make_figure(self, row: RowTrace) -> FieldBits:
        source, base, offset = row.inputs
        (start,), (value,), (count,) = base.values, row.values, offset.values
        is_found = value >= 0 and not self._is_overflow(count)
        last = WORD_BITS - 1 if count > 0 else 0 if count < 0 else start
        low, high = sorted((start, value if is_found else last))
        if start >= WORD_BITS:
            low, high = WORD_BITS, WORD_BITS - 1  # no bit is searched
        ones = (source.values[0] >> low & (1 << high + 1 - low) - 1).bit_count()
        label = f"{format_bit_range(low, high + 1 - low)}: {ones} one{'s' * (ones != 1)}"
        fields = (
            BitField(low, BitFate.OUTSIDE),
            BitField(high + 1 - low, BitFate.TAKEN, label, source.role),
            BitField(WORD_BITS - 1 - high, BitFate.OUTSIDE),
        )
        return FieldBits((FieldRuler(0, fields),))


_MIN_OFFSET = -(1 << 31)
_BYTE = 8
_DIGIT_MASK = 0xF


def _format_ordinal(number: int) -> str:
    """Return ``1st``, ``2nd``, ``11th``."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _list_distances(bits: int) -> list[int]:
    """Return half the width, a quarter, …, 1."""
    return [bits >> exponent for exponent in range(1, bits.bit_length())]


def _make_stripes(bits: int, width: int) -> int:
    """Return a mask of stripes of ``width`` bits, ones at the bottom: 0x0f0f0f0f for 4 of 32."""
    return sum(((1 << width) - 1) << start for start in range(0, bits, 2 * width))
