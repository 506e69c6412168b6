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
from ..engine.tracing.lane_text import cmp_sign, integer_type, operand_name, relation
from ..engine.tracing.trace import RowTrace, Trace
from .scene_builder import scene
from .scene_cells import Seen, option_name, part_of, tint_of, top_byte, truth_name
from .scene_model import (
    Axis,
    Cell,
    Choice,
    Figure,
    Gate,
    Look,
    Place,
    Point,
    Register,
    RowScene,
    Running,
    Scene,
    Span,
    Strip,
    Strips,
    Tint,
    Truth,
)

_RANGE = ".."
Spans = tuple[Span, ...]


class _Told(NamedTuple):
    """A row of which no value is known."""

    trace: Trace
    row: RowTrace

    def called(self, index: int, lane: int | None = None) -> str:
        """What an input is called; with the lane's number where it has lanes."""
        key = self.row.input_keys[index]
        known = self.trace.rows.get(key)
        name = known.name if known else operand_name(self.trace, key)
        if known and isinstance(known.micro, m.Negate):
            name = f"-{_Told(self.trace, known).called(0)}"
        elif known and isinstance(known.micro, m.Not):
            name = truth_name(self.trace, key)
        several = lane is not None and lane >= 0 and len(self.row.inputs[index]) > 1
        return f"{name}{lane}" if several else name

    @property
    def range(self) -> str:
        """The values that it can yield."""
        low, high = self.row.row.range
        return str(low) if low == high else f"{low}{_RANGE}{high}"

    def source_range(self) -> tuple[int, int]:
        """The values that its first input can have."""
        known = self.trace.rows.get(self.row.input_keys[0])
        if known:
            return known.row.range
        return 0, (1 << self.trace.instruction.type_of(self.row.input_keys[0]).bits) - 1


def blank(ins: Instruction) -> Trace:
    """A trace of an instruction on zeros, and on its constants: no other value is shown."""
    zeros = {role: 0 for x in ins.inputs for role in x.roles}
    return Trace(ins, ISA_MODEL, {**zeros, **ins.constants})


def form_scene(trace: Trace) -> Scene:
    """The scene of a trace in which nothing depends on its values."""
    drawn = scene(trace)
    steps = tuple(
        step._replace(rows=tuple(_row(trace, row) for row in step.rows)) for step in drawn.steps
    )
    read = {link.source for row in drawn.rows.values() for link in row.links
            if link.taken or isinstance(trace.rows[row.key].micro, m.Choose)}  # fmt: skip
    registers = tuple(_register(trace, x, read) for x in drawn.registers)
    return drawn._replace(registers=registers, steps=steps)


def without(drawn: Scene, trace: Trace, hidden: Container[str]) -> Scene:
    """The scene of a trace in which some rows tell no values: they are drawn as of the form."""

    def told(row: RowScene) -> RowScene:
        return _row(trace, row) if row.key in hidden else row

    steps = tuple(step._replace(rows=tuple(map(told, step.rows))) for step in drawn.steps)
    return drawn._replace(steps=steps)


def _row(trace: Trace, shown: RowScene) -> RowScene:
    row = trace.rows[shown.key]
    told = _Told(trace, row)
    chooses = isinstance(row.micro, m.Choose)
    links = shown.links
    if chooses:  # which of the two is taken, and told first, is its condition's to say
        links = tuple(sorted(link._replace(taken=True) for link in links))
    cells = tuple(_cell(told, cell, at) for at, cell in enumerate(shown.cells))
    return shown._replace(cells=cells, figure=_figure(told, shown.figure), links=links)


# --- registers --------------------------------------------------------------------------


def _register(trace: Trace, shown: Register, read: Container[Place]) -> Register:
    """Its parts by their letters, and its type."""
    ins, role = trace.instruction, shown.role
    type_ = ins.type_of(role)
    cells = []
    for cell in shown.cells:
        first, *rest = cell.spans
        name = _letters(role, shown.unit, cell.place.lane)
        look = Look.CHIP if cell.place in read else Look.UNUSED
        look = Look.EITHER if type_ is Type.PRED else look
        number = integer_type(type_ is Type.S32, shown.unit)
        spans = (
            first._replace(text=name, look=look, bits=""),
            *(x._replace(text=number) for x in rest),
        )
        cells.append(cell._replace(spans=spans))
    figure = shown.figure
    if figure:
        (strip,) = figure.strips
        figure = Strips((_float(strip),))
    word = _letters(role, type_.bits, 0)
    return shown._replace(cells=tuple(cells), meant=str(type_), figure=figure, bits=word)


