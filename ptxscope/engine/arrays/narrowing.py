"""The machine's integer types, and rewrites of operations into equal ones in narrower types.

The rules have the form of ``rewrites``. The second part avoids numbers of more than 64 bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..ir.rewrites import SHORTENING_RULES, drop_idle_magnitude, drop_idle_shift, expand_float
from ..ir.tape import Node, Op, RewriteRules, Tape, get_range
from ..isa.encodings import Range
from ..micro_operations.arithmetic import RANGES


class MachineInt(NamedTuple):
    """An integer type of the machine."""

    bits: int
    """The width: 8, 16, 32 or 64."""
    signed: bool


def get_unsigned_type(bits: int) -> MachineInt:
    """Return the unsigned type of a width."""
    return MachineInt(bits, signed=False)


class WidthError(Exception):
    """A node fits in no machine type; the message names it."""


WIDTHS = (8, 16, 32, 64)
WIDEST = WIDTHS[-1]


def unite_ranges(*ranges: Range) -> Range:
    """Return the smallest range that contains all of them."""
    return Range(min(r.low for r in ranges), max(r.high for r in ranges))


def find_narrowest_type(*ranges: Range) -> MachineInt | None:
    """Return the narrowest type for all values of some ranges, or None."""
    values = unite_ranges(*ranges)
    signed = values.low < 0
    return next((MachineInt(bits, signed) for bits in WIDTHS if values.fits_in(bits, signed)), None)


def find_common_type(*ranges: Range) -> MachineInt:
    """Return the narrowest type for all values of some ranges, or raise WidthError."""
    if type_ := find_narrowest_type(*ranges):
        return type_
    raise WidthError(f"values of {ranges}")


def round_up_width(bits: int) -> int:
    """Return the smallest width of at least ``bits``; raise WidthError if no type has one."""
    for width in WIDTHS:
        if width >= bits:
            return width
    raise WidthError(f"{bits} bits")


def _measure_common_bits(*ranges: Range) -> int:
    """Return the width of the type for some ranges; 65536 if there is no such type."""
    type_ = find_narrowest_type(*ranges)
    return type_.bits if type_ else 1 << 16


def _measure_reach(op: Op, x: Range, y: Range) -> int:
    """Return the width needed for a minimum or maximum taken as in `narrow_by_reach`."""
    return max(
        _measure_common_bits(getattr(RANGES, op)(x, y)),
        min(_measure_common_bits(x), _measure_common_bits(y)),
    )


_OTHER = {Op.MINIMUM: Op.MAXIMUM, Op.MAXIMUM: Op.MINIMUM}


def narrow_absolute_difference(tape: Tape, op: Op, x: Node) -> Node | None:
    """|p - q| is max(p, q) - min(p, q)."""
    if x.op is not Op.SUBTRACT:
        return None
    p, q = x.nodes
    if max(_measure_reach(bound, p.range, q.range) for bound in _OTHER) >= _measure_common_bits(
        x.range
    ):
        return None
    return tape.subtract(tape.maximum(p, q), tape.minimum(p, q))


def narrow_bounded_sum(tape: Tape, op: Op, x: Node, k: Node | int) -> Node | None:
    """min(p + q, k) is p + min(q, k - p); likewise for max."""
    if isinstance(k, Node) or x.op is not Op.ADD or len(x.nodes) < 2:
        return None
    result = getattr(RANGES, op)(x.range, k)
    for p, q in (x.nodes, x.nodes[::-1]):
        rest = Range(k - p.range.high, k - p.range.low)
        if max(
            _measure_reach(op, q.range, rest),
            _measure_common_bits(rest),
            _measure_common_bits(result),
        ) < _measure_common_bits(x.range):
            return tape.add(p, tape.emit(op, q, tape.emit(Op.REVERSE_SUBTRACT, p, fixed=(k,))))
    return None


def narrow_bounded_difference(tape: Tape, op: Op, x: Node, k: Node | int) -> Node | None:
    """max(p - q, k) is p - min(q, p - k), or max(p, k + q) - q; likewise for min."""
    if isinstance(k, Node) or x.op is not Op.SUBTRACT:
        return None
    result = getattr(RANGES, op)(x.range, k)
    p, q = x.nodes
    rest = RANGES.add(p.range, -k)
    if max(
        _measure_reach(_OTHER[op], q.range, rest),
        _measure_common_bits(rest),
        _measure_common_bits(result),
    ) < _measure_common_bits(x.range):
        return tape.subtract(p, tape.emit(_OTHER[op], q, _add_constant(tape, p, -k)))
    rest = RANGES.add(q.range, k)
    if max(
        _measure_reach(op, p.range, rest), _measure_common_bits(rest), _measure_common_bits(result)
    ) < _measure_common_bits(x.range):
        return tape.subtract(tape.emit(op, p, _add_constant(tape, q, k)), q)
    return None


def _add_constant(tape: Tape, x: Node, k: int) -> Node:
    return tape.add(x, k) if k else x


def _is_narrowed(x: Node, p: Node, q: Node, bounds: Range) -> bool:
    """Return whether two operands are within bounds that take fewer bits than their result."""
    fits = bounds.contains(unite_ranges(p.range, q.range))
    return fits and _measure_common_bits(bounds) < _measure_common_bits(x.range)


def narrow_clipped_sum(tape: Tape, op: Op, x: Node, low: int, high: int) -> Node | None:
    """p + q clipped to low..high is p plus q clipped to low - min(p, 0)..high - max(p, 0).

    This holds if low <= p, q <= high and low <= 0 <= high. If p is positive, the sum is never too
    low; if p is negative, it is never too high. The other bound of q is then its own.
    """
    bounds = Range(low, high)
    if x.op is not Op.ADD or len(x.nodes) < 2 or not low <= 0 <= high:
        return None
    p, q = x.nodes
    if not _is_narrowed(x, p, q, bounds):
        return None
    low_bound = tape.emit(Op.REVERSE_SUBTRACT, tape.minimum(p, 0), fixed=(low,))
    high_bound = tape.emit(Op.REVERSE_SUBTRACT, tape.maximum(p, 0), fixed=(high,))
    return tape.add(p, tape.minimum(tape.maximum(q, low_bound), high_bound))


def narrow_clipped_difference(tape: Tape, op: Op, x: Node, low: int, high: int) -> Node | None:
    """p - q clipped to low..high is p minus q clipped to max(p, -1) - high..min(p, -1) - low.

    This holds if low <= p, q <= high = -1 - low, as in two's complement. If p >= 0, the difference
    is never too low; if p < 0, it is never too high. The other bound of q is then its own.
    """
    bounds = Range(low, high)
    if x.op is not Op.SUBTRACT or low >= 0 or high != -1 - low:
        return None
    p, q = x.nodes
    if not _is_narrowed(x, p, q, bounds):
        return None
    low_bound = tape.add(tape.maximum(p, -1), -high)
    high_bound = tape.add(tape.minimum(p, -1), -low)
    return tape.subtract(p, tape.minimum(tape.maximum(q, low_bound), high_bound))


def narrow_average(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """(t + (t >= 0)) // 2 with t = p + q is the average of p and q, which fits in their type."""
    if y != 1 or x.op is not Op.ADD or len(x.nodes) < 2:
        return None
    total, increment = x.nodes
    if increment.op is not Op.GREATER_EQUAL or increment.args != (total, 0):
        return None
    if total.op is not Op.ADD or len(total.nodes) < 2:
        return None
    is_narrow = _measure_common_bits(*(p.range for p in total.nodes)) < _measure_common_bits(
        total.range
    )
    return tape.emit(Op.AVERAGE, *total.nodes) if is_narrow else None


