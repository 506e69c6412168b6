"""The catalog entries of instructions that occur in all code (PTX ISA 9.7.1, 9.7.8, 9.7.9).

They move words, combine their bits, shift and multiply them. Listings skip all their forms.
"""

from __future__ import annotations

from .encodings import get_limits
from .entry import (
    ANY_VERSION,
    NEEDS_F64,
    Constraint,
    Entry,
    Example,
    Group,
    Operand,
    Slot,
    VersionRequirement,
    make_operands,
)
from .grammar import NUMBERS, read_syntax
from .types import Form, ProductWord, Role, Type

_D, _A, _B = (Operand(role, "stype", has_bytes=True) for role in (Role.D, Role.A, Role.B))
_AMOUNT = Operand(Role.B, Type.U32, typical_values=(0, 1, 4, 8, 15, 16, 24, 31, 32, 40, 63, 64))
_PATTERNS = (Type.PRED, Type.B16, Type.B32, Type.B64)


def _make_negation_constraint(*slots: str) -> Constraint:
    return Constraint(
        (*slots, "stype"),
        lambda f: f.stype is Type.PRED or not (f.nega or f.negb),
        "`!` negates predicates",
        "`!` negates predicates; an operand of type `.{f.stype}` is not one",
        lambda _: "the operand without `!`",
        "stype",
    )


_WORDS = (Type.B16, Type.B32, Type.B64)
_SHIFTED = tuple(x for x in NUMBERS if not x.is_float)
_MOVED = (Type.PRED, *NUMBERS)
_INTEGERS = (Type.U16, Type.U32, Type.U64, Type.S16, Type.S32, Type.S64)
_SIGNED = (Type.S16, Type.S32, Type.S64)
FLOATS = frozenset(("f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"))
"""Types with which these opcodes are instructions that the catalog lacks."""


def _make_entry(
    syntax: tuple[str, str, tuple[Slot, ...]],
    section: str,
    summary: str,
    brief: str,
    words: str,
    operands: tuple[Operand, ...],
    example: Example,
    constraints: tuple[Constraint, ...] = (),
    requirements: tuple[VersionRequirement, ...] = (),
) -> Entry:
    return Entry(
        *syntax,
        Group.COMMON,
        section,
        summary,
        operands,
        example,
        ANY_VERSION,
        constraints=constraints,
        requirements=requirements,
        brief=brief,
        words=words,
        is_common=True,
        foreign_types=FLOATS - {str(x) for slot in syntax[-1] for x in slot.values},
    )


# --- products ----------------------------------------------------------------------------


def _is_word_legal(form: Form) -> bool:
    is_wide = form.product_word is ProductWord.WIDE
    return not is_wide or (form.stype is not None and form.stype.bits < 64)


