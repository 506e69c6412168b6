"""The catalog entries of ``set``, ``setp``, ``selp`` and ``slct`` (PTX ISA 9.7.6, 9.7.7).

Scalars and pairs of halves are separate shapes: a pair has two lanes.
"""

from __future__ import annotations

from .entry import (
    ANY_VERSION,
    NEEDS_F64,
    Constraint,
    Entry,
    Example,
    Group,
    MinimumVersion,
    Operand,
    Remark,
    Slot,
    VersionRequirement,
    make_operands,
)
from .grammar import NUMBERS, read_syntax
from .types import CMP6, Cmp, Destinations, Form, Role, Type

_SETP_DESTINATIONS = tuple(x for x in Destinations if x not in ("d|p", "_|p"))
_CMP_OF_KIND = {
    "b": (Cmp.EQ, Cmp.NE),
    "s": CMP6,
    "u": (*CMP6, Cmp.LO, Cmp.LS, Cmp.HI, Cmp.HS),
    "f": tuple(c for c in Cmp if c not in (Cmp.LO, Cmp.LS, Cmp.HI, Cmp.HS)),
}


def _list_comparisons(stype: Type) -> tuple[Cmp, ...]:
    """Return the comparisons that ``set`` and ``setp`` allow for a source type."""
    return _CMP_OF_KIND["f" if stype.lane_type.is_float else stype[0]]


_NEEDS_FTZ = VersionRequirement(".ftz", lambda f: f.ftz, ptx_isa="1.4")
_CMP_FITS = Constraint(
    ("cmp", "stype"),
    lambda f: f.cmp in _list_comparisons(f.stype or Type.B32),
    "the source type decides the comparisons: .b* has eq ne; .s* also lt le gt ge; .u* also "
    "lo ls hi hs; .f* has eq … ge, their unordered twins equ … geu, num and nan",
    "`.{f.cmp}` does not compare `.{f.stype}` operands",
    lambda f: f"for `.{f.stype}`: .{' .'.join(_list_comparisons(f.stype or Type.B32))}",
    "cmp",
)
_FTZ_FITS = Constraint(
    ("ftz", "stype"),
    lambda f: not f.ftz or f.stype is Type.F32,
    ".ftz requires the source type .f32",
    "`.ftz` flushes `.f32` inputs; the source type here is `.{f.stype}`",
    lambda _: "`.ftz` with source type `.f32` only",
    "ftz",
)
_FTZ_FITS_C = Constraint(
    ("ftz", "ctype"),
    lambda f: not f.ftz or f.ctype is Type.F32,
    ".ftz requires .f32 as the type of c",
    "`.ftz` flushes an `.f32` c; the type of c here is `.{f.ctype}`",
    lambda _: "`.ftz` with `.f32` as the second type only",
    "ftz",
)
_C_WITH_BOOLOP = (
    Constraint(
        ("boolop", "c"),
        lambda f: f.c or f.boolop is None,
        "c, or !c, is required with a Boolean operator, and allowed only there",
        "`.{f.boolop}` combines the comparison with a predicate c, which is missing",
        lambda _: "a fourth operand: `c` or `!c`",
        "boolop",
    ),
    Constraint(
        ("boolop", "c"),
        lambda f: not f.c or f.boolop is not None,
        "c, or !c, is required with a Boolean operator, and allowed only there",
        "the operand c needs a Boolean operator to combine it with",
        lambda _: ".and .or .xor after the comparison",
        "c",
    ),
    Constraint(
        ("negc", "c"),
        lambda f: f.c or not f.negc,
        "c, or !c, is required with a Boolean operator, and allowed only there",
        "`!` has no c to negate",
        lambda _: "`!c` together with .and .or .xor",
        "negc",
    ),
)
_NOT_C_SELP = Remark(
    ("negc",),
    lambda f: f.negc,
    "`!c` is not documented for `selp`; ptxas accepts it",
    is_documented=False,
)
_SINK_ALONE = Remark(
    ("dst",),
    lambda f: f.dst is Destinations.SINK,
    "a lone `_` discards the result (undocumented; ptxas accepts it without a guard)",
    is_documented=False,
)

