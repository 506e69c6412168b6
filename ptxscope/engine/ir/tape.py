"""The intermediate representation: operations on exact integers, and the tape that records them.

The tape is the third Arithmetic: it records operations instead of computing them. A plan's
micro-operations, run on a tape's nodes, leave a straight line of operations, which back ends read
as a ``RecordedPlan``. An operation recorded twice is one node. A tape may have rules
(``rewrites``): they see each operation before it is recorded, and may record an equal but cheaper
one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from ..isa.encodings import Range, get_limits
from ..isa.types import Type
from ..micro_operations.arithmetic import RANGES, Arithmetic, Picks, V
from ..semantics.plan import Plan


class Op(StrEnum):
    """The operation of a node; ``OPERATIONS`` defines it."""

    SOURCE = "source"
    ROW = "row"
    ADD = "add"
    SUBTRACT = "subtract"
    REVERSE_SUBTRACT = "subtract from"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    NEGATIVE = "negative"
    ABSOLUTE = "absolute"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    CLIP = "clip"
    AVERAGE = "average"
    SHIFT_LEFT = "shift left"
    SHIFT_RIGHT = "shift right"
    LESS = "less"
    LESS_EQUAL = "less or equal"
    GREATER = "greater"
    GREATER_EQUAL = "greater or equal"
    EQUAL = "equal"
    NOT_EQUAL = "not equal"
    NOT = "not"
    WHERE = "where"
    BITAND = "bitand"
    BITOR = "bitor"
    BITXOR = "bitxor"
    CAST = "cast"
    GATHER = "gather"
    KEEP = "keep"
    PACK = "pack"
    SUM_LANES = "sum lanes"
    FLOAT_BITS = "float bits"


class Operation(NamedTuple):
    """The arguments of an operation, and its meaning for each lane of exact integers."""

    arguments: str
    """Names of the arguments. ``y`` may be one integer for all lanes."""
    parameters: str
    meaning: str
    compute: Callable[..., Any] | None = None
    """Computes it with the methods of an ``Arithmetic``; None if one of them has the same name."""


def _compute_average(ar: Arithmetic[V], x: V, y: V) -> V:
    total = ar.add(x, y)
    return ar.shift_right(ar.add(total, ar.equal(ar.less(total, 0), 0)), 1)


def _is_less_equal(ar: Arithmetic[V], x: V, y: V) -> V:
    return ar.maximum(ar.less(x, y), ar.equal(x, y))


OPERATIONS: Mapping[Op, Operation] = {
    Op.SOURCE: Operation("", "role type", "the bits of an operand, unsigned"),
    Op.ROW: Operation("x", "key", "x, the value of a plan's row", lambda ar, x, key: x),
    Op.ADD: Operation("x y", "", "x + y"),
    Op.SUBTRACT: Operation("x y", "", "x - y"),
    Op.REVERSE_SUBTRACT: Operation("x", "k", "k - x", lambda ar, x, k: ar.add(ar.negative(x), k)),
    Op.MULTIPLY: Operation("x y", "", "x * y"),
    Op.DIVIDE: Operation("x y", "", "x // y, x not negative, y positive"),
    Op.NEGATIVE: Operation("x", "", "-x"),
    Op.ABSOLUTE: Operation("x", "", "|x|"),
    Op.MINIMUM: Operation("x y", "", "the smaller one"),
    Op.MAXIMUM: Operation("x y", "", "the larger one"),
    Op.CLIP: Operation(
        "x",
        "low high",
        "min(max(x, low), high), for low <= high",
        lambda ar, x, low, high: ar.minimum(ar.maximum(x, low), high),
    ),
    Op.AVERAGE: Operation(
        "x y", "", "(x + y) / 2, halves rounded away from zero", _compute_average
    ),
    Op.SHIFT_LEFT: Operation("x y", "", "x * 2**y"),
    Op.SHIFT_RIGHT: Operation("x y", "", "x // 2**y"),
    Op.LESS: Operation("x y", "", "1 if x < y, else 0"),
    Op.LESS_EQUAL: Operation("x y", "", "1 if x <= y, else 0", _is_less_equal),
    Op.GREATER: Operation(
        "x y", "", "1 if x > y, else 0", lambda ar, x, y: ar.equal(_is_less_equal(ar, x, y), 0)
    ),
    Op.GREATER_EQUAL: Operation(
        "x y", "", "1 if x >= y, else 0", lambda ar, x, y: ar.equal(ar.less(x, y), 0)
    ),
    Op.EQUAL: Operation("x y", "", "1 if x = y, else 0"),
    Op.NOT_EQUAL: Operation(
        "x y", "", "0 if x = y, else 1", lambda ar, x, y: ar.equal(ar.equal(x, y), 0)
    ),
    Op.NOT: Operation("x", "", "1 - x, for x = 0 or 1", lambda ar, x: ar.equal(x, 0)),
    Op.WHERE: Operation("condition x y", "", "x if the condition is 1, y if it is 0"),
    Op.BITAND: Operation("x y", "", "x & y, neither negative"),
    Op.BITOR: Operation("x y", "", "x | y, neither negative"),
    Op.BITXOR: Operation("x y", "", "x ^ y, neither negative"),
    Op.CAST: Operation(
        "x", "bits signed", "the low bits of x in two's complement, read as signed or unsigned"
    ),
    Op.GATHER: Operation(
        "words…",
        "unit picks",
        "lane i is part number picks[i][1], of unit bits, of the one-lane word picks[i][0]",
        lambda ar, *v: ar.gather(v[:-2], *v[-2:]),
    ),
    Op.KEEP: Operation(
        "x y",
        "lanes unit",
        "the lanes listed from x, which may have only one, and the others from y",
    ),
    Op.PACK: Operation(
        "x", "unit", "the sum of lane i * 2**(unit * i), for unsigned lanes of unit bits"
    ),
    Op.SUM_LANES: Operation("x", "lanes count", "the sum of the lanes listed, of count"),
    Op.FLOAT_BITS: Operation(
        "x", "", "the binary32 pattern nearest to x, ties to even, as by compute_float_bits"
    ),
}


_METHODS = {op: op.name.lower() for op in Op}


def apply_operation(
    ar: Arithmetic[V], op: Op, args: Sequence[V | int], fixed: tuple[Any, ...]
) -> V:
    """Apply an operation other than SOURCE in another arithmetic."""
    if compute := OPERATIONS[op].compute:
        result: V = compute(ar, *args, *fixed)
    else:
        result = getattr(ar, _METHODS[op])(*args, *fixed)
    return result


# --- the tape ----------------------------------------------------------------------------

TRUTH = Range(0, 1)


@dataclass(eq=False, slots=True)
class Node:
    """A lane vector to be computed. Nodes are equal only if identical."""

    op: Op
    args: tuple[Node | int, ...]
    """The operands; the second may be one integer for all lanes."""
    fixed: tuple[Any, ...]
    """The parameters of the operation: a mask, a width, picks."""
    range: Range
    """A range that contains every possible value."""
    lanes: int

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
            source, other = x.nodes
            x = source if lane in x.fixed[0] else other
        return x, lane if x.lanes > 1 else 0


def get_range(x: Node | int) -> Range:
    """Return the range of a node or a constant."""
    return x.range if isinstance(x, Node) else Range(x, x)


Rule = Callable[..., "Node | None"]
"""A rewrite: maps the tape, the operation, its arguments and parameters to a node or None."""
RewriteRules = Mapping[Op, Sequence[Rule]]
"""The rules for each operation, in the order of trial."""


def _make_method(op: Op) -> Callable[..., Node]:
    """Make the method of ``Tape`` for an operation without parameters."""

    def method(tape: Tape, *args: Node | int) -> Node:
        return tape.emit(op, *args)

    return method


class Tape:
    """A recording of nodes, each after its arguments."""

    def __init__(self, rules: RewriteRules) -> None:
        self.nodes: list[Node] = []
        self._rules = rules
        self._nodes_by_key: dict[tuple[Any, ...], Node] = {}

    def add_source(self, role: str, type_: Type) -> Node:
        """Return the node of an operand's bits."""
        return self.make_node(Op.SOURCE, (), (role, type_), get_limits(type_.bits, signed=False), 1)

    def emit(self, op: Op, *args: Node | int, fixed: tuple[Any, ...] = ()) -> Node:
        """Return the node of an operation, or of an equal one that a rule finds."""
        values = _bound_values(op, args, fixed)
        for rule in self._rules.get(op, ()):
            if (node := rule(self, op, *args, *fixed)) is not None:
                return self._restrict_range(node, values)
        return self.make_node(op, args, fixed, values, _count_lanes(op, args, fixed))

    def copy_node(self, x: Node, copies: Mapping[Node, Node]) -> Node:
        """Copy a node of another tape; ``copies`` has the copies of its arguments."""
        if x.op is Op.SOURCE:
            return self.add_source(*x.fixed)
        args = (copies[y] if isinstance(y, Node) else y for y in x.args)
        return self._restrict_range(self.emit(x.op, *args, fixed=x.fixed), x.range)

    def _restrict_range(self, x: Node, values: Range) -> Node:
        """Return a node with its range narrowed to known ``values``."""
        if values.contains(x.range):
            return x
        return self.make_node(x.op, x.args, x.fixed, x.range.intersect(values), x.lanes)

    def make_node(
        self,
        op: Op,
        args: tuple[Node | int, ...],
        fixed: tuple[Any, ...],
        range_: Range,
        lanes: int,
    ) -> Node:
        """Return the node of an operation in a range, without rules; equal nodes are shared."""
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
    bitand = _make_method(Op.BITAND)
    bitor = _make_method(Op.BITOR)
    bitxor = _make_method(Op.BITXOR)
    where = _make_method(Op.WHERE)
    float_bits = _make_method(Op.FLOAT_BITS)

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


