"""The steps of the trace on the main screen: moving, playing, revealing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...state.reading_time import compute_reading_seconds
from .screen_mixin import MainScreenMixin

if TYPE_CHECKING:
    from textual.timer import Timer

    from ...widgets.lanes.lanes_pane import LanesPane

_PACE = 1.0
"""Factor of the playback time; 1 is a reader's pace."""


class StepActions(MainScreenMixin):
    """The main screen's actions on steps."""

    is_told = False
    """Whether the hint on the last step was shown, so that the next key starts over."""
    _playing: Timer | None = None

    @property
    def is_playing(self) -> bool:
        """Whether the steps play."""
        return self._playing is not None

    @property
    def _count(self) -> int:
        return len(self.main_screen.session.trace.steps)

    def action_step(self, delta: int) -> None:
        """Go to the next or previous step; at the last one, show a hint, then start over."""
        self.pause_playing()
        if delta < 0 or self.main_screen.step < self._count:
            self.go_to_step(self.main_screen.step + delta)
        elif self.main_screen.is_predicting:
            self.main_screen.stop_predicting(step=self.main_screen.step)
        elif self.is_told:
            self.main_screen.asked = False
            self.go_to_step(1)
        else:
            self.main_screen.show_hint(
                f"That was the last step · {self.main_screen.key('step.next')} starts over",
                "strong",
            )
            self.is_told = True

    def action_step_to(self, target: str | int) -> None:
        """Go to the first or the last step, or to a step by number."""
        self.pause_playing()
        if isinstance(target, int) and target > self._count:
            self.main_screen.show_hint(
                f"There are {self._count} steps" if self._count > 1 else "There is one step"
            )
            return
        if self.main_screen.is_predicting and target == "last":
            self.main_screen.stop_predicting(step=self._count)
            return
        self.go_to_step(
            {"first": 1, "last": self._count}[target] if isinstance(target, str) else target
        )

    def go_to_step(self, step: int) -> None:
        """Show the steps up to one."""
        step = min(max(step, min(self.main_screen.step, 1)), self._count)
        self.main_screen.clear_hint()
        if step != self.main_screen.step:
            is_animated = step == self.main_screen.step + 1
            self.main_screen.step = step
            self.main_screen.show_step(is_animated=is_animated)
            self.main_screen.follow_step()

    def action_motion(self) -> None:
        """Toggle the animation of steps, bit by bit."""
        moves = self.main_screen.app.animation_level == "full"
        self.main_screen.app.animation_level = "none" if moves else "full"
        self.main_screen.show_hint(
            "Steps are drawn at once" if moves else "Steps are drawn bit by bit"
        )

    def action_result(self) -> None:
        """Reveal the result before its step, or hide it again."""
        if self.main_screen.is_predicting:
            self._refuse_result()
            return
        if self.main_screen.step >= self._count:
            self.main_screen.show_hint("Every step is revealed: the result is not held back")
            return
        self.main_screen.asked = not self.main_screen.asked
        self.main_screen.show_step()

    def on_result_bar_reveal_requested(self) -> None:
        """Reveal the clicked result."""
        if self.main_screen.is_predicting:
            self._refuse_result()
            return
        self.main_screen.asked = True
        self.main_screen.show_step()

    def _refuse_result(self) -> None:
        self.main_screen.show_hint(
            f"The result would reveal the answer · {self.main_screen.key('predict')} stops asking"
        )

    def action_play(self) -> None:
        """Play the steps from here, or from the start if all are shown; or pause."""
        if self._playing is not None:
            self.pause_playing()
            return
        if self.main_screen.is_predicting:
            self.main_screen.stop_predicting()
        if not 0 < self.main_screen.step < self._count:
            self.go_to_step(1)
        self._play_on()
        self.main_screen.show_step()

    def _play_on(self) -> None:
        """Schedule the next step after the time to read this one."""
        if self.main_screen.step >= self._count:
            self.pause_playing()
            return
        trace = self.main_screen.session.trace
        step = trace.steps[self.main_screen.step - 1]
        seconds = _PACE * compute_reading_seconds(trace, step, self.main_screen.session.divergence)
        self._playing = self.main_screen.set_timer(seconds, self._play_next)

    def _play_next(self) -> None:
        if self._playing is not None:  # otherwise playback was paused just before
            self.go_to_step(self.main_screen.step + 1)
            self._play_on()

    def pause_playing(self) -> None:
        """Pause the playback."""
        if self._playing is not None:
            self._playing.stop()
            self._playing = None
            self.main_screen.show_step()

    def on_lanes_pane_step_chosen(self, event: LanesPane.StepChosen) -> None:
        """Go to the clicked step."""
        self.pause_playing()
        self.go_to_step(event.number)
