"""A question about computations: their plans on one tape, over operands with common names."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from ...engine.cancellation import IsStopped, never
from ...engine.ir.tape import Node, Op, Tape, apply_operation, list_needed_nodes
from ...engine.isa.types import Type
from ...engine.micro_operations.arithmetic import EXACT, LaneValues, fill
from ...engine.semantics.models import Model
from ...engine.semantics.plan import Plan
from ...engine.tracing.basic_block import BasicBlock
from .bit_vectors import PROOF_RULES, UNIT_BITS, BitVectors
from .solver import Solver, Term, Undecided

Renaming = Mapping[str, str]
"""For a register of a program, the name that it has in the question."""
NO_RENAMING: Renaming = {}
_FIX_SECONDS = 0.2
"""The time for each question about the bytes of operands."""
_BITS_TYPES = {1: Type.PRED, 16: Type.B16, 32: Type.B32, 64: Type.B64}


class Side(NamedTuple):
    """A program in a question."""

    program: BasicBlock
    model: Model
    plan: Plan
    values: Mapping[str, Node]
    """The values of operands and rows by role and key."""
    inputs: Mapping[str, str]
    """The name in the question of each register that it reads, by the program's name."""
    results: Mapping[str, tuple[Node, Type]]
    """The bits of each destination by the program's name."""


class ProofQuestion:
    """Computations of the same operands, and conditions on them."""

    def __init__(
        self,
        timeout: float,
        is_stopped: IsStopped = never,
        *,
        memory_megabytes: int = 0,
    ) -> None:
        """Ask within the limits of a ``Solver``."""
        self.tape = Tape(PROOF_RULES)
        self.solver = Solver(timeout, is_stopped, memory_megabytes)
        self.vectors = BitVectors(self.solver.terms)
        self.inputs: dict[str, Type] = {}
        """The type of each operand by name, in the order of their first use."""
        self.has_conditions = False

    def add_side(self, program: BasicBlock, model: Model, renaming: Renaming = NO_RENAMING) -> Side:
        """Record the computation of a program.

        Raise ValueError if an operand has another width than before.
        """
        plan = program.make_plan(model)
        read_names = [
            program.names[source.role]
            for source in plan.sources
            if source.role not in program.constants
        ]
        inputs = {name: renaming.get(name, name) for name in read_names}
        names = {role: inputs.get(name, name) for role, name in program.names.items()}
        values = self.record_plan(plan, names, program.constants)
        keys = {role: (values[key], type_) for role, type_, key in plan.results}
        results = {name: keys[role] for role, name in program.results.items()}
        return Side(program, model, plan, values, inputs, results)

    def record_plan(
        self, plan: Plan, names: Mapping[str, str], constants: Mapping[str, int]
    ) -> dict[str, Node]:
        """Record a plan; return the values of operands and rows by role and key.

        ``names`` has the names of operands in the question by role, ``constants`` other operands.
        """
        values = {
            role: self.make_constant(constants[role])
            if role in constants
            else self.add_input(names[role], type_)
            for role, type_ in plan.sources
        }
        for row in plan.rows:
            values[row.key] = row.micro.run(self.tape, *(values[key] for key in row.inputs))
        return values

    def read_guards(self, side: Side) -> Node | None:
        """Return whether a thread stays in a block to its end; None if it has no guards.

        The predicates that they read are among the results.
        """
        truths = []
        for place, name, staying_value in side.program.guards:
            if place.statement:
                node, _ = side.results[name]
            else:
                node = self.add_input(side.inputs.get(name, name), Type.PRED)
            truths.append(node if staying_value else self.tape.equal(node, 0))
        return reduce(self.tape.minimum, truths) if truths else None

    def add_input(self, name: str, type_: Type) -> Node:
        """Return the bits of an operand; raise ValueError if it has another width already."""
        known_type = self.inputs.setdefault(name, type_)
        if known_type.bits != type_.bits:
            widths = sorted((known_type.bits, type_.bits))
            hint = f"; if `cvt` reads it, write `.reg .b{widths[1]} {name};` before"
            raise ValueError(
                f"{name} has {known_type.bits} bits in one and {type_.bits} in the other"
                + hint * (widths[0] == 16)  # a type of 8 bits is read from 16, or from more
            )
        return self.tape.add_source(name, _BITS_TYPES[type_.bits])

    def make_constant(self, value: int) -> Node:
        """Return a node of one value."""
        return fill(self.tape, self.tape.add_source("", Type.PRED), value)

    def encode(self, *nodes: Node) -> None:
        """Encode nodes and all that they depend on."""
        for x in iter_missing(nodes, self.vectors):
            self.vectors.encode((x,))

    def make_truth(self, node: Node) -> Term:
        """Return whether a lone lane of value 0 or 1 is 1, for the solver."""
        self.encode(node)
        return self.vectors.truth(node, 0)

    def add_condition(self, node: Node) -> None:
        """Restrict the operands to those for which a node is 1."""
        self.has_conditions = True
        self.solver.add(self.make_truth(node))

    def fix_zeros(self) -> None:
        """Tell the solver which high bytes of operands the conditions leave only 0.

        It does not find them itself, and without them ``a < 0x1000000`` makes no product smaller.
        """
        terms = self.solver.terms
        for name, type_ in self.inputs.items():
            for low in range(type_.bits - UNIT_BITS, -1, -UNIT_BITS):
                part = terms.cut(self.get_bits(name), low, low + UNIT_BITS)
                is_zero = terms.make("EQUAL", part, terms.make_value(0, UNIT_BITS))
                try:
                    if self.solver.is_possible(terms.make("NOT", is_zero), seconds=_FIX_SECONDS):
                        break
                except Undecided:
                    break
                self.solver.add(is_zero)

    def get_operands(self) -> dict[str, int]:
        """Return the operands in the last values of the solver."""
        return {name: self.solver.get_value(self.get_bits(name)) for name in self.inputs}

    def get_bits(self, name: str) -> Term:
        """Return the bits of an operand."""
        return self.vectors.get_source(name, self.inputs[name].bits)

    def compute(self, node: Node, operands: Mapping[str, int]) -> LaneValues:
        """Return the exact value of a node for some operands by name."""
        return compute_nodes(list_needed_nodes(self.tape.nodes, [node]), operands)[node]

    def make_test(self, *nodes: Node) -> Callable[[Mapping[str, int]], bool]:
        """Return a function that decides exactly whether nodes are 1 for operands."""
        needed = list_needed_nodes(self.tape.nodes, nodes)

        def holds(operands: Mapping[str, int]) -> bool:
            values = compute_nodes(needed, operands)
            return all(values[node][0] for node in nodes)

        return holds


