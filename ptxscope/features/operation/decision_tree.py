"""Decision trees, which choose the text of a line by as few of a form's slots as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...engine.isa.entry import Slot, SlotPlace
from ...engine.isa.grammar import is_selector_slot
from ...engine.isa.types import DESTINATIONS, Destinations, Selector, Type

ItemT = TypeVar("ItemT")

Table = dict[tuple[object, ...], tuple[str, ...]]
"""The true texts of a line by the values of slots; an empty text means that there is no line."""
Tree = str | tuple[Slot, "list[Branch]"]
"""A text, or a slot with the trees of groups of its values."""
Branch = tuple[frozenset[object], Tree]


def make_tree(table: Table, slots: Sequence[Slot]) -> Tree:
    """Return the tree of a table whose columns are slots."""
    return _grow(*_drop_slots(table, list(slots)))


def _drop_slots(table: Table, slots: list[Slot]) -> tuple[Table, list[Slot]]:
    """Return a table without the slots that its texts do not need."""
    for slot in sorted(slots, key=lambda x: x.name != "c"):
        index, merged = slots.index(slot), Table()
        for values, texts in table.items():
            key = _drop(values, index)
            merged[key] = _intersect(merged.get(key, texts), texts)
        if all(merged.values()):
            table = merged
            slots = [*_drop(slots, index)]
    return table, slots


def _drop(items: Sequence[ItemT], index: int) -> tuple[ItemT, ...]:
    return (*items[:index], *items[index + 1 :])


def _intersect(texts: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(x for x in texts if x in others)


def _grow(table: Table, slots: Sequence[Slot]) -> Tree:
    """Return the smallest tree of a table, presence before contents."""
    first, *others = table.values()
    for texts in others:
        first = _intersect(first, texts)
    if first:
        return first[0]
    trees: list[tuple[Slot, list[Branch]]] = []
    for index, slot in enumerate(slots):
        branches = _make_branches(table, slots, index)
        if len(branches) > 1:
            trees.append((slot, _sort_branches(slot, branches)))
    return min(trees, key=lambda x: (_count(x), not x[0].is_optional))


def _make_branches(table: Table, slots: Sequence[Slot], index: int) -> list[Branch]:
    """Return the trees of a slot's values, which are grouped if that makes no tree larger."""
    slot, others = slots[index], _drop(slots, index)
    groups: list[tuple[set[object], Table, Tree]] = []
    for value in (*slot.values, slot.absent) if slot.is_optional else slot.values:
        part = {_drop(v, index): x for v, x in table.items() if v[index] == value}
        for number, (values, group, tree) in enumerate(groups):
            joint = _merge(group, part)
            if all(joint.values()) and _count(joint_tree := _grow(joint, others)) <= _count(tree):
                groups[number] = ({*values, value}, joint, joint_tree)
                break
        else:
            if part:
                groups.append(({value}, part, _grow(part, others)))
    return [(frozenset(values), tree) for values, _, tree in groups]


def _merge(table: Table, other: Table) -> Table:
    """Return the texts that both tables have, by the values of either."""
    return {
        key: _intersect(table.get(key, other.get(key, ())), other.get(key, table.get(key, ())))
        for key in table | other
    }


def _sort_branches(slot: Slot, branches: list[Branch]) -> list[Branch]:
    """Return branches with small groups first, those without a line and omission last."""
    if isinstance(slot.values[0], Type):
        branches = branches[::-1]
    return sorted(
        branches,
        key=lambda x: (slot.is_optional and slot.absent in x[0], x[1] == "", len(x[0])),
    )


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
        return _format_destination(slot, values)
    if slot.place is not SlotPlace.MODIFIER and not is_selector_slot(slot):
        return f"{slot.place} is negated"
    if is_selector_slot(slot):
        if values >= set(slot.values):
            return slot.name
        units = {x.unit for x in values if isinstance(x, Selector)}
        return f"{slot.name} is a {'byte' if units == {8} else 'half-word'}"
    dotted = _join_words([f".{x}" for x in words])
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


def _format_destination(slot: Slot, values: frozenset[object]) -> str:
    """Return the condition that a destination is written; forms without one are ignored."""
    choices = [x for x in slot.values if isinstance(x, Destinations)]
    unused = {x for x in choices if not any(x.names)}
    for role in DESTINATIONS:
        if (used := {x for x in choices if role in x.names}) and used <= values <= used | unused:
            return f"{role} is written"
    return f"the destination is {_join_words([str(x) for x in choices if x in values])}"


def _bracket(text: str) -> str:
    return f"({text})" if " " in text else text


def _join_words(words: Sequence[str]) -> str:
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"


def list_values(slot: Slot) -> frozenset[object]:
    """Return all choices of a slot, with omission if that is legal."""
    return frozenset(slot.iter_choices())
