"""A recording as calls of NumPy's functions, each in the narrowest type that will do.

What is needed last is asked for first, and asks for its arguments in the types it takes them in:
so what nobody reads is never called, and what is read in two types is copied once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..isa.integers import Range
from ..isa.types import Type
from .call_sequence import DTYPES, Constant, Function, Kind, Place, Steps, View, clip, constant
from .demand import ALL, Recording
from .integer_types import Int, narrowest, rounded_up, unsigned
from .lane_calls import gathered, kept, packed, part, summed
from .selector_state import Selection, Selector
from .tape import Node, Op, ends

_BYTE = unsigned(8)


def select(recording: Recording) -> Steps:
    """The calls that compute a recording."""
    found = Selection(recording, _SELECTORS)
    results = {
        role: found.read(node, unsigned(max(type_.bits, 8)))
        for role, (node, type_) in recording.results.items()
    }
    return Steps(tuple(found.steps), results)


def _common(*values: Range) -> Int:
    """The type that holds all of some ranges."""
    found = narrowest(*values)
    assert found, f"no type holds {values}"
    return found


# --- a function for each operation -------------------------------------------------------


def _source(s: Selection, x: Node) -> View:
    role, type_ = x.fixed
    bits = 8 if type_ is Type.PRED else type_.bits
    return View(Place(Kind.OPERAND, role), DTYPES[unsigned(bits)], 1)


def _ring(function: Function) -> Selector:
    """What needs no more bits of its arguments than count of it.

    Where all of it counts, the type cuts off what stands above.
    """

    def selected(s: Selection, x: Node) -> View:
        type_ = s.roomy(x, *x.args) if s.needs(x) < ALL else s.held(x)
        return s.call(function, type_, x.lanes, *(s.any(y, type_) for y in x.args))

    return selected


def _from(s: Selection, x: Node) -> View:
    type_ = s.held(x)
    (y,), (k,) = x.nodes, x.fixed
    return s.call(np.subtract, type_, x.lanes, constant(k, type_), s.read(y, type_))


def _absolute(s: Selection, x: Node) -> View:
    (y,) = x.nodes
    type_ = _common(x.range, y.range)
    return s.call(np.absolute, type_, x.lanes, s.read(y, type_))


def _bounded(s: Selection, x: Node) -> View:
    """The smaller or the larger of two; with a constant, clipped at one end."""
    type_ = _common(*(ends(y) for y in x.args))
    y, other = x.args
    assert isinstance(y, Node)
    if isinstance(other, int):
        low, high = _whole(type_)
        bounds = (low, other) if x.op is Op.MINIMUM else (other, high)
        return _clipped(s, y, type_, *bounds)
    function = np.minimum if x.op is Op.MINIMUM else np.maximum
    return s.call(function, type_, x.lanes, s.read(y, type_), s.read(other, type_))


def _whole(type_: Int) -> Range:
    info = np.iinfo(DTYPES[type_])
    return Range(int(info.min), int(info.max))


def _clip(s: Selection, x: Node) -> View:
    (y,) = x.nodes
    return _clipped(s, y, _common(y.range, Range(*x.fixed)), *x.fixed)


def _clipped(s: Selection, x: Node, type_: Int, low: int, high: int) -> View:
    ends_ = (constant(low, type_), constant(high, type_))
    return s.call(clip, type_, x.lanes, s.read(x, type_), *ends_)


def _averaged(s: Selection, x: Node) -> View:
    """Half the sum, halves away from zero, in the type of the terms.

    Of p + q, p & q is half of what both have, p ^ q what one has. Rounded down they make the
    half; it is one more where p ^ q is odd and the half not negative.
    """
    p, q = x.nodes
    type_ = _common(p.range, q.range)

    def do(function: Function, *inputs: View | Constant) -> View:
        return s.call(function, type_, x.lanes, *inputs)

    one, differing = constant(1, type_), do(np.bitwise_xor, s.read(p, type_), s.read(q, type_))
    rest = do(np.right_shift, differing, one)
    if not type_.signed:
        return do(np.subtract, do(np.bitwise_or, s.read(p, type_), s.read(q, type_)), rest)
    half = do(np.add, do(np.bitwise_and, s.read(p, type_), s.read(q, type_)), rest)
    sign = do(np.right_shift, half, constant(type_.bits - 1, type_))
    return do(np.add, half, do(np.bitwise_and, differing, do(np.add, sign, one)))


def _compared(function: Function) -> Selector:
    def selected(s: Selection, x: Node) -> View:
        type_ = _common(*(ends(y) for y in x.args))
        return s.truth(function, x.lanes, *(s.any(y, type_) for y in x.args))

    return selected


def _logical(function: Function) -> Selector:
    def selected(s: Selection, x: Node) -> View:
        return s.call(function, _BYTE, x.lanes, *(s.any(y, _BYTE) for y in x.args))

    return selected


def _not(s: Selection, x: Node) -> View:
    return s.call(np.bitwise_xor, _BYTE, x.lanes, s.read(x.nodes[0], _BYTE), constant(1, _BYTE))


def _shift_right(s: Selection, x: Node) -> View:
    """In a type that holds all of x, or what counts of it; NumPy takes any amount."""
    y, amount = x.args
    assert isinstance(y, Node)
    type_ = s.roomy(y, y) if s.needs(y) < ALL else _common(y.range, ends(amount))
    return s.call(np.right_shift, type_, x.lanes, s.read(y, type_), s.any(amount, type_))


def _bitand(s: Selection, x: Node) -> View:
    (y,), (mask,) = x.nodes, x.fixed
    type_ = s.roomy(x, y)
    return s.call(np.bitwise_and, type_, x.lanes, s.read(y, type_), constant(mask, type_))


def _where(s: Selection, x: Node) -> View:
    """One of two, by masks: ``np.where`` can't write into what is given."""
    condition, y, other = x.args
    assert isinstance(condition, Node)
    assert isinstance(y, Node)
    type_ = s.held(x)

    def do(function: Function, *inputs: View | Constant) -> View:
        return s.call(function, type_, x.lanes, *inputs)

    if y.args[:1] == (other,) and y.op is Op.BITAND:  # y & mask, or y: all bits or the mask's
        less_one = do(np.subtract, s.read(condition, type_), constant(1, type_))
        kept = do(np.bitwise_or, less_one, constant(y.fixed[0], type_))
        return do(np.bitwise_and, s.any(other, type_), kept)
    mask = _mask(s, condition, type_)
    if y.args[:1] == (other,) and y.op is Op.NEGATIVE:  # -y, or y: the complement of y - 1
        return do(np.subtract, do(np.bitwise_xor, s.any(other, type_), mask), mask)
    if other == 0:
        return do(np.bitwise_and, s.read(y, type_), mask)
    differing = do(np.bitwise_xor, s.read(y, type_), s.any(other, type_))
    return do(np.bitwise_xor, do(np.bitwise_and, differing, mask), s.any(other, type_))


