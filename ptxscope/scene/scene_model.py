"""The elements of a scene: spans and cells in lane columns, figures, and links, all with keys.

No element has a position or a size; renderers choose them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from ..engine.micro_operations.drawings import Tick
from ..engine.micro_operations.properties import Stage


class LaneRef(NamedTuple):
    """A lane of a row, or a part of an operand, that a scene shows."""

    key: str
    """Key of a row, or role of an operand."""
    lane: int
    """Lane of a row; for an operand, the byte, half-word or word, from the least significant."""


class BitRef(NamedTuple):
    """A bit of a lane of a row, of an operand, or of a truth table."""

    key: str
    """Key of a row, or role of an operand; ``lut`` for the table."""
    lane: int
    bit: int
    """Number of the bit, from the least significant."""


Place = LaneRef | BitRef


class SpanKind(StrEnum):
    """Meaning of a span, which determines how a renderer draws it."""

    CHIP = "chip"
    """Bits that move as a unit."""
    UNUSED = "unused"
    """Unread bits of an operand."""
    SIGN = "sign"
    """Copies of the sign, added above."""
    ZERO = "zero"
    """Zeros added above or below."""
    BEYOND = "beyond"
    """Bits outside the window that a later step keeps."""
    LOST = "lost"
    """Bits cut off in this row."""
    OUTSIDE = "outside"
    """Unread bits outside a window."""
    FIELD = "field"
    """Sign, exponent or fraction of a float, each in a shade of its tint."""
    NUMBER = "number"
    """Input number."""
    VALUE = "value"
    """Outcome."""
    CLAMPED = "clamped"
    """Outcome clamped to an end of its range."""
    DIFFERS = "differs"
    """Outcome that differs from the answer beside it."""
    CHANGED = "changed"
    """Former value, and the mark of its change."""
    BECOMES = "becomes"
    """Separator between the old and the new value."""
    TEXT = "text"
    NAME = "name"
    """Name of the source of bits."""
    AWAY = "away"
    """Name of a source other than the lane's own position."""
    TAKEN = "taken"
    """Lane inside the mask."""
    KEPT = "kept"
    """Lane outside the mask."""
    HOLDS = "holds"
    FAILS = "fails"
    EITHER = "either"
    """Unknown truth value."""


class Tint(NamedTuple):
    """The role of the operand that bits come from, and the topmost byte of their part."""

    role: str = ""
    byte: int = 3


PLAIN = Tint()
"""Tint of a number that an operation computed."""


class CellSpan(NamedTuple):
    """Text with one meaning."""

    text: str
    kind: SpanKind
    tint: Tint = PLAIN
    bits: str = ""
    """The same bits in binary, for renderers with room."""


class Cell(NamedTuple):
    """The spans of a place in one column, from left to right."""

    place: LaneRef
    spans: tuple[CellSpan, ...]
    part: int | None = None
    """Number of the place's part in this column, if other columns show other parts."""

    def __str__(self) -> str:
        return "".join(span.text for span in self.spans)


class Link(NamedTuple):
    """A path of bits from one place to another."""

    source: LaneRef
    target: LaneRef
    tint: Tint
    is_taken: bool = True
    """Whether the bits take this path; False for a rejected source."""


class BitRun(NamedTuple):
    """Adjacent bits with the same fate."""

    text: str
    """Digits, binary or hexadecimal, in groups if there are many."""
    kind: SpanKind
    label: str = ""
    """Description: ``kept``, ``15 bits cut off``, ``exponent``."""
    tint: Tint | None = None
    """Tint of the bits; None for the tint of the number's place."""


class BitRuler(NamedTuple):
    """A number bit by bit, the most significant run first."""

    place: LaneRef
    name: str
    runs: tuple[BitRun, ...]
    summary: str = ""
    """Value of the number: ``= 98303``, ``NaN``."""


class Point(NamedTuple):
    """A number on an axis."""

    text: str
    position: float
    """Position from 0, the low end, to 1, the high end; also to scale outside the range."""
    names: tuple[str, ...]
    """Name of the operand compared; empty if it is the number itself."""
    place: LaneRef
    target: str = ""
    """The number that it is clamped to; may be empty."""


class NumberLine(NamedTuple):
    """A range with labelled ends, and numbers inside and outside of it."""

    low: str
    """Lower end; empty if there is no lower bound."""
    high: str
    points: tuple[Point, ...]
    nan_names: tuple[str, ...] = ()
    """Operands without a position: NaN."""
    ticks: tuple[Tick, ...] = ()
    """Possible labels between the ends, the most useful first."""


class Term(NamedTuple):
    """A summand of a running sum."""

    place: LaneRef
    name: str
    text: str
    is_added: bool
    total: str
    """The sum including this term."""


class RunningSum(NamedTuple):
    """A sum that starts with c and continues lane by lane, the highest first."""

    start: Term
    terms: tuple[Term, ...]
    place: LaneRef
    """Place that shows the total."""


class TruthValue(NamedTuple):
    """A named truth value."""

    place: LaneRef
    name: str
    value: int | None
    """0 or 1; None if unknown."""


class Gate(NamedTuple):
    """A logical operation on truth values."""

    inputs: tuple[TruthValue, ...]
    word: str
    """``and``, ``or``, ``xor`` or ``not``."""
    output: TruthValue


class ChoiceBranch(NamedTuple):
    """One of two values that a condition chooses between."""

    place: LaneRef
    name: str
    bits: str
    tint: Tint
    is_true_branch: bool
    is_taken: bool


