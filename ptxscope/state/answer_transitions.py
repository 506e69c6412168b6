"""Transitions that ask about the trace: pin, explanations, notes, exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..engine.tracing.step_text import format_result, format_title
from ..feature import Service, find_services
from . import edits
from .edit_transitions import edit
from .explorer_state import ExplorerState
from .requests import REFUSED, AskText, CopyText, Open, Requests, ShowHint, ShowOutcome
from .setup import collect_operands, evaluate_setup

if TYPE_CHECKING:
    from ..scene.scene_model import Place


# --- the pin ---------------------------------------------------------------------------------


def toggle_pin(state: ExplorerState) -> Requests:
    """Pin this evaluation to compare later edits with it, or unpin it."""
    state.toggle_pin()
    if state.pin:
        text = "Pinned: later edits are compared with it"
        yield ShowHint(text, is_sticky=True, keys=(("pin", "unpins it"),))
    else:
        yield ShowHint("Unpinned", is_sticky=True)


# --- computed values -------------------------------------------------------------------------


def ask_computed(state: ExplorerState, place: Place, start: str) -> Requests:
    """Ask for another computed value, if a feature finds operands for it, or go deeper."""
    services = find_services(Service.ASK_COMPUTED_VALUE)
    deeper = (go(state, place) for go in find_services(Service.GO_DEEPER) if not start)
    if requests := next(filter(None, deeper), None):
        yield from requests
    elif not services or place.key not in state.trace.rows or state.guesses is not None:
        yield ShowHint(f"{REFUSED} this is computed: type over a register's chip", "")
    else:
        yield from services[0](state, place, start)


# --- dialogs ---------------------------------------------------------------------------------


def explain(state: ExplorerState) -> Requests:
    """Ask for the cause of a result, and compare the documented evaluation with it."""
    setup = edits.with_model(state.setup, "isa")
    is_of_another = setup.error is not None
    place = state.cursor and (state.cursor.program, state.cursor.index)
    draft_key = f"why? {setup.instruction.opcode} {place}"
    draft = state.drafts.get(draft_key, "")
    observed = (evaluate_setup(setup), collect_operands(setup))
    values = (*observed, draft, is_of_another, _map_other_writers(state))
    answer = yield Open("dialogs.explain_dialog:ExplainDialog", values)
    state.drafts[draft_key], explanation = answer or (draft, None)
    if isinstance(explanation, Mapping):
        state.drafts[draft_key] = ""  # the result on other operands is to be observed
        yield from edit(state, edits.with_registers(state.setup, explanation))
        yield ShowOutcome("To try next", "the result on these operands decides")
    elif explanation is not None:
        state.pin_for_explanation(setup, explanation)
        yield from edit(state, edits.with_explanation(setup, explanation))
        if explanation.instruction.opcode == setup.instruction.opcode:  # else the pin waits
            yield ShowOutcome("Pinned", "the documented evaluation; you see the explanation")


def _map_other_writers(state: ExplorerState) -> Mapping[str, str]:
    """Map registers to the last other statement of the listing that writes them."""
    cursor, own_results = state.cursor, state.setup.instruction.results.values()
    if cursor is None:
        return {}
    return {
        name: statement.text
        for statement in cursor.listing.programs[cursor.program].statements
        if statement.explained_instruction and statement.number != cursor.index
        for register in statement.explained_instruction.results.values()
        if register not in own_results
        for name in (register, register.removeprefix("%"))
    }


def write_note(state: ExplorerState) -> Requests:
    """Edit the note on the current step."""
    step = state.trace.steps[max(state.step, 1) - 1]
    notes = [note.text for note in state.trace.annotations.get_notes(step.stage)]
    title = f"A note on step {step.number} {format_title(step)}"
    hint = "a note for readers of exports"
    text = yield AskText(title, "note", "".join(notes[:1]), hint, "keep it")
    if text is not None:
        yield from edit(state, edits.with_step_note(state.setup, step.stage, text))


def export(state: ExplorerState) -> Requests:
    """Export the trace as a document."""
    values = (state.trace, state.block_trace)
    annotations = yield Open("dialogs.export_dialog:ExportDialog", values)
    if annotations is not None:
        yield from edit(state, edits.with_annotations(state.setup, annotations))


# --- the clipboard ---------------------------------------------------------------------------


def copy_command(state: ExplorerState) -> Requests:
    """Copy the command that reproduces the current trace."""
    from ..documents.content.command_words import format_command

    text = format_command(state.shown_trace)
    yield CopyText(text, text)


def copy_result(state: ExplorerState) -> Requests:
    """Copy the result, which may be hidden."""
    text = format_result(state.trace)
    yield CopyText(text, "the result, which is hidden here" if state.is_result_hidden else text)
