"""Rewrites of recorded operations into fewer or shorter ones with equal results.

A rule is an identity over all integers in the ranges that it checks; its docstring states it. It
receives the tape, the operation, its arguments and its fixed parameters, and returns None if it
does not apply. The rules also apply to the operations that it records.
"""

from __future__ import annotations

from typing import Any

from ..isa.encodings import Range, get_limits
from ..micro_operations.arithmetic import compute_float_bits
from .tape import Node, Op, RewriteRules, Tape, get_range

# --- operations without effect -----------------------------------------------------------


def drop_idle_product(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x * 1 is x."""
    return x if y == 1 else None


def drop_idle_magnitude(tape: Tape, op: Op, x: Node) -> Node | None:
    """|x| is x if x is never negative."""
    return x if x.range.low >= 0 else None


def drop_idle_shift(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x // 2**0 is x."""
    return x if y == 0 else None


def drop_idle_bound(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """min(x, y) and max(x, y) are x or y if one is never beyond the other, or x is y."""
    a, b = get_range(x), get_range(y)
    lesser, greater = (x, y) if op is Op.MINIMUM else (y, x)
    if x is y or a.high <= b.low:
        bound = lesser
    elif b.high <= a.low:
        bound = greater
    else:
        return None
    return bound if isinstance(bound, Node) else None


def drop_idle_cast(tape: Tape, op: Op, x: Node, bits: int, signed: bool) -> Node | None:
    """A cast of x is x if every value of x fits in the type."""
    return x if get_limits(bits, signed).contains(x.range) else None


def drop_idle_gather(tape: Tape, op: Op, *args: Any) -> Node | None:
    """Picking the lowest part of a word, and nothing else, yields a word that fits in that part."""
    *words, unit, picks = args
    x = words[picks[0][0]]
    is_whole = len(picks) == 1 and picks[0][1] == 0 and x.range.fits_in(unit, signed=False)
    return x if is_whole else None


def merge_casts(tape: Tape, op: Op, x: Node, bits: int, signed: bool) -> Node | None:
    """A narrow cast of a wider cast is the narrow cast of the original."""
    if x.op is not Op.CAST or x.fixed[0] < bits:
        return None
    return tape.cast(x.nodes[0], bits, signed)


def drop_idle_sum(tape: Tape, op: Op, x: Node, lanes: tuple[int, ...], count: int) -> Node | None:
    """The sum over a single lane is that lane."""
    return x if len(lanes) == count == 1 else None


# --- operations with a shorter form ------------------------------------------------------


def add_negative(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x + -q is x - q, and -p + y is y - p; of two negatives the narrower one is kept."""
    if isinstance(y, int):
        return None
    if y.op is Op.NEGATIVE and not (x.op is Op.NEGATIVE and measure_span(x) > measure_span(y)):
        return tape.subtract(x, *y.nodes)
    return tape.subtract(y, *x.nodes) if x.op is Op.NEGATIVE else None


def measure_span(x: Node) -> int:
    """Return the distance between the ends of a node's range."""
    return x.range.high - x.range.low


def merge_bounds(tape: Tape, op: Op, x: Node, high: Node | int) -> Node | None:
    """min(max(x, low), high) is x clipped to low..high if low <= high."""
    if x.op is not Op.MAXIMUM or isinstance(high, Node):
        return None
    inner, low = x.args
    if not isinstance(inner, Node) or isinstance(low, Node) or low > high:
        return None
    return tape.emit(Op.CLIP, inner, fixed=(low, high))


def merge_equality(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """The maximum of x < y and x = y is x <= y."""
    if isinstance(y, int) or {x.op, y.op} != {Op.LESS, Op.EQUAL} or x.args != y.args:
        return None
    return tape.emit(Op.LESS_EQUAL, *x.args)


_OPPOSITE = {
    Op.LESS: Op.GREATER_EQUAL,
    Op.LESS_EQUAL: Op.GREATER,
    Op.GREATER: Op.LESS_EQUAL,
    Op.GREATER_EQUAL: Op.LESS,
    Op.EQUAL: Op.NOT_EQUAL,
    Op.NOT_EQUAL: Op.EQUAL,
}


def negate_truth(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """A truth equal to 0 is its negation: not x < y is x >= y, and not not x is x."""
    if y != 0 or not x.is_truth:
        return None
    if x.op is Op.NOT:
        return x.nodes[0]
    if x.op in _OPPOSITE:
        return tape.emit(_OPPOSITE[x.op], *x.args)
    return tape.emit(Op.NOT, x)


def add_negated_truth(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """(x + 1) - t is x + (not t) if t is a truth."""
    if isinstance(y, int) or not y.is_truth or x.op is not Op.ADD or x.args[1] != 1:
        return None
    return tape.add(x.nodes[0], tape.equal(y, 0))


# --- operations on a choice --------------------------------------------------------------


def _match_masked_choice(x: Node) -> tuple[Node, Node, int] | None:
    """Match a choice between y & k and y; return its condition, y and k."""
    if x.op is not Op.WHERE:
        return None
    condition, masked, y = x.args
    if not isinstance(masked, Node) or masked.op is not Op.BITAND or masked.args[0] is not y:
        return None
    mask = masked.args[1]
    if isinstance(mask, Node):
        return None
    assert isinstance(condition, Node)
    return condition, masked.nodes[0], mask


def simplify_masked_choice(tape: Tape, op: Op, x: Node, mask: Node | int) -> Node | None:
    """(y & k, or y) & m is y & m if k contains m; if k and m are disjoint, it is that or 0."""
    if isinstance(mask, Node) or (match := _match_masked_choice(x)) is None:
        return None
    condition, y, k = match
    if k & mask not in (0, mask):
        return None
    remainder = tape.bitand(y, mask)
    return remainder if k & mask else tape.where(tape.equal(condition, 0), remainder, 0)


def simplify_top_bit(tape: Tape, op: Op, x: Node, top: Node | int) -> Node | None:
    """The top bit of (y & k, or y) is that of y if k contains it."""
    if isinstance(top, Node) or (match := _match_masked_choice(x)) is None:
        return None
    _, y, k = match
    is_top = top > 0 and top.bit_count() == 1 and Range(0, 2 * top - 1).contains(y.range)
    return tape.emit(op, y, top) if is_top and k & top else None


def swap_sign_choice(tape: Tape, op: Op, condition: Node, x: Node, y: Node | int) -> Node | None:
    """x if n >= 0, else y, is y if n < 0, else x: a sign becomes a mask."""
    if condition.op is not Op.GREATER_EQUAL or condition.args[1] != 0 or isinstance(y, int):
        return None
    return tape.where(tape.less(condition.nodes[0], 0), y, x)


def expand_float(tape: Tape, op: Op, x: Node) -> Node | None:
    """``compute_float_bits`` computes the pattern of a float with other operations."""
    return compute_float_bits(tape, x)


SHORTENING_RULES: RewriteRules = {
    Op.ADD: (add_negative,),
    Op.SUBTRACT: (add_negated_truth,),
    Op.MULTIPLY: (drop_idle_product,),
    Op.ABSOLUTE: (drop_idle_magnitude,),
    Op.MINIMUM: (drop_idle_bound, merge_bounds),
    Op.MAXIMUM: (drop_idle_bound, merge_equality),
    Op.SHIFT_RIGHT: (drop_idle_shift,),
    Op.EQUAL: (negate_truth,),
    Op.LESS: (simplify_top_bit,),
    Op.GREATER_EQUAL: (simplify_top_bit,),
    Op.WHERE: (swap_sign_choice,),
    Op.BITAND: (simplify_masked_choice,),
    Op.CAST: (drop_idle_cast, merge_casts),
    Op.GATHER: (drop_idle_gather,),
    Op.SUM_LANES: (drop_idle_sum,),
}
"""The rules for each operation that micro-operations record; the first that applies is used."""