COMPARISON_ENTRIES = (
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
        constraints=(_CMP_FITS, _FTZ_FITS, *_C_WITH_BOOLOP),
        requirements=(_NEEDS_FTZ, NEEDS_F64),
        brief="all 1s if a CMP b",
        words="compare comparison test ones less greater equal unordered nan",
    ),
    Entry(
        *read_syntax(
            "setp.cmp{.and|.or|.xor}{.ftz}.stype p{|q}, a, b{, {!}c}", dst=_SETP_DESTINATIONS
        ),
        Group.COMPARE,
        "9.7.6.2",
        "p = t {BOOL c}, q = !t {BOOL c}; t = a CMP b",
        make_operands(p=Type.PRED, q=Type.PRED, a="stype", b="stype", c=Type.PRED),
        ("setp.lt.and.f32 p|q, a, b, c", {"a": 0x7FC00000, "b": 0, "c": 1}),
        ANY_VERSION,
        constraints=(_CMP_FITS, _FTZ_FITS, *_C_WITH_BOOLOP),
        remarks=(_SINK_ALONE,),
        requirements=(_NEEDS_FTZ, NEEDS_F64),
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
        remarks=(_NOT_C_SELP,),
        requirements=(NEEDS_F64,),
        brief="c ? a : b",
        data_roles="ab",
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
        constraints=(_FTZ_FITS_C,),
        requirements=(_NEEDS_FTZ, NEEDS_F64),
        brief="c >= 0 ? a : b",
        words="select choose pick ternary conditional move mux sign if else",
    ),
)

# --- halves (9.7.7) -----------------------------------------------------------------------

_SCALARS = (Type.F16, Type.BF16)
_PAIRS = (Type.F16X2, Type.BF16X2)
_WORDS = (Type.U32, Type.S32)
_INTEGERS = (Type.U16, Type.S16, *_WORDS)
_SOURCES = {
    **dict.fromkeys(_INTEGERS, _SCALARS),
    Type.F16: (*NUMBERS, Type.F16),
    Type.BF16: (*NUMBERS, *_SCALARS),
}
"""The source types of scalar ``set`` by destination type."""
_PAIR_SOURCES = {
    **dict.fromkeys(_WORDS, _PAIRS),
    Type.F16X2: (Type.F16X2,),
    Type.BF16X2: (Type.BF16X2,),
}

_SET = "set.cmp{.and|.or|.xor}{.ftz}.dtype.stype d, a, b{, {!}c}"
_SETP = "setp.cmp{.and|.or|.xor}{.ftz}.stype"
_PAIR_DESTINATIONS = (
    Destinations.P_Q,
    Destinations.P,
    Destinations.P_SINK,
    Destinations.SINK_Q,
    Destinations.SINK,
)
_A, _B = (Operand(role, "stype") for role in (Role.A, Role.B))
_PREDICATE_C = Operand(Role.C, Type.PRED)
_NEEDS_BF16 = VersionRequirement(
    ".bf16",
    lambda f: any(str(x).startswith("bf16") for x in (f.dtype, f.stype)),
    ptx_isa="7.8",
    target="sm_90",
)
_NEEDS_HALF_SOURCE = VersionRequirement(
    "integer dtype", lambda f: f.dtype in _INTEGERS, ptx_isa="6.5"
)


def _make_type_constraint(sources: dict[Type, tuple[Type, ...]]) -> Constraint:
    return Constraint(
        ("dtype", "stype"),
        lambda f: f.dtype is None or f.stype in sources.get(f.dtype, ()),
        "the destination type decides the source types",
        "`set` to `.{f.dtype}` does not compare `.{f.stype}` operands",
        lambda f: " ".join(f".{x}" for x in sources.get(f.dtype or Type.F16, ())),
        "stype",
    )


def _can_flush(f: Form) -> bool:
    if f.stype in (Type.F16, Type.F16X2):
        return f.dtype is not Type.BF16
    return (f.dtype, f.stype) == (Type.F16, Type.F32)


def _make_flush_constraint(slots: tuple[Slot, ...]) -> Constraint:
    types = (slot.name for slot in slots if slot.name in ("dtype", "stype"))
    return Constraint(
        ("ftz", *types),
        lambda f: not f.ftz or _can_flush(f),
        ".ftz requires the source type .f16 or .f16x2, or .f16.f32, and excludes .bf16",
        "`.ftz` flushes `.f16` inputs, and those of `set.f16.f32`; the source type is `.{f.stype}`",
        lambda _: "`.ftz` with `.f16`, `.f16x2` or `.f16.f32` only",
        "ftz",
    )


