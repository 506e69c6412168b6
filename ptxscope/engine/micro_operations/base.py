"""The base class of the micro-operations, with a worked example, and the rows they describe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ..isa.encodings import Range, format_hex
from .arithmetic import EXACT, Arithmetic, Inputs, LaneValues, V, get_lane
from .properties import (
    MAX_LANE_BITS,
    Flag,
    Idleness,
    InputBits,
    InstructionView,
    LaneText,
    Notation,
    Part,
    Reading,
    Stage,
    format_short_name,
    make_equation,
    map_bits,
    name_operands,
)

if TYPE_CHECKING:  # no text has drawings
    from .drawings import CellDrawing, FigureDrawing


class _Term(str):
    """An input in a formula.

    ``{y:()}`` puts a negative number in brackets, and ``{y:bits}`` appends a noun: ``1 bit``.
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec == "()":
            return f"({self})" if self[0] == "-" and self[1:].isdigit() else str(self)
        return " ".join(filter(None, (self, spec.removesuffix("s") if self == "1" else spec)))


@dataclass(frozen=True)
class MicroOperation:
    """A pure function of lane vectors: its parameters as fields, its sentences, cells and mistakes.

    Views call these methods; no view knows the kinds. A new kind needs ``run``, a formula and
    ``about``; the other defaults suit most kinds. For example, bits in reverse order::

        @dataclass(frozen=True)
        class ReverseBits(MicroOperation):
            \"""The low bits of x in reverse order.\"""

            bits: int
            formula = "reverse({x})"
            about = "The bits of {a} in reverse order."
            title = "reverse"

            def run(self, ar: Arithmetic[V], *v: V) -> V:
                reverse = ar.multiply(v[0], 0)
                for index in range(self.bits):
                    bit = ar.bitand(ar.shift_right(v[0], index), 1)
                    reverse = ar.add(reverse, ar.multiply(bit, 1 << (self.bits - 1 - index)))
                return reverse

            def find_origins(
                self, lane: int, low: int, high: int, inputs: Inputs
            ) -> Iterable[InputBits]:
                high = min(high, self.bits)
                yield map_bits(inputs, 0, lane, self.bits - high, self.bits - low)

    A lowering adds a row with it: ``b.add_row(Stage.OPERATE, "t", ReverseBits(8), "a")``. From the
    number of the input, a = 6, to the screen:

    - ``run`` returns 96 on exact integers; the range 0..255 of the row on intervals; on the tape,
      the representation for programs on arrays and in other languages.
    - ``describe_step`` is ``about``: "The bits of a in reverse order."
    - ``describe_lane`` fills ``formula`` with the inputs: ``reverse(6) = 96``, and the sentence
      "reverse(6) is 96", which is also the hint for a prediction.
    - ``make_cell`` is a ``FormulaCell``, so the lanes and every picture show that formula; for a
      form, ``format_symbols`` has ``reverse(a)``, which they show with its range.
    - ``find_origins`` links bit 5 of the result to bit 2 of a.

    If lanes have flags, ``compute_flags`` yields them, and ``describe_flag`` says what they
    mean. If a formula is not enough, ``make_figure`` chooses a figure.
    """

    _may_raise: ClassVar[bool]
    operation: ClassVar[str]
    """The name of the kind: ``absolute difference``."""
    formula: ClassVar[str] = ""
    """Its formula: ``{x}``, ``{y}`` and ``{z}`` are the inputs, ``{self.amount}`` is a field.

    ``{y:()}`` puts a negative number in brackets.
    """
    about: ClassVar[str] = ""
    """The sentence of a step, whatever the values; ``{a}`` is the name of operand a."""
    title: ClassVar[str]
    """The title of such a step, at most 12 characters; by default the name of the kind."""
    title_with_c: ClassVar[str] = ""
    """The title of a step that applies it to t and c."""
    prefix: ClassVar[str] = ""
    """The sign of a negation: in formulas, the result is this sign and the input's name."""
    is_exact: ClassVar[bool] = False
    """Whether its results are exact numbers, which a mistake may truncate or clamp too early."""
    is_reading: ClassVar[bool] = False
    """Whether it only reinterprets its input."""
    is_narrowing: ClassVar[bool] = False
    """Whether its flags concern the result itself: it moves numbers into a range."""
    is_choice: ClassVar[bool] = False
    """Whether the first input decides which of the two others is the output."""
    is_merge: ClassVar[bool] = False
    """Whether it writes some lanes of a destination and keeps the others."""
    has_passed_bits: ClassVar[bool] = False
    """Whether its output is bits of an operand, and therefore hexadecimal."""
    has_revealing_inputs: ClassVar[bool] = False
    """Whether it only moves bits, so that its inputs reveal its output."""
    has_chosen_bits: ClassVar[bool] = False
    """Whether values determine which bits of its inputs it takes."""
    idleness: ClassVar[Idleness] = Idleness.NEVER
    """The condition on which a picture may omit it."""
    cell: ClassVar[CellDrawing | None] = None
    """Its cell, by default its formula; override ``make_cell`` if lanes or inputs matter."""
    figure: ClassVar[FigureDrawing | None] = None
    """Its figure; override ``make_figure`` if that has numbers."""
    has_text_figure: ClassVar[bool] = False
    """Whether plain text shows its figure too, because formulas do not contain it."""
    notation: ClassVar[Notation | None] = None
    """The notation of its values; override ``get_notation`` if not only the range matters."""
    flag_text: ClassVar[str] = ""
    """The effect of its flag (``{self.bits}`` is a field); ``describe_flag`` if it has several."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        letters = (f" {x.lower()}" if x.isupper() else x for x in cls.__name__)
        cls.operation = "".join(letters).lstrip()
        if "title" not in vars(cls):
            cls.title = cls.operation
        cls._may_raise = cls.compute_flags is not MicroOperation.compute_flags

    # --- computation ---------------------------------------------------------------------

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        """Return the output vector."""
        raise NotImplementedError

    def count_output_lanes(self, input_lanes: int) -> int:
        """Return the number of lanes of the output for a first input of ``input_lanes``."""
        return input_lanes

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        """Yield each flag that depends on values, with 1 in the lanes that raise it."""
        return ()

    def find_lane_flags(self, lane: int, inputs: Inputs, value: int) -> Iterable[Flag]:
        """Return the flags of one lane; ``value`` is its output."""
        if not self._may_raise:
            return ()
        lane_inputs = [(get_lane(x, lane),) for x in inputs]
        return [
            flag for flag, (truth,) in self.compute_flags(EXACT, (value,), *lane_inputs) if truth
        ]

    def can_raise_flags(self, lane: int) -> bool:
        """Return whether a lane can raise the flags that ``compute_flags`` yields."""
        return True

    def find_bound(self, flag: Flag) -> int | None:
        """Return the end of the range that a lane with this flag was clamped to, or None."""
        return None

    # --- provenance of its bits ---------------------------------------------------------

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        """Return the input bits that bits low..high-1 of an output lane depend on.

        By default these are all bits of the same lane of every input. Some ranges may be empty.
        """
        return (map_bits(inputs, index, lane, 0, MAX_LANE_BITS) for index in range(len(inputs)))

    def find_rejected_bits(self, lane: int, inputs: Inputs) -> Iterable[InputBits]:
        """Return input bits that an output lane could have read but did not.

        By default these are all bits of the same lane of every input without an origin.
        """
        origins = self.find_origins(lane, 0, MAX_LANE_BITS, inputs)
        taken_inputs = {part.input for part in origins if part.low < part.high}
        return (
            map_bits(inputs, index, lane, 0, MAX_LANE_BITS)
            for index in range(len(inputs))
            if index not in taken_inputs
        )

    def find_part(self, lane: int) -> Part | None:
        """Return the part of an input that an output lane copies, or None."""
        return None

    @property
    def part_bits(self) -> int | None:
        """The width of the parts that it divides operands into; None if it reads them whole."""
        return None

    @property
    def reading(self) -> Reading | None:
        """The integer type that it reads bits as, if it does only that; else None."""
        return None

    # --- its sentences --------------------------------------------------------------------

    def fill_formula(self, *terms: object) -> str:
        """Return ``formula`` with the terms as inputs."""
        return self.formula.format(
            self=self, **dict(zip("xyz", map(_Term, map(str, terms)), strict=False))
        )

    def format_symbols(self, row: RowTrace, lane: int | None) -> str:
        """Return the formula of a row, or of one of its lanes, without values; "" for a move."""
        return self.fill_formula(*row.list_symbols(lane))

    def describe_lane(self, view: LaneView) -> LaneText:
        """Return the formula and the sentence of one lane."""
        expression = self.fill_formula(*view.inputs)
        return LaneText(make_equation(expression, view.value), f"{expression} is {view.value}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        """Describe the step with this main row, whatever the values."""
        return name_operands(self.about, rows[0].instruction)

    def describe_flag(self, flag: Flag) -> str:
        """Return the effect of a flag: ``clamped to 127``; ``{row}`` names the row."""
        return self.flag_text.format(self=self, row="{row}") or str(flag)

    def format_hint(self, row: RowTrace) -> str:
        """Return the rule for a value of the row; "" if it is ``describe_step``."""
        return ""

    # --- its drawings --------------------------------------------------------------------

    def make_cell(self, row: RowTrace, lane: int) -> CellDrawing:
        """Return the cell of one lane of a row.

        It does not depend on values: the picture of a form, without values, draws the same cell.
        """
        from .drawings import FormulaCell

        return self.cell or FormulaCell()

    def make_figure(self, row: RowTrace) -> FigureDrawing | None:
        """Return the figure of a row, or None if its cells show everything."""
        return self.figure

    def find_idleness(self, row: RowTrace) -> Idleness:
        """Return the condition on which a picture may omit a row."""
        return self.idleness

    # --- its notation --------------------------------------------------------------------

    def get_notation(self, row: RowTrace) -> Notation:
        """Return the notation of a row's value, which also determines how an answer is graded."""
        bits = next((x for x in (32, 64) if row.range.bits <= x), 128)
        return self.notation or Notation(bits, is_number=True)


