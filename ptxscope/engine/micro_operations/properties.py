"""Stages, formulas and properties of micro-operations and their rows, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum, StrEnum, auto
from typing import NamedTuple, Protocol

from ..isa.entry import Entry
from ..isa.types import Form, Type
from .arithmetic import Inputs


class Stage(StrEnum):
    """The purpose of a step, in the order of reading."""

    SELECT = "select"
    FLUSH = "flush"
    EXTEND = "extend"
    OPERATE = "operate"
    COMPARE = "compare"
    BOOLEAN = "boolean"
    CHOOSE = "choose"
    SUM = "sum"
    CARRY = "carry"
    SCALE = "scale"
    SATURATE = "saturate"
    SECONDARY = "secondary"
    MERGE = "merge"
    ACCUMULATE = "accumulate"
    WRITE = "write"
    GUARD = "guard"


# --- formulas, so that every view can format one without parsing it -----------------------


class Sign(StrEnum):
    """The sign between the two sides of a formula."""

    IS = "="
    BECOMES = "->"
    """Between a number and its bits."""
    FOR = "for"
    """Between a value and the destination that takes it if a guard allows the write."""


class Formula(NamedTuple):
    """``7 + 2 = 9``; ``-1 -> 0xff``; ``(2 < 3) = 1``."""

    left: str
    right: str
    sign: Sign = Sign.IS
    is_grouped: bool = False
    """Whether the left side, which has a sign, needs brackets inline."""

    def __str__(self) -> str:
        left_side = f"({self.left})" if self.is_grouped else self.left
        return f"{left_side} {self.sign} {self.right}"

    def map_sides(self, change: Callable[[str], str]) -> Formula:
        """Return the formula with ``change`` applied to both sides."""
        return self._replace(left=change(self.left), right=change(self.right))


def make_equation(left_side: str, right_side: object, *, is_grouped: bool = False) -> Formula:
    """Return ``left = right``."""
    return Formula(left_side, str(right_side), is_grouped=is_grouped)


def make_transition(left_side: object, right_side: str) -> Formula:
    """Return ``left -> right``."""
    return Formula(str(left_side), right_side, Sign.BECOMES)


# --- properties -------------------------------------------------------------------------


class Flag(StrEnum):
    """An effect of a row on one lane."""

    SIGN_EXTENDED = "sign-extended"
    ZERO_EXTENDED = "zero-extended"
    CLAMPED_LOW = "clamped low"
    """The value was below the range and was raised to its low end."""
    CLAMPED_HIGH = "clamped high"
    WRAPPED = "wrapped"
    """High bits that mattered were truncated."""
    MASKED_OUT = "masked out"
    """The lane keeps c's bits."""
    FLUSHED = "flushed"
    ROUNDED = "rounded"
    """The nearest float is not the integer itself."""
    NAN = "NaN"


class InputBits(NamedTuple):
    """Bits low..high-1 of one lane of an input."""

    input: int
    """The index of the input, from 0."""
    lane: int
    low: int
    high: int


class Part(NamedTuple):
    """A byte, half-word or word of an input."""

    input: int
    unit: int
    number: int
    """Its number among the parts of that width, from the least significant."""


class Reading(NamedTuple):
    """The integer type that bits are read as."""

    bits: int
    signed: bool


class Notation(NamedTuple):
    """The notation of the value of a row."""

    bits: int
    """The number of low bits that must agree in equal values."""
    is_number: bool
    """Whether the value is a number instead of bits."""
    type: Type | None = None
    """The type of values that the user enters, if any."""


class Idleness(Enum):
    """The condition on which a row changes nothing, so that a picture may omit it."""

    NEVER = auto()
    UNCHANGED = auto()
    """If its values equal its first input's."""
    WITHOUT_FLAGS = auto()
    """If no lane has a flag."""
    IN_PLACE = auto()
    """If each lane takes its own part, or a reading follows that shows the parts."""
    READ_BESIDE = auto()
    """If the numbers are shown beside the bits that they are read from."""
    WITH_INPUT = auto()
    """Unless the row of its first input is omitted."""


MAX_LANE_BITS = 128
"""A number of bits at least as large as any lane's."""


def map_bits(inputs: Inputs, index: int, lane: int, low: int, high: int) -> InputBits:
    """Return bits low..high-1 of the input's lane with the same number."""
    return InputBits(index, lane if len(inputs[index]) > 1 else 0, low, high)


def map_read_bits(
    lane: int, low: int, high: int, inputs: Inputs, reading: Reading
) -> Iterator[InputBits]:
    """Yield the input bits that bits low..high-1 of a number are read from."""
    yield map_bits(inputs, 0, lane, low, min(high, reading.bits))
    if reading.signed and high > reading.bits:
        yield map_bits(inputs, 0, lane, reading.bits - 1, reading.bits)


class LaneText(NamedTuple):
    """The formula and the sentence of one lane of a row."""

    formula: Formula
    sentence: str
    short_text: str = ""
    """The value and its origin as a short text; empty if the formula is short."""


# --- the instruction of a row, as micro-operations see it --------------------------------

_MAX_NAME_CHARS = 16
"""Maximum characters of a register name in sentences."""


class GuardView(Protocol):
    """The guard of an instruction."""

    @property
    def negated(self) -> bool:
        """Whether it is written ``@!p``."""


class InstructionView(Protocol):
    """The instruction of a row."""

    @property
    def form(self) -> Form:
        """Its opcode and slots."""

    @property
    def entry(self) -> Entry:
        """Its entry in the catalog."""

    @property
    def guard(self) -> GuardView | None:
        """Its guard."""

    @property
    def names(self) -> Mapping[str, str]:
        """Its registers by role."""

    def type_of(self, role: str) -> Type:
        """Return the type of an operand."""

    def has_lanes(self, role: str) -> bool:
        """Return whether an operand's bits are separate lanes."""

    def format_operand(self, role: str) -> str:
        """Return an operand as it is written; the role if it is not written."""


def format_short_name(ins: InstructionView, role: str) -> str:
    """Return an operand's name for sentences: its role if the name is long."""
    name = ins.format_operand(role)
    return name if len(name) <= _MAX_NAME_CHARS else role


def name_operands(text: str, ins: InstructionView) -> str:
    """Replace ``{a}`` in a sentence with the operand's name, or its role if it is discarded."""
    names = {role: format_short_name(ins, role) for role in "abcdepq" if f"{{{role}}}" in text}
    return text.format_map({role: role if x == "_" else x for role, x in names.items()})


def format_guard(ins: InstructionView) -> str:
    """Return the guard as sentences name it: ``@!p``."""
    negated = ins.guard is not None and ins.guard.negated
    return f"@{'!' if negated else ''}{format_short_name(ins, 'guard')}"
