"""The micro-operations that combine lanes: into a destination or a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..isa.encodings import (
    UNIT_NAMES,
    cast,
    format_hex,
    format_integer_type,
    format_lanes,
    format_letters,
    format_part,
    get_limits,
)
from ..isa.types import WORD_BITS, Selector
from .arithmetic import Arithmetic, Inputs, V, is_outside
from .base import LaneView, MicroOperation, RowTrace, format_write
from .drawings import CellDrawing, KeptCell, ResultCell, TakenCell, WordCell
from .properties import (
    MAX_LANE_BITS,
    Flag,
    Idleness,
    InputBits,
    LaneText,
    Notation,
    Part,
    make_equation,
    make_transition,
    map_bits,
)


@dataclass(frozen=True)
class Merge(MicroOperation):
    """Lanes of t truncated to the unit; the other lanes are c's, if c is an input."""

    unit: int
    lanes: tuple[int, ...]
    """The lanes that take t."""
    signed: bool
    """Whether the destination's lanes are signed."""
    high: bool = False
    """Take bits 31:16 of t instead of its low bits (erratum E1)."""
    is_merge = True
    is_narrowing = True
    has_revealing_inputs = True
    flag_text = "wrapped to {self.unit} bits"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        t, *c = v
        if self.high:
            t = ar.shift_right(ar.cast(t, 32, signed=False), 16)
        t = ar.cast(t, self.unit, signed=False)
        if not c:
            return t
        all_picks = tuple((0, lane) for lane in self.all_lanes)
        return ar.keep(t, ar.gather(c, self.unit, all_picks), self.lanes, self.unit)

    @property
    def all_lanes(self) -> range:
        return range(WORD_BITS // self.unit)

    def count_output_lanes(self, input_lanes: int) -> int:
        return WORD_BITS // self.unit

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        """Yield the flag of the lanes that take t."""
        if not self.high:
            yield Flag.WRAPPED, is_outside(ar, v[0], self.unit, self.signed)

    def can_raise_flags(self, lane: int) -> bool:
        return lane in self.lanes

    def find_lane_flags(self, lane: int, inputs: Inputs, value: int) -> Iterable[Flag]:
        if lane not in self.lanes:
            return (Flag.MASKED_OUT,)
        return super().find_lane_flags(lane, inputs, value)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        stop = min(high, self.unit)
        if lane in self.lanes:
            shift = 16 if self.high else 0
            yield map_bits(inputs, 0, lane, low + shift, stop + shift)
        else:
            start = self.unit * lane
            yield InputBits(1, 0, start + low, start + stop)

    def find_rejected_bits(self, lane: int, inputs: Inputs) -> Iterable[InputBits]:
        """Return the lane's own part of c, or its own t; only one lane takes a scalar's t."""
        if lane in self.lanes:
            start = self.unit * lane
            return (InputBits(i, 0, start, start + self.unit) for i in range(1, len(inputs)))
        return (InputBits(0, lane, 0, MAX_LANE_BITS),) if len(inputs[0]) > 1 else ()

    @property
    def part_bits(self) -> int:
        return self.unit

    def format_symbols(self, row: RowTrace, lane: int | None) -> str:
        if lane is None:
            return ""
        if lane in self.lanes:
            return row.list_symbols(lane)[0]
        return format_letters(row.inputs[1].key, self.unit, lane)

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, unit = format_hex(view.value, self.unit), UNIT_NAMES[self.unit]
        if view.lane in self.lanes:
            formula, sentence = make_transition(view.x, bits), self._describe_value(view, bits)
        else:
            name = view.names[1]
            condition = "" if len(view.row.inputs[0].values) == 1 else "is not in the mask and "
            sentence = f"it {condition}keeps {unit} {view.lane} of {name}, {bits}"
            formula = make_equation(format_part(name, self.unit, view.lane), bits)
        return LaneText(formula, sentence, f"{formula.left} -> {bits[2:]}")

    def _describe_value(self, view: LaneView, bits: str) -> str:
        low, high = get_limits(self.unit, self.signed)
        if self.high:
            return f"it takes bits 31:16 of {view.x}, {bits}"
        if low <= view.x <= high:
            return f"it takes {view.x}, {bits}"
        kind = format_integer_type(self.signed, self.unit)
        number = cast(view.value, self.unit, self.signed)
        low_bits = f"the low {self.unit} bits, {bits}, which is {number}"
        return f"{view.x} does not fit in {kind}, so it takes {low_bits}"

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        row = rows[0]
        c = row.inputs[1].name if row.inputs[1:] else "c"
        unit, lanes = UNIT_NAMES[self.unit], self.lanes
        if len(row.inputs[0].values) == 1:
            source_part = "Bits 31:16 of t" if self.high else f"The low {self.unit} bits of t"
            return f"{source_part} replace {unit} {lanes[0]} of {c}."
        kept_lanes = set(self.all_lanes) - set(lanes)
        if not kept_lanes:
            return f"Each lane takes t truncated to a {unit}; carries do not cross lanes."
        verb = "takes" if len(lanes) == 1 else "take"
        kept_part = f"keeps {c}'s {unit}" if len(kept_lanes) == 1 else f"keep {c}'s {unit}s"
        taken_text = f"{format_lanes(lanes)} {verb} t truncated to a {unit}"
        mask = Selector(self.unit, lanes)
        return f"Mask .{mask}: {taken_text}; {format_lanes(kept_lanes)} {kept_part}."

    def make_cell(self, row: RowTrace, lane: int) -> CellDrawing:
        if lane in self.lanes:
            return TakenCell(self.unit, self.high)
        return KeptCell(Part(1, self.unit, lane))

    def find_idleness(self, row: RowTrace) -> Idleness:
        is_whole = 1 < len(self.lanes) == len(row.values)
        return Idleness.WITHOUT_FLAGS if is_whole and not self.high else Idleness.NEVER

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(self.unit, is_number=False)


@dataclass(frozen=True)
class Pack(MicroOperation):
    """Join lanes into a word."""

    unit: int
    has_revealing_inputs = True
    idleness = Idleness.WITH_INPUT

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.pack(v[0], self.unit)

    def count_output_lanes(self, input_lanes: int) -> int:
        return 1

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        for index in range(len(inputs[0])):
            start = self.unit * index
            yield InputBits(0, index, max(low - start, 0), min(high - start, self.unit))

    def describe_lane(self, view: LaneView) -> LaneText:
        values = reversed(view.row.inputs[0].values)
        lanes = " ".join(format_hex(x, self.unit)[2:] for x in values)
        bits = format_hex(view.value, 32)
        sentence = f"the {UNIT_NAMES[self.unit]}s side by side are {bits}"
        return LaneText(make_transition(lanes, bits), sentence)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        return f"The {UNIT_NAMES[self.unit]}s {format_write(rows)}."

    def format_hint(self, row: RowTrace) -> str:
        """Describe how the lanes of the previous step are joined; empty for one lane."""
        top = len(row.inputs[0].values) - 1
        unit = UNIT_NAMES[self.unit]
        return f"The {unit}s of the lanes are side by side, lane {top} first." if top else ""

    def make_cell(self, row: RowTrace, lane: int) -> CellDrawing:
        if row.instruction.entry.lanes > 1:
            return WordCell(self.unit)
        source = row.inputs[0]
        lanes = reversed(range(len(source.values)))
        return ResultCell(" ".join(source.micro.format_symbols(source, lane) for lane in lanes))

    def get_notation(self, row: RowTrace) -> Notation:
        type_ = row.instruction.type_of(row.role)
        return Notation(type_.bits, is_number=False, type=type_)
