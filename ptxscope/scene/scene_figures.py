"""What is drawn of a row where there is room: axes, numbers to the bit, sums, gates, choices."""

from __future__ import annotations

from collections.abc import Callable

from ..engine.isa.types import Type
from ..engine.semantics import micro_operations as m
from ..engine.semantics.micro_operation import Flag
from ..engine.tracing.lane_text import operand_name
from ..engine.tracing.trace import RowTrace, Trace
from . import number_lines
from .bit_rulers import cut, float_fields, shifted_down, shifted_up
from .scene_cells import Seen, option_bits, option_name, truth_name
from .scene_model import (
    Axis,
    Choice,
    Figure,
    Gate,
    Option,
    Place,
    Running,
    Strip,
    Strips,
    Term,
    Truth,
)


def figure_of(trace: Trace, row: RowTrace) -> Figure | None:
    """The figure of a row; None where its line says all."""
    draw = _FIGURES.get(type(row.micro))
    return draw(Seen(trace, row)) if draw else None


def _single(row: RowTrace) -> bool:
    return len(row.lanes) == 1


def _clamp(seen: Seen) -> Axis:
    assert isinstance(seen.row.micro, m.Clamp)
    return number_lines.clamped(seen.row, seen.row.micro)


def _limit(seen: Seen) -> Figure | None:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.LimitAmount)
    if not micro.wrap:
        return number_lines.limited(row, 32)
    before = row.inputs[0][0]
    if before == row.values[0]:
        return None
    return _strips(cut(Place(row.key, 0), before, 5, f"= {row.values[0]}"))


def _strips(*strips: Strip) -> Strips:
    return Strips(strips)


def _shift_left(seen: Seen) -> Strips:
    row = seen.row
    return _strips(shifted_up(Place(row.key, 0), row.inputs[0][0], row.inputs[1][0]))


def _shift_right(seen: Seen) -> Strips:
    row = seen.row
    return _strips(shifted_down(Place(row.key, 0), row.inputs[0][0], row.inputs[1][0]))


def _scale(seen: Seen) -> Strips | None:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.ScaleDown)
    if not _single(row):
        return None
    return _strips(shifted_down(Place(row.key, 0), row.inputs[0][0], micro.amount))


def _cut_off(seen: Seen) -> Strips | None:
    """What falls off where a number does not fit."""
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Wrap | m.Truncate)
    found = [
        cut(Place(row.key, lane), row.inputs[0][lane], micro.bits, f"= {row.values[lane]}")
        for lane in reversed(range(len(row.lanes)))
        if Flag.WRAPPED in row.lanes[lane].flags and len(row.inputs[0]) == len(row.lanes)
    ]
    return Strips(tuple(found)) if found else None


def _accumulate(seen: Seen) -> Running:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Accumulate)
    terms, (c,) = row.inputs
    name = operand_name(seen.trace, row.input_keys[1].rpartition(".")[2])
    start = Term(Place(row.input_keys[1], 0), name, str(c), True, str(c))
    total, shown = c, []
    for lane in range(micro.of - 1, -1, -1):
        added = lane in micro.lanes
        total += terms[lane] if added else 0
        text = f"{terms[lane]:+d}" if added else ""
        place = Place(row.input_keys[0], lane)
        shown.append(Term(place, f"lane {lane}", text, added, str(total)))
    return Running(start, tuple(shown), Place(row.key, 0))


def _flush(seen: Seen) -> Strips:
    row = seen.row
    before, after = row.inputs[0][0], row.values[0]
    name = operand_name(seen.trace, row.name)
    source, here = Place(row.input_keys[0], 0), Place(row.key, 0)
    if before == after:
        return _strips(float_fields(here, name, after, Type.F32))
    return _strips(
        float_fields(source, f"{name} before", before, Type.F32, lost=True),
        float_fields(here, f"{name} after", after, Type.F32),
    )


def _to_float(seen: Seen) -> Strips:
    return _strips(float_fields(Place(seen.row.key, 0), "", seen.row.values[0], Type.F32))


def _compare(seen: Seen) -> Axis | None:
    micro = seen.row.micro
    assert isinstance(micro, m.Compare)
    return number_lines.compared(seen.trace, seen.row, micro.type) if _single(seen.row) else None


def _truth(seen: Seen, key: str, value: int) -> Truth:
    return Truth(Place(key, 0), truth_name(seen.trace, key), value)


def _gate(seen: Seen) -> Gate:
    row = seen.row
    word = str(getattr(row.micro, "boolop", "not"))
    inputs = zip(row.input_keys, row.inputs, strict=True)
    taken = tuple(_truth(seen, key, value) for key, (value,) in inputs)
    return Gate(taken, word, _truth(seen, row.key, row.values[0]))


def _choose(seen: Seen) -> Choice:
    row = seen.row
    held = row.inputs[0][0]

    def option(index: int) -> Option:
        key = row.input_keys[index]
        return Option(
            Place(key, 0),
            option_name(seen, index),
            option_bits(seen, row.inputs[index][0]),
            seen.tint(index, 0),
            if_true=index == 1,
            taken=bool(held) == (index == 1),
        )

    condition = _truth(seen, row.input_keys[0], held)
    bits = option_bits(seen, row.values[0])
    return Choice(condition, (option(1), option(2)), bits, Place(row.key, 0))


_FIGURES: dict[type, Callable[[Seen], Figure | None]] = {
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
    m.Not: _gate,
    m.Combine: _gate,
    m.Choose: _choose,
}