class ChoiceFigure(NamedTuple):
    """A condition and the two values that it chooses between."""

    condition: TruthValue
    options: tuple[ChoiceBranch, ChoiceBranch]
    bits: str
    """Bits of the chosen value."""
    place: LaneRef


class BitRulers(NamedTuple):
    """Numbers bit by bit, one below the other."""

    rulers: tuple[BitRuler, ...]
    mover: LaneRef | None = None
    """Place of the number that moves the window, if there is one."""


class SourceByte(NamedTuple):
    """A byte that the lanes of a permutation may take."""

    place: LaneRef
    number: int
    """Number among all bytes, which a digit selects."""
    name: str
    """``b.b3``."""
    text: str
    """Bits in hexadecimal."""
    tint: Tint
    is_taken: bool
    """Whether any lane takes it."""


class TakenByte(NamedTuple):
    """A lane of a permutation."""

    place: LaneRef
    digit: LaneRef
    """Place of the digit that chooses the byte."""
    digit_text: str
    source: SourceByte | None
    """The byte; None if unknown."""
    is_sign: bool
    """Whether the lane takes eight copies of the byte's top bit."""
    text: str
    """Bits in hexadecimal."""
    tint: Tint


class PermutationFigure(NamedTuple):
    """Source bytes as a bar, and the byte of each lane."""

    sources: tuple[SourceByte, ...]
    """Bytes, the highest first."""
    lane_bytes: tuple[TakenByte, ...]
    """Lanes, the highest first."""
    selector: str
    """Selector of ``prmt`` with this arrangement: ``0x5410``; empty if unknown."""
    selector_name: str
    """Operand with these digits; empty if a mode computes them."""


class TableEntry(NamedTuple):
    """An entry of a truth table."""

    number: int
    """Bit of the table: 4x + 2y + z for the bits x, y and z."""
    bits: tuple[int, ...]
    """Bits of the inputs."""
    value: int
    positions: tuple[int, ...]
    """Bits of the words that select it, the lowest first; empty if the words are unknown."""
    sentence: str
    """``a = 1, b = 0, c = 1: entry 5 of 0x96 is 0``."""


class BitWord(NamedTuple):
    """A word bit by bit."""

    place: LaneRef
    name: str
    text: str
    """Bits in hexadecimal; empty if unknown."""
    digits: str
    """Binary digits, the most significant first; empty if unknown."""
    tint: Tint
    is_ignored: bool = False
    """Whether the table ignores it."""


class TableFigure(NamedTuple):
    """A truth table, and the entry that each bit of the words selects."""

    place: LaneRef
    entries: tuple[TableEntry, ...]
    """Entries, the highest first."""
    text: str
    """The table in hexadecimal: ``0x96``."""
    formula: str
    words: tuple[BitWord, ...]
    """Inputs."""
    result: BitWord

    @property
    def ignored_names(self) -> tuple[str, ...]:
        """Names of the inputs that the table ignores."""
        return tuple(word.name for word in self.words if word.is_ignored)

    @property
    def entry_digits(self) -> str:
        """The number of the entry that each bit selects, the highest bit first."""
        bits = reversed(range(len(self.result.digits)))
        return "".join(str(self.find_entry(bit).number) for bit in bits)

    def get_entry(self, number: int) -> TableEntry:
        """Return the entry with a number."""
        return self.entries[len(self.entries) - 1 - number]

    def find_entry(self, bit: int) -> TableEntry:
        """Return the entry that a bit of the words selects."""
        return next(entry for entry in self.entries if bit in entry.positions)


RowFigure = (
    NumberLine | BitRulers | RunningSum | Gate | ChoiceFigure | PermutationFigure | TableFigure
)


class RowScene(NamedTuple):
    """A micro-operation, drawn."""

    key: str
    name: str
    cells: tuple[Cell, ...]
    """Text: one cell for each lane column, or one for all; the highest first."""
    figure: RowFigure | None
    """Figure for renderers with room, or None."""
    links: tuple[Link, ...]
    destination_name: str = ""
    """Name of the destination that it writes; may be empty."""


class StepScene(NamedTuple):
    """A step, drawn."""

    number: int
    stage: Stage
    title: str
    rows: tuple[RowScene, ...]


class RegisterFigure(NamedTuple):
    """An operand, drawn in its read parts."""

    role: str
    label: str
    """``a``; ``old`` for a destination that a guard may keep; ``@`` for a guard."""
    name: str
    """Name as written; empty if it equals the label."""
    unit: int
    """Width of a part in bits."""
    cells: tuple[Cell, ...]
    """Parts, the most significant first; in lane columns if ``is_by_lane``."""
    is_by_lane: bool
    meaning: str
    """Meaning of the bits."""
    figure: BitRulers | None
    """Fields of a float."""
    bits: str
    """All bits in one word, in hexadecimal; a predicate as 0 or 1."""

    def hide_numbers(self) -> RegisterFigure:
        """Remove the numbers beside the bits of a register, except a float's."""
        if self.figure is not None:
            return self
        cells = tuple(cell._replace(spans=cell.spans[:1]) for cell in self.cells)
        return self._replace(cells=cells, meaning="")


class Scene(NamedTuple):
    """All elements of a trace for a renderer."""

    lanes: int
    """Number of lane columns: 1, 2 or 4."""
    registers: tuple[RegisterFigure, ...]
    steps: tuple[StepScene, ...]
    results: tuple[LaneRef, ...] = ()
    """Final places of the bits of each kept destination, in the order written."""
    discarded_results: tuple[LaneRef, ...] = ()
    """Final places of the bits of each discarded destination."""

    @property
    def rows(self) -> dict[str, RowScene]:
        """All rows by key."""
        return {row.key: row for step in self.steps for row in step.rows}
