"""The micro-operations at both ends of a plan: select parts, read them, write the low bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..isa.encodings import (
    UNIT_NAMES,
    cast,
    format_hex,
    format_integer_type,
    format_part,
    format_value,
    get_limits,
)
from ..isa.types import WORD_BITS, Type
from .arithmetic import Arithmetic, Inputs, Picks, V, is_outside
from .base import (
    NOTHING_WRITTEN,
    LaneView,
    MicroOperation,
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
    Part,
    Reading,
    Sign,
    make_equation,
    make_transition,
    map_bits,
    map_read_bits,
)

if TYPE_CHECKING:
    from .drawings import CellDrawing, PartCell, ReadingCell, TruncatedBits


@dataclass(frozen=True)
class Select(MicroOperation):
    """Pick bytes, half-words or whole words from registers."""

    unit: int
    picks: Picks
    idleness = Idleness.IN_PLACE

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.gather(v, self.unit, self.picks)

    def count_output_lanes(self, input_lanes: int) -> int:
        return len(self.picks)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        word, index = self.picks[lane]
        start = self.unit * index
        yield InputBits(word, 0, start + low, start + min(high, self.unit))

    def find_rejected_bits(self, lane: int, inputs: Inputs) -> Iterable[InputBits]:
        return ()

    def find_part(self, lane: int) -> Part:
        word, index = self.picks[lane]
        return Part(word, self.unit, index)

    @property
    def part_bits(self) -> int:
        return self.unit

    def describe_lane(self, view: LaneView) -> LaneText:
        word, index = self.picks[view.lane]
        name, bits = _name_whole(view.row.inputs[word]), format_hex(view.value, self.unit)
        if self.unit == WORD_BITS:
            return LaneText(make_equation(name, bits), f"all of {name} is {bits}")
        part, top = format_part(name, self.unit, index), self.unit * (index + 1) - 1
        place = f"{UNIT_NAMES[self.unit]} {index} of {name} (bits {top}:{top + 1 - self.unit})"
        return LaneText(make_equation(part, bits), f"{place} is {bits}", f"{bits[2:]} {part}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        if all(row.has_own_parts for row in rows):
            names = dict.fromkeys(_name_whole(row.inputs[0]) for row in rows)
            other_units = {row.micro.part_bits for row in rows} - {self.unit}
            others = (
                "".join(f"its own {UNIT_NAMES[x or WORD_BITS]} of " for x in other_units) or "of "
            )
            joined_names = f" and {others}".join(names)
            return f"Each lane takes its own {UNIT_NAMES[self.unit]} of {joined_names}."
        parts = [_describe_selection(row) for row in rows]
        if any(len(row.values) > 1 for row in rows):
            return ". ".join(parts) + "."
        return f"Selects {' and '.join(parts)}."

    def format_hint(self, row: RowTrace) -> str:
        """Describe how the digits of a selector are read; empty for a row without lanes."""
        if len(self.picks) == 1:
            return ""
        unit = UNIT_NAMES[self.unit]
        if row.has_own_parts:
            return f"Each lane takes its own {unit} of {row.role}."
        digits = ("0 to 3 are", "4 to 7") if len(self.picks) == 4 else ("0 and 1 are", "2 and 3")
        return f"Digits {digits[0]} {unit}s of a, {digits[1]} of b; the last digit is lane 0's."

    def make_cell(self, row: RowTrace, lane: int) -> PartCell:
        from .drawings import PartCell

        return PartCell(self.find_part(lane))

    def get_notation(self, row: RowTrace) -> Notation:
        role = row.inputs[self.picks[0][0]].key
        type_ = row.instruction.type_of(role) if self.unit == WORD_BITS else None
        return Notation(self.unit, is_number=False, type=type_)


def _name_whole(row: RowTrace) -> str:
    """Return the name of the operand that a row takes parts of; a literal's is its role."""
    return row.name if row.key in row.instruction.names else row.key


def _describe_selection(row: RowTrace) -> str:
    """Describe the parts that a row takes: ``byte 3 of a``; a clause if it has several lanes."""
    parts = [part for lane in range(len(row.values)) if (part := row.micro.find_part(lane))]
    names = [_name_whole(x) for x in row.inputs]
    unit, index = parts[0].unit, parts[0].number
    if len(parts) == 1:
        return (
            f"all of {names[0]}"
            if unit == WORD_BITS
            else f"{UNIT_NAMES[unit]} {index} of {names[0]}"
        )
    if len(names) == 1 and [part.number for part in parts] == list(range(len(parts))):
        return f"For {row.role}, each lane takes its own {UNIT_NAMES[unit]} of {names[0]}"
    parts_text = ", ".join(format_part(names[x.input], unit, x.number) for x in reversed(parts))
    lanes = "3 to 0" if len(parts) == 4 else "1 and 0"
    return f"For {row.role}, lanes {lanes} take {parts_text}"


