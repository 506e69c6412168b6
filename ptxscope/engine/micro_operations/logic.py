"""The micro-operations on truth values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..isa.types import BoolOp, Type
from ..isa.value_text import format_hex, format_value
from .arithmetic import Arithmetic, Inputs, V, get_lane
from .base import LaneView, MicroOperation, MutationSite, RowMutation, RowView
from .drawings import CellDrawing, Choice, FormulaCell, LogicGate, ResultCell, TruthCell
from .formula import make_equation, make_transition
from .instruction_view import format_guard
from .properties import MAX_LANE_BITS, Idleness, InputBits, LaneText, Notation, map_bits
from .stage import Stage
from .step_words import format_destinations

_ONE = 0x3F80_0000
"""The pattern of 1.0."""


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

    def make_figure(self, row: RowView) -> LogicGate:
        return LogicGate(str(self.boolop))

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

    def _name_options(self, row: RowView) -> tuple[str, str]:
        _, x, y = row.inputs
        if row.stage is not Stage.GUARD:
            return x.full_name, y.full_name
        name = row.instruction.format_operand(row.role)
        return f"new {name}", f"old {name}{'' if y.is_operand else ' converted'}"

    def format_symbols(self, row: RowView, lane: int | None) -> str:
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

    def make_cell(self, row: RowView, lane: int) -> Choice:
        return Choice(self._name_options(row))

    def make_figure(self, row: RowView) -> Choice:
        return Choice(self._name_options(row))

    def get_notation(self, row: RowView) -> Notation:
        type_ = row.instruction.type_of(row.role if row.stage is Stage.GUARD else "d")
        return Notation(type_.bits, is_number=False, type=type_)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        condition, x, y = site.row.inputs
        if site.row.stage is Stage.GUARD:
            description = "kept the old value" if condition.values[0] else "wrote it anyway"
        else:
            description = f"took {(y if condition.values[0] else x).name}"
        yield site.swap_inputs(description, 0)


class Encode(MicroOperation):
    """The pattern that stands for true, or 0."""

    true: int
    formula = "{x}"
    has_revealing_inputs = True

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.multiply(v[0], self.true)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, truth = format_hex(view.value, 32), format_value(view.x, Type.PRED)
        one = " (1.0)" if self.true == _ONE and view.x else ""
        return LaneText(make_transition(truth, bits), f"{truth} becomes {bits}{one}")

    def describe_step(self, rows: Sequence[RowView]) -> str:
        true = {_ONE: "1.0 (0x3f800000)", 1: "1"}.get(self.true, "0xffffffff")
        sentence = f"{format_destinations(rows)} takes {true} for true, 0 for false."
        is_guarded = rows[0].instruction.guard is not None
        return f"If the guard holds, {sentence}" if is_guarded else sentence

    def make_cell(self, row: RowView, lane: int) -> CellDrawing:
        if row.stage is not Stage.WRITE:
            return FormulaCell()
        return ResultCell(f"{ {_ONE: '1.0', 1: '1'}.get(self.true, 'all 1s') } or 0")

    def find_idleness(self, row: RowView) -> Idleness:
        return Idleness.WITHOUT_FLAGS if row.stage is Stage.WRITE else Idleness.NEVER

    def get_notation(self, row: RowView) -> Notation:
        if row.stage is not Stage.WRITE:
            return super().get_notation(row)
        return Notation(32, is_number=False, type=row.instruction.type_of("d"))

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        if self.true == _ONE:  # misconceptions cover the integers
            instead = ", which is 1.0 here"
            yield site.replace_operation("wrote 1 for true", Encode(1), weight=0, instead=instead)
            yield site.replace_operation(
                "wrote all ones for true", Encode(0xFFFF_FFFF), weight=0, instead=instead
            )
