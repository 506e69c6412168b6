"""Editing backwards: operands for a wanted value; the pin proved equal or refuted."""

from __future__ import annotations

import pytest

from ptxscope import parse, trace
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.instruction import Input
from ptxscope.features.prove.backward_edit import (
    EditTarget,
    Finding,
    find_sources,
)
from ptxscope.features.prove.pin_proof import prove_pin, take_counterexample
from ptxscope.scene.scene_model import BitRef, LaneRef
from ptxscope.state.edits import (
    find_changed_registers,
    swap_operands,
    with_line,
    with_model,
    with_registers,
)
from ptxscope.state.setup import evaluate_setup, make_setup
from tests.driving.states import make_state, set_values

pytest.importorskip("bitwuzla")

VADD4 = "vadd4.s32.s32.u32.sat d.b310, a, b, c"
VALUES = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 5}


def make_goal(
    key: str,
    lane: int = 0,
    bit: int | None = None,
    line: str = VADD4,
    values: dict[str, int] = VALUES,
) -> EditTarget:
    place = LaneRef(key, lane) if bit is None else BitRef(key, lane, bit)
    return EditTarget(trace(line, values), place)


def search(target: EditTarget, text: str, name: str) -> Finding:
    source: Input | None = next(
        (x for x in target.trace.instruction.inputs if x.name == name), None
    )
    return find_sources(target, target.make_condition(text), source)


def test_only_the_lane_of_the_place_changes_if_that_is_enough() -> None:
    target = make_goal("merge.t", 0)
    assert target.name == "t lane 0"
    finding = search(target, "0x10", "b")
    assert finding.operands == {"b": 0x01FF020F}  # 1 + 15 = 16
    assert "b = 0x01ff020f gives t lane 0 = 0x10" in finding.describe(target, "0x10")


def test_several_lanes_change_if_one_is_not_enough() -> None:
    target = make_goal("write.d")
    finding = search(target, "0", "a")
    a = finding.operands["a"]
    # lanes 3, 1 and 0 of d are sums, lane 2 is that of c: b + a = 0 in each
    assert [a >> 8 * lane & 0xFF for lane in (3, 1, 0)] == [0xFF, 0xFE, 0x80]
    assert trace(VADD4, {**VALUES, **finding.operands}).result == {"d": 0}


def test_a_register_that_cannot_give_it_is_told_from_what_is_impossible() -> None:
    target = make_goal("write.d")
    alone = search(target, "0", "b")
    assert not alone.operands
    assert "No value of b gives d = 0 while the others stay" in alone.describe(target, "0")
    assert search(target, "0", "").operands == {"a": 0, "b": 0, "c": 0}
    top = make_goal("operate.t", 3)  # at most 127 + 255
    assert search(top, "382", "").operands
    for name in ("a", ""):
        sentence = search(top, "383", name).describe(top, "383")
        assert sentence.startswith("No operands give t lane 3 = 383, proved")


def test_the_model_of_the_trace_counts() -> None:
    line, values = "vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0, "b": 0, "c": 0x11223344}
    for model, is_found in (("isa", False), ("ptxas", True)):
        place = LaneRef("operate.t", 0)
        target = EditTarget(trace(line, values, model=model), place)
        condition = "operate.t[0] < 0 and saturate.t[0] == 255"  # E3: the lower bound is missing
        finding = find_sources(target, condition, target.trace.instruction.inputs[0])
        assert bool(finding.operands) is is_found


def test_bits_and_negative_numbers_are_read_as_the_row_has_them() -> None:
    target = make_goal("operate.t", 3)
    assert search(target, "-128", "b").operands == {"b": 0x00FF0280}
    bit = make_goal("operate.t", 0, 4, "lop3.b32 d, a, b, c, 0x96", {"a": 1, "b": 2, "c": 3})
    assert bit.name == "t bit 4"
    (changed,) = search(bit, "1", "b").operands.values()
    assert (1 ^ changed ^ 3) >> 4 & 1
    for text in ("", "[1,2]", "x", "1 or 1"):
        with pytest.raises(PtxError):
            target.make_condition(text)


def test_a_register_that_is_written_too_is_still_a_source() -> None:
    line = "vadd.s32.s32.s32 %r1, %r1, %r$x, %r1"
    target = make_goal("write.d", 0, None, line, {"%r1": 5, "%r$x": 7})
    assert search(target, "100", "%r$x").operands == {"%r$x": 95}
    assert search(target, "100", "%r1").operands == {"%r1": 93}


def test_the_register_edited_last_is_known() -> None:
    state = make_state()
    assert state.edited_register == ""
    set_values(state, b=9)
    assert state.edited_register == "%r3"
    set_values(state, a=1)
    assert state.edited_register == "%r2"
    state.edit(with_line(state.setup, "vset4.s32.u32.ge.add %r1, %r2, %r3, %r0"))
    assert state.edited_register == "%r2"
    assert find_changed_registers(state.setup, swap_operands(state.setup)) == ["%r2", "%r3"]
    assert evaluate_setup(with_registers(state.setup, {"%r0": 8})).operands["c"] == 8


# --- the pin -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("vavrg4.u32.u32.u32 d, a, b, c", "vavrg4.u32.u32.u32 d, b, a, c", "equal"),
        ("vadd4.s32.s32.u32.sat d, a, b, c", "vadd4.s32.s32.u32 d, a, b, c", "different"),
        ("vmin4.s32.s32.s32 d, a, b, c", "vmin4.s32.s32.s32 %0, %x, %y, %z", "equal"),
    ],
)
def test_the_pin_is_proved_equal_or_refuted(a: str, b: str, verdict: str) -> None:
    pin, setup = make_setup(parse(a), {}), make_setup(parse(b), {})
    proof = prove_pin(pin, setup)
    assert proof.verdict == verdict
    if verdict == "different":
        results = [
            tuple(evaluate_setup(x).result.values()) for x in take_counterexample(proof, pin, setup)
        ]
        assert results[0] != results[1]


def test_two_models_of_one_instruction_are_compared() -> None:
    pin = make_setup(parse("vadd.u32.s32.s32.sat d.b0, a, b, c"), {})
    proof = prove_pin(pin, with_model(pin, "ptxas"))
    assert proof.verdict == "different"
    results = [
        evaluate_setup(x).result for x in take_counterexample(proof, pin, with_model(pin, "ptxas"))
    ]
    assert results[0] != results[1]
