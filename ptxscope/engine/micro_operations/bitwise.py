"""The micro-operations on words: Boolean operators, complements, parts, magnitudes, patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..isa.types import BoolOp
from ..isa.value_text import format_hex, format_integer_type
from .arithmetic import Arithmetic, Inputs, V
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowTrace
from .properties import (
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
class CombineBits(MicroOperation):
    """``and``, ``or`` or ``xor`` of two words of ``bits`` bits, bit by bit."""

    bits: int
    boolop: BoolOp
    about = "Each bit of {d} is computed from the bits of {a} and {b} at its position."
    title = "bit by bit"
    has_passed_bits = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        functions = {BoolOp.AND: ar.bitand, BoolOp.OR: ar.bitor, BoolOp.XOR: ar.bitxor}
        return functions[self.boolop](*v)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        return (map_bits(inputs, index, lane, low, min(high, self.bits)) for index in range(2))

    def fill_formula(self, *terms: object) -> str:
        return f"{terms[0]} {_SIGNS[self.boolop]} {terms[1]}"

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_word(self, self.bits, view)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        return name_operands(_SENTENCES[self.boolop], rows[0].instruction)

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.bits, is_number=False)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        for boolop in BoolOp:
            if boolop is not self.boolop:
                yield site.replace_operation(
                    f"combined the bits with {boolop}", CombineBits(self.bits, boolop)
                )


@dataclass(frozen=True)
class InvertBits(MicroOperation):
    """The complement of a word of ``bits`` bits: each 0 becomes 1, each 1 becomes 0."""

    bits: int
    formula = "~{x}"
    about = "Each 0 of {a} becomes a 1, each 1 a 0."
    title = "invert"
    has_passed_bits = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.bitxor(v[0], (1 << self.bits) - 1)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, self.bits))

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_word(self, self.bits, view)

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.bits, is_number=False)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("did not invert the bits")


def _describe_word(micro: MicroOperation, bits: int, view: LaneView) -> LaneText:
    """Return the formula and the sentence of a function of words."""
    terms, result = [format_hex(x, bits) for x in view.inputs], format_hex(view.value, bits)
    sentence = f"{micro.fill_formula(*view.names)} is {result}"
    return LaneText(make_equation(micro.fill_formula(*terms), result), sentence)


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

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        if self.bits > 1:
            other = TakeBits(0 if self.low else self.bits, self.bits)
            yield site.replace_operation("took the other word", other, cost=0)


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
class ToBits(MicroOperation):
    """The bit pattern of a number that fits in ``bits`` bits."""

    bits: int
    formula = "u{self.bits}({x})"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, signed=False)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, self.bits))

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = format_hex(view.value, self.bits)
        return LaneText(make_transition(view.x, bits), f"{view.x} in {self.bits} bits is {bits}")

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.bits, is_number=False)
