"""Descriptions of a sweep: where it clamps, wraps or is constant, and where models differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.isa.types import DESTINATIONS
from ...engine.micro_operations.properties import Stage
from .axis import SweepAxis, format_sampling
from .computation import Bits, Event, Mask, Sweep
from .register_parts import RegisterPart, find_low_part, find_signedness
from .trends import describe_trend, format_extent, format_value_range

_MAX_RANGES = 24
"""Largest number of ranges that are described one by one."""
_MAX_MAP_RANGES = 6
"""Largest number of ranges that are described beside a map."""
_SHOWN_RANGES = 3
"""Number of ranges shown if there are more."""


RankArray = npt.NDArray[np.int64]


class ValueInterval(NamedTuple):
    """A range of values of x over which the same events happen."""

    first: int
    """Index of the first value; `last` has that of the last."""
    last: int


def describe_sweep(sweep: Sweep) -> list[str]:
    """Return sentences that describe the whole sweep, for readers who cannot see the picture."""
    sentences = [
        format_title(sweep),
        *iter_fixed_sentences(sweep),
        *iter_signedness_sentences(sweep),
        *_iter_low_part_sentences(sweep),
        *_iter_sampling_sentences(sweep),
        _describe_values(sweep),
    ]
    sentences += _iter_map_sentences(sweep) if sweep.y else iter_line_sentences(sweep)
    return [*sentences, *_iter_point_parts(sweep)]


def format_title(sweep: Sweep) -> str:
    """Format the title: the result, the swept parts and the model."""
    ranges = _format_axis_range(sweep.x)
    if sweep.y:
        ranges += f", and {_format_axis_range(sweep.y)}"
    return (
        f"{sweep.result_part.label} of `{sweep.instruction}` as {ranges}. Model {sweep.model.name}."
    )


def iter_fixed_sentences(sweep: Sweep) -> Iterator[str]:
    """Yield a sentence with the registers and parts that are not swept: ``b = 0x00000005``."""
    ins = sweep.instruction
    assignments: dict[str, str] = {}
    for role in sweep.fixed_roles:
        register = RegisterPart(
            role, ins.format_operand(role), ins.type_of(role), ins.type_of(role).bits, 0, False
        )
        assignments.setdefault(
            register.label, f"{register.label} = {register.format_hex(sweep.operands[role])}"
        )
    for axis in filter(None, (sweep.x, sweep.y)):
        if not axis.part.is_whole:
            lane = axis.part
            bits = lane.insert(sweep.operands[lane.role], 0)
            register = lane._replace(unit=lane.type.bits, number=0)
            assignments.setdefault(
                register.label, f"the rest of {register.label} = {register.format_hex(bits)}"
            )
    if assignments:
        yield f"Fixed: {', '.join(assignments.values())}."


def iter_signedness_sentences(sweep: Sweep) -> Iterator[str]:
    """Yield a sentence for each part that is read both as signed and as unsigned."""
    for lane in (axis.part for axis in (sweep.x, sweep.y) if axis):
        if len(find_signedness(sweep.instruction, lane, sweep.result_part)) > 1:
            top, value_count = 1 << (lane.unit - 1), 1 << lane.unit
            yield (
                f"{lane.label} is read as u{lane.unit} and as s{lane.unit} there: as"
                f" s{lane.unit}, {top} to {value_count - 1} are -{top} to -1."
            )


def _iter_low_part_sentences(sweep: Sweep) -> Iterator[str]:
    """Yield a sentence for each whole register of which only the low part is read."""
    for part in (axis.part for axis in (sweep.x, sweep.y) if axis):
        if low_part := find_low_part(sweep.instruction, part):
            name, count = low_part.label, f"{low_part.values:,}"
            yield f"Only {name} is read: the results repeat after {count} values of {part.label}."


def _format_axis_range(axis: SweepAxis) -> str:
    count = f"all {axis.size:,}" if axis.size == axis.part.values else f"{axis.size:,}"
    if axis.part.values == 2:
        return f"{axis.part.label} is {axis.part.format_value(0)} or {axis.part.format_value(1)}"
    values = format_value_range(axis.part, axis.low, axis.high)
    return f"{axis.part.label} goes through {count} values {values}"


def _iter_sampling_sentences(sweep: Sweep) -> Iterator[str]:
    yield from filter(None, (format_sampling(axis) for axis in (sweep.x, sweep.y) if axis))


# --- events -------------------------------------------------------------------------------


_LAST_STAGES = (Stage.SATURATE, Stage.MERGE, Stage.WRITE)
"""The stages whose main row gives the result the range of its destination."""


def describe_event(event: Event, result_part: RegisterPart) -> str:
    """Describe the effect of an event on a result: ``clamped to 127``."""
    row = event.row
    text = row.micro.describe_flag(event.flag).replace("{row}", row.name)
    is_main_row = row.stage in _LAST_STAGES and row.name in ("t", *DESTINATIONS)
    if row.micro.is_narrowing and not is_main_row:
        text += f" at the step {event.step}"
    text += f" in statement {event.statement}" * bool(event.statement)
    is_single = row.lanes == 1 or not result_part.is_whole
    return text if is_single else f"lane {event.lane} {text}"


# --- along a line ------------------------------------------------------------------------


def find_intervals(sweep: Sweep) -> list[ValueInterval]:
    """Return the stretches of a line over which the same events happen."""
    cases = sweep.cases
    (changes,) = np.nonzero(cases[1:] != cases[:-1])
    firsts, lasts = [0, *(changes + 1).tolist()], [*changes.tolist(), len(cases) - 1]
    return list(map(ValueInterval, firsts, lasts))


def find_interval_ends(mask: Mask) -> tuple[RankArray, RankArray]:
    """Return the first and the last index of each stretch of a line where the mask is true."""
    padded = np.zeros(len(mask) + 2, np.int8)
    padded[1:-1] = mask
    steps = np.diff(padded)
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) - 1


def find_true_intervals(mask: Mask, max_count: int | None = None) -> list[ValueInterval]:
    """Return the stretches of a line where the mask is true, at most `max_count` of them."""
    firsts, lasts = find_interval_ends(mask)
    return list(map(ValueInterval, firsts[:max_count].tolist(), lasts[:max_count].tolist()))


def iter_line_sentences(sweep: Sweep) -> Iterator[str]:
    """Yield a sentence for each range of x, and whether the models agree."""
    yield from _iter_range_sentences(sweep, find_intervals(sweep))
    if not sweep.divergence_mask.any():
        yield _describe_agreement(sweep)


def _describe_agreement(sweep: Sweep) -> str:
    if sweep.other_model:
        return (
            f"The answers of {sweep.model.name} and {sweep.other_model.name} agree on all of these."
        )
    if sweep.model.errata:
        return f"{sweep.model.name} computes the same as isa."
    return "Every known ptxas computes the same."


def _iter_range_sentences(sweep: Sweep, intervals: list[ValueInterval]) -> Iterator[str]:
    """Yield a sentence for each range, or the events and their counts if there are many."""
    if len(intervals) <= _MAX_RANGES:
        is_constant = np.all(sweep.bits == sweep.bits[0]) and not sweep.divergence_mask.any()
        if len(intervals) > 1 or sweep.events or not is_constant:  # said already
            yield from (_describe_range(sweep, interval) for interval in intervals)
        return
    yield (
        f"{sweep.result_part.label} goes through {len(intervals):,} ranges; "
        "within each, the same happens."
    )
    for event in sweep.events:
        yield _describe_scattered(sweep, event.mask, describe_event(event, sweep.result_part))
    if sweep.divergence_mask.any():
        yield _describe_scattered(sweep, sweep.divergence_mask, _describe_divergence(sweep))
    if not sweep.events and not sweep.divergence_mask.any():
        yield from (_describe_range(sweep, interval) for interval in intervals[:_SHOWN_RANGES])
        yield f"and so on, in {len(intervals) - _SHOWN_RANGES:,} ranges more."


def _describe_range(sweep: Sweep, interval: ValueInterval) -> str:
    trend = _describe_trend(sweep, sweep.bits, interval)
    sentence = f"{format_extent(sweep.x, *interval)}: {sweep.result_part.label} {trend}"
    events = [describe_event(x, sweep.result_part) for x in sweep.events if x.mask[interval.first]]
    if events:
        sentence += f"; {', '.join(events)}"
    if sweep.divergence_mask[interval.first] and sweep.other_model and sweep.other_bits is not None:
        other_trend = _describe_trend(sweep, sweep.other_bits, interval)
        sentence += f"; {sweep.other_model.name} differs from it, and there it {other_trend}"
    return f"{sentence}."


def _describe_trend(sweep: Sweep, bits: Bits, interval: ValueInterval) -> str:
    return describe_trend(
        sweep.result_part, bits[interval.first : interval.last + 1], sweep.x, interval.first
    )


def _describe_scattered(sweep: Sweep, mask: Mask, text: str) -> str:
    count = len(find_interval_ends(mask)[0])
    extents = "; ".join(
        format_extent(sweep.x, *interval) for interval in find_true_intervals(mask, _SHOWN_RANGES)
    )
    ranges = f", in {count:,} ranges" if count > 1 else ""
    ellipsis = ", and so on" if count > _SHOWN_RANGES else ""
    return (
        f"{text[:1].upper()}{text[1:]}: {format_share(mask, ' values')}{ranges}"
        f"{'' if mask.all() else f'; {extents}'}{ellipsis}."
    )


def _describe_divergence(sweep: Sweep) -> str:
    assert sweep.other_model
    return f"the answers of {sweep.model.name} and {sweep.other_model.name} differ"


def format_share(mask: Mask, noun: str = "") -> str:
    """Return how much a mask covers: ``everywhere``, or ``5 of 256`` with a noun behind it."""
    count = int(mask.sum())
    return "everywhere" if count == mask.size else f"{count:,} of {mask.size:,}{noun}"


# --- on a map ----------------------------------------------------------------------------


def _iter_map_sentences(sweep: Sweep) -> Iterator[str]:
    for event in sweep.events:
        yield _describe_area(sweep, event.mask, describe_event(event, sweep.result_part))
    if sweep.divergence_mask.any():
        yield _describe_area(sweep, sweep.divergence_mask, _describe_divergence(sweep))
    else:
        yield _describe_agreement(sweep)
    if row_sentences := describe_row(sweep):
        lane = sweep.y.part if sweep.y else sweep.x.part
        yield f"Where {lane.label} is {lane.format_value(lane.extract(sweep.operands[lane.role]))}:"
        yield from row_sentences


def describe_row(sweep: Sweep) -> list[str]:
    """Describe the events along x at the current value of y; empty if there are many."""
    if None in sweep.current_point:
        return []
    line = replace(sweep, y=None)
    intervals = find_intervals(line)
    return (
        [_describe_range(line, interval) for interval in intervals]
        if len(intervals) <= _MAX_MAP_RANGES
        else []
    )


def _describe_area(sweep: Sweep, mask: Mask, text: str) -> str:
    """Describe the share of a map that a mask covers, and its columns and rows."""
    assert sweep.y
    sentence = f"{text[:1].upper()}{text[1:]}: {format_share(mask, ' values')}"
    if mask.all():
        return f"{sentence}."
    for axis, line, is_stripe in (
        (sweep.x, mask[0], (mask == mask[:1]).all()),
        (sweep.y, mask[:, 0], (mask == mask[:, :1]).all()),
    ):
        if (
            is_stripe
            and len(intervals := find_true_intervals(line, _MAX_RANGES + 1)) <= _MAX_RANGES
        ):
            extents_text = "; ".join(format_extent(axis, *interval) for interval in intervals)
            return f"{sentence}; wherever {extents_text}."
    extents = [
        format_extent(axis, int(indices[0]), int(indices[-1]))
        for axis, indices in (
            (sweep.x, np.flatnonzero(mask.any(axis=0))),
            (sweep.y, np.flatnonzero(mask.any(axis=1))),
        )
        if int(indices[-1]) - int(indices[0]) + 1 < axis.size
    ]
    return f"{sentence}; all of them with {' and '.join(extents)}." if extents else f"{sentence}."


# --- all of it ---------------------------------------------------------------------------


def _describe_values(sweep: Sweep) -> str:
    ranks = np.unique(sweep.ranks)
    low, high = (sweep.result_part.get_value_at(int(x)) for x in (ranks[0], ranks[-1]))
    if len(ranks) == 1:
        return f"{sweep.result_part.label} is {sweep.result_part.format_value(low)} throughout."
    if len(ranks) == 2:
        return (
            f"{sweep.result_part.label} is {sweep.result_part.format_value(low)} or "
            f"{sweep.result_part.format_value(high)}."
        )
    is_complete = all(axis.stride == 1 for axis in (sweep.x, sweep.y) if axis)
    count_text = f"takes {len(ranks):,} different values," if is_complete else "takes values"
    return (
        f"{sweep.result_part.label} {count_text} from {sweep.result_part.format_value(low)} to "
        f"{sweep.result_part.format_value(high)}."
    )


def describe_point(sweep: Sweep) -> str:
    """Describe the current point and its result: ``a.b0 = 127: d.b0 = 127, clamped to 127``."""
    at_x, at_y = sweep.current_point
    if at_x is None or (sweep.y and at_y is None):
        return ""
    index = (at_x,) if at_y is None else (at_y, at_x)
    points = [f"{sweep.x.part.label} = {sweep.x.format_value_at(at_x)}"]
    if sweep.y and at_y is not None:
        points.append(f"{sweep.y.part.label} = {sweep.y.format_value_at(at_y)}")
    texts = [
        f"{sweep.result_part.label} = {sweep.result_part.format_value(int(sweep.bits[index]))}"
    ]
    texts += [
        describe_event(event, sweep.result_part) for event in sweep.events if event.mask[index]
    ]
    if sweep.divergence_mask[index] and sweep.other_model and sweep.other_bits is not None:
        other_value = sweep.result_part.format_value(int(sweep.other_bits[index]))
        texts.append(f"{sweep.other_model.name} {other_value}")
    return f"{', '.join(points)}: {', '.join(texts)}"


def _iter_point_parts(sweep: Sweep) -> Iterator[str]:
    if point := describe_point(sweep):
        yield f"At the current point {point}."
