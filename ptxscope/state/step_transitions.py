"""Transitions through the steps of the trace, and predictions of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import Flag
from ..engine.syntax.errors import PtxError, format_count, make_printable, quote_word
from ..engine.tracing.deviation import Deviation
from ..engine.tracing.step_text import describe_step, format_lane_sentence
from ..engine.tracing.trace import Step, Trace
from ..scene.scene_model import LaneRef
from .explorer_state import ExplorerState
from .requests import Act, AskAnswer, Focus, PlaceCursor, Requests, ShowHint, Wait

STOP_PREDICTING = ("predict", "stops predicting")
"""The key that ends a prediction."""
_PACE = 1.0
"""Factor of the playback time; 1 is a reader's pace."""
_WORD_SECONDS, _MIN_SECONDS, _MAX_SECONDS = 0.15, 1.5, 8.0
"""Seconds to read a word, and minimum and maximum seconds for a step."""
_QUIET = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}
_END = ShowHint("That was the last step", "strong", keys=(("step.next", "starts over"),))


def move_by(state: ExplorerState, delta: int) -> Requests:
    """Go to the next or previous step; after the last one, show a hint, then start over."""
    state.pause()
    is_leaving = state.is_at_end if delta > 0 else state.step <= 1
    if is_leaving and not state.is_predicting and state.go_to_statement(delta):
        return
    if delta < 0 or not state.is_at_end:
        yield from _show_step(state, state.step + delta)
    elif state.is_predicting:
        yield from stop_predicting(state, state.step)
    elif state.hint == _END:
        state.reveal_result(is_revealed=False)
        yield from _show_step(state, 1)
    else:
        yield _END


def go_to_step(state: ExplorerState, number: int) -> Requests:
    """Go to the step with a number, if it exists."""
    state.pause()
    last = state.last_step
    if number > last:
        yield ShowHint(f"There are {last} steps" if last > 1 else "There is one step")
    else:
        yield from _show_step(state, number)


def go_to_block_step(state: ExplorerState, number: int) -> Requests:
    """Go to a step, counted through all statements of an open block."""
    state.pause()
    yield from go_to_step(state, state.enter_statement(number))


def go_to_end(state: ExplorerState) -> Requests:
    """Reveal every step, of all statements of an open block."""
    state.pause()
    if state.block_trace:
        state.enter_statement(len(state.block_trace.steps))
    if state.is_predicting:
        yield from stop_predicting(state, state.last_step)
    else:
        state.end_stepping()
        yield from _show_step(state, state.last_step)


def _show_step(state: ExplorerState, step: int) -> Requests:
    yield ShowHint()
    if state.go_to_step(step) and state.is_predicting:
        yield from _follow_step(state)


def toggle_result(state: ExplorerState) -> Requests:
    """Reveal the result before its step, or hide it again."""
    yield from reveal_result(state, is_revealed=not state.is_revealed)


def check_result(state: ExplorerState) -> ShowHint | None:
    """Return that the result is shown, if every step is revealed, or None."""
    is_shown = state.is_at_end and not state.is_predicting
    return ShowHint("Every step is revealed, and so is the result") if is_shown else None


def reveal_result(state: ExplorerState, *, is_revealed: bool = True) -> Requests:
    """Reveal the result before its step, or hide it; while predicting, refuse."""
    if not state.reveal_result(is_revealed=is_revealed):
        yield ShowHint("The result would reveal the answer", keys=(STOP_PREDICTING,))


def toggle_playing(state: ExplorerState) -> Requests:
    """Play the steps from here, or from the start if all are shown; or pause."""
    if state.pause():
        return
    if state.is_predicting:
        yield from stop_predicting(state)
    if state.is_at_end or not state.step:
        yield from _show_step(state, 1)
    yield ShowHint()  # of something else
    state.play()
    while True:
        if state.is_at_end and state.go_to_statement(1):
            state.play()
        elif state.is_at_end:
            state.pause()
            return
        step = state.trace.steps[state.step - 1]
        seconds = compute_reading_seconds(state.trace, step, state.session.deviation)
        yield Wait(_PACE * seconds)
        if not state.is_playing:
            return
        yield from _show_step(state, state.step + 1)


def select_notable_flags(row: RowTrace, lane: int) -> list[Flag]:
    """Return the flags of a lane that need a sentence."""
    return [flag for flag in row.flags[lane] if flag not in _QUIET]


def compute_reading_seconds(trace: Trace, step: Step, deviation: Deviation | None = None) -> float:
    """Return the seconds for reading the short sentences of a step."""
    texts = [describe_step(step)]
    for row in step.rows:
        lanes = (lane for lane in range(len(row.values)) if select_notable_flags(row, lane))
        texts += [format_lane_sentence(row, lane) for lane in lanes]
    texts += [note.text for note in trace.annotations.get_notes(step.stage)]
    if deviation and deviation.stage is step.stage:
        texts += [erratum.sentence for erratum in deviation.errata]
    return estimate_seconds(sum(len(text.split()) for text in texts))


