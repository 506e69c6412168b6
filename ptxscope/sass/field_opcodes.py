"""Opcodes on fields of bits, and those that count, search and reverse bits.

Each is what one PTX instruction becomes alone (``szext bmsk popc clz bfind brev``), so its meaning
is that instruction's micro-operation.
"""

from __future__ import annotations

import re

from ..engine.isa.types import WORD_BITS
from ..engine.micro_operations.arithmetic import V
from ..engine.micro_operations.counts import (
    CountLeadingZeros,
    CountOnes,
    InvertNegative,
    ReverseBits,
)
from ..engine.micro_operations.fields import ExtendField, FieldMask, LimitField
from .machine_instruction import OperandKind
from .machine_step import MASK, MachineStep
from .opcode import Opcode, make_opcode

Match = re.Match[str]
_COUNT_ZEROS = CountLeadingZeros(WORD_BITS)


def _extend(s: MachineStep[V], match: Match) -> None:
    """The low n bits of a, at most 32, extended by their sign unless ``.U32``."""
    s.expect_sources(2)
    is_signed = not match["unsigned"]
    if s.get_source(1).kind is OperandKind.IMMEDIATE and 0 < s.get_number(1) < WORD_BITS:
        # a solver knows the range of what a constant width leaves
        s.write_word(s.ar.cast(s.read_number(0), s.get_number(1), signed=is_signed))
        return
    field = ExtendField(WORD_BITS, is_signed)
    s.write_word(field.run(s.ar, s.read_unsigned(0), _read_length(s, 1, match)))


def _read_length(s: MachineStep[V], index: int, match: Match) -> V:
    """Return a position or a length: at most 32, or modulo 32 with ``.W``."""
    return LimitField(WORD_BITS, bool(match["wrap"])).run(s.ar, s.read_unsigned(index))


def _make_mask(s: MachineStep[V], match: Match) -> None:
    """As many ones as b says, from bit a up."""
    s.expect_sources(2)
    position, length = (_read_length(s, index, match) for index in range(2))
    s.write_word(FieldMask(WORD_BITS).run(s.ar, position, length))


def _count_ones(s: MachineStep[V], _: Match) -> None:
    """The number of ones."""
    s.expect_sources(1)
    s.write_word(CountOnes(WORD_BITS).run(s.ar, s.read_unsigned(0)))


def _reverse(s: MachineStep[V], _: Match) -> None:
    """The bits in reverse order."""
    s.expect_sources(1)
    s.write_word(ReverseBits(WORD_BITS).run(s.ar, s.read_unsigned(0)))


def _find_highest(s: MachineStep[V], match: Match) -> None:
    """The position of the highest 1, or of the highest bit unlike the sign unless ``.U32``.

    With ``.SH`` it is the left shift that brings it to the top. Without such a bit it is all ones.
    """
    s.expect_sources(1)
    ar, bits = s.ar, s.read_typed(0, WORD_BITS, not match["unsigned"])
    if not match["unsigned"]:
        bits = InvertNegative(WORD_BITS).run(ar, bits)
    zeros = _COUNT_ZEROS.run(ar, bits)
    if match["shift"]:
        s.write_word(ar.where(ar.equal(zeros, WORD_BITS), s.lift(MASK), zeros))
    else:
        s.write_word(ar.add(ar.negative(zeros), WORD_BITS - 1))


FIELD_OPCODES: tuple[Opcode, ...] = (
    make_opcode(r"U?SGXT(?P<wrap>\.W)?(?P<unsigned>\.U32)?", _extend),
    make_opcode(r"U?BMSK(?P<wrap>\.W)?", _make_mask),
    make_opcode(r"U?POPC", _count_ones),
    make_opcode(r"U?BREV", _reverse),
    make_opcode(r"U?FLO(?P<unsigned>\.U32)?(?P<shift>\.SH)?", _find_highest),
)
"""The opcodes of fields and counts."""
