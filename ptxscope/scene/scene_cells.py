"""What a row says in one line: a cell for each lane column, by its micro-operation."""

from __future__ import annotations

from collections.abc import Callable

from ..engine.isa.types import Type
from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.semantics.micro_operation import Flag
from ..engine.semantics.plan import Stage
from ..engine.syntax.values import hex_text
from ..engine.tracing.formula import Formula, Sign
from ..engine.tracing.lane_text import operand_name, reading, words
from ..engine.tracing.trace import RowTrace, Trace
from .bit_rulers import above, digits
from .scene_model import PLAIN, Cell, Look, Place, Span, Tint

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
BECOMES = Span(" ▸ ", Look.BECOMES)
"""Between what was there before and what comes out."""

_SIGNS = {Sign.IS: "=", Sign.BECOMES: "→", Sign.FOR: "for"}


class Seen(NamedTuple):
    """A row of a trace that is drawn."""

    trace: Trace
    row: RowTrace

    def formula(self, lane: int) -> Formula:
        """The words of a lane."""
        return words(self.trace, self.row, lane).formula

    def tint(self, index: int, lane: int) -> Tint:
        """Whose bits an input's lane holds; nobody's where an operation made them."""
        return tint_of(self.trace, self.row.input_keys[index], lane)


def tint_of(trace: Trace, key: str, lane: int) -> Tint:
    """Whose bits a row's lane, or an operand, holds."""
    row = trace.rows.get(key)
    if row is None:
        return Tint(key)
    if isinstance(row.micro, m.Select):
        word, index = row.micro.picks[lane if len(row.lanes) > 1 else 0]
        return Tint(row.input_keys[word], top_byte(row.micro.unit, index))
    if isinstance(row.micro, m.Flush | m.Extend):
        return tint_of(trace, row.input_keys[0], lane)
    return PLAIN


def top_byte(unit: int, index: int) -> int:
    """The topmost byte of a part; 3 of a whole register."""
    return unit // 8 * (index + 1) - 1 if 8 <= unit < 32 else 3


def part_of(role: str, unit: int, index: int) -> str:
    """``a.b3``, ``b.h0``; ``a`` for the whole."""
    return role if unit >= 32 else f"{role}.{'b' if unit == 8 else 'h'}{index}"


def cells_of(trace: Trace, row: RowTrace) -> tuple[Cell, ...]:
    """The cells of a row, the highest column first."""
    seen = Seen(trace, row)
    columns = _COLUMNS.get(type(row.micro))
    if columns is not None:
        spans = columns(seen)
        return tuple(Cell(Place(row.key, 0), each) for each in spans)
    draw = _CELLS.get(type(row.micro), _plain)
    lanes = reversed(range(len(row.lanes)))
    return tuple(Cell(Place(row.key, lane), draw(seen, lane)) for lane in lanes)


Spans = tuple[Span, ...]


def _flags(row: RowTrace, lane: int) -> Spans:
    marks = [GLYPHS[flag] for flag in row.lanes[lane].flags if flag in GLYPHS]
    return (Span(f" {' '.join(marks)}", Look.CHANGED),) if marks else ()


def _plain(seen: Seen, lane: int) -> Spans:
    said = seen.formula(lane)
    left = Span(said.left, Look.NUMBER)
    return (
        left,
        Span(f" {_SIGNS[said.sign]} ", Look.TEXT),
        Span(said.right, Look.VALUE),
        *_flags(seen.row, lane),
    )


def _select(seen: Seen, lane: int) -> Spans:
    row = seen.row
    assert isinstance(row.micro, m.Select)
    unit = row.micro.unit
    word, index = row.micro.picks[lane]
    role = row.input_keys[word]
    at_home = row.name == role and (index == lane or len(row.lanes) == 1)
    text = hex_text(row.values[lane], unit)[2:]
    name = part_of(role, unit, index)
    bits = digits(row.values[lane], 0, unit)
    chip = Span(text, Look.CHIP, Tint(role, top_byte(unit, index)), bits)
    return (chip, Span(f" {name}", Look.NAME if at_home else Look.AWAY))


