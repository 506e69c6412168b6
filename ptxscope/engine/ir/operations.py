"""The operations of the intermediate representation, and what each means over the integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from ..micro_operations.arithmetic import Arithmetic, V


class Op(StrEnum):
    """The operation of a node. ``OPERATIONS`` says what it computes."""

    SOURCE = "source"
    ROW = "row"
    ADD = "add"
    SUBTRACT = "subtract"
    REVERSE_SUBTRACT = "subtract from"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    NEGATIVE = "negative"
    ABSOLUTE = "absolute"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    CLIP = "clip"
    AVERAGE = "average"
    SHIFT_LEFT = "shift left"
    SHIFT_RIGHT = "shift right"
    LESS = "less"
    LESS_EQUAL = "less or equal"
    GREATER = "greater"
    GREATER_EQUAL = "greater or equal"
    EQUAL = "equal"
    NOT_EQUAL = "not equal"
    NOT = "not"
    WHERE = "where"
    BITAND = "bitand"
    BITOR = "bitor"
    BITXOR = "bitxor"
    CAST = "cast"
    GATHER = "gather"
    KEEP = "keep"
    PACK = "pack"
    SUM_LANES = "sum lanes"
    FLOAT_BITS = "float bits"


class Operation(NamedTuple):
    """The arguments of an operation, and its meaning for each lane of exact integers."""

    arguments: str
    """Names of the arguments. ``y`` may be one integer for all lanes."""
    parameters: str
    """Names of the fixed parameters."""
    meaning: str
    compute: Callable[..., Any] | None = None
    """The meaning by the methods of an ``Arithmetic``; None if one of them has the same name."""


def _compute_average(ar: Arithmetic[V], x: V, y: V) -> V:
    total = ar.add(x, y)
    return ar.shift_right(ar.add(total, ar.equal(ar.less(total, 0), 0)), 1)


def _is_less_equal(ar: Arithmetic[V], x: V, y: V) -> V:
    return ar.maximum(ar.less(x, y), ar.equal(x, y))


OPERATIONS: Mapping[Op, Operation] = {
    Op.SOURCE: Operation("", "role type", "the bits of an operand, unsigned"),
    Op.ROW: Operation("x", "key", "x, the value of a plan's row", lambda ar, x, key: x),
    Op.ADD: Operation("x y", "", "x + y"),
    Op.SUBTRACT: Operation("x y", "", "x - y"),
    Op.REVERSE_SUBTRACT: Operation("x", "k", "k - x", lambda ar, x, k: ar.add(ar.negative(x), k)),
    Op.MULTIPLY: Operation("x y", "", "x * y"),
    Op.DIVIDE: Operation("x y", "", "x // y, x not negative, y positive"),
    Op.NEGATIVE: Operation("x", "", "-x"),
    Op.ABSOLUTE: Operation("x", "", "|x|"),
    Op.MINIMUM: Operation("x y", "", "the smaller one"),
    Op.MAXIMUM: Operation("x y", "", "the larger one"),
    Op.CLIP: Operation(
        "x",
        "low high",
        "min(max(x, low), high), for low <= high",
        lambda ar, x, low, high: ar.minimum(ar.maximum(x, low), high),
    ),
    Op.AVERAGE: Operation(
        "x y", "", "(x + y) / 2, halves rounded away from zero", _compute_average
    ),
    Op.SHIFT_LEFT: Operation("x y", "", "x * 2**y"),
    Op.SHIFT_RIGHT: Operation("x y", "", "x // 2**y"),
    Op.LESS: Operation("x y", "", "1 if x < y, else 0"),
    Op.LESS_EQUAL: Operation("x y", "", "1 if x <= y, else 0", _is_less_equal),
    Op.GREATER: Operation(
        "x y", "", "1 if x > y, else 0", lambda ar, x, y: ar.equal(_is_less_equal(ar, x, y), 0)
    ),
    Op.GREATER_EQUAL: Operation(
        "x y", "", "1 if x >= y, else 0", lambda ar, x, y: ar.equal(ar.less(x, y), 0)
    ),
    Op.EQUAL: Operation("x y", "", "1 if x = y, else 0"),
    Op.NOT_EQUAL: Operation(
        "x y", "", "0 if x = y, else 1", lambda ar, x, y: ar.equal(ar.equal(x, y), 0)
    ),
    Op.NOT: Operation("x", "", "1 - x, for x = 0 or 1", lambda ar, x: ar.equal(x, 0)),
    Op.WHERE: Operation("condition x y", "", "x if the condition is 1, y if it is 0"),
    Op.BITAND: Operation("x y", "", "x & y, neither negative"),
    Op.BITOR: Operation("x y", "", "x | y, neither negative"),
    Op.BITXOR: Operation("x y", "", "x ^ y, neither negative"),
    Op.CAST: Operation(
        "x", "bits signed", "the low bits of x in two's complement, read as signed or unsigned"
    ),
    Op.GATHER: Operation(
        "words…",
        "unit picks",
        "lane i is part number picks[i][1], of unit bits, of the one-lane word picks[i][0]",
        lambda ar, *v: ar.gather(v[:-2], *v[-2:]),
    ),
    Op.KEEP: Operation(
        "x y",
        "lanes unit",
        "the lanes listed from x, which may have only one, and the others from y",
    ),
    Op.PACK: Operation(
        "x", "unit", "the sum of lane i * 2**(unit * i), for unsigned lanes of unit bits"
    ),
    Op.SUM_LANES: Operation("x", "lanes count", "the sum of the lanes listed, of count"),
    Op.FLOAT_BITS: Operation(
        "x", "", "the binary32 pattern nearest to x, ties to even, as compute_float_bits says"
    ),
}


_METHODS = {op: op.name.lower() for op in Op}


def apply_operation(
    ar: Arithmetic[V], op: Op, args: Sequence[V | int], fixed: tuple[Any, ...]
) -> V:
    """Apply an operation other than SOURCE in another arithmetic."""
    if compute := OPERATIONS[op].compute:
        result: V = compute(ar, *args, *fixed)
    else:
        result = getattr(ar, _METHODS[op])(*args, *fixed)
    return result
