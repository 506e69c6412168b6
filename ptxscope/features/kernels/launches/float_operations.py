"""The computation of a statement on floats, for any interpretation of its operations.

An interpretation is a ``FloatArithmetic``: arrays of numbers compute runs, terms of a solver prove.
A NaN that an operation yields is 0x7fffffff, or 0x7fff in 16 bits; of f64, and of ``abs`` and
``neg``, it is unspecified (PTX ISA 9.7.3, 9.7.4, 9.7.9.21).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol, TypeVar

from ....engine.program.statement import Statement

BitsT = TypeVar("BitsT")
FloatT = TypeVar("FloatT")
TruthT = TypeVar("TruthT")


class FloatFormat(NamedTuple):
    """The format of a float in a lane of a register."""

    bits: int
    fraction_bits: int
    has_flags: bool = True
    """Whether ``.ftz`` and ``.sat`` are legal."""
    has_known_nan: bool = True
    """Whether an operation yields one NaN."""

    @property
    def exponent_bits(self) -> int:
        """The bits of the exponent."""
        return self.bits - 1 - self.fraction_bits

    @property
    def infinity(self) -> int:
        """The bits of infinity."""
        return (1 << self.exponent_bits) - 1 << self.fraction_bits

    @property
    def nan(self) -> int:
        """The bits of the NaN that operations yield."""
        return (1 << self.bits - 1) - 1


_HALF = FloatFormat(16, 10)
_BRAIN = FloatFormat(16, 7, has_flags=False)
FORMATS: Mapping[str, FloatFormat] = {
    "f64": FloatFormat(64, 52, has_flags=False, has_known_nan=False),
    "f32": FloatFormat(32, 23),
    "f16": _HALF,
    "f16x2": _HALF,
    "bf16": _BRAIN,
    "bf16x2": _BRAIN,
}
"""The format of the lanes of each type."""
WIDE_TYPES = frozenset(("f32", "f64"))
"""The types of floats that literals may have."""


class FloatArithmetic(Protocol[BitsT, FloatT, TruthT]):
    """Operations on floats of one format, with one rounding."""

    def read(self, bits: BitsT, *, is_flushed: bool) -> FloatT:
        """Return the number of some bits; if it is flushed, zero for a subnormal one."""

    def write(self, x: FloatT, *, is_flushed: bool) -> BitsT:
        """Return the bits of a number, rounded; then it may be flushed."""

    def apply(self, name: str, *args: FloatT) -> FloatT:
        """Return ``add``, ``sub``, ``mul``, ``div``, ``fma``, ``sqrt``, ``abs`` or ``neg``."""

    def constant(self, value: int) -> FloatT:
        """Return a small integer."""

    def is_nan(self, x: FloatT) -> TruthT:
        """Whether it is a NaN."""

    def is_negative(self, x: FloatT) -> TruthT:
        """Whether its sign is negative."""

    def is_less(self, x: FloatT, y: FloatT) -> TruthT:
        """Whether x < y; false for a NaN."""

    def is_equal(self, x: FloatT, y: FloatT) -> TruthT:
        """Whether x = y; false for a NaN, true for two zeros."""

    def is_any(self, *truths: TruthT) -> TruthT:
        """Whether one of some truths holds."""

    def is_both(self, x: TruthT, y: TruthT) -> TruthT:
        """Whether both truths hold."""

    def choose(self, truth: TruthT, x: FloatT, y: FloatT) -> FloatT:
        """Return x where a truth holds, y elsewhere."""

    def copy_sign(self, x: BitsT, y: BitsT) -> BitsT:
        """Return the bits of y with the sign of x, whatever they are."""


Arithmetic = FloatArithmetic[Any, Any, Any]


# --- arithmetic --------------------------------------------------------------------------


def _find_minimum(ar: Arithmetic, a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, a number rather than a NaN, and -0 below +0."""
    is_first = ar.is_both(ar.is_equal(a, b), ar.is_negative(a))
    return ar.choose(ar.is_any(ar.is_less(a, b), is_first, ar.is_nan(b)), a, b)


