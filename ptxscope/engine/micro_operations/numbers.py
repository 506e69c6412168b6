"""The micro-operations that compute an exact number from one or two: sums, products, extremes."""

from __future__ import annotations

from collections.abc import Iterator

from .arithmetic import Arithmetic, V
from .base import LaneView, MicroOperation, MutationSite, RowMutation
from .formula import make_equation
from .properties import LaneText
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
