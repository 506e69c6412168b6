"""The explorer's actions for ``check``: it shows the diagnostics, and opens one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...state.edit_transitions import edit
from ...state.explorer_state import ExplorerState
from ...state.listing_transitions import go_to
from ...state.requests import Notify, Open, Requests
from ...state.setup import make_setup

if TYPE_CHECKING:
    from .diagnostic import CheckedInstruction


def check(state: ExplorerState) -> Requests:
    """Show errors in the listing or the line, and the errata that can change a result."""
    text, name = state.setup.line, "the line"
    if state.cursor is not None:
        text, name = state.cursor.listing.text, state.cursor.listing.name
    chosen = yield Open(f"{__package__}.terminal.check_dialog:CheckDialog", (text, name))
    if chosen is not None:
        yield from _open_checked(state, chosen)


def _open_checked(state: ExplorerState, instruction: CheckedInstruction) -> Requests:
    """Show a checked instruction, on operands that show the erratum."""
    from ...engine.syntax.parser import parse

    if state.cursor is not None:
        cursor = state.cursor.move_to_line(instruction.location.line, instruction.ptx)
        if cursor is None:
            yield Notify(instruction.ptx, "It is not in the list")
            return
        yield from go_to(state, cursor)
    if instruction.example is not None:
        example = make_setup(parse(instruction.ptx), instruction.example.values, "isa")
        yield from edit(state, replace(example, place=state.setup.place, is_detached=True))
