"""Transitions of lessons: choose one, turn its cards, answer its questions.

The cards are shown by a screen of the terminal, or beside the picture of the web explorer. The
explorer's own line and values are unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ...state.edit_transitions import edit
from ...state.explorer_state import ExplorerState
from ...state.requests import Act, Notify, Open, Requests, ShowHint
from ...state.setup import make_setup_of_trace
from ...state.state_store import SavedState

if TYPE_CHECKING:
    from .lesson import Head
    from .lesson_position import LessonPosition, LessonProgress

_SCREEN = f"{__package__}.terminal.lesson_screen"
_END_SCREEN = f"{__package__}.terminal.end_screen:EndScreen"


class Ending(Enum):
    """The choices at the end of a lesson."""

    NEXT = "next"
    MISSED = "missed"
    LINE = "line"
    LESSONS = "lessons"


class LessonEnd(NamedTuple):
    """A lesson that was played to its end."""

    position: LessonPosition
    following: Head | None
    """The next lesson that is not done."""


class LessonPlay:
    """The lesson that is played, and the progress in all; attached to the explorer's state."""

    def __init__(self) -> None:
        self.position: LessonPosition | None = None
        """The card and the answers; None if no lesson is open."""
        self.card_state: ExplorerState | None = None
        """The trace and the step of the card."""
        self.last_position: LessonPosition | None = None
        """The lesson that was left last, to which an address returns."""
        self.end: LessonEnd | None = None
        """The finished lesson, until the user chooses the next action."""
        self.progress: Mapping[str, LessonProgress] = {}
        """The progress by the name of a lesson, if nothing is saved on disk."""


def get_play(state: ExplorerState) -> LessonPlay:
    """Return the explorer's state of lessons."""
    return state.get_attached(LessonPlay)


# --- choosing, opening, leaving --------------------------------------------------------------


def choose_lesson(state: ExplorerState) -> Requests:
    """Choose a lesson; the next one that is not done is under the cursor."""
    from .lesson import list_headings

    try:
        list_headings()
        progress = load_progress(state)
    except (ValueError, OSError) as error:  # a file may be in the middle of a write
        yield _report_failure(error)
        return
    chosen = yield Open(f"{__package__}.terminal.course_screen:CourseScreen", (progress,))
    if chosen is not None:
        yield from open_lesson(state, chosen.name, chosen.card)


def open_next_lesson(state: ExplorerState) -> Requests:
    """Open the first lesson that is not done, or the first of all."""
    from .lesson import list_files
    from .lesson_position import find_next_lesson

    names = [*list_files()]
    yield from open_lesson(state, find_next_lesson(names, load_progress(state)) or names[0])


def open_lesson(state: ExplorerState, name: str, card: int | None = None) -> Requests:
    """Open a lesson at its saved card, or at another, by its index; at 0 it restarts."""
    from .lesson import load_lesson
    from .lesson_position import LessonPosition, LessonProgress

    try:
        lesson, progress = load_lesson(name), load_progress(state)
    except (ValueError, OSError) as error:
        yield _report_failure(error)
        return
    play = get_play(state)
    play.progress, play.end = progress, None
    saved = progress.get(name, LessonProgress())
    if card is not None:
        saved = saved._replace(card=card)
    play.position = LessonPosition(lesson, saved, from_start=card == 0)
    yield from _show_card(state)


def reopen_lesson(state: ExplorerState, name: str, index: int) -> Requests:
    """Open a lesson at a card, with the answers of this visit."""
    play = get_play(state)
    last = play.last_position
    if last and last.lesson.head.name == name:
        play.position, play.end = last, None
        last.go_to(min(index, len(last.lesson.cards) - 1))
        yield from _show_card(state)
    else:
        yield from open_lesson(state, name, index)


def _report_failure(error: Exception) -> Notify:
    return Notify(str(error), "This lesson can't be read", "error")


