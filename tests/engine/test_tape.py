"""Plans as calls of NumPy: what integers give, whatever the form, the rules and the operands."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np
import pytest

from ptxscope import evaluate, parse
from ptxscope.engine.arrays import block_runner
from ptxscope.engine.arrays.array_program import ArrayProgram
from ptxscope.engine.arrays.block_runner import (
    ExactProgram,
    compute_batch,
    get_program,
)
from ptxscope.engine.arrays.narrowing import WidthError
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.semantics.models import MISCONCEPTIONS, Model, parse_model
from ptxscope.engine.semantics.plan import Plan, compute_results
from ptxscope.engine.semantics.rules import ERRATA
from tests.reference_data import DATA
from tests.tiers import ci_only, some

_EDGES = (0, 1, 2, 31, 32, 33, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x007FFFFF)
_FLOATS = (0x00800000, 0x7FF0000000000000, 0xFFF8000000000000, 0x8000000000000000)
_BYTES = (0x00, 0x01, 0x7E, 0x7F, 0x80, 0x81, 0xFE, 0xFF)


def random_plan(rng: Random) -> Plan:
    """Of any form, under what is documented, an assembler, or any errata; guarded or not."""
    form = pick_form(rng.choice(list(CATALOG)), rng)
    some_ = tuple(x for x in (*ERRATA, *MISCONCEPTIONS) if rng.random() < 0.3)
    chosen = rng.choice(
        [parse_model("isa"), parse_model("ptxas"), parse_model("ptxas-13.0"), Model("", some_)]
    )
    return lower(form, chosen.make_rules(form), rng.choice([None, None, True, False]))


def operand(rng: Random, type_: Type) -> int:
    """Any bits; or what bites as a whole, or in every byte."""
    every: Any = (
        lambda: rng.getrandbits(64),
        lambda: rng.choice(_EDGES + _FLOATS),
        lambda: int.from_bytes(bytes(rng.choices(_BYTES, k=8)), "little"),
        lambda: int.from_bytes(bytes(rng.choices(_BYTES[::7], k=8)), "little"),
    )
    bits: int = rng.choice(every)() & ((1 << type_.bits) - 1)
    return bits


def operands(rng: Random, plan: Plan) -> dict[str, int]:
    """An operand for each source; often they lie close together, or differ in the sign."""
    bits = {x.role: operand(rng, x.type) for x in plan.sources}
    if rng.random() < 0.4:
        near = rng.choice(list(bits.values())) ^ rng.choice([0, 1 << 31, 1 << 63])
        for x in plan.sources:
            if rng.random() < 0.7:
                bits[x.role] = (near + rng.choice([-1, 0, 0, 1])) % (1 << x.type.bits)
    return bits


def campaign(seed: object, plans: int) -> None:
    rng = Random(f"{seed}")
    for _ in range(plans):
        plan = random_plan(rng)
        rows = [operands(rng, plan) for _ in range(16)]
        found = compute_batch(plan, rows) if plan.results else [{}] * len(rows)
        assert found == [compute_results(plan, row) for row in rows], (plan.form, rows)


@pytest.mark.parametrize("plans", some([200, 1_500]))
def test_random_plans_give_equal_results_on_arrays_and_integers(plans: int) -> None:
    campaign(plans, plans)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100))
def test_many_random_plans_give_equal_results_on_arrays_and_integers(seed: int) -> None:
    campaign(("soak", seed), 2_000)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_numpy_shifts_by_the_width_and_more(dtype: str) -> None:
    # the calls that a plan becomes rely on it, in arrays and by constants
    info = np.iinfo(dtype)
    x = np.tile(np.array([info.min, -1 if info.min else 1, 0, 1, 77, info.max], dtype), 50)
    for by in (info.bits - 1, info.bits, info.bits + 1, 63, 64):
        for amount in (np.array(by, dtype), np.full(x.size, by, dtype)):
            right = [int(i) >> by for i in x]
            left = [int(np.array((int(i) << by) % (1 << info.bits), f"u{x.itemsize}").view(dtype))
                    for i in x]  # fmt: skip
            assert np.right_shift(x, amount).tolist() == right
            assert np.left_shift(x, amount).tolist() == left


_, *CALLS = (DATA / "array_calls.txt").read_text(encoding="utf-8").split("\n\n")


@pytest.mark.parametrize("calls", CALLS, ids=lambda x: x.partition("\n")[0])
def test_calls_are_few_and_narrow(calls: str) -> None:
    head, *expected = calls.strip().splitlines()
    line, _, _ = head.partition(" | ")
    assert str(get_program(lower(parse(line).form))).splitlines() == expected


@ci_only
def test_a_call_may_overwrite_its_input() -> None:
    for opcode in CATALOG:
        for seed in range(10):
            try:
                program = ArrayProgram(lower(pick_form(opcode, Random(seed))))
            except WidthError:  # products of 128 bits are computed by Python integers
                continue
            for call in program.calls:
                out = program.slots[call.out]
                for at in call.inputs:
                    read = program.slots[at]
                    if read.place == out.place:
                        assert read.dtype.itemsize == out.dtype.itemsize
                        assert read.lanes == out.lanes


def test_programs_take_turns() -> None:
    a = np.arange(10, dtype=np.uint32)
    for count in (10, 3, 1, 10):
        for opcode, expected in (
            ("vadd", [x + 3 for x in range(count)]),
            ("vsub", [(x - 3) % (1 << 32) for x in range(count)]),
            ("vabsdiff", [abs(x - 3) for x in range(count)]),
        ):
            found: Any = evaluate(f"{opcode}.u32.u32.u32 d, a, 3", {"a": a[:count]})["d"]
            assert found.tolist() == expected


def test_threads_do_not_meet() -> None:
    rng = np.random.default_rng(7)
    lines = ("vadd4.s32.s32.u32.sat d, a, b, c", "vavrg2.s32.s32.u32 d, a, b, c") * 4
    a, b = rng.integers(0, 1 << 32, (2, 50_000), dtype=np.uint32)
    alone = [evaluate(line, {"a": a, "b": b})["d"] for line in lines]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            found = threads.map(lambda line: evaluate(line, {"a": a, "b": b})["d"], lines)
            assert all(np.array_equal(x, y) for x, y in zip(found, alone, strict=True))


def test_the_number_of_cached_programs_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    programs: dict[int, ArrayProgram | ExactProgram] = {}
    monkeypatch.setattr(block_runner, "MAX_PROGRAMS", 3)
    monkeypatch.setattr(block_runner, "PROGRAMS", programs)
    plans = [lower(parse(f"vadd.u32.u32.u32 d, a.b{x}, b").form) for x in range(4)]
    first = get_program(plans[0])
    for plan in plans:
        get_program(plan)
    assert len(programs) == 3
    assert get_program(plans[0]) is not first
    assert get_program(plans[3]) is get_program(plans[3])
