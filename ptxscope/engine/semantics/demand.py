"""What of a tape is needed: which of its nodes, and how many of the low bits of each.

Sums, products and casts pass on how many of their bits count: the low bits of a sum depend on the
low bits of its terms alone. A comparison, a bound or a magnitude needs all of its arguments. So a
node is held in the narrowest type that holds its values, or the bits of it that count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..isa.types import Type
from .plan import Plan
from .rewrites import RULES
from .tape import Node, Op, Rule, Tape
from .widths import WIDEST, Int, narrowest, rounded_up

ALL = 1 << 30
"""More bits than any node has: its very value counts."""


class Recording(NamedTuple):
    """What a plan computes, without what nobody reads."""

    needs: Mapping[Node, int]
    """The nodes, each behind its arguments, and how many of their low bits count, or ALL."""
    results: Mapping[str, tuple[Node, Type]]
    """The node that is a destination's bits, by role."""

    def held(self, x: Node) -> Int:
        """The type a node is held in: the narrowest for its values, or for what counts of them.

        Where it is narrower than what counts, it holds the values.
        """
        exact, need = narrowest(x.range), self.needs[x]
        if need <= WIDEST:
            low = rounded_up(need)
            return exact if exact and exact.bits <= low else Int(low, signed=False)
        assert exact, f"no type holds {x.op} of {x.range}"
        return exact


def record(plan: Plan, rules: Mapping[Op, tuple[Rule, ...]] | None = None) -> Recording:
    """A plan's micro-operations, run on a tape."""
    tape = Tape(RULES if rules is None else rules)
    values = {source.role: tape.source(source.role, source.type) for source in plan.sources}
    for row in plan.rows:
        values[row.key] = row.micro.run(tape, *(values[key] for key in row.inputs))
    results = {x.role: (values[x.key], x.type) for x in plan.results}
    needs: dict[Node, int] = {}
    for node, type_ in results.values():
        needs[node] = max(needs.get(node, 0), type_.bits)
    live = [x for x in reversed(tape.nodes) if _need(x, needs)]
    return Recording({x: needs[x] for x in reversed(live)}, results)


def _need(x: Node, needs: dict[Node, int]) -> bool:
    """Whether a node is needed, having passed on what it needs of its arguments."""
    if x not in needs:
        return False
    for at, argument in enumerate(x.args):
        if isinstance(argument, Node):
            of = _PASSED.get(x.op, _all)(x, at, needs[x])
            needs[argument] = max(needs.get(argument, 0), of)
    return True


def _all(x: Node, at: int, need: int) -> int:
    return ALL


def _ring(x: Node, at: int, need: int) -> int:
    """As many as count of it; where all do, as many as a type has that holds it."""
    exact = narrowest(x.range)
    return exact.bits if exact and need > WIDEST else need


def _shifted_left(x: Node, at: int, need: int) -> int:
    return ALL if at else _ring(x, at, need)


def _shifted_right(x: Node, at: int, need: int) -> int:
    amount = x.args[1]
    if at or isinstance(amount, Node) or need + amount > WIDEST:
        return ALL
    return need + amount


def _chosen(x: Node, at: int, need: int) -> int:
    return need if at else ALL


_PASSED: Mapping[Op, Callable[[Node, int, int], int]] = {
    Op.ADD: _ring,
    Op.SUBTRACT: _ring,
    Op.MULTIPLY: _ring,
    Op.NEGATIVE: _ring,
    Op.FROM: _ring,
    Op.SHIFT_LEFT: _shifted_left,
    Op.SHIFT_RIGHT: _shifted_right,
    Op.WHERE: _chosen,
    Op.BITAND: lambda x, at, need: min(x.fixed[0].bit_length(), need),
    Op.CAST: lambda x, at, need: min(x.fixed[0], need),
    Op.GATHER: lambda x, at, need: 32,
    Op.KEEP: lambda x, at, need: x.fixed[1],
    Op.PACK: lambda x, at, need: x.fixed[0],
    Op.TOTAL: lambda x, at, need: total_bits(x),
}
"""How many bits of an argument count, by its place, where so many of the result do."""


def total_bits(x: Node) -> int:
    """The width of lanes of which none overflows when the lanes of a TOTAL are added."""
    low, high = x.nodes[0].range
    most = len(x.fixed[0]) * (high - min(low, 0))
    return rounded_up(most.bit_length())
