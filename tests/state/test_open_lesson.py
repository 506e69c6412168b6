"""A lesson in the explorer's state: cards, answers, and the state that comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.learn.lesson import list_files, load_lesson
from ptxscope.learn.lesson_position import LessonPosition, LessonProgress, Outcome
from ptxscope.state import lesson_transitions
from ptxscope.state.edits import with_model
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.requests import Notify
from ptxscope.state.state_store import StateStore
from tests.driving.states import answer, make_state, open_text, set_values


def open_lesson(
    state: ExplorerState, name: str, places: dict[str, LessonProgress] | None = None
) -> LessonPosition:
    """Open a lesson at its saved position."""
    state.open_lesson(load_lesson(name), {} if places is None else places, from_start=False)
    state.show_card(is_first=True)
    assert state.lesson
    return state.lesson


def go(state: ExplorerState, delta: int) -> None:
    """Go to another card."""
    assert state.lesson
    assert state.lesson.go(delta)
    state.show_card()


def say(lesson: LessonPosition) -> str:
    """Return the feedback on the last answer."""
    return "".join(piece.text for piece in lesson.feedback.signed_text) if lesson.feedback else ""


@pytest.mark.parametrize("name", list_files())
def test_a_lesson_is_played_to_its_end(name: str) -> None:
    state = make_state()
    before = state.setup
    lesson = open_lesson(state, name)
    while True:
        card = lesson.card
        assert state.trace.instruction == card.trace.instruction
        assert (state.trace.model, state.trace.result) == (card.trace.model, card.trace.result)
        assert state.step == card.step
        assert lesson.is_open == (card.ask is not None)
        if lesson.is_open:
            lesson.reveal()
            assert lesson.feedback
            assert lesson.feedback.outcome is Outcome.REVEALED
            assert not lesson.is_open
        if lesson.is_last:
            break
        go(state, 1)
    assert not lesson.go(1)
    lesson.finish()
    assert lesson.progress == LessonProgress(0, done=True)
    assert state.leave_lesson()
    assert state.setup == before
    assert len(state.session.undo_history) == 2  # all cards are one edit, and leaving is one


def test_answers_are_graded_helped_and_shown() -> None:
    state = make_state()
    lesson = open_lesson(state, "extension", {"extension": LessonProgress(6)})
    lesson.answer("240")
    assert say(lesson) == "× Not 240. You read 0xf0 as unsigned."
    lesson.answer("240")
    assert say(lesson) == "× Not 240. You kept 0xf0 as 240: atype is s32, so it is -16."
    lesson.give_hint()
    assert say(lesson) == "? It comes from a.b1."
    for _ in range(9):
        lesson.give_hint()
    assert say(lesson) == "? There are no more hints."
    lesson.feedback = None
    assert not say(lesson)
    lesson.reveal()
    assert say(lesson) == "It is -16."
    assert lesson.asked_step == 2
    go(state, 1)
    go(state, -1)
    assert lesson.is_open
    lesson.answer("-16")
    assert not lesson.is_open
    assert lesson.feedback is None or lesson.feedback.outcome is Outcome.RIGHT


def test_an_unfinished_answer_is_there_when_one_comes_back() -> None:
    state = make_state()
    lesson = open_lesson(state, "merging", {"merging": LessonProgress(6)})
    lesson.keep_text("0xa")
    go(state, 1)
    assert not lesson.take_text()
    go(state, -1)
    assert lesson.take_text() == "0xa"
    assert not lesson.take_text()
    while lesson.index:
        go(state, -1)
    assert not lesson.go(-1)  # there is no card before the first
    assert lesson.index == 0


def test_the_picture_can_be_edited_and_the_next_card_sets_it_right() -> None:
    state = make_state()
    lesson = open_lesson(state, "lanes")
    go(state, 1)
    state.edit(with_model(state.setup, "ptxas-13.5"))
    state.toggle_pin()
    state.begin_predicting(3)
    go(state, 1)
    assert state.setup.model == "isa"
    assert (state.pin, state.is_predicting) == (None, False)
    assert state.step == lesson.card.step


@pytest.mark.parametrize("step", [1, 3, 5])
@pytest.mark.parametrize("is_revealed", [False, True])
def test_leaving_a_lesson_returns_to_the_step(step: int, is_revealed: bool) -> None:
    state = make_state()
    state.go_to_step(step)
    state.reveal_result(is_revealed=is_revealed)
    before = state.make_saved_state()
    open_lesson(state, "clamping")
    go(state, 1)
    assert state.make_saved_state() == before  # what is saved if the explorer ends now
    set_values(state, a=5)
    assert state.leave_lesson()
    assert state.make_saved_state() == before
    assert (state.step, state.is_revealed) == (step, is_revealed)
    state.undo()
    assert state.trace.operands["a"] == 5


def test_a_pin_and_a_listing_are_there_again() -> None:
    text = (Path(__file__).parents[1] / "data" / "video.ptx").read_text(encoding="utf-8")
    state = make_state()
    open_text(state, text)
    state.toggle_pin()
    pin, cursor = state.pin, state.cursor
    assert pin
    open_lesson(state, "averages")
    assert state.pin is None
    go(state, 1)
    assert state.setup.instruction.opcode == "vavrg4"
    state.leave_lesson()
    assert state.pin == pin
    assert state.cursor == cursor


def test_a_position_that_can_not_be_saved_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    state = make_state()
    state.store = StateStore(tmp_path / "state", tmp_path)
    answer(lesson_transitions.open_lesson(state, "lanes"))
    told, *_ = answer(lesson_transitions.leave_card(state))
    assert isinstance(told, Notify)
    assert told.title == "Positions in lessons are not saved"
