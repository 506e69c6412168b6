"""The solver gives what exact integers give, for plans of all micro-operations."""

from __future__ import annotations

import pytest

from ptxscope.engine.ir.rewrites import SHORTENING_RULES
from ptxscope.engine.ir.tape import Op, record_plan
from ptxscope.engine.semantics.plan import Plan
from ptxscope.features.prove.bit_vectors import PROOF_RULES, BitVectors
from ptxscope.features.prove.solver import Solver
from tests.driving.back_ends import (
    ADDED_CASES,
    Results,
    Rows,
    check_back_end,
    compute_expected,
    draw_cases,
)
from tests.tiers import some

pytest.importorskip("bitwuzla")


def _by_solver(plan: Plan, rows: Rows) -> Results:
    """The expected results, which the solver proves to be the only ones for these operands."""
    both = {op: (*SHORTENING_RULES.get(op, ()), *PROOF_RULES.get(op, ())) for op in Op}
    for rules in (PROOF_RULES, both):
        solver = Solver(60)
        vectors = BitVectors(solver.terms)
        program = record_plan(plan, rules)
        vectors.encode(program.nodes)
        for row, expected in zip(rows, compute_expected(plan, rows), strict=True):
            make, value = solver.terms.make, solver.terms.make_value
            operands_ = [
                make("EQUAL", bits, value(row[role], row_bits))
                for role, bits in vectors.variables.items()
                for row_bits in (next(x.type.bits for x in plan.sources if x.role == role),)
            ]
            wrong = [
                make("DISTINCT", vectors.resize(node, 0, 65), value(expected[role], 65))
                for role, (node, _) in program.results.items()
            ]
            assert solver.is_possible(*operands_)
            assert not solver.is_possible(*operands_, solver.terms.join("OR", wrong)), row
    return compute_expected(plan, rows)


@pytest.mark.parametrize("plans", some([50, 100]))
def test_the_solver_computes_any_plan(plans: int) -> None:
    assert check_back_end(_by_solver, draw_cases(("solver", plans), plans)) == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_the_solver_computes_any_plan_at_length(seed: int) -> None:
    check_back_end(_by_solver, draw_cases(("soak", "solver", seed), 1000))


def test_the_solver_runs_added_operations_unchanged() -> None:
    assert check_back_end(_by_solver, ADDED_CASES) == 0
