"""Each rule of the tape by itself: what it records is what it stands for, on Python's integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ptxscope.engine.arrays import narrowing as n
from ptxscope.engine.ir import rewrites as r
from ptxscope.engine.ir.tape import Node, Op, Rule, Tape, apply_operation
from ptxscope.engine.isa.encodings import Range, get_limits
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.arithmetic import EXACT, LaneValues
from tests.tiers import sampled

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]
Case = tuple[Op, tuple[Node | int, ...], tuple[Any, ...]]

_ENDS = sorted(
    {
        end + by
        for bits in (1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63)
        for end in (1 << bits, -1 << bits, 0)
        for by in (-1, 0, 1)
        if -1 << 63 <= end + by < 1 << 64
    }
)


class Bench:
    """A tape without rules, of operands in drawn ranges, with a value for each."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.tape = Tape({})
        self.values: dict[Node, LaneValues] = {}

    def number(self, *bounds: int) -> Node:
        """A node of any range, or of the one that is given; its value is often at an end."""
        if not bounds:
            first, last = sorted(self.draw(st.tuples(*[st.sampled_from(_ENDS)] * 2)))
            bounds = (first, min(last, (1 << 63) - 1) if first < 0 else last)
        low, high = bounds
        near = {low, high, min(low + 1, high), max(high - 1, low)}
        near |= {x for x in (-1, 0, 1) if low <= x <= high}
        value = self.draw(st.sampled_from(sorted(near)) | st.integers(low, high))
        node = self.tape.make_node(
            Op.SOURCE, (), (f"x{len(self.values)}", Type.B64), Range(*bounds), 1
        )
        self.values[node] = (value,)
        return node

    def within(self, bits: int, signed: bool) -> Node:
        return self.number(*get_limits(bits, signed))

    def integer(self) -> Node:
        """Of a machine's type."""
        return self.within(self.draw(st.sampled_from((8, 16, 32))), self.draw(st.booleans()))

    def constant(self) -> int:
        found: int = self.draw(st.sampled_from(_ENDS))
        return found

    def one(self, *choices: T) -> T:
        found: T = self.draw(st.sampled_from(choices))
        return found

    def value(self, x: Node | int) -> LaneValues | int:
        if isinstance(x, int):
            return x
        if x not in self.values:
            self.values[x] = apply_operation(EXACT, x.op, [self.value(y) for y in x.args], x.fixed)
            for lane in self.values[x]:
                assert x.range.low <= lane <= x.range.high, (x.op, x.range, lane)
        return self.values[x]


def _sum(b: Bench, *ops: Op) -> Node:
    return b.tape.emit(b.one(*ops), b.integer(), b.integer())


def _pair(b: Bench) -> tuple[Node, Node]:
    """Of types of the machine, or in any ranges, which may be disjoint."""
    return (b.integer(), b.integer()) if b.draw(st.booleans()) else (b.number(), b.number())


def _truth(b: Bench) -> Node:
    op = b.one(Op.LESS, Op.EQUAL, Op.GREATER, Op.LESS_EQUAL, Op.GREATER_EQUAL, Op.NOT_EQUAL)
    return b.tape.emit(op, b.integer(), b.integer())


def _wide(b: Bench) -> Node:
    """A sum or difference that 64 bits may not hold."""
    wide = b.within(64, b.draw(st.booleans()))
    terms = b.draw(st.permutations([wide, b.number()]))
    return b.tape.emit(b.one(Op.ADD, Op.SUBTRACT), *terms)


def _bound(b: Bench, x: Node) -> Case:
    low, high = sorted((b.constant(), b.constant()))
    op = b.one(Op.MINIMUM, Op.MAXIMUM, Op.CLIP)
    return (op, (x,), (low, high)) if op is Op.CLIP else (op, (x, low), ())


def _compared(b: Bench) -> Case:
    op = b.one(Op.LESS, Op.LESS_EQUAL, Op.GREATER, Op.GREATER_EQUAL, Op.EQUAL, Op.NOT_EQUAL)
    x, near = _wide(b), b.within(64, signed=b.one(True, False))
    return op, b.one((x, near), (near, x), (x, b.constant()), (x, b.tape.cast(x, 64, False))), ()


def _clip(b: Bench, op: Op) -> Case:
    bits = b.draw(st.sampled_from((8, 16, 32)))
    fits = [
        b.within(b.draw(st.sampled_from([x for x in (8, 16, 32) if x <= bits])), True) for _ in "pq"
    ]
    ends = get_limits(bits, signed=True)
    return Op.CLIP, (b.tape.emit(op, *fits),), tuple(ends)


def _average(b: Bench) -> Case:
    total = b.tape.add(b.integer(), b.integer())
    up = b.tape.emit(Op.GREATER_EQUAL, total, 0)
    return Op.SHIFT_RIGHT, (b.tape.add(total, up), 1), ()


def _equality(b: Bench) -> Case:
    x, y = b.integer(), b.integer()
    return Op.MAXIMUM, tuple(b.draw(st.permutations([b.tape.less(x, y), b.tape.equal(x, y)]))), ()


def _negated(b: Bench) -> Case:
    terms = [b.number(), b.number()]
    flags = b.draw(st.sampled_from([(0, 1), (1, 0), (1, 1)]))
    args = tuple(b.tape.negative(x) if flag else x for x, flag in zip(terms, flags, strict=True))
    return Op.ADD, args, ()


def _cast(b: Bench) -> tuple[int, bool]:
    return b.draw(st.sampled_from((1, 8, 15, 16, 32, 33, 34, 64))), b.draw(st.booleans())


