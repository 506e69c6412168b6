"""Completions of an instruction that is being typed."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..isa.catalog import CATALOG, find_entry, find_violations, list_shapes
from ..isa.entry import Entry, SlotPlace
from ..isa.grammar import (
    SLOT_NAMES,
    is_selector_slot,
    is_type_slot,
    list_modifier_slots,
    map_spellings,
)
from ..isa.types import Form, Selector, Type

_GUARD = re.compile(r"\s*+(?>@\s*+(?>!\s*+|)[\w$%]++\s++|)")
_MNEMONIC = re.compile(r"[\w.]*")


class Completion(NamedTuple):
    """A word that may be inserted at position ``start`` of the text."""

    text: str
    start: int
    about: str


def find_completions(text: str) -> tuple[Completion, ...]:
    """Return the words that complete or continue the text, in documented order.

    These are opcodes, unused legal modifiers, and selectors of operands.
    """
    guard = _GUARD.match(text)
    start = guard.end() if guard else 0
    mnemonic = _MNEMONIC.match(text, start)
    assert mnemonic
    words = mnemonic[0].split(".")
    if mnemonic.end() == len(text):
        if len(words) == 1:
            return tuple(
                Completion(opcode, start, entry.summary)
                for opcode, entry in CATALOG.items()
                if opcode.startswith(words[0])
            )
        word_start = len(text) - len(words[-1])
        completions: dict[str, Completion] = {}
        for entry in list_shapes(words[0]):
            for completion in _complete_modifiers(entry, words[1:-1], words[-1], word_start):
                completions.setdefault(completion.text, completion)
        return tuple(completions.values())
    chosen_entry = find_entry(words[0], words[1:])
    return _complete_selectors(chosen_entry, text, mnemonic.end()) if chosen_entry else ()


def _complete_modifiers(
    entry: Entry, used_words: list[str], prefix: str, start: int
) -> tuple[Completion, ...]:
    spellings = map_spellings(entry)
    types = [slot for slot in list_modifier_slots(entry) if is_type_slot(slot)]
    values: dict[str, object] = {}
    for word in used_words:
        if word in spellings:
            slot, value = spellings[word]
            values[slot.name] = value
        elif types and word in map(str, types[0].values):
            values[types.pop(0).name] = Type(word)
        else:
            return ()
    completions = []
    slots = list_modifier_slots(entry)
    is_first = not used_words
    if any(slot.is_leading and not slot.is_optional for slot in slots) or not is_first:
        slots = tuple(slot for slot in slots if slot.is_leading is is_first)
    for slot in slots:
        if slot.name in values or (is_type_slot(slot) and slot is not types[0]):
            continue
        for value in slot.values:
            word = slot.format_value(value)
            if word.startswith(prefix) and _can_extend(entry, values | {slot.name: value}):
                completions.append(Completion(word, start, SLOT_NAMES[slot.name]))
    return tuple(completions)


def _can_extend(entry: Entry, values: dict[str, object]) -> bool:
    """Whether the values chosen so far break no constraint among themselves."""
    form = Form(entry.opcode, c=True, **values)  # type: ignore[arg-type]
    chosen_slots = {*values}
    return not any(set(constraint.slots) <= chosen_slots for constraint in find_violations(form))


def _complete_selectors(entry: Entry, text: str, mnemonic_end: int) -> tuple[Completion, ...]:
    operand = text[mnemonic_end:]
    index = operand.count(",")
    match = re.search(r"[\w$%]\.(\w*+)$", operand)
    places = [SlotPlace.D, SlotPlace.A, SlotPlace.B, SlotPlace.C]
    if match is None or index >= len(places):
        return ()
    slot = next((s for s in entry.slots if s.place is places[index] and is_selector_slot(s)), None)
    if slot is None:
        return ()
    start = len(text) - len(match[1])
    if len(slot.values) > 16:
        first_lane = 0 if slot.place is SlotPlace.A else entry.lanes
        default = Selector(32 // entry.lanes, tuple(range(first_lane, first_lane + entry.lanes)))
        choices: list[object] = [default]
    else:
        choices = list(slot.values)
    return tuple(
        Completion(str(value), start, SLOT_NAMES[slot.name])
        for value in choices
        if str(value).startswith(match[1])
    )