def _extend(seen: Seen, lane: int) -> Spans:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Extend)
    bits = row.inputs[0][lane]
    tint = seen.tint(0, lane)
    negative = bool(micro.signed and bits >> micro.bits - 1)
    look = Look.SIGN if micro.signed else Look.ZERO
    extension = "" if micro.bits >= 32 else ("f" if negative else "0") * (micro.bits // 4)
    spans = (
        Span(extension, look, tint, digits(-negative, 0, micro.bits) if extension else ""),
        Span(hex_text(bits, micro.bits)[2:], Look.CHIP, tint, digits(bits, 0, micro.bits)),
        Span(" = ", Look.TEXT),
        Span(str(row.values[lane]), Look.VALUE),
    )
    return tuple(span for span in spans if span.text)


def _clamp(seen: Seen, lane: int) -> Spans:
    row = seen.row
    before, value = row.inputs[0][lane], row.values[lane]
    if before == value:
        return (Span(str(value), Look.VALUE),)
    return Span(str(before), Look.CHANGED), BECOMES, Span(str(value), Look.CLAMPED)


def _compare(seen: Seen, lane: int) -> Spans:
    value = seen.row.values[lane]
    verdict = Span(" ✓ 1", Look.HOLDS) if value else Span(" ✗ 0", Look.FAILS)
    return (Span(seen.formula(lane).left, Look.NUMBER), verdict, *_flags(seen.row, lane))


def _merge(seen: Seen, lane: int) -> Spans:
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Merge)
    value = row.values[lane]
    text, bits = hex_text(value, micro.unit)[2:], digits(value, 0, micro.unit)
    if lane not in micro.lanes:
        role = row.input_keys[1]
        tint = Tint(role, top_byte(micro.unit, lane))
        name = part_of(role, micro.unit, lane)
        return Span("□ ", Look.KEPT), Span(text, Look.CHIP, tint, bits), Span(f" {name}", Look.NAME)
    before = row.inputs[0][lane if len(row.inputs[0]) > 1 else 0]
    box, chip = Span("■ ", Look.TAKEN), Span(text, Look.CHIP, bits=bits)
    if Flag.WRAPPED in row.lanes[lane].flags:
        lost = Span(above(before, micro.unit), Look.LOST)
        return box, Span(str(before), Look.CHANGED), BECOMES, lost, chip
    if micro.high:
        return _upper_half(box, chip, before)
    if len(row.inputs[0]) > 1:  # the number stands above in its column
        return box, chip
    return box, Span(str(before), Look.TEXT), BECOMES, chip


def _upper_half(box: Span, chip: Span, before: int) -> Spans:
    """Bits 31:16 of a number, and what falls off on either side of them."""
    fits = -(1 << 31) <= before < 1 << 32
    beyond = () if fits else (Span(above(before, 32), Look.LOST),)
    below = Span(f"{before & 0xFFFF:04x}", Look.LOST)
    return box, Span(f"{before}[31:16]", Look.TEXT), BECOMES, *beyond, chip, below


def _not_or_join(seen: Seen, lane: int) -> Spans:
    said = seen.formula(lane)
    verdict = Span(said.right, Look.HOLDS if seen.row.values[lane] else Look.FAILS)
    return Span(said.left, Look.NUMBER), Span(" = ", Look.TEXT), verdict


def _choose(seen: Seen, _: int) -> Spans:
    """The name and the bits of what is chosen, and why."""
    row = seen.row
    chosen = 1 if row.inputs[0][0] else 2
    name, bits = option_name(seen, chosen), option_bits(seen, row.values[0])
    condition = truth_name(seen.trace, row.input_keys[0])
    truth = "true" if row.inputs[0][0] else "false"
    chip = Span(bits, Look.CHIP, seen.tint(chosen, 0))
    return (
        Span(f"{name} ", Look.NAME),
        chip,
        Span(f"   {condition} is {truth}", Look.TEXT),
    )


def truth_name(trace: Trace, key: str) -> str:
    """``t``, ``c``; ``!t`` for what a row turned."""
    row = trace.rows.get(key)
    if row is None:
        return operand_name(trace, key)
    if isinstance(row.micro, m.Not):
        return f"!{truth_name(trace, row.input_keys[0])}"
    return row.name


def option_name(seen: Seen, index: int) -> str:
    """What an input of a choice is called."""
    row = seen.row
    if row.stage is Stage.GUARD:
        name = operand_name(seen.trace, row.name)
        converted = " converted" if row.input_keys[index] in seen.trace.rows else ""
        return f"new {name}" if index == 1 else f"old {name}{converted}"
    known = seen.trace.rows.get(row.input_keys[index])
    return known.name if known else operand_name(seen.trace, row.input_keys[index])


