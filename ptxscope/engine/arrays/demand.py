"""Demand analysis of a tape: which nodes are needed, and how many low bits of each.

Sums, products and casts pass on the number of bits that count: the low bits of a sum depend only on
the low bits of its terms. A comparison, a bound or a magnitude needs every bit of its arguments. A
node is stored in the narrowest type for its values, or for the bits that count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..ir.tape import Node, Op, RecordedPlan, get_range, record_plan, rewrite_plan
from ..isa.types import Type
from ..semantics.plan import Plan
from .narrowing import (
    FLAGGED_PASSES,
    PASSES,
    WIDEST,
    WIDTHS,
    MachineInt,
    find_common_type,
    find_narrowest_type,
    round_up_width,
)

ALL_BITS = 1 << 30
"""More bits than any node has: the exact value counts."""


class BitDemand(NamedTuple):
    """The bits and lanes of a node that count."""

    bits: int
    """The number of low bits, or ``ALL_BITS``."""
    lanes: frozenset[int]

    def union(self, demand: BitDemand) -> BitDemand:
        """Return the demand of two readers together."""
        return BitDemand(max(self.bits, demand.bits), self.lanes | demand.lanes)


NO_DEMAND = BitDemand(0, frozenset())


class Recording(NamedTuple):
    """The computation of a plan, reduced to the nodes that are needed."""

    needs: Mapping[Node, BitDemand]
    """The nodes, each after its arguments, and the demand on them."""
    results: Mapping[str, tuple[Node, Type]]
    """The node of each destination's bits, by role."""

    def choose_storage_type(self, x: Node) -> MachineInt:
        """Return the type that stores a node: the narrowest for its values or for the demand on it.

        A type narrower than the demand fits all values. Raise WidthError if no type suffices.
        """
        exact, bits = find_narrowest_type(x.range), self.needs[x].bits
        if bits <= WIDEST:
            low = round_up_width(bits)
            return exact if exact and exact.bits <= low else MachineInt(low, signed=False)
        return exact or find_common_type(x.range)


def prepare_plan(plan: Plan, *, with_flags: bool = False) -> Recording:
    """Record a plan, apply each pass of rules, and analyse the demand on its nodes."""
    first_rules, *passes = FLAGGED_PASSES if with_flags else PASSES
    recorded_plan = record_plan(plan, first_rules, with_flags=with_flags)
    for rules in passes:
        recorded_plan = rewrite_plan(recorded_plan, rules)
    return analyse_demand(recorded_plan)


def analyse_demand(plan: RecordedPlan) -> Recording:
    """Return the demand on each node that the results need, from the last node to the first."""
    needs: dict[Node, BitDemand] = {}

    def add(x: Node, need: BitDemand) -> None:
        needs[x] = need.union(needs.get(x, NO_DEMAND))

    for node, type_ in plan.results.values():
        bits = max(type_.bits, WIDTHS[0])  # a predicate is a whole byte in memory
        add(node, BitDemand(bits, frozenset(range(node.lanes))))
    for x in reversed(plan.nodes):
        if x in needs:
            for index, y in enumerate(x.args):
                if isinstance(y, Node):
                    bits = _BITS.get(x.op, _demand_all_bits)(x, index, needs[x].bits)
                    add(y, BitDemand(bits, _find_demanded_lanes(x, index, y, needs[x].lanes)))
    return Recording({x: needs[x] for x in plan.nodes if x in needs}, plan.results)


def _find_demanded_lanes(x: Node, index: int, y: Node, lanes: frozenset[int]) -> frozenset[int]:
    """Return the lanes of argument ``index`` that count if ``lanes`` of the result do."""
    if y.lanes == 1:
        return frozenset((0,))
    match x.op:
        case Op.KEEP:
            kept_lanes = frozenset(x.fixed[0])
            return lanes - kept_lanes if index else lanes & kept_lanes
        case Op.SUM_LANES:
            return frozenset(x.fixed[0])
        case Op.PACK:
            return frozenset(range(y.lanes))
        case _:
            return lanes


def _demand_all_bits(x: Node, index: int, need: int) -> int:
    return ALL_BITS


def _demand_ring_bits(x: Node, index: int, need: int) -> int:
    """Return ``need``; if all bits count, return the width of the result's type."""
    exact = find_narrowest_type(x.range)
    return exact.bits if exact and need > WIDEST else need


def _demand_left_shift(x: Node, index: int, need: int) -> int:
    return ALL_BITS if index else _demand_ring_bits(x, index, need)


def _demand_right_shift(x: Node, index: int, need: int) -> int:
    amount = x.args[1]
    if index or isinstance(amount, Node) or need + amount > WIDEST:
        return ALL_BITS
    return need + amount


def _demand_choice(x: Node, index: int, need: int) -> int:
    return need if index else ALL_BITS


_BITS: Mapping[Op, Callable[[Node, int, int], int]] = {
    Op.ADD: _demand_ring_bits,
    Op.SUBTRACT: _demand_ring_bits,
    Op.MULTIPLY: _demand_ring_bits,
    Op.NEGATIVE: _demand_ring_bits,
    Op.REVERSE_SUBTRACT: _demand_ring_bits,
    Op.SHIFT_LEFT: _demand_left_shift,
    Op.SHIFT_RIGHT: _demand_right_shift,
    Op.WHERE: _demand_choice,
    Op.BITAND: lambda x, index, need: min(get_range(x.args[1 - index]).high.bit_length(), need),
    Op.BITOR: _demand_ring_bits,
    Op.BITXOR: _demand_ring_bits,
    Op.CAST: lambda x, index, need: min(x.fixed[0], need),
    Op.GATHER: lambda x, index, need: max(32, measure_gathered_bits(x)),
    Op.KEEP: lambda x, index, need: x.fixed[1],
    Op.PACK: lambda x, index, need: x.fixed[0],
    Op.SUM_LANES: lambda x, index, need: measure_total_bits(x),
}
"""The number of bits of argument ``index`` that count if ``need`` bits of the result do."""


def measure_gathered_bits(x: Node) -> int:
    """Return the number of low bits of the words of a GATHER."""
    unit, picks = x.fixed
    bits: int = unit * (1 + max(part for _, part in picks))
    return bits


def measure_total_bits(x: Node) -> int:
    """Return a lane width without overflow in a SUM_LANES."""
    low, high = x.nodes[0].range
    largest = len(x.fixed[0]) * (high - min(low, 0))
    return round_up_width(largest.bit_length())
