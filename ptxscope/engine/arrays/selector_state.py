"""What a selection knows: the calls so far, and where each node is held by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .call_sequence import DTYPES, TRUTH, Constant, Dtype, Function, Step, View, constant, copy
from .demand import Recording
from .integer_types import Int
from .tape import Node, Op

_WORD = 32


class Selection:
    """Calls for nodes, made when a node is first read."""

    def __init__(self, recording: Recording, selectors: Mapping[Op, Selector]) -> None:
        self._recording = recording
        self._selectors = selectors
        self.steps: list[Step] = []
        self._places: dict[Node, dict[int, View]] = {}
        self._registers = 0

    def call(self, function: Function, type_: Int, lanes: int, *inputs: View | Constant) -> View:
        """Append a call that writes a new register."""
        return self._call(function, DTYPES[type_], lanes, inputs)

    def truth(self, function: Function, lanes: int, *inputs: View | Constant) -> View:
        """Append a call that writes truths."""
        return self._call(function, TRUTH, lanes, inputs)

    def _call(
        self, function: Function, dtype: Dtype, lanes: int, inputs: tuple[View | Constant, ...]
    ) -> View:
        out = View(self._registers, dtype, lanes)
        self._registers += 1
        self.steps.append(Step(function, inputs, out))
        return out

    def needs(self, x: Node) -> int:
        """How many of its low bits count, or ALL."""
        return self._recording.needs[x].bits

    def lanes(self, x: Node) -> frozenset[int]:
        """Which of its lanes count; what stands in the others does not."""
        return self._recording.needs[x].lanes

    def held(self, x: Node) -> Int:
        """The type a node is held in."""
        return self._recording.held(x)

    def read(self, x: Node, type_: Int) -> View:
        """A node in a type: its low bits, where they do not all fit.

        What is held in a narrower type than is asked for holds the values, so it is extended.
        """
        view, places = self.at_hand(x, type_.bits), self._places[x]
        if view.bits != type_.bits:
            if view.bits < type_.bits:
                view = view.of(Int(view.bits, x.range.low < 0))
            view = places[type_.bits] = self.call(copy, type_, view.lanes, view)
        return view.of(type_)

    def at_hand(self, x: Node, bits: int) -> View:
        """Where a node is held in so many bits, or the fewest more; or the most, if not so many."""
        if x not in self._places:
            view = self._selectors[x.op](self, x)
            self._places[x] = {view.bits: view}
        places = self._places[x]
        return places[min((held for held in places if held >= bits), default=max(places))]

    def roomy(self, x: Node, *args: Node | int) -> Int:
        """The type a node is held in, or a word where its arguments are: to cut them is dear."""
        held = self.held(x)
        given = (self.at_hand(y, held.bits).bits for y in args if isinstance(y, Node))
        return held._replace(bits=max(held.bits, min(_WORD, *given)))

    def any(self, x: Node | int, type_: Int) -> View | Constant:
        """A node or a constant in a type."""
        return constant(x, type_) if isinstance(x, int) else self.read(x, type_)


Selector = Callable[[Selection, Node], View]
"""Makes the calls that compute a node of its operation, and says where it is then."""
