"""Every opcode that is understood, and the one of an instruction."""

from __future__ import annotations

import re
from functools import lru_cache

from .bit_opcodes import BIT_OPCODES
from .comparison_opcodes import COMPARISON_OPCODES
from .field_opcodes import FIELD_OPCODES
from .machine_instruction import MachineInstruction
from .machine_step import UnknownMachineCodeError
from .opcode import Opcode
from .sum_opcodes import SUM_OPCODES

OPCODES: tuple[Opcode, ...] = (
    *SUM_OPCODES,
    *BIT_OPCODES,
    *FIELD_OPCODES,
    *COMPARISON_OPCODES,
)
"""The opcodes that compute; ``machine_run`` knows those of memory and control flow."""


@lru_cache(maxsize=1 << 12)
def _find_spelling(text: str) -> tuple[Opcode, re.Match[str]] | None:
    return next(((x, match) for x in OPCODES if (match := x.spelling.fullmatch(text))), None)


def find_opcode(ins: MachineInstruction) -> tuple[Opcode, re.Match[str], int]:
    """Return the opcode of an instruction, the match of its spelling, and its count of outputs.

    Raise UnknownMachineCodeError if its meaning is not known.
    """
    if (found := _find_spelling(ins.opcode)) is None:
        raise UnknownMachineCodeError("this opcode has no known meaning", ins)
    opcode, match = found
    if (outputs := opcode.outputs.match(ins.layout)) is None:
        raise UnknownMachineCodeError("these operands have no known meaning", ins)
    return opcode, match, outputs.end()
