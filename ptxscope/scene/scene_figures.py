"""Figures of rows, for renderers with room: axes, bit rulers, sums, gates, choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine.isa.truth_tables import find_ignored_variables
from ..engine.isa.value_text import format_hex, format_part
from ..engine.micro_operations import drawings as d
from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import Flag
from . import number_lines
from .bit_rulers import (
    make_field_ruler,
    make_float_ruler,
    make_left_shift_ruler,
    make_right_shift_ruler,
    make_truncation_ruler,
)
from .scene_cells import find_tint, find_top_byte, format_option_bits
from .scene_model import (
    BitRulers,
    BitWord,
    ChoiceBranch,
    ChoiceFigure,
    Gate,
    LaneRef,
    PermutationFigure,
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
    number = row.inputs[0].values[0]
    return BitRulers((make_right_shift_ruler(LaneRef(row.key, 0), number, figure.amount),))


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
    old_bits, new_bits = source.values[0], row.values[0]
    name, target = row.instruction.format_operand(row.role), LaneRef(row.key, 0)
    if old_bits == new_bits:
        return BitRulers((make_float_ruler(target, name, new_bits, figure.type),))
    place = LaneRef(source.key, 0)
    before = make_float_ruler(place, f"{name} before", old_bits, figure.type, is_flushed=True)
    return BitRulers((before, make_float_ruler(target, f"{name} after", new_bits, figure.type)))


def _draw_float(row: RowTrace, figure: d.FloatBits) -> BitRulers:
    return BitRulers((make_float_ruler(LaneRef(row.key, 0), "", row.values[0], figure.type),))


def _make_truth_value(row: RowTrace, name: str) -> TruthValue:
    return TruthValue(LaneRef(row.key, 0), name, row.values[0])


def _draw_gate(row: RowTrace, figure: d.LogicGate) -> Gate:
    inputs = tuple(_make_truth_value(x, x.symbol) for x in row.inputs)
    return Gate(inputs, figure.word, _make_truth_value(row, row.symbol))


def _draw_branches(row: RowTrace, figure: d.Choice) -> ChoiceFigure:
    condition, x, y = row.inputs
    holds = bool(condition.values[0])

    def branch(source: RowTrace, name: str, *, is_true_branch: bool) -> ChoiceBranch:
        return ChoiceBranch(
            LaneRef(source.key, 0),
            name,
            format_option_bits(row, source.values[0]),
            find_tint(source, 0),
            is_true_branch,
            is_taken=holds == is_true_branch,
        )

    branches = (
        branch(x, figure.names[0], is_true_branch=True),
        branch(y, figure.names[1], is_true_branch=False),
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
    given = ", ".join(f"{word.name} = {bit}" for word, bit in zip(words, bits, strict=True))
    sentence = f"{given}: entry {index} of {figure.table:#04x} is {value}"
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
    formula = row.micro.fill_formula(*(x.name for x in row.inputs))
    return TableFigure(place, entries, f"{figure.table:#04x}", formula, tuple(words), result)


_FIGURES: dict[type, Callable[[RowTrace, Any], RowFigure | None]] = {
    d.RangeLine: number_lines.make_range_line,
    d.LimitLine: number_lines.make_limit_line,
    d.ComparisonLine: number_lines.make_comparison_line,
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
