"""What every sequence has: it is looked for before a text is read as PTX."""

from __future__ import annotations

import re
from functools import cache

_MASKS = (
    *(0x80808080, 0x7F7F7F7F, 0x01010101, 0xFEFEFEFE, 0xFCFCFCFC, 0xFFFF0000),
    *(0x80008000, 0x7FFF7FFF, 0x00010001, 0xFFFEFFFE, 0x00FF00FF, 0xFF00FF00, 0x00010000),
)
"""Constants of which each sequence has one, unless it has what ``_OTHER_HINTS`` names."""
_OTHER_HINTS = (
    r"\b[us]16x2\b|\bv[a-z]++[24]\.|\bmin\.s32\s[^;]{0,60}[ ,](?:65535|0xffff);"
    r"|\bsub\.s32\s[^;]{0,60};\s{0,9}max\.s32\s[^;]{0,60}[ ,]0;"
)
"""Instructions on lanes, and limits of half-words."""


@cache
def _compile_hint() -> re.Pattern[str]:
    decimal = "|".join(f"{x}|{x - (1 << 32)}" for x in _MASKS)
    hexadecimal = "|".join(f"{x:x}" for x in _MASKS)
    constants = rf"(?<!\w)(?:{decimal}|0x0*+(?:{hexadecimal}))u?\b"
    return re.compile(f"{constants}|{_OTHER_HINTS}", re.IGNORECASE)


def may_have_sequences(text: str) -> bool:
    """Return whether a text has what every sequence has: masks, or instructions on lanes."""
    return _compile_hint().search(text) is not None
