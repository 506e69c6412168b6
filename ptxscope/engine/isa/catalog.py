"""The instructions as data: the package's only source on their syntax.

Legality follows from it: violations, counts of forms, random forms, choices of shapes. The shapes
of an opcode are its entries, such as ``min.u32`` and ``min.u8x4``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING

from .arithmetic_entries import ARITHMETIC_ENTRIES
from .common_entries import COMMON_ENTRIES
from .comparison_entries import COMPARISON_ENTRIES, HALF_ENTRIES
from .entry import Constraint, Entry, Remark, Slot, SlotPlace
from .integer_entries import INTEGER_ENTRIES
from .types import Form
from .video_entries import VIDEO_ENTRIES

if TYPE_CHECKING:
    from random import Random

ENTRIES: tuple[Entry, ...] = (
    *COMPARISON_ENTRIES,
    *VIDEO_ENTRIES,
    *INTEGER_ENTRIES,
    *ARITHMETIC_ENTRIES,
    *HALF_ENTRIES,
    *COMMON_ENTRIES,
)
"""The entries, grouped by opcode: first the 27 instructions, in the order of the PTX ISA."""


def _group_by_opcode() -> dict[str, tuple[Entry, ...]]:
    entries: dict[str, tuple[Entry, ...]] = {}
    for entry in ENTRIES:
        entries[entry.opcode] = (*entries.get(entry.opcode, ()), entry)
    return entries


SHAPES = _group_by_opcode()
CATALOG: dict[str, Entry] = {opcode: shapes[0] for opcode, shapes in SHAPES.items()}
"""The first entry of each opcode; ``find_entry`` and ``get_entry`` find the others."""
MOVES = frozenset(x.opcode for x in ENTRIES if x.is_move)


def list_shapes(opcode: str) -> tuple[Entry, ...]:
    """Return the entries of an opcode, the default first; none if the catalog lacks it."""
    return SHAPES.get(opcode, ())


def find_entry(opcode: str, modifiers: Collection[str]) -> Entry | None:
    """Return the entry of an opcode with these modifiers, spelled without their dots.

    None if the catalog lacks the opcode, or these types of it, such as ``add.f32``.
    """
    shape = _select_shape(list_shapes(opcode), modifiers)
    return shape if shape and shape.foreign_types.isdisjoint(modifiers) else None


def _select_shape(shapes: tuple[Entry, ...], modifiers: Collection[str]) -> Entry | None:
    """Return the shape that a modifier distinguishes, or the default one; None for neither."""
    defaults = (entry for entry in shapes if not entry.distinguishing_modifiers)
    matches = (
        entry for entry in shapes if not entry.distinguishing_modifiers.isdisjoint(modifiers)
    )
    return next(matches, next(defaults, None))


def get_entry(form: Form) -> Entry:
    """Return the entry of a form."""
    shapes = SHAPES[form.opcode]
    return shapes[0] if len(shapes) == 1 else _find_shape(form)


@lru_cache(maxsize=1 << 12)
def _find_shape(form: Form) -> Entry:
    shapes = SHAPES[form.opcode]
    slots = [slot for entry in shapes for slot in entry.slots if slot.place is SlotPlace.MODIFIER]
    match = _select_shape(shapes, {slot.format_value(form.get(slot.name)) for slot in slots})
    assert match
    return match


# --- legality ----------------------------------------------------------------------------


def find_violations(form: Form) -> tuple[Constraint, ...]:
    """Return the constraints between slots that the form breaks; empty if it is legal.

    Each value must already be legal for its slot.
    """
    return tuple(x for x in get_entry(form).constraints if not x.holds(form))


def find_remarks(form: Form) -> tuple[Remark, ...]:
    """Return the catalog's remarks on a legal form."""
    return tuple(x for x in get_entry(form).remarks if x.applies_to(form))


def with_slot(form: Form, name: str, value: object) -> Form:
    """Return the form with one slot changed; c is written only if it is then needed."""
    changed_form = form._replace(**{name: value})  # type: ignore[arg-type]
    return changed_form if name == "c" else with_c(changed_form)


def with_c(form: Form, *, with_unused_c: bool = False) -> Form:
    """Return the form with c if something reads it, or always (``with_unused_c``)."""
    if not get_entry(form).is_c_optional:
        return form
    is_needed = bool(form.boolop or form.secop or form.dsel)
    return form._replace(c=is_needed or with_unused_c, negc=form.negc and is_needed)


def explain_illegal_value(form: Form, name: str, value: object) -> tuple[str, str] | None:
    """Explain why a slot of a legal form cannot take a value that is legal elsewhere.

    Return the message and the legal alternatives, or None if the changed form is legal.
    """
    changed_form = with_slot(form, name, value)
    if changed_form.get(name) != value:  # with_slot dropped the unused c, and the value with it
        changed_form = form._replace(**{name: value})  # type: ignore[arg-type]
    for constraint in find_violations(changed_form):
        return constraint.message.format(f=changed_form), constraint.allowed(changed_form)
    return None


def find_undocumented_values(entry: Entry, slot: Slot) -> tuple[object, ...]:
    """Return the values of a slot that are undocumented in every form."""
    remarks = [x for x in entry.remarks if x.slots == (slot.name,) and not x.is_documented]
    values = slot.values if remarks else ()
    return tuple(
        value
        for value in values
        if any(x.applies_to(with_slot(Form(entry.opcode), slot.name, value)) for x in remarks)
    )


