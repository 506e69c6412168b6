"""Ranges with labelled ends, and where numbers lie in them."""

from __future__ import annotations

from math import nextafter

from ..engine.isa.integers import limits
from ..engine.isa.types import Type
from ..engine.semantics.micro_operation import at
from ..engine.semantics.micro_operations import Clamp, infinity
from ..engine.syntax.values import value_text
from ..engine.tracing.lane_text import is_nan, operand_name
from ..engine.tracing.trace import RowTrace, Trace
from .scene_model import Axis, Place, Point, Tick


def clamped(row: RowTrace, micro: Clamp) -> Axis:
    """The range of a clamp, every lane's number at it, and where it goes."""
    before = [at(row.inputs[0], lane) for lane in range(len(row.lanes))]
    inside = [x for x, y in zip(before, row.values, strict=True) if x == y]
    low = min([0, *inside]) if micro.low is None else micro.low
    high = max([low + 1, *inside]) if micro.high is None else micro.high
    points = []
    for lane in reversed(range(len(before))):
        value, end = before[lane], row.values[lane]
        to = "" if value == end else str(end)
        points.append(Point(str(value), _at(value, low, high), (), Place(row.key, lane), to))
    if micro.low is None or micro.high is None:
        return Axis(
            "" if micro.low is None else str(low),
            "" if micro.high is None else str(high),
            tuple(points),
        )
    return Axis(str(low), str(high), tuple(points), ticks=_make_quarters(low, high))


def limited(row: RowTrace, top: int) -> Axis:
    """A shift amount between 0 and the largest that is allowed."""
    value, end = row.inputs[0][0], row.values[0]
    to = "" if value == end else str(end)
    return Axis("0", str(top), (Point(str(value), _at(value, 0, top), (), Place(row.key, 0), to),))


def compared(trace: Trace, row: RowTrace, type_: Type | None) -> Axis:
    """The two sides of a comparison; what is NaN stands off the line."""
    values = [x[0] for x in row.inputs]
    places = [Place(key, 0) for key in row.input_keys]
    names = [operand_name(trace, key.rpartition(".")[2]) for key in row.input_keys]
    if type_ is not None and type_.is_float:
        numbers = [i for i, x in enumerate(values) if not is_nan(x, type_)]
        points = tuple(
            Point(value_text(values[i], type_), place, (names[i],), places[i])
            for i, place in zip(numbers, _ranks([values[i] for i in numbers], type_), strict=True)
        )
        off = tuple(name for i, name in enumerate(names) if i not in numbers)
        return Axis("-inf", "inf", points, off)
    if type_ is not None:
        low, high = limits(type_.bits, type_.signed)
        read = [x - (1 << type_.bits) if x > high else x for x in values]
    else:
        rows = [trace.rows[key].row for key in row.input_keys]
        low = min(x.range.low for x in rows)
        high = max(x.range.high for x in rows)
        read = values
    if len(read) == 1:
        read, names, places = [*read, 0], [*names, "0"], [*places, Place(row.key, 0)]
    points = tuple(
        Point(str(x), where, (name,), place)
        for x, where, name, place in zip(
            read, _apart(read, [_at(x, low, high) for x in read]), names, places, strict=True
        )
    )
    return Axis(str(low), str(high), points)


def _at(value: int, low: int, high: int) -> float:
    """Where a number lies; outside the range even where rounding would put it on an end."""
    at = (value - low) / max(high - low, 1)
    if value < low:
        return min(at, nextafter(0.0, -1.0))
    return max(at, nextafter(1.0, 2.0)) if value > high else at


def _make_quarters(low: int, high: int) -> tuple[Tick, ...]:
    """The middle of a range, then its first and third quarter; for all s8 0, -64 and 64."""
    quarter = (high - low + 1) // 4
    places = (low + 2 * quarter, low + quarter, low + 3 * quarter)
    return tuple(Tick(str(x), _at(x, low, high)) for x in places) if quarter else ()


def _ranks(patterns: list[int], type_: Type) -> list[float]:
    """Where floats lie among all floats, in their order; both zeros at one place."""
    top = 1 << type_.bits - 1
    order = [-(x & top - 1) if x & top else x for x in patterns]
    return _apart(order, [0.5 + x / infinity(type_.bits) / 2 for x in order])


def _apart(values: list[int], places: list[float]) -> list[float]:
    """The places of two numbers, which are not one place where rounding made one of two."""
    if len(values) == 2 and values[0] != values[1] and places[0] == places[1]:
        lower = values.index(min(values))
        moved, to = (lower, 0.0) if places[0] > 0 else (1 - lower, 1.0)
        places[moved] = nextafter(places[moved], to)
    return places