def _mask(s: Selection, condition: Node, type_: Int) -> View:
    """All ones where a condition holds, else 0: a sign in every place, or minus the truth."""
    signed = Int(type_.bits, signed=True)
    negative = _negative(s, condition, signed) if type_.bits > _BYTE.bits else None
    if negative is None:
        return s.call(np.negative, type_, condition.lanes, s.read(condition, type_))
    top = constant(type_.bits - 1, signed)
    return s.call(np.right_shift, signed, condition.lanes, negative, top).of(type_)


def _negative(s: Selection, condition: Node, signed: Int) -> View | None:
    """What is negative where a comparison with a constant holds, where the type has room for it."""
    if len(condition.args) < 2 or not isinstance(k := condition.args[1], int):
        return None
    (x,) = condition.nodes
    if condition.op is Op.GREATER_EQUAL and k == 1 << (signed.bits - 1):
        return s.read(x, signed) if x.range.within(*unsigned(signed.bits)) else None
    low, high = x.range
    match condition.op:
        case Op.LESS | Op.LESS_EQUAL:
            k += condition.op is Op.LESS_EQUAL
            if not Range(low - k, high - k).within(*signed):
                return None
            below = s.read(x, signed)
            return s.call(np.subtract, signed, x.lanes, below, constant(k, signed)) if k else below
        case Op.GREATER | Op.GREATER_EQUAL:
            k -= condition.op is Op.GREATER_EQUAL
            if Range(k - high, k - low).within(*signed):
                return s.call(np.subtract, signed, x.lanes, constant(k, signed), s.read(x, signed))
    return None


def _cast(s: Selection, x: Node) -> View:
    (y,), (bits, signed) = x.nodes, x.fixed
    type_ = Int(rounded_up(bits), signed)
    if s.needs(x) <= bits < s.at_hand(y, bits).bits:
        return s.at_hand(y, bits)
    if type_.bits == bits:
        if signed and s.needs(x) > bits and y.op is Op.GATHER and y.lanes == 1:
            return part(s, y, signed=True)
        return s.read(y, type_)
    if not signed:
        low = constant((1 << bits) - 1, type_)
        return s.call(np.bitwise_and, type_, x.lanes, s.read(y, type_), low)
    above = constant(type_.bits - bits, type_)
    top = s.call(np.left_shift, type_, x.lanes, s.read(y, type_), above)
    return s.call(np.right_shift, type_, x.lanes, top, above)


_SELECTORS: Mapping[Op, Selector] = {
    Op.SOURCE: _source,
    Op.ADD: _ring(np.add),
    Op.SUBTRACT: _ring(np.subtract),
    Op.MULTIPLY: _ring(np.multiply),
    Op.NEGATIVE: _ring(np.negative),
    Op.FROM: _from,
    Op.ABSOLUTE: _absolute,
    Op.MINIMUM: _bounded,
    Op.MAXIMUM: _bounded,
    Op.CLIP: _clip,
    Op.SHIFT_LEFT: _ring(np.left_shift),
    Op.SHIFT_RIGHT: _shift_right,
    Op.AVERAGE: _averaged,
    Op.LESS: _compared(np.less),
    Op.LESS_EQUAL: _compared(np.less_equal),
    Op.GREATER: _compared(np.greater),
    Op.GREATER_EQUAL: _compared(np.greater_equal),
    Op.EQUAL: _compared(np.equal),
    Op.NOT_EQUAL: _compared(np.not_equal),
    Op.NOT: _not,
    Op.AND: _logical(np.bitwise_and),
    Op.OR: _logical(np.bitwise_or),
    Op.WHERE: _where,
    Op.BITAND: _bitand,
    Op.CAST: _cast,
    Op.GATHER: gathered,
    Op.KEEP: kept,
    Op.PACK: packed,
    Op.TOTAL: summed,
}
