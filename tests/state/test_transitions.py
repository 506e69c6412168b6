"""Transitions of the table, on a state without an app: what they change, and what they ask for."""

from __future__ import annotations

import pytest

from ptxscope import diagnose, parse
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.tracing.annotations import NOTHING, Annotations
from ptxscope.engine.tracing.step_text import describe_step, format_lane_sentence
from ptxscope.feature import list_features
from ptxscope.scene.scene_model import LaneRef
from ptxscope.state import (
    answer_transitions,
    edit_transitions,
    listing_transitions,
    step_transitions,
)
from ptxscope.state.actions import ACTIONS
from ptxscope.state.edits import swap_operands
from ptxscope.state.requests import (
    AskItem,
    AskText,
    Focus,
    Open,
    Request,
    ShowHint,
    ShowOutcome,
    Wait,
)
from ptxscope.state.setup import evaluate_setup, make_example, make_setup
from ptxscope.state.step_transitions import compute_reading_seconds, estimate_seconds
from tests.driving.states import LINE, VALUES, answer, do, make_state, open_text, said, set_values


def test_the_last_step_is_announced_before_the_first_comes_again() -> None:
    state = make_state()
    assert state.is_at_end
    assert said(do(state, "step.next")) == "That was the last step"
    do(state, "step.next")
    assert state.step == 1
    do(state, "step.last")
    do(state, "step.next")
    do(state, "pin")  # another hint comes between
    do(state, "step.next")
    assert state.is_at_end


def test_a_step_that_there_is_not_is_refused() -> None:
    state = make_state("popc.b32 d, a", {"a": 7})
    count = state.last_step
    (asked,) = answer(step_transitions.go_to_step(state, count + 1))
    assert isinstance(asked, ShowHint)
    assert asked.text == f"There are {count} steps"


def test_playing_waits_for_each_step_and_ends_when_it_is_paused() -> None:
    state = make_state()
    playing = step_transitions.toggle_playing(state)
    steps = [state.step for x in playing if isinstance(x, Wait)]
    assert steps == [*range(1, state.last_step)]
    assert not state.is_playing
    playing = step_transitions.toggle_playing(state)
    assert any(isinstance(x, Wait) for x in playing)
    assert answer(step_transitions.toggle_playing(state)) == []  # a pause
    assert answer(playing) == []
    assert state.step == 1


def test_a_note_is_asked_for_and_kept() -> None:
    state = make_state()
    (asked,) = do(state, "note", "look here")
    assert isinstance(asked, AskText)
    assert [x.text for x in state.trace.annotations.notes] == ["look here"]
    do(state, "edit.undo")
    assert not state.trace.annotations.notes
    do(state, "note", None)  # left
    assert not state.trace.annotations.notes


def test_notes_are_dropped_with_their_instruction_and_undo_restores_them() -> None:
    state = make_state()
    do(state, "note", "look here")
    do(state, "export", Annotations("a title", "a caption", state.setup.annotations.notes))
    annotated = state.setup
    line = "vset4.s32.u32.gt.add %r1, %r2, %r3, %r0;"
    answer(edit_transitions.type_line(state, line, is_pasted=True))
    assert state.trace.annotations == annotated.annotations  # of the same opcode
    state.undo()
    for requests in (
        listing_transitions.paste_text(state, "vadd.s32.s32.s32.sat d.b0, a, b, c;"),
        edit_transitions.open_choice(state, "vadd4"),
        edit_transitions.type_line(state, "vset2.s32.u32.gt %r1, %r2, %r3, %r0"),
    ):
        hint = said(answer(requests))
        assert hint == "Title, caption and notes of vset4 are dropped"
        assert state.setup.annotations == NOTHING
        do(state, "edit.undo")
        assert state.setup == annotated


def test_values_after_a_pasted_line_are_those_of_its_registers() -> None:
    state = make_state()
    text = "vadd.s32.s32.s32.sat d.b0, a, b, c; a=-100 b=0x7f c=0"
    answer(listing_transitions.paste_text(state, text))
    assert state.setup.line == "vadd.s32.s32.s32.sat d.b0, a, b, c;"
    assert state.trace.operands == {"a": 0xFFFFFF9C, "b": 0x7F, "c": 0}
    state.undo()
    assert state.setup.line == f"{LINE};"
    hint = said(answer(listing_transitions.paste_text(state, "popc.b32 d, a; a=zz")))
    assert hint == "× nothing is pasted: `zz` is not a value"
    assert state.setup.line == f"{LINE};"