def option_bits(seen: Seen, value: int) -> str:
    """The bits of an input of a choice."""
    role = seen.row.name if seen.row.stage is Stage.GUARD else "a"
    type_ = seen.trace.instruction.type_of(role)
    return str(value) if type_ is Type.PRED else hex_text(value, type_.bits)[2:]


def _flush(seen: Seen, _: int) -> Spans:
    before, after = seen.row.inputs[0][0], seen.row.values[0]
    chip = Span(hex_text(after, 32)[2:], Look.CHIP, seen.tint(0, 0))
    if before == after:
        return (chip, Span(" is not subnormal", Look.TEXT))
    return (chip, Span(f" ◂ {hex_text(before, 32)} ≈0", Look.CHANGED))


def _written(seen: Seen) -> tuple[Spans, ...]:
    """The destination's bits, and what they mean."""
    row = seen.row
    if row.stage is not Stage.WRITE:
        return (_plain(seen, 0),)
    name, ins, bits = row.name, seen.trace.instruction, row.values[0]
    if operand_name(seen.trace, name) == "_":
        return ((Span(words(seen.trace, row, 0).sentence, Look.TEXT),),)
    type_ = ins.type_of(name)
    if type_ is Type.PRED:
        look = Look.HOLDS if bits else Look.FAILS
        return ((Span(str(bits), look), Span(f" {reading(ins, name, bits)}", Look.TEXT)),)
    text = hex_text(bits, type_.bits)
    shown = Span(f"   {text} = {reading(ins, name, bits)}", Look.TEXT)
    return ((Span(text[2:], Look.CHIP, Tint("d")), shown, *_flags(row, 0)),)


def _packed(seen: Seen) -> tuple[Spans, ...]:
    """The destination's bytes or half-words in their columns; a whole word of one column."""
    micro, lanes = seen.row.micro, seen.row.inputs[0]
    assert isinstance(micro, m.Pack)
    if seen.trace.instruction.entry.lanes == 1:
        return _written(seen)
    columns = range(len(lanes) - 1, -1, -1)
    tints = {i: Tint("d", top_byte(micro.unit, i)) for i in columns}
    return tuple(
        (Span(hex_text(x, micro.unit)[2:], Look.CHIP, tints[i], digits(x, 0, micro.unit)),)
        for i in columns
        for x in (lanes[i],)
    )


def _accumulate(seen: Seen) -> tuple[Spans, ...]:
    """A running sum: c and the highest lane first, then lane by lane."""
    row, micro = seen.row, seen.row.micro
    assert isinstance(micro, m.Accumulate)
    terms, total = row.inputs[0], row.inputs[1][0]
    columns: list[Spans] = []
    for lane in range(micro.of - 1, -1, -1):
        if lane not in micro.lanes:
            columns.append((Span("□ left out", Look.KEPT),))
            continue
        first = f"{total} " if lane == max(micro.lanes) else ""
        sign = "+" if terms[lane] >= 0 else "-"
        total += terms[lane]
        columns.append(
            (
                Span(f"{first}{sign} {abs(terms[lane])}", Look.NUMBER),
                Span(" = ", Look.TEXT),
                Span(str(total), Look.VALUE),
            )
        )
    return tuple(columns)


def _to_float(seen: Seen, lane: int) -> Spans:
    bits = seen.row.values[0]
    chip = Span(hex_text(bits, 32)[2:], Look.CHIP, Tint("d"))
    return chip, Span(f" ◂ {seen.row.inputs[0][0]}", Look.TEXT), *_flags(seen.row, lane)


_CELLS: dict[type, Callable[[Seen, int], Spans]] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Clamp: _clamp,
    m.Compare: _compare,
    m.Merge: _merge,
    m.Not: _not_or_join,
    m.Combine: _not_or_join,
    m.Choose: _choose,
    m.Flush: _flush,
    m.ToFloat: _to_float,
}
"""Every other kind says its formula."""
_COLUMNS: dict[type, Callable[[Seen], tuple[Spans, ...]]] = {
    m.Accumulate: _accumulate,
    m.Pack: _packed,
    m.Truncate: _written,
    m.Encode: _written,
}
"""Kinds of one lane whose line may go through all columns."""