class Copy(MicroOperation):
    """The input itself; the micro-operation of operands."""

    formula = "{x}"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        return v[0]


# --- a row of a trace --------------------------------------------------------------------


class RowTrace(NamedTuple):
    """A row of a trace, or an operand, with its values."""

    instruction: InstructionView
    key: str
    """The row's key, unique in a trace and the same in every model; or the operand's role."""
    micro: MicroOperation
    """The micro-operation; ``Copy`` for an operand."""
    inputs: tuple[RowTrace, ...]
    """The sources of the inputs: earlier rows, or operands."""
    values: LaneValues
    """The value of each lane, lane 0 first."""
    range: Range
    """A range that contains every possible value."""
    flags: tuple[tuple[Flag, ...], ...] = ()
    stage: Stage | None = None
    """The stage; None for an operand."""

    def __repr__(self) -> str:
        return f"<RowTrace {self.key} = {self.format_values()}>"

    def format_values(self) -> str:
        """Format the values: ``3``, or of several lanes, the highest first, ``[0, 0, 0, 3]``."""
        return str(self.values[0] if len(self.values) == 1 else [*reversed(self.values)])

    @property
    def is_operand(self) -> bool:
        return self.stage is None

    @property
    def role(self) -> str:
        """The part of the key after the stage: an operand's role, ``t``, ``d``."""
        return self.key.rpartition(".")[2]

    @property
    def name(self) -> str:
        """The name in sentences: ``t``, ``a``, ``%r1``."""
        return format_short_name(self.instruction, self.key) if self.is_operand else self.role

    @property
    def input_keys(self) -> tuple[str, ...]:
        return tuple(x.key for x in self.inputs)

    @property
    def input_values(self) -> Inputs:
        return tuple(x.values for x in self.inputs)

    @property
    def full_name(self) -> str:
        """The name in figures; for an operand, its text."""
        return self.instruction.format_operand(self.key) if self.is_operand else self.name

    @property
    def destination(self) -> str:
        """The name of the destination that the row writes; ``_`` if discarded."""
        return format_short_name(self.instruction, self.role)

    @property
    def passed_bits(self) -> int:
        """The width of the operand whose bits the row passes on."""
        if self.is_operand:
            return self.instruction.type_of(self.key).bits
        return self.inputs[-1].passed_bits

    @property
    def symbol(self) -> str:
        """The name in formulas without values: ``t``, ``-c`` for a negated c."""
        prefix = self.micro.prefix
        return f"{prefix}{self.inputs[0].symbol}" if prefix else self.full_name

    def list_symbols(self, lane: int | None = None) -> list[str]:
        """Return the symbols of the inputs, with a lane number if they have several lanes."""
        return [
            f"{row.symbol}{'' if lane is None or len(row.values) == 1 else lane}"
            for row in self.inputs
        ]

    @property
    def has_own_parts(self) -> bool:
        """Whether every lane copies its own part of the operand that names the row."""
        parts = map(self.micro.find_part, range(len(self.values)))
        return len(self.values) > 1 and all(
            part is not None and part.number == lane and self.inputs[part.input].key == self.role
            for lane, part in enumerate(parts)
        )

    def find_lost_bits(self, bits: int) -> str:
        """Return ``[31:0]`` if the first input may have more bits than these, or ""."""
        low, high = self.inputs[0].range
        return f"[{bits - 1}:0]" if low < -(1 << bits - 1) or high >= 1 << bits else ""


