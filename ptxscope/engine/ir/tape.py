"""The third Arithmetic: it records operations instead of computing them.

A plan's micro-operations, run on a tape's nodes, leave a straight line of operations on exact
integers. Recording an operation twice gives one node. A tape may have rules (``rewrites``): they
see each operation before it is recorded, and may record an equal but cheaper one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..isa.integers import Range, get_limits
from ..isa.types import Type
from ..micro_operations.arithmetic import RANGES, Picks
from .operations import Op, apply_operation

TRUTH = Range(0, 1)


class Node:
    """A lane vector to be computed. Nodes are equal only if identical."""

    __slots__ = ("args", "fixed", "lanes", "op", "range")

    def __init__(
        self,
        op: Op,
        args: tuple[Node | int, ...],
        fixed: tuple[Any, ...],
        range_: Range,
        lanes: int,
    ) -> None:
        self.op = op
        self.args = args
        """The operands; the second may be one integer for all lanes."""
        self.fixed = fixed
        """The parameters of the operation: a mask, a width, picks."""
        self.range = range_
        """A range that contains every possible value."""
        self.lanes = lanes

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The arguments that are nodes."""
        return tuple(x for x in self.args if isinstance(x, Node))

    @property
    def is_truth(self) -> bool:
        """Whether the value is always 0 or 1."""
        return TRUTH.contains(self.range)

    def find_lane(self, lane: int) -> tuple[Node, int]:
        """Return the node and its lane that compute a lane: a KEEP only picks lanes of others."""
        x = self
        while x.op is Op.KEEP:
            kept, other = x.nodes
            x = kept if lane in x.fixed[0] else other
        return x, lane if x.lanes > 1 else 0


def get_range(x: Node | int) -> Range:
    """Return the range of a node or a constant."""
    return x.range if isinstance(x, Node) else Range(x, x)


Rule = Callable[..., "Node | None"]
"""A rewrite: maps the tape, the operation, its arguments and parameters to a node or None."""
RewriteRules = Mapping[Op, Sequence[Rule]]
"""The rules for each operation, in the order in which they are tried."""


def _make_method(op: Op) -> Callable[..., Node]:
    """Make the method of ``Tape`` for an operation without parameters."""

    def method(tape: Tape, *args: Node | int) -> Node:
        return tape.emit(op, *args)

    return method


class Tape:
    """A recording in which each node comes after its arguments."""

    def __init__(self, rules: RewriteRules) -> None:
        self.nodes: list[Node] = []
        self._rules = rules
        self._nodes_by_key: dict[tuple[Any, ...], Node] = {}

    def add_source(self, role: str, type_: Type) -> Node:
        """Return the node of an operand's bits."""
        return self._make_node(
            Op.SOURCE, (), (role, type_), get_limits(type_.bits, signed=False), 1
        )

    def emit(self, op: Op, *args: Node | int, fixed: tuple[Any, ...] = ()) -> Node:
        """Return the node of an operation, or of an equal one that a rule finds."""
        values = _bound_values(op, args, fixed)
        for rule in self._rules.get(op, ()):
            if (node := rule(self, op, *args, *fixed)) is not None:
                return self._restrict_range(node, values)
        return self._make_node(op, args, fixed, values, _count_lanes(op, args, fixed))

    def copy_node(self, x: Node, copies: Mapping[Node, Node]) -> Node:
        """Copy a node of another tape; ``copies`` has the copies of its arguments."""
        if x.op is Op.SOURCE:
            return self.add_source(*x.fixed)
        args = (copies[y] if isinstance(y, Node) else y for y in x.args)
        return self._restrict_range(self.emit(x.op, *args, fixed=x.fixed), x.range)

    def _restrict_range(self, x: Node, values: Range) -> Node:
        """Return a node with its range narrowed to ``values``, known from elsewhere."""
        if values.contains(x.range):
            return x
        return self._make_node(x.op, x.args, x.fixed, x.range.intersect(values), x.lanes)

    def _make_node(
        self,
        op: Op,
        args: tuple[Node | int, ...],
        fixed: tuple[Any, ...],
        range_: Range,
        lanes: int,
    ) -> Node:
        key = (op, args, fixed, range_)
        if key not in self._nodes_by_key:
            self._nodes_by_key[key] = Node(op, args, fixed, range_, lanes)
            self.nodes.append(self._nodes_by_key[key])
        return self._nodes_by_key[key]

    # --- the methods of Arithmetic

    add = _make_method(Op.ADD)
    subtract = _make_method(Op.SUBTRACT)
    multiply = _make_method(Op.MULTIPLY)
    divide = _make_method(Op.DIVIDE)
    negative = _make_method(Op.NEGATIVE)
    absolute = _make_method(Op.ABSOLUTE)
    minimum = _make_method(Op.MINIMUM)
    maximum = _make_method(Op.MAXIMUM)
    shift_left = _make_method(Op.SHIFT_LEFT)
    shift_right = _make_method(Op.SHIFT_RIGHT)
    less = _make_method(Op.LESS)
    equal = _make_method(Op.EQUAL)
    where = _make_method(Op.WHERE)
    float_bits = _make_method(Op.FLOAT_BITS)

    def bitand(self, x: Node, y: Node | int) -> Node:
        return self.emit(Op.BITAND, x, y)

    def bitor(self, x: Node, y: Node | int) -> Node:
        return self.emit(Op.BITOR, x, y)

    def bitxor(self, x: Node, y: Node | int) -> Node:
        return self.emit(Op.BITXOR, x, y)

    def cast(self, x: Node, bits: int, signed: bool) -> Node:
        return self.emit(Op.CAST, x, fixed=(bits, signed))

    def gather(self, words: Sequence[Node], unit: int, picks: Picks) -> Node:
        return self.emit(Op.GATHER, *words, fixed=(unit, picks))

    def keep(self, x: Node, y: Node, lanes: tuple[int, ...], unit: int) -> Node:
        return self.emit(Op.KEEP, x, y, fixed=(lanes, unit))

    def pack(self, x: Node, unit: int) -> Node:
        return self.emit(Op.PACK, x, fixed=(unit,))

    def sum_lanes(self, x: Node, lanes: tuple[int, ...], count: int) -> Node:
        return self.emit(Op.SUM_LANES, x, fixed=(lanes, count))


def _bound_values(op: Op, args: tuple[Node | int, ...], fixed: tuple[Any, ...]) -> Range:
    """Return a range that contains every result of an operation."""
    if op is Op.PACK:  # an interval of RANGES does not know the number of lanes
        return get_limits(fixed[0] * _count_lanes(Op.ROW, args, fixed), signed=False)
    return apply_operation(RANGES, op, [get_range(x) for x in args], fixed)


def _count_lanes(op: Op, args: tuple[Node | int, ...], fixed: tuple[Any, ...]) -> int:
    """Return the number of lanes of an operation's output."""
    if op is Op.GATHER:
        return len(fixed[1])
    if op in (Op.PACK, Op.SUM_LANES):
        return 1
    return max(x.lanes for x in args if isinstance(x, Node))
