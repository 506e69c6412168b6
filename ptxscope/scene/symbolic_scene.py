"""The scene of a form: like that of a trace, with names and ranges instead of numbers."""

from __future__ import annotations

from collections.abc import Callable, Container

from ..engine.isa.roles import Role
from ..engine.isa.types import Type
from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.semantics.models import ISA_MODEL
from ..engine.semantics.plan import Stage
from ..engine.syntax.instruction import Instruction
from ..engine.tracing.lane_text import (
    format_comparison,
    format_integer_type,
    format_operand_name,
    format_relation,
)
from ..engine.tracing.trace import RowTrace, Trace
from .scene_builder import build_scene
from .scene_cells import (
    TracedRow,
    find_tint,
    find_top_byte,
    format_option_name,
    format_part,
    format_truth_name,
)
from .scene_model import (
    BitRuler,
    BitRulers,
    Cell,
    CellSpan,
    ChoiceFigure,
    Gate,
    LaneRef,
    NumberLine,
    Point,
    RegisterFigure,
    RowFigure,
    RowScene,
    RunningSum,
    Scene,
    SpanKind,
    Term,
    Tint,
    TruthValue,
)

_RANGE = ".."
Spans = tuple[CellSpan, ...]


class SymbolicRow(NamedTuple):
    """A row without known values."""

    trace: Trace
    row: RowTrace

    def format_input(self, index: int, lane: int | None = None) -> str:
        """Format the name of an input, with the number of the lane if it has several."""
        key = self.row.input_keys[index]
        source_row = self.trace.rows.get(key)
        name = source_row.name if source_row else format_operand_name(self.trace, key)
        if source_row and isinstance(source_row.micro, m.Negate):
            name = f"-{SymbolicRow(self.trace, source_row).format_input(0)}"
        elif source_row and isinstance(source_row.micro, m.Not):
            name = format_truth_name(self.trace, key)
        has_lanes = lane is not None and lane >= 0 and len(self.row.inputs[index]) > 1
        return f"{name}{lane}" if has_lanes else name

    @property
    def range(self) -> str:
        """Range of the values that the row can yield."""
        low, high = self.row.row.range
        return str(low) if low == high else f"{low}{_RANGE}{high}"

    def get_source_range(self) -> tuple[int, int]:
        """Return the lowest and the highest value of the first input."""
        source_row = self.trace.rows.get(self.row.input_keys[0])
        if source_row:
            return source_row.row.range
        return 0, (1 << self.trace.instruction.type_of(self.row.input_keys[0]).bits) - 1


def make_placeholder_trace(ins: Instruction) -> Trace:
    """Return a trace of an instruction on zeros and its constants; no other value is shown."""
    zeros = {role: 0 for x in ins.inputs for role in x.roles}
    return Trace(ins, ISA_MODEL, {**zeros, **ins.constants})


def build_form_scene(trace: Trace) -> Scene:
    """Return the scene of a trace without anything that depends on its values."""
    scene = build_scene(trace)
    steps = tuple(
        step._replace(rows=tuple(_build_symbolic_row(trace, row) for row in step.rows))
        for step in scene.steps
    )
    read_places = {link.source for row in scene.rows.values() for link in row.links
            if link.is_taken or isinstance(trace.rows[row.key].micro, m.Choose)}  # fmt: skip
    registers = tuple(_build_symbolic_register(trace, x, read_places) for x in scene.registers)
    return scene._replace(registers=registers, steps=steps)


def with_symbolic_rows(scene: Scene, trace: Trace, hidden_keys: Container[str]) -> Scene:
    """Return the scene of a trace with the values of some rows replaced by names and ranges."""

    def replace_row(row: RowScene) -> RowScene:
        return _build_symbolic_row(trace, row) if row.key in hidden_keys else row

    steps = tuple(step._replace(rows=tuple(map(replace_row, step.rows))) for step in scene.steps)
    return scene._replace(steps=steps)


