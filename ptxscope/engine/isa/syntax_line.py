"""The manual's syntax of an instruction, ``bfind{.shiftamt}.stype d, a``, read into slots.

Braces hold what may be omitted, ``|`` stands between alternatives; a word after a dot is a modifier
or the name of a slot. ``{-}a`` and ``{!}c`` may be negated, ``d{.dsel}`` may have a selector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from .entry import Slot, SlotPlace
from .types import (
    BoolOp,
    Cmp,
    ProductWord,
    Scale,
    SecOp,
    ShiftDirection,
    ShiftMode,
    Type,
    parse_selector,
)

_FLAGS = frozenset(("sat", "ftz", "po", "relu", "cc", "pack", "shiftamt"))
_LEADING = frozenset(("product_word", "byte_pair", "direction", "pack"))
"""The slots whose modifiers follow the opcode at once."""
_TWINS = {"mode": "permute_mode", "product_word": "byte_pair"}
"""The slots that the manual writes like others."""
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
"""The values of slots that the syntax only names, unless the instruction has others."""


def read_syntax(line: str, **values: Sequence[object]) -> tuple[str, str, tuple[Slot, ...]]:
    """Return an opcode, the line of its syntax, and its slots.

    ``values`` are those of slots, as the manual has ``.type = { .u32, .s32 }`` below the line.
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
    """Return the slots at operands: first what stands before these, then selectors, then c."""
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
