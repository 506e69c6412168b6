"""A recording as calls of NumPy's functions, each in the narrowest type that will do.

The lanes of n values lie side by side in one flat array, lane 0 first, as they do in memory, so
that a register's bytes are a view of its words: a selector that picks each lane from its own place
costs nothing, nor does packing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..isa.integers import Range
from ..isa.types import Type
from .demand import ALL, Recording, total_bits
from .tape import Node, Op, ends
from .widths import Int, narrowest, rounded_up

Dtype = np.dtype[Any]
Function = Callable[..., object]
"""Takes arrays and, by name, ``out``: a ufunc, or what is called like one."""

_DTYPES = {
    Int(8 * size, signed): np.dtype(f"{'i' if signed else 'u'}{size}")
    for size in (1, 2, 4, 8)
    for signed in (True, False)
}
_WORD = np.dtype(np.uint32)
_BYTE = np.dtype(np.uint8)
_TRUTH = np.dtype(bool)


class Kind(Enum):
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
    def bytes(self) -> int:
        """How many bytes it has of each result."""
        return self.lanes * self.dtype.itemsize

    def of(self, dtype: Dtype) -> View:
        """The same bytes as another type."""
        return View(self.register, dtype, self.bytes // dtype.itemsize)


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


def select(recording: Recording) -> Steps:
    """The calls that compute a recording."""
    found = _Selection(recording)
    results = {
        role: found.read(node, Int(max(type_.bits, 8), signed=False))
        for role, (node, type_) in recording.results.items()
    }
    return Steps(tuple(found.steps), results)


class _Selection:
    """The calls so far, and where each node is held by them. What nobody reads is never called."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.steps: list[Step] = []
        self._places: dict[Node, dict[int, View]] = {}
        self._registers = 0

    def emit(
        self, function: Function, dtype: Dtype, lanes: int, *inputs: View | Constant
    ) -> View:
        """Append a call that writes a new register."""
        out = View(self._registers, dtype, lanes)
        self._registers += 1
        self.steps.append(Step(function, inputs, out))
        return out

    def needs(self, x: Node) -> int:
        """How many of its low bits count, or ALL."""
        return self.recording.needs[x].bits

    def lanes(self, x: Node) -> frozenset[int]:
        """Which of its lanes count; what stands in the others does not."""
        return self.recording.needs[x].lanes

    def held(self, x: Node) -> Int:
        """The type a node is held in."""
        return self.recording.held(x)

    def read(self, x: Node, type_: Int) -> View:
        """A node in a type: its low bits, where they do not all fit.

        What is held in a narrower type than is asked for holds the values, so it is extended.
        """
        dtype = _DTYPES[type_]
        if x not in self._places:
            view = _SELECT[x.op](self, x)
            self._places[x] = {view.dtype.itemsize: view}
        places = self._places[x]
        if dtype.itemsize in places:
            return places[dtype.itemsize].of(dtype)
        wider = [size for size in places if size > dtype.itemsize]
        view = places[min(wider or places, key=lambda size: abs(size - dtype.itemsize))]
        if not wider:
            view = view.of(_DTYPES[Int(8 * view.dtype.itemsize, x.range.low < 0)])
        places[dtype.itemsize] = self.emit(copy, dtype, view.lanes, view)
        return places[dtype.itemsize]

    def any(self, x: Node | int, type_: Int) -> View | Constant:
        """A node or a constant in a type."""
        return constant(x, type_) if isinstance(x, int) else self.read(x, type_)


def constant(value: int, type_: Int) -> Constant:
    """An integer's low bits in a type."""
    value &= (1 << type_.bits) - 1
    if type_.signed and value >> (type_.bits - 1):
        value -= 1 << type_.bits
    return Constant(value, _DTYPES[type_])


def _common(*values: Range) -> Int:
    """The type that holds all of some ranges."""
    found = narrowest(*values)
    assert found, f"no type holds {values}"
    return found


def _unsigned(type_: Int) -> Int:
    return Int(type_.bits, signed=False)


# --- a function for each operation -------------------------------------------------------


def _source(s: _Selection, x: Node) -> View:
    role, type_ = x.fixed
    return View(Place(Kind.OPERAND, role), _BYTE if type_ is Type.PRED else _DTYPES[Int(type_.bits, False)], 1)


