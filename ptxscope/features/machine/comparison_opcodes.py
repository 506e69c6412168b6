"""Opcodes that compare integers and floats, or convert to floats."""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from ...engine.isa.types import WORD_BITS
from ...engine.micro_operations.arithmetic import V, fill
from ...engine.micro_operations.counts import CountLeadingZeros
from .machine_instruction import OperandKind
from .machine_step import MASK, PAIR_BITS, MachineStep, Opcode, make_opcode

Match = re.Match[str]


class _FloatFormat(NamedTuple):
    bits: int
    fraction_bits: int
    one: int
    """The pattern of 1.0."""

    @property
    def infinity(self) -> int:
        """The pattern of infinity; those above it, up to the sign, are NaNs."""
        return (1 << self.bits - 1) - (1 << self.fraction_bits)


_SINGLE = _FloatFormat(32, 23, 0x3F800000)
_DOUBLE = _FloatFormat(64, 52, 0x3FF0000000000000)
_HALF = _FloatFormat(16, 10, 0x3C00)
_BFLOAT = _FloatFormat(16, 7, 0x3F80)
_RELATIONS = "EQ|NE|LT|LE|GT|GE"


def _compare(s: MachineStep[V], relation: str, x: V, y: V) -> V:
    """Return 1 if a relation of two exact numbers holds, else 0."""
    ar = s.ar
    match relation:
        case "EQ":
            return ar.equal(x, y)
        case "NE":
            return s.negate(ar.equal(x, y))
        case "LT":
            return ar.less(x, y)
        case "GE":
            return s.negate(ar.less(x, y))
        case "GT":
            return ar.less(y, x)
        case _:
            return s.negate(ar.less(y, x))


def _combine(s: MachineStep[V], operator: str, x: V, y: V) -> V:
    ar = s.ar
    combine = {"AND": ar.bitand, "OR": ar.bitor, "XOR": ar.bitxor}[operator]
    return combine(x, y)


def _write_truths(s: MachineStep[V], match: Match, truth: V, index: int) -> None:
    """Write a truth, and its opposite, each combined with the predicate at an index."""
    other, operator = s.read_truth(index), match["bool"]
    s.write_truth(_combine(s, operator, truth, other), 0)
    if not s.outputs[1].is_sink:
        s.write_truth(_combine(s, operator, s.negate(truth), other), 1)


def _compare_integers(s: MachineStep[V], match: Match) -> None:
    """A comparison of words or pairs; with ``.EX`` of high words after that of the low ones."""
    bits = int(match["bits"] or WORD_BITS)
    is_extended = bool(match["ex"])
    s.expect_sources(4 if is_extended else 3)
    a, b = (s.read_typed(index, bits, match["sign"] != "U") for index in range(2))
    truth = _compare(s, match["cmp"], a, b)
    if is_extended:
        truth = s.ar.where(s.ar.equal(a, b), s.read_truth(3), truth)
    _write_truths(s, match, truth, 2)


def _read_float(s: MachineStep[V], index: int, format_: _FloatFormat) -> V:
    """Return the pattern of a float with its sign; of halves, both."""
    x = s.get_source(index)
    if x.sign not in ("", "-"):
        raise s.refuse("a sign before a float")
    if x.kind is OperandKind.FLOAT:
        return s.lift(_parse_float(s, x.text, format_))
    is_half = format_.bits < WORD_BITS
    pattern = s.read_halves(index) if is_half else s.read_bits_of_signed(index, format_.bits)
    return s.ar.bitxor(pattern, 1 << format_.bits - 1) if x.sign else pattern


def _parse_float(s: MachineStep[V], text: str, format_: _FloatFormat) -> int:
    """Return the pattern of a number that is written as a decimal; of 64 bits 32 are written."""
    if format_ not in (_SINGLE, _DOUBLE) or text.strip("+-") in ("QNAN", "SNAN"):
        raise s.refuse("a constant that is not modelled")
    number = float(text.replace("INF", "inf"))
    pattern = int.from_bytes(struct.pack(">f" if format_ is _SINGLE else ">d", number))
    if format_ is _DOUBLE and pattern & MASK:
        raise s.refuse("a constant of more than 32 bits")
    return pattern


