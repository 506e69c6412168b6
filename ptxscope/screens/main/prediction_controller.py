"""Predicting a trace in the explorer: the user predicts each lane before it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from ...engine.syntax.errors import PtxError, format_count
from ...scene.scene_model import LaneRef
from ...state.explorer_state import ExplorerState
from ...widgets.base.explorer_app import get_explorer_app
from .explorer_view import ExplorerView
from .focus_controller import FocusController

_NOTATIONS = "-1, 255, 0xff"


class PredictionController:
    """Asks for the lanes of the current step, and grades what the user types."""

    def __init__(self, state: ExplorerState, view: ExplorerView, focus: FocusController) -> None:
        self._state, self._view, self._focus = state, view, focus

    # --- begin and end ---------------------------------------------------------------

    def toggle(self) -> None:
        """Begin or end predicting the next steps."""
        if self._state.is_predicting:
            self.stop()
            self._focus.leave()  # keys apply to the picture again
            return
        self._state.pause()
        self._state.resume_predicting()
        self._ask_step()

    def begin(self) -> None:
        """Predict the current step and those after it."""
        self._state.begin_predicting(self._state.step)
        self._ask_step()

    def _ask_step(self) -> None:
        view = self._view
        self._focus.move_to("lanes")
        view.show_step()
        self.follow_step()
        view.show_keys()
        view.show_hint(" · ".join(self._invitation()), is_sticky=True)

    def _invitation(self) -> Iterator[str]:
        """Yield hints: how to answer for the lane under the cursor, and the keys for it."""
        prediction, lanes = self._state.predictions.prediction, self._view.lanes
        place = lanes.place
        if prediction and isinstance(place, LaneRef) and prediction.is_yes_or_no(place):
            yield "What will it be? Type yes, no, 1, 0"
        else:
            yield f"What will it be? Type {_NOTATIONS}"
            yield "0-9 a-f are digits here (a is 0xa)"
        yield "h hint"
        for id_, shows in (("step.next", "the step"), ("step.last", "all")):
            keys = get_explorer_app(lanes).key_names[id_]
            if key := next((x for x in keys if not lanes.check_consume_key(x, x)), ""):
                yield f"{key} shows {shows}"
        yield "Esc leaves, and saves what you typed"

    def stop(self, step: int | None = None) -> None:
        """Stop predicting and show a step; by default, the one before the predicted step."""
        self._state.stop_predicting(step)
        self._view.show_step()
        self._view.show_status()
        self._view.show_keys()
        hint = "resumes the prediction, with what you typed"
        self._view.show_hint(f"{self._view.get_key('predict')} {hint}", is_sticky=True)

    def leave(self) -> None:
        """Release the focus; if nothing but the lanes has it, stop predicting too."""
        if self._state.is_predicting and self._view.screen.focused in (None, self._view.lanes):
            self.stop()
        self._focus.leave()

    # --- asking ----------------------------------------------------------------------

    def follow_step(self) -> None:
        """Put the cursor on the first lane of the step without a right prediction."""
        if self._state.is_predicting:
            place = self._state.find_next_lane()
            if place is not None:
                self._view.lanes.move_cursor_to(place)

    def ask_lane(self, place: LaneRef, start: str) -> None:
        """Ask for a lane's value in the row of hints."""
        prediction = self._state.predictions.prediction
        assert prediction

        def parse(text: str) -> int:
            return prediction.parse_answer(place, text)

        label, go_back = prediction.format_location(place), partial(self._focus.move_to_lane, place)
        self._focus.ask_answer(label, parse, _begin_answer(start, parse), place, go_back)

    def take_answer(self, place: LaneRef, text: str, *, is_entered: bool) -> None:
        """Grade an entered prediction, or keep an unfinished one."""
        predictions = self._state.predictions
        if not predictions.has_lane(place):
            return
        if not is_entered:
            predictions.keep_text(place, text)
            self._view.show_step()
            return
        is_right = predictions.grade_text(place, text)
        self._view.show_step()  # before the cursor returns and describes its cell
        self._focus.go_back()
        if is_right:
            self._accept_answer(place)

    def _accept_answer(self, place: LaneRef) -> None:
        """Draw the lane and ask for the next or, after the last, for the next step."""
        state, view = self._state, self._view
        following = state.find_next_lane(place)
        if following is not None:
            view.lanes.move_cursor_to(following)
            view.show_hint("✓ Right", "good", is_sticky=True)
        elif state.is_at_end:
            guesses = state.finish_predicting()
            view.show_step()
            first_count = sum(guess.wrong == 0 and guess.hints == 0 for guess in guesses)
            result = f"{format_count(len(guesses), 'value')} right, {first_count} at the first try"
            text = f"✓ That was the last step: {result} · Enter: another one"
            view.show_hint(text, "good", is_sticky=True)
            view.lanes.is_predicted = True
            view.show_keys()
        else:
            state.go_to_step(state.step + 1)
            view.show_step()
            self.follow_step()
            hint = "✓ Right: the step is drawn. What will the next one give?"
            view.show_hint(hint, "good", is_sticky=True)

    def predict_another(self) -> None:
        """Predict another line of the family that is open."""
        self._state.predict_another()
        self._view.show_session()
        self._ask_step()

    def give_hint(self) -> None:
        """Show the next hint on the current lane."""
        state, view = self._state, self._view
        if not state.is_predicting:
            view.show_hint(f"Hints are for predictions: {view.get_key('predict')} starts one")
            return
        place = view.lanes.place
        if place is None or not view.lanes.is_predictable(place):
            place = state.find_next_lane()
        if place is None:
            return
        hint = state.predictions.give_hint(place)
        view.show_step()
        view.lanes.move_cursor_to(place)
        view.show_hint(hint, "strong", is_sticky=True)


def _begin_answer(start: str, parse: Callable[[str], int]) -> str:
    """Return the start of an answer: a letter as a digit is hexadecimal, except in ``false``."""
    if len(start) != 1 or start not in "abcdef":
        return start
    with suppress(PtxError):
        parse("false")
        return start
    return f"0x{start}"
