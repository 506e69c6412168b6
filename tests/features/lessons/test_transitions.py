"""Lessons as transitions: cards, answers, progress; the explorer stays as it is."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from ptxscope.features.lessons import transitions as lessons
from ptxscope.features.lessons.course import Course
from ptxscope.features.lessons.lesson import Head, list_files, list_headings, map_groups
from ptxscope.features.lessons.lesson_position import LessonPosition, LessonProgress, Outcome
from ptxscope.features.lessons.lesson_text import format_answer
from ptxscope.features.lessons.progress_store import load_progress, save_progress
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.requests import Notify, Open
from ptxscope.state.state_store import StateStore
from tests.driving.states import answer, do, make_state


def open_lesson(state: ExplorerState, name: str, card: int = 0) -> LessonPosition:
    """Open a lesson at a card."""
    play = lessons.get_play(state)
    play.progress = {name: LessonProgress(card)}
    answer(lessons.open_lesson(state, name))
    assert play.position
    return play.position


def go(state: ExplorerState, delta: int) -> None:
    """Go to another card."""
    answer(lessons.turn_card(state, delta))


def say(position: LessonPosition) -> str:
    """Return the feedback on the last answer."""
    feedback = position.feedback
    return "".join(piece.text for piece in feedback.signed_text) if feedback else ""


@pytest.mark.parametrize("name", list_files())
def test_a_lesson_is_played_to_its_end(name: str) -> None:
    state = make_state()
    before = state.make_saved_state()
    position = open_lesson(state, name)
    play = lessons.get_play(state)
    while True:
        card, shown = position.card, play.card_state
        assert shown
        assert shown.trace.instruction == card.trace.instruction
        assert (shown.trace.model, shown.trace.result) == (card.trace.model, card.trace.result)
        assert shown.step == card.step
        assert position.is_open == (card.ask is not None)
        if position.is_open:
            lessons.reveal_answer(state)
            assert position.feedback
            assert position.feedback.outcome is Outcome.REVEALED
            assert not position.is_open
            assert shown.step == position.asked_step
        if position.is_last:
            break
        go(state, 1)
    answer(lessons.turn_card(state, 1), None)
    assert play.position is None
    assert position.marks.count("▣") == 0
    assert play.progress[name] == LessonProgress(0, done=True)
    assert state.make_saved_state() == before
    assert not state.session.undo_history


def test_the_end_counts_right_answers_and_enter_opens_the_next() -> None:
    state = make_state()
    position = open_lesson(state, "lanes")
    while not position.is_last:
        if position.is_open:
            lessons.take_answer(state, format_answer(position.card))
        go(state, 1)
    lessons.give_hint(state)  # before the last answer
    lessons.take_answer(state, format_answer(position.card))
    count = sum(card.ask is not None for card in position.lesson.cards)
    *_, asked = answer(lessons.turn_card(state, 1), None)
    assert position.score == f"{count - 1} of {count} right at the first try"
    assert position.missed_cards == (len(position.lesson.cards) - 1,)
    assert isinstance(asked, Open)
    following = asked.values[1]
    assert isinstance(following, Head)
    assert following.name == "averages"

    position = open_lesson(state, "lanes", len(position.lesson.cards) - 1)
    answer(lessons.turn_card(state, 1), lessons.Ending.NEXT)
    following_position = lessons.get_play(state).position
    assert following_position
    assert following_position.lesson.head.name == "averages"


def play_lesson(state: ExplorerState, name: str, missed: int = 0) -> LessonPosition:
    """Play a lesson to its end, with some questions at the beginning that are not answered."""
    answer(lessons.open_lesson(state, name, 0))
    position = lessons.get_play(state).position
    assert position
    for card in position.lesson.cards:
        if card.ask and not missed:
            lessons.take_answer(state, format_answer(card))
        missed -= missed > 0 and card.ask is not None
        answer(lessons.turn_card(state, 1), None)
    return position


def test_a_worse_visit_loses_no_score() -> None:
    state = make_state()
    head = play_lesson(state, "brighten").lesson.head
    worse = play_lesson(state, "brighten", missed=2)
    assert worse.score.startswith(f"{len(head.question_cards) - 2} of {len(head.question_cards)} ")
    progress = lessons.load_progress(state)["brighten"]
    assert (progress.known, progress.right) == (head.question_cards, ())
    assert progress.list_missed(head) == ()


def test_what_was_missed_is_known_once_it_is_right_when_asked_again() -> None:
    state = make_state()
    head = play_lesson(state, "brighten", missed=1).lesson.head
    missed, *others = head.question_cards
    progress = lessons.load_progress(state)["brighten"]
    assert progress.list_missed(head) == (missed,)
    assert progress.known == tuple(others)
    answer(lessons.open_lesson(state, "brighten", missed))
    position = lessons.get_play(state).position
    assert position
    assert position.index == missed
    lessons.take_answer(state, format_answer(position.card))
    answer(lessons.turn_card(state, 1))
    assert lessons.load_progress(state)["brighten"].known == head.question_cards


def test_after_the_last_lesson_the_course_offers_what_was_missed() -> None:
    heads = list_headings()
    done = {x.name: LessonProgress(0, done=True, known=x.question_cards) for x in heads}
    course = Course(done)
    asked = sum(len(x.question_cards) for x in heads)
    assert (course.next, course.next_title) == (None, "All done")
    assert course.summary == f"{len(heads)} of {len(heads)} done · {asked} of {asked} right"
    second = heads[1]
    done[second.name] = done[second.name]._replace(known=second.question_cards[1:])
    course = Course(done)
    assert (course.next, course.next_card) == (second, second.question_cards[0])
    assert course.next_title == "1 question to look at again"
    assert course.summary.endswith(f"{asked - 1} of {asked} right")
    done[heads[2].name] = LessonProgress(2)
    course = Course(done)
    assert (course.next, course.next_card, course.next_title) == (heads[2], None, "Continue")


def test_a_missed_question_is_asked_again_and_the_line_opens_at_the_end() -> None:
    state = make_state()
    position = open_lesson(state, "brighten", 8)
    lessons.take_answer(state, "0xffbee800")  # 255, 190, 232, 0
    assert position.is_right_at_once
    answer(lessons.turn_card(state, 1), lessons.Ending.MISSED)
    assert position.index == position.missed_cards[0] == 2
    assert position.is_open
    position.go_to(8)
    answer(lessons.turn_card(state, 1), lessons.Ending.LINE)
    assert lessons.get_play(state).position is None
    assert state.setup.line.startswith("vadd4.u32.u32.s32.sat")


def test_the_lessons_are_in_groups_with_a_sentence_each() -> None:
    (asked,) = do(make_state(), "lessons", None)
    assert isinstance(asked, Open)
    groups = [key for key, _ in groupby(list_headings(), lambda head: head.group)]
    assert groups == [name for name in map_groups() if name in groups]
    assert all(sentence.startswith("You ") for sentence in map_groups().values())


def test_answers_are_graded_helped_and_shown() -> None:
    state = make_state()
    position = open_lesson(state, "extension", 7)
    position.answer("240")
    assert say(position) == "✗ Not 240. You read 0xf0 as unsigned."
    position.answer("240")
    assert say(position) == "✗ Not 240. You read 0xf0 as unsigned. It comes from a.b1."
    position.give_hint()
    assert say(position) == "? It comes from a.b1."
    for _ in range(9):
        position.give_hint()
    assert say(position) == "? There are no more hints."
    position.reveal()
    assert say(position) == "It is -16."
    assert position.asked_step == 2
    go(state, 1)
    go(state, -1)
    assert position.is_open
    lessons.take_answer(state, "foo")
    assert say(position).startswith("✗ Not an answer: `foo` is not an integer; allowed: ")
    assert position.is_open
    lessons.take_answer(state, "-16")
    assert not position.is_open
    assert position.feedback is None or position.feedback.outcome is Outcome.RIGHT


def test_an_unfinished_answer_is_there_when_one_comes_back() -> None:
    state = make_state()
    position = open_lesson(state, "merging", 6)
    position.keep_text("0xa")
    go(state, 1)
    assert not position.take_text()
    go(state, -1)
    assert position.take_text() == "0xa"
    assert not position.take_text()
    while position.index:
        go(state, -1)
    go(state, -1)  # there is no card before the first
    assert position.index == 0


def test_marks_say_what_was_read_answered_missed_and_is_to_come() -> None:
    state = make_state()
    position = open_lesson(state, "extension", 7)
    questions = "".join("?" if card.ask else "-" for card in position.lesson.cards)
    assert questions == "--?----???"
    assert position.marks == "●●□●●●●▣□□"
    lessons.take_answer(state, format_answer(position.card))
    go(state, 1)
    lessons.give_hint(state)
    lessons.take_answer(state, format_answer(position.card))
    go(state, 1)
    assert position.marks == "●●□●●●●■□▣"
    go(state, -1)
    assert position.marks == "●●□●●●●■▣□"


def test_the_line_of_a_card_opens_in_the_explorer() -> None:
    state = make_state()
    before = state.setup
    open_lesson(state, "lanes")
    go(state, 1)
    shown = lessons.get_play(state).card_state
    assert shown
    answer(lessons.open_line(state))
    assert lessons.get_play(state).position is None
    assert (state.setup.line, state.trace.operands) == (shown.setup.line, shown.trace.operands)
    state.undo()
    assert state.setup == before


def test_a_position_that_can_not_be_saved_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    state = make_state()
    state.store = StateStore(tmp_path / "state", tmp_path)
    told, *_ = answer(lessons.open_lesson(state, "lanes"))
    assert isinstance(told, Notify)
    assert told.title == "Positions in lessons are not saved"


def test_progress_that_another_process_saved_is_kept(tmp_path: Path) -> None:
    first, second = (StateStore(tmp_path / "state", tmp_path / "config") for _ in range(2))
    save_progress(first, "lanes", LessonProgress(3))
    save_progress(second, "setp", LessonProgress(0, done=True))
    save_progress(first, "setp", LessonProgress(2, known=(4,)))  # again, and once done all the same
    save_progress(second, "setp", LessonProgress(2, known=(3,)))
    assert load_progress(second) == {
        "lanes": LessonProgress(3),
        "setp": LessonProgress(2, done=True, known=(3, 4)),
    }