class LaneView(NamedTuple):
    """One lane of a row."""

    row: RowTrace
    lane: int

    @property
    def value(self) -> int:
        return self.row.values[self.lane]

    @property
    def inputs(self) -> list[int]:
        return [get_lane(x.values, self.lane) for x in self.row.inputs]

    @property
    def x(self) -> int:
        """The first input."""
        return get_lane(self.row.inputs[0].values, self.lane)

    @property
    def y(self) -> int:
        """The second input."""
        return get_lane(self.row.inputs[1].values, self.lane)

    @property
    def names(self) -> list[str]:
        return [x.name for x in self.row.inputs]

    def format_first_input(self) -> str:
        """Return the first input in its own row's notation: a number, or bits."""
        source = self.row.inputs[0]
        if source.is_operand or source.micro.has_passed_bits:
            return format_hex(self.x, source.passed_bits)
        return str(self.x)


# --- phrases of several kinds -------------------------------------------

NOTHING_WRITTEN = "Nothing is written: the destination is `_`."
"""The sentence of a step whose only destination is a sink."""


def find_row(rows: Sequence[RowTrace], name: str) -> RowTrace | None:
    """Return the row of a step with this name, or None."""
    return next((row for row in rows if row.role == name), None)


def format_destinations(rows: Sequence[RowTrace]) -> str:
    """Return the names of the destinations that a step writes: ``p and q``."""
    return " and ".join(row.destination for row in rows)


def format_write(rows: Sequence[RowTrace], count: int = 2) -> str:
    """Describe the write of ``count`` bits in a step: ``are written to d``."""
    names = format_destinations(rows)
    if rows[0].instruction.guard is not None:  # the guard determines whether it is written
        return f"{'goes' if count == 1 else 'go'} to {names} if the guard holds"
    return f"{'is' if count == 1 else 'are'} written to {names}"


def add_guard(sentence: str, rows: Sequence[RowTrace]) -> str:
    """Return the sentence of a write, with the condition of a guard."""
    return f"If the guard holds, {sentence}" if rows[0].instruction.guard else sentence
