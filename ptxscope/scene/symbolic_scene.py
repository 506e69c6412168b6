"""The scene of a form: as that of a trace, with names and ranges where numbers stand."""

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
from .scene_builder import build_scene, is_part_signed
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
    Tint,
    TruthValue,
)

_RANGE = ".."
Spans = tuple[CellSpan, ...]


class SymbolicRow(NamedTuple):
    """A row of which no value is known."""

    trace: Trace
    row: RowTrace

    def format_input(self, index: int, lane: int | None = None) -> str:
        """What an input is called; with the lane's number where it has lanes."""
        key = self.row.input_keys[index]
        known = self.trace.rows.get(key)
        name = known.name if known else format_operand_name(self.trace, key)
        if known and isinstance(known.micro, m.Negate):
            name = f"-{SymbolicRow(self.trace, known).format_input(0)}"
        elif known and isinstance(known.micro, m.Not):
            name = format_truth_name(self.trace, key)
        several = lane is not None and lane >= 0 and len(self.row.inputs[index]) > 1
        return f"{name}{lane}" if several else name

    @property
    def range(self) -> str:
        """The values that it can yield."""
        low, high = self.row.row.range
        return str(low) if low == high else f"{low}{_RANGE}{high}"

    def get_source_range(self) -> tuple[int, int]:
        """The values that its first input can have."""
        known = self.trace.rows.get(self.row.input_keys[0])
        if known:
            return known.row.range
        return 0, (1 << self.trace.instruction.type_of(self.row.input_keys[0]).bits) - 1


def make_placeholder_trace(ins: Instruction) -> Trace:
    """A trace of an instruction on zeros, and on its constants: no other value is shown."""
    zeros = {role: 0 for x in ins.inputs for role in x.roles}
    return Trace(ins, ISA_MODEL, {**zeros, **ins.constants})


def build_form_scene(trace: Trace) -> Scene:
    """The scene of a trace in which nothing depends on its values."""
    drawn = build_scene(trace)
    steps = tuple(
        step._replace(rows=tuple(_build_symbolic_row(trace, row) for row in step.rows))
        for step in drawn.steps
    )
    read = {link.source for row in drawn.rows.values() for link in row.links
            if link.taken or isinstance(trace.rows[row.key].micro, m.Choose)}  # fmt: skip
    registers = tuple(_register(trace, x, read) for x in drawn.registers)
    return drawn._replace(registers=registers, steps=steps)


def with_symbolic_rows(drawn: Scene, trace: Trace, hidden: Container[str]) -> Scene:
    """The scene of a trace in which some rows tell no values: they are drawn as of the form."""

    def told(row: RowScene) -> RowScene:
        return _build_symbolic_row(trace, row) if row.key in hidden else row

    steps = tuple(step._replace(rows=tuple(map(told, step.rows))) for step in drawn.steps)
    return drawn._replace(steps=steps)


def _build_symbolic_row(trace: Trace, shown: RowScene) -> RowScene:
    row = trace.rows[shown.key]
    told = SymbolicRow(trace, row)
    chooses = isinstance(row.micro, m.Choose)
    links = shown.links
    if chooses:  # which of the two is taken, and told first, is its condition's to say
        links = tuple(sorted(link._replace(taken=True) for link in links))
    cells = tuple(_make_symbolic_cell(told, cell, at) for at, cell in enumerate(shown.cells))
    return shown._replace(
        cells=cells, figure=_make_symbolic_figure(told, shown.figure), links=links
    )


# --- registers --------------------------------------------------------------------------


def _register(trace: Trace, shown: RegisterFigure, read: Container[LaneRef]) -> RegisterFigure:
    """Its parts by their letters, and its type."""
    ins, role = trace.instruction, shown.role
    type_ = ins.type_of(role)
    cells = []
    for cell in shown.cells:
        first, *rest = cell.spans
        name = _make_letters(role, shown.unit, cell.place.lane)
        look = SpanKind.CHIP if cell.place in read else SpanKind.UNUSED
        look = SpanKind.EITHER if type_ is Type.PRED else look
        signed = is_part_signed(trace, role, cell.place.lane)
        number = format_integer_type(signed, shown.unit)
        spans = (
            first._replace(text=name, look=look, bits=""),
            *(x._replace(text=number) for x in rest),
        )
        cells.append(cell._replace(spans=spans))
    figure = shown.figure
    if figure:
        (strip,) = figure.strips
        figure = BitRulers((_make_float_ruler(strip),))
    word = _make_letters(role, type_.bits, 0)
    return shown._replace(cells=tuple(cells), meant=str(type_), figure=figure, bits=word)


def _make_float_ruler(strip: BitRuler) -> BitRuler:
    """The fields of a float by their letters."""
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
    return strip._replace(stretches=fields, said="")