def _build_symbolic_row(trace: Trace, row_scene: RowScene) -> RowScene:
    row = trace.rows[row_scene.key]
    symbolic_row = SymbolicRow(trace, row)
    is_choice = isinstance(row.micro, m.Choose)
    links = row_scene.links
    if is_choice:  # neither which branch is taken nor their order may reveal the condition
        links = tuple(sorted(link._replace(is_taken=True) for link in links))
    cells = tuple(
        _make_symbolic_cell(symbolic_row, cell, index) for index, cell in enumerate(row_scene.cells)
    )
    return row_scene._replace(
        cells=cells, figure=_make_symbolic_figure(symbolic_row, row_scene.figure), links=links
    )


# --- registers --------------------------------------------------------------------------


def _build_symbolic_register(
    trace: Trace, figure: RegisterFigure, read_places: Container[LaneRef]
) -> RegisterFigure:
    """Return a register with the letters of its parts and its type."""
    ins, role = trace.instruction, figure.role
    type_ = ins.type_of(role)
    cells = []
    for cell in figure.cells:
        first, *rest = cell.spans
        name = _make_letters(role, figure.unit, cell.place.lane)
        look = SpanKind.CHIP if cell.place in read_places else SpanKind.UNUSED
        look = SpanKind.EITHER if type_ is Type.PRED else look
        number = format_integer_type(type_ is Type.S32, figure.unit)
        spans = (
            first._replace(text=name, look=look, bits=""),
            *(x._replace(text=number) for x in rest),
        )
        cells.append(cell._replace(spans=spans))
    float_figure = figure.figure
    if float_figure:
        (strip,) = float_figure.rulers
        float_figure = BitRulers((_make_float_ruler(strip),))
    word = _make_letters(role, type_.bits, 0)
    return figure._replace(cells=tuple(cells), meaning=str(type_), figure=float_figure, bits=word)


def _make_float_ruler(strip: BitRuler) -> BitRuler:
    """Return the fields of a float as letters."""
    letters = {
        SpanKind.SIGN_BIT: "s",
        SpanKind.EXPONENT: "e",
        SpanKind.FRACTION: "f",
        SpanKind.LOST: "f",
    }
    fields = tuple(
        x._replace(text=letters[x.look] * (len(x.text) if set(x.text) <= set("01") else 13))
        for x in strip.stretches
    )
    return strip._replace(stretches=fields, summary="")


# --- cells ------------------------------------------------------------------------------


def _make_symbolic_cell(symbolic_row: SymbolicRow, cell: Cell, index: int) -> Cell:
    lane = cell.place.lane
    if (
        isinstance(symbolic_row.row.micro, m.Pack)
        and symbolic_row.trace.instruction.entry.lanes > 1
    ):
        unit = symbolic_row.row.micro.unit
        lane = len(symbolic_row.row.inputs[0]) - 1 - index
        spans: Spans = (
            CellSpan(
                format_part(symbolic_row.row.name, unit, lane),
                SpanKind.CHIP,
                Tint("d", find_top_byte(unit, lane)),
            ),
        )
        return cell._replace(spans=spans)
    draw = _CELLS.get(type(symbolic_row.row.micro), _make_computed_spans)
    return cell._replace(spans=draw(symbolic_row, lane))


def _make_chip(symbolic_row: SymbolicRow, text: str, lane: int) -> CellSpan:
    return CellSpan(
        text, SpanKind.CHIP, find_tint(symbolic_row.trace, symbolic_row.row.input_keys[0], lane)
    )


def _make_computed_spans(symbolic_row: SymbolicRow, lane: int) -> Spans:
    formula = _FORMULAS[type(symbolic_row.row.micro)](symbolic_row, lane)
    return (
        CellSpan(formula, SpanKind.NUMBER),
        CellSpan(" in ", SpanKind.TEXT),
        CellSpan(symbolic_row.range, SpanKind.VALUE),
    )


def _select(symbolic_row: SymbolicRow, lane: int) -> Spans:
    micro = symbolic_row.row.micro
    assert isinstance(micro, m.Select)
    word, index = micro.picks[lane]
    role = symbolic_row.row.input_keys[word]
    chip = CellSpan(_make_letters(role, micro.unit, index), SpanKind.CHIP,
                Tint(role, find_top_byte(micro.unit, index)))  # fmt: skip
    has_lanes = len(symbolic_row.row.lanes) > 1  # the operand of the lane, as formulas name it
    return chip, CellSpan(f" {symbolic_row.row.name}{lane if has_lanes else ''}", SpanKind.AWAY)


