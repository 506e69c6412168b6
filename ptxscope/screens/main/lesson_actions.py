"""Lessons on the main screen: choosing, opening and leaving them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from ...engine.syntax.errors import make_printable
from ...scene.scene_model import LaneRef
from ...state.setup import Setup
from ...widgets.form.form_pane import FormPane
from ...widgets.lanes.lanes_pane import LanesPane
from .screen_mixin import MainScreenMixin

if TYPE_CHECKING:
    from ...learn.lesson_progress import LessonProgress
    from ...widgets.value_field import ValueField
    from .lesson_view import LessonView

ViewState = tuple[Setup, Setup | None, int, bool, Sequence[object], bool]
"""The setup, the pin, the step, and whether the result is revealed.

Then the predictions, and whether the user predicts.
"""


class LessonStore(Protocol):
    """Storage of the position in each lesson."""

    def load_lessons(self) -> dict[str, LessonProgress]:
        """Return the position in each lesson."""

    def save_lessons(self, places: dict[str, LessonProgress]) -> None:
        """Save the positions. Raise OSError if they cannot be written."""


class LessonActions(MainScreenMixin):
    """The main screen's actions on lessons; ``tour`` is the lesson itself."""

    tour: LessonView | None = None
    """The open lesson."""
    _left: dict[str, LessonProgress] | None = None
    """Positions in lessons if nothing is saved on disk."""

    @property
    def _keeps(self) -> LessonStore | None:
        return cast("LessonStore | None", getattr(self.main_screen.app, "store", None))

    @property
    def view_state(self) -> ViewState:
        """The current view; while a lesson is open, the view before it."""
        if self.tour:
            return self.tour.before
        main = self.main_screen
        guesses = main.list_guesses()
        return main.session.setup, main.pin, main.step, main.asked, guesses, main.is_predicting

    # --- choosing, opening, leaving ----------------------------------------------------------

    def action_lessons(self) -> None:
        """Choose a lesson, or continue with the open one."""
        from ..dialogs.menu_dialog import MenuDialog
        from .lesson_view import list_items

        if self.tour:
            self.main_screen.set_focus(self.tour.strip)
            return
        try:
            names, found, index = list_items(self._load_progress())
        except (ValueError, OSError) as error:  # the file may be in the middle of a write
            self._report_failure(error)
            return

        def chosen(at: int | None) -> None:
            if at is not None:
                self.open_lesson(names[at])

        self.main_screen.app.push_screen(MenuDialog("Lessons", found, index, "lessons"), chosen)

    def _load_progress(self) -> dict[str, LessonProgress]:
        """Return the position in each lesson."""
        return self._keeps.load_lessons() if self._keeps else self._left or {}

    def open_lesson(self, name: str, *, from_start: bool = False) -> None:
        """Open a lesson above the picture, at its saved position."""
        from .lesson_view import open_lesson_view

        main = self.main_screen
        if self.tour:
            self.leave_lesson("")
        if main.is_predicting:
            main.stop_predicting()
        main.action_leave()
        try:
            self.tour = open_lesson_view(main, name, self._load_progress(), from_start=from_start)
        except (ValueError, OSError) as error:
            self._report_failure(error)
            return
        main.query_one("#center").mount(self.tour, before=0)

    def _report_failure(self, error: Exception) -> None:
        title = "This lesson can't be read"
        self.main_screen.notify(
            make_printable(str(error)), title=title, markup=False, severity="error"
        )

    def leave_lesson(self, message: str) -> None:
        """Close the lesson, save its position and restore the view before it.

        One undo returns to the view of the lesson.
        """
        tour, self.tour = self.tour, None
        if tour is None:
            return
        main = self.main_screen
        self.highlight_place(None)
        self._keep(tour.places)
        main.pause_playing()
        setup, main.pin, main.step, main.asked, *_ = tour.before
        is_back = main.session.apply(setup, tour.cursor)
        main.action_leave()
        tour.remove()
        main.on_descendant_blur()  # a removed widget sends no such message itself
        main.show_session()
        if message:
            undo = f" · {main.key('edit.undo')} shows its line" if is_back else ""
            main.show_hint(f"{message} · {main.key('lessons')} lessons{undo}")

    def _keep(self, places: dict[str, LessonProgress]) -> None:
        """Save the positions in lessons, and report a failure."""
        self._left = places
        try:
            if self._keeps:
                self._keeps.save_lessons(self._keeps.load_lessons() | places)
        except OSError as error:
            why = make_printable(error.strerror or str(error))
            title = "Where lessons were left is not kept"
            self.main_screen.notify(why, title=title, markup=False, severity="warning")

    # --- what a card does to the screen ------------------------------------------------------

    def show_card(self, setup: Setup, step: int, *, is_coalesced: bool) -> None:
        """Show a card's setup; one undo reverts cards with ``is_coalesced`` together."""
        main = self.main_screen
        main.pause_playing()
        if main.is_predicting:
            main.stop_predicting()
        main.show_hint("")
        main.session.apply(setup, coalesce=is_coalesced)
        main.pin, main.asked, main.step = None, False, step
        main.show_session()

    def highlight_place(self, place: LaneRef | None, slot: str = "") -> None:
        """Highlight a cell of the lanes and a slot, or nothing.

        The user's own pointing has precedence.
        """
        lanes = self.main_screen.query_one(LanesPane)
        if lanes.has_focus:
            return
        lanes.move_cursor_to(place)
        for pane in self.main_screen.query(FormPane):
            pane.highlight_slot(slot)

    # --- answers -----------------------------------------------------------------------------

    def on_value_field_answered(self, event: ValueField.Answered) -> None:
        """Grade an answer to the lesson's question."""
        if self.tour and event.about is self.tour:
            self.tour.grade_answer(event.text, is_left=not event.is_meant)

    def on_value_field_unreadable(self, event: ValueField.Unreadable) -> None:
        """Clear feedback that refers to an earlier answer."""
        if self.tour and event.about is self.tour:
            self.tour.clear_feedback()

    def on_value_field_answer_hint_requested(self, event: ValueField.AnswerHintRequested) -> None:
        """Show a hint on the lesson's question."""
        if self.tour and event.about is self.tour:
            self.tour.hint()