# --- cells ------------------------------------------------------------------------------


def _make_symbolic_cell(told: SymbolicRow, cell: Cell, at: int) -> Cell:
    lane = cell.place.lane
    if isinstance(told.row.micro, m.Pack) and told.trace.instruction.entry.lanes > 1:
        unit = told.row.micro.unit
        lane = len(told.row.inputs[0]) - 1 - at
        spans: Spans = (
            CellSpan(
                format_part(told.row.name, unit, lane),
                SpanKind.CHIP,
                Tint("d", find_top_byte(unit, lane)),
            ),
        )
        return cell._replace(spans=spans)
    draw = _CELLS.get(type(told.row.micro), _make_computed_spans)
    return cell._replace(spans=draw(told, lane))


def _make_chip(told: SymbolicRow, text: str, lane: int) -> CellSpan:
    return CellSpan(text, SpanKind.CHIP, find_tint(told.trace, told.row.input_keys[0], lane))


def _make_computed_spans(told: SymbolicRow, lane: int) -> Spans:
    left = _FORMULAS[type(told.row.micro)](told, lane)
    return (
        CellSpan(left, SpanKind.NUMBER),
        CellSpan(" in ", SpanKind.TEXT),
        CellSpan(told.range, SpanKind.VALUE),
    )


def _select(told: SymbolicRow, lane: int) -> Spans:
    micro = told.row.micro
    assert isinstance(micro, m.Select)
    word, index = micro.picks[lane]
    role = told.row.input_keys[word]
    chip = CellSpan(_make_letters(role, micro.unit, index), SpanKind.CHIP,
                Tint(role, find_top_byte(micro.unit, index)))  # fmt: skip
    several = len(told.row.lanes) > 1  # the lane's operand, as formulas call it
    return chip, CellSpan(f" {told.row.name}{lane if several else ''}", SpanKind.AWAY)


def _extend(told: SymbolicRow, lane: int) -> Spans:
    micro, key = told.row.micro, told.row.input_keys[0]
    assert isinstance(micro, m.Extend)
    tint = find_tint(told.trace, key, lane)
    look, letter = (SpanKind.SIGN, "s") if micro.signed else (SpanKind.ZERO, "0")
    name = _format_symbol(told, lane)
    above = "" if micro.bits >= 32 else letter * len(name)  # as wide as the bits it extends
    number = format_integer_type(micro.signed, micro.bits)
    if micro.bits < 32:
        number = told.range if len(told.row.lanes) > 1 else f"{number}: {told.range}"
    spans = (
        CellSpan(above, look, tint),
        CellSpan(name, SpanKind.CHIP, tint),
        CellSpan(" = ", SpanKind.TEXT),
        CellSpan(number, SpanKind.VALUE),
    )
    return tuple(span for span in spans if span.text)


def _format_symbol(told: SymbolicRow, lane: int) -> str:
    """The letters of the bits that an input's lane holds: those of the part that was selected."""
    key = told.row.input_keys[0]
    known = told.trace.rows.get(key)
    if known and isinstance(known.micro, m.Select):
        word, index = known.micro.picks[lane if len(known.lanes) > 1 else 0]
        role = known.input_keys[word]
        return _make_letters(role, known.micro.unit, index)
    bits = told.trace.instruction.type_of(key).bits if known is None else 0
    return _make_letters(key, bits, 0) if bits >= 32 else told.format_input(0)


def _make_letters(role: str, unit: int, index: int) -> str:
    """A name for bits: ``a.b3``, ``b.h0``, ``c[31:0]``; formulas call lane 3's operand ``a3``."""
    letter = Role(role).label[:1]
    if unit < 32:
        return format_part(letter, unit, index) if unit >= 8 else letter
    return f"{letter}[{unit - 1}:0]"


def _clamp(told: SymbolicRow, _: int) -> Spans:
    return (CellSpan(f"in {told.range}", SpanKind.VALUE),)


def _compare(told: SymbolicRow, lane: int) -> Spans:
    micro = told.row.micro
    assert isinstance(micro, m.Compare)
    names = [told.format_input(index, lane) for index in range(len(told.row.inputs))]
    left, right = [*names, "0"][:2]
    plain = format_comparison(micro.cmp) != str(micro.cmp)
    said = format_relation(micro.cmp, left, right) if plain else f"{micro.cmp}({left}, {right})"
    return CellSpan(said, SpanKind.NUMBER), CellSpan(" 0 or 1", SpanKind.EITHER)


def _make_logic_spans(_: SymbolicRow, __: int) -> Spans:
    return (CellSpan("0 or 1", SpanKind.EITHER),)


