"""``engine="llvm"``: a plan's calls as machine code give what they give one by one."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ptxscope import evaluate
from ptxscope.engine.arrays import llvm_backend
from ptxscope.engine.arrays.array_program import ArrayProgram, RunBuffers
from ptxscope.engine.arrays.block_runner import RunnablePlan
from ptxscope.engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ptxscope.engine.arrays.exact_program import ExactProgram
from ptxscope.engine.arrays.integer_types import WidthError
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.plan import Plan
from ptxscope.engine.semantics.plan_execution import compute_results
from tests.engine.test_tape import columns, random_plan
from tests.reference_data import MODELS, golden_forms
from tests.tiers import some

Array = npt.NDArray[Any]
LINE = "vadd4.s32.s32.u32.sat d, a, b, c"
A = np.arange(100, dtype=np.uint32) * 0x01020304


def needs_llvm() -> None:
    pytest.importorskip("llvmlite")


def placed(rng: Random, values: npt.NDArray[np.uint64], type_: Type) -> tuple[Array, Array]:
    """Values somewhere in memory of which the rest is 90, and all of that as bytes."""
    dtype = get_storage_dtype(type_)
    size, start = len(values) * dtype.itemsize, rng.randrange(17) * dtype.itemsize
    memory = np.full(start + size + 64, 90, np.uint8)
    array = memory[start : start + size].view(dtype)
    array[:] = values
    return array, memory


def campaign(seed: object, plans: int) -> None:
    """Both engines on so many plans: what they write, and that they write nothing else."""
    needs_llvm()
    rng = Random(f"{seed}")
    for _ in range(plans):
        plan = random_plan(rng)
        try:
            compared(rng, plan, llvm_backend.MachineCode(plan), ArrayProgram(plan))
        except WidthError:  # as ``get_program`` has it
            compared(rng, plan, ExactProgram(plan))


def compared(rng: Random, plan: Plan, *engines: RunnablePlan) -> None:
    """What engines make of some vectors, and what is left of one; at once, or in blocks."""
    count = rng.randrange(34, 66)
    given = columns(rng, plan, count)
    most = rng.choice([count, 20])
    moving, standing = dict[Buffer, Array](), dict[Buffer, Array]()
    for source in plan.sources:
        if rng.random() < 0.1:
            given[source.role][:] = given[source.role][0]
            standing[Buffer(BufferKind.OPERAND, source.role)] = placed(
                rng, given[source.role][:most], source.type
            )[0]
        else:
            moving[Buffer(BufferKind.OPERAND, source.role)] = placed(
                rng, given[source.role], source.type
            )[0]
    integers = {role: values.tolist() for role, values in given.items()}
    rows = [{role: values[at] for role, values in integers.items()} for at in range(count)]
    expected = [compute_results(plan, row) for row in rows]
    for engine in engines:
        out = {x: placed(rng, np.zeros(count, np.uint64), x.type) for x in plan.results}
        places = {Buffer(BufferKind.RESULT, x.role): array for x, (array, _) in out.items()}
        if places:
            engine.run(RunBuffers(count, most, moving | places, standing))
        for x, (array, memory) in out.items():
            found = array.astype(np.uint64).tolist()
            wanted = [values[x.role] for values in expected]
            if found != wanted:
                at = next(i for i in range(count) if found[i] != wanted[i])
                raise AssertionError(
                    f"{type(engine).__name__} gives {x.role} = {found[at]:#x}, "
                    f"not {wanted[at]:#x}, at {at} of {count}, for {rows[at]} in {plan}"
                )
            array.view(np.uint8)[:] = 90
            assert np.all(memory == 90), (engine, plan)


@pytest.mark.parametrize("plans", some([48, 256]))
def test_any_plan_gives_what_it_gives_on_integers(plans: int) -> None:
    campaign(plans, plans)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_any_plan_gives_what_it_gives_on_integers_at_length(seed: int) -> None:
    campaign(("soak", seed), 2_000)


@pytest.mark.parametrize("step", [*some([150, 5]), pytest.param(1, marks=pytest.mark.soak)])
def test_golden_rows(step: int) -> None:
    needs_llvm()
    for ptx, rows in golden_forms()[::step]:
        # so often that each is in a vector, and in what is left of one
        columns = {
            name: np.array([row.values[name] for row in rows] * 17, np.uint64)
            for name in rows[0].operands
        }
        for model in MODELS:
            found = evaluate(rows[0].instruction, columns, model=model, engine="llvm")
            results = zip(*(np.asarray(x).tolist() for x in found.values()), strict=True)
            assert list(results) == [row.results[model] for row in rows] * 17, (ptx, model)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_any_number_of_results(count: int) -> None:
    needs_llvm()
    values = {"a": A[:count], "b": A[::-1][:count]}
    out = np.full(count + 1, 77, np.uint32)
    found: Any = evaluate(LINE, values, out={"d": out[:count]}, engine="llvm")
    assert np.array_equal(found["d"], evaluate(LINE, values)["d"])
    assert out[count] == 77


def test_integers_alone_are_computed_as_ever() -> None:
    assert evaluate(LINE, {"a": 1, "b": 2}, engine="llvm") == {"d": 3}


def test_what_is_not_installed_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    llvm_backend.load_llvm.cache_clear()
    needs = r"^the engine llvm needs llvmlite, which is not installed: .*'\.\[llvm\]'$"
    with pytest.raises(ImportError, match=needs):
        evaluate("vsub.u32.u32.u32 d, a, b, c", {"a": A, "b": 3}, engine="llvm")
    llvm_backend.load_llvm.cache_clear()


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown engine 'cuda': numpy, llvm"):
        evaluate(LINE, {"a": 1, "b": 2}, engine="cuda")
