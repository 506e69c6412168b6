"""Arithmetic on arrays of floats, and the sums that an assembler may fuse.

A sum is fused with a product if neither states a rounding. The product is not rounded then, and the
sum may have other bits (PTX ISA 9.7.3 and 9.7.4, ``add``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.program.statement_operands import RegisterOperand
from .float_operations import (
    DIRECTED_ROUNDINGS,
    FORMATS,
    FloatFormat,
    FloatOperation,
    compute_operation,
)
from .memory import Bits
from .register_names import iter_written_names
from .thread_blocks import find_thread_blocks

Floats = npt.NDArray[Any]
"""Numbers in binary32 or binary64."""


def _add_to_odd(a: Floats, b: Floats) -> Floats:
    """Return sums in binary64, rounded to odd: if they are rounded again, it is as if once."""
    total, error = _add_exactly(a, b)
    words = total.view(np.int64)
    is_moved = np.isfinite(total) & (error != 0) & (words & 1 == 0)
    step = np.where((error > 0) == (total > 0), 1, -1)
    odd: Floats = np.where(is_moved, words + step, words).view(np.float64)
    return odd


def fuse(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a * b + c, to be rounded once; the product is exact in binary64."""
    product = a.astype(np.float64) * b.astype(np.float64)
    return _add_to_odd(product, c.astype(np.float64))


