"""Transitions of lessons: their cards beside the real picture, with graded predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..engine.syntax.errors import PtxError
from .explorer_state import ExplorerState
from .requests import Act, AskAnswer, AskItem, MenuItem, Notify, Requests, ShowHint, refuse
from .step_transitions import go_to_step, stop_predicting

if TYPE_CHECKING:
    from ..learn.lesson_position import LessonPosition, LessonProgress


# --- choosing, opening, leaving --------------------------------------------------------------


def choose_lesson(state: ExplorerState) -> Requests:
    """Choose a lesson, or continue with the open one."""
    from ..learn.lesson import list_headings
    from ..learn.lesson_position import LessonProgress, describe_lesson, find_next_lesson

    if state.lesson is not None:
        yield Act("focus_lesson")
        return
    try:
        heads, places = list_headings(), _load_places(state)
    except (ValueError, OSError) as error:  # the file may be in the middle of a write
        yield _report_failure(error)
        return
    items = [
        MenuItem(
            head.title, describe_lesson(head, places.get(head.name, LessonProgress())), head.group
        )
        for head in heads
    ]
    names = [head.name for head in heads]
    first = names.index(find_next_lesson(names, places) or names[0])
    index = yield AskItem("Lessons", items, first, "lessons")
    if index is not None:
        yield from open_lesson(state, heads[index].name)


def open_next_lesson(state: ExplorerState) -> Requests:
    """Open the first lesson that is not done, or the first of all."""
    from ..learn.lesson import list_files
    from ..learn.lesson_position import find_next_lesson

    names = [*list_files()]
    yield from open_lesson(state, find_next_lesson(names, _load_places(state)) or names[0])


def open_lesson(state: ExplorerState, name: str, *, from_start: bool = False) -> Requests:
    """Open a lesson above the picture, at its saved position."""
    from ..learn.lesson import load_lesson

    yield from leave(state)
    if state.is_predicting:
        yield from stop_predicting(state)
    yield Act("leave_focus")
    try:
        lesson, places = load_lesson(name), _load_places(state)
    except (ValueError, OSError) as error:
        yield _report_failure(error)
        return
    state.open_lesson(lesson, places, from_start=from_start)
    yield from _show_card(state, is_first=True)


def _report_failure(error: Exception) -> Notify:
    return Notify(str(error), "This lesson can't be read", "error")


def leave(state: ExplorerState, message: str = "") -> Requests:
    """Close the lesson, save its position and restore the view before it.

    One undo returns to the view of the lesson.
    """
    lesson = state.lesson
    if lesson is None:
        return
    yield from _save_progress(state, lesson)
    is_back = state.leave_lesson()
    yield Act("leave_focus")
    undo = (("edit.undo", "shows its line"),) if is_back else ()
    yield ShowHint(message, keys=(("lessons", ""), *undo)) if message else ShowHint()


def leave_card(state: ExplorerState) -> Requests:
    """Close the lesson at its card."""
    if lesson := state.lesson:
        name = lesson.lesson.head.name
        yield from leave(state, f"Lesson {name} was left at card {lesson.index + 1}")


def _load_places(state: ExplorerState) -> Mapping[str, LessonProgress]:
    return state.store.load_lessons() if state.store else state.lesson_places


def _save_progress(state: ExplorerState, lesson: LessonPosition) -> Requests:
    name = lesson.lesson.head.name
    state.lesson_places = {**state.lesson_places, name: lesson.progress}
    try:
        if state.store:
            state.store.save_lesson(name, lesson.progress)
    except OSError as error:
        why = error.strerror or str(error)
        yield Notify(why, "Positions in lessons are not saved", "warning")


# --- cards -----------------------------------------------------------------------------------


def turn_card(state: ExplorerState, delta: int) -> Requests:
    """Go to another card; after the last one, close the lesson and offer the next."""
    lesson = state.lesson
    if lesson is None:
        return
    if delta > 0 and lesson.is_last:
        lesson.finish()
        end = f"End of the lesson: {lesson.score}"
        yield from leave(state, end)
        yield from _offer_next(state, lesson.lesson.head.name, end)
    elif lesson.go(delta):
        yield from _show_card(state)


def _offer_next(state: ExplorerState, name: str, title: str) -> Requests:
    from ..learn.lesson import list_headings
    from ..learn.lesson_position import LessonProgress, describe_lesson, find_next_lesson

    heads = {head.name: head for head in list_headings()}
    places = _load_places(state)
    following = find_next_lesson([*heads], places, name)
    items = [MenuItem("All lessons"), MenuItem("Back to the explorer", "Esc")]
    if following:
        head, progress = heads[following], places.get(following, LessonProgress())
        items.insert(0, MenuItem(f"Next: {head.title}", describe_lesson(head, progress)))
    index = yield AskItem(title, items, 0, "lessons")
    chosen = items[index].label if index is not None else ""
    if chosen == "All lessons":
        yield from choose_lesson(state)
    elif following and chosen.startswith("Next"):
        yield from open_lesson(state, following)


def go_on(state: ExplorerState) -> Requests:
    """Answer the question, or go to the next card."""
    if state.lesson and state.lesson.is_open:
        yield from ask_answer(state, "")
    else:
        yield from turn_card(state, 1)


def _show_card(state: ExplorerState, *, is_first: bool = False) -> Requests:
    assert state.lesson
    state.show_card(is_first=is_first)
    yield ShowHint()
    yield Act("point_out")
    if state.lesson.is_open:
        yield from ask_answer(state, "")
    else:
        yield Act("focus_lesson")


# --- answers ---------------------------------------------------------------------------------


def ask_answer(state: ExplorerState, start: str) -> Requests:
    """Ask for a value, with the unfinished answer in the field."""
    from ..learn.lesson_text import describe_question
    from ..learn.question import locate_answer

    lesson = state.lesson
    if lesson is not None:
        label, parse = describe_question(lesson.card), locate_answer(lesson.question).parse_answer
        yield AskAnswer(label, parse, lesson.take_text() + start, take_answer, lesson)


def take_answer(
    state: ExplorerState, lesson: LessonPosition, text: str, *, is_entered: bool
) -> Requests:
    """Grade an entered answer, or keep an unfinished one."""
    if lesson is not state.lesson or not lesson.is_open:
        return
    if not is_entered:
        lesson.keep_text(text)
        return
    try:
        lesson.answer(text)
    except PtxError as error:
        lesson.keep_text(text)
        yield refuse(error.summary)
        return
    if lesson.is_answered:
        yield from _show_answer(state, lesson)


def clear_feedback(state: ExplorerState) -> None:
    """Clear feedback that refers to an earlier answer."""
    if state.lesson and state.lesson.is_open:
        state.lesson.feedback = None


def give_card_hint(state: ExplorerState) -> None:
    """Show the next hint."""
    if state.lesson and state.lesson.is_open:
        state.lesson.give_hint()


def reveal_answer(state: ExplorerState) -> Requests:
    """Show the answer."""
    if state.lesson and state.lesson.is_open:
        state.lesson.reveal()
        yield from _show_answer(state, state.lesson)


def _show_answer(state: ExplorerState, lesson: LessonPosition) -> Requests:
    yield from go_to_step(state, lesson.asked_step)
    yield Act("point_out")
    yield Act("focus_lesson")
