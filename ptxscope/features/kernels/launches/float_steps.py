"""Arithmetic on floats in round-to-nearest, and conversions of f32 (PTX ISA 9.7.3, 9.7.4).

A NaN that an operation yields is 0x7fffffff, or 0x7fff in 16 bits; of f64, it is unknown. Other
roundings, and all of f16 and bf16 but sums, products, extrema and conversions from and to f32 are
not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

import numpy as np

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import TYPE_BITS
from ....sources.source_lines import read_source_lines
from .fidelity import Causes
from .float_arithmetic import (
    DOUBLE,
    EXTREMA,
    FLOAT_TYPES,
    SINGLE,
    Floats,
    FloatType,
    FusibleProduct,
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
_SIGN_OPERATIONS = frozenset(("abs", "neg"))
_OPERAND_COUNTS = {"fma": 3, "mad": 3, "abs": 1, "neg": 1, "rcp": 1, "sqrt": 1}
"""The number of sources, if it is not two."""
_NEED_ROUNDING = frozenset(("div", "fma", "mad", "rcp", "sqrt"))
"""The opcodes that are approximations without ``.rn``."""


def _list_flags(opcode: str, type_: FloatType) -> frozenset[str]:
    """Return the modifiers that an operation may have, except its type."""
    if opcode in EXTREMA:
        return frozenset(("NaN", "ftz") if type_.has_flags else ("NaN",))
    return frozenset(("rn", "ftz", "sat") if type_.has_flags else ("rn",))


def make_float_step(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of arithmetic on floats."""
    opcode = statement.opcode
    *flags, name = statement.modifiers or ("",)
    type_, modifiers = require(FLOAT_TYPES.get(name)), set(flags)
    compute = type_.operations.get(opcode)
    takes_literals = type_ in (SINGLE, DOUBLE)
    changes_sign = opcode in _SIGN_OPERATIONS and takes_literals
    lacks_rounding = opcode in _NEED_ROUNDING and "rn" not in modifiers
    if lacks_rounding or not modifiers <= _list_flags(opcode, type_):
        raise UnmodelledError
    if not (compute or changes_sign):
        raise UnmodelledError
    count = _OPERAND_COUNTS.get(opcode, 2)
    target, *operands = get_operands(statement, count + 1, is_exact=True)
    destination = frame.get_destination(target)
    dtype = np.dtype(f"u{TYPE_BITS[name] // 8}")
    if takes_literals:
        sources = [frame.get_source(x, name) for x in operands]
    else:
        sources = [frame.get_destination(x) for x in operands]
    if any(x.bits.dtype != dtype for x in sources):
        raise UnmodelledError
    nan_cause = np.uint64(0)
    if not type_.has_known_nan:
        nan_cause = frame.state.fidelity.get_cause(statement, _NAN_REASON)

    def act(group: ThreadGroup) -> None:
        words = _read_lanes(type_, sources, modifiers)
        if compute:
            result = type_.compute(compute, words, modifiers)
        else:
            sign = type_.sign
            result = words[0] & ~sign if opcode == "abs" else words[0] ^ sign
        causes = unite_causes(sources)
        if nan_cause:
            causes = _add_nan_causes(causes, np.isnan(type_.decode(result)), nan_cause)
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


def _read_lanes(type_: FloatType, sources: list[ThreadValues], modifiers: Set[str]) -> list[Bits]:
    """Return the lanes of all threads, one after the other, flushed if requested."""
    words = [x.bits.view(type_.bits) for x in sources]
    return [type_.flush(x) for x in words] if "ftz" in modifiers else words


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
    state, modifiers = frame.state, frozenset(statement.modifiers)
    name = statement.modifiers[-1]
    line = read_source_lines(state.code.text).format_line(products[0].statement.line)
    type_ = FLOAT_TYPES[name]
    sign = type_.sign
    reason = f"ptxas may fuse it with mul.{name} of {line}, since neither has .rn"
    cause = state.fidelity.get_cause(statement, reason)

    def find_fused(words: list[Bits], x: FusibleProduct) -> tuple[Bits, Bits]:
        """Return the fused sum, and a mask of lanes whose operand still is the product."""
        factors = _read_lanes(type_, state.factors[id(x.statement)], modifiers)
        product = type_.compute(np.multiply, factors, modifiers - {"sat"})
        a, b, c = *factors, words[1 - x.place]
        if statement.opcode == "sub":
            a, c = (a ^ sign, c) if x.place else (a, c ^ sign)
        return type_.compute(type_.operations["fma"], [a, b, c], modifiers), product == words[
            x.place
        ]

    def act(group: ThreadGroup) -> None:
        words = _read_lanes(type_, sources, modifiers)
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

_WIDE = frozenset(("f32", "f64"))
"""The types whose numbers convert to integers."""
_ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}


