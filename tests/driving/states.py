"""States of the explorer to begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptxscope import parse
from ptxscope.engine.syntax.asm_bindings import parse_pasted
from ptxscope.state.actions import ACTIONS
from ptxscope.state.edits import with_instruction, with_value
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.open_listing import open_listing
from ptxscope.state.requests import AskItem, AskText, Open, Request, Requests, ShowHint
from ptxscope.state.setup import make_setup
from ptxscope.state.state_store import SavedState

LINE = "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"
VALUES = {"%r2": 0x80FF7F01, "%r3": 0x01010101, "%r0": 5}


def make_state(
    line: str = LINE, values: Mapping[str, int] = VALUES, saved: SavedState | None = None
) -> ExplorerState:
    """Return the state of the explorer opened on a line."""
    return ExplorerState(make_setup(parse(line), values), saved)


def reopen(state: ExplorerState) -> ExplorerState:
    """Return the state that the explorer begins with after it was closed."""
    saved = state.make_saved_state()
    assert saved.setup
    return ExplorerState(saved.setup, saved)


def open_text(state: ExplorerState, text: str, name: str = "pasted") -> None:
    """Open a listing."""
    cursor = open_listing(text, name, state.setup.model)
    assert cursor
    state.show_statement(cursor)


def move_by(state: ExplorerState, delta: int) -> None:
    """Go to another statement of the listing."""
    assert state.cursor
    state.show_statement(state.cursor.move_by(delta))


def set_values(state: ExplorerState, **values: int) -> None:
    """Edit the values of operands, by role."""
    for role, bits in values.items():
        state.edit(with_value(state.setup, role, bits))


def paste_line(state: ExplorerState, text: str) -> None:
    """Replace the instruction by a pasted one."""
    state.edit(with_instruction(state.setup, parse_pasted(text)))


def answer(requests: Requests | None, *answers: object) -> list[Request]:
    """Run a transition to its end, with answers to what it asks the user; return what it asks."""
    asked: list[Request] = []
    given, answer = iter(answers), None
    try:
        while requests is not None:
            request = requests.send(answer)
            asked.append(request)
            is_question = isinstance(request, AskText | AskItem | Open)
            answer = next(given) if is_question else None
    except StopIteration:
        assert next(given, None) is None
    return asked


def said(asked: Sequence[Request]) -> str:
    """The last hint."""
    return next(x.text for x in reversed(asked) if isinstance(x, ShowHint))


def do(state: ExplorerState, id_: str, *answers: object) -> list[Request]:
    """Run an action of the table, as a key does; a hint that it shows is kept."""
    action = ACTIONS[id_]
    asked = answer(action.perform(state), *answers)
    for request in asked:
        if isinstance(request, ShowHint):
            state.hint = request
    return asked
