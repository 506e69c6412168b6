"""Parts of operands and results, with their values in order.

Axes count the rank of a value among all values, the smallest first: integers by their type, floats
from -NaN over -0.0 and 0.0 to NaN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...engine.isa.encodings import cast, format_hex, format_value, get_limits
from ...engine.isa.types import DESTINATIONS, Role, Type
from ...engine.micro_operations.arithmetic import LaneValues
from ...engine.micro_operations.properties import map_bits
from ...engine.syntax.errors import Problem, PtxError, quote_word
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.values import parse_integer, parse_value
from ...engine.tracing.basic_block import BasicBlock, make_block

_LETTERS = {8: "b", 16: "h", 32: "w"}
_UNITS = {letter: unit for unit, letter in _LETTERS.items()}
_MAX_NAME_CHARS = 11
"""Longest name of a register, in characters, that labels repeat."""
_INTEGER = re.compile(r"([+-]?)(0|[1-9]\d*)[uU]?")
"""Matches a number that is not a bit pattern; a leading zero would make it octal."""
_DIGITS = 30
"""Number of digits that are read: more than any part can hold."""


class RegisterPart(NamedTuple):
    """A byte, a half-word, a word or all of an operand or a result."""

    role: str
    name: str
    """Register as written."""
    type: Type
    """Type of the whole register."""
    unit: int
    """Width in bits."""
    number: int
    """Index among the parts of that width; 0 is the least significant."""
    is_signed: bool
    """Whether its bits are read as a signed number."""

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole register."""
        return self.unit == self.type.bits

    @property
    def float_type(self) -> Type | None:
        """The type of its values if they are floats, else None."""
        lane_type = self.type.lane_type
        return lane_type if lane_type.is_float and lane_type.bits == self.unit else None

    @property
    def is_float(self) -> bool:
        """Whether its values are floats."""
        return self.float_type is not None

    @property
    def suffix(self) -> str:
        """``.b0``, ``.h1``, or empty for the whole register."""
        return "" if self.is_whole else f".{_LETTERS[self.unit]}{self.number}"

    @property
    def text(self) -> str:
        """Name and suffix, as in ``%r1.b0``."""
        return self.name + self.suffix

    @property
    def label(self) -> str:
        """Name for pictures and sentences: the role replaces a long register name."""
        return self.register + self.suffix

    @property
    def register(self) -> str:
        """Label of the whole register."""
        return self.name if len(self.name) <= _MAX_NAME_CHARS else self.role

    @property
    def shift(self) -> int:
        """Index of its lowest bit."""
        return self.unit * self.number

    @property
    def mask(self) -> int:
        """Mask of its bits, shifted to bit 0."""
        return (1 << self.unit) - 1

    @property
    def values(self) -> int:
        """Number of its values."""
        return 1 << self.unit

    def extract(self, bits: int) -> int:
        """Return its bits, extracted from the bits of the register."""
        return bits >> self.shift & self.mask

    def insert(self, bits: int, part_bits: int) -> int:
        """Return the bits of the register with this part replaced by `part_bits`."""
        return bits & ~(self.mask << self.shift) | part_bits << self.shift

    def compute_rank(self, bits: int) -> int:
        """Return the number of smaller values."""
        top = 1 << (self.unit - 1)
        if self.is_float:
            return ~bits & self.mask if bits & top else bits | top
        return bits ^ top if self.is_signed else bits

    def get_value_at(self, place: int) -> int:
        """Return the bits of the value with a rank."""
        top = 1 << (self.unit - 1)
        if self.is_float:
            return place ^ top if place & top else ~place & self.mask
        return place ^ top if self.is_signed else place

    def format_value(self, bits: int) -> str:
        """Format a value: ``-28``, ``1.5``, ``true``."""
        if type_ := self._value_type:
            return format_value(bits, type_)
        return str(cast(bits, self.unit, self.is_signed))

    def format_hex(self, bits: int) -> str:
        """Format its bits in hexadecimal."""
        return format_hex(bits, self.unit)

    def parse_value(self, text: str) -> int:
        """Return the bits of a value as written; raise PtxError if it is invalid."""
        if type_ := self._value_type:
            return parse_value(text, type_)
        return parse_integer(text, self.unit)

    @property
    def _value_type(self) -> Type | None:
        """The type of its values; None for a part of an integer, and for bits read as signed."""
        is_typed = self.is_whole and self.is_signed <= self.type.signed
        return self.type if is_typed else self.float_type

    def parse_bound(self, text: str) -> int:
        """Return the bits of an end of a range; a plain number must be one of the values."""
        match = _INTEGER.fullmatch(text.strip())
        if match and not self.is_float and self.type is not Type.PRED:
            low, high = get_limits(self.unit, signed=self.is_signed)
            digits = match[2].lstrip("0")[:_DIGITS] or "0"
            number = int(f"{match[1]}{digits}")
            if not low <= number <= high:
                size = "large" if number > high else "small"
                message = (
                    f"{quote_word(text.strip())} is too {size} "
                    f"for {'us'[self.is_signed]}{self.unit}"
                )
                start = len(text) - len(text.lstrip())
                span = (start, len(text.rstrip()))
                raise PtxError(text, (Problem(message, span, f"{low} to {high}"),))
        return self.parse_value(text)


