"""A sweep in words: where it clamps, wraps, stays the same, and where models part."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from ..engine.records import NamedTuple
from ..engine.semantics.micro_operation import Flag, Micro
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
from .computation import Axis, Bits, Event, Mask, Sweep
from .register_parts import Lane, readings
from .trends import between, course, extent

_MOST = 24
"""Ranges that are told one by one."""
_FEW = 6
"""Ranges that are told beside a map."""
_SHOWN = 3
"""Of more, the first that are."""


Places = npt.NDArray[np.int64]


class Run(NamedTuple):
    """A stretch of values of x over which the same happens."""

    first: int
    """Which value it begins with, and which it ends with."""
    last: int


def words(sweep: Sweep) -> list[str]:
    """Sentences that tell the whole of it, for who can't see the picture."""
    told = [title(sweep), *_fixed(sweep), *_read_twice(sweep), *_drawn(sweep), _values(sweep)]
    told += _map(sweep) if sweep.y else _line(sweep)
    return [*told, *_here(sweep)]


def title(sweep: Sweep) -> str:
    """What is shown over what, under which model."""
    over = _through(sweep.x)
    if sweep.y:
        over += f", and {_through(sweep.y)}"
    return f"{sweep.of.label} of `{sweep.instruction}` as {over}. Model {sweep.model.name}."


def fixed(sweep: Sweep) -> str:
    """The registers and parts that stay as they are: ``b = 0x00000005``."""
    ins = sweep.instruction
    said: dict[str, str] = {}
    for role in sweep.others:
        whole = Lane(role, ins.called(role), ins.type_of(role), ins.type_of(role).bits, 0, False)
        said.setdefault(whole.label, f"{whole.label} = {whole.pattern(sweep.operands[role])}")
    for axis in filter(None, (sweep.x, sweep.y)):
        if not axis.lane.whole:
            lane = axis.lane
            bits = lane.put(sweep.operands[lane.role], 0)
            whole = lane._replace(unit=lane.type.bits, number=0)
            said.setdefault(whole.label, f"the rest of {whole.label} = {whole.pattern(bits)}")
    return ", ".join(said.values())


def _fixed(sweep: Sweep) -> Iterator[str]:
    if said := fixed(sweep):
        yield f"Fixed: {said}."


def _read_twice(sweep: Sweep) -> Iterator[str]:
    """What is read as signed and as unsigned: which values are which."""
    for lane in (axis.lane for axis in (sweep.x, sweep.y) if axis):
        if len(readings(sweep.instruction, lane, sweep.of)) > 1:
            top, above = 1 << (lane.unit - 1), 1 << lane.unit
            yield (
                f"{lane.label} is read as u{lane.unit} and as s{lane.unit} there: as"
                f" s{lane.unit}, {top} to {above - 1} are -{top} to -1."
            )


def _through(axis: Axis) -> str:
    count = f"all {axis.size:,}" if _is_all(axis) else f"{axis.size:,}"
    if axis.lane.values == 2:
        return f"{axis.lane.label} is {axis.lane.said(0)} or {axis.lane.said(1)}"
    values = between(axis.lane, axis.low, axis.high)
    return f"{axis.lane.label} goes through {count} values {values}"


def _is_all(axis: Axis) -> bool:
    return axis.size == axis.lane.values


def drawn(axis: Axis) -> str:
    """How the values were drawn, where they are not all: nothing where they are."""
    if axis.stride == 1:
        return ""
    said = f"one of each {axis.stride:,} values of {axis.lane.label}"
    return f"{said}, and more where something changes or often does"


def _drawn(sweep: Sweep) -> Iterator[str]:
    for said in filter(None, (drawn(axis) for axis in (sweep.x, sweep.y) if axis)):
        yield f"Not all are looked at, but {said}; what is between them is not told."


# --- what happens ------------------------------------------------------------------------


def happening(event: Event, of: Lane) -> str:
    """What happens to a result, in a few words: ``clamped to 127``."""
    said = _SAID[type(event.row.micro)](event)
    alone = event.row.lanes == 1 or not of.whole
    return said if alone else f"lane {event.lane} {said}"


def _clamped(event: Event) -> str:
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


def _amount(event: Event) -> str:
    wraps = event.flag is Flag.WRAPPED
    return "only five bits of the amount count" if wraps else "the amount is limited to 32"


