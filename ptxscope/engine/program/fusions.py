"""The pairs of statements that an assembler combines into one, wrongly (errata E19 to E25).

The result of the first statement reaches an operand of the second through registers, with any
statements between them, also those that only copy it. The operand then has a ``Fusion`` in its
form. Guards of the first statement, and other ways to write the register, hinder it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from ..isa.encodings import cast
from ..isa.types import Cmp, Fusion, ProductWord, Role, Type
from ..syntax.instruction import Instruction
from .control_flow import find_starts
from .program import iter_names
from .statement import Statement

_LOWEST = 1 << 31
Value = tuple[str, int]
"""A value that registers hold: a name and the statement that writes it; a literal has no name."""
_SIGNS = {Cmp.LT: Role.A, Cmp.GE: Role.A, Cmp.GT: Role.B, Cmp.LE: Role.B}
"""The comparisons with 0 that test the sign of an operand."""
_EXTENDING = frozenset("set setp sad shr".split())
"""The opcodes that extend a half-word before they compute."""
_READERS = frozenset("cvt set setp mul mad sad shr slct add sub and".split())
_WRITERS = frozenset("neg abs sub add prmt".split())
_CHOICES = frozenset("min max and or slct selp".split())
"""The opcodes that copy an operand if both are the same."""
_NEUTRAL = frozenset("add sub or xor shl shr".split())
"""The opcodes that copy an operand if the other is 0."""
_COPIED_BITS = ((16, 16), (32, 16), (32, 32), (64, 64))
"""The widths from which and to which a conversion only copies bits."""


class PairMember(NamedTuple):
    """An instruction, the index of its statement, and the values of its operands."""

    place: int
    ins: Instruction
    operands: dict[str, Value]
    """By role. A register may have another name than the one that has the value first."""

    def find_literal(self, role: str) -> int | None:
        """Return the bits of an operand that is a literal."""
        name, bits = self.operands.get(role, (role, 0))
        return None if name else bits


class _Values:
    """The values of registers, followed from statement to statement."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._starts = {*find_starts(statements)}
        self._counts = Counter(y for x in statements if not x.is_brace for y in x.writes)
        self.mentions = Counter(y for x in statements for y in {*iter_names(x)})
        """The number of statements that name a register, or a copy of its value."""
        self._values: dict[str, Value] = {}
        self._begin = 0
        """The place of the last statement after which a register may have any value."""
        self.definitions: dict[Value, PairMember] = {}

    def begin_statement(self, index: int) -> None:
        """Forget, at the start of a block, what may be written on another path."""
        if index in self._starts:
            self._begin = index
            self._values = {x: y for x, y in self._values.items() if self._counts[x] == 1}

    def read(self, index: int, ins: Instruction) -> PairMember:
        """Return an instruction with the values of its operands."""
        operands: dict[str, Value] = {}
        for role, name in ins.names.items():
            name, number = self._values.get(name) or (name, -1 - self._begin)
            bits = (1 << ins.type_of(role).bits) - 1
            operands[role] = (name, number if name else number & bits)
        operands |= {role: ("", bits) for role, bits in ins.constants.items()}
        return PairMember(index, ins, operands)

    def write(self, index: int, statement: Statement, definition: PairMember | None) -> None:
        """Note what a statement writes."""
        if statement.is_opaque:
            self._begin, self._values = index, {}
        for name in statement.writes:
            self._values[name] = value = (name, index)
            if definition and not definition.ins.guard:
                self.definitions[value] = definition
                if _is_copy(definition):
                    self._values[name] = copied = definition.operands["a"]
                    self.mentions[copied[0]] += self.mentions[name] - 2


def _is_copy(x: PairMember) -> bool:
    """Whether an instruction only copies its operand, or the low half of a word."""
    form, opcode = x.ins.form, x.ins.opcode
    if x.ins.entry.is_move:
        return not form.nega
    type_ = form.stype or form.dtype
    if not type_ or type_.is_float or type_.lanes > 1 or form.sat or form.cc:
        return False
    if opcode == "cvt":
        if not form.atype or form.atype.is_float or form.written_bits:
            return False
        widths = (form.read_bits or form.atype.bits, type_.bits)
        return widths in _COPIED_BITS and type_.bits <= form.atype.bits
    is_choice = opcode in _CHOICES and x.operands["a"] == x.operands["b"]
    return is_choice or (opcode in _NEUTRAL and x.find_literal("b") == 0)


