"""The micro-operations that compute an exact number from one or two: sums, products, extremes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..isa.value_text import format_integer_type
from .arithmetic import Arithmetic, V
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowView
from .drawings import RightShiftBits
from .formula import make_equation
from .instruction_view import InstructionView, format_short_name
from .properties import Flag, LaneText
from .stage import Stage


class Add(MicroOperation):
    """x + y."""

    formula = "{x} + {y:()}"
    about = "{a} + {b}, exactly: nothing wraps yet."
    title_with_c = "add c"
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(*v)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        if site.row.stage in (Stage.SUM, Stage.SECONDARY):
            yield site.keep_first_input("left c out")
            yield site.replace_operation("subtracted c", Subtract(), weight=2)
        else:
            yield site.replace_operation("subtracted", Subtract(), weight=2)


class Subtract(MicroOperation):
    """x - y."""

    formula = "{x} - {y:()}"
    about = "{a} - {b}, exactly: nothing wraps yet."
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.subtract(*v)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.swap_inputs("took a from b")
        yield site.replace_operation("added", Add(), weight=2)
        yield site.replace_operation("dropped the sign", AbsoluteDifference(), weight=2)


def describe_found_bit(ins: InstructionView) -> str:
    """Return which bit ``bfind`` finds: ``the highest 1 of a (all ones if there is none)``."""
    a, type_ = format_short_name(ins, "a"), ins.form.stype
    is_signed = type_ is not None and type_.signed
    bit = f"the highest 0 of {a} if {a} is negative, else its highest 1"
    return f"{bit if is_signed else f'the highest 1 of {a}'} (all ones if there is none)"


@dataclass(frozen=True)
class SubtractFrom(MicroOperation):
    """A constant minus x."""

    constant: int
    formula = "{self.constant} - {x:()}"
    about = "The number subtracted from a constant."
    title = "subtract"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(ar.negative(v[0]), self.constant)

    def describe_step(self, rows: Sequence[RowView]) -> str:
        about = describe_found_bit(rows[0].instruction)
        return f"The position of {about}: {self.constant} less the number of zeros above it."

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("counted from the other end")


class AbsoluteDifference(MicroOperation):
    """|x - y|."""

    formula = "|{x} - {y:()}|"
    about = "The distance between {a} and {b}, exactly."
    title = "difference"
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.absolute(ar.subtract(*v))

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.replace_operation("kept the sign of the difference", Subtract())
        yield RowMutation("kept the sign of b - a", ((Subtract(), site.inputs[::-1]),), 2)


class Minimum(MicroOperation):
    """The smaller of x and y."""

    formula = "min({x}, {y})"
    about = "The smaller of {a} and {b}, as exact numbers whatever their types."
    title_with_c = "min with c"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.minimum(*v)

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_extreme(super().describe_lane(view), "smaller", view)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.replace_operation("took the larger", Maximum())


class Maximum(MicroOperation):
    """The larger of x and y."""

    formula = "max({x}, {y})"
    about = "The larger of {a} and {b}, as exact numbers whatever their types."
    title_with_c = "max with c"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.maximum(*v)

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_extreme(super().describe_lane(view), "larger", view)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.replace_operation("took the smaller", Minimum())


def _describe_extreme(text: LaneText, adjective: str, view: LaneView) -> LaneText:
    if view.x == view.y:
        return text._replace(sentence=f"both are {view.value}")
    return text._replace(sentence=f"the {adjective} of {view.x} and {view.y} is {view.value}")


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

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.replace_operation(
            "rounded the half up", Add(), Negate(), ScaleDown(1), Negate(), weight=2
        )
        yield site.replace_operation("did not halve the sum", Add(), weight=2)


class Multiply(MicroOperation):
    """x * y."""

    formula = "{x} * {y:()}"
    about = "{a} times {b}, exactly."
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(*v)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.replace_operation("added", Add(), weight=2)


class Negate(MicroOperation):
    """-x: the complement plus one, exactly."""

    formula = "-{x}"
    about = "-{a}, exactly."
    prefix = "-"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.negative(v[0])

    def describe_lane(self, view: LaneView) -> LaneText:
        return LaneText(
            make_equation(f"-({view.x})", view.value), f"{view.names[0]} negated is {view.value}"
        )

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("did not negate")


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


class PlusOne(MicroOperation):
    """x + 1, the ``.po`` of ``vmad``."""

    formula = "{x} + 1"
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(v[0], 1)

    def describe_lane(self, view: LaneView) -> LaneText:
        return super().describe_lane(view)._replace(sentence=f".po adds one: {view.value}")

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("left out the one that .po adds")


@dataclass(frozen=True)
class ScaleDown(MicroOperation):
    """Shift right by a fixed distance, rounding down."""

    amount: int
    formula = "{x} >> {self.amount}"
    about = "Half of {a} + {b}, rounded down."
    title = "average"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.shift_right(v[0], self.amount)

    def make_figure(self, row: RowView) -> RightShiftBits | None:
        return RightShiftBits(self.amount) if len(row.values) == 1 else None

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("did not shift")
        yield site.replace_operation(
            "rounded up, but a shift rounds down", Negate(), self, Negate()
        )
        other_amount = 7 if self.amount == 15 else 15
        yield site.replace_operation(
            f"shifted by {other_amount}", ScaleDown(other_amount), weight=2
        )
