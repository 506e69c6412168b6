"""Plain PTX gives what exact integers give, for plans of all micro-operations."""

from __future__ import annotations

import numpy as np
import pytest

from ptxscope.engine.ir.tape import record_plan
from ptxscope.engine.semantics.plan import Plan
from ptxscope.features.check.replacement import write_plain_ptx
from tests.driving.back_ends import ADDED_CASES, Results, Rows, check_back_end, draw_cases
from tests.features.check.plain_ptx import Machine
from tests.tiers import some


def _in_ptx(plan: Plan, rows: Rows) -> Results | None:
    columns = [_run_ptx(plan, x.role, rows) for x in plan.results]
    if any(column is None for column in columns):
        return None
    roles = [x.role for x in plan.results]
    found = (column for column in columns if column is not None)
    return [dict(zip(roles, values, strict=True)) for values in zip(*found, strict=True)]


def _run_ptx(plan: Plan, role: str, rows: Rows) -> list[int] | None:
    """What the lines for one result leave in its register, or None if there are none."""
    program = record_plan(plan)
    node, type_ = program.results[role]
    program = program._replace(results={role: (node, type_)})
    lines = write_plain_ptx(program, {x.role: x.role for x in plan.sources})
    if lines is None:
        return None

    registers = {x.role: np.array([row[x.role] for row in rows], np.uint64) for x in plan.sources}
    machine = Machine(registers)
    for x in lines:
        values = [machine.read(str(y)) for y in x.sources]
        machine.registers[str(x.target)] = machine.execute(x.operation, values)
    bits = machine.registers[str(lines[-1].target)] & np.uint64((1 << type_.bits) - 1)
    return [int(x) for x in np.broadcast_to(bits, (len(rows),))]


@pytest.mark.parametrize("plans", some([50, 100]))
def test_plain_ptx_computes_most_plans(plans: int) -> None:
    assert check_back_end(_in_ptx, draw_cases(("ptx", plans), plans)) < plans / 8


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_plain_ptx_computes_most_plans_at_length(seed: int) -> None:
    check_back_end(_in_ptx, draw_cases(("soak", "ptx", seed), 1000))


def test_plain_ptx_runs_added_operations_unchanged() -> None:
    assert check_back_end(_in_ptx, ADDED_CASES) == 0