# --- recorded plans

NO_RULES: RewriteRules = {}


class RecordedPlan(NamedTuple):
    """The computation of a plan as nodes, each after its arguments."""

    nodes: tuple[Node, ...]
    """The nodes on which rows or results depend."""
    rows: Mapping[str, Node]
    """The node with each row's value, by the row's key; empty after ``rewrite_plan``."""
    results: Mapping[str, tuple[Node, Type]]
    """The node with each destination's bits, by role; then flags, by ``make_flag_key``."""

    def __str__(self) -> str:
        """Return the nodes in order, one per line, with their ranges and rows."""
        names = {node: f"%{number}" for number, node in enumerate(self.nodes)}
        notes: dict[Node, list[str]] = {}
        for key, node in self.rows.items():
            notes.setdefault(node, []).append(key)
        for role, (node, type_) in self.results.items():
            notes.setdefault(node, []).append(f"{role} .{type_}")
        return "\n".join(_format_node(x, names, notes.get(x, ())) for x in self.nodes)


def _format_node(x: Node, names: Mapping[Node, str], notes: Iterable[str]) -> str:
    words = [names[y] if isinstance(y, Node) else str(y) for y in x.args]
    labels = OPERATIONS[x.op].parameters.split()
    words += [f"{label}={value}" for label, value in zip(labels, x.fixed, strict=True)]
    lanes = f" x{x.lanes}" if x.lanes > 1 else ""
    text = f"{names[x]}{lanes} = {x.op} {', '.join(words)}  # {x.range.low}..{x.range.high}"
    return "; ".join((text, *notes))