def make_float_conversion(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``cvt`` between f32, f64 and integers, or between f32 and a half."""
    *modifiers, target_type, source_type = ("", "", *statement.modifiers)
    if not _WIDE.intersection((target_type, source_type)):
        raise UnmodelledError
    count = 2 + target_type.endswith("x2")
    target, *operands = get_operands(statement, count, is_exact=True)
    flags = {x for x in modifiers if x in ("ftz", "sat")}
    roundings = [x for x in modifiers if x and x not in flags]
    convert = require(_find_conversion(target_type, source_type, roundings, flags))
    destination = frame.get_destination(target)
    sources = [frame.get_source(x, source_type) for x in operands]
    nan_cause = np.uint64(0)
    if (target_type, source_type) == ("f64", "f32") or source_type == "bf16":
        nan_cause = frame.state.fidelity.get_cause(statement, _NAN_REASON)

    def act(group: ThreadGroup) -> None:
        with np.errstate(all="ignore"):
            bits = convert(*(x.bits for x in sources)).astype(destination.bits.dtype, copy=False)
        causes = unite_causes(sources)
        if nan_cause:
            is_nan = np.isnan(FLOAT_TYPES[source_type].decode(sources[0].bits))
            causes = _add_nan_causes(causes, is_nan, nan_cause)
        write_values(destination, bits, group, causes)

    return act


def _find_conversion(
    target_type: str, source_type: str, roundings: list[str], flags: set[str]
) -> Callable[..., Bits] | None:
    """Return a function of the registers' bits; signed results are as wide as 64 bits."""
    half = next((x for x in (target_type, source_type) if x in FLOAT_TYPES and x not in _WIDE), "")
    if half:
        is_legal = (not flags or half == "f16") and not source_type.endswith("x2")
        if not is_legal or roundings != (["rn"] if half == target_type else []):
            return None
        return _make_half_conversion(FLOAT_TYPES[source_type], FLOAT_TYPES[target_type], flags)
    if "f64" in (target_type, source_type) and "sat" in flags:
        return None
    if source_type[0] in "us" and target_type in _WIDE:
        if roundings != ["rn"]:
            return None
        return _make_conversion_to_float(source_type, FLOAT_TYPES[target_type], flags)
    if source_type not in _WIDE:
        return None
    rounding = next((_ROUNDINGS[x] for x in roundings if x in _ROUNDINGS), None)
    if target_type[0] in "us" and rounding:
        return _make_conversion_to_integer(target_type, FLOAT_TYPES[source_type], rounding, flags)
    if source_type == "f64":
        return _narrow if (target_type, roundings, flags) == ("f32", ["rn"], set()) else None
    if target_type == "f32" and (rounding or not roundings):
        return _make_float_rounding(rounding, flags)
    if target_type == "f64" and not roundings and flags <= {"ftz"}:
        return lambda bits: _widen(SINGLE.flush(bits) if flags else bits)
    return None


def _make_half_conversion(
    source: FloatType, target: FloatType, flags: set[str]
) -> Callable[..., Bits]:
    """Return the conversion between f32 and a half, or of two f32 to the high and the low half."""

    def convert_one(bits: Bits) -> Bits:
        words = source.flush(bits) if source is SINGLE and "ftz" in flags else bits
        values = source.decode(words).astype(np.float64)
        values = saturate(values) if "sat" in flags else values
        return target.round(values)

    def convert(*words: Bits) -> Bits:
        high, *low = map(convert_one, words)
        return high.astype(np.uint32) << np.uint32(16) | low[0] if low else high

    return convert


def _widen(bits: Bits) -> Bits:
    return bits.view(np.float32).astype(np.float64).view(np.uint64)


def _narrow(bits: Bits) -> Bits:
    return SINGLE.round(bits.view(np.float64).astype(np.float32))


def _make_conversion_to_float(
    source_type: str, target: FloatType, flags: set[str]
) -> Callable[[Bits], Bits]:
    bytes_ = TYPE_BITS[source_type] // 8
    number_type = np.dtype(f"{'i' if source_type[0] == 's' else 'u'}{bytes_}")

    def convert(bits: Bits) -> Bits:
        numbers = bits.astype(f"u{bytes_}").view(number_type)
        values: Floats = numbers.astype(f"f{target.bits.itemsize}")
        return (saturate(values) if "sat" in flags else values).view(target.bits)

    return convert


def _make_conversion_to_integer(
    target_type: str, source: FloatType, rounding: Callable[[Any], Any], flags: set[str]
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
    rounding: Callable[[Any], Any] | None, flags: set[str]
) -> Callable[[Bits], Bits]:
    def convert(bits: Bits) -> Bits:
        words = SINGLE.flush(bits) if "ftz" in flags else bits
        values = words.view(np.float32)
        if rounding:
            values = rounding(values)
        if "sat" in flags:
            values = saturate(values)
        return SINGLE.round(values)

    return convert
