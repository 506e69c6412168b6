"""What a scene is made of: spans and cells in lane columns, figures, links, all with keys.

Nothing here knows where it will stand or how large it is; that is each pen's to say.
"""

from __future__ import annotations

from enum import StrEnum

from ..engine.records import NamedTuple
from ..engine.semantics.plan import Stage


class LaneRef(NamedTuple):
    """What a drawn thing shows: a lane of a row, or a part of an operand."""

    key: str
    """A row's key or an operand's role."""
    lane: int
    """The lane; of an operand the byte, half-word or word, from the least significant."""


class SpanKind(StrEnum):
    """What a span is, which decides how a pen draws it."""

    CHIP = "chip"
    """Bits that travel as one."""
    UNUSED = "unused"
    """Bits of an operand that nothing reads."""
    SIGN = "sign"
    """Copies of the sign, put above."""
    ZERO = "zero"
    """Zeros put above or below."""
    BEYOND = "beyond"
    """Bits outside the window that is kept later."""
    LOST = "lost"
    """Bits that fall off here."""
    SIGN_BIT = "sign bit"
    EXPONENT = "exponent"
    FRACTION = "fraction"
    NUMBER = "number"
    """What is computed with."""
    VALUE = "value"
    """What comes out."""
    CLAMPED = "clamped"
    """What comes out, moved to an end of its range."""
    DIFFERS = "differs"
    """What comes out, and is another in the answer beside it."""
    CHANGED = "changed"
    """What was there before, and what happened to it."""
    BECOMES = "becomes"
    """Between what was there before and what comes out."""
    TEXT = "text"
    NAME = "name"
    """Where bits come from."""
    AWAY = "away"
    """The same, from another place than the lane's own."""
    TAKEN = "taken"
    """A lane that is in the mask."""
    KEPT = "kept"
    """A lane that is not."""
    HOLDS = "holds"
    FAILS = "fails"
    EITHER = "either"
    """A truth value that is not known."""


class Tint(NamedTuple):
    """Whose bits: an operand's, and the topmost byte of the part (3 of a word or ``h1``)."""

    role: str = ""
    byte: int = 3


PLAIN = Tint()
"""Of a number that an operation made."""


class CellSpan(NamedTuple):
    """A stretch of text that is one thing."""

    text: str
    look: SpanKind
    tint: Tint = PLAIN
    bits: str = ""
    """The same in binary, for where there is room."""


class Cell(NamedTuple):
    """What is shown of a place in one column: spans from left to right."""

    place: LaneRef
    spans: tuple[CellSpan, ...]

    def __str__(self) -> str:
        return "".join(span.text for span in self.spans)


class Link(NamedTuple):
    """A way of bits from one place to another."""

    source: LaneRef
    target: LaneRef
    tint: Tint
    taken: bool = True
    """It is gone; False for what could have been taken and was not."""


class BitRun(NamedTuple):
    """Bits beside each other that have the same fate."""

    text: str
    """Their digits, binary or hexadecimal, in groups where they are many."""
    look: SpanKind
    label: str = ""
    """What they are: ``kept``, ``15 bits fall off``, ``exponent``."""


class BitRuler(NamedTuple):
    """A number to the bit, the most significant stretch first."""

    place: LaneRef
    name: str
    stretches: tuple[BitRun, ...]
    said: str = ""
    """What it amounts to: ``= 98303``, ``NaN``."""


class Point(NamedTuple):
    """A number at an axis."""

    text: str
    at: float
    """From 0, the low end, to 1, the high end; below and above, to scale, for what lies outside."""
    names: tuple[str, ...]
    """Whose it is, where operands are compared."""
    place: LaneRef
    to: str = ""
    """Where it is moved, where that is another number."""


class Tick(NamedTuple):
    """A number within a range, named where there is room."""

    text: str
    at: float


class NumberLine(NamedTuple):
    """A range with labelled ends, and numbers in it and beside it."""

    low: str
    """Empty where nothing bounds it."""
    high: str
    points: tuple[Point, ...]
    off: tuple[str, ...] = ()
    """What has no place on a line: operands that are NaN."""
    ticks: tuple[Tick, ...] = ()
    """What may be named between the ends, the most telling first."""


class Term(NamedTuple):
    """A summand of a running sum."""

    place: LaneRef
    name: str
    text: str
    added: bool
    total: str
    """The sum with it."""


class RunningSum(NamedTuple):
    """A sum that starts with c and goes on lane by lane, the highest first."""

    start: Term
    terms: tuple[Term, ...]
    place: LaneRef
    """Where the whole sum stands."""


class TruthValue(NamedTuple):
    """A named truth value."""

    place: LaneRef
    name: str
    value: int | None
    """None where it is not known."""


class Gate(NamedTuple):
    """Truth values that make another."""

    inputs: tuple[TruthValue, ...]
    word: str
    """``and``, ``or``, ``xor``, ``not``."""
    output: TruthValue


class ChoiceBranch(NamedTuple):
    """One of two values that a condition chooses between."""

    place: LaneRef
    name: str
    bits: str
    tint: Tint
    if_true: bool
    taken: bool


class ChoiceFigure(NamedTuple):
    """A condition and what it chooses between."""

    condition: TruthValue
    options: tuple[ChoiceBranch, ChoiceBranch]
    bits: str
    """What is chosen."""
    place: LaneRef


class BitRulers(NamedTuple):
    """Numbers to the bit, one below the other."""

    strips: tuple[BitRuler, ...]


RowFigure = NumberLine | BitRulers | RunningSum | Gate | ChoiceFigure


class RowScene(NamedTuple):
    """One micro-operation."""

    key: str
    name: str
    cells: tuple[Cell, ...]
    """What it says in one line: a cell a lane column, or one for all; the highest first."""
    figure: RowFigure | None
    """What is drawn besides where there is room for it."""
    links: tuple[Link, ...]
    written: str = ""
    """What the destination is called whose bits it holds, where it writes one."""


class StepScene(NamedTuple):
    """One step."""

    number: int
    stage: Stage
    title: str
    rows: tuple[RowScene, ...]


class RegisterFigure(NamedTuple):
    """An operand, drawn in the parts that are read from it."""

    role: str
    label: str
    """``a``; ``old`` for a destination that a guard may keep; ``@`` for a guard."""
    name: str
    """As it was written; empty where it is the label."""
    unit: int
    """Bits of a part."""
    cells: tuple[Cell, ...]
    """Its parts, the most significant first; in lane columns where ``by_lane``."""
    by_lane: bool
    meant: str
    """What its bits mean."""
    figure: BitRulers | None
    """A float's fields."""
    bits: str
    """All of them in one word."""


class Scene(NamedTuple):
    """Everything that is drawn of a trace."""

    lanes: int
    """Lane columns: 1, 2 or 4."""
    registers: tuple[RegisterFigure, ...]
    steps: tuple[StepScene, ...]
    results: tuple[LaneRef, ...] = ()
    """Where the bits of each destination that is kept stand in the end, in the order written."""
    thrown: tuple[LaneRef, ...] = ()
    """The same of what is thrown away."""

    @property
    def rows(self) -> dict[str, RowScene]:
        """Every row by key."""
        return {row.key: row for step in self.steps for row in step.rows}
