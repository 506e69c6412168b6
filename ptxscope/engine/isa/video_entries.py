"""The catalog entries of the video instructions, scalar and SIMD (PTX ISA 9.7.18)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .entry import (
    Constraint,
    Contradiction,
    Entry,
    Example,
    Group,
    MinimumVersion,
    Operand,
    Remark,
    SelectorDigits,
    make_masks,
    make_operands,
)
from .grammar import read_syntax
from .types import CMP6, Role, SecOp, Type, parse_selector

_SECOP_OR_DSEL = Constraint(
    ("secop", "dsel"),
    lambda f: f.secop is None or f.dsel is None,
    "a secondary operation or a selector on d, not both",
    "`.{f.secop}` and the destination selector `.{f.dsel}` exclude each other",
    lambda _: "a secondary operation, or a selector on d, not both",
    "dsel",
)
_SECOP_NEEDS_C = Constraint(
    ("secop", "c"),
    lambda f: f.c or f.secop is None,
    "c is required with a secondary operation or a selector on d",
    "the secondary operation `.{f.secop}` needs a third source operand c",
    lambda _: "a fourth operand `c`",
    "secop",
)
_DSEL_NEEDS_C = Constraint(
    ("dsel", "c"),
    lambda f: f.c or f.dsel is None,
    "c is required with a secondary operation or a selector on d",
    "`d.{f.dsel}` writes part of d; the other bits come from c, which is missing",
    lambda _: "a fourth operand `c`",
    "dsel",
)
_SAT_OR_ADD = Constraint(
    ("sat", "secop"),
    lambda f: not f.sat or f.secop is None,
    ".sat or .add, not both",
    "`.sat` and `.add` exclude each other on dual and quad forms",
    lambda _: "`.sat` to clamp and merge, or `.add` to accumulate",
    "sat",
)
_NEGATE_ONE = Constraint(
    ("nega", "negb", "negc"),
    lambda f: not f.negc or f.nega == f.negb,
    "the product (-a or -b) or c can be negated, not both",
    "the product or c can be negated, not both",
    lambda _: "`-a` or `-b`, or `-c`",
    "negc",
)
_PO_NOT_NEGATED = Constraint(
    ("po", "nega", "negb", "negc"),
    lambda f: not f.po or (f.nega == f.negb and not f.negc),
    ".po allows no negation except -a with -b, which cancel",
    "`.po` computes a\u00b7b + c + 1 and allows no negation except `-a` with `-b`, which cancel",
    lambda _: "`.po` without `-`",
    "po",
)
_UNUSED_C = Remark(
    ("c", "secop", "dsel"),
    lambda f: f.c and f.secop is None and f.dsel is None,
    "c is ignored: without a secondary operation or a selector on d nothing reads it "
    "(undocumented, accepted by ptxas)",
    is_documented=False,
)
_PO_CANCELS = Remark(
    ("po", "nega", "negb"),
    lambda f: f.po and f.nega and f.negb,
    "`-a` and `-b` cancel; with `.po` this is undocumented, accepted by ptxas",
    is_documented=False,
)
_B1024 = parse_selector("b1024")


def _make_b1024_remark(slot: str) -> Remark:
    """Return the remark on the one documented selector that recent assemblers reject."""
    return Remark(
        (slot,),
        lambda f: f.get(slot) == _B1024,
        f"`.b1024` on {slot[0]} is documented, but ptxas since 12.9 takes it for a type keyword "
        "and reports a syntax error",
        is_in_ptxas=False,
    )


_ARITHMETIC = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr")


CONTRADICTIONS = (
    Contradiction(
        ("vset2", "vset4"),
        lambda f: f.mask is not None and len(f.mask.lanes) * f.mask.unit < 32 and not f.secop,
        "the manual's prose keeps the lanes of b outside the mask, but its pseudo-code keeps "
        "the lanes of c; ptxscope follows the pseudo-code",
    ),
    Contradiction(
        ("vmad",),
        lambda f: f.negc and f.atype is f.btype is Type.U32,
        "the manual's list has an unsigned c in (u32 * u32) - u32, its pseudo-code sign-extends "
        "it; ptxscope follows the pseudo-code",
    ),
    Contradiction(
        ("vmad",),
        lambda f: f.scale is None,
        "the manual's pseudo-code assigns a result only if it is scaled; otherwise ptxscope takes "
        "the sum",
    ),
    Contradiction(
        (*_ARITHMETIC, "vset"),
        lambda f: f.secop is not None,
        "the manual's pseudo-code assigns d twice from the same tmp, which would undo the "
        "secondary operation; ptxscope performs one after the other",
    ),
    Contradiction(
        tuple(opcode for opcode in _ARITHMETIC if opcode != "vabsdiff"),
        lambda f: (
            f.dtype is Type.U32
            and (f.sat or f.secop in (SecOp.MIN, SecOp.MAX))
            and (f.opcode == "vsub" or Type.S32 in (f.atype, f.btype))
        ),
        "the manual says that the sign of the intermediate result depends on dtype, and declares "
        "it .s34, signed whatever dtype is; ptxscope uses the exact number, which may be negative",
    ),
)


def find_contradictions(opcode: str) -> tuple[Contradiction, ...]:
    """Return the contradictions that concern an opcode."""
    return tuple(x for x in CONTRADICTIONS if opcode in x.opcodes)


C_BITS = 0xCCCCCCCC
"""The default c of forms that keep some of its bits, also in examples: it resembles no result."""

_WORDS = make_operands(d="dtype", a="atype", b="btype", c="dtype")
_VSET_WORDS = (
    Operand(Role.D, Type.U32, refuses_f16x2=True),
    *_WORDS[1:-1],
    Operand(Role.C, Type.U32, refuses_f16x2=True),
)


def _make_lane_operands(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Return the operands of a SIMD instruction, all read lane by lane except c."""
    return tuple(
        operand._replace(has_lanes=operand.role != Role.C, can_keep_lanes=operand.role == Role.C)
        for operand in operands
    )