def _get_magnitude(s: MachineStep[V], pattern: V, format_: _FloatFormat, is_flushed: bool) -> V:
    """Return a float's pattern without its sign; 0 for a subnormal that is flushed."""
    magnitude = s.ar.bitand(pattern, (1 << format_.bits - 1) - 1)
    if is_flushed:
        is_small = s.ar.less(magnitude, 1 << format_.fraction_bits)
        magnitude = s.ar.where(is_small, fill(s.ar, magnitude, 0), magnitude)
    return magnitude


def _compare_floats(s: MachineStep[V], match: Match, format_: _FloatFormat) -> V:
    """Return a comparison of two floats. ``U`` at its end: it holds with a NaN, too."""
    ar, relation = s.ar, match["cmp"]
    patterns = [_read_float(s, index, format_) for index in range(2)]
    is_flushed = "ftz" in match.groupdict() and bool(match["ftz"])
    sizes = [_get_magnitude(s, x, format_, is_flushed) for x in patterns]
    is_nan = ar.bitor(*(s.is_at_least(x, format_.infinity + 1) for x in sizes))
    if relation in ("NAN", "NUM"):
        return is_nan if relation == "NAN" else s.negate(is_nan)
    numbers = [
        ar.where(s.is_at_least(pattern, 1 << format_.bits - 1), ar.negative(size), size)
        for pattern, size in zip(patterns, sizes, strict=True)
    ]
    truth = _compare(s, relation.removesuffix("U"), numbers[0], numbers[1])
    if relation.endswith("U"):
        return ar.bitor(truth, is_nan)
    return ar.bitand(truth, s.negate(is_nan))


def _set_predicate_by_floats(s: MachineStep[V], match: Match) -> None:
    """A comparison of floats as a predicate."""
    s.expect_sources(3)
    format_ = _DOUBLE if match["type"] == "D" else _SINGLE
    _write_truths(s, match, _compare_floats(s, match, format_), 2)


def _set_word_by_floats(s: MachineStep[V], match: Match) -> None:
    """A comparison of floats as all ones, or with ``.BF`` as 1.0; else 0."""
    s.expect_sources(3)
    truth = _compare_floats(s, match, _SINGLE)
    truth = _combine(s, match["bool"], truth, s.read_truth(2))
    s.write_word(s.ar.multiply(truth, _SINGLE.one if match["float"] else MASK))


def _compare_halves(s: MachineStep[V], match: Match) -> V:
    """Return a comparison of each half-word, combined with a predicate."""
    s.expect_sources(3)
    truths = _compare_floats(s, match, _BFLOAT if match["bfloat"] else _HALF)
    other = s.ar.gather((s.read_truth(2),), 1, ((0, 0), (0, 0)))
    return _combine(s, match["bool"], truths, other)


def _set_word_by_halves(s: MachineStep[V], match: Match) -> None:
    """A comparison of each half-word as all ones, or with ``.BF`` as 1.0; else 0."""
    truths = _compare_halves(s, match)
    one = (_BFLOAT if match["bfloat"] else _HALF).one
    s.write_word(s.ar.pack(s.ar.multiply(truths, one if match["float"] else 0xFFFF), 16))


def _set_predicates_by_halves(s: MachineStep[V], match: Match) -> None:
    """A comparison of the low and of the high half-words as a predicate each."""
    truths = _compare_halves(s, match)
    for index, x in enumerate(s.outputs):
        if not x.is_sink:
            s.write_truth(s.ar.sum_lanes(truths, (index,), 2), index)


def _flush(s: MachineStep[V], _: Match) -> None:
    """a + -0 or -0 + a: a subnormal becomes a zero of its sign, a NaN 7fffffff."""
    s.expect_sources(2)
    zero = next((index for index in (1, 0) if s.is_sink(index, "-")), None)
    if zero is None:
        raise s.refuse("arithmetic on floats")
    pattern = _read_float(s, 1 - zero, _SINGLE)
    magnitude = _get_magnitude(s, pattern, _SINGLE, is_flushed=True)
    sign = s.ar.bitand(pattern, 1 << 31)
    is_nan = s.is_at_least(magnitude, _SINGLE.infinity + 1)
    s.write_word(s.ar.where(is_nan, s.lift(0x7FFFFFFF), s.ar.bitor(sign, magnitude)))