def _choice(b: Bench) -> tuple[Node, int]:
    """y & k, where a truth holds, or y; and k."""
    bits = b.draw(st.sampled_from((8, 16, 32)))
    y, k = b.within(bits, False), b.draw(st.sampled_from((0, 1, 1 << (bits - 1), (1 << bits) - 2)))
    return b.tape.where(_truth(b), b.tape.bitand(y, k), y), k


def _masked(b: Bench) -> Case:
    choice, k = _choice(b)
    return Op.BITAND, (choice, b.one(k, ~k & 0xFFFF_FFFF, k & 0xFF, 0x7F)), ()


def _top_bit(b: Bench) -> Case:
    choice, k = _choice(b)
    return b.one(Op.LESS, Op.GREATER_EQUAL), (choice, b.one(0x80, 0x8000, 1 << 31, k)), ()


def _by_sign(b: Bench) -> Case:
    condition = b.tape.emit(Op.GREATER_EQUAL, b.integer(), b.one(0, 0, 1))
    return Op.WHERE, (condition, b.number(), b.number()), ()


def _opposite(b: Bench) -> Case:
    x = _truth(b)
    return Op.EQUAL, (b.tape.emit(Op.NOT, x) if b.draw(st.booleans()) else x, 0), ()


CASES: Mapping[Rule, Callable[[Bench], Case]] = {
    r.drop_idle_product: lambda b: (Op.MULTIPLY, (b.number(), 1), ()),
    r.drop_idle_magnitude: lambda b: (Op.ABSOLUTE, (b.number(),), ()),
    r.drop_idle_shift: lambda b: (Op.SHIFT_RIGHT, (b.number(), 0), ()),
    r.drop_idle_bound: lambda b: (b.one(Op.MINIMUM, Op.MAXIMUM), (b.number(), b.number()), ()),
    r.drop_idle_cast: lambda b: (Op.CAST, (b.number(),), _cast(b)),
    r.drop_idle_gather: lambda b: (
        Op.GATHER,
        (b.integer(), b.within(32, False)),
        (b.one(16, 32), b.one(((0, 0),), ((1, 0),), ((1, 1),), ((1, 0), (1, 0)))),
    ),
    r.merge_casts: lambda b: (Op.CAST, (b.tape.cast(b.number(), *_cast(b)),), _cast(b)),
    r.drop_idle_sum: lambda b: (Op.SUM_LANES, (b.number(),), ((0,), 1)),
    r.add_negative: _negated,
    r.merge_bounds: lambda b: (
        Op.MINIMUM,
        (b.tape.maximum(b.number(), b.constant()), b.constant()),
        (),
    ),
    r.merge_equality: _equality,
    r.negate_truth: _opposite,
    r.add_negated_truth: lambda b: (Op.SUBTRACT, (b.tape.add(b.number(), 1), _truth(b)), ()),
    r.simplify_masked_choice: _masked,
    r.simplify_top_bit: _top_bit,
    r.swap_sign_choice: _by_sign,
    r.expand_float: lambda b: (Op.FLOAT_BITS, (b.within(32, b.one(True, False)),), ()),
    n.narrow_absolute_difference: lambda b: (Op.ABSOLUTE, (_sum(b, Op.SUBTRACT),), ()),
    n.narrow_bounded_sum: lambda b: (
        b.one(Op.MINIMUM, Op.MAXIMUM),
        (_sum(b, Op.ADD), b.constant()),
        (),
    ),
    n.narrow_bounded_difference: lambda b: (
        b.one(Op.MINIMUM, Op.MAXIMUM),
        (_sum(b, Op.SUBTRACT), b.constant()),
        (),
    ),
    n.narrow_clipped_sum: lambda b: _clip(b, Op.ADD),
    n.narrow_clipped_difference: lambda b: _clip(b, Op.SUBTRACT),
    n.narrow_average: _average,
    n.narrow_by_reach: lambda b: (b.one(Op.MINIMUM, Op.MAXIMUM), (b.number(), b.number()), ()),
    n.narrow_less: lambda b: (b.one(Op.LESS, Op.GREATER_EQUAL), _pair(b), ()),
    n.narrow_less_equal: lambda b: (b.one(Op.LESS_EQUAL, Op.GREATER), _pair(b), ()),
    n.narrow_whole_shift: lambda b: (Op.SHIFT_RIGHT, (_wide(b), b.draw(st.integers(1, 33))), ()),
    n.compare_by_halves: _compared,
    n.split_shift: lambda b: _bound(b, b.tape.shift_right(_wide(b), b.draw(st.integers(1, 31)))),
}


def test_every_rewrite_rule_has_a_case() -> None:
    known = {rule for rules in (*n.PASSES, *n.FLAGGED_PASSES) for op in rules for rule in rules[op]}
    assert known == CASES.keys()


@sampled
@pytest.mark.parametrize("rule", CASES, ids=lambda rule: rule.__name__)
def test_a_rewrite_rule_computes_the_result_of_its_operation(rule: Rule) -> None:
    applied = 0

    @given(st.data())
    def check(data: st.DataObject) -> None:
        nonlocal applied
        for _ in range(12):
            bench = Bench(data.draw)
            op, args, fixed = CASES[rule](bench)
            if found := rule(bench.tape, op, *args, *fixed):
                break
        assume(found)
        assert found
        applied += 1
        expected = apply_operation(EXACT, op, [bench.value(x) for x in args], fixed)
        assert bench.value(found) == expected

    check()
    assert applied >= 10
