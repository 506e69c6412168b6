"""The catalog entries of instructions that stand in all code (PTX ISA 9.7.8, 9.7.9).

They move words, combine their bits and shift them. Listings pass over all of their forms.
"""

from __future__ import annotations

from .entry import Entry, Example, Group, Operand, Slot, VersionRequirement
from .roles import Role
from .slots import NEEDS_F64, ST
from .types import Type

_D, _A, _B = (Operand(role, "stype", has_bytes=True) for role in (Role.D, Role.A, Role.B))
_AMOUNT = Operand(Role.B, Type.U32, typical_values=(0, 1, 4, 8, 15, 16, 24, 31, 32, 40, 63, 64))
_PATTERNS = Slot("stype", (Type.PRED, Type.B16, Type.B32, Type.B64))
_WORDS = Slot("stype", (Type.B16, Type.B32, Type.B64))
_SHIFTED = Slot("stype", tuple(x for x in ST if not x.is_float))
_MOVED = Slot("stype", (Type.PRED, *ST))


def _make_entry(
    opcode: str,
    section: str,
    summary: str,
    brief: str,
    types: Slot,
    operands: tuple[Operand, ...],
    example: Example,
    requirements: tuple[VersionRequirement, ...] = (),
) -> Entry:
    """Return an entry whose only modifier is a type."""
    return Entry(
        opcode,
        Group.COMMON,
        section,
        summary,
        (types,),
        operands,
        example,
        "1.0",
        "any",
        requirements=requirements,
        brief=brief,
        is_common=True,
    )


COMMON_ENTRIES = (
    _make_entry(
        "mov",
        "9.7.9.3",
        "a copy of a",
        "a",
        _MOVED,
        (_D, _A),
        ("mov.b32 d, a", {"a": 0x12345678}),
        (NEEDS_F64,),
    ),
    _make_entry(
        "and",
        "9.7.8.1",
        "each bit is 1 if it is 1 in a and in b",
        "a & b",
        _PATTERNS,
        (_D, _A, _B),
        ("and.b32 d, a, b", {"a": 0x12345678, "b": 0x00FFFF00}),
    ),
    _make_entry(
        "or",
        "9.7.8.2",
        "each bit is 1 if it is 1 in a or in b",
        "a | b",
        _PATTERNS,
        (_D, _A, _B),
        ("or.b32 d, a, b", {"a": 0x12340000, "b": 0x00005678}),
    ),
    _make_entry(
        "xor",
        "9.7.8.3",
        "each bit is 1 if a and b differ there",
        "a ^ b",
        _PATTERNS,
        (_D, _A, _B),
        ("xor.b32 d, a, b", {"a": 0x12345678, "b": 0x80808080}),
    ),
    _make_entry(
        "not",
        "9.7.8.4",
        "the bits of a inverted",
        "~a",
        _PATTERNS,
        (_D, _A),
        ("not.b32 d, a", {"a": 0x0000FFFF}),
    ),
    _make_entry(
        "shl",
        "9.7.8.8",
        "a shifted left by b bits",
        "a << b",
        _WORDS,
        (_D, _A, _AMOUNT),
        ("shl.b32 d, a, b", {"a": 0x12345678, "b": 8}),
    ),
    _make_entry(
        "shr",
        "9.7.8.9",
        "a shifted right by b bits",
        "a >> b",
        _SHIFTED,
        (_D, _A, _AMOUNT),
        ("shr.s32 d, a, b", {"a": 0x80000000, "b": 4}),
    ),
)
"""The entries, those of one opcode together."""
