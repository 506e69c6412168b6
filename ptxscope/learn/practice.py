"""Random lines to predict from a family of instructions, easy ones first.

A seed determines the forms and operands, whatever the Python version. The generator is SplitMix64,
implemented here because the sequence of ``random`` may change between versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from ..engine.isa.catalog import (
    CATALOG,
    find_remarks,
    find_violations,
    get_entry,
    list_shapes,
    with_c,
)
from ..engine.isa.encodings import get_limits
from ..engine.isa.entry import CORE_GROUPS, Entry, Group, Slot
from ..engine.isa.types import Destinations, Form, Type
from ..engine.isa.video_entries import C_BITS
from ..engine.micro_operations.properties import Flag
from ..engine.semantics.models import ISA_MODEL
from ..engine.syntax.instruction import Instruction, make_instruction
from ..engine.tracing.basic_block import BasicBlock
from ..engine.tracing.operand_bits import bind_values
from ..engine.tracing.trace import Trace, make_trace

LEVELS = (1, 2, 3)
_T = TypeVar("_T")
_MASK = (1 << 64) - 1
_MAX_TRIES = 200
"""Maximum forms picked before a legal one."""


class SeededRandom:
    """A random generator whose sequence depends only on a text."""

    def __init__(self, seed: str) -> None:
        self._state = _hash(seed.encode("utf-8", "replace"))

    def pick_bits(self) -> int:
        """Return the next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        x = self._state
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
        return x ^ x >> 31

    def pick_below(self, end: int) -> int:
        """Return a number from 0 to end - 1, as uniform as 64 bits allow."""
        return self.pick_bits() * end >> 64

    def pick(self, values: Sequence[_T]) -> _T:
        """Return one of the values."""
        return values[self.pick_below(len(values))]

    def shuffle(self, values: Iterable[_T]) -> list[_T]:
        """Return the values in random order."""
        rest, shuffled = [*values], []
        while rest:
            shuffled.append(rest.pop(self.pick_below(len(rest))))
        return shuffled


def _hash(data: bytes) -> int:
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 & _MASK
    return digest


# --- forms -------------------------------------------------------------------------------

_EASY = frozenset(("sat", "po", "ftz"))
"""Optional slots that level 1 uses."""
_SIMPLE_TYPES = (Type.U32, Type.S32, Type.F32)
_WORD_TYPES = ("dtype", "atype", "btype")
_COMMON_TABLES = (0x80, 0xFE, 0x96, 0xCA, 0xE8, 0xEA, 0xF8, 0xD8)
"""Tables of ``lop3`` that kernels use: and, or, xor, selections, majority, two operations."""


def pick_form(random: SeededRandom, opcode: str, level: int) -> Form:
    """Pick a legal, documented form; higher levels use more optional slots."""
    shapes = list_shapes(opcode)
    entry = random.pick(shapes) if level > 1 and len(shapes) > 1 else shapes[0]
    for _ in range(_MAX_TRIES):
        form = _pick_slots(random, entry, level)
        if get_entry(form) is not entry:  # its types belong to another shape
            continue
        is_unusual = any(not (x.is_documented and x.is_in_ptxas) for x in find_remarks(form))
        if not find_violations(form) and not is_unusual and form.dst is not Destinations.SINK:
            return form
    raise AssertionError(opcode)


def _pick_slots(random: SeededRandom, entry: Entry, level: int) -> Form:
    slots = [slot for slot in entry.slots if slot.name != "c"]
    values = {
        slot.name: random.pick(_list_values(slot, level)) for slot in slots if not slot.is_optional
    }
    if (
        level == 1
        and all(entry.find_slot(name) for name in _WORD_TYPES[1:])
        and "mode" not in values
    ):
        values |= dict.fromkeys((x for x in _WORD_TYPES if x in values), values["atype"])
    free_slots = [x for x in slots if x.is_optional and (level > 1 or x.name in _EASY)]
    max_count = {1: 1, 2: 2}.get(level, len(free_slots))
    count = max(random.pick_below(max_count + 1) for _ in range(level))
    for slot in random.shuffle(free_slots)[:count]:
        values[slot.name] = slot.values[random.pick_below(len(slot.values))]
    blank = Form(entry.opcode, c=entry.needs_c)
    return with_c(blank._replace(**values))  # type: ignore[arg-type]


def _list_values(slot: Slot, level: int) -> Sequence[object]:
    """Return the values of a slot that a level uses."""
    if level == 1 and slot.name == "dst":
        return (Destinations.P,)
    if level == 1 and slot.name == "lut":
        return _COMMON_TABLES
    if level == 1 and slot.name in ("stype", "ctype"):
        return tuple(x for x in _SIMPLE_TYPES if x in slot.values) or slot.values
    return slot.values


# --- operands ----------------------------------------------------------------------------

_AMOUNTS = (0, 1, 2, 4, 7, 31, 32, 33, 40)
_FLOATS = {
    Type.F32: (
        *(0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0x3FC00000),
        *(0x00000001, 0x80000001, 0x007FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000),
    ),
    Type.F64: (
        *(0, 1 << 63, 0x3FF0000000000000, 0xBFF0000000000000, 0x4000000000000000),
        *(1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000),
    ),
    Type.F16: (0, 0x8000, 0x3C00, 0xBC00, 0x4000, 0x3E00, 1, 0x8001, 0x7C00, 0xFC00, 0x7E00),
    Type.BF16: (0, 0x8000, 0x3F80, 0xBF80, 0x4000, 0x3FC0, 1, 0x8001, 0x7F80, 0xFF80, 0x7FC0),
}
"""Zeros, small numbers, subnormals, infinities and a NaN of each type."""


