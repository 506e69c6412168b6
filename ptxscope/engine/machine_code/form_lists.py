"""The forms of an instruction that are verified one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from ..isa.catalog import CATALOG
from ..isa.entry import CORE_GROUPS, Slot
from ..isa.form import Form
from ..isa.legality import draw_form, find_violations, with_c
from ..syntax.instruction import Instruction, Register

_SELECTORS = ("asel", "bsel")


def list_verified_opcodes() -> tuple[str, ...]:
    """Return the comparisons, selections and video instructions, whose forms are verified."""
    return tuple(opcode for opcode, entry in CATALOG.items() if entry.group in CORE_GROUPS)


def iter_forms(opcode: str) -> Iterator[Form]:
    """Yield every legal form of an opcode's first entry, without a c that nothing reads.

    Of a SIMD video instruction, which has billions of selectors, each form is yielded without
    selectors and with drawn ones, always the same.
    """
    entry = CATALOG[opcode]
    slots = [x for x in entry.slots if entry.lanes == 1 or x.name not in _SELECTORS]
    rng = Random(opcode)  # noqa: S311 - not for security
    for form in _iter_legal(opcode, slots):
        yield form
        if len(slots) < len(entry.slots):
            drawn = draw_form(opcode, rng)
            yield form._replace(asel=drawn.asel, bsel=drawn.bsel)


def _iter_legal(opcode: str, slots: list[Slot]) -> Iterator[Form]:
    names = [slot.name for slot in slots]
    blank = Form(opcode, c=CATALOG[opcode].needs_c)
    for values in product(*(slot.iter_choices() for slot in slots)):
        form = blank._replace(**dict(zip(names, values, strict=True)))  # type: ignore[arg-type]
        if form == with_c(form) and not find_violations(form):
            yield form


def make_instruction(form: Form) -> Instruction:
    """Return a form with registers that are named by their roles: d, or p and q; a, b, c, e."""
    entry = CATALOG[form.opcode]
    roles = (x.role for x in entry.sources if not x.is_implicit and (x.role != "c" or form.c))
    destinations = form.dst.names if form.dst else ("d",)
    return Instruction(form, destinations, tuple(map(Register, roles)))
