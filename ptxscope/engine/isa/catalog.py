"""The instructions as data: the only source of what the package knows about their syntax."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from .arithmetic_entries import ARITHMETIC_ENTRIES
from .common_entries import COMMON_ENTRIES
from .comparison_entries import COMPARISON_ENTRIES, HALF_ENTRIES
from .entry import Entry, SlotPlace
from .form import Form
from .integer_entries import INTEGER_ENTRIES
from .video_entries import VIDEO_ENTRIES

ENTRIES: tuple[Entry, ...] = (
    *COMPARISON_ENTRIES,
    *VIDEO_ENTRIES,
    *INTEGER_ENTRIES,
    *ARITHMETIC_ENTRIES,
    *HALF_ENTRIES,
    *COMMON_ENTRIES,
)
"""The entries, those of one opcode together: first the 27, in the order of the PTX ISA."""


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

    None if the catalog lacks the opcode, or has it with other types only, as ``add.f32``.
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


def find_carry_noun(opcode: str) -> str:
    """Return what the carry flag is to an opcode: ``carry``, ``borrow``; empty if it has none."""
    return next((x.carry_noun for x in list_shapes(opcode) if x.carry_noun), "")


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
