"""The questions of lessons: what is said after wrong answers."""

from __future__ import annotations

import re

import pytest

from ptxscope.features.lessons.lesson import list_files, load_lesson
from ptxscope.features.mistakes.mistakes import iter_mistakes
from ptxscope.learn.grader import (
    GradedAnswer,
    compute_expected,
    format_reply,
    format_right_answer,
    grade_answer,
)
from ptxscope.learn.question import Question
from tests.tiers import some


def is_told(text: str, answer: str) -> bool:
    """Whether an answer stands in a text, as a word of its own."""
    return re.search(rf"(?<![\w.-]){re.escape(answer)}(?!\w|\.\w)", text) is not None


LESSON_QUESTIONS = [
    Question(card.trace, card.ask.key, card.ask.lane)
    for name in list_files()
    for card in load_lesson(name).cards
    if card.ask
]


@pytest.mark.parametrize(
    "question",
    some(LESSON_QUESTIONS, *range(0, len(LESSON_QUESTIONS), 4)),
    ids=lambda x: f"{x.key}-{x.lane}",
)
def test_no_wrong_answer_reveals_the_right_one(
    question: Question,
) -> None:
    right = format_right_answer(question)
    assert grade_answer(question, right).is_right
    for mistake in iter_mistakes(question):
        answer = GradedAnswer(
            False, mistake.value, compute_expected(question), (mistake.explanation,)
        )
        first, *others = (format_reply(question, answer, count) for count in range(1, 7))
        assert first.count(": ") <= 1
        for said in (first, *others):
            named = re.sub(r"(byte|half-word|lane) \d|c = 0", "", said)  # no results
            assert not is_told(named, right), said
    unknown = GradedAnswer(False, compute_expected(question) + 1, compute_expected(question), ())
    for count in range(1, 7):
        assert not is_told(format_reply(question, unknown, count), right)