def iter_missing(nodes: Iterable[Node], known_nodes: Container[Node]) -> Iterator[Node]:
    """Yield unknown nodes among some and their arguments, each after its own arguments.

    The caller makes each known before it asks for the next.
    """
    stack = [*nodes]
    while stack:
        if missing := [x for x in stack[-1].nodes if x not in known_nodes]:
            stack += missing
        elif (x := stack.pop()) not in known_nodes:
            yield x


def compute_nodes(
    nodes: Iterable[Node],
    operands: Mapping[str, int],
    known: dict[Node, LaneValues] | None = None,
) -> dict[Node, LaneValues]:
    """Return the exact values of nodes, each after its arguments; add them to ``known``."""
    values = {} if known is None else known
    for x in nodes:
        if x.op is Op.SOURCE:
            values[x] = (operands.get(x.fixed[0], 0),)
        else:
            args = [y if isinstance(y, int) else values[y] for y in x.args]
            values[x] = apply_operation(EXACT, x.op, args, x.fixed)
    return values


# --- simple operands ------------------------------------------------------------------------

_WISH_SECONDS = 0.3
"""The time for one wish; a wish that takes longer is dropped."""
_ALL_WISHES_SECONDS = 1.0


def find_simple_operands(
    question: ProofQuestion,
    conditions: Sequence[Term],
    holds: Callable[[Mapping[str, int]], bool],
    wishes: Sequence[Sequence[Term]] = (),
) -> dict[str, int] | None:
    """Return operands by name for which conditions hold, or None.

    ``holds`` decides exactly whether operands satisfy them. ``wishes`` are lists of alternatives:
    the first one that can hold with all before it is kept. The wishes that operands and bytes are 0
    follow, as long as the time for this lasts; finally, bits are cleared one by one. Raise
    Undecided if the time of the question passes before the first operands are found.
    """
    solver = question.solver
    for name in question.inputs:
        question.get_bits(name)
    if not solver.is_possible(*conditions):
        return None
    kept, operands = [*conditions], question.get_operands()
    end = solver.elapsed + _ALL_WISHES_SECONDS

    def grant(wish: Term) -> bool:
        """Keep a wish if it can hold."""
        nonlocal operands
        seconds = min(end - solver.elapsed, _WISH_SECONDS)
        if seconds <= 0 or not solver.is_possible(*kept, wish, seconds=seconds):
            return False
        kept.append(wish)
        operands = question.get_operands()
        return True

    try:
        for alternatives in wishes:
            any(map(grant, alternatives))
        for name, low, high in _iter_parts(question, UNIT_BITS):
            part = solver.terms.cut(question.get_bits(name), low, high)
            wish = solver.terms.make("EQUAL", part, solver.terms.make_value(0, high - low))
            if operands[name] & (1 << high) - (1 << low) == 0:
                kept.append(wish)
            else:
                grant(wish)
    except Undecided:
        pass  # operands that are harder to read are an answer too
    return clear_bits(question, operands, holds)


