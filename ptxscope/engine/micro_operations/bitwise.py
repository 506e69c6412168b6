"""The micro-operations on the bits of words: Boolean operators, complements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..isa.types import BoolOp
from ..isa.value_text import format_hex
from .arithmetic import Arithmetic, Inputs, V
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowTrace
from .formula import make_equation
from .instruction_view import name_operands
from .properties import InputBits, LaneText, Notation, map_bits

_SIGNS = {BoolOp.AND: "&", BoolOp.OR: "|", BoolOp.XOR: "^"}
_SENTENCES = {
    BoolOp.AND: "A bit is 1 if the bits of {a} and {b} at its place are both 1.",
    BoolOp.OR: "A bit is 1 if the bit of {a} or of {b} at its place is 1.",
    BoolOp.XOR: "A bit is 1 if the bits of {a} and {b} at its place differ.",
}


@dataclass(frozen=True)
class CombineBits(MicroOperation):
    """``and``, ``or`` or ``xor`` of two words of ``bits`` bits, bit by bit."""

    bits: int
    boolop: BoolOp
    about = "Each bit of {d} is made of the bits of {a} and {b} at its place."
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
