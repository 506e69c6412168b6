"""The scene of a form: like a trace's, with names and ranges instead of numbers."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from ..engine.isa.encodings import format_integer_type, format_letters, format_part
from ..engine.isa.types import Type
from ..engine.micro_operations import drawings as d
from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import Part
from ..engine.semantics.models import ISA_MODEL
from ..engine.syntax.instruction import Instruction
from ..engine.tracing.trace import Trace, make_trace
from .scene_builder import build_scene, iter_possible_links, map_part_signs
from .scene_cells import find_tint, find_top_byte, make_part_tint
from .scene_model import (
    PLAIN,
    BitRuler,
    BitRulers,
    CellSpan,
    ChoiceFigure,
    Gate,
    LaneRef,
    NumberLine,
    PermutationFigure,
    Point,
    RegisterFigure,
    RowFigure,
    RowScene,
    RunningSum,
    Scene,
    SpanKind,
    TableFigure,
    Term,
    Tint,
    TruthValue,
)

Spans = tuple[CellSpan, ...]


def _format_range(row: RowTrace) -> str:
    """Format the range of a row's possible values."""
    low, high = row.range
    return str(low) if low == high else f"{low}..{high}"


def make_placeholder_trace(ins: Instruction) -> Trace:
    """Return a trace of an instruction on zeros and its constants; only constants are shown."""
    zeros = {role: 0 for x in ins.inputs for role in x.roles}
    return make_trace(ins, ISA_MODEL, {**zeros, **ins.constants})


def build_form_scene(trace: Trace) -> Scene:
    """Return the scene of a trace without anything that depends on its values."""
    scene = build_scene(trace)
    steps = tuple(
        step._replace(rows=tuple(_build_symbolic_row(trace, row) for row in step.rows))
        for step in scene.steps
    )
    read_places = {
        link.source for step in steps for row in step.rows for link in row.links if link.is_taken
    }
    registers = tuple(_build_symbolic_register(trace, x, read_places) for x in scene.registers)
    return scene._replace(registers=registers, steps=steps)


def with_symbolic_rows(scene: Scene, trace: Trace, hidden_keys: Container[str]) -> Scene:
    """Replace the values of some rows in a trace's scene with names and ranges."""

    def replace_row(row: RowScene) -> RowScene:
        return _build_symbolic_row(trace, row) if row.key in hidden_keys else row

    steps = tuple(step._replace(rows=tuple(map(replace_row, step.rows))) for step in scene.steps)
    return scene._replace(steps=steps)


def _build_symbolic_row(trace: Trace, row_scene: RowScene) -> RowScene:
    row = trace.rows[row_scene.key]
    links = row_scene.links
    if (
        row.micro.is_choice
    ):  # neither the taken branch nor the order of branches may reveal the condition
        links = tuple(sorted(link._replace(is_taken=True) for link in links))
    if row.micro.has_chosen_bits:
        links = tuple(iter_possible_links(trace, row))
    cells = tuple(
        cell._replace(spans=_make_symbolic_spans(row, cell.place.lane, column))
        for column, cell in enumerate(reversed(row_scene.cells))
    )
    figure = _make_symbolic_figure(row, row_scene.figure)
    return row_scene._replace(cells=cells[::-1], figure=figure, links=links)


# --- registers --------------------------------------------------------------------------


def _build_symbolic_register(
    trace: Trace, figure: RegisterFigure, read_places: Container[LaneRef]
) -> RegisterFigure:
    """Return a register with the letters of its parts and its type."""
    ins, role = trace.instruction, figure.role
    type_ = ins.type_of(role)
    signs = map_part_signs(trace, role)
    cells = []
    for cell in figure.cells:
        first, *rest = cell.spans
        name = format_letters(role, figure.unit, cell.place.lane)
        kind = SpanKind.CHIP if cell.place in read_places else SpanKind.UNUSED
        kind = SpanKind.EITHER if type_ is Type.PRED else kind
        readings = signs.get(cell.place.lane, (type_.signed,))
        number = ", ".join(format_integer_type(x, figure.unit) for x in readings)
        if type_.lanes > 1:
            number = str(type_.lane_type)
        spans = (
            first._replace(text=name, kind=kind, bits=""),
            *(x._replace(text=number) for x in rest),
        )
        cells.append(cell._replace(spans=spans))
    float_figure = figure.figure
    if float_figure:
        (ruler,) = float_figure.rulers
        float_figure = BitRulers((_make_float_ruler(ruler),))
    word = format_letters(role, type_.bits, 0)
    return figure._replace(cells=tuple(cells), meaning=str(type_), figure=float_figure, bits=word)


def _make_float_ruler(ruler: BitRuler) -> BitRuler:
    """Return the fields of a float as letters."""
    fields = tuple(
        run._replace(text=run.label[0] * (len(run.text) if set(run.text) <= set("01") else 13))
        for run in ruler.runs
    )
    return ruler._replace(runs=fields, summary="")


