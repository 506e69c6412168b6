"""The instructions as data: the only source of what the package knows about their syntax."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from .arithmetic_entries import ARITHMETIC_ENTRIES
from .common_entries import COMMON_ENTRIES
from .contradictions import find_contradictions
from .entry import (
    ANY_VERSION,
    Entry,
    Example,
    Group,
    MinimumVersion,
    Operand,
    SelectorDigits,
    SlotPlace,
    make_masks,
    make_operands,
)
from .form import Form
from .half_entries import HALF_ENTRIES
from .integer_entries import INTEGER_ENTRIES
from .roles import Role
from .slots import (
    C_WITH_BOOLOP,
    CMP6,
    CMP_FITS,
    DSEL_NEEDS_C,
    FTZ_FITS,
    FTZ_FITS_C,
    NEEDS_F64,
    NEEDS_FTZ,
    NEGATE_ONE,
    NOT_C_SELP,
    PO_CANCELS,
    PO_NOT_NEGATED,
    SAT_OR_ADD,
    SECOP_NEEDS_C,
    SECOP_OR_DSEL,
    SETP_DESTINATIONS,
    SINK_ALONE,
    UNUSED_C,
    make_b1024_remark,
)
from .syntax_line import NUMBERS, read_syntax
from .types import Type

C_BITS = 0xCCCCCCCC
"""The default c of forms that keep some of its bits, in examples too: it resembles no result."""

_WORDS = make_operands(d="dtype", a="atype", b="btype", c="dtype")
_VSET_WORDS = (
    Operand(Role.D, Type.U32, refuses_f16x2=True),
    *_WORDS[1:-1],
    Operand(Role.C, Type.U32, refuses_f16x2=True),
)


def _make_lane_operands(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Return the operands of a SIMD instruction, all read lane by lane except c."""
    return tuple(
        x._replace(has_lanes=x.role != Role.C, can_keep_lanes=x.role == Role.C) for x in operands
    )


