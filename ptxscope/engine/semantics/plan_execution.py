"""Running a Plan on exact Python integers."""

from __future__ import annotations

from collections.abc import Mapping

from .arithmetic import EXACT, Lanes
from .plan import Plan


def run(plan: Plan, operands: Mapping[str, int]) -> dict[str, Lanes]:
    """Every row's lane values by key, lane 0 first; operands are unsigned bits by role."""
    values: dict[str, Lanes] = {source.role: (operands[source.role],) for source in plan.sources}
    for row in plan.rows:
        values[row.key] = row.micro.run(EXACT, *(values[key] for key in row.inputs))
    return values


def result(plan: Plan, operands: Mapping[str, int]) -> dict[str, int]:
    """The destinations' bits by role: d, or p and q."""
    values = run(plan, operands)
    return {result.role: values[result.key][0] for result in plan.results}
