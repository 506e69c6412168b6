"""A fourth Arithmetic: each bit of an integer as a function of a few bits of operands.

Plans that move bits, or combine bits in place, give these functions exactly: `prmt` with a literal
selector, `lop3`, `shf` by a literal. Other bits are unknown, never wrong.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial, reduce
from typing import NamedTuple

from ...engine.micro_operations.arithmetic import EXACT, Picks
from ...engine.semantics.plan import Plan

MAX_INPUTS = 3
"""Largest number of inputs of a function; a bit with more is unknown."""
OperandBit = tuple[str, int]
"""An operand's name and the number of its bit."""


class BitFunction(NamedTuple):
    """A function of operand bits that depends on each of them."""

    table: int
    """Bit i is the result if the inputs are the bits of i, the first input the lowest."""
    inputs: tuple[OperandBit, ...] = ()
    """In ascending order."""


Bit = BitFunction | None
"""A function, or None if it is unknown."""
ZERO, ONE = BitFunction(0), BitFunction(1)
IDENTITY, INVERSE = 0b10, 0b01
"""The tables of a bit itself and of its inverse."""


class Bits(NamedTuple):
    """An integer in two's complement: its low bits, and the bit that all higher ones equal."""

    low: tuple[Bit, ...]
    sign: Bit


UNKNOWN = Bits((), None)
Lane = int | Bits
"""A constant, or an integer by its bits."""
BitLanes = tuple[Lane, ...]


def make_operand(name: str, width: int) -> BitLanes:
    """Return an operand of ``width`` bits, unsigned."""
    return (Bits(tuple(BitFunction(IDENTITY, ((name, i),)) for i in range(width)), ZERO),)


def compute_bits(plan: Plan, operands: Mapping[str, BitLanes]) -> dict[str, list[Bit]]:
    """Return the bits of each destination of a plan, by role."""
    values = dict(operands)
    for row in plan.rows:
        values[row.key] = row.micro.run(BIT_ARITHMETIC, *(values[key] for key in row.inputs))
    return {x.role: _list_bits(values[x.key][0], x.type.bits) for x in plan.results}


def _list_bits(lane: Lane, count: int, start: int = 0) -> list[Bit]:
    """Return ``count`` bits of a lane."""
    bits = _split(lane)
    return [bits.low[i] if i < len(bits.low) else bits.sign for i in range(start, start + count)]


def _split(lane: Lane) -> Bits:
    if isinstance(lane, Bits):
        return lane
    low = tuple(ONE if lane >> i & 1 else ZERO for i in range(lane.bit_length()))
    return Bits(low, ONE if lane < 0 else ZERO)


def _join(low: Sequence[Bit], sign: Bit) -> Lane:
    """Return a lane, as a constant if every bit is known."""
    if sign in (ZERO, ONE) and all(x in (ZERO, ONE) for x in low):
        value = sum((x == ONE) << i for i, x in enumerate(low))
        return value - (1 << len(low)) if sign == ONE else value
    return Bits(tuple(low), sign)


# --- functions of bits --------------------------------------------------------------------


@lru_cache(maxsize=1 << 12)
def _combine(function: Callable[[int, int], int], x: BitFunction, y: BitFunction) -> Bit:
    """Return a function of two bits as one of operand bits; unknown if these are too many."""
    inputs = sorted({*x.inputs, *y.inputs})
    if len(inputs) > MAX_INPUTS:
        return None
    table = 0
    for row in range(1 << len(inputs)):
        values = {name: row >> i & 1 for i, name in enumerate(inputs)}
        table |= function(_look_up(x, values), _look_up(y, values)) << row
    return _drop_ignored(table, inputs)


def _look_up(x: BitFunction, values: Mapping[OperandBit, int]) -> int:
    return x.table >> sum(values[name] << i for i, name in enumerate(x.inputs)) & 1


def _drop_ignored(table: int, inputs: list[OperandBit]) -> BitFunction:
    """Return a function without the inputs that it ignores."""
    for index in range(len(inputs)):
        rows = [row for row in range(1 << len(inputs)) if not row >> index & 1]
        if all((table >> row ^ table >> (row | 1 << index)) & 1 == 0 for row in rows):
            rest = sum((table >> row & 1) << i for i, row in enumerate(rows))
            return _drop_ignored(rest, [*inputs[:index], *inputs[index + 1 :]])
    return BitFunction(table, tuple(inputs))


def _and(x: Bit, y: Bit) -> Bit:
    if ZERO in (x, y):
        return ZERO
    return _combine(operator.and_, x, y) if x and y else None


def _or(x: Bit, y: Bit) -> Bit:
    if ONE in (x, y):
        return ONE
    return _combine(operator.or_, x, y) if x and y else None


def _xor(x: Bit, y: Bit) -> Bit:
    return _combine(operator.xor, x, y) if x and y else None


def _choose(condition: Bit, x: Bit, y: Bit) -> Bit:
    if x == y:
        return x
    return _or(_and(condition, x), _and(_xor(condition, ONE), y))


# --- lanes --------------------------------------------------------------------------------


def _combine_lanes(function: Callable[[Bit, Bit], Bit], x: Lane, y: Lane) -> Lane:
    """Apply a function of two bits to the bits of two integers."""
    low_x, sign_x = _split(x)
    low_y, sign_y = _split(y)
    count = max(len(low_x), len(low_y))
    pairs = zip(_list_bits(x, count), _list_bits(y, count), strict=True)
    return _join([function(i, j) for i, j in pairs], function(sign_x, sign_y))


