"""Figures of rows, for renderers with room: axes, bit rulers, sums, gates, choices."""

from __future__ import annotations

from collections.abc import Callable

from ..engine.isa.types import Type
from ..engine.semantics import micro_operations as m
from ..engine.semantics.micro_operation import Flag
from ..engine.tracing.lane_text import format_operand_name
from ..engine.tracing.trace import RowTrace, Trace
from . import number_lines
from .bit_rulers import (
    make_float_ruler,
    make_left_shift_ruler,
    make_right_shift_ruler,
    make_truncation_ruler,
)
from .scene_cells import TracedRow, format_option_bits, format_option_name, format_truth_name
from .scene_model import (
    BitRuler,
    BitRulers,
    ChoiceBranch,
    ChoiceFigure,
    Gate,
    LaneRef,
    NumberLine,
    RowFigure,
    RunningSum,
    Term,
    TruthValue,
)


def build_figure(trace: Trace, row: RowTrace) -> RowFigure | None:
    """Return the figure of a row, or None if its text shows everything."""
    draw = _FIGURES.get(type(row.micro))
    return draw(TracedRow(trace, row)) if draw else None


def _has_single_lane(row: RowTrace) -> bool:
    return len(row.lanes) == 1


def _clamp(traced_row: TracedRow) -> NumberLine:
    assert isinstance(traced_row.row.micro, m.Clamp)
    return number_lines.make_clamp_line(traced_row.row, traced_row.row.micro)


def _limit(traced_row: TracedRow) -> RowFigure | None:
    row, micro = traced_row.row, traced_row.row.micro
    assert isinstance(micro, m.LimitAmount)
    if not micro.wrap:
        return number_lines.make_limit_line(row, 32)
    amount = row.inputs[0][0]
    if amount == row.values[0]:
        return None
    return _make_bit_rulers(
        make_truncation_ruler(LaneRef(row.key, 0), amount, 5, f"= {row.values[0]}")
    )


def _make_bit_rulers(*strips: BitRuler) -> BitRulers:
    return BitRulers(strips)


def _shift_left(traced_row: TracedRow) -> BitRulers:
    row = traced_row.row
    return _make_bit_rulers(
        make_left_shift_ruler(LaneRef(row.key, 0), row.inputs[0][0], row.inputs[1][0])
    )


def _shift_right(traced_row: TracedRow) -> BitRulers:
    row = traced_row.row
    return _make_bit_rulers(
        make_right_shift_ruler(LaneRef(row.key, 0), row.inputs[0][0], row.inputs[1][0])
    )


def _scale(traced_row: TracedRow) -> BitRulers | None:
    row, micro = traced_row.row, traced_row.row.micro
    assert isinstance(micro, m.ScaleDown)
    if not _has_single_lane(row):
        return None
    return _make_bit_rulers(
        make_right_shift_ruler(LaneRef(row.key, 0), row.inputs[0][0], micro.amount)
    )


def _cut_off(traced_row: TracedRow) -> BitRulers | None:
    """Return rulers of the numbers that do not fit, with the bits cut off."""
    row, micro = traced_row.row, traced_row.row.micro
    assert isinstance(micro, m.Wrap | m.Truncate)
    rulers = [
        make_truncation_ruler(
            LaneRef(row.key, lane), row.inputs[0][lane], micro.bits, f"= {row.values[lane]}"
        )
        for lane in reversed(range(len(row.lanes)))
        if Flag.WRAPPED in row.lanes[lane].flags and len(row.inputs[0]) == len(row.lanes)
    ]
    return BitRulers(tuple(rulers)) if rulers else None


def _accumulate(traced_row: TracedRow) -> RunningSum:
    row, micro = traced_row.row, traced_row.row.micro
    assert isinstance(micro, m.Accumulate)
    terms, (c,) = row.inputs
    name = format_operand_name(traced_row.trace, row.input_keys[1].rpartition(".")[2])
    start = Term(LaneRef(row.input_keys[1], 0), name, str(c), True, str(c))
    total, summands = c, []
    for lane in range(micro.input_lanes - 1, -1, -1):
        is_added = lane in micro.lanes
        total += terms[lane] if is_added else 0
        text = f"{terms[lane]:+d}" if is_added else ""
        place = LaneRef(row.input_keys[0], lane)
        summands.append(Term(place, f"lane {lane}", text, is_added, str(total)))
    return RunningSum(start, tuple(summands), LaneRef(row.key, 0))


def _flush(traced_row: TracedRow) -> BitRulers:
    row = traced_row.row
    old_bits, new_bits = row.inputs[0][0], row.values[0]
    name = format_operand_name(traced_row.trace, row.name)
    source, target = LaneRef(row.input_keys[0], 0), LaneRef(row.key, 0)
    if old_bits == new_bits:
        return _make_bit_rulers(make_float_ruler(target, name, new_bits, Type.F32))
    return _make_bit_rulers(
        make_float_ruler(source, f"{name} before", old_bits, Type.F32, is_flushed=True),
        make_float_ruler(target, f"{name} after", new_bits, Type.F32),
    )


def _to_float(traced_row: TracedRow) -> BitRulers:
    return _make_bit_rulers(
        make_float_ruler(LaneRef(traced_row.row.key, 0), "", traced_row.row.values[0], Type.F32)
    )


def _compare(traced_row: TracedRow) -> NumberLine | None:
    micro = traced_row.row.micro
    assert isinstance(micro, m.Compare)
    return (
        number_lines.make_comparison_line(traced_row.trace, traced_row.row, micro.type)
        if _has_single_lane(traced_row.row)
        else None
    )


def _make_truth_value(traced_row: TracedRow, key: str, value: int) -> TruthValue:
    return TruthValue(LaneRef(key, 0), format_truth_name(traced_row.trace, key), value)


def _make_gate(traced_row: TracedRow) -> Gate:
    row = traced_row.row
    word = str(getattr(row.micro, "boolop", "not"))
    pairs = zip(row.input_keys, row.inputs, strict=True)
    inputs = tuple(_make_truth_value(traced_row, key, value) for key, (value,) in pairs)
    return Gate(inputs, word, _make_truth_value(traced_row, row.key, row.values[0]))


def _choose(traced_row: TracedRow) -> ChoiceFigure:
    row = traced_row.row
    condition_value = row.inputs[0][0]

    def option(index: int) -> ChoiceBranch:
        key = row.input_keys[index]
        return ChoiceBranch(
            LaneRef(key, 0),
            format_option_name(traced_row, index),
            format_option_bits(traced_row, row.inputs[index][0]),
            traced_row.find_tint(index, 0),
            is_true_branch=index == 1,
            is_taken=bool(condition_value) == (index == 1),
        )

    condition = _make_truth_value(traced_row, row.input_keys[0], condition_value)
    bits = format_option_bits(traced_row, row.values[0])
    return ChoiceFigure(condition, (option(1), option(2)), bits, LaneRef(row.key, 0))


_FIGURES: dict[type, Callable[[TracedRow], RowFigure | None]] = {
    m.Clamp: _clamp,
    m.LimitAmount: _limit,
    m.ShiftLeft: _shift_left,
    m.ShiftRight: _shift_right,
    m.ScaleDown: _scale,
    m.Wrap: _cut_off,
    m.Truncate: _cut_off,
    m.Accumulate: _accumulate,
    m.Flush: _flush,
    m.ToFloat: _to_float,
    m.Compare: _compare,
    m.Not: _make_gate,
    m.Combine: _make_gate,
    m.Choose: _choose,
}