def _extend(symbolic_row: SymbolicRow, lane: int) -> Spans:
    micro, key = symbolic_row.row.micro, symbolic_row.row.input_keys[0]
    assert isinstance(micro, m.Extend)
    tint = find_tint(symbolic_row.trace, key, lane)
    look, letter = (SpanKind.SIGN, "s") if micro.signed else (SpanKind.ZERO, "0")
    name = _format_symbol(symbolic_row, lane)
    extension = "" if micro.bits >= 32 else letter * len(name)  # as wide as the bits it extends
    number = format_integer_type(micro.signed, micro.bits)
    if micro.bits < 32:
        number = (
            symbolic_row.range
            if len(symbolic_row.row.lanes) > 1
            else f"{number}: {symbolic_row.range}"
        )
    spans = (
        CellSpan(extension, look, tint),
        CellSpan(name, SpanKind.CHIP, tint),
        CellSpan(" = ", SpanKind.TEXT),
        CellSpan(number, SpanKind.VALUE),
    )
    return tuple(span for span in spans if span.text)


def _format_symbol(symbolic_row: SymbolicRow, lane: int) -> str:
    """Format the letters of the bits in a lane of the input: those of the selected part."""
    key = symbolic_row.row.input_keys[0]
    source_row = symbolic_row.trace.rows.get(key)
    if source_row and isinstance(source_row.micro, m.Select):
        word, index = source_row.micro.picks[lane if len(source_row.lanes) > 1 else 0]
        role = source_row.input_keys[word]
        return _make_letters(role, source_row.micro.unit, index)
    bits = symbolic_row.trace.instruction.type_of(key).bits if source_row is None else 0
    return _make_letters(key, bits, 0) if bits >= 32 else symbolic_row.format_input(0)


def _make_letters(role: str, unit: int, index: int) -> str:
    """Return the letters of bits: ``a.b3``, ``b.h0``, ``c[31:0]``; ``a3`` is a lane's operand."""
    letter = Role(role).label[:1]
    if unit < 32:
        return format_part(letter, unit, index) if unit >= 8 else letter
    return f"{letter}[{unit - 1}:0]"


def _clamp(symbolic_row: SymbolicRow, _: int) -> Spans:
    return (CellSpan(f"in {symbolic_row.range}", SpanKind.VALUE),)


def _compare(symbolic_row: SymbolicRow, lane: int) -> Spans:
    micro = symbolic_row.row.micro
    assert isinstance(micro, m.Compare)
    names = [
        symbolic_row.format_input(index, lane) for index in range(len(symbolic_row.row.inputs))
    ]
    left, right = [*names, "0"][:2]
    is_relation = format_comparison(micro.cmp) != str(micro.cmp)
    text = (
        format_relation(micro.cmp, left, right) if is_relation else f"{micro.cmp}({left}, {right})"
    )
    return CellSpan(text, SpanKind.NUMBER), CellSpan(" 0 or 1", SpanKind.EITHER)


def _make_logic_spans(_: SymbolicRow, __: int) -> Spans:
    return (CellSpan("0 or 1", SpanKind.EITHER),)


def _merge(symbolic_row: SymbolicRow, lane: int) -> Spans:
    row, micro = symbolic_row.row, symbolic_row.row.micro
    assert isinstance(micro, m.Merge)
    if lane not in micro.lanes:
        role = row.input_keys[1]
        name = format_part(role, micro.unit, lane)
        tint = Tint(role, find_top_byte(micro.unit, lane))
        chip = CellSpan(_make_letters(role, micro.unit, lane), SpanKind.CHIP, tint)
        return CellSpan("□ ", SpanKind.KEPT), chip, CellSpan(f" {name}", SpanKind.NAME)
    low, high = symbolic_row.get_source_range()
    box, chip = (
        CellSpan("■ ", SpanKind.TAKEN),
        CellSpan(symbolic_row.format_input(0, lane), SpanKind.CHIP),
    )
    is_truncated = low < -(1 << micro.unit - 1) or high >= 1 << micro.unit
    kept_bits = f"[{micro.unit - 1}:0]"
    return (
        box,
        chip,
        CellSpan(
            f" ◂ {symbolic_row.format_input(0, lane)}{kept_bits if is_truncated else ''}",
            SpanKind.TEXT,
        ),
    )