# --- cells ------------------------------------------------------------------------------


def _make_symbolic_spans(row: RowTrace, lane: int, column: int) -> Spans:
    """Return the spans of a lane; a row whose text spans all columns has one lane."""
    cell = row.micro.make_cell(row, lane)
    if isinstance(cell, d.WordCell):
        tint = Tint("d", find_top_byte(cell.unit, column))
        return (CellSpan(format_part(row.role, cell.unit, column), SpanKind.CHIP, tint),)
    if isinstance(cell, d.LaneSum):
        return _make_term_spans(row, column, cell)
    return _CELLS[type(cell)](row, lane, cell)


def _make_formula_spans(row: RowTrace, lane: int, _: d.CellDrawing) -> Spans:
    return (
        CellSpan(row.micro.format_symbols(row, lane), SpanKind.NUMBER),
        CellSpan(" in ", SpanKind.TEXT),
        CellSpan(_format_range(row), SpanKind.VALUE),
    )


def _make_part_spans(row: RowTrace, lane: int, cell: d.PartCell) -> Spans:
    chip = _make_part_chip(row, cell.part)
    has_lanes = len(row.values) > 1  # the operand of the lane, as formulas name it
    return chip, CellSpan(f" {row.role}{lane if has_lanes else ''}", SpanKind.AWAY)


def _make_part_chip(row: RowTrace, part: Part) -> CellSpan:
    letters = format_letters(row.inputs[part.input].key, part.unit, part.number)
    return CellSpan(letters, SpanKind.CHIP, make_part_tint(row, part))


def _make_reading_spans(row: RowTrace, lane: int, cell: d.ReadingCell) -> Spans:
    tint = find_tint(row.inputs[0], lane)
    bits, is_signed = cell.reading.bits, cell.reading.signed
    name, number = _format_bits(row, lane), format_integer_type(is_signed, bits)
    chip, equals = CellSpan(name, SpanKind.CHIP, tint), CellSpan(" = ", SpanKind.TEXT)
    if bits >= 32 or row.inputs[0].is_operand:  # there is no visible extension
        return chip, equals, CellSpan(number, SpanKind.VALUE)
    kind, letter = (SpanKind.SIGN, "s") if is_signed else (SpanKind.ZERO, "0")
    extension = CellSpan(letter * len(name), kind, tint)  # as wide as the bits it extends
    prefix = "" if len(row.values) > 1 else f"{number}: "
    return extension, chip, equals, CellSpan(f"{prefix}{_format_range(row)}", SpanKind.VALUE)


def _format_bits(row: RowTrace, lane: int) -> str:
    """Format the letters of the selected part's bits in a lane of the input."""
    source = row.inputs[0]
    part = source.micro.find_part(lane if len(source.values) > 1 else 0)
    if part:
        return format_letters(source.inputs[part.input].key, part.unit, part.number)
    bits = row.instruction.type_of(source.key).bits if source.is_operand else 0
    return format_letters(source.key, bits, 0) if bits >= 32 else source.symbol


def _make_range_spans(row: RowTrace, _: int, __: d.NumberCell) -> Spans:
    return (CellSpan(f"in {_format_range(row)}", SpanKind.VALUE),)


def _make_verdict_spans(row: RowTrace, lane: int, _: d.VerdictCell) -> Spans:
    relation = CellSpan(row.micro.format_symbols(row, lane), SpanKind.NUMBER)
    return relation, CellSpan(" 0 or 1", SpanKind.EITHER)


def _make_truth_spans(_: RowTrace, __: int, ___: d.TruthCell) -> Spans:
    return (CellSpan("0 or 1", SpanKind.EITHER),)


def _make_kept_spans(row: RowTrace, _: int, cell: d.KeptCell) -> Spans:
    part, chip = cell.part, _make_part_chip(row, cell.part)
    name = format_part(row.inputs[part.input].key, part.unit, part.number)
    return CellSpan("□ ", SpanKind.KEPT), chip, CellSpan(f" {name}", SpanKind.NAME)


def _make_taken_spans(row: RowTrace, lane: int, cell: d.TakenCell) -> Spans:
    name = row.list_symbols(lane)[0]
    bits = "[31:16]" if cell.has_high_half else row.find_lost_bits(cell.unit)
    return (
        CellSpan("■ ", SpanKind.TAKEN),
        CellSpan(name, SpanKind.CHIP),
        CellSpan(f" ◂ {name}{bits}", SpanKind.TEXT),
    )


def _make_choice_spans(_: RowTrace, __: int, cell: d.Choice) -> Spans:
    return (CellSpan(" or ".join(cell.names), SpanKind.CHIP),)


def _make_pattern_spans(row: RowTrace, lane: int, _: d.PatternCell) -> Spans:
    return (CellSpan(row.inputs[0].symbol, SpanKind.CHIP, find_tint(row.inputs[0], lane)),)


