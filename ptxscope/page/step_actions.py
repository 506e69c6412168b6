"""The actions that go through the steps, and those of predictions."""

from __future__ import annotations

from ..engine.syntax.errors import PtxError, make_printable
from ..scene.scene_model import LaneRef
from ..state.step_transitions import reveal_result, take_guess
from .page_edits import Actions, Arguments, enter_statement, keep_line, perform
from .page_state import PageState


def _go_to_step(page: PageState, arguments: Arguments) -> None:
    state, delta = page.explorer, int(arguments.get("delta", 0))
    step = page.shown_step + delta if delta else int(arguments["step"])
    if state.is_predicting:
        state.stop_predicting(max(state.step - 1, 1))
    state.go_to_step(enter_statement(page, max(step, 1)))


def _reveal_result(page: PageState, arguments: Arguments) -> None:
    perform(page, reveal_result, is_revealed=bool(arguments["checked"]))


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
    setup = state.setup
    try:
        perform(page, take_guess, place, text, is_entered=True)
    except PtxError as error:
        page.message = make_printable(error.summary)
    if state.setup is not setup:  # of the next statement
        state.session.amend(keep_line(state.setup, setup), state.cursor)


def _give_hint(page: PageState, arguments: Arguments) -> None:
    place = LaneRef(str(arguments["key"]), int(arguments["lane"]))
    if page.explorer.is_predicting and page.explorer.predictions.has_lane(place):
        page.explorer.predictions.give_hint(place)


ACTIONS: Actions = {
    "step": _go_to_step,
    "result": _reveal_result,
    "predict": _predict,
    "guess": _guess,
    "hint": _give_hint,
}
