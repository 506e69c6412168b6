"""Edits and transitions of places in the picture, which change bits, selectors or masks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from ..engine.isa.encodings import format_bit_range, format_float, step_float
from ..engine.isa.types import Role, Type
from ..engine.syntax.values import parse_integer, parse_value
from ..engine.tracing.provenance import LaneBits, find_descendants, find_provenance
from ..engine.tracing.step_text import format_lane_sentence
from ..engine.tracing.trace import Trace
from ..scene.scene_builder import choose_part_width
from ..scene.scene_model import (
    BitRef,
    BitRulers,
    LaneRef,
    PermutationFigure,
    Place,
    RowFigure,
    Scene,
    SpanKind,
    TableEntry,
    TableFigure,
)
from . import edits
from .answer_transitions import ask_computed
from .edit_transitions import edit, set_slot
from .explorer_state import ExplorerState
from .requests import REFUSED, AskText, Requests, ShowHint, refuse
from .setup import Setup, evaluate_setup
from .slot_choices import ChoiceError

FORMULA_PLACE = LaneRef(Role.TABLE, 0)
"""The place of a truth table as a whole, as its formula."""


class PlaceKind(StrEnum):
    """The kind of a place, which determines the effect of keys and clicks."""

    ANSWER = "answer"
    """A lane to predict."""
    FORMULA = "formula"
    """The formula of a truth table."""
    BIT = "entry"
    """An entry of a truth table, or a bit of one of its words."""
    OPERAND = "operand"
    """A part of a register or a literal."""
    MASK = "mask"
    """A lane of the mask."""
    PART = "part"
    """A lane that takes a selected part."""
    DIGIT = "digit"
    """Bits of an operand that a figure shows."""
    COMPUTED = ""


class OperandBits(NamedTuple):
    """Bits of an operand that control a figure."""

    role: str
    low: int
    width: int
    value: int
    """Their current value."""

    def parse_digit(self, char: str) -> int | None:
        """Return the value of a typed digit; None if one digit is not a value."""
        if self.width > 4 or not char or char not in "0123456789abcdefABCDEF":
            return None
        digit = int(char, 16)
        return digit if digit < 1 << self.width else None


def find_control(trace: Trace, scene: Scene, place: Place) -> OperandBits | None:
    """Return the operand's bits that control a place of a figure, or None."""
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


def find_place_kind(trace: Trace, scene: Scene, place: Place) -> PlaceKind:
    """Return the kind of a place outside predictions."""
    if place == FORMULA_PLACE:
        return PlaceKind.FORMULA
    if isinstance(place, BitRef):
        return PlaceKind.BIT
    if place.key in trace.operands:
        return PlaceKind.OPERAND
    if is_mask_lane(trace, place):
        return PlaceKind.MASK
    if find_part_choice(trace, place):
        return PlaceKind.PART
    return PlaceKind.DIGIT if find_control(trace, scene, place) else PlaceKind.COMPUTED


class PartChoice(NamedTuple):
    """The part of a register that a selector assigns to a lane."""

    slot: str
    """``asel`` or ``bsel``."""
    lane: int
    number: int
    """Number of the part; for several lanes, from 0, first of a, then of b."""
    unit: int = 0
    """Width of the part in bits, if it may change."""


def is_mask_lane(trace: Trace, place: Place) -> bool:
    """Whether a place is a lane of a mask."""
    row = trace.rows.get(place.key)
    return row is not None and trace.instruction.entry.lanes > 1 and row.micro.is_merge


def find_part_choice(trace: Trace, place: Place) -> PartChoice | None:
    """Return the selector of the part at a place, with its current part, or None."""
    row = trace.rows.get(place.key)
    part = row.micro.find_part(place.lane) if row else None
    if row is None or part is None:
        return None
    slot, count = f"{row.name}sel", trace.instruction.entry.lanes
    if all(x.name != slot for x in trace.instruction.entry.slots):
        return None
    is_second = count > 1 and row.input_keys[part.input] == "b"
    return PartChoice(slot, place.lane, part.number + (count if is_second else 0))


def count_part_choices(trace: Trace, place: Place) -> int:
    """Return the number of possible parts at a place."""
    part = trace.rows[place.key].micro.find_part(place.lane)
    assert part
    count = trace.instruction.entry.lanes
    return 2 * count if count > 1 else 32 // part.unit if part.unit < 32 else 4


