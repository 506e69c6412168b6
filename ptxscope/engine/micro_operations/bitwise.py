"""The micro-operations on words: Boolean operators, complements, parts, magnitudes, patterns.

Others join words or their low bits, or take a word that spans two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..isa.encodings import format_hex, format_integer_type
from ..isa.types import WORD_BITS, BoolOp
from .arithmetic import Arithmetic, Inputs, V, get_lane
from .base import LaneView, MicroOperation, RowTrace, add_guard, find_row
from .counts import WordOperation
from .drawings import BitFate, BitField, FieldBits, FieldRuler
from .properties import (
    MAX_LANE_BITS,
    Flag,
    InputBits,
    LaneText,
    Notation,
    make_equation,
    make_transition,
    map_bits,
    name_operands,
)

_SIGNS = {BoolOp.AND: "&", BoolOp.OR: "|", BoolOp.XOR: "^"}
_SENTENCES = {
    BoolOp.AND: "A bit is 1 if the bits of {a} and {b} at its position are both 1.",
    BoolOp.OR: "A bit is 1 if the bit of {a} or of {b} at its position is 1.",
    BoolOp.XOR: "A bit is 1 if the bits of {a} and {b} at its position differ.",
}


@dataclass(frozen=True)
class CombineBits(WordOperation):
    """``and``, ``or`` or ``xor`` of two words, bit by bit."""

    boolop: BoolOp
    about = "Each bit of {d} is computed from the bits of {a} and {b} at its position."
    title = "bit by bit"
    has_passed_bits = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        functions = {BoolOp.AND: ar.bitand, BoolOp.OR: ar.bitor, BoolOp.XOR: ar.bitxor}
        return functions[self.boolop](*v)

    def fill_formula(self, *terms: object) -> str:
        return f"{terms[0]} {_SIGNS[self.boolop]} {terms[1]}"

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        return name_operands(_SENTENCES[self.boolop], rows[0].instruction)


@dataclass(frozen=True)
class InvertBits(WordOperation):
    """The complement of a word: each 0 becomes 1, each 1 becomes 0."""

    formula = "~{x}"
    about = "Each 0 of {a} becomes a 1, each 1 a 0."
    title = "invert"
    has_passed_bits = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.bitxor(v[0], (1 << self.bits) - 1)


@dataclass(frozen=True)
class ClearBits(WordOperation):
    """A word with some bits cleared (erratum E20)."""

    mask: int
    """The bits that stay."""
    formula = "{x} & {self.mask:#x}"
    about = "Bytes of {a} that copy a sign are taken for 0."
    title = "clear"
    has_passed_bits = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.bitand(v[0], self.mask)


@dataclass(frozen=True)
class TakeBits(MicroOperation):
    """Bits ``low`` to ``low + bits - 1`` of x as an unsigned number."""

    low: int
    bits: int
    title = "word"

    @property
    def place(self) -> str:
        """The range of the bits: ``63:32``, or ``32``."""
        top = self.low + self.bits - 1
        return str(top) if self.bits == 1 else f"{top}:{self.low}"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(ar.shift_right(v[0], self.low), self.bits, signed=False)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, self.low + low, self.low + min(high, self.bits))

    def fill_formula(self, *terms: object) -> str:
        text = str(terms[0])
        return f"{text if text.isidentifier() else f'({text})'}[{self.place}]"

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = str(view.value) if self.bits == 1 else format_hex(view.value, self.bits)
        formula = make_equation(f"{view.names[0]}[{self.place}]", bits)
        if self.bits == 1:
            return LaneText(formula, f"bit {self.place} of {view.x} is the carry, {bits}")
        return LaneText(formula, f"bits {self.place} of {view.x} are {bits}")

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(max(self.bits, 32), is_number=self.bits == 1)


@dataclass(frozen=True)
class Magnitude(MicroOperation):
    """|x| of a signed number of ``bits`` bits; the most negative number is unchanged."""

    bits: int
    formula = "|{x}|"
    about = "The magnitude of {a}; that of the most negative number wraps to itself."
    flag_text = "the magnitude wraps to itself"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(ar.absolute(v[0]), self.bits, signed=True)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, ar.less(value, 0)

    def describe_lane(self, view: LaneView) -> LaneText:
        formula = super().describe_lane(view).formula
        if view.value < 0:
            name = format_integer_type(True, self.bits)
            sentence = f"{view.x} is the most negative {name}: its magnitude wraps to itself"
            return LaneText(formula, sentence)
        return LaneText(formula, f"the magnitude of {view.x} is {view.value}")


@dataclass(frozen=True)
class ToBits(WordOperation):
    """The bit pattern of a number that fits in ``bits`` bits."""

    formula = "u{self.bits}({x})"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, signed=False)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = self.format_result(view)
        return LaneText(make_transition(view.x, bits), f"{view.x} in {self.bits} bits is {bits}")


# --- pairs of words ----------------------------------------------------------------------


class JoinWords(MicroOperation):
    """The number of 64 bits whose low word is x and whose high word is y."""

    formula = "{y}:{x}"
    notation = Notation(2 * WORD_BITS, is_number=False)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        low, high = v
        return ar.add(ar.multiply(high, 1 << WORD_BITS), low)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, WORD_BITS))
        yield map_bits(inputs, 1, lane, max(low - WORD_BITS, 0), high - WORD_BITS)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = format_hex(view.value, 2 * WORD_BITS)
        formula = make_equation(
            self.fill_formula(*(format_hex(x, WORD_BITS) for x in view.inputs)), bits
        )
        low, high = view.names
        return LaneText(formula, f"{high} above {low} is {bits}")


@dataclass(frozen=True)
class JoinFields(MicroOperation):
    """The low ``unit`` bits of x and of y, then as many bits of z as fit."""

    unit: int
    notation = Notation(WORD_BITS, is_number=False)
    has_text_figure = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        total, *others = (
            ar.cast(value, bits, signed=False)
            for value, bits in zip(v, self._list_widths(len(v)), strict=True)
        )
        for place, x in enumerate(others, 1):
            total = ar.add(total, ar.multiply(x, 1 << place * self.unit))
        return total

    def _list_widths(self, count: int) -> list[int]:
        """Return the width of the field of each input."""
        return [self.unit, self.unit, WORD_BITS - 2 * self.unit][:count]

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        for index, bits in enumerate(self._list_widths(len(inputs))):
            start = index * self.unit
            yield map_bits(inputs, index, lane, max(low - start, 0), min(high - start, bits))

    def format_symbols(self, row: RowTrace, lane: int | None) -> str:
        widths = self._list_widths(len(row.inputs))
        parts = [f"{x}[{bits - 1}:0]" for x, bits in zip(row.list_symbols(), widths, strict=True)]
        return ":".join(reversed(parts))

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        low, high, *rest = (x.destination for x in rows[0].inputs)
        above = f", and the low bits of {rest[0]} above both" if rest else ""
        place = f"the low {self.unit} bits of {low} are bits {self.unit - 1}:0"
        sentence = add_guard(f"{place} of the word, those of {high} are above{above}.", rows)
        return sentence[0].upper() + sentence[1:]

    def describe_lane(self, view: LaneView) -> LaneText:
        widths = self._list_widths(len(view.inputs))
        fields = [
            f"{value % (1 << bits):0{-(-bits // 4)}x}"
            for value, bits in zip(view.inputs, widths, strict=True)
        ]
        bits = format_hex(view.value, WORD_BITS)
        names = ", ".join(x.role for x in reversed(view.row.inputs))
        sentence = f"the fields {names} side by side are {bits}"
        return LaneText(make_transition(" ".join(reversed(fields)), bits), sentence)

    def make_figure(self, row: RowTrace) -> FieldBits:
        fields = (
            BitField(bits, BitFate.TAKEN, f"{operand.role}[{bits - 1}:0]", operand.role)
            for operand, bits in zip(row.inputs, self._list_widths(len(row.inputs)), strict=True)
        )
        return FieldBits((FieldRuler(None, tuple(fields)),))


class TakeWord(MicroOperation):
    """The word of x that begins at bit y."""

    formula = "{x}[{y}+31:{y}]"
    about = "A word of the pair {b}:{a}, from a bit up."
    title = "shift"
    has_chosen_bits = True
    has_passed_bits = True
    has_text_figure = True
    notation = Notation(WORD_BITS, is_number=False)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(ar.shift_right(*v), WORD_BITS, signed=False)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        start = get_lane(inputs[1], lane)
        yield map_bits(inputs, 0, lane, start + low, start + min(high, WORD_BITS))
        yield map_bits(inputs, 1, lane, 0, MAX_LANE_BITS)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        if find_row(rows, "start"):
            word, direction, start = "upper", "left", "32 - amount"
        else:
            word, direction, start = "lower", "right", "amount"
        text = f"The {word} word of the pair {{b}}:{{a}} shifted {direction} by the amount: "
        return name_operands(f"{text}from bit {start} up.", rows[0].instruction)

    def make_figure(self, row: RowTrace) -> FieldBits | None:
        pair, (start,) = row.inputs[0], row.inputs[1].values
        if len(pair.inputs) < 2:
            return None
        low_role, high_role = (x.role for x in pair.inputs)
        fields = (
            BitField(start, BitFate.OUTSIDE, role=low_role),
            BitField(WORD_BITS - start, BitFate.TAKEN, f"{low_role}[31:{start}]", low_role),
            BitField(start, BitFate.TAKEN, f"{high_role}[{start - 1}:0]", high_role),
            BitField(WORD_BITS - start, BitFate.OUTSIDE, role=high_role),
        )
        return FieldBits((FieldRuler(0, fields),), 1)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, top = format_hex(view.value, WORD_BITS), view.y + WORD_BITS - 1
        place = f"{view.names[0]}[{top}:{view.y}]"
        return LaneText(make_equation(place, bits), f"bits {top}:{view.y} of the pair are {bits}")
