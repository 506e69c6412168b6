"""Predicting in the explorer's state: asked, graded, left, gone on with and saved."""

from __future__ import annotations

import pytest

from ptxscope import trace
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.learn.prediction import Prediction, from_json, list_locations, to_json
from ptxscope.scene.scene_model import LaneRef
from ptxscope.state import answer_transitions, step_transitions
from ptxscope.state.edits import swap_operands, with_model, with_opcode
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.requests import PlaceCursor, ShowHint
from ptxscope.state.state_store import SavedState
from tests.driving.states import answer, make_state, reopen, said, set_values

LINE = "vadd4.s32.s32.s32.sat d, a, b, c"
VALUES = {"a": 0x80FF7F01, "b": 0x01010180, "c": 0}


def predict(state: ExplorerState, text: str) -> bool:
    """Enter a prediction of the next lane."""
    place = state.find_next_lane()
    assert place
    return grade(state, place, text)


def grade(state: ExplorerState, place: LaneRef, text: str) -> bool:
    """Enter a prediction of a lane."""
    assert state.prediction
    state.prediction = state.prediction.with_answer(place, text)
    return state.prediction.get_guess(place).is_right


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("vset4.s32.u32.lt.add d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101, "c": 5}),
        ("vadd.u32.s32.s32.sat d.b1, a.b1, b.h1, c", {"a": 0x8234, "b": 0xFFFF0000, "c": 7}),
        ("vmad.s32.u32.s32.shr7 d, a.h0, -b.b1, c", {"a": 3, "b": 0xFF00, "c": 9}),
        ("setp.lt.and.f32 p|_, a, b, !c", {"a": 0x7FC00000, "b": 1, "c": 0}),
        ("selp.f64 d, a, b, c", {"a": 1, "b": 1 << 63, "c": 0}),
        ("slct.ftz.s64.f32 d, a, b, c", {"a": 5, "b": 6, "c": 0x80000001}),
        ("set.lt.f32.s16 d, a, b", {"a": 1, "b": 0xFFFF}),
    ],
)
def test_every_sort_of_instruction_can_be_predicted(line: str, values: dict[str, int]) -> None:
    state = make_state(line, values)
    for count in (1, 2):
        state.begin_predicting(1)
        for step in state.trace.steps:
            assert state.step == step.number
            for place in list_locations(state.trace, step.number):
                assert state.find_next_lane() == place
                right = state.trace.rows[place.key].values[place.lane]
                assert predict(state, hex(right) if right >= 0 else str(right))
            assert state.find_next_lane() is None
            state.go_to_step(step.number + 1)
        asked = [x for step in state.trace.steps for x in list_locations(state.trace, step.number)]
        guesses = state.finish_predicting()
        assert len(guesses) == len(asked)
        assert all(guess.wrong == 0 for guess in guesses)
        assert not state.is_predicting
        assert not state.is_result_hidden
        assert state.practice
        assert state.practice.right_count == count


def test_nothing_reveals_what_is_predicted() -> None:
    # the declared widths matter here, and a note says what they would give
    state = make_state(
        "vadd.u32.u32.u32.max d, a, b, c", {"a": 0xFFFFFFFF, "b": 0xFFFFFFFF, "c": 0}
    )
    assert state.notes
    state.begin_predicting(1)
    assert not state.notes
    assert state.has_hidden_readings
    assert state.is_result_hidden
    assert not state.reveal_result()
    assert state.is_result_hidden


def test_the_step_that_was_left_is_gone_on_with() -> None:
    state = make_state(LINE, VALUES)
    state.go_to_step(3)
    state.resume_predicting()
    assert state.step == 4
    state.stop_predicting()
    assert (state.step, state.is_predicting) == (3, False)
    assert state.is_result_hidden
    state.go_to_step(2)
    state.resume_predicting()
    assert state.step == 4  # where it was left
    state.stop_predicting(6)
    assert state.is_at_end
    state.resume_predicting()
    assert state.step == 1  # every step is shown


def test_a_step_that_is_shown_after_it_was_left_is_predicted_anew() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(6)
    assert state.prediction
    state.prediction = state.prediction.with_text(LaneRef("write.d", 0), "0xc5")
    (hint,) = answer(step_transitions.stop_predicting(state))
    assert isinstance(hint, ShowHint)
    assert hint.keys == (("predict", "resumes the prediction, with what you typed"),)
    answer(step_transitions.move_by(state, 1))
    answer(step_transitions.go_to_step(state, 1))
    answer(step_transitions.toggle_predicting(state))
    assert state.step == 2
    assert not state.guesses
    (hint,) = answer(step_transitions.go_to_end(state))
    assert isinstance(hint, ShowHint)
    assert hint.keys == (("predict", "predicts again"),)


def test_steps_can_be_shown_and_gone_back_to() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(2)
    assert predict(state, "-128")
    clear, cursor = answer(step_transitions.move_by(state, 1))
    assert clear == ShowHint()  # a hint was of the step before
    assert cursor == PlaceCursor(LaneRef("operate.t", 3))
    *_, cursor = answer(step_transitions.move_by(state, -1))
    assert cursor == PlaceCursor(LaneRef("extend.a", 2))  # lane 3 was told


