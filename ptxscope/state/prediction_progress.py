"""The progress in predicting a trace: the guesses so far, and where the user stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..engine.tracing.trace import Trace
from ..scene.scene_model import LaneRef

if TYPE_CHECKING:
    from ..learn.prediction import Guess, Prediction


class PredictionProgress:
    """The predictions of a trace, kept after predicting ends."""

    def __init__(self, trace: Trace, saved_guesses: Sequence[object], left_at: int) -> None:
        self.prediction: Prediction | None = None
        self.left_at = left_at
        """The step to predict when the user stopped; 0 if there is none."""
        self._first_trace = trace
        self._saved_guesses = saved_guesses
        """The saved guesses at the first trace, until they are needed."""

    def follow_trace(self, trace: Trace) -> bool:
        """Begin again if the predictions are of another trace; return whether they go on."""
        from ..learn.prediction import Prediction, from_json

        if self.prediction is None:
            saved = self._saved_guesses if _is_same(trace, self._first_trace) else ()
            self.prediction = from_json(trace, saved)
            self._saved_guesses = ()
            return False
        if _is_same(trace, self.prediction.trace):
            return True
        self.prediction = Prediction(trace)
        return False

    def make_saved_guesses(self, trace: Trace) -> Sequence[object]:
        """Return the guesses at a trace in the form to save."""
        if self.prediction is None:
            return self._saved_guesses if _is_same(trace, self._first_trace) else ()
        from ..learn.prediction import to_json

        return to_json(self.prediction) if _is_same(trace, self.prediction.trace) else ()

    def finish(self) -> tuple[Guess, ...]:
        """End the predictions and return the right guesses."""
        guesses = self.prediction.guesses.values() if self.prediction else ()
        self.prediction, self.left_at = None, 0
        return tuple(guess for guess in guesses if guess.is_right)

    # --- guesses -------------------------------------------------------------------------

    def has_lane(self, place: LaneRef) -> bool:
        """Whether a lane is one of the predicted trace."""
        return self.prediction is not None and place.key in self.prediction.trace.rows

    def keep_text(self, place: LaneRef, text: str) -> None:
        """Keep an unfinished guess."""
        assert self.prediction
        self.prediction = self.prediction.with_text(place, text)

    def grade_text(self, place: LaneRef, text: str) -> bool:
        """Grade a guess and return whether it is right; raise PtxError if it is not a value."""
        assert self.prediction
        self.prediction = self.prediction.with_answer(place, text)
        return self.prediction.get_guess(place).is_right

    def give_hint(self, place: LaneRef) -> str:
        """Return the next hint on a lane."""
        assert self.prediction
        self.prediction = self.prediction.with_hint(place)
        return self.prediction.get_guess(place).message


def _is_same(trace: Trace, other: Trace) -> bool:
    """Whether two traces are of the same instruction, model and operands."""
    return (trace.instruction, trace.model, dict(trace.operands)) == (
        other.instruction,
        other.model,
        dict(other.operands),
    )
