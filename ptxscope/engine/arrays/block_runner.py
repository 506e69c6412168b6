"""Running a Plan on NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..isa.types import Type
from ..semantics.plan import Plan
from .array_program import Array, ArrayProgram, RunBuffers
from .call_sequence import Buffer, BufferKind, Dtype

AnyArray = npt.NDArray[Any]

_PROGRAMS = {False: 1 << 10, True: 1 << 6}
"""How many are kept: a few kilobytes of calls each, or most of a megabyte of machine code."""
_programs: Mapping[bool, dict[int, RunnablePlan]] = {False: {}, True: {}}
_adding = Lock()
_operand, _result = (cache(partial(Buffer, x)) for x in (BufferKind.OPERAND, BufferKind.RESULT))
"""The places of roles, which are few."""
_STORAGE = {x: np.dtype(bool if x is Type.PRED else f"u{x.bits // 8}") for x in Type}


def get_storage_dtype(type_: Type) -> Dtype:
    """The array type of an operand: uint16, uint32, uint64, or bool for a predicate."""
    return _STORAGE[type_]


class RunnablePlan(Protocol):
    """What a plan has become: calls of NumPy, or a function of the machine."""

    plan: Plan
    block: int
    """How many results are best computed at a time."""

    def run(self, feed: RunBuffers) -> None:
        """Write the results."""


def get_program(plan: Plan) -> ArrayProgram:
    """The calls of NumPy that compute a plan; made once and kept."""
    found = _get_runnable(plan, native=False)
    assert isinstance(found, ArrayProgram)
    return found


def _get_runnable(plan: Plan, native: bool) -> RunnablePlan:
    # plans are kept by `lower`, and to hash one takes longer than to run it on a few values
    programs = _programs[native]
    found = programs.get(id(plan))
    if found is None or found.plan is not plan:
        found = _get_machine_code(plan) if native else ArrayProgram(plan)
        with _adding:
            if len(programs) >= _PROGRAMS[native]:
                del programs[next(iter(programs))]
            programs[id(plan)] = found
    return found


def _get_machine_code(plan: Plan) -> RunnablePlan:
    from .llvm_backend import compile_plans

    return compile_plans(plan)[0]


def run_blocks(
    plan: Plan,
    operands: Mapping[str, AnyArray],
    shape: tuple[int, ...],
    out: Mapping[str, AnyArray] | None = None,
    *,
    native: bool = False,
) -> dict[str, AnyArray]:
    """The destinations of a plan by role, over operands that broadcast to a shape.

    Operands are arrays of integers or truths of any type, of which the low bits count; what is
    not in one piece, or of another type than ``storage`` names, is copied a block at a time.
    Results are of the types that ``storage`` names, in ``out`` where that has an array: one in
    one piece that shares no memory with the operands. ``native`` has llvmlite compile the plan.
    """
    given = out or {}
    results = {
        x.role: given[x.role] if x.role in given else np.empty(shape, get_storage_dtype(x.type))
        for x in plan.results
    }
    if (size := math.prod(shape)) and results:
        program = _get_runnable(plan, native)
        typed = {x.role: (operands[x.role], get_storage_dtype(x.type)) for x in plan.sources}
        program.run(_make_buffers(typed, results, shape, min(size, program.block)))
    return results


def _make_buffers(
    operands: Mapping[str, tuple[AnyArray, Dtype]],
    results: Mapping[str, AnyArray],
    shape: tuple[int, ...],
    most: int,
) -> RunBuffers:
    """Operands and results as flat arrays; so many results at a time."""
    size = math.prod(shape)
    moving: dict[Buffer, Array] = {_result(role): x.reshape(-1) for role, x in results.items()}
    standing = dict[Buffer, Array]()
    copied = list[tuple[AnyArray, Array]]()
    for role, (array, dtype) in operands.items():
        place = _operand(role)
        if array.size == size and _is_plain(array, dtype):
            moving[place] = array.reshape(-1).view(dtype)
            continue
        standing[place] = np.empty(most, dtype)
        if array.size == 1:
            np.copyto(standing[place], array.reshape(()), casting="unsafe")
        else:
            copied.append((np.broadcast_to(array, shape), standing[place]))
    return RunBuffers(
        size, most, moving, standing, _fill_copies(copied, size, most) if copied else None
    )


def _is_plain(array: AnyArray, dtype: Dtype) -> bool:
    """Its memory is that of a flat array of a type."""
    given = array.dtype
    return (
        given.itemsize == dtype.itemsize
        and given.isnative
        and (given.kind == "b") == (dtype.kind == "b")
        and array.flags.c_contiguous
        and array.flags.aligned
    )


def _fill_copies(copied: Sequence[tuple[AnyArray, Array]], size: int, most: int) -> Iterator[None]:
    """Fills copies with so many elements at a time of arrays of one shape and any types."""
    pieces: Any = np.nditer(  # type: ignore[call-overload]  # it lacks "contig"
        [array for array, _ in copied],
        flags=["external_loop", "buffered", "ranged"],
        op_flags=[["readonly", "contig", "aligned", "nbo"]] * len(copied),
        op_dtypes=[copy.dtype for _, copy in copied],
        order="C",
        casting="unsafe",
        buffersize=most,
    )
    for start in range(0, size, most):
        pieces.iterrange = (start, min(start + most, size))
        at = 0
        for piece in pieces:
            parts = piece if isinstance(piece, tuple) else (piece,)
            for (_, copy), part in zip(copied, parts, strict=True):
                copy[at : at + part.size] = part
            at += parts[0].size
        yield


def compute_batch(plan: Plan, batch: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """The destinations by role for each of many operands by role."""
    operands = {
        source.role: np.array([x[source.role] for x in batch], get_storage_dtype(source.type))
        for source in plan.sources
    }
    found = run_blocks(plan, operands, (len(batch),))
    columns = {role: array.astype(np.uint64).tolist() for role, array in found.items()}
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
