"""The bits of operands: from integers, floats and NumPy scalars, with checks."""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any, TypeVar

from ..isa.encodings import (
    FloatClass,
    classify_float,
    encode_float,
    format_finite_range,
    get_limits,
)
from ..isa.types import CARRY_REGISTER, Role, Type
from ..syntax.errors import format_count
from ..syntax.instruction import Signature

ValueT = TypeVar("ValueT")


def is_carry_missing(ins: Signature, values: object) -> bool:
    """Whether the instruction reads a carry flag that the values by name lack."""
    if not isinstance(values, Mapping):
        return False
    is_read = any(x.name == CARRY_REGISTER for x in ins.inputs)
    is_given = Role.CARRY in values and Role.CARRY not in ins.names.values()
    return is_read and CARRY_REGISTER not in values and not is_given


def complete_carry(ins: Signature, values: Mapping[str, ValueT | int]) -> dict[str, ValueT | int]:
    """Add the carry flag, if it is read, to values by name: ``cc``, or 0 by default."""
    if all(x.name != CARRY_REGISTER for x in ins.inputs) or CARRY_REGISTER in values:
        return dict(values)
    if is_carry_missing(ins, values):
        return {**values, CARRY_REGISTER: 0}
    return {CARRY_REGISTER if x == Role.CARRY else x: value for x, value in values.items()}


def bind_values(ins: Signature, values: Mapping[str, object]) -> dict[str, int]:
    """Return operand bits by role; raise ValueError if an integer does not fit its operand."""
    operands = dict(ins.constants)
    for role, name in ins.names.items():
        if name in values and role not in operands:
            operands[role] = convert_to_bits(values[name], ins.type_of(role), name)
    return operands


def convert_to_bits(value: object, type_: Type, name: str) -> int:
    """Return the bits of an integer, signed or unsigned, or of a float for an ``.f`` operand.

    Raise ValueError if the value is of another kind or does not fit.
    """
    integer = convert_to_integer(value)
    if integer is None and type_.is_float and is_float(number := _get_element(value)):
        return _round_float(number, type_, name)
    if integer is None:
        reason = "neither an integer nor a float" if type_.is_float else "not an integer"
        raise ValueError(f"{name} is {abbreviate_value(value)}, {reason}")
    low, high = get_limits(type_.bits, signed=True).low, get_limits(type_.bits, signed=False).high
    if not low <= integer <= high:
        raise ValueError(f"{name} = {integer:#x} does not fit in {format_count(type_.bits, 'bit')}")
    return integer & high


def is_array(value: object) -> bool:
    """Return whether a value is a NumPy array, possibly without dimensions."""
    numpy = _load_numpy(value)
    return numpy is not None and isinstance(value, numpy.ndarray)


def convert_to_integer(value: object) -> int | None:
    """Return an integer, a NumPy integer or a 0-d array as an int, or None.

    Return None for any other value, including masked integers.
    """
    if type(value) is int:
        return value
    element = _get_element(value)
    numpy = _load_numpy(element)
    if numpy is not None and isinstance(element, numpy.bool_):
        return int(element)
    try:
        return int(operator.index(element))
    except TypeError:
        return None


def _get_element(value: Any) -> Any:
    """Return the element of an array without dimensions, and any other value unchanged."""
    return value[()] if is_array(value) else value


def _load_numpy(value: object) -> ModuleType | None:
    """Return NumPy if a value may have one of its types; None otherwise, or without NumPy."""
    if type(value) in (int, float, bool, str, tuple, list):
        return None
    try:
        import numpy as np
    except ImportError:
        return None
    return np


def is_float(value: object) -> bool:
    """Return whether a value is a Python or NumPy float, but not an array of floats."""
    numpy = _load_numpy(value)
    return isinstance(value, float) or (numpy is not None and isinstance(value, numpy.floating))


def _round_float(value: Any, type_: Type, name: str) -> int:
    """Return the bits of a float in the operand's type; raise ValueError if it is too large."""
    if getattr(value, "nbytes", 0) * 8 == type_.bits:  # a NumPy float: a NaN keeps its bits
        return int.from_bytes(value.tobytes(), sys.byteorder)
    bits = encode_float(value, type_)
    if abs(value) < float("inf") and classify_float(bits, type_) is FloatClass.INFINITE:
        raise ValueError(
            f"{name} = {value} is too large for .{type_}: {format_finite_range(type_)}"
        )
    return bits


def abbreviate_value(value: object) -> str:
    """Return a short description of a rejected value."""
    if getattr(value, "shape", ()):
        return f"an array of {getattr(value, 'dtype', 'something')}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:50]}…"


def check_argument(name: str, value: object, types: type | tuple[type, ...], expected: str) -> None:
    """Raise TypeError, with the expected argument, for an argument of another type."""
    if not isinstance(value, types):
        raise TypeError(f"{name} is {abbreviate_value(value)}; pass {expected}")


def check_count(name: str, value: object) -> None:
    """Raise TypeError for an argument that is not an integer."""
    if convert_to_integer(value) is None:
        raise TypeError(f"{name} is {abbreviate_value(value)}; pass an integer")
