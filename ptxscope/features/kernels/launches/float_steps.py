"""Arithmetic on floats, and conversions of floats, as steps of a launch."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

import numpy as np

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import TYPE_BITS
from ....sources.source_lines import read_source_lines
from .fidelity import Causes
from .float_arithmetic import DOUBLE, SINGLE, FloatType, FusibleProduct, find_float_type
from .float_operations import (
    FORMATS,
    SMALL_FORMATS,
    WIDE_TYPES,
    FloatConversion,
    FloatOperation,
    read_float_conversion,
    read_float_operation,
    saturate,
)
from .memory import Bits
from .thread_state import (
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    get_operands,
    require,
    unite_causes,
    write_causes,
    write_values,
)

_NAN_REASON = "no manual says which NaN it gives"


def make_float_step(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of arithmetic on floats."""
    operation = require(read_float_operation(statement))
    name = operation.type
    type_ = find_float_type(name, operation.rounding)
    target, *operands = get_operands(statement, operation.source_count + 1, is_exact=True)
    destination = frame.get_destination(target)
    dtype = np.dtype(f"u{TYPE_BITS[name] // 8}")
    if name in WIDE_TYPES:
        sources = [frame.get_source(x, name) for x in operands]
    else:
        sources = [frame.get_destination(x) for x in operands]
    if any(x.bits.dtype != dtype for x in sources):
        raise UnmodelledError
    nan_cause = np.uint64(0)
    if not operation.has_known_nan:
        nan_cause = frame.state.fidelity.get_cause(statement, _NAN_REASON)

    def act(group: ThreadGroup) -> None:
        result = type_.compute(operation, [x.bits.view(type_.bits) for x in sources])
        causes = unite_causes(sources)
        if nan_cause:
            lanes = type_.find_nans(result).reshape(len(destination.bits), -1)
            causes = _add_nan_causes(causes, np.any(lanes, axis=1), nan_cause)
        write_values(destination, result.view(dtype), group, causes)

    fusible = frame.state.get_fusible_products(frame.function)
    if products := fusible.sums.get(id(statement)):
        return _make_fusible_sum(frame, statement, act, sources, destination, products)
    if id(statement) in fusible.products:
        return _make_fusible_product(frame, statement, act, sources)
    return act


def _add_nan_causes(causes: Causes | None, is_nan: Bits, cause: np.uint64) -> Causes | None:
    """Return the causes of results with a cause for each NaN: no manual says which one it is."""
    if not is_nan.any():
        return causes
    nan_causes: Causes = np.where(is_nan, cause, np.uint64(0))
    return nan_causes if causes is None else causes | nan_causes


# --- sums that an assembler may fuse with a product --------------------------------------


def _make_fusible_product(
    frame: CallFrame, statement: Statement, step: Step, sources: list[ThreadValues]
) -> Step:
    """Return the step of a product that keeps its factors for a sum."""

    def act(group: ThreadGroup) -> None:
        frame.state.factors[id(statement)] = [ThreadValues(x.bits.copy()) for x in sources]
        step(group)

    return act


def _make_fusible_sum(
    frame: CallFrame,
    statement: Statement,
    step: Step,
    sources: list[ThreadValues],
    destination: ThreadValues,
    products: tuple[FusibleProduct, ...],
) -> Step:
    """Return the step of a sum that is unknown if fusion would change it."""
    state, name = frame.state, statement.modifiers[-1]
    line = read_source_lines(state.code.text).format_line(products[0].statement.line)
    type_ = find_float_type(name)
    sign = type_.sign
    flags = frozenset(statement.modifiers) & {"ftz", "sat"}
    multiply = FloatOperation("mul", name, flags - {"sat"})
    fuse = FloatOperation("fma", name, flags)
    reason = f"ptxas may fuse it with mul.{name} of {line}, since neither has .rn"
    cause = state.fidelity.get_cause(statement, reason)

    def find_fused(words: list[Bits], x: FusibleProduct) -> tuple[Bits, Bits]:
        """Return the fused sum, and a mask of lanes whose operand still is the product."""
        factors = [y.bits.view(type_.bits) for y in state.factors[id(x.statement)]]
        product = type_.compute(multiply, factors)
        a, b, c = *factors, words[1 - x.place]
        if statement.opcode == "sub":
            a, c = (a ^ sign, c) if x.place else (a, c ^ sign)
        return type_.compute(fuse, [a, b, c]), product == words[x.place]

    def act(group: ThreadGroup) -> None:
        words = [x.bits.view(type_.bits) for x in sources]
        fused = [find_fused(words, x) for x in products]
        step(group)
        result = destination.bits.view(type_.bits)
        lanes = np.zeros(len(result), bool)
        for bits, is_product in fused:
            lanes |= is_product & (bits != result)
        differs = lanes.reshape(len(destination.bits), -1).any(axis=1)
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


