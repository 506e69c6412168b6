"""Integers, bits and types as text."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .encodings import cast, format_float
from .types import Role, Type

UNIT_NAMES = {8: "byte", 16: "half-word", 32: "word"}


def format_hex(bits: int, width: int) -> str:
    """Return ``0x00000007``, padded to the width in bits; a predicate is ``0`` or ``1``."""
    return str(bits) if width == 1 else f"0x{bits:0{(width + 3) // 4}x}"


def format_registers(values: Iterable[tuple[str, int, Type]]) -> str:
    """Return names, bits and types as ``a = 0x00000007, p = 1``."""
    return ", ".join(f"{name} = {format_hex(bits, type_.bits)}" for name, bits, type_ in values)


def format_value(bits: int, type_: Type) -> str:
    """Return the value of the bits as the type: ``-1``, ``1.5``, ``true``, ``[1.5, -0.0]``.

    Lanes are listed from the most significant one.
    """
    if type_ is Type.PRED:
        return "true" if bits else "false"
    if type_.is_float:
        return format_float(bits, type_)
    if type_.lanes > 1:
        unit = type_.bits // type_.lanes
        parts = [bits >> x & ((1 << unit) - 1) for x in reversed(range(0, type_.bits, unit))]
        if type_.lane_type.is_float:
            lanes = [format_float(part, type_.lane_type) for part in parts]
        else:
            lanes = [str(cast(part, unit, type_.signed)) for part in parts]
        return f"[{', '.join(lanes)}]"
    return str(cast(bits, type_.bits, type_.signed))


def format_bit_range(low: int, count: int) -> str:
    """Return the name of ``count`` bits from bit ``low`` up: ``bits 11:8``; "" for none."""
    if count <= 1:
        return f"bit {low}" if count else ""
    return f"bits {low + count - 1}:{low}"


def format_lane(bits: int, unit: int, type_: Type, *, signed: bool) -> str:
    """Return the value of a lane of ``unit`` bits of an operand: an integer, or a half."""
    if type_.lane_type.is_float:
        return format_float(bits & ((1 << unit) - 1), type_.lane_type)
    return str(cast(bits, unit, signed))


def format_integer_type(signed: bool, bits: int = 32) -> str:
    """Return an integer type's name: ``s8``, ``u32``."""
    return f"{'s' if signed else 'u'}{bits}"


def format_part(name: str, unit: int, index: int) -> str:
    """Return the name of a part of a register: ``a.b3``, ``b.h0``, or ``a`` for the whole."""
    return name if unit >= 32 else f"{name}.{'b' if unit == 8 else 'h'}{index}"


def format_letters(role: str, unit: int, index: int) -> str:
    """Return the letters of bits without a value: ``a.b3``, ``b.h0``, ``c[31:0]``, ``c[7:4]``."""
    letter = Role(role).label[:1]
    if unit == 1:
        return letter
    if unit in (8, 16):
        return format_part(letter, unit, index)
    return f"{letter}[{unit * (index + 1) - 1}:{unit * index}]"


def format_lanes(lanes: Collection[int]) -> str:
    """Return lanes by number, highest first: ``lanes 3, 1 and 0``, ``lane 2``."""
    *initial_lanes, last_lane = map(str, sorted(lanes, reverse=True))
    return (
        f"lanes {', '.join(initial_lanes)} and {last_lane}"
        if initial_lanes
        else f"lane {last_lane}"
    )