def test_edge_cases_are_offered_padded_named_once_and_set() -> None:
    state = make_state("vadd4.s32.s32.s32 d, a, b, c", {})
    (asked,) = answer(edit_transitions.offer_values(state, "a"), 1)
    assert isinstance(asked, AskItem)
    abouts = {item.label: item.about for item in asked.items}
    assert abouts["0x80ff7f01"] == ""
    assert {len(x) for x in abouts.values()} == {0, len("0x80808080")}
    assert f"{state.trace.operands['a']:#010x}" == asked.items[1].about


REFUSALS = {
    "step.result": "Every step is revealed, and so is the result",
    "listing.expect": "No listing is open",
    "predict.hint": "Hints are for predictions",
    "edit.undo": "There is no edit to undo",
    "edit.redo": "There is no edit to redo",
    "edit.fix": "There is no error to fix",
}


def test_an_action_says_why_it_is_not_possible() -> None:
    state = make_state()
    setup = state.setup
    added = {key.id for feature in list_features() for key in feature.keys}
    refused = {
        id_: why.text
        for id_, action in ACTIONS.items()
        if id_ not in added and (why := action.check(state))
    }
    assert refused == REFUSALS
    for id_, text in REFUSALS.items():
        assert said(do(state, id_)) == text
    assert state.setup is setup
    assert state.is_at_end
    do(state, "edit.swap")
    assert ACTIONS["edit.undo"].check(state) is None


def test_at_the_end_of_a_listing_there_is_a_step_to_write_on() -> None:
    state = make_state()
    open_text(state, "vadd4.u32.u32.u32 d, a, b, c;\nvadd2.u32.u32.u32 e, d, b, c;")
    for _ in range(2):
        answer(listing_transitions.go_by(state, 1))
    (asked,) = do(state, "note", None)
    assert isinstance(asked, AskText)
    assert asked.title.startswith("A note on step")


def test_what_would_reveal_an_answer_says_how_predicting_ends() -> None:
    state = make_state()
    do(state, "predict")
    (asked,) = do(state, "step.result")
    assert isinstance(asked, ShowHint)
    assert "would reveal the answer" in asked.text
    assert asked.keys == (("predict", "stops predicting"),)
    assert state.is_result_hidden


def test_predictions_go_on_through_a_block() -> None:
    state = make_state()
    text = "vadd.u32.u32.u32 t, a, b;\nvadd.u32.u32.u32 d, t, c;"
    answer(listing_transitions.paste_text(state, text))
    answer(step_transitions.begin_predicting(state))
    statements, asked = [], list[Request]()
    while state.is_predicting:
        statements.append(state.block_statement)
        place = state.find_next_lane()
        assert place
        right = str(state.trace.rows[place.key].values[place.lane])
        asked = answer(step_transitions.take_guess(state, place, right, is_entered=True))
    assert {*statements} == {1, 2}
    assert statements == sorted(statements)
    assert said(asked) == "✓ That was the last step of the last statement"


def test_the_ends_and_predictions_are_those_of_a_whole_block() -> None:
    state = make_state()
    text = "vadd.u32.u32.u32 t, a, b;\nvadd.u32.u32.u32 d, t, c;"
    answer(listing_transitions.paste_text(state, text))
    count = state.last_step

    def go(id_: str, *numbers: int) -> tuple[int, int, int]:
        answer(ACTIONS[id_].run(state, *(numbers or ACTIONS[id_].arguments)))
        return state.block_statement, state.step, state.block_step

    assert go("step.last") == (2, state.last_step, count + state.last_step)
    assert go("step.first") == (1, 1, 1)
    assert go("step.first", count + 2) == (2, 2, count + 2)
    assert go("step.first", count) == (1, count, count)
    assert go("predict") == (2, 1, count + 1)  # after the last step of the first statement
    assert go("step.last") == (2, state.last_step, count + state.last_step)
    assert not state.is_predicting
    state.edit(swap_operands(state.setup))  # else the prediction that was left goes on
    assert go("predict") == (1, 1, 1)


def test_a_block_without_values_opens_on_edge_cases() -> None:
    state = make_state()
    text = "{ add.s32 t, a, b; cvt.u32.u16 x, h; mul.lo.u32 d, t, x; }"
    asked = answer(listing_transitions.paste_text(state, text))
    assert said(asked) == "These values are an example"
    assert state.block_trace
    values = state.block_trace.operands
    assert len({*values.values()}) == 3
    assert 0 < values["s0.h"] < 1 << 16
    do(state, "edit.random")
    assert state.block_trace.operands != values


