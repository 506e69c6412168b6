"""Every back end of the intermediate representation gives what exact integers give.

The plans are of all micro-operations, freely combined, not only of those that a lowering combines.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope.engine.arrays.block_runner import compute_batch, get_program, run_blocks
from ptxscope.engine.arrays.call_sequence import get_storage_dtype
from ptxscope.engine.arrays.exact_program import ExactProgram
from ptxscope.engine.arrays.flagged_results import FlaggedResults
from ptxscope.engine.ir.operations import OPERATIONS, Op, apply_operation
from ptxscope.engine.ir.program import Program, record_plan, rewrite_program
from ptxscope.engine.ir.rewrites import SHORTENING_RULES
from ptxscope.engine.listings.plain_ptx import write_plain_ptx
from ptxscope.engine.micro_operations.arithmetic import EXACT, LaneValues
from ptxscope.engine.semantics.plan import Plan
from ptxscope.engine.semantics.plan_execution import compute_results, run_plan
from ptxscope.export.code.c import _C, _format_assignment, _format_type
from ptxscope.export.code.function_parts import list_parameters
from ptxscope.export.code.plan_code import list_assignments
from ptxscope.export.code.python import _Python
from tests.engine.test_tape import operands
from tests.plain_ptx import Machine
from tests.plans import DRAWS, draw_plan
from tests.strategies import KINDS
from tests.tiers import some

Rows = Sequence[dict[str, int]]


def _case(rng: Random, count: int = 9) -> tuple[Plan, Rows]:
    plan = draw_plan(rng)
    return plan, [operands(rng, plan) if plan.sources else {} for _ in range(count)]


def _cases(seed: object, plans: int) -> list[tuple[Plan, Rows]]:
    rng = Random(f"{seed}")
    return [_case(rng) for _ in range(plans)]


def test_every_micro_operation_is_drawn() -> None:
    assert DRAWS.keys() == KINDS
    drawn = {type(row.micro) for plan, _ in _cases("all", 400) for row in plan.rows}
    assert drawn == DRAWS.keys()


# --- the representation itself -----------------------------------------------------------


def _run(program: Program, values: dict[str, int]) -> dict[str, LaneValues]:
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


@pytest.mark.parametrize("plans", some([150, 3000]))
def test_a_program_means_what_its_plan_computes(plans: int) -> None:
    for plan, rows in _cases("program", plans):
        program = record_plan(plan)
        shorter = rewrite_program(program, SHORTENING_RULES)
        with_rows = record_plan(plan, SHORTENING_RULES, has_row_nodes=True)
        for row in rows:
            expected = {role: (bits,) for role, bits in compute_results(plan, row).items()}
            assert _run(program, row) == expected
            assert _run(shorter, row) == expected
            assert _run(with_rows, row) == expected


def test_operations_are_described_and_programs_printed() -> None:
    assert OPERATIONS.keys() == set(Op)
    for plan, _ in _cases("text", 30):
        program = record_plan(plan, has_row_nodes=True)
        lines = str(program).splitlines()
        assert len(lines) == len(program.nodes)
        assert all(any(row.key in line for line in lines) for row in plan.rows)


# --- arrays ------------------------------------------------------------------------------


@given(st.randoms(use_true_random=False))
def test_arrays_never_fail(rng: Random) -> None:
    plan, rows = _case(rng)
    assert compute_batch(plan, rows) == [compute_results(plan, row) for row in rows]


@pytest.mark.parametrize("plans", some([300, 5000]))
def test_arrays_of_any_plan(plans: int) -> None:
    slow = 0
    for plan, rows in _cases("arrays", plans):
        assert compute_batch(plan, rows) == [compute_results(plan, row) for row in rows], plan
        slow += isinstance(get_program(plan), ExactProgram)
    assert 0 < slow < plans / 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_arrays_of_any_plan_at_length(seed: int) -> None:
    for plan, rows in _cases(("soak", seed), 2000):
        assert compute_batch(plan, rows) == [compute_results(plan, row) for row in rows], plan


@pytest.mark.parametrize("plans", some([100, 2000]))
def test_flags_of_any_plan(plans: int) -> None:
    for plan, rows in _cases("flags", plans):
        columns = {
            x.role: np.array([row[x.role] for row in rows], get_storage_dtype(x.type))
            for x in plan.sources
        }
        there = FlaggedResults(plan, columns, len(rows))
        for at, row in enumerate(rows):
            values = run_plan(plan, row)
            for x in plan.rows:
                inputs = [values[key] for key in x.inputs]
                expected = dict(x.micro.compute_flags(EXACT, values[x.key], *inputs))
                found = dict(there.get_row_flags(x))
                assert found.keys() == expected.keys()
                for flag, lanes in expected.items():
                    got = found[flag].reshape(len(rows), -1)[at]
                    assert tuple(map(int, got)) == lanes, (plan, x.key, flag, row)


@pytest.mark.parametrize("plans", some([60, 600]))
def test_machine_code_of_any_plan(plans: int) -> None:
    pytest.importorskip("llvmlite")
    for plan, rows in _cases("llvm", plans):
        columns = {
            x.role: np.array([row[x.role] for row in rows], get_storage_dtype(x.type))
            for x in plan.sources
        }
        found = run_blocks(plan, columns, (len(rows),), engine="llvm")
        for role, array in found.items():
            expected = [compute_results(plan, row)[role] for row in rows]
            assert array.tolist() == expected, (plan, role)


# --- C and Python ------------------------------------------------------------------------


@pytest.mark.parametrize("plans", some([150, 3000]))
def test_python_of_any_plan(plans: int) -> None:
    for plan, rows in _cases("python", plans):
        names = {x.role: x.role for x in list_parameters(plan)}
        lines = [f"def f({', '.join(names)}):"]
        assignments = list_assignments(plan, _Python(), names)
        lines += [f"    {x.name} = {x.expression}" for x in assignments]
        variables = {x.row: x.name for x in assignments}
        results = (f"{x.role!r}: {variables[x.key]}" for x in plan.results)
        text = "\n".join([*lines, f"    return {{{', '.join(results)}}}"])
        scope: dict[str, Callable[..., object]] = {}
        exec(text, scope)
        for row in rows:
            assert scope["f"](*(row[role] for role in names)) == compute_results(plan, row), text


def _fits_in_c(plan: Plan) -> bool:
    return all(x.range.fits_in(128, signed=True) for x in record_plan(plan).nodes)


def _c_function(name: str, plan: Plan) -> Iterator[str]:
    sources = list_parameters(plan)
    names = {x.role: x.role if x.type.bits == 64 else f"{x.role}_" for x in sources}
    assignments = list_assignments(plan, _C(), names)
    parameters = [f"{_format_type(x.type)} {x.role}" for x in sources]
    yield f"static void {name}({', '.join([*parameters, 'uint64_t *results'])})"
    yield "{"
    yield from (f"    const int64_t {names[x.role]} = {x.role};" for x in sources
                if names[x.role] != x.role)  # fmt: skip
    yield from map(_format_assignment, assignments)
    yield from (f"    (void){x};" for x in (*names.values(), *(y.name for y in assignments)))
    variables = {x.row: x.name for x in assignments}
    yield from (
        f"    results[{at}] = (uint64_t){variables[x.key]};" for at, x in enumerate(plan.results)
    )
    yield "}"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
@pytest.mark.parametrize("plans", some([80, 1500]))
def test_c_of_any_plan(plans: int, tmp_path: Path) -> None:
    functions, calls = [], []
    for number, (plan, rows) in enumerate(_cases("c", plans)):
        if not _fits_in_c(plan):
            continue
        functions.append("\n".join(_c_function(f"f{number}", plan)))
        for row in rows:
            given_ = [f"UINT64_C({row[x.role]})" for x in list_parameters(plan)]
            calls.append(f"f{number}({', '.join([*given_, 'r'])});")
            calls += [
                f'if (r[{at}] != UINT64_C({bits})) printf("f{number} %d\\n", __LINE__);'
                for at, bits in enumerate(compute_results(plan, row).values())
            ]
    head = ("#include <stdint.h>", "#include <stdio.h>")
    main = ("int main(void) {", "uint64_t r[2];", *calls, "return 0;", "}\n")
    text = "\n".join((*head, *functions, *main))
    (tmp_path / "plans.c").write_text(text)
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsanitize=undefined"]
    program = str(tmp_path / "plans")
    subprocess.run(["gcc", *flags, "-o", program, str(tmp_path / "plans.c")], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- plain PTX ---------------------------------------------------------------------------


def _ptx_value(plan: Plan, role: str, row: dict[str, int]) -> int | None:
    """What the lines for one result leave in its register, or None if there are none."""
    program = record_plan(plan)
    node, type_ = program.results[role]
    program = program._replace(results={role: (node, type_)})
    lines = write_plain_ptx(program, {x.role: x.role for x in plan.sources})
    if lines is None:
        return None
    machine = Machine({name: np.array([bits], np.uint64) for name, bits in row.items()})
    for x in lines:
        operands = [
            machine.read(
                y
                if isinstance(y, str)
                else f"{y.letter}{y.name}"
                if isinstance(y.name, int)
                else y.name
            )
            for y in x.sources
        ]
        machine.registers[f"{x.to.letter}{x.to.name}"] = machine.execute(x.operation, operands)
    (value,) = machine.registers[f"{lines[-1].to.letter}{lines[-1].to.name}"].tolist()
    assert isinstance(value, int)
    return value & ((1 << type_.bits) - 1)


@pytest.mark.parametrize("plans", some([200, 4000]))
def test_plain_ptx_of_any_plan(plans: int) -> None:
    written = results = 0
    for plan, rows in _cases("ptx", plans):
        for x in plan.results:
            results += 1
            for row in rows:
                found = _ptx_value(plan, x.role, row)
                if found is None:
                    break
                assert found == compute_results(plan, row)[x.role], (plan, x.role, row)
            else:
                written += 1
    assert written > results * 0.8
