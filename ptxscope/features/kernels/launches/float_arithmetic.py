"""Arithmetic on floats rounded to nearest, and the sums that an assembler may fuse.

A sum is fused with a product if neither states a rounding. The product is not rounded then, and the
sum may have other bits (PTX ISA 9.7.3 and 9.7.4, ``add``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Set
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.program.statement_operands import RegisterOperand
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


def _find_minimum(a: Floats, b: Floats) -> Floats:
    """Return the smaller of two numbers, a number rather than a NaN, and -0 below +0."""
    is_a = (a < b) | ((a == b) & np.signbit(a)) | np.isnan(b)
    chosen: Floats = np.where(is_a, a, b)
    return chosen


def _find_maximum(a: Floats, b: Floats) -> Floats:
    is_a = (a > b) | ((a == b) & np.signbit(b)) | np.isnan(b)
    chosen: Floats = np.where(is_a, a, b)
    return chosen


def saturate(values: Floats) -> Floats:
    """Return numbers clamped to 0 to 1; a NaN becomes 0."""
    clamped: Floats = np.where(values > 0, np.minimum(values, 1), 0).astype(values.dtype)
    return clamped


# --- types -------------------------------------------------------------------------------

Compute = Callable[..., Floats]
EXTREMA: dict[str, Compute] = {"min": _find_minimum, "max": _find_maximum}
_OPERATIONS: dict[str, Compute] = {
    **EXTREMA,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "fma": fuse,
    "mad": fuse,
    "rcp": lambda a: np.float32(1) / a,
    "sqrt": np.sqrt,
}
_DOUBLE_OPERATIONS: dict[str, Compute] = {
    **_OPERATIONS,
    "fma": fuse_doubles,
    "mad": fuse_doubles,
    "rcp": lambda a: 1 / a,
}
_HALF_OPERATIONS: dict[str, Compute] = {
    **EXTREMA,
    "add": _add_to_odd,
    "sub": lambda a, b: _add_to_odd(a, -b),
    "mul": np.multiply,
    "fma": fuse,
}


class FloatType(NamedTuple):
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
    has_known_nan: bool = True
    """Whether an operation yields one NaN, as of all types but f64, which has payloads."""

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
            values = saturate(values) if "sat" in modifiers else values
            result = self.round(values)
        return self.flush(result) if "ftz" in modifiers else result


def _encode_single(values: Floats) -> Bits:
    return values.astype(np.float32, copy=False).view(np.uint32)


def _round_to_bits(values: Floats, digits: int, exponent: int) -> Floats:
    """Return numbers rounded to a count of binary digits, and infinity from ``2**exponent`` on.

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


SINGLE = FloatType(
    np.dtype(np.uint32), lambda x: x.view(np.float32), _encode_single, 0x7F800000, _OPERATIONS
)
_HALF = FloatType(
    np.dtype(np.uint16),
    lambda x: x.view(np.float16).astype(np.float64),
    _encode_half,
    0x7C00,
    _HALF_OPERATIONS,
)
_BRAIN = FloatType(
    np.dtype(np.uint16),
    lambda x: (x.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64),
    _encode_brain,
    0x7F80,
    _HALF_OPERATIONS,
    has_flags=False,
)
DOUBLE = FloatType(
    np.dtype(np.uint64),
    lambda x: x.view(np.float64),
    lambda x: x.view(np.uint64),
    0x7FF0000000000000,
    _DOUBLE_OPERATIONS,
    has_flags=False,
    has_known_nan=False,
)
FLOAT_TYPES = {
    "f64": DOUBLE,
    "f32": SINGLE,
    "f16": _HALF,
    "f16x2": _HALF,
    "bf16": _BRAIN,
    "bf16x2": _BRAIN,
}


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
    return type_ in FLOAT_TYPES and not _ROUNDINGS.intersection(flags)


def _iter_products(
    statement: Statement, products: Mapping[str, Statement]
) -> Iterator[FusibleProduct]:
    for place, operand in enumerate(statement.operands[1:]):
        product = products.get(operand.name) if isinstance(operand, RegisterOperand) else None
        if product is None or product.modifiers[-1] != statement.modifiers[-1]:
            continue
        if ("ftz" in product.modifiers) == ("ftz" in statement.modifiers):
            yield FusibleProduct(product, place)
