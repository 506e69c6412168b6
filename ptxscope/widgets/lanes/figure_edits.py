"""Edits of what a figure shows: the digit of a byte, a bit of a word, the place of a window."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.isa.roles import Role
from ...engine.records import NamedTuple
from ...engine.tracing.provenance import find_provenance
from ...engine.tracing.trace import Trace
from ...scene.scene_model import (
    BitRef,
    BitRulers,
    LaneRef,
    PermutationFigure,
    Place,
    RowFigure,
    Scene,
    TableEntry,
    TableFigure,
)

FORMULA_PLACE = LaneRef(Role.TABLE, 0)
"""The place of a truth table as a whole, as its formula."""


class OperandBits(NamedTuple):
    """Bits of an operand that decide what a figure shows."""

    role: str
    low: int
    width: int
    value: int
    """Their present value."""

    def parse_digit(self, char: str) -> int | None:
        """Return the value of a typed digit; None if it is none, or if one is not enough."""
        if self.width > 4 or not char or char not in "0123456789abcdefABCDEF":
            return None
        digit = int(char, 16)
        return digit if digit < 1 << self.width else None


def find_control(trace: Trace, scene: Scene, place: Place) -> OperandBits | None:
    """Return the operand's bits that decide what a place of a figure shows, or None."""
    if isinstance(place, BitRef):
        if place.key not in trace.operands:
            return None
        return OperandBits(place.key, place.bit, 1, trace.operands[place.key] >> place.bit & 1)
    for figure in _iter_figures(scene):
        source = _find_controlling_place(figure, place)
        origins = find_provenance(trace, *source) if source else ()
        if len(origins) == 1:
            ((role, low, high),) = origins
            width = high - low
            value = trace.operands[role] >> low & (1 << width) - 1
            return OperandBits(role, low, width, value)
    return None


def find_source_number(scene: Scene, chip: Place, lane: Place) -> int | None:
    """Return the number of a source byte that a lane can take; None if they don't belong."""
    for figure in _iter_figures(scene):
        if isinstance(figure, PermutationFigure) and figure.selector_name:
            numbers = [source.number for source in figure.sources if source.place == chip]
            if numbers and any(lane in (x.place, x.digit) for x in figure.lane_bytes):
                return numbers[0]
    return None


def find_table_column(scene: Scene, place: BitRef) -> tuple[TableEntry, frozenset[BitRef]] | None:
    """Return the entry of a truth table that a bit uses, and the places that it lights."""
    for figure in _iter_figures(scene):
        if isinstance(figure, TableFigure) and figure.result.digits:
            keys = [word.place.key for word in (*figure.words, figure.result)]
            if place.key == Role.TABLE:
                entry = figure.get_entry(place.bit)
                bits = entry.positions
            elif place.key in keys and place.bit < len(figure.result.digits):
                entry, bits = figure.find_entry(place.bit), (place.bit,)
            else:
                continue
            lit = {BitRef(key, 0, bit) for key in keys for bit in bits}
            return entry, frozenset({*lit, BitRef(Role.TABLE, 0, entry.number)} - {place})
    return None


def _iter_figures(scene: Scene) -> Iterator[RowFigure]:
    return (row.figure for row in scene.rows.values() if row.figure)


def _find_controlling_place(figure: RowFigure, place: Place) -> LaneRef | None:
    """Return the place of the number that decides what a place of a figure shows."""
    if isinstance(figure, PermutationFigure):
        return next((x.digit for x in figure.lane_bytes if place in (x.place, x.digit)), None)
    if isinstance(figure, BitRulers) and place in [ruler.place for ruler in figure.rulers]:
        return figure.mover
    return None
