"""The form of an instruction: its opcode and the value of every slot, without operands."""

from __future__ import annotations

from typing import NamedTuple

from .types import (
    BoolOp,
    BytePair,
    Cmp,
    Destinations,
    PermuteMode,
    ProductWord,
    Scale,
    SecOp,
    Selector,
    ShiftDirection,
    ShiftMode,
    Type,
)


class Form(NamedTuple):
    """One of the 51.6 billion ways to write an instruction, not counting register names.

    A plan depends on nothing else. A slot that is omitted, or that the instruction lacks, is None
    (False for a flag).
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
    """Whether the carry is written."""
    pack: bool = False
    """Whether ``cvt`` packs two numbers into a word."""
    mode: ShiftMode | None = None
    permute_mode: PermuteMode | None = None
    direction: ShiftDirection | None = None
    byte_pair: BytePair | None = None
    product_word: ProductWord | None = None
    shiftamt: bool = False
    """Whether ``bfind`` yields a shift amount instead of a position."""
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

    The syntax sets it, and no slot does: only an assembler's result depends on it (E15).
    """
    is_carry_in_inverted: bool = False
    """Whether a subtraction reads a flag that an addition writes or reads.

    The statements around set it and ``is_carry_out_inverted``, and no slot does (E18).
    """
    is_carry_out_inverted: bool = False
    """The same for the flag that it writes."""
    nege: bool = False
    """``!e`` of ``lop3``."""
    written_bits: int = 0
    """The width of the register that ``cvt`` writes, if it is wider than the type; else 0.

    The registers' declarations set it and ``read_bits``, and no slot does (9.4.1).
    """
    read_bits: int = 0
    """The same for the register that ``cvt`` reads."""

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
        """The type in which ``vmad`` reads c and its sum; dtype has no effect (9.7.18.1.3)."""
        signed = Type.S32 in (self.atype, self.btype) or self.nega != self.negb or self.negc
        return Type.S32 if signed else Type.U32

    def get(self, slot: str) -> object:
        """Return the value of the named slot."""
        value: object = getattr(self, slot)
        return value
