"""The micro-operations on binary32 patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..isa.floats import decode_float, format_float
from ..isa.types import Type
from ..isa.value_text import format_hex
from .arithmetic import Arithmetic, V, is_different, normalise_magnitude
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowView
from .drawings import ConversionCell, FloatBits, FlushedBits, PatternCell
from .formula import make_equation
from .logic import Encode
from .properties import Flag, Idleness, LaneText, Notation


class ToFloat(MicroOperation):
    """Convert an integer of at most 32 bits to a binary32 pattern, ties to even."""

    formula = "float({x})"
    flag_text = "rounded to 24 significant bits"
    cell = ConversionCell()
    figure = FloatBits()
    notation = Notation(32, is_number=False, type=Type.F32)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.float_bits(v[0])

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        top, _ = normalise_magnitude(ar, v[0])
        yield Flag.ROUNDED, is_different(ar, ar.bitand(top, 0xFFFF_FF00), top)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, number = format_hex(view.value, 32), decode_float(view.value, 32)
        rounded = "" if number == view.x else f", {view.x} rounded to 24 significant bits"
        sentence = f"{view.x} as a float is {bits} ({number:.1f}{rounded})"
        return LaneText(make_equation(self.fill_formula(view.x), bits), sentence)


class Flush(MicroOperation):
    """Flush subnormal binary32 patterns to zeros of the same sign."""

    formula = "ftz({x})"
    is_reading = True
    has_passed_bits = True
    idleness = Idleness.UNCHANGED
    flag_text = "a subnormal is flushed to zero"
    cell = PatternCell("is not subnormal")
    figure = FlushedBits()
    notation = Notation(32, is_number=False, type=Type.F32)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        small = ar.less(ar.bitand(x, 0x7FFF_FFFF), 0x0080_0000)
        return ar.where(small, ar.bitand(x, 0x8000_0000), x)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.FLUSHED, is_different(ar, value, v[0])

    def describe_lane(self, view: LaneView) -> LaneText:
        bits = format_hex(view.x, 32)
        formula = make_equation(self.fill_formula(bits), format_hex(view.value, 32))
        if view.value == view.x:
            return LaneText(formula, f"{format_float(view.x, 32)} is not subnormal: unchanged")
        zero = format_float(view.value, 32)
        return LaneText(formula, f"{bits} is subnormal and is flushed to {zero}")

    def describe_step(self, rows: Sequence[RowView]) -> str:
        names = " or ".join(row.role for row in rows)
        return f".ftz: a subnormal {names} is treated as a zero of the same sign."

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("kept the subnormal", weight=0)
        if Flag.FLUSHED in site.row.flags[0]:
            yield site.replace_operation("lost the sign of zero", Encode(0))
