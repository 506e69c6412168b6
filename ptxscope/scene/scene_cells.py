"""Text cells of a row, one for each lane column, by its micro-operation's cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.isa.encodings import format_hex, format_part
from ..engine.isa.types import Type
from ..engine.micro_operations import drawings as d
from ..engine.micro_operations.arithmetic import get_lane
from ..engine.micro_operations.base import LaneView, RowTrace
from ..engine.micro_operations.properties import Flag, Part, Sign
from ..engine.tracing.step_text import interpret_bits
from .bit_rulers import format_binary, format_high_bits, format_high_digits
from .scene_model import PLAIN, Cell, CellSpan, LaneRef, SpanKind, Tint

GLYPHS = {
    Flag.CLAMPED_LOW: "▲",
    Flag.CLAMPED_HIGH: "▼",
    Flag.WRAPPED: "↻",
    Flag.MASKED_OUT: "□",
    Flag.FLUSHED: "≈0",
    Flag.ROUNDED: "≈",
    Flag.NAN: "(NaN)",
}
"""Mark of a flag, in addition to its colour."""
BECOMES = CellSpan(" ▸ ", SpanKind.BECOMES)
"""Separator between the old and the new value."""

_SIGNS = {Sign.IS: "=", Sign.BECOMES: "→", Sign.FOR: "for"}


def find_tint(row: RowTrace, lane: int) -> Tint:
    """Return the tint of a lane of a row, or of an operand; plain for computed values."""
    if row.is_operand:
        return Tint(row.key)
    part = row.micro.find_part(lane if len(row.values) > 1 else 0)
    if part:
        return make_part_tint(row, part)
    return find_tint(row.inputs[0], lane) if row.micro.is_reading else PLAIN


def find_top_byte(unit: int, index: int) -> int:
    """Return the index of the topmost byte of a part; 3 for a whole register."""
    return unit // 8 * (index + 1) - 1 if 8 <= unit < 32 else 3


def build_cells(row: RowTrace) -> tuple[Cell, ...]:
    """Return the cells of a row, the highest column first."""
    lanes = range(len(row.values) - 1, -1, -1)
    cells = list[Cell]()
    for lane in lanes:
        columns = _draw_lane(row, lane)
        is_word = isinstance(row.micro.make_cell(row, lane), d.WordCell) and len(columns) > 1
        parts = range(len(columns) - 1, -1, -1) if is_word else [None] * len(columns)
        cells += map(Cell, [LaneRef(row.key, lane)] * len(columns), columns, parts)
    return tuple(cells)


Spans = tuple[CellSpan, ...]


def _draw_lane(row: RowTrace, lane: int) -> tuple[Spans, ...]:
    """Return the columns of a lane: several only if the row's text spans all columns."""
    cell = row.micro.make_cell(row, lane)
    if isinstance(cell, d.LaneSum):
        return _draw_sum(row, cell)
    if isinstance(cell, d.WordCell):
        return _draw_word(row, cell)
    return (_CELLS[type(cell)](row, lane, cell),)


def _make_flag_spans(row: RowTrace, lane: int) -> Spans:
    marks = [GLYPHS[flag] for flag in row.flags[lane] if flag in GLYPHS]
    return (CellSpan(f" {' '.join(marks)}", SpanKind.CHANGED),) if marks else ()


def _draw_formula(row: RowTrace, lane: int, _: d.FormulaCell) -> Spans:
    formula = row.micro.describe_lane(LaneView(row, lane)).formula
    return (
        CellSpan(formula.left, SpanKind.NUMBER),
        CellSpan(f" {_SIGNS[formula.sign]} ", SpanKind.TEXT),
        CellSpan(formula.right, SpanKind.VALUE),
        *_make_flag_spans(row, lane),
    )


def _draw_part(row: RowTrace, lane: int, cell: d.PartCell) -> Spans:
    at_home = row.role == row.inputs[cell.part.input].key and (
        cell.part.number == lane or len(row.values) == 1
    )
    kind = SpanKind.NAME if at_home else SpanKind.AWAY
    return _make_part_spans(row, lane, cell.part, kind)


def _make_part_spans(row: RowTrace, lane: int, part: Part, look: SpanKind) -> Spans:
    """Return the bits of a part, and its name."""
    role = row.inputs[part.input].key
    chip = _make_chip(row.values[lane], part.unit, make_part_tint(row, part))
    return chip, CellSpan(f" {format_part(role, part.unit, part.number)}", look)


def make_part_tint(row: RowTrace, part: Part) -> Tint:
    """Return the tint of a part of an input."""
    return Tint(row.inputs[part.input].key, find_top_byte(part.unit, part.number))


