"""Figures of rows, for renderers with room: axes, bit rulers, sums, gates, choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nextafter
from typing import Any

from ..engine.isa.encodings import format_hex, format_part, format_value, get_infinity, get_limits
from ..engine.isa.truth_tables import find_ignored_variables, format_function
from ..engine.isa.types import Type
from ..engine.micro_operations import drawings as d
from ..engine.micro_operations.arithmetic import get_lane
from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.comparison import is_nan
from ..engine.micro_operations.drawings import ComparisonLine, LimitLine, RangeLine, Tick
from ..engine.micro_operations.properties import Flag
from .bit_rulers import (
    make_field_ruler,
    make_float_ruler,
    make_left_shift_ruler,
    make_right_shift_ruler,
    make_truncation_ruler,
)
from .scene_cells import find_tint, find_top_byte, format_option_bits
from .scene_model import (
    BitRuler,
    BitRulers,
    BitWord,
    ChoiceBranch,
    ChoiceFigure,
    Gate,
    LaneRef,
    NumberLine,
    PermutationFigure,
    Point,
    RowFigure,
    RunningSum,
    SourceByte,
    TableEntry,
    TableFigure,
    TakenByte,
    Term,
    Tint,
    TruthValue,
)


def build_figure(row: RowTrace) -> RowFigure | None:
    """Return the figure of a row, or None if its text shows everything."""
    figure = row.micro.make_figure(row)
    return None if figure is None else _FIGURES[type(figure)](row, figure)


def _draw_left_shift(row: RowTrace, figure: d.LeftShiftBits) -> BitRulers:
    number = row.inputs[0].values[0]
    return BitRulers((make_left_shift_ruler(LaneRef(row.key, 0), number, figure.amount),))


def _draw_right_shift(row: RowTrace, figure: d.RightShiftBits) -> BitRulers:
    source = row.inputs[0]
    has_32_bits = source.range.low >= -(1 << 31) and source.range.high < 1 << 32
    bits, place = 32 if has_32_bits else 0, LaneRef(row.key, 0)
    return BitRulers((make_right_shift_ruler(place, source.values[0], figure.amount, bits),))


def _draw_truncation(row: RowTrace, figure: d.TruncatedBits) -> BitRulers | None:
    """Return rulers of the numbers that do not fit, with the bits cut off."""
    numbers = row.inputs[0].values
    rulers = tuple(
        make_truncation_ruler(
            LaneRef(row.key, lane), numbers[lane], figure.bits, f"= {row.values[lane]}"
        )
        for lane in reversed(range(len(row.values)))
        if Flag.WRAPPED in row.flags[lane] and len(numbers) == len(row.values)
    )
    return BitRulers(rulers) if rulers else None


def _draw_sum(row: RowTrace, figure: d.LaneSum) -> RunningSum:
    t, c = row.inputs
    (total,) = c.values
    name = row.instruction.format_operand(c.role)
    start = Term(LaneRef(c.key, 0), name, str(total), True, str(total))
    summands = []
    for lane in range(figure.lane_count - 1, -1, -1):
        is_added = lane in figure.lanes
        total += t.values[lane] if is_added else 0
        text = f"{t.values[lane]:+d}" if is_added else ""
        summands.append(Term(LaneRef(t.key, lane), f"lane {lane}", text, is_added, str(total)))
    return RunningSum(start, tuple(summands), LaneRef(row.key, 0))


def _draw_flush(row: RowTrace, figure: d.FlushedBits) -> BitRulers:
    (source,) = row.inputs
    name = row.instruction.format_operand(row.role)
    if source.values == row.values:
        return BitRulers((_make_ruler(row, figure.type, name),))
    before = _make_ruler(source, figure.type, f"{name} before", is_flushed=True)
    return BitRulers((before, _make_ruler(row, figure.type, f"{name} after")))


def _draw_float(row: RowTrace, figure: d.FloatBits) -> BitRulers:
    return BitRulers((_make_ruler(row, figure.type),))


def _make_ruler(
    row: RowTrace, type_: Type, name: str = "", *, is_flushed: bool = False
) -> BitRuler:
    place, tint = LaneRef(row.key, 0), find_tint(row, 0)
    return make_float_ruler(place, name, row.values[0], type_, tint, is_flushed=is_flushed)


def _make_truth_value(row: RowTrace, name: str) -> TruthValue:
    return TruthValue(LaneRef(row.key, 0), name, row.values[0])


def _draw_gate(row: RowTrace, figure: d.LogicGate) -> Gate:
    inputs = tuple(_make_truth_value(x, x.symbol) for x in row.inputs)
    return Gate(inputs, figure.word, _make_truth_value(row, row.symbol))


def _draw_branches(row: RowTrace, figure: d.Choice) -> ChoiceFigure:
    condition, x, y = row.inputs
    holds = bool(condition.values[0])

    def make_branch(source: RowTrace, name: str, *, is_true_branch: bool) -> ChoiceBranch:
        return ChoiceBranch(
            LaneRef(source.key, 0),
            name,
            format_option_bits(row, source.values[0]),
            find_tint(source, 0),
            is_true_branch,
            is_taken=holds == is_true_branch,
        )

    branches = (
        make_branch(x, figure.names[0], is_true_branch=True),
        make_branch(y, figure.names[1], is_true_branch=False),
    )
    truth, bits = _make_truth_value(condition, condition.symbol), row.values[0]
    return ChoiceFigure(truth, branches, format_option_bits(row, bits), LaneRef(row.key, 0))


def _draw_fields(row: RowTrace, figure: d.FieldBits) -> BitRulers:
    rulers = []
    for ruler in figure.rulers:
        source = row if ruler.input is None else row.inputs[ruler.input]
        place, name = LaneRef(source.key, 0), source.name
        rulers.append(make_field_ruler(place, name, source.values[0], ruler.fields))
    mover = None if figure.position is None else LaneRef(row.inputs[figure.position].key, 0)
    return BitRulers(tuple(rulers), mover)


_BYTE = 8


def _draw_permutation(row: RowTrace, figure: d.BytePermutation) -> PermutationFigure:
    taken_numbers = {choice.number for choice in figure.choices}
    sources = list[SourceByte]()
    for word in (row.inputs[index] for index in figure.words):
        for part in range(32 // _BYTE):
            number, value = len(sources), word.values[0] >> _BYTE * part & 0xFF
            tint = Tint(word.role, find_top_byte(_BYTE, part))
            name = format_part(word.name, _BYTE, part)
            place = LaneRef(word.key, part if word.is_operand else 0)
            is_taken = number in taken_numbers
            sources.append(SourceByte(place, number, name, f"{value:02x}", tint, is_taken))
    digits, lane_bytes, selector = row.inputs[0], list[TakenByte](), 0
    for lane, choice in enumerate(figure.choices):
        digit = choice.number + 8 * choice.is_sign
        selector |= digit << 4 * lane
        place = LaneRef(digits.key, lane if len(digits.values) > 1 else 0)
        text = f"{row.values[lane]:02x}"
        lane_bytes.append(
            TakenByte(
                LaneRef(row.key, lane),
                place,
                f"{digit:x}",
                sources[choice.number],
                choice.is_sign,
                text,
                sources[choice.number].tint,
            )
        )
    name = digits.name if len(digits.values) > 1 else ""
    return PermutationFigure(
        tuple(reversed(sources)), tuple(reversed(lane_bytes)), f"0x{selector:04x}", name
    )


def _make_entry(
    figure: d.TruthTable, words: Sequence[BitWord], index: int, positions: tuple[int, ...]
) -> TableEntry:
    bits = index >> 2, index >> 1 & 1, index & 1
    value = figure.table >> index & 1
    bits_text = ", ".join(f"{word.name} = {bit}" for word, bit in zip(words, bits, strict=True))
    sentence = f"{bits_text}: entry {index} of {figure.table:#04x} is {value}"
    return TableEntry(index, bits, value, positions, sentence)


def _draw_table(row: RowTrace, figure: d.TruthTable) -> TableFigure:
    ignored_names = find_ignored_variables(figure.table)
    bits, place = 32, LaneRef(row.key, 0)
    words = [
        BitWord(
            LaneRef(x.key, 0),
            x.name,
            format_hex(x.values[0], bits),
            f"{x.values[0]:0{bits}b}",
            find_tint(x, 0),
            y in ignored_names,
        )
        for x, y in zip(row.inputs, "abc", strict=True)
    ]
    positions: dict[int, list[int]] = {index: [] for index in range(8)}
    for bit in range(bits):
        x, y, z = (word.values[0] >> bit & 1 for word in row.inputs)
        positions[4 * x + 2 * y + z].append(bit)
    entries = tuple(
        _make_entry(figure, words, index, tuple(positions[index])) for index in reversed(range(8))
    )
    value = row.values[0]
    result = BitWord(place, row.name, format_hex(value, bits), f"{value:0{bits}b}", Tint("d"))
    formula = format_function(
        figure.table, dict(zip("abc", (x.name for x in row.inputs), strict=True))
    )
    return TableFigure(place, entries, f"{figure.table:#04x}", formula, tuple(words), result)


def make_range_line(row: RowTrace, figure: RangeLine) -> NumberLine:
    """Return a range, with the input of every lane and the end that it is moved to."""
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
    """Return a lane's input on a line, and its output if it differs."""
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
        _make_named_point(str(number), position, name, place)
        for number, position, name, place in zip(
            numbers,
            _separate_places(numbers, [_compute_place(number, low, high) for number in numbers]),
            names,
            places,
            strict=True,
        )
    )
    return NumberLine(str(low), str(high), points)