def clear_bits(
    question: ProofQuestion, operands: dict[str, int], holds: Callable[[Mapping[str, int]], bool]
) -> dict[str, int]:
    """Return operands with each bit cleared that may be 0, the highest bits first."""
    for name, low, high in _iter_parts(question, 1):
        cleared = operands[name] & ~((1 << high) - (1 << low))
        if cleared != operands[name] and holds({**operands, name: cleared}):
            operands = {**operands, name: cleared}
    return operands


def _iter_parts(question: ProofQuestion, unit: int) -> Iterator[tuple[str, int, int]]:
    """Yield the operands, then their parts of some bits; the last operand and part first."""
    inputs = [(name, type_.bits) for name, type_ in question.inputs.items()][::-1]
    yield from ((name, 0, bits) for name, bits in inputs)
    for name, bits in inputs:
        if bits > unit:
            yield from ((name, low, low + unit) for low in range(bits - unit, -1, -unit))


# --- the number of operands for which computations differ ------------------------------------

_MAX_COUNTED_BITS = 16


def count_differing(
    question: ProofQuestion, truth: Node, differs: Term
) -> tuple[int, int, tuple[str, ...]]:
    """Return the number of values for which results differ, the number of all, and the parts.

    The answer is (0, 0, ()) if these are too many.

    ``truth`` is 1 where they differ, and ``differs`` the same for the solver, which finds the bytes
    on which it depends. The values are counted by exact integers.
    """
    if question.has_conditions:
        return 0, 0, ()
    names = find_variables(question.solver.simplify(differs))
    parts = [(role, int(index)) for role, _, index in (x.rpartition(".") for x in names)]
    widths = {x: min(question.inputs[x[0]].bits, UNIT_BITS) for x in parts}
    if sum(widths.values()) > _MAX_COUNTED_BITS:
        return 0, 0, ()
    from .truth_counts import count_truths  # NumPy loads slowly

    nodes = list_needed_nodes(question.tape.nodes, [truth])
    number = count_truths(nodes, truth, widths)
    labels = (_format_variable(question, *part) for part in parts)
    return number, 1 << sum(widths.values()) if number else 0, tuple(labels)


def find_variables(term: Term) -> list[str]:
    """Return the names of the variables of a term, sorted."""
    names: set[str] = set()
    seen, pending = set[int](), [term]
    while pending:
        x = pending.pop()
        if x.id() not in seen:
            seen.add(x.id())
            if x.is_const():
                names.add(x.symbol())
            pending += x.children()
    return sorted(names)


def _format_variable(question: ProofQuestion, role: str, index: int) -> str:
    return role if question.inputs[role].bits <= UNIT_BITS else f"{role}.b{index}"
