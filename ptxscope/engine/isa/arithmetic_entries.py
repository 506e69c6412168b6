"""The catalog entries of additions, subtractions, minima and maxima beside the 27.

They are scalar, packed (PTX ISA 9.7.1), or links of a chain with a carry (9.7.2).
"""

from __future__ import annotations

from .entry import Constraint, Entry, Group, Operand, Slot, VersionRequirement
from .form import Form
from .roles import Role
from .types import ProductWord, Type

_D, _A, _B, _C = (Operand(role, "stype") for role in (Role.D, Role.A, Role.B, Role.C))
_PACKED = tuple(x._replace(has_lanes=True) for x in (_D, _A, _B))
_CARRY = Operand(Role.CARRY, Type.PRED, is_implicit=True)
_CARRY_OUT = Operand(Role.CARRY_OUT, Type.PRED, is_implicit=True)
_SAT = Slot("sat", (True,), is_optional=True, word="sat")
_RELU = Slot("relu", (True,), is_optional=True, word="relu")
_CC = Slot("cc", (True,), word="cc")
_PRODUCT_WORD = Slot("product_word", tuple(ProductWord), is_leading=True)
_SCALARS = Slot("stype", (Type.U16, Type.U32, Type.U64, Type.S16, Type.S32, Type.S64))
_WORDS = Slot("stype", (Type.U32, Type.U64, Type.S32, Type.S64))
_HALVES = Slot("stype", (Type.U16X2, Type.S16X2))
_BYTES = Slot("stype", (Type.U8X4, Type.S8X4))
_FLOATS = frozenset(("f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"))
"""Types of instructions with the same opcodes that the catalog lacks."""
_SINCE_9_2 = ("9.2", "sm_120f")


def _needs_9_2(feature: str, *types: Type) -> VersionRequirement:
    return VersionRequirement(feature, lambda f: f.sat and f.stype in types, *_SINCE_9_2)


def _make_flag_constraint(name: str, types: tuple[Type, ...]) -> Constraint:
    """Return the rule that a flag stands with these types only."""
    allowed = " and ".join(f"`.{x}`" for x in types)
    return Constraint(
        (name, "stype"),
        lambda f: not f.get(name) or f.stype in types,
        f".{name} requires the type {' or '.join(f'.{x}' for x in types)}",
        f"`.{name}` has no form with `.{{f.stype}}`",
        lambda _: f"`.{name}` with {allowed} only",
        name,
    )


_RELU_FITS = _make_flag_constraint("relu", (Type.S32,))
_RELU_FITS_HALVES = _make_flag_constraint("relu", (Type.S16X2,))
_RELU_FITS_BYTES = _make_flag_constraint("relu", (Type.S8X4,))


def _name_types(slot: Slot) -> frozenset[str]:
    return frozenset(map(str, slot.values))


def _make_sums(
    opcode: str, section: str, verb: str, sign: str, sat_types: tuple[Type, ...]
) -> tuple[Entry, ...]:
    """Return the entries of ``add`` or ``sub`` for words and for bytes."""
    return (
        Entry(
            opcode,
            Group.PACKED,
            section,
            f"a {sign} b, modulo the width or clamped",
            (_SAT, _SCALARS),
            (_D, _A, _B),
            (_make_flag_constraint("sat", sat_types),),
            (),
            (f"{opcode}.sat.s32 d, a, b", {"a": 0x7FFFFFFF, "b": 1 if sign == "+" else 0x80000000}),
            "1.0",
            "any",
            requirements=(_needs_9_2(".sat.u32", Type.U32),) if Type.U32 in sat_types else (),
            brief=f"a {sign} b",
            is_common=True,
            foreign_types=_FLOATS,
        ),
        Entry(
            opcode,
            Group.PACKED,
            section,
            f"{verb} four pairs of bytes",
            (_SAT, _BYTES),
            _PACKED,
            (),
            (),
            (f"{opcode}.sat.s8x4 d, a, b", {"a": 0x7F80FF01, "b": 0x01FF0101}),
            *_SINCE_9_2,
            lanes=4,
            can_take_immediates=False,
            distinguishing_modifiers=_name_types(_BYTES),
            brief=f"a {sign} b, 8-bit",
        ),
    )


def _make_extrema(opcode: str, section: str, adjective: str) -> tuple[Entry, ...]:
    """Return the entries of ``min`` or ``max``."""
    return (
        Entry(
            opcode,
            Group.PACKED,
            section,
            f"the {adjective} of a and b; with .relu, at least 0",
            (_RELU, _SCALARS),
            (_D, _A, _B),
            (_RELU_FITS,),
            (),
            (f"{opcode}.s32 d, a, b", {"a": 5, "b": 0xFFFFFFFF}),
            "1.0",
            "any",
            requirements=(VersionRequirement(".relu", lambda f: f.relu, "8.0", "sm_90"),),
            brief=f"{opcode}(a, b)",
            is_common=True,
            foreign_types=_FLOATS,
        ),
        *(
            Entry(
                opcode,
                Group.PACKED,
                section,
                f"the {adjective} of {count} pairs of {noun}; with .relu, at least 0",
                (_RELU, types),
                _PACKED,
                (constraint,),
                (),
                (f"{opcode}.relu.{types.values[-1]} d, a, b", values),
                *version,
                lanes=lanes,
                can_take_immediates=False,
                distinguishing_modifiers=_name_types(types),
                brief=f"{opcode}(a, b), {32 // lanes}-bit",
            )
            for lanes, count, noun, types, constraint, values, version in (
                (
                    2,
                    "two",
                    "half-words",
                    _HALVES,
                    _RELU_FITS_HALVES,
                    {"a": 0x8000FFFF, "b": 0x80010001},
                    ("8.0", "sm_90"),
                ),
                (
                    4,
                    "four",
                    "bytes",
                    _BYTES,
                    _RELU_FITS_BYTES,
                    {"a": 0x80FF7F01, "b": 0x02FD0405},
                    _SINCE_9_2,
                ),
            )
        ),
    )