def _choose(symbolic_row: SymbolicRow, _: int) -> Spans:
    traced_row = TracedRow(symbolic_row.trace, symbolic_row.row)
    names = f"{format_option_name(traced_row, 1)} or {format_option_name(traced_row, 2)}"
    return (CellSpan(names, SpanKind.CHIP),)


def _flush(symbolic_row: SymbolicRow, _: int) -> Spans:
    return (_make_chip(symbolic_row, symbolic_row.format_input(0), 0),)


def _make_written_spans(symbolic_row: SymbolicRow, lane: int) -> Spans:
    row = symbolic_row.row
    if row.stage is not Stage.WRITE:
        return _make_computed_spans(symbolic_row, lane)
    type_ = symbolic_row.trace.instruction.type_of(row.name)
    if format_operand_name(symbolic_row.trace, row.name) == "_":
        return (CellSpan("thrown away", SpanKind.TEXT),)
    if type_ is Type.PRED:
        return (CellSpan("0 or 1", SpanKind.EITHER),)
    return (CellSpan(_format_word(symbolic_row), SpanKind.CHIP, Tint("d")),)


def _format_word(symbolic_row: SymbolicRow) -> str:
    """Format the bits that are written, as letters."""
    micro = symbolic_row.row.micro
    if isinstance(micro, m.Encode):
        return f"{'1.0' if micro.true == 0x3F80_0000 else 'all 1s'} or 0"
    if isinstance(micro, m.Pack):
        return _join_parts(symbolic_row)
    low, high = symbolic_row.get_source_range()
    bits = micro.bits if isinstance(micro, m.Truncate) else 32
    is_truncated = low < -(1 << bits - 1) or high >= 1 << bits
    return (
        f"{symbolic_row.format_input(0)}[{bits - 1}:0]"
        if is_truncated
        else symbolic_row.format_input(0)
    )


def _join_parts(symbolic_row: SymbolicRow) -> str:
    """Join the parts of a word, the highest first."""
    source_row = symbolic_row.trace.rows[symbolic_row.row.input_keys[0]]
    assert isinstance(source_row.micro, m.Merge)
    lanes = [
        _merge(SymbolicRow(symbolic_row.trace, source_row), lane)
        for lane in range(len(source_row.lanes))
    ]
    return " ".join(spans[1].text for spans in reversed(lanes))


def _accumulate(symbolic_row: SymbolicRow, lane: int) -> Spans:
    return (
        CellSpan(symbolic_row.format_input(0, lane), SpanKind.NUMBER),
        CellSpan(symbolic_row.range, SpanKind.VALUE),
    )


SymbolWriter = Callable[[SymbolicRow, int], Spans]
_CELLS: dict[type, SymbolWriter] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Clamp: _clamp,
    m.Compare: _compare,
    m.Not: _make_logic_spans,
    m.Combine: _make_logic_spans,
    m.Merge: _merge,
    m.Choose: _choose,
    m.Flush: _flush,
    m.Truncate: _make_written_spans,
    m.Encode: _make_written_spans,
    m.Pack: _make_written_spans,
    m.Accumulate: _accumulate,
}
"""Cells by micro-operation; every other kind shows its formula and its range."""


def _make_infix_writer(sign: str) -> Callable[[SymbolicRow, int], str]:
    return lambda symbolic_row, lane: (
        f"{symbolic_row.format_input(0, lane)} {sign} {symbolic_row.format_input(1, lane)}"
    )


