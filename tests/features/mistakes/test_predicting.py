"""Wrong predictions in the explorer are explained."""

from __future__ import annotations

from ptxscope.scene.scene_model import LaneRef
from ptxscope.state import step_transitions
from ptxscope.state.requests import AskAnswer
from tests.driving.states import make_state
from tests.state.test_predicting import LINE, VALUES, grade


def test_a_wrong_prediction_says_why_and_a_hint_helps() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(2)
    place = LaneRef("extend.a", 2)
    assert not grade(state, place, "255")
    assert state.guesses is not None
    assert state.guesses[place].message == "You read 0xff as unsigned."
    assert state.prediction
    state.prediction = state.prediction.with_hint(place)
    assert "comes from a.b" in state.prediction.get_guess(place).message
    assert grade(state, place, "-1")
    assert (state.guesses[place].wrong, state.guesses[place].hints) == (1, 1)


def test_a_whole_word_is_asked_for_as_such_and_one_of_its_lanes_is_recognised() -> None:
    state = make_state(LINE, VALUES)
    state.begin_predicting(6)
    word = LaneRef("write.d", 0)
    (asked,) = step_transitions.ask_guess(state, word, "")
    assert isinstance(asked, AskAnswer)
    assert asked.label == "d, all 32 bits"
    assert not grade(state, word, "127")  # by hand, lane 1
    assert state.guesses is not None
    assert state.guesses[word].message == "That is lane 1 alone: the answer is all 32 bits."
    assert state.prediction
    hinted = state.prediction.with_hint(word).get_guess(word).message
    assert hinted == "Write: The bytes of the lanes are side by side, lane 3 first."
    assert not grade(state, word, "127")
    assert "0x81007f81" not in state.guesses[word].message
    assert state.guesses[word].message.startswith("That is lane 1 alone: ")
    assert grade(state, word, "81007f81")