@dataclass(frozen=True)
class Extend(MicroOperation):
    """Read a bit pattern as a signed or unsigned integer."""

    bits: int
    signed: bool
    formula = "{self.type_name}({x})"
    is_reading = True
    idleness = Idleness.READ_BESIDE

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, self.signed)

    @property
    def type_name(self) -> str:
        """The type that the bits are read as: ``s8``."""
        return format_integer_type(self.signed, self.bits)

    @property
    def reading(self) -> Reading:
        return Reading(self.bits, self.signed)

    def find_lane_flags(self, lane: int, inputs: Inputs, value: int) -> Iterable[Flag]:
        yield Flag.SIGN_EXTENDED if self.signed else Flag.ZERO_EXTENDED

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        return map_read_bits(lane, low, high, inputs, self.reading)

    def describe_lane(self, view: LaneView) -> LaneText:
        sentence = describe_reading(self.reading, view.x, view.value)
        if self.bits < WORD_BITS:
            top = f"sign-extended with its top bit, {view.x >> (self.bits - 1) & 1}"
            sentence += f"; {top if self.signed else 'zero-extended'}"
        source = view.row.inputs[0]
        written_bits = source.passed_bits if source.is_operand else self.bits
        formula = make_equation(self.fill_formula(format_hex(view.x, written_bits)), view.value)
        return LaneText(formula, sentence, str(view.value))

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        groups: dict[tuple[str, Reading], list[RowTrace]] = {}
        for row in rows:
            if reading := row.micro.reading:
                groups.setdefault((format_read_type(row), reading), []).append(row)
        parts = [_describe_readings(*group, rows) for group, rows in groups.items()]
        return " ".join((*parts, "Exact from here on."))

    def make_cell(self, row: RowTrace, lane: int) -> ReadingCell:
        from .drawings import ReadingCell

        return ReadingCell(self.reading)


def describe_reading(reading: Reading, bits: int, value: int) -> str:
    """Describe the conversion of bits to a number: ``0xff is -1 as s8``."""
    name = format_integer_type(reading.signed, reading.bits)
    low_bits = bits & (1 << reading.bits) - 1
    return f"{format_hex(low_bits, reading.bits)} is {value} as {name}"


def _describe_readings(type_name: str, reading: Reading, rows: Sequence[RowTrace]) -> str:
    """Describe how operands of one type are read: ``a and b: s8, sign-extended.``."""
    names = " and ".join(row.destination for row in rows)
    if reading.bits >= rows[0].instruction.type_of(rows[0].role).bits:
        return f"{names}: {type_name}."
    narrow = format_integer_type(reading.signed, reading.bits)
    part = "" if reading.bits in UNIT_NAMES else f"the low {reading.bits} bits, "
    return f"{names}: {narrow}, {part}{'sign' if reading.signed else 'zero'}-extended."


def format_read_type(row: RowTrace) -> str:
    """Return the type that a row reads a word as: ``u32``, with the written type if it differs."""
    written_type = row.instruction.type_of(row.role)
    type_name = format_integer_type(row.range.low < 0, written_type.bits)
    if written_type.lanes > 1:
        return str(written_type)
    is_same = type_name == written_type or str(written_type)[0] == "b"
    return type_name if is_same else f"{type_name} (not {written_type}!)"


@dataclass(frozen=True)
class Truncate(MicroOperation):
    """Truncate to the low bits as a pattern; the destination reads it as ``signed`` or not."""

    bits: int
    signed: bool
    formula = "{self.type_name}({x})"
    is_narrowing = True
    has_revealing_inputs = True
    idleness = Idleness.WITHOUT_FLAGS
    flag_text = "wrapped to {self.bits} bits"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return ar.cast(v[0], self.bits, signed=False)

    @property
    def type_name(self) -> str:
        """The type of the destination: ``u32``."""
        return format_integer_type(self.signed, self.bits)

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        yield Flag.WRAPPED, is_outside(ar, v[0], self.bits, self.signed)

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
