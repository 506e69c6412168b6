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


def _clamp(seen: TracedRow) -> NumberLine:
    assert isinstance(seen.row.micro, m.Clamp)
    return number_lines.make_clamp_line(seen.row, seen.row.micro)


def _limit(seen: TracedRow) -> RowFigure | None:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.LimitAmount)
    if not micro.wrap:
        return number_lines.make_limit_line(row, 32)
    before = row.inputs[0][0]
    if before == row.values[0]:
        return None
    return _make_bit_rulers(
        make_truncation_ruler(LaneRef(row.key, 0), before, 5, f"= {row.values[0]}")
    )


def _make_bit_rulers(*strips: BitRuler) -> BitRulers:
    return BitRulers(strips)


def _shift_left(seen: TracedRow) -> BitRulers:
    row = seen.row
    return _make_bit_rulers(
        make_left_shift_ruler(LaneRef(row.key, 0), row.inputs[0][0], row.inputs[1][0])
    )


def _shift_right(seen: TracedRow) -> BitRulers:
    row = seen.row
    return _make_bit_rulers(
        make_right_shift_ruler(LaneRef(row.key, 0), row.inputs[0][0], row.inputs[1][0])
    )


def _scale(seen: TracedRow) -> BitRulers | None:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.ScaleDown)
    if not _has_single_lane(row):
        return None
    return _make_bit_rulers(
        make_right_shift_ruler(LaneRef(row.key, 0), row.inputs[0][0], micro.amount)
    )


def _cut_off(seen: TracedRow) -> BitRulers | None:
    """Return rulers of the numbers that do not fit, with the bits cut off."""
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Wrap | m.Truncate)
    found = [
        make_truncation_ruler(
            LaneRef(row.key, lane), row.inputs[0][lane], micro.bits, f"= {row.values[lane]}"
        )
        for lane in reversed(range(len(row.lanes)))
        if Flag.WRAPPED in row.lanes[lane].flags and len(row.inputs[0]) == len(row.lanes)
    ]
    return BitRulers(tuple(found)) if found else None


def _accumulate(seen: TracedRow) -> RunningSum:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Accumulate)
    terms, (c,) = row.inputs
    name = format_operand_name(seen.trace, row.input_keys[1].rpartition(".")[2])
    start = Term(LaneRef(row.input_keys[1], 0), name, str(c), True, str(c))
    total, shown = c, []
    for lane in range(micro.input_lanes - 1, -1, -1):
        added = lane in micro.lanes
        total += terms[lane] if added else 0
        text = f"{terms[lane]:+d}" if added else ""
        place = LaneRef(row.input_keys[0], lane)
        shown.append(Term(place, f"lane {lane}", text, added, str(total)))
    return RunningSum(start, tuple(shown), LaneRef(row.key, 0))


def _flush(seen: TracedRow) -> BitRulers:
    row = seen.row
    before, after = row.inputs[0][0], row.values[0]
    name = format_operand_name(seen.trace, row.name)
    source, here = LaneRef(row.input_keys[0], 0), LaneRef(row.key, 0)
    if before == after:
        return _make_bit_rulers(make_float_ruler(here, name, after, Type.F32))
    return _make_bit_rulers(
        make_float_ruler(source, f"{name} before", before, Type.F32, is_flushed=True),
        make_float_ruler(here, f"{name} after", after, Type.F32),
    )


def _to_float(seen: TracedRow) -> BitRulers:
    return _make_bit_rulers(
        make_float_ruler(LaneRef(seen.row.key, 0), "", seen.row.values[0], Type.F32)
    )


def _compare(seen: TracedRow) -> NumberLine | None:
    micro = seen.row.micro
    assert isinstance(micro, m.Compare)
    return (
        number_lines.make_comparison_line(seen.trace, seen.row, micro.type)
        if _has_single_lane(seen.row)
        else None
    )


def _make_truth_value(seen: TracedRow, key: str, value: int) -> TruthValue:
    return TruthValue(LaneRef(key, 0), format_truth_name(seen.trace, key), value)


def _make_gate(seen: TracedRow) -> Gate:
    row = seen.row
    word = str(getattr(row.micro, "boolop", "not"))
    inputs = zip(row.input_keys, row.inputs, strict=True)
    taken = tuple(_make_truth_value(seen, key, value) for key, (value,) in inputs)
    return Gate(taken, word, _make_truth_value(seen, row.key, row.values[0]))


def _choose(seen: TracedRow) -> ChoiceFigure:
    row = seen.row
    held = row.inputs[0][0]

    def option(index: int) -> ChoiceBranch:
        key = row.input_keys[index]
        return ChoiceBranch(
            LaneRef(key, 0),
            format_option_name(seen, index),
            format_option_bits(seen, row.inputs[index][0]),
            seen.find_tint(index, 0),
            is_true_branch=index == 1,
            is_taken=bool(held) == (index == 1),
        )

    condition = _make_truth_value(seen, row.input_keys[0], held)
    bits = format_option_bits(seen, row.values[0])
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