def _float(strip: Strip) -> Strip:
    """The fields of a float by their letters."""
    letters = {Look.SIGN_BIT: "s", Look.EXPONENT: "e", Look.FRACTION: "f", Look.LOST: "f"}
    fields = tuple(
        x._replace(text=letters[x.look] * (len(x.text) if set(x.text) <= set("01") else 13))
        for x in strip.stretches
    )
    return strip._replace(stretches=fields, said="")


# --- cells ------------------------------------------------------------------------------


def _cell(told: _Told, cell: Cell, at: int) -> Cell:
    lane = cell.place.lane
    if isinstance(told.row.micro, m.Pack) and told.trace.instruction.entry.lanes > 1:
        unit = told.row.micro.unit
        lane = len(told.row.inputs[0]) - 1 - at
        spans: Spans = (
            Span(part_of(told.row.name, unit, lane), Look.CHIP, Tint("d", top_byte(unit, lane))),
        )
        return cell._replace(spans=spans)
    draw = _CELLS.get(type(told.row.micro), _computed)
    return cell._replace(spans=draw(told, lane))


def _chip(told: _Told, text: str, lane: int) -> Span:
    return Span(text, Look.CHIP, tint_of(told.trace, told.row.input_keys[0], lane))


def _computed(told: _Told, lane: int) -> Spans:
    left = _FORMULAS[type(told.row.micro)](told, lane)
    return Span(left, Look.NUMBER), Span(" in ", Look.TEXT), Span(told.range, Look.VALUE)


def _select(told: _Told, lane: int) -> Spans:
    micro = told.row.micro
    assert isinstance(micro, m.Select)
    word, index = micro.picks[lane]
    role = told.row.input_keys[word]
    chip = Span(_letters(role, micro.unit, index), Look.CHIP,
                Tint(role, top_byte(micro.unit, index)))  # fmt: skip
    several = len(told.row.lanes) > 1  # the lane's operand, as formulas call it
    return chip, Span(f" {told.row.name}{lane if several else ''}", Look.AWAY)


def _extend(told: _Told, lane: int) -> Spans:
    micro, key = told.row.micro, told.row.input_keys[0]
    assert isinstance(micro, m.Extend)
    tint = tint_of(told.trace, key, lane)
    look, letter = (Look.SIGN, "s") if micro.signed else (Look.ZERO, "0")
    name = _symbol(told, lane)
    above = "" if micro.bits >= 32 else letter * len(name)  # as wide as the bits it extends
    number = integer_type(micro.signed, micro.bits)
    if micro.bits < 32:
        number = told.range if len(told.row.lanes) > 1 else f"{number}: {told.range}"
    spans = (
        Span(above, look, tint),
        Span(name, Look.CHIP, tint),
        Span(" = ", Look.TEXT),
        Span(number, Look.VALUE),
    )
    return tuple(span for span in spans if span.text)


def _symbol(told: _Told, lane: int) -> str:
    """The letters of the bits that an input's lane holds: those of the part that was selected."""
    key = told.row.input_keys[0]
    known = told.trace.rows.get(key)
    if known and isinstance(known.micro, m.Select):
        word, index = known.micro.picks[lane if len(known.lanes) > 1 else 0]
        role = known.input_keys[word]
        return _letters(role, known.micro.unit, index)
    bits = told.trace.instruction.type_of(key).bits if known is None else 0
    return _letters(key, bits, 0) if bits >= 32 else told.called(0)


def _letters(role: str, unit: int, index: int) -> str:
    """A name for bits: ``a.b3``, ``b.h0``, ``c[31:0]``; formulas call lane 3's operand ``a3``."""
    letter = Role(role).label[:1]
    if unit < 32:
        return part_of(letter, unit, index) if unit >= 8 else letter
    return f"{letter}[{unit - 1}:0]"


def _clamp(told: _Told, _: int) -> Spans:
    return (Span(f"in {told.range}", Look.VALUE),)


def _compare(told: _Told, lane: int) -> Spans:
    micro = told.row.micro
    assert isinstance(micro, m.Compare)
    names = [told.called(index, lane) for index in range(len(told.row.inputs))]
    left, right = [*names, "0"][:2]
    plain = cmp_sign(micro.cmp) != str(micro.cmp)
    said = relation(micro.cmp, left, right) if plain else f"{micro.cmp}({left}, {right})"
    return Span(said, Look.NUMBER), Span(" 0 or 1", Look.EITHER)


def _logic(_: _Told, __: int) -> Spans:
    return (Span("0 or 1", Look.EITHER),)


