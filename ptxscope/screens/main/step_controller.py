"""The steps of the trace on the main screen: moving, playing, revealing."""

from __future__ import annotations

from textual.timer import Timer

from ...state.explorer_state import ExplorerState
from ...state.reading_time import compute_reading_seconds
from .explorer_view import ExplorerView
from .prediction_controller import PredictionController

_PACE = 1.0
"""Factor of the playback time; 1 is a reader's pace."""


class StepController:
    """Moves through the steps, by keys or by a timer."""

    def __init__(
        self, state: ExplorerState, view: ExplorerView, predictions: PredictionController
    ) -> None:
        self._state, self._view, self._predictions = state, view, predictions
        self._timer: Timer | None = None

    def move_by(self, delta: int) -> None:
        """Go to the next or previous step; at the last one, show a hint, then start over."""
        self._pause()
        state, view = self._state, self._view
        end_hint = f"That was the last step · {view.get_key('step.next')} starts over"
        is_leaving = state.is_at_end if delta > 0 else state.step <= 1
        if is_leaving and not state.is_predicting and state.go_to_statement(delta):
            view.clear_hint()
            view.show_session()
        elif delta < 0 or not state.is_at_end:
            self._go_to(state.step + delta)
        elif state.is_predicting:
            self._predictions.stop(state.step)
        elif view.hint == end_hint:
            state.reveal_result(is_revealed=False)
            self._go_to(1)
        else:
            view.show_hint(end_hint, "strong")

    def move_to(self, target: str | int) -> None:
        """Go to the first or the last step, or to a step by number."""
        self._pause()
        last = self._state.last_step
        if isinstance(target, int) and target > last:
            count = f"There are {last} steps" if last > 1 else "There is one step"
            self._view.show_hint(count)
        elif self._state.is_predicting and target == "last":
            self._predictions.stop(last)
        elif target == "last":
            if self._state.end_stepping():
                self._view.show_step()
            self._go_to(last)
        else:
            self._go_to(1 if isinstance(target, str) else target)

    def _go_to(self, step: int) -> None:
        self._view.clear_hint(is_at_once=True)
        before = self._state.step
        if self._state.go_to_step(step):
            self._view.show_step(is_animated=self._state.step == before + 1)
            self._predictions.follow_step()

    def toggle_animation(self) -> None:
        """Toggle the animation of steps, bit by bit."""
        app = self._view.screen.app
        moves = app.animation_level == "full"
        app.animation_level = "none" if moves else "full"
        self._view.show_hint("Steps are drawn at once" if moves else "Steps are drawn bit by bit")

    # --- the result --------------------------------------------------------------------

    def toggle_result(self) -> None:
        """Reveal the result before its step, or hide it again."""
        if self._state.is_at_end and not self._state.is_predicting:
            self._view.show_hint("Every step is revealed, and so is the result")
        else:
            self.show_result(is_revealed=not self._state.is_revealed)

    def show_result(self, *, is_revealed: bool = True) -> None:
        """Reveal the result before its step, or hide it; while predicting, show why it stays so."""
        if self._state.reveal_result(is_revealed=is_revealed):
            self._view.show_step()
        else:
            key = self._view.get_key("predict")
            self._view.show_hint(f"The result would reveal the answer · {key} stops predicting")

    # --- playing -----------------------------------------------------------------------

    def toggle_playing(self) -> None:
        """Play the steps from here, or from the start if all are shown; or pause."""
        if self._state.is_playing:
            self._pause()
            return
        if self._state.is_predicting:
            self._predictions.stop()
        if self._state.is_at_end or not self._state.step:
            self._go_to(1)
        self._state.play()
        self._play_on()
        self._view.show_step()

    def _play_on(self) -> None:
        """Schedule the next step after the time to read this one."""
        state = self._state
        if state.is_at_end and state.go_to_statement(1):
            state.play()
            self._view.show_session()
        elif state.is_at_end:
            self._pause()
            return
        if self._timer is not None:  # of an earlier playback
            self._timer.stop()
        step = state.trace.steps[state.step - 1]
        seconds = compute_reading_seconds(state.trace, step, state.session.divergence)
        self._timer = self._view.screen.set_timer(_PACE * seconds, self._play_next)

    def _play_next(self) -> None:
        if self._state.is_playing:  # otherwise playback was paused before
            self._go_to(self._state.step + 1)
            self._play_on()

    def _pause(self) -> None:
        if self._state.pause():
            self._view.show_step()
