"""A sweep: arrays over all values of one or two register parts.

The results are those of ``tracing.evaluate``, and the events are the flags of the micro-operations;
a sweep computes nothing in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.arrays.block_runner import get_storage_dtype
from ..engine.arrays.flagged_results import FlaggedResults
from ..engine.isa.types import Type
from ..engine.records import NamedTuple
from ..engine.semantics.arithmetic import LaneValues
from ..engine.semantics.micro_operation import Flag
from ..engine.semantics.micro_operations import Choose, Clamp, Merge, Truncate, Wrap
from ..engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ..engine.semantics.plan import Plan, Row
from ..engine.syntax.instruction import Instruction
from ..engine.tracing.evaluation import check_read, make_plan, resolve_model
from ..engine.tracing.step_text import format_title
from .register_parts import RegisterPart, with_read_order

Bits = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

MAX_LINE_VALUES = 1 << 16
"""Largest number of values along a line; larger ranges are sampled evenly."""
MAX_SIDE_VALUES = 1 << 8
"""Largest number of values along each side of a map."""
_MAX_CHANGES = 64
"""Largest number of changes between two samples that are located exactly."""
_MAX_CASE_VALUES = 2
"""Largest number of distinct results that count as cases, as those of a comparison do."""


class SweepAxis(NamedTuple):
    """The values that a register part takes, in order."""

    lane: RegisterPart
    low: int
    """Bits of the first value; `high` has those of the last."""
    high: int
    stride: int
    """1 if all values are present; otherwise the interval between even samples."""
    ranks: Bits
    """Rank of each value among all values of the part: see ``RegisterPart.compute_rank``."""

    @property
    def bits(self) -> Bits:
        """The values."""
        return compute_patterns(self.lane, self.ranks)

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.ranks)

    def get_value(self, at: int) -> int:
        """Return the bits of the value at an index."""
        return self.lane.get_value_at(int(self.ranks[at]))

    def format_value_at(self, at: int) -> str:
        """Format the value at an index."""
        return self.lane.format_value(self.get_value(at))

    def find_index(self, bits: int) -> int | None:
        """Return the index of a value, or None if it is not among the values."""
        place = self.lane.compute_rank(bits)
        at = int(np.searchsorted(self.ranks, np.uint64(place)))
        return at if at < self.size and int(self.ranks[at]) == place else None


class Event(NamedTuple):
    """A flag raised on the way to a result, and the values that raise it."""

    flag: Flag
    row: Row
    lane: int
    """Lane of the row."""
    mask: Mask
    """True where the flag is raised: a line, or a map with a row for each value of y."""
    step: str
    """Title of the row's step."""


