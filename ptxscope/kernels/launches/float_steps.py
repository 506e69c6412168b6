"""Arithmetic on floats in round-to-nearest, and conversions of f32 (PTX ISA 9.7.3, 9.7.4).

A NaN that an operation yields is 0x7fffffff, or 0x7fff in 16 bits. Other roundings, all of f64 but
``cvt.f64.f32``, and all of f16 and bf16 but sums, products, extrema and conversions from and to f32
are not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.program.statement import Statement
from ...engine.program.statement_operands import TYPE_BITS, RegisterOperand
from .contractions import FusibleProduct
from .thread_state import (
    Bits,
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    unite_causes,
    write_causes,
    write_values,
)

Floats = npt.NDArray[Any]
"""Numbers in binary32 or binary64."""


def _add_to_odd(a: Floats, b: Floats) -> Floats:
    """Return sums in binary64, rounded to odd: if they are rounded again, it is as if once."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    words = total.view(np.int64)
    is_moved = np.isfinite(total) & (error != 0) & (words & 1 == 0)
    step = np.where((error > 0) == (total > 0), 1, -1)
    odd: Floats = np.where(is_moved, words + step, words).view(np.float64)
    return odd


def _fuse(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a * b + c, to be rounded once; the product is exact in binary64."""
    product = a.astype(np.float64) * b.astype(np.float64)
    return _add_to_odd(product, c.astype(np.float64))


def _find_minimum(a: Floats, b: Floats) -> Floats:
    """Return the smaller of two numbers, a number rather than a NaN, and -0 below +0."""
    is_a = (a < b) | ((a == b) & np.signbit(a)) | np.isnan(b)
    chosen: Floats = np.where(is_a, a, b)
    return chosen


def _find_maximum(a: Floats, b: Floats) -> Floats:
    is_a = (a > b) | ((a == b) & np.signbit(b)) | np.isnan(b)
    chosen: Floats = np.where(is_a, a, b)
    return chosen


def _saturate(values: Floats) -> Floats:
    """Return numbers clamped to 0 to 1; a NaN becomes 0."""
    clamped: Floats = np.where(values > 0, np.minimum(values, 1), 0).astype(values.dtype)
    return clamped


# --- types -------------------------------------------------------------------------------

Compute = Callable[..., Floats]
_EXTREMA: dict[str, Compute] = {"min": _find_minimum, "max": _find_maximum}
_OPERATIONS: dict[str, Compute] = {
    **_EXTREMA,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "fma": _fuse,
    "mad": _fuse,
    "rcp": lambda a: np.float32(1) / a,
    "sqrt": np.sqrt,
}
_HALF_OPERATIONS: dict[str, Compute] = {
    **_EXTREMA,
    "add": _add_to_odd,
    "sub": lambda a, b: _add_to_odd(a, -b),
    "mul": np.multiply,
    "fma": _fuse,
}
_SIGN_OPERATIONS = frozenset(("abs", "neg"))
_OPERAND_COUNTS = {"fma": 3, "mad": 3, "abs": 1, "neg": 1, "rcp": 1, "sqrt": 1}
"""The number of sources, if it is not two."""
_NEED_ROUNDING = frozenset(("div", "fma", "mad", "rcp", "sqrt"))
"""The opcodes that are approximations without ``.rn``."""


class _FloatType(NamedTuple):
    """A type of floats as the lanes of a register hold it."""

    bits: np.dtype[Any]
    """The array type of one lane."""
    decode: Callable[[Bits], Floats]
    encode: Callable[[Floats], Bits]
    """Rounds numbers to nearest, ties to even."""
    exponent: int
    """The bits of infinity."""
    operations: dict[str, Compute]
    has_flags: bool = True
    """Whether ``.ftz`` and ``.sat`` are legal."""

    @property
    def sign(self) -> Any:
        """The bit of the sign."""
        return self.bits.type(1 << 8 * self.bits.itemsize - 1)

    def flush(self, bits: Bits) -> Bits:
        """Return subnormal numbers as zeros of the same sign."""
        is_normal = bits & self.bits.type(self.exponent) != 0
        flushed: Bits = np.where(is_normal, bits, bits & self.sign)
        return flushed

    def round(self, values: Floats) -> Bits:
        """Return the bits of numbers rounded to nearest, ties to even; of NaN, all but the sign."""
        result: Bits = np.where(np.isnan(values), ~self.sign, self.encode(values))
        return result

    def compute(self, compute: Compute, words: list[Bits], modifiers: Set[str]) -> Bits:
        """Return the bits of a result with its modifiers; the operands are flushed already."""
        with np.errstate(all="ignore"):
            sources = [self.decode(x) for x in words]
            values = compute(*sources)
            if "NaN" in modifiers:
                values = np.where(np.isnan(sources[0]), sources[0], values)
                values = np.where(np.isnan(sources[1]), sources[1], values)
            values = _saturate(values) if "sat" in modifiers else values
            result = self.round(values)
        return self.flush(result) if "ftz" in modifiers else result


def _encode_single(values: Floats) -> Bits:
    return values.astype(np.float32, copy=False).view(np.uint32)


def _round_to_bits(values: Floats, digits: int, exponent: int) -> Floats:
    """Return numbers of so many binary digits, and infinity from ``2**exponent`` on.

    Subnormal numbers have the spacing of the smallest normal ones, from ``2**(2 - exponent)`` on.
    """
    _, magnitude = np.frexp(values)
    place = np.maximum(magnitude, 3 - exponent) - digits
    rounded = np.ldexp(np.rint(np.ldexp(values, -place)), place)
    is_infinite = np.abs(rounded) >= 2.0**exponent
    result: Floats = np.where(is_infinite, np.copysign(np.inf, values), rounded)
    return result


def _encode_half(values: Floats) -> Bits:
    return _round_to_bits(values, 11, 16).astype(np.float16).view(np.uint16)


def _encode_brain(values: Floats) -> Bits:
    words = _encode_single(_round_to_bits(values, 8, 128))
    return (words >> np.uint32(16)).astype(np.uint16)


_SINGLE = _FloatType(
    np.dtype(np.uint32), lambda x: x.view(np.float32), _encode_single, 0x7F800000, _OPERATIONS
)
_HALF = _FloatType(
    np.dtype(np.uint16),
    lambda x: x.view(np.float16).astype(np.float64),
    _encode_half,
    0x7C00,
    _HALF_OPERATIONS,
)
_BRAIN = _FloatType(
    np.dtype(np.uint16),
    lambda x: (x.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64),
    _encode_brain,
    0x7F80,
    _HALF_OPERATIONS,
    has_flags=False,
)
_FLOAT_TYPES = {"f32": _SINGLE, "f16": _HALF, "f16x2": _HALF, "bf16": _BRAIN, "bf16x2": _BRAIN}


# --- steps -------------------------------------------------------------------------------


def _list_flags(opcode: str, type_: _FloatType) -> frozenset[str]:
    """Return the modifiers that an operation may have, except its type."""
    if opcode in _EXTREMA:
        return frozenset(("NaN", "ftz") if type_.has_flags else ("NaN",))
    return frozenset(("rn", "ftz", "sat") if type_.has_flags else ("rn",))


def make_float_step(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of arithmetic on floats; None for anything else."""
    opcode, operands = statement.opcode, statement.operands
    *flags, name = statement.modifiers or ("",)
    type_, modifiers = _FLOAT_TYPES.get(name), set(flags)
    if type_ is None or not modifiers <= _list_flags(opcode, type_):
        return None
    if opcode in _NEED_ROUNDING and "rn" not in modifiers:
        return None
    compute = type_.operations.get(opcode)
    changes_sign = opcode in _SIGN_OPERATIONS and type_ is _SINGLE
    count = _OPERAND_COUNTS.get(opcode, 2)
    if len(operands) != count + 1 or not (compute or changes_sign):
        return None
    takes_literals = type_ is _SINGLE
    found = [
        frame.find_source(x, name)
        for x in operands[1:]
        if takes_literals or isinstance(x, RegisterOperand)
    ]
    dtype = np.dtype(f"u{TYPE_BITS[name] // 8}")
    sources = [x for x in found if x is not None and x.bits.dtype == dtype]
    if len(sources) < count or not isinstance(operands[0], RegisterOperand):
        return None
    destination = frame.get_register(operands[0].name)

    def act(group: ThreadGroup) -> None:
        words = _read_lanes(type_, sources, modifiers)
        if compute:
            result = type_.compute(compute, words, modifiers)
        else:
            sign = type_.sign
            result = words[0] & ~sign if opcode == "abs" else words[0] ^ sign
        write_values(destination, result.view(dtype), group, unite_causes(sources))

    fusible = frame.state.get_fusible_products(frame.function)
    if products := fusible.sums.get(id(statement)):
        return _make_fusible_sum(frame, statement, act, sources, destination, products)
    if id(statement) in fusible.products:
        return _make_fusible_product(frame, statement, act, sources)
    return act


def _read_lanes(type_: _FloatType, sources: list[ThreadValues], modifiers: Set[str]) -> list[Bits]:
    """Return the lanes of all threads, one after the other, flushed if they are to be."""
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
    """Return the step of a sum that is unknown where it would differ if it were fused."""
    state, modifiers = frame.state, frozenset(statement.modifiers)
    line, name = products[0].statement.line, statement.modifiers[-1]
    type_ = _FLOAT_TYPES[name]
    sign = type_.sign
    reason = f"ptxas may fuse it with mul.{name} of line {line}, since neither has .rn"
    cause = state.fidelity.get_cause(statement, reason)

    def find_fused(words: list[Bits], x: FusibleProduct) -> tuple[Bits, Bits]:
        """Return the fused sum, and where the operand still is the product."""
        factors = _read_lanes(type_, state.factors[id(x.statement)], modifiers)
        product = type_.compute(np.multiply, factors, modifiers - {"sat"})
        a, b, c = *factors, words[1 - x.place]
        if statement.opcode == "sub":
            a, c = (a ^ sign, c) if x.place else (a, c ^ sign)
        return type_.compute(_fuse, [a, b, c], modifiers), product == words[x.place]

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

_ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}


