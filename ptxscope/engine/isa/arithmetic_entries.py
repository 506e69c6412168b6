"""The catalog entries of additions, subtractions, minima and maxima outside the 27.

They are scalar, packed (PTX ISA 9.7.1), or links of a carry chain (9.7.2). Conversions that pack
two numbers are also here.
"""

from __future__ import annotations

from .common_entries import CONVERSION, FLOATS, MULTIPLY_ADD, NEGATION
from .entry import (
    ANY_VERSION,
    Constraint,
    Entry,
    Example,
    Group,
    MinimumVersion,
    Operand,
    VersionRequirement,
    make_operands,
)
from .grammar import read_syntax
from .types import Role, Type

_D, _A, _B, _C = (Operand(role, "stype") for role in (Role.D, Role.A, Role.B, Role.C))
_PACKED = tuple(x._replace(has_lanes=True) for x in (_D, _A, _B))
_CARRY = Operand(Role.CARRY, Type.PRED, is_implicit=True)
_CARRY_OUT = Operand(Role.CARRY_OUT, Type.PRED, is_implicit=True)
_SCALARS = (Type.U16, Type.U32, Type.U64, Type.S16, Type.S32, Type.S64)
_WORDS = (Type.U32, Type.U64, Type.S32, Type.S64)
_HALVES = (Type.U16X2, Type.S16X2)
_BYTES = (Type.U8X4, Type.S8X4)
_SINCE_8_0 = MinimumVersion("8.0", "sm_90")
_SINCE_9_2 = MinimumVersion("9.2", "sm_120f")


def _needs_9_2(feature: str, *types: Type) -> VersionRequirement:
    return VersionRequirement(feature, lambda f: f.sat and f.stype in types, *_SINCE_9_2)


def _make_flag_constraint(name: str, types: tuple[Type, ...]) -> Constraint:
    """Return the rule that a flag requires one of these types."""
    allowed = " and ".join(f"`.{x}`" for x in types)
    return Constraint(
        (name, "stype"),
        lambda f: not f.get(name) or f.stype in types,
        f".{name} requires the type {' or '.join(f'.{x}' for x in types)}",
        f"`.{name}` has no form with `.{{f.stype}}`",
        lambda _: f"`.{name}` with {allowed} only",
        name,
    )


def _make_scalar_entry(
    opcode: str,
    section: str,
    summary: str,
    brief: str,
    words: str,
    flag: str,
    flag_types: tuple[Type, ...],
    example: Example,
    requirements: tuple[VersionRequirement, ...],
) -> Entry:
    """Return the entry for 16, 32 and 64 bits; only some types have the flag."""
    return Entry(
        *read_syntax(f"{opcode}{{.{flag}}}.stype d, a, b", stype=_SCALARS),
        Group.PACKED,
        section,
        summary,
        (_D, _A, _B),
        example,
        ANY_VERSION,
        constraints=(_make_flag_constraint(flag, flag_types),),
        requirements=requirements,
        brief=brief,
        is_common=True,
        foreign_types=FLOATS,
        words=words,
        is_zero_of_equals=opcode == "sub",
        is_commutative=opcode != "sub",
        ignores_sign=opcode in ("add", "sub"),
    )


def _make_packed_entry(
    syntax: str,
    types: tuple[Type, ...],
    section: str,
    summary: str,
    brief: str,
    example: Example,
    operands: tuple[Operand, ...] = _PACKED,
    constraints: tuple[Constraint, ...] = (),
    requirements: tuple[VersionRequirement, ...] = (),
) -> Entry:
    """Return the entry for two half-words or four bytes."""
    lanes = types[0].lanes
    return Entry(
        *read_syntax(syntax, stype=types),
        Group.PACKED,
        section,
        summary,
        operands,
        example,
        _SINCE_8_0 if lanes == 2 else _SINCE_9_2,
        constraints=constraints,
        requirements=requirements,
        lanes=lanes,
        can_take_immediates=False,
        distinguishing_modifiers=frozenset(map(str, _HALVES if lanes == 2 else _BYTES)),
        brief=f"{brief}, {32 // lanes}-bit",
        is_commutative=not syntax.startswith(("sub", "neg")),
    )


