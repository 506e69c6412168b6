"""Opcodes that are easily confused, and forms carried over from one to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from ..engine.isa.catalog import ENTRIES, get_entry
from ..engine.isa.entry import Entry
from ..engine.isa.form import Form
from ..engine.isa.types import CMP6, Role, Type

_CONFUSION_COSTS = {
    frozenset(pair): cost
    for cost, *pairs in (
        (2, ("vadd", "vsub"), ("vmin", "vmax"), ("vshl", "vshr"), ("vadd", "vavrg")),
        (2, ("shl", "shr"), ("and", "or"), ("and", "xor"), ("or", "xor"), ("div", "rem")),
        (3, ("vsub", "vabsdiff")),
    )
    for pair in pairs
}
"""Cost of confusing two operations; other pairs of the same shape cost `_DEFAULT_COST`."""
_DEFAULT_COST = 4
_LANE_WIDTH_COST = 3
"""Cost of the same operation on lanes of another width."""
_SET_COST = 3
"""Cost of ``set`` for ``vset``, and the reverse."""

_POSITION_COST = 3
"""Cost of ``clz`` for ``bfind``, and the reverse."""


class ConfusableOpcode(NamedTuple):
    """An opcode that may have been meant, or may have run."""

    opcode: str
    cost: int
    slots: Mapping[str, object] = {}
    """Slots with another name in that opcode."""


def _get_shape(entry: Entry) -> tuple[str, list[str], list[str]]:
    """Return an instruction's group, the names of its slots, and the roles of its operands."""
    roles: list[str] = [operand.role for operand in entry.operands]
    return entry.group, [slot.name for slot in entry.slots], roles


@cache
def _find_similar_opcodes(entry: Entry) -> tuple[ConfusableOpcode, ...]:
    """Return opcodes with the same slots, or with the same operation on lanes of other widths."""
    opcodes: dict[str, ConfusableOpcode] = {}
    for candidate in ENTRIES:
        name = candidate.opcode
        pair = frozenset((entry.base_opcode, candidate.base_opcode))
        if name == entry.opcode or name in opcodes:
            continue
        if len(pair) == 1:
            opcodes[name] = ConfusableOpcode(name, _LANE_WIDTH_COST)
        elif candidate.lanes == entry.lanes and _get_shape(candidate) == _get_shape(entry):
            opcodes[name] = ConfusableOpcode(name, _CONFUSION_COSTS.get(pair, _DEFAULT_COST))
    return tuple(opcodes.values())


def find_confusable_opcodes(form: Form) -> Iterator[ConfusableOpcode]:
    """Yield the opcodes that a form's opcode may be confused with, if the form stays legal."""
    others = (*_iter_set_opcodes(form), *_iter_bit_positions(form))
    for opcode in (*_find_similar_opcodes(get_entry(form)), *others):
        changed_form = carry_over_form(form._replace(opcode=opcode.opcode, **opcode.slots))  # type: ignore[arg-type]
        if changed_form and _has_same_widths(form, changed_form):
            yield opcode


def _has_same_widths(form: Form, changed_form: Form) -> bool:
    """Whether the operands that both forms have are equally wide: registers stay what they are."""
    widths, changed_widths = (
        {x.role: x.get_type(y).bits for x in get_entry(y).operands if x.role != Role.C or y.c}
        for y in (form, changed_form)
    )
    return all(changed_widths.get(role, bits) == bits for role, bits in widths.items())


def _iter_set_opcodes(form: Form) -> Iterator[ConfusableOpcode]:
    """Yield ``vset`` for ``set``, or ``set`` for ``vset``, with the same comparison."""
    types = (Type.U32, Type.S32)
    if form.opcode == "set" and form.stype in types and form.dtype in types and form.cmp in CMP6:
        source_slots = {"atype": form.stype, "btype": form.stype}
        yield ConfusableOpcode("vset", _SET_COST, {"dtype": None, "stype": None, **source_slots})
    if form.opcode == "vset" and form.atype is form.btype:
        slots = {"stype": form.atype, "atype": None, "btype": None, "dtype": Type.U32}
        yield ConfusableOpcode("set", _SET_COST, slots)


def _iter_bit_positions(form: Form) -> Iterator[ConfusableOpcode]:
    """Yield ``bfind`` for ``clz``, or the reverse: the highest 1 counted from the other end."""
    bits = form.stype.bits if form.stype else 0
    if form.opcode == "clz":
        yield ConfusableOpcode("bfind", _POSITION_COST, {"stype": Type(f"u{bits}")})
    if form.opcode == "bfind" and not form.shiftamt:
        yield ConfusableOpcode("clz", _POSITION_COST, {"stype": Type(f"b{bits}")})


def carry_over_form(form: Form) -> Form | None:
    """Return a form whose opcode was replaced, with c if the instruction requires it.

    Return None if a slot has a value that the instruction does not take.
    """
    # the statements around set these for the opcode that was replaced
    form = form._replace(is_carry_in_inverted=False, is_carry_out_inverted=False)
    entry = get_entry(form)
    for name in Form._fields[1:]:
        if name == "c":
            continue
        value, slot = form.get(name), entry.find_slot(name)
        if slot is None:
            if value:
                return None
        elif not (slot.is_optional and value == slot.absent) and value not in slot.values:
            return None
    return form if entry.is_c_optional else form._replace(c=entry.needs_c)
