"""The micro-operations that compute an exact number: sums, products, extremes, sums of lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..isa.encodings import UNIT_NAMES, format_lanes
from .arithmetic import Arithmetic, Inputs, V
from .base import LaneView, MicroOperation, RowTrace, find_row
from .properties import MAX_LANE_BITS, InputBits, LaneText, format_short_name, make_equation

if TYPE_CHECKING:
    from .drawings import LaneSum


class Add(MicroOperation):
    """x + y."""

    formula = "{x} + {y:()}"
    about = "{a} + {b}, exactly: nothing wraps yet."
    title_with_c = "add c"
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(*v)


class Subtract(MicroOperation):
    """x - y."""

    formula = "{x} - {y:()}"
    about = "{a} - {b}, exactly: nothing wraps yet."
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.subtract(*v)


class AbsoluteDifference(MicroOperation):
    """|x - y|."""

    formula = "|{x} - {y:()}|"
    about = "The distance between {a} and {b}, exactly."
    title = "difference"
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.absolute(ar.subtract(*v))


class Minimum(MicroOperation):
    """The smaller of x and y."""

    formula = "min({x}, {y})"
    about = "The smaller of {a} and {b}, as exact numbers whatever their types."
    title_with_c = "min with c"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.minimum(*v)

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_extreme(super().describe_lane(view), "smaller", view)


class Maximum(MicroOperation):
    """The larger of x and y."""

    formula = "max({x}, {y})"
    about = "The larger of {a} and {b}, as exact numbers whatever their types."
    title_with_c = "max with c"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.maximum(*v)

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_extreme(super().describe_lane(view), "larger", view)


def _describe_extreme(text: LaneText, adjective: str, view: LaneView) -> LaneText:
    if view.x == view.y:
        return text._replace(sentence=f"both are {view.value}")
    return text._replace(sentence=f"the {adjective} of {view.x} and {view.y} is {view.value}")


class Multiply(MicroOperation):
    """x * y."""

    formula = "{x} * {y:()}"
    about = "{a} times {b}, exactly."
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(*v)


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


class PlusOne(MicroOperation):
    """x + 1, the ``.po`` of ``vmad``."""

    formula = "{x} + 1"
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.add(v[0], 1)

    def describe_lane(self, view: LaneView) -> LaneText:
        return super().describe_lane(view)._replace(sentence=f".po adds one: {view.value}")


@dataclass(frozen=True)
class Accumulate(MicroOperation):
    """c plus the lanes of t in ``lanes``."""

    lanes: tuple[int, ...]
    input_lanes: int
    is_exact = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        t, c = v
        return ar.add(ar.sum_lanes(t, self.lanes, self.input_lanes), c)

    def count_output_lanes(self, input_lanes: int) -> int:
        return 1

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield from (InputBits(0, index, 0, MAX_LANE_BITS) for index in self.lanes)
        yield InputBits(1, 0, 0, MAX_LANE_BITS)

    def format_symbols(self, row: RowTrace, lane: int | None) -> str:
        t, c = row.list_symbols()
        return " + ".join([c, *(f"{t}{index}" for index in sorted(self.lanes, reverse=True))])

    def describe_lane(self, view: LaneView) -> LaneText:
        t, c = view.row.inputs
        terms = [t.values[lane] for lane in sorted(self.lanes, reverse=True)]
        total = " + ".join([str(view.y), *(f"({x})" if x < 0 else str(x) for x in terms)])
        skipped_lanes = set(range(self.input_lanes)) - set(self.lanes)
        suffix = f"; without {format_lanes(skipped_lanes)}" if skipped_lanes else ""
        sentence = f"{c.name} and the lanes: {total} is {view.value}{suffix}"
        return LaneText(make_equation(total, view.value), sentence)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        cut, secop = find_row(rows, "cut"), rows[0].instruction.form.secop
        truncation = f" truncated to a {UNIT_NAMES[cut.range.bits]}" if cut else ""
        is_clamped = find_row(rows, "clamped") is not None
        ending = "then clamped" if is_clamped else "neither clamped nor truncated"
        is_whole = len(self.lanes) == self.input_lanes
        lanes_text = "every lane" if is_whole else format_lanes(self.lanes)
        c = f"{'' if secop is None else f'.{secop}: '}{format_short_name(rows[0].instruction, 'c')}"
        reading = ", read as s32," if find_row(rows, "c") else ""
        return f"{c}{reading} plus t of {lanes_text}{truncation}; the sum is {ending}."

    def make_cell(self, row: RowTrace, lane: int) -> LaneSum:
        from .drawings import LaneSum

        return LaneSum(self.lanes, self.input_lanes)

    def make_figure(self, row: RowTrace) -> LaneSum:
        return self.make_cell(row, 0)
