"""A question about computations: their plans on one tape, over operands with common names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import NamedTuple

from ..engine.ir.operations import Op, apply_operation
from ..engine.ir.tape import Node, Tape, list_needed_nodes
from ..engine.isa.types import Type
from ..engine.micro_operations.arithmetic import EXACT, LaneValues, fill
from ..engine.semantics.models import Model
from ..engine.semantics.plan import Plan
from ..engine.tracing.basic_block import BasicBlock
from .bit_vectors import PROOF_RULES, UNIT_BITS, BitVectors
from .solver import IsStopped, Solver, Term, Undecided, never

Renaming = Mapping[str, str]
"""For a register of a program, the name that it has in the question."""
_NO_RENAMING: Renaming = {}
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
        self, timeout: float, is_stopped: IsStopped = never, *, has_wide_sums: bool = False
    ) -> None:
        """Ask within a time in seconds; ``has_wide_sums`` is that of ``BitVectors``."""
        self.tape = Tape(PROOF_RULES)
        self.solver = Solver(timeout, is_stopped)
        self.vectors = BitVectors(self.solver.terms, has_wide_sums=has_wide_sums)
        self.inputs: dict[str, Type] = {}
        """The type of each operand by name, in the order of their first use."""
        self.has_conditions = False

    def add_side(
        self, program: BasicBlock, model: Model, renaming: Renaming = _NO_RENAMING
    ) -> Side:
        """Record the computation of a program.

        Raise ValueError if an operand has another width than before.
        """
        plan = program.make_plan(model)
        inputs: dict[str, str] = {}
        values: dict[str, Node] = {}
        for role, type_ in plan.sources:
            if role in program.constants:
                values[role] = self.make_constant(program.constants[role])
            else:
                name = program.names[role]
                inputs[name] = renaming.get(name, name)
                values[role] = self.add_input(inputs[name], type_)
        for row in plan.rows:
            values[row.key] = row.micro.run(self.tape, *(values[key] for key in row.inputs))
        keys = {role: (values[key], type_) for role, type_, key in plan.results}
        results = {name: keys[role] for role, name in program.results.items()}
        return Side(program, model, plan, values, inputs, results)

    def read_guards(self, side: Side) -> Node | None:
        """Return whether a thread stays in a block to its end; None if it has no guards.

        What they read is among the results.
        """
        truths = []
        for place, name, stays_with in side.program.guards:
            if place.statement:
                node, _ = side.results[name]
            else:
                node = self.add_input(side.inputs.get(name, name), Type.PRED)
            truths.append(node if stays_with else self.tape.equal(node, 0))
        return reduce(self.tape.minimum, truths) if truths else None

    def add_input(self, name: str, type_: Type) -> Node:
        """Return the bits of an operand; raise ValueError if it has another width already."""
        known = self.inputs.setdefault(name, type_)
        if known.bits != type_.bits:
            widths = sorted((known.bits, type_.bits))
            hint = f"; if `cvt` reads it, write `.reg .b{widths[1]} {name};` before"
            raise ValueError(
                f"{name} has {known.bits} bits in one and {type_.bits} in the other"
                + hint * (widths[0] == 16)  # a type of 8 bits is read from 16, or from more
            )
        return self.tape.add_source(name, _BITS_TYPES[type_.bits])

    def make_constant(self, value: int) -> Node:
        """Return a node of one value."""
        return fill(self.tape, self.tape.add_source("", Type.PRED), value)

    def encode(self, *nodes: Node) -> None:
        """Encode nodes and all that they depend on."""
        self.vectors.encode(list_needed_nodes(self.tape.nodes, nodes))

    def make_truth(self, node: Node) -> Term:
        """Return whether a node of one lane that is 0 or 1 is 1, for the solver."""
        self.encode(node)
        return self.vectors.truth(node, 0)

    def add_condition(self, node: Node) -> None:
        """Restrict the operands to those for which a node is 1."""
        self.has_conditions = True
        self.solver.add(self.make_truth(node))

    def fix_zeros(self) -> None:
        """Tell the solver which high bytes of operands the conditions leave only 0.

        It does not find out by itself, and without it ``a < 0x1000000`` makes no product smaller.
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
        """Return the operands in the values that the solver found last."""
        return {name: self.solver.get_value(self.get_bits(name)) for name in self.inputs}

    def get_bits(self, name: str) -> Term:
        """Return the bits of an operand."""
        return self.vectors.get_source(name, self.inputs[name].bits)

    def compute(self, node: Node, operands: Mapping[str, int]) -> LaneValues:
        """Return the exact value of a node for some operands by name."""
        return compute_nodes(list_needed_nodes(self.tape.nodes, [node]), operands)[node]

    def make_test(self, *nodes: Node) -> Callable[[Mapping[str, int]], bool]:
        """Return a function that says exactly whether nodes are 1 for operands."""
        needed = list_needed_nodes(self.tape.nodes, nodes)

        def holds(operands: Mapping[str, int]) -> bool:
            values = compute_nodes(needed, operands)
            return all(values[node][0] for node in nodes)

        return holds


def compute_nodes(nodes: Iterable[Node], operands: Mapping[str, int]) -> dict[Node, LaneValues]:
    """Return the exact values of nodes, each after its arguments."""
    values: dict[Node, LaneValues] = {}
    for x in nodes:
        if x.op is Op.SOURCE:
            values[x] = (operands.get(x.fixed[0], 0),)
        else:
            args = [y if isinstance(y, int) else values[y] for y in x.args]
            values[x] = apply_operation(EXACT, x.op, args, x.fixed)
    return values