def _find_maximum(ar: Arithmetic, a: Any, b: Any) -> Any:
    is_first = ar.is_both(ar.is_equal(a, b), ar.is_negative(b))
    return ar.choose(ar.is_any(ar.is_less(b, a), is_first, ar.is_nan(b)), a, b)


EXTREMA: Mapping[str, Callable[..., Any]] = {"min": _find_minimum, "max": _find_maximum}
_OTHER_NAMES = {"mad": "fma"}
_SIGN_OPCODES = frozenset(("abs", "neg"))
_OPERAND_COUNTS = {"fma": 3, "mad": 3, "abs": 1, "neg": 1, "rcp": 1, "sqrt": 1}
"""The number of sources, if it is not two."""
_NEED_ROUNDING = frozenset(("div", "fma", "mad", "rcp", "sqrt"))
"""The opcodes that are approximations without ``.rn``."""
_SUMS = frozenset(("add", "sub", "mul", "fma"))
"""The operations of all types."""
_NEAREST = frozenset(("rn",))
DIRECTED_ROUNDINGS = frozenset(("rz", "rm", "rp"))


class FloatOperation(NamedTuple):
    """The operation of a statement."""

    opcode: str
    type: str
    """``f16x2``; its lanes have the format."""
    modifiers: frozenset[str] = frozenset()
    """``ftz``, ``sat``, ``NaN``."""
    rounding: str = "rn"

    @property
    def format(self) -> FloatFormat:
        """The format of each lane."""
        return FORMATS[self.type]

    @property
    def source_count(self) -> int:
        """The number of operands that it reads."""
        return _OPERAND_COUNTS.get(self.opcode, 2)

    @property
    def has_known_nan(self) -> bool:
        """Whether it yields one NaN."""
        if self.opcode == "copysign":
            return True
        return self.format.has_known_nan and self.opcode not in _SIGN_OPCODES


def read_float_operation(statement: Statement) -> FloatOperation | None:
    """Return the operation of a statement, or None if it is not modelled."""
    opcode = statement.opcode
    *flags, name = statement.modifiers or ("",)
    format_ = FORMATS.get(name)
    if format_ is None or not (opcode in EXTREMA or opcode in _SIGN_OPCODES or opcode in _SUMS or (
        name in WIDE_TYPES and (opcode in _NEED_ROUNDING or opcode == "copysign"))):  # fmt: skip
        return None
    if opcode == "copysign":
        return None if flags else FloatOperation(opcode, name)
    allowed = {"ftz"} if format_.has_flags else set()
    roundings: Set[str] = frozenset()
    if opcode in EXTREMA:
        allowed.add("NaN")
    elif opcode not in _SIGN_OPCODES:
        allowed |= {"sat"} if format_.has_flags else set()
        has_all = name == "f32" and _OTHER_NAMES.get(opcode, opcode) in _SUMS
        allowed_roundings = _NEAREST | DIRECTED_ROUNDINGS if has_all else _NEAREST
        roundings = allowed_roundings & {*flags}
    lacks_rounding = opcode in _NEED_ROUNDING and not roundings
    if lacks_rounding or len(roundings) > 1 or not {*flags} <= allowed | roundings:
        return None
    rounding = next(iter(roundings), "rn")
    return FloatOperation(opcode, name, frozenset(flags) - roundings, rounding)


def saturate(ar: Arithmetic, x: Any) -> Any:
    """Return a number clamped to 0 to 1; a NaN becomes 0."""
    zero, one = ar.constant(0), ar.constant(1)
    return ar.choose(ar.is_less(zero, x), ar.choose(ar.is_less(one, x), one, x), zero)