def _ring(function: Function) -> Callable[[_Selection, Node], View]:
    """What needs no more bits of its arguments than count of it."""

    def selected(s: _Selection, x: Node) -> View:
        type_ = s.held(x)
        return s.emit(function, _DTYPES[type_], x.lanes, *(s.any(y, type_) for y in x.args))

    return selected


def _from(s: _Selection, x: Node) -> View:
    type_ = s.held(x)
    (y,), (k,) = x.nodes, x.fixed
    return s.emit(
        np.subtract, _DTYPES[type_], x.lanes, constant(k, type_), s.read(y, type_)
    )


def _absolute(s: _Selection, x: Node) -> View:
    (y,) = x.nodes
    type_ = _common(x.range, y.range)
    return s.emit(np.absolute, _DTYPES[type_], x.lanes, s.read(y, type_))


def _bounded(s: _Selection, x: Node) -> View:
    """The smaller or the larger of two; with a constant, clipped at one end."""
    type_ = _common(*(ends(y) for y in x.args))
    y, other = x.args
    assert isinstance(y, Node)
    if isinstance(other, int):
        low, high = _whole(type_)
        bounds = (low, other) if x.op is Op.MINIMUM else (other, high)
        return _clipped(s, y, type_, *bounds)
    function = np.minimum if x.op is Op.MINIMUM else np.maximum
    return s.emit(function, _DTYPES[type_], x.lanes, s.read(y, type_), s.read(other, type_))


def _whole(type_: Int) -> Range:
    info = np.iinfo(_DTYPES[type_])
    return Range(int(info.min), int(info.max))


def _clip(s: _Selection, x: Node) -> View:
    (y,) = x.nodes
    return _clipped(s, y, _common(y.range, Range(*x.fixed)), *x.fixed)


def _clipped(s: _Selection, x: Node, type_: Int, low: int, high: int) -> View:
    ends_ = (constant(low, type_), constant(high, type_))
    return s.emit(clip, _DTYPES[type_], x.lanes, s.read(x, type_), *ends_)


def _averaged(s: _Selection, x: Node) -> View:
    """Half the sum, halves away from zero, in the type of the terms.

    Of p + q, p & q is half of what both have, p ^ q what one has. Rounded down they make the
    half; it is one more where p ^ q is odd and the half not negative.
    """
    p, q = x.nodes
    type_ = _common(p.range, q.range)

    def do(function: Function, *inputs: View | Constant) -> View:
        return s.emit(function, _DTYPES[type_], x.lanes, *inputs)

    one, differing = constant(1, type_), do(np.bitwise_xor, s.read(p, type_), s.read(q, type_))
    rest = do(np.right_shift, differing, one)
    if not type_.signed:
        return do(np.subtract, do(np.bitwise_or, s.read(p, type_), s.read(q, type_)), rest)
    half = do(np.add, do(np.bitwise_and, s.read(p, type_), s.read(q, type_)), rest)
    sign = do(np.right_shift, half, constant(type_.bits - 1, type_))
    return do(np.add, half, do(np.bitwise_and, differing, do(np.add, sign, one)))


def _compared(function: Function) -> Callable[[_Selection, Node], View]:
    def selected(s: _Selection, x: Node) -> View:
        type_ = _common(*(ends(y) for y in x.args))
        return s.emit(function, _TRUTH, x.lanes, *(s.any(y, type_) for y in x.args))

    return selected


def _logical(function: Function) -> Callable[[_Selection, Node], View]:
    def selected(s: _Selection, x: Node) -> View:
        byte = Int(8, signed=False)
        return s.emit(function, _BYTE, x.lanes, *(s.any(y, byte) for y in x.args))

    return selected


def _not(s: _Selection, x: Node) -> View:
    byte = Int(8, signed=False)
    return s.emit(np.bitwise_xor, _BYTE, x.lanes, s.read(*x.nodes, byte), constant(1, byte))


def _shift_right(s: _Selection, x: Node) -> View:
    """In a type that holds all of x, or what counts of it; NumPy takes any amount."""
    y, amount = x.args
    assert isinstance(y, Node)
    type_ = s.held(y) if s.needs(y) < ALL else _common(y.range, ends(amount))
    return s.emit(
        np.right_shift, _DTYPES[type_], x.lanes, s.read(y, type_), s.any(amount, type_)
    )


def _bitand(s: _Selection, x: Node) -> View:
    type_ = s.held(x)
    (y,), (mask,) = x.nodes, x.fixed
    return s.emit(
        np.bitwise_and, _DTYPES[type_], x.lanes, s.read(y, type_), constant(mask, type_)
    )


