"""The steps of the trace on the main screen: gone through, played, revealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...state.session import reading_time
from .screen_mixin import Part

if TYPE_CHECKING:
    from textual.timer import Timer

    from ...widgets.lanes.lanes_pane import Lanes

_PACE = 1.0
"""How slowly the steps are played; 1 is a reader's pace."""


class Stepping(Part):
    """What the main screen does with steps."""

    is_told = False
    """That this is the last step was said; the next key starts over."""
    _playing: Timer | None = None

    @property
    def is_playing(self) -> bool:
        """Whether the steps go on by themselves."""
        return self._playing is not None

    @property
    def _count(self) -> int:
        return len(self._main.session.trace.steps)

    def action_step(self, by: int) -> None:
        """Go to the next step, or back; at the last say so, and then start over."""
        self.pause()
        if by < 0 or self._main.step < self._count:
            self.go_to_step(self._main.step + by)
        elif self._main.is_predicting:
            self._main.stop_predicting(step=self._main.step)
        elif self.is_told:
            self._main.asked = False
            self.go_to_step(1)
        else:
            self._main.say(
                f"That was the last step · {self._main.key('step.next')} starts over", "strong"
            )
            self.is_told = True

    def action_step_to(self, where: str | int) -> None:
        """Go to the first or the last step, or to that of a number."""
        self.pause()
        if isinstance(where, int) and where > self._count:
            self._main.say(
                f"There are {self._count} steps" if self._count > 1 else "There is one step"
            )
            return
        if self._main.is_predicting and where == "last":
            self._main.stop_predicting(step=self._count)
            return
        self.go_to_step(
            {"first": 1, "last": self._count}[where] if isinstance(where, str) else where
        )

    def go_to_step(self, step: int) -> None:
        """Show the steps up to one."""
        step = min(max(step, min(self._main.step, 1)), self._count)
        self._main.clear_hint()
        if step != self._main.step:
            moving = step == self._main.step + 1
            self._main.step = step
            self._main.show_step(moving=moving)
            self._main.prediction_moved()

    def action_motion(self) -> None:
        """Let steps be drawn bit by bit, or at once."""
        moves = self._main.app.animation_level == "full"
        self._main.app.animation_level = "none" if moves else "full"
        self._main.say("Steps are drawn at once" if moves else "Steps are drawn bit by bit")

    def action_result(self) -> None:
        """Show the result before its step, or hold it back again."""
        if self._main.is_predicting:
            self._result_refused()
            return
        if self._main.step >= self._count:
            self._main.say("Every step is revealed: the result is not held back")
            return
        self._main.asked = not self._main.asked
        self._main.show_step()

    def on_result_bar_asked(self) -> None:
        """Show the result, where it was clicked."""
        if self._main.is_predicting:
            self._result_refused()
            return
        self._main.asked = True
        self._main.show_step()

    def _result_refused(self) -> None:
        self._main.say(
            f"The result would tell what is asked · {self._main.key('predict')} stops asking"
        )

    def action_play(self) -> None:
        """Play the steps from here, from the start where all are seen; or pause."""
        if self._playing is not None:
            self.pause()
            return
        if self._main.is_predicting:
            self._main.stop_predicting()
        if not 0 < self._main.step < self._count:
            self.go_to_step(1)
        self._play_on()
        self._main.show_step()

    def _play_on(self) -> None:
        """Let the step stay until it is read."""
        if self._main.step >= self._count:
            self.pause()
            return
        trace = self._main.session.trace
        step = trace.steps[self._main.step - 1]
        seconds = _PACE * reading_time(trace, step, self._main.session.divergence)
        self._playing = self._main.set_timer(seconds, self._play_next)

    def _play_next(self) -> None:
        if self._playing is not None:  # else it was paused when its time had come
            self.go_to_step(self._main.step + 1)
            self._play_on()

    def pause(self) -> None:
        """Play no more."""
        if self._playing is not None:
            self._playing.stop()
            self._playing = None
            self._main.show_step()

    def on_lanes_step_chosen(self, event: Lanes.StepChosen) -> None:
        """Go to a step that was clicked."""
        self.pause()
        self.go_to_step(event.number)