def _make_sums(
    opcode: str, section: str, verb: str, sign: str, sat_types: tuple[Type, ...], words: str
) -> tuple[Entry, ...]:
    """Return the entries of ``add`` or ``sub`` for words and for bytes."""
    summary, brief = f"a {sign} b, modulo the width or clamped", f"a {sign} b"
    values = {"a": 0x7FFFFFFF, "b": 1 if sign == "+" else 0x80000000}
    bytes_ = {"a": 0x7F80FF01, "b": 0x01FF0101}
    return (
        _make_scalar_entry(
            opcode,
            section,
            summary,
            brief,
            words,
            "sat",
            sat_types,
            (f"{opcode}.sat.s32 d, a, b", values),
            (_needs_9_2(".sat.u32", Type.U32),) if Type.U32 in sat_types else (),
        ),
        _make_packed_entry(
            f"{opcode}{{.sat}}.stype d, a, b",
            _BYTES,
            section,
            f"{verb} four pairs of bytes",
            brief,
            (f"{opcode}.sat.s8x4 d, a, b", bytes_),
        ),
    )


def _make_extrema(opcode: str, section: str, adjective: str, words: str) -> tuple[Entry, ...]:
    """Return the entries of ``min`` or ``max`` for words, half-words and bytes."""
    brief = f"{opcode}(a, b)"
    halves, bytes_ = {"a": 0x8000FFFF, "b": 0x80010001}, {"a": 0x80FF7F01, "b": 0x02FD0405}
    return (
        _make_scalar_entry(
            opcode,
            section,
            f"the {adjective} of a and b; with .relu, at least 0",
            brief,
            words,
            "relu",
            (Type.S32,),
            (f"{opcode}.s32 d, a, b", {"a": 5, "b": 0xFFFFFFFF}),
            (VersionRequirement(".relu", lambda f: f.relu, "8.0", "sm_90"),),
        ),
        *(
            _make_packed_entry(
                f"{opcode}{{.relu}}.stype d, a, b",
                types,
                section,
                f"the {adjective} of {pairs}; with .relu, at least 0",
                brief,
                (f"{opcode}.relu.{signed_type} d, a, b", values),
                constraints=(_make_flag_constraint("relu", (signed_type,)),),
            )
            for pairs, types, signed_type, values in (
                ("two pairs of half-words", _HALVES, Type.S16X2, halves),
                ("four pairs of bytes", _BYTES, Type.S8X4, bytes_),
            )
        ),
    )


_ADD_HALVES = _make_packed_entry(
    "add{.sat}.stype d, a, b",
    _HALVES,
    "9.7.1.1",
    "add two pairs of half-words",
    "a + b",
    ("add.u16x2 d, a, b", {"a": 0x0001FFFF, "b": 0x00010001}),
    requirements=(_needs_9_2(".sat", Type.U16X2, Type.S16X2),),
)
_NEG = _make_packed_entry(
    "neg.stype d, a",
    (Type.S8X4,),
    "9.7.1.11",
    "negate four bytes",
    "-a",
    ("neg.s8x4 d, a", {"a": 0x80FF7F01}),
    _PACKED[:2],
)

# --- chains with a carry (9.7.2) ---------------------------------------------------------


_NEEDS_WIDE_CARRY = VersionRequirement(
    ".cc with 64 bits", lambda f: f.cc and f.stype in (Type.U64, Type.S64), "4.3", "sm_20"
)


def _make_link(
    opcode: str,
    section: str,
    version: MinimumVersion,
    formula: str,
    words: str,
    *,
    has_carry: bool,
    has_carry_out: bool,
) -> Entry:
    """Return the entry of an instruction that reads the carry, writes it, or both."""
    is_product = opcode.startswith("mad")
    noun = "borrow" if opcode.startswith("sub") else "carry"
    total = f"{formula} {'-' if noun == 'borrow' else '+'} CC.CF" if has_carry else formula
    values = {"a": 7, "b": 2} if noun == "borrow" and has_carry else {"a": 1, "b": 0xFFFFFFFF}
    if is_product:
        values = {"a": 0xFFFFFFFF, "b": 2, "c": 1}
    word, words_of_product = (".lo", ".lo|.hi") if is_product else ("", "")
    operands = "d, a, b, c" if is_product else "d, a, b"
    flag = ".cc" if has_carry_out else ""
    return Entry(
        *read_syntax(f"{opcode}{words_of_product}{flag}.stype {operands}", stype=_WORDS),
        Group.PACKED,
        section,
        f"{total}; writes the {noun}" if has_carry_out else total,
        (
            _D,
            *((_CARRY_OUT,) if has_carry_out else ()),
            _A,
            _B,
            *((_C,) if is_product else ()),
            *((_CARRY,) if has_carry else ()),
        ),
        (f"{opcode}{word}{flag}.u32 {operands}", values | ({"CC.CF": 1} if has_carry else {})),
        version,
        requirements=(_NEEDS_WIDE_CARRY,) if has_carry_out else (),
        distinguishing_modifiers=frozenset(("cc",)) if has_carry_out else frozenset(),
        brief=total,
        words=words if has_carry else "",
        carry_noun=noun,
        is_commutative=noun == "carry",
    )