def _make_wrapping_writer(template: str) -> Callable[[SymbolicRow, int], str]:
    def format_formula(symbolic_row: SymbolicRow, lane: int) -> str:
        names = [
            symbolic_row.format_input(index, lane) for index in range(len(symbolic_row.row.inputs))
        ]
        return template.format(*names, micro=symbolic_row.row.micro)

    return format_formula


def _read_as(symbolic_row: SymbolicRow, lane: int) -> str:
    micro = symbolic_row.row.micro
    bits, signed = getattr(micro, "bits", 32), getattr(micro, "signed", False)
    return f"{format_integer_type(signed, bits)}({symbolic_row.format_input(0, lane)})"


def _limit(symbolic_row: SymbolicRow, lane: int) -> str:
    wraps = getattr(symbolic_row.row.micro, "wrap", False)
    name = symbolic_row.format_input(0, lane)
    return f"{name} & 31" if wraps else f"min({name}, 32)"


_FORMULAS: dict[type, Callable[[SymbolicRow, int], str]] = {
    m.Add: _make_infix_writer("+"),
    m.Subtract: _make_infix_writer("-"),
    m.Multiply: _make_infix_writer("*"),
    m.ShiftLeft: _make_infix_writer("<<"),
    m.ShiftRight: _make_infix_writer(">>"),
    m.AbsoluteDifference: _make_wrapping_writer("|{} - {}|"),
    m.Minimum: _make_wrapping_writer("min({}, {})"),
    m.Maximum: _make_wrapping_writer("max({}, {})"),
    m.Average: _make_wrapping_writer("({} + {}) / 2"),
    m.ScaleDown: _make_wrapping_writer("{} >> {micro.amount}"),
    m.Negate: _make_wrapping_writer("-{}"),
    m.Magnitude: _make_wrapping_writer("|{}|"),
    m.PlusOne: _make_wrapping_writer("{} + 1"),
    m.ToFloat: _make_wrapping_writer("float({})"),
    m.LimitAmount: _limit,
    m.Wrap: _read_as,
    m.ToBits: _read_as,
    m.Truncate: _read_as,
    m.Encode: _make_wrapping_writer("{}"),
    m.Pack: _make_wrapping_writer("{}"),
}
"""Formulas in letters, by micro-operation."""


def format_symbolic_formula(trace: Trace, row: RowTrace) -> str:
    """Format the formula of a row in letters, for any lane; empty if the row only moves bits."""
    symbolic_row = SymbolicRow(trace, row)
    formula = _FORMULAS.get(type(row.micro)) or _MOVING_FORMULAS.get(type(row.micro))
    return formula(symbolic_row, -1) if formula else ""


def _format_relation(symbolic_row: SymbolicRow, _: int) -> str:
    return (
        _compare(symbolic_row, 0)[0].text
        if len(symbolic_row.row.lanes) == 1
        else _format_any_lane(symbolic_row)
    )


def _format_any_lane(symbolic_row: SymbolicRow) -> str:
    micro = symbolic_row.row.micro
    assert isinstance(micro, m.Compare)
    return format_relation(micro.cmp, symbolic_row.format_input(0), symbolic_row.format_input(1))


def _format_total(symbolic_row: SymbolicRow, _: int) -> str:
    micro = symbolic_row.row.micro
    assert isinstance(micro, m.Accumulate)
    lanes = (
        symbolic_row.format_input(0, lane)
        for lane in reversed(range(micro.input_lanes))
        if lane in micro.lanes
    )
    return " + ".join([symbolic_row.format_input(1), *lanes])


def _format_combination(symbolic_row: SymbolicRow, _: int) -> str:
    operator = getattr(symbolic_row.row.micro, "boolop", "")
    return f"{symbolic_row.format_input(0)} {operator} {symbolic_row.format_input(1)}"


def _format_either(symbolic_row: SymbolicRow, _: int) -> str:
    traced_row = TracedRow(symbolic_row.trace, symbolic_row.row)
    condition = format_truth_name(symbolic_row.trace, symbolic_row.row.input_keys[0])
    return (
        f"{condition} ? {format_option_name(traced_row, 1)} : {format_option_name(traced_row, 2)}"
    )


