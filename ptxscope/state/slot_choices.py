"""The choices of a form: the cells of its slots, their meaning, and reasons of illegality.

All user interfaces share these choices: the modifiers' table and row, and the lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..engine.isa.catalog import explain_illegal_choice, find_shapes, get_entry, list_shared_slots
from ..engine.isa.entry import Entry, SelectorDigits, Slot, SlotPlace
from ..engine.isa.grammar import SLOT_NAMES
from ..engine.isa.truth_tables import format_function
from ..engine.isa.types import Form, Selector

ON, OFF = "■", "□"
ABSENT = "–"


class SlotCell(NamedTuple):
    """A cell of the form: a value of a slot, or a lane of a selector or mask."""

    slot: str
    value: object
    lane: int | None = None


class SlotOption(NamedTuple):
    """A value of a slot, as an item of a list."""

    value: object
    text: str
    about: str = ""
    why_not: str = ""
    """The reason why it is illegal here; empty if it is legal."""


class ChoiceError(Exception):
    """An impossible choice; the text is the reason."""


def list_slots(form: Form) -> list[Slot]:
    """Return the slots to choose, in the ISA's order; c depends on the others.

    They have the values of all shapes of the opcode; a choice may change the shape.
    """
    return [slot for slot in list_shared_slots(get_entry(form)) if slot.name != "c"]


def has_digits(slot: Slot) -> bool:
    """Whether each lane of the slot has a separate source."""
    return isinstance(slot.values, SelectorDigits)


def is_by_lane(slot: Slot) -> bool:
    """Whether the slot is chosen lane by lane."""
    return has_digits(slot) or slot.name == "mask"


def is_flag(slot: Slot) -> bool:
    """Whether the slot has a single value, which is present or absent."""
    return bool(slot.word) and slot.is_optional


def list_lane_cells(form: Form, slot: Slot) -> list[SlotCell]:
    """Return a cell for each lane, the most significant first."""
    return [SlotCell(slot.name, None, lane) for lane in reversed(range(get_entry(form).lanes))]


def list_cells(form: Form, slot: Slot) -> list[SlotCell]:
    """Return every cell of a slot: its values, or its lanes."""
    if slot.place is SlotPlace.TABLE:
        return [SlotCell(slot.name, form.get(slot.name))]  # of 256
    absent_cells = [SlotCell(slot.name, slot.absent)] if slot.is_optional else []
    if is_by_lane(slot):
        return absent_cells + list_lane_cells(form, slot)
    return absent_cells + [SlotCell(slot.name, value) for value in slot.values]


def is_taken(form: Form, choice: SlotCell) -> bool:
    """Whether the form has the value of a cell."""
    value = form.get(choice.slot)
    if choice.lane is None:
        return value == choice.value
    return value is None or (isinstance(value, Selector) and choice.lane in value.lanes)


def explain_refusal(form: Form, choice: SlotCell) -> str | None:
    """Return why a cell cannot be chosen, or None if it can."""
    if choice.lane is not None or is_taken(form, choice):
        return None
    return explain_illegal_choice(form, choice.slot, choice.value)


def format_value(slot: Slot, value: object) -> str:
    """Return a slot's value as text; a dash if it is omitted."""
    if value == slot.absent:
        return ABSENT
    if slot.place is SlotPlace.TABLE:
        return f"{value:#04x}"
    if slot.place is not SlotPlace.MODIFIER and slot.word:
        return f"{slot.word}{slot.place}"
    return slot.format_value(value)


# --- lanes -----------------------------------------------------------------------------------


def list_digits(form: Form, slot: Slot) -> tuple[int, ...]:
    """Return the lanes of a selector or mask, or of its default; lane 0 first."""
    value = form.get(slot.name)
    if isinstance(value, Selector):
        return value.lanes
    lanes = get_entry(form).lanes
    first = lanes if slot.name == "bsel" else 0
    return tuple(range(first, first + lanes))


def format_source(form: Form, digit: int) -> str:
    """Return the meaning of a selector's digit: ``b.b2``."""
    lanes = get_entry(form).lanes
    return f"{'ab'[digit // lanes]}.{'h' if lanes == 2 else 'b'}{digit % lanes}"


