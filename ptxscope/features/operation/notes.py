"""Notes on pseudocode: the meanings of the words in its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.isa.encodings import UNIT_NAMES
from ...engine.isa.entry import Entry
from ...engine.isa.types import Selector, Type
from .row_expressions import get_own_lanes

_NOTES = (
    (r"low (?:\d+ )?bits(?s:.*)", "Numbers are exact: nothing wraps until a line takes low bits."),
    (r"\b[su](\d+)\(", "`s{1}(x)` is the low {1} bits of x as a signed number, `u{1}(x)` as an "
     "unsigned one."),
    (r"([a-z]type)\((?!1\.0)", "`{1}(x)` is the low bits of x, read as a number of that type."),
    (r"([a-z]type)\(1\.0\)", "`{1}(1.0)` is the bits of 1.0 in that type."),
    (r"range of (\w+)", "`range of {1}` is that of the numbers of the type."),
    (r"signed\(x\)", "`signed(x)` and `unsigned(x)` read all bits of x: 8 of a byte, 16 of a "
     "half-word, 32 of a word."),
    (r"signed\(low", "`signed` and `unsigned` read as many bits as are taken, and 0 of none."),
    (r"\bfinal\b", "`final` is `.s32` if atype or btype is, or if c or just one of a and b is "
     "negated; otherwise `.u32`."),
    (r"\bdot\(", "`dot` is `.u32` if atype and btype are; otherwise `.s32`."),
    (r"\bproduct\(", "`product` is stype, but with `.wide` the type that is twice as wide."),
    (r"low bits of", "`low bits of t` are as many as the destination has."),
    (r"\bround\(", "`round` gives the nearest integer; halves go away from zero."),
    (r" >> ", "`x >> n` is x / 2^n, rounded down."),
    (r"(\w)\.[abd]sel", "`{1}.{1}sel` is the byte or half-word of {1} that the selector names."),
    (r"\{b, a\}", "`{{b, a}}` is one number of 64 bits: a is the low half."),
    (r"\bin mask\b", "Without a mask, all lanes are in it."),
    (r"\bcmp\b", "`x cmp y` is 1 if the comparison holds, otherwise 0."),
    (r"\bboolop\b", "`boolop` is `.and`, `.or` or `.xor`, as written."),
    (r"ftz\((\w)\)", "`ftz({1})` is {1}, but a zero of its sign if {1} is subnormal."),
    (r"[/%] y", "`/` rounds towards zero, `%` has the sign of x. The PTX ISA leaves a division by "
     "0 open: all ones are what ptxas 13.0 computes for sm_90."),
    (r"\blut\(", "Each bit of `lut(a, b, c)` is bit 4a + 2b + c of lut, of the bits of a, b and c "
     "at its place."),
    (r"\bfind one", "`find one c of a from bit b` counts the ones of a, up from bit b or, if c is "
     "negative, down, and gives the place of the last one; for c = 0, b itself if its bit is 1. "
     "It is -1 if there is none."),
    (r"\bwith low", "Bits of the field above the top of d are cut off."),
    (r"\|x\|\)", "The magnitude of the most negative number is read as that number again."),
    (r"reverse \d+ bits", "`reverse` exchanges bit 0 with the highest bit, and so on."),
    (r"t\[1\]:t\[0\]", "`:` joins parts, the highest first."),
    (r"CC\.CF", "CC.CF is the carry flag."),
)  # fmt: skip
"""Patterns of lines, each with the note on its matches; {1} is the pattern's group."""
_FLOATS = (
    "With a NaN, only `.nan` and the comparisons that end in u hold: `.equ`, `.ltu`. `.num` holds "
    "without one."
)


def iter_notes(entry: Entry, text: str) -> Iterator[str]:
    """Yield sentences on the words of pseudocode, and on comparisons with a NaN."""
    if "asel[i]" in text:
        unit = 32 // entry.lanes
        a, b = (Selector(unit, get_own_lanes(x, entry.lanes)) for x in ("asel", "bsel"))
        yield (
            f"`{UNIT_NAMES[unit]} asel[i]` is the one that digit i of the selector names, from the "
            f"right. Without selectors, asel is `.{a}` and bsel `.{b}`."
        )
    for pattern, note in _NOTES:
        if match := re.search(pattern, text):
            yield note.format(match[0], *match.groups())
    stype = entry.find_slot("stype")
    if (
        stype
        and " cmp " in text
        and any(isinstance(x, Type) and x.lane_type.is_float for x in stype.values)
    ):
        yield _FLOATS
