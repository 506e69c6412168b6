"""The micro-operation that writes a result: the low bits of a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..isa.encodings import cast, get_limits
from ..isa.types import WORD_BITS, Type
from ..isa.value_text import format_hex, format_integer_type, format_value
from .arithmetic import Arithmetic, Inputs, V, is_outside
from .base import (
    NOTHING_WRITTEN,
    LaneView,
    MicroOperation,
    MutationSite,
    RowMutation,
    RowTrace,
    format_destinations,
    format_write,
)
from .properties import (
    Flag,
    Formula,
    Idleness,
    InputBits,
    LaneText,
    Notation,
    Sign,
    make_equation,
    make_transition,
    map_bits,
)

if TYPE_CHECKING:
    from .drawings import CellDrawing, TruncatedBits


@dataclass(frozen=True)
class Truncate(MicroOperation):
    """Truncate to the low bits as a pattern; ``signed`` is how the destination reads them."""

    bits: int
    signed: bool
    formula = "{self.type_name}({x})"
    is_narrowing = True
    has_revealing_inputs = True
    idleness = Idleness.WITHOUT_FLAGS

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, signed=False)

    @property
    def type_name(self) -> str:
        """The type of the destination: ``u32``."""
        return format_integer_type(self.signed, self.bits)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, is_outside(ar, v[0], self.bits, self.signed)

    def describe_flag(self, flag: Flag) -> str:
        return f"wrapped to {self.bits} bits"

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield map_bits(inputs, 0, lane, low, min(high, self.bits))

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, name = format_hex(view.value, self.bits), view.row.destination
        is_guarded = view.row.instruction.guard is not None
        if self.bits == 1:
            truth = format_value(view.value, Type.PRED)
            if name == "_":
                return LaneText(make_transition(view.value, "_"), f"{truth} is discarded")
            if is_guarded:
                formula = Formula(str(view.value), name, Sign.FOR)
                return LaneText(formula, f"the predicate for {name} is {truth}")
            return LaneText(make_equation(name, bits), f"{name} is {truth}")
        formula = make_transition(view.format_first_input(), bits)
        low, high = get_limits(self.bits, self.signed)
        if low <= view.x <= high:
            subject = f"the value for {name}" if is_guarded else name
            return LaneText(formula, f"{subject} is {bits}")
        number = cast(view.value, self.bits, self.signed)
        low_bits = f"its low {self.bits} bits are {bits}, which is {number}"
        return LaneText(formula, f"{view.x} does not fit in {self.type_name}: {low_bits}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        flags = [x for x in rows if isinstance(x.micro, Truncate) and x.micro.bits < self.bits]
        words = [row for row in rows if row not in flags]
        action = format_write(words, len(words) if self.bits == 1 else 2)
        if format_destinations(rows) == "_":
            return NOTHING_WRITTEN
        if self.bits == 1:
            return f"The predicate{'s' if len(rows) > 1 else ''} {action}."
        source = rows[0].inputs[0]
        low = "" if source.micro.is_choice or source.is_operand else "low "  # these bits only
        sentence = f"The {low}{self.bits} bits {action}."
        return f"{sentence} One bit {format_write(flags, 1)}." if flags else sentence

    def make_cell(self, row: RowTrace, lane: int) -> CellDrawing:
        from .drawings import ResultCell

        return ResultCell(f"{row.list_symbols()[0]}{row.find_lost_bits(self.bits)}")

    def make_figure(self, row: RowTrace) -> TruncatedBits:
        from .drawings import TruncatedBits

        return TruncatedBits(self.bits)

    def get_notation(self, row: RowTrace) -> Notation:
        type_ = row.instruction.type_of(row.role)
        return Notation(type_.bits, is_number=False, type=type_)

    def iter_mutations(self, site: MutationSite) -> Iterator[RowMutation]:
        if self.bits >= WORD_BITS:
            from .saturation import Clamp

            low, high = get_limits(self.bits, self.signed)
            yield site.replace_operation(f"clamped to {low}..{high}", Clamp(low, high), self)
