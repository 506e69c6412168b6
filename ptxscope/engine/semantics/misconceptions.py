"""Common misconceptions about these instructions, as data.

A misconception has the shape of an erratum: the forms it affects and the rules it sets. So the
result that a mistaken reader expects can be computed, traced and drawn like any other.
"""

from __future__ import annotations

from ..isa.form import Form
from ..isa.types import SecOp
from .rules import Erratum


def _applies_always(_: Form) -> bool:
    return True


def _has_signed_input(form: Form) -> bool:
    return any(x is not None and x.signed for x in (form.atype, form.btype))


_SIMD = ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")
_DUAL_AND_QUAD = tuple(f"{name}{lanes}" for name in _SIMD for lanes in (2, 4))
_WITH_ADD = (*_DUAL_AND_QUAD, *("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"))
_CLAMPED = (*_DUAL_AND_QUAD, *("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad"))

MISCONCEPTIONS: tuple[Erratum, ...] = (
    Erratum(
        "H1",
        "vset, vset2, vset4",
        ("vset", "vset2", "vset4"),
        _applies_always,
        {"true_swapped": True},
        "`vset` writes 1 if the comparison is true; it is `set` that writes all ones.",
        ("vset.s32.u32.lt d, a, b", {"a": 0xFFFFFFFF, "b": 0}, 0x00000001, 0xFFFFFFFF),
    ),
    Erratum(
        "H2",
        "set with an integer dtype",
        ("set",),
        lambda f: f.dtype is not None and not f.dtype.lane_type.is_float,
        {"true_swapped": True},
        "`set` writes all ones if the comparison is true; it is `vset` that writes 1.",
        ("set.lt.u32.s32 d, a, b", {"a": 1, "b": 2}, 0xFFFFFFFF, 0x00000001),
    ),
    Erratum(
        "H3",
        "vavrg2, vavrg4",
        ("vavrg2", "vavrg4"),
        _applies_always,
        {"average_down": True},
        "`vavrg` rounds halves away from zero, not down.",
        ("vavrg2.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2, "c": 0}, 0x00000002, 0x00000001),
    ),
    Erratum(
        "H5",
        "video instructions with .add",
        _WITH_ADD,
        lambda f: f.secop is SecOp.ADD,
        {"add_clamps": True},
        "`.add` wraps around in 32 bits; no clamp follows it.",
        (
            "vadd.s32.s32.s32.sat.add d, a, b, c",
            {"a": 0x7FFFFFFF, "b": 1, "c": 1},
            0x80000000,
            0x7FFFFFFF,
        ),
    ),
    Erratum(
        "H6",
        "SIMD instructions with .add",
        _DUAL_AND_QUAD,
        lambda f: f.secop is SecOp.ADD,
        {"lanes_cut": True},
        "`.add` sums the exact lanes; they are not truncated to their width first.",
        ("vadd4.u32.u32.u32.add d, a, b, c", {"a": 0xFF, "b": 1, "c": 0}, 0x00000100, 0x00000000),
    ),
    Erratum(
        "H7",
        "SIMD instructions with a mask and without .add",
        _DUAL_AND_QUAD,
        lambda f: f.mask is not None and f.secop is None,
        {"masked_from_b": True},
        "Lanes outside the mask keep c's bits. The manual's prose for `vset2` and `vset4` says "
        "b's; its pseudo-code takes c's.",
        (
            "vset4.u32.u32.eq d.b20, a, b, c",
            {"a": 0x01020304, "b": 0x01020304, "c": 0xAABBCCDD},
            0xAA01CC01,
            0x01010301,
        ),
    ),
    Erratum(
        "H8",
        "vset, vset2, vset4 with a second operation",
        ("vset", "vset2", "vset4"),
        lambda f: f.secop is not None,
        {"true_minus_one": True},
        "A true comparison counts as 1, not as -1.",
        (
            "vset4.s32.s32.lt.add d, a, b, c",
            {"a": 0x01020304, "b": 0x02020205, "c": 10},
            0x0000000C,
            0x00000008,
        ),
    ),
    Erratum(
        "H9",
        "slct",
        ("slct",),
        _applies_always,
        {"zero_takes_b": True},
        "`slct` also selects a if c is 0: it tests c >= 0, not c > 0.",
        ("slct.s32.s32 d, a, b, c", {"a": 1, "b": 2, "c": 0}, 0x00000001, 0x00000002),
    ),
    Erratum(
        "H10",
        "instructions with .sat and a signed range",
        _CLAMPED,
        lambda f: f.sat,
        {"clamp_symmetric": True},
        "A signed clamp reaches down to -128, -32768 or -2147483648, one further than it reaches "
        "up.",
        (
            "vadd4.s32.s32.s32.sat d, a, b, c",
            {"a": 0x80, "b": 0x80, "c": 0},
            0x00000080,
            0x00000081,
        ),
    ),
    Erratum(
        "H11",
        "vmad with .shr7 or .shr15",
        ("vmad",),
        lambda f: f.scale is not None,
        {"scale_before_sum": True},
        "`vmad` adds c to the whole product, and shifts the sum.",
        ("vmad.s32.s32.s32.shr7 d, a, b, c", {"a": 256, "b": 3, "c": 1280}, 0x00000010, 0x00000506),
    ),
    Erratum(
        "H12",
        "shl, shr",
        ("shl", "shr"),
        _applies_always,
        {"amount_wraps": True},
        "An amount above the width counts as the width; only the `.wrap` of `shf` takes it modulo "
        "the width.",
        ("shl.b32 d, a, b", {"a": 1, "b": 33}, 0x00000000, 0x00000002),
    ),
    Erratum(
        "H13",
        "div and rem with a signed type",
        ("div", "rem"),
        lambda f: f.stype is not None and f.stype.signed,
        {"quotient_down": True},
        "`div` rounds towards zero, so `rem` has the sign of a.",
        ("div.s32 d, a, b", {"a": 0xFFFFFFF9, "b": 2}, 0xFFFFFFFD, 0xFFFFFFFC),
    ),
    Erratum(
        "H14",
        "shr with a signed type",
        ("shr",),
        lambda f: f.stype is not None and f.stype.signed,
        {"shift_to_zero": True},
        "`shr` rounds down; only `div` rounds towards zero.",
        ("shr.s32 d, a, b", {"a": 0xFFFFFFF9, "b": 1}, 0xFFFFFFFC, 0xFFFFFFFD),
    ),
    Erratum(
        "H17",
        "vavrg2, vavrg4 with a signed input",
        ("vavrg2", "vavrg4"),
        _has_signed_input,
        {"average_to_zero": True},
        "`vavrg` rounds halves away from zero; a division in C rounds towards zero.",
        ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0xFFFE, "b": 1, "c": 0}, 0x0000FFFF, 0x00000000),
    ),
    Erratum(
        "H15",
        "vavrg2, vavrg4 with a signed input",
        ("vavrg2", "vavrg4"),
        _has_signed_input,
        {"average_up": True},
        "`vavrg` rounds halves away from zero, so negative ones down.",
        ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0xFFFF, "b": 0, "c": 0}, 0x0000FFFF, 0x00000000),
    ),
    Erratum(
        "H4",
        "vavrg2, vavrg4",
        ("vavrg2", "vavrg4"),
        _applies_always,
        {"average_even": True},
        "`vavrg` rounds halves away from zero, not to the even neighbour.",
        ("vavrg2.u32.u32.u32 d, a, b, c", {"a": 2, "b": 3, "c": 0}, 0x00000003, 0x00000002),
    ),
    Erratum(
        "H16",
        "abs",
        ("abs",),
        _applies_always,
        {"magnitude_clamps": True},
        "`abs` of the most negative number is that number; nothing clamps it.",
        ("abs.s32 d, a", {"a": 0x80000000}, 0x80000000, 0x7FFFFFFF),
    ),
)
"""The misconceptions, of one instruction the commonest first.

``example`` holds the documented result, then the expected one.
"""

BELIEFS = {
    "H1": "true were all ones",
    "H2": "true were 1",
    "H3": "halves were rounded down",
    "H4": "halves were rounded to the even neighbour",
    "H5": "`.add` clamped",
    "H6": "the lanes were truncated before they were summed",
    "H7": "masked-out lanes came from b",
    "H8": "true counted as -1",
    "H9": "it took a only if c > 0",
    "H10": "the clamp's range were symmetric, like -127..127",
    "H11": "the product were shifted before c was added",
    "H12": "the amount were taken modulo the width, as on x86",
    "H13": "the quotient were rounded down, as in Python",
    "H14": "the shift rounded towards zero, as a division does",
    "H15": "halves were rounded up",
    "H16": "the magnitude were clamped",
    "H17": "the half were rounded towards zero, as a division in C does",
}
"""The belief behind each misconception, by id."""