def make_blank_form(entry: Entry) -> Form:
    """Return the form with every slot omitted, except a required c."""
    return Form(entry.opcode, c=entry.needs_c)


def _group_related_slots(
    entry: Entry, rules: tuple[Constraint | Remark, ...]
) -> Iterator[tuple[Slot, ...]]:
    """Yield the slots in groups such that no rule relates slots of two groups."""
    groups: list[set[str]] = [{slot.name} for slot in entry.slots]
    for rule in rules:
        related_groups = [group for group in groups if group & set(rule.slots)]
        groups = [group for group in groups if group not in related_groups] + [
            set().union(*related_groups)
        ]
    for group in groups:
        yield tuple(slot for slot in entry.slots if slot.name in group)


def _iter_legal_choices(entry: Entry, slots: tuple[Slot, ...]) -> Iterator[Form]:
    """Yield each choice for a group of slots that breaks no constraint within the group."""
    names = [slot.name for slot in slots]
    inner_constraints = [x for x in entry.constraints if set(x.slots) <= set(names)]
    for values in product(*(slot.iter_choices() for slot in slots)):
        form = make_blank_form(entry)._replace(**dict(zip(names, values, strict=True)))  # type: ignore[arg-type]
        if all(x.holds(form) for x in inner_constraints):
            yield form


def iter_entry_forms(entry: Entry, omitted: Collection[str] = ()) -> Iterator[Form]:
    """Yield the legal forms of one entry; omitted slots have no value."""
    blank = make_blank_form(entry)
    groups = []
    for related in _group_related_slots(entry, entry.constraints):
        slots = tuple(x for x in related if x.name not in omitted)
        names = [x.name for x in slots]
        choices = _iter_legal_choices(entry, slots)
        groups.append([{name: x.get(name) for name in names} for x in choices])
    for parts in product(*groups):
        values = {name: value for part in parts for name, value in part.items()}
        yield blank._replace(**values)  # type: ignore[arg-type]


def count_forms(opcode: str, *, is_documented: bool = False, is_in_ptxas: bool = False) -> int:
    """Return the number of legal forms: canonical, unguarded, with register operands.

    Section 3 of docs/semantics.md lists the counts. ``is_documented`` counts only the forms that
    the PTX ISA documents, ``is_in_ptxas`` only forms that ptxas 13.0 accepts.
    """
    return sum(
        count_entry_forms(entry, is_documented=is_documented, is_in_ptxas=is_in_ptxas)
        for entry in list_shapes(opcode)
    )


def count_entry_forms(
    entry: Entry, *, is_documented: bool = False, is_in_ptxas: bool = False
) -> int:
    """Return the number of legal forms of one entry, like ``count_forms``."""
    excluded_remarks = tuple(
        remark
        for remark in entry.remarks
        if (is_documented and not remark.is_documented) or (is_in_ptxas and not remark.is_in_ptxas)
    )
    total = 1
    for slots in _group_related_slots(entry, entry.constraints + excluded_remarks):
        names = {slot.name for slot in slots}
        inner_remarks = [x for x in excluded_remarks if set(x.slots) <= names]
        if len(slots) == 1 and not inner_remarks:
            total *= slots[0].count_choices()
        else:
            choices = _iter_legal_choices(entry, slots)
            total *= sum(not any(x.applies_to(form) for x in inner_remarks) for form in choices)
    return total


@cache
def _list_related_choices(entry: Entry) -> tuple[tuple[tuple[str, ...], tuple[Form, ...]], ...]:
    """Return the slot names and every legal choice of each group of related slots."""
    groups = [slots for slots in _group_related_slots(entry, entry.constraints) if len(slots) > 1]
    return tuple(
        (tuple(slot.name for slot in slots), tuple(_iter_legal_choices(entry, slots)))
        for slots in groups
    )


def pick_form(opcode: str, rng: Random) -> Form:
    """Pick a legal form of the opcode's first entry."""
    return pick_entry_form(CATALOG[opcode], rng)


def pick_entry_form(entry: Entry, rng: Random) -> Form:
    """Pick a legal form of an entry: each slot, or group of related slots, uniformly."""
    values: dict[str, object] = {}
    for names, choices in _list_related_choices(entry):
        choice = rng.choice(choices)
        values |= {name: choice.get(name) for name in names}
    for slot in entry.slots:
        if slot.name not in values:
            index = rng.randrange(slot.count_choices()) - slot.is_optional
            values[slot.name] = slot.absent if index < 0 else slot.values[index]
    return make_blank_form(entry)._replace(**values)  # type: ignore[arg-type]


# --- choices among shapes -----------------------------------------------------------------


@cache
def list_shared_slots(entry: Entry) -> tuple[Slot, ...]:
    """Return an entry's slots; slots that distinguish shapes have the values of all shapes.

    Slots of other shapes only come first, such as ``.cc`` for ``add.u32``.
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
    """Return a slot with its values in all shapes; it is optional if a shape lacks it."""
    slots = [shape.find_slot(slot.name) for shape in shapes]
    values = dict.fromkeys(value for x in slots if x for value in x.values)
    is_optional = any(x is None or x.is_optional for x in slots)
    return slot._replace(values=tuple(values), is_optional=is_optional)


def find_shapes(form: Form, name: str, value: object) -> tuple[Entry, ...]:
    """Return the shapes that may have a slot's value; none if only the form's own shape has it."""
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
