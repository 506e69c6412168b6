"""What of a tape is needed: which of its nodes, and how many of the low bits of each.

Sums, products and casts pass on how many of their bits count: the low bits of a sum depend on the
low bits of its terms alone. A comparison, a bound or a magnitude needs all of its arguments. So a
node is held in the narrowest type that holds its values, or the bits of it that count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..isa.types import Type
from ..records import NamedTuple
from ..semantics.micro_operations import Choose
from ..semantics.plan import Plan
from .integer_types import WIDEST, Int, narrowest, rounded_up
from .narrowing import PASSES, WHOLE
from .tape import Node, Op, Tape

ALL = 1 << 30
"""More bits than any node has: its very value counts."""


class Need(NamedTuple):
    """What counts of a node."""

    bits: int
    """How many of its low bits, or ALL."""
    lanes: frozenset[int]

    def either(self, other: Need) -> Need:
        """What counts where both are needed."""
        return Need(max(self.bits, other.bits), self.lanes | other.lanes)


NOTHING = Need(0, frozenset())


class Recording(NamedTuple):
    """What a plan computes, without what nobody reads."""

    needs: Mapping[Node, Need]
    """The nodes, each behind its arguments, and what counts of them."""
    results: Mapping[str, tuple[Node, Type]]
    """The node that is a destination's bits, by role."""

    def held(self, x: Node) -> Int:
        """The type a node is held in: the narrowest for its values, or for what counts of them.

        Where it is narrower than what counts, it holds the values.
        """
        exact, bits = narrowest(x.range), self.needs[x].bits
        if bits <= WIDEST:
            low = rounded_up(bits)
            return exact if exact and exact.bits <= low else Int(low, signed=False)
        assert exact, f"no type holds {x.op} of {x.range}"
        return exact


def record(plan: Plan, *, told: bool = False) -> Recording:
    """A plan's micro-operations, run on a tape, and what each pass of rules makes of it.

    Where it is to be told what happens on the way, the flags of the rows are results too, called
    by `flag_of`, and so are the conditions of choices.
    """
    passes = WHOLE if told else PASSES
    tape = Tape(passes[0])
    values = {source.role: tape.source(source.role, source.type) for source in plan.sources}
    for row in plan.rows:
        values[row.key] = row.micro.run(tape, *(values[key] for key in row.inputs))
    results = {x.role: (values[x.key], x.type) for x in plan.results}
    found = _needed(tape, results | (_flags(plan, tape, values) if told else {}))
    for rules in passes[1:]:
        tape, moved = Tape(rules), dict[Node, Node]()
        for x in found.needs:
            moved[x] = tape.again(x, moved)
        results = {role: (moved[x], type_) for role, (x, type_) in found.results.items()}
        found = _needed(tape, results)
    return found


def _flags(plan: Plan, tape: Tape, values: Mapping[str, Node]) -> dict[str, tuple[Node, Type]]:
    found: dict[str, Node] = {}
    for row in plan.rows:
        inputs = [values[key] for key in row.inputs]
        for flag, there in row.micro.raised(tape, values[row.key], *inputs):
            found[flag_of(row.key, flag)] = there
        if isinstance(row.micro, Choose):
            found[flag_of(row.inputs[0], "holds")] = inputs[0]
    return {name: (node, Type.PRED) for name, node in found.items()}


def flag_of(key: str, flag: str) -> str:
    """What a row's flag is called among results; ``holds`` is that a condition does."""
    return f"{key} {flag}"


def _needed(tape: Tape, results: Mapping[str, tuple[Node, Type]]) -> Recording:
    """What is needed for some results, found from the last node to the first."""
    needs: dict[Node, Need] = {}

    def add(x: Node, need: Need) -> None:
        needs[x] = need.either(needs.get(x, NOTHING))

    for node, type_ in results.values():
        add(node, Need(type_.bits, frozenset(range(node.lanes))))
    for x in reversed(tape.nodes):
        if x in needs:
            for at, y in enumerate(x.args):
                if isinstance(y, Node):
                    bits = _BITS.get(x.op, _all)(x, at, needs[x].bits)
                    add(y, Need(bits, _lanes(x, at, y, needs[x].lanes)))
    return Recording({x: needs[x] for x in tape.nodes if x in needs}, results)


def _lanes(x: Node, at: int, y: Node, lanes: frozenset[int]) -> frozenset[int]:
    """Which lanes of an argument count, by its place, where some of the result do."""
    if y.lanes == 1:
        return frozenset((0,))
    match x.op:
        case Op.KEEP:
            ours = frozenset(x.fixed[0])
            return lanes - ours if at else lanes & ours
        case Op.TOTAL:
            return frozenset(x.fixed[0])
        case Op.PACK:
            return frozenset(range(y.lanes))
        case _:
            return lanes


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


_BITS: Mapping[Op, Callable[[Node, int, int], int]] = {
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
