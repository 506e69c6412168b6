"""Predicting a trace in the explorer: the user predicts each lane before it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ...engine.syntax.errors import PtxError, format_count
from ...scene.scene_model import LaneRef
from ...widgets.lanes.lanes_pane import LanesPane
from .screen_mixin import MainScreenMixin

if TYPE_CHECKING:
    from ...engine.tracing.trace import Trace
    from ...learn.prediction import Guess, Prediction
    from ...widgets.value_field import ValueField


class PredictionActions(MainScreenMixin):
    """The main screen's actions while a trace is predicted.

    The current step is then the one to predict: a lane is drawn when its prediction is right.
    """

    def __init__(
        self, guesses: Sequence[object] = (), *, predicting: bool = False, left_at: int = 0
    ) -> None:
        super().__init__()
        self.prediction: Prediction | None = None
        """The predictions, kept after predicting ends."""
        self.is_predicting = False
        self._left_at = left_at
        """The step to predict when the state was saved."""
        self._unread = guesses
        """The saved predictions, until they are needed."""
        self._begins = predicting

    @property
    def least_step(self) -> int:
        """The least step that can be shown: 0 if the first step is still to be predicted."""
        return 0 if self._left_at == 1 else 1

    @property
    def guesses(self) -> Mapping[LaneRef, Guess] | None:
        """The predictions of the current step; None if it is shown."""
        if not self.is_predicting or self.prediction is None:
            return None
        return self.prediction.guesses

    def list_guesses(self) -> Sequence[object]:
        """Return the predictions in the form to save."""
        if self.prediction is None:
            return self._unread if self._is_shown(self.main_screen.opened) else ()
        from ...learn.prediction import to_json

        return to_json(self.prediction) if self._is_shown(self.prediction.trace) else ()

    # --- begin and end ---------------------------------------------------------------

    def action_predict(self) -> None:
        """Begin or end predicting the next steps."""
        if self.is_predicting:
            self.stop_predicting()
            self.main_screen.action_leave()  # keys apply to the picture again
            return
        main = self.main_screen
        main.pause_playing()
        steps, prediction = len(main.session.trace.steps), self.prediction
        self._follow_trace()
        is_left = prediction is self.prediction and self._left_at > 0
        if is_left and (main.step < self._left_at or main.step == steps):
            self.begin_predicting(self._left_at)
        else:
            self.begin_predicting(main.step + 1 if main.step < steps else 1)

    def begin_predicting(self, step: int) -> None:
        """Predict a step and those after it."""
        main = self.main_screen
        self._follow_trace()
        self.is_predicting, main.asked = True, False
        main.step = min(max(step, 1), len(main.session.trace.steps))
        main.action_focus_on("lanes")
        main.show_step()
        self._ask_here()
        main.show_keys()
        main.show_hint(" · ".join(self._invitation()), is_sticky=True)

    def _invitation(self) -> Iterator[str]:
        """Yield hints: how to answer for the lane under the cursor, and the keys for it."""
        main, lanes = self.main_screen, self.main_screen.query_one(LanesPane)
        assert self.prediction
        place = lanes.place
        if place is not None and self.prediction.is_yes_or_no(place):
            yield "What will it be? Type it: yes, no, 1, 0"
        else:
            yield f"What will it be? Type it: {_NOTATIONS}"
            yield "0-9 a-f are digits here (a is 0xa)"
        yield f"{main.key('predict.hint')} hint"
        for id_, shows in (("step.next", "the step"), ("step.last", "all")):
            key = main.key(id_)
            if not lanes.check_consume_key(key, key):
                yield f"{key} shows {shows}"
        yield "Esc leaves, and keeps what you typed"

    def stop_predicting(self, *, step: int = 0) -> None:
        """Stop predicting and show a step; by default, the one before the predicted step."""
        main = self.main_screen
        self._left_at = main.step
        self.is_predicting = False
        main.step = step or main.step - 1  # before the first step: the operands alone
        main.show_step()
        main.show_status()
        main.show_keys()
        key = main.key("predict")
        main.show_hint(
            f"{key} goes on predicting where you were, with what you typed", is_sticky=True
        )

    def _is_shown(self, other: Trace) -> bool:
        """Whether a trace is of the current instruction, model and operands."""
        trace = self.main_screen.session.trace
        return (trace.instruction, trace.model, dict(trace.operands)) == (
            other.instruction,
            other.model,
            dict(other.operands),
        )

    def _follow_trace(self) -> None:
        """Begin again if the predicted trace has changed."""
        from ...learn.prediction import Prediction, from_json

        trace, guesses = (
            self.main_screen.session.trace,
            self._unread if self._is_shown(self.main_screen.opened) else (),
        )
        self._unread = ()
        if self.prediction is None:
            self.prediction = from_json(trace, guesses)
        elif not self._is_shown(self.prediction.trace):
            self.prediction = Prediction(trace)

    def follow_prediction(self) -> None:
        """Update predictions after a change of the session."""
        if self.is_predicting:
            self._follow_trace()

    def begin_as_kept(self) -> None:
        """Continue predicting from the saved state."""
        if self._begins:
            self._begins = False
            self.begin_predicting(self.main_screen.step)

    # --- asking ----------------------------------------------------------------------

    def _ask_here(self) -> None:
        """Put the cursor on the first unpredicted lane, or go on if there is none."""
        assert self.prediction
        main = self.main_screen
        place = self.prediction.find_next_location(main.step)
        if place is not None:
            main.query_one(LanesPane).move_cursor_to(place)

    def follow_step(self) -> None:
        """Ask for predictions of another step."""
        if self.is_predicting:
            self._ask_here()

    def on_lanes_pane_predict(self, event: LanesPane.Predict) -> None:
        """Ask for a lane's value in the row of hints."""
        assert self.prediction
        place = event.place
        self.main_screen.asked_from = place
        prediction = self.prediction

        def parse(text: str) -> int:
            return prediction.parse_answer(place, text)

        self.main_screen.value_field.ask(
            prediction.format_location(place), parse, _begin_answer(event.start, parse), place
        )

    def on_value_field_answered(self, event: ValueField.Answered) -> None:
        """Grade an entered prediction, or save an unfinished one."""
        main, place, prediction = self.main_screen, event.about, self.prediction
        if (
            not isinstance(place, LaneRef)
            or prediction is None
            or place.key not in prediction.trace.rows
        ):
            return
        if not event.is_meant:
            self.prediction = prediction.with_text(place, event.text)
            main.show_step()
            return
        self.prediction = prediction.with_answer(place, event.text)
        main.show_step()  # before the cursor returns and describes its cell
        main.go_back()
        if self.prediction.get_guess(place).is_right:
            self._accept_answer(place)

    def _accept_answer(self, place: LaneRef) -> None:
        """Draw the lane and ask for the next or, after the last, for the next step."""
        assert self.prediction
        main, steps = self.main_screen, len(self.main_screen.session.trace.steps)
        following = self.prediction.find_next_location(main.step, place)
        if following is None and main.step == steps:
            self._finish_prediction()
            return
        if following is None:
            main.step += 1
            main.show_step()
            self._ask_here()
            main.show_hint(
                "✓ Right: the step is drawn. What will the next one give?", "good", is_sticky=True
            )
            return
        main.query_one(LanesPane).move_cursor_to(following)
        main.show_hint("✓ Right", "good", is_sticky=True)

    def _finish_prediction(self) -> None:
        """Report that every step has been predicted."""
        assert self.prediction
        main = self.main_screen
        guesses = [guess for guess in self.prediction.guesses.values() if guess.is_right]
        first = sum(guess.wrong == 0 and guess.hints == 0 for guess in guesses)
        self.is_predicting = False
        self._left_at = 0
        main.show_step()
        message = (
            f"✓ That was the last step: {format_count(len(guesses), 'value')} told, {first} at once"
        )
        main.show_hint(message, "good", is_sticky=True)
        self.prediction = None

    def action_hint(self) -> None:
        """Show the next hint on the current lane."""
        main = self.main_screen
        if not self.is_predicting or self.prediction is None:
            main.show_hint(f"Hints are for what you predict: {main.key('predict')} begins")
            return
        place = main.query_one(LanesPane).place
        location = self.prediction.find_next_location(main.step, None)
        if place is None or not main.query_one(LanesPane).is_asked(place):
            place = location
        if place is None:
            return
        self.prediction = self.prediction.with_hint(place)
        main.show_step()
        main.query_one(LanesPane).move_cursor_to(place)
        main.show_hint(self.prediction.get_guess(place).message, "strong", is_sticky=True)


_NOTATIONS = "-1, 255, 0xff"


def _begin_answer(start: str, parse: Callable[[str], int]) -> str:
    """Return the start of an answer: a letter as a digit is hexadecimal, except in ``false``."""
    if len(start) != 1 or start not in "abcdef":
        return start
    with suppress(PtxError):
        parse("false")
        return start
    return f"0x{start}"