def _make_chip(value: int, unit: int, tint: Tint = PLAIN) -> CellSpan:
    """Return bits as a chip, including binary digits."""
    return CellSpan(format_hex(value, unit)[2:], SpanKind.CHIP, tint, format_binary(value, 0, unit))


def _draw_reading(row: RowTrace, lane: int, cell: d.ReadingCell) -> Spans:
    bits, tint = row.inputs[0].values[lane], find_tint(row.inputs[0], lane)
    width, is_signed = cell.reading.bits, cell.reading.signed
    low_bits = bits & (1 << width) - 1
    chip, value = _make_chip(low_bits, width, tint), CellSpan(str(row.values[lane]), SpanKind.VALUE)
    equals = CellSpan(" = ", SpanKind.TEXT)
    if width >= 32:
        return chip, equals, value
    extension = -1 if is_signed and low_bits >> width - 1 else 0
    kind = SpanKind.SIGN if is_signed else SpanKind.ZERO
    digits = f"{extension & (1 << width) - 1:0{width // 4}x}"
    extension_span = CellSpan(digits, kind, tint, format_binary(extension, 0, width))
    return *_make_lost_spans(row, bits, width, extension), extension_span, chip, equals, value


def _make_lost_spans(row: RowTrace, bits: int, width: int, extension: int) -> Spans:
    """Return an operand's bits above the read ones, unless they are copies of the sign."""
    source = row.inputs[0]
    lost_width = source.passed_bits - width if source.is_operand else 0
    lost_bits = bits >> width
    if lost_width <= 0 or lost_bits == extension & (1 << lost_width) - 1:
        return ()
    return (
        CellSpan(
            format_hex(lost_bits, lost_width)[2:],
            SpanKind.LOST,
            PLAIN,
            format_binary(lost_bits, 0, lost_width),
        ),
    )


def _draw_number(row: RowTrace, lane: int, _: d.NumberCell) -> Spans:
    number, value = get_lane(row.inputs[0].values, lane), row.values[lane]
    if number == value:
        return (CellSpan(str(value), SpanKind.VALUE),)
    return CellSpan(str(number), SpanKind.CHANGED), BECOMES, CellSpan(str(value), SpanKind.CLAMPED)


def _draw_verdict(row: RowTrace, lane: int, _: d.VerdictCell) -> Spans:
    formula = row.micro.describe_lane(LaneView(row, lane)).formula
    holds = row.values[lane]
    verdict = CellSpan(" ✓ 1", SpanKind.HOLDS) if holds else CellSpan(" ✗ 0", SpanKind.FAILS)
    return CellSpan(formula.left, SpanKind.NUMBER), verdict, *_make_flag_spans(row, lane)


def _draw_truth(row: RowTrace, lane: int, _: d.TruthCell) -> Spans:
    formula = row.micro.describe_lane(LaneView(row, lane)).formula
    kind = SpanKind.HOLDS if row.values[lane] else SpanKind.FAILS
    equals = CellSpan(" = ", SpanKind.TEXT)
    return CellSpan(formula.left, SpanKind.NUMBER), equals, CellSpan(formula.right, kind)


def _draw_kept_part(row: RowTrace, lane: int, cell: d.KeptCell) -> Spans:
    part_spans = _make_part_spans(row, lane, cell.part, SpanKind.NAME)
    return CellSpan("□ ", SpanKind.KEPT), *part_spans


def _draw_taken_number(row: RowTrace, lane: int, cell: d.TakenCell) -> Spans:
    source = row.inputs[0].values
    number = get_lane(source, lane)
    box, chip = CellSpan("■ ", SpanKind.TAKEN), _make_chip(row.values[lane], cell.unit)
    if Flag.WRAPPED in row.flags[lane]:
        high_digits = format_high_digits(number, cell.unit)
        bits = format_high_bits(number, cell.unit)
        lost = CellSpan(high_digits, SpanKind.LOST, PLAIN, bits)
        return box, CellSpan(str(number), SpanKind.CHANGED), BECOMES, lost, chip
    if cell.has_high_half:
        return _make_upper_half_spans(box, chip, number)
    if len(source) > 1:  # the number is shown above in its column
        return box, chip
    return box, CellSpan(str(number), SpanKind.TEXT), BECOMES, chip


def _make_upper_half_spans(box: CellSpan, chip: CellSpan, number: int) -> Spans:
    """Return bits 31:16 of a number, and the bits cut off on both sides."""
    fits = -(1 << 31) <= number < 1 << 32
    high_spans = () if fits else (CellSpan(format_high_digits(number, 32), SpanKind.LOST),)
    low_span = CellSpan(f"{number & 0xFFFF:04x}", SpanKind.LOST)
    return box, CellSpan(f"{number}[31:16]", SpanKind.TEXT), BECOMES, *high_spans, chip, low_span


