"""What can be chosen in a form: the cells of its slots, what each means, why one is illegal.

The modifiers' pane and their row show the same choices; this is what both know of them. It
knows nothing of widgets.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.isa.catalog import get_entry
from ...engine.isa.entry import SelectorDigits, Slot, SlotPlace
from ...engine.isa.form import Form
from ...engine.isa.grammar import SLOT_NAMES
from ...engine.isa.legality import explain_illegal_value
from ...engine.isa.types import Selector
from ...engine.records import NamedTuple

ON, OFF = "■", "□"
ABSENT = "–"


class SlotCell(NamedTuple):
    """A cell of the form: a value of a slot; or, for lanes, a lane of a selector or mask."""

    slot: str
    value: object
    lane: int | None = None


class SlotOption(NamedTuple):
    """A value that a slot can take, for a list to choose from."""

    value: object
    text: str
    about: str = ""
    why_not: str = ""
    """Why it is illegal here; empty where it is legal."""


class ChoiceError(Exception):
    """A choice that can't be made; the text says why."""


def list_slots(form: Form) -> list[Slot]:
    """What can be chosen, in the ISA's order; c comes and goes by itself."""
    return [slot for slot in get_entry(form).slots if slot.name != "c"]


def has_digits(slot: Slot) -> bool:
    """Whether each lane of the slot has a source of its own."""
    return isinstance(slot.values, SelectorDigits)


def is_by_lane(slot: Slot) -> bool:
    """Whether the slot is chosen lane by lane."""
    return has_digits(slot) or slot.name == "mask"


def is_flag(slot: Slot) -> bool:
    """Whether the slot is there or not, and nothing else."""
    return bool(slot.word) and slot.is_optional


def list_lane_cells(form: Form, slot: Slot) -> list[SlotCell]:
    """A cell for each lane, the most significant first."""
    return [SlotCell(slot.name, None, lane) for lane in reversed(range(get_entry(form).lanes))]


def list_cells(form: Form, slot: Slot) -> list[SlotCell]:
    """Every cell of a slot: its values, or its lanes."""
    left_out = [SlotCell(slot.name, slot.absent)] if slot.is_optional else []
    if is_by_lane(slot):
        return left_out + list_lane_cells(form, slot)
    return left_out + [SlotCell(slot.name, value) for value in slot.values]


def is_taken(form: Form, choice: SlotCell) -> bool:
    """Whether the form has what a cell stands for."""
    value = form.get(choice.slot)
    if choice.lane is None:
        return value == choice.value
    return value is None or (isinstance(value, Selector) and choice.lane in value.lanes)


def explain_refusal(form: Form, choice: SlotCell) -> str | None:
    """Why a cell can't be chosen; None where it can."""
    if choice.lane is not None or is_taken(form, choice):
        return None
    found = explain_illegal_value(form, choice.slot, choice.value)
    return None if found is None else found[0]


def format_value(slot: Slot, value: object) -> str:
    """How a value of a slot is shown; a dash where it is left out."""
    if value == slot.absent:
        return ABSENT
    if slot.place is not SlotPlace.MODIFIER and slot.word:
        return f"{slot.word}{slot.place}"
    return slot.format_value(value)


# --- lanes -----------------------------------------------------------------------------------


def list_digits(form: Form, slot: Slot) -> tuple[int, ...]:
    """The lanes of a selector or mask, written or by default; lane 0 first."""
    value = form.get(slot.name)
    if isinstance(value, Selector):
        return value.lanes
    lanes = get_entry(form).lanes
    first = lanes if slot.name == "bsel" else 0
    return tuple(range(first, first + lanes))


def format_source(form: Form, digit: int) -> str:
    """What a digit of a selector means: ``b.b2``."""
    lanes = get_entry(form).lanes
    return f"{'ab'[digit // lanes]}.{'h' if lanes == 2 else 'b'}{digit % lanes}"


