"""Lessons in the explorer: their cards beside the real picture, with graded predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.syntax.errors import PtxError, make_printable
from ...state.explorer_state import ExplorerState
from ...state.state_store import StateStore
from .explorer_view import ExplorerView
from .focus_controller import FocusController
from .prediction_controller import PredictionController
from .step_controller import StepController

if TYPE_CHECKING:
    from ...learn.lesson import Head
    from ...learn.lesson_progress import LessonProgress
    from ...state.open_lesson import OpenLesson
    from ...widgets.base.menu import MenuItem


class LessonController:
    """Opens lessons, and goes through their cards and questions."""

    def __init__(
        self,
        state: ExplorerState,
        view: ExplorerView,
        store: StateStore | None,
        focus: FocusController,
        predictions: PredictionController,
        steps: StepController,
    ) -> None:
        self._state, self._view, self._store = state, view, store
        self._focus, self._predictions, self._steps = focus, predictions, steps
        self._places: dict[str, LessonProgress] = {}
        """The position in each lesson, if nothing is saved on disk."""

    # --- choosing, opening, leaving ----------------------------------------------------------

    def choose(self) -> None:
        """Choose a lesson, or continue with the open one."""
        from ...learn.lesson import list_headings
        from ...learn.lesson_progress import LessonProgress
        from ..dialogs.menu_dialog import MenuDialog

        if self._state.lesson is not None:
            self._focus_strip()
            return
        try:
            heads, places = list_headings(), self._load_places()
        except (ValueError, OSError) as error:  # the file may be in the middle of a write
            self._report_failure(error)
            return
        progress = [places.get(head.name, LessonProgress()) for head in heads]
        unfinished = (index for index, x in enumerate(progress) if x.card or not x.done)
        items = [_make_item(*pair) for pair in zip(heads, progress, strict=True)]

        def on_close(index: int | None) -> None:
            if index is not None:
                self.open(heads[index].name)

        dialog = MenuDialog("Lessons", items, next(unfinished, 0), "lessons")
        self._view.screen.app.push_screen(dialog, on_close)

    def open(self, name: str, *, from_start: bool = False) -> None:
        """Open a lesson above the picture, at its saved position."""
        from ...learn.lesson import load_lesson

        self.leave("")
        if self._state.is_predicting:
            self._predictions.stop()
        self._focus.leave()
        try:
            lesson, places = load_lesson(name), self._load_places()
        except (ValueError, OSError) as error:
            self._report_failure(error)
            return
        self._state.open_lesson(lesson, places, from_start=from_start)
        self._show_card(is_first=True)

    def _report_failure(self, error: Exception) -> None:
        title = "This lesson can't be read"
        self._view.screen.notify(
            make_printable(str(error)), title=title, markup=False, severity="error"
        )

    def leave(self, message: str) -> None:
        """Close the lesson, save its position and restore the view before it.

        One undo returns to the view of the lesson.
        """
        lesson = self._state.lesson
        if lesson is None:
            return
        self._highlight(None)
        self._save_progress(lesson)
        is_back = self._state.leave_lesson()
        self._focus.leave()
        self._view.hide_lesson()
        self._view.show_session()
        if message:
            undo = f" · {self._view.get_key('edit.undo')} shows its line" if is_back else ""
            self._view.show_hint(f"{message} · {self._view.get_key('lessons')}{undo}")
        else:
            self._view.clear_hint(is_at_once=True)

    def leave_card(self) -> None:
        """Close the lesson at its card."""
        if lesson := self._state.lesson:
            self.leave(f"Lesson {lesson.lesson.head.name} was left at card {lesson.index + 1}")

    def _load_places(self) -> dict[str, LessonProgress]:
        """Return the position in each lesson."""
        return self._store.load_lessons() if self._store else self._places

    def _save_progress(self, lesson: OpenLesson) -> None:
        """Save the position in a lesson, and report a failure."""
        name = lesson.lesson.head.name
        self._places[name] = lesson.progress
        try:
            if self._store:
                self._store.save_lesson(name, lesson.progress)
        except OSError as error:
            why = make_printable(error.strerror or str(error))
            title = "Positions in lessons are not saved"
            self._view.screen.notify(why, title=title, markup=False, severity="warning")

    # --- cards -------------------------------------------------------------------------------

    def go(self, delta: int) -> None:
        """Go to another card; after the last one, close the lesson."""
        lesson = self._state.lesson
        if lesson is None:
            return
        if delta > 0 and lesson.is_last:
            lesson.finish()
            self.leave("End of the lesson")
        elif lesson.go(delta):
            self._show_card()

    def go_on(self) -> None:
        """Answer the question, or go to the next card."""
        if self._state.lesson and self._state.lesson.is_open:
            self.ask("")
        else:
            self.go(1)

    def _show_card(self, *, is_first: bool = False) -> None:
        """Show the card and its picture."""
        lesson = self._state.lesson
        assert lesson
        self._state.show_card(is_first=is_first)
        self._view.show_hint("")
        self._view.show_session()
        self._view.show_lesson().scroll_home(animate=False)
        self._highlight_anchor()
        if lesson.is_open:
            self.ask("")
        else:
            self._focus_strip()

    def _highlight_anchor(self) -> None:
        """Highlight the card's anchor, and again after the picture's layout."""
        lesson = self._state.lesson

        def highlight() -> None:
            if lesson is not None and self._state.lesson is lesson:
                self._highlight(lesson)

        highlight()
        self._view.center.call_after_refresh(highlight)

    def _highlight(self, lesson: OpenLesson | None) -> None:
        """Highlight a cell of the lanes and a slot, or nothing.

        The user's own cursor has precedence, except over what is asked.
        """
        slot, place = lesson.anchor if lesson else ("", None)
        for pane in self._view.forms:
            pane.highlight_slot(slot)
        if (lesson and lesson.is_open) or not self._view.lanes.has_focus:
            self._view.lanes.move_cursor_to(place)

    # --- answers -----------------------------------------------------------------------------

    def ask(self, start: str) -> None:
        """Ask for a value, with the unfinished answer in the field."""
        from ...learn.lesson_text import describe_question
        from ...learn.question import locate_answer

        lesson = self._state.lesson
        if lesson is None:
            return
        label, parse = describe_question(lesson.card), locate_answer(lesson.question).parse_answer
        text = lesson.take_text() + start
        self._focus.ask_answer(label, parse, text, lesson, self._focus_strip, has_hints=True)

    def _focus_strip(self) -> None:
        self._view.screen.set_focus(self._view.lesson_strip)

    def take_answer(self, text: str, *, is_entered: bool) -> None:
        """Grade an entered answer, or keep an unfinished one."""
        lesson = self._state.lesson
        if lesson is None or not lesson.is_open:
            return
        if not is_entered:
            lesson.keep_text(text)
            return
        try:
            lesson.answer(text)
        except PtxError:  # the field shows the error
            return
        if lesson.is_answered:
            self._show_answer()
        else:
            self._view.show_lesson()

    def clear_feedback(self) -> None:
        """Clear feedback that refers to an earlier answer."""
        if self._state.lesson and self._state.lesson.is_open:
            self._state.lesson.clear_feedback()
            self._view.show_lesson()

    def give_hint(self) -> None:
        """Show the next hint."""
        if self._state.lesson and self._state.lesson.is_open:
            self._state.lesson.give_hint()
            self._view.show_lesson()

    def reveal(self) -> None:
        """Show the answer."""
        if self._state.lesson and self._state.lesson.is_open:
            self._state.lesson.reveal()
            self._show_answer()

    def _show_answer(self) -> None:
        """Draw the step of the question and show the remark on it."""
        assert self._state.lesson
        self._steps.move_to(self._state.lesson.asked_step)
        self._view.show_lesson()
        self._highlight_anchor()
        self._focus_strip()


def _make_item(head: Head, progress: LessonProgress) -> MenuItem:
    from ...widgets.base.menu import MenuItem

    state = ", done" * progress.done
    if progress.card:
        state = f", card {progress.card + 1} of {head.cards}"
    return MenuItem(head.title, f"{head.minutes} min{state}")
