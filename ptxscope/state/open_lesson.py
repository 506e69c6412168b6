"""A lesson in the explorer: its card, its feedback, and what to return to."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from ..engine.syntax.errors import make_printable
from ..engine.syntax.parser import parse
from ..learn.lesson import Anchor, Lesson
from ..learn.lesson_position import LessonPosition, LessonProgress
from ..learn.lesson_text import format_answer
from ..learn.text_templates import TemplatePiece, Text
from ..scene.scene_model import LaneRef
from .setup import Setup
from .state_store import SavedState

if TYPE_CHECKING:
    from .open_listing import ListingCursor


class Outcome(Enum):
    """The outcome of a question."""

    WRONG = auto()
    HINT = auto()
    RIGHT = auto()
    REVEALED = auto()


class Feedback(NamedTuple):
    """The text below a question after an answer, a hint or its answer."""

    outcome: Outcome
    text: Text


class OpenLesson(LessonPosition):
    """A lesson that the explorer plays."""

    def __init__(
        self,
        lesson: Lesson,
        places: Mapping[str, LessonProgress],
        saved_state: SavedState,
        cursor: ListingCursor | None,
        *,
        from_start: bool,
    ) -> None:
        progress = places.get(lesson.head.name, LessonProgress())
        super().__init__(lesson, progress, from_start=from_start)
        self._places = places
        self.saved_state = saved_state
        """The state of the explorer before the lesson."""
        self.cursor = cursor
        """The listing cursor before the lesson."""
        self.feedback: Feedback | None = None
        """The feedback on the last answer."""
        self._unfinished_answers: dict[int, str] = {}
        """The unfinished answers, by card."""

    @property
    def places(self) -> dict[str, LessonProgress]:
        """The position in every lesson, this one included."""
        return {**self._places, self.lesson.head.name: self.progress}

    @property
    def setup(self) -> Setup:
        """The setup that the card shows."""
        trace = self.card.trace
        ins = parse(str(trace.instruction))
        return Setup(ins, str(ins), dict(trace.operands), trace.model.name, is_detached=True)

    @property
    def asked_step(self) -> int:
        """The number of the step that the question asks for."""
        card = self.card
        row = card.trace.rows.get(card.ask.key) if card.ask else None
        steps = card.trace.steps
        return next((x.number for x in steps if row and x.stage is row.stage), len(steps))

    @property
    def anchor(self) -> tuple[str, LaneRef | None]:
        """The slot and the cell that the card points to; while a question is open, what it asks."""
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

    def go(self, delta: int) -> bool:
        """Go to another card and return whether there is one."""
        has_moved = super().go(delta)
        if has_moved:
            self.feedback = None
        return has_moved

    # --- answers -----------------------------------------------------------------------------

    def keep_text(self, text: str) -> None:
        """Keep an answer that was left unfinished."""
        self._unfinished_answers[self.index] = text

    def take_text(self) -> str:
        """Return the unfinished answer to the question, and forget it."""
        return self._unfinished_answers.pop(self.index, "")

    def answer(self, text: str) -> None:
        """Grade an answer, with feedback. Raise PtxError if it is not a value."""
        reply, remark = self.grade(text), self.card.remark
        if not self.is_answered:
            self._give_feedback(Outcome.WRONG, f"× Not {text.strip()}. {reply}")
        else:
            self.feedback = Feedback(Outcome.RIGHT, remark) if remark else None

    def give_hint(self) -> None:
        """Give the next hint."""
        self._give_feedback(Outcome.HINT, f"? {self.take_hint()}")

    def reveal(self) -> None:
        """Give the answer."""
        super().reveal()
        self._give_feedback(Outcome.REVEALED, f"It is {format_answer(self.card)}. ")

    def clear_feedback(self) -> None:
        """Clear the feedback on an earlier answer."""
        self.feedback = None

    def _give_feedback(self, outcome: Outcome, text: str) -> None:
        self.feedback = Feedback(outcome, (TemplatePiece(make_printable(text)),))
