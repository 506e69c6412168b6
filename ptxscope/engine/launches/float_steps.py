"""Arithmetic on f32 in round-to-nearest, and conversions to and from integers (PTX ISA 9.7.3).

A NaN that an operation yields is 0x7fffffff. Other roundings and other types are not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from .contractions import FusibleProduct
from .device_code import TYPE_BITS, CodeStatement, RegisterOperand
from .thread_state import (
    Bits,
    Frame,
    Group,
    Step,
    ThreadValues,
    unite_causes,
    write_causes,
    write_values,
)

Floats = npt.NDArray[np.float32]
_NAN = np.uint32(0x7FFFFFFF)
_SIGN = np.uint32(0x80000000)
_EXPONENT = np.uint32(0x7F800000)
_ONE = np.float32(1)


def _fuse(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a * b + c, rounded once.

    The product is exact in binary64. The sum is rounded to odd there, so that the second rounding,
    to binary32, is that of the exact sum.
    """
    product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    words = total.view(np.int64)
    is_moved = np.isfinite(total) & (error != 0) & (words & 1 == 0)
    step = np.where((error > 0) == (total > 0), 1, -1)
    odd = np.where(is_moved, words + step, words).view(np.float64)
    fused: Floats = odd.astype(np.float32)
    return fused


def _find_minimum(a: Floats, b: Floats) -> Floats:
    """Return the smaller of two numbers, a number rather than a NaN, and -0 below +0."""
    is_a = (a < b) | ((a == b) & np.signbit(a)) | np.isnan(b)
    chosen: Floats = np.where(is_a, a, b)
    return chosen


def _find_maximum(a: Floats, b: Floats) -> Floats:
    is_a = (a > b) | ((a == b) & np.signbit(b)) | np.isnan(b)
    chosen: Floats = np.where(is_a, a, b)
    return chosen


_OPERATIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, np.add),
    "sub": (2, np.subtract),
    "mul": (2, np.multiply),
    "div": (2, np.divide),
    "fma": (3, _fuse),
    "mad": (3, _fuse),
    "min": (2, _find_minimum),
    "max": (2, _find_maximum),
    "rcp": (1, lambda a: _ONE / a),
    "sqrt": (1, np.sqrt),
}
_SIGN_OPERATIONS: dict[str, Callable[[Bits], Bits]] = {
    "abs": lambda bits: bits & ~_SIGN,
    "neg": lambda bits: bits ^ _SIGN,
}
_NEED_ROUNDING = frozenset(("div", "fma", "mad", "rcp", "sqrt"))
"""The opcodes that are approximations without ``.rn``."""
_MODIFIERS = frozenset(("rn", "ftz", "sat", "f32"))


def _flush(bits: Bits) -> Bits:
    """Return subnormal numbers as zeros of the same sign."""
    flushed: Bits = np.where(bits & _EXPONENT == 0, bits & _SIGN, bits)
    return flushed


def _saturate(values: Floats) -> Floats:
    """Return numbers clamped to 0 to 1; a NaN becomes 0."""
    clamped: Floats = np.where(values > 0, np.minimum(values, _ONE), np.float32(0))
    return clamped


def make_float_step(frame: Frame, statement: CodeStatement) -> Step | None:
    """Return the step of f32 arithmetic; None for anything else."""
    opcode, modifiers = statement.opcode, set(statement.modifiers)
    if statement.modifiers[-1:] != ("f32",) or not modifiers <= _MODIFIERS:
        return None
    if opcode in _NEED_ROUNDING and "rn" not in modifiers:
        return None
    count, compute = _OPERATIONS.get(opcode, (1, None))
    change_sign = _SIGN_OPERATIONS.get(opcode)
    operands = statement.operands
    if len(operands) != count + 1 or not (compute or change_sign):
        return None
    found = [frame.find_source(x, "f32") for x in operands[1:]]
    sources = [x for x in found if x is not None and x.bits.dtype == np.uint32]
    if len(sources) < count or not isinstance(operands[0], RegisterOperand):
        return None
    destination = frame.get_register(operands[0].name)
    flushes = "ftz" in modifiers

    def act(group: Group) -> None:
        words = [_flush(x.bits) if flushes else x.bits for x in sources]
        if change_sign:
            result = change_sign(words[0])
        else:
            assert compute
            result = _compute(compute, words, modifiers)
        write_values(destination, result, group, unite_causes(sources))

    fusible = frame.state.get_fusible_products(frame.function)
    if products := fusible.sums.get(id(statement)):
        return _make_fusible_sum(frame, statement, act, sources, destination, products)
    if id(statement) in fusible.products:
        return _make_fusible_product(frame, statement, act, sources)
    return act


def _compute(compute: Callable[..., Any], words: list[Bits], modifiers: Set[str]) -> Bits:
    """Return the bits of a result with its modifiers; the operands are flushed already."""
    with np.errstate(all="ignore"):
        values = compute(*(x.view(np.float32) for x in words))
        values = _saturate(values) if "sat" in modifiers else values
    result: Bits = np.where(np.isnan(values), _NAN, values.view(np.uint32))
    return _flush(result) if "ftz" in modifiers else result


# --- sums that an assembler may fuse with a product --------------------------------------


def _make_fusible_product(
    frame: Frame, statement: CodeStatement, step: Step, sources: list[ThreadValues]
) -> Step:
    """Return the step of a product that keeps its factors for a sum."""

    def act(group: Group) -> None:
        frame.state.factors[id(statement)] = [x.bits.copy() for x in sources]
        step(group)

    return act


