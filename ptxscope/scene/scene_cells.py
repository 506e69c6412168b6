"""What a row says in one line: a cell for each lane column, by its micro-operation."""

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
"""What marks a flag beside its colour."""
BECOMES = CellSpan(" ▸ ", SpanKind.BECOMES)
"""Between what was there before and what comes out."""

_SIGNS = {Sign.IS: "=", Sign.BECOMES: "→", Sign.FOR: "for"}


class TracedRow(NamedTuple):
    """A row of a trace that is drawn."""

    trace: Trace
    row: RowTrace

    def make_formula(self, lane: int) -> Formula:
        """The words of a lane."""
        return describe_lane(self.trace, self.row, lane).formula

    def find_tint(self, index: int, lane: int) -> Tint:
        """Whose bits an input's lane holds; nobody's where an operation made them."""
        return find_tint(self.trace, self.row.input_keys[index], lane)


def find_tint(trace: Trace, key: str, lane: int) -> Tint:
    """Whose bits a row's lane, or an operand, holds."""
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
    """The topmost byte of a part; 3 of a whole register."""
    return unit // 8 * (index + 1) - 1 if 8 <= unit < 32 else 3


def format_part(role: str, unit: int, index: int) -> str:
    """``a.b3``, ``b.h0``; ``a`` for the whole."""
    return role if unit >= 32 else f"{role}.{'b' if unit == 8 else 'h'}{index}"


def build_cells(trace: Trace, row: RowTrace) -> tuple[Cell, ...]:
    """The cells of a row, the highest column first."""
    seen = TracedRow(trace, row)
    columns = _COLUMNS.get(type(row.micro))
    if columns is not None:
        spans = columns(seen)
        return tuple(Cell(LaneRef(row.key, 0), each) for each in spans)
    draw = _CELLS.get(type(row.micro), _make_plain_spans)
    lanes = reversed(range(len(row.lanes)))
    return tuple(Cell(LaneRef(row.key, lane), draw(seen, lane)) for lane in lanes)


Spans = tuple[CellSpan, ...]


def _make_flag_spans(row: RowTrace, lane: int) -> Spans:
    marks = [GLYPHS[flag] for flag in row.lanes[lane].flags if flag in GLYPHS]
    return (CellSpan(f" {' '.join(marks)}", SpanKind.CHANGED),) if marks else ()


def _make_plain_spans(seen: TracedRow, lane: int) -> Spans:
    said = seen.make_formula(lane)
    left = CellSpan(said.left, SpanKind.NUMBER)
    return (
        left,
        CellSpan(f" {_SIGNS[said.sign]} ", SpanKind.TEXT),
        CellSpan(said.right, SpanKind.VALUE),
        *_make_flag_spans(seen.row, lane),
    )


def _select(seen: TracedRow, lane: int) -> Spans:
    row = seen.row
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


def _extend(seen: TracedRow, lane: int) -> Spans:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Extend)
    bits = row.inputs[0][lane]
    tint = seen.find_tint(0, lane)
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


def _clamp(seen: TracedRow, lane: int) -> Spans:
    row = seen.row
    before, value = row.inputs[0][lane], row.values[lane]
    if before == value:
        return (CellSpan(str(value), SpanKind.VALUE),)
    return CellSpan(str(before), SpanKind.CHANGED), BECOMES, CellSpan(str(value), SpanKind.CLAMPED)


def _compare(seen: TracedRow, lane: int) -> Spans:
    value = seen.row.values[lane]
    verdict = CellSpan(" ✓ 1", SpanKind.HOLDS) if value else CellSpan(" ✗ 0", SpanKind.FAILS)
    return (
        CellSpan(seen.make_formula(lane).left, SpanKind.NUMBER),
        verdict,
        *_make_flag_spans(seen.row, lane),
    )


def _merge(seen: TracedRow, lane: int) -> Spans:
    row, micro = seen.row, seen.row.micro
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
    before = row.inputs[0][lane if len(row.inputs[0]) > 1 else 0]
    box, chip = CellSpan("■ ", SpanKind.TAKEN), CellSpan(text, SpanKind.CHIP, bits=bits)
    if Flag.WRAPPED in row.lanes[lane].flags:
        lost = CellSpan(format_high_digits(before, micro.unit), SpanKind.LOST)
        return box, CellSpan(str(before), SpanKind.CHANGED), BECOMES, lost, chip
    if micro.high:
        return _make_upper_half_spans(box, chip, before)
    if len(row.inputs[0]) > 1:  # the number stands above in its column
        return box, chip
    return box, CellSpan(str(before), SpanKind.TEXT), BECOMES, chip


def _make_upper_half_spans(box: CellSpan, chip: CellSpan, before: int) -> Spans:
    """Bits 31:16 of a number, and what falls off on either side of them."""
    fits = -(1 << 31) <= before < 1 << 32
    beyond = () if fits else (CellSpan(format_high_digits(before, 32), SpanKind.LOST),)
    below = CellSpan(f"{before & 0xFFFF:04x}", SpanKind.LOST)
    return box, CellSpan(f"{before}[31:16]", SpanKind.TEXT), BECOMES, *beyond, chip, below


