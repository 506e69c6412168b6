"""Number lines: ranges with labelled ends, and the positions of numbers in them."""

from __future__ import annotations

from math import nextafter

from ..engine.isa.encodings import get_infinity, get_limits
from ..engine.isa.types import Type
from ..engine.isa.value_text import format_value
from ..engine.micro_operations.arithmetic import get_lane
from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.comparison import is_nan
from ..engine.micro_operations.drawings import ComparisonLine, LimitLine, RangeLine, Tick
from .scene_model import LaneRef, NumberLine, Point


def make_range_line(row: RowTrace, figure: RangeLine) -> NumberLine:
    """Return a range, with the input of every lane and the end it is moved to."""
    numbers = [get_lane(row.inputs[0].values, lane) for lane in range(len(row.values))]
    inside = [x for x, y in zip(numbers, row.values, strict=True) if x == y]
    is_closed = figure.low is not None and figure.high is not None
    low = min([0, *inside]) if figure.low is None else figure.low
    high = max([low + 1, *inside]) if figure.high is None else figure.high
    points = tuple(
        _make_moved_point(row, lane, numbers[lane], low, high)
        for lane in reversed(range(len(numbers)))
    )
    return NumberLine(
        "" if figure.low is None else str(low),
        "" if figure.high is None else str(high),
        points,
        ticks=_make_quarters(low, high) if is_closed else (),
    )


def make_limit_line(row: RowTrace, figure: LimitLine) -> NumberLine:
    """Return a number on the line from 0 to the largest one allowed."""
    point = _make_moved_point(row, 0, row.inputs[0].values[0], 0, figure.high)
    return NumberLine("0", str(figure.high), (point,))


def _make_moved_point(row: RowTrace, lane: int, value: int, low: int, high: int) -> Point:
    """Return a lane's input on a line, and its output if that is another number."""
    end = row.values[lane]
    target = "" if value == end else str(end)
    return Point(str(value), _compute_place(value, low, high), (), LaneRef(row.key, lane), target)


def make_comparison_line(row: RowTrace, figure: ComparisonLine) -> NumberLine:
    """Return the two sides of a comparison on a line; a NaN is listed beside the line."""
    type_, values = figure.type, [x.values[0] for x in row.inputs]
    places = [LaneRef(x.key, 0) for x in row.inputs]
    names = [row.instruction.format_operand(x.role) for x in row.inputs]
    if type_ is not None and type_.is_float:
        indices = [i for i, x in enumerate(values) if not is_nan(x, type_)]
        points = tuple(
            _make_named_point(format_value(values[i], type_), place, names[i], places[i])
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
        low = min(x.range.low for x in row.inputs)
        high = max(x.range.high for x in row.inputs)
        numbers = values
    if len(numbers) == 1:
        numbers, names, places = [*numbers, 0], [*names, "0"], [*places, LaneRef(row.key, 0)]
    points = tuple(
        _make_named_point(str(x), position, name, place)
        for x, position, name, place in zip(
            numbers,
            _separate_places(numbers, [_compute_place(x, low, high) for x in numbers]),
            names,
            places,
            strict=True,
        )
    )
    return NumberLine(str(low), str(high), points)


def _make_named_point(text: str, position: float, name: str, place: LaneRef) -> Point:
    """Return a number with the name of its operand, unless that is the number itself."""
    return Point(text, position, () if name == text else (name,), place)


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
    return _separate_places(order, [0.5 + x / get_infinity(type_) / 2 for x in order])


def _separate_places(values: list[int], places: list[float]) -> list[float]:
    """Move two positions apart if rounding made those of unequal numbers coincide."""
    if len(values) == 2 and values[0] != values[1] and places[0] == places[1]:
        lower = values.index(min(values))
        index, limit = (lower, 0.0) if places[0] > 0 else (1 - lower, 1.0)
        places[index] = nextafter(places[index], limit)
    return places
