"""A quick test for sequences of instructions that compute a CUDA intrinsic."""

from __future__ import annotations

_MASKS = (
    *(0x80808080, 0x7F7F7F7F, 0x01010101, 0xFEFEFEFE),
    *(0x80008000, 0x7FFF7FFF, 0x00010001, 0xFFFEFFFE, 0x00FF00FF, 0xFF00FF00),
    *(0x00010000, 0xFFFF0000),
)
"""Lane masks: a sequence has one, or an instruction on lanes, or limits half-words."""
_HINTS = tuple(
    dict.fromkeys(
        (
            "s16x2",
            "u16x2",
            *(str(x) for x in _MASKS),
            *(str((1 << 32) - x) for x in _MASKS if x >> 31),  # after a minus sign
            *(f"{zeros}{x:x}" for x in _MASKS for zeros in ("0x", "0x0", "0x000")),
        )
    )
)
_HALF_WORDS = ("65535", "0xffff", "0x0000ffff")
_LIMITS = ("min.s32", "max.s32")


def may_have_sequences(text: str) -> bool:
    """Return whether a text has the marks of a sequence: masks, or operations on lanes."""
    text = text.lower()
    if any(hint in text for hint in _HINTS):
        return True
    return any(x in text for x in _HALF_WORDS) and any(x in text for x in _LIMITS)
