"""Execution of plans on exact Python integers."""

from __future__ import annotations

from collections.abc import Mapping

from ..micro_operations.arithmetic import EXACT, LaneValues
from .plan import Plan


def run_plan(plan: Plan, operands: Mapping[str, int]) -> dict[str, LaneValues]:
    """Return the lane values of every row by key, lane 0 first.

    ``operands`` are unsigned bits by role.
    """
    values: dict[str, LaneValues] = {
        source.role: (operands[source.role],) for source in plan.sources
    }
    for row in plan.rows:
        values[row.key] = row.micro.run(EXACT, *(values[key] for key in row.inputs))
    return values


def compute_results(plan: Plan, operands: Mapping[str, int]) -> dict[str, int]:
    """Return the bits of the destinations by role: d, or p and q."""
    values = run_plan(plan, operands)
    return {result.role: values[result.key][0] for result in plan.results}
