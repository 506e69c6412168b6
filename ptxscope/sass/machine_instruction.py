"""SASS instructions as the text of nvdisasm writes them: the opcode, a guard, operands."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

ZERO_REGISTER = 255
"""The number of RZ and URZ, which read as 0 and discard what is written."""
TRUE_PREDICATE = 7
"""The number of PT and UPT, which are true and discard what is written."""


class OperandKind(StrEnum):
    """The kind of an operand; its letter stands for it in the layout of an instruction."""

    REGISTER = "R"
    UNIFORM_REGISTER = "U"
    PREDICATE = "P"
    UNIFORM_PREDICATE = "Q"
    IMMEDIATE = "I"
    FLOAT = "F"
    CONSTANT = "C"
    MEMORY = "M"
    SPECIAL = "S"
    LABEL = "L"
    UNKNOWN = "X"
    """Of a kind that this module does not know."""


class MachineOperand(NamedTuple):
    """An operand of a SASS instruction."""

    kind: OperandKind
    number: int = 0
    """The register or predicate; the bits of an immediate; the byte offset in memory."""
    sign: str = ""
    """``-``, ``~`` or ``!`` before the operand."""
    bank: int = 0
    """The bank of a constant; the register with the address of a memory operand."""
    text: str = ""
    """The name of a special register or a label; a number that is written as a decimal."""
    part: str = ""
    """The part of a register that is read: ``H0_H0`` and ``H1_H1``, half-words; ``SIGN``, a bit.

    ``24`` and ``28`` are so many low bits.
    """

    @property
    def is_sink(self) -> bool:
        """Whether what is written to it is lost: RZ, URZ, PT, UPT."""
        if self.kind in (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE):
            return self.number == TRUE_PREDICATE
        return self.number == ZERO_REGISTER

    @property
    def is_plain(self) -> bool:
        """Whether nothing stands before or behind a register, a predicate or a constant."""
        return not self.sign and not self.part


class MachineInstruction(NamedTuple):
    """An instruction at its offset."""

    offset: int
    """The distance from the kernel's first instruction in bytes."""
    opcode: str
    """The opcode with its modifiers: ``ISETP.GE.U32.AND``."""
    operands: tuple[MachineOperand, ...]
    guard: MachineOperand | None
    text: str
    """The guard, the opcode and the operands as they are written."""

    @property
    def layout(self) -> str:
        """The letters of the operands' kinds, in order."""
        return "".join(x.kind.value for x in self.operands)


_REGISTER = re.compile(
    r"(?P<sign>[-~!]?)(?P<kind>U?[RP])(?P<number>\d{1,3}|[ZT])(?:\.reuse)?"
    r"(?:\.(?P<part>H0_H0|H1_H1|SIGN|24|28))?"
)
_INTEGER = re.compile(r"(?P<sign>-?)(?P<digits>0x[0-9a-f]++)")
_DECIMAL = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?(?:e[+-]?\d++)?|INF|QNAN|SNAN)")
_CONSTANT = re.compile(
    r"(?P<sign>[-~!]?)c\[(?P<bank>0x[0-9a-f]++)\] ?\[(?P<offset>0x[0-9a-f]++)\]"
    r"(?:\.(?P<part>H0_H0|H1_H1|SIGN))?"
)
_MEMORY = re.compile(
    r"(?:desc\[UR\d++\])?\[R(?P<base>\d{1,3})(?:\.64)?(?P<offset>\+-?0x[0-9a-f]++)?\]"
)
_SPECIAL = re.compile(r"SR_[A-Z0-9_.]++|SRZ")
_LABEL = re.compile(r"`\((?P<name>[^()]*+)\)")
_REGISTER_KINDS = {
    "R": OperandKind.REGISTER,
    "UR": OperandKind.UNIFORM_REGISTER,
    "P": OperandKind.PREDICATE,
    "UP": OperandKind.UNIFORM_PREDICATE,
}
_SINKS = {"Z": ZERO_REGISTER, "T": TRUE_PREDICATE}
_STATEMENT = re.compile(
    r"(?:@(?P<guard>!?U?P(?:\d|T))\s++)?(?P<opcode>[A-Z][A-Z0-9_a-z.]*+)(?:\s++(?P<operands>.*+))?"
)


@lru_cache(maxsize=1 << 14)
def parse_operand(text: str) -> MachineOperand:
    """Return the operand in a text."""
    if match := _REGISTER.fullmatch(text):
        number = _SINKS.get(match["number"])
        kind = _REGISTER_KINDS[match["kind"]]
        number = int(match["number"]) if number is None else number
        return MachineOperand(kind, number, match["sign"], part=match["part"] or "")
    if match := _INTEGER.fullmatch(text):
        number = int(match["digits"], 16)
        return MachineOperand(OperandKind.IMMEDIATE, -number if match["sign"] else number)
    if match := _CONSTANT.fullmatch(text):
        offset, bank = int(match["offset"], 16), int(match["bank"], 16)
        sign, part = match["sign"], match["part"] or ""
        return MachineOperand(OperandKind.CONSTANT, offset, sign, bank, part=part)
    if match := _MEMORY.fullmatch(text):
        offset = int((match["offset"] or "+0x0")[1:], 16)
        return MachineOperand(OperandKind.MEMORY, offset, "", int(match["base"]))
    if _DECIMAL.fullmatch(text):
        return MachineOperand(OperandKind.FLOAT, text=text)
    if _SPECIAL.fullmatch(text):
        return MachineOperand(OperandKind.SPECIAL, text=text)
    if match := _LABEL.fullmatch(text):
        return MachineOperand(OperandKind.LABEL, text=match["name"])
    return MachineOperand(OperandKind.UNKNOWN, text=text)


@lru_cache(maxsize=1 << 14)
def parse_machine_instruction(text: str) -> MachineInstruction:
    """Return the instruction in a text without its semicolon, at offset 0.

    What is no instruction becomes an opcode that no table has.
    """
    match = _STATEMENT.fullmatch(text)
    if match is None:
        return MachineInstruction(0, text, (), None, text)
    words = (match["operands"] or "").split(",")
    operands = tuple(parse_operand(x) for word in words if (x := word.strip()))
    guard = parse_operand(match["guard"]) if match["guard"] else None
    return MachineInstruction(0, match["opcode"], operands, guard, text)
