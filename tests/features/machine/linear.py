"""Entry points of machine, for the test of linear time."""

from __future__ import annotations

from collections.abc import Callable

from ptxscope.features.machine.machine_instruction import (
    parse_disassembly,
    parse_machine_instruction,
)


def _disassembled(text: str) -> None:
    """A text as an instruction, as operands, and as the lines of a section."""
    parse_machine_instruction(text)
    parse_machine_instruction(f"@P0 MOV {text}")
    parse_disassembly(f"\t.section\t.text.k,x\n/*0000*/ MOV {text}\n")
    parse_disassembly(f"\t.section\t.nv.constant2.k,x\n/*0000*/ .byte {text.split(',')[0]}\n{text}")


ENTRIES: dict[str, Callable[[str], object]] = {
    "machine code": _disassembled,
}