def _where(s: _Selection, x: Node) -> View:
    """One of two, by masks: ``np.where`` can't write into what is given."""
    condition, y, other = x.args
    assert isinstance(condition, Node)
    assert isinstance(y, Node)
    type_ = s.held(x)
    dtype = _DTYPES[type_]

    def do(function: Function, *inputs: View | Constant) -> View:
        return s.emit(function, dtype, x.lanes, *inputs)

    if y.args[:1] == (other,) and y.op is Op.BITAND:  # y & mask, or y: all bits or the mask's
        less_one = do(np.subtract, s.read(condition, type_), constant(1, type_))
        kept = do(np.bitwise_or, less_one, constant(y.fixed[0], type_))
        return do(np.bitwise_and, s.any(other, type_), kept)
    mask = _mask(s, condition, type_)
    if y.args[:1] == (other,) and y.op is Op.NEGATIVE:  # -y, or y: the complement of y - 1
        return do(np.subtract, do(np.bitwise_xor, s.any(other, type_), mask), mask)
    if other == 0:
        return do(np.bitwise_and, s.read(y, type_), mask)
    differing = do(np.bitwise_xor, s.read(y, type_), s.any(other, type_))
    return do(np.bitwise_xor, do(np.bitwise_and, differing, mask), s.any(other, type_))


def _mask(s: _Selection, condition: Node, type_: Int) -> View:
    """All ones where a condition holds, else 0."""
    dtype = _DTYPES[type_]
    if condition.op is Op.GREATER_EQUAL and condition.args[1] == 1 << (type_.bits - 1):
        x, signed = condition.nodes[0], Int(type_.bits, signed=True)
        if narrowest(x.range) == _unsigned(type_):  # the top bit, in every place
            word = s.read(x, signed)
            top = constant(type_.bits - 1, signed)
            return s.emit(np.right_shift, _DTYPES[signed], x.lanes, word, top).of(dtype)
    return s.emit(np.negative, dtype, condition.lanes, s.read(condition, type_))


def _cast(s: _Selection, x: Node) -> View:
    (y,), (bits, signed) = x.nodes, x.fixed
    type_ = Int(rounded_up(bits), signed)
    if type_.bits == bits:
        if signed and s.needs(x) > bits and y.op is Op.GATHER and y.lanes == 1:
            return _part(s, y, signed=True)
        return s.read(y, type_)
    dtype = _DTYPES[type_]
    if not signed:
        low = constant((1 << bits) - 1, type_)
        return s.emit(np.bitwise_and, dtype, x.lanes, s.read(y, type_), low)
    above = constant(type_.bits - bits, type_)
    top = s.emit(np.left_shift, dtype, x.lanes, s.read(y, type_), above)
    return s.emit(np.right_shift, dtype, x.lanes, top, above)


def _gather(s: _Selection, x: Node) -> View:
    unit, picks = x.fixed
    if len(picks) > 1:
        return _permuted(s, x, unit, picks)
    if s.needs(x) > unit:
        return _part(s, x, signed=False)
    ((word, index),) = picks
    return _moved(s, s.read(x.nodes[word], Int(32, signed=False)), -unit * index)


def _part(s: _Selection, x: Node, signed: bool) -> View:
    """One byte or half-word, extended to a word."""
    unit, ((word, index),) = x.fixed
    type_ = Int(32, signed)
    view, above = s.read(x.nodes[word], type_), 32 - unit * (index + 1)
    if not signed and index == 0:
        low = constant((1 << unit) - 1, type_)
        return s.emit(np.bitwise_and, _DTYPES[type_], 1, view, low)
    if above:
        view = s.emit(np.left_shift, _DTYPES[type_], 1, view, constant(above, type_))
    return s.emit(np.right_shift, _DTYPES[type_], 1, view, constant(32 - unit, type_))


def _moved(s: _Selection, word: View, distance: int) -> View:
    """A word shifted left, or right where the distance is negative."""
    if not distance:
        return word
    function = np.left_shift if distance > 0 else np.right_shift
    return s.emit(function, _WORD, 1, word, Constant(abs(distance), _WORD))


_ONES = 0xFFFF_FFFF


