"""Choices among the shapes of an opcode: its entries, as those of ``min.u32``, ``min.u8x4``."""

from __future__ import annotations

from functools import cache

from .catalog import get_entry, list_shapes
from .entry import Entry, Slot
from .form import Form
from .legality import explain_illegal_value, with_slot


@cache
def list_shared_slots(entry: Entry) -> tuple[Slot, ...]:
    """Return an entry's slots, those that tell shapes apart with the values of all shapes.

    Slots that only other shapes have come first, as ``.cc`` does for ``add.u32``.
    """
    shapes = list_shapes(entry.opcode)
    if len(shapes) == 1:
        return entry.slots
    telling_slots = {
        slot.name: slot
        for shape in shapes
        for slot in shape.slots
        if shape.distinguishing_modifiers.intersection(map(slot.format_value, slot.values))
    }
    own_slots = {slot.name: slot for slot in entry.slots}
    foreign_slots = {name: x for name, x in telling_slots.items() if name not in own_slots}
    return tuple(
        _merge_slots(slot, shapes) if slot.name in telling_slots else slot
        for slot in (foreign_slots | own_slots).values()
    )


def _merge_slots(slot: Slot, shapes: tuple[Entry, ...]) -> Slot:
    """Return a slot with the values that it has in any shape, optional if a shape lacks it."""
    slots = [shape.find_slot(slot.name) for shape in shapes]
    values = dict.fromkeys(value for x in slots if x for value in x.values)
    is_optional = any(x is None or x.is_optional for x in slots)
    return slot._replace(values=tuple(values), is_optional=is_optional)


def find_shapes(form: Form, name: str, value: object) -> tuple[Entry, ...]:
    """Return the shapes that may have a slot's value; none if the form's own takes it alone."""
    entry = get_entry(form)
    changed_entry = get_entry(with_slot(form, name, value))
    if _has_value(changed_entry, name, value):
        return () if changed_entry is entry else (changed_entry,)
    return tuple(x for x in list_shapes(form.opcode) if _has_value(x, name, value))


def _has_value(entry: Entry, name: str, value: object) -> bool:
    slot = entry.find_slot(name)
    if slot is None:
        return not value
    return value in slot.values or (slot.is_optional and value == slot.absent)


def explain_illegal_choice(form: Form, name: str, value: object) -> str | None:
    """Explain why a legal form cannot take a value of a shared slot, or None if a shape can."""
    if find_shapes(form, name, value):
        return None
    violation = explain_illegal_value(form, name, value)
    return violation and violation[0]
