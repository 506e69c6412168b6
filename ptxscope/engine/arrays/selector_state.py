"""The state of instruction selection: the calls so far, and the views that hold each node."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..ir.operations import Op
from ..ir.tape import Node
from ..isa.types import WORD_BITS
from .call_sequence import (
    DTYPES,
    TRUTH,
    ArrayCall,
    ArrayView,
    CallConstant,
    Dtype,
    Function,
    copy,
    make_constant,
)
from .demand import Recording
from .integer_types import MachineInt


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