_NAMED = {
    Flag.FLUSHED: "a subnormal is flushed to zero",
    Flag.ROUNDED: "rounded to 24 significant bits",
    Flag.NAN: "an operand is NaN",
}


class _Said(dict[type[Micro], Callable[[Event], str]]):
    """By the kind of row; any other's flag has its own words."""

    def __missing__(self, _: type[Micro]) -> Callable[[Event], str]:
        return lambda event: _NAMED.get(event.flag, str(event.flag))


_SAID = _Said(
    {
        Clamp: _clamped,
        Wrap: _cut,
        Truncate: _cut,
        Merge: _cut,
        LimitAmount: _amount,
        Magnitude: lambda _: "the magnitude wraps to itself",
        Compare: lambda _: "an operand is NaN",
    }
)


# --- along a line ------------------------------------------------------------------------


def runs(sweep: Sweep) -> list[Run]:
    """The stretches of a line over which the same happens."""
    cases = sweep.cases
    (ends,) = np.nonzero(cases[1:] != cases[:-1])
    firsts, lasts = [0, *(ends + 1).tolist()], [*ends.tolist(), len(cases) - 1]
    return list(map(Run, firsts, lasts))


def ends(where: Mask) -> tuple[Places, Places]:
    """Where each stretch of a line in which something holds begins, and where it ends."""
    padded = np.zeros(len(where) + 2, np.int8)
    padded[1:-1] = where
    steps = np.diff(padded)
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) - 1


def stretches(where: Mask, most: int | None = None) -> list[Run]:
    """The stretches of a line in which something holds, or the first of them."""
    firsts, lasts = ends(where)
    return list(map(Run, firsts[:most].tolist(), lasts[:most].tolist()))


def _line(sweep: Sweep) -> Iterator[str]:
    yield from _ranges(sweep, runs(sweep))
    if not sweep.apart.any():
        yield _agreeing(sweep)


def _agreeing(sweep: Sweep) -> str:
    if sweep.other:
        return f"The answers of {sweep.model.name} and {sweep.other.name} agree on all of these."
    if sweep.model.errata:
        return f"{sweep.model.name} computes what isa does."
    return "Every known ptxas computes the same."


def _ranges(sweep: Sweep, found: list[Run]) -> Iterator[str]:
    """Each range in which the same happens; where there are many, what happens and how often."""
    if len(found) <= _MOST:
        yield from (_run(sweep, run) for run in found)
        return
    yield f"{sweep.of.label} goes through {len(found):,} ranges, in each of which the same happens."
    for event in sweep.events:
        yield _scattered(sweep, event.where, happening(event, sweep.of))
    if sweep.apart.any():
        yield _scattered(sweep, sweep.apart, _parting(sweep))
    if not sweep.events and not sweep.apart.any():
        yield from (_run(sweep, run) for run in found[:_SHOWN])
        yield f"and so on, in {len(found) - _SHOWN:,} ranges more."


def _run(sweep: Sweep, run: Run) -> str:
    said = f"{extent(sweep.x, *run)}: {_told(sweep, run)}"
    happened = [happening(x, sweep.of) for x in sweep.events if x.where[run.first]]
    if happened:
        said += f"; {', '.join(happened)}"
    if sweep.apart[run.first] and sweep.other and sweep.other_bits is not None:
        other = _course(sweep, sweep.other_bits, run)
        said += f"; {sweep.other.name} parts from it, and there it {other}"
    return f"{said}."


def _told(sweep: Sweep, run: Run) -> str:
    """What the result does over a stretch: ``is 127``, ``rises from -28 to 127``."""
    return f"{sweep.of.label} {_course(sweep, sweep.bits, run)}"


def _course(sweep: Sweep, bits: Bits, run: Run) -> str:
    return course(sweep.of, bits[run.first : run.last + 1], sweep.x, run.first)


def _scattered(sweep: Sweep, where: Mask, said: str) -> str:
    count = len(ends(where)[0])
    first = "; ".join(extent(sweep.x, *run) for run in stretches(where, _SHOWN))
    ranges = f", in {count:,} ranges" if count > 1 else ""
    more = ", and so on" if count > _SHOWN else ""
    return (
        f"{said[:1].upper()}{said[1:]}: {_share(where)}{ranges}{'' if where.all() else '; '}"
        f"{'' if where.all() else first}{more}."
    )


