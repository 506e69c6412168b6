"""Device code as a launch runs it: functions, their statements and operands, and variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..program.operands import SymbolOperand
from ..program.statement import Statement


class Variable(NamedTuple):
    """A variable or a parameter in memory."""

    name: str
    """Unique in its function."""
    space: str
    """``global``, ``shared``, ``const``, ``local``, ``param`` or ``reg``."""
    type: str
    """The type of its elements: ``u32``."""
    alignment: int
    """In bytes."""
    element_bytes: int
    element_count: int = 1
    """The number of elements; 0 for an array without a size."""
    values: tuple[int | SymbolOperand, ...] = ()
    """The initial elements; the others are 0."""
    is_initialized: bool = False
    is_array: bool = False

    @property
    def bytes(self) -> int:
        """The size in bytes."""
        return self.element_bytes * self.element_count

    @property
    def word_bytes(self) -> int:
        """The size of an element of a buffer: NumPy has none of 16 bytes."""
        return min(self.element_bytes, 8)


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
            statement.opcode in ("atom", "fence", "membar", "red")
            and "cta" not in statement.modifiers
            for function in self.functions.values()
            for statement in function.statements
        )

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The kernels, in order."""
        return tuple(x for x in self.functions.values() if x.is_kernel)


TYPE_BITS: Mapping[str, int] = {
    "pred": 1,
    **{f"{kind}8": 8 for kind in "bus"},
    **{f"{kind}16": 16 for kind in "bus"},
    **{f"{kind}32": 32 for kind in "busf"},
    **{f"{kind}64": 64 for kind in "busf"},
    **dict.fromkeys(("f16", "bf16", "u8x2", "s8x2", "e4m3x2", "e5m2x2"), 16),
    **dict.fromkeys(("f16x2", "bf16x2", "u16x2", "s16x2", "u8x4", "s8x4", "tf32"), 32),
    **dict.fromkeys(("f32x2",), 64),
    "b128": 128,
}
"""The widths of PTX types in bits."""
