"""The micro-operations of integer divisions (PTX ISA 9.7.1.8, 9.7.1.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .arithmetic import Arithmetic, V, fill, is_different
from .base import LaneView, MicroOperation, MutationSite, RowMutation
from .properties import LaneText

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

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.swap_inputs("divided b by a")
        yield site.replace_operation("took the remainder", Remainder(self.bits, self.signed))


@dataclass(frozen=True)
class Remainder(MicroOperation):
    """x - y * (x / y) of numbers of ``bits`` bits, with the sign of x; all ones for y = 0."""

    bits: int
    signed: bool
    formula = "{x} % {y:()}"
    about = "What {a} / {b}, rounded towards zero, leaves; it has {a}'s sign. " + _UNDEFINED

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x, y = v
        product = ar.multiply(_divide_magnitudes(ar, x, y), ar.absolute(y))
        t = ar.subtract(ar.absolute(x), product)
        if self.signed:
            t = ar.where(ar.less(x, 0), ar.negative(t), t)
        return _replace_undefined(ar, t, y, self.bits, self.signed)

    def describe_lane(self, view: LaneView) -> LaneText:
        return _describe_division(self, view, "remainder")

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.replace_operation("took the quotient", Divide(self.bits, self.signed))
        yield site.swap_inputs("divided b by a")
