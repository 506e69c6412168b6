"""Rules, the switches of the lowering that distinguish models, and the errata, which set them.

The errata are the differences between ptxas and the documentation (docs/semantics.md, 2). Each
names the forms that it affects and the fields of ``Rules`` that it sets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..isa.types import Form, SecOp, Type, parse_selector


class Rules(NamedTuple):
    """Switches of the lowering; the defaults give the documented results.

    Each field cites the section of docs/semantics.md, the erratum (E…) or the misconception (H…)
    that it implements.
    """

    h1_takes_high: bool = False
    """``d.h1`` receives bits 31:16 of t instead of its low 16 (1.1 step 6; E1)."""
    clamp_upper: bool = True
    """``.sat`` to a word has an upper bound (1.1 step 4); switched off by E2."""
    clamp_unsigned: bool = False
    """``.sat`` to a lane has only an upper bound, and reads t as unsigned (1.1 step 4; E3)."""
    clamp_word: bool = False
    """``.sat`` with dsel clamps to 32 bits instead of to the lane (1.1 step 4; E4)."""
    shift_34: bool = False
    """``vshl.sat`` wraps the shifted value to signed 34 bits before clamping (1.1 step 4; E5)."""
    cut_32: bool = False
    """t is truncated to 32 bits and sign-extended before ``.min``/``.max`` (1.1 step 5; E6, E8)."""
    compare_64: bool = False
    """``.min``/``.max`` compare 64-bit numbers, unsigned for u32 (1.1 step 5; E6, E7, E8, E13)."""
    c_by_atype: bool = False
    """``vset.min/.max`` reads c by atype instead of as unsigned (1.1 step 5; E9)."""
    words_signed: bool = False
    """A scaled or saturated ``vmad`` multiplies whole words as signed (1.2 step 1; E10)."""
    c_signed: bool = False
    """A scaled or saturated ``vmad`` sign-extends c (1.2 step 3; E11)."""
    sum_64: bool = False
    """A scaled or saturated ``vmad`` adds, shifts and clamps in 64 bits (1.2 steps 3 to 5; E12)."""
    old_converted: bool = False
    """Under a false guard, ``set`` converts d's old value instead of keeping it (1.4; E14)."""
    field_folded: bool = False
    """``bfe`` of a field above the top bit, in literals, yields -1 whatever a is (1.7; E15)."""
    fields_uncut: bool = False
    """64-bit ``bfe`` and ``bfi`` read position and length from the whole register (1.7; E16)."""
    offset_overflows: bool = False
    """``fns`` with offset -2**31 yields 0 instead of all ones (1.8; E17)."""
    borrow_inverted: bool = False
    """``sub.cc`` and ``subc`` use 1 for no borrow in a flag shared with additions (1.13; E18)."""
    is_fused: bool = False
    """An operand is combined with the statement that wrote it (1.14, 2.2; E19 to E25)."""
    declared_widths: bool = False
    """Intermediates wrap to the declared widths ``.s34`` and ``.s33`` (1.1, after step 7)."""
    true_swapped: bool = False
    """True is all ones for ``vset`` and 1 for ``set`` (1.1 step 3, 1.3 step 3, 1.4; H1, H2)."""
    average_down: bool = False
    """``vavrg`` rounds down (1.3 step 3; H3)."""
    average_even: bool = False
    """``vavrg`` rounds halves to the even neighbour (1.3 step 3; H4)."""
    add_clamps: bool = False
    """The ``.add`` that follows or accumulates clamps to 32 bits (1.1 step 5, 1.3 step 5; H5)."""
    lanes_cut: bool = False
    """Lanes are truncated to their width before they are accumulated (1.3 step 5; H6)."""
    masked_from_b: bool = False
    """Lanes outside the mask come from b (1.3 step 5; H7)."""
    true_minus_one: bool = False
    """``vset`` counts true as -1 if a second operation follows (1.1 step 5, 1.3 step 5; H8)."""
    zero_takes_b: bool = False
    """``slct`` takes a only if c > 0 (1.5; H9)."""
    clamp_symmetric: bool = False
    """A signed clamp reaches down to -MAX instead of MIN (1.1 step 4, 1.2, 1.3 step 4; H10)."""
    scale_before_sum: bool = False
    """``vmad`` shifts the product before adding c (1.2 step 4; H11)."""
    amount_wraps: bool = False
    """``shl`` and ``shr`` take the amount modulo the width (1.14; H12)."""
    quotient_down: bool = False
    """``div`` rounds down, and ``rem`` has the sign of b (1.14; H13)."""
    shift_to_zero: bool = False
    """``shr`` rounds towards zero (1.14; H14)."""
    average_up: bool = False
    """``vavrg`` rounds halves up (1.3 step 3; H15)."""
    average_to_zero: bool = False
    """``vavrg`` rounds halves towards zero (1.3 step 3; H17)."""
    magnitude_clamps: bool = False
    """``abs`` of the most negative number is the largest one (1.14; H16)."""


