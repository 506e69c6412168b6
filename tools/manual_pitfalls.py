"""Pitfalls of instructions that the catalog and the engine have no sentence on, with examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Pitfall(NamedTuple):
    """A fact that surprises, and a line that shows it."""

    sentence: str
    ptx: str
    values: Mapping[str, int]
    """The bits of its operands."""


_WRAPS = "The sum wraps in 32 bits; no clamp follows it."
_NO_COUNTERPART = "The most negative number has no positive counterpart: it stays as it is."
_AMOUNT = "An amount above the width counts as the width; it is not reduced modulo the width."

PITFALLS: Mapping[str, tuple[Pitfall, ...]] = {
    "bfe": (
        Pitfall(
            "A position above the top bit leaves copies of the sign bit, or zeros if the type is "
            "unsigned; it does not wrap.",
            "bfe.s32 d, a, b, c",
            {"a": 0x80000000, "b": 40, "c": 3},
        ),
        Pitfall(
            "Only the low byte of b and of c counts: 256 counts as 0.",
            "bfe.u32 d, a, b, c",
            {"a": 0xFF, "b": 0x100, "c": 4},
        ),
    ),
    "bfi": (
        Pitfall(
            "The field comes from the low bits of a, not from its place in d.",
            "bfi.b32 d, a, b, c, e",
            {"a": 5, "b": 0, "c": 8, "e": 4},
        ),
        Pitfall(
            "Bits of the field above the top of d are cut off.",
            "bfi.b32 d, a, b, c, e",
            {"a": 0xFF, "b": 0, "c": 28, "e": 8},
        ),
    ),
    "prmt": (
        Pitfall(
            "The lowest digit of c makes byte 0 of d.",
            "prmt.b32 d, a, b, c",
            {"a": 0x03020100, "b": 0x07060504, "c": 0x0123},
        ),
        Pitfall(
            "A digit from 8 on repeats the top bit of a byte; there is no byte 8.",
            "prmt.b32 d, a, b, c",
            {"a": 0x80, "b": 0, "c": 0x8888},
        ),
    ),
    "lop3": (
        Pitfall(
            "The table of an expression is the expression of 0xf0, 0xcc and 0xaa, for a, b and c: "
            "that of `a & b | c` is 0xea.",
            "lop3.b32 d, a, b, c, 0xea",
            {"a": 0xFF00, "b": 0x0FF0, "c": 1},
        ),
    ),
    "shf": (
        Pitfall(
            "b is the high word and a the low one; with equal words, it rotates.",
            "shf.l.wrap.b32 d, a, b, c",
            {"a": 0x12345678, "b": 0x12345678, "c": 8},
        ),
        Pitfall(
            "With `.clamp`, an amount of 32 gives the other word; with `.wrap`, it moves nothing.",
            "shf.l.clamp.b32 d, a, b, c",
            {"a": 1, "b": 2, "c": 32},
        ),
    ),
    "dp4a": (Pitfall(_WRAPS, "dp4a.u32.u32 d, a, b, c", {"a": 1, "b": 1, "c": 0xFFFFFFFF}),),
    "dp2a": (Pitfall(_WRAPS, "dp2a.lo.u32.u32 d, a, b, c", {"a": 1, "b": 1, "c": 0xFFFFFFFF}),),
    "fns": (
        Pitfall(
            "With c = 0, only bit b is looked at.",
            "fns.b32 d, a, b, c",
            {"a": 0xF0, "b": 0, "c": 0},
        ),
    ),
    "clz": (Pitfall("Of 0, it is the width.", "clz.b32 d, a", {"a": 0}),),
    "bfind": (
        Pitfall(
            "Of 0, and with a signed type of -1, it finds no bit and gives all ones.",
            "bfind.s32 d, a",
            {"a": 0xFFFFFFFF},
        ),
    ),
    "shl": (Pitfall(_AMOUNT, "shl.b32 d, a, b", {"a": 1, "b": 33}),),
    "shr": (Pitfall(_AMOUNT, "shr.s32 d, a, b", {"a": 0x80000000, "b": 33}),),
    "abs": (Pitfall(_NO_COUNTERPART, "abs.s32 d, a", {"a": 0x80000000}),),
    "neg": (Pitfall(_NO_COUNTERPART, "neg.s32 d, a", {"a": 0x80000000}),),
    "div": (
        Pitfall(
            "It rounds towards zero, not down: -7 / 2 is -3.",
            "div.s32 d, a, b",
            {"a": 0xFFFFFFF9, "b": 2},
        ),
    ),
    "rem": (
        Pitfall(
            "It has the sign of the dividend: of -7 and 2, it is -1.",
            "rem.s32 d, a, b",
            {"a": 0xFFFFFFF9, "b": 2},
        ),
    ),
    "mul24": (
        Pitfall(
            "Only the low 24 bits of a and b count.",
            "mul24.lo.u32 d, a, b",
            {"a": 0x01000002, "b": 3},
        ),
    ),
    "cvt": (
        Pitfall(
            "A result of 8 bits is extended to the register that holds it.",
            "cvt.s8.s32 d, a",
            {"a": 0x80},
        ),
    ),
}
"""The pitfalls by opcode; a test has the results, found by hand."""
