"""The vocabulary of PTX: types, modifiers, selectors, roles, forms (PTX ISA 5.2, 9.3, 9.7.18)."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

WORD_BITS = 32
"""Bits of a register of most instructions."""
_TYPE = re.compile(r"(bf|[bfsu])(\d+)(?:x([24]))?")
_FRACTION_BITS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}


class Type(StrEnum):
    """An instruction type. ``pred`` is the type of predicate operands, one bit wide."""

    B16 = "b16"
    B32 = "b32"
    B64 = "b64"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    S16 = "s16"
    S32 = "s32"
    S64 = "s64"
    F32 = "f32"
    F64 = "f64"
    F16 = "f16"
    F16X2 = "f16x2"
    BF16 = "bf16"
    BF16X2 = "bf16x2"
    U16X2 = "u16x2"
    S16X2 = "s16x2"
    U8X4 = "u8x4"
    S8X4 = "s8x4"
    U8 = "u8"
    S8 = "s8"
    U4 = "u4"
    S4 = "s4"
    U2 = "u2"
    S2 = "s2"
    PRED = "pred"

    bits: int
    """The width in bits: 1, 2, 4, 8, 16, 32 or 64."""
    lanes: int
    """The number of values in the bits: 2 or 4 for a packed type, else 1."""
    signed: bool
    is_float: bool
    """Whether the bits are one float: ``.f16``, ``.bf16``, ``.f32`` or ``.f64``."""
    fraction_bits: int
    """The width of a float's fraction in bits; 0 for any other type."""

    def __init__(self, text: str) -> None:
        match = _TYPE.fullmatch(text)
        kind, unit, count = match.groups() if match else ("", 1, None)
        self.lanes = int(count or 1)
        self.bits = int(unit) * self.lanes
        self.signed = kind == "s"
        self.fraction_bits = _FRACTION_BITS.get(text, 0)
        self.is_float = self.fraction_bits > 0

    @property
    def lane_type(self) -> Type:
        """The type of one lane: ``.f16`` for ``.f16x2``.

        The type itself if it has one lane, or lanes of 8 bits: no operand is a single byte.
        """
        return Type(self.value.removesuffix("x2"))

    def widen(self, bits: int) -> Type:
        """Return the type of the same kind and at least a width: ``.u16`` for ``.u8``."""
        return Type(f"{self.value[0]}{bits}") if self.bits < bits else self

    @property
    def is_half(self) -> bool:
        """Whether the bits are one or two floats of 16 bits each."""
        return self.value.endswith(("f16", "f16x2"))


