"""The back end for proofs: recorded plans as bit vectors of a solver.

The value of a node is a bit vector for each lane, as wide as the node's range needs, in two's
complement if the range has negative numbers. A sum is computed modulo its own width: the exact one
fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count, starmap
from typing import NamedTuple

from ...engine.ir.rewrites import expand_float
from ...engine.ir.tape import Node, Op, RewriteRules, get_range
from ...engine.isa.encodings import Range
from .solver import Term, TermFactory


class Multiplier(NamedTuple):
    """A number M and an amount p with x // d == x * M >> p."""

    factor: int
    shift: int


def find_multiplier(dividends: Range, divisor: int) -> Multiplier:
    """Return the smallest multiplier for all dividends of a range.

    It is M = (2^p + e) / d, rounded up from 2^p / d. Then x * M / 2^p is (x + x * e / 2^p) / d,
    and has the same floor as x / d while 0 <= x * e < 2^p (Granlund and Montgomery, 1994).

    For a negative x, ``~(x * M >> p)`` is the quotient of the magnitude: |x| * M / 2^p is above
    |x| / d, and at most its floor plus 1, while 0 < |x| * e <= 2^p. So there ``divisor`` must not
    be a power of two.
    """
    for shift in count():
        factor = -(-(1 << shift) // divisor)
        excess = factor * divisor - (1 << shift)
        if excess * dividends.high < 1 << shift and excess * -dividends.low <= 1 << shift:
            return Multiplier(factor, shift)
    raise AssertionError


PROOF_RULES: RewriteRules = {Op.FLOAT_BITS: (expand_float,)}
"""The rules with which a plan must be recorded for ``BitVectors``."""
UNIT_BITS = 8
"""The width of a variable: an operand is several, so that a question shows which bytes it reads."""
_RING: Mapping[Op, str] = {
    Op.ADD: "BV_ADD",
    Op.SUBTRACT: "BV_SUB",
    Op.MULTIPLY: "BV_MUL",
    Op.NEGATIVE: "BV_NEG",
    Op.BITAND: "BV_AND",
    Op.BITOR: "BV_OR",
    Op.BITXOR: "BV_XOR",
}
"""The kinds of operations whose bits depend on no higher bits of the arguments."""
_SUMS = frozenset((Op.ADD, Op.SUBTRACT, Op.NEGATIVE))


class BitVectors:
    """The values of nodes, from one tape or several, as terms."""

    def __init__(self, terms: TermFactory) -> None:
        """Make a back end."""
        self.terms = terms
        self.variables: dict[str, Term] = {}
        """The bits of each operand by role."""
        self._values: dict[Node, tuple[Term, ...]] = {}
        self._low_bits: dict[tuple[Node, int, int], Term] = {}

    def encode(self, nodes: Iterable[Node]) -> None:
        """Encode nodes, each after its arguments."""
        for x in nodes:
            if x not in self._values:
                self._values[x] = self._encode(x)

    def __contains__(self, x: object) -> bool:
        """Whether a node is encoded."""
        return x in self._values

    def __getitem__(self, x: Node) -> tuple[Term, ...]:
        """Return the terms of an encoded node, lane 0 first."""
        return self._values[x]

    def _encode(self, x: Node) -> tuple[Term, ...]:
        if x.range.low == x.range.high:
            return (self.terms.make_value(x.range.low, x.range.bits),) * x.lanes
        return _ENCODERS[x.op](self, x)

    def get_source(self, role: str, bits: int) -> Term:
        """Return the bits of an operand."""
        if role not in self.variables:
            widths = [UNIT_BITS] * (bits // UNIT_BITS) or [bits]
            parts = [
                self.terms.make_variable(width, f"{role}.{index}")
                for index, width in enumerate(widths)
            ]
            parts.reverse()
            self.variables[role] = (
                parts[0] if len(parts) == 1 else self.terms.make("BV_CONCAT", *parts)
            )
        return self.variables[role]

    def resize(self, x: Node | int, lane: int, width: int) -> Term:
        """Return a lane in two's complement of a width, which may be too small for it."""
        if isinstance(x, int):
            return self.terms.make_value(x, width)
        lane = lane if x.lanes > 1 else 0
        if width < x.range.bits and (kind := _RING.get(x.op)):
            return self.apply_ring(kind, x, lane, width)
        if width > x.range.bits and x.range.low != x.range.high:
            # two sums of the same terms in another order are then the same to the solver
            if x.op in _SUMS:
                return self.apply_ring(_RING[x.op], x, lane, width)
            if x.op is Op.SUM_LANES:
                return self.sum_lanes(x, width)
        term = self._values[x][lane]
        return self.terms.resize(term, x.range.bits, width, x.range.low < 0)

    def apply_ring(self, kind: str, x: Node, lane: int, width: int) -> Term:
        """Return the low bits of an operation whose bits depend on no higher ones."""
        if (key := (x, lane, width)) not in self._low_bits:
            args = self.resize_all(x.args, lane, width)
            makers = {"BV_MUL": self.terms.multiply, "BV_ADD": self.terms.add}
            maker = makers.get(kind)
            self._low_bits[key] = maker(*args) if maker else self.terms.make(kind, *args)
        return self._low_bits[key]

    def sum_lanes(self, x: Node, width: int) -> Term:
        """Return the sum of some lanes in a width."""
        first, *others = (self.resize(x.args[0], lane, width) for lane in x.fixed[0])
        for term in others:
            first = self.terms.add(first, term)
        return first

    def resize_all(self, args: Iterable[Node | int], lane: int, width: int) -> tuple[Term, ...]:
        """Return a lane of several values in one width."""
        return tuple(self.resize(x, lane, width) for x in args)

    def truth(self, x: Node | int, lane: int) -> Term:
        """Return whether a lane of value 0 or 1 is 1."""
        return self.terms.is_set(self.resize(x, lane, 1))

    def number(self, truth: Term) -> Term:
        """Return a truth as one bit."""
        return self.terms.make("ITE", truth, *(self.terms.make_value(i, 1) for i in (1, 0)))


Encoder = Callable[[BitVectors, Node], "tuple[Term, ...]"]
LaneEncoder = Callable[[BitVectors, Node, int], Term]


def _for_each_lane(encode: LaneEncoder) -> Encoder:
    return lambda b, x: tuple(encode(b, x, lane) for lane in range(x.lanes))


def _cover(args: Iterable[Node | int]) -> Range:
    """Return the smallest range that holds all values of some arguments."""
    ranges = list(map(get_range, args))
    return Range(min(x.low for x in ranges), max(x.high for x in ranges))


def _encode_source(b: BitVectors, x: Node) -> tuple[Term, ...]:
    role, type_ = x.fixed
    source = b.get_source(role, type_.bits)
    return (b.terms.resize(source, type_.bits, x.range.bits, signed=False),)


def _encode_ring(kind: str) -> Encoder:
    return _for_each_lane(lambda b, x, lane: b.apply_ring(kind, x, lane, x.range.bits))


def _encode_reverse_difference(b: BitVectors, x: Node, lane: int) -> Term:
    width = x.range.bits
    return b.terms.make("BV_SUB", *b.resize_all((*x.fixed, *x.args), lane, width))


def _encode_quotient(b: BitVectors, x: Node, lane: int) -> Term:
    divisor = get_range(x.args[1])
    if divisor.low == divisor.high and divisor.low & (divisor.low - 1) and x.nodes[0] is x.args[0]:
        return _encode_constant_quotient(b, x, lane, divisor.low)
    width = _cover(x.args).bits
    quotient = b.terms.make("BV_UDIV", *b.resize_all(x.args, lane, width))
    return b.terms.resize(quotient, width, x.range.bits, signed=False)


def _encode_constant_quotient(b: BitVectors, x: Node, lane: int, divisor: int) -> Term:
    """Return a quotient by a constant, no power of two, from the high bits of a product."""
    y = x.nodes[0]
    y = y.nodes[0] if y.op is Op.ABSOLUTE else y
    signed, bits = y.range.low < 0, y.range.bits
    factor, shift = find_multiplier(y.range, divisor)
    rest = 0
    if shift >= bits and factor >> (bits - signed):
        # compilers multiply by a word, and add the value of the bit above it
        factor, rest = factor - (1 << bits), 1
    width = 2 * bits if rest else Range(y.range.low * factor, y.range.high * factor).bits
    total = b.terms.multiply(b.resize(y, lane, width), b.terms.make_value(factor, width))
    if rest:
        high = b.terms.resize(b.terms.cut(total, bits, width), bits, bits + 1, signed)
        total = b.terms.make("BV_ADD", high, b.resize(y, lane, bits + 1))
        shift, width = shift - bits, bits + 1
    quotient = b.terms.cut(total, shift, width)
    if signed:
        is_negative = _compare(b, "LT", (y, 0), lane)
        quotient = b.terms.make("ITE", is_negative, b.terms.make("BV_NOT", quotient), quotient)
    return b.terms.resize(quotient, width - shift, x.range.bits, signed)


def _encode_absolute(b: BitVectors, x: Node, lane: int) -> Term:
    (y,) = x.nodes
    width = max(x.range.bits, y.range.bits)
    value = b.resize(y, lane, width)
    if y.range.low < 0:
        is_negative = b.terms.make("BV_SLT", value, b.terms.make_value(0, width))
        value = b.terms.make("ITE", is_negative, b.terms.make("BV_NEG", value), value)
    return b.terms.resize(value, width, x.range.bits, signed=False)


def _compare(b: BitVectors, kind: str, args: Iterable[Node | int], lane: int) -> Term:
    """Return the truth of a comparison: ``LT``, ``LE``, ``EQUAL``."""
    args = tuple(args)
    range_ = _cover(args)
    if kind != "EQUAL":
        kind = f"BV_{'S' if range_.low < 0 else 'U'}{kind}"
    return b.terms.make(kind, *b.resize_all(args, lane, range_.bits))


def _encode_comparison(kind: str, *, swap: bool = False, negate: bool = False) -> Encoder:
    def encode(b: BitVectors, x: Node, lane: int) -> Term:
        truth = _compare(b, kind, reversed(x.args) if swap else x.args, lane)
        bit = b.number(b.terms.make("NOT", truth) if negate else truth)
        return b.terms.resize(bit, 1, x.range.bits, signed=False)

    return _for_each_lane(encode)


def _encode_bound(*, is_low: bool) -> Encoder:
    def encode(b: BitVectors, x: Node, lane: int) -> Term:
        y, end = x.args
        is_kept = _compare(b, "LT", (end, y) if is_low else (y, end), lane)
        return b.terms.make("ITE", is_kept, *b.resize_all(x.args, lane, x.range.bits))

    return _for_each_lane(encode)


def _encode_clip(b: BitVectors, x: Node, lane: int) -> Term:
    (y,), (low, high), width = x.nodes, x.fixed, x.range.bits
    value = b.resize(y, lane, width)
    for args, end in (((y, low), low), ((high, y), high)):
        is_beyond = _compare(b, "LT", args, lane)
        value = b.terms.make("ITE", is_beyond, b.resize(end, lane, width), value)
    return value


def _encode_average(b: BitVectors, x: Node, lane: int) -> Term:
    width = _cover(x.args).bits + 2
    total = b.terms.make("BV_ADD", *b.resize_all(x.args, lane, width))
    is_positive = b.terms.make("BV_SLE", b.terms.make_value(0, width), total)
    rounding = b.terms.resize(b.number(is_positive), 1, width, signed=False)
    half = b.terms.make(
        "BV_ASHR", b.terms.make("BV_ADD", total, rounding), b.terms.make_value(1, width)
    )
    return b.terms.resize(half, width, x.range.bits, signed=True)


def _encode_left_shift(b: BitVectors, x: Node, lane: int) -> Term:
    y, amount = x.args
    width = max(x.range.bits, get_range(amount).bits)
    shifted = b.terms.make("BV_SHL", *b.resize_all((y, amount), lane, width))
    return b.terms.resize(shifted, width, x.range.bits, signed=x.range.low < 0)


def _encode_right_shift(b: BitVectors, x: Node, lane: int) -> Term:
    y, amount = x.args
    range_, bits = get_range(y), get_range(amount).bits
    width, signed = max(range_.bits, bits), range_.low < 0
    low, high = get_range(amount)
    if low == high and (signed or low < range_.bits):
        low = min(low, range_.bits - 1)  # all above is the sign
        part = b.terms.cut(b.resize(y, lane, range_.bits), low, range_.bits)
        return b.terms.resize(part, range_.bits - low, x.range.bits, signed)
    kind = "BV_ASHR" if signed else "BV_SHR"
    shifted = b.terms.make(kind, *b.resize_all((y, amount), lane, width))
    return b.terms.resize(shifted, width, x.range.bits, signed)


def _encode_not(b: BitVectors, x: Node, lane: int) -> Term:
    bit = b.terms.make("BV_NOT", b.resize(x.args[0], lane, 1))
    return b.terms.resize(bit, 1, x.range.bits, signed=False)


def _encode_choice(b: BitVectors, x: Node, lane: int) -> Term:
    condition, *options = x.args
    return b.terms.make("ITE", b.truth(condition, lane), *b.resize_all(options, lane, x.range.bits))


def _encode_cast(b: BitVectors, x: Node, lane: int) -> Term:
    bits, signed = x.fixed
    return b.terms.resize(b.resize(x.args[0], lane, bits), bits, x.range.bits, signed)


def _encode_gather(b: BitVectors, x: Node) -> tuple[Term, ...]:
    unit, picks = x.fixed

    def encode(word: int, part: int) -> Term:
        end = unit * (part + 1)
        lane = b.terms.cut(b.resize(x.args[word], 0, end), end - unit, end)
        return b.terms.resize(lane, unit, x.range.bits, signed=False)

    return tuple(starmap(encode, picks))


def _encode_kept_lane(b: BitVectors, x: Node, lane: int) -> Term:
    y, other = x.args
    return b.resize(y if lane in x.fixed[0] else other, lane, x.range.bits)


def _encode_word(b: BitVectors, x: Node) -> tuple[Term, ...]:
    (y,), (unit,) = x.nodes, x.fixed
    lanes = [b.resize(y, lane, unit) for lane in reversed(range(y.lanes))]
    word = lanes[0] if len(lanes) == 1 else b.terms.make("BV_CONCAT", *lanes)
    return (b.terms.resize(word, unit * y.lanes, x.range.bits, signed=False),)


def _encode_lane_sum(b: BitVectors, x: Node) -> tuple[Term, ...]:
    return (b.sum_lanes(x, x.range.bits),)


_ENCODERS: Mapping[Op, Encoder] = {
    Op.SOURCE: _encode_source,
    Op.ROW: _for_each_lane(lambda b, x, lane: b.resize(x.args[0], lane, x.range.bits)),
    Op.REVERSE_SUBTRACT: _for_each_lane(_encode_reverse_difference),
    **{op: _encode_ring(kind) for op, kind in _RING.items()},
    Op.DIVIDE: _for_each_lane(_encode_quotient),
    Op.ABSOLUTE: _for_each_lane(_encode_absolute),
    Op.MINIMUM: _encode_bound(is_low=False),
    Op.MAXIMUM: _encode_bound(is_low=True),
    Op.CLIP: _for_each_lane(_encode_clip),
    Op.AVERAGE: _for_each_lane(_encode_average),
    Op.SHIFT_LEFT: _for_each_lane(_encode_left_shift),
    Op.SHIFT_RIGHT: _for_each_lane(_encode_right_shift),
    Op.LESS: _encode_comparison("LT"),
    Op.LESS_EQUAL: _encode_comparison("LE"),
    Op.GREATER: _encode_comparison("LT", swap=True),
    Op.GREATER_EQUAL: _encode_comparison("LE", swap=True),
    Op.EQUAL: _encode_comparison("EQUAL"),
    Op.NOT_EQUAL: _encode_comparison("EQUAL", negate=True),
    Op.NOT: _for_each_lane(_encode_not),
    Op.WHERE: _for_each_lane(_encode_choice),
    Op.CAST: _for_each_lane(_encode_cast),
    Op.GATHER: _encode_gather,
    Op.KEEP: _for_each_lane(_encode_kept_lane),
    Op.PACK: _encode_word,
    Op.SUM_LANES: _encode_lane_sum,
}
"""The encoder of each operation but FLOAT_BITS, which PROOF_RULES expand."""
