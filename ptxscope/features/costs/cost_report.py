"""What typical forms of an instruction cost, as a part of a report and of the manual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...documents.formats.markup import Block, make_heading, make_points, make_verbatim
from ...engine.isa.catalog import CATALOG, get_entry
from ...engine.isa.entry import Entry, SlotPlace
from ...engine.isa.grammar import is_type_slot
from ...engine.isa.types import Cmp, Form
from ...engine.syntax.parser import parse
from .cost_table import ARCHITECTURES, RARE_SLOTS, FormCost, find_cheaper, format_saving, read_table

_MAX_ROWS, _MAX_OTHER_ROWS = 12, 4
"""The forms that are shown of the first entry of an opcode, and of each other."""


def list_typical(entry: Entry) -> list[FormCost]:
    """Return the costs of typical forms of an entry: one type, and one modifier at most."""
    found = [x for x in _list_costs(entry) if _is_typical(entry, parse(x.line).form)]
    types = [x for x in entry.slots if is_type_slot(x)]
    found.sort(key=lambda x: _count_modifiers(entry, parse(x.line).form))
    shown = found[: _MAX_ROWS if entry is CATALOG[entry.opcode] else _MAX_OTHER_ROWS]
    return [x for x in _list_costs(entry) if x in shown] if types else shown


def _list_costs(entry: Entry) -> list[FormCost]:
    costs = read_table().costs.values()
    return [x for x in costs if x.opcode == entry.opcode and get_entry(parse(x.line).form) is entry]


def _count_modifiers(entry: Entry, form: Form) -> int:
    return sum(form.get(x.name) != x.absent for x in entry.slots if x.is_optional and x.name != "c")


def _is_typical(entry: Entry, form: Form) -> bool:
    types = {form.get(x.name) for x in entry.slots if is_type_slot(x)}
    has_one_type = len(types) < 2 or entry.find_slot("btype") is None
    return has_one_type and not any(form.get(x) for x in RARE_SLOTS) and form.cmp in (None, Cmp.LT)


class CheaperForms(NamedTuple):
    """Forms that give the same bits as a cheaper one, for all operands."""

    cheap: FormCost
    costs: tuple[FormCost, ...]
    """The others, the dearest first."""
    without: str
    """The modifiers without which they are all forms with other types; empty if they are not."""

    @property
    def sentence(self) -> str:
        """What is saved, in words."""
        word, dear = _format_mnemonic(self.cheap), self.costs[0]
        if self.without:
            return (
                f"without {self.without}, the types change nothing: {word} gives the same bits, in "
                f"{max(self.cheap.counts)} machine instructions instead of up to {max(dear.counts)}"
            )
        names = ", ".join(map(_format_mnemonic, self.costs))
        each = "each of " if len(self.costs) > 1 else ""
        most = "at most " * (len({x.counts for x in self.costs}) > 1)
        saving = format_saving(dear, self.cheap)
        return f"{word} gives the same bits as {each}{names}, in fewer instructions: {most}{saving}"


def list_cheaper(entry: Entry) -> list[CheaperForms]:
    """Return the forms of an entry that have a cheaper equal one, by that and by modifiers."""
    groups: dict[tuple[str, str], list[FormCost]] = {}
    for cost in _list_costs(entry):
        form, cheap = parse(cost.line).form, find_cheaper(cost)
        if cheap and not form.dsel and not form.mask:
            groups.setdefault((cheap.line, _without_types(entry, cost)), []).append(cost)
    return [
        _make_group(entry, read_table().costs[line], sorted(costs, key=lambda x: -max(x.counts)))
        for (line, _), costs in groups.items()
    ]


def _make_group(entry: Entry, cheap: FormCost, costs: list[FormCost]) -> CheaperForms:
    key = _without_types(entry, cheap)
    same = [x for x in _list_costs(entry) if _without_types(entry, x) == key]
    slots = [x for x in entry.slots if x.is_optional and x.place is SlotPlace.MODIFIER]
    form = parse(cheap.line).form
    is_plain = all(form.get(x.name) == x.absent for x in slots)
    are_all = {*same} == {cheap, *costs} and len(same) > 2 and is_plain
    words = [f"`.{x.format_value(value)}`" for x in slots for value in x.values]
    return CheaperForms(cheap, tuple(costs), " and ".join(words) if are_all else "")


def _without_types(entry: Entry, cost: FormCost) -> str:
    form = parse(cost.line).form
    return str([form.get(x.name) for x in entry.slots if not is_type_slot(x)])


def _format_mnemonic(cost: FormCost) -> str:
    return f"`{cost.line.partition(' ')[0]}`"


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