def test_a_computed_value_is_not_edited_during_a_prediction() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(3)
    hint = said(answer(answer_transitions.ask_computed(state, LaneRef("extend.a", 0), "5")))
    assert hint == "× this is computed: type over a register's chip"


def test_another_line_says_that_undo_restores_the_old_one() -> None:
    state = make_state(LINE, VALUES)
    setup = state.setup
    *_, hint = answer(step_transitions.predict_another(state))
    assert isinstance(hint, ShowHint)
    assert hint.text == f"Another line replaces `{LINE};`"
    assert hint.keys == (("edit.undo", "restores it"),)
    assert state.undo()
    assert state.setup == setup


@pytest.mark.parametrize(
    ("text", "is_right"),
    [("c5", True), ("4c", False), ("0xc5", True), ("84c5", None), ("-3b", None), ("zz", None)],
)
def test_digits_that_only_hexadecimal_has_need_no_prefix(text: str, is_right: bool | None) -> None:
    state = make_state("vadd4.u32.u32.u32 d, a, b, c", {"a": 0xC5, "b": 0, "c": 0})
    state.begin_predicting(1)
    place = LaneRef("select.a", 0)
    if is_right is None:
        with pytest.raises(PtxError):
            grade(state, place, text)
    else:
        assert grade(state, place, text) is is_right


def test_another_trace_is_predicted_anew() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(2)
    assert predict(state, "-128")
    state.edit(swap_operands(state.setup))
    assert state.is_predicting
    assert state.guesses == {}
    assert predict(state, "1")


def test_another_instruction_has_the_step_if_it_has_one_of_that_number() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(6)
    state.edit(with_opcode(state.setup, "slct"))
    assert state.is_predicting
    assert state.step == state.last_step


def test_the_operands_alone_are_shown_until_a_step_is() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(1)
    state.stop_predicting()
    assert (state.step, state.is_result_hidden) == (0, True)
    state.go_to_step(-1)
    assert state.step == 0
    state.edit(swap_operands(state.setup))  # another trace
    state.undo()
    state.edit(with_model(state.setup, "ptxas-13.5"))
    state.toggle_pin()
    assert state.step == 0
    state.go_to_step(1)
    state.go_to_step(0)
    assert state.step == 1


# --- what is saved -------------------------------------------------------------------------


def test_it_goes_on_where_the_explorer_was_left() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(2)
    assert predict(state, "-128")
    assert not predict(state, "255")
    assert state.prediction
    state.prediction = state.prediction.with_text(LaneRef("extend.a", 1), "99")
    again = reopen(state)
    assert again.is_prediction_pending
    assert again.step == 2
    again.begin_predicting(again.step)
    assert again.guesses == state.guesses
    assert again.find_next_lane() == LaneRef("extend.a", 2)


def test_the_explorer_opens_again_before_the_first_step() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(1)
    state.stop_predicting()
    again = reopen(state)
    assert again.step == 0
    again.resume_predicting()
    assert (again.step, again.is_predicting) == (1, True)


def test_what_was_saved_is_of_what_was_open_and_nothing_else() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(2)
    assert predict(state, "-128")
    state.stop_predicting()
    again = reopen(state)
    set_values(again, a=7)
    assert not again.make_saved_state().guesses  # they are not of these operands
    assert reopen(again).make_saved_state().guesses == ()
    again.undo()
    again.begin_predicting(2)
    assert again.guesses
    assert again.guesses[LaneRef("extend.a", 3)].is_right


@pytest.mark.parametrize(
    "damaged",
    [
        [None, 3, [], {}, "x"],
        [["extend.a", 9, "1", True, 0, 0]],
        [["extend.a", True, "1", True, 0, 0]],
        [["nothing", 0, "1", True, 0, 0], ["extend.a", 0, 1, True, 0, 0]],
        [["extend.a", 0, "zz", True, -5, 10**30], ["extend.a", 1, "", True, 0, 0]],
        [["extend.a", 0, "1", True, 0, "x"]],
        [["extend.a", 0, "1" * 100_000, True, 0, 0]] * 1000,
    ],
    ids=range(7),
)
def test_what_was_damaged_is_in_nobodys_way(damaged: list[object]) -> None:
    state = make_state(LINE, VALUES, SavedState(step=2, guesses=damaged, predicting=True))
    state.begin_predicting(state.step)
    assert state.guesses is not None
    assert len(state.guesses) <= 2
    assert not any(guess.is_right for guess in state.guesses.values())


def test_guesses_are_read_back_as_they_were() -> None:
    found = Prediction(trace(LINE, VALUES))
    found = found.with_answer(LaneRef("extend.a", 2), "255").with_answer(
        LaneRef("extend.a", 3), "-128"
    )
    found = found.with_text(LaneRef("extend.a", 1), "12").with_hint(LaneRef("extend.a", 0))
    again = from_json(found.trace, to_json(found))
    hinted = LaneRef("extend.a", 0)
    assert again.with_guess(hinted, found.get_guess(hinted)) == found
    assert again.get_guess(hinted).hints == 1
