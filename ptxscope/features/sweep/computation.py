"""A sweep: arrays over all values of one or two register parts.

The results come from ``tracing.evaluate``, and the events are the flags of the micro-operations;
a sweep has no other computation.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.arrays.call_sequence import get_storage_dtype
from ...engine.isa.types import Type
from ...engine.micro_operations.arithmetic import LaneValues
from ...engine.micro_operations.properties import Flag
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ...engine.semantics.plan import Plan, Row
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.evaluation import check_read, resolve_model
from ...engine.tracing.step_text import format_stage_title
from .axis import IntegerSweep, ResultAxis, SweepAxis, make_axis
from .flagged_results import FlaggedResults
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
"""Largest number of distinct results that count as cases, like the results of a comparison."""


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
    statement: int = 0
    """Number of the row's statement in a block, from 1; 0 for an instruction."""

    @property
    def bound(self) -> int | None:
        """The end of the range to which the number was moved, or None."""
        return self.row.micro.find_bound(self.flag)


class Sweep(IntegerSweep):
    """The results over all values of one or two register parts, and their events, as arrays."""

    @cached_property
    def _results(self) -> tuple[Bits, tuple[Event, ...]]:
        return _evaluate_parts(self, self.model)

    @property
    def bits(self) -> Bits:
        """The result's part for all values."""
        return self._results[0]

    @property
    def events(self) -> tuple[Event, ...]:
        """The events on the way to the results."""
        return self._results[1]

    @cached_property
    def other_model(self) -> Model | None:
        """Model to compare with; None if every known model gives the same answer."""
        return find_other_model(self.instruction, self.model)

    @cached_property
    def other_bits(self) -> Bits | None:
        """The result's part under the other model."""
        model = self.other_model
        return _evaluate_parts(self, model, with_events=False)[0] if model else None

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
    def wrapped(self) -> Mask:
        """True where significant bits of the result were cut off."""
        return self._find_flag(Flag.WRAPPED)

    @property
    def masks(self) -> dict[str, Mask]:
        """The values that plots mark, by kind, if there are any."""
        masks = {"clamped": self.clamped, "wrapped": self.wrapped, "other": self.divergence_mask}
        return {kind: mask for kind, mask in masks.items() if mask.any()}

    def _find_flag(self, flag: Flag) -> Mask:
        mask = np.zeros(self.bits.shape, np.bool_)
        for event in self.events:
            if event.flag is flag and event.row.micro.is_narrowing:
                mask |= event.mask
        return mask

    @cached_property
    def ranks(self) -> Bits:
        """Ranks of the results: see ``RegisterPart.compute_rank``."""
        return compute_ranks(self.result_part, self.bits)

    @cached_property
    def other_ranks(self) -> Bits | None:
        """Ranks of the other model's results; None if they are the same."""
        if self.other_bits is None or not self.divergence_mask.any():
            return None
        return compute_ranks(self.result_part, self.other_bits)

    @cached_property
    def result_axis(self) -> ResultAxis:
        """The results from the least to the greatest; on a line, with those of the other model."""
        arrays = [self.ranks]
        if self.y is None and self.other_ranks is not None:
            arrays.append(self.other_ranks)
        low, high = min(int(x.min()) for x in arrays), max(int(x.max()) for x in arrays)
        return ResultAxis(self.result_part, low, high)

    @property
    def fixed_roles(self) -> tuple[str, ...]:
        """Roles of the registers that are not swept."""
        swept_names = {axis.part.name for axis in (self.x, self.y) if axis}
        names = self.instruction.names
        read_roles = [source.role for source in self.instruction.plan.sources]
        return tuple(x for x in read_roles if x in names and names[x] not in swept_names)

    @cached_property
    def cases(self) -> npt.NDArray[np.int64]:
        """Case number of each value; values with the same events have the same number."""
        case_numbers = self.divergence_mask.astype(np.int64)
        for event in self.events:
            case_numbers = case_numbers * 2 + event.mask
        distinct_bits = np.unique(self.bits)
        if len(distinct_bits) <= _MAX_CASE_VALUES:
            case_numbers = case_numbers * _MAX_CASE_VALUES + np.searchsorted(
                distinct_bits, self.bits
            )
        return case_numbers


