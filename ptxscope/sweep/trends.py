"""Trends of a result along a line: where it rises and falls, and how often."""

from __future__ import annotations

import numpy as np

from ..engine.records import NamedTuple
from ..engine.syntax.errors import format_count
from ..engine.syntax.values import FloatClass, classify_float
from .computation import Bits, SweepAxis, compute_ranks
from .register_parts import RegisterPart

_MAX_SEGMENTS = 4
"""Largest number of segments that are described one by one."""
_MIN_SEGMENT_VALUES = 4
"""Smallest average number of values in a segment for segments to be counted."""


class MonotoneSegment(NamedTuple):
    """A maximal stretch over which a result never falls, or never rises."""

    first: int
    """Index of the first value; the next segment begins at `last`."""
    last: int
    is_rising: bool


def find_monotone_segments(order: Bits) -> list[MonotoneSegment]:
    """Return the monotone segments, each with the level stretch after it; empty if constant."""
    steps = np.flatnonzero(order[1:] != order[:-1])
    up = order[1:][steps] > order[:-1][steps]
    starts = np.flatnonzero(up[1:] != up[:-1]) + 1
    turns = steps[starts].tolist()
    ways = up[np.concatenate([[0], starts])].tolist() if len(up) else []
    return [
        MonotoneSegment(first, last, rises)
        for first, last, rises in zip(
            [0, *turns], [*turns, len(order) - 1], ways, strict=bool(ways)
        )
    ]


def describe_trend(of: RegisterPart, bits: Bits, x: SweepAxis, start: int) -> str:
    """Describe a result from a value of x onwards: ``is 127``, ``rises from -28 to 127``."""
    order = compute_ranks(of, bits)
    found = find_monotone_segments(order)
    if not found:
        return f"is {of.format_value(int(bits[0]))}"
    if len(found) == 1:
        return _describe_segment(of, bits, order, found[0])
    if len(found) <= _MAX_SEGMENTS:
        return ", then ".join(
            f"{_describe_segment(of, bits, order, leg)} where "
            f"{format_place(x, start + leg.first, start + leg.last)}"
            for leg in found
        )
    first, last, least, most = (
        of.format_value(int(bits[at])) for at in (0, -1, order.argmin(), order.argmax())
    )
    return (
        f"goes from {first} to {last}, between {least} and "
        f"{most}{_describe_repetition(found, len(order))}"
    )


def _describe_segment(of: RegisterPart, bits: Bits, order: Bits, leg: MonotoneSegment) -> str:
    way = "rises" if leg.is_rising else "falls"
    first, last = (of.format_value(int(bits[at])) for at in (leg.first, leg.last))
    return (
        f"{way} from {first} to "
        f"{last}{_describe_steps(order[leg.first : leg.last + 1], is_rising=leg.is_rising)}"
    )


def _describe_repetition(found: list[MonotoneSegment], size: int) -> str:
    """Describe how often a result rises and falls; a sawtooth has only its slow side counted."""
    if len(found) * _MIN_SEGMENT_VALUES >= size:
        return ""
    ways = {
        way: [leg for leg in found if leg.is_rising is rises]
        for way, rises in (("rising", True), ("falling", False))
    }
    sheer = [way for way, those in ways.items() if all(x.last - x.first == 1 for x in those)]
    told = [way for way in ways if way not in sheer] or list(ways)
    return ", " + " and ".join(f"{way} {format_count(len(ways[way]), 'time')}" for way in told)


def _describe_steps(order: Bits, *, is_rising: bool) -> str:
    """Describe how many values a rising or falling result stays at each level."""
    _, counts = np.unique(order, return_counts=True)
    if not is_rising:
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


def format_place(axis: SweepAxis, first: int, last: int) -> str:
    """Format a range of an axis as a clause: ``a.b0 is from 0 to 16``, ``a.b0 is 0 and 1``."""
    return (
        f"{axis.lane.label} is "
        f"{format_value_range(axis.lane, axis.get_value(first), axis.get_value(last))}"
    )


def format_extent(axis: SweepAxis, first: int, last: int) -> str:
    """Format a range of an axis with its name: ``a.b0 from -128 to 127``, ``a.b0 = 5``."""
    values = format_value_range(axis.lane, axis.get_value(first), axis.get_value(last))
    return f"{axis.lane.label} {'' if values.startswith('from') else '= '}{values}"


def format_value_range(lane: RegisterPart, low: int, high: int) -> str:
    """Format a range of values: ``from -128 to 127``, ``0 and 1``; a single value as itself."""
    if low == high:
        return lane.format_value(low)
    if lane.is_float:
        kinds = {(classify_float(x, lane.unit), lane.format_value(x)[0]) for x in (low, high)}
        if len(kinds) == 1 and classify_float(low, lane.unit) is FloatClass.NAN:
            return f"{lane.format_value(low)} ({lane.format_hex(low)} to {lane.format_hex(high)})"
    if lane.compute_rank(high) - lane.compute_rank(low) == 1:
        return f"{lane.format_value(low)} and {lane.format_value(high)}"
    return f"from {lane.format_value(low)} to {lane.format_value(high)}"
