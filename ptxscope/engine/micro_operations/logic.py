"""The micro-operations on truth values and on the patterns of floats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..isa.encodings import (
    decode_float,
    encode_float,
    format_float,
    format_hex,
    format_value,
    get_magnitude_mask,
)
from ..isa.types import BoolOp, Type
from .arithmetic import Arithmetic, Inputs, V, get_lane, is_different, normalise_magnitude
from .base import (
    NOTHING_WRITTEN,
    LaneView,
    MicroOperation,
    RowTrace,
    add_guard,
    format_destinations,
)
from .drawings import (
    CellDrawing,
    Choice,
    ConversionCell,
    FloatBits,
    FlushedBits,
    FormulaCell,
    LogicGate,
    PatternCell,
    ResultCell,
    TruthCell,
)
from .properties import (
    MAX_LANE_BITS,
    Flag,
    Idleness,
    InputBits,
    LaneText,
    Notation,
    Stage,
    format_guard,
    make_equation,
    make_transition,
    map_bits,
)


class Not(MicroOperation):
    """The negation of a predicate."""

    prefix = "!"
    cell = TruthCell()
    figure = LogicGate("not")

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.equal(v[0], 0)

    def describe_lane(self, view: LaneView) -> LaneText:
        return LaneText(
            make_equation(f"!{view.x}", view.value), f"!{view.names[0]} is {view.value}"
        )


@dataclass(frozen=True)
class Combine(MicroOperation):
    """``and``, ``or`` or ``xor`` of two predicates."""

    boolop: BoolOp
    formula = "{x} {self.boolop} {y}"
    cell = TruthCell()

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        if self.boolop is BoolOp.AND:
            return ar.minimum(*v)
        if self.boolop is BoolOp.OR:
            return ar.maximum(*v)
        return ar.equal(ar.equal(*v), 0)

    def make_figure(self, row: RowTrace) -> LogicGate | None:
        return LogicGate(str(self.boolop)) if len(row.values) == 1 else None


class Choose(MicroOperation):
    """x if the condition is true, else y."""

    is_choice = True
    has_passed_bits = True
    has_revealing_inputs = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.where(*v)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, 0, MAX_LANE_BITS)
        yield map_bits(inputs, 1 if get_lane(inputs[0], lane) else 2, lane, low, high)

    def _name_options(self, row: RowTrace) -> tuple[str, str]:
        _, x, y = row.inputs
        if row.stage is not Stage.GUARD:
            return x.full_name, y.full_name
        name = row.instruction.format_operand(row.role)
        return f"new {name}", f"old {name}{'' if y.is_operand else ' converted'}"

    def format_symbols(self, row: RowTrace, lane: int | None) -> str:
        x, y = self._name_options(row)
        return f"{row.inputs[0].symbol} ? {x} : {y}"

    def describe_lane(self, view: LaneView) -> LaneText:
        if view.row.stage is Stage.GUARD:
            return self._describe_guard(view)
        _, x, y = view.row.inputs
        choice = x if view.x else y
        bits, truth = format_hex(view.value, choice.passed_bits), format_value(view.x, Type.PRED)
        formula = make_equation(f"{view.x} ? {x.name} : {y.name}", bits)
        sentence = f"the condition is {truth}, so {choice.name} is selected, {bits}"
        return LaneText(formula, sentence)

    def _describe_guard(self, view: LaneView) -> LaneText:
        """Describe whether the guard lets a destination be written."""
        ins, name = view.row.instruction, view.row.destination
        guard, bits = format_guard(ins), format_hex(view.value, ins.type_of(view.row.role).bits)
        if view.x:
            sentence = f"{guard} holds: {name} is written, {bits}"
        elif view.row.inputs[2].is_operand:
            sentence = f"{guard} does not hold: {name} keeps its old value, {bits}"
        else:
            becomes = f"{name} becomes {bits}: its old value is converted"
            sentence = f"{guard} does not hold, but {becomes}"
        return LaneText(make_equation(name, bits), sentence)

    def make_cell(self, row: RowTrace, lane: int) -> Choice:
        return Choice(self._name_options(row))

    def make_figure(self, row: RowTrace) -> Choice:
        return Choice(self._name_options(row))

    def get_notation(self, row: RowTrace) -> Notation:
        type_ = row.instruction.type_of(row.role if row.stage is Stage.GUARD else "d")
        return Notation(type_.bits, is_number=False, type=type_)


@dataclass(frozen=True)
class SpreadTruth(MicroOperation):
    """One predicate as a vector: the same in each lane."""

    lanes: int
    formula = "{x}"
    cell = TruthCell()

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.bitand(ar.gather(v, 8, ((0, 0),) * self.lanes), 1)

    def count_output_lanes(self, input_lanes: int) -> int:
        return self.lanes

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield InputBits(0, 0, low, min(high, 1))

    def describe_lane(self, view: LaneView) -> LaneText:
        name = view.row.inputs[0].symbol
        return LaneText(make_equation(name, view.value), f"{name} is {view.value} for each lane")


@dataclass(frozen=True)
class TakeLane(MicroOperation):
    """One lane of a vector of predicates."""

    lane: int
    input_lanes: int
    formula = "lane {self.lane} of {x}"
    cell = TruthCell()
    has_revealing_inputs = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.sum_lanes(v[0], (self.lane,), self.input_lanes)

    def count_output_lanes(self, input_lanes: int) -> int:
        return 1

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield InputBits(0, self.lane, low, high)

    def format_symbols(self, row: RowTrace, lane: int | None) -> str:
        return f"{row.inputs[0].symbol}{self.lane}"

    def describe_lane(self, view: LaneView) -> LaneText:
        expression = f"{view.names[0]}{self.lane}"
        return LaneText(
            make_equation(expression, view.value),
            f"lane {self.lane} of {view.names[0]} is {view.value}",
        )

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        parts = [
            f"{row.destination} takes the {('low', 'high')[micro.lane]} half's result"
            for row in rows
            if isinstance(micro := row.micro, TakeLane) and row.destination != "_"
        ]
        return add_guard(f"{', '.join(parts)}.", rows) if parts else NOTHING_WRITTEN


@dataclass(frozen=True)
class Encode(MicroOperation):
    """The pattern of true, or 0."""

    true: int
    type: Type = Type.U32
    formula = "{x}"
    has_revealing_inputs = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(v[0], self.true)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, truth = format_hex(view.value, self.type.bits), format_value(view.x, Type.PRED)
        one = " (1.0)" if self.is_one and view.x else ""
        return LaneText(make_transition(truth, bits), f"{truth} becomes {bits}{one}")

    @property
    def is_one(self) -> bool:
        """Whether true is the float 1.0."""
        return self.type.is_float and self.true == encode_float(1.0, self.type)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        bits = format_hex(self.true, self.type.bits)
        true = f"1.0 ({bits})" if self.is_one else "1" if self.true == 1 else bits
        has_lanes = len(rows[0].values) > 1
        target = "Each half" if has_lanes else format_destinations(rows)
        sentence = f"{target} takes {true} for true, 0 for false."
        return sentence if has_lanes else add_guard(sentence, rows)

    def make_cell(self, row: RowTrace, lane: int) -> CellDrawing:
        if row.stage is not Stage.WRITE:
            return FormulaCell()
        true = "1.0" if self.is_one else "1" if self.true == 1 else "all 1s"
        return ResultCell(f"{true} or 0")

    def find_idleness(self, row: RowTrace) -> Idleness:
        return Idleness.WITHOUT_FLAGS if row.stage is Stage.WRITE else Idleness.NEVER

    def get_notation(self, row: RowTrace) -> Notation:
        if row.stage is not Stage.WRITE:
            return super().get_notation(row)
        return Notation(self.type.bits, is_number=False, type=row.instruction.type_of("d"))


# --- floats ------------------------------------------------------------------------------


@dataclass(frozen=True)
class ToFloat(MicroOperation):
    """Convert an integer to a float's pattern, ties to even.

    The integer has at most 32 bits; for a half, at most 16 and no sign.
    """

    type: Type = Type.F32
    cell = ConversionCell()

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        bits = ar.float_bits(v[0])
        if self.type is Type.F32:
            return bits
        # 16 bits are exact in binary32: round its fraction, and exchange the exponent's bias
        surplus = Type.F32.fraction_bits - self.type.fraction_bits
        odd_bit = ar.bitand(ar.shift_right(bits, surplus), 1)
        rounded = ar.add(ar.add(bits, odd_bit), (1 << (surplus - 1)) - 1)
        one = encode_float(1.0, Type.F32) >> surplus, encode_float(1.0, self.type)
        half = ar.add(ar.shift_right(rounded, surplus), one[1] - one[0])
        return ar.cast(ar.where(ar.equal(bits, 0), bits, half), self.type.bits, signed=False)

    @property
    def formula(self) -> str:  # type: ignore[override]
        return f"{'float' if self.type is Type.F32 else self.type}({{x}})"

    @property
    def flag_text(self) -> str:  # type: ignore[override]
        return f"rounded to {self.type.fraction_bits + 1} significant bits"

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        top, _ = normalise_magnitude(ar, v[0])
        kept_bits = -1 << (31 - self.type.fraction_bits) & 0xFFFF_FFFF
        yield Flag.ROUNDED, is_different(ar, ar.bitand(top, kept_bits), top)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, number = format_hex(view.value, self.type.bits), decode_float(view.value, self.type)
        rounded = "" if number == view.x else f", {view.x} {self.flag_text}"
        name = "a float" if self.type is Type.F32 else self.type
        sentence = f"{view.x} as {name} is {bits} ({number:.1f}{rounded})"
        return LaneText(make_equation(self.fill_formula(view.x), bits), sentence)

    def make_figure(self, row: RowTrace) -> FloatBits:
        return FloatBits(self.type)

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.type.bits, is_number=False, type=self.type)


@dataclass(frozen=True)
class Flush(MicroOperation):
    """Flush subnormal patterns of floats to zeros of the same sign."""

    type: Type = Type.F32
    formula = "ftz({x})"
    is_reading = True
    has_passed_bits = True
    idleness = Idleness.UNCHANGED
    flag_text = "a subnormal is flushed to zero"
    cell = PatternCell("is not subnormal")

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        smallest_normal = 1 << self.type.fraction_bits
        small = ar.less(ar.bitand(x, get_magnitude_mask(self.type)), smallest_normal)
        return ar.where(small, ar.bitand(x, 1 << (self.type.bits - 1)), x)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.FLUSHED, is_different(ar, value, v[0])

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, width = format_hex(view.x, self.type.bits), self.type.bits
        formula = make_equation(self.fill_formula(bits), format_hex(view.value, width))
        if view.value == view.x:
            number = format_float(view.x, self.type)
            return LaneText(formula, f"{number} is not subnormal: unchanged")
        zero = format_float(view.value, self.type)
        return LaneText(formula, f"{bits} is subnormal and is flushed to {zero}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        names = " or ".join(row.destination for row in rows)
        return f".ftz: a subnormal {names} is treated as a zero of the same sign."

    def make_figure(self, row: RowTrace) -> FlushedBits | None:
        return FlushedBits(self.type) if len(row.values) == 1 else None

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.type.bits, is_number=False, type=self.type)