def estimate_seconds(words: int) -> float:
    """Return the seconds of playback for a step with a number of words."""
    return min(max(_WORD_SECONDS * words, _MIN_SECONDS), _MAX_SECONDS)


# --- predictions ---------------------------------------------------------------------------


def toggle_predicting(state: ExplorerState) -> Requests:
    """Begin or end predicting the next steps."""
    if state.is_predicting:
        yield from stop_predicting(state)
        yield Act("leave")
    else:
        state.pause()
        state.resume_predicting()
        yield from _ask_step(state)


def begin_predicting(state: ExplorerState) -> Requests:
    """Predict the current step and those after it."""
    state.begin_predicting(state.step)
    yield from _ask_step(state)


def predict_another(state: ExplorerState) -> Requests:
    """Predict another line of the open family, from its first step."""
    from ..learn.practice import Practice, find_family, make_random
    from .setup import make_setup_of_trace

    family = find_family(state.setup.instruction.opcode)
    practice = state.practice if state.practice and state.practice.family == family else None
    trace = (practice or Practice(family)).pick_trace(make_random())
    if state.is_predicting:
        state.stop_predicting()
    edit = state.show_last_step(make_setup_of_trace(trace))
    state.begin_predicting(1)
    yield from _ask_step(state)
    if edit is not None:
        old_line = make_printable(edit.old_setup.line)
        text = f"Another line replaces {quote_word(old_line)}"
        yield ShowHint(text, is_sticky=True, keys=(("edit.undo", "restores it"),))


def stop_predicting(state: ExplorerState, step: int | None = None) -> Requests:
    """Stop predicting and show a step; by default, the one before the predicted step."""
    state.stop_predicting(step)
    does = "predicts again"
    if state.is_prediction_left:
        does = "resumes the prediction, with what you typed"
    yield ShowHint(is_sticky=True, keys=(("predict", does),))


def _ask_step(state: ExplorerState) -> Requests:
    yield Focus("lanes")
    yield from _follow_step(state)
    yield Act("invite")


def _follow_step(state: ExplorerState) -> Requests:
    """Put the cursor on the first lane of the step without a right prediction."""
    if (place := state.find_next_lane()) is not None:
        yield PlaceCursor(place)


def ask_guess(state: ExplorerState, place: LaneRef, start: str) -> Requests:
    """Ask for a lane's value."""
    prediction = state.prediction
    assert prediction

    def parse(text: str) -> int:
        return prediction.parse_answer(place, text)

    label = prediction.format_location(place)
    yield AskAnswer(label, parse, _begin_answer(start, parse), take_guess, place, place)


def take_guess(state: ExplorerState, place: LaneRef, text: str, *, is_entered: bool) -> Requests:
    """Grade an entered prediction, or keep an unfinished one."""
    prediction = state.prediction
    if prediction is None or place.key not in prediction.trace.rows:
        return
    if not is_entered:
        state.prediction = prediction.with_text(place, text)
        return
    state.prediction = prediction.with_answer(place, text)
    yield Act("go_back")
    if state.prediction.get_guess(place).is_right:
        yield from _accept_guess(state, place)


def _accept_guess(state: ExplorerState, place: LaneRef) -> Requests:
    """Draw the lane and ask for the next lane or, after the last, the next step."""
    following, setup = state.find_next_lane(place), state.setup
    if following is not None:
        yield PlaceCursor(following)
        yield ShowHint("✓ Right", "right", is_sticky=True)
    elif state.is_at_end and not state.go_to_statement(1):
        guesses = state.finish_predicting()
        first_count = sum(guess.wrong == 0 and guess.hints == 0 for guess in guesses)
        result = f"{format_count(len(guesses), 'value')} right, {first_count} at the first try"
        text = " of the last statement" if state.block_trace else f": {result}"
        yield ShowHint(f"✓ That was the last step{text}", "right", is_sticky=True)
        yield Act("offer_another")
    else:
        if state.setup is setup:
            state.go_to_step(state.step + 1)
        else:
            state.begin_predicting(1)
        yield from _follow_step(state)
        hint = "✓ Right: the step is drawn. What will the next one give?"
        yield ShowHint(hint, "right", is_sticky=True)


def check_hint(state: ExplorerState) -> ShowHint | None:
    """Return that hints are for predictions, outside one, or None."""
    keys = (("predict", "starts one"),)
    return None if state.is_predicting else ShowHint("Hints are for predictions", keys=keys)


def give_hint(state: ExplorerState, place: LaneRef | None = None) -> Requests:
    """Show the next hint on a lane; without one, on the lane under the cursor."""
    place = place or (yield Act("find_predictable_lane")) or state.find_next_lane()
    if place is not None and state.prediction is not None:
        state.prediction = state.prediction.with_hint(place)
        yield PlaceCursor(place)
        yield ShowHint(state.prediction.get_guess(place).message, "strong", is_sticky=True)


def _begin_answer(start: str, parse: Callable[[str], int]) -> str:
    """Return the start of an answer: a letter is a hexadecimal digit, except in ``false``."""
    if len(start) != 1 or start not in "abcdef":
        return start
    with suppress(PtxError):
        parse("false")
        return start
    return f"0x{start}"