def compute_sweep(
    instruction: BasicBlock,
    operands: Mapping[str, int],
    x: RegisterPart,
    y: RegisterPart | None = None,
    *,
    result_part: RegisterPart,
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
    x, y = (
        with_read_order(instruction, x, result_part),
        y and with_read_order(instruction, y, result_part),
    )
    if bounds and x.compute_rank(bounds[0]) > x.compute_rank(bounds[1]):
        raise ValueError(f"{x.format_value(bounds[0])} is above {x.format_value(bounds[1])}")
    model_ = resolve_model(model)
    check_read(instruction, instruction.make_plan(model_), model_, operands)
    columns = make_axis(x, MAX_SIDE_VALUES if y else MAX_LINE_VALUES, operands, bounds)
    rows = make_axis(y, MAX_SIDE_VALUES, operands) if y else None
    sweep = Sweep(instruction, model_, operands, columns, rows, result_part, with_events)
    return sweep if y or columns.stride == 1 else replace(sweep, x=_refine_axis(sweep))


def find_other_model(ins: BasicBlock, model: Model) -> Model | None:
    """Return the model whose plan differs from that of `model`, or None."""
    plan = ins.make_plan(model)
    models = (ISA_MODEL,) if model.errata else PTXAS_MODELS
    return next((x for x in models if ins.make_plan(x) != plan), None)


def _refine_axis(sweep: Sweep) -> SweepAxis:
    """Return the axis with both neighbours of each change added, if the changes are few."""
    ranks, cases = np.asarray(sweep.x.ranks), sweep.cases
    (changes,) = np.nonzero((cases[1:] != cases[:-1]) & (ranks[1:] - ranks[:-1] > 1))
    if not 0 < len(changes) <= _MAX_CHANGES:
        return sweep.x
    low_ranks, high_ranks = ranks[changes], ranks[changes + 1]
    expected_changes = sweep.bits[changes], *(event.mask[changes] for event in sweep.events)
    deviations = sweep.divergence_mask[changes]
    has_few_values = len(np.unique(sweep.bits)) <= _MAX_CASE_VALUES
    while (high_ranks - low_ranks > 1).any():
        middle_ranks = low_ranks + (high_ranks - low_ranks) // np.uint64(2)
        middle_axis = sweep.x._replace(ranks=array("Q", middle_ranks.tobytes()))
        middle_sweep = replace(sweep, x=middle_axis)
        is_same = middle_sweep.divergence_mask == deviations
        if has_few_values:
            is_same &= middle_sweep.bits == expected_changes[0]
        masks = {
            (event.flag, event.row.key, event.lane): event.mask for event in middle_sweep.events
        }
        for event, mask in zip(sweep.events, expected_changes[1:], strict=True):
            current_mask = masks.pop(
                (event.flag, event.row.key, event.lane), np.zeros_like(is_same)
            )
            is_same &= current_mask == mask
        for extra_mask in masks.values():
            is_same &= ~extra_mask
        low_ranks, high_ranks = (
            np.where(is_same, middle_ranks, low_ranks),
            np.where(is_same, high_ranks, middle_ranks),
        )
    all_ranks = np.union1d(ranks, np.concatenate([low_ranks, high_ranks]))
    return sweep.x._replace(ranks=array("Q", all_ranks.tobytes()))


# --- running the plans -------------------------------------------------------------------


def _evaluate_parts(
    sweep: Sweep, model: Model, *, with_events: bool = True
) -> tuple[Bits, tuple[Event, ...]]:
    """Return the result's part for all values, and the events if requested."""
    columns = get_axis_bits(sweep.x)
    rows = get_axis_bits(sweep.y) if sweep.y else None
    plan = sweep.instruction.make_plan(model)
    shape = (len(columns),) if rows is None else (len(rows), len(columns))
    operands = {
        source.role: _make_operand_array(sweep, source.role, source.type, columns, rows, shape)
        for source in plan.sources
    }
    results = FlaggedResults(plan, operands, int(np.prod(shape)))
    part = sweep.result_part
    result = next(x for x in plan.results if x.role == part.role)
    word = results.results[part.role].astype(np.uint64)
    part_values = word if part.is_whole else word >> np.uint64(part.shift) & np.uint64(part.mask)
    events = (
        _EventCollector(sweep.instruction, plan, results, shape).find_events(result.key, part)
        if with_events
        else ()
    )
    return part_values.reshape(shape), events


def _make_operand_array(
    sweep: Sweep, role: str, type_: Type, columns: Bits, rows: Bits | None, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """Return the bits of an operand for all values; one number if it is not swept."""
    name = sweep.instruction.names.get(role)
    bits = sweep.operands[role]
    swept_parts = [(sweep.x.part, columns)]
    if sweep.y and rows is not None:
        swept_parts.append((sweep.y.part, rows[:, None]))
    parts = [(part, values) for part, values in swept_parts if part.name == name]
    if not parts:
        return np.array(bits, get_storage_dtype(type_))
    for part, _ in parts:
        bits = part.insert(bits, 0)
    array = np.array(bits, np.uint64)
    for part, values in parts:
        array = array | values << np.uint64(part.shift)
    return np.broadcast_to(array.astype(get_storage_dtype(type_)), shape).reshape(-1)


class _Bits(NamedTuple):
    """Bits of a lane of a row that a result depends on."""

    key: str
    lane: int
    low: int
    high: int


class _EventCollector:
    """Follows a result back through its rows and collects their flags."""

    def __init__(
        self, ins: BasicBlock, plan: Plan, results: FlaggedResults, shape: tuple[int, ...]
    ) -> None:
        self.numbers = {x.prefix: x.number for x in ins.statements if len(ins.statements) > 1}
        self.results = results
        self.shape = shape
        self.rows = {row.key: row for row in plan.rows}
        steps = groupby(plan.rows, lambda row: (self._find_statement(row), row.stage))
        self.titles = {
            row.key: format_stage_title(stage, rows)
            for (_, stage), group in steps
            for rows in (tuple(group),)
            for row in rows
        }
        self.raised: dict[str, list[tuple[Flag, Mask]]] = {}
        self.masks: dict[tuple[Flag, str, int], Mask] = {}
        self.pending: dict[str, dict[_Bits, Mask | None]] = {}
        """The bits of each row that are still to follow, with the values for which they count."""

    def find_events(self, key: str, part: RegisterPart) -> tuple[Event, ...]:
        """Return the events that affect a part of a row's only lane, in the order of the rows."""
        self._add(_Bits(key, 0, part.shift, part.shift + part.unit), None)
        for row in reversed(self.rows.values()):  # the readers of a row come after it
            for bits, relevant in self.pending.pop(row.key, {}).items():
                self._follow_bits(row, bits, relevant)
        order = {row_key: index for index, row_key in enumerate(self.rows)}
        events = [
            Event(
                flag,
                row,
                lane,
                mask.reshape(self.shape),
                self.titles[key],
                self._find_statement(row),
            )
            for (flag, key, lane), mask in self.masks.items()
            for row in (self.rows[key],)
        ]
        return tuple(sorted(events, key=lambda event: (order[event.row.key], event.lane)))

    def _find_statement(self, row: Row) -> int:
        """Return the number of a row's statement, or 0 if there is one instruction."""
        return self.numbers.get(row.key[: row.key.index(".") + 1], 0)

    def _add(self, bits: _Bits, relevant: Mask | None) -> None:
        """Add bits to follow, for the values that are true in a mask, or for all."""
        parts = self.pending.setdefault(bits.key, {})
        if bits not in parts or relevant is None:
            parts[bits] = relevant
        elif (mask := parts[bits]) is not None:
            parts[bits] = mask | relevant

    def _follow_bits(self, row: Row, bits: _Bits, relevant: Mask | None) -> None:
        """Collect the flags of bits of a row, and add all bits that they depend on.

        `relevant` selects the values that count: a choice ignores one of its two inputs.
        """
        _, lane, low, high = bits
        if row.micro.can_raise_flags(lane):
            self._collect(row, lane, relevant)
        if row.micro.is_choice:
            condition, *options = row.inputs
            condition_mask = self.results.get_condition(condition)
            self._add(bits._replace(key=condition), relevant)
            for option, mask in zip(options, (condition_mask, ~condition_mask), strict=True):
                option_mask = mask if relevant is None else mask & relevant
                self._add(bits._replace(key=option), option_mask)
            return
        inputs: tuple[LaneValues, ...] = tuple((0,) * self._count_lanes(key) for key in row.inputs)
        for part in row.micro.find_origins(lane, low, high, inputs):
            if part.low < part.high:
                self._add(_Bits(row.inputs[part.input], part.lane, part.low, part.high), relevant)

    def _count_lanes(self, key: str) -> int:
        return self.rows[key].lanes if key in self.rows else 1

    def _collect(self, row: Row, lane: int, relevant: Mask | None) -> None:
        if row.key not in self.raised:
            self.raised[row.key] = list(self.results.get_row_flags(row))
        count = self._count_lanes(row.inputs[0])
        for flag, values in self.raised[row.key]:
            mask = values[lane::count] if count > 1 else values
            if relevant is not None:
                mask = mask & relevant
            if not mask.any():
                continue
            key = (flag, row.key, lane)
            previous_mask = self.masks.get(key)
            self.masks[key] = mask if previous_mask is None else previous_mask | mask


def compute_ranks(part: RegisterPart, bits: Bits) -> Bits:
    """Return ``RegisterPart.compute_rank`` of each value."""
    top = np.uint64(1 << (part.unit - 1))
    if part.is_float:
        return np.where(bits & top, ~bits & np.uint64(part.mask), bits | top)
    return bits ^ top if part.is_signed else bits


def get_axis_bits(axis: SweepAxis) -> Bits:
    """Return the values of an axis."""
    part, ranks = axis.part, np.asarray(axis.ranks)
    top = np.uint64(1 << (part.unit - 1))
    if part.is_float:
        return np.where(ranks & top, ranks ^ top, ~ranks & np.uint64(part.mask))
    return ranks ^ top if part.is_signed else ranks
