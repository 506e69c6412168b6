"""The forms of an instruction that are verified one by one."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ..isa.catalog import CATALOG, ENTRIES, get_entry
from ..isa.entry import CORE_GROUPS, Entry
from ..isa.form import Form
from ..isa.legality import draw_entry_form, iter_entry_forms, with_c
from ..syntax.instruction import Instruction, Register

_SELECTORS = ("asel", "bsel")


def list_verified_opcodes() -> tuple[str, ...]:
    """Return the comparisons, selections and video instructions, which ``--all`` verifies."""
    return tuple(opcode for opcode, entry in CATALOG.items() if entry.group in CORE_GROUPS)


def iter_forms(opcode: str) -> Iterator[Form]:
    """Yield every legal form of an opcode, without a c that nothing reads.

    Of a SIMD video instruction, which has billions of selectors, each form is yielded without
    selectors and with drawn ones, always the same.
    """
    rng = Random(opcode)  # noqa: S311 - not for security
    for entry in ENTRIES:
        if entry.opcode == opcode:
            yield from _iter_entry_forms(entry, rng)


def _iter_entry_forms(entry: Entry, rng: Random) -> Iterator[Form]:
    omitted = [x.name for x in entry.slots if entry.lanes > 1 and x.name in _SELECTORS]
    for form in iter_entry_forms(entry, omitted):
        if get_entry(form) is entry and form == with_c(form):
            yield form
            if omitted:
                drawn = draw_entry_form(entry, rng)
                yield form._replace(asel=drawn.asel, bsel=drawn.bsel)


def make_instruction(form: Form) -> Instruction:
    """Return a form with registers that are named by their roles: d, or p and q; a, b, c, e."""
    entry = get_entry(form)
    roles = (x.role for x in entry.sources if not x.is_implicit and (x.role != "c" or form.c))
    destinations = form.dst.names if form.dst else ("d",)
    return Instruction(form, destinations, tuple(map(Register, roles)))