def narrow_by_reach(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """min(x, y) is the minimum of min(x, max of y) and min(y, max of x); likewise for max.

    So the minimum of -128..127 and 0..255 is found in -128..127. The rule applies only if x and y
    each have a type of that width: truncating a wider one costs more than extending the narrower.
    """
    if isinstance(y, int):
        return None
    end = 1 if op is Op.MINIMUM else 0
    p, q = tape.emit(op, x, y.range[end]), tape.emit(op, y, x.range[end])
    reach = max(
        _measure_common_bits(x.range),
        _measure_common_bits(y.range),
        _measure_common_bits(p.range, q.range),
    )
    return tape.emit(op, p, q) if reach < _measure_common_bits(x.range, y.range) else None


def narrow_less(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x < y is x < max(y, min of x), min(x, max of y) < y, or max(x, min of y - 1) + 1 <= y."""
    if isinstance(y, int):
        return None
    wide = _measure_common_bits(x.range, y.range)
    # the bound of x is at least its minimum, or both sides could be replaced by bounds
    p, q = tape.minimum(x, max(y.range.high, x.range.low)), tape.maximum(y, x.range.low)
    for a, b in ((x, q), (p, y), (p, q)):
        if _measure_common_bits(a.range, b.range) < wide:
            return tape.emit(op, a, b)
    successor = tape.add(tape.maximum(x, y.range.low - 1), 1)
    if _measure_common_bits(successor.range, y.range) < wide:
        return tape.emit(Op.LESS_EQUAL if op is Op.LESS else Op.GREATER, successor, y)
    return None


def narrow_less_equal(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x <= y is not y < x, rewritten by `narrow_less`."""
    if isinstance(y, int):
        return None
    return narrow_less(tape, Op.GREATER_EQUAL if op is Op.LESS_EQUAL else Op.LESS, y, x)


# --- values too wide for any type --------------------------------------------------------

_SUMS = (Op.ADD, Op.SUBTRACT)


def split_shift(tape: Tape, op: Op, x: Node, *parameters: Any) -> Node | None:
    """(p + q) // 2**k is p // 2**k + q // 2**k, plus the carry from the low k bits of both.

    Applies if the sum fits in no type and the shifted value is bounded, so that all its bits count.
    Likewise for a difference.
    """
    if x.op is not Op.SHIFT_RIGHT:
        return None
    shift = narrow_whole_shift(tape, x.op, x.nodes[0], x.args[1])
    if shift is None:
        return None
    return (
        tape.emit(op, shift, fixed=parameters)
        if op is Op.CLIP
        else tape.emit(op, shift, *parameters)
    )


def narrow_whole_shift(tape: Tape, op: Op, x: Node, k: Node | int) -> Node | None:
    """Split a shift as `split_shift` does, if all bits of the shifted value count anyway."""
    if isinstance(k, Node) or find_narrowest_type(x.range) or x.op not in _SUMS or len(x.nodes) < 2:
        return None
    low_terms = [tape.cast(term, k, signed=False) for term in x.nodes]
    if low_terms == list(x.nodes):  # each term fits in k bits: the low sum would be x again
        return None
    high = tape.emit(x.op, *(tape.shift_right(term, k) for term in x.nodes))
    low = tape.emit(x.op, *low_terms)
    return tape.add(high, tape.shift_right(low, k))


_STRICT = {
    Op.LESS: Op.LESS,
    Op.LESS_EQUAL: Op.LESS,
    Op.GREATER: Op.GREATER,
    Op.GREATER_EQUAL: Op.GREATER,
    Op.NOT_EQUAL: Op.NOT_EQUAL,
}


def compare_by_halves(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """x < y compares the high parts or, if these are equal, the low 32 bits.

    Likewise for every comparison. Applies if x and y fit in no common type.
    """
    if find_narrowest_type(x.range, get_range(y)):
        return None
    x_halves, y_halves = _split_halves(tape, x), _split_halves(tape, y)
    if x_halves is None or y_halves is None:
        return None
    is_equal, low_result = (
        tape.emit(Op.EQUAL, x_halves[0], y_halves[0]),
        tape.emit(op, x_halves[1], y_halves[1]),
    )
    equal_case = tape.minimum(is_equal, low_result)
    if op is Op.EQUAL:
        return equal_case
    return tape.maximum(tape.emit(_STRICT[op], x_halves[0], y_halves[0]), equal_case)


def _split_halves(tape: Tape, x: Node | int) -> tuple[Node, Node] | tuple[int, int] | None:
    """Return the part above the low 32 bits, and the low 32 bits."""
    if isinstance(x, int):
        return x >> 32, x & 0xFFFF_FFFF
    high = (
        tape.shift_right(x, 32)
        if find_narrowest_type(x.range)
        else narrow_whole_shift(tape, x.op, x, 32)
    )
    return None if high is None else (high, tape.cast(x, 32, signed=False))


_BOUNDED = (narrow_bounded_sum, narrow_bounded_difference, narrow_by_reach, split_shift)
NARROWING_RULES: RewriteRules = {
    **SHORTENING_RULES,
    Op.ABSOLUTE: (drop_idle_magnitude, narrow_absolute_difference),
    Op.MINIMUM: (*SHORTENING_RULES[Op.MINIMUM], *_BOUNDED),
    Op.MAXIMUM: (*SHORTENING_RULES[Op.MAXIMUM], *_BOUNDED),
    Op.SHIFT_RIGHT: (drop_idle_shift, narrow_average),
    Op.CLIP: (narrow_clipped_sum, narrow_clipped_difference, split_shift),
    Op.LESS: (*SHORTENING_RULES[Op.LESS], narrow_less, compare_by_halves),
    Op.GREATER_EQUAL: (*SHORTENING_RULES[Op.GREATER_EQUAL], narrow_less, compare_by_halves),
    Op.LESS_EQUAL: (narrow_less_equal, compare_by_halves),
    Op.GREATER: (narrow_less_equal, compare_by_halves),
    Op.EQUAL: (*SHORTENING_RULES[Op.EQUAL], compare_by_halves),
    Op.NOT_EQUAL: (compare_by_halves,),
}
_FIRST_RULES: RewriteRules = {**SHORTENING_RULES, Op.FLOAT_BITS: (expand_float,)}
PASSES = (_FIRST_RULES, NARROWING_RULES)
"""The passes: the first shortens the recorded operations, the second narrows the result.

They are separate because arguments may be clipped for a comparison only once its final form is
known.
"""
FLAGGED_PASSES = (
    _FIRST_RULES,
    {**NARROWING_RULES, Op.SHIFT_RIGHT: (drop_idle_shift, narrow_average, narrow_whole_shift)},
)
"""The passes for a plan with flags: every row counts with all its bits."""