_SELECTIONS = {n: (make_masks(32 // n, n), SelectorDigits(32 // n, n)) for n in (2, 4)}
"""The masks and the selectors of each number of lanes."""
_NUMBERS = ".dtype.atype.btype{.sat}"
_SHIFT = ".dtype.atype.btype{.sat}.clamp|.wrap"
_COMPARISON = ".atype.btype.cmp"


def _make_scalar_entry(
    opcode: str,
    section: str,
    modifiers: str,
    summary: str,
    brief: str,
    example: Example,
    words: str,
    uses: str = "",
) -> Entry:
    values = {"btype": (Type.U32,)} if modifiers == _SHIFT else {}
    operands = "d{.dsel}, a{.asel}, b{.bsel}{, c}"
    return Entry(
        *read_syntax(f"{opcode}{modifiers}{{.add|.min|.max}} {operands}", cmp=CMP6, **values),
        Group.SCALAR,
        f"9.7.18.1.{section}",
        summary,
        _VSET_WORDS if modifiers == _COMPARISON else _WORDS,
        example,
        MinimumVersion("2.0", "sm_20"),
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
    modifiers: str,
    summary: str,
    brief: str,
    example: Example,
    words: str,
    uses: str = "",
    misprints: Mapping[str, str] = {},
) -> Entry:
    opcode = f"{family}{lanes}"
    line = f"{opcode}{modifiers}{{.add}} d{{.mask}}, a{{.asel}}, b{{.bsel}}, c"
    masks, selectors = _SELECTIONS[lanes]
    return Entry(
        *read_syntax(line, cmp=CMP6, mask=masks, asel=selectors, bsel=selectors),
        Group.SIMD,
        f"9.7.18.2.{section}",
        summary,
        _make_lane_operands(_VSET_WORDS if modifiers == _COMPARISON else _WORDS),
        example,
        MinimumVersion("3.0", "sm_30"),
        constraints=(SAT_OR_ADD,) if modifiers == _NUMBERS else (),
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
        *read_syntax(
            "set.cmp{.and|.or|.xor}{.ftz}.dtype.stype d, a, b{, {!}c}",
            dtype=(Type.U32, Type.S32, Type.F32),
        ),
        Group.COMPARE,
        "9.7.6.1",
        "all ones (or 1.0f) if a CMP b, else 0",
        make_operands(d="dtype", a="stype", b="stype", c=Type.PRED),
        ("set.lt.and.f32.s32 d, a, b, c", {"a": 0xFFFFFFFF, "b": 1, "c": 1}),
        ANY_VERSION,
        constraints=(CMP_FITS, FTZ_FITS, *C_WITH_BOOLOP),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="all 1s if a CMP b",
        words="compare comparison test ones less greater equal unordered nan",
    ),
    Entry(
        *read_syntax(
            "setp.cmp{.and|.or|.xor}{.ftz}.stype p{|q}, a, b{, {!}c}", dst=SETP_DESTINATIONS
        ),
        Group.COMPARE,
        "9.7.6.2",
        "p = t {BOOL c}, q = !t {BOOL c}; t = a CMP b",
        make_operands(p=Type.PRED, q=Type.PRED, a="stype", b="stype", c=Type.PRED),
        ("setp.lt.and.f32 p|q, a, b, c", {"a": 0x7FC00000, "b": 0, "c": 1}),
        ANY_VERSION,
        constraints=(CMP_FITS, FTZ_FITS, *C_WITH_BOOLOP),
        remarks=(SINK_ALONE,),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="p, q from a CMP b",
        words="compare comparison test predicate condition branch less greater equal unordered nan",
    ),
    Entry(
        *read_syntax("selp.stype d, a, b, {!}c"),
        Group.COMPARE,
        "9.7.6.3",
        "a if the predicate c is true, else b",
        make_operands(d="stype", a="stype", b="stype", c=Type.PRED),
        ("selp.b32 d, a, b, c", {"a": 0x11111111, "b": 0x22222222, "c": 1}),
        ANY_VERSION,
        remarks=(NOT_C_SELP,),
        requirements=(NEEDS_F64,),
        brief="c ? a : b",
        words="select choose pick ternary conditional move mux predicate if else",
    ),
    Entry(
        *read_syntax(
            "slct{.ftz}.dtype.ctype d, a, b, c", dtype=NUMBERS, ctype=(Type.S32, Type.F32)
        ),
        Group.COMPARE,
        "9.7.6.4",
        "a if c >= 0, else b",
        make_operands(d="dtype", a="dtype", b="dtype", c="ctype"),
        ("slct.u32.f32 d, a, b, c", {"a": 1, "b": 2, "c": 0x80000000}),
        ANY_VERSION,
        constraints=(FTZ_FITS_C,),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="c >= 0 ? a : b",
        words="select choose pick ternary conditional move mux sign if else",
    ),
    _make_scalar_entry(
        "vadd",
        "1",
        _NUMBERS,
        "a + b of bytes, half-words or words",
        "a + b",
        ("vadd.s32.u32.s32.sat d, a.b1, b.h0", {"a": 0x0000FF00, "b": 0x0000FFFE}),
        words="add addition sum plus",
    ),
    _make_scalar_entry(
        "vsub",
        "1",
        _NUMBERS,
        "a - b of bytes, half-words or words",
        "a - b",
        ("vsub.u32.u32.u32.sat d.b0, a, b, c", {"a": 3, "b": 5, "c": 0x11223344}),
        words="subtract subtraction difference minus",
    ),
    _make_scalar_entry(
        "vabsdiff",
        "1",
        _NUMBERS,
        "|a - b| of bytes, half-words or words",
        "|a - b|",
        ("vabsdiff.u32.u32.u32.add d, a.b0, b.b0, c", {"a": 0x10, "b": 0xF0, "c": 100}),
        words="absolute difference distance sad magnitude abs",
    ),
    _make_scalar_entry(
        "vmin",
        "1",
        _NUMBERS,
        "the smaller of two bytes, half-words or words",
        "min(a, b)",
        ("vmin.s32.s32.s32.max d, a, b, c", {"a": 0xFFFFFF00, "b": 7, "c": 0xFFFFFFF6}),
        words="minimum smaller least lower bound",
        uses="clamp limit",
    ),
    _make_scalar_entry(
        "vmax",
        "1",
        _NUMBERS,
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
        *read_syntax(
            "vmad.dtype.atype.btype{.po}{.sat}{.shr7|.shr15} d, {-}a{.asel}, {-}b{.bsel}, {-}c"
        ),
        Group.SCALAR,
        "9.7.18.1.3",
        "a * b + c, negated, scaled, clamped",
        make_operands(d="final_type", a="atype", b="btype", c="final_type"),
        ("vmad.s32.s32.u32.sat d, a.h0, -b.h1, c", {"a": 0xFFFF, "b": 0x00030000, "c": 10}),
        MinimumVersion("2.0", "sm_20"),
        constraints=(NEGATE_ONE, PO_NOT_NEGATED),
        remarks=(PO_CANCELS,),
        contradictions=find_contradictions("vmad"),
        brief="a * b + c",
        words="multiply add accumulate fma mac product dot fixed point",
    ),
    _make_scalar_entry(
        "vset",
        "4",
        _COMPARISON,
        "1 if a CMP b, else 0",
        "a CMP b",
        ("vset.s32.u32.lt d, a, b", {"a": 0xFFFFFFFF, "b": 0}),
        words="compare comparison test count less greater equal",
    ),
    _make_simd_entry(
        "vadd",
        2,
        "1",
        _NUMBERS,
        "add two pairs of half-words",
        "a + b, 16-bit",
        ("vadd2.s32.s32.s32.sat d, a, b, c", {"a": 0x7FFF8000, "b": 0x0001FFFF}),
        words="add addition sum plus",
    ),
    _make_simd_entry(
        "vsub",
        2,
        "1",
        _NUMBERS,
        "subtract two pairs of half-words",
        "a - b, 16-bit",
        ("vsub2.u32.u32.u32.sat d.h1, a, b, c", {"a": 0x00050005, "b": 0x00030007, "c": C_BITS}),
        words="subtract subtraction difference minus",
    ),
    _make_simd_entry(
        "vavrg",
        2,
        "1",
        _NUMBERS,
        "average two pairs of half-words",
        "average, 16-bit",
        ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0x0003FFFD, "b": 0x00000000}),
        words="average mean rounded midpoint half sum",
    ),
    _make_simd_entry(
        "vabsdiff",
        2,
        "1",
        _NUMBERS,
        "absolute differences of two pairs of half-words",
        "|a - b|, 16-bit",
        ("vabsdiff2.u32.s32.s32.add d, a, b, c", {"a": 0x0001FFFF, "b": 0x00040001, "c": 10}),
        words="absolute difference distance sad magnitude abs",
    ),
    _make_simd_entry(
        "vmin",
        2,
        "1",
        _NUMBERS,
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
        _NUMBERS,
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
        _COMPARISON,
        "compare two pairs of half-words, 1 or 0 each",
        "a CMP b, 16-bit",
        ("vset2.s32.u32.lt d, a, b, c", {"a": 0xFFFF0005, "b": 0x00000003}),
        words="compare comparison test count less greater equal",
    ),
    _make_simd_entry(
        "vadd",
        4,
        "3",
        _NUMBERS,
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
        _NUMBERS,
        "subtract four pairs of bytes",
        "a - b, 8-bit",
        ("vsub4.u32.u32.u32.add d, a, b, c", {"a": 0, "b": 0xFFFFFFFF, "c": 1000}),
        words="subtract subtraction difference minus",
    ),
    _make_simd_entry(
        "vavrg",
        4,
        "3",
        _NUMBERS,
        "average four pairs of bytes",
        "average, 8-bit",
        ("vavrg4.s32.s32.u32.sat d, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0280}),
        words="average mean rounded midpoint half sum",
    ),
    _make_simd_entry(
        "vabsdiff",
        4,
        "3",
        _NUMBERS,
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
        _NUMBERS,
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
        _NUMBERS,
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
        _COMPARISON,
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
