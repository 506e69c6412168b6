"""The flags of rows on arrays equal their flags on integers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from ptxscope.engine.arrays.call_sequence import get_storage_dtype
from ptxscope.engine.micro_operations.arithmetic import EXACT
from ptxscope.engine.micro_operations.logic import Choose
from ptxscope.engine.semantics.plan import Plan, compute_results, run_plan
from ptxscope.features.sweep.flagged_results import FlaggedResults
from tests.driving.back_ends import draw_cases
from tests.engine.test_tape import operands, random_plan
from tests.tiers import some


def check_flags(plan: Plan, rows: Sequence[dict[str, int]]) -> None:
    """Compare results, flags and conditions of a plan on arrays with those on integers."""
    columns = {
        x.role: np.array([y[x.role] for y in rows], get_storage_dtype(x.type)) for x in plan.sources
    }
    there = FlaggedResults(plan, columns, len(rows))
    for at, given in enumerate(rows):
        values = run_plan(plan, given)
        results = {role: int(x[at]) for role, x in there.results.items()}
        assert results == compute_results(plan, given)
        for row in plan.rows:
            inputs = [values[key] for key in row.inputs]
            expected = dict(row.micro.compute_flags(EXACT, values[row.key], *inputs))
            found = dict(there.get_row_flags(row))
            assert found.keys() == expected.keys()
            for flag, lanes in expected.items():
                got = found[flag].reshape(len(rows), -1)[at]
                assert tuple(map(int, got)) == lanes, (plan, row.key, flag, given)
            if isinstance(row.micro, Choose):
                condition = there.get_condition(row.inputs[0]).reshape(len(rows), -1)[at]
                assert tuple(map(int, condition)) == values[row.inputs[0]]


@pytest.mark.parametrize("plans", some([100, 600]))
def test_flags_on_arrays_equal_those_on_integers(plans: int) -> None:
    rng = Random(plans)
    for _ in range(plans):
        plan = random_plan(rng)
        check_flags(plan, [operands(rng, plan) for _ in range(9)])


@pytest.mark.parametrize("plans", some([60, 250]))
def test_flags_of_any_plan(plans: int) -> None:
    for plan, rows in draw_cases("flags", plans):
        check_flags(plan, rows)