def test_a_computed_register_of_a_listing_is_not_asked_for() -> None:
    state = make_state()
    open_text(state, "vadd.u32.u32.u32 %r1, %r2, 1;\nvadd.u32.u32.u32 %r3, %r1, %r4;")
    set_values(state, a=1)
    answer(listing_transitions.go_by(state, 1))
    role = next(role for role, name in state.setup.instruction.names.items() if name == "%r1")
    asked = answer(edit_transitions.set_value(state, role, 5))
    assert said(asked) == "× %r1 is computed by the listing: edit its inputs instead"


def test_a_file_that_is_not_there_is_asked_for_again() -> None:
    state = make_state()
    asked = do(state, "listing.open", "/nowhere/x.ptx", None)
    assert [x.text for x in asked if isinstance(x, AskText)] == ["", "/nowhere/x.ptx"]


def test_an_observed_result_is_kept_for_its_instruction() -> None:
    state = make_state()
    opcode = state.setup.instruction.opcode
    do(state, "explain", ("0x5", None))
    for other, text in ((opcode, "0x5"), ("vmad", ""), (opcode, "0x5")):
        answer(edit_transitions.open_choice(state, other))
        (asked,) = do(state, "explain", None)
        assert isinstance(asked, Open)
        assert asked.values[2] == text


def test_an_explanation_by_another_opcode_opens_beside_what_was_written() -> None:
    line, values = "vmin4.s32.s32.s32 d, a, b, c", {"a": 0x01820304, "b": 0x04030281, "c": 0}
    state = make_state(line, values)
    # of lanes 3 to 0: 1 or 4, -126 or 3, 3 or 2, 4 or -127
    found = diagnose(line, values, 0x04030304)
    finding = next(x for x in found if x.instruction.opcode == "vmax4")
    asked = do(state, "explain", ("0x04030304", finding))
    assert state.setup.line == "vmax4.s32.s32.s32 d, a, b, c;"
    assert state.trace.result == {"d": 0x04030304}
    assert state.pin
    assert state.pin.line == f"{line};"
    assert not [x for x in asked if isinstance(x, ShowOutcome)]  # the pin waits


def test_going_to_a_field_clears_what_was_said_of_something_else() -> None:
    for id_ in ("go.find", "go.line", "go.operands", "go.modifiers", "go.lanes"):
        state = make_state()
        do(state, "pin")
        cleared, focus = do(state, id_)
        assert cleared == ShowHint()
        assert isinstance(focus, Focus)
        assert len(do(state, id_)) == 1  # what the field says stays


def test_a_step_with_more_words_stays_longer() -> None:
    assert estimate_seconds(0) == 1.5
    assert estimate_seconds(40) == pytest.approx(40 * 0.15)
    assert estimate_seconds(1000) == 8
    trace = evaluate_setup(make_setup(parse(LINE), VALUES))
    times = {step.stage.value: compute_reading_seconds(trace, step) for step in trace.steps}
    words = {x.stage.value: len(describe_step(x).split()) for x in trace.steps}
    assert times[max(words, key=words.__getitem__)] == max(times.values()) > times["write"]
    assert times["write"] == min(times.values())


def test_only_words_that_are_shown_are_waited_for() -> None:
    """A lane that nothing happened to says nothing where little room is; one clamped does."""
    calm, loud = {"a": 0x01010101, "b": 0x01010101}, {"a": 0x7F7F0101, "b": 0x7F7F0101}
    line = parse("vadd4.s32.s32.s32.sat d, a, b, c")
    times = []
    for values in (calm, loud):
        trace = evaluate_setup(make_setup(line, values))
        step = next(x for x in trace.steps if x.stage.value == "saturate")
        times.append(compute_reading_seconds(trace, step))
    said = describe_step(step).split()
    assert times[0] == pytest.approx(max(1.5, 0.15 * len(said)))
    told = [format_lane_sentence(step.rows[0], lane).split() for lane in (3, 2)]
    assert times[1] == pytest.approx(0.15 * (len(said) + sum(map(len, told))))
    assert times[0] < times[1] <= 8


def test_no_step_of_an_example_looks_hung() -> None:
    for opcode in CATALOG:
        trace = evaluate_setup(make_example(opcode))
        assert all(1.5 <= compute_reading_seconds(trace, step) <= 8 for step in trace.steps), opcode


def test_a_computed_value_has_a_hint_unless_a_feature_finds_operands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer_transitions, "find_services", lambda _: ())
    place = LaneRef("operate.t", 0)
    hint = said(answer(answer_transitions.ask_computed(make_state(), place, "5")))
    assert hint == "× this is computed: type over a register's chip"
