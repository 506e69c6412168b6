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
from .integer_types import WIDTHS, Int

Dtype = np.dtype[Any]
Function = Callable[..., object]
"""Takes arrays and, by name, ``out``: a ufunc, or what is called like one."""

DTYPES = {
    Int(bits, signed): np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    for bits in WIDTHS
    for signed in (True, False)
}
TRUTH = np.dtype(bool)


class Kind(StrEnum):
    """What an array is there for."""

    OPERAND = "operand"
    RESULT = "result"
    SCRATCH = "scratch"


class Place(NamedTuple):
    """An array: of an operand or a result, by its role, or a numbered piece of scratch memory."""

    kind: Kind
    name: str | int


class View(NamedTuple):
    """Lanes of a type: those of an operand, or of a register that a call writes."""

    register: int | Place
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

    def of(self, type_: Int) -> View:
        """The same bytes as another type."""
        return View(self.register, DTYPES[type_], 8 * self.bytes // type_.bits)


class Constant(NamedTuple):
    """One integer for all lanes."""

    value: int
    dtype: Dtype


class Step(NamedTuple):
    """One call: of a function, for all lanes of a block."""

    function: Function
    inputs: tuple[View | Constant, ...]
    out: View


class Steps(NamedTuple):
    """A straight line of calls, in which each register is written once."""

    steps: tuple[Step, ...]
    results: Mapping[str, View]
    """Where each destination's bits are in the end, by role."""


def copy(x: npt.NDArray[Any], *, out: npt.NDArray[Any]) -> None:
    """Integers in another type: the low bits, where they do not fit."""
    np.copyto(out, x, casting="unsafe")


clip: Function = np.ndarray.clip
"""As a method: ``np.clip`` takes microseconds before it begins, and the method has a fast path
where the ends are constants, which ``np.minimum`` and ``np.maximum`` lack."""


def constant(value: int, type_: Int) -> Constant:
    """An integer's low bits in a type."""
    value &= (1 << type_.bits) - 1
    if type_.signed and value >> (type_.bits - 1):
        value -= 1 << type_.bits
    return Constant(value, DTYPES[type_])
