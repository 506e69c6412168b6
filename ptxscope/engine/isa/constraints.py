"""Constraints, remarks, requirements and contradictions that instructions share, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .entry import Constraint, Contradiction, Remark, VersionRequirement
from .form import Form
from .types import Cmp, Destinations, SecOp, Type, parse_selector

SETP_DESTINATIONS = tuple(x for x in Destinations if x not in ("d|p", "_|p"))
CMP6 = (Cmp.EQ, Cmp.NE, Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE)
_CMP_OF_KIND = {
    "b": (Cmp.EQ, Cmp.NE),
    "s": CMP6,
    "u": (*CMP6, Cmp.LO, Cmp.LS, Cmp.HI, Cmp.HS),
    "f": tuple(c for c in Cmp if c not in (Cmp.LO, Cmp.LS, Cmp.HI, Cmp.HS)),
}


def list_comparisons(stype: Type) -> tuple[Cmp, ...]:
    """Return the comparisons that ``set`` and ``setp`` allow for a source type."""
    return _CMP_OF_KIND["f" if stype.lane_type.is_float else stype[0]]


def _format_list(values: Sequence[object]) -> str:
    return " ".join(f".{value}" for value in values)


def _make_constant_text(text: str) -> Callable[[Form], str]:
    return lambda _: text


# --- minimums ----------------------------------------------------------------------------

NEEDS_FTZ = VersionRequirement(".ftz", lambda f: f.ftz, ptx_isa="1.4")
NEEDS_F64 = VersionRequirement(".f64", lambda f: Type.F64 in (f.stype, f.dtype), target="sm_13")

# --- constraints -------------------------------------------------------------------------

CMP_FITS = Constraint(
    ("cmp", "stype"),
    lambda f: f.cmp in list_comparisons(f.stype or Type.B32),
    "the source type decides the comparisons: .b* has eq ne; .s* also lt le gt ge; .u* also "
    "lo ls hi hs; .f* has those of .s*, their unordered twins (equ … geu), num and nan",
    "`.{f.cmp}` does not compare `.{f.stype}` operands",
    lambda f: f"for `.{f.stype}`: {_format_list(list_comparisons(f.stype or Type.B32))}",
    "cmp",
)
FTZ_FITS = Constraint(
    ("ftz", "stype"),
    lambda f: not f.ftz or f.stype is Type.F32,
    ".ftz requires the source type .f32",
    "`.ftz` flushes `.f32` inputs; the source type here is `.{f.stype}`",
    _make_constant_text("`.ftz` with source type `.f32` only"),
    "ftz",
)
FTZ_FITS_C = Constraint(
    ("ftz", "ctype"),
    lambda f: not f.ftz or f.ctype is Type.F32,
    ".ftz requires .f32 as the type of c",
    "`.ftz` flushes an `.f32` c; the type of c here is `.{f.ctype}`",
    _make_constant_text("`.ftz` with `.f32` as the second type only"),
    "ftz",
)
C_WITH_BOOLOP = (
    Constraint(
        ("boolop", "c"),
        lambda f: f.c or f.boolop is None,
        "c, or !c, is required with a Boolean operator, and allowed only there",
        "`.{f.boolop}` combines the comparison with a predicate c, and there is none",
        _make_constant_text("a fourth operand: `c` or `!c`"),
        "boolop",
    ),
    Constraint(
        ("boolop", "c"),
        lambda f: not f.c or f.boolop is not None,
        "c, or !c, is required with a Boolean operator, and allowed only there",
        "the operand c needs a Boolean operator to combine it with",
        _make_constant_text(".and .or .xor after the comparison"),
        "c",
    ),
    Constraint(
        ("negc", "c"),
        lambda f: f.c or not f.negc,
        "c, or !c, is required with a Boolean operator, and allowed only there",
        "`!` stands before a c that is not there",
        _make_constant_text("`!c` together with .and .or .xor"),
        "negc",
    ),
)
SECOP_OR_DSEL = Constraint(
    ("secop", "dsel"),
    lambda f: f.secop is None or f.dsel is None,
    "a secondary operation or a selector on d, not both",
    "`.{f.secop}` and the destination selector `.{f.dsel}` exclude each other",
    _make_constant_text("a secondary operation, or a selector on d, not both"),
    "dsel",
)
SECOP_NEEDS_C = Constraint(
    ("secop", "c"),
    lambda f: f.c or f.secop is None,
    "c is required with a secondary operation or a selector on d",
    "the secondary operation `.{f.secop}` needs a third source operand c",
    _make_constant_text("a fourth operand `c`"),
    "secop",
)
DSEL_NEEDS_C = Constraint(
    ("dsel", "c"),
    lambda f: f.c or f.dsel is None,
    "c is required with a secondary operation or a selector on d",
    "`d.{f.dsel}` writes part of d; the other bits come from c, and there is none",
    _make_constant_text("a fourth operand `c`"),
    "dsel",
)
SAT_OR_ADD = Constraint(
    ("sat", "secop"),
    lambda f: not f.sat or f.secop is None,
    ".sat or .add, not both",
    "`.sat` and `.add` exclude each other on dual and quad forms",
    _make_constant_text("`.sat` to clamp and merge, or `.add` to accumulate"),
    "sat",
)
NEGATE_ONE = Constraint(
    ("nega", "negb", "negc"),
    lambda f: not f.negc or f.nega == f.negb,
    "the product (-a or -b) or c can be negated, not both",
    "the product or c can be negated, not both",
    _make_constant_text("`-a` or `-b`, or `-c`"),
    "negc",
)
PO_NOT_NEGATED = Constraint(
    ("po", "nega", "negb", "negc"),
    lambda f: not f.po or (f.nega == f.negb and not f.negc),
    ".po allows no negation except -a with -b, which cancel",
    "`.po` computes a\u00b7b + c + 1 and allows no negation except `-a` with `-b`, which cancel",
    _make_constant_text("`.po` without `-`"),
    "po",
)

# --- remarks -----------------------------------------------------------------------------

UNUSED_C = Remark(
    ("c", "secop", "dsel"),
    lambda f: f.c and f.secop is None and f.dsel is None,
    "c is ignored: without a secondary operation or a selector on d nothing reads it "
    "(undocumented, accepted by ptxas)",
    is_documented=False,
)
PO_CANCELS = Remark(
    ("po", "nega", "negb"),
    lambda f: f.po and f.nega and f.negb,
    "`-a` and `-b` cancel; with `.po` this is undocumented, accepted by ptxas",
    is_documented=False,
)
NOT_C_SELP = Remark(
    ("negc",),
    lambda f: f.negc,
    "`!c` is not documented for `selp`; ptxas accepts it",
    is_documented=False,
)
SINK_ALONE = Remark(
    ("dst",),
    lambda f: f.dst is Destinations.SINK,
    "a lone `_` discards the result (undocumented; ptxas accepts it without a guard)",
    is_documented=False,
)
_B1024 = parse_selector("b1024")


def make_b1024_remark(slot: str) -> Remark:
    """Return the remark on the only documented selector that recent assemblers reject."""
    return Remark(
        (slot,),
        lambda f: f.get(slot) == _B1024,
        f"`.b1024` on {slot[0]} is documented, but ptxas since 12.9 takes it for a type keyword "
        "and reports a syntax error",
        is_in_ptxas=False,
    )


# --- contradictions of the manual, and how ptxscope resolves them -------------------------

_ARITHMETIC = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr")


def _can_be_negative(f: Form) -> bool:
    return f.opcode == "vsub" or Type.S32 in (f.atype, f.btype)


def _is_product_minus_c(f: Form) -> bool:
    return f.negc and f.atype is f.btype is Type.U32


CONTRADICTIONS = (
    Contradiction(
        ("vset2", "vset4"),
        lambda f: f.mask is not None and len(f.mask.lanes) * f.mask.unit < 32 and not f.secop,
        "the manual's prose keeps the lanes of b outside the mask, its pseudo-code those of c; "
        "ptxscope follows the pseudo-code",
    ),
    Contradiction(
        ("vmad",),
        _is_product_minus_c,
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
            and _can_be_negative(f)
        ),
        "the manual says that the sign of the intermediate result depends on dtype, and declares "
        "it .s34, signed whatever dtype is; ptxscope uses the exact number, which may be negative",
    ),
)


def find_contradictions(opcode: str) -> tuple[Contradiction, ...]:
    """Return the contradictions that concern an opcode."""
    return tuple(x for x in CONTRADICTIONS if opcode in x.opcodes)
