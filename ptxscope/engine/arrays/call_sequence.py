"""A straight line of calls of NumPy functions on registers, each in one machine type.

The lanes of n values are adjacent in one flat array, lane 0 first, as in memory, so a register's
bytes are a view of its words. ``SelectorState`` collects the calls, and knows which view holds each
node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..ir.operations import Op
from ..ir.tape import Node
from ..isa.types import WORD_BITS, Type
from .demand import Recording
from .narrowing import WIDTHS, MachineInt

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


class SelectorState:
    """The calls for nodes; a node is selected when it is first read."""

    def __init__(self, recording: Recording, selectors: Mapping[Op, NodeSelector]) -> None:
        self._recording = recording
        self._selectors = selectors
        self.steps: list[ArrayCall] = []
        self._places: dict[Node, dict[int, ArrayView]] = {}
        self._register_count = 0

    def append_call(
        self, function: Function, type_: MachineInt, lanes: int, *inputs: ArrayView | CallConstant
    ) -> ArrayView:
        """Append a call that writes a new register."""
        return self._emit_call(function, DTYPES[type_], lanes, inputs)

    def append_truth_call(
        self, function: Function, lanes: int, *inputs: ArrayView | CallConstant
    ) -> ArrayView:
        """Append a call that writes truths."""
        return self._emit_call(function, TRUTH, lanes, inputs)

    def _emit_call(
        self,
        function: Function,
        dtype: Dtype,
        lanes: int,
        inputs: tuple[ArrayView | CallConstant, ...],
    ) -> ArrayView:
        out = ArrayView(self._register_count, dtype, lanes)
        self._register_count += 1
        self.steps.append(ArrayCall(function, inputs, out))
        return out

    def count_needed_bits(self, x: Node) -> int:
        """Return how many low bits of a node count, or ``ALL_BITS``."""
        return self._recording.needs[x].bits

    def get_needed_lanes(self, x: Node) -> frozenset[int]:
        """Return the lanes of a node that count; the others may hold anything."""
        return self._recording.needs[x].lanes

    def get_storage_type(self, x: Node) -> MachineInt:
        """Return the type that stores a node."""
        return self._recording.choose_storage_type(x)

    def read(self, x: Node, type_: MachineInt) -> ArrayView:
        """Return a node in a type, truncated to its low bits if it does not fit.

        A type narrower than requested holds the exact values, so they are extended.
        """
        view, places = self.find_narrowest_view(x, type_.bits), self._places[x]
        if view.bits != type_.bits:
            if view.bits < type_.bits:
                view = view.with_type(MachineInt(view.bits, x.range.low < 0))
            view = places[type_.bits] = self.append_call(copy, type_, view.lanes, view)
        return view.with_type(type_)

    def find_narrowest_view(self, x: Node, bits: int) -> ArrayView:
        """Return the narrowest view of at least ``bits`` bits that holds a node, or the widest."""
        if x not in self._places:
            view = self._selectors[x.op](self, x)
            self._places[x] = {view.bits: view}
        places = self._places[x]
        return places[min((width for width in places if width >= bits), default=max(places))]

    def choose_wide_type(self, x: Node, *args: Node | int) -> MachineInt:
        """Return the type that stores a node, widened up to a word if its arguments are wider.

        Truncating the arguments would cost more.
        """
        type_ = self.get_storage_type(x)
        widths = (self.find_narrowest_view(y, type_.bits).bits for y in args if isinstance(y, Node))
        return type_._replace(bits=max(type_.bits, min(WORD_BITS, *widths)))

    def read_as(self, x: Node | int, type_: MachineInt) -> ArrayView | CallConstant:
        """Return a node or a constant in a type."""
        return make_constant(x, type_) if isinstance(x, int) else self.read(x, type_)


NodeSelector = Callable[[SelectorState, Node], ArrayView]
"""Appends the calls that compute a node of its operation, and returns the node's view."""