def _add_exactly(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return sums in binary64, and their rounding errors."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _multiply_exactly(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return products in binary64, and their rounding errors (Dekker's algorithm)."""
    product = a * b
    parts = []
    for x in (a, b):
        shifted = x * 134217729.0  # 2^27 + 1
        high = shifted - (shifted - x)
        parts.append((high, x - high))
    (a_high, a_low), (b_high, b_low) = parts
    error = a_high * b_high - product + a_high * b_low + a_low * b_high
    return product, error + a_low * b_low


def _is_moderate(values: Floats, limit: int) -> npt.NDArray[np.bool_]:
    """Return whether numbers are from ``2**-limit`` to ``2**limit``."""
    magnitude = np.abs(values)
    moderate: npt.NDArray[np.bool_] = (magnitude >= 2.0**-limit) & (magnitude <= 2.0**limit)
    return moderate


def fuse_doubles(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a * b + c in binary64, rounded once (Boldo and Melquiond, 2008)."""
    a, b, c = np.broadcast_arrays(a, b, c)
    result: Floats = np.array(a * b + c)  # right if a factor is zero, or one is no number
    is_finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c) & (a != 0) & (b != 0)
    is_moderate = _is_moderate(a, 400) & _is_moderate(b, 400) & ((c == 0) | _is_moderate(c, 800))
    high, low = _multiply_exactly(a, b)
    inner, inner_error = _add_exactly(c, low)
    outer, outer_error = _add_exactly(high, inner)
    fused = outer + _add_to_odd(inner_error, outer_error)
    np.copyto(result, fused, where=is_finite & is_moderate)
    for lane in np.flatnonzero(is_finite & ~is_moderate):
        result[lane] = _fuse_one(float(a[lane]), float(b[lane]), float(c[lane]))
    return result


def _fuse_one(a: float, b: float, c: float) -> float:
    """Return a * b + c rounded once, by exact fractions."""
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return exact.numerator / exact.denominator  # which Python rounds to nearest
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


# --- types -------------------------------------------------------------------------------

Compute = Callable[..., Floats]
_OPERATIONS: dict[str, Compute] = {
    "abs": np.abs,
    "neg": np.negative,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "fma": fuse,
    "sqrt": np.sqrt,
}
_ODD_OPERATIONS: dict[str, Compute] = {
    **_OPERATIONS,
    "add": _add_to_odd,
    "sub": lambda a, b: _add_to_odd(a, -b),
}
_DOWNWARD_OPERATIONS: dict[str, Compute] = {  # the sum of x and -x is -0
    **_ODD_OPERATIONS,
    "add": lambda a, b: -_add_to_odd(-a, -b),
    "sub": lambda a, b: -_add_to_odd(-a, b),
    "fma": lambda a, b, c: -fuse(-a, b, -c),
}


class _ArrayOperations:
    """The methods of ``FloatArithmetic`` that are the same for all floats in arrays."""

    is_nan = staticmethod(np.isnan)
    is_negative = staticmethod(np.signbit)
    is_less = staticmethod(np.less)
    is_equal = staticmethod(np.equal)
    is_both = staticmethod(np.logical_and)
    choose = staticmethod(np.where)

    @staticmethod
    def is_any(*truths: Bits) -> Bits:
        """Return where one of some truths holds."""
        result: Bits = np.logical_or.reduce(truths)
        return result


@dataclass(frozen=True)
class FloatType(_ArrayOperations):
    """Floats in arrays, as the lanes of a register hold them."""

    format: FloatFormat
    bits: np.dtype[Any]
    """The array type of one lane."""
    decode: Callable[[Bits], Floats]
    encode: Callable[[Floats], Bits]
    """Rounds numbers."""
    operations: dict[str, Compute]

    @property
    def sign(self) -> Any:
        """The bit of the sign."""
        return self.bits.type(1 << self.format.bits - 1)

    def find_nans(self, bits: Bits) -> Bits:
        """Return where bits are a NaN."""
        is_nan: Bits = bits & ~self.sign > self.bits.type(self.format.infinity)
        return is_nan

    def flush(self, bits: Bits) -> Bits:
        """Return subnormal numbers as zeros of the same sign."""
        is_normal = bits & self.bits.type(self.format.infinity) != 0
        flushed: Bits = np.where(is_normal, bits, bits & self.sign)
        return flushed

    def round(self, values: Floats) -> Bits:
        """Return the bits of numbers, rounded; of NaN, all but the sign."""
        result: Bits = np.where(np.isnan(values), ~self.sign, self.encode(values))
        return result

    def compute(self, operation: FloatOperation, words: list[Bits]) -> Bits:
        """Return the bits of the results of an operation."""
        with np.errstate(all="ignore"):
            result: Bits = compute_operation(self, operation, words)
        return result

    def read(self, bits: Bits, *, is_flushed: bool) -> Floats:
        """Return the numbers of some bits, as ``FloatArithmetic`` has it."""
        return self.decode(self.flush(bits) if is_flushed else bits)

    def write(self, x: Floats, *, is_flushed: bool) -> Bits:
        """Return the bits of numbers, rounded and perhaps flushed."""
        bits = self.round(x)
        return self.flush(bits) if is_flushed else bits

    def apply(self, name: str, *args: Floats) -> Floats:
        """Return the results of an operation."""
        return self.operations[name](*args)

    def copy_sign(self, x: Bits, y: Bits) -> Bits:
        """Return the bits of y with the signs of x."""
        bits: Bits = x & self.sign | y & ~self.sign
        return bits

    def constant(self, value: int) -> Floats:
        """Return a small integer."""
        return self.decode(self.encode(np.array([value], np.float64)))


def _encode_single(values: Floats) -> Bits:
    return values.astype(np.float32, copy=False).view(np.uint32)


_LIMITS = {"rm": -np.inf, "rp": np.inf, "rz": 0}


def _make_directed_encoding(rounding: str) -> Callable[[Floats], Bits]:
    """Return the rounding of numbers in binary64 to binary32 in a direction."""
    limit = _LIMITS[rounding]

    def encode(values: Floats) -> Bits:
        nearest = values.astype(np.float32)
        target = np.full(nearest.shape, limit, np.float32)
        is_beyond = np.abs(nearest) > np.abs(values) if limit == 0 else (
            nearest > values if limit < 0 else nearest < values
        )  # fmt: skip
        directed: Floats = np.where(is_beyond, np.nextafter(nearest, target), nearest)
        return directed.view(np.uint32)

    return encode


def _round_to_bits(values: Floats, digits: int, exponent: int, rounding: str = "rn") -> Floats:
    """Return numbers rounded to a count of binary digits, and infinity from ``2**exponent`` on.

    Subnormal numbers have the spacing of the smallest normal ones, from ``2**(2 - exponent)`` on.
    """
    _, magnitude = np.frexp(values)
    place = np.maximum(magnitude, 3 - exponent) - digits
    round_ = np.rint if rounding == "rn" else np.trunc
    rounded = np.ldexp(round_(np.ldexp(values, -place)), place)
    is_infinite = np.abs(rounded) >= 2.0**exponent
    limit = np.full(rounded.shape, np.inf)
    if rounding == "rz":
        limit = np.where(np.isinf(values), np.inf, 2.0**exponent - 2.0 ** (exponent - digits))
    result: Floats = np.where(is_infinite, np.copysign(limit, values), rounded)
    return result


def _make_half_encoding(rounding: str) -> Callable[[Floats], Bits]:
    return lambda x: _round_to_bits(x, 11, 16, rounding).astype(np.float16).view(np.uint16)


def _make_brain_encoding(rounding: str) -> Callable[[Floats], Bits]:
    def encode(values: Floats) -> Bits:
        words = _encode_single(_round_to_bits(values, 8, 128, rounding))
        return (words >> np.uint32(16)).astype(np.uint16)

    return encode


def _decode_half(bits: Bits) -> Floats:
    return bits.view(np.float16).astype(np.float64)


def _decode_brain(bits: Bits) -> Floats:
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)


def _decode_wide_single(bits: Bits) -> Floats:
    return bits.view(np.float32).astype(np.float64)


_WORD, _PART = np.dtype(np.uint32), np.dtype(np.uint16)
SINGLE = FloatType(FORMATS["f32"], _WORD, lambda x: x.view(np.float32), _encode_single, _OPERATIONS)
DOUBLE = FloatType(
    FORMATS["f64"],
    np.dtype(np.uint64),
    lambda x: x.view(np.float64),
    lambda x: x.view(np.uint64),
    {**_OPERATIONS, "fma": fuse_doubles},
)
_PART_TYPES = {
    (name, rounding): FloatType(FORMATS[name], _PART, decode, make(rounding), _ODD_OPERATIONS)
    for name, decode, make in (
        ("f16", _decode_half, _make_half_encoding),
        ("bf16", _decode_brain, _make_brain_encoding),
    )
    for rounding in ("rn", "rz")
}
_TYPES = {
    ("f64", "rn"): DOUBLE,
    ("f32", "rn"): SINGLE,
    **{
        ("f32", x): FloatType(
            FORMATS["f32"],
            _WORD,
            _decode_wide_single,
            _make_directed_encoding(x),
            _DOWNWARD_OPERATIONS if x == "rm" else _ODD_OPERATIONS,
        )
        for x in DIRECTED_ROUNDINGS
    },
    **_PART_TYPES,
    **{(f"{name}x2", rounding): x for (name, rounding), x in _PART_TYPES.items()},
}


def find_float_type(name: str, rounding: str = "rn") -> FloatType:
    """Return the floats of a PTX type, with a rounding of their results."""
    return _TYPES[name, rounding]


# --- sums that an assembler may fuse with a product --------------------------------------

_ROUNDINGS = frozenset(("rn", "rz", "rm", "rp"))


class FusibleProduct(NamedTuple):
    """An operand of a sum, which a statement before it in its basic block computes."""

    statement: Statement
    place: int
    """0 if the product is the first operand of the sum, 1 if it is the second."""


class FusibleProducts(NamedTuple):
    """The sums and products of a function that may be fused."""

    sums: Mapping[int, tuple[FusibleProduct, ...]]
    """The products in each sum, by the id of its statement."""
    products: frozenset[int]
    """The ids of the statements that compute a product."""


def find_fusible_products(function: Program) -> FusibleProducts:
    """Return the sums of a function that may be fused with a product."""
    sums: dict[int, tuple[FusibleProduct, ...]] = {}
    for block in find_thread_blocks(function.statements, function.labels):
        products: dict[str, Statement] = {}
        for statement in function.statements[block.start : block.end]:
            if statement.opcode in ("add", "sub") and _has_free_rounding(statement):
                sums[id(statement)] = tuple(_iter_products(statement, products))
            names = list(iter_written_names(statement))
            for name in names:
                products.pop(name, None)
            is_product = statement.opcode == "mul" and _has_free_rounding(statement)
            if is_product and "sat" not in statement.modifiers and statement.guard is None:
                products |= dict.fromkeys(names, statement)
    return FusibleProducts(sums, frozenset(id(y.statement) for x in sums.values() for y in x))


def _has_free_rounding(statement: Statement) -> bool:
    """Whether a statement is arithmetic on floats that an assembler may round with another."""
    *flags, type_ = statement.modifiers or ("",)
    return type_ in FORMATS and not _ROUNDINGS.intersection(flags)


def _iter_products(
    statement: Statement, products: Mapping[str, Statement]
) -> Iterator[FusibleProduct]:
    for place, operand in enumerate(statement.operands[1:]):
        product = products.get(operand.name) if isinstance(operand, RegisterOperand) else None
        if product is None or product.modifiers[-1] != statement.modifiers[-1]:
            continue
        if ("ftz" in product.modifiers) == ("ftz" in statement.modifiers):
            yield FusibleProduct(product, place)