def _merge(told: _Told, lane: int) -> Spans:
    row, micro = told.row, told.row.micro
    assert isinstance(micro, m.Merge)
    if lane not in micro.lanes:
        role = row.input_keys[1]
        name = part_of(role, micro.unit, lane)
        tint = Tint(role, top_byte(micro.unit, lane))
        chip = Span(_letters(role, micro.unit, lane), Look.CHIP, tint)
        return Span("□ ", Look.KEPT), chip, Span(f" {name}", Look.NAME)
    low, high = told.source_range()
    box, chip = Span("■ ", Look.TAKEN), Span(told.called(0, lane), Look.CHIP)
    cut = low < -(1 << micro.unit - 1) or high >= 1 << micro.unit
    kept = f"[{micro.unit - 1}:0]"
    return (box, chip, Span(f" ◂ {told.called(0, lane)}{kept if cut else ''}", Look.TEXT))


def _choose(told: _Told, _: int) -> Spans:
    seen = Seen(told.trace, told.row)
    either = f"{option_name(seen, 1)} or {option_name(seen, 2)}"
    return (Span(either, Look.CHIP),)


def _flush(told: _Told, _: int) -> Spans:
    return (_chip(told, told.called(0), 0),)


def _written(told: _Told, lane: int) -> Spans:
    row = told.row
    if row.stage is not Stage.WRITE:
        return _computed(told, lane)
    type_ = told.trace.instruction.type_of(row.name)
    if operand_name(told.trace, row.name) == "_":
        return (Span("thrown away", Look.TEXT),)
    if type_ is Type.PRED:
        return (Span("0 or 1", Look.EITHER),)
    return (Span(_word(told), Look.CHIP, Tint("d")),)


def _word(told: _Told) -> str:
    """What is written, in letters."""
    micro = told.row.micro
    if isinstance(micro, m.Encode):
        return f"{'1.0' if micro.true == 0x3F80_0000 else 'all 1s'} or 0"
    if isinstance(micro, m.Pack):
        return _joined(told)
    low, high = told.source_range()
    bits = micro.bits if isinstance(micro, m.Truncate) else 32
    cut = low < -(1 << bits - 1) or high >= 1 << bits
    return f"{told.called(0)}[{bits - 1}:0]" if cut else told.called(0)


def _joined(told: _Told) -> str:
    """The parts of a word side by side, the highest first."""
    known = told.trace.rows[told.row.input_keys[0]]
    assert isinstance(known.micro, m.Merge)
    lanes = [_merge(_Told(told.trace, known), lane) for lane in range(len(known.lanes))]
    return " ".join(spans[1].text for spans in reversed(lanes))


def _accumulate(told: _Told, lane: int) -> Spans:
    return (Span(told.called(0, lane), Look.NUMBER), Span(told.range, Look.VALUE))


Draw = Callable[[_Told, int], Spans]
_CELLS: dict[type, Draw] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Clamp: _clamp,
    m.Compare: _compare,
    m.Not: _logic,
    m.Combine: _logic,
    m.Merge: _merge,
    m.Choose: _choose,
    m.Flush: _flush,
    m.Truncate: _written,
    m.Encode: _written,
    m.Pack: _written,
    m.Accumulate: _accumulate,
}
"""Every other kind says what is computed, and between which ends it lies."""


def _infix(sign: str) -> Callable[[_Told, int], str]:
    return lambda told, lane: f"{told.called(0, lane)} {sign} {told.called(1, lane)}"


def _wrapping(template: str) -> Callable[[_Told, int], str]:
    def said(told: _Told, lane: int) -> str:
        names = [told.called(index, lane) for index in range(len(told.row.inputs))]
        return template.format(*names, micro=told.row.micro)

    return said


def _read_as(told: _Told, lane: int) -> str:
    micro = told.row.micro
    bits, signed = getattr(micro, "bits", 32), getattr(micro, "signed", False)
    return f"{integer_type(signed, bits)}({told.called(0, lane)})"


def _limit(told: _Told, lane: int) -> str:
    wraps = getattr(told.row.micro, "wrap", False)
    name = told.called(0, lane)
    return f"{name} & 31" if wraps else f"min({name}, 32)"


_FORMULAS: dict[type, Callable[[_Told, int], str]] = {
    m.Add: _infix("+"),
    m.Subtract: _infix("-"),
    m.Multiply: _infix("*"),
    m.ShiftLeft: _infix("<<"),
    m.ShiftRight: _infix(">>"),
    m.AbsoluteDifference: _wrapping("|{} - {}|"),
    m.Minimum: _wrapping("min({}, {})"),
    m.Maximum: _wrapping("max({}, {})"),
    m.Average: _wrapping("({} + {}) / 2"),
    m.ScaleDown: _wrapping("{} >> {micro.amount}"),
    m.Negate: _wrapping("-{}"),
    m.Magnitude: _wrapping("|{}|"),
    m.PlusOne: _wrapping("{} + 1"),
    m.ToFloat: _wrapping("float({})"),
    m.LimitAmount: _limit,
    m.Wrap: _read_as,
    m.ToBits: _read_as,
    m.Truncate: _read_as,
    m.Encode: _wrapping("{}"),
    m.Pack: _wrapping("{}"),
}
"""What is computed, in letters."""