class FusedPair(NamedTuple):
    """An instruction, and an earlier one with which an assembler combines it."""

    reader: PairMember
    writer: PairMember
    fusion: Fusion


def mark_fusions(statements: Sequence[Statement]) -> Iterator[tuple[int, Instruction]]:
    """Yield the instructions of a function that are combined with earlier ones, by their places."""
    for reader, pairs in groupby(find_fused_pairs(statements), lambda x: x.reader):
        form = reader.ins.form._replace(fusions=tuple(x.fusion for x in pairs))
        yield reader.place, replace(reader.ins, form=form)


def find_fused_pairs(statements: Sequence[Statement]) -> Iterator[FusedPair]:
    """Yield the pairs of instructions of a function that an assembler combines, in order."""
    opcodes = {x.opcode for x in statements}
    if opcodes.isdisjoint(_READERS) or opcodes.isdisjoint(_WRITERS):
        return
    values = _Values(statements)
    for i, statement in enumerate(statements):
        values.begin_statement(i)
        reader = values.read(i, statement.instruction) if statement.instruction else None
        for role, value in reader.operands.items() if reader else ():
            writer = values.definitions.get(value)
            if reader and writer and (fusion := _find_fusion(role, reader, writer, values)):
                yield FusedPair(reader, writer, fusion)
        values.write(i, statement, reader)


def _find_fusion(
    role: str, reader: PairMember, writer: PairMember, values: _Values
) -> Fusion | None:
    """Return how an assembler combines an instruction with the writer of an operand, if it does."""
    if reader.ins.opcode not in _READERS or writer.ins.opcode not in _WRITERS:
        return None
    if reader.ins.opcode in ("add", "sub"):
        is_read_once = values.mentions[reader.operands[role][0]] == 2  # and written once
        return _find_sum(role, reader, writer, is_read_once)
    if writer.ins.opcode == "prmt":
        return _find_signs(role, reader, writer)
    return _find_negation(role, reader, writer, values)


# --- negations and magnitudes (E19, E22, E24, E25) -------------------------------------------


def _find_negation(
    role: str, reader: PairMember, writer: PairMember, values: _Values
) -> Fusion | None:
    """Return the fusion of an instruction with a negation or a magnitude that it reads."""
    type_, source = writer.ins.form.stype, _find_negated(writer)
    if type_ is None or source is None or not type_.signed or type_.lanes > 1:
        return None
    is_magnitude = writer.ins.opcode == "abs"
    inner = values.definitions.get(writer.operands[source])
    if not is_magnitude and inner and _find_negated(inner):
        return None  # the negative of a negative, or of a magnitude, is exact
    form = reader.ins.form
    if form.read_bits or not _reads_exactly(role, reader, type_, is_magnitude=is_magnitude):
        return None
    return Fusion(role, 0 if is_magnitude else 1 - (1 << type_.bits - 1))


def _find_negated(x: PairMember) -> str | None:
    """Return the operand that an instruction negates, or whose magnitude it takes."""
    form = x.ins.form
    if form.sat or form.cc or x.ins.opcode not in ("abs", "neg", "sub"):
        return None
    if x.ins.opcode == "sub":
        return "b" if x.find_literal("a") == 0 and x.find_literal("b") is None else None
    return "a" if x.find_literal("a") is None else None


def _reads_exactly(role: str, reader: PairMember, type_: Type, *, is_magnitude: bool) -> bool:
    """Whether an assembler gives an instruction the exact result, for an operand of a type."""
    form, opcode = reader.ins.form, reader.ins.opcode
    if opcode == "cvt":
        is_wider = type_ is Type.S16 and form.dtype is not None and form.dtype.bits > type_.bits
        return form.atype is type_ is not Type.S64 and (form.sat or is_wider)
    if opcode == "slct":
        is_usual = form.dtype is not Type.S32
        return role == "c" and form.ctype is type_ and is_usual is is_magnitude
    if form.stype is not type_ or role not in ("a", "b"):
        return False
    if type_ is Type.S16:
        return opcode in _EXTENDING or form.product_word in (ProductWord.HI, ProductWord.WIDE)
    is_test = opcode in ("set", "setp") and form.cmp in _SIGNS and form.boolop is None
    if not (is_magnitude and is_test and form.cmp):
        return False
    return _SIGNS[form.cmp] == role and reader.find_literal(_get_other(role)) == 0