class Sweep:
    """The results over all values of one or two register parts."""

    def __init__(
        self,
        instruction: Instruction,
        model: Model,
        operands: Mapping[str, int],
        x: SweepAxis,
        y: SweepAxis | None,
        of: RegisterPart,
        *,
        marked: bool = True,
    ) -> None:
        self.instruction = instruction
        self.model = model
        self.operands = operands
        """Bits by role; swept operands have those of the current point."""
        self.x = x
        self.y = y
        self.result_part = of
        """The part of the result that the sweep shows."""
        self.has_current_point = marked
        """Whether there is a current point."""
        self.other_model = find_other_model(instruction, model)
        """Model to compare with; None if every known model gives the same answer."""
        columns, rows = x.bits, y.bits if y else None
        self.bits, self.events = _evaluate_parts(self, model, columns, rows)
        """The result's part for all values, and the events."""
        self.other_bits = (
            _evaluate_parts(self, self.other_model, columns, rows, with_events=False)[0]
            if self.other_model
            else None
        )

    @cached_property
    def divergence_mask(self) -> Mask:
        """True where the other model gives a different result."""
        if self.other_bits is None:
            return np.zeros(self.bits.shape, np.bool_)
        return np.asarray(self.other_bits != self.bits)

    @cached_property
    def clamped(self) -> Mask:
        """True where the result was moved to the end of a range."""
        return self._find_flag(Flag.CLAMPED_LOW) | self._find_flag(Flag.CLAMPED_HIGH)

    @cached_property
    def clamped_high(self) -> Mask:
        """True where the result was moved down to the upper end."""
        return self._find_flag(Flag.CLAMPED_HIGH)

    @cached_property
    def clamped_low(self) -> Mask:
        """True where the result was moved up to the lower end."""
        return self._find_flag(Flag.CLAMPED_LOW)

    @cached_property
    def wrapped(self) -> Mask:
        """True where significant bits of the result were cut off."""
        return self._find_flag(Flag.WRAPPED)

    def _find_flag(self, flag: Flag) -> Mask:
        found = np.zeros(self.bits.shape, np.bool_)
        for event in self.events:
            if event.flag is flag and isinstance(event.row.micro, Clamp | Wrap | Truncate | Merge):
                found |= event.mask
        return found

    @cached_property
    def ranks(self) -> Bits:
        """Ranks of the results: see ``RegisterPart.compute_rank``."""
        return self.compute_ranks(self.bits)

    def compute_ranks(self, bits: Bits) -> Bits:
        """Return the ranks of results."""
        return compute_ranks(self.result_part, bits)

    @property
    def current_point(self) -> tuple[int | None, int | None]:
        """Indices of the current point along x and y; None if it is not among the values."""
        if not self.has_current_point:
            return None, None
        at = self.x.find_index(self.x.lane.extract(self.operands[self.x.lane.role]))
        if self.y is None:
            return at, None
        return at, self.y.find_index(self.y.lane.extract(self.operands[self.y.lane.role]))

    @property
    def fixed_roles(self) -> tuple[str, ...]:
        """Roles of the registers that are not swept."""
        swept = {axis.lane.name for axis in (self.x, self.y) if axis}
        names = self.instruction.names
        read = [source.role for source in make_plan(self.instruction).sources]
        return tuple(x for x in read if x in names and names[x] not in swept)

    @cached_property
    def cases(self) -> npt.NDArray[np.int64]:
        """Case number of each value; values with the same events have the same number."""
        found = self.divergence_mask.astype(np.int64)
        for event in self.events:
            found = found * 2 + event.mask
        few = np.unique(self.bits)
        if len(few) <= _MAX_CASE_VALUES:
            found = found * _MAX_CASE_VALUES + np.searchsorted(few, self.bits)
        return found


def compute_sweep(
    instruction: Instruction,
    operands: Mapping[str, int],
    x: RegisterPart,
    y: RegisterPart | None = None,
    *,
    of: RegisterPart,
    model: str | Model = "isa",
    bounds: tuple[int, int] | None = None,
    with_events: bool = True,
) -> Sweep:
    """Sweep operands by role, each in the order in which the result's part reads it.

    `bounds` are the bits of the first and the last value of x. The operands of the swept parts are
    the current point. Raise ValueError if x and y have bits in common, the bounds are in the wrong
    order, or a value is missing.
    """
    if y and x.name == y.name and x.insert(0, x.mask) & y.insert(0, y.mask):
        raise ValueError(f"{x.text} and {y.text} have bits in common")
    x, y = with_read_order(instruction, x, of), y and with_read_order(instruction, y, of)
    if bounds and x.compute_rank(bounds[0]) > x.compute_rank(bounds[1]):
        raise ValueError(f"{x.format_value(bounds[0])} is above {x.format_value(bounds[1])}")
    model_ = resolve_model(model)
    check_read(instruction, model_, operands)
    columns = make_axis(x, MAX_SIDE_VALUES if y else MAX_LINE_VALUES, operands, bounds)
    rows = make_axis(y, MAX_SIDE_VALUES, operands) if y else None
    found = Sweep(instruction, model_, operands, columns, rows, of, marked=with_events)
    if y is None and columns.stride > 1:
        closer = _refine_axis(found)
        return Sweep(instruction, model_, operands, closer, None, of, marked=with_events)
    return found


