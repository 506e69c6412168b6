"""A sweep in words: where it clamps, wraps, stays the same, and where models part."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from ..engine.records import NamedTuple
from ..engine.semantics.micro_operation import Flag, MicroOperation
from ..engine.semantics.micro_operations import (
    Clamp,
    Compare,
    LimitAmount,
    Magnitude,
    Merge,
    Truncate,
    Wrap,
)
from ..engine.semantics.plan import Stage
from .computation import Bits, Event, Mask, Sweep, SweepAxis
from .register_parts import RegisterPart, find_signedness
from .trends import describe_trend, format_extent, format_value_range

_MOST = 24
"""Ranges that are told one by one."""
_FEW = 6
"""Ranges that are told beside a map."""
_SHOWN = 3
"""Of more, the first that are."""


RankArray = npt.NDArray[np.int64]


class ValueInterval(NamedTuple):
    """A stretch of values of x over which the same happens."""

    first: int
    """Which value it begins with, and which it ends with."""
    last: int


def describe_sweep(sweep: Sweep) -> list[str]:
    """Sentences that tell the whole of it, for who can't see the picture."""
    told = [
        format_title(sweep),
        *_iter_fixed_parts(sweep),
        *_read_twice(sweep),
        *_iter_sampling_sentences(sweep),
        _describe_values(sweep),
    ]
    told += _map(sweep) if sweep.y else _iter_line_sentences(sweep)
    return [*told, *_iter_point_parts(sweep)]


def format_title(sweep: Sweep) -> str:
    """What is shown over what, under which model."""
    over = _format_axis_range(sweep.x)
    if sweep.y:
        over += f", and {_format_axis_range(sweep.y)}"
    return (
        f"{sweep.result_part.label} of `{sweep.instruction}` as {over}. Model {sweep.model.name}."
    )


def format_fixed_parts(sweep: Sweep) -> str:
    """The registers and parts that stay as they are: ``b = 0x00000005``."""
    ins = sweep.instruction
    said: dict[str, str] = {}
    for role in sweep.others:
        whole = RegisterPart(
            role, ins.format_operand(role), ins.type_of(role), ins.type_of(role).bits, 0, False
        )
        said.setdefault(whole.label, f"{whole.label} = {whole.format_hex(sweep.operands[role])}")
    for axis in filter(None, (sweep.x, sweep.y)):
        if not axis.lane.is_whole:
            lane = axis.lane
            bits = lane.insert(sweep.operands[lane.role], 0)
            whole = lane._replace(unit=lane.type.bits, number=0)
            said.setdefault(whole.label, f"the rest of {whole.label} = {whole.format_hex(bits)}")
    return ", ".join(said.values())


def _iter_fixed_parts(sweep: Sweep) -> Iterator[str]:
    if said := format_fixed_parts(sweep):
        yield f"Fixed: {said}."


def _read_twice(sweep: Sweep) -> Iterator[str]:
    """What is read as signed and as unsigned: which values are which."""
    for lane in (axis.lane for axis in (sweep.x, sweep.y) if axis):
        if len(find_signedness(sweep.instruction, lane, sweep.result_part)) > 1:
            top, above = 1 << (lane.unit - 1), 1 << lane.unit
            yield (
                f"{lane.label} is read as u{lane.unit} and as s{lane.unit} there: as"
                f" s{lane.unit}, {top} to {above - 1} are -{top} to -1."
            )


def _format_axis_range(axis: SweepAxis) -> str:
    count = f"all {axis.size:,}" if _is_all(axis) else f"{axis.size:,}"
    if axis.lane.values == 2:
        return f"{axis.lane.label} is {axis.lane.format_value(0)} or {axis.lane.format_value(1)}"
    values = format_value_range(axis.lane, axis.low, axis.high)
    return f"{axis.lane.label} goes through {count} values {values}"


def _is_all(axis: SweepAxis) -> bool:
    return axis.size == axis.lane.values


def describe_sampling(axis: SweepAxis) -> str:
    """How the values were drawn, where they are not all: nothing where they are."""
    if axis.stride == 1:
        return ""
    said = f"one of each {axis.stride:,} values of {axis.lane.label}"
    return f"{said}, and more near special values and near changes"


def _iter_sampling_sentences(sweep: Sweep) -> Iterator[str]:
    for said in filter(None, (describe_sampling(axis) for axis in (sweep.x, sweep.y) if axis)):
        yield f"Not all values are computed, but {said}; those between them are left out."


# --- what happens ------------------------------------------------------------------------


def describe_event(event: Event, of: RegisterPart) -> str:
    """What happens to a result, in a few words: ``clamped to 127``."""
    said = _SAID[type(event.row.micro)](event)
    alone = event.row.lanes == 1 or not of.is_whole
    return said if alone else f"lane {event.lane} {said}"


def _describe_clamp(event: Event) -> str:
    micro = event.row.micro
    assert isinstance(micro, Clamp)
    bound = micro.high if event.flag is Flag.CLAMPED_HIGH else micro.low
    where = "" if event.row.stage is Stage.SATURATE else f" at the step {event.step}"
    return f"clamped to {bound}{where}"


