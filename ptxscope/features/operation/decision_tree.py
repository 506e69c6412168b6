"""Decision trees: the texts of a line by as few of a form's slots as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...engine.isa.entry import Slot, SlotPlace
from ...engine.isa.grammar import is_selector_slot
from ...engine.isa.types import DESTINATIONS, Destinations, Selector, Type

Table = dict[tuple[object, ...], tuple[str, ...]]
"""The true texts of a line by the values of slots; "" is that there is no line."""
Tree = str | tuple[Slot, "list[tuple[frozenset[object], Tree]]"]
"""A text, or a slot with the trees of groups of its values."""


def make_tree(table: Table, slots: Sequence[Slot]) -> Tree:
    """Return the tree of a table whose columns are slots."""
    return _grow(*_drop_slots(table, list(slots)))


def _drop_slots(table: Table, slots: list[Slot]) -> tuple[Table, list[Slot]]:
    """Return the texts by the slots that decide them alone."""
    for slot in sorted(slots, key=lambda x: x.name != "c"):
        index, merged = slots.index(slot), Table()
        for values, texts in table.items():
            place = values[:index] + values[index + 1 :]
            merged[place] = _intersect(merged.get(place, texts), texts)
        if all(merged.values()):
            table = merged
            slots = slots[:index] + slots[index + 1 :]
    return table, slots


def _intersect(texts: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(x for x in texts if x in others)


def _grow(table: Table, slots: list[Slot]) -> Tree:
    """Return the smallest tree of a table, presence before contents."""
    first, *others = table.values()
    for texts in others:
        first = _intersect(first, texts)
    if first:
        return first[0]
    trees: list[tuple[Slot, list[tuple[frozenset[object], Tree]]]] = []
    for index, slot in enumerate(slots):
        groups: list[tuple[set[object], Table]] = []
        for value in slot.values if not slot.is_optional else (*slot.values, slot.absent):
            part = {v[:index] + v[index + 1 :]: x for v, x in table.items() if v[index] == value}
            rest = slots[:index] + slots[index + 1 :]
            for values, own in groups:
                both = {
                    k: _intersect(own.get(k, part.get(k, ())), part.get(k, own.get(k, ())))
                    for k in own | part
                }
                if all(both.values()) and _count(_grow(both, rest)) <= _count(_grow(own, rest)):
                    values.add(value)
                    own.update(both)
                    break
            else:
                if part:
                    groups.append(({value}, part))
        if len(groups) > 1:
            branches = [(frozenset(x), _grow(own, rest)) for x, own in groups]
            is_absent = [slot.absent in x for x, _ in branches]
            order = sorted(
                range(len(branches)),
                key=lambda i: (
                    is_absent[i] and slot.is_optional,
                    branches[i][1] == "",
                    len(branches[i][0]),
                    -i if isinstance(slot.values[0], Type) else i,
                ),
            )
            trees.append((slot, [branches[i] for i in order]))
    return min(trees, key=lambda x: (_count(x), not x[0].is_optional))


def _count(tree: Tree) -> int:
    return 1 if isinstance(tree, str) else sum(_count(x) for _, x in tree[1])


# --- conditions ------------------------------------------------------------------------------

_KINDS: tuple[tuple[str, Callable[[Type], bool]], ...] = (
    ("signed", lambda x: x.signed),
    ("a float", lambda x: x.is_float),
)


def format_condition(slot: Slot, values: frozenset[object]) -> str:
    """Return the condition that a slot has one of some values."""
    if slot.is_optional and slot.absent in values:
        rest = frozenset(slot.values) - values
        return f"not {_bracket(format_condition(slot, rest))}" if rest else "always"
    words = [slot.format_value(x) for x in slot.values if x in values]
    if slot.name == "dst":
        return _say_written(slot, values)
    if slot.place is not SlotPlace.MODIFIER and not is_selector_slot(slot):
        return f"{slot.place} is negated"
    if is_selector_slot(slot):
        if values >= set(slot.values):
            return slot.name
        units = {x.unit for x in values if isinstance(x, Selector)}
        return f"{slot.name} is a {'byte' if units == {8} else 'half-word'}"
    dotted = _list([f".{x}" for x in words])
    if isinstance(slot.values[0], Type):
        for kind, holds in _KINDS:
            if len(values) > 1 and values == {
                x for x in slot.values if isinstance(x, Type) and holds(x)
            }:
                return f"{slot.name} is {kind}"
        return f"{slot.name} is {dotted}"
    if slot.name == "permute_mode":
        return "mode" if values >= set(slot.values) else f"mode is {dotted}"
    return dotted


def _say_written(slot: Slot, values: frozenset[object]) -> str:
    """Return the condition that a destination is written; where none is, it does not matter."""
    choices = [x for x in slot.values if isinstance(x, Destinations)]
    unused = {x for x in choices if not any(x.names)}
    for role in DESTINATIONS:
        if (used := {x for x in choices if role in x.names}) and used <= values <= used | unused:
            return f"{role} is written"
    return f"the destination is {_list([str(x) for x in choices if x in values])}"


def _bracket(text: str) -> str:
    return f"({text})" if " " in text else text


def _list(words: Sequence[str]) -> str:
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"


def list_values(slot: Slot) -> frozenset[object]:
    """Return all that a slot can be, with omission."""
    return frozenset(slot.iter_choices())
