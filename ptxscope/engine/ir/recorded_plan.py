"""Plans in the intermediate representation: what back ends read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..isa.types import Type
from ..semantics.plan import Plan
from .operations import OPERATIONS, Op
from .tape import Node, RewriteRules, Tape

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
        """Return the nodes in order, one per line, with ranges, and the rows that each answers."""
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

    ``has_row_nodes`` records each row's value as a ROW, across which no rule looks. ``with_flags``
    adds the rows' flags and the conditions of choices to the results, under the names of
    ``make_flag_key``.
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
    """Return the name of a row's flag among results; ``holds`` means that a condition is true."""
    return f"{key} {flag}"


def rewrite_plan(plan: RecordedPlan, rules: RewriteRules) -> RecordedPlan:
    """Return a plan recorded again with other rules: the nodes that its results need."""
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
    """Return the nodes on which some depend, in order."""
    needed = set(ends)
    kept: list[Node] = []
    for x in reversed(list(nodes)):
        if x in needed:
            needed.update(x.nodes)
            kept.append(x)
    return tuple(reversed(kept))