def _make_links(
    opcode: str, number: int, version: MinimumVersion, formula: str, words: str
) -> tuple[Entry, ...]:
    """Return the entries of ``add.cc``, ``addc`` and ``addc.cc``, or of their counterparts."""
    first, second = f"9.7.2.{number}", f"9.7.2.{number + 1}"
    return (
        _make_link(opcode, first, version, formula, words, has_carry=False, has_carry_out=True),
        _make_link(
            f"{opcode}c", second, version, formula, words, has_carry=True, has_carry_out=False
        ),
        _make_link(f"{opcode}c", second, version, formula, "", has_carry=True, has_carry_out=True),
    )


_ADD_LINK, *_ADD_LINKS = _make_links(
    "add", 1, MinimumVersion("1.2", "any"), "a + b", "add addition sum carry"
)
_SUB_LINK, *_SUB_LINKS = _make_links(
    "sub", 3, MinimumVersion("1.3", "any"), "a - b", "subtract subtraction difference borrow carry"
)
_MAD_LINK, *_MAD_LINKS = _make_links(
    "mad", 5, MinimumVersion("3.0", "sm_20"), "a * b + c", "multiply add accumulate carry"
)

# --- conversions of two words into fields (9.7.9.22) --------------------------------------

_TINY = (Type.U4, Type.S4, Type.U2, Type.S2)
_PACKED_NUMBERS = make_operands(d=Type.U32, a=Type.S32, b=Type.S32)
_PACKS = (
    Entry(
        *read_syntax(
            "cvt.pack.sat.dtype.atype.ctype d, a, b, c",
            dtype=(Type.U8, Type.S8, *_TINY),
            atype=(Type.S32,),
            ctype=(Type.B32,),
        ),
        Group.PACKED,
        "9.7.9.22",
        "pack a and b below c, each clamped to a few bits",
        (*_PACKED_NUMBERS, Operand(Role.C, Type.B32, has_bytes=True)),
        ("cvt.pack.sat.u8.s32.b32 d, a, b, c", {"a": 300, "b": 0xFFFFFFFB, "c": 0x11223344}),
        MinimumVersion("6.5", "sm_72"),
        requirements=(
            VersionRequirement("types below 8 bits", lambda f: f.dtype in _TINY, target="sm_75"),
        ),
        distinguishing_modifiers=frozenset(("b32", *map(str, _TINY))),
        brief="c, a and b packed",
    ),
    Entry(
        *read_syntax(
            "cvt.pack.sat.dtype.atype d, a, b", dtype=(Type.U16, Type.S16), atype=(Type.S32,)
        ),
        Group.PACKED,
        "9.7.9.22",
        "pack a and b, each clamped to a half-word",
        _PACKED_NUMBERS,
        ("cvt.pack.sat.s16.s32 d, a, b", {"a": 40000, "b": 0xFFFFFFFB}),
        MinimumVersion("6.5", "sm_72"),
        distinguishing_modifiers=frozenset(("pack",)),
        brief="a and b packed",
    ),
)

ARITHMETIC_ENTRIES = (
    *_make_sums("add", "9.7.1.1", "add", "+", (Type.S32, Type.U32), "add addition sum plus"),
    _ADD_HALVES,
    _ADD_LINK,
    *_make_sums(
        "sub", "9.7.1.2", "subtract", "-", (Type.S32,), "subtract subtraction difference minus"
    ),
    _SUB_LINK,
    *_make_extrema("min", "9.7.1.12", "smaller", "minimum smaller least lower bound"),
    *_make_extrema("max", "9.7.1.13", "larger", "maximum larger greatest upper bound"),
    _NEG,
    NEGATION,
    *_ADD_LINKS,
    *_SUB_LINKS,
    _MAD_LINK,
    MULTIPLY_ADD,
    *_MAD_LINKS,
    *_PACKS,
    CONVERSION,
)
"""The entries, grouped by opcode."""
