"""The catalog entries of integer instructions outside the 27 (PTX ISA 9.7.1, 9.7.8).

They permute bytes, evaluate truth tables, read and write bit fields, and multiply parts of words.
"""

from __future__ import annotations

from .encodings import Range
from .entry import ANY_VERSION, Entry, Group, MinimumVersion, Operand
from .grammar import read_syntax
from .types import Destinations, PermuteMode, ProductWord, Role, Type

_D, _NUMBER_A, _NUMBER_B, _NUMBER_C = (
    Operand(role, "stype") for role in (Role.D, Role.A, Role.B, Role.C)
)
_A, _B, _C = (x._replace(has_bytes=True) for x in (_NUMBER_A, _NUMBER_B, _NUMBER_C))
_D32 = Operand(Role.D, Type.U32)
_AMOUNTS = (0, 1, 4, 8, 8, 12, 16, 24, 31, 32, 40)
"""Typical positions, lengths and distances."""
_AMOUNT_A, _AMOUNT_B, _AMOUNT_C, _AMOUNT_E = (
    Operand(role, Type.U32, typical_values=_AMOUNTS) for role in (Role.A, Role.B, Role.C, Role.E)
)
_BYTE = Range(0, 255)
"""The integers that ptxas accepts as the position or the length of a field."""
_OFFSETS = tuple(x & (1 << 32) - 1 for x in range(-4, 5))
"""A few ones, counted down or up, as words."""
_TABLE = Operand(Role.TABLE, Type.U32)
_HALVES = (ProductWord.LO, ProductWord.HI)
_B32 = (Type.B32,)
_B32_B64 = (Type.B32, Type.B64)
_INTEGERS = (Type.U32, Type.U64, Type.S32, Type.S64)
_ANY_LUT = ("lop3.b32 d, a, b, c, 0x96", {"a": 0xF0F0F0F0, "b": 0xCCCCCCCC, "c": 0xAAAAAAAA})
INTEGER_ENTRIES = (
    Entry(
        *read_syntax("prmt.stype{.mode} d, a, b, c", stype=_B32, permute_mode=tuple(PermuteMode)),
        Group.PERMUTE,
        "9.7.9.7",
        "four bytes of a and b, chosen by the digits of c",
        (_D, _A, _B, _NUMBER_C._replace(typical_values=range(1 << 16))),
        ("prmt.b32 d, a, b, c", {"a": 0x03020180, "b": 0x77F65504, "c": 0x8AE4}),
        MinimumVersion("2.0", "sm_20"),
        brief="bytes by c",
        words="permute byte bytes swap shuffle swizzle reorder rearrange endian",
        data_roles="ab",
    ),
    Entry(
        *read_syntax("lop3.stype d, a, b, c, lut", stype=_B32),
        Group.PERMUTE,
        "9.7.8.6",
        "any function of the bits of a, b and c",
        (_D, _A, _B, _C, _TABLE),
        _ANY_LUT,
        MinimumVersion("4.3", "sm_50"),
        brief="bitwise f(a,b,c)",
        words="logic logical boolean bitwise truth table",
        data_roles="abc",
    ),
    Entry(
        *read_syntax(
            "lop3.and|.or.stype d|p, a, b, c, lut, {!}e",
            stype=_B32,
            dst=(Destinations.D_P, Destinations.SINK_P),
        ),
        Group.PERMUTE,
        "9.7.8.6",
        "a function of three bits, and whether d is not 0",
        (_D, Operand(Role.P, Type.PRED), _A, _B, _C, _TABLE, Operand(Role.E, Type.PRED)),
        ("lop3.and.b32 d|p, a, b, c, 0x80, e", {"a": 0xFF, "b": 0xF0, "c": 0x10, "e": 1}),
        MinimumVersion("8.2", "sm_70"),
        distinguishing_modifiers=frozenset(("and", "or")),
        brief="f(a, b, c), p",
    ),
    Entry(
        *read_syntax("bfe.stype d, a, b, c", stype=_INTEGERS),
        Group.FIELDS,
        "9.7.1.19",
        "a field of a: the position is b, the length c",
        (_D, _A, _AMOUNT_B._replace(literal_range=_BYTE), _AMOUNT_C._replace(literal_range=_BYTE)),
        ("bfe.s32 d, a, b, c", {"a": 0xF00, "b": 8, "c": 4}),
        MinimumVersion("2.0", "sm_20"),
        brief="a[b+c-1:b]",
        words="extract field bits unpack",
        data_roles="a",
    ),
    Entry(
        *read_syntax("bfi.stype d, a, b, c, e", stype=_B32_B64),
        Group.FIELDS,
        "9.7.1.20",
        "b with a field replaced by the low bits of a",
        (
            _D,
            _A,
            _B,
            _AMOUNT_C._replace(literal_range=_BYTE),
            _AMOUNT_E._replace(literal_range=_BYTE),
        ),
        ("bfi.b32 d, a, b, c, e", {"a": 0xFF, "b": 0x12345678, "c": 8, "e": 4}),
        MinimumVersion("2.0", "sm_20"),
        brief="b[c+e-1:c] = a",
        words="insert field bits pack",
        data_roles="ab",
    ),
    Entry(
        *read_syntax("shf.l|.r.clamp|.wrap.stype d, a, b, c", stype=_B32),
        Group.FIELDS,
        "9.7.8.7",
        "one word of the pair b:a, shifted by c",
        (_D, _A, _B, _AMOUNT_C),
        ("shf.l.wrap.b32 d, a, b, c", {"a": 0x89ABCDEF, "b": 0x01234567, "c": 8}),
        MinimumVersion("3.1", "sm_32"),
        brief="b:a shifted",
        words="funnel shift rotate rotation left right",
        data_roles="ab",
    ),
    Entry(
        *read_syntax("szext.clamp|.wrap.stype d, a, b", stype=(Type.U32, Type.S32)),
        Group.FIELDS,
        "9.7.1.21",
        "the low b bits of a, sign- or zero-extended",
        (_D, _A, _AMOUNT_B),
        ("szext.clamp.s32 d, a, b", {"a": 0x8F, "b": 8}),
        MinimumVersion("7.6", "sm_70"),
        brief="extend b bits",
        words="sign zero extend extension",
        data_roles="a",
    ),
    Entry(
        *read_syntax("bmsk.clamp|.wrap.stype d, a, b", stype=_B32),
        Group.FIELDS,
        "9.7.1.22",
        "a mask of b ones from bit a up",
        (_D, _AMOUNT_A, _AMOUNT_B),
        ("bmsk.clamp.b32 d, a, b", {"a": 4, "b": 8}),
        MinimumVersion("7.6", "sm_70"),
        brief="b ones from a",
        words="make mask bits",
    ),
    Entry(
        *read_syntax("brev.stype d, a", stype=_B32_B64),
        Group.FIELDS,
        "9.7.1.18",
        "the bits of a in reverse order",
        (_D, _A),
        ("brev.b32 d, a", {"a": 0x80000005}),
        MinimumVersion("2.0", "sm_20"),
        brief="reverse bits",
        words="reverse reversal mirror bit order",
        data_roles="a",
    ),
    Entry(
        *read_syntax("clz.stype d, a", stype=_B32_B64),
        Group.FIELDS,
        "9.7.1.15",
        "the number of zeros above the highest 1 of a",
        (_D32, _NUMBER_A),
        ("clz.b32 d, a", {"a": 0x00012345}),
        MinimumVersion("2.0", "sm_20"),
        brief="leading zeros",
        words="count leading zeros",
    ),
    Entry(
        *read_syntax("popc.stype d, a", stype=_B32_B64),
        Group.FIELDS,
        "9.7.1.14",
        "the number of ones in a",
        (_D32, _A),
        ("popc.b32 d, a", {"a": 0xFF0180FF}),
        MinimumVersion("2.0", "sm_20"),
        brief="count ones",
        words="population count set bits ones popcount hamming weight",
    ),
    Entry(
        *read_syntax("bfind{.shiftamt}.stype d, a", stype=_INTEGERS),
        Group.FIELDS,
        "9.7.1.16",
        "the highest bit of a that differs from its sign",
        (_D32, _NUMBER_A),
        ("bfind.s32 d, a", {"a": 0xFFFFFFF0}),
        MinimumVersion("2.0", "sm_20"),
        brief="highest bit",
        words="find highest set bit most significant msb log2",
    ),
    Entry(
        *read_syntax("fns.stype d, a, b, c", stype=_B32),
        Group.FIELDS,
        "9.7.1.17",
        "the position of the c-th 1 of a from bit b on",
        (
            _D,
            _A,
            _NUMBER_B._replace(typical_values=range(32)),
            Operand(Role.C, Type.S32, typical_values=_OFFSETS, written_type="stype"),
        ),
        ("fns.b32 d, a, b, c", {"a": 0xAAAAAAAA, "b": 3, "c": 1}),
        MinimumVersion("6.0", "sm_30"),
        brief="n-th 1 from b",
        words="nth lowest first set bit position",
    ),
    Entry(
        *read_syntax("dp4a.atype.btype d, a, b, c"),
        Group.PACKED,
        "9.7.1.23",
        "c plus the products of four pairs of bytes",
        (
            Operand(Role.D, "dot_type"),
            Operand(Role.A, "atype", has_lanes=True),
            Operand(Role.B, "btype", has_lanes=True),
            Operand(Role.C, "dot_type"),
        ),
        ("dp4a.s32.u32 d, a, b, c", {"a": 0xFF0180FF, "b": 0x0102FFFF, "c": 100}),
        MinimumVersion("5.0", "sm_61"),
        lanes=4,
        brief="c + 4 products",
        words="dot product inner accumulate",
    ),
    Entry(
        *read_syntax("dp2a.lo|.hi.atype.btype d, a, b, c", byte_pair=_HALVES),
        Group.PACKED,
        "9.7.1.24",
        "c plus the products of two half-words and bytes",
        (
            Operand(Role.D, "dot_type"),
            Operand(Role.A, "atype", has_lanes=True),
            Operand(Role.B, "btype", has_bytes=True),
            Operand(Role.C, "dot_type"),
        ),
        ("dp2a.lo.s32.u32 d, a, b, c", {"a": 0xFFFF0002, "b": 0x050403FF, "c": 100}),
        MinimumVersion("5.0", "sm_61"),
        lanes=2,
        brief="c + 2 products",
        words="dot product inner accumulate",
    ),
    Entry(
        *read_syntax(
            "sad.stype d, a, b, c",
            stype=(Type.U16, Type.U32, Type.U64, Type.S16, Type.S32, Type.S64),
        ),
        Group.PACKED,
        "9.7.1.7",
        "c plus |a - b|",
        (_D, _NUMBER_A, _NUMBER_B, _NUMBER_C),
        ("sad.s32 d, a, b, c", {"a": 0x7FFFFFFF, "b": 0x80000000, "c": 1}),
        ANY_VERSION,
        brief="c + |a - b|",
        uses="sum absolute difference distance",
    ),
)
"""The entries, grouped by opcode."""
