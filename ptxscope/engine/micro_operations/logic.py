"""The micro-operations on truth values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..isa.encodings import encode_float
from ..isa.types import BoolOp, Type
from ..isa.value_text import format_hex, format_value
from .arithmetic import Arithmetic, Inputs, V, get_lane
from .base import (
    NOTHING_WRITTEN,
    LaneView,
    MicroOperation,
    MutationSite,
    RowMutation,
    RowTrace,
    add_guard,
    format_destinations,
)
from .drawings import CellDrawing, Choice, FormulaCell, LogicGate, ResultCell, TruthCell
from .properties import (
    MAX_LANE_BITS,
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

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        yield site.keep_first_input("did not negate")


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

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        for boolop in BoolOp:
            if boolop is not self.boolop:
                yield site.replace_operation(f"combined with {boolop}", Combine(boolop))
        yield site.keep_first_input("left c out", 2)


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

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        condition, x, y = site.row.inputs
        if site.row.stage is Stage.GUARD:
            description = "kept the old value" if condition.values[0] else "wrote it anyway"
        else:
            truth = format_value(condition.values[0], Type.PRED)
            why = f"{condition.full_name} is {truth}"
            if not condition.is_operand:
                why = condition.micro.describe_lane(LaneView(condition, 0)).sentence
            taken = (y if condition.values[0] else x).name
            description = f"took {taken}, but {why.replace(': ', '; ')}"
        yield site.swap_inputs(description, 0)


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
    """The number of lanes of the input."""
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

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        other_lane = TakeLane(1 - self.lane, self.input_lanes)
        half = ("low", "high")[other_lane.lane]
        yield site.replace_operation(f"took the {half} half's result", other_lane)


@dataclass(frozen=True)
class Encode(MicroOperation):
    """The pattern that stands for true, or 0."""

    true: int
    type: Type = Type.U32
    """The type of the pattern."""
    formula = "{x}"
    has_revealing_inputs = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(v[0], self.true)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, truth = format_hex(view.value, self.type.bits), format_value(view.x, Type.PRED)
        one = " (1.0)" if self._is_one and view.x else ""
        return LaneText(make_transition(truth, bits), f"{truth} becomes {bits}{one}")

    @property
    def _is_one(self) -> bool:
        """Whether true is the float 1.0."""
        return self.type.is_float and self.true == encode_float(1.0, self.type)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        bits = format_hex(self.true, self.type.bits)
        true = f"1.0 ({bits})" if self._is_one else "1" if self.true == 1 else bits
        has_lanes = len(rows[0].values) > 1
        target = "Each half" if has_lanes else format_destinations(rows)
        sentence = f"{target} takes {true} for true, 0 for false."
        return sentence if has_lanes else add_guard(sentence, rows)

    def make_cell(self, row: RowTrace, lane: int) -> CellDrawing:
        if row.stage is not Stage.WRITE:
            return FormulaCell()
        true = "1.0" if self._is_one else "1" if self.true == 1 else "all 1s"
        return ResultCell(f"{true} or 0")

    def find_idleness(self, row: RowTrace) -> Idleness:
        return Idleness.WITHOUT_FLAGS if row.stage is Stage.WRITE else Idleness.NEVER

    def get_notation(self, row: RowTrace) -> Notation:
        if row.stage is not Stage.WRITE:
            return super().get_notation(row)
        return Notation(self.type.bits, is_number=False, type=row.instruction.type_of("d"))

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        if self._is_one:  # misconceptions cover the integers
            instead, ones = ", which is 1.0 here", (1 << self.type.bits) - 1
            for description, true in (("1", 1), ("all ones", ones)):
                yield site.replace_operation(
                    f"wrote {description} for true",
                    Encode(true, self.type),
                    cost=0,
                    instead=instead,
                )
