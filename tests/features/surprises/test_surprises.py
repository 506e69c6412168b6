"""Which lanes are surprises, and what they would be under other modifiers."""

from __future__ import annotations

from random import Random

import pytest

from ptxscope import parse
from ptxscope.engine.tracing.deviation import find_deviation, find_deviations
from ptxscope.features.surprises.surprises import (
    find_surprise,
    list_counterfactuals,
    list_surprises,
)
from ptxscope.features.surprises.transitions import go_deeper, go_to_next
from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.requests import Act, PlaceCursor, Requests, ShowHint
from ptxscope.state.setup import Setup, evaluate_setup, make_setup
from tests.driving.states import answer, make_state, said

CLAMPED = "vadd4.s32.s32.s32.sat d, a, b, c"
SHOWING_E3 = "vadd.u32.s32.s32.sat d.b0, a, b, c"


def setup_of(line: str, **values: int) -> Setup:
    ins = parse(line)
    return make_setup(ins, {ins.names[role]: bits for role, bits in values.items()})


def list_kinds(setup: Setup) -> list[tuple[str, int, str]]:
    return [(x.place.key, x.place.lane, x.kind) for x in list_surprises(evaluate_setup(setup))]


@pytest.mark.parametrize("seed", range(20))
def test_clamped_lanes_are_those_whose_exact_sum_does_not_fit(seed: int) -> None:
    random = Random(seed)
    a, b = (random.getrandbits(32) for _ in "ab")
    expected = []
    for lane in (3, 2, 1, 0):
        x, y = ((bits >> 8 * lane & 255 ^ 128) - 128 for bits in (a, b))
        if not -128 <= x + y <= 127:
            kind = "clamped high" if x + y > 127 else "clamped low"
            expected.append(("saturate.t", lane, kind))
    assert list_kinds(setup_of(CLAMPED, a=a, b=b, c=0)) == expected


def test_a_kept_lane_and_one_from_elsewhere_are_surprises() -> None:
    kept = setup_of("vadd4.u32.u32.u32 d.b310, a, b, c", a=1, b=2, c=0x11223344)
    assert list_kinds(kept) == [("merge.t", 2, "kept")]
    moved = setup_of("vadd4.u32.u32.u32 d, a.b3200, b, c", a=1, b=2, c=0)
    # lane 2 takes b2 and lane 1 b0
    assert list_kinds(moved) == [("select.a", 1, "taken from elsewhere")]


def test_a_lane_that_an_erratum_changes_is_a_surprise() -> None:
    # E1: d.h1 takes bits 31:16 of the sum, 0x00015679, instead of its low 16
    documented = evaluate_setup(
        setup_of("vadd.s32.s32.s32 d.h1, a, b, c", a=0x15678, b=1, c=0x11223344)
    )
    deviation = find_deviation(documented, find_deviations(documented))
    assert deviation
    kinds = {x.place: x.kind for x in list_surprises(deviation.other, deviation)}
    assert kinds == {
        LaneRef("merge.t", 1): "another value by E1",
        LaneRef("merge.t", 0): "kept",
    }


def test_a_clamped_lane_that_an_erratum_changes_is_both() -> None:
    # E3: -1 is read as 2**64 - 1, so the clamp gives 255 instead of 0
    documented = evaluate_setup(setup_of(SHOWING_E3, a=0xFFFFFFFF, b=0, c=0x11223344))
    deviation = find_deviation(documented, find_deviations(documented))
    assert deviation
    for trace, kind, other in (
        (documented, "clamped low", (deviation.other.model.name, "255")),
        (deviation.other, "clamped high", ("isa", "0")),
    ):
        surprises = {x.place.key: x for x in list_surprises(trace, deviation)}
        changed = surprises["saturate.t"]
        assert changed.kind == f"{kind}; another value by E3"
        assert (changed.errata, changed.other_answer) == (("E3",), other)
        assert not surprises["merge.t"].errata  # only the first step that differs


def test_deeper_is_the_page_of_the_erratum_and_elsewhere_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []

    def open_reference(_: object, text: str) -> Requests:
        opened.append(text)
        yield ShowHint(text)

    offered = [open_reference]
    monkeypatch.setattr("ptxscope.features.surprises.transitions.find_services", lambda _: offered)
    state = make_state(SHOWING_E3, {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})
    answer(go_deeper(state, LaneRef("saturate.t", 0)))
    assert opened == ["E3"]
    assert go_deeper(state, LaneRef("merge.t", 3)) is None
    offered.clear()
    assert go_deeper(state, LaneRef("saturate.t", 0)) is None


def test_counterfactuals_are_computed_one_modifier_at_a_time() -> None:
    setup = setup_of(CLAMPED, a=0x649C0105, b=0x649C02F9, c=0)
    found = {x.label: x.value for x in list_counterfactuals(setup, LaneRef("saturate.t", 2))}
    # -100 + -100 = -200 wraps to 56; an unsigned result is clamped at 0
    assert found["without .sat"] == "0x38 (56)"
    assert found["with dtype .u32"] == "0"
    # with a read as unsigned: 156 - 100 = 56
    assert found["with atype .u32"] == "56"


def test_the_counterfactual_of_a_kept_lane_is_what_the_mask_withheld() -> None:
    setup = setup_of("vadd4.u32.u32.u32 d.b310, a, b, c", a=0x00030000, b=0x00040000, c=0)
    (only,) = list_counterfactuals(setup, LaneRef("merge.t", 2))
    assert (only.label, only.value) == ("without the mask", "0x07")


def test_surprises_follow_each_other_in_a_circle() -> None:
    found = list_surprises(evaluate_setup(setup_of(CLAMPED, a=0x64640000, b=0x64640000, c=0)))
    first, second = found
    assert find_surprise(found, None, 1) is first
    assert find_surprise(found, first.place, 1) is second
    assert find_surprise(found, second.place, 1) is first
    assert find_surprise(found, first.place, -1) is second
    assert find_surprise(found, None, -1) is second


def test_steps_up_to_a_surprise_are_shown() -> None:
    state = make_state(CLAMPED, {"a": 0x64000000, "b": 0x64000000, "c": 0})
    state.go_to_step(1)
    asked = answer(go_to_next(state))
    assert isinstance(asked[0], Act)
    assert PlaceCursor(LaneRef("saturate.t", 3)) in asked
    assert state.trace.steps[state.step - 1].stage == "saturate"


def test_without_a_surprise_that_is_said() -> None:
    state = make_state(CLAMPED, {"a": 1, "b": 2, "c": 0})
    asked = answer(go_to_next(state))
    assert said(asked) == "No lane is clamped, wrapped, kept or taken from elsewhere"
    assert any(isinstance(x, ShowHint) for x in asked)