def record_plan(
    plan: Plan,
    rules: RewriteRules = NO_RULES,
    *,
    has_row_nodes: bool = False,
    with_flags: bool = False,
) -> RecordedPlan:
    """Run a plan's micro-operations on a tape with some rules.

    ``has_row_nodes`` records each row's value as a ROW, which no rule looks through. ``with_flags``
    adds the rows' flags and the conditions of choices to the results, with ``make_flag_key``'s
    names.
    """
    tape = Tape(rules)
    values = {source.role: tape.add_source(source.role, source.type) for source in plan.sources}
    for row in plan.rows:
        value = row.micro.run(tape, *(values[key] for key in row.inputs))
        values[row.key] = tape.emit(Op.ROW, value, fixed=(row.key,)) if has_row_nodes else value
    results = {x.role: (values[x.key], x.type) for x in plan.results}
    if with_flags:
        results |= _record_flags(plan, tape, values)
    return _make_recorded_plan(tape, {row.key: values[row.key] for row in plan.rows}, results)


def _record_flags(
    plan: Plan, tape: Tape, values: Mapping[str, Node]
) -> dict[str, tuple[Node, Type]]:
    nodes: dict[str, Node] = {}
    for row in plan.rows:
        inputs = [values[key] for key in row.inputs]
        for flag, truth in row.micro.compute_flags(tape, values[row.key], *inputs):
            nodes[make_flag_key(row.key, flag)] = truth
        if row.micro.is_choice:
            nodes[make_flag_key(row.inputs[0], "holds")] = inputs[0]
    return {name: (node, Type.PRED) for name, node in nodes.items()}


def make_flag_key(key: str, flag: str) -> str:
    """Return the name of a row's flag among results; ``holds`` is for a true condition."""
    return f"{key} {flag}"


def rewrite_plan(plan: RecordedPlan, rules: RewriteRules) -> RecordedPlan:
    """Record a plan again with other rules; keep only the nodes that its results need."""
    tape, copies = Tape(rules), dict[Node, Node]()
    for x in list_needed_nodes(plan.nodes, (node for node, _ in plan.results.values())):
        copies[x] = tape.copy_node(x, copies)
    results = {role: (copies[x], type_) for role, (x, type_) in plan.results.items()}
    return _make_recorded_plan(tape, {}, results)


def _make_recorded_plan(
    tape: Tape, rows: Mapping[str, Node], results: Mapping[str, tuple[Node, Type]]
) -> RecordedPlan:
    ends = (*rows.values(), *(node for node, _ in results.values()))
    return RecordedPlan(list_needed_nodes(tape.nodes, ends), rows, results)


def list_needed_nodes(nodes: Iterable[Node], ends: Iterable[Node]) -> tuple[Node, ...]:
    """Return the nodes that some nodes depend on, in order."""
    needed = set(ends)
    needed_nodes: list[Node] = []
    for x in reversed(list(nodes)):
        if x in needed:
            needed.update(x.nodes)
            needed_nodes.append(x)
    return tuple(reversed(needed_nodes))
