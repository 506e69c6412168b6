"""C and Python give what exact integers give, for plans of all micro-operations."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ptxscope.engine.ir.tape import record_plan
from ptxscope.engine.semantics.plan import Plan, compute_results
from ptxscope.features.code.functions import (
    C_DIALECT,
    PYTHON_DIALECT,
    format_assignment,
    format_type,
    list_parameters,
)
from ptxscope.features.code.plan_code import list_assignments
from tests.driving.back_ends import ADDED_CASES, Results, Rows, check_back_end, draw_cases
from tests.tiers import some


def _in_python(plan: Plan, rows: Rows) -> Results:
    names = {x.role: x.role for x in list_parameters(plan)}
    assignments = list_assignments(plan, PYTHON_DIALECT, names)
    variables = {x.row: x.name for x in assignments}
    results = (f"{x.role!r}: {variables[x.key]}" for x in plan.results)
    lines = [f"def f({', '.join(names)}):"]
    lines += [f"    {x.name} = {x.expression}" for x in assignments]
    scope: dict[str, Callable[..., dict[str, int]]] = {}
    exec("\n".join([*lines, f"    return {{{', '.join(results)}}}"]), scope)
    return [scope["f"](*(row[role] for role in names)) for row in rows]


@pytest.mark.parametrize("plans", some([50, 100]))
def test_python_computes_any_plan(plans: int) -> None:
    assert check_back_end(_in_python, draw_cases(("python", plans), plans)) == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_python_computes_any_plan_at_length(seed: int) -> None:
    check_back_end(_in_python, draw_cases(("soak", "python", seed), 1000))


def _fits_in_c(plan: Plan) -> bool:
    return all(x.range.fits_in(128, signed=True) for x in record_plan(plan).nodes)


def _c_function(name: str, plan: Plan) -> Iterator[str]:
    sources = list_parameters(plan)
    names = {x.role: x.role if x.type.bits == 64 else f"{x.role}_" for x in sources}
    assignments = list_assignments(plan, C_DIALECT, names)
    parameters = [f"{format_type(x.type)} {x.role}" for x in sources]
    yield f"static void {name}({', '.join([*parameters, 'uint64_t *results'])})"
    yield "{"
    yield from (f"    const int64_t {names[x.role]} = {x.role};" for x in sources
                if names[x.role] != x.role)  # fmt: skip
    yield from map(format_assignment, assignments)
    yield from (f"    (void){x};" for x in (*names.values(), *(y.name for y in assignments)))
    variables = {x.row: x.name for x in assignments}
    yield from (
        f"    results[{at}] = (uint64_t){variables[x.key]};" for at, x in enumerate(plan.results)
    )
    yield "}"


def _check_c(cases: Sequence[tuple[Plan, Rows]], folder: Path) -> None:
    """Compile all plans at once, without a warning, and run them where undefined is an error."""
    functions, calls = [], []
    for number, (plan, rows) in enumerate(cases):
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
    (folder / "plans.c").write_text("\n".join((*head, *functions, *main)))
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsanitize=undefined"]
    program = str(folder / "plans")
    subprocess.run(["gcc", *flags, "-o", program, str(folder / "plans.c")], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


has_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")


@has_gcc
@pytest.mark.parametrize("plans", some([60, 200]))
def test_c_computes_any_plan(plans: int, tmp_path: Path) -> None:
    _check_c(draw_cases("c", plans), tmp_path)


def test_python_runs_added_operations_unchanged() -> None:
    assert check_back_end(_in_python, ADDED_CASES) == 0


@has_gcc
def test_the_c_back_end_runs_added_operations_unchanged(tmp_path: Path) -> None:
    _check_c(ADDED_CASES, tmp_path)
