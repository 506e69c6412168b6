"""Device code as a launch runs it: functions, their statements, and variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...engine.isa.other_opcodes import ATOMICS, FENCES
from ...engine.program.statement import Statement
from ...engine.program.variables import Variable


class Function(NamedTuple):
    """A kernel or a device function."""

    name: str
    is_kernel: bool
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    statements: tuple[Statement, ...]
    registers: Mapping[str, str]
    """Types of the declared registers that statements name: ``b32``."""
    variables: Mapping[str, Variable]
    """The variables that it declares, parameters and results included."""
    labels: Mapping[int, str]
    """The names of the labels, by the index of the statement after each."""
    has_body: bool = True


class DeviceCode(NamedTuple):
    """The functions and variables of a text."""

    functions: Mapping[str, Function]
    variables: Mapping[str, Variable]
    """Those outside of all functions."""
    text: str

    @property
    def has_fences(self) -> bool:
        """Whether threads of different blocks may wait for each other's accesses."""
        return any(
            statement.opcode in ATOMICS | FENCES and "cta" not in statement.modifiers
            for function in self.functions.values()
            for statement in function.statements
        )

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The kernels, in order."""
        return tuple(x for x in self.functions.values() if x.is_kernel)
