"""An instruction on arrays of operands: what is given is checked, then its plan runs on all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..isa.integers import limits
from ..isa.types import Type
from ..semantics.arrays import run_blocks, storage
from ..semantics.plan import Plan
from ..text.errors import counted
from ..text.instruction import Instruction, Literal
from .evaluate import shown


def evaluate_arrays(
    ins: Instruction, plan: Plan, values: Mapping[str, object]
) -> dict[str, npt.NDArray[Any]]:
    """The destinations by role, over values by name that broadcast together.

    Raises ValueError where a value is not an array of integers (or, for an ``.f``
    operand, of floats) that fits its operand.
    """
    operands: dict[str, npt.NDArray[Any]] = {
        role: np.array(x.bits, storage(ins.type_of(role)))
        for role, x in ins.roles.items()
        if isinstance(x, Literal)
    }
    names = ins.names
    for source in plan.sources:
        if source.role in names:
            name = names[source.role]
            operands[source.role] = _bits(values[name], source.type, name)
    try:
        shape = np.broadcast_shapes(*(operands[source.role].shape for source in plan.sources))
    except ValueError:
        shapes = ", ".join(f"{names[x.role]} {operands[x.role].shape}" for x in plan.sources)
        raise ValueError(f"the operands do not broadcast: {shapes}") from None
    return run_blocks(plan, operands, shape)


def _bits(value: object, type_: Type, name: str) -> npt.NDArray[Any]:
    """A value as an array of its operand's bits, in the operand's storage type."""
    parts = value if isinstance(value, (list, tuple)) else ()
    if any(isinstance(x, np.ma.MaskedArray) for x in (value, *parts)):
        raise ValueError(f"{name} is a masked array; give it whole, as `filled` makes it")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{name} is {shown(value)}, not an array: {error}") from None
    kind, wanted = array.dtype.kind, storage(type_)
    if kind == "f" and type_.is_float:
        native = array.dtype.newbyteorder("=")
        if native.itemsize * 8 != type_.bits:
            raise ValueError(f"{name} is {native}, but the operand is .{type_}")
        return array.astype(native, copy=False).view(wanted)
    if kind not in "iub":
        hint = "; a float is given by its bits, or as a float array" if type_.is_float else ""
        raise ValueError(
            f"{name} is {shown(array if array.shape else value)}, not an integer{hint}"
        )
    low, high = limits(type_.bits, signed=True).low, limits(type_.bits, signed=False).high
    if kind != "b" and array.size and not _always_fits(array.dtype, low, high):
        least, most = int(array.min()), int(array.max())
        if least < low or most > high:
            worst = least if least < low else most
            raise ValueError(
                f"{name} holds {worst:#x}, which does not fit in {counted(type_.bits, 'bit')}"
            )
    if type_ is Type.PRED:
        return array.astype(bool) if kind == "b" else (array & 1).astype(bool)
    return array.astype(wanted)


def _always_fits(dtype: np.dtype[Any], low: int, high: int) -> bool:
    info = np.iinfo(dtype)
    return low <= info.min and info.max <= high