def _draw_choice(row: RowTrace, _: int, cell: d.Choice) -> Spans:
    """Return the name and bits of the chosen value, and the condition that chose it."""
    condition, x, y = row.inputs
    holds = condition.values[0]
    name, tint = cell.names[0 if holds else 1], find_tint(x if holds else y, 0)
    truth = f"   {condition.symbol} is {'true' if holds else 'false'}"
    return (
        CellSpan(f"{name} ", SpanKind.NAME),
        CellSpan(format_option_bits(row, row.values[0]), SpanKind.CHIP, tint),
        CellSpan(truth, SpanKind.TEXT),
    )


def format_option_bits(row: RowTrace, value: int) -> str:
    """Format the bits of an input of a choice."""
    notation = row.micro.get_notation(row)
    return str(value) if notation.type is Type.PRED else format_hex(value, notation.bits)[2:]


def _draw_pattern(row: RowTrace, lane: int, cell: d.PatternCell) -> Spans:
    old_bits, new_bits = row.inputs[0].values[lane], row.values[lane]
    tint = find_tint(row.inputs[0], lane)
    width = row.micro.get_notation(row).bits
    chip = CellSpan(format_hex(new_bits, width)[2:], SpanKind.CHIP, tint)
    if old_bits == new_bits:
        return chip, CellSpan(f" {cell.unchanged_note}", SpanKind.TEXT)
    former = CellSpan(format_hex(old_bits, width), SpanKind.CHANGED)
    return former, BECOMES, chip, *_make_flag_spans(row, lane)


def _draw_conversion(row: RowTrace, lane: int, _: d.ConversionCell) -> Spans:
    bits = format_hex(row.values[lane], row.micro.get_notation(row).bits)
    chip = CellSpan(bits[2:], SpanKind.CHIP, Tint("d"))
    number = CellSpan(str(row.inputs[0].values[lane]), SpanKind.TEXT)
    return number, BECOMES, chip, *_make_flag_spans(row, lane)


def _draw_result(row: RowTrace, _: int, __: d.ResultCell) -> Spans:
    """Return the bits of the destination, and their meaning."""
    ins, bits = row.instruction, row.values[0]
    if ins.format_operand(row.role) == "_":
        sentence = row.micro.describe_lane(LaneView(row, 0)).sentence
        return (CellSpan(sentence, SpanKind.TEXT),)
    type_, meaning = ins.type_of(row.role), interpret_bits(ins, row.role, bits)
    if type_ is Type.PRED:
        kind = SpanKind.HOLDS if bits else SpanKind.FAILS
        return CellSpan(str(bits), kind), CellSpan(f" {meaning}", SpanKind.TEXT)
    text = format_hex(bits, type_.bits)
    chip = CellSpan(text[2:], SpanKind.CHIP, Tint("d"))
    return chip, CellSpan(f"   {text} = {meaning}", SpanKind.TEXT), *_make_flag_spans(row, 0)


def _draw_word(row: RowTrace, cell: d.WordCell) -> tuple[Spans, ...]:
    """Return the bytes or half-words of the destination by column."""
    lanes = [*enumerate(row.inputs[0].values)]
    return tuple(
        (_make_chip(bits, cell.unit, Tint("d", find_top_byte(cell.unit, lane))),)
        for lane, bits in reversed(lanes)
    )


def _draw_sum(row: RowTrace, cell: d.LaneSum) -> tuple[Spans, ...]:
    """Return a running sum: c and the highest lane first, then lane by lane."""
    terms, (total,) = (x.values for x in row.inputs)
    columns: list[Spans] = []
    for lane in range(cell.lane_count - 1, -1, -1):
        if lane not in cell.lanes:
            columns.append((CellSpan("□ left out", SpanKind.KEPT),))
            continue
        first = f"{total} " if lane == max(cell.lanes) else ""
        sign = "+" if terms[lane] >= 0 else "-"
        total += terms[lane]
        columns.append(
            (
                CellSpan(f"{first}{sign} {abs(terms[lane])}", SpanKind.NUMBER),
                CellSpan(" = ", SpanKind.TEXT),
                CellSpan(str(total), SpanKind.VALUE),
            )
        )
    return tuple(columns)


_CELLS: dict[type, Callable[[RowTrace, int, Any], Spans]] = {
    d.FormulaCell: _draw_formula,
    d.PartCell: _draw_part,
    d.ReadingCell: _draw_reading,
    d.NumberCell: _draw_number,
    d.VerdictCell: _draw_verdict,
    d.TruthCell: _draw_truth,
    d.TakenCell: _draw_taken_number,
    d.KeptCell: _draw_kept_part,
    d.Choice: _draw_choice,
    d.PatternCell: _draw_pattern,
    d.ConversionCell: _draw_conversion,
    d.ResultCell: _draw_result,
}
