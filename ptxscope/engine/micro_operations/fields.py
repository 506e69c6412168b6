"""The micro-operations on bit fields: limit, extend, read, insert, mask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..isa.encodings import format_bit_range, format_hex
from .arithmetic import Arithmetic, Inputs, V, fill, get_lane
from .base import LaneView, MicroOperation, RowTrace
from .counts import WordOperation
from .drawings import BitFate, BitField, FieldBits, FieldRuler, FigureDrawing
from .properties import MAX_LANE_BITS, InputBits, LaneText, make_equation, map_bits, name_operands
from .shifts import LimitAmount


class LimitField(LimitAmount):
    """The position or the length of a field: at most ``bits``, or modulo 32 with ``wrap``."""

    def describe_lane(self, view: LaneView) -> LaneText:
        text, name = MicroOperation.describe_lane(self, view), view.row.name
        if view.value == view.x:
            return text._replace(sentence=f"the {name} is {view.x}")
        if self.wrap:
            low_bits = f".wrap keeps the low five bits of the {name} {view.x}"
            return text._replace(sentence=f"{low_bits}: {view.value}")
        return text._replace(sentence=f"the {name} {view.x} is above {self.bits}: {self.bits}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        if self.wrap:
            return ".wrap keeps the low five bits of the position and the length."
        return f"The position and the length are at most {self.bits}."

    def make_figure(self, row: RowTrace) -> FigureDrawing | None:
        return None if row.values == row.inputs[0].values else super().make_figure(row)


@dataclass(frozen=True)
class ExtendField(MicroOperation):
    """Read the low y bits of x as a signed or unsigned number, for y from 0 to ``bits``."""

    bits: int
    signed: bool
    formula = "low {y:bits} of {x}"
    about = "As many low bits as the length says, sign- or zero-extended."
    title = "field"
    has_chosen_bits = True
    has_text_figure = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, length = v
        distance = ar.add(ar.negative(length), self.bits)
        top = ar.cast(ar.shift_left(x, distance), self.bits, self.signed)
        return ar.shift_right(top, distance)

    @property
    def extension(self) -> str:
        """The way to fill the bits above the field: ``sign-extended``."""
        return "sign-extended" if self.signed else "zero-extended"

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = format_hex(view.x % (1 << self.bits), self.bits)
        formula = make_equation(self.fill_formula(bits, view.y), view.value)
        if view.y == 0:
            return LaneText(formula, "a field of no bits is 0")
        noun = "bit" if view.y == 1 else f"{view.y} bits"
        return LaneText(formula, f"the low {noun} of {bits}, {self.extension}: {view.value}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        sentence = f"The low bits of {{a}}, as many as {{b}} says, are {self.extension}."
        return name_operands(sentence, rows[0].instruction)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterator[InputBits]:
        start, end = self.find_field_bits(low, high, 0, get_lane(inputs[1], lane))
        yield map_bits(inputs, 0, lane, start, end)
        yield map_bits(inputs, 1, lane, 0, MAX_LANE_BITS)

    def find_field_bits(self, low: int, high: int, position: int, length: int) -> tuple[int, int]:
        """Return the range of bits of x that bits low..high-1 of its field come from."""
        end = position + length
        if self.signed and length and high > length:  # copies of the sign too
            top = min(end, self.bits) - 1
            return min(position + low, top), max(min(position + high, end), top + 1)
        return position + low, min(position + high, end)

    def make_figure(self, row: RowTrace) -> FieldBits:
        return self.make_window(row, 0, row.inputs[1].values[0])

    def make_window(
        self, row: RowTrace, position: int, length: int, mover: int | None = None
    ) -> FieldBits:
        """Return the window over the first input, and its field."""
        fill_fate = BitFate.SIGN if self.signed else BitFate.ZERO
        role = row.inputs[0].role
        end = position + length
        inside = max(min(end, self.bits) - position, 0)
        label = "copies of the sign" if self.signed else "zeros"
        word = (
            BitField(position if inside else self.bits, BitFate.OUTSIDE),
            BitField(inside, BitFate.TAKEN, format_bit_range(position, inside), role),
            BitField(max(self.bits - end, 0) if inside else 0, BitFate.OUTSIDE),
            BitField(length - inside, fill_fate, label, role),
        )
        number = (
            BitField(inside, BitFate.TAKEN, format_bit_range(0, inside), role),
            BitField(length - inside, fill_fate, label, role),
            BitField(self.bits - length, fill_fate, self.extension)
            if length
            else BitField(self.bits, BitFate.ZERO),
        )
        return FieldBits((FieldRuler(0, word), FieldRuler(None, number)), mover)


@dataclass(frozen=True)
class ReadField(MicroOperation):
    """Read z bits of x, from bit y up, as a signed or unsigned number.

    y and z are from 0 to ``bits``. Above the highest bit, x has copies of its sign.
    """

    bits: int
    signed: bool
    formula = "{z:bits} of {x} from bit {y}"
    title = "field"
    has_chosen_bits = True
    has_text_figure = True

    @property
    def extension(self) -> ExtendField:
        """The micro-operation that reads the field after it is shifted to bit 0."""
        return ExtendField(self.bits, self.signed)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, position, length = v
        return self.extension.run(ar, ar.shift_right(x, position), length)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        position, length = (get_lane(x, lane) for x in inputs[1:])
        start, end = self.extension.find_field_bits(low, high, position, length)
        yield map_bits(inputs, 0, lane, start, end)
        yield from (map_bits(inputs, index, lane, 0, MAX_LANE_BITS) for index in (1, 2))

    def describe_lane(self, view: LaneView) -> LaneText:
        x, position, length = view.inputs
        bits = format_hex(x % (1 << self.bits), self.bits)
        formula = make_equation(self.fill_formula(bits, position, length), view.value)
        if length == 0:
            return LaneText(formula, "a field of no bits is 0")
        place = format_bit_range(position, length)
        sentence = f"{place} of {bits}, {self.extension.extension}: {view.value}"
        if position + length > self.bits:
            filling = "copies of its top bit" if self.signed else "zeros"
            sentence += f"; above bit {self.bits - 1}, there are {filling}"
        return LaneText(formula, sentence)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        sentence = (
            "The field of {a} begins at the position and has as many bits as the length says; it "
            f"is {self.extension.extension}."
        )
        return name_operands(sentence, rows[0].instruction)

    def make_figure(self, row: RowTrace) -> FieldBits:
        position, length = (x.values[0] for x in row.inputs[1:])
        return self.extension.make_window(row, position, length, 1)


class FoldField(MicroOperation):
    """-1, whatever the field is (erratum E15)."""

    formula = "-1"
    about = "The assembler knows position and length, and takes every bit of the result for a 1."
    title = "field"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return fill(ar, v[0], -1)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        return ()

    def describe_lane(self, view: LaneView) -> LaneText:
        return LaneText(make_equation("t", view.value), "the field is folded to -1: a is not read")


@dataclass(frozen=True)
class InsertField(WordOperation):
    """Replace a field of y, by its position and length, with low bits of x.

    Bits above ``bits`` are cut off. The position and the length are from 0 to ``bits``.
    """

    formula = "insert({x}, {y})"
    about = "As many low bits of {a} as the length says replace bits of {b} from the position up."
    title = "insert"
    has_chosen_bits = True
    has_text_figure = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, y, position, length = v
        read = ExtendField(self.bits, signed=False)
        end = ar.minimum(ar.add(position, length), self.bits)
        field = ar.shift_left(read.run(ar, x, length), position)
        above = ar.shift_left(ar.shift_right(y, end), end)
        below = read.run(ar, y, position)
        total = ar.add(ar.add(above, ar.cast(field, self.bits, signed=False)), below)
        return ar.cast(total, self.bits, signed=False)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        position, length = (get_lane(x, lane) for x in inputs[2:])
        end, high = min(position + length, self.bits), min(high, self.bits)
        yield map_bits(inputs, 0, lane, max(low - position, 0), min(high, end) - position)
        yield map_bits(inputs, 1, lane, low, min(high, position))
        yield map_bits(inputs, 1, lane, max(low, end), high)
        yield from (map_bits(inputs, index, lane, 0, MAX_LANE_BITS) for index in (2, 3))

    def describe_lane(self, view: LaneView) -> LaneText:
        x, y, position, length = view.inputs
        end = min(position + length, self.bits)
        result = self.format_result(view)
        texts = [format_hex(z, self.bits) for z in (x, y)]
        formula = make_equation(self.fill_formula(*texts), result)
        if end <= position:
            return LaneText(formula, f"the field has no bits: {result}")
        verb = "becomes" if end - position == 1 else "become"
        place = format_bit_range(position, end - position)
        return LaneText(
            formula, f"{place} of {texts[1]} {verb} the low bits of {texts[0]}: {result}"
        )

    def make_figure(self, row: RowTrace) -> FieldBits:
        position, length = (x.values[0] for x in row.inputs[2:])
        a, b = (x.role for x in row.inputs[:2])
        count = max(min(length, self.bits - position), 0)
        above = self.bits - position - count
        place = format_bit_range(position, count)
        source = (
            BitField(count, BitFate.TAKEN, format_bit_range(0, count), a),
            BitField(length - count, BitFate.LOST, f"above bit {self.bits - 1}: cut off"),
            BitField(self.bits - length, BitFate.OUTSIDE),
        )
        target = (
            BitField(position, BitFate.TAKEN, role=b),
            BitField(count, BitFate.LOST, f"{place}: replaced"),
            BitField(above, BitFate.TAKEN, role=b),
        )
        result = (
            BitField(position, BitFate.TAKEN, role=b),
            BitField(count, BitFate.TAKEN, place, a),
            BitField(above, BitFate.TAKEN, role=b),
        )
        rulers = (FieldRuler(0, source), FieldRuler(1, target), FieldRuler(None, result))
        return FieldBits(rulers, 2)


@dataclass(frozen=True)
class FieldMask(WordOperation):
    """A number y of ones, from bit x up; bits above ``bits`` are cut off."""

    formula = "{y:ones} from bit {x}"
    about = "As many ones as the length says, from the position up; the other bits are 0."
    title = "mask"
    has_passed_bits = True
    has_text_figure = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        position, length = v
        one = fill(ar, length, 1)
        ones = ar.subtract(ar.shift_left(one, length), one)
        return ar.cast(ar.shift_left(ones, position), self.bits, signed=False)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, expression = self.format_result(view), self.fill_formula(*view.inputs)
        return LaneText(make_equation(expression, bits), f"{expression} up: {bits}")

    def make_figure(self, row: RowTrace) -> FieldBits:
        position, length = (x.values[0] for x in row.inputs)
        count = max(min(length, self.bits - position), 0)
        fields = (
            BitField(position, BitFate.OUTSIDE),
            BitField(count, BitFate.TAKEN, format_bit_range(position, count)),
            BitField(self.bits - position - count, BitFate.OUTSIDE),
        )
        return FieldBits((FieldRuler(None, fields),), 0)
