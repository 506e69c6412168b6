"""Number lines: ranges with labelled ends, and the positions of numbers in them."""

from __future__ import annotations

from math import nextafter

from ..engine.isa.integers import get_limits
from ..engine.isa.types import Type
from ..engine.semantics.micro_operation import get_lane
from ..engine.semantics.micro_operations import Clamp, get_infinity
from ..engine.syntax.values import format_value
from ..engine.tracing.lane_text import format_operand_name, is_nan
from ..engine.tracing.trace import RowTrace, Trace
from .scene_model import LaneRef, NumberLine, Point, Tick


def make_clamp_line(row: RowTrace, micro: Clamp) -> NumberLine:
    """Return the range of a clamp, with the input of every lane and the end it is moved to."""
    numbers = [get_lane(row.inputs[0], lane) for lane in range(len(row.lanes))]
    inside = [x for x, y in zip(numbers, row.values, strict=True) if x == y]
    low = min([0, *inside]) if micro.low is None else micro.low
    high = max([low + 1, *inside]) if micro.high is None else micro.high
    points = []
    for lane in reversed(range(len(numbers))):
        value, end = numbers[lane], row.values[lane]
        target = "" if value == end else str(end)
        points.append(
            Point(str(value), _compute_place(value, low, high), (), LaneRef(row.key, lane), target)
        )
    if micro.low is None or micro.high is None:
        return NumberLine(
            "" if micro.low is None else str(low),
            "" if micro.high is None else str(high),
            tuple(points),
        )
    return NumberLine(str(low), str(high), tuple(points), ticks=_make_quarters(low, high))


def make_limit_line(row: RowTrace, top: int) -> NumberLine:
    """Return a shift amount on the line from 0 to the largest amount allowed."""
    value, end = row.inputs[0][0], row.values[0]
    target = "" if value == end else str(end)
    return NumberLine(
        "0",
        str(top),
        (Point(str(value), _compute_place(value, 0, top), (), LaneRef(row.key, 0), target),),
    )


def make_comparison_line(trace: Trace, row: RowTrace, type_: Type | None) -> NumberLine:
    """Return the two sides of a comparison on a line; a NaN is listed beside the line."""
    values = [x[0] for x in row.inputs]
    places = [LaneRef(key, 0) for key in row.input_keys]
    names = [format_operand_name(trace, key.rpartition(".")[2]) for key in row.input_keys]
    if type_ is not None and type_.is_float:
        indices = [i for i, x in enumerate(values) if not is_nan(x, type_)]
        points = tuple(
            Point(format_value(values[i], type_), place, (names[i],), places[i])
            for i, place in zip(
                indices, _compute_float_places([values[i] for i in indices], type_), strict=True
            )
        )
        nan_names = tuple(name for i, name in enumerate(names) if i not in indices)
        return NumberLine("-inf", "inf", points, nan_names)
    if type_ is not None:
        low, high = get_limits(type_.bits, type_.signed)
        numbers = [x - (1 << type_.bits) if x > high else x for x in values]
    else:
        rows = [trace.rows[key].row for key in row.input_keys]
        low = min(x.range.low for x in rows)
        high = max(x.range.high for x in rows)
        numbers = values
    if len(numbers) == 1:
        numbers, names, places = [*numbers, 0], [*names, "0"], [*places, LaneRef(row.key, 0)]
    points = tuple(
        Point(str(x), position, (name,), place)
        for x, position, name, place in zip(
            numbers,
            _separate_places(numbers, [_compute_place(x, low, high) for x in numbers]),
            names,
            places,
            strict=True,
        )
    )
    return NumberLine(str(low), str(high), points)


def _compute_place(value: int, low: int, high: int) -> float:
    """Return the position of a number, outside 0..1 even if rounding would put it on an end."""
    position = (value - low) / max(high - low, 1)
    if value < low:
        return min(position, nextafter(0.0, -1.0))
    return max(position, nextafter(1.0, 2.0)) if value > high else position


def _make_quarters(low: int, high: int) -> tuple[Tick, ...]:
    """Return ticks at the middle, then at the first and third quarter: 0, -64 and 64 for s8."""
    quarter = (high - low + 1) // 4
    places = (low + 2 * quarter, low + quarter, low + 3 * quarter)
    return tuple(Tick(str(x), _compute_place(x, low, high)) for x in places) if quarter else ()


def _compute_float_places(patterns: list[int], type_: Type) -> list[float]:
    """Return the positions of floats in the order of all floats; both zeros share one."""
    top = 1 << type_.bits - 1
    order = [-(x & top - 1) if x & top else x for x in patterns]
    return _separate_places(order, [0.5 + x / get_infinity(type_.bits) / 2 for x in order])


def _separate_places(values: list[int], places: list[float]) -> list[float]:
    """Move two positions apart if rounding made those of unequal numbers coincide."""
    if len(values) == 2 and values[0] != values[1] and places[0] == places[1]:
        lower = values.index(min(values))
        index, limit = (lower, 0.0) if places[0] > 0 else (1 - lower, 1.0)
        places[index] = nextafter(places[index], limit)
    return places
