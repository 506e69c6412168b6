"""Transitions that ask about the trace: explanations, proofs, a solver; notes, exports."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ..engine.isa.encodings import format_hex
from ..engine.syntax.errors import make_printable
from ..engine.tracing.step_text import format_result, format_title
from . import edits
from .edit_transitions import edit
from .explorer_state import ExplorerState
from .requests import (
    REFUSED,
    Act,
    AskAnswer,
    AskItem,
    AskText,
    CopyText,
    MenuItem,
    Open,
    Requests,
    RunInThread,
    ShowHint,
    ShowOutcome,
    refuse,
)
from .setup import trace_of
from .step_transitions import STOP_PREDICTING

if TYPE_CHECKING:
    from ..engine.syntax.instruction import Input
    from ..scene.scene_model import Place
    from .solver_questions import EditTarget


# --- the pin ---------------------------------------------------------------------------------


def toggle_pin(state: ExplorerState) -> Requests:
    """Pin this evaluation to compare later edits with it, or unpin it."""
    state.toggle_pin()
    if state.pin:
        text = "Pinned: later edits are compared with it"
        yield ShowHint(text, keys=(("pin", "unpins it"),))
    else:
        yield ShowHint("Unpinned")


def check_proof(state: ExplorerState) -> ShowHint | None:
    """Say why there is nothing to prove, if so."""
    if state.pin is None:
        return refuse("nothing is pinned", ("pin", "pins this instruction, then change it"))
    if state.is_predicting:
        return ShowHint("A proof would reveal the answer", keys=(STOP_PREDICTING,))
    return None


def prove(state: ExplorerState) -> Requests:
    """Prove the pinned and the current instruction equal, or show where they differ."""
    from .solver_questions import prove_pin, take_counterexample

    assert state.pin
    question, (old_question, proof) = state.proof_question, state.proof or (None, None)
    if question != old_question:
        proof = yield RunInThread(partial(prove_pin, state.pin, state.setup))
        state.proof = question, proof
        if question != state.proof_question:
            yield refuse("the proof is of other instructions than those shown now")
            return
        if (yield Act("is_covered")):
            yield ShowHint("The proof is done", keys=(("prove", "shows it"),))
            return
    assert proof
    if (yield Open("dialogs.report_dialogs:ProofDialog", (proof,))):
        state.pin, changed = take_counterexample(proof, state.pin, state.setup)
        yield from edit(state, changed)


# --- editing backwards -----------------------------------------------------------------------


def ask_computed(state: ExplorerState, place: Place, start: str) -> Requests:
    """Ask what a computed value shall be."""
    from ..proof.solver import load_bitwuzla
    from .solver_questions import EditTarget

    if place.key not in state.trace.rows or state.guesses is not None:
        yield ShowHint(f"{REFUSED} this is computed: type over a register's chip", "changed")
        return
    target = EditTarget(state.trace, place)
    if not state.setup.instruction.inputs:
        yield refuse("this is computed from constants only")
        return
    try:
        load_bitwuzla()
    except ImportError as error:
        yield refuse(error)
        return
    keys = "Enter finds operands that give it"
    yield AskAnswer(target.name, target.parse_value, start, take_target, target, place, keys)


def take_target(
    state: ExplorerState, target: EditTarget, text: str, *, is_entered: bool
) -> Requests:
    """Ask which operand shall give a typed value, and set it."""
    if not is_entered or target.trace is not state.trace:
        return
    yield Act("go_back")
    inputs = state.setup.instruction.inputs
    if len(inputs) == 1:
        yield from _find_sources(state, target, text, inputs[0])
        return
    operands, names = target.trace.operands, [x.name for x in inputs]
    items = [
        MenuItem(operand.name, f"now {format_hex(operands[operand.roles[0]], operand.type.bits)}")
        for operand in inputs
    ]
    items.append(MenuItem("any of them", "the simplest operands"))
    index = names.index(state.edited_register) if state.edited_register in names else 0
    title = f"Which operand should give {target.name} = {make_printable(text.strip())}?"
    index = yield AskItem(title, items, index, "lanes")
    if index is not None:
        yield from _find_sources(state, target, text, (*inputs, None)[index])


def _find_sources(
    state: ExplorerState, target: EditTarget, text: str, source: Input | None
) -> Requests:
    """Set an operand, or all, so that a place has a typed value."""
    from .solver_questions import find_sources

    finding = yield RunInThread(partial(find_sources, target, target.make_condition(text), source))
    if target.trace is not state.trace:
        yield refuse("nothing is set: the operands have changed")
        return
    sentence = finding.describe(target, text)
    if not finding.operands:
        yield refuse(sentence)
        return
    setup = edits.with_registers(state.setup, finding.operands)
    yield from edit(state, setup)
    if state.setup.values == setup.values:  # a listing may have kept its own
        yield ShowHint(sentence, "good", is_sticky=True, keys=(("edit.undo", "undoes it"),))


# --- dialogs ---------------------------------------------------------------------------------


def explain(state: ExplorerState) -> Requests:
    """Ask for the cause of a result, and compare the documented evaluation with it."""
    setup = edits.with_model(state.setup, "isa")
    is_of_another = setup.error is not None
    place = state.cursor and (state.cursor.program, state.cursor.index)
    draft_key = f"why? {setup.instruction.opcode} {place}"
    draft = state.drafts.get(draft_key, "")
    values = (trace_of(setup), draft, is_of_another, _map_other_writers(state))
    answer = yield Open("dialogs.report_dialogs:ExplainDialog", values)
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
    """Return the last other statement of the listing that writes a register, by its name."""
    cursor, own_results = state.cursor, state.setup.instruction.results.values()
    if cursor is None:
        return {}
    return {
        name: statement.text
        for statement in cursor.listing.programs[cursor.program].statements
        if statement.explained and statement.number != cursor.index
        for register in statement.explained.results.values()
        if register not in own_results
        for name in (register, register.removeprefix("%"))
    }


def write_note(state: ExplorerState) -> Requests:
    """Edit the note on the current step."""
    step = state.trace.steps[max(state.step, 1) - 1]
    notes = [note.text for note in state.trace.annotations.get_notes(step.stage)]
    title = f"A note on step {step.number} {format_title(step)}"
    hint = "what a reader should see here"
    text = yield AskText(title, "note", "".join(notes[:1]), hint, "keep it", "export")
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
