"""SASS as the text of nvdisasm writes it: instructions, and kernels with their constants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

ZERO_REGISTER = 255
"""The number of RZ and URZ, which read as 0 and discard writes."""
TRUE_PREDICATE = 7
"""The number of PT and UPT, which are true and discard writes."""


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
    """The name of a special register or a label; a number in decimal."""
    part: str = ""
    """The part of a register that is read: ``H0_H0`` and ``H1_H1``, half-words; ``SIGN``, a bit.

    ``24`` and ``28`` are that many low bits.
    """
    index_register: int = ZERO_REGISTER
    """The register whose value is added to the byte offset of a constant."""

    @property
    def is_sink(self) -> bool:
        """Whether writes to it are lost: RZ, URZ, PT, UPT."""
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
    """The guard, the opcode and the operands as written."""

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
    r"(?P<sign>[-~!]?)c\[(?P<bank>0x[0-9a-f]++)\] ?"
    r"\[(?:R(?P<index>\d{1,3})\+)?(?P<offset>0x[0-9a-f]++)\]"
    r"(?:\.(?P<part>H0_H0|H1_H1|SIGN))?"
)
_MEMORY = re.compile(
    r"(?:desc\[UR\d++\])?\[R(?P<base>\d{1,3})(?:\.64)?(?P<offset>\+-?0x[0-9a-f]++)?\]"
)
_SPECIAL = re.compile(r"SR_[A-Z0-9_.]++|SRZ|PR")
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
        index = int(match["index"] or ZERO_REGISTER)
        return MachineOperand(
            OperandKind.CONSTANT, offset, sign, bank, part=part, index_register=index
        )
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

    Any other text becomes an opcode that no table has.
    """
    match = _STATEMENT.fullmatch(text)
    if match is None:
        return MachineInstruction(0, text, (), None, text)
    words = (match["operands"] or "").split(",")
    operands = tuple(parse_operand(x) for word in words if (x := word.strip()))
    guard = parse_operand(match["guard"]) if match["guard"] else None
    return MachineInstruction(0, match["opcode"], operands, guard, text)


_SECTION = re.compile(r"\s*+\.section\s++(?P<name>[^\s,]++)")
_LINE = re.compile(r"\s*+/\*(?P<offset>[0-9a-f]{4,8})\*/\s++(?P<text>[^;]*+);?.*+")
_ZEROS = re.compile(r"\s*+\.zero\s++(?P<count>\d++)")
_NUMBER_BYTES = {".byte": 1, ".short": 2, ".word": 4, ".dword": 8}
_NUMBER = re.compile(r"0x([0-9a-f]{1,16})")
_MAX_BANK_BYTES = 1 << 16
_CONSTANT_SECTION = re.compile(r"\.nv\.constant(?P<bank>\d{1,2})\.(?P<kernel>.++)")
_TEXT_SECTION = ".text."
_REUSE = ".reuse"
_BARRIER_SETUP = (
    r"ISETP\.NE\.U32\.AND P0, PT, RZ, UR2, PT",
    r"@P0 BRA .+",
    r"BMOV\.32 B0, 0xffffffff",
    *(rf"BMOV\.32\.CLEAR B{x + 1}, B{x}" for x in range(15)),
    r"BMOV\.32 B15, 0x0",
    r"UMOV UR2, 0x1",
)


class MachineKernel(NamedTuple):
    """The machine code of a kernel."""

    name: str
    instructions: tuple[MachineInstruction, ...]
    """The instructions up to the last one that can be reached, EXIT."""
    constants: Mapping[int, bytes]
    """The bytes of each constant bank; of bank 0, which has the parameters last, zeros."""


def parse_disassembly(text: str) -> dict[str, MachineKernel]:
    """Return the kernels of nvdisasm's output, without ``-c``, by name."""
    instructions: dict[str, tuple[MachineInstruction, ...]] = {}
    constants: dict[str, dict[int, bytes]] = {}
    for section, lines in _iter_sections(text):
        if section.startswith(_TEXT_SECTION):
            kernel = section.removeprefix(_TEXT_SECTION)
            instructions[kernel] = _drop_barrier_setup(tuple(_iter_instructions(lines)))
        elif match := _CONSTANT_SECTION.fullmatch(section):
            banks = constants.setdefault(match["kernel"], {})
            banks[int(match["bank"])] = _read_bytes(lines)
    return {
        name: MachineKernel(name, found, constants.get(name, {}))
        for name, found in instructions.items()
    }


def _iter_sections(text: str) -> Iterator[tuple[str, list[str]]]:
    name, lines = "", list[str]()
    for line in text.splitlines():
        if match := _SECTION.match(line):
            yield name, lines
            name, lines = match["name"], []
        else:
            lines.append(line)
    yield name, lines


def _iter_instructions(lines: list[str]) -> Iterator[MachineInstruction]:
    """Yield the instructions up to the unconditional EXIT."""
    for line in lines:
        if match := _LINE.fullmatch(line):
            # a hint to keep an operand in a cache, without a meaning
            text = " ".join(match["text"].replace(_REUSE, "").split())
            ins = parse_machine_instruction(text)._replace(offset=int(match["offset"], 16))
            yield ins
            if ins.opcode == "EXIT" and ins.guard is None:
                return


def _drop_barrier_setup(
    instructions: tuple[MachineInstruction, ...],
) -> tuple[MachineInstruction, ...]:
    """Return a kernel's code without the prologue of ptxas for sm_87.

    It clears the barriers on which threads converge, ``B0`` to ``B15``, unless UR2 says that this
    is done, and then sets UR2. Nothing in a kernel without branches depends on it.
    """
    texts = [x.text for x in instructions[: len(_BARRIER_SETUP)]]
    if len(texts) == len(_BARRIER_SETUP) and all(map(re.fullmatch, _BARRIER_SETUP, texts)):
        return instructions[len(_BARRIER_SETUP) :]
    return instructions


def _read_bytes(lines: list[str]) -> bytes:
    """Return the data of a section, up to the first entry that is not a number: an address, say."""
    data = bytearray()
    for line in lines:
        if match := _ZEROS.match(line):
            data += bytes(min(int(match["count"][:8]), _MAX_BANK_BYTES))
        elif (match := _LINE.fullmatch(line)) and (words := match["text"].split(None, 1))[1:]:
            size = _NUMBER_BYTES.get(words[0], 0)
            for word in words[1].split(",") if size else ():
                if not (number := _NUMBER.fullmatch(word.strip())):
                    return bytes(data)
                data += int(number[1], 16).to_bytes(_NUMBER_BYTES[".dword"], "little")[:size]
    return bytes(data)