ISA = Rules()
"""The documented semantics, with exact intermediates (docs/semantics.md, 1)."""

Version = tuple[int, int]

OLDEST: Version = (11, 8)
NEWEST: Version = (13, 5)
"""The oldest and newest measured version of ptxas."""
TARGETS = "sm_70 and later"
"""The targets on which short sequences emulate the video instructions, with these errata."""


class Erratum(NamedTuple):
    """A difference from the documented result: an assembler's, or a mistaken reader's."""

    id: str
    forms: str
    """The affected forms, in words."""
    opcodes: tuple[str, ...]
    applies_to: Callable[[Form], bool]
    """Whether a form of these opcodes is affected."""
    rules: dict[str, bool]
    """The fields of ``Rules`` that it sets, with their values."""
    sentence: str
    example: tuple[str, dict[str, int], int, int]
    """A line, operand values by name, and the results of ``isa`` and ``ptxas``."""
    repaired_in: Version | None = None
    """The first version without the erratum."""
    remark: str = ""
    """A remark in the list of errata."""
    targets: str = TARGETS

    def __hash__(self) -> int:
        """Hash the id: fields that are dicts have no hash."""
        return hash(self.id)

    def touches(self, form: Form) -> bool:
        """Whether the erratum covers this form; ``find_errata`` also checks for an effect."""
        return form.opcode in self.opcodes and self.applies_to(form)

    @property
    def versions(self) -> str:
        """The versions that have the erratum, as text."""
        oldest = "{}.{}".format(*OLDEST)
        if self.repaired_in:
            return f"{oldest} to {self.repaired_in[0]}.{self.repaired_in[1] - 1}"
        return "{} to {}.{} (newest known)".format(oldest, *NEWEST)


# --- the errata --------------------------------------------------------------------------


def _has_min_or_max(f: Form) -> bool:
    return f.secop in (SecOp.MIN, SecOp.MAX)


def _is_scaled_or_saturated(f: Form) -> bool:
    return f.sat or f.scale is not None


def _is_choice_converted(f: Form) -> bool:
    """Whether ``set`` converts the choice of true or 0 before it writes d."""
    assert f.stype
    assert f.dtype
    return f.dtype.is_float or (f.stype.bits == 16 and f.dtype.bits == 32)


