"""The micro-operations on a pair of words: join them, take a word that spans both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..isa.value_text import format_hex
from .arithmetic import Arithmetic, Inputs, V, get_lane
from .base import PREVIOUS_RESULT, LaneView, MicroOperation, MutationSite, RowMutation, RowView
from .drawings import BitFate, BitField, FieldBits, FieldRuler
from .formula import make_equation
from .numbers import SubtractFrom
from .properties import MAX_LANE_BITS, InputBits, LaneText, Notation, map_bits
from .saturation import Wrap
from .shifts import ShiftLeft
from .step_words import find_row

_WORD = 32


class JoinWords(MicroOperation):
    """The number of 64 bits whose low word is x and whose high word is y."""

    formula = "{y}:{x}"
    notation = Notation(2 * _WORD, is_number=False)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        low, high = v
        return ar.add(ar.multiply(high, 1 << _WORD), low)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, _WORD))
        yield map_bits(inputs, 1, lane, max(low - _WORD, 0), high - _WORD)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = format_hex(view.value, 2 * _WORD)
        formula = make_equation(
            self.fill_formula(*(format_hex(x, _WORD) for x in view.inputs)), bits
        )
        low, high = view.names
        return LaneText(formula, f"{high} above {low} is {bits}")

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.swap_inputs("took a for the high word")


class TakeWord(MicroOperation):
    """The word of x that begins at bit y."""

    formula = "{x}[{y}+31:{y}]"
    about = "A word of the pair b:a, from a bit up."
    title = "shift"
    has_chosen_bits = True
    has_passed_bits = True
    notation = Notation(_WORD, is_number=False)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(ar.shift_right(*v), _WORD, signed=False)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        start = get_lane(inputs[1], lane)
        yield map_bits(inputs, 0, lane, start + low, start + min(high, _WORD))
        yield map_bits(inputs, 1, lane, 0, MAX_LANE_BITS)

    def describe_step(self, rows: Sequence[RowView]) -> str:
        if find_row(rows, "start"):
            return "The upper word of the pair b:a shifted left by c; it begins at bit 32 - c."
        return "The lower word of the pair b:a shifted right by c; it begins at bit c."

    def make_figure(self, row: RowView) -> FieldBits | None:
        pair, (start,) = row.inputs[0], row.inputs[1].values
        if len(pair.inputs) < 2:
            return None
        low_role, high_role = (x.role for x in pair.inputs)
        fields = (
            BitField(start, BitFate.OUTSIDE, role=low_role),
            BitField(_WORD - start, BitFate.TAKEN, f"{low_role}[31:{start}]", low_role),
            BitField(start, BitFate.TAKEN, f"{high_role}[{start - 1}:0]", high_role),
            BitField(_WORD - start, BitFate.OUTSIDE, role=high_role),
        )
        return FieldBits((FieldRuler(0, fields),), 1)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, top = format_hex(view.value, _WORD), view.y + _WORD - 1
        place = f"{view.names[0]}[{top}:{view.y}]"
        return LaneText(make_equation(place, bits), f"bits {top}:{view.y} of the pair are {bits}")

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        pair, start = site.inputs
        other_start = ((SubtractFrom(_WORD), (start,)), (self, (pair, PREVIOUS_RESULT)))
        yield RowMutation("shifted the other way", other_start, 0)
        a, b = (source.key for source in site.row.inputs[0].inputs)
        amounts = [source.key for source in site.row.inputs[1].inputs]
        if site.row.inputs[1].micro == SubtractFrom(_WORD):  # .l
            alone = ((ShiftLeft(), (b, *amounts)), (Wrap(_WORD, signed=False), (PREVIOUS_RESULT,)))
            yield RowMutation("shifted b alone, so that zeros came in", alone)
        else:
            yield RowMutation("shifted a alone, so that zeros came in", ((self, (a, start)),))