def _make_logic_spans(seen: TracedRow, lane: int) -> Spans:
    said = seen.make_formula(lane)
    verdict = CellSpan(said.right, SpanKind.HOLDS if seen.row.values[lane] else SpanKind.FAILS)
    return CellSpan(said.left, SpanKind.NUMBER), CellSpan(" = ", SpanKind.TEXT), verdict


def _choose(seen: TracedRow, _: int) -> Spans:
    """The name and the bits of what is chosen, and why."""
    row = seen.row
    chosen = 1 if row.inputs[0][0] else 2
    name, bits = format_option_name(seen, chosen), format_option_bits(seen, row.values[0])
    condition = format_truth_name(seen.trace, row.input_keys[0])
    truth = "true" if row.inputs[0][0] else "false"
    chip = CellSpan(bits, SpanKind.CHIP, seen.find_tint(chosen, 0))
    return (
        CellSpan(f"{name} ", SpanKind.NAME),
        chip,
        CellSpan(f"   {condition} is {truth}", SpanKind.TEXT),
    )


def format_truth_name(trace: Trace, key: str) -> str:
    """``t``, ``c``; ``!t`` for what a row turned."""
    row = trace.rows.get(key)
    if row is None:
        return format_operand_name(trace, key)
    if isinstance(row.micro, m.Not):
        return f"!{format_truth_name(trace, row.input_keys[0])}"
    return row.name


def format_option_name(seen: TracedRow, index: int) -> str:
    """What an input of a choice is called."""
    row = seen.row
    if row.stage is Stage.GUARD:
        name = format_operand_name(seen.trace, row.name)
        converted = " converted" if row.input_keys[index] in seen.trace.rows else ""
        return f"new {name}" if index == 1 else f"old {name}{converted}"
    known = seen.trace.rows.get(row.input_keys[index])
    return known.name if known else format_operand_name(seen.trace, row.input_keys[index])


def format_option_bits(seen: TracedRow, value: int) -> str:
    """The bits of an input of a choice."""
    role = seen.row.name if seen.row.stage is Stage.GUARD else "a"
    type_ = seen.trace.instruction.type_of(role)
    return str(value) if type_ is Type.PRED else format_hex(value, type_.bits)[2:]


def _flush(seen: TracedRow, _: int) -> Spans:
    before, after = seen.row.inputs[0][0], seen.row.values[0]
    chip = CellSpan(format_hex(after, 32)[2:], SpanKind.CHIP, seen.find_tint(0, 0))
    if before == after:
        return (chip, CellSpan(" is not subnormal", SpanKind.TEXT))
    flags = _make_flag_spans(seen.row, 0)
    return CellSpan(format_hex(before, 32), SpanKind.CHANGED), BECOMES, chip, *flags


def _make_written_spans(seen: TracedRow) -> tuple[Spans, ...]:
    """The destination's bits, and what they mean."""
    row = seen.row
    if row.stage is not Stage.WRITE:
        return (_make_plain_spans(seen, 0),)
    name, ins, bits = row.name, seen.trace.instruction, row.values[0]
    if format_operand_name(seen.trace, name) == "_":
        return ((CellSpan(describe_lane(seen.trace, row, 0).sentence, SpanKind.TEXT),),)
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
    shown = CellSpan(f"   {text} = {interpret_bits(ins, name, bits)}", SpanKind.TEXT)
    return ((CellSpan(text[2:], SpanKind.CHIP, Tint("d")), shown, *_make_flag_spans(row, 0)),)


def _make_packed_spans(seen: TracedRow) -> tuple[Spans, ...]:
    """The destination's bytes or half-words in their columns; a whole word of one column."""
    micro, lanes = seen.row.micro, seen.row.inputs[0]
    assert isinstance(micro, m.Pack)
    if seen.trace.instruction.entry.lanes == 1:
        return _make_written_spans(seen)
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


def _accumulate(seen: TracedRow) -> tuple[Spans, ...]:
    """A running sum: c and the highest lane first, then lane by lane."""
    row, micro = seen.row, seen.row.micro
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


def _to_float(seen: TracedRow, lane: int) -> Spans:
    bits = seen.row.values[0]
    chip = CellSpan(format_hex(bits, 32)[2:], SpanKind.CHIP, Tint("d"))
    before = CellSpan(str(seen.row.inputs[0][0]), SpanKind.TEXT)
    return before, BECOMES, chip, *_make_flag_spans(seen.row, lane)


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
"""Every other kind says its formula."""
_COLUMNS: dict[type, Callable[[TracedRow], tuple[Spans, ...]]] = {
    m.Accumulate: _accumulate,
    m.Pack: _make_packed_spans,
    m.Truncate: _make_written_spans,
    m.Encode: _make_written_spans,
}
"""Kinds of one lane whose line may go through all columns."""
