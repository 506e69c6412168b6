"""The cells and figures of micro-operations: names and numbers, without positions.

``scene`` draws each of them, with the values of a trace or, for a form, with letters.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from ..isa.types import Type
from .properties import Part, Reading


class FormulaCell:
    """The formula: ``7 + 2 = 9``."""


class PartCell(NamedTuple):
    """The bits of a part of an input, and its name."""

    part: Part


class ReadingCell(NamedTuple):
    """The bits of the input, their extension, and the resulting number."""

    reading: Reading


class NumberCell:
    """The number, and the input if it differs."""


class VerdictCell:
    """A relation, and whether it is true."""


class TruthCell:
    """A formula of truth values."""


class TakenCell(NamedTuple):
    """The number that a lane of the destination takes, and its bits."""

    unit: int
    """The width of the lane in bits."""
    has_high_half: bool
    """Whether the lane takes bits 31:16 of the number instead of its low bits."""


class KeptCell(NamedTuple):
    """The part of an input that a lane of the destination keeps."""

    part: Part


class PatternCell(NamedTuple):
    """Bits, and the bits that they become."""

    unchanged_note: str
    """Text if the bits are unchanged."""


class ConversionCell:
    """A number, and the bits that it becomes."""


class WordCell(NamedTuple):
    """A word that consists of lanes: a part in each column."""

    unit: int


class ResultCell(NamedTuple):
    """The bits of a destination, and their meaning."""

    letters: str
    """The bits without known values: ``t[7:0]``, ``1.0 or 0``."""


class Tick(NamedTuple):
    """A number on an axis, labelled if there is room."""

    text: str
    position: float
    is_current: bool = False


class RangeLine(NamedTuple):
    """A range, numbers inside and outside of it, and the ends that these are clamped to."""

    low: int | None
    """The lower end, or None."""
    high: int | None


class LimitLine(NamedTuple):
    """A range from 0, and a number that may exceed it."""

    high: int


class ComparisonLine(NamedTuple):
    """The two sides of a comparison on one line."""

    type: Type | None
    """The type of the sides, or None for exact numbers."""


class LeftShiftBits(NamedTuple):
    """A number bit by bit, shifted left."""

    amount: int


class RightShiftBits(NamedTuple):
    """A number bit by bit, shifted right."""

    amount: int


class TruncatedBits(NamedTuple):
    """The bits of numbers that do not fit in a width."""

    bits: int


class BitFate(Enum):
    """The fate of bits."""

    TAKEN = auto()
    """They are in the window."""
    OUTSIDE = auto()
    """They are outside the window, and nothing reads them."""
    SIGN = auto()
    """They are copies of the sign."""
    ZERO = auto()
    """They are zeros that are filled in."""
    LOST = auto()
    """They are overwritten or cut off."""


class BitField(NamedTuple):
    """Adjacent bits of a number with the same fate."""

    width: int
    fate: BitFate
    label: str = ""
    role: str = ""
    """The operand that they come from; "" for none."""


class FieldRuler(NamedTuple):
    """A number as fields, the lowest first."""

    input: int | None
    """The index of the input that is the number; None for the output."""
    fields: tuple[BitField, ...]


class FieldBits(NamedTuple):
    """A window over a word: numbers with bits inside and outside of it."""

    rulers: tuple[FieldRuler, ...]
    position: int | None = None
    """The index of the input that moves the window; None for a window at bit 0."""


class ByteChoice(NamedTuple):
    """The byte that a lane takes."""

    number: int
    """Its number, counted from the first word."""
    is_sign: bool = False
    """Whether the lane takes eight copies of its top bit."""


class BytePermutation(NamedTuple):
    """The bytes of two words, and the byte that a digit selects for each lane."""

    words: tuple[int, int]
    """The indices of the inputs that are the words."""
    choices: tuple[ByteChoice, ...]
    """The choice of each lane, lane 0 first."""


class TruthTable(NamedTuple):
    """A function of three bits, and the table entry that each bit of the words selects."""

    table: int
    """The result for the bits x, y and z is bit 4x + 2y + z."""


class FloatBits(NamedTuple):
    """The fields of a float."""

    type: Type


class FlushedBits(NamedTuple):
    """The fields of a float before and after it is flushed."""

    type: Type


class LogicGate(NamedTuple):
    """A logical operation on truth values."""

    word: str
    """``and``, ``or``, ``xor`` or ``not``."""


class Choice(NamedTuple):
    """A condition and the two inputs that it chooses between."""

    names: tuple[str, str]


class LaneSum(NamedTuple):
    """A running sum that starts with the second input and continues lane by lane."""

    lanes: tuple[int, ...]
    lane_count: int


CellDrawing = (
    FormulaCell
    | PartCell
    | ReadingCell
    | NumberCell
    | VerdictCell
    | TruthCell
    | TakenCell
    | KeptCell
    | PatternCell
    | ConversionCell
    | WordCell
    | ResultCell
    | Choice
    | LaneSum
)
"""A drawing of the text of one lane."""
FigureDrawing = (
    FieldBits
    | BytePermutation
    | TruthTable
    | RangeLine
    | LimitLine
    | ComparisonLine
    | LeftShiftBits
    | RightShiftBits
    | TruncatedBits
    | FloatBits
    | FlushedBits
    | LogicGate
    | Choice
    | LaneSum
)
"""A drawing of a row, for views with room."""
