"""The explorer's action: a kernel with arguments, run by threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...engine.program.program import Program
from ...engine.syntax.errors import make_printable
from ...state.edit_transitions import edit
from ...state.explorer_state import ExplorerState
from ...state.listing_transitions import go_to
from ...state.requests import Act, AskText, Notify, Open, Requests, ShowHint
from ...state.setup import OperandOrigin, make_setup
from .launch_request import load_kernel, parse_launch, suggest_launch
from .launches.device_code import DeviceCode
from .thread_run import Evaluation, ThreadRun, run_thread


class LastRun:
    """The last run of a kernel, where the user left it; the explorer keeps it."""

    run: ThreadRun | None = None


def run_kernel(state: ExplorerState) -> Requests:
    """Return to the run of the listing's kernel, or ask for its arguments."""
    assert state.cursor
    listing = state.cursor.listing
    try:
        program = listing.programs[state.cursor.program].name
        code, kernel = load_kernel(listing.text, listing.name, program)
    except ValueError as error:
        yield Notify(str(error), "Not run", "warning")
        return
    run = state.get_attached(LastRun).run
    if run and run.launch.is_of(code, kernel, state.setup.model):
        yield from _show_run(state, run)
    else:
        yield from _ask_launch(state, code, kernel)


def _ask_launch(state: ExplorerState, code: DeviceCode, kernel: Program) -> Requests:
    """Ask for the arguments of a kernel, and run it thread by thread."""
    runs: list[ThreadRun] = []
    model = state.setup.model

    def check(text: str, on_progress: Callable[..., None]) -> None:
        runs[:] = [run_thread(parse_launch(code, kernel, text, model), on_progress=on_progress)]

    suggestion, title = suggest_launch(code, kernel), f"Run {make_printable(kernel.name)}"
    text = state.drafts.get(title) or suggestion
    hint = "--block 64 a=@a.npy b=zeros:u32:64 n=64 --expect b=@expected.npy"
    is_suggestion = text == suggestion
    text = yield AskText(
        title, "arguments", text, hint, "run it", check, is_suggestion=is_suggestion
    )
    if text and text.strip() and runs:
        yield from _show_run(state, runs[0])


def _show_run(state: ExplorerState, run: ThreadRun) -> Requests:
    """Show a run; it stays where it is left."""
    last = state.get_attached(LastRun)
    last.run, evaluation, is_again = yield Open(
        f"{__package__}.terminal.run_screen:RunScreen", (run,)
    )
    if is_again:
        yield from _ask_launch(state, run.launch.code, run.launch.kernel)
        return
    if evaluation is not None:
        yield from open_evaluation(state, evaluation)
    yield ShowHint(is_sticky=True, keys=(("listing.run", "returns to the run"),))


def open_evaluation(state: ExplorerState, evaluation: Evaluation) -> Requests:
    """Show an instruction on the values that a thread has."""
    ins = evaluation.instruction
    cursor = state.cursor and state.cursor.move_to_line(evaluation.line, str(ins))
    if cursor:
        yield from go_to(state, cursor)
    setup = make_setup(ins, evaluation.values, state.setup.model)
    origin = OperandOrigin(evaluation.origin, setup.values)
    setup = replace(setup, place=state.setup.place, is_detached=True, origin=origin)
    yield from edit(state, setup)
    yield Act("leave_focus")
