"""A straight line of calls of NumPy functions on registers, each in one machine type.

The lanes of n values are adjacent in one flat array, lane 0 first, as in memory, so a register's
bytes are a view of its words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..isa.types import Type
from .integer_types import WIDTHS, MachineInt

Dtype = np.dtype[Any]
Function = Callable[..., object]
"""A ufunc, or a function called like one: with arrays, and ``out`` by name."""

DTYPES = {
    MachineInt(bits, signed): np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    for bits in WIDTHS
    for signed in (True, False)
}
TRUTH = np.dtype(bool)


_STORAGE = {x: np.dtype(bool if x is Type.PRED else f"u{max(x.bits // 8, 1)}") for x in Type}


def get_storage_dtype(type_: Type) -> Dtype:
    """Return the array type of an operand: uint16, uint32, uint64, or bool for a predicate."""
    return _STORAGE[type_]


class BufferKind(StrEnum):
    """The purpose of an array."""

    OPERAND = "operand"
    RESULT = "result"
    SCRATCH = "scratch"


class Buffer(NamedTuple):
    """The array of an operand or a result, by role, or a numbered piece of scratch memory."""

    kind: BufferKind
    name: str | int


class ArrayView(NamedTuple):
    """Lanes of one type: those of an operand, or of a register that a call writes."""

    register: int | Buffer
    dtype: Dtype
    lanes: int

    @property
    def bits(self) -> int:
        """The width of a lane."""
        return 8 * self.dtype.itemsize

    @property
    def bytes(self) -> int:
        """The number of bytes per result."""
        return self.lanes * self.dtype.itemsize

    def with_type(self, type_: MachineInt) -> ArrayView:
        """Return the same bytes as lanes of another type."""
        return ArrayView(self.register, DTYPES[type_], 8 * self.bytes // type_.bits)


class CallConstant(NamedTuple):
    """One integer for all lanes."""

    value: int
    dtype: Dtype


class ArrayCall(NamedTuple):
    """One call of a function, for all lanes of a block."""

    function: Function
    inputs: tuple[ArrayView | CallConstant, ...]
    out: ArrayView


class CallSequence(NamedTuple):
    """A straight line of calls that writes each register once."""

    steps: tuple[ArrayCall, ...]
    results: Mapping[str, ArrayView]
    """The view that holds each destination's bits, by role."""


def copy(x: npt.NDArray[Any], *, out: npt.NDArray[Any]) -> None:
    """Convert integers to another type; keep the low bits of those that do not fit."""
    np.copyto(out, x, casting="unsafe")


clip: Function = np.ndarray.clip
"""A method, since ``np.clip`` has an overhead of microseconds.

The method also has a fast path for constant bounds, which ``np.minimum`` and ``np.maximum`` lack.
"""


def make_constant(value: int, type_: MachineInt) -> CallConstant:
    """Return the low bits of an integer as a constant of a type."""
    value &= (1 << type_.bits) - 1
    if type_.signed and value >> (type_.bits - 1):
        value -= 1 << type_.bits
    return CallConstant(value, DTYPES[type_])
