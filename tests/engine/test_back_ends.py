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

from ptxscope import parse
from ptxscope.documents.code.functions import (
    C_DIALECT,
    PYTHON_DIALECT,
    format_assignment,
    format_type,
    list_parameters,
)
from ptxscope.documents.code.plan_code import list_assignments
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
from ptxscope.engine.isa.types import Form, Type
from ptxscope.engine.micro_operations.arithmetic import EXACT, LaneValues
from ptxscope.engine.semantics.plan import Builder, Plan, compute_results
from ptxscope.engine.semantics.rules import ISA, Rules
from ptxscope.engine.tracing.evaluation import make_plan
from ptxscope.features.check.replacement import write_plain_ptx
from ptxscope.proof.bit_vectors import PROOF_RULES, BitVectors
from ptxscope.proof.solver import Solver
from tests.driving.added_instructions import lower_vrev4
from tests.engine.test_tape import check_flags, operands
from tests.plain_ptx import Machine
from tests.plans import DRAWS, FORM, draw_plan
from tests.strategies import KINDS
from tests.tiers import ci_only, some

Rows = Sequence[dict[str, int]]
Results = list[dict[str, int]]


def _case(rng: Random, count: int = 9) -> tuple[Plan, Rows]:
    plan = draw_plan(rng)
    return plan, [operands(rng, plan) if plan.sources else {} for _ in range(count)]


def _cases(seed: object, plans: int) -> list[tuple[Plan, Rows]]:
    rng = Random(f"{seed}")
    return [_case(rng) for _ in range(plans)]


def _expected(plan: Plan, rows: Rows) -> Results:
    return [compute_results(plan, row) for row in rows]


def test_every_micro_operation_is_drawn() -> None:
    assert DRAWS.keys() == KINDS
    drawn = {type(row.micro) for plan, _ in _cases("all", 400) for row in plan.rows}
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
    for plan, rows in _cases("program", plans):
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
    for plan, _ in _cases("text", 30):
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


def _in_ptx(plan: Plan, rows: Rows) -> Results | None:
    columns = [_run_ptx(plan, x.role, rows) for x in plan.results]
    if any(column is None for column in columns):
        return None
    roles = [x.role for x in plan.results]
    found = (column for column in columns if column is not None)
    return [dict(zip(roles, values, strict=True)) for values in zip(*found, strict=True)]


def _by_solver(plan: Plan, rows: Rows) -> Results:
    """The expected results, which the solver proves to be the only ones for these operands."""
    both = {op: (*SHORTENING_RULES.get(op, ()), *PROOF_RULES.get(op, ())) for op in Op}
    for rules in (PROOF_RULES, both):
        solver = Solver(60)
        vectors = BitVectors(solver.terms)
        program = record_plan(plan, rules)
        vectors.encode(program.nodes)
        for row, expected in zip(rows, _expected(plan, rows), strict=True):
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
    return _expected(plan, rows)


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


BACK_ENDS: dict[str, Callable[[Plan, Rows], Results | None]] = {
    "numpy": compute_batch,
    "objects": _on_objects,
    "python": _in_python,
    "ptx": _in_ptx,
    "solver": _by_solver,
}


def _check(back_end: str, cases: Sequence[tuple[Plan, Rows]]) -> int:
    """Compare with exact integers; return how many plans the back end did not take."""
    if back_end == "solver":
        pytest.importorskip("bitwuzla")
    missing = 0
    for plan, rows in cases:
        found = BACK_ENDS[back_end](plan, rows)
        missing += found is None
        assert found in (None, _expected(plan, rows)), plan
    return missing


@pytest.mark.parametrize("plans", some([50, 100]))
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_every_back_end_computes_any_plan(back_end: str, plans: int) -> None:
    missing = _check(back_end, _cases((back_end, plans), plans))
    assert missing < plans / 8 if back_end == "ptx" else missing == 0


@given(st.randoms(use_true_random=False))
def test_arrays_never_fail(rng: Random) -> None:
    plan, rows = _case(rng)
    assert compute_batch(plan, rows) == _expected(plan, rows)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_every_back_end_computes_any_plan_at_length(back_end: str, seed: int) -> None:
    _check(back_end, _cases(("soak", back_end, seed), 1000))


@ci_only
def test_few_plans_need_python_integers() -> None:
    cases = _cases("slow", 400)
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
        expected = _expected(plan, [row | {"a": int(columns["a"][0])} for row in rows])
        for role, array in found.items():
            assert array.tolist() == [row[role] for row in expected] * 1000


@pytest.mark.parametrize("plans", some([60, 250]))
def test_flags_of_any_plan(plans: int) -> None:
    for plan, rows in _cases("flags", plans):
        check_flags(plan, rows)


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
    _check_c(_cases("c", plans), tmp_path)


def _added(lower: Callable[[Builder, Form, Rules], dict[str, str]]) -> tuple[Plan, Rows]:
    b = Builder(dict.fromkeys("abcd", Type.B32))
    plan = b.build_plan(FORM, lower(b, FORM, ISA))
    rng = Random(3)
    return plan, [operands(rng, plan) for _ in range(60)]


ADDED_CASES = [_added(lower_vrev4)]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_back_ends_run_added_operations_unchanged(back_end: str) -> None:
    assert _check(back_end, ADDED_CASES) == 0
    assert all(isinstance(get_program(plan), ArrayProgram) for plan, _ in ADDED_CASES)


def test_the_sum_of_four_words_runs_as_an_array_program() -> None:
    plan = make_plan(parse("dp4a.s32.u32 d, a, b, c"))
    assert isinstance(get_program(plan), ArrayProgram)


@has_gcc
def test_the_c_back_end_runs_added_operations_unchanged(tmp_path: Path) -> None:
    _check_c(ADDED_CASES, tmp_path)