def make_float_conversion(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``cvt`` between f32 and an integer or a half, or f32 to f32 or f64.

    None for others.
    """
    if len(statement.modifiers) < 2:
        return None
    *modifiers, target_type, source_type = statement.modifiers
    operand, *operands = statement.operands
    if "f32" not in (target_type, source_type) or len(operands) != 1 + target_type.endswith("x2"):
        return None
    found = [frame.find_source(x, source_type) for x in operands]
    sources = [x for x in found if x is not None]
    if len(sources) < len(operands) or not isinstance(operand, RegisterOperand):
        return None
    flags = {x for x in modifiers if x in ("ftz", "sat")}
    roundings = [x for x in modifiers if x not in flags]
    convert = _find_conversion(target_type, source_type, roundings, flags)
    if convert is None:
        return None
    destination = frame.get_register(operand.name)
    nan_cause = np.uint64(0)
    if target_type == "f64" or source_type == "bf16":
        nan_cause = frame.state.fidelity.get_cause(statement, "no manual says which NaN it gives")

    def act(group: ThreadGroup) -> None:
        with np.errstate(all="ignore"):
            bits = convert(*(x.bits for x in sources)).astype(destination.bits.dtype, copy=False)
        causes = unite_causes(sources)
        if nan_cause:
            is_nan = np.isnan(_FLOAT_TYPES[source_type].decode(sources[0].bits))
            nan_causes = np.where(is_nan, nan_cause, np.uint64(0))
            causes = nan_causes if causes is None else causes | nan_causes
        write_values(destination, bits, group, causes)

    return act


def _find_conversion(
    target_type: str, source_type: str, roundings: list[str], flags: set[str]
) -> Callable[..., Bits] | None:
    """Return a function of the registers' bits; signed results are as wide as 64 bits."""
    half = next((x for x in (target_type, source_type) if x in _FLOAT_TYPES and x != "f32"), "")
    if half:
        is_legal = (not flags or half == "f16") and not source_type.endswith("x2")
        if not is_legal or roundings != (["rn"] if half == target_type else []):
            return None
        return _make_half_conversion(_FLOAT_TYPES[source_type], _FLOAT_TYPES[target_type], flags)
    if source_type[0] in "us" and target_type == "f32":
        return _make_conversion_to_float(source_type, flags) if roundings == ["rn"] else None
    if source_type != "f32":
        return None
    rounding = next((_ROUNDINGS[x] for x in roundings if x in _ROUNDINGS), None)
    if target_type[0] in "us" and rounding:
        return _make_conversion_to_integer(target_type, rounding, flags)
    if target_type == "f32" and (rounding or not roundings):
        return _make_float_rounding(rounding, flags)
    if target_type == "f64" and not roundings and flags <= {"ftz"}:
        return lambda bits: _widen(_SINGLE.flush(bits) if flags else bits)
    return None


def _make_half_conversion(
    source: _FloatType, target: _FloatType, flags: set[str]
) -> Callable[..., Bits]:
    """Return the conversion between f32 and a half, or of two f32 to the high and the low half."""

    def convert_one(bits: Bits) -> Bits:
        words = source.flush(bits) if source is _SINGLE and "ftz" in flags else bits
        values = source.decode(words).astype(np.float64)
        values = _saturate(values) if "sat" in flags else values
        return target.round(values)

    def convert(*words: Bits) -> Bits:
        high, *low = map(convert_one, words)
        return high.astype(np.uint32) << np.uint32(16) | low[0] if low else high

    return convert


def _widen(bits: Bits) -> Bits:
    return bits.view(np.float32).astype(np.float64).view(np.uint64)


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
        words = _SINGLE.flush(bits) if "ftz" in flags else bits
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
        words = _SINGLE.flush(bits) if "ftz" in flags else bits
        values = words.view(np.float32)
        if rounding:
            values = rounding(values)
        if "sat" in flags:
            values = _saturate(values)
        return _SINGLE.round(values)

    return convert