def with_digit(form: Form, slot: Slot, lane: int, digit: int) -> Selector:
    """A selector with another source for one lane. Raises ChoiceError."""
    count = get_entry(form).lanes
    if not 0 <= digit < 2 * count:
        raise ChoiceError(
            f"{digit} is none: a lane of {slot.place} takes 0 to {count - 1}, parts of a, "
            f"or {count} to {2 * count - 1}, of b"
        )
    lanes = list(list_digits(form, slot))
    lanes[lane] = digit
    return Selector(32 // count, tuple(lanes))


def with_next_source(form: Form, slot: Slot, lane: int, by: int) -> Selector:
    """A selector whose lane takes the next source, or the one before."""
    count = 2 * get_entry(form).lanes
    return with_digit(form, slot, lane, (list_digits(form, slot)[lane] + by) % count)


def with_lane_toggled(form: Form, slot: Slot, lane: int) -> Selector:
    """A mask with a lane turned on or off; one must stay on. Raises ChoiceError."""
    lanes = set(list_digits(form, slot)) ^ {lane}
    if not lanes:
        raise ChoiceError("a mask has at least one lane")
    return Selector(32 // get_entry(form).lanes, tuple(sorted(lanes)))


def find_next_value(form: Form, slot: Slot, by: int) -> object:
    """The next legal value of a slot, or the one before. Raises ChoiceError where there is none."""
    values = list(slot.iter_choices())
    at = values.index(form.get(slot.name))
    reasons: list[str] = []
    for away in range(1, len(values)):
        value = values[(at + by * away) % len(values)]
        reason = explain_refusal(form, SlotCell(slot.name, value))
        if reason is None:
            return value
        reasons.append(reason)
    raise ChoiceError(
        reasons[0] if reasons else f"{format_value(slot, values[at])} is the only one"
    )


# --- words -----------------------------------------------------------------------------------


def format_mask(form: Form, slot: Slot, value: object) -> str:
    """A mask as boxes, lane 0 at the right."""
    shown = form._replace(mask=value)  # type: ignore[arg-type]
    return "".join(ON if is_taken(shown, cell) else OFF for cell in list_lane_cells(form, slot))


def list_options(form: Form, cell: SlotCell) -> list[SlotOption]:
    """Every value that the slot of a cell can take, with why some are illegal."""
    return list(_iter_options(form, _get_slot(form, cell), cell.lane))


def make_choice_list(form: Form, cell: SlotCell) -> tuple[str, list[SlotOption], int]:
    """What a list of a cell's values is called, the values, and which of them is taken now."""
    slot, found, taken = _get_slot(form, cell), list_options(form, cell), form.get(cell.slot)
    if cell.lane is not None and has_digits(slot) and taken == slot.absent:
        taken = with_next_source(form, slot, cell.lane, 0)
    lane = "" if cell.lane is None or slot.name == "mask" else f", lane {cell.lane}"
    at = [option.value for option in found].index(taken)
    return f"{SLOT_NAMES[slot.name]}{lane}", found, at


def _get_slot(form: Form, cell: SlotCell) -> Slot:
    return next(slot for slot in list_slots(form) if slot.name == cell.slot)


def _iter_options(form: Form, slot: Slot, lane: int | None) -> Iterator[SlotOption]:
    if slot.is_optional and (lane is None or slot.name != "mask"):
        yield SlotOption(slot.absent, ABSENT, "left out", _format_reason(form, slot, slot.absent))
    if has_digits(slot) and lane is not None:
        for digit in range(2 * get_entry(form).lanes):
            yield SlotOption(
                with_digit(form, slot, lane, digit), f"{digit}", format_source(form, digit)
            )
    elif slot.name == "mask":
        yield SlotOption(slot.absent, format_mask(form, slot, None), "every lane, not written")
        for value in reversed(slot.values):
            yield SlotOption(value, format_mask(form, slot, value), f".{value}")
    else:
        for value in slot.values:
            about = "" if not is_flag(slot) else SLOT_NAMES[slot.name]
            yield SlotOption(
                value, format_value(slot, value), about, _format_reason(form, slot, value)
            )


def _format_reason(form: Form, slot: Slot, value: object) -> str:
    return explain_refusal(form, SlotCell(slot.name, value)) or ""


def describe_cell(form: Form, cell: SlotCell) -> str:
    """What a cell means, or why it can't be chosen."""
    reason = explain_refusal(form, cell)
    if reason is not None:
        return f"× {reason}"
    slot = _get_slot(form, cell)
    if cell.lane is None:
        return SLOT_NAMES[slot.name]
    if slot.name == "mask":
        return f"lane {cell.lane} of the mask: space switches it"
    taken = format_source(form, list_digits(form, slot)[cell.lane])
    return f"lane {cell.lane} of {slot.place} takes {taken}: a digit, < or > changes it"