def parse_swept_part(ins: BasicBlock, text: str) -> RegisterPart:
    """Parse a part of an operand: ``a.b0``, ``%r1.h1``, ``b``; raise PtxError if none exists."""
    return _parse_part(ins, text, _map_operands(ins), "read")


def parse_result_part(ins: BasicBlock, text: str) -> RegisterPart:
    """Parse a part of a destination: ``d.b0``, ``p``; raise PtxError if none exists."""
    return _parse_part(ins, text, dict(ins.results), "written")


def list_sweepable_parts(ins: BasicBlock) -> tuple[RegisterPart, ...]:
    """Return every operand, in the parts that are read separately and as a whole."""
    return tuple(part for role in _map_operands(ins) for part in _iter_known_parts(ins, role))


def list_result_parts(ins: BasicBlock) -> tuple[RegisterPart, ...]:
    """Return every destination, in the parts that are written separately and as a whole."""
    return tuple(lane for role in ins.results for lane in _iter_known_parts(ins, role))


def choose_default_parts(
    ins: BasicBlock, lane: int | None = None
) -> tuple[RegisterPart | None, RegisterPart | None]:
    """Return the default axes: the parts of a and b that a lane reads, by default the first in the
    mask.

    One or both are None if the instruction reads fewer registers; the first one of a block counts.
    """
    first = ins.statements[0]
    if lane is None:
        lane = _find_first_lane(first.instruction)
    parts: list[RegisterPart] = []
    for role in ("a", "b"):
        picks = _map_picks(ins).get(f"{first.prefix}select.{role}")
        pick = (first.find_place(role).key, 0, 0)
        if picks:
            pick = picks[lane if len(picks) > 1 else 0]
        if pick[0] in ins.names and not any(pick == (x.role, x.unit, x.number) for x in parts):
            parts.append(_make_part(ins, pick[0], pick[1] or ins.type_of(pick[0]).bits, pick[2]))
    operands = [x for x in list_sweepable_parts(ins) if x.is_whole]
    used_names = {x.name for x in parts}
    parts += [x for x in operands if x.name not in used_names]
    return (parts[0] if parts else None, parts[1] if len(parts) > 1 else None)


def choose_default_result(
    ins: BasicBlock, x: RegisterPart, lane: int | None = None
) -> RegisterPart | None:
    """Return the part of the result that an operand's part goes to; None if no result is kept.

    If it goes to several lanes, ``lane`` comes first.
    """
    result_parts = list_result_parts(ins)
    if not result_parts:
        return None
    if len(ins.statements) > 1:
        return result_parts[-1]
    lanes = [lane for lane in result_parts if not lane.is_whole]
    if not lanes:
        return result_parts[0]
    if len(lanes) == 1:  # the part that a scalar instruction writes, next to c
        return lanes[0] if x.role != Role.C else result_parts[-1]
    lane_indices = [
        index
        for picks in _map_picks(ins).values()
        for index, pick in enumerate(picks)
        if pick == (x.role, x.unit, x.number) and index in _get_mask_lanes(ins.instruction)
    ]
    is_own_lane = x.role == Role.C and not x.is_whole
    default_index = x.number if is_own_lane else _find_first_lane(ins.instruction)
    index = next((x for x in lane_indices if x == lane), next(iter(lane_indices), default_index))
    return next((lane for lane in lanes if lane.number == index), lanes[0])


def choose_focused_parts(
    ins: BasicBlock, key: str = "", lane: int | None = None
) -> tuple[RegisterPart, RegisterPart] | None:
    """Return the part that a lane of a row reads first, and the part of the result that it becomes.

    Of a lane that is not in the mask, that is the part of c; of an operand, the part itself. None
    if there is nothing to sweep.
    """
    x, _ = choose_default_parts(ins, lane)
    role = key if key in _map_operands(ins) else ""
    if not role and lane is not None and lane not in _get_mask_lanes(ins.instruction):
        role = Role.C if Role.C in _map_operands(ins) else ""
    if role:
        parts = [part for part in _iter_known_parts(ins, role) if not part.is_whole]
        whole = _make_part(ins, role, ins.type_of(role).bits, 0)
        x = next((part for part in parts if part.number == lane), whole)
    result = x and choose_default_result(ins, x, lane)
    return None if x is None or result is None else (x, result)