def with_digit(form: Form, slot: Slot, lane: int, digit: int) -> Selector:
    """Return a selector with another source for one lane. Raise ChoiceError if it is illegal."""
    count = get_entry(form).lanes
    if not 0 <= digit < 2 * count:
        raise ChoiceError(
            f"{digit} is out of range: a lane of {slot.place} takes 0 to {count - 1}, parts of a, "
            f"or {count} to {2 * count - 1}, of b"
        )
    lanes = list(list_digits(form, slot))
    lanes[lane] = digit
    return Selector(32 // count, tuple(lanes))


def with_next_source(form: Form, slot: Slot, lane: int, delta: int) -> Selector:
    """Return a selector whose lane has the next or previous source."""
    count = 2 * get_entry(form).lanes
    return with_digit(form, slot, lane, (list_digits(form, slot)[lane] + delta) % count)


def with_lane_toggled(form: Form, slot: Slot, lane: int) -> Selector:
    """Return a mask with a lane toggled; at least one remains. Raise ChoiceError otherwise."""
    lanes = set(list_digits(form, slot)) ^ {lane}
    if not lanes:
        raise ChoiceError("a mask has at least one lane")
    return Selector(32 // get_entry(form).lanes, tuple(sorted(lanes)))


def find_next_value(form: Form, slot: Slot, delta: int) -> object:
    """Return the next or previous legal value of a slot. Raise ChoiceError if none exists."""
    values = list(slot.iter_choices())
    index = values.index(form.get(slot.name))
    reasons: list[str] = []
    for distance in range(1, len(values)):
        value = values[(index + delta * distance) % len(values)]
        reason = explain_refusal(form, SlotCell(slot.name, value))
        if reason is None:
            return value
        reasons.append(reason)
    raise ChoiceError(
        reasons[0] if reasons else f"{format_value(slot, values[index])} is the only one"
    )


# --- words -----------------------------------------------------------------------------------


def format_mask(form: Form, slot: Slot, value: object) -> str:
    """Return a mask as boxes, lane 0 at the right."""
    masked_form = form._replace(mask=value)  # type: ignore[arg-type]
    return "".join(
        ON if is_taken(masked_form, cell) else OFF for cell in list_lane_cells(form, slot)
    )


def list_options(form: Form, cell: SlotCell) -> list[SlotOption]:
    """Return every value of a cell's slot, with the reason if it is illegal."""
    return list(_iter_options(form, find_slot(form, cell.slot), cell.lane))


def make_choice_list(form: Form, cell: SlotCell) -> tuple[str, list[SlotOption], int]:
    """Return a title for a cell's values, the values, and the index of the current one."""
    slot, options, current = (
        find_slot(form, cell.slot),
        list_options(form, cell),
        form.get(cell.slot),
    )
    if cell.lane is not None and has_digits(slot) and current == slot.absent:
        current = with_next_source(form, slot, cell.lane, 0)
    lane = "" if cell.lane is None or slot.name == "mask" else f", lane {cell.lane}"
    index = [option.value for option in options].index(current)
    return f"{SLOT_NAMES[slot.name]}{lane}", options, index


def find_slot(form: Form, name: str) -> Slot:
    """Return a slot to choose by its name."""
    return next(slot for slot in list_slots(form) if slot.name == name)


def _iter_options(form: Form, slot: Slot, lane: int | None) -> Iterator[SlotOption]:
    if slot.is_optional and (lane is None or slot.name != "mask"):
        yield SlotOption(slot.absent, ABSENT, "left out", _format_reason(form, slot, slot.absent))
    if has_digits(slot) and lane is not None:
        for digit in range(2 * get_entry(form).lanes):
            yield SlotOption(
                with_digit(form, slot, lane, digit), f"{digit}", format_source(form, digit)
            )
    elif slot.name == "mask":
        yield SlotOption(slot.absent, format_mask(form, slot, None), "no mask: every lane")
        for value in reversed(slot.values):
            yield SlotOption(value, format_mask(form, slot, value), f".{value}")
    else:
        for value in slot.values:
            shapes = _find_new_shapes(form, slot.name, value)
            about = " or ".join(shape.brief for shape in shapes)
            if is_flag(slot):
                about = SLOT_NAMES[slot.name]
            if slot.place is SlotPlace.TABLE and isinstance(value, int):
                about = format_function(value)
            yield SlotOption(
                value, format_value(slot, value), about, _format_reason(form, slot, value)
            )


def _format_reason(form: Form, slot: Slot, value: object) -> str:
    return explain_refusal(form, SlotCell(slot.name, value)) or ""


def _find_new_shapes(form: Form, name: str, value: object) -> tuple[Entry, ...]:
    """Return the shapes with a value; none if the form's shape has it."""
    return () if form.get(name) == value else find_shapes(form, name, value)


def describe_cell(form: Form, cell: SlotCell) -> str:
    """Return the meaning of a cell, or the reason why it cannot be chosen."""
    reason = explain_refusal(form, cell)
    if reason is not None:
        return f"× {reason}"
    slot = find_slot(form, cell.slot)
    if slot.place is SlotPlace.TABLE and form.lut is not None:
        return f"the function {format_function(form.lut)}: Enter types another"
    if cell.lane is None:
        shapes = _find_new_shapes(form, cell.slot, cell.value)
        summary = " or ".join(shape.summary for shape in shapes)
        return SLOT_NAMES[slot.name] + (f", of another shape: {summary}" if shapes else "")
    if slot.name == "mask":
        return f"lane {cell.lane} of the mask: space switches it"
    source = format_source(form, list_digits(form, slot)[cell.lane])
    return f"lane {cell.lane} of {slot.place} takes {source}: a digit, < or > changes it"
