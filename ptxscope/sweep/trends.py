"""The course of a result along a line in words: where it rises, where it falls, where it turns."""

from __future__ import annotations

import numpy as np

from ..engine.records import NamedTuple
from ..engine.syntax.errors import counted
from ..engine.syntax.values import FloatClass, float_class
from .computation import Axis, Bits, places_of
from .register_parts import Lane

_TURNS = 4
"""Legs that are told one by one; of more, how many there are."""
_STEADY = 4
"""Values that a leg has on average at least, where legs are counted."""


class Leg(NamedTuple):
    """A stretch over which a result only rises, or only falls, as far as that goes."""

    first: int
    """Which value it begins with, and which it ends with; the next one begins there."""
    last: int
    rises: bool


def legs(order: Bits) -> list[Leg]:
    """The legs of a line; none where it is level. A level part belongs to the leg before it."""
    steps = np.flatnonzero(order[1:] != order[:-1])
    up = order[1:][steps] > order[:-1][steps]
    starts = np.flatnonzero(up[1:] != up[:-1]) + 1
    turns = steps[starts].tolist()
    ways = up[np.concatenate([[0], starts])].tolist() if len(up) else []
    return [
        Leg(first, last, rises)
        for first, last, rises in zip(
            [0, *turns], [*turns, len(order) - 1], ways, strict=bool(ways)
        )
    ]


def course(of: Lane, bits: Bits, x: Axis, start: int) -> str:
    """What a result does from a value of x on: ``is 127``, ``rises from -28 to 127``."""
    order = places_of(of, bits)
    found = legs(order)
    if not found:
        return f"is {of.said(int(bits[0]))}"
    if len(found) == 1:
        return _leg(of, bits, order, found[0])
    if len(found) <= _TURNS:
        return ", then ".join(
            f"{_leg(of, bits, order, leg)} where {placed(x, start + leg.first, start + leg.last)}"
            for leg in found
        )
    first, last, least, most = (
        of.said(int(bits[at])) for at in (0, -1, order.argmin(), order.argmax())
    )
    return f"goes from {first} to {last}, between {least} and {most}{_often(found, len(order))}"


def _leg(of: Lane, bits: Bits, order: Bits, leg: Leg) -> str:
    way = "rises" if leg.rises else "falls"
    first, last = (of.said(int(bits[at])) for at in (leg.first, leg.last))
    return f"{way} from {first} to {last}{_steps(order[leg.first : leg.last + 1], up=leg.rises)}"


def _often(found: list[Leg], size: int) -> str:
    """How often it rises and falls; of teeth, which end in one step, how many there are."""
    if len(found) * _STEADY >= size:
        return ""
    ways = {
        way: [leg for leg in found if leg.rises is rises]
        for way, rises in (("rising", True), ("falling", False))
    }
    sheer = [way for way, those in ways.items() if all(x.last - x.first == 1 for x in those)]
    told = [way for way in ways if way not in sheer] or list(ways)
    return ", " + " and ".join(f"{way} {counted(len(ways[way]), 'time')}" for way in told)


def _steps(order: Bits, *, up: bool) -> str:
    """Where a rising or falling result stays for some values each time, how many."""
    _, counts = np.unique(order, return_counts=True)
    if not up:
        counts = counts[::-1]
    if (counts == 1).all():
        return ""
    if (counts[1:] == 1).all():
        return ", staying at the first at first"
    if (counts[:-1] == 1).all():
        return " and stays there"
    lengths, often = np.unique(counts[1:-1], return_counts=True)
    if not len(often) or often.max() < len(counts) * 3 / 4 or lengths[often.argmax()] == 1:
        return ", staying at times"
    length = lengths[often.argmax()]
    each = "each" if len(often) == 1 and counts.max() <= length else "most of them"
    return f", staying for {length} values at {each}"


# --- values of an axis -------------------------------------------------------------------


def placed(axis: Axis, first: int, last: int) -> str:
    """Values of an axis in a sentence: ``a.b0 is from 0 to 16``, ``a.b0 is 0 and 1``."""
    return f"{axis.lane.label} is {between(axis.lane, axis.value(first), axis.value(last))}"


def extent(axis: Axis, first: int, last: int) -> str:
    """Values of an axis with its name: ``a.b0 from -128 to 127``, ``a.b0 = 5``."""
    values = between(axis.lane, axis.value(first), axis.value(last))
    return f"{axis.lane.label} {'' if values.startswith('from') else '= '}{values}"


def between(lane: Lane, low: int, high: int) -> str:
    """A range of values: ``from -128 to 127``, ``0 and 1``; one value as itself."""
    if low == high:
        return lane.said(low)
    if lane.is_float:
        kinds = {(float_class(x, lane.unit), lane.said(x)[0]) for x in (low, high)}
        if len(kinds) == 1 and float_class(low, lane.unit) is FloatClass.NAN:
            return f"{lane.said(low)} ({lane.pattern(low)} to {lane.pattern(high)})"
    if lane.place(high) - lane.place(low) == 1:
        return f"{lane.said(low)} and {lane.said(high)}"
    return f"from {lane.said(low)} to {lane.said(high)}"
