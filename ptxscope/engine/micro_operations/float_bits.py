"""The micro-operations on the patterns of floats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..isa.encodings import decode_float, encode_float, format_float, get_magnitude_mask
from ..isa.types import Type
from ..isa.value_text import format_hex
from .arithmetic import Arithmetic, V, is_different, normalise_magnitude
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowTrace
from .drawings import ConversionCell, FloatBits, FlushedBits, PatternCell
from .logic import Encode
from .properties import Flag, Idleness, LaneText, Notation, make_equation


@dataclass(frozen=True)
class ToFloat(MicroOperation):
    """Convert an integer to a float's pattern, ties to even.

    The integer has at most 32 bits; for a half, at most 16 and no sign.
    """

    type: Type = Type.F32
    cell = ConversionCell()

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        bits = ar.float_bits(v[0])
        if self.type is Type.F32:
            return bits
        # binary32 holds 16 bits exactly: round its fraction, and exchange the exponent's bias
        surplus = Type.F32.fraction_bits - self.type.fraction_bits
        odd_bit = ar.bitand(ar.shift_right(bits, surplus), 1)
        rounded = ar.add(ar.add(bits, odd_bit), (1 << (surplus - 1)) - 1)
        one = encode_float(1.0, Type.F32) >> surplus, encode_float(1.0, self.type)
        half = ar.add(ar.shift_right(rounded, surplus), one[1] - one[0])
        return ar.cast(ar.where(ar.equal(bits, 0), bits, half), self.type.bits, signed=False)

    @property
    def formula(self) -> str:  # type: ignore[override]
        return f"{'float' if self.type is Type.F32 else self.type}({{x}})"

    @property
    def flag_text(self) -> str:  # type: ignore[override]
        return f"rounded to {self.type.fraction_bits + 1} significant bits"

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        top, _ = normalise_magnitude(ar, v[0])
        kept_bits = -1 << (31 - self.type.fraction_bits) & 0xFFFF_FFFF
        yield Flag.ROUNDED, is_different(ar, ar.bitand(top, kept_bits), top)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, number = format_hex(view.value, self.type.bits), decode_float(view.value, self.type)
        rounded = "" if number == view.x else f", {view.x} {self.flag_text}"
        name = "a float" if self.type is Type.F32 else self.type
        sentence = f"{view.x} as {name} is {bits} ({number:.1f}{rounded})"
        return LaneText(make_equation(self.fill_formula(view.x), bits), sentence)

    def make_figure(self, row: RowTrace) -> FloatBits:
        return FloatBits(self.type)

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.type.bits, is_number=False, type=self.type)


@dataclass(frozen=True)
class Flush(MicroOperation):
    """Flush subnormal patterns of floats to zeros of the same sign."""

    type: Type = Type.F32
    formula = "ftz({x})"
    is_reading = True
    has_passed_bits = True
    idleness = Idleness.UNCHANGED
    flag_text = "a subnormal is flushed to zero"
    cell = PatternCell("is not subnormal")

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        smallest_normal = 1 << self.type.fraction_bits
        small = ar.less(ar.bitand(x, get_magnitude_mask(self.type)), smallest_normal)
        return ar.where(small, ar.bitand(x, 1 << (self.type.bits - 1)), x)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.FLUSHED, is_different(ar, value, v[0])

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, width = format_hex(view.x, self.type.bits), self.type.bits
        formula = make_equation(self.fill_formula(bits), format_hex(view.value, width))
        if view.value == view.x:
            number = format_float(view.x, self.type)
            return LaneText(formula, f"{number} is not subnormal: unchanged")
        zero = format_float(view.value, self.type)
        return LaneText(formula, f"{bits} is subnormal and is flushed to {zero}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        names = " or ".join(row.destination for row in rows)
        return f".ftz: a subnormal {names} is treated as a zero of the same sign."

    def make_figure(self, row: RowTrace) -> FlushedBits | None:
        return FlushedBits(self.type) if len(row.values) == 1 else None

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.type.bits, is_number=False, type=self.type)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("kept the subnormal", cost=0)
        if Flag.FLUSHED in site.row.flags[0]:
            yield site.replace_operation("lost the sign of zero", Encode(0, self.type))
