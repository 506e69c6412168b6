"""Evaluation of one instruction on arrays of operands: input checks, then the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays.block_runner import run_blocks
from ..arrays.call_sequence import get_storage_dtype
from ..isa.encodings import get_limits
from ..isa.types import DESTINATIONS, Type
from ..semantics.plan import Plan
from ..syntax.errors import format_count
from ..syntax.instruction import Signature
from .operand_bits import abbreviate_value, convert_to_bits, convert_to_integer, is_float

AnyArray = npt.NDArray[Any]


def evaluate_arrays(
    ins: Signature,
    plan: Plan,
    values: Mapping[str, object],
    out: Mapping[str, AnyArray] | None = None,
) -> dict[str, AnyArray]:
    """Return the destinations by role, for values by name that broadcast together.

    Raise ValueError if a value is not an array of integers (or, for an ``.f`` operand, of floats)
    that fits its operand, or if a result cannot be stored in its array.
    """
    operands: dict[str, AnyArray] = {
        role: np.array(bits, get_storage_dtype(ins.type_of(role)))
        for role, bits in ins.constants.items()
    }
    names = ins.names
    for source in plan.sources:
        if source.role in names and source.role not in operands:
            name = names[source.role]
            operands[source.role] = _convert_to_bits(values[name], source.type, name)
    shapes = {source.role: operands[source.role].shape for source in plan.sources}
    # unread operands of the line broadcast too
    shapes |= {
        role: np.asarray(values[name]).shape
        for role, name in names.items()
        if role not in shapes and role not in DESTINATIONS and name in values
    }
    try:
        shape = np.broadcast_shapes(*shapes.values())
    except ValueError:
        operand_shapes = ", ".join(
            f"{ins.format_operand(role)} {shape}" for role, shape in shapes.items()
        )
        raise ValueError(f"the operands do not broadcast: {operand_shapes}") from None
    if not out:
        return run_blocks(plan, operands, shape)
    outputs = _check_outputs(ins, plan, out, shape)
    return _write_results(outputs, operands.values(), partial(run_blocks, plan, operands, shape))


def _check_outputs(
    ins: Signature, plan: Plan, out: Mapping[str, Any], shape: tuple[int, ...]
) -> dict[str, AnyArray]:
    """Return the output arrays by role; raise ValueError if a result does not fit in its array."""
    roles = {name: role for role, name in ins.results.items()}
    types = {x.role: x.type for x in plan.results}
    for name, array in out.items():
        if name not in roles:
            names_text = ", ".join(roles) or "nothing"
            raise ValueError(
                f"out has {name!s:.60}, which {ins} does not write; it writes {names_text}"
            )
        if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
            raise ValueError(f"out for {name} is {abbreviate_value(array)}, not a plain array")
        type_ = types[roles[name]]
        if not _can_hold(array.dtype, type_):
            alternative = ", or another type of that width in this machine's byte order"
            raise ValueError(
                f"out for {name} is {array.dtype}; the result takes {get_storage_dtype(type_)}"
                f"{'' if type_ is Type.PRED else alternative}"
            )
        if array.shape != shape:
            raise ValueError(f"out for {name} has shape {array.shape}, the operands make {shape}")
        if not array.flags.writeable:
            raise ValueError(f"out for {name} is read-only")
    names = list(out)
    for index, name in enumerate(names):
        if any(np.may_share_memory(out[name], out[alternative]) for alternative in names[:index]):
            raise ValueError(f"out for {name} shares memory with that for another destination")
    return {roles[name]: array for name, array in out.items()}


def _can_hold(dtype: np.dtype[Any], type_: Type) -> bool:
    """Return whether the bits of a result fit in an array of a dtype."""
    kinds = "b" if type_ is Type.PRED else "uif" if type_.is_float else "ui"
    return (
        dtype.kind in kinds
        and dtype.itemsize == get_storage_dtype(type_).itemsize
        and dtype.isnative
    )


def _write_results(
    outputs: Mapping[str, AnyArray],
    operands: Iterable[AnyArray],
    run: Callable[[Mapping[str, AnyArray]], dict[str, AnyArray]],
) -> dict[str, AnyArray]:
    """Run the plan and return the results, if possible in the supplied arrays.

    The plan writes contiguous, aligned arrays directly. Other arrays, and arrays that share memory
    with an operand, are filled after the computation.
    """
    operand_arrays = list(operands)
    direct = {
        role: np.asarray(array)
        for role, array in outputs.items()
        if array.flags.c_contiguous
        and array.flags.aligned
        and not any(np.may_share_memory(array, operand) for operand in operand_arrays)
    }
    results = run(direct)
    for role, array in outputs.items():
        if role not in direct:
            array[...] = results[role].view(array.dtype)
    return results | dict(outputs)


def _convert_to_bits(value: object, type_: Type, name: str) -> AnyArray:
    """Return a value as an integer array whose low bits are the operand's bits."""
    if type(value) is np.ndarray and value.dtype == get_storage_dtype(type_):
        return _convert_to_truths(value) if type_ is Type.PRED else value
    if type_.is_float and is_float(value):
        return np.array(convert_to_bits(value, type_, name), get_storage_dtype(type_))
    parts = value if isinstance(value, (list, tuple)) else ()
    if any(isinstance(x, np.ma.MaskedArray) for x in (value, *parts)):
        raise ValueError(f"{name} is a masked array: fill it first, with its method `filled`")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{name} is {abbreviate_value(value)}, not an array: {error}") from None
    kind, dtype = array.dtype.kind, get_storage_dtype(type_)
    if kind in "fO" and parts:  # NumPy has no type for -1 and 2**63
        numbers = np.asarray(value, object).reshape(-1)
        if all(convert_to_integer(x) is not None for x in numbers) or (
            type_.is_float and all(map(is_float, numbers))
        ):
            bits = [convert_to_bits(x, type_, name) for x in numbers]
            return np.array(bits, dtype).reshape(array.shape)
    if kind == "f" and type_.is_float:
        native = array.dtype.newbyteorder("=")
        if native.itemsize * 8 != type_.bits:
            raise ValueError(
                f"{name} is {native}, but the operand is .{type_}; "
                f"pass an array of float{type_.bits}, or the bits as integers"
            )
        return array.view(dtype.newbyteorder(array.dtype.byteorder))
    if kind not in "iub":
        reason = "neither an integer nor a float" if type_.is_float else "not an integer"
        raise ValueError(f"{name} is {abbreviate_value(array if array.shape else value)}, {reason}")
    low, high = get_limits(type_.bits, signed=True).low, get_limits(type_.bits, signed=False).high
    if kind != "b" and array.size and not _is_always_in_range(array.dtype, low, high):
        low_value, high_value = int(array.min()), int(array.max())
        if low_value < low or high_value > high:
            bad_value = low_value if low_value < low else high_value
            raise ValueError(
                f"{name} has {bad_value:#x}, "
                f"which does not fit in {format_count(type_.bits, 'bit')}"
            )
    return _convert_to_truths(array) if kind == "b" and type_ is Type.PRED else array


def _convert_to_truths(array: AnyArray) -> AnyArray:
    """Return booleans stored as 0 and 1; a view of other memory may contain other bytes."""
    raw = array.view(np.uint8)
    return raw != 0 if raw.size and raw.max() > 1 else array


def _is_always_in_range(dtype: np.dtype[Any], low: int, high: int) -> bool:
    info = np.iinfo(dtype)
    return low <= info.min and info.max <= high
