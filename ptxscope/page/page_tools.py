"""The transitions of the tools beside the picture: explanations, listings, exercises, lessons."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..engine.syntax.errors import PtxError, make_printable
from . import tool_panels
from .elements import Child
from .page_state import OpenTool, PageState

if TYPE_CHECKING:
    from ..engine.diagnosis.explanations import Diagnosis
    from ..learn.exercises import Exercise
    from ..learn.lesson_progress import LessonProgress

Arguments = Mapping[str, Any]
"""What an action is told: the data attributes of its element, and fields."""


class PageTools(PageState):
    """A page with the transitions of its tools."""

    def __init__(self) -> None:
        super().__init__()
        self._diagnosis: Diagnosis | None = None
        self._exercise: Exercise | None = None
        self._places: Mapping[str, LessonProgress] = {}
        """The card at which each lesson was left since the page was opened."""

    def _refresh_panel(self, _: Arguments) -> None:
        """Ask the open tool again; it may take longer than a key should."""
        self._panel, self._panel_key = self._make_panel(), self.trace_key

    def _make_panel(self) -> list[Child]:
        name, text, feedback = self._tool
        if name == "explain":
            children, self._diagnosis = tool_panels.explain(self.shown_trace, text)
            return children
        if name == "check":
            return tool_panels.check(text)
        if name == "sweep":
            from .sweep_panel import sweep

            return sweep(self.shown_trace, text)
        if name == "prove":
            return tool_panels.prove(self.target)
        if name == "challenge":
            exercise = self._exercise or tool_panels.find_exercise(text)
            self._exercise = exercise
            return tool_panels.show_exercise(exercise, text, feedback)
        if name == "lesson" and self._state.lesson:
            return tool_panels.show_lesson(self._state.lesson, "\n".join(feedback))
        return tool_panels.list_lessons(self._places) if name == "lesson" else []

    def _open_tool(self, arguments: Arguments) -> None:
        self._leave_lesson()
        name = str(arguments["name"])
        self._tool = OpenTool(
            "" if name == self._tool.name and "text" not in arguments else name,
            str(arguments.get("text", ""))[: tool_panels.MAX_LISTING_CHARS + 1],
        )
        if self._tool == OpenTool("challenge"):
            self._tool = OpenTool("challenge", f"{os.urandom(3).hex()}.1.1")
        self._exercise = None

    def _type_in_tool(self, arguments: Arguments) -> None:
        text = str(arguments["text"])[: tool_panels.MAX_LISTING_CHARS + 1]
        self._tool = self._tool._replace(text=text, feedback=())

    # --- exercises ---------------------------------------------------------------------

    def _answer_exercise(self, arguments: Arguments) -> None:
        from ..learn.exercises import feedback_lines, grade_answer

        if self._exercise is None:
            return
        try:
            verdict = grade_answer(self._exercise, str(arguments["text"]))
        except PtxError as error:
            self._tool = self._tool._replace(feedback=(make_printable(error.message),))
            return
        lines = tuple(map(make_printable, feedback_lines(self._exercise, verdict)))
        self._tool = self._tool._replace(feedback=lines)

    def _hint_exercise(self, _: Arguments) -> None:
        from ..learn.exercises import list_hints

        if self._exercise is not None:
            hints = list_hints(self._exercise)
            self._tool = self._tool._replace(feedback=hints[: len(self._tool.feedback) + 1])

    def _move_exercise(self, arguments: Arguments) -> None:
        seed, level, number = tool_panels.parse_exercise(self._tool.text)
        if "level" in arguments:
            level, number = int(arguments["level"]), 0
        text = f"{seed}.{level}.{number + 1}"
        self._exercise, self._tool = None, OpenTool("challenge", text)

    # --- lessons -----------------------------------------------------------------------

    def _open_lesson(self, arguments: Arguments) -> None:
        from ..learn.lesson import load_lesson
        from ..learn.lesson_progress import LessonProgress

        name, card = tool_panels.parse_lesson_card(str(arguments["name"]))
        lesson = load_lesson(name)
        self._leave_lesson()
        places = dict(self._places)
        if card:
            places[name] = places.get(name, LessonProgress())._replace(card=card - 1)
        if self._state.is_predicting:
            self._state.stop_predicting(max(self._state.step - 1, 1))
        self._state.open_lesson(lesson, places, from_start=False)
        self._show_card(is_first=True)

    def _show_card(self, *, is_first: bool = False) -> None:
        self._state.show_card(is_first=is_first)
        lesson = self._state.lesson
        assert lesson
        self._tool = OpenTool("lesson", f"{lesson.lesson.head.name}.{lesson.index + 1}")

    def _leave_lesson(self) -> None:
        if self._state.lesson is not None:
            self._places = self._state.lesson.places
            self._state.leave_lesson()
            self._tool = OpenTool("lesson")

    def _move_in_lesson(self, arguments: Arguments) -> None:
        lesson, delta = self._state.lesson, int(arguments["delta"])
        if lesson is None:
            return
        if delta > 0 and lesson.is_last:
            lesson.finish()
            self._leave_lesson()
            self._message = "End of the lesson"
        elif lesson.go(delta):
            self._show_card()

    def _answer_lesson(self, arguments: Arguments) -> None:
        lesson, text = self._state.lesson, str(arguments.get("text", ""))[:200]
        if lesson is None or not lesson.is_open:
            return
        feedback: tuple[str, ...] = ()
        if "reveal" in arguments:
            lesson.reveal()
        elif "hint" in arguments:
            lesson.give_hint()
        else:
            try:
                lesson.answer(text)
            except PtxError as error:
                hint = f"; allowed: {error.hint}" if error.hint else ""
                feedback = (make_printable(f"{error.message}{hint}"),)
        if lesson.is_answered:
            self._state.go_to_step(lesson.asked_step)
        else:
            lesson.keep_text(text)
        self._tool = self._tool._replace(feedback=feedback)

    def _leave_tool(self, _: Arguments) -> None:
        self._leave_lesson()