_WIDE_FITS = Constraint(
    ("product_word", "stype"),
    _is_word_legal,
    ".wide requires a type of 16 or 32 bits",
    "`.wide` has no form with `.{f.stype}`",
    lambda _: "`.wide` with `.u16`, `.u32`, `.s16` and `.s32` only",
    "product_word",
)
_SAT_FITS = Constraint(
    ("product_word", "sat", "stype"),
    lambda f: not f.sat or (f.product_word is ProductWord.HI and f.stype is Type.S32),
    ".sat requires .hi and the type .s32",
    "`.sat` has no form with `.{f.product_word}` and `.{f.stype}`",
    lambda _: "`.sat` with `.hi` and `.s32` only",
    "sat",
)
_NUMBERS = make_operands(d="stype", a="stype", b="stype")
_PRODUCT = _make_entry(
    read_syntax("mul.lo|.hi|.wide.stype d, a, b", stype=_INTEGERS),
    "9.7.1.3",
    "the low or high word of a * b, or all of it",
    "a * b",
    "multiply multiplication product high wide",
    make_operands(d="product_type", a="stype", b="stype"),
    ("mul.lo.s32 d, a, b", {"a": 0x12345678, "b": 0xFFFFFFFE}),
    (_WIDE_FITS,),
)._replace(computes_indices=True, is_commutative=True, ignores_sign=True)
MULTIPLY_ADD = _make_entry(
    read_syntax("mad.lo|.hi|.wide{.sat}.stype d, a, b, c", stype=_INTEGERS),
    "9.7.1.4",
    "a word of a * b, or all of it, plus c",
    "a * b + c",
    "multiply add accumulate mac",
    make_operands(d="product_type", a="stype", b="stype", c="product_type"),
    ("mad.lo.s32 d, a, b, c", {"a": 7, "b": 0xFFFFFFFE, "c": 3}),
    (_WIDE_FITS, _SAT_FITS),
)._replace(computes_indices=True, is_commutative=True, ignores_sign=True)
_SHORT_PRODUCTS = (
    _make_entry(
        read_syntax("mul24.lo|.hi.stype d, a, b", stype=(Type.U32, Type.S32)),
        "9.7.1.5",
        "bits 31:0 or 47:16 of a product of 24-bit numbers",
        "a * b, 24 bits",
        "multiply multiplication product",
        _NUMBERS,
        ("mul24.hi.s32 d, a, b", {"a": 0x00800001, "b": 0x00123456}),
    )._replace(computes_indices=True, is_commutative=True),
    _make_entry(
        read_syntax("mad24.lo|.hi{.sat}.stype d, a, b, c", stype=(Type.U32, Type.S32)),
        "9.7.1.6",
        "bits 31:0 or 47:16 of a 24-bit product, plus c",
        "24-bit a * b + c",
        "multiply add accumulate",
        make_operands(d="stype", a="stype", b="stype", c="stype"),
        ("mad24.lo.s32 d, a, b, c", {"a": 7, "b": 0x00FFFFFE, "c": 3}),
        (_SAT_FITS,),
    )._replace(computes_indices=True, is_commutative=True),
)
NEGATION = _make_entry(
    read_syntax("neg.stype d, a", stype=_SIGNED),
    "9.7.1.11",
    "a negated, modulo the width",
    "-a",
    "negate negative minus",
    _NUMBERS[:2],
    ("neg.s32 d, a", {"a": 5}),
)

# --- conversions -------------------------------------------------------------------------

_CONVERTED = (Type.U8, *_INTEGERS[:3], Type.S8, *_INTEGERS[3:])


def _is_clamp_legal(form: Form) -> bool:
    d, a = form.dtype, form.atype
    if not form.sat or d is None or a is None:
        return True
    return not get_limits(d.bits, d.signed).contains(get_limits(a.bits, a.signed))


_CLAMP_FITS = Constraint(
    ("sat", "dtype", "atype"),
    _is_clamp_legal,
    ".sat requires a destination type that does not hold every number of the type of a",
    "`.sat` has no form with `.{f.dtype}` and `.{f.atype}`: every number fits",
    lambda _: "the line without `.sat`",
    "sat",
)
CONVERSION = _make_entry(
    read_syntax("cvt{.sat}.dtype.atype d, a", dtype=_CONVERTED, atype=_CONVERTED),
    "9.7.9.21",
    "a as a number of another integer type",
    "a as dtype",
    "convert conversion cast widen narrow",
    make_operands(d="converted_type", a="unconverted_type"),
    ("cvt.sat.s8.s32 d, a", {"a": 300}),
    (_CLAMP_FITS,),
)._replace(foreign_types=FLOATS, computes_indices=True, data_roles="a")

# --- the others --------------------------------------------------------------------------

