"""Plans on object arrays of Python integers, for nodes that no machine type holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..ir.operations import Op, apply_operation
from ..ir.tape import Node, RecordedPlan, record_plan
from ..micro_operations.arithmetic import Picks, compute_float_bits
from ..semantics.plan import Plan
from .array_program import RunBuffers
from .call_sequence import Buffer, BufferKind, get_storage_dtype

Objects = npt.NDArray[Any]
"""Python integers by lane and element."""


class ExactProgram:
    """The computation of a plan, node by node. Any number of threads may run it."""

    block = 1 << 13
    """The number of results in a block: a node takes some 40 bytes for each."""

    def __init__(self, plan: Plan, *, with_flags: bool = False) -> None:
        self.plan = plan
        self.recorded_plan: RecordedPlan = record_plan(plan, with_flags=with_flags)
        self.results = {
            name: node.lanes * get_storage_dtype(type_).itemsize
            for name, (node, type_) in self.recorded_plan.results.items()
        }
        """The bytes per result of each destination, by name."""

    def run(self, buffers: RunBuffers) -> None:
        """Compute all results, as ``ArrayProgram.run`` does."""
        for start, end in buffers.iter_blocks():
            values: dict[Node | int, Objects | int] = {}
            for x in self.recorded_plan.nodes:
                if x.op is Op.SOURCE:
                    values[x] = _read_source(buffers, x, start, end)
                else:
                    args = [y if isinstance(y, int) else values[y] for y in x.args]
                    values[x] = apply_operation(_OBJECTS, x.op, args, x.fixed)
            for name, (node, type_) in self.recorded_plan.results.items():
                array = buffers.blocked[Buffer(BufferKind.RESULT, name)]
                lanes = array.view(get_storage_dtype(type_)).reshape(buffers.size, node.lanes)
                lanes[start:end] = np.transpose(values[node])


def count_truths(nodes: Iterable[Node], truth: Node, widths: Mapping[tuple[str, int], int]) -> int:
    """Return for how many operands a node is 1, for all values of some bytes of them.

    ``widths`` has the bits of each byte by its operand and number; other bytes are 0. ``nodes``
    are all that the truth depends on, each after its arguments.
    """
    operands: dict[str, Objects] = {}
    numbers, shift = np.arange(1 << sum(widths.values())), 0
    for (role, index), width in widths.items():
        part = (numbers >> shift & (1 << width) - 1).astype(object) << 8 * index
        operands[role] = operands.get(role, 0) + part
        shift += width
    values: dict[Node | int, Objects | int] = {}
    for x in nodes:
        if x.op is Op.SOURCE:
            values[x] = operands.get(x.fixed[0], numbers.astype(object) * 0)[np.newaxis]
        else:
            args = [y if isinstance(y, int) else values[y] for y in x.args]
            values[x] = apply_operation(_OBJECTS, x.op, args, x.fixed)
    return int(np.count_nonzero(values[truth]))


def _read_source(buffers: RunBuffers, x: Node, start: int, end: int) -> Objects:
    role, type_ = x.fixed
    place = Buffer(BufferKind.OPERAND, role)
    if place in buffers.blocked:
        bits = buffers.blocked[place][start:end]
    else:
        bits = buffers.broadcast[place][: end - start]
    return bits.view(get_storage_dtype(type_)).astype(object)[np.newaxis]


def _make_method(function: np.ufunc) -> Callable[..., Objects]:
    return lambda _, *v: function(*v, dtype=object)


class _ObjectArithmetic:
    """Arithmetic on object arrays of shape (lanes, elements)."""

    add = _make_method(np.add)
    subtract = _make_method(np.subtract)
    multiply = _make_method(np.multiply)
    divide = _make_method(np.floor_divide)
    negative = _make_method(np.negative)
    absolute = _make_method(np.absolute)
    minimum = _make_method(np.minimum)
    maximum = _make_method(np.maximum)
    shift_left = _make_method(np.left_shift)
    shift_right = _make_method(np.right_shift)
    less = _make_method(np.less)
    equal = _make_method(np.equal)
    bitand = _make_method(np.bitwise_and)
    bitor = _make_method(np.bitwise_or)
    bitxor = _make_method(np.bitwise_xor)

    def where(self, condition: Objects, x: Objects, y: Objects | int) -> Objects:
        return np.where(condition.astype(bool), x, y)

    def cast(self, x: Objects, bits: int, signed: bool) -> Objects:
        top = 1 << (bits - 1) if signed else 0
        return ((x & ((1 << bits) - 1)) ^ top) - top

    def gather(self, words: Sequence[Objects], unit: int, picks: Picks) -> Objects:
        mask = (1 << unit) - 1
        return np.stack([words[word][0] >> unit * index & mask for word, index in picks])

    def keep(self, x: Objects, y: Objects, lanes: tuple[int, ...], _: int) -> Objects:
        kept = y.copy()
        for lane in lanes:
            kept[lane] = x[lane if len(x) > 1 else 0]
        return kept

    def pack(self, x: Objects, unit: int) -> Objects:
        return np.add.reduce([lane << unit * i for i, lane in enumerate(x)], keepdims=True)

    def sum_lanes(self, x: Objects, lanes: tuple[int, ...], _: int) -> Objects:
        return np.add.reduce(x[list(lanes)], keepdims=True)

    def float_bits(self, x: Objects) -> Objects:
        return compute_float_bits(self, x)


_OBJECTS: Any = _ObjectArithmetic()
