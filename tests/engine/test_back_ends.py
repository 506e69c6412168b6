"""Every back end of the intermediate representation gives what exact integers give.

The plans are of all micro-operations, freely combined, not only of those that a lowering combines.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import parse
from ptxscope.engine.arrays.array_program import ArrayProgram, RunBuffers
from ptxscope.engine.arrays.block_runner import (
    ExactProgram,
    compute_batch,
    get_program,
    run_blocks,
)
from ptxscope.engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ptxscope.engine.ir.rewrites import SHORTENING_RULES
from ptxscope.engine.ir.tape import (
    OPERATIONS,
    Op,
    RecordedPlan,
    apply_operation,
    record_plan,
    rewrite_plan,
)
from ptxscope.engine.micro_operations.arithmetic import EXACT, LaneValues
from ptxscope.engine.semantics.plan import Plan, compute_results
from ptxscope.engine.tracing.evaluation import make_plan
from tests.driving.back_ends import (
    ADDED_CASES,
    BackEnd,
    Results,
    Rows,
    check_back_end,
    compute_expected,
    draw_case,
    draw_cases,
)
from tests.plans import DRAWS
from tests.strategies import KINDS
from tests.tiers import ci_only, some


def test_every_micro_operation_is_drawn() -> None:
    assert DRAWS.keys() == KINDS
    drawn = {type(row.micro) for plan, _ in draw_cases("all", 400) for row in plan.rows}
    assert drawn == DRAWS.keys()


def _run(program: RecordedPlan, values: dict[str, int]) -> dict[str, LaneValues]:
    """The results of a program by the meanings of its operations."""
    found: dict[object, LaneValues] = {}
    for x in program.nodes:
        if x.op is Op.SOURCE:
            found[x] = (values[x.fixed[0]],)
        else:
            args = [y if isinstance(y, int) else found[y] for y in x.args]
            found[x] = apply_operation(EXACT, x.op, args, x.fixed)
        assert all(x.range.low <= lane <= x.range.high for lane in found[x]), x.op
        assert len(found[x]) == x.lanes
    return {role: found[node] for role, (node, _) in program.results.items()}


@pytest.mark.parametrize("plans", some([60, 200]))
def test_a_program_means_what_its_plan_computes(plans: int) -> None:
    for plan, rows in draw_cases("program", plans):
        program = record_plan(plan)
        shorter = rewrite_plan(program, SHORTENING_RULES)
        with_rows = record_plan(plan, SHORTENING_RULES, has_row_nodes=True)
        for row in rows:
            expected = {role: (bits,) for role, bits in compute_results(plan, row).items()}
            assert _run(program, row) == expected
            assert _run(shorter, row) == expected
            assert _run(with_rows, row) == expected


def test_operations_are_described_and_programs_printed() -> None:
    assert OPERATIONS.keys() == set(Op)
    for plan, _ in draw_cases("text", 30):
        program = record_plan(plan, has_row_nodes=True)
        lines = str(program).splitlines()
        assert len(lines) == len(program.nodes)
        assert all(any(row.key in line for line in lines) for row in plan.rows)


def _on_objects(plan: Plan, rows: Rows) -> Results:
    places = {
        Buffer(BufferKind.OPERAND, x.role): np.array(
            [row[x.role] for row in rows], get_storage_dtype(x.type)
        )
        for x in plan.sources
    }
    found = {x.role: np.zeros(len(rows), get_storage_dtype(x.type)) for x in plan.results}
    places |= {Buffer(BufferKind.RESULT, role): array for role, array in found.items()}
    ExactProgram(plan).run(RunBuffers(len(rows), len(rows), places, {}))
    return [{role: int(array[at]) for role, array in found.items()} for at in range(len(rows))]


BACK_ENDS: dict[str, BackEnd] = {
    "numpy": compute_batch,
    "objects": _on_objects,
}


@pytest.mark.parametrize("plans", some([50, 100]))
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_every_back_end_computes_any_plan(back_end: str, plans: int) -> None:
    assert check_back_end(BACK_ENDS[back_end], draw_cases((back_end, plans), plans)) == 0


@given(st.randoms(use_true_random=False))
def test_arrays_never_fail(rng: Random) -> None:
    plan, rows = draw_case(rng)
    assert compute_batch(plan, rows) == compute_expected(plan, rows)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_every_back_end_computes_any_plan_at_length(back_end: str, seed: int) -> None:
    check_back_end(BACK_ENDS[back_end], draw_cases(("soak", back_end, seed), 1000))


@ci_only
def test_few_plans_need_python_integers() -> None:
    cases = draw_cases("slow", 400)
    slow = [case for case in cases if isinstance(get_program(case[0]), ExactProgram)]
    assert 0 < len(slow) < 40
    for plan, rows in slow[:5]:
        # more than a block, with operands of one value
        columns = {
            x.role: np.array([row[x.role] for row in rows] * 1000, get_storage_dtype(x.type))
            for x in plan.sources
        }
        columns["a"] = columns["a"][:1] if "a" in columns else np.zeros(1, np.uint32)
        found = run_blocks(plan, columns, (9000,))
        expected = compute_expected(plan, [row | {"a": int(columns["a"][0])} for row in rows])
        for role, array in found.items():
            assert array.tolist() == [row[role] for row in expected] * 1000


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_back_ends_run_added_operations_unchanged(back_end: str) -> None:
    assert check_back_end(BACK_ENDS[back_end], ADDED_CASES) == 0
    assert all(isinstance(get_program(plan), ArrayProgram) for plan, _ in ADDED_CASES)


def test_the_sum_of_four_words_runs_as_an_array_program() -> None:
    plan = make_plan(parse("dp4a.s32.u32 d, a, b, c"))
    assert isinstance(get_program(plan), ArrayProgram)
