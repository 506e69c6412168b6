"""One step of machine code: the reads and writes of an opcode's meaning, over any arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from ...engine.isa.types import WORD_BITS
from ...engine.micro_operations.arithmetic import Arithmetic, V
from .machine_instruction import MachineInstruction, MachineOperand, OperandKind

PAIR_BITS = 64
WORD = 1 << WORD_BITS
"""The number of values of a register."""
MASK = WORD - 1


class UnknownMachineCodeError(Exception):
    """An instruction whose meaning is not known; the text says why."""

    def __init__(self, reason: str, ins: MachineInstruction | None = None) -> None:
        super().__init__(f"{ins.text}: {reason}" if ins else reason)
        self.opcode = ins.opcode if ins else ""


class Write(NamedTuple, Generic[V]):
    """A value that a step writes."""

    operand: MachineOperand
    value: V
    bits: int
    """1 for a predicate, 32 for a register, 64 for a register and the next one."""


class MachineStep(Generic[V]):
    """The operands of an instruction as values, and its writes.

    Registers are unsigned 32-bit words; a pair has its high word in the next register.
    """

    def __init__(
        self,
        ar: Arithmetic[V],
        lift: Callable[[int], V],
        ins: MachineInstruction,
        outputs: int,
        read: Callable[[MachineOperand, int], V],
    ) -> None:
        self.ar = ar
        self.lift = lift
        self.ins = ins
        self.outputs = ins.operands[:outputs]
        self.sources = ins.operands[outputs:]
        self._read = read
        self._known: set[int] = set()
        """The sources whose sign and part the meaning obeys."""
        self.writes: list[Write[V]] = []

    def refuse(self, reason: str) -> UnknownMachineCodeError:
        """Return the error that the instruction has no known meaning."""
        return UnknownMachineCodeError(reason, self.ins)

    def check_operands(self) -> None:
        """Raise UnknownMachineCodeError for operands that the meaning has not obeyed in full.

        They have a sign, a part or an unknown kind, even if they are not read.
        """
        if any(x.kind is OperandKind.UNKNOWN for x in self.ins.operands):
            raise self.refuse("an operand of an unknown kind")
        sources = [x for index, x in enumerate(self.sources) if index not in self._known]
        if not all(x.is_plain for x in (*self.outputs, *sources)):
            raise self.refuse("a sign or a part without a known meaning")

    # --- sources, by their number after the outputs -------------------------------------------

    def get_source(self, index: int) -> MachineOperand:
        """Return a source operand; raise UnknownMachineCodeError if none exists."""
        if index >= len(self.sources):
            raise self.refuse("an operand is missing")
        return self.sources[index]

    def expect_sources(self, *counts: int) -> None:
        """Raise UnknownMachineCodeError unless there are so many sources."""
        if len(self.sources) not in counts:
            raise self.refuse(f"{len(self.sources)} source operands")

    def is_zero(self, index: int) -> bool:
        """Whether a source is the number 0: RZ, or an immediate."""
        x = self.get_source(index)
        is_register = x.kind in (OperandKind.REGISTER, OperandKind.UNIFORM_REGISTER)
        return x.is_plain and (
            (is_register and x.is_sink) or (x.kind is OperandKind.IMMEDIATE and x.number == 0)
        )

    def is_sink(self, index: int, sign: str) -> bool:
        """Whether a source is RZ or PT with a sign."""
        self._known.add(index)
        x = self.get_source(index)
        return x.is_sink and x.sign == sign and not x.part

    def is_one(self, index: int) -> bool:
        """Whether a source is the immediate 1."""
        x = self.get_source(index)
        return x.kind is OperandKind.IMMEDIATE and x.number == 1

    def read_bits(self, index: int, bits: int = WORD_BITS) -> V:
        """Return the bits of a word or pair, which must have no sign: unsigned."""
        if self.get_source(index).sign:
            raise self.refuse("a sign without a known meaning")
        return self.read_bits_of_signed(index, bits)

    def read_bits_of_signed(self, index: int, bits: int = WORD_BITS) -> V:
        """Return the bits of a word or pair, unsigned; the caller obeys the sign before it."""
        x = self.get_source(index)
        if x.part:
            raise self.refuse("a part of a register")
        self._known.add(index)
        return self._read(x, bits)

    def read_halves(self, index: int) -> V:
        """Return the half-words of a register, or one of them twice: unsigned.

        The caller obeys the sign before it.
        """
        x = self.get_source(index)
        halves = {"": (0, 1), "H0_H0": (0, 0), "H1_H1": (1, 1)}.get(x.part)
        if halves is None:
            raise self.refuse("a part of a register")
        self._known.add(index)
        word = self._read(x, WORD_BITS)
        return self.ar.gather((word,), WORD_BITS // 2, tuple((0, half) for half in halves))

    def read_field(self, index: int, bits: int) -> V:
        """Return so many low bits of a register, which may be named as its part: unsigned."""
        x = self.get_source(index)
        if x.sign or x.part not in ("", str(bits)):
            raise self.refuse("a sign or a part of a register")
        self._known.add(index)
        return self.ar.cast(self._read(x, WORD_BITS), bits, signed=False)

    def read_number(self, index: int, bits: int = WORD_BITS) -> V:
        """Return an operand with its sign: an exact number, equal to it modulo 2**bits."""
        x = self.read_bits_of_signed(index, bits)
        match self.get_source(index).sign:
            case "":
                return x
            case "-":
                return self.ar.negative(x)
            case "~":
                return self.invert(x, bits)
        raise self.refuse("a sign without a known meaning")

    def read_unsigned(self, index: int, bits: int = WORD_BITS) -> V:
        """Return an operand with its sign, unsigned."""
        value = self.read_number(index, bits)
        is_negated = self.get_source(index).sign == "-"
        return self.ar.cast(value, bits, signed=False) if is_negated else value

    def read_signed(self, index: int, bits: int = WORD_BITS) -> V:
        """Return an operand with its sign, signed."""
        return self.ar.cast(self.read_number(index, bits), bits, signed=True)

    def read_typed(self, index: int, bits: int, signed: bool) -> V:
        """Return an operand with its sign, signed or unsigned."""
        return (self.read_signed if signed else self.read_unsigned)(index, bits)

    def read_truth(self, index: int) -> V:
        """Return a predicate, or the sign bit of a register: 1 or 0."""
        x = self.get_source(index)
        is_predicate = x.kind in (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)
        if is_predicate == bool(x.part) or x.part not in ("", "SIGN"):
            raise self.refuse(f"operand {index} is not a predicate")
        if x.sign not in ("", "!"):
            raise self.refuse("a sign without a known meaning")
        self._known.add(index)
        if is_predicate:
            truth = self._read(x, 1)
        else:
            truth = self.ar.shift_right(self._read(x, WORD_BITS), WORD_BITS - 1)
        return self.negate(truth) if x.sign else truth

    def get_number(self, index: int) -> int:
        """Return an immediate."""
        x = self.get_source(index)
        if x.kind is not OperandKind.IMMEDIATE:
            raise self.refuse(f"operand {index} is not an immediate")
        return x.number

    def find_number(self, index: int) -> int | None:
        """Return an immediate, or 0 for RZ; None for any other source."""
        if self.is_zero(index):
            return 0
        x = self.get_source(index)
        return x.number if x.kind is OperandKind.IMMEDIATE else None

    # --- arithmetic -----------------------------------------------------------------------------

    def invert(self, x: V, bits: int = WORD_BITS) -> V:
        """Return all bits of an unsigned number inverted."""
        return self.ar.bitxor(x, (1 << bits) - 1)

    def negate(self, truth: V) -> V:
        """Return 1 for 0 and 0 for 1."""
        return self.ar.equal(truth, 0)

    def is_at_least(self, x: V, y: V | int) -> V:
        """Return 1 if x >= y, else 0."""
        return self.negate(self.ar.less(x, y))

    def cut(self, x: V) -> V:
        """Return the low word of a number."""
        return self.ar.cast(x, WORD_BITS, signed=False)

    def cut_high(self, x: V) -> V:
        """Return bits 32 to 63 of a number."""
        return self.cut(self.ar.shift_right(x, WORD_BITS))

    # --- outputs --------------------------------------------------------------------------------

    def write_word(self, value: V, index: int = 0) -> None:
        """Write the low word of a number to an output."""
        self.writes.append(Write(self.outputs[index], self.cut(value), WORD_BITS))

    def write_pair(self, value: V, index: int = 0) -> None:
        """Write the low 64 bits of a number to an output and the next register."""
        pair = self.ar.cast(value, PAIR_BITS, signed=False)
        self.writes.append(Write(self.outputs[index], pair, PAIR_BITS))

    def write_truth(self, value: V, index: int = 0) -> None:
        """Write a truth to a predicate."""
        self.writes.append(Write(self.outputs[index], value, 1))

    def write_predicate(self, value: V, number: int) -> None:
        """Write a truth to a predicate that no operand names."""
        self.writes.append(Write(MachineOperand(OperandKind.PREDICATE, number), value, 1))


Meaning = Callable[[MachineStep[Any], "re.Match[str]"], None]
"""Reads the sources of a step and writes its outputs; the match has the modifiers by name."""
ONE_REGISTER = "[RU]"
"""The layout of a single register as the output."""


class Opcode(NamedTuple):
    """Spellings of an opcode with one meaning."""

    spelling: re.Pattern[str]
    """The opcode and the modifiers that are understood; no other spelling is."""
    outputs: re.Pattern[str]
    """The letters of the operands, from the first, that are written."""
    meaning: Meaning


def make_opcode(spelling: str, meaning: Meaning, outputs: str = ONE_REGISTER) -> Opcode:
    """Return an opcode from the patterns of its spellings and outputs."""
    return Opcode(re.compile(spelling), re.compile(outputs), meaning)