def find_link(
    trace: Trace, scene: Scene, start: Place, end: Place
) -> tuple[OperandBits, int] | PartChoice | None:
    """Return the change for a link between a register's part and a lane, or None.

    It is another value of an operand's bits, or another part; the link may begin at either end.
    Raise ValueError, with the reason, if the selector cannot take this part.
    """
    for chip, lane in ((start, end), (end, start)):
        number, bits = find_source_number(scene, chip, lane), find_control(trace, scene, lane)
        if number is not None and bits is not None:
            return bits, number
        choice = find_part_choice(trace, lane)
        if choice is None or chip.key not in trace.operands or chip.key not in ("a", "b"):
            continue
        count = trace.instruction.entry.lanes
        if count > 1:
            return choice._replace(number=chip.lane + (count if chip.key == "b" else 0))
        if not choice.slot.startswith(chip.key):
            slot = choice.slot
            raise ValueError(f"{slot} of a scalar instruction takes a part of {slot[0]} only")
        unit = choose_part_width(trace, chip.key)
        return PartChoice(choice.slot, 0, chip.lane, unit)
    return None


def parse_part(text: str, type_: Type, unit: int, number: int, bits: int) -> int:
    """Return the bits of an operand with a typed value in one of its parts.

    ``unit`` is the width of a part in bits, ``number`` counts parts from the least significant.
    Raise PtxError if the text is not a value.
    """
    if unit == type_.bits:
        return parse_value(text, type_)
    part = parse_value(text, type_.lane_type) if type_.lanes > 1 else parse_integer(text, unit)
    mask = (1 << unit) - 1
    return bits & ~(mask << unit * number) | part << unit * number


def with_operand_bits(setup: Setup, role: str, bits: int) -> Setup:
    """Return the setup with other bits of an operand, either a register or a literal."""
    is_register = role in setup.instruction.names
    return (
        edits.with_value(setup, role, bits)
        if is_register
        else edits.with_literal(setup, role, bits)
    )


def with_nudge(setup: Setup, role: str, low: int, width: int, delta: int) -> Setup | None:
    """Return the setup with a number added to a part of an operand; a float moves by neighbours.

    The part has ``width`` bits from bit ``low`` and wraps around. Return None if a float has no
    such neighbour.
    """
    bits, mask = evaluate_setup(setup).operands[role], (1 << width) - 1
    type_ = setup.instruction.type_of(role)
    if type_.is_float:
        neighbour = step_float(bits, type_, delta)
        return None if neighbour is None else edits.with_value(setup, role, neighbour)
    part = (bits >> low) + delta & mask
    return with_operand_bits(setup, role, bits & ~(mask << low) | part << low)


def find_source_number(scene: Scene, chip: Place, lane: Place) -> int | None:
    """Return the number of a source byte that a lane can take; None for unrelated places."""
    for figure in _iter_figures(scene):
        if isinstance(figure, PermutationFigure) and figure.selector_name:
            numbers = [source.number for source in figure.sources if source.place == chip]
            if numbers and any(lane in (x.place, x.digit) for x in figure.lane_bytes):
                return numbers[0]
    return None


def find_table_column(scene: Scene, place: BitRef) -> tuple[TableEntry, frozenset[BitRef]] | None:
    """Return the truth table's entry of a bit, and the places to highlight."""
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
    """Return the place of the number that controls a place of a figure."""
    if isinstance(figure, PermutationFigure):
        return next((x.digit for x in figure.lane_bytes if place in (x.place, x.digit)), None)
    if isinstance(figure, BitRulers) and place in [ruler.place for ruler in figure.rulers]:
        return figure.mover
    return None


def find_unread_places(scene: Scene) -> frozenset[LaneRef]:
    """Return the parts of operands that cannot change a result, whatever the values."""
    return frozenset(
        cell.place
        for register in scene.registers
        for cell in register.cells
        if cell.spans[0].kind is SpanKind.UNUSED
    )


