"""Properties of micro-operations and their rows, as data."""

from __future__ import annotations

from enum import Enum, StrEnum, auto
from typing import NamedTuple

from ..isa.types import Type
from .arithmetic import Inputs
from .formula import Formula


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
    """The index of the input, from 0."""
    unit: int
    """The width in bits."""
    number: int
    """Its number among the parts of that width, from the least significant."""


class Reading(NamedTuple):
    """The integer type as which bits are read."""

    bits: int
    signed: bool


class Notation(NamedTuple):
    """The notation of the value of a row."""

    bits: int
    """The number of low bits in which equal values agree."""
    is_number: bool
    """Whether the value is a number instead of bits."""
    type: Type | None = None
    """The type in which the value is typed, if it has one."""


class Idleness(Enum):
    """When a row changes nothing, so that a picture may leave it out."""

    NEVER = auto()
    UNCHANGED = auto()
    """If its values equal those of its first input."""
    WITHOUT_FLAGS = auto()
    """If no lane has a flag."""
    IN_PLACE = auto()
    """If each lane takes its own part, or a reading follows that shows the parts."""
    READ_BESIDE = auto()
    """If the numbers stand beside the bits that they are read from."""
    WITH_INPUT = auto()
    """Unless the row of its first input is left out."""


MAX_LANE_BITS = 128
"""A number of bits that covers any lane."""


def map_bits(inputs: Inputs, index: int, lane: int, low: int, high: int) -> InputBits:
    """Return bits low..high-1 of the input's lane with the same number."""
    return InputBits(index, lane if len(inputs[index]) > 1 else 0, low, high)


class LaneText(NamedTuple):
    """The formula and the sentence of one lane of a row."""

    formula: Formula
    sentence: str
    short_text: str = ""
    """The value and its origin in few characters; empty if the formula is short."""
