"""Exercises in the explorer, with the questions and the grading of ``ptxscope challenge``."""

from __future__ import annotations

from collections.abc import Iterator
from random import SystemRandom
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from ...engine.syntax.errors import PtxError
from ...engine.tracing.trace import Trace
from ...learn.exercises import (
    Exercise,
    feedback_lines,
    format_prompt,
    grade_answer,
    iter_exercises,
    list_hints,
    question_lines,
    skipped_lines,
)
from ...learn.seeded_random import LEVELS
from ...learn.tally import Count, ExerciseKind, ExerciseOutcome, Keeper, Tally
from ...widgets.base.form_fields import LabelledInput, Page
from .dialog import Dialog, DialogFrame

_KEYS = "Enter answer or skip · ? hint · ^l level · ^t its steps · Esc leave"
_LABEL = 10
"""Columns of the label before the answer."""


class ExerciseDialog(Dialog[Trace | None]):
    """Asks exercises one after the other; returns the evaluation whose steps the user opens."""

    DEFAULT_CSS = """
    ExerciseDialog {
        & #asked { height: auto; max-height: 45vh; }
        & #feedback { height: auto; max-height: 35vh; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("ctrl+l", "level", "Level", show=False),
        Binding("ctrl+t", "steps", "Its steps", show=False),
    ]

    help_section = "exercises"

    def __init__(self, store: Keeper | None, level: int = 1) -> None:
        super().__init__()
        self._store, self._level = store, level
        before = len(store.messages) if store else 0
        self._tally = store.load_tally() if store else Tally()
        self._tally_messages = store.messages[before:] if store else []
        self._now = Count()
        self._question_page = Page("asked", "")
        self._feedback_page = Page("feedback", "")
        self._exercises = self._iter_exercises()
        self._exercise: Exercise = next(self._exercises)
        self._hints: Iterator[str] = iter(())
        self._hint_count = 0
        self._is_done = False
        """Whether the exercise was answered or skipped, so that Enter asks the next."""
        self._graded_answer = ""
        """The answer to it."""
        self._has_hinted = False
        """Whether a hint was shown since the last Enter."""

    def _iter_exercises(self) -> Iterator[Exercise]:
        seed = str(SystemRandom().getrandbits(64))
        return iter_exercises(seed, self._level, "", self._tally)

    def compose(self) -> ComposeResult:
        """Yield the exercise, the answer's field and the feedback."""
        with DialogFrame("Challenge", _KEYS):
            yield self._question_page
            yield LabelledInput("answer", "answer")
            yield self._feedback_page

    def on_mount(self) -> None:
        """Ask the first exercise and report problems with the tally."""
        self._ask(self._exercise)
        for message in self._tally_messages:
            self.notify(message, markup=False, severity="warning")

    @property
    def _answer(self) -> Input:
        return self.query_one("#answer", Input)

    def _ask(self, exercise: Exercise) -> None:
        self._exercise, self._hints, self._hint_count = exercise, iter(list_hints(exercise)), 0
        self._is_done = False
        title, *lines = question_lines(exercise)
        self._question_page.show("\n".join(line.removeprefix("  ") for line in lines))
        self._question_page.border_title = f"{title} Level {self._level}"
        self._answer.value = ""
        self._answer.placeholder = format_prompt(exercise).strip()
        self._feedback_page.show("")
        self._feedback_page.border_title = self._count()
        self._answer.focus()

    def _count(self) -> str:
        now = self._now
        return f"{now.right} of {now.total} right" if now.total else ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show a hint for a question mark, and keep a graded answer unchanged."""
        if self._is_done:
            event.input.value = self._graded_answer
        elif "?" in event.value:
            event.input.value = event.value.replace("?", "")
            self._show_hint()
            self._has_hinted = True

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Grade or skip the exercise, or ask the next one."""
        text = event.value
        has_hinted, self._has_hinted = self._has_hinted, False
        if self._is_done:
            self._ask(next(self._exercises))
        elif has_hinted and not text.strip():
            return  # a `?` ended by Enter, as in a plain terminal, is not a request to skip
        elif not text.strip():
            self._end(ExerciseOutcome.SKIPPED, skipped_lines(self._exercise))
        else:
            self._judge(text)

    def _show_hint(self) -> None:
        hint = next(self._hints, "")
        self._hint_count += bool(hint)
        self._feedback_page.show(hint or "There are no more hints.")

    def _judge(self, text: str) -> None:
        try:
            verdict = grade_answer(self._exercise, text)
        except PtxError as error:
            self._feedback_page.show(str(error))
            # operands are long to type, so the user corrects them in place
            if self._exercise.kind is not ExerciseKind.PART:
                self._answer.select_all()
            return
        outcome = ExerciseOutcome.RIGHT if verdict.is_right else ExerciseOutcome.WRONG
        self._end(outcome, feedback_lines(self._exercise, verdict))

    def _end(self, outcome: ExerciseOutcome, feedback: tuple[str, ...]) -> None:
        key = (self._exercise.opcode, self._exercise.kind)
        # other processes may count at the same time
        tally = self._store.load_tally() if self._store else self._tally
        self._tally = tally.with_exercise(key, outcome, self._hint_count)
        self._now = self._now.add(Tally().with_exercise(key, outcome, self._hint_count).total)
        self._is_done, self._graded_answer = True, self._answer.value
        self._feedback_page.show(
            "\n".join((*feedback, "", "Enter asks the next, ^t shows its steps."))
        )
        self._feedback_page.border_title = self._count()
        if self._store:
            try:
                self._store.save_tally(self._tally)
            except OSError as error:
                self._store = None
                why = error.strerror or str(error)
                self.notify(why, title="The tally can't be saved", markup=False, severity="warning")

    def action_level(self) -> None:
        """Ask an exercise of the next level."""
        self._level = self._level % LEVELS[-1] + 1
        self._exercises = self._iter_exercises()
        self._ask(next(self._exercises))

    def action_steps(self) -> None:
        """Return to the explorer, at the steps of the exercise."""
        if self._is_done:
            self.close_with(self._exercise.trace)
        else:
            self._feedback_page.show(
                "Answer first, or skip with Enter: the steps reveal the answer."
            )

    def action_leave(self) -> None:
        """Return to the explorer, which is unchanged."""
        self.close_with(None)