def make_axis(
    lane: RegisterPart,
    most: int,
    operands: Mapping[str, int],
    bounds: tuple[int, int] | None = None,
) -> SweepAxis:
    """Return all values of a part in the range, or even samples with the edge cases added."""
    low, high = (lane.compute_rank(x) for x in bounds) if bounds else (0, lane.values - 1)
    stride = -(-(high - low + 1) // most)
    if stride > 1:
        stride |= 1  # an even stride would give all samples the same low bits
    count = (high - low) // stride + 1
    places = np.uint64(low) + np.arange(count, dtype=np.uint64) * np.uint64(stride)
    if stride > 1:
        marks = {mark for mark in _iter_edge_ranks(lane, operands) if low <= mark <= high}
        added = np.array(sorted(marks | {high}), np.uint64)
        places = np.union1d(places, added)
    return SweepAxis(lane, lane.get_value_at(low), lane.get_value_at(high), stride, places)


def find_other_model(ins: Instruction, model: Model) -> Model | None:
    """Return the model whose plan differs from that of `model`, or None."""
    own = make_plan(ins, model.make_rules(ins.form))
    others = (ISA_MODEL,) if model.errata else PTXAS_MODELS
    return next((x for x in others if make_plan(ins, x.make_rules(ins.form)) != own), None)


def _iter_edge_ranks(lane: RegisterPart, operands: Mapping[str, int]) -> Iterator[int]:
    """Yield the ranks of edge cases, and of their neighbours."""
    bits = lane.unit
    top = 1 << (bits - 1)
    found = {lane.extract(x) for x in operands.values()} | {0, top}
    if lane.is_float:
        fraction = 23 if bits == 32 else 52
        infinity = (top - 1) >> fraction << fraction
        one = ((1 << (bits - 2 - fraction)) - 1) << fraction
        subnormal = 1 << fraction
        quiet = infinity | subnormal >> 1
        found |= {x | sign for x in (infinity, quiet, one, subnormal) for sign in (0, top)}
    for mark in found:
        place = lane.compute_rank(mark)
        yield from (place - 1, place, place + 1)


def _refine_axis(drawn: Sweep) -> SweepAxis:
    """Return the axis with both neighbours of each change added, if the changes are few."""
    places, cases = drawn.x.ranks, drawn.cases
    (changes,) = np.nonzero((cases[1:] != cases[:-1]) & (places[1:] - places[:-1] > 1))
    if not 0 < len(changes) <= _MAX_CHANGES:
        return drawn.x
    below, above = places[changes], places[changes + 1]
    before = drawn.bits[changes], *(event.mask[changes] for event in drawn.events)
    apart = drawn.divergence_mask[changes]
    few = len(np.unique(drawn.bits)) <= _MAX_CASE_VALUES
    while (above - below > 1).any():
        middle = below + (above - below) // np.uint64(2)
        there = Sweep(
            drawn.instruction,
            drawn.model,
            drawn.operands,
            drawn.x._replace(ranks=middle),
            None,
            drawn.result_part,
        )
        same = there.divergence_mask == apart
        if few:
            same &= there.bits == before[0]
        happened = {(event.flag, event.row.key, event.lane): event.mask for event in there.events}
        for event, where in zip(drawn.events, before[1:], strict=True):
            now = happened.pop((event.flag, event.row.key, event.lane), np.zeros_like(same))
            same &= now == where
        for new in happened.values():
            same &= ~new
        below, above = np.where(same, middle, below), np.where(same, above, middle)
    return drawn.x._replace(ranks=np.union1d(places, np.concatenate([below, above])))


# --- running the plans -------------------------------------------------------------------


def _evaluate_parts(
    of: Sweep, model: Model, columns: Bits, rows: Bits | None, *, with_events: bool = True
) -> tuple[Bits, tuple[Event, ...]]:
    """Return the result's part for all values, and the events if requested."""
    ins = of.instruction
    plan = make_plan(ins, model.make_rules(ins.form))
    shape = (len(columns),) if rows is None else (len(rows), len(columns))
    operands = {
        source.role: _make_operand_array(of, source.role, source.type, columns, rows, shape)
        for source in plan.sources
    }
    there = FlaggedResults(plan, operands, int(np.prod(shape)))
    lane = of.result_part
    result = next(x for x in plan.results if x.role == lane.role)
    word = there.results[lane.role].astype(np.uint64)
    part = word if lane.is_whole else word >> np.uint64(lane.shift) & np.uint64(lane.mask)
    events = (
        _EventCollector(plan, there, shape).find_events(result.key, lane) if with_events else ()
    )
    return part.reshape(shape), events


def _make_operand_array(
    of: Sweep, role: str, type_: Type, columns: Bits, rows: Bits | None, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """Return the bits of an operand for all values; one number if it is not swept."""
    name = of.instruction.names.get(role)
    bits = of.operands[role]
    swept = [(of.x.lane, columns)]
    if of.y and rows is not None:
        swept.append((of.y.lane, rows[:, None]))
    ours = [(lane, values) for lane, values in swept if lane.name == name]
    if not ours:
        return np.array(bits, get_storage_dtype(type_))
    for lane, _ in ours:
        bits = lane.insert(bits, 0)
    found = np.array(bits, np.uint64)
    for lane, values in ours:
        found = found | values << np.uint64(lane.shift)
    return np.broadcast_to(found.astype(get_storage_dtype(type_)), shape).reshape(-1)


class _EventCollector:
    """Follows a result back through its rows and collects their flags."""

    def __init__(self, plan: Plan, there: FlaggedResults, shape: tuple[int, ...]) -> None:
        self.plan = plan
        self.results = there
        self.shape = shape
        self.rows = {row.key: row for row in plan.rows}
        self.order = {row.key: at for at, row in enumerate(plan.rows)}
        self.raised: dict[str, list[tuple[Flag, Mask]]] = {}
        self.masks: dict[tuple[Flag, str, int], Mask] = {}

    def find_events(self, key: str, lane: RegisterPart) -> tuple[Event, ...]:
        """Return the events that affect a part of a row's only lane, in the order of the rows."""
        self._follow_bits(key, 0, lane.shift, lane.shift + lane.unit, None)
        called = {step.stage: format_title(step) for step in self.plan.steps}
        events = [
            Event(flag, self.rows[row], at, where.reshape(self.shape), called[self.rows[row].stage])
            for (flag, row, at), where in self.masks.items()
        ]
        return tuple(sorted(events, key=lambda event: (self.order[event.row.key], event.lane)))

    def _follow_bits(self, key: str, lane: int, low: int, high: int, only: Mask | None) -> None:
        """Collect the flags of a lane's bits and of all bits that they depend on.

        `only` selects the values that count: a choice ignores one of its two inputs.
        """
        row = self.rows.get(key)
        if row is None:
            return
        if not isinstance(row.micro, Merge) or lane in row.micro.lanes:
            self._collect(row, lane, only)
        if isinstance(row.micro, Choose):
            self._follow_choice(row, lane, (low, high), only)
            return
        inputs: tuple[LaneValues, ...] = tuple((0,) * self._count_lanes(key) for key in row.inputs)
        for part in row.micro.find_origins(lane, low, high, inputs):
            if part.low < part.high:
                self._follow_bits(row.inputs[part.input], part.lane, part.low, part.high, only)

    def _follow_choice(self, row: Row, lane: int, bits: tuple[int, int], only: Mask | None) -> None:
        condition, *ways = row.inputs
        taken = self.results.get_condition(condition)
        self._follow_bits(condition, lane, *bits, only)
        for way, there in zip(ways, (taken, ~taken), strict=True):
            self._follow_bits(way, lane, *bits, there if only is None else there & only)

    def _count_lanes(self, key: str) -> int:
        return self.rows[key].lanes if key in self.rows else 1

    def _collect(self, row: Row, lane: int, only: Mask | None) -> None:
        if row.key not in self.raised:
            self.raised[row.key] = list(self.results.get_row_flags(row))
        count = self._count_lanes(row.inputs[0])
        for flag, everywhere in self.raised[row.key]:
            where = everywhere[lane::count] if count > 1 else everywhere
            if only is not None:
                where = where & only
            if not where.any():
                continue
            key = (flag, row.key, lane)
            before = self.masks.get(key)
            self.masks[key] = where if before is None else before | where


def compute_ranks(lane: RegisterPart, bits: Bits) -> Bits:
    """Return ``RegisterPart.compute_rank`` of each value."""
    top = np.uint64(1 << (lane.unit - 1))
    if lane.is_float:
        return np.where(bits & top, ~bits & np.uint64(lane.mask), bits | top)
    return bits ^ top if lane.is_signed else bits


def compute_patterns(lane: RegisterPart, places: Bits) -> Bits:
    """Return ``RegisterPart.get_value_at`` of each rank."""
    top = np.uint64(1 << (lane.unit - 1))
    if lane.is_float:
        return np.where(places & top, places ^ top, ~places & np.uint64(lane.mask))
    return places ^ top if lane.is_signed else places
