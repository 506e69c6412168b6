"""The cells and figures that a micro-operation may have: names and numbers, without positions.

``scene`` draws each of them, with the values of a trace or, for a form, with letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, NamedTuple

from ..isa.types import Type
from .properties import Part, Reading


@dataclass(frozen=True)
class CellDrawing:
    """The text of one lane."""


class FormulaCell(CellDrawing):
    """The formula: ``7 + 2 = 9``."""


@dataclass(frozen=True)
class PartCell(CellDrawing):
    """The bits of a part of an input, and its name."""

    part: Part


@dataclass(frozen=True)
class ReadingCell(CellDrawing):
    """The bits of the input, their extension, and the number that they stand for."""

    reading: Reading


class NumberCell(CellDrawing):
    """The number, and the input if it is another one."""


class VerdictCell(CellDrawing):
    """A relation, and whether it holds."""


class TruthCell(CellDrawing):
    """A formula of truth values."""


@dataclass(frozen=True)
class TakenCell(CellDrawing):
    """The number that a lane of the destination takes, and its bits."""

    unit: int
    """The width of the lane in bits."""
    has_high_half: bool
    """Whether the lane takes bits 31:16 of the number instead of its low bits."""


@dataclass(frozen=True)
class KeptCell(CellDrawing):
    """The part of an input that a lane of the destination keeps."""

    part: Part


@dataclass(frozen=True)
class PatternCell(CellDrawing):
    """Bits, and the bits that they become."""

    unchanged_note: str
    """Text if the bits stay as they are."""


class ConversionCell(CellDrawing):
    """A number, and the bits that it becomes."""


@dataclass(frozen=True)
class WordCell(CellDrawing):
    """A word that consists of lanes: a part in each column."""

    unit: int


@dataclass(frozen=True)
class ResultCell(CellDrawing):
    """The bits of a destination, and their meaning."""

    letters: str
    """The bits without known values: ``t[7:0]``, ``1.0 or 0``."""


@dataclass(frozen=True)
class FigureDrawing:
    """A drawing of a row, for views with room."""

    is_in_text: ClassVar[bool] = False
    """Whether plain text shows it too, because formulas do not contain it."""


@dataclass(frozen=True)
class RangeLine(FigureDrawing):
    """A range with the numbers in it and beside it, and the ends that they are moved to."""

    low: int | None
    """The lower end; None if there is none."""
    high: int | None


@dataclass(frozen=True)
class LimitLine(FigureDrawing):
    """A range from 0, with a number that may be above it."""

    high: int


@dataclass(frozen=True)
class ComparisonLine(FigureDrawing):
    """The two sides of a comparison on one line."""

    type: Type | None
    """The type of the sides, or None for exact numbers."""


@dataclass(frozen=True)
class LeftShiftBits(FigureDrawing):
    """A number bit by bit, shifted left."""

    amount: int


@dataclass(frozen=True)
class RightShiftBits(FigureDrawing):
    """A number bit by bit, shifted right."""

    amount: int


@dataclass(frozen=True)
class TruncatedBits(FigureDrawing):
    """The numbers that do not fit in a width, bit by bit."""

    bits: int


class BitFate(Enum):
    """What becomes of bits."""

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
    """The number of bits, from 0."""
    fate: BitFate
    label: str = ""
    role: str = ""
    """The operand that they come from; "" if they come from none."""


class FieldRuler(NamedTuple):
    """A number as fields, the lowest first."""

    input: int | None
    """The index of the input that is the number; None for the output."""
    fields: tuple[BitField, ...]


@dataclass(frozen=True)
class FieldBits(FigureDrawing):
    """A window over a word: the numbers with the bits inside and outside of it."""

    is_in_text = True

    rulers: tuple[FieldRuler, ...]
    position: int | None = None
    """The index of the input that moves the window; None if it stays at bit 0."""


class ByteChoice(NamedTuple):
    """The byte that a lane takes."""

    number: int
    """Its number: those of the first word come first."""
    is_sign: bool = False
    """Whether the lane takes eight copies of its top bit."""


@dataclass(frozen=True)
class BytePermutation(FigureDrawing):
    """The bytes of two words, and the one that each lane takes by a digit."""

    is_in_text = True

    words: tuple[int, int]
    """The indices of the inputs that are the words."""
    choices: tuple[ByteChoice, ...]
    """The choice of each lane, lane 0 first."""


@dataclass(frozen=True)
class TruthTable(FigureDrawing):
    """A function of three bits, and the entry of its table that each bit of the words uses."""

    is_in_text = True

    table: int
    """The result for the bits x, y and z is bit 4x + 2y + z."""


@dataclass(frozen=True)
class FloatBits(FigureDrawing):
    """The fields of a float."""

    type: Type


@dataclass(frozen=True)
class FlushedBits(FigureDrawing):
    """The fields of a float before and after it is flushed."""

    type: Type


@dataclass(frozen=True)
class LogicGate(FigureDrawing):
    """A logical operation on truth values."""

    word: str
    """``and``, ``or``, ``xor`` or ``not``."""


@dataclass(frozen=True)
class Choice(CellDrawing, FigureDrawing):
    """A condition and the two inputs that it chooses between."""

    names: tuple[str, str]
    """The names of the two inputs."""


@dataclass(frozen=True)
class LaneSum(CellDrawing, FigureDrawing):
    """A running sum that starts with the second input and continues lane by lane."""

    lanes: tuple[int, ...]
    """The lanes that are added."""
    lane_count: int
