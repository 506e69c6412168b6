"""The position in a lesson: its card and its answers; progress in each lesson, as saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from ...engine.json_node import JsonNode
from ...engine.syntax.errors import PtxError, make_printable
from ...learn.grader import format_reply, format_right_answer, grade_answer, list_hints
from ...learn.question import Question
from ...scene.scene_model import LaneRef
from .lesson import Anchor, Card, Head, Lesson, find_step_number
from .text_templates import TemplatePiece, Text

SCHEMA = "ptxscope.lessons/1"
_READ, _RIGHT, _PRESENT, _TO_COME, _QUESTION = "●■▣○□"
"""The signs of cards."""
_BEGUN = "◐"
"""The sign of a lesson that is begun."""


class LessonProgress(NamedTuple):
    """Progress in a lesson."""

    card: int = 0
    """Index of the last visited card, from 0."""
    done: bool = False
    """Whether the lesson was completed once."""
    right: tuple[int, ...] = ()
    """The indexes of the cards whose question was answered at the first try, in this visit."""
    known: tuple[int, ...] = ()
    """The indexes of the cards whose question was once answered at the first try."""

    def add_known(self, known: Iterable[int]) -> LessonProgress:
        """Return the progress with more cards that are known."""
        return self._replace(known=tuple(sorted({*self.known, *known})))

    def list_missed(self, head: Head) -> tuple[int, ...]:
        """Return the indexes of the cards whose question was never answered at the first try."""
        return tuple(x for x in head.question_cards if x not in self.known)

    def describe_card(self, head: Head) -> str:
        """Return the number of the last visited card, and of all."""
        return f"{min(self.card + 1, head.cards)} of {head.cards}"

    def describe_score(self, head: Head) -> str:
        """Return the number of questions that are known, and of all."""
        count = len(head.question_cards)
        return f"{count - len(self.list_missed(head))} of {count} right"


def find_next_lesson(
    names: Sequence[str], progress: Mapping[str, LessonProgress], after: str = ""
) -> str | None:
    """Return the first lesson that is not done, in a circle from the one after another."""
    start = names.index(after) + 1 if after else 0
    order = (*names[start:], *names[:start])
    entries = ((name, progress.get(name, LessonProgress())) for name in order)
    return next((name for name, x in entries if x.card or not x.done), None)


def mark_lesson(progress: LessonProgress) -> str:
    """Return the sign of a lesson: done, begun or to come."""
    return _BEGUN if progress.card else _READ if progress.done else _TO_COME


def describe_marks() -> str:
    """Return the meanings of the signs of cards and lessons."""
    return (
        f"{_READ} read  {_RIGHT} right  {_PRESENT} here  {_TO_COME} to come  "
        f"{_QUESTION} a question  {_BEGUN} begun"
    )


def describe_progress(head: Head, progress: LessonProgress) -> str:
    """Return the progress in a lesson, and its minutes."""
    state = f"done, {progress.describe_score(head)}, " if progress.done else ""
    if progress.card:
        state = f"card {progress.describe_card(head)}, "
    return f"{state}{head.minutes} min"


def progress_to_json(progress: Mapping[str, LessonProgress]) -> dict[str, object]:
    """Return the JSON form of the progress."""
    return {
        "schema": SCHEMA,
        "lessons": {
            name: {key: x for key, x in entry._asdict().items() if x != ()}
            for name, entry in progress.items()
        },
    }


def progress_from_json(data: JsonNode) -> dict[str, LessonProgress]:
    """Parse the output of ``progress_to_json``; raise ValueError for anything else."""
    data.check_schema(SCHEMA)
    lessons = data.get_field("lessons", dict)
    return {name: _parse_progress(lessons.get_field(name, dict)) for name in lessons.value}


def _parse_progress(entry: JsonNode) -> LessonProgress:
    card = entry.get_field("card", int)
    if card.value < 0:
        raise card.make_error("cards are numbered from 0")
    right, known = (
        tuple(x.value for x in entry.get_field(name, list).iter_items(int))
        if name in entry.value
        else ()
        for name in ("right", "known")
    )
    return LessonProgress(card.value, entry.get_field("done", bool).value, right, known)


class Outcome(Enum):
    """The outcome of a question, with its sign before a reply."""

    WRONG = "✗ "
    HINT = "? "
    RIGHT = ""
    REVEALED = None


class Feedback(NamedTuple):
    """The text below a question after an answer, a hint or its answer."""

    outcome: Outcome
    text: Text

    @property
    def signed_text(self) -> Text:
        """The text after the sign of its outcome."""
        return (TemplatePiece(self.outcome.value or ""), *self.text)


class LessonPosition:
    """A card of a lesson that is played; begins at the saved progress."""

    def __init__(self, lesson: Lesson, progress: LessonProgress, *, from_start: bool) -> None:
        self.lesson = lesson
        self._is_done, self._is_finished = progress.done, False
        self._is_right = dict.fromkeys(() if from_start else progress.right, True)
        """Whether the first answer was right, without a hint, by card."""
        self._settled_cards = {*self._is_right}
        """The cards whose question was answered at the first try, or right when it was repeated."""
        self._old_progress = progress
        """The progress before this visit."""
        self._all_cards = range(len(lesson.cards))
        self._card_order: Sequence[int] = self._all_cards
        """The cards in order: all, or only the repeated ones."""
        self._first_answers: dict[int, str] = {}
        """The first wrong answer, by card."""
        self._unfinished_answers: dict[int, str] = {}
        """The unfinished answers, by card."""
        self._show(0 if from_start else min(progress.card, len(lesson.cards) - 1))

    def _show(self, index: int) -> None:
        self.index = index
        """The index of the card."""
        self.is_answered = False
        self.feedback: Feedback | None = None
        """The feedback on the last answer."""
        self._hint_count = self._wrong_count = 0

    @property
    def progress(self) -> LessonProgress:
        """The progress to save."""
        right = tuple(sorted(x for x, is_right in self._is_right.items() if is_right))
        progress = LessonProgress(self.index, self._is_done, right if self.index else ())
        return progress.add_known({*self._old_progress.known, *self._settled_cards})

    @property
    def card(self) -> Card:
        """The current card."""
        return self.lesson.cards[self.index]

    @property
    def is_last(self) -> bool:
        """Whether no card follows."""
        return self.index == self._card_order[-1]

    @property
    def is_open(self) -> bool:
        """Whether a question waits for its answer."""
        return self.card.ask is not None and not self.is_answered

    @property
    def question(self) -> Question:
        """The card's question."""
        return self.card.question

    @property
    def is_right_at_once(self) -> bool:
        """Whether the question was answered at the first try, without a hint."""
        return self._is_right.get(self.index, False)

    @property
    def right_count(self) -> int:
        """The number of questions that were answered at the first try, without a hint."""
        return sum(self._is_right.values())

    @property
    def missed_cards(self) -> tuple[int, ...]:
        """The indexes of the cards whose question was not answered at the first try.

        A question that was right at its repetition is not missed.
        """
        return tuple(x for x in self.lesson.head.question_cards if x not in self._settled_cards)

    def get_first_answer(self, index: int) -> str:
        """Return the first wrong answer on a card; empty if there was none."""
        return self._first_answers.get(index, "")

    @property
    def score(self) -> str:
        """The number of right answers, and of questions."""
        return (
            f"{self.right_count} of {len(self.lesson.head.question_cards)} right at the first try"
        )

    @property
    def marks(self) -> str:
        """A sign for each card: read, right, the present one, to come, a question to come.

        A question that was missed, or answered with help, has the sign of one to come.
        """
        return "".join(
            _PRESENT
            if index == self.index and not self._is_finished
            else (_RIGHT if self._is_right.get(index) else _QUESTION)
            if card.ask
            else (_READ if index < self.index or self._is_finished else _TO_COME)
            for index, card in enumerate(self.lesson.cards)
        )

    def go(self, delta: int) -> bool:
        """Go to another card and return whether there is one; 0 begins the card again."""
        number = self._card_order.index(self.index) + delta
        if not 0 <= number < len(self._card_order):
            return False
        self._show(self._card_order[number])
        return True

    def go_to(self, index: int) -> None:
        """Go to a card by its index, of a finished lesson too."""
        self._is_finished = False
        if index not in self._card_order:
            self._card_order = self._all_cards
        self._show(index)

    def ask_again(self) -> None:
        """Go to the first missed question; only missed ones follow."""
        self._card_order = self.missed_cards
        self.go_to(self._card_order[0])

    def finish(self) -> None:
        """Mark the lesson as done; the next time, it begins again."""
        self.index, self._is_done, self._is_finished = 0, True, True
        self._card_order = self._all_cards

    # --- places --------------------------------------------------------------------------

    @property
    def asked_step(self) -> int:
        """The number of the step that the question asks for."""
        return find_step_number(self.card.ask, self.card.trace)

    @property
    def anchor(self) -> tuple[str, LaneRef | None]:
        """The slot and the cell that the card points to; while a question is open, its cell."""
        anchor = self.card.anchor
        if anchor and anchor.is_slot:
            return anchor.key, self.asked_place
        return "", self.asked_place or (self._find_place(anchor) if anchor else None)

    @property
    def asked_place(self) -> LaneRef | None:
        """The cell that the open question asks for; None without one."""
        return self._find_place(self.card.ask) if self.is_open and self.card.ask else None

    def _find_place(self, anchor: Anchor) -> LaneRef:
        results = {x.role: x.key for x in self.card.trace.plan.results}
        return LaneRef(results.get(anchor.key, anchor.key), anchor.lane or 0)

    # --- answers -------------------------------------------------------------------------

    def keep_text(self, text: str) -> None:
        """Keep an unfinished answer."""
        self._unfinished_answers[self.index] = text

    def take_text(self) -> str:
        """Return the unfinished answer to the question, and forget it."""
        return self._unfinished_answers.pop(self.index, "")

    def answer(self, text: str) -> None:
        """Grade an answer, with feedback; keep one that is not a value, with the reason."""
        try:
            answer = grade_answer(self.question, text)
        except PtxError as error:
            self.keep_text(text)
            self._give_feedback(Outcome.WRONG, f"Not an answer: {error.summary}.")
            return
        self._unfinished_answers.pop(self.index, None)
        self._is_right.setdefault(self.index, answer.is_right)
        if answer.is_right:
            if not self._wrong_count + self._hint_count:
                self._settled_cards.add(self.index)
            self.is_answered, remark = True, self.card.remark
            self.feedback = Feedback(Outcome.RIGHT, remark) if remark else None
            return
        self._first_answers.setdefault(self.index, text.strip())
        self._wrong_count += 1
        reply = format_reply(self.question, answer, self._wrong_count)
        self._give_feedback(Outcome.WRONG, f"Not {text.strip()}. {reply}".rstrip())

    def give_hint(self) -> None:
        """Give the next hint, or report that there are no more."""
        self._is_right.setdefault(self.index, False)
        hints = list_hints(self.question)[self._hint_count :]
        self._hint_count += 1
        self._give_feedback(Outcome.HINT, hints[0] if hints else "There are no more hints.")

    def reveal(self) -> None:
        """Give the answer, and take the question as answered."""
        self.is_answered = True
        self._is_right.setdefault(self.index, False)
        self._give_feedback(Outcome.REVEALED, f"It is {format_right_answer(self.question)}.")

    def _give_feedback(self, outcome: Outcome, text: str) -> None:
        self.feedback = Feedback(outcome, (TemplatePiece(make_printable(text)),))
