"""The instructions as data: the only source of what the package knows about their syntax."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from .arithmetic_entries import ARITHMETIC_ENTRIES
from .common_entries import COMMON_ENTRIES
from .contradictions import find_contradictions
from .entry import Entry, Example, Group, Operand, SelectorDigits, Slot, SlotPlace, make_masks
from .form import Form
from .half_entries import HALF_ENTRIES
from .integer_entries import INTEGER_ENTRIES
from .roles import Role
from .slots import (
    ASEL,
    ATYPE,
    BOOLOP,
    BSEL,
    BTYPE,
    C_WITH_BOOLOP,
    CMP,
    CMP6,
    CMP_FITS,
    DSEL,
    DSEL_NEEDS_C,
    DTYPE,
    FTZ,
    FTZ_FITS,
    FTZ_FITS_C,
    NEEDS_F64,
    NEEDS_FTZ,
    NEGATE_ONE,
    NOT_C,
    NOT_C_SELP,
    PO_CANCELS,
    PO_NOT_NEGATED,
    SAT,
    SAT_OR_ADD,
    SECOP,
    SECOP_NEEDS_C,
    SECOP_OR_DSEL,
    SETP_DESTINATION,
    SINK_ALONE,
    ST,
    STYPE,
    UNUSED_C,
    C,
    make_b1024_remark,
)
from .types import Scale, SecOp, ShiftMode, Type

C_BITS = 0xCCCCCCCC
"""The default c of forms that keep some of its bits, in examples too: it resembles no result."""

_WORDS = (
    Operand(Role.D, "dtype"),
    Operand(Role.A, "atype"),
    Operand(Role.B, "btype"),
    Operand(Role.C, "dtype"),
)
_VMAD_WORDS = (
    Operand(Role.D, "final_type"),
    *_WORDS[1:-1],
    Operand(Role.C, "final_type"),
)
_VSET_WORDS = (
    Operand(Role.D, Type.U32, refuses_f16x2=True),
    Operand(Role.A, "atype"),
    Operand(Role.B, "btype"),
    Operand(Role.C, Type.U32, refuses_f16x2=True),
)


def _make_lane_operands(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Return the operands of a SIMD instruction, all read lane by lane except c."""
    return tuple(
        x._replace(has_lanes=x.role != Role.C, can_keep_lanes=x.role == Role.C) for x in operands
    )


_ARITHMETIC = (DTYPE, ATYPE, BTYPE, SAT)
_SHIFT = (DTYPE, ATYPE, Slot("btype", (Type.U32,)), SAT, Slot("mode", tuple(ShiftMode)))
_VSET = (ATYPE, BTYPE, Slot("cmp", CMP6))


def _make_scalar_entry(
    opcode: str,
    section: str,
    slots: tuple[Slot, ...],
    summary: str,
    brief: str,
    example: Example,
    words: str,
    uses: str = "",
) -> Entry:
    return Entry(
        opcode,
        Group.SCALAR,
        f"9.7.18.1.{section}",
        summary,
        (*slots, SECOP, DSEL, ASEL, BSEL, C),
        _VSET_WORDS if slots is _VSET else _WORDS,
        example,
        "2.0",
        "sm_20",
        constraints=(SECOP_OR_DSEL, SECOP_NEEDS_C, DSEL_NEEDS_C),
        remarks=(UNUSED_C,),
        contradictions=find_contradictions(opcode),
        brief=brief,
        words=words,
        uses=uses,
    )


