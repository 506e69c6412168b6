"""A straight line of calls of NumPy functions on registers, each in one machine type.

The lanes of n values are adjacent in one flat array, lane 0 first, as in memory, so a register's
bytes are a view of its words. ``SelectorState`` collects the calls, and tracks the view of each
node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..ir.tape import Node, Op
from ..isa.types import WORD_BITS, Type
from .demand import Recording, measure_gathered_bits, measure_total_bits
from .narrowing import WIDTHS, MachineInt, WidthError, get_unsigned_type, round_up_width

Dtype = np.dtype[Any]
Function = Callable[..., object]
"""A ufunc, or a function with the same signature: arrays, and ``out`` by name."""

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
    """Lanes of one type, of an operand or of a register that a call writes."""

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
    """The view of each destination's bits, by role."""


def copy(x: npt.NDArray[Any], *, out: npt.NDArray[Any]) -> None:
    """Convert integers to another type; integers that do not fit keep their low bits."""
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
        """Return the number of low bits of a node that count, or ``ALL_BITS``."""
        return self._recording.needs[x].bits

    def get_needed_lanes(self, x: Node) -> frozenset[int]:
        """Return the lanes of a node that count; the others are arbitrary."""
        return self._recording.needs[x].lanes

    def get_storage_type(self, x: Node) -> MachineInt:
        """Return the type that stores a node."""
        return self._recording.choose_storage_type(x)

    def read(self, x: Node, type_: MachineInt) -> ArrayView:
        """Return a node in a type, truncated to its low bits if it does not fit.

        Values of a type narrower than requested are exact and are extended.
        """
        view, places = self.find_narrowest_view(x, type_.bits), self._places[x]
        if view.bits != type_.bits:
            if view.bits < type_.bits:
                view = view.with_type(MachineInt(view.bits, x.range.low < 0))
            view = places[type_.bits] = self.append_call(copy, type_, view.lanes, view)
        return view.with_type(type_)

    def find_narrowest_view(self, x: Node, bits: int) -> ArrayView:
        """Return the narrowest view of a node of at least ``bits`` bits, or the widest view."""
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


# --- operations on all lanes of a word at once: pick, keep, pack, sum --------------------

_WORD = get_unsigned_type(32)
_ONES = 0xFFFF_FFFF


def _make_lane_mask(unit: int, lanes: Iterable[int]) -> int:
    """Return a word with ones in some lanes of ``unit`` bits."""
    return sum(((1 << unit) - 1) << (unit * lane) for lane in lanes)


def _call_on_words(
    s: SelectorState, function: Function, x: ArrayView, y: ArrayView | int
) -> ArrayView:
    return s.append_call(
        function, _WORD, 1, x, make_constant(y, _WORD) if isinstance(y, int) else y
    )


def _shift_word(s: SelectorState, word: ArrayView, distance: int) -> ArrayView:
    """Shift a word left, or right if the distance is negative."""
    if not distance:
        return word
    return _call_on_words(s, np.left_shift if distance > 0 else np.right_shift, word, abs(distance))


def select_gather(s: SelectorState, x: Node) -> ArrayView:
    """Pick lanes from words; lanes with the same distance are shifted and masked together."""
    unit, picks = x.fixed
    if x.lanes == 1:
        return _select_one_lane(s, x)
    if unit * x.lanes > 32 or measure_gathered_bits(x) > 32:
        raise WidthError(f"{x.lanes} parts of {unit} bits")
    moves = [
        (word, i - index, i) for i, (word, index) in enumerate(picks) if i in s.get_needed_lanes(x)
    ]
    all_mask = _make_lane_mask(unit, (i for *_, i in moves))
    result: ArrayView | None = None
    for (word, lanes), group in groupby(sorted(moves), key=lambda move: move[:2]):
        lane_mask, distance = _make_lane_mask(unit, (i for *_, i in group)), unit * lanes
        view = _shift_word(s, s.read(x.nodes[word], _WORD), distance)
        reach = _ONES << distance & _ONES if distance > 0 else _ONES >> -distance
        if reach & all_mask & ~lane_mask:  # it would overlap other lanes
            view = _call_on_words(s, np.bitwise_and, view, lane_mask)
        result = view if result is None else _call_on_words(s, np.bitwise_or, result, view)
    assert result
    if unit * x.lanes < 32:
        result = s.append_call(copy, get_unsigned_type(unit * x.lanes), 1, result)
    return result.with_type(get_unsigned_type(unit))