def with_read_order(ins: BasicBlock, part: RegisterPart, result_part: RegisterPart) -> RegisterPart:
    """Return a part with its values in the order in which the result's part reads them.

    The order is unsigned if the result reads the part both as signed and as unsigned.
    """
    signedness = find_signedness(ins, part, result_part)
    return part._replace(is_signed=signedness == {True}) if signedness else part


def find_signedness(ins: BasicBlock, part: RegisterPart, result_part: RegisterPart) -> set[bool]:
    """Return how the result's part reads an operand's part: as signed (True), unsigned, or both."""
    plan, picks = ins.plan, _map_picks(ins)
    rows = {row.key: row for row in plan.rows}
    roles = {role for role, name in ins.names.items() if name == part.name}
    swept_picks = {(role, part.unit, part.number) for role in roles}
    cells_to_visit = [
        (result.key, 0, result_part.shift, result_part.shift + result_part.unit)
        for result in plan.results
        if result.role == result_part.role
    ]
    visited, signedness = set(cells_to_visit), set[bool]()
    while cells_to_visit:
        key, row_lane, low, high = cells_to_visit.pop()
        row = rows[key]
        if reading := row.micro.reading:
            source = row.inputs[0]
            pick = picks[source][row_lane] if source in picks else (source, reading.bits, 0)
            if pick in swept_picks:
                signedness.add(reading.signed)
            if pick[0] not in rows:  # in a block, a statement may read the result of another
                continue
        counts = [rows[x].lanes if x in rows else 1 for x in row.inputs]
        inputs: tuple[LaneValues, ...] = tuple((0,) * count for count in counts)
        parts = list(row.micro.find_origins(row_lane, low, high, inputs))
        if row.micro.is_choice:  # either can be chosen
            parts = [map_bits(inputs, index, row_lane, low, high) for index in range(len(inputs))]
        cells = {(row.inputs[x.input], x.lane, x.low, x.high) for x in parts if x.low < x.high}
        new_cells = {cell for cell in cells if cell[0] in rows} - visited
        cells_to_visit += new_cells
        visited |= new_cells
    return signedness


def _find_first_lane(ins: Instruction) -> int:
    return min(_get_mask_lanes(ins))


def _get_mask_lanes(ins: Instruction) -> Sequence[int]:
    return ins.form.mask.lanes if ins.form.mask else range(ins.entry.lanes)


def _map_operands(ins: BasicBlock) -> dict[str, str]:
    """Return the name of each register that is read, by its first role."""
    return {operand.roles[0]: operand.name for operand in ins.inputs}


def find_low_part(ins: BasicBlock, part: RegisterPart) -> RegisterPart | None:
    """Return the low part of a whole register that is read alone, or None."""
    if not part.is_whole:
        return None
    picks = _map_picks(ins)
    roles = {role for role, name in ins.names.items() if name == part.name}
    readers = [row for row in ins.plan.rows if roles & set(row.inputs)]
    reads = {pick for row in readers for pick in picks.get(row.key, [("", 0, 0)])}
    units = {unit if role in roles and number == 0 else 0 for role, unit, number in reads}
    unit = max(units, default=0)
    if len(units) != 1 or not 0 < unit < part.unit:
        return None
    return part._replace(unit=unit, is_signed=False)


def _map_picks(ins: BasicBlock) -> dict[str, list[tuple[str, int, int]]]:
    """Return the parts that the lanes of each selecting row read: role, width and number."""
    parts = {
        row.key: [part for lane in range(row.lanes) if (part := row.micro.find_part(lane))]
        for row in ins.plan.rows
    }
    return {
        row.key: [(row.inputs[x.input], x.unit, x.number) for x in parts[row.key]]
        for row in ins.plan.rows
        if len(parts[row.key]) == row.lanes
    }


def _iter_known_parts(ins: BasicBlock, role: str) -> Iterator[RegisterPart]:
    """Yield the parts of a register that the instruction uses, then the whole register."""
    for unit, index in _list_parts(ins, role):
        yield _make_part(ins, role, unit, index)
    yield _make_part(ins, role, ins.type_of(role).bits, 0)


def _list_parts(ins: BasicBlock, role: str) -> list[tuple[int, int]]:
    parts = (
        part
        for statement in ins.statements
        for own_role, place in (*statement.reads.items(), *statement.places.items())
        if place.key == role
        for part in _list_own_parts(statement.instruction, own_role)
    )
    return sorted({*parts})


