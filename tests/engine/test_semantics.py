"""Properties of plans: three arithmetics agree, traces replay, ranges and provenance hold."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import Instruction, evaluate, parse, replay, trace
from ptxscope.engine.arrays.array_program import MAX_BLOCK
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.selection import Extend
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.tracing.provenance import find_provenance
from tests.reference import reference
from tests.reference_data import MODELS
from tests.strategies import bits, evaluations, guarded_evaluations, random_instruction
from tests.tiers import whole

_MODELS = st.sampled_from(sorted(MODELS))
Evaluation = tuple[Instruction, dict[str, int]]


@given(evaluations() | guarded_evaluations(), _MODELS)
def test_a_second_formulation_agrees(evaluation: Evaluation, model: str) -> None:
    ins, values = evaluation
    every = dict.fromkeys(ins.names.values(), 1515870810 & 1) | values
    assert evaluate(ins, values, model=model) == reference(str(ins), every, model)


@whole
@pytest.mark.parametrize("opcode", CATALOG)
def test_a_second_formulation_agrees_on_many_forms(opcode: str) -> None:
    rng = Random(opcode)
    for seed in range(90):
        ins = random_instruction(opcode, seed)
        for model in MODELS:
            values = {x.name: rng.getrandbits(x.type.bits) for x in ins.inputs}
            every = dict.fromkeys(ins.names.values(), 0) | values
            expected = reference(str(ins), every, model)
            assert evaluate(ins, values, model=model) == expected, (str(ins), values, model)


@given(st.data(), evaluations() | guarded_evaluations(), _MODELS)
def test_arrays_agree_with_integers(
    data: st.DataObject, evaluation: Evaluation, model: str
) -> None:
    ins, _ = evaluation
    rows = [
        {x.name: data.draw(bits(x.type)) for x in ins.inputs}
        for _ in range(data.draw(st.integers(1, 5)))
    ]
    columns = {x.name: np.array([row[x.name] for row in rows], np.uint64) for x in ins.inputs}
    found = evaluate(ins, columns, model=model)
    for i, row in enumerate(rows):
        expected = evaluate(ins, row, model=model)
        assert {
            name: int(np.broadcast_to(x, len(rows))[i]) for name, x in found.items()
        } == expected


@given(evaluations() | guarded_evaluations(), _MODELS)
def test_traces_replay_and_stay_in_their_ranges(evaluation: Evaluation, model: str) -> None:
    ins, values = evaluation
    found = trace(ins, values, model=model)
    assert replay(found) == found.result == evaluate(ins, values, model=model)
    for row in found.rows.values():
        assert len(row.values) == len(row.flags)
        for value in row.values:
            assert row.range.low <= value <= row.range.high
            assert -(1 << row.range.bits - 1) * (row.range.low < 0) <= value < 1 << row.range.bits


@given(evaluations() | guarded_evaluations(), _MODELS, st.data())
def test_bits_outside_of_its_provenance_do_not_change_a_lane(
    evaluation: Evaluation, model: str, data: st.DataObject
) -> None:
    ins, values = evaluation
    found = trace(ins, values, model=model)
    key = data.draw(st.sampled_from(sorted(found.rows)))
    lane = data.draw(st.integers(0, len(found.rows[key].values) - 1))
    reach = dict.fromkeys(found.operands, 0)
    for role, low, high in find_provenance(found, key, lane):
        reach[role] |= (1 << high) - (1 << low)
    for source in found.plan.sources:
        flips = data.draw(bits(source.type)) & ~reach[source.role]
        changed = dict(found.operands) | {source.role: found.operands[source.role] ^ flips}
        other = replace(found, operands=changed)
        assert other.rows[key].values[lane] == found.rows[key].values[lane]


def test_provenance_is_exact_where_bits_are_copied() -> None:
    found = trace(
        "vadd4.u32.u32.u32 d.b31, a.b4321, b, c", {"a": 0x01020304, "b": 0x05060708, "c": 0}
    )
    assert find_provenance(found, "select.a", 3) == (("b", 0, 8),)
    assert find_provenance(found, "select.a", 0) == (("a", 8, 16),)
    assert find_provenance(found, "write.d", 0, 16, 24) == (("c", 16, 24),)
    assert find_provenance(found, "operate.t", 0) == (("a", 8, 16), ("b", 0, 8))
    reverse = trace("brev.b32 d, a", {"a": 1})
    assert find_provenance(reverse, "write.d", 0, 0, 8) == (("a", 24, 32),)
    signed = trace("vadd.s32.s32.s32 d, a.b1, b", {"a": 0x8000, "b": 0})
    assert find_provenance(signed, "extend.a", 0, 8, 32) == (("a", 15, 16),)
    chosen = trace("selp.b32 d, a, b, c", {"a": 1, "b": 2, "c": 0})
    assert find_provenance(chosen, "write.d", 0, 0, 4) == (("b", 0, 4), ("c", 0, 1))


@pytest.mark.parametrize(
    ("line", "low", "high"),
    [
        ("vadd.s32.s32.s32 d, a.b0, b.b0", -256, 254),
        ("vadd.u32.u32.u32 d, a, b", 0, 2**33 - 2),
        ("vsub.u32.u32.u32 d, a.b0, b.b0", -255, 255),
        ("vabsdiff.u32.s32.u32 d, a.b0, b.b0", 0, 383),
        ("vavrg4.s32.s32.s32 d, a, b, c", -128, 127),
        ("vshl.u32.u32.u32.clamp d, a, b", 0, (2**32 - 1) << 32),
        ("vmad.u32.u32.u32 d, a, b, c", 0, (2**32 - 1) ** 2),
    ],
)
def test_ranges_are_exact(line: str, low: int, high: int) -> None:
    row = next(row for row in lower(parse(line).form).rows if row.key == "operate.t")
    assert row.range == (low, high)


def test_the_widest_sums_of_vmad_are_exact() -> None:
    top = 0xFFFFFFFF
    line = "vmad.u32.u32.u32.shr15 d, -a, b, c"
    exact = (-top * top + top) >> 15
    found = trace(line, {"a": top, "b": top, "c": top})
    assert found.rows["scale.t"].values == ((-top * top - 1) >> 15,)  # c is signed: -1
    assert found.rows["scale.t"].values != (exact,)
    array = evaluate(line, {"a": np.full(3, top, np.uint32), "b": top, "c": top})
    assert set(array["d"].tolist()) == set(found.result.values())  # type: ignore[union-attr]


def test_blocks_join_without_a_seam() -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2**32, 2 * MAX_BLOCK + 5, dtype=np.uint32)
    found = evaluate("vadd4.u32.u32.u32 d, a, b, c", {"a": a, "b": 0x01010101})["d"]
    lanes = (a.view(np.uint8).astype(np.uint16) + 1).astype(np.uint8).view(np.uint32)
    assert np.array_equal(found, lanes)


def test_shapes_and_types_of_arrays() -> None:
    a = np.arange(6, dtype=np.int16).reshape(2, 3)
    found = evaluate("setp.lt.s16 p|q, a, b", {"a": a, "b": np.array([1, 2, 3])})
    p, q = found["p"], found["q"]
    assert isinstance(p, np.ndarray)
    assert isinstance(q, np.ndarray)
    assert p.dtype == bool
    assert p.shape == (2, 3)
    assert np.array_equal(p, a < np.array([1, 2, 3]))
    assert np.array_equal(q, ~p)
    for line, dtype in (("selp.b16", "uint16"), ("selp.f32", "uint32"), ("selp.s64", "uint64")):
        chosen = evaluate(f"{line} d, a, b, c", {"a": 1, "b": 2, "c": np.array([True, False])})["d"]
        assert isinstance(chosen, np.ndarray)
        assert chosen.dtype == dtype
        assert chosen.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("line", "values", "says"),
    [
        ("vadd.u32.u32.u32 d, a, b", {"a": 1}, "no value for operand b"),
        ("vadd.u32.u32.u32 %r0, %r1, %r2", {"%r1": 1}, r"%r2 \(operand b\)"),
        ("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2, "x": 3}, "x is not an operand"),
        ("vadd.u32.u32.u32 d, a, b", {"a": 1 << 32, "b": 0}, "a = 0x100000000 does not fit"),
        ("vadd.u32.u32.u32 d, a, b", {"a": -(1 << 31) - 1, "b": 0}, "does not fit in 32"),
        ("@p vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 0, "p": 1}, r"d \(its old value"),
        ("@p vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 0, "d": 1}, r"p \(the guard\)"),
    ],
)
def test_wrong_values_name_the_operand(line: str, values: dict[str, int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        evaluate(line, values)


def test_the_result_under_a_false_guard_is_the_old_value() -> None:
    values = {"a": 1, "b": 2, "d": 99}
    for guard, p, expected in (("@p", 1, 3), ("@p", 0, 99), ("@!p", 1, 99), ("@!p", 0, 3)):
        line = f"{guard} vadd.u32.u32.u32 d, a, b"
        assert evaluate(line, values | {"p": p}) == {"d": expected}
        arrays = {name: np.array([x, x]) for name, x in (values | {"p": p}).items()}
        assert evaluate(line, arrays)["d"].tolist() == [expected] * 2  # type: ignore[union-attr]


def test_c_of_vmad_has_the_type_of_its_extension() -> None:
    for seed in range(200):
        ins = random_instruction("vmad", seed)
        read = trace(ins, dict.fromkeys((x.name for x in ins.inputs), 0)).rows["sum.c"].micro
        assert isinstance(read, Extend)
        assert ins.type_of("c") is (Type.S32 if read.signed else Type.U32)
