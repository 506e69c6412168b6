"""An open lesson: its card, the answers to its questions, and what to return to."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from ..engine.records import NamedTuple
from ..engine.syntax.errors import make_printable
from ..engine.syntax.parser import parse
from ..learn.grader import format_reply, grade_answer, list_hints
from ..learn.lesson import Card, Lesson
from ..learn.lesson_progress import LessonProgress
from ..learn.lesson_text import format_answer, make_question
from ..learn.question import Question
from ..learn.text_templates import TemplatePiece, Text
from ..scene.scene_model import LaneRef
from .setup import Setup
from .state_store import SavedState

if TYPE_CHECKING:
    from .open_listing import ListingCursor


class Outcome(Enum):
    """What the user did about a question."""

    WRONG = auto()
    HINT = auto()
    RIGHT = auto()
    REVEALED = auto()


class Feedback(NamedTuple):
    """The text below a question after an answer, a hint or its answer."""

    outcome: Outcome
    text: Text


class OpenLesson:
    """The position in a lesson. ``places`` has that of every lesson, this one included."""

    def __init__(
        self,
        lesson: Lesson,
        places: dict[str, LessonProgress],
        before: SavedState,
        cursor: ListingCursor | None,
        *,
        from_start: bool,
    ) -> None:
        self.lesson, self.places = lesson, places
        self.before = before
        """The state of the explorer before the lesson."""
        self.cursor = cursor
        """The listing cursor before the lesson."""
        progress = places.get(lesson.head.name, LessonProgress())
        self._is_done = progress.done
        self._typed: dict[int, str] = {}
        """The unfinished answers, by card."""
        self._show(0 if from_start else min(progress.card, len(lesson.cards) - 1))

    def _show(self, index: int) -> None:
        self.index = index
        """The index of the card."""
        self.is_answered = False
        self._hint_count = self._wrong_count = 0
        self.feedback: Feedback | None = None
        """The feedback on the last answer."""
        self._save_position()

    def _save_position(self) -> None:
        self.places[self.lesson.head.name] = LessonProgress(self.index, self._is_done)

    @property
    def card(self) -> Card:
        """The current card."""
        return self.lesson.cards[self.index]

    @property
    def setup(self) -> Setup:
        """The setup that the card shows."""
        trace = self.card.trace
        ins = parse(str(trace.instruction))
        return Setup(ins, str(ins), dict(trace.operands), trace.model.name, is_detached=True)

    @property
    def is_open(self) -> bool:
        """Whether a question waits for its answer."""
        return self.card.ask is not None and not self.is_answered

    @property
    def question(self) -> Question:
        """The card's question."""
        return make_question(self.card)

    @property
    def asked_step(self) -> int:
        """The number of the step that the question asks for."""
        card = self.card
        row = card.trace.rows.get(card.ask.key) if card.ask else None
        steps = card.trace.steps
        return next((x.number for x in steps if row and x.stage is row.stage), len(steps))

    @property
    def anchor(self) -> tuple[str, LaneRef | None]:
        """The slot and the cell that the card points to; the cell of an open question is hidden."""
        anchor, trace = self.card.anchor, self.card.trace
        if anchor and anchor.is_slot:
            return anchor.key, None
        key = anchor.key if anchor and not self.is_open else ""
        key = next((x.key for x in trace.plan.results if x.role == key), key)
        return "", LaneRef(key, (anchor and anchor.lane) or 0) if key else None

    @property
    def is_last(self) -> bool:
        """Whether no card follows."""
        return self.index + 1 == len(self.lesson.cards)

    def go(self, delta: int) -> bool:
        """Go to another card and return whether there is one."""
        if not 0 <= self.index + delta < len(self.lesson.cards):
            return False
        self._show(self.index + delta)
        return True

    def finish(self) -> None:
        """Mark the lesson as done; the next time, it begins again."""
        self.index, self._is_done = 0, True
        self._save_position()

    # --- answers -----------------------------------------------------------------------------

    def keep_text(self, text: str) -> None:
        """Keep an answer that was left unfinished."""
        self._typed[self.index] = text

    def take_text(self) -> str:
        """Return the unfinished answer to the question, and forget it."""
        return self._typed.pop(self.index, "")

    def grade(self, text: str) -> None:
        """Grade an answer, and reveal the step if it is right. Raise PtxError if it is no value."""
        question = self.question
        answer = grade_answer(question, text)
        if answer.is_right:
            self.is_answered = True
            remark = self.card.remark
            self.feedback = Feedback(Outcome.RIGHT, remark) if remark else None
            return
        self._wrong_count += 1
        reply = format_reply(question, answer, is_first=self._wrong_count == 1)
        self._give(Outcome.WRONG, f"× Not {text.strip()}. {reply}")

    def give_hint(self) -> None:
        """Give the next hint."""
        hints, count = list_hints(self.question), self._hint_count
        hint = (
            hints[count] if count < len(hints) else "There are no more hints; s shows the answer."
        )
        self._hint_count += 1
        self._give(Outcome.HINT, f"? {hint}")

    def reveal(self) -> None:
        """Give the answer."""
        self.is_answered = True
        self._give(Outcome.REVEALED, f"It is {format_answer(self.card)}. ")

    def clear_feedback(self) -> None:
        """Clear the feedback on an earlier answer."""
        self.feedback = None

    def _give(self, outcome: Outcome, text: str) -> None:
        self.feedback = Feedback(outcome, (TemplatePiece(make_printable(text)),))