def _select_one_lane(s: SelectorState, x: Node) -> ArrayView:
    """Pick one byte or half-word; the bits above it are cleared only if they count."""
    unit, ((word, index),) = x.fixed
    if unit * (index + 1) > 32 or unit == 32:
        type_ = get_unsigned_type(round_up_width(unit * (index + 1)))
        view = s.read(x.nodes[word], type_)
        if index:
            view = s.append_call(np.right_shift, type_, 1, view, make_constant(unit * index, type_))
        if unit * (index + 1) < type_.bits and s.count_needed_bits(x) > unit:
            mask = make_constant((1 << unit) - 1, type_)
            view = s.append_call(np.bitwise_and, type_, 1, view, mask)
        return view
    if s.count_needed_bits(x) > unit:
        return extract_part(s, x, signed=False)
    return _shift_word(s, s.read(x.nodes[word], _WORD), -unit * index)


def extract_part(s: SelectorState, x: Node, signed: bool) -> ArrayView:
    """Extract one byte or half-word of a word, extended to a word."""
    unit, ((word, index),) = x.fixed
    type_ = MachineInt(32, signed)
    view, unused_bits = s.read(x.nodes[word], type_), 32 - unit * (index + 1)
    if not signed and index == 0:
        return _call_on_words(s, np.bitwise_and, view, _make_lane_mask(unit, (0,)))
    if unused_bits:
        view = s.append_call(np.left_shift, type_, 1, view, make_constant(unused_bits, type_))
    return s.append_call(np.right_shift, type_, 1, view, make_constant(32 - unit, type_))


def select_kept_lanes(s: SelectorState, x: Node) -> ArrayView:
    """Take some lanes from one vector, or from a single number, and the others from another."""
    new_node, old_node = x.nodes
    lanes, unit = x.fixed
    lane = get_unsigned_type(unit)
    if unit * x.lanes != 32:
        raise WidthError(f"{x.lanes} lanes of {unit} bits")
    reach = _ONES
    if new_node.lanes > 1:
        new = s.read(new_node, lane).with_type(_WORD)
    elif len(lanes) == 1:
        reach = _ONES << unit * lanes[0] & _ONES
        new = _shift_word(s, s.read(new_node, _WORD), unit * lanes[0])
    else:
        part = _call_on_words(s, np.bitwise_and, s.read(new_node, _WORD), (1 << unit) - 1)
        new = _call_on_words(s, np.multiply, part, sum(1 << unit * i for i in lanes))
    mask = _make_lane_mask(unit, lanes)
    if s.get_needed_lanes(x).issubset(lanes):
        return new.with_type(lane)
    if reach & ~mask:
        new = _call_on_words(s, np.bitwise_and, new, mask)
    old = _call_on_words(s, np.bitwise_and, s.read(old_node, lane).with_type(_WORD), ~mask)
    return _call_on_words(s, np.bitwise_or, new, old).with_type(lane)


def select_pack(s: SelectorState, x: Node) -> ArrayView:
    """Reinterpret lanes as the word that they form in memory."""
    (y,), (unit,) = x.nodes, x.fixed
    if unit not in WIDTHS or unit * y.lanes not in WIDTHS:
        raise WidthError(f"{y.lanes} lanes of {unit} bits")
    return s.read(y, get_unsigned_type(unit)).with_type(get_unsigned_type(unit * y.lanes))


def select_lane_sum(s: SelectorState, x: Node) -> ArrayView:
    """Sum lanes by multiplying their word by 1 in each lane: the top lane is the sum.

    Lanes that may be negative are counted from their minimum. Four words are first added in pairs.
    """
    (y,), (lanes, count) = x.nodes, x.fixed
    bits, low = measure_total_bits(x), min(y.range.low, 0)
    lane = get_unsigned_type(bits)
    view = s.read(y, lane)
    if low:
        view = s.append_call(np.subtract, lane, count, view, make_constant(low, lane))
    if len(lanes) == count == 4 and bits == 32:
        view, lanes, count = _add_pairs_of_words(s, view), (0, 1), 2
    word = get_unsigned_type(round_up_width(bits * count))
    view = view.with_type(word)

    def append(function: Function, value: int) -> ArrayView:
        return s.append_call(function, word, 1, view, make_constant(value, word))

    if len(lanes) < count:
        view = append(np.bitwise_and, _make_lane_mask(bits, lanes))
    view = append(np.multiply, sum(1 << (bits * i) for i in range(count)))
    view = append(np.right_shift, bits * (count - 1))
    return append(np.add, len(x.fixed[0]) * low) if low else view


def _add_pairs_of_words(s: SelectorState, view: ArrayView) -> ArrayView:
    """Add words 0 and 1, and words 2 and 3, whose sums fit in a word."""
    long, count = get_unsigned_type(64), view.lanes // 2
    pairs = view.with_type(long)
    upper = s.append_call(np.right_shift, long, count, pairs, make_constant(32, long))
    total = s.append_call(np.add, long, count, pairs, upper)
    return s.append_call(copy, _WORD, count, total)
