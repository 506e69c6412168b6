"""Pairs of computations with their verdicts: idioms, right and subtly wrong, and ports.

The verdicts come from what each pair was written to be; none was read off ptxscope.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Pair(NamedTuple):
    """Two computations of one name for each operand, and whether they are equal."""

    name: str
    a: str
    b: str
    equal: bool
    where: str = ""


LOW7, HIGH, ONES, LOW8 = "0x7f7f7f7f", "0x80808080", "0x01010101", "0x00ff00ff"

_AVERAGE = "xor.b32 y, a, b; and.b32 y, y, {mask}; shr.u32 y, y, 1;"
_SUM = f"and.b32 x, a, {LOW7}; and.b32 y, b, {LOW7}; add.u32 x, x, y; xor.b32 y, a, b;"
_DIFFERENCE = f"or.b32 x, a, {HIGH}; and.b32 y, b, {LOW7}; sub.u32 x, x, y; xor.b32 y, a, b;"
_CARRY = f"{_SUM} and.b32 z, y, {HIGH}; xor.b32 s, x, z; and.b32 g, a, b; and.b32 h, y, x;"
_SPREAD = f"and.b32 m, g, {HIGH}; shr.u32 n, m, 7; shl.b32 f, n, 8; sub.u32 f, f, n;"
_BORROW = f"{_DIFFERENCE} not.b32 n, a; and.b32 g, n, b; not.b32 z, y; and.b32 h, z, n;"
_BLEND = "and.b32 x, {x}, m; not.b32 k, m; and.b32 y, {y}, k; or.b32 d, x, y;"
_COMPARE = f"{_DIFFERENCE} not.b32 z, x; not.b32 k, y; and.b32 u, k, z; not.b32 w, a;"
_BELOW = f"{_COMPARE} and.b32 v, w, b; and.b32 v, v, y; or.b32 v, v, u; and.b32 v, v, {HIGH};"

PAIRS: Sequence[Pair] = (
    # --- averages
    Pair(
        "average of bytes, rounded up",
        "vavrg4.u32.u32.u32 d, a, b, a",
        _AVERAGE.format(mask="0xfefefefe") + " or.b32 x, a, b; sub.u32 d, x, y;",
        True,
    ),
    Pair(
        "average of bytes, rounded down",
        "vavrg4.u32.u32.u32 d, a, b, a",
        _AVERAGE.format(mask="0xfefefefe") + " and.b32 x, a, b; add.u32 d, x, y;",
        False,
    ),
    Pair(
        "average of bytes, with bits from the lane above",
        "vavrg4.u32.u32.u32 d, a, b, a",
        _AVERAGE.format(mask="0xffffffff") + " or.b32 x, a, b; sub.u32 d, x, y;",
        False,
    ),
    Pair(
        "average of bytes, one mask bit missing",
        "vavrg4.u32.u32.u32 d, a, b, a",
        _AVERAGE.format(mask="0xfefefefc") + " or.b32 x, a, b; sub.u32 d, x, y;",
        False,
    ),
    Pair(
        "average of half-words",
        "vavrg2.u32.u32.u32 d, a, b, a",
        _AVERAGE.format(mask="0xfffefffe") + " or.b32 x, a, b; sub.u32 d, x, y;",
        True,
    ),
    Pair(
        "average of half-words by the mask of bytes",
        "vavrg2.u32.u32.u32 d, a, b, a",
        _AVERAGE.format(mask="0xfefefefe") + " or.b32 x, a, b; sub.u32 d, x, y;",
        False,
    ),
    Pair(
        "average of equal halves",
        "vavrg2.u32.u32.u32 d, a, b, a",
        _AVERAGE.format(mask="0xfefefefe") + " or.b32 x, a, b; sub.u32 d, x, y;",
        True,
        where="a == b",
    ),
    # --- sums and differences of bytes
    Pair(
        "sum of bytes",
        "vadd4.u32.u32.u32 d, a, b, a",
        f"{_SUM} and.b32 y, y, {HIGH}; xor.b32 d, x, y;",
        True,
    ),
    Pair("sum of bytes by a plain sum", "vadd4.u32.u32.u32 d, a, b, a", "add.u32 d, a, b;", False),
    Pair(
        "sum of small bytes by a plain sum",
        "vadd4.u32.u32.u32 d, a, b, a",
        "add.u32 d, a, b;",
        True,
        where=f"(a & {HIGH}) == 0 and (b & {HIGH}) == 0",
    ),
    Pair(
        "sum of bytes that may reach 256",
        "vadd4.u32.u32.u32 d, a, b, a",
        "add.u32 d, a, b;",
        False,
        where=f"(a & {HIGH}) == 0 and (b & 0x7f7f7f7f) == b or (b & {HIGH}) == 0",
    ),
    Pair(
        "sum of bytes, sign or not",
        "vadd4.u32.u32.u32 d, a, b, a",
        "vadd4.s32.s32.s32 d, a, b, a",
        True,
    ),
    Pair(
        "sum of bytes with saturation, sign or not",
        "vadd4.u32.u32.u32.sat d, a, b, a",
        "vadd4.s32.s32.s32.sat d, a, b, a",
        False,
    ),
    Pair(
        "difference of bytes",
        "vsub4.u32.u32.u32 d, a, b, a",
        f"{_DIFFERENCE} not.b32 y, y; and.b32 y, y, {HIGH}; xor.b32 d, x, y;",
        True,
    ),
    Pair(
        "difference of bytes without the complement",
        "vsub4.u32.u32.u32 d, a, b, a",
        f"{_DIFFERENCE} and.b32 y, y, {HIGH}; xor.b32 d, x, y;",
        False,
    ),
    Pair(
        "sum of half-words",
        "vadd2.u32.u32.u32 d, a, b, a",
        "and.b32 x, a, 0x7fff7fff; and.b32 y, b, 0x7fff7fff; add.u32 x, x, y; xor.b32 y, a, b;"
        " and.b32 y, y, 0x80008000; xor.b32 d, x, y;",
        True,
    ),
    # --- saturation
    Pair(
        "saturated sum of bytes",
        "vadd4.u32.u32.u32.sat d, a, b, a",
        f"{_CARRY} or.b32 g, g, h; {_SPREAD} or.b32 f, f, n; or.b32 d, s, f;"
        .replace("shl.b32 f, n, 8; sub.u32 f, f, n;", "sub.u32 f, m, n; or.b32 f, f, m;"),
        True,
    ),
    Pair(
        "saturated sum of bytes to 254",
        "vadd4.u32.u32.u32.sat d, a, b, a",
        f"{_CARRY} or.b32 g, g, h; {_SPREAD} or.b32 d, s, f;"
        .replace("shl.b32 f, n, 8; sub.u32 f, f, n;", "sub.u32 f, m, n; shl.b32 f, f, 1;"),
        False,
    ),
    Pair(
        "saturated sum of bytes that forgets a carry",
        "vadd4.u32.u32.u32.sat d, a, b, a",
        f"{_CARRY} {_SPREAD} sub.u32 f, m, n; or.b32 f, f, m; or.b32 d, s, f;",
        False,
    ),
    Pair(
        "saturation by a minimum, of a word",
        "vadd.s32.s32.s32.sat d, a, b",
        "add.sat.s32 d, a, b;",
        True,
    ),
    Pair("sum without saturation", "vadd.s32.s32.s32.sat d, a, b", "add.s32 d, a, b;", False),
    # --- comparisons
    Pair(
        "bytes below, as 0 or 1",
        "vset4.u32.u32.lt d, a, b, a",
        f"{_BELOW} shr.u32 d, v, 7;",
        True,
    ),
    Pair(
        "bytes below, or equal",
        "vset4.u32.u32.le d, a, b, a",
        f"{_BELOW} shr.u32 d, v, 7;",
        False,
    ),
    Pair(
        "bytes above, by swapped operands",
        "vset4.u32.u32.gt d, a, b, a",
        "vset4.u32.u32.lt d, b, a, a;",
        True,
    ),
    Pair(
        "signed bytes below, by flipped signs",
        "vset4.s32.s32.lt d, a, b, a",
        f"xor.b32 x, a, {HIGH}; xor.b32 y, b, {HIGH}; vset4.u32.u32.lt d, x, y, a;",
        True,
    ),
    Pair(
        "signed bytes below, with one sign flipped",
        "vset4.s32.s32.lt d, a, b, a",
        f"xor.b32 x, a, {HIGH}; vset4.u32.u32.lt d, x, b, a;",
        False,
    ),
    Pair(
        "equal bytes by a borrow",
        "vset4.u32.u32.eq d, a, b, a",
        f"xor.b32 x, a, b; sub.u32 y, x, {ONES}; not.b32 x, x; and.b32 y, y, x;"
        f" and.b32 y, y, {HIGH}; shr.u32 d, y, 7;",
        False,
    ),
    Pair(
        "equal bytes without a borrow",
        "vset4.u32.u32.eq d, a, b, a",
        f"xor.b32 x, a, b; and.b32 y, x, {LOW7}; add.u32 y, y, {LOW7}; or.b32 y, y, x;"
        f" not.b32 y, y; and.b32 y, y, {HIGH}; shr.u32 d, y, 7;",
        True,
    ),
    Pair(
        "a byte is zero, by a borrow",
        f"sub.u32 x, a, {ONES}; not.b32 y, a; and.b32 x, x, y; and.b32 x, x, {HIGH};"
        " setp.ne.u32 p, x, 0;",
        "vset4.u32.u32.eq t, a, 0, a; setp.ne.u32 p, t, 0;".replace("a, 0, a", "a, z, a")
        .replace("vset4", "xor.b32 z, a, a; vset4"),
        True,
    ),
    # --- absolute differences and dot products
    Pair(
        "absolute differences, summed by a dot product",
        "vabsdiff4.u32.u32.u32.add d, a, b, c",
        f"vabsdiff4.u32.u32.u32 t, a, b, a; dp4a.u32.u32 d, t, {ONES}, c;",
        True,
    ),
    Pair(
        "signed absolute differences, summed by a dot product",
        "vabsdiff4.s32.s32.s32.add d, a, b, c",
        f"vabsdiff4.s32.s32.s32 t, a, b, a; dp4a.u32.u32 d, t, {ONES}, c;",
        True,
    ),
    Pair(
        "absolute differences, summed as signed bytes",
        "vabsdiff4.u32.u32.u32.add d, a, b, c",
        f"vabsdiff4.u32.u32.u32 t, a, b, a; dp4a.s32.u32 d, t, {ONES}, c;",
        False,
    ),
    Pair(
        "absolute differences as maximum less minimum",
        "vabsdiff4.u32.u32.u32 d, a, b, a",
        "vmax4.u32.u32.u32 x, a, b, a; vmin4.u32.u32.u32 y, a, b, a; sub.u32 d, x, y;",
        True,
    ),
    Pair(
        "absolute differences as a signed one",
        "vabsdiff4.u32.u32.u32 d, a, b, a",
        "vabsdiff4.s32.s32.s32 d, a, b, a",
        False,
    ),
    Pair("sad as vabsdiff", "sad.u32 d, a, b, c", "vabsdiff.u32.u32.u32.add d, a, b, c", True),
    Pair("sad, signed", "sad.s32 d, a, b, c", "vabsdiff.s32.s32.s32.add d, a, b, c", True),
    Pair("sad, mixed", "sad.s32 d, a, b, c", "vabsdiff.u32.u32.u32.add d, a, b, c", False),
    Pair(
        "sad of a byte",
        "vabsdiff4.u32.u32.u32.add d.b0, a, b, c",
        "bfe.u32 x, a, 0, 8; bfe.u32 y, b, 0, 8; sad.u32 d, x, y, c;",
        True,
    ),
    Pair(
        "sad of four bytes",
        "vabsdiff4.u32.u32.u32.add d, a, b, c",
        "bfe.u32 x, a, 0, 8; bfe.u32 y, b, 0, 8; sad.u32 t, x, y, c;"
        " bfe.u32 x, a, 8, 8; bfe.u32 y, b, 8, 8; sad.u32 t, x, y, t;"
        " bfe.u32 x, a, 16, 8; bfe.u32 y, b, 16, 8; sad.u32 t, x, y, t;"
        " bfe.u32 x, a, 24, 8; bfe.u32 y, b, 24, 8; sad.u32 d, x, y, t;",
        True,
    ),
    Pair(
        "sad of four bytes, one twice",
        "vabsdiff4.u32.u32.u32.add d, a, b, c",
        "bfe.u32 x, a, 0, 8; bfe.u32 y, b, 0, 8; sad.u32 t, x, y, c;"
        " bfe.u32 x, a, 8, 8; bfe.u32 y, b, 8, 8; sad.u32 t, x, y, t;"
        " bfe.u32 x, a, 16, 8; bfe.u32 y, b, 16, 8; sad.u32 t, x, y, t;"
        " bfe.u32 x, a, 24, 8; bfe.u32 y, b, 16, 8; sad.u32 d, x, y, t;",
        False,
    ),
    Pair("dot product, swapped", "dp4a.u32.u32 d, a, b, c", "dp4a.u32.u32 d, b, a, c", True),
    Pair("dot product, signs", "dp4a.s32.u32 d, a, b, c", "dp4a.u32.s32 d, b, a, c", True),
    Pair("dot product, other sign", "dp4a.s32.u32 d, a, b, c", "dp4a.u32.s32 d, a, b, c", False),
    Pair(
        "dot product of small bytes",
        "dp4a.s32.s32 d, a, b, c",
        "dp4a.u32.u32 d, a, b, c",
        True,
        where=f"(a & {HIGH}) == 0 and (b & {HIGH}) == 0",
    ),
    Pair(
        "dot product in two halves",
        "dp4a.u32.u32 d, a, b, c",
        f"and.b32 x, a, {LOW8}; dp4a.u32.u32 t, x, b, c; and.b32 y, a, 0xff00ff00;"
        " dp4a.u32.u32 d, y, b, t;",
        True,
    ),
    # --- multiplications
    Pair("vmad, swapped", "vmad.u32.u32.u32 d, a, b, c", "vmad.u32.u32.u32 d, b, a, c", True),
    Pair(
        "vmad of bytes as a dot product",
        "vmad.u32.u32.u32 d, a.b0, b.b0, c",
        "and.b32 x, a, 0xff; dp4a.u32.u32 d, x, b, c;",
        True,
    ),
    Pair(
        "vmad of signed bytes as an unsigned dot product",
        "vmad.s32.s32.s32 d, a.b0, b.b0, c",
        "and.b32 x, a, 0xff; dp4a.u32.u32 d, x, b, c;",
        False,
    ),
    Pair(
        "vmad of half-words as a dot product",
        "vmad.s32.s32.s32 d, a.h0, b.b1, c",
        "bfe.s32 x, b, 8, 8; and.b32 x, x, 0xff; and.b32 y, a, 0xffff;"
        " dp2a.lo.s32.s32 d, y, x, c;",
        True,
    ),
    Pair(
        "vmad by a constant as shifts",
        "mov.b32 k, 5; vmad.u32.u32.u32 d, a, k, c;",
        "shl.b32 t, a, 2; add.u32 t, t, a; add.u32 d, t, c;",
        True,
    ),
    Pair(
        "vmad by another constant as shifts",
        "mov.b32 k, 6; vmad.u32.u32.u32 d, a, k, c;",
        "shl.b32 t, a, 2; add.u32 t, t, a; add.u32 d, t, c;",
        False,
    ),
    Pair(
        "scaled vmad, shifted later",
        "vmad.u32.u32.u32.shr7 d, a.h0, b.h0, c",
        "vmad.u32.u32.u32 t, a.h0, b.h0, c; shr.u32 d, t, 7;",
        True,
        where="c <= 0xffff",
    ),
    Pair(
        "scaled vmad, shifted too late",
        "vmad.u32.u32.u32.shr7 d, a.h0, b.h0, c",
        "vmad.u32.u32.u32 t, a.h0, b.h0, c; shr.u32 d, t, 7;",
        False,
    ),
    # --- selectors and prmt
    Pair("bytes reversed", "prmt.b32 d, a, 0, 0x0123",
         "brev.b32 t, a; and.b32 x, t, 0xf0f0f0f0; shr.u32 x, x, 4; and.b32 y, t, 0x0f0f0f0f;"
         " shl.b32 y, y, 4; or.b32 t, x, y; and.b32 x, t, 0xcccccccc; shr.u32 x, x, 2;"
         " and.b32 y, t, 0x33333333; shl.b32 y, y, 2; or.b32 t, x, y; and.b32 x, t, 0xaaaaaaaa;"
         " shr.u32 x, x, 1; and.b32 y, t, 0x55555555; shl.b32 y, y, 1; or.b32 d, x, y;", True),
    Pair("selector of a as prmt", "vadd4.u32.u32.u32 d, a.b0123, b, a",
         "prmt.b32 t, a, 0, 0x0123; vadd4.u32.u32.u32 d, t, b, a;", True),
    Pair("selector of a and b as prmt", "vmax4.s32.s32.s32 d, a.b7421, b.b0246, a",
         "prmt.b32 t, a, b, 0x7421; prmt.b32 u, a, b, 0x0246; vmax4.s32.s32.s32 d, t, u, a;", True),
    Pair("selector in the other direction", "vadd4.u32.u32.u32 d, a.b0123, b, a",
         "prmt.b32 t, a, 0, 0x3210; vadd4.u32.u32.u32 d, t, b, a;", False),
    Pair("prmt whose digit copies a sign", "vadd4.u32.u32.u32 d, a.b0123, b, a",
         "prmt.b32 t, a, 0, 0x012b; vadd4.u32.u32.u32 d, t, b, a;", False),
    Pair("half-words exchanged", "prmt.b32 d, a, 0, 0x1032", "shf.l.wrap.b32 d, a, a, 16", True),
    Pair("half-words packed", "prmt.b32 d, a, b, 0x5410", "bfi.b32 d, b, a, 16, 16", True),
    Pair("half-words packed otherwise", "prmt.b32 d, a, b, 0x7610", "bfi.b32 d, b, a, 16, 16",
         False),
    Pair("mask as a selection", "vmin4.u32.u32.u32 d.b31, a, b, c",
         "vmin4.u32.u32.u32 t, a, b, a; lop3.b32 d, t, 0xff00ff00, c, 0xe2;", True),
    Pair("mask of the other bytes", "vmin4.u32.u32.u32 d.b31, a, b, c",
         "vmin4.u32.u32.u32 t, a, b, a; lop3.b32 d, t, 0x00ff00ff, c, 0xe2;", False),
    # --- bits
    Pair("majority by a table", "lop3.b32 d, a, b, c, 0xe8",
         "and.b32 x, a, b; and.b32 y, a, c; and.b32 z, b, c; or.b32 x, x, y; or.b32 d, x, z;",
         True),
    Pair("majority by another table", "lop3.b32 d, a, b, c, 0xe9",
         "and.b32 x, a, b; and.b32 y, a, c; and.b32 z, b, c; or.b32 x, x, y; or.b32 d, x, z;",
         False),
    Pair("lowest bit cleared", "sub.u32 t, a, 1; and.b32 d, a, t;",
         "sub.u32 n, 0, a; and.b32 t, a, n; xor.b32 d, a, t;", True),
    Pair("ones counted by bytes", "popc.b32 d, a",
         "shr.u32 t, a, 1; and.b32 t, t, 0x55555555; sub.u32 x, a, t; and.b32 y, x, 0x33333333;"
         " shr.u32 x, x, 2; and.b32 x, x, 0x33333333; add.u32 x, x, y; shr.u32 y, x, 4;"
         f" add.u32 x, x, y; and.b32 x, x, 0x0f0f0f0f; dp4a.u32.u32 d, x, {ONES}, 0;", True),
    Pair("absolute value by the sign", "vabsdiff.s32.s32.s32 d, a, b",
         "sub.s32 t, a, b; shr.s32 m, t, 31; xor.b32 t, t, m; sub.s32 d, t, m;", False),
    Pair("absolute value of small numbers", "vabsdiff.s32.s32.s32 d, a, b",
         "sub.s32 t, a, b; shr.s32 m, t, 31; xor.b32 t, t, m; sub.s32 d, t, m;", True,
         where="a <= 0x7fffffff and b <= 0x7fffffff"),
    Pair("maximum by a predicate", "vmax.s32.s32.s32 d, a, b",
         "setp.gt.s32 p, a, b; selp.b32 d, a, b, p;", True),
    Pair("maximum by an unsigned comparison", "vmax.s32.s32.s32 d, a, b",
         "setp.gt.u32 p, a, b; selp.b32 d, a, b, p;", False),
    Pair("floats compared as integers", "setp.lt.f32 p, a, b", "setp.lt.s32 p, a, b", False),
    Pair("positive floats compared as integers", "setp.lt.f32 p, a, b", "setp.lt.s32 p, a, b",
         True, where="a <= 0x7f800000 and b <= 0x7f800000"),
    Pair("positive floats or NaN compared as integers", "setp.lt.f32 p, a, b",
         "setp.lt.s32 p, a, b", False, where="a <= 0x7f800001 and b <= 0x7f800001"),
)  # fmt: skip