def _make_named_point(text: str, position: float, name: str, place: LaneRef) -> Point:
    """Return a number with the name of its operand, unless they are the same."""
    return Point(text, position, () if name == text else (name,), place)


def _compute_place(value: int, low: int, high: int) -> float:
    """Return the position of a number, outside 0..1 even if it rounds to an end."""
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
    """Separate two positions if unequal numbers coincide by rounding."""
    if len(values) == 2 and values[0] != values[1] and places[0] == places[1]:
        lower = values.index(min(values))
        index, limit = (lower, 0.0) if places[0] > 0 else (1 - lower, 1.0)
        places[index] = nextafter(places[index], limit)
    return places


_FIGURES: dict[type, Callable[[RowTrace, Any], RowFigure | None]] = {
    d.RangeLine: make_range_line,
    d.LimitLine: make_limit_line,
    d.ComparisonLine: make_comparison_line,
    d.LeftShiftBits: _draw_left_shift,
    d.RightShiftBits: _draw_right_shift,
    d.TruncatedBits: _draw_truncation,
    d.FloatBits: _draw_float,
    d.FlushedBits: _draw_flush,
    d.LaneSum: _draw_sum,
    d.LogicGate: _draw_gate,
    d.Choice: _draw_branches,
    d.FieldBits: _draw_fields,
    d.BytePermutation: _draw_permutation,
    d.TruthTable: _draw_table,
}
