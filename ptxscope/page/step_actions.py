"""The actions that go through the steps, and those of predictions."""

from __future__ import annotations

from ..engine.syntax.errors import PtxError, format_count, make_printable
from ..scene.scene_model import LaneRef
from .page_edits import Actions, Arguments, enter_statement, leave_lesson
from .page_state import PageState


def _go_to_step(page: PageState, arguments: Arguments) -> None:
    state, delta = page.explorer, int(arguments.get("delta", 0))
    step = page.shown_step + delta if delta else int(arguments["step"])
    if state.is_predicting:
        state.stop_predicting(max(state.step - 1, 1))
    state.go_to_step(enter_statement(page, max(step, 1)))


def _reveal_result(page: PageState, arguments: Arguments) -> None:
    page.explorer.reveal_result(is_revealed=bool(arguments["checked"]))


def _predict(page: PageState, _: Arguments) -> None:
    state = page.explorer
    if state.is_predicting:
        step = max(page.current_step - 1, 1)
        state.stop_predicting(max(state.step - 1, 1))
        state.go_to_step(enter_statement(page, step))
    elif page.block_trace:
        step = 1 if page.current_step >= page.last_step else page.current_step + 1
        state.begin_predicting(enter_statement(page, step))
    else:
        state.resume_predicting()


def _guess(page: PageState, arguments: Arguments) -> None:
    state, place = page.explorer, LaneRef(str(arguments["key"]), int(arguments["lane"]))
    if not state.is_predicting or not state.predictions.has_lane(place):
        return
    text = str(arguments["text"])[:200]
    if not text.strip():
        return
    try:
        is_right = state.predictions.grade_text(place, text)
    except PtxError as error:
        page.message = make_printable(error.summary)
        return
    if not is_right or state.find_next_lane(place) is not None:
        page.message = "Right." if is_right else ""
    elif page.current_step < page.last_step:
        state.begin_predicting(enter_statement(page, page.current_step + 1))
        page.message = "Right: the step is drawn. What will the next one give?"
    elif page.block_trace:
        state.finish_predicting()
        page.message = "That was the last step of the last statement."
    else:
        guesses = state.finish_predicting()
        first_count = sum(guess.wrong == 0 and guess.hints == 0 for guess in guesses)
        count = format_count(len(guesses), "value")
        page.message = f"That was the last step: {count} right, {first_count} at the first try"


def _give_hint(page: PageState, arguments: Arguments) -> None:
    place = LaneRef(str(arguments["key"]), int(arguments["lane"]))
    if page.explorer.is_predicting and page.explorer.predictions.has_lane(place):
        page.explorer.predictions.give_hint(place)


def _predict_another(page: PageState, _: Arguments) -> None:
    leave_lesson(page)
    page.explorer.predict_another()


ACTIONS: Actions = {
    "step": _go_to_step,
    "result": _reveal_result,
    "predict": _predict,
    "predict_another": _predict_another,
    "guess": _guess,
    "hint": _give_hint,
}
