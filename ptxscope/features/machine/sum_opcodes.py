"""Opcodes that add and multiply integers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from ...engine.isa.types import WORD_BITS
from ...engine.micro_operations.arithmetic import V
from ...engine.micro_operations.bitwise import JoinFields
from .machine_step import PAIR_BITS, WORD, MachineStep, Opcode, make_opcode

Match = re.Match[str]


def _add(s: MachineStep[V], match: Match, count: int, bits: int) -> None:
    """The sum of so many numbers, with up to ``count - 1`` carries, which ``.X`` adds.

    A negated source is ~x + 1, of which the 1 counts in the carry.
    """
    ar = s.ar
    s.expect_sources(*(range(count + 1, 2 * count) if match["x"] else (count,)))
    total = carry_total = None
    for index in range(count):
        x = s.read_number(index, bits)
        total = x if total is None else ar.add(total, x)
        if len(s.outputs) > 1:
            if s.get_source(index).sign == "-":
                x = ar.add(s.invert(s.read_bits_of_signed(index, bits), bits), 1)
            carry_total = x if carry_total is None else ar.add(carry_total, x)
    assert total is not None
    for index in range(count, len(s.sources)):
        total = ar.add(total, s.read_truth(index))
        if carry_total is not None:
            carry_total = ar.add(carry_total, s.read_truth(index))
    (s.write_word if bits == WORD_BITS else s.write_pair)(total)
    if carry_total is not None:
        for index in range(1, len(s.outputs)):
            s.write_truth(s.is_at_least(carry_total, index << bits), index)


def _add_saturated(s: MachineStep[V], _: Match) -> None:
    """a + b or a - b of exact signed numbers, clamped to a signed word."""
    s.expect_sources(2)
    total = s.lift(0)
    for index in range(2):
        x, sign = s.read_bits_of_signed(index), s.get_source(index).sign
        if sign not in ("", "-"):
            raise s.refuse("an inverted number")
        x = s.ar.cast(x, WORD_BITS, signed=True)
        total = s.ar.add(total, s.ar.negative(x) if sign else x)
    s.write_word(_clamp(s, total, WORD_BITS, signed=True))


def _split(s: MachineStep[V], index: int, unit: int, signed: bool) -> V:
    """Return the bytes or half-words of a source, without a sign, as lanes."""
    lanes = _gather_lanes(s, s.read_bits(index), unit)
    return s.ar.cast(lanes, unit, signed=True) if signed else lanes


def _gather_lanes(s: MachineStep[V], word: V, unit: int) -> V:
    """Return the bytes or half-words of a word as lanes, unsigned."""
    return s.ar.gather((word,), unit, tuple((0, part) for part in range(WORD_BITS // unit)))


def _join(s: MachineStep[V], lanes: V, unit: int) -> V:
    """Return the word of lanes, each cut to its width."""
    return s.ar.pack(s.ar.cast(lanes, unit, signed=False), unit)


def _add_lanes(s: MachineStep[V], match: Match) -> None:
    """a + b or a - b in each byte or half-word, without carries between them."""
    s.expect_sources(2)
    unit = int(match["unit"])
    lanes = []
    for index in range(2):
        x, sign = _gather_lanes(s, s.read_bits_of_signed(index), unit), s.get_source(index).sign
        lanes.append(s.ar.negative(x) if sign == "-" else x)
        if sign not in ("", "-"):
            raise s.refuse("inverted lanes")
    s.write_word(_join(s, s.ar.add(*lanes), unit))


def _bound_lanes(s: MachineStep[V], match: Match) -> None:
    """The minimum of each lane, or the maximum if the predicate is false; 0 if below ``.RELU``."""
    s.expect_sources(3)
    unit, signed = int(match["unit"]), match["sign"] == "S"
    a, b = (_split(s, index, unit, signed) for index in range(2))
    bounds = [bound(a, b) for bound in (s.ar.minimum, s.ar.maximum)]
    if match["relu"]:
        bounds = [s.ar.maximum(x, 0) for x in bounds]
    low, high = (_join(s, x, unit) for x in bounds)
    s.write_word(s.ar.where(s.read_truth(2), low, high))


def _multiply(s: MachineStep[V], match: Match) -> None:
    """a * b + c; ``.MOV``, ``.IADD`` and ``.SHL`` are spellings of it, ``.X`` adds a carry."""
    is_extended = bool(match["x"])
    s.expect_sources(4 if is_extended else 3)
    total = s.read_number(2)
    if not (s.is_zero(0) or s.is_zero(1)):
        a, b = s.read_signed(0), s.read_signed(1)
        total = s.ar.add(a if s.is_one(1) else s.ar.multiply(a, b), total)
    if is_extended:
        total = s.ar.add(total, s.read_truth(3))
    s.write_word(total)


def _multiply_high(s: MachineStep[V], match: Match) -> None:
    """Bits 32 to 63 of a * b + c; c is a pair."""
    s.write_word(s.ar.shift_right(_add_to_product(s, match), WORD_BITS))


def _multiply_wide(s: MachineStep[V], match: Match) -> None:
    """a * b + c in 64 bits; c is a pair, and ``.X`` adds a carry."""
    s.write_pair(_add_to_product(s, match))


def _add_to_product(s: MachineStep[V], match: Match) -> V:
    """Return a * b + c, equal modulo 2**64, and write the carry of that sum of pairs."""
    is_extended = "x" in match.groupdict() and bool(match["x"])
    s.expect_sources(4 if is_extended else 3)
    ar, signed = s.ar, not match["unsigned"]
    total = ar.multiply(*(s.read_typed(index, WORD_BITS, signed) for index in range(2)))
    if len(s.outputs) > 1:
        total = ar.cast(total, PAIR_BITS, signed=False)
    if not s.is_zero(2):
        total = ar.add(total, s.read_number(2, PAIR_BITS))
    if is_extended:
        total = ar.add(total, s.read_truth(3))
    if len(s.outputs) > 1:
        s.write_truth(s.is_at_least(total, 1 << PAIR_BITS), 1)
    return total


def _shift_add_high(s: MachineStep[V], match: Match) -> None:
    """Bits 32 to 63 of (h:a) << n, or of a sign-extended, plus b and a carry."""
    is_extended, is_signed = bool(match["x"]), bool(match["signed"])
    count = 3 + (not is_signed) + is_extended
    s.expect_sources(count)
    shift = s.get_number(count - 1 - is_extended)
    if not 0 <= shift < WORD_BITS:
        raise s.refuse("a shift out of range")
    if is_signed:
        high = s.ar.shift_right(s.read_signed(0), WORD_BITS - shift)
    else:
        pair = s.ar.add(s.ar.multiply(s.read_bits(2), WORD), s.read_bits(0))
        if s.is_zero(2):
            high = s.ar.shift_right(s.read_bits(0), WORD_BITS - shift)
        else:
            high = s.cut(s.ar.shift_right(pair, WORD_BITS - shift))
    total = s.ar.add(high, s.read_number(1))
    if is_extended:
        total = s.ar.add(total, s.read_truth(count - 1))
    s.write_word(total)
    if len(s.outputs) > 1:
        if is_signed or s.get_source(1).sign or len(s.outputs) > 2:
            raise s.refuse("a carry that is not modelled")
        s.write_truth(s.is_at_least(total, WORD), 1)


def _shift_add(s: MachineStep[V], _: Match) -> None:
    """The low word of a << n, plus b; the carry of this sum is for the ``LEA.HI.X`` after it."""
    s.expect_sources(3)
    shifted = s.ar.multiply(s.read_number(0), 1 << (s.get_number(2) % WORD_BITS))
    s.write_word(s.ar.add(shifted, s.read_number(1)))
    if len(s.outputs) > 1:
        if s.get_source(0).sign or s.get_source(1).sign:
            raise s.refuse("a carry of negated numbers")
        total = s.ar.add(s.cut(shifted), s.read_bits(1))
        s.write_truth(s.ar.shift_right(total, WORD_BITS), 1)
        if len(s.outputs) > 2:
            raise s.refuse("a second carry")


def _take_magnitude(s: MachineStep[V], _: Match) -> None:
    """|a|; the most negative word stays itself."""
    s.expect_sources(1)
    s.write_word(s.ar.absolute(s.read_signed(0)))


def _add_products(s: MachineStep[V], match: Match) -> None:
    """c plus the sum of the products of four bytes."""
    s.expect_sources(3)
    products = s.ar.multiply(
        _split(s, 0, 8, match["a"] == "S8"), _split(s, 1, 8, match["b"] == "S8")
    )
    s.write_word(s.ar.add(s.ar.sum_lanes(products, (0, 1, 2, 3), 4), s.read_number(2)))


def _add_two_products(s: MachineStep[V], match: Match) -> None:
    """c plus the half-words of a times the low or, with ``.HI``, the high bytes of b."""
    s.expect_sources(3)
    ar, lanes = s.ar, (2, 3) if match["half"] == "HI" else (0, 1)
    halves = _split(s, 0, 16, match["a"] == "S16")
    picked = ar.gather((s.read_bits(1),), 8, tuple((0, lane) for lane in lanes))
    if match["b"] == "S8":
        picked = ar.cast(picked, 8, signed=True)
    products = ar.multiply(halves, picked)
    s.write_word(ar.add(ar.sum_lanes(products, (0, 1), 2), s.read_number(2)))


def _add_difference(s: MachineStep[V], match: Match) -> None:
    """|a - b| + c."""
    s.expect_sources(3)
    a, b = (s.read_typed(index, WORD_BITS, not match["unsigned"]) for index in range(2))
    s.write_word(s.ar.add(s.ar.absolute(s.ar.subtract(a, b)), s.read_number(2)))


def _subtract_bytes(s: MachineStep[V], match: Match) -> None:
    """The absolute differences of four bytes; with ``.ACC`` c plus their sum, else c is ignored."""
    s.expect_sources(3)
    signed = not match["unsigned"]
    a, b = (_split(s, index, 8, signed) for index in range(2))
    differences = s.ar.absolute(s.ar.subtract(a, b))
    if match["sum"]:
        total = s.ar.sum_lanes(differences, (0, 1, 2, 3), 4)
        s.write_word(s.ar.add(total, s.read_number(2)))
    else:
        s.write_word(_join(s, differences, 8))


def _bound(s: MachineStep[V], match: Match) -> None:
    """The minimum, or the maximum if the predicate is false; with ``.RELU`` at least 0.

    Of pairs, a last source PT, negated, is no carry.
    """
    bits = int(match["bits"] or WORD_BITS)
    s.expect_sources(3 if bits == WORD_BITS else 4)
    if bits == PAIR_BITS and not s.is_sink(3, "!"):
        raise s.refuse("the last predicate")
    a, b = (s.read_typed(index, bits, match["sign"] != "U") for index in range(2))
    condition, ar = s.read_truth(2), s.ar
    value = ar.where(condition, ar.minimum(a, b), ar.maximum(a, b))
    _write_last(s, ar.maximum(value, 0) if match["relu"] else value, bits)


def _bound_three(s: MachineStep[V], match: Match) -> None:
    """The minimum of three words, or of each of three half-words; the maximum if p is false.

    With ``.RELU`` it is at least 0.
    """
    s.expect_sources(4)
    a, b, c = (_read_lanes(s, index, match) for index in range(3))
    bounds = [bound(bound(a, b), c) for bound in (s.ar.minimum, s.ar.maximum)]
    _write_bound(s, bounds, match)


def _bound_lane_sum(s: MachineStep[V], match: Match) -> None:
    """The minimum of the half-words of a + b and c, or the maximum if the predicate is false.

    With ``.RELU`` it is at least 0.
    """
    s.expect_sources(4)
    a, b, c = (_read_lanes(s, index, match) for index in range(3))
    total = s.ar.cast(s.ar.add(a, b), 16, signed=match["sign"] != "U")
    _write_bound(s, [bound(total, c) for bound in (s.ar.minimum, s.ar.maximum)], match)


def _read_lanes(s: MachineStep[V], index: int, match: Match) -> V:
    """Return a word, or its half-words as lanes."""
    signed = match["sign"] != "U"
    if match["unit"] == "16x2":
        return _split(s, index, 16, signed)
    return s.read_typed(index, WORD_BITS, signed)


def _write_bound(s: MachineStep[V], bounds: Sequence[V], match: Match) -> None:
    """Write a minimum, or the maximum if the last source is false."""
    if match["relu"]:
        bounds = [s.ar.maximum(x, 0) for x in bounds]
    if match["unit"] == "16x2":
        bounds = [_join(s, x, 16) for x in bounds]
    s.write_word(s.ar.where(s.read_truth(3), *bounds))


def _bound_sum(s: MachineStep[V], match: Match) -> None:
    """The minimum of the word a + b and c, or the maximum if the predicate is false.

    With ``.RELU`` it is at least 0.
    """
    s.expect_sources(4)
    ar, signed = s.ar, match["sign"] != ".U32"
    total = ar.cast(ar.add(s.read_number(0), s.read_number(1)), WORD_BITS, signed=signed)
    c = s.read_typed(2, WORD_BITS, signed)
    value = ar.where(s.read_truth(3), ar.minimum(total, c), ar.maximum(total, c))
    s.write_word(ar.maximum(value, 0) if match["relu"] else value)


def _write_last(s: MachineStep[V], value: V, bits: int) -> None:
    """Write the output that is a register; the predicates beside it must be discarded."""
    for index, x in enumerate(s.outputs):
        if x.kind.value in "RU":
            (s.write_pair if bits == PAIR_BITS else s.write_word)(value, index)
        elif not x.is_sink:
            raise s.refuse("which operand was chosen")


def _saturate(s: MachineStep[V], match: Match) -> None:
    """a clamped to a narrower type; the bits above its width extend it."""
    s.expect_sources(1)
    s.write_word(_clamp(s, s.read_signed(0), int(match["bits"]), match["sign"] == "S"))


def _clamp(s: MachineStep[V], x: V, bits: int, signed: bool) -> V:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return s.ar.minimum(s.ar.maximum(x, low), high)


def _pack(s: MachineStep[V], match: Match) -> None:
    """b clamped to a narrower type, above it a, and above both as many low bits of c as fit.

    ``cvt.pack`` alone becomes this, so it means the same; no GPU has run it here.
    """
    s.expect_sources(3)
    bits, signed = int(match["bits"]), match["sign"] == "S"
    fields = [_clamp(s, s.read_signed(index), bits, signed) for index in (1, 0)]
    rest = WORD_BITS - 2 * bits
    if rest:
        fields.append(s.read_field(2, rest))
    elif not s.is_zero(2):
        raise s.refuse("a third operand for which there is no room")
    s.write_word(JoinFields(bits).run(s.ar, *fields))


_CARRIES = "[RU][PQ]*"
SUM_OPCODES: tuple[Opcode, ...] = (
    make_opcode(r"U?IADD3(?P<x>\.X)?", partial(_add, count=3, bits=WORD_BITS), _CARRIES),
    make_opcode(r"U?IADD\.64(?P<x>\.X)?", partial(_add, count=2, bits=PAIR_BITS), "[RU][PQ]?"),
    make_opcode(r"VIADD\.S32\.ISAT", _add_saturated),
    make_opcode(r"V?IADD(?P<x>)", partial(_add, count=2, bits=WORD_BITS)),
    make_opcode(r"VIADD\.[US]?(?P<unit>8|16)x[24]", _add_lanes),
    make_opcode(r"U?IMAD(?:\.(?:MOV|IADD|SHL))?(?:\.U32)?(?P<x>\.X)?", _multiply),
    make_opcode(r"U?IMAD\.HI(?P<unsigned>\.U32)?", _multiply_high, _CARRIES),
    make_opcode(r"U?IMAD\.WIDE(?P<unsigned>\.U32)?(?P<x>\.X)?", _multiply_wide, _CARRIES),
    make_opcode(r"U?LEA\.HI(?P<x>\.X)?(?P<signed>\.SX32)?", _shift_add_high, _CARRIES),
    make_opcode(r"U?LEA", _shift_add, _CARRIES),
    make_opcode(r"IABS", _take_magnitude),
    make_opcode(r"IDP\.4A\.(?P<a>[US]8)\.(?P<b>[US]8)", _add_products),
    make_opcode(r"IDP\.2A\.(?P<half>LO|HI)\.(?P<a>[US]16)\.(?P<b>[US]8)", _add_two_products),
    make_opcode(r"VABSDIFF(?P<unsigned>\.U32)?", _add_difference),
    make_opcode(r"VABSDIFF4(?P<unsigned>\.U8)?(?P<sum>\.ACC)?", _subtract_bytes),
    make_opcode(
        r"U?V?IMNMX(?:\.(?P<sign>[US])(?P<bits>32))?(?P<relu>\.RELU)?",
        _bound,
        "[PQ]*[RU](?:[PQ]{2}(?=[RUC]))?",
    ),
    make_opcode(r"U?IMNMX\.(?P<sign>[US])(?P<bits>64)(?P<relu>)", _bound, "[PQ]{2}[RU]"),
    make_opcode(r"U?VIMNMX3(?:\.(?P<sign>[US])(?P<unit>32|16x2))?(?P<relu>\.RELU)?", _bound_three),
    make_opcode(r"VIADDMNMX\.(?P<sign>[US])(?P<unit>16x2)(?P<relu>\.RELU)?", _bound_lane_sum),
    make_opcode(r"U?VIADDMNMX(?P<sign>\.[US]32)?(?P<relu>\.RELU)?", _bound_sum),
    make_opcode(r"VIMNMX\.(?P<sign>[US])(?P<unit>8|16)x[24](?P<relu>\.RELU)?", _bound_lanes),
    make_opcode(r"U?I2I\.(?P<sign>[US])(?P<bits>8|16)\.S32\.SAT", _saturate),
    make_opcode(r"U?I2IP\.(?P<sign>[US])(?P<bits>2|4|8|16)\.S32\.SAT", _pack),
)
"""The opcodes of sums, products, bounds and conversions of integers."""
