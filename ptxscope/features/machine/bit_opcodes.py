"""Opcodes that move, permute, shift, combine, extract and count bits."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any

from ...engine.isa.types import WORD_BITS, PermuteMode
from ...engine.micro_operations.arithmetic import Arithmetic, V
from ...engine.micro_operations.counts import (
    CountLeadingZeros,
    CountOnes,
    InvertNegative,
    ReverseBits,
)
from ...engine.micro_operations.fields import ExtendField, FieldMask, LimitField
from ...engine.micro_operations.permutation import PermuteByMode
from .machine_instruction import TRUE_PREDICATE, OperandKind
from .machine_step import MASK, PAIR_BITS, WORD, MachineStep, Opcode, make_opcode

Match = re.Match[str]
_BYTES = 4
_WHOLE = {0x3210: 0, 0x7654: 2}
"""The selectors of a whole source, and its number."""


def _move(s: MachineStep[V], _: Match) -> None:
    """The source."""
    s.expect_sources(1)
    s.write_word(s.read_number(0))


def _move_pair(s: MachineStep[V], _: Match) -> None:
    """The source, a pair."""
    s.expect_sources(1)
    s.write_pair(s.read_bits(0, PAIR_BITS))


def _clear_pair(s: MachineStep[V], match: Match) -> None:
    """Zero, which CS2R reads from SRZ."""
    if s.get_source(0).text != "SRZ":
        raise s.refuse("a special register")
    (s.write_word if match["word"] else s.write_pair)(s.lift(0))


def _permute(s: MachineStep[V], _: Match) -> None:
    """Bytes of {b, a} by the digits of a selector, which is the second source.

    Digits with bit 3 set take eight copies of the byte's sign.
    """
    s.expect_sources(3)
    if (number := s.find_number(1)) is not None:
        s.write_word(_pick_bytes(s, number))
        return
    total = s.lift(0)
    selector = s.read_bits(1)
    for byte in range(_BYTES):
        digit = s.ar.bitand(s.ar.shift_right(selector, 4 * byte), 0xF)
        total = s.ar.bitor(total, s.ar.multiply(_choose_byte(s, digit), 1 << 8 * byte))
    s.write_word(total)


def _permute_by_mode(s: MachineStep[V], match: Match) -> None:
    """Bytes of {b, a} around byte n, the low two bits of the second source, as ``prmt`` does."""
    s.expect_sources(3)
    mode = PermuteByMode(PermuteMode(match["mode"].lower()))
    number = s.ar.bitand(s.read_bits(1), 3)
    s.write_word(s.ar.pack(mode.run(s.ar, number, s.read_bits(0), s.read_bits(2)), 8))


def _pick_bytes(s: MachineStep[V], selector: int) -> V:
    """Return the bytes of a constant selector; a source without a selected byte is not read."""
    digits = [selector >> 4 * byte & 0xF for byte in range(_BYTES)]
    needed = sorted({digit >> 2 & 1 for digit in digits})
    if selector & 0xFFFF in _WHOLE:
        return s.read_bits(_WHOLE[selector & 0xFFFF])
    if (extended := _extend_part(s, digits)) is not None:
        return extended
    words = [s.read_bits(2 * number) for number in needed]
    picks = tuple((needed.index(digit >> 2 & 1), digit & 3) for digit in digits)
    picked = s.ar.gather(words, 8, picks)
    if sign_lanes := tuple(lane for lane, digit in enumerate(digits) if digit & 8):
        signs = s.ar.multiply(s.ar.shift_right(picked, 7), 0xFF)
        picked = s.ar.keep(signs, picked, sign_lanes, 8)
    return s.ar.pack(picked, 8)


def _extend_part(s: MachineStep[V], digits: list[int]) -> V | None:
    """Return a byte or half-word that a selector extends by its sign or zeros; None for others.

    The bytes are the same as those picked one by one. As one number, a solver knows their range.
    """
    zeros = [number for number in range(2) if s.is_zero(2 * number)]
    for count in (1, 2):
        part, rest = digits[:count], digits[count:]
        first = part[0]
        is_part = part == [*range(first, first + count)] and first < 8 and first % count == 0
        if not is_part or first >> 2 in zeros:
            continue
        is_signed = set(rest) == {8 | part[-1]}
        if is_signed or all(digit >> 2 & 1 in zeros for digit in rest):
            unit, word = 8 * count, s.read_bits(2 * (first >> 2))
            value = s.ar.gather((word,), unit, ((0, (first & 3) // count),))
            return s.cut(s.ar.cast(value, unit, signed=True)) if is_signed else value
    return None


def _choose_byte(s: MachineStep[V], digit: V) -> V:
    """Return the byte that a digit in a register selects."""
    ar, position = s.ar, s.ar.bitand(digit, 7)
    chosen = s.lift(0)
    for number in range(2 * _BYTES):
        word = s.read_bits(0 if number < _BYTES else 2)
        byte = ar.gather((word,), 8, ((0, number % _BYTES),))
        chosen = ar.where(ar.equal(position, number), byte, chosen)
    sign = ar.multiply(ar.shift_right(chosen, 7), 0xFF)
    return ar.where(s.is_at_least(digit, 8), sign, chosen)


Combine = Callable[[Arithmetic[Any], Any, Any], Any]


def _invert(ar: Arithmetic[V], x: V) -> V:
    return ar.bitxor(x, MASK)


_COMBINATIONS: tuple[Combine, ...] = (
    lambda ar, a, b: ar.bitand(a, 0),
    lambda ar, a, b: _invert(ar, ar.bitor(a, b)),
    lambda ar, a, b: ar.bitand(_invert(ar, a), b),
    lambda ar, a, b: _invert(ar, a),
    lambda ar, a, b: ar.bitand(a, _invert(ar, b)),
    lambda ar, a, b: _invert(ar, b),
    lambda ar, a, b: ar.bitxor(a, b),
    lambda ar, a, b: _invert(ar, ar.bitand(a, b)),
    lambda ar, a, b: ar.bitand(a, b),
    lambda ar, a, b: _invert(ar, ar.bitxor(a, b)),
    lambda ar, a, b: b,
    lambda ar, a, b: ar.bitor(_invert(ar, a), b),
    lambda ar, a, b: a,
    lambda ar, a, b: ar.bitor(a, _invert(ar, b)),
    lambda ar, a, b: ar.bitor(a, b),
    lambda ar, a, b: ar.bitor(ar.bitand(a, 0), MASK),
)
"""The functions of two bits; bit 2a + b of the index is the result."""


def _combine_three(s: MachineStep[V], match: Match) -> None:
    """Bit 4a + 2b + c of a truth table for each bit.

    A predicate output says that the result is not 0, or that a last source, a predicate, holds;
    with ``.PAND`` that both are true.
    """
    s.expect_sources(4, 5)
    table = _get_table(s)
    a, b, c = (s.read_unsigned(index) for index in range(3))
    tables = [sum((table >> 2 * k + c & 1) << k for k in range(4)) for c in range(2)]
    low, high = (_COMBINATIONS[x](s.ar, a, b) for x in tables)
    value = _choose_by_bits(s, c, low, high, tables)
    other = s.read_truth(4) if len(s.sources) > 4 else None
    for index, x in enumerate(s.outputs):
        if x.kind.value in "RU":
            s.write_word(value, index)
        else:
            truth = s.negate(s.ar.equal(value, 0))
            if other is not None:
                truth = (s.ar.bitand if match["pand"] else s.ar.bitor)(truth, other)
            s.write_truth(truth, index)


def _get_table(s: MachineStep[V]) -> int:
    table = s.get_number(3)
    if table >> 8:
        raise s.refuse("a truth table of more than eight bits")
    return table


def _combine_predicates(s: MachineStep[V], _: Match) -> None:
    """Bit 4a + 2b + c of a truth table for three predicates; a second result is discarded."""
    s.expect_sources(5)
    if not s.outputs[1].is_sink:
        raise s.refuse("a second result")
    ar, table, total = s.ar, _get_table(s), s.lift(0)
    truths = [s.read_truth(index) for index in range(3)]
    for row in range(8):
        if table >> row & 1:
            term = s.lift(1)
            for bit, truth in zip((4, 2, 1), truths, strict=True):
                term = ar.bitand(term, truth if row & bit else s.negate(truth))
            total = ar.bitor(total, term)
    s.write_truth(total)


def _choose_by_bits(s: MachineStep[V], c: V, low: V, high: V, tables: list[int]) -> V:
    """Return the bits of ``high`` where c has 1, of ``low`` where it has 0."""
    ar = s.ar
    if tables[0] == tables[1]:
        return low
    if tables[0] == tables[1] ^ 0xF:
        return ar.bitxor(low, c)
    if tables[0] == 0:
        return ar.bitand(high, c)
    if tables[1] == 0xF:
        return ar.bitor(low, c)
    return ar.bitor(ar.bitand(high, c), ar.bitand(low, s.invert(c)))


def _shift(s: MachineStep[V], match: Match) -> None:
    """The 64-bit value hi:lo, shifted; the low word of it, or the high word with ``.HI``.

    The type gives the limit of the amount; with ``.W`` the amount is taken modulo the limit.
    """
    s.expect_sources(3)
    is_left, is_high = match["way"] == "L", bool(match["high"])
    signed, limit = match["sign"] == "S", int(match["bits"])
    ar = s.ar
    amount: V | int
    if s.get_source(1).kind is OperandKind.IMMEDIATE:
        number = s.get_number(1) & MASK
        amount = number % limit if match["wrap"] else min(number, limit)
    else:
        value = s.read_unsigned(1)
        amount = ar.bitand(value, limit - 1) if match["wrap"] else ar.minimum(value, limit)
    if is_left and not is_high:
        s.write_word(ar.shift_left(s.read_unsigned(0), _lift(s, amount)))
    elif not is_left and is_high:
        s.write_word(ar.shift_right(s.read_typed(2, WORD_BITS, signed), amount))
    else:
        high = s.read_typed(2, WORD_BITS, signed and not is_left)
        pair = ar.add(ar.multiply(high, WORD), s.read_unsigned(0))
        if is_left:
            s.write_word(s.cut_high(ar.shift_left(pair, _lift(s, amount))))
        else:
            s.write_word(ar.shift_right(pair, amount))


def _lift(s: MachineStep[V], x: V | int) -> V:
    return s.lift(x) if isinstance(x, int) else x


def _choose(s: MachineStep[V], _: Match) -> None:
    """a if the predicate holds, else b."""
    s.expect_sources(3)
    s.write_word(s.ar.where(s.read_truth(2), s.read_bits(0), s.read_bits(1)))


def _choose_pair(s: MachineStep[V], _: Match) -> None:
    """a if the predicate holds, else b; both are pairs."""
    s.expect_sources(3)
    a, b = (s.read_bits(index, PAIR_BITS) for index in range(2))
    s.write_pair(s.ar.where(s.read_truth(2), a, b))


def _make_halves(s: MachineStep[V], _: Match) -> None:
    """Two constants as f16: -0 + x is x."""
    s.expect_sources(4)
    if not (s.is_sink(0, "-") and s.is_sink(1, "")):
        raise s.refuse("half-precision arithmetic")
    bits = 0
    for x in s.sources[2:]:
        if "NAN" in x.text:
            raise s.refuse("a NaN whose bits are not shown")
        if x.kind is OperandKind.FLOAT:
            pattern = int.from_bytes(struct.pack(">e", float(x.text.replace("INF", "inf"))))
        elif x.kind is OperandKind.IMMEDIATE and x.number == 0:
            pattern = 0
        else:
            raise s.refuse("a half that is not a constant")
        bits = bits << 16 | pattern
    s.write_word(s.lift(bits))


# --- fields of bits, counts, and bits in reverse ----------------------------------------------
#
# Each is the machine code of one PTX instruction (szext bmsk popc clz bfind brev), so its meaning
# is that instruction's micro-operation.

_COUNT_ZEROS = CountLeadingZeros(WORD_BITS)


def _extend(s: MachineStep[V], match: Match) -> None:
    """The low n bits of a, at most 32, extended by their sign unless ``.U32``."""
    s.expect_sources(2)
    is_signed = not match["unsigned"]
    if s.get_source(1).kind is OperandKind.IMMEDIATE and 0 < s.get_number(1) < WORD_BITS:
        # the solver knows the range of a field of constant width
        s.write_word(s.ar.cast(s.read_number(0), s.get_number(1), signed=is_signed))
        return
    field = ExtendField(WORD_BITS, is_signed)
    s.write_word(field.run(s.ar, s.read_unsigned(0), _read_length(s, 1, match)))


def _read_length(s: MachineStep[V], index: int, match: Match) -> V:
    """Return a position or a length: at most 32, or modulo 32 with ``.W``."""
    return LimitField(bool(match["wrap"])).run(s.ar, s.read_unsigned(index))


def _make_mask(s: MachineStep[V], match: Match) -> None:
    """As many ones as b says, from bit a up."""
    s.expect_sources(2)
    position, length = (_read_length(s, index, match) for index in range(2))
    s.write_word(FieldMask(WORD_BITS).run(s.ar, position, length))


def _write_predicates(s: MachineStep[V], _: Match) -> None:
    """The low bits of the first source, each to the predicate of its number, if it is in a mask."""
    s.expect_sources(2)
    mask = s.get_number(1)
    if s.outputs[0].text != "PR" or mask >> TRUE_PREDICATE:
        raise s.refuse("predicates without a known meaning")
    bits = s.read_bits(0)
    for number in range(TRUE_PREDICATE):
        if mask >> number & 1:
            s.write_predicate(s.ar.bitand(s.ar.shift_right(bits, number), 1), number)


def _count_ones(s: MachineStep[V], _: Match) -> None:
    s.expect_sources(1)
    s.write_word(CountOnes(WORD_BITS).run(s.ar, s.read_unsigned(0)))


def _reverse(s: MachineStep[V], _: Match) -> None:
    s.expect_sources(1)
    s.write_word(ReverseBits(WORD_BITS).run(s.ar, s.read_unsigned(0)))


def _find_highest(s: MachineStep[V], match: Match) -> None:
    """The position of the highest 1, or of the highest bit unlike the sign unless ``.U32``.

    With ``.SH`` it is the left shift that brings it to the top. Without such a bit it is all ones.
    """
    s.expect_sources(1)
    ar, bits = s.ar, s.read_typed(0, WORD_BITS, not match["unsigned"])
    if not match["unsigned"]:
        bits = InvertNegative(WORD_BITS).run(ar, bits)
    zeros = _COUNT_ZEROS.run(ar, bits)
    if match["shift"]:
        s.write_word(ar.where(ar.equal(zeros, WORD_BITS), s.lift(MASK), zeros))
    else:
        s.write_word(ar.add(ar.negative(zeros), WORD_BITS - 1))


BIT_OPCODES: tuple[Opcode, ...] = (
    make_opcode(r"U?MOV|R2UR", _move),
    make_opcode(r"U?MOV\.64", _move_pair),
    make_opcode(r"CS2R(?P<word>\.32)?", _clear_pair),
    make_opcode(r"U?PRMT", _permute),
    make_opcode(r"U?PRMT\.(?P<mode>F4E|B4E|RC8|ECL|ECR|RC16)", _permute_by_mode),
    make_opcode(r"U?LOP3\.LUT(?P<pand>\.PAND)?", _combine_three, "[PQ]?[RU]"),
    make_opcode(
        r"U?SHF\.(?P<way>[LR])(?P<wrap>\.W)?\.(?P<sign>[US])(?P<bits>32|64)(?P<high>\.HI)?", _shift
    ),
    make_opcode(r"U?PLOP3\.LUT", _combine_predicates, "[PQ]{2}"),
    make_opcode(r"U?F?SEL", _choose),
    make_opcode(r"U?SEL\.64", _choose_pair),
    make_opcode(r"HFMA2(?:\.MMA)?", _make_halves),
    make_opcode(r"U?SGXT(?P<wrap>\.W)?(?P<unsigned>\.U32)?", _extend),
    make_opcode(r"U?BMSK(?P<wrap>\.W)?", _make_mask),
    make_opcode(r"R2P", _write_predicates, "S"),
    make_opcode(r"U?POPC", _count_ones),
    make_opcode(r"U?BREV", _reverse),
    make_opcode(r"U?FLO(?P<unsigned>\.U32)?(?P<shift>\.SH)?", _find_highest),
)
"""The opcodes of moves, permutations, logic, shifts, choices, fields and counts."""