def _parting(sweep: Sweep) -> str:
    assert sweep.other
    return f"the answers of {sweep.model.name} and {sweep.other.name} part"


def _share(where: Mask) -> str:
    count = int(where.sum())
    if count == where.size:
        return "everywhere"
    return f"{count:,} of {where.size:,} values"


# --- on a map ----------------------------------------------------------------------------


def _map(sweep: Sweep) -> Iterator[str]:
    for event in sweep.events:
        yield _area(sweep, event.where, happening(event, sweep.of))
    if sweep.apart.any():
        yield _area(sweep, sweep.apart, _parting(sweep))
    else:
        yield _agreeing(sweep)
    if said := along(sweep):
        lane = sweep.y.lane if sweep.y else sweep.x.lane
        yield f"Where {lane.label} is {lane.said(lane.of(sweep.operands[lane.role]))}:"
        yield from said


def along(sweep: Sweep) -> list[str]:
    """What happens along x at the current value of y, in a few sentences; else none."""
    if None in sweep.here:
        return []
    line = Sweep(sweep.instruction, sweep.model, sweep.operands, sweep.x, None, sweep.of)
    found = runs(line)
    return [_run(line, run) for run in found] if len(found) <= _FEW else []


def _area(sweep: Sweep, where: Mask, said: str) -> str:
    """How much of a map, and in which columns and rows."""
    assert sweep.y
    told = f"{said[:1].upper()}{said[1:]}: {_share(where)}"
    if where.all():
        return f"{told}."
    for axis, line, alone in (
        (sweep.x, where[0], (where == where[:1]).all()),
        (sweep.y, where[:, 0], (where == where[:, :1]).all()),
    ):
        if alone and len(found := stretches(line, _MOST + 1)) <= _MOST:
            listed = "; ".join(extent(axis, *run) for run in found)
            return f"{told}; wherever {listed}."
    within = [
        extent(axis, int(there[0]), int(there[-1]))
        for axis, there in (
            (sweep.x, np.flatnonzero(where.any(axis=0))),
            (sweep.y, np.flatnonzero(where.any(axis=1))),
        )
        if int(there[-1]) - int(there[0]) + 1 < axis.size
    ]
    return f"{told}; all of them with {' and '.join(within)}." if within else f"{told}."


# --- all of it ---------------------------------------------------------------------------


def _values(sweep: Sweep) -> str:
    found = np.unique(sweep.places)
    low, high = (sweep.of.at(int(x)) for x in (found[0], found[-1]))
    if len(found) == 1:
        return f"{sweep.of.label} is {sweep.of.said(low)} throughout."
    if len(found) == 2:
        return f"{sweep.of.label} is {sweep.of.said(low)} or {sweep.of.said(high)}."
    whole = all(axis.stride == 1 for axis in (sweep.x, sweep.y) if axis)
    many = f"takes {len(found):,} different values," if whole else "takes values"
    return f"{sweep.of.label} {many} from {sweep.of.said(low)} to {sweep.of.said(high)}."


def here(sweep: Sweep) -> str:
    """The current point and its result: ``a.b0 = 127: d.b0 = 127, clamped to 127``; or nothing."""
    at_x, at_y = sweep.here
    if at_x is None or (sweep.y and at_y is None):
        return ""
    at = (at_x,) if at_y is None else (at_y, at_x)
    points = [f"{sweep.x.lane.label} = {sweep.x.said(at_x)}"]
    if sweep.y and at_y is not None:
        points.append(f"{sweep.y.lane.label} = {sweep.y.said(at_y)}")
    said = [f"{sweep.of.label} = {sweep.of.said(int(sweep.bits[at]))}"]
    said += [happening(event, sweep.of) for event in sweep.events if event.where[at]]
    if sweep.apart[at] and sweep.other and sweep.other_bits is not None:
        said.append(f"{sweep.other.name} {sweep.of.said(int(sweep.other_bits[at]))}")
    return f"{', '.join(points)}: {', '.join(said)}"


def _here(sweep: Sweep) -> Iterator[str]:
    if said := here(sweep):
        yield f"At the current point {said}."