def said(trace: Trace, row: RowTrace) -> str:
    """What a row computes, in letters and whatever the lane; empty where it only moves bits."""
    told = _Told(trace, row)
    formula = _FORMULAS.get(type(row.micro)) or _SAID.get(type(row.micro))
    return formula(told, -1) if formula else ""


def _relation(told: _Told, _: int) -> str:
    return _compare(told, 0)[0].text if len(told.row.lanes) == 1 else _any_lane(told)


def _any_lane(told: _Told) -> str:
    micro = told.row.micro
    assert isinstance(micro, m.Compare)
    return relation(micro.cmp, told.called(0), told.called(1))


def _total(told: _Told, _: int) -> str:
    micro = told.row.micro
    assert isinstance(micro, m.Accumulate)
    lanes = (told.called(0, lane) for lane in reversed(range(micro.of)) if lane in micro.lanes)
    return " + ".join([told.called(1), *lanes])


def _either(told: _Told, _: int) -> str:
    seen = Seen(told.trace, told.row)
    condition = truth_name(told.trace, told.row.input_keys[0])
    return f"{condition} ? {option_name(seen, 1)} : {option_name(seen, 2)}"


_SAID: dict[type, Callable[[_Told, int], str]] = {
    m.Extend: lambda told, _: f"{_type_of(told)}({told.called(0)})",
    m.Clamp: lambda told, _: _clamped(told),
    m.Compare: _relation,
    m.Combine: lambda told, _: (
        f"{told.called(0)} {getattr(told.row.micro, 'boolop', '')} {told.called(1)}"
    ),
    m.Accumulate: _total,
    m.Choose: _either,
    m.Flush: lambda told, _: f"ftz({told.called(0)})",
}


def _clamped(told: _Told) -> str:
    """What it is clamped to, whatever can come out."""
    micro, name = told.row.micro, told.called(0)
    assert isinstance(micro, m.Clamp)
    if micro.low is None:
        return f"min({name}, {micro.high})"
    if micro.high is None:
        return f"max({name}, {micro.low})"
    return f"clamp({name}, {micro.low}{_RANGE}{micro.high})"


def _type_of(told: _Told) -> str:
    micro = told.row.micro
    assert isinstance(micro, m.Extend)
    return integer_type(micro.signed, micro.bits)


# --- figures ----------------------------------------------------------------------------


def _figure(told: _Told, shown: Figure | None) -> Figure | None:
    draw = _FIGURES.get(type(shown))
    return draw(told, shown) if draw else None


def _axis(told: _Told, shown: Axis) -> Axis | None:
    """Where a clamp sends what lies inside, and on either side, if anything can."""
    micro = told.row.micro
    if not isinstance(micro, m.Clamp):
        return None
    low, high = told.source_range()
    points = []
    for lane in reversed(range(len(told.row.lanes))):
        place = Place(told.row.key, lane)
        points.append(Point("", 0.5, (), place))
        if micro.low is not None and low < micro.low:
            points.append(Point("", -1.0, (), place, shown.low))
        if micro.high is not None and high > micro.high:
            points.append(Point("", 2.0, (), place, shown.high))
    return Axis(shown.low, shown.high, tuple(points))


def _running(told: _Told, shown: Running) -> Running:
    def total(at: int) -> str:
        return told.range if at == len(shown.terms) - 1 else ""

    terms = tuple(
        term._replace(text=f"+ {told.called(0, term.place.lane)}" if term.added else "",
                      total=total(at))
        for at, term in enumerate(shown.terms)
    )  # fmt: skip
    return shown._replace(start=shown.start._replace(text="", total=""), terms=terms)


def _gate(_: _Told, shown: Gate) -> Gate:
    def unknown(truth: Truth) -> Truth:
        return truth._replace(value=None)

    return Gate(tuple(map(unknown, shown.inputs)), shown.word, unknown(shown.output))


def _choice(told: _Told, shown: Choice) -> Choice:
    first, second = (
        option._replace(bits=_option(told, 1 if option.if_true else 2), taken=True)
        for option in shown.options
    )
    condition = Truth(shown.condition.place, truth_name(told.trace, told.row.input_keys[0]), None)
    return Choice(condition, (first, second), f"{first.bits} or {second.bits}", shown.place)


def _option(told: _Told, index: int) -> str:
    return option_name(Seen(told.trace, told.row), index)


_FIGURES: dict[type, Callable[..., Figure | None]] = {
    Axis: _axis,
    Running: _running,
    Gate: _gate,
    Choice: _choice,
}
"""Numbers to the bit have none where there are no numbers."""
