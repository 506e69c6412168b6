"""The micro-operations that shift, halve or divide numbers (PTX ISA 9.7.1.8, 9.7.1.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .arithmetic import Arithmetic, V, fill, is_different
from .base import LaneView, MicroOperation, RowTrace
from .drawings import FigureDrawing, LeftShiftBits, LimitLine, RightShiftBits, TruncatedBits
from .numbers import Add
from .properties import Flag, Idleness, LaneText, make_equation


@dataclass(frozen=True)
class LimitAmount(MicroOperation):
    """The shift distance: at most ``bits``, or its low five bits with ``wrap``."""

    wrap: bool
    bits: int = 32
    idleness = Idleness.UNCHANGED

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.bitand(v[0], 31) if self.wrap else ar.minimum(v[0], self.bits)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED if self.wrap else Flag.CLAMPED_HIGH, is_different(ar, value, v[0])

    def describe_flag(self, flag: Flag) -> str:
        limit = f"the {{row}} is limited to {self.bits}"
        return "only five bits of the {row} count" if self.wrap else limit

    def fill_formula(self, *terms: object) -> str:
        return f"{terms[0]} & 31" if self.wrap else f"min({terms[0]}, {self.bits})"

    def describe_lane(self, view: LaneView) -> LaneText:
        text = super().describe_lane(view)
        if view.value == view.x:
            return text._replace(sentence=f"the shift amount is {view.x}")
        if self.wrap:
            return text._replace(
                sentence=f".wrap keeps the low five bits of {view.x}: {view.value}"
            )
        if view.row.instruction.form.mode is None:
            sentence = f"the shift amount {view.x} counts as {self.bits}"
            return text._replace(sentence=sentence)
        return text._replace(sentence=f".clamp lowers the shift amount {view.x} to {self.bits}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        if self.wrap:
            return ".wrap keeps the low five bits of the amount."
        if rows[0].instruction.form.mode is None:
            return f"An amount above {self.bits} counts as {self.bits}."
        return f".clamp limits the amount to {self.bits}."

    def make_figure(self, row: RowTrace) -> FigureDrawing | None:
        return TruncatedBits(5) if self.wrap else LimitLine(self.bits)


class ShiftLeft(MicroOperation):
    """x * 2**y."""

    formula = "{x} << {y}"
    about = "{a} shifted left, exactly: no bit is lost yet."
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_left(*v)

    def make_figure(self, row: RowTrace) -> LeftShiftBits:
        return LeftShiftBits(row.inputs[1].values[0])


class ShiftRight(MicroOperation):
    """x // 2**y, rounding down: the sign is shifted in."""

    formula = "{x} >> {y}"
    about = "{a} shifted right"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_right(*v)

    def describe_lane(self, view: LaneView) -> LaneText:
        text = super().describe_lane(view)
        rounding = " (rounded down: copies of the sign come in)" if view.x < 0 < view.y else ""
        return text._replace(sentence=text.sentence + rounding)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        row = next(row for row in rows if row.micro is self)
        entering = "copies of its sign" if row.inputs[0].range.low < 0 else "zeros"
        return f"{super().describe_step(rows)}; {entering} come in above."

    def make_figure(self, row: RowTrace) -> RightShiftBits:
        return RightShiftBits(row.inputs[1].values[0])


@dataclass(frozen=True)
class ScaleDown(MicroOperation):
    """Shift right by a fixed distance, rounding down."""

    amount: int
    formula = "{x} >> {self.amount}"
    about = "Half of {a} + {b}, rounded down."
    title = "average"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_right(v[0], self.amount)

    def make_figure(self, row: RowTrace) -> RightShiftBits | None:
        return RightShiftBits(self.amount) if len(row.values) == 1 else None


class Average(MicroOperation):
    """Half the sum, halves rounded away from zero."""

    formula = "({x} + {y:()}) / 2"
    about = (
        "Half of {a} + {b}; halves are rounded away from zero: 1 is added before the shift, unless "
        "the sum is negative."
    )
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        total = ar.add(*v)
        negative = ar.less(total, 0)
        return ar.shift_right(ar.subtract(ar.add(total, 1), negative), 1)

    def describe_lane(self, view: LaneView) -> LaneText:
        sum_text, total = Add().fill_formula(view.x, view.y), view.x + view.y
        formula = make_equation(f"({sum_text}{' + 1' if total >= 0 else ''}) >> 1", view.value)
        half = f"{total / 2}, rounded away from zero to {view.value}" if total % 2 else view.value
        return LaneText(formula, f"half of {sum_text} is {half}")


# --- divisions --------------------------------------------------------------------------

_UNDEFINED = (
    "The PTX ISA leaves the result of a division by 0 open; it is all ones here, as in the code "
    "that ptxas 13.0 generates for sm_90."
)


def _divide_magnitudes(ar: Arithmetic[V], *v: V) -> V:
    """Return the quotient of the magnitudes of x and y; y = 0 counts as 1."""
    x, y = map(ar.absolute, v)
    return ar.divide(x, ar.maximum(y, 1))


def _replace_undefined(ar: Arithmetic[V], t: V, y: V, bits: int, signed: bool) -> V:
    """Return t, or all ones if y is 0."""
    ones = fill(ar, t, -1 if signed else (1 << bits) - 1)
    return ar.where(ar.equal(y, 0), ones, t)


def _describe_division(micro: MicroOperation, view: LaneView, noun: str) -> LaneText:
    text = MicroOperation.describe_lane(micro, view)
    if view.y == 0:
        sentence = f"a division by 0 has no defined {noun}; all ones here, {view.value}"
        return text._replace(sentence=sentence)
    return text


@dataclass(frozen=True)
class Divide(MicroOperation):
    """x / y of numbers of ``bits`` bits, rounded towards zero; all ones for y = 0."""

    bits: int
    signed: bool
    formula = "{x} / {y:()}"
    about = "{a} / {b}, rounded towards zero. " + _UNDEFINED

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, y = v
        t = _divide_magnitudes(ar, x, y)
        if self.signed:
            is_negative = is_different(ar, ar.less(x, 0), ar.less(y, 0))
            t = ar.where(is_negative, ar.negative(t), t)
        return _replace_undefined(ar, t, y, self.bits, self.signed)

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_division(self, view, "quotient")


@dataclass(frozen=True)
class Remainder(MicroOperation):
    """x - y * (x / y) of numbers of ``bits`` bits, with the sign of x; all ones for y = 0."""

    bits: int
    signed: bool
    formula = "{x} % {y:()}"
    about = "The remainder of {a} / {b} rounded towards zero; it has {a}'s sign. " + _UNDEFINED

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, y = v
        product = ar.multiply(_divide_magnitudes(ar, x, y), ar.absolute(y))
        t = ar.subtract(ar.absolute(x), product)
        if self.signed:
            t = ar.where(ar.less(x, 0), ar.negative(t), t)
        return _replace_undefined(ar, t, y, self.bits, self.signed)

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_division(self, view, "remainder")
