"""The third Arithmetic: NumPy arrays, each step in the narrowest type that holds its values.

The lanes of n values lie side by side in one flat array, lane 0 first, as they do in
memory: a register's bytes are a view of its words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from ..isa.integers import Range, limits
from ..isa.types import Type
from ..records import NamedTuple
from .arithmetic import RANGES, Picks
from .operation import Flag
from .plan import Plan, Row

Array = npt.NDArray[Any]
"""A flat array of integers."""
AnyArray = npt.NDArray[Any]
Dtype = np.dtype[Any]

_SIGNED = tuple(np.dtype(name) for name in ("i1", "i2", "i4", "i8"))
_UNSIGNED = tuple(np.dtype(name) for name in ("u1", "u2", "u4", "u8"))
_LOW = 0xFFFF_FFFF


class Wide(NamedTuple):
    """Integers of more than 64 bits: ``high * 2**32 + low``, low in 0..2**32 - 1."""

    high: Array
    low: Array


class Vector(NamedTuple):
    """Lane values and the range they lie in."""

    range: Range
    data: Array | Wide


def dtype_for(values: Range) -> Dtype | None:
    """The narrowest integer type that holds a range, or None."""
    signed = values.low < 0
    for dtype in _SIGNED if signed else _UNSIGNED:
        if values.within(dtype.itemsize * 8, signed):
            return dtype
    return None


def _union(*ranges: Range) -> Range:
    return Range(min(r.low for r in ranges), max(r.high for r in ranges))


def _constant(value: int) -> Vector:
    exact = Range(value, value)
    return Vector(exact, np.array(value, dtype_for(exact)))


def _to(vector: Vector, dtype: Dtype) -> Array:
    data = vector.data
    if isinstance(data, Wide):
        word = (data.high.astype(np.uint64) << np.uint64(32)) | data.low.astype(np.uint64)
        return word.astype(dtype, copy=False)
    return data.astype(dtype, copy=False)


def _to_wide(vector: Vector) -> Wide:
    data = vector.data
    if isinstance(data, Wide):
        return data
    base = data if data.dtype == np.uint64 else data.astype(np.int64, copy=False)
    return Wide((base >> 32).astype(np.int64), (base & _LOW).astype(np.int64))


def _carried(range_: Range, high: Array, low: Array) -> Vector:
    """A Wide from parts whose low may lie outside of 32 bits, narrowed where it fits."""
    wide = Vector(range_, Wide(high + (low >> 32), low & _LOW))
    dtype = dtype_for(range_)
    return wide if dtype is None else Vector(range_, _to(wide, dtype))


def _narrowed(range_: Range, data: Array) -> Vector:
    dtype = dtype_for(range_)
    assert dtype is not None
    return Vector(range_, data.astype(dtype, copy=False))


def _truth(range_: Range, data: npt.NDArray[np.bool_]) -> Vector:
    return Vector(range_, data.view(np.uint8))


class Arrays:
    """Flat arrays of lanes. Ranges come from ``Ranges``, so no value overflows its type."""

    def _both(
        self, range_: Range, function: Callable[..., Array], x: Vector, y: Vector
    ) -> Vector | None:
        """An elementwise function in a type that holds inputs and result, if there is one."""
        dtype = dtype_for(_union(range_, x.range, y.range))
        if dtype is None:
            return None
        return _narrowed(range_, function(_to(x, dtype), _to(y, dtype)))

    def add(self, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        range_ = RANGES.add(x.range, y.range)
        if narrow := self._both(range_, np.add, x, y):
            return narrow
        a, b = _to_wide(x), _to_wide(y)
        return _carried(range_, a.high + b.high, a.low + b.low)

    def subtract(self, x: Vector, y: Vector) -> Vector:
        range_ = RANGES.subtract(x.range, y.range)
        if narrow := self._both(range_, np.subtract, x, y):
            return narrow
        a, b = _to_wide(x), _to_wide(y)
        return _carried(range_, a.high - b.high, a.low - b.low)

    def multiply(self, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        product = self._both(RANGES.multiply(x.range, y.range), np.multiply, x, y)
        assert product
        return product

    def negative(self, x: Vector) -> Vector:
        return self.subtract(_constant(0), x)

    def absolute(self, x: Vector) -> Vector:
        range_ = RANGES.absolute(x.range)
        dtype = dtype_for(_union(range_, x.range))
        assert dtype is not None
        return _narrowed(range_, np.abs(_to(x, dtype)))

    def minimum(self, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        range_ = RANGES.minimum(x.range, y.range)
        return self._both(range_, np.minimum, x, y) or self._pick(range_, self.less(x, y), x, y)

    def maximum(self, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        range_ = RANGES.maximum(x.range, y.range)
        return self._both(range_, np.maximum, x, y) or self._pick(range_, self.less(x, y), y, x)

    def shift_left(self, x: Vector, y: Vector) -> Vector:
        range_ = RANGES.shift_left(x.range, y.range)
        dtype = dtype_for(_union(range_, x.range))
        assert dtype is not None
        return Vector(range_, _to(x, dtype) << _to(y, dtype))

    def shift_right(self, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        range_ = RANGES.shift_right(x.range, y.range)
        if not isinstance(x.data, Wide):
            # a shift by the width is undefined in C: one size up holds every amount
            dtype = dtype_for(_union(x.range, Range(0, 1 << min(63, y.range.high))))
            assert dtype is not None
            return _narrowed(range_, _to(x, dtype) >> _to(y, dtype))
        amount = y.range.high
        high = x.data.high >> amount
        rest = (x.data.high & ((1 << amount) - 1)) << (32 - amount)
        return _carried(range_, high, rest | (x.data.low >> amount))

    def less(self, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        range_ = RANGES.less(x.range, y.range)
        dtype = dtype_for(_union(x.range, y.range))
        if dtype is not None:
            return _truth(range_, np.less(_to(x, dtype), _to(y, dtype)))
        a, b = _to_wide(x), _to_wide(y)
        return _truth(range_, (a.high < b.high) | ((a.high == b.high) & (a.low < b.low)))

    def equal(self, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        range_ = RANGES.equal(x.range, y.range)
        dtype = dtype_for(_union(x.range, y.range))
        if dtype is not None:
            return _truth(range_, np.equal(_to(x, dtype), _to(y, dtype)))
        a, b = _to_wide(x), _to_wide(y)
        return _truth(range_, (a.high == b.high) & (a.low == b.low))

    def where(self, condition: Vector, x: Vector, y: Vector | int) -> Vector:
        y = _constant(y) if isinstance(y, int) else y
        return self._pick(RANGES.where(condition.range, x.range, y.range), condition, x, y)

    def _pick(self, range_: Range, condition: Vector, x: Vector, y: Vector) -> Vector:
        chosen = _to(condition, np.dtype(np.uint8)).view(np.bool_)
        dtype = dtype_for(_union(range_, x.range, y.range))
        if dtype is not None:
            return _narrowed(range_, np.where(chosen, _to(x, dtype), _to(y, dtype)))
        a, b = _to_wide(x), _to_wide(y)
        return _carried(range_, np.where(chosen, a.high, b.high), np.where(chosen, a.low, b.low))

    def bitand(self, x: Vector, mask: int) -> Vector:
        dtype = dtype_for(_union(x.range, Range(0, mask)))
        assert dtype is not None
        return _narrowed(RANGES.bitand(x.range, mask), _to(x, dtype) & dtype.type(mask))

    def cast(self, x: Vector, bits: int, signed: bool) -> Vector:
        range_ = RANGES.cast(x.range, bits, signed)
        if range_ == x.range:
            return x
        if bits in (8, 16, 32, 64):
            word = _to(x, np.dtype(f"u{bits // 8}"))
            return Vector(range_, word.view(f"i{bits // 8}") if signed else word)
        # the sign lands in bit 63 and is shifted back; unsigned types shift in zeros
        word = _to(x, np.dtype(np.uint64)) << np.uint64(64 - bits)
        if signed:
            return _narrowed(range_, word.view(np.int64) >> np.int64(64 - bits))
        return _narrowed(range_, word >> np.uint64(64 - bits))

    def gather(self, words: Sequence[Vector], unit: int, picks: Picks) -> Vector:
        range_ = RANGES.gather([], unit, picks)
        sources = [_to(word, np.dtype(np.uint32)) for word in words]
        lane = np.dtype(f"u{unit // 8}")
        if len(picks) == 1:
            word, index = picks[0]
            return Vector(range_, (sources[word] >> (unit * index)).astype(lane, copy=False))
        mask = (1 << unit) - 1
        moves = sorted((word, i - index, i) for i, (word, index) in enumerate(picks))
        packed: Array | None = None
        for (word, distance), group in groupby(moves, key=lambda move: move[:2]):
            moved = _rotated(sources[word], unit * distance)
            kept = sum(mask << (unit * i) for _, _, i in group)
            if kept != _LOW:
                moved = moved & np.uint32(kept)
            packed = moved if packed is None else packed | moved
        assert packed is not None
        return Vector(range_, np.ascontiguousarray(packed).view(lane))

    def keep(self, x: Vector, y: Vector, lanes: tuple[int, ...], unit: int) -> Vector:
        ours = np.uint32(sum(((1 << unit) - 1) << (unit * lane) for lane in lanes))
        lane = np.dtype(f"u{unit // 8}")
        new, other = _to(x, lane), _words(y, unit)
        if new.size == other.size:  # one lane, for the one place given
            new = new.astype(np.uint32) << np.uint32(unit * lanes[0])
        else:
            new = new.view(np.uint32) & ours
        range_ = RANGES.keep(x.range, y.range, lanes, unit)
        return Vector(range_, (new | (other & ~ours)).view(lane))

    def pack(self, x: Vector, unit: int) -> Vector:
        return Vector(RANGES.pack(x.range, unit), _words(x, unit))

    def total(self, x: Vector, lanes: tuple[int, ...], count: int) -> Vector:
        range_ = RANGES.total(x.range, lanes, count)
        dtype = dtype_for(range_)
        assert dtype is not None
        assert not isinstance(x.data, Wide)
        columns = [x.data[lane::count].astype(dtype) for lane in lanes]
        total = columns[0]
        for column in columns[1:]:
            total += column
        return Vector(range_, total)


def _rotated(words: Array, distance: int) -> Array:
    if not distance:
        return words
    return words << np.uint32(distance) if distance > 0 else words >> np.uint32(-distance)


def _words(lanes: Vector, unit: int) -> Array:
    return _to(lanes, np.dtype(f"u{unit // 8}")).view(np.uint32)


ARRAYS = Arrays()
BLOCK = 1 << 16
"""Results computed at a time, so that intermediates stay in cache."""


def storage(type_: Type) -> np.dtype[np.generic]:
    """The array type of an operand: uint16, uint32, uint64, or bool for a predicate."""
    return np.dtype(bool) if type_ is Type.PRED else np.dtype(f"u{type_.bits // 8}")


def run_blocks(
    plan: Plan, operands: Mapping[str, AnyArray], shape: tuple[int, ...]
) -> dict[str, AnyArray]:
    """The destinations of a plan by role, over operands that broadcast to a shape.

    Operands come and results go in the types that ``storage`` names.
    """
    size = math.prod(shape)
    flat = {
        source.role: operands[source.role]
        if operands[source.role].ndim == 0
        else np.broadcast_to(operands[source.role], shape).reshape(-1)
        for source in plan.sources
    }
    out = {result.role: np.empty(size, storage(result.type)) for result in plan.results}
    for start in range(0, size, BLOCK):
        stop = min(start + BLOCK, size)
        values = _run(plan, flat, start, stop)
        for result in plan.results:
            out[result.role][start:stop] = patterns(values[result.key], result.type)
    return {role: array.reshape(shape) for role, array in out.items()}


def patterns(vector: Vector, type_: Type) -> Array:
    """A result's bits, a predicate's as a byte."""
    return _to(vector, _UNSIGNED[0] if type_ is Type.PRED else storage(type_))


def raised(row: Row, values: Mapping[str, Vector]) -> Iterator[tuple[Flag, npt.NDArray[np.bool_]]]:
    """The flags of a row that ran, and where they are raised; lanes side by side."""
    inputs = (values[key] for key in row.inputs)
    for flag, there in row.micro.raised(ARRAYS, values[row.key], *inputs):
        yield flag, _to(there, _UNSIGNED[0]).view(np.bool_)


def run_rows(plan: Plan, operands: Mapping[str, AnyArray], size: int) -> dict[str, Vector]:
    """Every row's lanes by key, and the operands' by role, over flat operands of one block."""
    return _run(plan, operands, 0, size)


def _run(plan: Plan, flat: Mapping[str, AnyArray], start: int, stop: int) -> dict[str, Vector]:
    values = {
        source.role: _operand(flat[source.role], source.type, start, stop)
        for source in plan.sources
    }
    for row in plan.rows:
        values[row.key] = row.micro.run(ARRAYS, *(values[key] for key in row.inputs))
    return values


def _operand(array: AnyArray, type_: Type, start: int, stop: int) -> Vector:
    whole = array[start:stop] if array.ndim else np.full(stop - start, array)
    block = np.ascontiguousarray(whole)
    bits = block.view(np.uint8) if type_ is Type.PRED else block
    return Vector(limits(type_.bits, signed=False), bits)


def results_of(plan: Plan, batch: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """The destinations by role for each of many operands by role."""
    operands = {
        source.role: np.array([x[source.role] for x in batch], storage(source.type))
        for source in plan.sources
    }
    found = run_blocks(plan, operands, (len(batch),))
    columns = {role: array.astype(np.uint64).tolist() for role, array in found.items()}
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