def pick_operands(random: SeededRandom, ins: Instruction, level: int) -> dict[str, int]:
    """Pick values by name, including edge cases, for every register of the instruction."""
    values = {
        str(name): _pick_operand(random, ins, role, level) for role, name in ins.roles.items()
    }
    for operand in ins.inputs:
        if operand.name not in values:  # the guard, and the old value
            values[operand.name] = _pick_number(random, operand.type.bits, level)
    return values


def pick_block_values(block: BasicBlock) -> dict[str, int]:
    """Return values by name for a block's inputs; they depend only on the block."""
    random, values = SeededRandom(str(block)), dict[str, int]()
    types = {x.name: x.type for x in block.inputs}
    for statement in block.statements:
        ins = statement.instruction
        picked = pick_operands(random, ins, LEVELS[0])
        for role, place in statement.reads.items():
            name = block.names.get(place.key, "")
            if name in types and role in ins.names:
                bits = picked[ins.names[role]] & (1 << types[name].bits) - 1
                values.setdefault(name, bits)
    return values


def _pick_operand(random: SeededRandom, ins: Instruction, role: str, level: int) -> int:
    type_ = ins.type_of(role)
    if type_ is Type.PRED:
        return random.pick_below(2)
    if floats := _FLOATS.get(type_.lane_type):
        unit = type_.lane_type.bits
        return sum(random.pick(floats) << shift for shift in range(0, type_.bits, unit))
    operand = ins.entry.get_operand(role)
    if operand.typical_values:
        return random.pick(operand.typical_values)
    if role == "b" and ins.form.mode and not (ins.form.bsel or operand.has_bytes):
        return random.pick(_AMOUNTS)
    has_kept_lanes = ins.form.dsel or ins.form.mask
    if role == "c" and has_kept_lanes and not ins.form.secop and level < 3:
        return C_BITS
    selector = {"a": ins.form.asel, "b": ins.form.bsel}.get(role)
    unit = selector.unit if selector else type_.bits // ins.count_lanes(role)
    if operand.has_bytes:
        unit = 8
    return sum(_pick_number(random, unit, level) << shift for shift in range(0, type_.bits, unit))


def _pick_number(random: SeededRandom, bits: int, level: int) -> int:
    """Pick a number of ``bits`` bits: small, near an end of a range, or any."""
    signed, unsigned = get_limits(bits, signed=True), get_limits(bits, signed=False)
    choice = random.pick_below(4 + level)
    if choice < 3:
        offset = random.pick_below(11) - 3
        return offset & unsigned.high
    if choice < 6:
        ends = (signed.high, signed.low & unsigned.high, unsigned.high)
        return random.pick(ends) - random.pick_below(3) & unsigned.high
    return random.pick_bits() & unsigned.high


_RIGHT_FOR_LEVEL = 3
"""Right answers in a row for the next level."""
_EVENTFUL = frozenset((Flag.CLAMPED_HIGH, Flag.CLAMPED_LOW, Flag.WRAPPED, Flag.NAN, Flag.FLUSHED))


@cache
def map_families() -> Mapping[str, tuple[str, ...]]:
    """Return the opcodes of each family: a group, an operation of all widths, or one opcode."""
    families = {
        group.name.lower(): tuple(x.opcode for x in CATALOG.values() if x.group is group)
        for group in Group
    }
    for opcode, entry in CATALOG.items():
        families.setdefault(entry.base_opcode, ())
        families[entry.base_opcode] += (opcode,)
    return families | {opcode: (opcode,) for opcode in CATALOG if opcode not in families}


class Practice(NamedTuple):
    """The progress of a user in predicting lines of a family."""

    family: str
    level: int = LEVELS[0]
    right_count: int = 0
    """The right answers in a row at this level."""

    def with_answer(self, *, is_right: bool) -> Practice:
        """Return the progress after an answer; three right ones in a row begin the next level."""
        right_count = self.right_count + 1 if is_right else 0
        if right_count < _RIGHT_FOR_LEVEL or self.level == LEVELS[-1]:
            return self._replace(right_count=right_count)
        return Practice(self.family, self.level + 1)

    def pick_trace(self, random: SeededRandom) -> Trace:
        """Pick a line of the family, if possible with operands that raise a flag."""
        opcodes = map_families()[self.family]
        if self.level == LEVELS[0]:
            video = [x for x in opcodes if CATALOG[x].group in CORE_GROUPS]
            opcodes = tuple(video) or opcodes
        ins = make_instruction(pick_form(random, random.pick(opcodes), self.level))
        traces = [
            make_trace(ins, ISA_MODEL, bind_values(ins, pick_operands(random, ins, self.level)))
            for _ in range(1 + self.level)
        ]
        eventful = (x for x in traces if any(_EVENTFUL.intersection(y.flags) for y in x.steps))
        return next(eventful, traces[0])


def make_random() -> SeededRandom:
    """Return a generator with a new seed."""
    from random import SystemRandom

    return SeededRandom(str(SystemRandom().getrandbits(64)))


def find_family(opcode: str) -> str:
    """Return the family of an instruction: its operation in all widths."""
    return CATALOG[opcode].base_opcode
