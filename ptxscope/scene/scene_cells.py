"""Text cells of a row, one for each lane column, by micro-operation."""

from __future__ import annotations

from collections.abc import Callable

from ..engine.isa.types import Type
from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.semantics.micro_operation import Flag
from ..engine.semantics.plan import Stage
from ..engine.syntax.values import format_hex
from ..engine.tracing.formula import Formula, Sign
from ..engine.tracing.lane_text import describe_lane, format_operand_name, interpret_bits
from ..engine.tracing.trace import RowTrace, Trace
from .bit_rulers import format_binary, format_high_digits
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
"""Mark that shows a flag besides its colour."""
BECOMES = CellSpan(" ▸ ", SpanKind.BECOMES)
"""Separator between the old and the new value."""

_SIGNS = {Sign.IS: "=", Sign.BECOMES: "→", Sign.FOR: "for"}


class TracedRow(NamedTuple):
    """A row together with its trace."""

    trace: Trace
    row: RowTrace

    def make_formula(self, lane: int) -> Formula:
        """Return the formula of a lane."""
        return describe_lane(self.trace, self.row, lane).formula

    def find_tint(self, index: int, lane: int) -> Tint:
        """Return the tint of a lane of an input; plain if an operation computed it."""
        return find_tint(self.trace, self.row.input_keys[index], lane)


def find_tint(trace: Trace, key: str, lane: int) -> Tint:
    """Return the tint of a lane of a row, or of an operand."""
    row = trace.rows.get(key)
    if row is None:
        return Tint(key)
    if isinstance(row.micro, m.Select):
        word, index = row.micro.picks[lane if len(row.lanes) > 1 else 0]
        return Tint(row.input_keys[word], find_top_byte(row.micro.unit, index))
    if isinstance(row.micro, m.Flush | m.Extend):
        return find_tint(trace, row.input_keys[0], lane)
    return PLAIN


def find_top_byte(unit: int, index: int) -> int:
    """Return the index of the topmost byte of a part; 3 for a whole register."""
    return unit // 8 * (index + 1) - 1 if 8 <= unit < 32 else 3


def format_part(role: str, unit: int, index: int) -> str:
    """Format the name of a part: ``a.b3``, ``b.h0``, or ``a`` for the whole."""
    return role if unit >= 32 else f"{role}.{'b' if unit == 8 else 'h'}{index}"


def build_cells(trace: Trace, row: RowTrace) -> tuple[Cell, ...]:
    """Return the cells of a row, the highest column first."""
    traced_row = TracedRow(trace, row)
    columns = _COLUMNS.get(type(row.micro))
    if columns is not None:
        spans = columns(traced_row)
        return tuple(Cell(LaneRef(row.key, 0), cell_spans) for cell_spans in spans)
    draw = _CELLS.get(type(row.micro), _make_plain_spans)
    lanes = reversed(range(len(row.lanes)))
    return tuple(Cell(LaneRef(row.key, lane), draw(traced_row, lane)) for lane in lanes)


Spans = tuple[CellSpan, ...]


def _make_flag_spans(row: RowTrace, lane: int) -> Spans:
    marks = [GLYPHS[flag] for flag in row.lanes[lane].flags if flag in GLYPHS]
    return (CellSpan(f" {' '.join(marks)}", SpanKind.CHANGED),) if marks else ()


def _make_plain_spans(traced_row: TracedRow, lane: int) -> Spans:
    formula = traced_row.make_formula(lane)
    left_span = CellSpan(formula.left, SpanKind.NUMBER)
    return (
        left_span,
        CellSpan(f" {_SIGNS[formula.sign]} ", SpanKind.TEXT),
        CellSpan(formula.right, SpanKind.VALUE),
        *_make_flag_spans(traced_row.row, lane),
    )


def _select(traced_row: TracedRow, lane: int) -> Spans:
    row = traced_row.row
    assert isinstance(row.micro, m.Select)
    unit = row.micro.unit
    word, index = row.micro.picks[lane]
    role = row.input_keys[word]
    at_home = row.name == role and (index == lane or len(row.lanes) == 1)
    text = format_hex(row.values[lane], unit)[2:]
    name = format_part(role, unit, index)
    bits = format_binary(row.values[lane], 0, unit)
    chip = CellSpan(text, SpanKind.CHIP, Tint(role, find_top_byte(unit, index)), bits)
    return (chip, CellSpan(f" {name}", SpanKind.NAME if at_home else SpanKind.AWAY))