def _add(x: Lane, y: Lane, carry: Bit = ZERO) -> Lane:
    if isinstance(x, int) and isinstance(y, int) and carry in (ZERO, ONE):
        return x + y + (carry == ONE)
    count = max(len(_split(x).low), len(_split(y).low)) + 2
    total = list[Bit]()
    for i, j in zip(_list_bits(x, count), _list_bits(y, count), strict=True):
        either = _xor(i, j)
        total.append(_xor(either, carry))
        carry = _or(_and(i, j), _and(either, carry))
    return _join(total[:-1], total[-1])


def _invert(x: Lane) -> Lane:
    return _combine_lanes(_xor, x, -1)


def _subtract(x: Lane, y: Lane) -> Lane:
    return _add(x, _invert(y), ONE)


def _shift(x: Lane, amount: Lane) -> Lane:
    """Shift left, or right if the amount is negative."""
    if not isinstance(amount, int):
        return UNKNOWN
    if isinstance(x, int):
        return x << amount if amount >= 0 else x >> -amount
    if amount >= 0:
        return _join([*(ZERO,) * amount, *x.low], x.sign)
    return _join(x.low[-amount:], x.sign)


def _divide(x: Lane, y: Lane) -> Lane:
    """Divide by a power of two."""
    if isinstance(y, int) and y & (y - 1) == 0:
        return _shift(x, 1 - y.bit_length())
    return x // y if isinstance(x, int) and isinstance(y, int) else UNKNOWN


def _multiply(x: Lane, y: Lane) -> Lane:
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    x, y = (y, x) if isinstance(x, int) else (x, y)
    if not isinstance(y, int) or isinstance(x, int):
        return UNKNOWN
    if y > 0 and y & (y - 1) == 0:
        return _shift(x, y.bit_length() - 1)
    if y == 0:
        return 0
    is_truth = x.sign == ZERO and all(bit == ZERO for bit in x.low[1:])
    return _where(x, y, 0) if is_truth else UNKNOWN


def _less(x: Lane, y: Lane) -> Lane:
    return _join([_split(_subtract(x, y)).sign], ZERO)


def _equal(x: Lane, y: Lane) -> Lane:
    difference = _split(_combine_lanes(_xor, x, y))
    return _join([_xor(reduce(_or, difference.low, difference.sign), ONE)], ZERO)


def _where(condition: Lane, x: Lane, y: Lane) -> Lane:
    if isinstance(condition, int):
        return x if condition else y
    (truth,) = _list_bits(condition, 1)
    return _combine_lanes(lambda i, j: _choose(truth, i, j), x, y)


def _cast(x: Lane, bits: int, signed: bool) -> Lane:
    low = _list_bits(x, bits)
    return _join(low, low[-1] if signed else ZERO)


def _map_lanes(
    function: Callable[[Lane, Lane], Lane],
) -> Callable[[BitLanes, BitLanes | int], BitLanes]:
    def map_lanes(x: BitLanes, y: BitLanes | int) -> BitLanes:
        if isinstance(y, int):
            return tuple(function(i, y) for i in x)
        return tuple(function(i, j) for i, j in zip(x, y, strict=True))

    return map_lanes


class BitArithmetic:
    """Arithmetic on integers whose bits are functions of operand bits."""

    add = staticmethod(_map_lanes(_add))
    subtract = staticmethod(_map_lanes(_subtract))
    multiply = staticmethod(_map_lanes(_multiply))
    divide = staticmethod(_map_lanes(_divide))
    minimum = staticmethod(_map_lanes(lambda i, j: _where(_less(i, j), i, j)))
    maximum = staticmethod(_map_lanes(lambda i, j: _where(_less(i, j), j, i)))
    shift_left = staticmethod(_map_lanes(_shift))
    shift_right = staticmethod(_map_lanes(lambda i, j: _shift(i, _subtract(0, j))))
    less = staticmethod(_map_lanes(_less))
    equal = staticmethod(_map_lanes(_equal))
    bitand = staticmethod(_map_lanes(partial(_combine_lanes, _and)))
    bitor = staticmethod(_map_lanes(partial(_combine_lanes, _or)))
    bitxor = staticmethod(_map_lanes(partial(_combine_lanes, _xor)))

    def negative(self, x: BitLanes) -> BitLanes:
        return tuple(_subtract(0, i) for i in x)

    def absolute(self, x: BitLanes) -> BitLanes:
        return tuple(_where(_less(i, 0), _subtract(0, i), i) for i in x)

    def where(self, condition: BitLanes, x: BitLanes, y: BitLanes | int) -> BitLanes:
        others = (y,) * len(x) if isinstance(y, int) else y
        return tuple(_where(c, i, j) for c, i, j in zip(condition, x, others, strict=True))

    def cast(self, x: BitLanes, bits: int, signed: bool) -> BitLanes:
        return tuple(_cast(i, bits, signed) for i in x)

    def gather(self, words: Sequence[BitLanes], unit: int, picks: Picks) -> BitLanes:
        return tuple(
            _join(_list_bits(words[word][0], unit, unit * index), ZERO) for word, index in picks
        )

    def keep(self, x: BitLanes, y: BitLanes, lanes: tuple[int, ...], unit: int) -> BitLanes:
        wide = x * len(y) if len(x) == 1 else x
        return tuple(wide[i] if i in lanes else y[i] for i in range(len(y)))

    def pack(self, x: BitLanes, unit: int) -> BitLanes:
        return (_join([bit for lane in x for bit in _list_bits(lane, unit)], ZERO),)

    def sum_lanes(self, x: BitLanes, lanes: tuple[int, ...], count: int) -> BitLanes:
        total: Lane = 0
        for i in lanes:
            total = _add(total, x[i])
        return (total,)

    def float_bits(self, x: BitLanes) -> BitLanes:
        (lane,) = x
        return EXACT.float_bits((lane,)) if isinstance(lane, int) else (UNKNOWN,)


BIT_ARITHMETIC = BitArithmetic()