_H1 = parse_selector("h1")
_SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset")

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "E1",
        "any scalar video instruction with d.h1",
        _SCALAR,
        lambda f: f.dsel == _H1,
        {"h1_takes_high": True},
        "The upper half-word of d receives bits 31:16 of the result instead of its low 16 bits.",
        (
            "vadd.s32.s32.s32 d.h1, a, b, c",
            {"a": 0x00015678, "b": 1, "c": 0x11223344},
            0x56793344,
            0x00013344,
        ),
        repaired_in=(13, 3),
    ),
    Erratum(
        "E2",
        "vadd, vsub, vabsdiff with dtype .u32 and .sat, no dsel (vabsdiff: not with .min)",
        ("vadd", "vsub", "vabsdiff"),
        # c is a word and |a - b| is never negative, so .min never picks a value above the missing
        # bound
        lambda f: (
            f.dtype is Type.U32
            and f.sat
            and f.dsel is None
            and not (f.opcode == "vabsdiff" and f.secop is SecOp.MIN)
        ),
        {"clamp_upper": False},
        "The clamp's upper bound is missing, and nothing is truncated there: a result above "
        "0xffffffff keeps its 33 bits, and d takes the low 32 (with .add, of its sum with c). "
        "vabsdiff's .max compares all 33 with c, so such a result wins over every c; vadd and vsub "
        "with .min or .max truncate it first (E6).",
        ("vadd.u32.u32.u32.sat d, a, b", {"a": 0xFFFFFFFF, "b": 1}, 0xFFFFFFFF, 0x00000000),
    ),
    Erratum(
        "E3",
        "vadd, vsub, vmin, vmax with .sat and dsel",
        ("vadd", "vsub", "vmin", "vmax"),
        lambda f: f.sat and f.dsel is not None,
        {"clamp_unsigned": True},
        "The clamp's lower bound is missing, and the result is read as unsigned: every "
        "negative result becomes the lane's maximum.",
        (
            "vadd.u32.s32.s32.sat d.b0, a, b, c",
            {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344},
            0x11223300,
            0x112233FF,
        ),
    ),
    Erratum(
        "E4",
        "vshl, vshr with .sat and dsel",
        ("vshl", "vshr"),
        lambda f: f.sat and f.dsel is not None,
        {"clamp_word": True},
        "The clamp is to 32 bits, not to the lane; the lane then takes the low bits.",
        (
            "vshr.u32.u32.u32.sat.clamp d.b0, a, b, c",
            {"a": 0x00012345, "b": 4, "c": 0x11223344},
            0x112233FF,
            0x11223334,
        ),
    ),
    Erratum(
        "E5",
        "vshl with .sat",
        ("vshl",),
        lambda f: f.sat,
        {"shift_34": True},
        "The shifted value wraps to 34 bits, signed, before it is clamped.",
        ("vshl.u32.u32.u32.sat.clamp d, a, b", {"a": 2, "b": 0x20}, 0xFFFFFFFF, 0x00000000),
    ),
    Erratum(
        "E6",
        "vadd, vsub with .min or .max",
        ("vadd", "vsub"),
        _has_min_or_max,
        {"cut_32": True, "compare_64": True},
        "The result is truncated to 32 bits and sign-extended whatever dtype is, before it is "
        "compared with c as a 64-bit number, unsigned for .u32.",
        (
            "vadd.u32.u32.u32.max d, a, b, c",
            {"a": 0x80000000, "b": 1, "c": 0xC0000000},
            0xC0000000,
            0x80000001,
        ),
    ),
    Erratum(
        "E7",
        "vmin, vmax, vshl, vshr with .min or .max, dtype .u32, no .sat",
        ("vmin", "vmax", "vshl", "vshr"),
        lambda f: _has_min_or_max(f) and f.dtype is Type.U32 and not f.sat,
        {"compare_64": True},
        "The result is compared with c as an unsigned 64-bit number: a negative one counts "
        "as larger than every c.",
        (
            "vmin.u32.s32.s32.min d, a, b, c",
            {"a": 0xFFFFFFFF, "b": 0, "c": 5},
            0xFFFFFFFF,
            0x00000005,
        ),
    ),
    Erratum(
        "E8",
        "vshl, vshr with .sat and .min or .max, dtype .u32",
        ("vshl", "vshr"),
        lambda f: f.sat and _has_min_or_max(f) and f.dtype is Type.U32,
        {"cut_32": True, "compare_64": True},
        "The clamped result is sign-extended from 32 bits: with bit 31 set it counts as "
        "larger than every c.",
        (
            "vshr.u32.u32.u32.sat.clamp.max d, a, b, c",
            {"a": 0x80000000, "b": 0, "c": 0xC0000000},
            0xC0000000,
            0x80000000,
        ),
    ),
    Erratum(
        "E9",
        "vset with .min or .max, atype .s32",
        ("vset",),
        lambda f: _has_min_or_max(f) and f.atype is Type.S32,
        {"c_by_atype": True},
        "c is read as signed: the first type in the mnemonic is mistaken for dtype.",
        (
            "vset.s32.u32.lt.min d, a, b, c",
            {"a": 1, "b": 2, "c": 0xFFFFFFFF},
            0x00000001,
            0xFFFFFFFF,
        ),
    ),
    Erratum(
        "E10",
        "vmad with .sat, .shr7 or .shr15 and a whole-word u32 operand",
        ("vmad",),
        _is_scaled_or_saturated,
        {"words_signed": True},
        "Whole-word operands are multiplied as signed, whatever their type.",
        (
            "vmad.u32.u32.u32.sat d, a, b, c",
            {"a": 0xFFFFFFFF, "b": 1, "c": 0},
            0xFFFFFFFF,
            0x00000000,
        ),
    ),
    Erratum(
        "E11",
        "vmad with .sat, .shr7 or .shr15, unsigned final",
        ("vmad",),
        lambda f: _is_scaled_or_saturated(f) and f.final_type is Type.U32,
        {"c_signed": True},
        "c is sign-extended although the sum is unsigned.",
        (
            "vmad.u32.u32.u32.sat d, a, b, c",
            {"a": 2, "b": 3, "c": 0x80000000},
            0x80000006,
            0x00000000,
        ),
    ),
    Erratum(
        "E12",
        "vmad with .sat",
        ("vmad",),
        # without the clamp, d takes no bit that differs between the two sums
        lambda f: f.sat,
        {"sum_64": True},
        "The sum, exact in the documentation, is computed in 64 bits; if it is unsigned, the "
        "shift is logical, and the clamp takes a sum with bit 63 set as negative.",
        (
            "vmad.u32.u32.u32.sat.shr7 d, a, b, c",
            {"a": 1, "b": 1, "c": 0xFFFFFF7F},
            0x01FFFFFF,
            0xFFFFFFFF,
        ),
    ),
    Erratum(
        "E13",
        "vshl with .min or .max, dtype .s32, no .sat",
        ("vshl",),
        lambda f: _has_min_or_max(f) and f.dtype is Type.S32 and not f.sat,
        {"compare_64": True},
        "The shifted value is a signed 64-bit number: a u32 with bit 31 set, shifted by 32, "
        "counts as negative.",
        (
            "vshl.s32.u32.u32.clamp.min d, a, b, c",
            {"a": 0x80000000, "b": 0x20, "c": 5},
            0x00000005,
            0x00000000,
        ),
    ),
    Erratum(
        "E14",
        "set with a float dtype, or a 16-bit stype and a 32-bit dtype, under a guard that is false",
        ("set",),
        _is_choice_converted,
        {"old_converted": True},
        "The guard covers the choice of true or 0 but not the conversion after it, so a false "
        "guard does not keep d: its old value is converted (with a 16-bit stype, its low "
        "half-word, sign-extended; with a float dtype, the magnitude of that, as a float).",
        (
            "@p set.lt.f32.s32 d, a, b",
            {"a": 1, "b": 2, "p": 0, "d": 0x00000005},
            0x00000005,
            0x40A00000,
        ),
        remark="The manual's own guarded example, @p set.lt.and.f32.s32 d,a,b,r, is such a form.",
    ),
    Erratum(
        "E15",
        "bfe.s32 of a register, with literals b from 32 up and c from 1 up",
        ("bfe",),
        lambda f: f.is_field_outside and f.stype is Type.S32,
        {"field_folded": True},
        "At -O1 and above ptxas folds the result to -1, whatever a is. Each bit of it should be "
        "bit 31 of a, as at -O0.",
        ("bfe.s32 d, a, 40, 3", {"a": 0x7FFFFFFF}, 0, 0xFFFFFFFF),
        repaired_in=(13, 5),
    ),
    Erratum(
        "E16",
        "bfe and bfi of 64 bits",
        ("bfe", "bfi"),
        lambda f: f.stype is not None and f.stype.bits == 64,
        {"fields_uncut": True},
        "Position and length are read from the whole register instead of from its low byte: "
        "above 255 the field is empty, or reaches up to bit 63.",
        ("bfe.u64 d, a, b, c", {"a": 0x123456789ABCDEF0, "b": 0x104, "c": 8}, 0xEF, 0),
    ),
    Erratum(
        "E17",
        "fns with offset 0x80000000",
        ("fns",),
        lambda _: True,
        {"offset_overflows": True},
        "The offset -2147483648 has no magnitude in 32 bits: the result is 0, not 0xffffffff.",
        ("fns.b32 d, a, b, c", {"a": 0xFF, "b": 7, "c": 0x80000000}, 0xFFFFFFFF, 0),
    ),
)
"""Errata visible in one instruction."""

