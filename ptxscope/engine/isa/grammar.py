"""The syntax of instructions: the manual's line read into slots, and slots as words and patterns.

In a line such as ``bfind{.shiftamt}.stype d, a``, braces enclose optional parts, and ``|``
separates alternatives; a word after a dot is a modifier or the name of a slot. ``{-}a`` and
``{!}c`` may be negated, ``d{.dsel}`` may have a selector.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cache

from .entry import Entry, Slot, SlotPlace
from .types import (
    BoolOp,
    Cmp,
    ProductWord,
    Scale,
    SecOp,
    Selector,
    ShiftDirection,
    ShiftMode,
    Type,
    parse_selector,
)

_FLAGS = frozenset(("sat", "ftz", "po", "relu", "cc", "pack", "shiftamt"))
_LEADING = frozenset(("product_word", "byte_pair", "direction", "pack"))
"""The slots whose modifiers directly follow the opcode."""
_TWINS = {"mode": "permute_mode", "product_word": "byte_pair"}
"""The slots whose notation in the manual is that of others."""
_SELECTORS = ("dsel", "mask", "asel", "bsel")
NUMBERS = tuple(t for t in Type if t.bits > 8 and t.lanes == 1 and not t.is_half)
_ALTERNATIVES: Mapping[str, Sequence[object]] = {
    "boolop": tuple(BoolOp),
    "secop": tuple(SecOp),
    "mode": tuple(ShiftMode),
    "scale": tuple(Scale),
    "direction": tuple(ShiftDirection),
    "product_word": tuple(ProductWord),
}
"""The slots whose values the syntax lists."""
_NAMES = {str(value): name for name, values in _ALTERNATIVES.items() for value in values}
_PARTS = tuple(map(parse_selector, ("b0", "b1", "b2", "b3", "h0", "h1")))
_VALUES: Mapping[str, Sequence[object]] = {
    **_ALTERNATIVES,
    "cmp": tuple(Cmp),
    "stype": NUMBERS,
    **dict.fromkeys(("dtype", "atype", "btype"), (Type.U32, Type.S32)),
    **dict.fromkeys(("dsel", "asel", "bsel"), _PARTS),
}
"""The default values of slots that the syntax only names."""


def read_syntax(line: str, **values: Sequence[object]) -> tuple[str, str, tuple[Slot, ...]]:
    """Return an opcode, the line of its syntax, and its slots.

    ``values`` are slots' values, like the manual's ``.type = { .u32, .s32 }`` below the line.
    """
    opcode = line[: line.index(".")].rstrip("{")
    return opcode, line, _read_slots(line.removeprefix(opcode), tuple(values.items()))


@cache
def _read_slots(
    syntax: str, values_by_name: tuple[tuple[str, Sequence[object]], ...]
) -> tuple[Slot, ...]:
    modifiers, _, operands = syntax.replace("|.", "|").partition(" ")
    values = dict(values_by_name)
    slots = (_read_modifier(x, values) for x in modifiers.split(".")[1:])  # `dtype{`, `sat}`
    return (*slots, *_read_operands(operands, values))


def _read_modifier(part: str, values: Mapping[str, Sequence[object]]) -> Slot:
    text, is_optional = part.strip("{}"), "}" in part
    if text in _FLAGS:
        return Slot(text, (True,), is_optional, word=text, is_leading=text in _LEADING)
    words = text.split("|")
    name = _NAMES.get(words[0], text)
    if _TWINS.get(name) in values:
        name = _TWINS[name]
    chosen = values.get(name) or _VALUES[name]
    if words[0] in _NAMES:
        chosen = tuple(x for x in chosen if x in words)
    return Slot(name, chosen, is_optional, is_leading=name in _LEADING)


def _read_operands(text: str, values: Mapping[str, Sequence[object]]) -> list[Slot]:
    """Return the slots at operands: first prefixes, then selectors, then c."""
    slots = []
    for part in text.split(", "):  # `{-}a{.asel}`, `p{|q}`, `b{`, `c}`
        prefix, operand = (part[1], part[3:]) if part[0] == "{" else ("", part)
        name = operand.partition("{")[0].partition("|")[0].rstrip("}")
        selector = operand.partition("{.")[2].partition("}")[0]
        place = SlotPlace(name.replace("p", "d"))
        if place is SlotPlace.D and "dst" in values:
            slots.append(Slot("dst", values["dst"], place=place))
        if place is SlotPlace.TABLE:
            slots.append(Slot(name, range(256), place=place))
        if prefix:
            slots.append(Slot(f"neg{name}", (True,), is_optional=True, place=place, word=prefix))
        if selector:
            selectors = values.get(selector) or _VALUES[selector]
            slots.append(Slot(selector, selectors, is_optional=True, place=place))
        if part.count("}") > part.count("{"):
            slots.append(Slot(name, (True,), is_optional=True, place=place, word=name))
    return sorted(slots, key=lambda x: (x.name == "c", x.name in _SELECTORS))


# --- words and patterns -------------------------------------------------------------------

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
    """Return the end of a message about a word in an example of the manual."""
    example = entry.misprints.get(word)
    if not example:
        return ""
    return f". The example {example} published in the PTX ISA is wrong: no assembler accepts it"


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
