"""How each row of a trace is drawn: selection, extension, number line, merge, choice.

Everything shown is read off the Trace; nothing is computed here but where to put it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..engine.isa.types import Type
from ..engine.semantics.micro import (
    AbsoluteDifference,
    Accumulate,
    Add,
    Average,
    Choose,
    Clamp,
    Combine,
    Compare,
    Encode,
    Extend,
    Flush,
    LimitAmount,
    Magnitude,
    Maximum,
    Merge,
    Minimum,
    Multiply,
    Negate,
    Not,
    Pack,
    PlusOne,
    ScaleDown,
    Select,
    ShiftLeft,
    ShiftRight,
    Subtract,
    ToBits,
    ToFloat,
    Truncate,
    Wrap,
)
from ..engine.semantics.operation import Flag
from ..engine.semantics.plan import Stage
from ..engine.text.values import float_anatomy, hex_text, value_text
from ..engine.tracing.formula import Sign
from ..engine.tracing.trace import RowTrace, Trace
from ..engine.tracing.words import operand_name, reading, words
from .pane import Line, Piece

GLYPHS = {
    Flag.CLAMPED_LOW: "▲",
    Flag.CLAMPED_HIGH: "▼",
    Flag.WRAPPED: "↻",
    Flag.MASKED_OUT: "□",
    Flag.FLUSHED: "≈0",
    Flag.ROUNDED: "≈",
    Flag.NAN: "(NaN)",
}
"""What marks a flag beside its colour."""


LanePlace = tuple[str, int]
"""Key and lane of a cell."""


class Lights(NamedTuple):
    """What the cursor lights up."""

    cursor: LanePlace | None = None
    origins: frozenset[LanePlace] = frozenset()
    """What the cursor's cell came from."""
    reached: frozenset[LanePlace] = frozenset()
    """What it went to."""


DARK = Lights()


