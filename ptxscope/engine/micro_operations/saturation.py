"""The micro-operations that move numbers into a range: clamping and wrapping."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..isa.encodings import format_integer_type, get_limits
from ..isa.types import WORD_BITS
from .arithmetic import Arithmetic, Inputs, V, is_different
from .base import LaneView, MicroOperation, RowTrace
from .properties import (
    Flag,
    Idleness,
    InputBits,
    LaneText,
    Notation,
    Reading,
    make_equation,
    map_read_bits,
)

if TYPE_CHECKING:
    from .drawings import NumberCell, RangeLine, TruncatedBits


@dataclass(frozen=True)
class Clamp(MicroOperation):
    """Clamp to low..high; None means no bound."""

    low: int | None
    high: int | None
    is_narrowing = True
    idleness = Idleness.UNCHANGED

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        if self.low is not None:
            x = ar.maximum(x, self.low)
        return x if self.high is None else ar.minimum(x, self.high)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.CLAMPED_LOW, ar.less(v[0], value)
        yield Flag.CLAMPED_HIGH, ar.less(value, v[0])

    def find_bound(self, flag: Flag) -> int | None:
        return self.high if flag is Flag.CLAMPED_HIGH else self.low

    def describe_flag(self, flag: Flag) -> str:
        return f"clamped to {self.find_bound(flag)}"

    def find_type(self) -> Reading | None:
        """Return the integer type with these bounds; None if no type, or several, fit."""
        readings = [Reading(bits, signed) for bits in (8, 16, 32) for signed in (True, False)]
        fitting = [
            reading
            for reading in readings
            if self.low in (get_limits(*reading).low, None)
            and self.high in (get_limits(*reading).high, None)
        ]
        return fitting[0] if len(fitting) == 1 else None

    def fill_formula(self, *terms: object) -> str:
        if self.low is None:
            return f"min({terms[0]}, {self.high})"
        if self.high is None:
            return f"max({terms[0]}, {self.low})"
        return f"clamp({terms[0]}, {self.low}..{self.high})"

    def describe_lane(self, view: LaneView) -> LaneText:
        formula = make_equation(self.fill_formula(view.x), view.value)
        sentence, short_text = self._describe_value(view), f"{view.x} -> {view.value}"
        return LaneText(formula, sentence, str(view.value) if view.x == view.value else short_text)

    def _describe_value(self, view: LaneView) -> str:
        type_ = self.find_type()
        name = format_integer_type(type_.signed, type_.bits) if type_ else ""
        if view.value < view.x:
            note = f" the largest {name}," if name else ""
            return f"{view.x} is above {self.high},{note} so it becomes {self.high}"
        if view.value > view.x:
            note = f" the smallest {name}," if name else ""
            return f"{view.x} is below {self.low},{note} so it becomes {self.low}"
        if self.low is None:
            return f"{view.x} is not above {self.high}: unchanged; there is no lower bound"
        if self.high is None:
            return f"{view.x} is not below {self.low}: unchanged; there is no upper bound"
        note = f", the range of {name}" if name else ""
        return f"{view.x} is within {self.low}..{self.high}{note}: unchanged"

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        if self.low is None:  # after truncation to u64
            bounds = f"at most {self.high}. A negative t is a huge number as u64"
        elif self.high is None:
            bounds = f"at least {self.low}; there is no upper bound on t"
        else:
            bounds = f"{self.low}..{self.high}"
        if rows[0].instruction.form.relu:
            return ".relu makes negative numbers 0."
        truncation = describe_truncation(rows)
        return (
            f"{truncation}; .sat then clamps to {bounds}."
            if truncation
            else f".sat clamps to {bounds}."
        )

    def make_cell(self, row: RowTrace, lane: int) -> NumberCell:
        from .drawings import NumberCell

        return NumberCell()

    def make_figure(self, row: RowTrace) -> RangeLine:
        from .drawings import RangeLine

        low = self.low
        if low is None and row.inputs[0].range.low >= 0:  # a u64 is not negative
            low = 0
        return RangeLine(low, self.high)

    def get_notation(self, row: RowTrace) -> Notation:
        type_ = self.find_type()
        return Notation(type_.bits if type_ else WORD_BITS, is_number=True)


@dataclass(frozen=True)
class Wrap(MicroOperation):
    """Truncate to the low bits, read as a signed or unsigned number."""

    bits: int
    signed: bool
    least: int | None = None
    """The least number that it gives, if that is not the type's (E19 to E25)."""
    formula = "{self.type_name}({x})"
    about = "The low bits of a number, read as a number of a narrower type."
    flag_text = "wrapped to {self.bits} bits"
    is_narrowing = True
    has_revealing_inputs = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        if self.least is None:
            return ar.cast(v[0], self.bits, self.signed)
        above = ar.cast(ar.add(v[0], -self.least), self.bits, signed=False)
        return ar.add(above, self.least)

    @property
    def type_name(self) -> str:
        """The truncated type, ``s34``, or the range of the numbers."""
        if self.least is None:
            return format_integer_type(self.signed, self.bits)
        return f"{self.least}..{self.least + (1 << self.bits) - 1}"

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, is_different(ar, value, v[0])

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        return map_read_bits(lane, low, high, inputs, Reading(self.bits, self.signed))

    def describe_lane(self, view: LaneView) -> LaneText:
        formula = make_equation(self.fill_formula(view.x), view.value)
        if view.value == view.x:
            return LaneText(formula, f"{view.x} fits in {self.type_name}: unchanged")
        if self.bits == 1:
            return LaneText(formula, f"bit 0 of {view.x} is {view.value}")
        low_bits = f"the low {self.bits} bits of {view.x}"
        return LaneText(formula, f"{low_bits}, read as {self.type_name}, are {view.value}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        return f"Takes the low {self.bits} bits of {rows[0].inputs[0].destination}."

    def make_figure(self, row: RowTrace) -> TruncatedBits:
        from .drawings import TruncatedBits

        return TruncatedBits(self.bits)

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.bits, is_number=True)


def describe_truncation(rows: Sequence[RowTrace]) -> str:
    """Describe the truncation of t before a step: ``t is read as s32, then as u64``."""
    names = [x.micro.type_name for x in rows if isinstance(x.micro, Wrap) and x.role != "c64"]
    return f"t is read as {', then as '.join(names)}" if names else ""
