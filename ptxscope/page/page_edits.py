"""Transitions of a page that several of its actions share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..engine.syntax.asm_bindings import reading_type
from ..engine.syntax.instruction import Signature
from ..engine.syntax.values import parse_value
from ..state import edits
from ..state.actions import ACTIONS
from ..state.requests import Notify, ShowHint, ShowOutcome, Transition
from .page_state import OpenTool, PageState

if TYPE_CHECKING:
    from ..state.setup import Setup

Arguments = Mapping[str, Any]
"""The data attributes of an action's element, and fields."""
Actions = Mapping[str, Callable[[PageState, Arguments], None]]
"""Actions by the name that the page's JavaScript calls."""
MAX_LINE_CHARS = 1 << 14
"""Maximum characters of a line."""


def perform(page: PageState, transition: Transition, *arguments: object, **named: object) -> None:
    """Run a transition of the explorer; what it says is the page's message."""
    for request in transition(page.explorer, *arguments, **named) or ():
        if isinstance(request, ShowHint | Notify):
            page.message = request.text
        elif isinstance(request, ShowOutcome):
            page.message = f"{request.title}: {request.text}"


def perform_action(page: PageState, id_: str) -> None:
    """Perform an action of the table that the terminal has, too; raise KeyError for another."""
    action = ACTIONS[id_]
    leave_lesson(page)
    page.value_errors.clear()
    page.explorer.end_typing()
    perform(page, action.perform)


def perform_edit(page: PageState, transition: Transition, *arguments: object) -> None:
    """Run a transition that edits what is shown, which ends an open lesson."""
    state = page.explorer
    if state.lesson is not None:
        setup = state.setup
        leave_lesson(page)
        state.edit(setup)
    state.end_typing()
    perform(page, transition, *arguments)


def edit(page: PageState, setup: Setup | None, *, coalesce: bool = False) -> None:
    """Show a setup, unless it is None, as one edit."""
    if setup is not None:
        leave_lesson(page)
        state = page.explorer
        state.end_typing()
        is_closing = setup.line != state.setup.line
        if is_closing:
            setup = replace(setup, place=None, is_detached=False)
        state.edit(setup, coalesce=coalesce, is_closing=is_closing)


def open_line(page: PageState, text: str) -> None:
    """Show a line as one edit."""
    leave_lesson(page)
    page.explorer.end_typing()
    page.explorer.type_statements(text)
    page.explorer.end_typing()


def set_value(page: PageState, role: str, bits: int, *, coalesce: bool = False) -> None:
    """Give an operand, or a register of a block, a value."""
    state, block = page.explorer, page.block_trace
    if block is None:
        edit(page, edits.with_value(state.setup, role, bits), coalesce=coalesce)
        return
    assert state.cursor
    inputs = state.cursor.listing.inputs_by_program[state.cursor.program]
    inputs = {**inputs, block.block.names[role]: bits}
    cursor = state.cursor.with_inputs(inputs, state.setup.model)
    state.end_typing()
    setup = keep_line(cursor.make_setup(state.setup), state.setup)
    state.edit(setup, cursor, coalesce=coalesce)


def enter_statement(page: PageState, step: int) -> int:
    """Go to the statement of a block that has a step; return the step's number there."""
    block, state = page.block_trace, page.explorer
    if block is None:
        return step
    found, setup = block.steps[min(step, page.last_step) - 1], state.setup
    if state.go_to_statement(found.statement - state.block_statement):
        state.session.amend(keep_line(state.setup, setup), state.cursor)
    return sum(x.statement == found.statement for x in block.steps[: found.number])


def leave_lesson(page: PageState) -> None:
    """Show again what was shown before the lesson, if one is open, and keep its card."""
    if page.explorer.lesson is not None:
        page.explorer.lesson_places = page.explorer.lesson.places
        page.explorer.leave_lesson()
        page.tool = OpenTool("lesson")


def keep_line(setup: Setup, old_setup: Setup) -> Setup:
    """Return a setup of a block's statement with the typed line, if that has an error."""
    if old_setup.error is None:
        return setup
    return replace(setup, line=old_setup.line, error=old_setup.error)


def parse_operand(target: Signature, role: str, text: str) -> int:
    """Return the bits of a typed value of an operand; raise PtxError if it is none."""
    return parse_value(text, reading_type(target, role))
