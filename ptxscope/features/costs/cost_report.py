"""The costs of typical forms of an instruction, as a part of a report and of the manual."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...documents.formats.markup import Block, make_heading, make_points, make_verbatim
from ...engine.isa.catalog import CATALOG, get_entry
from ...engine.isa.entry import Entry, SlotPlace
from ...engine.isa.grammar import is_type_slot
from ...engine.isa.types import WORD_BITS, Cmp, Form, Type
from ...engine.syntax.parser import parse
from .cost_table import ARCHITECTURES, RARE_SLOTS, FormCost, find_cheaper, format_saving, read_table

_MAX_NAMES = 4
"""Forms that are named in a sentence."""
_MAX_ROWS, _MAX_OTHER_ROWS = 12, 6
"""Rows for the first entry of an opcode, and for each other entry."""


def list_typical(entry: Entry) -> list[FormCost]:
    """Return the costs of typical forms of an entry: one type, and one modifier at most."""
    forms = _map_forms(entry)
    costs = [x for x, form in forms.items() if _is_typical(entry, form)]
    costs.sort(key=lambda x: (_count_modifiers(entry, forms[x]), _is_unusual(entry, forms[x])))
    limit = _MAX_ROWS if entry is CATALOG[entry.opcode] else _MAX_OTHER_ROWS
    costs = costs[:: -(-len(costs) // limit) or 1]  # some of all types, not those of the first
    has_types = any(map(is_type_slot, entry.slots))
    return [x for x in forms if x in costs] if has_types else costs


def _map_forms(entry: Entry) -> dict[FormCost, Form]:
    """Return the recorded costs of an entry in the table's order, each with its form."""
    costs = (x for x in read_table().costs.values() if x.opcode == entry.opcode)
    forms = {x: parse(x.line).form for x in costs}
    return {x: form for x, form in forms.items() if get_entry(form) is entry}


def _count_modifiers(entry: Entry, form: Form) -> int:
    return sum(form.get(x.name) != x.absent for x in entry.slots if x.is_optional and x.name != "c")


def _is_unusual(entry: Entry, form: Form) -> bool:
    """Return whether a type is not of 32 bits."""
    types = (form.get(x.name) for x in entry.slots if is_type_slot(x))
    return any(isinstance(x, Type) and x.bits != WORD_BITS for x in types)


def _is_typical(entry: Entry, form: Form) -> bool:
    types = {form.get(x.name) for x in entry.slots if is_type_slot(x)}
    has_one_type = len(types) < 2 or entry.find_slot("btype") is None
    return has_one_type and not any(form.get(x) for x in RARE_SLOTS) and form.cmp in (None, Cmp.LT)


class CheaperForms(NamedTuple):
    """Forms that give the same bits as a cheaper one, for all operands."""

    cheap: FormCost
    costs: tuple[FormCost, ...]
    """The others, the most expensive first."""
    without: str
    """The modifiers without which they are all forms with other types; empty if they are not."""

    @property
    def sentence(self) -> str:
        """A sentence on the saving."""
        word, dear = f"`{self.cheap.subject}`", self.costs[0]
        if self.without:
            return (
                f"without {self.without}, the types change nothing: {word} gives the same bits, in "
                f"{max(self.cheap.counts)} machine instructions instead of up to {max(dear.counts)}"
            )
        names = ", ".join(f"`{x.subject}`" for x in self.costs)
        each = "each of " if len(self.costs) > 1 else ""
        if len(self.costs) > _MAX_NAMES:
            names, each = f"with {len(self.costs)} other combinations of types", ""
        most = "at most " * (len({x.counts for x in self.costs}) > 1)
        saving = format_saving(dear, self.cheap)
        return f"{word} gives the same bits as {each}{names}, in fewer instructions: {most}{saving}"


def list_cheaper(entry: Entry) -> list[CheaperForms]:
    """Return the forms with a cheaper equal one, grouped by the latter and by their modifiers."""
    groups: dict[tuple[FormCost, str], list[FormCost]] = {}
    forms = _map_forms(entry)
    for cost, form in forms.items():
        if cheap := find_cheaper(cost):
            groups.setdefault((cheap, _make_key(entry, form)), []).append(cost)
    return [
        _make_group(entry, forms, cheap, sorted(costs, key=lambda x: -max(x.counts)))
        for (cheap, _), costs in groups.items()
    ]


def _make_group(
    entry: Entry, forms: Mapping[FormCost, Form], cheap: FormCost, costs: list[FormCost]
) -> CheaperForms:
    cheap_form = parse(cheap.line).form
    key = _make_key(entry, cheap_form)
    same = [x for x, form in forms.items() if _make_key(entry, form) == key]
    slots = [x for x in entry.slots if x.is_optional and x.place is SlotPlace.MODIFIER]
    is_simple = all(cheap_form.get(x.name) == x.absent for x in slots)
    are_all = {*same} == {cheap, *costs} and len(same) > 2 and is_simple
    words = [f"`.{x.format_value(value)}`" for x in slots for value in x.values]
    return CheaperForms(cheap, tuple(costs), " and ".join(words) if are_all else "")


def _make_key(entry: Entry, form: Form) -> str:
    """Return a form without its types."""
    return str([form.get(x.name) for x in entry.slots if not is_type_slot(x)])


def iter_blocks(entry: Entry) -> Iterator[Block]:
    """Yield the machine instructions of typical forms, and cheaper equal forms."""
    costs, table = list_typical(entry), read_table()
    if not costs:
        return
    yield make_heading(f"machine instructions ({table.ptxas}):", 1)
    width = max(len(x.line) for x in costs)
    head = "".join(f"{x:>8}" for x in ARCHITECTURES)
    rows = (f"  {x.line:<{width}}" + "".join(f"{n:>8}" for n in x.counts) for x in costs)
    yield make_verbatim([f"  {'':<{width}}{head}", *rows], is_close=True)
    if points := [[x.sentence] for x in list_cheaper(entry)]:
        yield make_points(points, is_close=True)
