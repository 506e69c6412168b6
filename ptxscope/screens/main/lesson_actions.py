"""Lessons on the main screen: one is chosen, opened above the picture, left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from ...engine.syntax.errors import make_printable
from ...scene.scene_model import LaneRef
from ...state.session import Setup
from ...widgets.form.form_pane import FormPane
from ...widgets.lanes.lanes_pane import LanesPane
from .screen_mixin import MainScreenMixin

if TYPE_CHECKING:
    from ...learn.lesson_progress import LessonProgress
    from ...widgets.value_field import ValueField
    from .lesson_view import LessonView

ViewState = tuple[Setup, Setup | None, int, bool, Sequence[object], bool]
"""The setup, what is compared with it, the step, whether the result is seen, predictions."""


class LessonStore(Protocol):
    """What keeps where lessons were left."""

    def load_lessons(self) -> dict[str, LessonProgress]:
        """Where each was left."""

    def save_lessons(self, left: dict[str, LessonProgress]) -> None:
        """Keep that; raises OSError."""


class LessonActions(MainScreenMixin):
    """What the main screen does for a lesson; ``tour`` has the lesson itself."""

    tour: LessonView | None = None
    """The lesson that is open."""
    _left: dict[str, LessonProgress] | None = None
    """Where lessons were left, while nothing is kept on disk."""

    @property
    def _keeps(self) -> LessonStore | None:
        return cast("LessonStore | None", getattr(self.main_screen.app, "store", None))

    @property
    def view_state(self) -> ViewState:
        """What is kept of the screen; of the time before the lesson, where one is open."""
        if self.tour:
            return self.tour.before
        main = self.main_screen
        guesses = main.list_guesses()
        return main.session.setup, main.pin, main.step, main.asked, guesses, main.is_predicting

    # --- choosing, opening, leaving ----------------------------------------------------------

    def action_lessons(self) -> None:
        """Choose a lesson; where one is open, go on with it."""
        from ..dialogs.menu_dialog import MenuDialog
        from .lesson_view import list_items

        if self.tour:
            self.main_screen.set_focus(self.tour.strip)
            return
        try:
            names, found, index = list_items(self._load_progress())
        except (ValueError, OSError) as error:  # a file that somebody is writing
            self._report_failure(error)
            return

        def chosen(at: int | None) -> None:
            if at is not None:
                self.open_lesson(names[at])

        self.main_screen.app.push_screen(MenuDialog("Lessons", found, index, "lessons"), chosen)

    def _load_progress(self) -> dict[str, LessonProgress]:
        """Where each was left."""
        return self._keeps.load_lessons() if self._keeps else self._left or {}

    def open_lesson(self, name: str, *, from_start: bool = False) -> None:
        """Open a lesson above the picture, where it was left."""
        from .lesson_view import open_lesson_view

        main = self.main_screen
        if self.tour:
            self.leave_lesson("")
        if main.is_predicting:
            main.stop_predicting()
        main.action_leave()
        try:
            self.tour = open_lesson_view(main, name, self._load_progress(), again=from_start)
        except (ValueError, OSError) as error:
            self._report_failure(error)
            return
        main.query_one("#center").mount(self.tour, before=0)

    def _report_failure(self, error: Exception) -> None:
        title = "This lesson can't be read"
        self.main_screen.notify(
            make_printable(str(error)), title=title, markup=False, severity="error"
        )

    def leave_lesson(self, said: str) -> None:
        """Close the lesson, keep its place, and go back to what was there before it.

        One undo leads to what the lesson showed.
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
        main.on_descendant_blur()  # what is removed says nothing to the screen any more
        main.show_session()
        if said:
            undo = f" · {main.key('edit.undo')} shows its line" if is_back else ""
            main.show_hint(f"{said} · {main.key('lessons')} lessons{undo}")

    def _keep(self, places: dict[str, LessonProgress]) -> None:
        """Write down where lessons were left; say so where that can't be done."""
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
        """Show what a card speaks of; cards that are ``joined`` are taken back together."""
        main = self.main_screen
        main.pause_playing()
        if main.is_predicting:
            main.stop_predicting()
        main.show_hint("")
        main.session.apply(setup, coalesce=is_coalesced)
        main.pin, main.asked, main.step = None, False, step
        main.show_session()

    def highlight_place(self, place: LaneRef | None, slot: str = "") -> None:
        """Light a cell of the lanes and a slot, or none; not while somebody else points."""
        lanes = self.main_screen.query_one(LanesPane)
        if lanes.has_focus:
            return
        lanes.move_cursor_to(place)
        for pane in self.main_screen.query(FormPane):
            pane.highlight_slot(slot)

    # --- answers -----------------------------------------------------------------------------

    def on_value_field_answered(self, event: ValueField.Answered) -> None:
        """An answer to the lesson's question."""
        if self.tour and event.about is self.tour:
            self.tour.grade_answer(event.text, is_left=not event.is_meant)

    def on_value_field_unreadable(self, event: ValueField.Unreadable) -> None:
        """What is said of the answer before is no more of what stands in the field."""
        if self.tour and event.about is self.tour:
            self.tour.clear_feedback()

    def on_value_field_hinted(self, event: ValueField.Hinted) -> None:
        """A hint at the lesson's question is wanted."""
        if self.tour and event.about is self.tour:
            self.tour.hint()
