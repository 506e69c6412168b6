"""The number of operands for which two computations differ, if they depend on few bits."""

from __future__ import annotations

from ..engine.ir.tape import Node, list_needed_nodes
from .bit_vectors import UNIT_BITS
from .proof_question import ProofQuestion
from .solver import Term

_MAX_COUNTED_BITS = 16


def count_differing(
    question: ProofQuestion, truth: Node, differs: Term
) -> tuple[int, int, tuple[str, ...]]:
    """Return for how many of how many values of which parts results differ.

    (0, 0, ()) if these are too many.

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
    from ..engine.arrays.exact_program import count_truths  # NumPy takes long to load

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