def _convert_to_float(s: MachineStep[V], match: Match) -> None:
    """An integer as f32, to nearest even."""
    s.write_word(s.ar.float_bits(_read_integer(s, match)))


def _read_integer(s: MachineStep[V], match: Match) -> V:
    """Return the number that is converted, of up to 32 bits."""
    s.expect_sources(1)
    bits, signed = int(match["bits"] or WORD_BITS), match["sign"] != "U"
    if bits == PAIR_BITS:
        raise s.refuse("an integer of 64 bits")
    return s.ar.cast(s.read_bits(0), bits, signed)


def _convert_to_half(s: MachineStep[V], match: Match) -> None:
    """An integer as f16 or bf16, to nearest even; a too large one is infinity."""
    format_, ar = _BFLOAT if match["bfloat"] else _HALF, s.ar
    digits = format_.fraction_bits + 1
    number = _read_integer(s, match)
    size = ar.absolute(number)
    length = ar.add(ar.negative(CountLeadingZeros(WORD_BITS).run(ar, size)), WORD_BITS)
    # the first digits, rounded: half of the last one is added, less a little if it would be even
    cut = ar.maximum(ar.add(length, -digits), 0)
    last = ar.bitand(ar.shift_right(size, cut), 1)
    unit = ar.shift_left(fill(ar, size, 1), cut)
    room = ar.add(ar.shift_right(unit, 1), ar.add(last, -1))
    rounded = ar.shift_right(ar.add(size, ar.maximum(room, 0)), cut)
    significand = ar.shift_left(rounded, ar.maximum(ar.add(ar.negative(length), digits), 0))
    # 1.0 in the significand's highest digit carries into the exponent
    exponent = ar.add(length, (format_.one >> format_.fraction_bits) - 2)
    pattern = ar.add(ar.multiply(exponent, 1 << format_.fraction_bits), significand)
    pattern = ar.where(ar.equal(size, 0), fill(ar, size, 0), pattern)
    sign = ar.multiply(ar.less(number, 0), 1 << format_.bits - 1)
    s.write_word(ar.add(ar.minimum(pattern, format_.infinity), sign))


_FLOAT_RELATIONS = "(?:EQ|NE|LT|LE|GT|GE)U?|NUM|NAN"
_BOOLEANS = "AND|OR|XOR"
_INTEGER = r"(?:\.(?P<sign>[US])(?P<bits>16|32|64))?"
_TWO_PREDICATES = "[PQ]{2}"
_HALF_COMPARISON = (
    r"(?P<bfloat>\.BF16_V2)?(?P<float>\.BF)?"
    rf"\.(?P<cmp>{_FLOAT_RELATIONS})(?P<ftz>\.FTZ)?\.(?P<bool>{_BOOLEANS})"
)
COMPARISON_OPCODES: tuple[Opcode, ...] = (
    make_opcode(
        rf"U?ISETP\.(?P<cmp>{_RELATIONS})(?:\.(?P<sign>[US])(?P<bits>32|64))?"
        rf"\.(?P<bool>{_BOOLEANS})(?P<ex>\.EX)?",
        _compare_integers,
        _TWO_PREDICATES,
    ),
    make_opcode(
        rf"(?P<type>[FD])SETP\.(?P<cmp>{_FLOAT_RELATIONS})(?P<ftz>\.FTZ)?\.(?P<bool>{_BOOLEANS})",
        _set_predicate_by_floats,
        _TWO_PREDICATES,
    ),
    make_opcode(
        rf"FSET(?P<float>\.BF)?\.(?P<cmp>{_FLOAT_RELATIONS})(?P<ftz>\.FTZ)?"
        rf"\.(?P<bool>{_BOOLEANS})",
        _set_word_by_floats,
    ),
    make_opcode(rf"HSET2{_HALF_COMPARISON}", _set_word_by_halves),
    make_opcode(rf"HSETP2{_HALF_COMPARISON}", _set_predicates_by_halves, _TWO_PREDICATES),
    make_opcode(r"FADD\.FTZ", _flush),
    make_opcode(rf"U?I2FP?(?:\.F32)?{_INTEGER}", _convert_to_float),
    make_opcode(rf"U?I2F\.(?P<bfloat>B)?F16{_INTEGER}", _convert_to_half),
)
"""The opcodes of comparisons and of conversions to floats."""