def _list_own_parts(ins: Instruction, role: str) -> list[tuple[int, int]]:
    """Return width and number of the parts of a register that an instruction uses."""
    bits = ins.type_of(role).bits
    if role in DESTINATIONS and ins.form.dsel:
        return [(ins.form.dsel.unit, ins.form.dsel.lanes[0])]
    if ins.entry.lanes > 1 and (ins.has_lanes(role) or ins.count_lanes(role) > 1):
        return [(32 // ins.entry.lanes, lane) for lane in range(ins.entry.lanes)]
    block = make_block(ins)
    units = (row.micro.part_bits for row in block.plan.rows if row.micro.is_merge)
    if role == Role.C and (unit := next(units, None)) and ins.form.secop is None:
        return [(unit, lane) for lane in range(32 // unit)]
    picks = {
        pick[1:]
        for row_picks in _map_picks(block).values()
        for pick in row_picks
        if pick[0] == role
    }
    return [pick for pick in picks if pick[0] < bits]


def _make_part(ins: BasicBlock, role: str, unit: int, index: int) -> RegisterPart:
    type_ = ins.type_of(role)
    return RegisterPart(
        role,
        ins.names.get(role) or ins.results[role],
        type_,
        unit,
        index,
        _is_signed(ins, role, unit, index),
    )


def _is_signed(ins: BasicBlock, role: str, unit: int, index: int) -> bool:
    """Whether the instruction reads a part as signed; an unread part has the type's sign."""
    type_ = ins.type_of(role)
    for row in ins.plan.rows:
        if reading := row.micro.reading:
            picks = _map_picks(ins).get(row.inputs[0], [])
            is_whole = row.inputs[0] == role and (unit, index) == (reading.bits, 0)
            if is_whole or (role, unit, index) in picks:
                return reading.signed
    return type_.signed and (unit == type_.bits or (unit, index) in _list_parts(ins, role))


def _parse_part(ins: BasicBlock, text: str, registers: dict[str, str], access: str) -> RegisterPart:
    word = text.strip()
    start = len(text) - len(text.lstrip())
    role = _find_role(word, registers)
    if role:
        return _make_part(ins, role, ins.type_of(role).bits, 0)
    base, dot, part = word.rpartition(".")
    role = _find_role(base, registers) if dot else None
    if role is None:
        name = base if dot and part[:1] in _UNITS and part[1:].isdigit() else word
        end = start + max(len(name), 1)
        problem = Problem(
            _format_unknown_register(ins, name, access),
            (start, end),
            _format_allowed_parts(ins, registers),
        )
        raise PtxError(text, (problem,))
    bits = ins.type_of(role).bits
    unit = _UNITS.get(part[:1], 0)
    index = int(part[1:]) if part[1:].isascii() and part[1:].isdigit() and len(part) == 2 else -1
    if not 0 < unit <= bits or not 0 <= index < bits // unit:
        part_span = (start + len(base) + 1, start + max(len(word), len(base) + 2))
        message = f"{base} has no part {quote_word(part)}; it has {bits} bits"
        raise PtxError(text, (Problem(message, part_span, _format_part_names(bits)),))
    return _make_part(ins, role, unit, index)


def _find_role(word: str, registers: dict[str, str]) -> str | None:
    """Return the role of a register given by name, by name without ``%``, or by role."""
    for candidate in (word, f"%{word}"):
        for role, name in registers.items():
            if name == candidate:
                return role
    return word if word in registers else None


def _format_unknown_register(ins: BasicBlock, name: str, access: str) -> str:
    for role in ins.constants:
        if name in (role, ins.format_operand(role), ins.format_operand(role).removeprefix("%")):
            literal = quote_word(ins.format_operand(role))
            description = "a constant" if role in ins.names else f"the literal {literal}"
            return f"{quote_word(name)} is {description} here, which has one value"
    if not name:
        return f"the name of a register that is {access} is missing"
    noun = "block" if len(ins.statements) > 1 else "instruction"
    return f"{quote_word(name)} is not a register that the {noun} {_VERBS[access]}"


_VERBS = {"read": "reads", "written": "writes"}


def _format_allowed_parts(ins: BasicBlock, registers: dict[str, str]) -> str:
    """Format the names that are allowed, with a part of one as an example."""
    wide_name = next((name for role, name in registers.items() if ins.type_of(role).bits > 8), None)
    names = ", ".join(registers.values()) or "nothing"
    return names if wide_name is None else f"{names}; or a part, as in {wide_name}.b0"


def _format_part_names(bits: int) -> str:
    units = [(unit, letter) for unit, letter in _LETTERS.items() if unit < bits]
    ranges = [f"{letter}0 to {letter}{bits // unit - 1}" for unit, letter in units]
    return ", ".join(ranges) or "no part: it is one bit"


def can_sweep(ins: BasicBlock) -> bool:
    """Return whether a block has an operand to sweep and a result."""
    x, _ = choose_default_parts(ins)
    return x is not None and choose_default_result(ins, x) is not None
