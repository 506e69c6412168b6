"""The micro-operations on words: those of long sums and products, magnitudes, bit patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..isa.value_text import format_hex, format_integer_type
from .arithmetic import Arithmetic, Inputs, V
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowTrace
from .formula import make_equation, make_transition
from .properties import Flag, InputBits, LaneText, Notation, map_bits


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
            yield site.replace_operation("took the other word", other, weight=0)


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
