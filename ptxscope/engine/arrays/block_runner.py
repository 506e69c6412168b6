"""Execution of plans on NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from ..ir.tape import Node, Op, RecordedPlan, apply_operation, record_plan
from ..micro_operations.arithmetic import Picks, compute_float_bits
from ..semantics.plan import Plan
from .array_program import Array, ArrayProgram, RunBuffers
from .call_sequence import Buffer, BufferKind, Dtype, get_storage_dtype
from .narrowing import WidthError

AnyArray = npt.NDArray[Any]

_lock = Lock()
_operand, _result = (cache(partial(Buffer, x)) for x in (BufferKind.OPERAND, BufferKind.RESULT))
"""Cached buffers by role; there are only a few roles."""


MAX_PROGRAMS = 1 << 10
PROGRAMS: dict[int, ArrayProgram | ExactProgram] = {}
"""The last programs by the id of their plan; each takes a few kilobytes."""


def make_program(plan: Plan, *, with_flags: bool = False) -> ArrayProgram | ExactProgram:
    """Return a new program that computes a plan and, if requested, its flags."""
    try:
        return ArrayProgram(plan, with_flags=with_flags)
    except WidthError:
        return ExactProgram(plan, with_flags=with_flags)


def get_program(plan: Plan) -> ArrayProgram | ExactProgram:
    """Return the program that computes a plan, cached.

    If a node fits in no machine type, it computes on Python integers.
    """
    # `lower` caches plans, so ids are stable; hashing a plan takes longer than a short run
    program = PROGRAMS.get(id(plan))
    if program is None or program.plan is not plan:
        program = make_program(plan)
        with _lock:
            if len(PROGRAMS) >= MAX_PROGRAMS:
                del PROGRAMS[next(iter(PROGRAMS))]
            PROGRAMS[id(plan)] = program
    return program


def run_blocks(
    plan: Plan,
    operands: Mapping[str, AnyArray],
    shape: tuple[int, ...],
    out: Mapping[str, AnyArray] | None = None,
) -> dict[str, AnyArray]:
    """Return the destinations of a plan by role, over operands that broadcast to a shape.

    Operands are arrays of integers or truths of any type; only their low bits count. Operands that
    are not contiguous, or not of the type of ``get_storage_dtype``, are copied block by block.
    Results have the types of ``get_storage_dtype`` and are written to the arrays in ``out``, if
    any, which must be contiguous and share no memory with the operands.
    """
    outputs = out or {}
    results = {
        result.role: outputs[result.role]
        if result.role in outputs
        else np.empty(shape, get_storage_dtype(result.type))
        for result in plan.results
    }
    if (size := math.prod(shape)) and results:
        program = get_program(plan)
        typed_operands = {
            source.role: (operands[source.role], get_storage_dtype(source.type))
            for source in plan.sources
        }
        program.run(_make_buffers(typed_operands, results, shape, min(size, program.block)))
    return results


def _make_buffers(
    operands: Mapping[str, tuple[AnyArray, Dtype]],
    results: Mapping[str, AnyArray],
    shape: tuple[int, ...],
    block_size: int,
) -> RunBuffers:
    """Return operands and results as flat arrays, with blocks of ``block_size`` results."""
    size = math.prod(shape)
    blocked: dict[Buffer, Array] = {_result(role): x.reshape(-1) for role, x in results.items()}
    broadcast = dict[Buffer, Array]()
    copies = list[tuple[AnyArray, Array]]()
    for role, (array, dtype) in operands.items():
        place = _operand(role)
        if array.size == size and _is_flat(array, dtype):
            blocked[place] = array.reshape(-1).view(dtype)
            continue
        broadcast[place] = np.empty(block_size, dtype)
        if array.size == 1:
            np.copyto(broadcast[place], array.reshape(()), casting="unsafe")
        else:
            copies.append((np.broadcast_to(array, shape), broadcast[place]))
    return RunBuffers(
        size,
        block_size,
        blocked,
        broadcast,
        _fill_copies(copies, size, block_size) if copies else None,
    )


def _is_flat(array: AnyArray, dtype: Dtype) -> bool:
    """Whether an array's memory is laid out as a flat array of a type."""
    array_dtype = array.dtype
    return (
        array_dtype.itemsize == dtype.itemsize
        and array_dtype.isnative
        and (array_dtype.kind == "b") == (dtype.kind == "b")
        and array.flags.c_contiguous
        and array.flags.aligned
    )


def _fill_copies(
    copies: Sequence[tuple[AnyArray, Array]], size: int, block_size: int
) -> Iterator[None]:
    """Fill the copies block by block from arrays of one shape and any types."""
    pieces: Any = np.nditer(  # type: ignore[call-overload]  # it lacks "contig"
        [array for array, _ in copies],
        flags=["external_loop", "buffered", "ranged"],
        op_flags=[["readonly", "contig", "aligned", "nbo"]] * len(copies),
        op_dtypes=[copy.dtype for _, copy in copies],
        order="C",
        casting="unsafe",
        buffersize=block_size,
    )
    for start in range(0, size, block_size):
        pieces.iterrange = (start, min(start + block_size, size))
        position = 0
        for piece in pieces:
            parts = piece if isinstance(piece, tuple) else (piece,)
            for (_, copy), part in zip(copies, parts, strict=True):
                copy[position : position + part.size] = part
            position += parts[0].size
        yield


def compute_batch(plan: Plan, batch: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """Return the destinations by role for each set of operands by role."""
    operands = {
        source.role: np.array([x[source.role] for x in batch], get_storage_dtype(source.type))
        for source in plan.sources
    }
    results = run_blocks(plan, operands, (len(batch),))
    columns = {role: array.astype(np.uint64).tolist() for role, array in results.items()}
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


# --- plans on object arrays of Python integers, for nodes too wide for machine types

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
                    values[x] = apply_operation(OBJECTS, x.op, args, x.fixed)
            for name, (node, type_) in self.recorded_plan.results.items():
                array = buffers.blocked[Buffer(BufferKind.RESULT, name)]
                lanes = array.view(get_storage_dtype(type_)).reshape(buffers.size, node.lanes)
                lanes[start:end] = np.transpose(values[node])


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
        result = y.copy()
        for lane in lanes:
            result[lane] = x[lane if len(x) > 1 else 0]
        return result

    def pack(self, x: Objects, unit: int) -> Objects:
        return np.add.reduce([lane << unit * i for i, lane in enumerate(x)], keepdims=True)

    def sum_lanes(self, x: Objects, lanes: tuple[int, ...], _: int) -> Objects:
        return np.add.reduce(x[list(lanes)], keepdims=True)

    def float_bits(self, x: Objects) -> Objects:
        return compute_float_bits(self, x)


OBJECTS: Any = _ObjectArithmetic()
