"""The syntax of instructions: the catalog's slots as words and patterns."""

from __future__ import annotations

from collections.abc import Container
from functools import cache

from .entry import Entry, Slot, SlotPlace
from .form import Form
from .legality import with_slot
from .types import Selector, Type

SLOT_NAMES = {
    "cmp": "comparison",
    "boolop": "Boolean operator",
    "ftz": "flush of subnormals",
    "dtype": "destination type (dtype)",
    "atype": "type of a (atype)",
    "btype": "type of b (btype)",
    "stype": "source type",
    "ctype": "type of c",
    "po": "plus one",
    "sat": "saturation",
    "mode": "shift mode",
    "scale": "scaling shift",
    "secop": "secondary operation",
    "dst": "destinations",
    "dsel": "destination selector (dsel)",
    "mask": "lane mask",
    "asel": "selector of a (asel)",
    "bsel": "selector of b (bsel)",
    "nega": "negation of a",
    "negb": "negation of b",
    "negc": "negation of c",
    "c": "third source operand",
    "permute_mode": "permute mode",
    "direction": "direction",
    "byte_pair": "bytes of b",
    "product_word": "word of the product",
    "relu": "limit below",
    "cc": "carry output",
    "pack": "packing",
    "shiftamt": "shift amount",
    "lut": "truth table",
    "nege": "negation of e",
}
"""The name of each slot in sentences."""


@cache
def map_spellings(entry: Entry) -> dict[str, tuple[Slot, object]]:
    """Map the spelling of each modifier of an instruction, except types, to its slot and value."""
    return {
        slot.format_value(value): (slot, value)
        for slot in list_modifier_slots(entry)
        if not is_type_slot(slot)
        for value in slot.values
    }


@cache
def list_modifier_slots(entry: Entry) -> tuple[Slot, ...]:
    """Return the slots written after the opcode, in documented order."""
    return tuple(slot for slot in entry.slots if slot.place is SlotPlace.MODIFIER)


def is_type_slot(slot: Slot) -> bool:
    """Whether the values of a slot are types."""
    return isinstance(slot.values[0], Type)


def is_selector_slot(slot: Slot) -> bool:
    """Whether the values of a slot are selectors or masks."""
    return isinstance(slot.values[0], Selector)


def format_allowed_values(slot: Slot) -> str:
    """Return the spellings of a slot's values, with their dots."""
    return " ".join(f".{slot.format_value(value)}" for value in slot.values)


def format_misprint(entry: Entry, word: str) -> str:
    """Return the end of a message about a word; it names the manual's example that has it."""
    example = entry.misprints.get(word)
    if not example:
        return ""
    return f". The example {example} published in the PTX ISA is wrong: no assembler accepts it"


def find_undocumented_values(entry: Entry, slot: Slot) -> tuple[object, ...]:
    """Return the values of a slot that are undocumented in every form."""
    remarks = [x for x in entry.remarks if x.slots == (slot.name,) and not x.is_documented]
    values = slot.values if remarks else ()
    return tuple(
        value
        for value in values
        if any(x.applies_to(with_slot(Form(entry.opcode), slot.name, value)) for x in remarks)
    )


def format_slot_choices(slot: Slot, marked_values: Container[object] = (), mark: str = "") -> str:
    """Return the legal values of a slot, summarised if there are more than 20.

    ``mark`` follows each value in ``marked_values``.
    """
    first, last = slot.values[0], slot.values[-1]
    if len(slot.values) > 20 and isinstance(first, int) and isinstance(last, int):
        return f"0x{first:02x} to 0x{last:02x} ({len(slot.values):,})"
    if len(slot.values) > 20:
        width = len(str(slot.values[0])) - 1
        unit = str(slot.values[0])[0]
        digits = f".{unit} and {width} digits 0-{2 * width - 1}"
        return f"{digits}, in any order, repeats allowed ({len(slot.values):,})"
    if slot.word and slot.place is not SlotPlace.MODIFIER:
        return f"{slot.word}{mark * (True in marked_values)} before the operand"
    dot = "" if slot.name == "dst" else "."
    return " ".join(
        f"{dot}{slot.format_value(value)}{mark * (value in marked_values)}" for value in slot.values
    )
