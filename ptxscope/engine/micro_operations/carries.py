"""The micro-operation on the words and carries of long sums and products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..isa.value_text import format_hex
from .arithmetic import Arithmetic, Inputs, V
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowView
from .formula import make_equation
from .properties import InputBits, LaneText, Notation, map_bits


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

    def get_notation(self, row: RowView) -> Notation:
        return Notation(max(self.bits, 32), is_number=self.bits == 1)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        if self.bits > 1:
            other = TakeBits(0 if self.low else self.bits, self.bits)
            yield site.replace_operation("took the other word", other, weight=0)
