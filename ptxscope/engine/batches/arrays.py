"""Running a Plan on NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..isa.types import Type
from ..semantics.plan import Plan
from .program import Array, Program
from .steps import Dtype, Kind, Place

AnyArray = npt.NDArray[Any]

_PROGRAMS = {False: 1 << 10, True: 1 << 6}
"""How many are kept: a few kilobytes of calls each, or most of a megabyte of machine code."""
_programs: Mapping[bool, dict[int, Runs]] = {False: {}, True: {}}
_adding = Lock()
_STORAGE = {x: np.dtype(bool if x is Type.PRED else f"u{x.bits // 8}") for x in Type}


def storage(type_: Type) -> Dtype:
    """The array type of an operand: uint16, uint32, uint64, or bool for a predicate."""
    return _STORAGE[type_]


class Runs(Protocol):
    """What a plan has become: calls of NumPy, or a function of the machine."""

    plan: Plan
    block: int
    """How many results are best computed at a time."""

    def run(self, blocks: Iterable[Mapping[Place, Array]], most: int) -> None:
        """Write the results of each block, of at most so many."""


def program_of(plan: Plan) -> Program:
    """The calls of NumPy that compute a plan; made once and kept."""
    found = _kept(plan, native=False)
    assert isinstance(found, Program)
    return found


def _kept(plan: Plan, native: bool) -> Runs:
    # plans are kept by `lower`, and to hash one takes longer than to run it on a few values
    programs = _programs[native]
    found = programs.get(id(plan))
    if found is None or found.plan is not plan:
        found = _machine_code(plan) if native else Program(plan)
        with _adding:
            if len(programs) >= _PROGRAMS[native]:
                del programs[next(iter(programs))]
            programs[id(plan)] = found
    return found


def _machine_code(plan: Plan) -> Runs:
    from .machine_code import MachineCode

    return MachineCode(plan)


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
        x.role: given[x.role] if x.role in given else np.empty(shape, storage(x.type))
        for x in plan.results
    }
    if math.prod(shape) and results:
        program = _kept(plan, native)
        most = min(math.prod(shape), program.block)
        typed = {x.role: (operands[x.role], storage(x.type)) for x in plan.sources}
        program.run(_blocks(typed, results, most), most)
    return results


def _blocks(
    operands: Mapping[str, tuple[AnyArray, Dtype]], results: Mapping[str, AnyArray], most: int
) -> Iterator[dict[Place, Array]]:
    """Operands and results as flat arrays of so many elements, or fewer."""
    shape = next(iter(results.values())).shape
    size = math.prod(shape)
    sliced: dict[Place, Array] = {
        Place(Kind.RESULT, role): x.reshape(-1) for role, x in results.items()
    }
    same, copied = dict[Place, Array](), dict[Place, tuple[AnyArray, Dtype]]()
    for role, (array, dtype) in operands.items():
        if array.size == size and _is_plain(array, dtype):
            sliced[Place(Kind.OPERAND, role)] = array.reshape(-1).view(dtype)
        elif array.size == 1:
            same[Place(Kind.OPERAND, role)] = _repeated(array, dtype, most)
        else:
            copied[Place(Kind.OPERAND, role)] = (np.broadcast_to(array, shape), dtype)
    if size == most and not copied:
        yield sliced | same
        return
    start = 0
    for chunks in _chunks(list(copied.values()), size, most):
        count = len(chunks[0]) if chunks else min(most, size - start)
        block = {place: x[start : start + count] for place, x in sliced.items()}
        block |= {place: x[:count] for place, x in same.items()}
        block |= zip(copied, chunks, strict=True)
        yield block
        start += count


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


def _repeated(array: AnyArray, dtype: Dtype, count: int) -> Array:
    repeated = np.empty(count, dtype)
    np.copyto(repeated, array.reshape(()), casting="unsafe")
    return repeated


def _chunks(
    arrays: Sequence[tuple[AnyArray, Dtype]], size: int, most: int
) -> Iterator[Sequence[Array]]:
    """Arrays of one shape as flat pieces of so many elements at most, in other types."""
    if not arrays:
        yield from ((),) * -(-size // most)
        return
    pieces: Iterator[Any] = np.nditer(  # type: ignore[call-overload]  # it lacks "contig"
        [array for array, _ in arrays],
        flags=["external_loop", "buffered"],
        op_flags=[["readonly", "contig", "aligned", "nbo"]] * len(arrays),
        op_dtypes=[dtype for _, dtype in arrays],
        order="C",
        casting="unsafe",
        buffersize=most,
    )
    for piece in pieces:
        yield piece if isinstance(piece, tuple) else (piece,)


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