def _merge(told: SymbolicRow, lane: int) -> Spans:
    row, micro = told.row, told.row.micro
    assert isinstance(micro, m.Merge)
    if lane not in micro.lanes:
        role = row.input_keys[1]
        name = format_part(role, micro.unit, lane)
        tint = Tint(role, find_top_byte(micro.unit, lane))
        chip = CellSpan(_make_letters(role, micro.unit, lane), SpanKind.CHIP, tint)
        return CellSpan("□ ", SpanKind.KEPT), chip, CellSpan(f" {name}", SpanKind.NAME)
    low, high = told.get_source_range()
    box, chip = CellSpan("■ ", SpanKind.TAKEN), CellSpan(told.format_input(0, lane), SpanKind.CHIP)
    cut = low < -(1 << micro.unit - 1) or high >= 1 << micro.unit
    kept = f"[{micro.unit - 1}:0]"
    return (
        box,
        chip,
        CellSpan(f" ◂ {told.format_input(0, lane)}{kept if cut else ''}", SpanKind.TEXT),
    )


def _choose(told: SymbolicRow, _: int) -> Spans:
    seen = TracedRow(told.trace, told.row)
    either = f"{format_option_name(seen, 1)} or {format_option_name(seen, 2)}"
    return (CellSpan(either, SpanKind.CHIP),)


def _flush(told: SymbolicRow, _: int) -> Spans:
    return (_make_chip(told, told.format_input(0), 0),)


def _make_written_spans(told: SymbolicRow, lane: int) -> Spans:
    row = told.row
    if row.stage is not Stage.WRITE:
        return _make_computed_spans(told, lane)
    type_ = told.trace.instruction.type_of(row.name)
    if format_operand_name(told.trace, row.name) == "_":
        return (CellSpan("thrown away", SpanKind.TEXT),)
    if type_ is Type.PRED:
        return (CellSpan("0 or 1", SpanKind.EITHER),)
    return (CellSpan(_format_word(told), SpanKind.CHIP, Tint("d")),)


def _format_word(told: SymbolicRow) -> str:
    """What is written, in letters."""
    micro = told.row.micro
    if isinstance(micro, m.Encode):
        return f"{'1.0' if micro.true == 0x3F80_0000 else 'all 1s'} or 0"
    if isinstance(micro, m.Pack):
        return _join_parts(told)
    low, high = told.get_source_range()
    bits = micro.bits if isinstance(micro, m.Truncate) else 32
    cut = low < -(1 << bits - 1) or high >= 1 << bits
    return f"{told.format_input(0)}[{bits - 1}:0]" if cut else told.format_input(0)


def _join_parts(told: SymbolicRow) -> str:
    """The parts of a word side by side, the highest first."""
    known = told.trace.rows[told.row.input_keys[0]]
    assert isinstance(known.micro, m.Merge)
    lanes = [_merge(SymbolicRow(told.trace, known), lane) for lane in range(len(known.lanes))]
    return " ".join(spans[1].text for spans in reversed(lanes))