_MOVING_FORMULAS: dict[type, Callable[[SymbolicRow, int], str]] = {
    m.Extend: lambda row, _: f"{_format_type(row)}({row.format_input(0)})",
    m.Clamp: lambda row, _: _format_clamp(row),
    m.Compare: _format_relation,
    m.Combine: _format_combination,
    m.Accumulate: _format_total,
    m.Choose: _format_either,
    m.Flush: lambda row, _: f"ftz({row.format_input(0)})",
}


def _format_clamp(symbolic_row: SymbolicRow) -> str:
    """Format a clamp with its bounds, whether or not an input can exceed them."""
    micro, name = symbolic_row.row.micro, symbolic_row.format_input(0)
    assert isinstance(micro, m.Clamp)
    if micro.low is None:
        return f"min({name}, {micro.high})"
    if micro.high is None:
        return f"max({name}, {micro.low})"
    return f"clamp({name}, {micro.low}{_RANGE}{micro.high})"


def _format_type(symbolic_row: SymbolicRow) -> str:
    micro = symbolic_row.row.micro
    assert isinstance(micro, m.Extend)
    return format_integer_type(micro.signed, micro.bits)


# --- figures ----------------------------------------------------------------------------


def _make_symbolic_figure(symbolic_row: SymbolicRow, figure: RowFigure | None) -> RowFigure | None:
    draw = _FIGURES.get(type(figure))
    return draw(symbolic_row, figure) if draw else None


def _make_number_line(symbolic_row: SymbolicRow, figure: NumberLine) -> NumberLine | None:
    """Return a clamp's line with a point inside, and one on each side that an input can reach."""
    micro = symbolic_row.row.micro
    if not isinstance(micro, m.Clamp):
        return None
    low, high = symbolic_row.get_source_range()
    points = []
    for lane in reversed(range(len(symbolic_row.row.lanes))):
        place = LaneRef(symbolic_row.row.key, lane)
        points.append(Point("", 0.5, (), place))
        if micro.low is not None and low < micro.low:
            points.append(Point("", -1.0, (), place, figure.low))
        if micro.high is not None and high > micro.high:
            points.append(Point("", 2.0, (), place, figure.high))
    return NumberLine(figure.low, figure.high, tuple(points))


def _make_running_sum(symbolic_row: SymbolicRow, figure: RunningSum) -> RunningSum:
    def format_total(index: int) -> str:
        return symbolic_row.range if index == len(figure.terms) - 1 else ""

    def format_text(term: Term) -> str:
        return f"+ {symbolic_row.format_input(0, term.place.lane)}" if term.is_added else ""

    terms = tuple(
        term._replace(text=format_text(term), total=format_total(index))
        for index, term in enumerate(figure.terms)
    )
    return figure._replace(start=figure.start._replace(text="", total=""), terms=terms)


def _make_gate(_: SymbolicRow, figure: Gate) -> Gate:
    def hide_value(truth: TruthValue) -> TruthValue:
        return truth._replace(value=None)

    return Gate(tuple(map(hide_value, figure.inputs)), figure.word, hide_value(figure.output))


def _make_choice_figure(symbolic_row: SymbolicRow, figure: ChoiceFigure) -> ChoiceFigure:
    first, second = (
        option._replace(
            bits=_format_option(symbolic_row, 1 if option.is_true_branch else 2), is_taken=True
        )
        for option in figure.options
    )
    condition = TruthValue(
        figure.condition.place,
        format_truth_name(symbolic_row.trace, symbolic_row.row.input_keys[0]),
        None,
    )
    return ChoiceFigure(condition, (first, second), f"{first.bits} or {second.bits}", figure.place)


def _format_option(symbolic_row: SymbolicRow, index: int) -> str:
    return format_option_name(TracedRow(symbolic_row.trace, symbolic_row.row), index)


_FIGURES: dict[type, Callable[..., RowFigure | None]] = {
    NumberLine: _make_number_line,
    RunningSum: _make_running_sum,
    Gate: _make_gate,
    ChoiceFigure: _make_choice_figure,
}
"""Figures of a form; bit rulers have none, because they need numbers."""