def _make_result_spans(row: RowTrace, _: int, cell: d.ResultCell) -> Spans:
    if row.instruction.format_operand(row.role) == "_":
        return (CellSpan("discarded", SpanKind.TEXT),)
    if row.instruction.type_of(row.role) is Type.PRED:
        return (CellSpan("0 or 1", SpanKind.EITHER),)
    return (CellSpan(cell.letters, SpanKind.CHIP, Tint("d")),)


def _make_term_spans(row: RowTrace, lane: int, cell: d.LaneSum) -> Spans:
    if lane not in cell.lanes:
        return (CellSpan("□ left out", SpanKind.KEPT),)
    return (CellSpan(f"+ {row.list_symbols(lane)[0]}", SpanKind.NUMBER),)


_CELLS: dict[type, Callable[[RowTrace, int, Any], Spans]] = {
    d.FormulaCell: _make_formula_spans,
    d.PartCell: _make_part_spans,
    d.ReadingCell: _make_reading_spans,
    d.NumberCell: _make_range_spans,
    d.VerdictCell: _make_verdict_spans,
    d.TruthCell: _make_truth_spans,
    d.TakenCell: _make_taken_spans,
    d.KeptCell: _make_kept_spans,
    d.Choice: _make_choice_spans,
    d.PatternCell: _make_pattern_spans,
    d.ConversionCell: _make_formula_spans,
    d.ResultCell: _make_result_spans,
}


# --- figures ----------------------------------------------------------------------------


def _make_symbolic_figure(row: RowTrace, figure: RowFigure | None) -> RowFigure | None:
    draw = _FIGURES.get(type(figure))
    return draw(row, figure) if draw else None


def _make_number_line(row: RowTrace, line: NumberLine) -> NumberLine | None:
    """Return a range with a point inside, and one on each side that inputs can reach."""
    figure = row.micro.make_figure(row)
    if not isinstance(figure, d.RangeLine):
        return None
    low, high = row.inputs[0].range
    points = []
    for lane in reversed(range(len(row.values))):
        place = LaneRef(row.key, lane)
        points.append(Point("", 0.5, (), place))
        if figure.low is not None and low < figure.low:
            points.append(Point("", -1.0, (), place, line.low))
        if figure.high is not None and high > figure.high:
            points.append(Point("", 2.0, (), place, line.high))
    return NumberLine(line.low, line.high, tuple(points))


def _make_running_sum(row: RowTrace, figure: RunningSum) -> RunningSum:
    def hide_term(term: Term, total: str = "") -> Term:
        name = f"+ {row.list_symbols(term.place.lane)[0]}" if term.is_added else ""
        return term._replace(text=name, total=total)

    *terms, last_term = figure.terms
    start = figure.start._replace(text="", total="")
    hidden_terms = (*map(hide_term, terms), hide_term(last_term, _format_range(row)))
    return figure._replace(start=start, terms=hidden_terms)


def _hide_truth(truth: TruthValue) -> TruthValue:
    return truth._replace(value=None)


def _make_gate(_: RowTrace, figure: Gate) -> Gate:
    return Gate(tuple(map(_hide_truth, figure.inputs)), figure.word, _hide_truth(figure.output))


def _make_choice_figure(_: RowTrace, figure: ChoiceFigure) -> ChoiceFigure:
    first, second = (x._replace(bits=x.name, is_taken=True) for x in figure.options)
    names = f"{first.name} or {second.name}"
    return ChoiceFigure(_hide_truth(figure.condition), (first, second), names, figure.place)


def _make_permutation(row: RowTrace, figure: PermutationFigure) -> PermutationFigure:
    """Return the bar of bytes without the choices of the lanes."""
    sources = tuple(x._replace(text=x.name, is_taken=True) for x in figure.sources)
    lane_bytes = tuple(
        byte._replace(
            digit_text="?",
            source=None,
            is_sign=False,
            text=row.micro.format_symbols(row, byte.place.lane),
            tint=PLAIN,
        )
        for byte in figure.lane_bytes
    )
    return figure._replace(sources=sources, lane_bytes=lane_bytes, selector="")


def _make_table_figure(_: RowTrace, figure: TableFigure) -> TableFigure:
    """Return a truth table without the words that use it."""
    entries = tuple(entry._replace(positions=()) for entry in figure.entries)
    words = tuple(word._replace(text="", digits="") for word in figure.words)
    result = figure.result._replace(text="", digits="")
    return figure._replace(entries=entries, words=words, result=result)


_FIGURES: dict[type, Callable[[RowTrace, Any], RowFigure | None]] = {
    PermutationFigure: _make_permutation,
    TableFigure: _make_table_figure,
    NumberLine: _make_number_line,
    RunningSum: _make_running_sum,
    Gate: _make_gate,
    ChoiceFigure: _make_choice_figure,
}
"""Figures of a form, without bit rulers, which need numbers."""