def _permuted(s: _Selection, x: Node, unit: int, picks: Sequence[tuple[int, int]]) -> View:
    """Lanes of words: those that move equally far are shifted and masked together."""
    counted = [(word, i - index, i) for i, (word, index) in enumerate(picks) if i in s.lanes(x)]
    every = sum(((1 << unit) - 1) << (unit * i) for *_, i in counted)
    packed: View | None = None
    for (word, lanes), group in groupby(sorted(counted), key=lambda move: move[:2]):
        kept = sum(((1 << unit) - 1) << (unit * i) for *_, i in group)
        distance = unit * lanes
        moved = _moved(s, s.read(x.nodes[word], Int(32, signed=False)), distance)
        there = _ONES << distance & _ONES if distance > 0 else _ONES >> -distance
        if there & every & ~kept:  # it would fall on other lanes
            moved = s.emit(np.bitwise_and, _WORD, 1, moved, Constant(kept, _WORD))
        packed = moved if packed is None else s.emit(np.bitwise_or, _WORD, 1, packed, moved)
    assert packed
    return packed.of(_DTYPES[Int(unit, signed=False)])


def _keep(s: _Selection, x: Node) -> View:
    ours, theirs = x.nodes
    lanes, unit = x.fixed
    lane = Int(unit, signed=False)
    mask = sum(((1 << unit) - 1) << (unit * i) for i in lanes)
    if ours.lanes == 1:
        first = unit * lanes[0]
        new = _moved(s, s.read(ours, Int(32, signed=False)), first)
        whole = first + unit == 32
    else:
        new, whole = s.read(ours, lane).of(_WORD), False
    if not whole:
        new = s.emit(np.bitwise_and, _WORD, 1, new, Constant(mask, _WORD))
    others = Constant(~mask & _ONES, _WORD)
    old = s.emit(np.bitwise_and, _WORD, 1, s.read(theirs, lane).of(_WORD), others)
    return s.emit(np.bitwise_or, _WORD, 1, new, old).of(_DTYPES[lane])


def _pack(s: _Selection, x: Node) -> View:
    return s.read(*x.nodes, Int(x.fixed[0], signed=False)).of(_WORD)


def _total(s: _Selection, x: Node) -> View:
    """The lanes as one word times 1 in each lane: its top lane is their sum.

    Lanes that may be negative are counted from the least they can be.
    """
    (y,), (lanes, count) = x.nodes, x.fixed
    bits, low = total_bits(x), min(y.range.low, 0)
    lane, word = Int(bits, signed=False), Int(bits * count, signed=False)
    view = s.read(y, lane)
    if low:
        view = s.emit(np.subtract, _DTYPES[lane], count, view, constant(low, lane))
    view = view.of(_DTYPES[word])

    def do(function: Function, value: int) -> View:
        return s.emit(function, _DTYPES[word], 1, view, constant(value, word))

    if len(lanes) < count:
        view = do(np.bitwise_and, sum(((1 << bits) - 1) << (bits * i) for i in lanes))
    view = do(np.multiply, sum(1 << (bits * i) for i in range(count)))
    view = do(np.right_shift, bits * (count - 1))
    return do(np.add, len(lanes) * low) if low else view


_SELECT: Mapping[Op, Callable[[_Selection, Node], View]] = {
    Op.SOURCE: _source,
    Op.ADD: _ring(np.add),
    Op.SUBTRACT: _ring(np.subtract),
    Op.MULTIPLY: _ring(np.multiply),
    Op.NEGATIVE: _ring(np.negative),
    Op.FROM: _from,
    Op.ABSOLUTE: _absolute,
    Op.MINIMUM: _bounded,
    Op.MAXIMUM: _bounded,
    Op.CLIP: _clip,
    Op.SHIFT_LEFT: _ring(np.left_shift),
    Op.SHIFT_RIGHT: _shift_right,
    Op.AVERAGE: _averaged,
    Op.LESS: _compared(np.less),
    Op.LESS_EQUAL: _compared(np.less_equal),
    Op.GREATER: _compared(np.greater),
    Op.GREATER_EQUAL: _compared(np.greater_equal),
    Op.EQUAL: _compared(np.equal),
    Op.NOT_EQUAL: _compared(np.not_equal),
    Op.NOT: _not,
    Op.AND: _logical(np.bitwise_and),
    Op.OR: _logical(np.bitwise_or),
    Op.WHERE: _where,
    Op.BITAND: _bitand,
    Op.CAST: _cast,
    Op.GATHER: _gather,
    Op.KEEP: _keep,
    Op.PACK: _pack,
    Op.TOTAL: _total,
}