def leave(state: ExplorerState) -> Requests:
    """Close the lesson at its card."""
    play = get_play(state)
    play.last_position = play.position or play.last_position
    play.position = play.card_state = play.end = None
    yield Act(f"{_SCREEN}:close_lesson")


def open_line(state: ExplorerState) -> Requests:
    """Close the lesson, and open the line of its card in the explorer; one undo reverts that."""
    card_state = get_play(state).card_state
    yield from leave(state)
    if card_state is not None:
        yield from edit(state, card_state.setup)


def load_progress(state: ExplorerState) -> Mapping[str, LessonProgress]:
    """Return the progress in each lesson, by name."""
    from . import progress_store

    return progress_store.load_progress(state.store) if state.store else get_play(state).progress


def _save_progress(state: ExplorerState, position: LessonPosition) -> Requests:
    from . import progress_store

    play, name = get_play(state), position.lesson.head.name
    play.progress = {**play.progress, name: position.progress}
    try:
        if state.store:
            progress_store.save_progress(state.store, name, position.progress)
    except OSError as error:
        why = error.strerror or str(error)
        yield Notify(why, "Positions in lessons are not saved", "warning")


# --- cards -----------------------------------------------------------------------------------


def turn_card(state: ExplorerState, delta: int) -> Requests:
    """Go to another card; after the last one, show the end of the lesson."""
    position = get_play(state).position
    if position is None:
        return
    if delta > 0 and position.is_last:
        position.finish()
        yield from _save_progress(state, position)
        yield from leave(state)
        yield from _end(state, position)
    elif position.go(delta):
        yield from _show_card(state)


def _end(state: ExplorerState, position: LessonPosition) -> Requests:
    """Show the end of a lesson, and perform the choice made there."""
    from .lesson import list_headings
    from .lesson_position import find_next_lesson

    heads = {head.name: head for head in list_headings()}
    name = position.lesson.head.name
    following = find_next_lesson([*heads], load_progress(state), name)
    end = LessonEnd(position, heads[following] if following else None)
    get_play(state).end = end
    yield ShowHint(f"End of the lesson: {position.score}")
    ending = yield Open(_END_SCREEN, end)
    if ending is not None:
        yield from leave_end(state, ending)


def leave_end(state: ExplorerState, ending: Ending) -> Requests:
    """Perform the choice at the end of a lesson."""
    play = get_play(state)
    if play.end is None:
        return
    (position, following), play.end = play.end, None
    match ending:
        case Ending.NEXT if following:
            yield from open_lesson(state, following.name)
        case Ending.MISSED if position.missed_cards:
            play.position = position
            position.ask_again()
            yield from _show_card(state)
        case Ending.LINE:
            yield from edit(state, make_setup_of_trace(position.lesson.cards[-1].trace))
        case Ending.LESSONS:
            yield from choose_lesson(state)


def _show_card(state: ExplorerState) -> Requests:
    play = get_play(state)
    assert play.position
    yield from _save_progress(state, play.position)
    card = play.position.card
    saved = SavedState(step=card.step or -1)
    play.card_state = ExplorerState(make_setup_of_trace(card.trace), saved)
    yield Act(f"{_SCREEN}:show_lesson")


# --- answers ---------------------------------------------------------------------------------


def take_answer(state: ExplorerState, text: str) -> None:
    """Grade an answer, or refuse one that is not a value, with the reason."""
    position = get_play(state).position
    if position is None or not position.is_open:
        return
    position.answer(text)
    if position.is_answered:
        _show_answer(state)


def give_hint(state: ExplorerState) -> None:
    """Show the next hint."""
    position = get_play(state).position
    if position and position.is_open:
        position.give_hint()


def reveal_answer(state: ExplorerState) -> None:
    """Show the answer."""
    position = get_play(state).position
    if position and position.is_open:
        position.reveal()
        _show_answer(state)


def _show_answer(state: ExplorerState) -> None:
    """Draw the step of the question."""
    play = get_play(state)
    assert play.position
    assert play.card_state
    play.card_state.go_to_step(play.position.asked_step)