_SELECTIONS = {n: (make_masks(32 // n, n), SelectorDigits(32 // n, n)) for n in (2, 4)}
"""The masks and the selectors of each number of lanes."""
_NUMBERS = ".dtype.atype.btype{.sat}"
_SHIFT = ".dtype.atype.btype{.sat}.clamp|.wrap"
_COMPARISON = ".atype.btype.cmp"


class _Family(NamedTuple):
    """An operation on words and their parts, on half-words and on bytes."""

    name: str
    modifiers: str
    brief: str
    words: str
    lanes_summary: str = ""
    """The summary of the SIMD instructions, with ``{}`` for the lanes; may be empty."""
    dual_example: Example = ("", {})
    quad_example: Example = ("", {})
    uses: str = ""
    summary: str = ""
    """The summary of the scalar instruction; may be empty."""
    example: Example = ("", {})
    misprints: Mapping[str, str] = {}
    """The misprints of the instruction on bytes."""


_FAMILIES = (
    _Family(
        "vadd",
        _NUMBERS,
        "a + b",
        "add addition sum plus",
        "add {}",
        ("vadd2.s32.s32.s32.sat d, a, b, c", {"a": 0x7FFF8000, "b": 0x0001FFFF}),
        (  # a newcomer's first example: 100 + 100, -100 - 100, 1 + 2, 5 - 7
            "vadd4.s32.s32.s32.sat d, a, b, c",
            {"a": 0x649C0105, "b": 0x649C02F9},
        ),
        summary="a + b of bytes, half-words or words",
        example=("vadd.s32.u32.s32.sat d, a.b1, b.h0", {"a": 0x0000FF00, "b": 0x0000FFFE}),
    ),
    _Family(
        "vsub",
        _NUMBERS,
        "a - b",
        "subtract subtraction difference minus",
        "subtract {}",
        ("vsub2.u32.u32.u32.sat d.h1, a, b, c", {"a": 0x00050005, "b": 0x00030007, "c": C_BITS}),
        ("vsub4.u32.u32.u32.add d, a, b, c", {"a": 0, "b": 0xFFFFFFFF, "c": 1000}),
        summary="a - b of bytes, half-words or words",
        example=("vsub.u32.u32.u32.sat d.b0, a, b, c", {"a": 3, "b": 5, "c": 0x11223344}),
    ),
    _Family(
        "vavrg",
        _NUMBERS,
        "average",
        "average mean rounded midpoint half sum",
        "average {}",
        ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0x0003FFFD, "b": 0x00000000}),
        ("vavrg4.s32.s32.u32.sat d, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0280}),
    ),
    _Family(
        "vabsdiff",
        _NUMBERS,
        "|a - b|",
        "absolute difference distance sad magnitude abs",
        "absolute differences of {}",
        ("vabsdiff2.u32.s32.s32.add d, a, b, c", {"a": 0x0001FFFF, "b": 0x00040001, "c": 10}),
        ("vabsdiff4.u32.u32.u32.add d, a, b, c", {"a": 0x10203040, "b": 0x11223344, "c": 1000}),
        summary="|a - b| of bytes, half-words or words",
        example=("vabsdiff.u32.u32.u32.add d, a.b0, b.b0, c", {"a": 0x10, "b": 0xF0, "c": 100}),
    ),
    _Family(
        "vmin",
        _NUMBERS,
        "min(a, b)",
        "minimum smaller least lower bound",
        "the smaller of {}",
        ("vmin2.s32.s32.u32 d, a.h10, b.h22, c", {"a": 0x8000FFFF, "b": 0x7FFF0001}),
        ("vmin4.s32.s32.s32 d, a, b.b4321, c", {"a": 0x80FF7F01, "b": 0x02030405}),
        uses="clamp limit",
        summary="the smaller of two bytes, half-words or words",
        example=("vmin.s32.s32.s32.max d, a, b, c", {"a": 0xFFFFFF00, "b": 7, "c": 0xFFFFFFF6}),
        misprints={"b00": "`vmin4.s32.u32.u32.add r1.b00, …`"},
    ),
    _Family(
        "vmax",
        _NUMBERS,
        "max(a, b)",
        "maximum larger greatest upper bound",
        "the larger of {}",
        ("vmax2.u32.u32.u32 d.h0, a, b, c", {"a": 0x00010002, "b": 0x00030001, "c": C_BITS}),
        ("vmax4.u32.u32.u32 d.b20, a, b, c", {"a": 0x01020304, "b": 0x04030201, "c": C_BITS}),
        uses="clamp limit",
        summary="the larger of two bytes, half-words or words",
        example=("vmax.s32.s32.u32 d, a.h0, b.b0", {"a": 0x0000FFFF, "b": 0x00000080}),
    ),
    _Family(
        "vshl",
        _SHIFT,
        "a << b",
        "shift left",
        uses="multiply power",
        summary="a << b, the amount clamped or wrapped",
        example=("vshl.u32.u32.u32.clamp.add d, a, b, c", {"a": 0x00000003, "b": 4, "c": 0xA}),
    ),
    _Family(
        "vshr",
        _SHIFT,
        "a >> b",
        "shift right",
        uses="divide power",
        summary="a >> b, the amount clamped or wrapped",
        example=("vshr.s32.s32.u32.clamp d, a, b", {"a": 0x80000000, "b": 4}),
    ),
    _Family(
        "vset",
        _COMPARISON,
        "a CMP b",
        "compare comparison test count less greater equal",
        "compare {}, 1 or 0 each",
        ("vset2.s32.u32.lt d, a, b, c", {"a": 0xFFFF0005, "b": 0x00000003}),
        ("vset4.s32.u32.lt.add d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101, "c": 5}),
        summary="1 if a CMP b, else 0",
        example=("vset.s32.u32.lt d, a, b", {"a": 0xFFFFFFFF, "b": 0}),
        misprints=dict.fromkeys(("min", "max"), "`vset4.u32.u32.ne.max`"),
    ),
)


def _make_scalar_entry(family: _Family) -> Entry:
    opcode, modifiers = family.name, family.modifiers
    values = {"btype": (Type.U32,)} if modifiers == _SHIFT else {}
    operands = "d{.dsel}, a{.asel}, b{.bsel}{, c}"
    return Entry(
        *read_syntax(f"{opcode}{modifiers}{{.add|.min|.max}} {operands}", cmp=CMP6, **values),
        Group.SCALAR,
        f"9.7.18.1.{ {_NUMBERS: 1, _SHIFT: 2, _COMPARISON: 4}[modifiers] }",
        family.summary,
        _VSET_WORDS if modifiers == _COMPARISON else _WORDS,
        family.example,
        MinimumVersion("2.0", "sm_20"),
        constraints=(_SECOP_OR_DSEL, _SECOP_NEEDS_C, _DSEL_NEEDS_C),
        remarks=(_UNUSED_C,),
        contradictions=find_contradictions(opcode),
        brief=family.brief,
        words=family.words,
        uses=family.uses,
    )


def _make_simd_entry(family: _Family, lanes: int) -> Entry:
    opcode, modifiers = f"{family.name}{lanes}", family.modifiers
    line = f"{opcode}{modifiers}{{.add}} d{{.mask}}, a{{.asel}}, b{{.bsel}}, c"
    masks, selectors = _SELECTIONS[lanes]
    is_comparison, has_bytes = modifiers == _COMPARISON, lanes == 4
    return Entry(
        *read_syntax(line, cmp=CMP6, mask=masks, asel=selectors, bsel=selectors),
        Group.SIMD,
        f"9.7.18.2.{1 + 2 * has_bytes + is_comparison}",
        family.lanes_summary.format(
            "four pairs of bytes" if has_bytes else "two pairs of half-words"
        ),
        _make_lane_operands(_VSET_WORDS if is_comparison else _WORDS),
        family.quad_example if has_bytes else family.dual_example,
        MinimumVersion("3.0", "sm_30"),
        constraints=() if is_comparison else (_SAT_OR_ADD,),
        remarks=(_make_b1024_remark("asel"), _make_b1024_remark("bsel")) if has_bytes else (),
        lanes=lanes,
        can_take_immediates=False,
        family=family.name,
        contradictions=find_contradictions(opcode),
        brief=f"{family.brief}, {32 // lanes}-bit",
        words=family.words,
        uses=family.uses,
        misprints=family.misprints if has_bytes else {},
    )


_SCALAR_ENTRIES = [_make_scalar_entry(x) for x in _FAMILIES if x.summary]
VIDEO_ENTRIES = (
    *_SCALAR_ENTRIES[:-1],
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
        constraints=(_NEGATE_ONE, _PO_NOT_NEGATED),
        remarks=(_PO_CANCELS,),
        contradictions=find_contradictions("vmad"),
        brief="a * b + c",
        words="multiply add accumulate fma mac product dot fixed point",
    ),
    _SCALAR_ENTRIES[-1],
    *(_make_simd_entry(x, lanes) for lanes in (2, 4) for x in _FAMILIES if x.lanes_summary),
)
"""The entries in the order of the PTX ISA."""
