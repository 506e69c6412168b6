"""Trends of a result along a line: its rises and falls, and their number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.isa.encodings import FloatClass, classify_float
from ...engine.syntax.errors import format_count
from .axis import SweepAxis
from .computation import Bits, compute_ranks
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
    is_rising = order[1:][steps] > order[:-1][steps]
    starts = np.flatnonzero(is_rising[1:] != is_rising[:-1]) + 1
    turns = steps[starts].tolist()
    directions = is_rising[np.concatenate([[0], starts])].tolist() if len(is_rising) else []
    return [
        MonotoneSegment(first, last, rises)
        for first, last, rises in zip(
            [0, *turns], [*turns, len(order) - 1], directions, strict=bool(directions)
        )
    ]


def describe_trend(result_part: RegisterPart, bits: Bits, x: SweepAxis, start: int) -> str:
    """Describe a result from a value of x onwards: ``is 127``, ``rises from -28 to 127``."""
    order = compute_ranks(result_part, bits)
    segments = find_monotone_segments(order)
    if not segments:
        return f"is {result_part.format_value(int(bits[0]))}"
    if len(segments) == 1:
        return _describe_segment(result_part, bits, order, segments[0])
    if len(segments) <= _MAX_SEGMENTS:
        return ", then ".join(
            f"{_describe_segment(result_part, bits, order, segment)} where "
            f"{format_place(x, start + segment.first, start + segment.last)}"
            for segment in segments
        )
    first_value, last_value, minimum, maximum = (
        result_part.format_value(int(bits[index]))
        for index in (0, -1, order.argmin(), order.argmax())
    )
    return (
        f"goes from {first_value} to {last_value}, between {minimum} and "
        f"{maximum}{_describe_repetition(segments, len(order))}"
    )


def _describe_segment(
    result_part: RegisterPart, bits: Bits, order: Bits, segment: MonotoneSegment
) -> str:
    verb = "rises" if segment.is_rising else "falls"
    first_value, last_value = (
        result_part.format_value(int(bits[index])) for index in (segment.first, segment.last)
    )
    levels = order[segment.first : segment.last + 1]
    steps = _describe_steps(levels, is_rising=segment.is_rising)
    return f"{verb} from {first_value} to {last_value}{steps}"


def _describe_repetition(segments: list[MonotoneSegment], size: int) -> str:
    """Describe how often a result rises and falls; a sawtooth has only its slow side counted."""
    if len(segments) * _MIN_SEGMENT_VALUES >= size:
        return ""
    segments_by_direction = {
        direction: [segment for segment in segments if segment.is_rising is rises]
        for direction, rises in (("rising", True), ("falling", False))
    }
    steep_directions = [
        direction
        for direction, group in segments_by_direction.items()
        if all(x.last - x.first == 1 for x in group)
    ]
    counted_directions = [
        direction for direction in segments_by_direction if direction not in steep_directions
    ] or list(segments_by_direction)
    return ", " + " and ".join(
        f"{direction} {format_count(len(segments_by_direction[direction]), 'time')}"
        for direction in counted_directions
    )


def _describe_steps(order: Bits, *, is_rising: bool) -> str:
    """Describe the number of values at each level of a rising or falling result."""
    _, counts = np.unique(order, return_counts=True)
    if not is_rising:
        counts = counts[::-1]
    if (counts == 1).all():
        return ""
    if (counts[1:] == 1).all():
        return ", constant at first"
    if (counts[:-1] == 1).all():
        return " and stays there"
    lengths, frequencies = np.unique(counts[1:-1], return_counts=True)
    if (
        not len(frequencies)
        or frequencies.max() < len(counts) * 3 / 4
        or lengths[frequencies.argmax()] == 1
    ):
        return " in steps"
    length = lengths[frequencies.argmax()]
    is_regular = len(frequencies) == 1 and counts.max() <= length
    return f", {'' if is_regular else 'mostly '}changing every {length} values"


# --- values of an axis -------------------------------------------------------------------


def format_place(axis: SweepAxis, first: int, last: int) -> str:
    """Format a range of an axis as a clause: ``a.b0 is from 0 to 16``, ``a.b0 is 0 and 1``."""
    return (
        f"{axis.part.label} is "
        f"{format_value_range(axis.part, axis.get_value(first), axis.get_value(last))}"
    )


def format_extent(axis: SweepAxis, first: int, last: int) -> str:
    """Format a range of an axis with its name: ``a.b0 from -128 to 127``, ``a.b0 = 5``."""
    values = format_value_range(axis.part, axis.get_value(first), axis.get_value(last))
    return f"{axis.part.label} {'' if values.startswith('from') else '= '}{values}"


def format_value_range(lane: RegisterPart, low: int, high: int) -> str:
    """Format a range of values: ``from -128 to 127``, ``0 and 1``; a single value as itself."""
    if low == high:
        return lane.format_value(low)
    if type_ := lane.float_type:
        kinds = {(classify_float(x, type_), lane.format_value(x)[0]) for x in (low, high)}
        if len(kinds) == 1 and classify_float(low, type_) is FloatClass.NAN:
            return f"{lane.format_value(low)} ({lane.format_hex(low)} to {lane.format_hex(high)})"
    if lane.compute_rank(high) - lane.compute_rank(low) == 1:
        return f"{lane.format_value(low)} and {lane.format_value(high)}"
    return f"from {lane.format_value(low)} to {lane.format_value(high)}"
