"""A step-by-step prediction of a trace: the answer typed for each lane, and its grade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..engine.syntax.errors import PtxError
from ..engine.tracing.step_text import get_row_name
from ..engine.tracing.trace import Trace
from ..scene.scene_model import LaneRef
from .grader import format_reply, grade_answer, list_hints
from .question import Question, locate_answer

_MAX_ANSWER_CHARS = 256
"""Longest saved answer in characters."""
_MAX_ANSWERS = 128
"""Largest number of answers read from JSON."""


class Guess(NamedTuple):
    """The answer typed for a lane."""

    text: str = ""
    is_right: bool = False
    is_graded: bool = False
    message: str = ""
    """Reason why it is wrong, or the last hint."""
    is_hint: bool = False
    """Whether `message` is a hint."""
    hints: int = 0
    """Number of hints shown."""
    wrong: int = 0
    """Number of wrong attempts."""

    @property
    def is_wrong(self) -> bool:
        """Whether it was graded and found wrong."""
        return self.is_graded and not self.is_right


NOT_YET = Guess()


def list_locations(trace: Trace, number: int) -> tuple[LaneRef, ...]:
    """Return the lanes to predict in a step, in drawing order: rows down, the highest lane first.

    Discarded destinations are left out.
    """
    return tuple(
        LaneRef(row.key, lane)
        for row in trace.steps[number - 1].rows
        if get_row_name(row) != "_"
        for lane in reversed(range(len(row.values)))
    )


class Prediction(NamedTuple):
    """The guesses at a trace."""

    trace: Trace
    guesses: Mapping[LaneRef, Guess] = {}

    def get_guess(self, place: LaneRef) -> Guess:
        """Return the guess at a lane."""
        return self.guesses.get(place, NOT_YET)

    def with_guess(self, place: LaneRef, guess: Guess) -> Prediction:
        """Return the prediction with another guess at a lane."""
        return self._replace(guesses={**self.guesses, place: guess})

    def with_text(self, place: LaneRef, text: str) -> Prediction:
        """Return the prediction with an answer typed but not graded."""
        guess = self.get_guess(place)
        if text == guess.text or guess.is_right:
            return self
        return self.with_guess(
            place, Guess(text[:_MAX_ANSWER_CHARS], hints=guess.hints, wrong=guess.wrong)
        )

    def with_answer(self, place: LaneRef, text: str) -> Prediction:
        """Return the prediction with an answer graded; raise PtxError if it is not a value."""
        question = self._make_question(place)
        text = locate_answer(question).complete_answer(text)
        answer = grade_answer(question, text)
        previous = self.get_guess(place)
        wrong, message = previous.wrong + (not answer.is_right), ""
        if not answer.is_right:
            message = format_reply(question, answer, wrong)
            if not answer.explanations:
                message = f"Not {text.strip()}. {message}".rstrip()
        guess = Guess(text.strip()[:_MAX_ANSWER_CHARS], answer.is_right, True, message)
        return self.with_guess(place, guess._replace(hints=previous.hints, wrong=wrong))

    def with_hint(self, place: LaneRef) -> Prediction:
        """Return the prediction with the next hint at a lane; the last one repeats."""
        hints, guess = list_hints(self._make_question(place)), self.get_guess(place)
        message = hints[min(guess.hints, len(hints) - 1)]
        count = min(guess.hints + 1, len(hints))
        return self.with_guess(place, guess._replace(message=message, is_hint=True, hints=count))

    def parse_answer(self, place: LaneRef, text: str) -> int:
        """Parse an answer for a place; raise PtxError if it is not a value."""
        location = locate_answer(self._make_question(place))
        return location.parse_answer(location.complete_answer(text))

    def is_yes_or_no(self, place: LaneRef) -> bool:
        """Whether a lane is answered by yes or no."""
        return locate_answer(self._make_question(place)).is_yes_or_no

    def format_location(self, place: LaneRef) -> str:
        """Return the name of a lane, ``t lane 2``, or of a whole word: ``d, all 32 bits``."""
        row = self.trace.rows[place.key]
        if len(row.values) > 1:
            return f"{row.name} lane {place.lane}"
        return ", ".join(filter(None, (row.name, self.format_extent(place))))

    def format_extent(self, place: LaneRef) -> str:
        """Return ``all 32 bits`` for a word joined from lanes, or ""."""
        location = locate_answer(self._make_question(place))
        is_one = len(self.trace.rows[place.key].values) == 1
        is_word = is_one and not location.is_number and not location.is_yes_or_no
        is_joined = is_word and self.trace.instruction.entry.lanes > 1
        return f"all {location.width} bits" if is_joined else ""

    def find_next_location(self, number: int, previous: LaneRef | None = None) -> LaneRef | None:
        """Return the first lane of a step without a right answer, after ``previous``."""
        locations = list_locations(self.trace, number)
        start = locations.index(previous) + 1 if previous in locations else 0
        candidates = (*locations[start:], *locations[:start])
        return next((place for place in candidates if not self.get_guess(place).is_right), None)

    def _make_question(self, place: LaneRef) -> Question:
        return Question(self.trace, *place)


# --- saved form --------------------------------------------------------------------------


def to_json(prediction: Prediction) -> list[list[object]]:
    """Return the guesses as JSON: key, lane, text, whether graded, hints, wrong attempts."""
    return [
        [*place, guess.text, guess.is_graded, guess.hints, guess.wrong]
        for place, guess in prediction.guesses.items()
    ]


def from_json(trace: Trace, data: Iterable[object]) -> Prediction:
    """Parse the output of ``to_json`` and grade it again; skip guesses at other traces."""
    prediction = Prediction(trace)
    for item in list(data)[:_MAX_ANSWERS]:
        if not isinstance(item, list) or len(item) != 6:
            continue
        key, lane, text, is_graded, *counts = item
        row = trace.rows.get(key) if isinstance(key, str) else None
        is_valid = type(lane) is int and row is not None and 0 <= lane < len(row.values)
        if not is_valid or not isinstance(text, str) or any(type(x) is not int for x in counts):
            continue
        place = LaneRef(str(key), int(lane))
        hint_count, wrong_count = (min(max(int(x), 0), 99) for x in counts)
        ungraded = prediction.with_guess(place, Guess(wrong=max(wrong_count - 1, 0)))
        try:
            updated = (
                ungraded.with_answer(place, text)
                if is_graded is True
                else prediction.with_text(place, text)
            )
        except PtxError:
            updated = prediction.with_text(place, text)
        guess = updated.get_guess(place)._replace(hints=hint_count, wrong=wrong_count)
        prediction = updated.with_guess(place, guess)
    return prediction