_ONE_PREDICATE = Constraint(
    ("dst",),
    lambda f: f.dst not in (Destinations.P_Q, Destinations.SINK_Q),
    "a comparison of scalar halves writes one predicate",
    "`setp` of `.{f.stype}` writes one predicate, p",
    lambda _: "p alone; `.f16x2` and `.bf16x2` write p|q",
    "q",
)
_SINK_ONE = Remark(
    ("dst",),
    lambda f: f.dst is Destinations.P_SINK,
    "`p|_` is not documented for scalar halves; ptxas accepts it",
    is_documented=False,
)
_LOW_HALF_ALONE = Remark(
    ("dst",),
    lambda f: f.dst is Destinations.P,
    "p without q is not documented for two halves; ptxas accepts it: p is the low half's result",
    is_documented=False,
)


def _make_entry(
    syntax: tuple[str, str, tuple[Slot, ...]],
    section: str,
    summary: str,
    operands: tuple[Operand, ...],
    constraints: tuple[Constraint, ...],
    remarks: tuple[Remark, ...],
    example: Example,
    types: tuple[Type, ...],
    brief: str,
) -> Entry:
    return Entry(
        *syntax,
        Group.COMPARE,
        section,
        summary,
        (*operands, _PREDICATE_C),
        example,
        MinimumVersion("4.2", "sm_53"),
        constraints=(_CMP_FITS, _make_flush_constraint(syntax[-1]), *constraints, *_C_WITH_BOOLOP),
        remarks=remarks,
        lanes=2 if types == _PAIRS else 1,
        requirements=(*((_NEEDS_HALF_SOURCE,) if syntax[0] == "set" else ()), _NEEDS_BF16),
        distinguishing_modifiers=frozenset(map(str, types)),
        brief=brief,
    )


def _split(operand: Operand) -> Operand:
    return operand._replace(has_lanes=True)


HALF_ENTRIES = (
    _make_entry(
        read_syntax(_SET, dtype=(*_WORDS, *_PAIRS), stype=_PAIRS),
        "9.7.7.1",
        "two comparisons of halves: 1.0 or all ones in each half of d, or 0",
        (_split(Operand(Role.D, "dtype")), _split(_A), _split(_B)),
        (_make_type_constraint(_PAIR_SOURCES),),
        (),
        ("set.lt.u32.f16x2 d, a, b", {"a": 0x3C003C00, "b": 0x40000000}),
        _PAIRS,
        "a CMP b, two halves",
    ),
    _make_entry(
        read_syntax(_SET, dtype=(*_INTEGERS, *_SCALARS), stype=(*NUMBERS, *_SCALARS)),
        "9.7.7.1",
        "1.0 or all ones if a CMP b, else 0; a half is compared or written",
        (Operand(Role.D, "dtype"), _A, _B),
        (_make_type_constraint(_SOURCES),),
        (),
        ("set.lt.f16.f16 d, a, b", {"a": 0x3C00, "b": 0x4000}),
        _SCALARS,
        "a CMP b of halves",
    ),
    _make_entry(
        read_syntax(f"{_SETP} p{{|q}}, a, b{{, {{!}}c}}", stype=_PAIRS, dst=_PAIR_DESTINATIONS),
        "9.7.7.2",
        "p = a CMP b of the low halves, q of the high halves, each with {BOOL c}",
        (Operand(Role.P, Type.PRED), Operand(Role.Q, Type.PRED), _split(_A), _split(_B)),
        (),
        (_SINK_ALONE, _LOW_HALF_ALONE),
        ("setp.lt.f16x2 p|q, a, b", {"a": 0x3C003C00, "b": 0x00004000}),
        _PAIRS,
        "p, q from two halves",
    ),
    _make_entry(
        read_syntax(
            f"{_SETP} p, a, b{{, {{!}}c}}",
            stype=_SCALARS,
            dst=(Destinations.P, Destinations.P_SINK, Destinations.SINK),
        ),
        "9.7.7.2",
        "p = a CMP b {BOOL c} of two halves",
        (Operand(Role.P, Type.PRED), _A, _B),
        (_ONE_PREDICATE,),
        (_SINK_ALONE, _SINK_ONE),
        ("setp.lt.f16 p, a, b", {"a": 0x3C00, "b": 0x4000}),
        _SCALARS,
        "p from two halves",
    ),
)
"""Two shapes of ``set`` and two of ``setp``, pairs first: a word for a pair selects them."""