def compute_operation(ar: Arithmetic, operation: FloatOperation, words: Sequence[Any]) -> Any:
    """Return the bits of the result of an operation in one lane."""
    opcode, modifiers = operation.opcode, operation.modifiers
    if opcode == "copysign":
        return ar.copy_sign(*words)
    is_flushed = "ftz" in modifiers
    sources = [ar.read(x, is_flushed=is_flushed) for x in words]
    if opcode in EXTREMA:
        value = EXTREMA[opcode](ar, *sources)
    elif opcode == "rcp":
        value = ar.apply("div", ar.constant(1), *sources)
    else:
        value = ar.apply(_OTHER_NAMES.get(opcode, opcode), *sources)
    if "NaN" in modifiers:
        for x in sources:
            value = ar.choose(ar.is_nan(x), x, value)
    if "sat" in modifiers:
        value = saturate(ar, value)
    return ar.write(value, is_flushed=is_flushed)


# --- conversions -------------------------------------------------------------------------

INTEGER_ROUNDINGS = frozenset(("rni", "rzi", "rmi", "rpi"))
SMALL_FORMATS: Mapping[str, tuple[int, int, int]] = {"e4m3x2": (7, 8, 0x7F), "e5m2x2": (8, 0, 0x7D)}
"""Formats of 8 bits: a shift that makes f16 of the bits, a power of two, and the first NaN."""


class FloatConversion(NamedTuple):
    """A ``cvt`` from or to floats."""

    target: str
    source: str
    rounding: str
    """``rn``, ``rzi``; empty if the result is exact."""
    modifiers: frozenset[str]
    """``ftz`` and ``sat``."""

    @property
    def source_count(self) -> int:
        """The number of operands that it reads: two f32 become a pair of halves."""
        is_pair = self.target.endswith("x2") and not self.source.endswith("x2")
        return 2 if is_pair else 1

    @property
    def has_known_nan(self) -> bool:
        """Whether the manual says which NaN it yields."""
        return (self.target, self.source) != ("f64", "f32") and self.source != "bf16"


def read_float_conversion(statement: Statement) -> FloatConversion | None:
    """Return the conversion of a ``cvt``, or None if it is not modelled."""
    *others, target, source = ("", "", *statement.modifiers)
    modifiers = frozenset(x for x in others if x in ("ftz", "sat"))
    roundings = [x for x in others if x and x not in modifiers]
    conversion = FloatConversion(target, source, "".join(roundings), modifiers)
    return conversion if len(roundings) <= 1 and _is_modelled(conversion) else None


def _is_integer(type_: str) -> bool:
    return type_[:1] in ("u", "s") and type_[1:] in ("8", "16", "32", "64")


def _is_modelled(x: FloatConversion) -> bool:
    target, source, rounding, modifiers = x
    types = {target, source}
    if source in SMALL_FORMATS:
        return target == "f16x2" and rounding == "rn" and not modifiers
    if source.endswith("x2") or not types & FORMATS.keys():
        return False
    if "ftz" in modifiers and "f32" not in types:
        return False
    has_brain = bool(types & {"bf16", "bf16x2"})
    if "f64" in types and ("sat" in modifiers or types & {"f16", "f16x2", "bf16", "bf16x2"}):
        return False
    if _is_integer(source):
        if target.endswith("x2") or has_brain:
            return False
        is_small = target != "f64" and source[1:] != "64"
        return rounding == "rn" or (target == "f32" and is_small and rounding in DIRECTED_ROUNDINGS)
    if source not in FORMATS:
        return False
    if _is_integer(target):
        return rounding in INTEGER_ROUNDINGS and not has_brain and (
            source != "f16" or not modifiers)  # fmt: skip
    if target not in FORMATS or (has_brain and modifiers):
        return False
    if target == source:
        return target == "f32" and (not rounding or rounding in INTEGER_ROUNDINGS)
    if source in ("f16", "bf16"):
        return target == "f32" and not rounding
    if source == "f64":
        return target == "f32" and rounding == "rn" and not modifiers
    if target == "f64":
        return not rounding and modifiers <= {"ftz"}
    return rounding in ("rn", "rz")
