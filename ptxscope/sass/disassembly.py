"""The text of nvdisasm: kernels with their instructions and constants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .machine_instruction import MachineInstruction, parse_machine_instruction

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
    """Yield the name and the lines of each section."""
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
            # a hint to keep an operand in a cache, which has no meaning
            text = " ".join(match["text"].replace(_REUSE, "").split())
            ins = parse_machine_instruction(text)._replace(offset=int(match["offset"], 16))
            yield ins
            if ins.opcode == "EXIT" and ins.guard is None:
                return


def _drop_barrier_setup(
    instructions: tuple[MachineInstruction, ...],
) -> tuple[MachineInstruction, ...]:
    """Return a kernel's code without what ptxas puts first for sm_87.

    It clears the barriers on which threads converge, ``B0`` to ``B15``, unless UR2 says that this
    is done, and then sets UR2. Nothing in a kernel without branches depends on it.
    """
    texts = [x.text for x in instructions[: len(_BARRIER_SETUP)]]
    if len(texts) == len(_BARRIER_SETUP) and all(map(re.fullmatch, _BARRIER_SETUP, texts)):
        return instructions[len(_BARRIER_SETUP) :]
    return instructions


def _read_bytes(lines: list[str]) -> bytes:
    """Return the data of a section, up to what is no number, such as an address to be filled in."""
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