def _cut(event: Event) -> str:
    micro = event.row.micro
    assert isinstance(micro, Wrap | Truncate | Merge)
    bits = micro.unit if isinstance(micro, Merge) else micro.bits
    last = event.row.stage in (Stage.WRITE, Stage.MERGE)
    return f"wrapped to {bits} bits{'' if last else f' at the step {event.step}'}"


def _describe_shift_amount(event: Event) -> str:
    wraps = event.flag is Flag.WRAPPED
    return "only five bits of the amount count" if wraps else "the amount is limited to 32"


_NAMED = {
    Flag.FLUSHED: "a subnormal is flushed to zero",
    Flag.ROUNDED: "rounded to 24 significant bits",
    Flag.NAN: "an operand is NaN",
}


class _EventWording(dict[type[MicroOperation], Callable[[Event], str]]):
    """By the kind of row; any other's flag has its own words."""

    def __missing__(self, _: type[MicroOperation]) -> Callable[[Event], str]:
        return lambda event: _NAMED.get(event.flag, str(event.flag))


_SAID = _EventWording(
    {
        Clamp: _describe_clamp,
        Wrap: _cut,
        Truncate: _cut,
        Merge: _cut,
        LimitAmount: _describe_shift_amount,
        Magnitude: lambda _: "the magnitude wraps to itself",
        Compare: lambda _: "an operand is NaN",
    }
)


# --- along a line ------------------------------------------------------------------------


def find_intervals(sweep: Sweep) -> list[ValueInterval]:
    """The stretches of a line over which the same happens."""
    cases = sweep.cases
    (ends,) = np.nonzero(cases[1:] != cases[:-1])
    firsts, lasts = [0, *(ends + 1).tolist()], [*ends.tolist(), len(cases) - 1]
    return list(map(ValueInterval, firsts, lasts))


def find_interval_ends(where: Mask) -> tuple[RankArray, RankArray]:
    """Where each stretch of a line in which something holds begins, and where it ends."""
    padded = np.zeros(len(where) + 2, np.int8)
    padded[1:-1] = where
    steps = np.diff(padded)
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) - 1


def find_true_intervals(where: Mask, most: int | None = None) -> list[ValueInterval]:
    """The stretches of a line in which something holds, or the first of them."""
    firsts, lasts = find_interval_ends(where)
    return list(map(ValueInterval, firsts[:most].tolist(), lasts[:most].tolist()))


def _iter_line_sentences(sweep: Sweep) -> Iterator[str]:
    yield from _iter_range_sentences(sweep, find_intervals(sweep))
    if not sweep.divergence_mask.any():
        yield _describe_agreement(sweep)


def _describe_agreement(sweep: Sweep) -> str:
    if sweep.other:
        return f"The answers of {sweep.model.name} and {sweep.other.name} agree on all of these."
    if sweep.model.errata:
        return f"{sweep.model.name} computes what isa does."
    return "Every known ptxas computes the same."


def _iter_range_sentences(sweep: Sweep, found: list[ValueInterval]) -> Iterator[str]:
    """Each range in which the same happens; where there are many, what happens and how often."""
    if len(found) <= _MOST:
        yield from (_run(sweep, run) for run in found)
        return
    yield (
        f"{sweep.result_part.label} goes through {len(found):,} ranges, in each of which "
        "the same happens."
    )
    for event in sweep.events:
        yield _describe_scattered(sweep, event.where, describe_event(event, sweep.result_part))
    if sweep.divergence_mask.any():
        yield _describe_scattered(sweep, sweep.divergence_mask, _describe_divergence(sweep))
    if not sweep.events and not sweep.divergence_mask.any():
        yield from (_run(sweep, run) for run in found[:_SHOWN])
        yield f"and so on, in {len(found) - _SHOWN:,} ranges more."


def _run(sweep: Sweep, run: ValueInterval) -> str:
    said = f"{format_extent(sweep.x, *run)}: {_describe_interval(sweep, run)}"
    happened = [describe_event(x, sweep.result_part) for x in sweep.events if x.where[run.first]]
    if happened:
        said += f"; {', '.join(happened)}"
    if sweep.divergence_mask[run.first] and sweep.other and sweep.other_bits is not None:
        other = _describe_course(sweep, sweep.other_bits, run)
        said += f"; {sweep.other.name} parts from it, and there it {other}"
    return f"{said}."


def _describe_interval(sweep: Sweep, run: ValueInterval) -> str:
    """What the result does over a stretch: ``is 127``, ``rises from -28 to 127``."""
    return f"{sweep.result_part.label} {_describe_course(sweep, sweep.bits, run)}"


def _describe_course(sweep: Sweep, bits: Bits, run: ValueInterval) -> str:
    return describe_trend(sweep.result_part, bits[run.first : run.last + 1], sweep.x, run.first)