class Cmp(StrEnum):
    """A comparison operator (PTX ISA 9.3.1, 9.3.2)."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    LO = "lo"
    LS = "ls"
    HI = "hi"
    HS = "hs"
    EQU = "equ"
    NEU = "neu"
    LTU = "ltu"
    LEU = "leu"
    GTU = "gtu"
    GEU = "geu"
    NUM = "num"
    NAN = "nan"


CMP6 = (Cmp.EQ, Cmp.NE, Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE)
"""The comparisons of the video instructions."""


class BoolOp(StrEnum):
    """The Boolean operator that combines a comparison with the predicate c."""

    AND = "and"
    OR = "or"
    XOR = "xor"


class SecOp(StrEnum):
    """The secondary operation of the video instructions."""

    ADD = "add"
    MIN = "min"
    MAX = "max"


class ShiftMode(StrEnum):
    """The treatment of shift amounts above 31 by ``vshl`` and ``vshr``."""

    CLAMP = "clamp"
    WRAP = "wrap"


class Scale(StrEnum):
    """The right shift that ``vmad`` applies to its sum."""

    SHR7 = "shr7"
    SHR15 = "shr15"

    @property
    def amount(self) -> int:
        """The distance in bits: 7 or 15."""
        return int(self.value[3:])


class PermuteMode(StrEnum):
    """The arrangements of ``prmt`` for which only two bits of c count."""

    F4E = "f4e"
    """Four bytes from byte n up."""
    B4E = "b4e"
    """Four bytes from byte n down, modulo 8."""
    RC8 = "rc8"
    """Byte n four times."""
    ECL = "ecl"
    """Byte i is byte max(i, n)."""
    ECR = "ecr"
    """Byte i is byte min(i, n)."""
    RC16 = "rc16"
    """Half-word n twice."""


class ShiftDirection(StrEnum):
    """The direction of ``shf``."""

    LEFT = "l"
    RIGHT = "r"


class ProductWord(StrEnum):
    """The part of a product that ``mul`` writes and ``mad`` adds to c; ``.wide`` is the whole."""

    LO = "lo"
    HI = "hi"
    WIDE = "wide"


class Destinations(StrEnum):
    """The destinations of ``setp`` and of ``lop3`` with a predicate; ``_`` discards a result."""

    P = "p"
    P_Q = "p|q"
    P_SINK = "p|_"
    SINK_Q = "_|q"
    SINK = "_"
    D_P = "d|p"
    SINK_P = "_|p"

    @property
    def names(self) -> tuple[str | None, ...]:
        """The role of each written destination, None for ``_``."""
        return tuple(None if name == "_" else name for name in self.split("|"))


class Selector(NamedTuple):
    """Bytes or half-words selected from a register or the pair {b, a}, or a destination mask.

    ``lanes[i]`` is the number of the byte or half-word that lane i takes. Lane 0, the least
    significant, is the rightmost digit of the text: ``b3210`` is ``(8, (0, 1, 2, 3))``.
    """

    unit: int
    """The width of each selected part in bits: 8 (``b``) or 16 (``h``)."""
    lanes: tuple[int, ...]

    def __str__(self) -> str:
        return ("b" if self.unit == 8 else "h") + "".join(map(str, reversed(self.lanes)))


@lru_cache(maxsize=1 << 14)
def parse_selector(text: str) -> Selector:
    """Parse ``b3``, ``h10``, ``b7654``; whether the digits are legal is not checked."""
    return Selector(8 if text[0] == "b" else 16, tuple(map(int, reversed(text[1:]))))


class Role(StrEnum):
    """A role, in the order of entering and showing values."""

    A = "a"
    B = "b"
    C = "c"
    TABLE = "lut"
    """The truth table of ``lop3``: a literal of the form, not an input."""
    E = "e"
    CARRY = "cc"
    """The carry flag CC.CF as a source; no operand in the text."""
    GUARD = "guard"
    D = "d"
    """As an input, the old value of the destination, which a guard may keep; likewise p and q."""
    P = "p"
    Q = "q"
    CARRY_OUT = "cf"
    """The carry flag CC.CF as a destination."""

    @property
    def label(self) -> str:
        """The label before an input value: ``a``, ``@``, ``old``."""
        if self is Role.GUARD:
            return "@"
        return "old" if self in DESTINATIONS else str(self)


DESTINATIONS = (Role.D, Role.P, Role.Q, Role.CARRY_OUT)
CARRY_REGISTER = "CC.CF"
"""The register of the carry flag; no register in a text can have this name."""
ORDER = {role: index for index, role in enumerate(Role)}


# --- the form of an instruction: its opcode and the value of every slot, without operands ---


class Fusion(NamedTuple):
    """The combination of an instruction with the statement that wrote an operand (E19 to E25)."""

    role: str
    """The operand that the statement wrote."""
    least: int | None = None
    """The least exact result of that statement: the operand is read as that result, not wrapped."""
    sign: int = 0
    """The sign of the result if a sum with the other operand is undone, 1 or -1; else 0."""
    cleared: tuple[int, ...] = ()
    """The bytes of the operand, copies of a sign, that are taken for 0."""


class Form(NamedTuple):
    """One of the 51.6 billion ways to write an instruction, not counting register names.

    A plan depends on nothing else. A slot that is omitted, or that the instruction lacks, is None,
    or False if it is a flag.
    """

    opcode: str
    cmp: Cmp | None = None
    boolop: BoolOp | None = None
    ftz: bool = False
    dtype: Type | None = None
    atype: Type | None = None
    btype: Type | None = None
    stype: Type | None = None
    """The type of a and b in ``set`` and ``setp``; of d, a and b in ``selp``."""
    ctype: Type | None = None
    """The type of c in ``slct``."""
    po: bool = False
    sat: bool = False
    relu: bool = False
    """Whether a negative result becomes 0."""
    cc: bool = False
    pack: bool = False
    """Whether ``cvt`` packs two numbers into a word."""
    mode: ShiftMode | None = None
    permute_mode: PermuteMode | None = None
    direction: ShiftDirection | None = None
    byte_pair: ProductWord | None = None
    """The two bytes of b that ``dp2a`` multiplies: 0 and 1 (``.lo``), or 2 and 3."""
    product_word: ProductWord | None = None
    shiftamt: bool = False
    """Whether ``bfind`` returns a shift amount instead of a position."""
    scale: Scale | None = None
    secop: SecOp | None = None
    dst: Destinations | None = None
    """The destinations that ``setp``, or ``lop3`` with a predicate, writes."""
    lut: int | None = None
    """The truth table of ``lop3``, 0 to 255: bit 4a + 2b + c is the result for bits a, b, c."""
    dsel: Selector | None = None
    """The byte or half-word of d that a scalar video instruction writes."""
    mask: Selector | None = None
    """The lanes that a SIMD video instruction writes or accumulates."""
    asel: Selector | None = None
    bsel: Selector | None = None
    nega: bool = False
    negb: bool = False
    negc: bool = False
    """``-c`` of ``vmad``, or ``!c`` of a predicate."""
    c: bool = False
    """Whether c is written in the line."""
    is_field_outside: bool = False
    """Whether a literal position of ``bfe``, with a literal length above 0, is above the top bit.

    The parser sets it, no slot does: only an assembler's result depends on it (E15).
    """
    is_carry_in_inverted: bool = False
    """Whether a subtraction reads a flag that an addition writes or reads.

    The surrounding statements set it and ``is_carry_out_inverted``, no slot does (E18).
    """
    is_carry_out_inverted: bool = False
    """Likewise, for the flag that it writes."""
    fusions: tuple[Fusion, ...] = ()
    """Operands that an assembler combines with earlier statements, which set this; no slot does."""
    nege: bool = False
    written_bits: int = 0
    """The width of the register that ``cvt`` writes, if it is wider than the type; else 0.

    The registers' declarations set it and ``read_bits``, no slot does (9.4.1).
    """
    read_bits: int = 0
    """Likewise, for the register that ``cvt`` reads."""

    @property
    def source_type(self) -> Type:
        """The type ``stype`` of a form that has one."""
        assert self.stype
        return self.stype

    @property
    def dot_type(self) -> Type:
        """The type of c and d in ``dp4a`` and ``dp2a``: u32 only if a and b are (9.7.1.24)."""
        return Type.U32 if self.atype is self.btype is Type.U32 else Type.S32

    @property
    def converted_type(self) -> Type | None:
        """The type of the register that ``cvt`` writes: of 16 bits if dtype has 8, or wider."""
        return self.dtype and self.dtype.widen(max(16, self.written_bits))

    @property
    def unconverted_type(self) -> Type | None:
        """The type of the register that ``cvt`` reads: of 16 bits if atype has 8, or wider."""
        return self.atype and self.atype.widen(max(16, self.read_bits))

    @property
    def product_type(self) -> Type | None:
        """The type of d and c in ``mul`` and ``mad``: twice as wide as stype with ``.wide``."""
        stype = self.stype
        if self.product_word is not ProductWord.WIDE or stype is None or stype.bits > 32:
            return stype
        return Type(f"{stype[0]}{2 * stype.bits}")

    @property
    def final_type(self) -> Type:
        """The type of c and of the sum in ``vmad``; dtype has no effect (9.7.18.1.3)."""
        signed = Type.S32 in (self.atype, self.btype) or self.nega != self.negb or self.negc
        return Type.S32 if signed else Type.U32

    def get(self, slot: str) -> object:
        """Return the value of the named slot."""
        value: object = getattr(self, slot)
        return value
