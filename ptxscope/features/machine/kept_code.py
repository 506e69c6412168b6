"""The machine code made while the explorer runs; the module loads nothing for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.syntax.instruction import Instruction

if TYPE_CHECKING:
    from .machine_code import MachineCode

PAUSE = 0.2
"""Seconds without an edit before the tools run, so that they do not run at every key."""
_MAX_KEPT = 64
"""The lines and targets whose code is kept."""


class KeptMachineCode:
    """The machine code of the last lines, and the target that was chosen."""

    def __init__(self) -> None:
        self.arch = ""
        """The target; empty for the default one, before any code is made."""
        self._codes: dict[tuple[str, str], MachineCode] = {}

    def get(self, ins: Instruction) -> MachineCode | None:
        """Return the machine code of a line, if it is kept."""
        return self._codes.get((str(ins), self.arch))

    def keep(self, ins: Instruction, code: MachineCode) -> None:
        """Keep the machine code of a line, and its target."""
        self.arch = code.arch
        while len(self._codes) >= _MAX_KEPT:
            del self._codes[next(iter(self._codes))]
        self._codes[str(ins), code.arch] = code