class Painter:
    """Draws rows and registers of one trace in so many columns."""

    def __init__(self, trace: Trace, width: int, lights: Lights = DARK) -> None:
        self.trace, self.width, self.lights = trace, width, lights
        self.lanes = max(len(row.lanes) for row in trace.rows.values())

    # --- geometry ------------------------------------------------------------------

    def columns(self, cells: list[list[Piece]]) -> Line:
        """Cells side by side, the first given leftmost."""
        each = self.width // len(cells)
        return [piece for cell in cells for piece in fitted(cell, each)]

    def marked(self, pieces: list[Piece], key: str, lane: int) -> list[Piece]:
        """The pieces of a cell, with its target and what the cursor says of it."""
        place = (key, lane)
        if self.lights is DARK:
            return [Piece(text, style, place) for text, style, _ in pieces]
        ink = ""
        if place == self.lights.cursor:
            ink = " cursor"
        elif place in self.lights.origins:
            ink = " origin"
        elif place in self.lights.reached:
            ink = " reached"
        return [Piece(text, style + ink, place) for text, style, _ in pieces]

    # --- registers -----------------------------------------------------------------

    def order(self) -> range:
        """The lanes from the most significant down."""
        return range(self.lanes - 1, -1, -1)

    def register(self, role: str) -> Line:
        """The bits of an operand, in the parts that are read from it."""
        bits = self.trace.operands[role]
        type_ = self.trace.instruction.type_of(role)
        unit = part_width(self.trace, role)
        if unit == type_.bits:
            body = self.marked([Piece(hex_text(bits, type_.bits), "pattern")], role, 0)
        elif self.trace.instruction.lanes_of(role) > 1:
            cells = [self.part(role, bits, unit, lane) for lane in self.order()]
            return self.columns(cells)
        else:
            body = []
            for lane in range(32 // unit - 1, -1, -1):
                body += self.part(role, bits, unit, lane)
        return [*body, *self.meaning(bits, type_)]

    def part(self, role: str, bits: int, unit: int, lane: int) -> list[Piece]:
        """One byte or half-word of a register; a scalar's selected one in brackets."""
        text = hex_text(bits >> unit * lane & ((1 << unit) - 1), unit)[2:]
        if self.trace.instruction.lanes_of(role) > 1:
            return self.marked([Piece(text, "pattern")], role, lane)
        taken = any(
            isinstance(row.micro, Select)
            and (row.input_keys[0], row.micro.picks[0][1]) == (role, lane)
            for row in self.trace.rows.values()
        )
        pieces = [Piece(f"[{text}]", "chosen") if taken else Piece(f" {text} ", "dim")]
        return self.marked(pieces, role, lane)

    def meaning(self, bits: int, type_: Type) -> Line:
        """What a register's bits are worth."""
        text = f"   {value_text(bits, type_)}"
        if not type_.is_float:
            return [Piece(text, "dim")]
        parts = f"   {float_anatomy(bits, type_.bits)}"
        return [Piece(text, "strong"), Piece(parts, "dim")]

    # --- rows ----------------------------------------------------------------------

    def row(self, row: RowTrace) -> list[Line]:
        """The lines of one row, without labels."""
        drawing = _DRAWINGS[type(row.micro)]
        return drawing(self, row)

    def across(self, row: RowTrace, cell: Callable[[RowTrace, int], list[Piece]]) -> Line:
        """A cell for each lane."""
        key = row.key
        lanes = range(len(row.lanes) - 1, -1, -1)
        if len(row.lanes) == 1:
            return self.marked(cell(row, 0), key, 0)
        return self.columns([self.marked(cell(row, lane), key, lane) for lane in lanes])

    def plain(self, row: RowTrace) -> list[Line]:
        """The formula and the value in strong type; in two lines where one is too narrow."""
        room = self.width // len(row.lanes) - 1
        said = [words(self.trace, row, lane).formula for lane in range(len(row.lanes))]
        if max(len(str(formula)) for formula in said) <= room:
            return [self.across(row, self.formula)]

        def value(_: RowTrace, lane: int) -> list[Piece]:
            return [Piece(f"{said[lane].sign} {said[lane].right}", "value")]

        return [
            self.across(row, lambda _, lane: [Piece(said[lane].left, "dim")]),
            self.across(row, value),
        ]

    def formula(self, row: RowTrace, lane: int) -> list[Piece]:
        said = words(self.trace, row, lane).formula
        if said.sign is not Sign.IS:
            return [Piece(str(said), "value")]
        value = Piece(said.right, "value")
        return [Piece(f"{said.left} = ", "dim"), value, *self.flags(row, lane)]

    def flags(self, row: RowTrace, lane: int) -> list[Piece]:
        marks = [GLYPHS[flag] for flag in row.lanes[lane].flags if flag in GLYPHS]
        return [Piece(f" {' '.join(marks)}", "changed")] if marks else []

    def select(self, row: RowTrace) -> list[Line]:
        return [self.across(row, self.selected)]

    def selected(self, row: RowTrace, lane: int) -> list[Piece]:
        micro = row.micro
        assert isinstance(micro, Select)
        word, index = micro.picks[lane]
        role = row.input_keys[word]
        text = hex_text(row.values[lane], micro.unit)[2:]
        part = role if micro.unit == 32 else f"{role}.{'b' if micro.unit == 8 else 'h'}{index}"
        home = row.name == role and (index == lane or len(row.lanes) == 1)
        return [Piece(text, "pattern"), Piece(f" ◂ {part}", "dim" if home else "chosen")]

    def extend(self, row: RowTrace) -> list[Line]:
        return [self.across(row, self.extended)]

    def extended(self, row: RowTrace, lane: int) -> list[Piece]:
        micro = row.micro
        assert isinstance(micro, Extend)
        bits = row.inputs[0][lane]
        above = "f" if micro.signed and bits >> (micro.bits - 1) else "0"
        text = hex_text(bits, micro.bits)[2:]
        extension = "" if micro.bits == 32 else above * (micro.bits // 4) + "·"
        pieces = [Piece(extension, "extension"), Piece(text, "pattern")]
        value = Piece(f" = {row.values[lane]}", "number")
        if len(row.lanes) > 1:
            return [*pieces, value]
        how = "sign" if micro.signed else "zero"
        kind = f"{'s' if micro.signed else 'u'}32"
        return [*pieces, value, Piece(f"   {kind}, {how}-extended", "dim")]

    def clamp(self, row: RowTrace) -> list[Line]:
        return [self.across(row, self.number_line), self.across(row, self.clamped)]

    def number_line(self, row: RowTrace, lane: int) -> list[Piece]:
        micro = row.micro
        assert isinstance(micro, Clamp)
        room = self.width // len(row.lanes) - 5
        return [Piece(number_line(micro, row.inputs[0][lane], min(room, 44)), "dim")]

    def clamped(self, row: RowTrace, lane: int) -> list[Piece]:
        micro = row.micro
        assert isinstance(micro, Clamp)
        before, value = row.inputs[0][lane], row.values[lane]
        if before == value:
            pieces = [Piece(str(value), "value")]
        else:
            glyph = "▼" if value < before else "▲"
            room = self.width // len(row.lanes) - len(str(value)) - 6
            was = str(before) if len(str(before)) <= room else _powers(before)
            pieces = [Piece(f"{value} ", "clamped"), Piece(f"◂ {was} {glyph}", "changed")]
        if len(row.lanes) == 1:
            low = "" if micro.low is None else micro.low
            high = "" if micro.high is None else micro.high
            pieces.append(Piece(f"   within {low} … {high}", "dim"))
        return pieces

    def compare(self, row: RowTrace) -> list[Line]:
        return [self.across(row, self.compared)]

    def compared(self, row: RowTrace, lane: int) -> list[Piece]:
        micro = row.micro
        assert isinstance(micro, Compare)
        left = words(self.trace, row, lane).formula.left
        value = row.values[lane]
        mark = Piece(" ✓ 1" if value else " ✗ 0", "good" if value else "bad")
        return [Piece(left, "number"), mark, *self.flags(row, lane)]

    def merge(self, row: RowTrace) -> list[Line]:
        return [self.across(row, self.merged)]

    def merged(self, row: RowTrace, lane: int) -> list[Piece]:
        micro = row.micro
        assert isinstance(micro, Merge)
        text = hex_text(row.values[lane], micro.unit)[2:]
        if self.width // len(row.lanes) < 12:
            taken = lane in micro.lanes
            return [
                Piece("■ " if taken else "□ ", "good" if taken else "dim"),
                Piece(text, "value"),
            ]
        if lane not in micro.lanes:
            part = f"c.{'b' if micro.unit == 8 else 'h'}{lane}"
            return [Piece("□ ", "dim"), Piece(text, "pattern"), Piece(f" ◂ {part}", "dim")]
        before = row.inputs[0][lane if len(row.inputs[0]) > 1 else 0]
        wrapped = Flag.WRAPPED in row.lanes[lane].flags
        source = f" ◂ {before}" + (" ↻" if wrapped else "")
        return [
            Piece("■ ", "good"),
            Piece(text, "value"),
            Piece(source, "changed" if wrapped else "dim"),
        ]

    def accumulate(self, row: RowTrace) -> list[Line]:
        micro = row.micro
        assert isinstance(micro, Accumulate)
        terms, total = row.inputs[0], row.inputs[1][0]
        cells = []
        for lane in range(micro.of - 1, -1, -1):
            if lane in micro.lanes:
                total += terms[lane]
                start = f"{row.inputs[1][0]} " if lane == max(micro.lanes) else ""
                sign = "+" if terms[lane] >= 0 else "-"
                sum_ = f" = {total}"
                term = f"{start}{sign} {abs(terms[lane])}"
                if len(term + sum_) >= self.width // micro.of:
                    term = term.replace(" ", "")
                cell = [Piece(term, "number"), Piece(sum_, "value")]
            else:
                cell = [Piece("□ not in mask", "dim")]
            cells.append(self.marked(cell, row.key, 0))
        return [self.columns(cells)]

    def choose(self, row: RowTrace) -> list[Line]:
        condition = row.inputs[0][0]
        role = row.name if row.stage is Stage.GUARD else "a"
        width = self.trace.instruction.type_of(role).bits
        lines = []
        for index in (1, 2):
            key = row.input_keys[index]
            taken = bool(condition) == (index == 1)
            known = self.trace.rows.get(key)
            name = known.name if known else key
            if row.stage is Stage.GUARD:
                name = f"{'new' if index == 1 else 'old'} {operand_name(self.trace, role)}"
            bits = hex_text(row.inputs[index][0], width)
            mark = "▶ " if taken else "  "
            pieces = [Piece(f"{mark}{name} {bits}", "chosen" if taken else "dim")]
            why = "true" if condition else "false"
            if taken:
                what = "guard" if row.stage is Stage.GUARD else "condition"
                pieces.append(Piece(f"   the {what} is {why}", "dim"))
            lines.append(self.marked(pieces, row.key, 0) if taken else pieces)
        return lines

    def write(self, row: RowTrace) -> list[Line]:
        if row.stage is not Stage.WRITE:
            return self.plain(row)
        name = row.name
        ins, bits = self.trace.instruction, row.values[0]
        if operand_name(self.trace, name) == "_":
            said = words(self.trace, row, 0).sentence
            return [self.marked([Piece(said, "dim")], row.key, 0)]
        shown = [
            Piece(hex_text(bits, ins.type_of(name).bits), "value"),
            Piece(f"   {reading(ins, name, bits)}", "dim"),
        ]
        return [self.marked([*shown, *self.flags(row, 0)], row.key, 0)]

    def flush(self, row: RowTrace) -> list[Line]:
        before, after = row.inputs[0][0], row.values[0]
        pieces = [Piece(hex_text(after, 32), "pattern")]
        if before == after:
            pieces.append(Piece("   not subnormal", "dim"))
        else:
            pieces.append(Piece(f" ◂ {hex_text(before, 32)} ≈0", "changed"))
        return [self.marked(pieces, row.key, 0)]

    def to_float(self, row: RowTrace) -> list[Line]:
        bits = row.values[0]
        pieces = [
            Piece(hex_text(bits, 32), "pattern"),
            Piece(f" ◂ {row.inputs[0][0]}", "dim"),
            *self.meaning(bits, Type.F32),
            *self.flags(row, 0),
        ]
        return [self.marked(pieces, row.key, 0)]


_DRAWINGS: dict[type, Callable[[Painter, RowTrace], list[Line]]] = {
    Select: Painter.select,
    Extend: Painter.extend,
    Clamp: Painter.clamp,
    Compare: Painter.compare,
    Merge: Painter.merge,
    Accumulate: Painter.accumulate,
    Choose: Painter.choose,
    Truncate: Painter.write,
    Pack: Painter.write,
    Encode: Painter.write,
    Flush: Painter.flush,
    ToFloat: Painter.to_float,
    **dict.fromkeys(
        (
            AbsoluteDifference,
            Add,
            Average,
            Combine,
            LimitAmount,
            Magnitude,
            Maximum,
            Minimum,
            Multiply,
            Negate,
            Not,
            PlusOne,
            ScaleDown,
            ShiftLeft,
            ShiftRight,
            Subtract,
            ToBits,
            Wrap,
        ),
        Painter.plain,
    ),
}


def part_width(trace: Trace, role: str) -> int:
    """The width in bits of the parts that an operand is drawn in: 8, 16, or all of it."""
    for row in trace.rows.values():
        if role in row.input_keys and isinstance(row.micro, Select | Merge):
            return row.micro.unit
    return trace.instruction.type_of(role).bits


def fitted(pieces: list[Piece], width: int) -> list[Piece]:
    """The pieces cut or filled to a width, one blank at least kept free at the end.

    What is dim and does not fit is left out; anything else ends in an ellipsis.
    """
    room = width - 1
    kept: list[Piece] = []
    for piece in pieces:
        text = piece.text
        if len(text) > room:
            if kept and piece.ink.startswith("dim"):
                break
            text = text[: max(room - 1, 0)] + "…" if room > 0 else ""
        if text:
            kept.append(piece._replace(text=text))
        room -= len(text)
    return [*kept, Piece(" " * (room + 1))]


def _powers(value: int) -> str:
    """A large number by the nearest power of two where that is short: ``2^64-1``."""
    power = max(abs(value).bit_length(), 1)
    for exponent in (power, power - 1):
        rest = abs(value) - (1 << exponent)
        if abs(rest) < 1000:
            sign = "-" if value < 0 else ""
            return f"{sign}2^{exponent}{rest:+d}" if rest else f"{sign}2^{exponent}"
    return str(value)


def number_line(clamp: Clamp, value: int, width: int) -> str:
    """A range as a line, with a point where the exact value fell: ``├──●──┤``, ``├─────┤ ●``."""
    inner = max(width - 6, 3)
    low, high = clamp.low, clamp.high
    left, right = ("├" if low is not None else "╌"), ("┤" if high is not None else "╌")
    if high is not None and value > high:
        return f"  {left}{'─' * inner}{right} ●"
    if low is not None and value < low:
        return f"● {left}{'─' * inner}{right}  "
    start = low if low is not None else 0
    end = high if high is not None else max(value, 1) * 2
    at = (value - start) * (inner - 1) // max(end - start, 1)
    return f"  {left}{'─' * at}●{'─' * (inner - 1 - at)}{right}  "