_ADD_HALVES = Entry(
    "add",
    Group.PACKED,
    "9.7.1.1",
    "add two pairs of half-words",
    (_SAT, _HALVES),
    _PACKED,
    (),
    (),
    ("add.u16x2 d, a, b", {"a": 0x0001FFFF, "b": 0x00010001}),
    "8.0",
    "sm_90",
    requirements=(_needs_9_2(".sat", Type.U16X2, Type.S16X2),),
    lanes=2,
    can_take_immediates=False,
    distinguishing_modifiers=_name_types(_HALVES),
    brief="a + b, 16-bit",
)
_NEG = Entry(
    "neg",
    Group.PACKED,
    "9.7.1.11",
    "negate four bytes",
    (Slot("stype", (Type.S8X4,)),),
    _PACKED[:2],
    (),
    (),
    ("neg.s8x4 d, a", {"a": 0x80FF7F01}),
    *_SINCE_9_2,
    lanes=4,
    can_take_immediates=False,
    distinguishing_modifiers=_name_types(_BYTES),
    brief="-a, 8-bit",
)

# --- chains with a carry (9.7.2) ---------------------------------------------------------


def _has_wide_carry(form: Form) -> bool:
    return form.cc and form.stype in (Type.U64, Type.S64)


_NEEDS_WIDE_CARRY = VersionRequirement(".cc with 64 bits", _has_wide_carry, "4.3", "sm_20")


def _make_link(
    opcode: str, section: str, version: tuple[str, str], formula: str, *, reads: bool, writes: bool
) -> Entry:
    """Return the entry of an instruction that reads the carry, writes it, or both."""
    is_product = opcode.startswith("mad")
    noun = "borrow" if opcode.startswith("sub") else "carry"
    total = f"{formula} {'-' if noun == 'borrow' else '+'} CC.CF" if reads else formula
    values = {"a": 7, "b": 2} if noun == "borrow" and reads else {"a": 1, "b": 0xFFFFFFFF}
    if is_product:
        values = {"a": 0xFFFFFFFF, "b": 2, "c": 1}
    word = ".lo" if is_product else ""
    operands = "d, a, b, c" if is_product else "d, a, b"
    return Entry(
        opcode,
        Group.PACKED,
        section,
        f"{total}; writes the {noun}" if writes else total,
        (
            *((_PRODUCT_WORD,) if is_product else ()),
            *((_CC,) if writes else ()),
            _WORDS,
        ),
        (
            _D,
            *((_CARRY_OUT,) if writes else ()),
            _A,
            _B,
            *((_C,) if is_product else ()),
            *((_CARRY,) if reads else ()),
        ),
        (),
        (),
        (
            f"{opcode}{word}{'.cc' if writes else ''}.u32 {operands}",
            values | ({"CC.CF": 1} if reads else {}),
        ),
        *version,
        requirements=(_NEEDS_WIDE_CARRY,) if writes else (),
        distinguishing_modifiers=frozenset(("cc",)) if writes else frozenset(),
        brief=total,
    )


def _make_links(
    opcode: str, number: int, version: tuple[str, str], formula: str
) -> tuple[Entry, ...]:
    """Return the entries of ``add.cc``, ``addc`` and ``addc.cc``, or of their kin."""
    first, second = f"9.7.2.{number}", f"9.7.2.{number + 1}"
    return (
        _make_link(opcode, first, version, formula, reads=False, writes=True),
        _make_link(f"{opcode}c", second, version, formula, reads=True, writes=False),
        _make_link(f"{opcode}c", second, version, formula, reads=True, writes=True),
    )


_ADD_LINK, *_ADD_LINKS = _make_links("add", 1, ("1.2", "any"), "a + b")
_SUB_LINK, *_SUB_LINKS = _make_links("sub", 3, ("1.3", "any"), "a - b")
_MAD_LINKS = _make_links("mad", 5, ("3.0", "sm_20"), "a * b + c")

ARITHMETIC_ENTRIES = (
    *_make_sums("add", "9.7.1.1", "add", "+", (Type.S32, Type.U32)),
    _ADD_HALVES,
    _ADD_LINK,
    *_make_sums("sub", "9.7.1.2", "subtract", "-", (Type.S32,)),
    _SUB_LINK,
    *_make_extrema("min", "9.7.1.12", "smaller"),
    *_make_extrema("max", "9.7.1.13", "larger"),
    _NEG,
    *_ADD_LINKS,
    *_SUB_LINKS,
    *_MAD_LINKS,
)
"""The entries, those of one opcode together."""
