"""Plans of all micro-operations, freely combined, and what exact integers compute for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from ptxscope.engine.isa.types import Form, Type
from ptxscope.engine.semantics.plan import Builder, Plan, compute_results
from ptxscope.engine.semantics.rules import ISA, Rules
from tests.driving.added_instructions import lower_vrev4
from tests.engine.test_tape import operands
from tests.plans import FORM, draw_plan

Rows = Sequence[dict[str, int]]
Results = list[dict[str, int]]


def draw_case(rng: Random, count: int = 9) -> tuple[Plan, Rows]:
    plan = draw_plan(rng)
    return plan, [operands(rng, plan) if plan.sources else {} for _ in range(count)]


def draw_cases(seed: object, plans: int) -> list[tuple[Plan, Rows]]:
    rng = Random(f"{seed}")
    return [draw_case(rng) for _ in range(plans)]


def compute_expected(plan: Plan, rows: Rows) -> Results:
    return [compute_results(plan, row) for row in rows]


BackEnd = Callable[[Plan, Rows], Results | None]
"""Computes the results of a plan for rows of operands; None if it does not take the plan."""


def check_back_end(run: BackEnd, cases: Sequence[tuple[Plan, Rows]]) -> int:
    """Compare with exact integers; return how many plans the back end did not take."""
    missing = 0
    for plan, rows in cases:
        found = run(plan, rows)
        missing += found is None
        assert found in (None, compute_expected(plan, rows)), plan
    return missing


def _added(lower: Callable[[Builder, Form, Rules], dict[str, str]]) -> tuple[Plan, Rows]:
    b = Builder(dict.fromkeys("abcd", Type.B32))
    plan = b.build_plan(FORM, lower(b, FORM, ISA))
    rng = Random(3)
    return plan, [operands(rng, plan) for _ in range(60)]


ADDED_CASES = [_added(lower_vrev4)]