def _extend(traced_row: TracedRow, lane: int) -> Spans:
    row, micro = traced_row.row, traced_row.row.micro
    assert isinstance(micro, m.Extend)
    bits = row.inputs[0][lane]
    tint = traced_row.find_tint(0, lane)
    negative = bool(micro.signed and bits >> micro.bits - 1)
    look = SpanKind.SIGN if micro.signed else SpanKind.ZERO
    extension = "" if micro.bits >= 32 else ("f" if negative else "0") * (micro.bits // 4)
    spans = (
        CellSpan(
            extension, look, tint, format_binary(-negative, 0, micro.bits) if extension else ""
        ),
        CellSpan(
            format_hex(bits, micro.bits)[2:],
            SpanKind.CHIP,
            tint,
            format_binary(bits, 0, micro.bits),
        ),
        CellSpan(" = ", SpanKind.TEXT),
        CellSpan(str(row.values[lane]), SpanKind.VALUE),
    )
    return tuple(span for span in spans if span.text)


def _clamp(traced_row: TracedRow, lane: int) -> Spans:
    row = traced_row.row
    number, value = row.inputs[0][lane], row.values[lane]
    if number == value:
        return (CellSpan(str(value), SpanKind.VALUE),)
    return CellSpan(str(number), SpanKind.CHANGED), BECOMES, CellSpan(str(value), SpanKind.CLAMPED)


def _compare(traced_row: TracedRow, lane: int) -> Spans:
    value = traced_row.row.values[lane]
    verdict = CellSpan(" ✓ 1", SpanKind.HOLDS) if value else CellSpan(" ✗ 0", SpanKind.FAILS)
    return (
        CellSpan(traced_row.make_formula(lane).left, SpanKind.NUMBER),
        verdict,
        *_make_flag_spans(traced_row.row, lane),
    )


def _merge(traced_row: TracedRow, lane: int) -> Spans:
    row, micro = traced_row.row, traced_row.row.micro
    assert isinstance(micro, m.Merge)
    value = row.values[lane]
    text, bits = format_hex(value, micro.unit)[2:], format_binary(value, 0, micro.unit)
    if lane not in micro.lanes:
        role = row.input_keys[1]
        tint = Tint(role, find_top_byte(micro.unit, lane))
        name = format_part(role, micro.unit, lane)
        return (
            CellSpan("□ ", SpanKind.KEPT),
            CellSpan(text, SpanKind.CHIP, tint, bits),
            CellSpan(f" {name}", SpanKind.NAME),
        )
    number = row.inputs[0][lane if len(row.inputs[0]) > 1 else 0]
    box, chip = CellSpan("■ ", SpanKind.TAKEN), CellSpan(text, SpanKind.CHIP, bits=bits)
    if Flag.WRAPPED in row.lanes[lane].flags:
        lost = CellSpan(format_high_digits(number, micro.unit), SpanKind.LOST)
        return box, CellSpan(str(number), SpanKind.CHANGED), BECOMES, lost, chip
    if micro.high:
        return _make_upper_half_spans(box, chip, number)
    if len(row.inputs[0]) > 1:  # the number is shown above in its column
        return box, chip
    return box, CellSpan(str(number), SpanKind.TEXT), BECOMES, chip


def _make_upper_half_spans(box: CellSpan, chip: CellSpan, number: int) -> Spans:
    """Return bits 31:16 of a number, and the bits cut off on both sides."""
    fits = -(1 << 31) <= number < 1 << 32
    high_spans = () if fits else (CellSpan(format_high_digits(number, 32), SpanKind.LOST),)
    low_span = CellSpan(f"{number & 0xFFFF:04x}", SpanKind.LOST)
    return box, CellSpan(f"{number}[31:16]", SpanKind.TEXT), BECOMES, *high_spans, chip, low_span


def _make_logic_spans(traced_row: TracedRow, lane: int) -> Spans:
    formula = traced_row.make_formula(lane)
    verdict = CellSpan(
        formula.right, SpanKind.HOLDS if traced_row.row.values[lane] else SpanKind.FAILS
    )
    return CellSpan(formula.left, SpanKind.NUMBER), CellSpan(" = ", SpanKind.TEXT), verdict


def _choose(traced_row: TracedRow, _: int) -> Spans:
    """Return the name and bits of the chosen value, and the condition that chose it."""
    row = traced_row.row
    index = 1 if row.inputs[0][0] else 2
    name, bits = (
        format_option_name(traced_row, index),
        format_option_bits(traced_row, row.values[0]),
    )
    condition = format_truth_name(traced_row.trace, row.input_keys[0])
    truth = "true" if row.inputs[0][0] else "false"
    chip = CellSpan(bits, SpanKind.CHIP, traced_row.find_tint(index, 0))
    return (
        CellSpan(f"{name} ", SpanKind.NAME),
        chip,
        CellSpan(f"   {condition} is {truth}", SpanKind.TEXT),
    )


def format_truth_name(trace: Trace, key: str) -> str:
    """Format the name of a truth value: ``t``, ``c``, or ``!t`` for a negated row."""
    row = trace.rows.get(key)
    if row is None:
        return format_operand_name(trace, key)
    if isinstance(row.micro, m.Not):
        return f"!{format_truth_name(trace, row.input_keys[0])}"
    return row.name


def format_option_name(traced_row: TracedRow, index: int) -> str:
    """Format the name of an input of a choice."""
    row = traced_row.row
    if row.stage is Stage.GUARD:
        name = format_operand_name(traced_row.trace, row.name)
        converted = " converted" if row.input_keys[index] in traced_row.trace.rows else ""
        return f"new {name}" if index == 1 else f"old {name}{converted}"
    source_row = traced_row.trace.rows.get(row.input_keys[index])
    return (
        source_row.name
        if source_row
        else format_operand_name(traced_row.trace, row.input_keys[index])
    )


def format_option_bits(traced_row: TracedRow, value: int) -> str:
    """Format the bits of an input of a choice."""
    role = traced_row.row.name if traced_row.row.stage is Stage.GUARD else "a"
    type_ = traced_row.trace.instruction.type_of(role)
    return str(value) if type_ is Type.PRED else format_hex(value, type_.bits)[2:]


def _flush(traced_row: TracedRow, _: int) -> Spans:
    old_bits, new_bits = traced_row.row.inputs[0][0], traced_row.row.values[0]
    chip = CellSpan(format_hex(new_bits, 32)[2:], SpanKind.CHIP, traced_row.find_tint(0, 0))
    if old_bits == new_bits:
        return (chip, CellSpan(" is not subnormal", SpanKind.TEXT))
    return (chip, CellSpan(f" ◂ {format_hex(old_bits, 32)} ≈0", SpanKind.CHANGED))


def _make_written_spans(traced_row: TracedRow) -> tuple[Spans, ...]:
    """Return the bits of the destination, and their meaning."""
    row = traced_row.row
    if row.stage is not Stage.WRITE:
        return (_make_plain_spans(traced_row, 0),)
    name, ins, bits = row.name, traced_row.trace.instruction, row.values[0]
    if format_operand_name(traced_row.trace, name) == "_":
        return ((CellSpan(describe_lane(traced_row.trace, row, 0).sentence, SpanKind.TEXT),),)
    type_ = ins.type_of(name)
    if type_ is Type.PRED:
        look = SpanKind.HOLDS if bits else SpanKind.FAILS
        return (
            (
                CellSpan(str(bits), look),
                CellSpan(f" {interpret_bits(ins, name, bits)}", SpanKind.TEXT),
            ),
        )
    text = format_hex(bits, type_.bits)
    meaning = CellSpan(f"   {text} = {interpret_bits(ins, name, bits)}", SpanKind.TEXT)
    return ((CellSpan(text[2:], SpanKind.CHIP, Tint("d")), meaning, *_make_flag_spans(row, 0)),)


def _make_packed_spans(traced_row: TracedRow) -> tuple[Spans, ...]:
    """Return the bytes or half-words of the destination by column; one word for a single lane."""
    micro, lanes = traced_row.row.micro, traced_row.row.inputs[0]
    assert isinstance(micro, m.Pack)
    if traced_row.trace.instruction.entry.lanes == 1:
        return _make_written_spans(traced_row)
    columns = range(len(lanes) - 1, -1, -1)
    tints = {i: Tint("d", find_top_byte(micro.unit, i)) for i in columns}
    return tuple(
        (
            CellSpan(
                format_hex(x, micro.unit)[2:],
                SpanKind.CHIP,
                tints[i],
                format_binary(x, 0, micro.unit),
            ),
        )
        for i in columns
        for x in (lanes[i],)
    )


def _accumulate(traced_row: TracedRow) -> tuple[Spans, ...]:
    """Return a running sum: c and the highest lane first, then lane by lane."""
    row, micro = traced_row.row, traced_row.row.micro
    assert isinstance(micro, m.Accumulate)
    terms, total = row.inputs[0], row.inputs[1][0]
    columns: list[Spans] = []
    for lane in range(micro.input_lanes - 1, -1, -1):
        if lane not in micro.lanes:
            columns.append((CellSpan("□ left out", SpanKind.KEPT),))
            continue
        first = f"{total} " if lane == max(micro.lanes) else ""
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


def _to_float(traced_row: TracedRow, lane: int) -> Spans:
    bits = traced_row.row.values[0]
    chip = CellSpan(format_hex(bits, 32)[2:], SpanKind.CHIP, Tint("d"))
    return (
        chip,
        CellSpan(f" ◂ {traced_row.row.inputs[0][0]}", SpanKind.TEXT),
        *_make_flag_spans(traced_row.row, lane),
    )


_CELLS: dict[type, Callable[[TracedRow, int], Spans]] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Clamp: _clamp,
    m.Compare: _compare,
    m.Merge: _merge,
    m.Not: _make_logic_spans,
    m.Combine: _make_logic_spans,
    m.Choose: _choose,
    m.Flush: _flush,
    m.ToFloat: _to_float,
}
"""Cells of one lane, by micro-operation; every other kind shows its formula."""
_COLUMNS: dict[type, Callable[[TracedRow], tuple[Spans, ...]]] = {
    m.Accumulate: _accumulate,
    m.Pack: _make_packed_spans,
    m.Truncate: _make_written_spans,
    m.Encode: _make_written_spans,
}
"""Cells of a row whose text may extend over all columns, by micro-operation."""
