"""Other statements of a listing that seem legal, as a regular expression."""

from __future__ import annotations

import re
from functools import cache
from itertools import product

from ...engine.isa.catalog import ENTRIES, find_violations
from ...engine.isa.entry import Entry, Group
from ...engine.isa.grammar import list_modifier_slots
from ...engine.isa.types import Form
from ...engine.syntax.opcodes import OTHER_OPCODES, make_alternation


@cache
def make_sound_pattern() -> str:
    """Return a regular expression for other statements that seem legal, each in one line.

    Of common instructions, the modifiers and the number of operands are checked.
    """
    common = [x for x in ENTRIES if x.is_common or x.group is Group.COMMON]
    heads = "|".join(map(_make_head_pattern, common))
    foreign = frozenset(name for entry in common for name in entry.foreign_types)
    types = rf"(?:\.\w++)*?\.(?:{make_alternation(foreign)})(?![\w$])"
    opcodes = make_alternation(frozenset(x.opcode for x in common))
    others = make_alternation(OTHER_OPCODES - {x.opcode for x in common})
    return (
        rf"(?:(?:{heads})[ \t]*+;"
        rf"|(?:(?:{others})(?![\w$])|(?:{opcodes}){types})"
        r"[^;{}\"/\n]*+(?>(?:\{[^{}\"/\n]*+\}[^;{}\"/\n]*+)*);)"
    )


def _make_head_pattern(entry: Entry) -> str:
    """Return a regular expression for the legal modifiers of a common entry, with operands."""
    slots = list_modifier_slots(entry)
    names = [slot.name for slot in slots]
    heads = set[str]()
    for values in product(*(slot.iter_choices() for slot in slots)):
        form = Form(entry.opcode, **dict(zip(names, values, strict=True)))  # type: ignore[arg-type]
        if not find_violations(form) and not entry.compute_minimum(form).family:
            words = (slot.format_value(x) for slot, x in zip(slots, values, strict=True))
            heads.add("".join(f".{word}" for word in words if word))
    count = 1 + len(entry.written_sources)
    name = r"%[\w$]++|(?!_[ \t,;])[A-Za-z_$][\w$]*+"
    number = r"-?(?:[1-9][0-9]*+|0[xX][0-9a-fA-F]++|0)U?+(?!\w)"
    source = rf"[ \t]*+,[ \t]*+(?:{name}|{number})"
    operands = rf"(?:{name})(?:{source}){{{count - 1}}}"
    if entry.is_move:
        operands = r"[^;\"/\n!]*+"
    return rf"{entry.opcode}(?:{'|'.join(sorted(map(re.escape, heads)))})[ \t]++{operands}"