def _describe_scattered(sweep: Sweep, where: Mask, said: str) -> str:
    count = len(find_interval_ends(where)[0])
    first = "; ".join(format_extent(sweep.x, *run) for run in find_true_intervals(where, _SHOWN))
    ranges = f", in {count:,} ranges" if count > 1 else ""
    more = ", and so on" if count > _SHOWN else ""
    return (
        f"{said[:1].upper()}{said[1:]}: {_format_share(where)}{ranges}{'' if where.all() else '; '}"
        f"{'' if where.all() else first}{more}."
    )


def _describe_divergence(sweep: Sweep) -> str:
    assert sweep.other
    return f"the answers of {sweep.model.name} and {sweep.other.name} part"


def _format_share(where: Mask) -> str:
    count = int(where.sum())
    if count == where.size:
        return "everywhere"
    return f"{count:,} of {where.size:,} values"


# --- on a map ----------------------------------------------------------------------------


def _map(sweep: Sweep) -> Iterator[str]:
    for event in sweep.events:
        yield _describe_area(sweep, event.where, describe_event(event, sweep.result_part))
    if sweep.divergence_mask.any():
        yield _describe_area(sweep, sweep.divergence_mask, _describe_divergence(sweep))
    else:
        yield _describe_agreement(sweep)
    if said := describe_row(sweep):
        lane = sweep.y.lane if sweep.y else sweep.x.lane
        yield f"Where {lane.label} is {lane.format_value(lane.extract(sweep.operands[lane.role]))}:"
        yield from said


def describe_row(sweep: Sweep) -> list[str]:
    """What happens along x at the current value of y, in a few sentences; else none."""
    if None in sweep.current_point:
        return []
    line = Sweep(sweep.instruction, sweep.model, sweep.operands, sweep.x, None, sweep.result_part)
    found = find_intervals(line)
    return [_run(line, run) for run in found] if len(found) <= _FEW else []


def _describe_area(sweep: Sweep, where: Mask, said: str) -> str:
    """How much of a map, and in which columns and rows."""
    assert sweep.y
    told = f"{said[:1].upper()}{said[1:]}: {_format_share(where)}"
    if where.all():
        return f"{told}."
    for axis, line, alone in (
        (sweep.x, where[0], (where == where[:1]).all()),
        (sweep.y, where[:, 0], (where == where[:, :1]).all()),
    ):
        if alone and len(found := find_true_intervals(line, _MOST + 1)) <= _MOST:
            listed = "; ".join(format_extent(axis, *run) for run in found)
            return f"{told}; wherever {listed}."
    within = [
        format_extent(axis, int(there[0]), int(there[-1]))
        for axis, there in (
            (sweep.x, np.flatnonzero(where.any(axis=0))),
            (sweep.y, np.flatnonzero(where.any(axis=1))),
        )
        if int(there[-1]) - int(there[0]) + 1 < axis.size
    ]
    return f"{told}; all of them with {' and '.join(within)}." if within else f"{told}."


# --- all of it ---------------------------------------------------------------------------


def _describe_values(sweep: Sweep) -> str:
    found = np.unique(sweep.places)
    low, high = (sweep.result_part.get_value_at(int(x)) for x in (found[0], found[-1]))
    if len(found) == 1:
        return f"{sweep.result_part.label} is {sweep.result_part.format_value(low)} throughout."
    if len(found) == 2:
        return (
            f"{sweep.result_part.label} is {sweep.result_part.format_value(low)} or "
            f"{sweep.result_part.format_value(high)}."
        )
    whole = all(axis.stride == 1 for axis in (sweep.x, sweep.y) if axis)
    many = f"takes {len(found):,} different values," if whole else "takes values"
    return (
        f"{sweep.result_part.label} {many} from {sweep.result_part.format_value(low)} to "
        f"{sweep.result_part.format_value(high)}."
    )


def describe_point(sweep: Sweep) -> str:
    """The current point and its result: ``a.b0 = 127: d.b0 = 127, clamped to 127``; or nothing."""
    at_x, at_y = sweep.current_point
    if at_x is None or (sweep.y and at_y is None):
        return ""
    at = (at_x,) if at_y is None else (at_y, at_x)
    points = [f"{sweep.x.lane.label} = {sweep.x.format_value_at(at_x)}"]
    if sweep.y and at_y is not None:
        points.append(f"{sweep.y.lane.label} = {sweep.y.format_value_at(at_y)}")
    said = [f"{sweep.result_part.label} = {sweep.result_part.format_value(int(sweep.bits[at]))}"]
    said += [describe_event(event, sweep.result_part) for event in sweep.events if event.where[at]]
    if sweep.divergence_mask[at] and sweep.other and sweep.other_bits is not None:
        said.append(
            f"{sweep.other.name} {sweep.result_part.format_value(int(sweep.other_bits[at]))}"
        )
    return f"{', '.join(points)}: {', '.join(said)}"


def _iter_point_parts(sweep: Sweep) -> Iterator[str]:
    if said := describe_point(sweep):
        yield f"At the current point {said}."