def _make_fusible_sum(
    frame: Frame,
    statement: CodeStatement,
    step: Step,
    sources: list[ThreadValues],
    destination: ThreadValues,
    products: tuple[FusibleProduct, ...],
) -> Step:
    """Return the step of a sum that is unknown where it would differ if it were fused."""
    state, modifiers = frame.state, frozenset(statement.modifiers)
    line = products[0].statement.line
    reason = f"ptxas may fuse it with mul.f32 of line {line}, since neither has .rn"
    cause = state.fidelity.get_cause(statement, reason)

    def find_fused(words: list[Bits], x: FusibleProduct) -> tuple[Bits, Bits]:
        """Return the fused sum, and where the operand still is the product."""
        factors = state.factors[id(x.statement)]
        factors = [_flush(y) for y in factors] if "ftz" in modifiers else factors
        product = _compute(np.multiply, factors, modifiers - {"sat"})
        a, b, c = *factors, words[1 - x.place]
        if statement.opcode == "sub":
            a, c = (a ^ _SIGN, c) if x.place else (a, c ^ _SIGN)
        return _compute(_fuse, [a, b, c], modifiers), product == words[x.place]

    def act(group: Group) -> None:
        words = [_flush(x.bits) if "ftz" in modifiers else x.bits for x in sources]
        fused = [find_fused(words, x) for x in products]
        step(group)
        differs = np.zeros(len(destination.bits), bool)
        for bits, is_product in fused:
            differs |= is_product & (bits != destination.bits)
        if (differs & group.mask).any():
            causes = np.where(differs, cause, np.uint64(0))
            if destination.causes is not None:
                causes |= destination.causes
            write_causes(destination, group, causes)

    return act


# --- conversions -------------------------------------------------------------------------

_ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}


def make_float_conversion(frame: Frame, statement: CodeStatement) -> Step | None:
    """Return the step of ``cvt`` between f32 and an integer, or f32 to f32; None for others."""
    if len(statement.modifiers) < 2 or len(statement.operands) != 2:
        return None
    *modifiers, target_type, source_type = statement.modifiers
    if "f32" not in (target_type, source_type):
        return None
    source = frame.find_source(statement.operands[1], source_type)
    operand = statement.operands[0]
    if source is None or not isinstance(operand, RegisterOperand):
        return None
    flags = {x for x in modifiers if x in ("ftz", "sat")}
    roundings = [x for x in modifiers if x not in flags]
    convert = _find_conversion(target_type, source_type, roundings, flags)
    if convert is None:
        return None
    destination = frame.get_register(operand.name)

    def act(group: Group) -> None:
        with np.errstate(all="ignore"):
            bits = convert(source.bits).astype(destination.bits.dtype, copy=False)
        write_values(destination, bits, group, source.causes)

    return act


def _find_conversion(
    target_type: str, source_type: str, roundings: list[str], flags: set[str]
) -> Callable[[Bits], Bits] | None:
    """Return a function of the register's bits; signed results are as wide as 64 bits."""
    if source_type[0] in "us" and target_type == "f32":
        return _make_conversion_to_float(source_type, flags) if roundings == ["rn"] else None
    if source_type != "f32":
        return None
    rounding = next((_ROUNDINGS[x] for x in roundings if x in _ROUNDINGS), None)
    if target_type[0] in "us" and rounding:
        return _make_conversion_to_integer(target_type, rounding, flags)
    if target_type == "f32" and (rounding or not roundings):
        return _make_float_rounding(rounding, flags)
    return None


def _make_conversion_to_float(source_type: str, flags: set[str]) -> Callable[[Bits], Bits]:
    bytes_ = TYPE_BITS[source_type] // 8
    number_type = np.dtype(f"{'i' if source_type[0] == 's' else 'u'}{bytes_}")

    def convert(bits: Bits) -> Bits:
        numbers = bits.astype(f"u{bytes_}").view(number_type)
        values: Floats = numbers.astype(np.float32)
        return (_saturate(values) if "sat" in flags else values).view(np.uint32)

    return convert


def _make_conversion_to_integer(
    target_type: str, rounding: Callable[[Any], Any], flags: set[str]
) -> Callable[[Bits], Bits]:
    """Return the conversion of numbers clamped to the type's range (PTX ISA 9.7.9.21)."""
    width, is_signed = TYPE_BITS[target_type], target_type[0] == "s"
    low, high = (-(1 << width - 1), 1 << width - 1) if is_signed else (0, 1 << width)
    dtype = np.dtype("i8" if is_signed else "u8")
    nan = (-(1 << 63) if is_signed else 1 << 63) if width == 64 else 0

    def convert(bits: Bits) -> Bits:
        words = _flush(bits) if "ftz" in flags else bits
        values = rounding(words.view(np.float32).astype(np.float64))
        is_high, is_low, is_nan = values >= high, values < low, np.isnan(values)
        inside = np.where(is_high | is_low | is_nan, 0, values).astype(dtype)
        clamped = np.where(is_high, dtype.type(high - 1), inside)
        clamped = np.where(is_low, dtype.type(low), clamped)
        result: Bits = np.where(is_nan, dtype.type(nan), clamped).astype(dtype)
        return result.view(np.uint64)

    return convert


def _make_float_rounding(
    rounding: Callable[[Any], Any] | None, flags: set[str]
) -> Callable[[Bits], Bits]:
    def convert(bits: Bits) -> Bits:
        words = _flush(bits) if "ftz" in flags else bits
        values = words.view(np.float32)
        if rounding:
            values = rounding(values)
        if "sat" in flags:
            values = _saturate(values)
        result: Bits = np.where(np.isnan(values), _NAN, values.view(np.uint32))
        return result

    return convert