def describe_operand_part(trace: Trace, scene: Scene, bits: LaneBits, step: int) -> str:
    """Return a sentence on bits of an operand, from the first ``step`` steps.

    It is on the value that they alone determine, such as the byte that a digit of ``prmt`` picks,
    or else on the first value computed from them. It is empty if no step reads them yet.
    """
    places = find_descendants(trace, bits)
    if not places:
        part = format_bit_range(bits.low, bits.high - bits.low)
        return f"nothing reads {part} of {bits.key}"
    readers = [
        LaneRef(row.key, lane)
        for shown_step in trace.steps[:step]
        for row in shown_step.rows
        for lane in range(len(row.values))
        if (row.key, lane) in places
    ]
    for place in reversed(readers):
        control = find_control(trace, scene, place)
        if control and control[:3] == (bits.key, bits.low, bits.high - bits.low):
            return format_lane_sentence(trace.rows[place.key], place.lane)
    return format_lane_sentence(trace.rows[readers[0].key], readers[0].lane) if readers else ""


# --- transitions -----------------------------------------------------------------------------


def nudge_place(state: ExplorerState, scene: Scene, place: Place, delta: int) -> Requests:
    """Change a place of a scene to its next or previous value."""
    trace = state.trace
    if isinstance(place, LaneRef) and place.key in trace.operands:
        width = choose_part_width(trace, place.key)
        yield from nudge_lane(state, place.key, width * place.lane, width, delta)
    elif choice := find_part_choice(trace, place):
        number = (choice.number + delta) % count_part_choices(trace, place)
        yield from select_part(state, *choice._replace(number=number))
    elif place.key == Role.TABLE:
        table = state.setup.instruction.form.lut or 0
        changed = table ^ 1 << place.bit if isinstance(place, BitRef) else (table + delta) % 256
        yield from set_slot(state, "lut", changed)
    elif bits := find_control(trace, scene, place):
        yield from nudge_lane(state, bits.role, bits.low, bits.width, delta)
    elif isinstance(place, BitRef):
        row = trace.rows.get(place.key)
        bit = row.values[place.lane] >> place.bit & 1 if row else 0
        yield from ask_computed(state, place, str(1 - bit))


def link_places(state: ExplorerState, scene: Scene, start: Place, end: Place) -> Requests:
    """Link a register's part and a lane, from either end."""
    try:
        link = find_link(state.trace, scene, start, end)
    except ValueError as error:
        yield refuse(error)
        return
    if isinstance(link, PartChoice):
        yield from select_part(state, *link)
    elif link is not None:
        bits, value = link
        yield from nudge_lane(state, bits.role, bits.low, bits.width, value - bits.value)


def nudge_lane(state: ExplorerState, role: str, low: int, width: int, delta: int) -> Requests:
    """Add a number to a part of an operand, from bit ``low`` on; a float moves to a neighbour."""
    changed = with_nudge(state.setup, role, low, width, delta)
    if changed is not None:
        yield from edit(state, changed)
    else:
        bits, type_ = state.trace.operands[role], state.setup.instruction.type_of(role)
        yield ShowHint(f"{REFUSED} there is no float next to {format_float(bits, type_)}", "")


def ask_formula(state: ExplorerState) -> Requests:
    """Ask for the formula of a truth table."""
    from ..engine.isa.truth_tables import find_formulas, parse_formula

    table = state.setup.instruction.form.lut
    if table is None:
        return
    text = yield AskText(
        *("The function of a, b and c", "d =", str(find_formulas()[table])),
        *("& | ^ ~ and parentheses", "use it"),
        check=lambda text, _: parse_formula(text),
        is_suggestion=True,
    )
    if text is not None and text.strip():
        yield from set_slot(state, "lut", parse_formula(text))


def flip_mask(state: ExplorerState, lane: int) -> Requests:
    """Toggle a lane of the mask."""
    yield from _choose(state, edits.with_mask_lane, lane)


def select_part(state: ExplorerState, slot: str, lane: int, digit: int, unit: int = 0) -> Requests:
    """Select another byte or half-word: from 0, first of a, then of b.

    ``unit`` is the width of the part, if it may change.
    """
    yield from _choose(state, edits.with_part, slot, lane, digit, unit)


def _choose(state: ExplorerState, choose: Callable[..., Setup], *choice: object) -> Requests:
    """Apply an edit of the form, or explain why it is impossible."""
    try:
        setup = choose(state.setup, *choice)
    except ChoiceError as refused:
        yield ShowHint(f"{REFUSED} {refused}", "")
        return
    yield from edit(state, setup)