COMMON_ENTRIES = (
    _make_entry(
        read_syntax("mov.stype d, {!}a", stype=_MOVED),
        "9.7.9.3",
        "a copy of a",
        "a",
        "move copy",
        (_D, _A),
        ("mov.b32 d, a", {"a": 0x12345678}),
        (_make_negation_constraint("nega"),),
        requirements=(NEEDS_F64,),
    )._replace(foreign_types=FLOATS - {"f32", "f64"} | {"b128"}, is_move=True),
    _make_entry(
        read_syntax("and.stype d, {!}a, {!}b", stype=_PATTERNS),
        "9.7.8.1",
        "each bit is 1 if it is 1 in a and in b",
        "a & b",
        "bitwise logic",
        (_D, _A, _B),
        ("and.b32 d, a, b", {"a": 0x12345678, "b": 0x00FFFF00}),
        (_make_negation_constraint("nega", "negb"),),
    )._replace(is_commutative=True, data_roles="ab"),
    _make_entry(
        read_syntax("or.stype d, {!}a, {!}b", stype=_PATTERNS),
        "9.7.8.2",
        "each bit is 1 if it is 1 in a or in b",
        "a | b",
        "bitwise logic",
        (_D, _A, _B),
        ("or.b32 d, a, b", {"a": 0x12340000, "b": 0x00005678}),
        (_make_negation_constraint("nega", "negb"),),
    )._replace(is_commutative=True, data_roles="ab"),
    _make_entry(
        read_syntax("xor.stype d, {!}a, {!}b", stype=_PATTERNS),
        "9.7.8.3",
        "each bit is 1 if a and b differ there",
        "a ^ b",
        "exclusive bitwise logic",
        (_D, _A, _B),
        ("xor.b32 d, a, b", {"a": 0x12345678, "b": 0x80808080}),
        (_make_negation_constraint("nega", "negb"),),
    )._replace(is_zero_of_equals=True, is_commutative=True, data_roles="ab"),
    _make_entry(
        read_syntax("not.stype d, {!}a", stype=_PATTERNS),
        "9.7.8.4",
        "the bits of a inverted",
        "~a",
        "invert complement bitwise logic",
        (_D, _A),
        ("not.b32 d, a", {"a": 0x0000FFFF}),
        (_make_negation_constraint("nega"),),
    )._replace(data_roles="a"),
    _make_entry(
        read_syntax("shl.stype d, a, b", stype=_WORDS),
        "9.7.8.8",
        "a shifted left by b bits",
        "a << b",
        "shift left",
        (_D, _A, _AMOUNT),
        ("shl.b32 d, a, b", {"a": 0x12345678, "b": 8}),
    )._replace(data_roles="a"),
    _make_entry(
        read_syntax("shr.stype d, a, b", stype=_SHIFTED),
        "9.7.8.9",
        "a shifted right by b bits",
        "a >> b",
        "shift right",
        (_D, _A, _AMOUNT),
        ("shr.s32 d, a, b", {"a": 0x80000000, "b": 4}),
    )._replace(data_roles="a"),
    _PRODUCT,
    *_SHORT_PRODUCTS,
    _make_entry(
        read_syntax("div.stype d, a, b", stype=_INTEGERS),
        "9.7.1.8",
        "a / b, rounded towards zero",
        "a / b",
        "divide division quotient",
        _NUMBERS,
        ("div.s32 d, a, b", {"a": 0xFFFFFFF9, "b": 2}),
    )._replace(is_expanded_at_64_bits=True, computes_indices=True),
    _make_entry(
        read_syntax("rem.stype d, a, b", stype=_INTEGERS),
        "9.7.1.9",
        "the remainder of a / b, with the sign of a",
        "a % b",
        "remainder modulo",
        _NUMBERS,
        ("rem.s32 d, a, b", {"a": 0xFFFFFFF9, "b": 2}),
    )._replace(is_expanded_at_64_bits=True, computes_indices=True),
    _make_entry(
        read_syntax("abs.stype d, a", stype=_SIGNED),
        "9.7.1.10",
        "the magnitude of a",
        "|a|",
        "absolute value magnitude",
        _NUMBERS[:2],
        ("abs.s32 d, a", {"a": 0xFFFFFFFB}),
    ),
    _make_entry(
        read_syntax("cnot.stype d, a", stype=_WORDS),
        "9.7.8.5",
        "1 if a is 0, else 0",
        "a == 0",
        "logical not zero",
        (_D, _A),
        ("cnot.b32 d, a", {"a": 0}),
    ),
)
"""The entries whose opcodes have no others, except ``cvt``, ``mad`` and ``neg``."""
