"""What a tape records in place of an operation: the same integers, by fewer or shorter ones.

A rule is an identity over all integers of the ranges that it asks for, and says which. It is given
the tape, the operation, its arguments and what is fixed in it, and gives None where it does not
apply. What it records comes before the rules again.
"""

from __future__ import annotations

from typing import Any

from ..isa.integers import Range, get_limits
from .tape import Node, Op, Rules, Tape, get_range

# --- what does nothing -------------------------------------------------------------------


def drop_idle_product(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x * 1 is x."""
    return x if y == 1 else None


def drop_idle_magnitude(tape: Tape, op: Op, x: Node) -> Node | None:
    """|x| is x where x is not negative."""
    return x if x.range.low >= 0 else None


def drop_idle_shift(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x // 2**0 is x."""
    return x if y == 0 else None


def drop_idle_bound(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """min(x, y) and max(x, y) are x where x is never beyond y, and y where y never is beyond x."""
    a, b = get_range(x), get_range(y)
    lesser, greater = (x, y) if op is Op.MINIMUM else (y, x)
    if a.high <= b.low:
        found = lesser
    elif b.high <= a.low:
        found = greater
    else:
        return None
    return found if isinstance(found, Node) else None


def drop_idle_cast(tape: Tape, op: Op, x: Node, bits: int, signed: bool) -> Node | None:
    """The low bits of x, read as a number, are x where so many bits hold it."""
    return x if get_limits(bits, signed).contains(x.range) else None


def drop_idle_gather(tape: Tape, op: Op, *given: Any) -> Node | None:
    """The word picked from words is that word."""
    *words, unit, picks = given
    return words[picks[0][0]] if unit == 32 else None


def merge_casts(tape: Tape, op: Op, x: Node, bits: int, signed: bool) -> Node | None:
    """Of the low bits, the low bits are those of the whole."""
    if x.op is not Op.CAST or x.fixed[0] < bits:
        return None
    return tape.cast(x.nodes[0], bits, signed)


def drop_idle_sum(tape: Tape, op: Op, x: Node, lanes: tuple[int, ...], count: int) -> Node | None:
    """The sum of the one lane there is, is it."""
    return x if len(lanes) == count == 1 else None


# --- what has a shorter name -------------------------------------------------------------


def add_negative(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x + -q is x - q, and -p + y is y - p; of two negatives the narrower stays one."""
    if isinstance(y, int):
        return None
    if y.op is Op.NEGATIVE and not (x.op is Op.NEGATIVE and measure_span(x) > measure_span(y)):
        return tape.subtract(x, *y.nodes)
    return tape.subtract(y, *x.nodes) if x.op is Op.NEGATIVE else None


def measure_span(x: Node) -> int:
    """How far apart its ends are."""
    return x.range.high - x.range.low


def merge_bounds(tape: Tape, op: Op, x: Node, high: Node | int) -> Node | None:
    """min(max(x, low), high) is x clipped to low..high, where low <= high."""
    if x.op is not Op.MAXIMUM or isinstance(high, Node):
        return None
    inner, low = x.args
    if not isinstance(inner, Node) or isinstance(low, Node) or low > high:
        return None
    return tape.emit(Op.CLIP, inner, fixed=(low, high))


def merge_truths(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """The smaller of two truths is both, the larger either; x < y or x = y is x <= y."""
    if isinstance(y, int) or not (x.is_truth and y.is_truth):
        return None
    if op is Op.MAXIMUM and {x.op, y.op} == {Op.LESS, Op.EQUAL} and x.args == y.args:
        return tape.emit(Op.LESS_EQUAL, *x.args)
    return tape.emit(Op.AND if op is Op.MINIMUM else Op.OR, x, y)


_OPPOSITE = {
    Op.LESS: Op.GREATER_EQUAL,
    Op.LESS_EQUAL: Op.GREATER,
    Op.GREATER: Op.LESS_EQUAL,
    Op.GREATER_EQUAL: Op.LESS,
    Op.EQUAL: Op.NOT_EQUAL,
    Op.NOT_EQUAL: Op.EQUAL,
}


def negate_truth(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """A truth that is 0 is not so: not x < y is x >= y, and not not x is x."""
    if y != 0 or not x.is_truth:
        return None
    if x.op is Op.NOT:
        return x.nodes[0]
    if x.op in _OPPOSITE:
        return tape.emit(_OPPOSITE[x.op], *x.args)
    return tape.emit(Op.NOT, x)


def add_negated_truth(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """(x + 1) - t is x plus not t, where t is a truth."""
    if isinstance(y, int) or not y.is_truth or x.op is not Op.ADD or x.args[1] != 1:
        return None
    return tape.add(x.nodes[0], tape.equal(y, 0))


# --- what looks through a choice -------------------------------------------------------------


def _match_masked_choice(x: Node) -> tuple[Node, Node, int] | None:
    """c, y and k of a choice between y & k, where c holds, and y."""
    if x.op is not Op.WHERE:
        return None
    condition, ours, y = x.args
    if not isinstance(ours, Node) or ours.op is not Op.BITAND or ours.args != (y,):
        return None
    assert isinstance(condition, Node)
    return condition, ours.nodes[0], ours.fixed[0]


def simplify_masked_choice(tape: Tape, op: Op, x: Node, mask: int) -> Node | None:
    """(y & k, or y) & m is y & m where k has all of m; where k has none of m, it is that or 0."""
    if (found := _match_masked_choice(x)) is None:
        return None
    condition, y, k = found
    if k & mask not in (0, mask):
        return None
    rest = tape.bitand(y, mask)
    return rest if k & mask else tape.where(tape.equal(condition, 0), rest, 0)


def simplify_top_bit(tape: Tape, op: Op, x: Node, top: Node | int) -> Node | None:
    """Whether the top bit of (y & k, or y) is set, is whether y's is, where k has it."""
    if isinstance(top, Node) or (found := _match_masked_choice(x)) is None:
        return None
    _, y, k = found
    is_top = top > 0 and top.bit_count() == 1 and Range(0, 2 * top - 1).contains(y.range)
    return tape.emit(op, y, top) if is_top and k & top else None


def turn_sign_choice(tape: Tape, op: Op, condition: Node, x: Node, y: Node | int) -> Node | None:
    """x where n >= 0, else y, is y where n < 0, else x: a sign is a mask."""
    if condition.op is not Op.GREATER_EQUAL or condition.args[1] != 0 or isinstance(y, int):
        return None
    return tape.where(tape.less(condition.nodes[0], 0), y, x)


SHORTENING_RULES: Rules = {
    Op.ADD: (add_negative,),
    Op.SUBTRACT: (add_negated_truth,),
    Op.MULTIPLY: (drop_idle_product,),
    Op.ABSOLUTE: (drop_idle_magnitude,),
    Op.MINIMUM: (drop_idle_bound, merge_truths, merge_bounds),
    Op.MAXIMUM: (drop_idle_bound, merge_truths),
    Op.SHIFT_RIGHT: (drop_idle_shift,),
    Op.EQUAL: (negate_truth,),
    Op.LESS: (simplify_top_bit,),
    Op.GREATER_EQUAL: (simplify_top_bit,),
    Op.WHERE: (turn_sign_choice,),
    Op.BITAND: (simplify_masked_choice,),
    Op.CAST: (drop_idle_cast, merge_casts),
    Op.GATHER: (drop_idle_gather,),
    Op.TOTAL: (drop_idle_sum,),
}
"""Which rules look at what the micro-operations record: the first that applies has it."""