# --- sums that are undone, and sums of literals (E21, E23) ----------------------------------


def _find_sum(
    role: str, reader: PairMember, writer: PairMember, is_read_once: bool
) -> Fusion | None:
    """Return the fusion of a saturating sum with a sum that it reads."""
    ins, form = writer.ins, writer.ins.form
    is_sum = ins.opcode in ("add", "sub") and form.stype in (Type.S32, Type.U32)
    if not reader.ins.form.sat or not is_sum or form.sat or form.cc or _find_negated(writer):
        return None
    own_sign, other_sign = (_get_sign(reader.ins, x) for x in (role, _get_other(role)))
    other = reader.operands[_get_other(role)]
    for term in "ab":
        is_taken = _get_sign(ins, term) * own_sign == -other_sign
        if is_taken and writer.operands[term] == other and (other[0] or own_sign < 0):
            return Fusion(role, sign=_get_sign(ins, _get_other(term)) * own_sign)
    literals = [(x, y) for x in "ab" if (y := writer.find_literal(x)) is not None]
    if other[0] or own_sign < 0 or len(literals) != 1 or not is_read_once:
        return None
    ((term, bits),) = literals
    if other_sign < 0 and other[1] == _LOWEST:  # its negative is no literal
        return None
    both = _get_sign(ins, term) * bits + other_sign * other[1]
    addend = cast(both, 32, signed=True) - other_sign * cast(other[1], 32, signed=True)
    return Fusion(role, addend - _LOWEST + (_get_sign(ins, _get_other(term)) < 0))


def _get_other(role: str) -> str:
    return "b" if role == "a" else "a"


def _get_sign(ins: Instruction, role: str) -> int:
    """Return the sign of an operand of a sum or a difference."""
    return -1 if ins.opcode == "sub" and role == "b" else 1


# --- copies of signs (E20) ------------------------------------------------------------------


def _find_signs(role: str, reader: PairMember, writer: PairMember) -> Fusion | None:
    """Return the fusion of a mask of whole bytes, or an extension, with a ``prmt`` before it."""
    selector = writer.find_literal("c")
    is_mask = reader.ins.opcode in ("and", "cvt")  # the half that others read has no guard
    is_plain = not ((is_mask and reader.ins.guard) or writer.ins.form.permute_mode)
    if not is_plain or selector is None or writer.find_literal("b") is not None:
        return None
    kept = _list_kept_bytes(role, reader)
    digits = {x: selector >> 4 * x & 15 for x in kept}
    signs = tuple(x for x, digit in digits.items() if 8 <= digit < 12)
    is_a_needed = any(digit < 4 for digit in digits.values())
    return Fusion(role, cleared=signs) if signs and not is_a_needed else None


def _list_kept_bytes(role: str, reader: PairMember) -> Sequence[int]:
    """Return the bytes that a mask, or an extension with zeros, keeps; none if it is neither."""
    form, opcode = reader.ins.form, reader.ins.opcode
    if opcode == "cvt":
        if form.sat or not (form.atype and form.dtype):
            return ()
        part = min(form.dtype, form.atype, key=lambda x: x.bits)
        is_extended = part.bits < min(32, form.written_bits or max(form.dtype.bits, 16))
        return range(part.bits // 8) if is_extended and not part.signed else ()
    if form.stype in (Type.U16, Type.B16) and opcode != "and":  # of the low half of the result
        is_sum = role == "c" and opcode != "sad" and form.product_word is not ProductWord.LO
        is_half = reader.ins.type_of(role).bits == form.stype.bits and not is_sum
        is_extended = opcode in _EXTENDING or form.product_word is not None
        return range(2) if is_half and is_extended else ()
    mask = reader.find_literal(_get_other(role))
    if opcode != "and" or form.stype not in (Type.B16, Type.B32) or mask is None:
        return ()
    count = form.stype.bits // 8
    kept = [x for x in range(count) if mask >> 8 * x & 255 == 255]
    is_whole = mask == sum(255 << 8 * x for x in kept)
    return kept if is_whole and 0 in kept and len(kept) < count else ()
