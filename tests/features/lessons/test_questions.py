"""The questions of lessons: what is said after a first and a second wrong answer."""

from __future__ import annotations

import re

import pytest

from ptxscope.features.lessons.lesson import list_files, load_lesson
from ptxscope.learn.grader import (
    GradedAnswer,
    compute_expected,
    format_reply,
    format_right_answer,
    grade_answer,
)
from ptxscope.learn.mistakes import iter_mistakes
from ptxscope.learn.question import Question


def is_told(text: str, answer: str) -> bool:
    """Whether an answer stands in a text, as a word of its own."""
    return re.search(rf"(?<![\w.-]){re.escape(answer)}(?!\w|\.\w)", text) is not None


LESSON_QUESTIONS = [
    Question(card.trace, card.ask.key, card.ask.lane)
    for name in list_files()
    for card in load_lesson(name).cards
    if card.ask
]


@pytest.mark.parametrize("question", LESSON_QUESTIONS, ids=lambda x: f"{x.key}-{x.lane}")
def test_the_right_answer_is_revealed_after_the_second_wrong_one(
    question: Question,
) -> None:
    right = format_right_answer(question)
    assert grade_answer(question, right).is_right
    for mistake in iter_mistakes(question):
        answer = GradedAnswer(
            False, mistake.value, compute_expected(question), (mistake.explanation,)
        )
        first, second = (format_reply(question, answer, is_first=x) for x in (True, False))
        named = re.sub(r"(byte|half-word|lane) \d|c = 0", "", first)  # no results
        assert not is_told(named, right), first
        assert is_told(second, right), second
        assert first.count(": ") <= 1
        if not re.search(r"\bE\d+: ", second):  # an erratum's sentence stands as it is
            assert second.count(": ") <= 1
    unknown = GradedAnswer(False, compute_expected(question) + 1, compute_expected(question), ())
    assert not is_told(format_reply(question, unknown, is_first=True), right)
    assert is_told(format_reply(question, unknown, is_first=False), right)