FLAG_ERRATUM = Erratum(
    "E18",
    "addc and madc after sub.cc or subc.cc, subc after add.cc, addc.cc, mad.cc or madc.cc",
    ("sub", "subc"),
    lambda f: f.is_carry_in_inverted or f.is_carry_out_inverted,
    {"borrow_inverted": True},
    "A subtraction writes 1 to CC.CF if there is no borrow, and subc subtracts the inverse of the "
    "flag. Chains of one kind agree with the manual; addc and madc add the inverse of a borrow, "
    "and subc subtracts the inverse of a carry.",
    ("{ sub.cc.u32 x, a, b; addc.u32 d, c, 0; }", {"a": 0, "b": 1, "c": 5}, 6, 5),
    remark="The flag is the carry of a + ~b + 1, as the hardware has it.",
)
"""The erratum of two instructions: a borrow read as a carry, or a carry as a borrow."""


def _is_exact(f: Form) -> bool:
    """Whether an operand is read as the exact result of the statement that wrote it."""
    return any(x.least is not None for x in f.fusions)


_NEGATIONS = "neg, abs, or sub from 0"
FUSION_ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "E19",
        f"{_NEGATIONS}, of s16, before setp, set, shr, sad, mul and mad .hi/.wide .s16, or cvt to "
        "32 or 64 bits, that reads the result",
        ("cvt", "set", "setp", "shr", "sad", "mul", "mad"),
        lambda f: _is_exact(f) and not f.sat and Type.S16 in (f.stype, f.atype),
        {"is_fused": True},
        "The half-word is negated in 32 bits and never cut to 16: the negative of -32768 is read "
        "as 32768, where the register holds -32768.",
        ("{ neg.s16 t, a; cvt.s32.s16 d, t; }", {"a": 0x8000}, 0xFFFF8000, 0x00008000),
        repaired_in=(13, 3),
        remark="For sm_75 to sm_89, min.s16 and max.s16 read it so, too.",
    ),
    Erratum(
        "E20",
        "prmt with a literal selector, before and with a mask of whole bytes, or cvt from or to "
        ".u8 or .u16, that reads the result, or setp, set, shr, sad, mul or mad .u16 that reads "
        "its low half",
        ("and", "cvt", "set", "setp", "shr", "sad", "mul", "mad"),
        lambda f: any(x.cleared for x in f.fusions),
        {"is_fused": True},
        "The bytes that are copies of a sign of a become 0, if byte 0 is one of those that the "
        "mask keeps, and it keeps no plain byte of a: the code never loads a.",
        (
            "{ prmt.b32 t, a, b, 0x8888; and.b32 d, t, 255; }",
            {"a": 0x00000080, "b": 0},
            0x000000FF,
            0x00000000,
        ),
        repaired_in=(13, 4),
    ),
    Erratum(
        "E21",
        "add.s32 or sub.s32, before add.sat.s32 or sub.sat.s32 that takes an operand back from "
        "the result",
        ("add", "sub"),
        lambda f: any(x.sign for x in f.fusions),
        {"is_fused": True},
        "The sum is undone as if it were exact: a + b - b becomes a copy of a. Where a + b wraps "
        "around, the clamp of the second statement is missing.",
        (
            "{ add.s32 t, a, b; sub.sat.s32 d, t, b; }",
            {"a": 0x7FFFFFFF, "b": 1},
            0x80000000,
            0x7FFFFFFF,
        ),
        repaired_in=(13, 4),
    ),
    Erratum(
        "E22",
        f"{_NEGATIONS}, of s16 or s32, before cvt.sat that reads the result",
        ("cvt",),
        lambda f: _is_exact(f) and f.sat,
        {"is_fused": True},
        "The clamp sees the exact negative: that of the most negative number is positive, and "
        "becomes the maximum instead of the minimum.",
        ("{ neg.s32 t, a; cvt.sat.u8.s32 d, t; }", {"a": 0x80000000}, 0x0000, 0x00FF),
    ),
    Erratum(
        "E23",
        "add.s32 or sub.s32 with a literal, before add.sat.s32 or sub.sat.s32 of the result and a "
        "literal",
        ("add", "sub"),
        lambda f: _is_exact(f) and f.sat,
        {"is_fused": True},
        "Both literals are added first, as if the first sum were exact: where it wraps around, "
        "the result is clamped.",
        ("{ add.s32 t, a, 5; add.sat.s32 d, t, 5; }", {"a": 0x7FFFFFFF}, 0x80000009, 0x7FFFFFFF),
    ),
    Erratum(
        "E24",
        "abs.s32 or abs.s64, before setp or set that tests the sign of the result, or slct of "
        "another type than .s32.s32 with it as c",
        ("set", "setp", "slct"),
        lambda f: f.stype is not Type.S16 and any(x.least == 0 for x in f.fusions),
        {"is_fused": True},
        "The magnitude counts as positive, so the test becomes a constant; that of the most "
        "negative number has the sign bit.",
        ("{ abs.s32 t, a; slct.u32.s32 d, b, c, t; }", {"a": 0x80000000, "b": 1, "c": 2}, 2, 1),
        repaired_in=(13, 1),
        remark="For .s64, 13.1 to 13.5 test the magnitude of the high word of a alone.",
    ),
    Erratum(
        "E25",
        "neg.s32, or sub.s32 from 0, before slct.s32.s32 with the result as c",
        ("slct",),
        lambda f: any(x.least not in (None, 0) for x in f.fusions),
        {"is_fused": True},
        "c >= 0 becomes a <= 0, which also holds for -2147483648, whose negative is negative.",
        ("{ neg.s32 t, a; slct.s32.s32 d, b, c, t; }", {"a": 0x80000000, "b": 1, "c": 2}, 2, 1),
    ),
)
"""The errata of two statements that ptxas combines into one at ``-O1`` and above."""

SEQUENCE_ERRATA = (FLAG_ERRATUM, *FUSION_ERRATA)
"""The errata that only several statements show."""

ALL_ERRATA = (*ERRATA, *SEQUENCE_ERRATA)