def _make_simd_entry(
    family: str,
    lanes: int,
    section: str,
    slots: tuple[Slot, ...],
    summary: str,
    brief: str,
    example: Example,
    words: str,
    uses: str = "",
    misprints: Mapping[str, str] = {},
) -> Entry:
    opcode, unit = f"{family}{lanes}", 32 // lanes
    return Entry(
        opcode,
        Group.SIMD,
        f"9.7.18.2.{section}",
        summary,
        (
            *slots,
            Slot("secop", (SecOp.ADD,), is_optional=True),
            Slot("mask", make_masks(unit, lanes), is_optional=True, place=SlotPlace.D),
            Slot("asel", SelectorDigits(unit, lanes), is_optional=True, place=SlotPlace.A),
            Slot("bsel", SelectorDigits(unit, lanes), is_optional=True, place=SlotPlace.B),
        ),
        _make_lane_operands(_VSET_WORDS if slots is _VSET else _WORDS),
        example,
        "3.0",
        "sm_30",
        constraints=(SAT_OR_ADD,) if SAT in slots else (),
        remarks=(make_b1024_remark("asel"), make_b1024_remark("bsel")) if lanes == 4 else (),
        lanes=lanes,
        can_take_immediates=False,
        family=family,
        contradictions=find_contradictions(opcode),
        brief=brief,
        words=words,
        uses=uses,
        misprints=misprints,
    )


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "set",
        Group.COMPARE,
        "9.7.6.1",
        "all ones (or 1.0f) if a CMP b, else 0",
        (CMP, BOOLOP, FTZ, Slot("dtype", (Type.U32, Type.S32, Type.F32)), STYPE, NOT_C, C),
        (
            Operand(Role.D, "dtype"),
            Operand(Role.A, "stype"),
            Operand(Role.B, "stype"),
            Operand(Role.C, Type.PRED),
        ),
        ("set.lt.and.f32.s32 d, a, b, c", {"a": 0xFFFFFFFF, "b": 1, "c": 1}),
        "1.0",
        "any",
        constraints=(CMP_FITS, FTZ_FITS, *C_WITH_BOOLOP),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="all 1s if a CMP b",
        words="compare comparison test ones less greater equal unordered nan",
    ),
    Entry(
        "setp",
        Group.COMPARE,
        "9.7.6.2",
        "p = t {BOOL c}, q = !t {BOOL c}; t = a CMP b",
        (CMP, BOOLOP, FTZ, STYPE, SETP_DESTINATION, NOT_C, C),
        (
            Operand(Role.P, Type.PRED),
            Operand(Role.Q, Type.PRED),
            Operand(Role.A, "stype"),
            Operand(Role.B, "stype"),
            Operand(Role.C, Type.PRED),
        ),
        ("setp.lt.and.f32 p|q, a, b, c", {"a": 0x7FC00000, "b": 0, "c": 1}),
        "1.0",
        "any",
        constraints=(CMP_FITS, FTZ_FITS, *C_WITH_BOOLOP),
        remarks=(SINK_ALONE,),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="p, q from a CMP b",
        words="compare comparison test predicate condition branch less greater equal unordered nan",
    ),
    Entry(
        "selp",
        Group.COMPARE,
        "9.7.6.3",
        "a if the predicate c is true, else b",
        (STYPE, NOT_C),
        (
            Operand(Role.D, "stype"),
            Operand(Role.A, "stype"),
            Operand(Role.B, "stype"),
            Operand(Role.C, Type.PRED),
        ),
        ("selp.b32 d, a, b, c", {"a": 0x11111111, "b": 0x22222222, "c": 1}),
        "1.0",
        "any",
        remarks=(NOT_C_SELP,),
        requirements=(NEEDS_F64,),
        brief="c ? a : b",
        words="select choose pick ternary conditional move mux predicate if else",
    ),
    Entry(
        "slct",
        Group.COMPARE,
        "9.7.6.4",
        "a if c >= 0, else b",
        (FTZ, Slot("dtype", ST), Slot("ctype", (Type.S32, Type.F32))),
        (
            Operand(Role.D, "dtype"),
            Operand(Role.A, "dtype"),
            Operand(Role.B, "dtype"),
            Operand(Role.C, "ctype"),
        ),
        ("slct.u32.f32 d, a, b, c", {"a": 1, "b": 2, "c": 0x80000000}),
        "1.0",
        "any",
        constraints=(FTZ_FITS_C,),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="c >= 0 ? a : b",
        words="select choose pick ternary conditional move mux sign if else",
    ),
    _make_scalar_entry(
        "vadd",
        "1",
        _ARITHMETIC,
        "a + b of bytes, half-words or words",
        "a + b",
        ("vadd.s32.u32.s32.sat d, a.b1, b.h0", {"a": 0x0000FF00, "b": 0x0000FFFE}),
        words="add addition sum plus",
    ),
    _make_scalar_entry(
        "vsub",
        "1",
        _ARITHMETIC,
        "a - b of bytes, half-words or words",
        "a - b",
        ("vsub.u32.u32.u32.sat d.b0, a, b, c", {"a": 3, "b": 5, "c": 0x11223344}),
        words="subtract subtraction difference minus",
    ),
    _make_scalar_entry(
        "vabsdiff",
        "1",
        _ARITHMETIC,
        "|a - b| of bytes, half-words or words",
        "|a - b|",
        ("vabsdiff.u32.u32.u32.add d, a.b0, b.b0, c", {"a": 0x10, "b": 0xF0, "c": 100}),
        words="absolute difference distance sad magnitude abs",
    ),
    _make_scalar_entry(
        "vmin",
        "1",
        _ARITHMETIC,
        "the smaller of two bytes, half-words or words",
        "min(a, b)",
        ("vmin.s32.s32.s32.max d, a, b, c", {"a": 0xFFFFFF00, "b": 7, "c": 0xFFFFFFF6}),
        words="minimum smaller least lower bound",
        uses="clamp limit",
    ),
    _make_scalar_entry(
        "vmax",
        "1",
        _ARITHMETIC,
        "the larger of two bytes, half-words or words",
        "max(a, b)",
        ("vmax.s32.s32.u32 d, a.h0, b.b0", {"a": 0x0000FFFF, "b": 0x00000080}),
        words="maximum larger greatest upper bound",
        uses="clamp limit",
    ),
    _make_scalar_entry(
        "vshl",
        "2",
        _SHIFT,
        "a << b, the amount clamped or wrapped",
        "a << b",
        ("vshl.u32.u32.u32.clamp.add d, a, b, c", {"a": 0x00000003, "b": 4, "c": 0xA}),
        words="shift left",
        uses="multiply power",
    ),
    _make_scalar_entry(
        "vshr",
        "2",
        _SHIFT,
        "a >> b, the amount clamped or wrapped",
        "a >> b",
        ("vshr.s32.s32.u32.clamp d, a, b", {"a": 0x80000000, "b": 4}),
        words="shift right",
        uses="divide power",
    ),
    Entry(
        "vmad",
        Group.SCALAR,
        "9.7.18.1.3",
        "a * b + c, negated, scaled, clamped",
        (
            DTYPE,
            ATYPE,
            BTYPE,
            Slot("po", (True,), is_optional=True, word="po"),
            SAT,
            Slot("scale", tuple(Scale), is_optional=True),
            *(
                Slot(f"neg{place}", (True,), is_optional=True, place=place, word="-")
                for place in (SlotPlace.A, SlotPlace.B, SlotPlace.C)
            ),
            ASEL,
            BSEL,
        ),
        _VMAD_WORDS,
        ("vmad.s32.s32.u32.sat d, a.h0, -b.h1, c", {"a": 0xFFFF, "b": 0x00030000, "c": 10}),
        "2.0",
        "sm_20",
        constraints=(NEGATE_ONE, PO_NOT_NEGATED),
        remarks=(PO_CANCELS,),
        contradictions=find_contradictions("vmad"),
        brief="a * b + c",
        words="multiply add accumulate fma mac product dot fixed point",
    ),
    _make_scalar_entry(
        "vset",
        "4",
        _VSET,
        "1 if a CMP b, else 0",
        "a CMP b",
        ("vset.s32.u32.lt d, a, b", {"a": 0xFFFFFFFF, "b": 0}),
        words="compare comparison test count less greater equal",
    ),
    _make_simd_entry(
        "vadd",
        2,
        "1",
        _ARITHMETIC,
        "add two pairs of half-words",
        "a + b, 16-bit",
        ("vadd2.s32.s32.s32.sat d, a, b, c", {"a": 0x7FFF8000, "b": 0x0001FFFF}),
        words="add addition sum plus",
    ),
    _make_simd_entry(
        "vsub",
        2,
        "1",
        _ARITHMETIC,
        "subtract two pairs of half-words",
        "a - b, 16-bit",
        ("vsub2.u32.u32.u32.sat d.h1, a, b, c", {"a": 0x00050005, "b": 0x00030007, "c": C_BITS}),
        words="subtract subtraction difference minus",
    ),
    _make_simd_entry(
        "vavrg",
        2,
        "1",
        _ARITHMETIC,
        "average two pairs of half-words",
        "average, 16-bit",
        ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0x0003FFFD, "b": 0x00000000}),
        words="average mean rounded midpoint half sum",
    ),
    _make_simd_entry(
        "vabsdiff",
        2,
        "1",
        _ARITHMETIC,
        "absolute differences of two pairs of half-words",
        "|a - b|, 16-bit",
        ("vabsdiff2.u32.s32.s32.add d, a, b, c", {"a": 0x0001FFFF, "b": 0x00040001, "c": 10}),
        words="absolute difference distance sad magnitude abs",
    ),
    _make_simd_entry(
        "vmin",
        2,
        "1",
        _ARITHMETIC,
        "the smaller of two pairs of half-words",
        "min(a, b), 16-bit",
        ("vmin2.s32.s32.u32 d, a.h10, b.h22, c", {"a": 0x8000FFFF, "b": 0x7FFF0001}),
        words="minimum smaller least lower bound",
        uses="clamp limit",
    ),
    _make_simd_entry(
        "vmax",
        2,
        "1",
        _ARITHMETIC,
        "the larger of two pairs of half-words",
        "max(a, b), 16-bit",
        ("vmax2.u32.u32.u32 d.h0, a, b, c", {"a": 0x00010002, "b": 0x00030001, "c": C_BITS}),
        words="maximum larger greatest upper bound",
        uses="clamp limit",
    ),
    _make_simd_entry(
        "vset",
        2,
        "2",
        _VSET,
        "compare two pairs of half-words, 1 or 0 each",
        "a CMP b, 16-bit",
        ("vset2.s32.u32.lt d, a, b, c", {"a": 0xFFFF0005, "b": 0x00000003}),
        words="compare comparison test count less greater equal",
    ),
    _make_simd_entry(
        "vadd",
        4,
        "3",
        _ARITHMETIC,
        "add four pairs of bytes",
        "a + b, 8-bit",
        (
            "vadd4.s32.s32.u32.sat d.b310, a, b, c",
            {"a": 0x80FF7F01, "b": 0x01FF0180, "c": C_BITS},
        ),
        words="add addition sum plus",
    ),
    _make_simd_entry(
        "vsub",
        4,
        "3",
        _ARITHMETIC,
        "subtract four pairs of bytes",
        "a - b, 8-bit",
        ("vsub4.u32.u32.u32.add d, a, b, c", {"a": 0, "b": 0xFFFFFFFF, "c": 1000}),
        words="subtract subtraction difference minus",
    ),
    _make_simd_entry(
        "vavrg",
        4,
        "3",
        _ARITHMETIC,
        "average four pairs of bytes",
        "average, 8-bit",
        ("vavrg4.s32.s32.u32.sat d, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0280}),
        words="average mean rounded midpoint half sum",
    ),
    _make_simd_entry(
        "vabsdiff",
        4,
        "3",
        _ARITHMETIC,
        "absolute differences of four pairs of bytes",
        "|a - b|, 8-bit",
        (
            "vabsdiff4.u32.u32.u32.add d, a, b, c",
            {"a": 0x10203040, "b": 0x11223344, "c": 1000},
        ),
        words="absolute difference distance sad magnitude abs",
    ),
    _make_simd_entry(
        "vmin",
        4,
        "3",
        _ARITHMETIC,
        "the smaller of four pairs of bytes",
        "min(a, b), 8-bit",
        ("vmin4.s32.s32.s32 d, a, b.b4321, c", {"a": 0x80FF7F01, "b": 0x02030405}),
        words="minimum smaller least lower bound",
        uses="clamp limit",
        misprints={"b00": "`vmin4.s32.u32.u32.add r1.b00, …`"},
    ),
    _make_simd_entry(
        "vmax",
        4,
        "3",
        _ARITHMETIC,
        "the larger of four pairs of bytes",
        "max(a, b), 8-bit",
        ("vmax4.u32.u32.u32 d.b20, a, b, c", {"a": 0x01020304, "b": 0x04030201, "c": C_BITS}),
        words="maximum larger greatest upper bound",
        uses="clamp limit",
    ),
    _make_simd_entry(
        "vset",
        4,
        "4",
        _VSET,
        "compare four pairs of bytes, 1 or 0 each",
        "a CMP b, 8-bit",
        ("vset4.s32.u32.lt.add d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101, "c": 5}),
        words="compare comparison test count less greater equal",
        misprints=dict.fromkeys(("min", "max"), "`vset4.u32.u32.ne.max`"),
    ),
    *INTEGER_ENTRIES,
    *ARITHMETIC_ENTRIES,
    *HALF_ENTRIES,
    *COMMON_ENTRIES,
)
"""The entries, those of one opcode together: first the 27, in the order of the PTX ISA."""


def _group_by_opcode() -> dict[str, tuple[Entry, ...]]:
    entries: dict[str, tuple[Entry, ...]] = {}
    for entry in ENTRIES:
        entries[entry.opcode] = (*entries.get(entry.opcode, ()), entry)
    return entries


_SHAPES = _group_by_opcode()
CATALOG: dict[str, Entry] = {opcode: shapes[0] for opcode, shapes in _SHAPES.items()}
"""The first entry of each opcode; ``find_entry`` and ``get_entry`` find the others."""


def list_shapes(opcode: str) -> tuple[Entry, ...]:
    """Return the entries of an opcode, the default first; none if the catalog lacks it."""
    return _SHAPES.get(opcode, ())


def find_entry(opcode: str, modifiers: Collection[str]) -> Entry | None:
    """Return the entry of an opcode with these modifiers, spelled without their dots.

    None if the catalog lacks the opcode, or has it with other types only, as ``add.f32``.
    """
    shape = _select_shape(list_shapes(opcode), modifiers)
    return shape if shape and shape.foreign_types.isdisjoint(modifiers) else None


def _select_shape(shapes: tuple[Entry, ...], modifiers: Collection[str]) -> Entry | None:
    """Return the shape that a modifier distinguishes, or the default one; None for neither."""
    defaults = (entry for entry in shapes if not entry.distinguishing_modifiers)
    matches = (
        entry for entry in shapes if not entry.distinguishing_modifiers.isdisjoint(modifiers)
    )
    return next(matches, next(defaults, None))


def find_carry_noun(opcode: str) -> str:
    """Return what the carry flag is to an opcode: ``carry``, ``borrow``; empty if it has none."""
    return next((x.carry_noun for x in list_shapes(opcode) if x.carry_noun), "")


def get_entry(form: Form) -> Entry:
    """Return the entry of a form."""
    shapes = _SHAPES[form.opcode]
    return shapes[0] if len(shapes) == 1 else _find_shape(form)


@lru_cache(maxsize=1 << 12)
def _find_shape(form: Form) -> Entry:
    shapes = _SHAPES[form.opcode]
    slots = [slot for entry in shapes for slot in entry.slots if slot.place is SlotPlace.MODIFIER]
    match = _select_shape(shapes, {slot.format_value(form.get(slot.name)) for slot in slots})
    assert match
    return match