def make_float_conversion(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``cvt`` between floats, or between floats and integers."""
    conversion = require(read_float_conversion(statement))
    source_type = conversion.source
    target, *operands = get_operands(statement, conversion.source_count + 1, is_exact=True)
    convert = _find_conversion(conversion)
    destination = frame.get_destination(target)
    sources = [frame.get_source(x, source_type) for x in operands]
    nan_cause = np.uint64(0)
    if not conversion.has_known_nan:
        nan_cause = frame.state.fidelity.get_cause(statement, _NAN_REASON)

    def act(group: ThreadGroup) -> None:
        with np.errstate(all="ignore"):
            bits = convert(*(x.bits for x in sources)).astype(destination.bits.dtype, copy=False)
        causes = unite_causes(sources)
        if nan_cause:
            is_nan = find_float_type(source_type).find_nans(sources[0].bits)
            causes = _add_nan_causes(causes, is_nan, nan_cause)
        write_values(destination, bits, group, causes)

    return act


def _find_conversion(x: FloatConversion) -> Callable[..., Bits]:
    """Return a function of the registers' bits; signed results are as wide as 64 bits."""
    if x.source in SMALL_FORMATS:
        return _make_small_conversion(*SMALL_FORMATS[x.source])
    if x.source not in FORMATS:
        return _make_conversion_to_float(x)
    source = find_float_type(x.source)
    if x.target not in FORMATS:
        return _make_conversion_to_integer(x.target, source, _ROUNDINGS[x.rounding], x.modifiers)
    if x.source == "f64":
        return _narrow
    if x.target == "f64":
        return lambda bits: _widen(SINGLE.flush(bits) if x.modifiers else bits)
    if x.target == x.source:
        return _make_float_rounding(_ROUNDINGS.get(x.rounding), x.modifiers)
    return _make_half_conversion(source, find_float_type(x.target, x.rounding or "rn"), x.modifiers)


def _make_small_conversion(shift: int, power: int, first_nan: int) -> Callable[[Bits], Bits]:
    """Return the conversion of two floats of 8 bits to f16."""
    half = find_float_type("f16")

    def convert_one(bits: Bits) -> Bits:
        magnitude = bits & np.uint16(0x7F)
        word = magnitude << np.uint16(shift) | (bits & np.uint16(0x80)) << np.uint16(8)
        values = np.ldexp(half.decode(word), power)
        return half.round(np.where(magnitude >= first_nan, np.nan, values))

    def convert(bits: Bits) -> Bits:
        words = bits.astype(np.uint16)
        low, high = convert_one(words & np.uint16(0xFF)), convert_one(words >> np.uint16(8))
        return high.astype(np.uint32) << np.uint32(16) | low

    return convert


def _make_half_conversion(
    source: FloatType, target: FloatType, flags: Set[str]
) -> Callable[..., Bits]:
    """Return the conversion between f32 and a half, or of two f32 to the high and the low half."""

    def convert_one(bits: Bits) -> Bits:
        words = source.flush(bits) if source is SINGLE and "ftz" in flags else bits
        values = source.decode(words).astype(np.float64)
        values = saturate(DOUBLE, values) if "sat" in flags else values
        return target.round(values)

    def convert(*words: Bits) -> Bits:
        high, *low = map(convert_one, words)
        return high.astype(np.uint32) << np.uint32(16) | low[0] if low else high

    return convert


def _widen(bits: Bits) -> Bits:
    return bits.view(np.float32).astype(np.float64).view(np.uint64)


def _narrow(bits: Bits) -> Bits:
    return SINGLE.round(bits.view(np.float64).astype(np.float32))


def _make_conversion_to_float(x: FloatConversion) -> Callable[[Bits], Bits]:
    bytes_ = TYPE_BITS[x.source] // 8
    number_type = np.dtype(f"{'i' if x.source[0] == 's' else 'u'}{bytes_}")
    target = find_float_type(x.target, x.rounding)

    def convert(bits: Bits) -> Bits:
        numbers = bits.astype(f"u{bytes_}").view(number_type)
        # 64 bits are rounded at once, unless they are too large for the type
        values = numbers.astype(np.float32 if target is SINGLE else np.float64)
        return target.round(saturate(DOUBLE, values) if "sat" in x.modifiers else values)

    return convert


def _make_conversion_to_integer(
    target_type: str, source: FloatType, rounding: Callable[[Any], Any], flags: Set[str]
) -> Callable[[Bits], Bits]:
    """Return the conversion of numbers clamped to the type's range (PTX ISA 9.7.9.21).

    A NaN becomes the highest bit if either type has 64 bits, or else 0.
    """
    width, is_signed = TYPE_BITS[target_type], target_type[0] == "s"
    low, high = (-(1 << width - 1), 1 << width - 1) if is_signed else (0, 1 << width)
    dtype = np.dtype("i8" if is_signed else "u8")
    is_wide = width == 64 or source is DOUBLE
    nan = (low if is_signed else 1 << width - 1) if is_wide else 0

    def convert(bits: Bits) -> Bits:
        words = source.flush(bits) if "ftz" in flags else bits
        values = rounding(source.decode(words).astype(np.float64))
        is_high, is_low, is_nan = values >= high, values < low, np.isnan(values)
        inside = np.where(is_high | is_low | is_nan, 0, values).astype(dtype)
        clamped = np.where(is_high, dtype.type(high - 1), inside)
        clamped = np.where(is_low, dtype.type(low), clamped)
        result: Bits = np.where(is_nan, dtype.type(nan), clamped).astype(dtype)
        return result.view(np.uint64)

    return convert


def _make_float_rounding(
    rounding: Callable[[Any], Any] | None, flags: Set[str]
) -> Callable[[Bits], Bits]:
    def convert(bits: Bits) -> Bits:
        words = SINGLE.flush(bits) if "ftz" in flags else bits
        values = words.view(np.float32)
        if rounding:
            values = rounding(values)
        if "sat" in flags:
            values = saturate(SINGLE, values)
        return SINGLE.round(values)

    return convert
