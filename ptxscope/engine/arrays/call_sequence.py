"""A straight line of calls of NumPy's functions on registers, each in one machine type.

The lanes of n values lie side by side in one flat array, lane 0 first, as they do in memory, so
that a register's bytes are a view of its words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from ..records import NamedTuple
from .integer_types import WIDTHS, MachineInt

Dtype = np.dtype[Any]
Function = Callable[..., object]
"""Takes arrays and, by name, ``out``: a ufunc, or what is called like one."""

DTYPES = {
    MachineInt(bits, signed): np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    for bits in WIDTHS
    for signed in (True, False)
}
TRUTH = np.dtype(bool)


class BufferKind(StrEnum):
    """What an array is there for."""

    OPERAND = "operand"
    RESULT = "result"
    SCRATCH = "scratch"


class Buffer(NamedTuple):
    """An array: of an operand or a result, by its role, or a numbered piece of scratch memory."""

    kind: BufferKind
    name: str | int


class LaneView(NamedTuple):
    """Lanes of a type: those of an operand, or of a register that a call writes."""

    register: int | Buffer
    dtype: Dtype
    lanes: int

    @property
    def bits(self) -> int:
        """The width of a lane."""
        return 8 * self.dtype.itemsize

    @property
    def bytes(self) -> int:
        """How many bytes it has of each result."""
        return self.lanes * self.dtype.itemsize

    def with_type(self, type_: MachineInt) -> LaneView:
        """The same bytes as another type."""
        return LaneView(self.register, DTYPES[type_], 8 * self.bytes // type_.bits)


class CallConstant(NamedTuple):
    """One integer for all lanes."""

    value: int
    dtype: Dtype


class ArrayCall(NamedTuple):
    """One call: of a function, for all lanes of a block."""

    function: Function
    inputs: tuple[LaneView | CallConstant, ...]
    out: LaneView


class CallSequence(NamedTuple):
    """A straight line of calls, in which each register is written once."""

    steps: tuple[ArrayCall, ...]
    results: Mapping[str, LaneView]
    """Where each destination's bits are in the end, by role."""


def copy(x: npt.NDArray[Any], *, out: npt.NDArray[Any]) -> None:
    """Integers in another type: the low bits, where they do not fit."""
    np.copyto(out, x, casting="unsafe")


clip: Function = np.ndarray.clip
"""As a method: ``np.clip`` takes microseconds before it begins, and the method has a fast path
where the ends are constants, which ``np.minimum`` and ``np.maximum`` lack."""


def make_constant(value: int, type_: MachineInt) -> CallConstant:
    """An integer's low bits in a type."""
    value &= (1 << type_.bits) - 1
    if type_.signed and value >> (type_.bits - 1):
        value -= 1 << type_.bits
    return CallConstant(value, DTYPES[type_])