def _accumulate(told: SymbolicRow, lane: int) -> Spans:
    return (
        CellSpan(told.format_input(0, lane), SpanKind.NUMBER),
        CellSpan(told.range, SpanKind.VALUE),
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
"""Every other kind says what is computed, and between which ends it lies."""


def _make_infix_writer(sign: str) -> Callable[[SymbolicRow, int], str]:
    return lambda told, lane: f"{told.format_input(0, lane)} {sign} {told.format_input(1, lane)}"


def _make_wrapping_writer(template: str) -> Callable[[SymbolicRow, int], str]:
    def said(told: SymbolicRow, lane: int) -> str:
        names = [told.format_input(index, lane) for index in range(len(told.row.inputs))]
        return template.format(*names, micro=told.row.micro)

    return said


def _read_as(told: SymbolicRow, lane: int) -> str:
    micro = told.row.micro
    bits, signed = getattr(micro, "bits", 32), getattr(micro, "signed", False)
    return f"{format_integer_type(signed, bits)}({told.format_input(0, lane)})"


def _limit(told: SymbolicRow, lane: int) -> str:
    wraps = getattr(told.row.micro, "wrap", False)
    name = told.format_input(0, lane)
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
"""What is computed, in letters."""


def format_symbolic_formula(trace: Trace, row: RowTrace) -> str:
    """What a row computes, in letters and whatever the lane; empty where it only moves bits."""
    told = SymbolicRow(trace, row)
    formula = _FORMULAS.get(type(row.micro)) or _SAID.get(type(row.micro))
    return formula(told, -1) if formula else ""


def _format_relation(told: SymbolicRow, _: int) -> str:
    return _compare(told, 0)[0].text if len(told.row.lanes) == 1 else _format_any_lane(told)


def _format_any_lane(told: SymbolicRow) -> str:
    micro = told.row.micro
    assert isinstance(micro, m.Compare)
    return format_relation(micro.cmp, told.format_input(0), told.format_input(1))


def _format_total(told: SymbolicRow, _: int) -> str:
    micro = told.row.micro
    assert isinstance(micro, m.Accumulate)
    lanes = (
        told.format_input(0, lane)
        for lane in reversed(range(micro.input_lanes))
        if lane in micro.lanes
    )
    return " + ".join([told.format_input(1), *lanes])


def _format_either(told: SymbolicRow, _: int) -> str:
    seen = TracedRow(told.trace, told.row)
    condition = format_truth_name(told.trace, told.row.input_keys[0])
    return f"{condition} ? {format_option_name(seen, 1)} : {format_option_name(seen, 2)}"


_SAID: dict[type, Callable[[SymbolicRow, int], str]] = {
    m.Extend: lambda told, _: f"{_format_type(told)}({told.format_input(0)})",
    m.Clamp: lambda told, _: _format_clamp(told),
    m.Compare: _format_relation,
    m.Combine: lambda told, _: (
        f"{told.format_input(0)} {getattr(told.row.micro, 'boolop', '')} {told.format_input(1)}"
    ),
    m.Accumulate: _format_total,
    m.Choose: _format_either,
    m.Flush: lambda told, _: f"ftz({told.format_input(0)})",
}


def _format_clamp(told: SymbolicRow) -> str:
    """What it is clamped to, whatever can come out."""
    micro, name = told.row.micro, told.format_input(0)
    assert isinstance(micro, m.Clamp)
    if micro.low is None:
        return f"min({name}, {micro.high})"
    if micro.high is None:
        return f"max({name}, {micro.low})"
    return f"clamp({name}, {micro.low}{_RANGE}{micro.high})"


def _format_type(told: SymbolicRow) -> str:
    micro = told.row.micro
    assert isinstance(micro, m.Extend)
    return format_integer_type(micro.signed, micro.bits)


# --- figures ----------------------------------------------------------------------------


def _make_symbolic_figure(told: SymbolicRow, shown: RowFigure | None) -> RowFigure | None:
    draw = _FIGURES.get(type(shown))
    return draw(told, shown) if draw else None


def _make_number_line(told: SymbolicRow, shown: NumberLine) -> NumberLine | None:
    """Where a clamp sends what lies inside, and on either side, if anything can."""
    micro = told.row.micro
    if not isinstance(micro, m.Clamp):
        return None
    low, high = told.get_source_range()
    points = []
    for lane in reversed(range(len(told.row.lanes))):
        place = LaneRef(told.row.key, lane)
        points.append(Point("", 0.5, (), place))
        if micro.low is not None and low < micro.low:
            points.append(Point("", -1.0, (), place, shown.low))
        if micro.high is not None and high > micro.high:
            points.append(Point("", 2.0, (), place, shown.high))
    return NumberLine(shown.low, shown.high, tuple(points))


def _make_running_sum(told: SymbolicRow, shown: RunningSum) -> RunningSum:
    def total(at: int) -> str:
        return told.range if at == len(shown.terms) - 1 else ""

    terms = tuple(
        term._replace(text=f"+ {told.format_input(0, term.place.lane)}" if term.added else "",
                      total=total(at))
        for at, term in enumerate(shown.terms)
    )  # fmt: skip
    return shown._replace(start=shown.start._replace(text="", total=""), terms=terms)


def _make_gate(_: SymbolicRow, shown: Gate) -> Gate:
    def unknown(truth: TruthValue) -> TruthValue:
        return truth._replace(value=None)

    return Gate(tuple(map(unknown, shown.inputs)), shown.word, unknown(shown.output))


def _make_choice_figure(told: SymbolicRow, shown: ChoiceFigure) -> ChoiceFigure:
    first, second = (
        option._replace(bits=_format_option(told, 1 if option.if_true else 2), taken=True)
        for option in shown.options
    )
    condition = TruthValue(
        shown.condition.place, format_truth_name(told.trace, told.row.input_keys[0]), None
    )
    return ChoiceFigure(condition, (first, second), f"{first.bits} or {second.bits}", shown.place)


def _format_option(told: SymbolicRow, index: int) -> str:
    return format_option_name(TracedRow(told.trace, told.row), index)


_FIGURES: dict[type, Callable[..., RowFigure | None]] = {
    NumberLine: _make_number_line,
    RunningSum: _make_running_sum,
    Gate: _make_gate,
    ChoiceFigure: _make_choice_figure,
}
"""Numbers to the bit have none where there are no numbers."""
