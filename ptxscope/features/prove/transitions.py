"""The explorer's actions: a proof about the pin, and the edit of a computed value."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...engine.isa.encodings import format_hex
from ...engine.syntax.errors import make_printable
from ...state import edits
from ...state.edit_transitions import edit
from ...state.explorer_state import ExplorerState
from ...state.requests import (
    Act,
    AskAnswer,
    AskItem,
    MenuItem,
    Open,
    Requests,
    RunInThread,
    ShowHint,
    refuse,
)
from ...state.step_transitions import STOP_PREDICTING

if TYPE_CHECKING:
    from ...engine.syntax.instruction import Input
    from ...scene.scene_model import Place
    from .backward_edit import EditTarget
    from .proof import Proof


# --- the pin ---------------------------------------------------------------------------------


def check_proof(state: ExplorerState) -> ShowHint | None:
    """Refuse with a reason if there is nothing to prove."""
    if state.pin is None:
        return refuse("nothing is pinned", ("pin", "pins this instruction, then change it"))
    if state.is_predicting:
        return ShowHint("A proof would reveal the answer", keys=(STOP_PREDICTING,))
    return None


class PinProof:
    """The last proof about a pin: the explorer keeps it."""

    question: object = None
    proof: Proof | None = None


def _get_question(state: ExplorerState) -> object:
    """Return the subject of a proof about the pin, without the values of registers."""
    pin, setup = state.pin, state.setup
    return pin and (pin.instruction, pin.model, setup.instruction, setup.model)


def prove(state: ExplorerState) -> Requests:
    """Prove the pinned and the current instruction equal, or show where they differ."""
    from .pin_proof import ADVICE, prove_pin, take_counterexample
    from .proof import Verdict
    from .proof_report import iter_proof_blocks

    assert state.pin
    question, last = _get_question(state), state.get_attached(PinProof)
    if question != last.question:
        last.proof = yield RunInThread(partial(prove_pin, state.pin, state.setup))
        last.question = question
        if question != _get_question(state):
            yield refuse("the proof is about other instructions than the ones shown now")
            return
        if (yield Act("is_covered")):
            yield ShowHint("The proof is done", keys=(("prove", "shows it"),))
            return
    proof = last.proof
    assert proof
    has_operands = proof.verdict is Verdict.DIFFERENT and bool(proof.operands)
    blocks = partial(iter_proof_blocks, proof, is_brief=True, advice=ADVICE)
    values = "A: the pinned, B: the current", blocks, "shows these operands" if has_operands else ""
    if (yield Open(f"{__package__}.terminal.proof_dialog:ProofDialog", values)):
        state.pin, changed = take_counterexample(proof, state.pin, state.setup)
        yield from edit(state, changed)


# --- editing backwards -----------------------------------------------------------------------


def ask_computed_value(state: ExplorerState, place: Place, start: str) -> Requests:
    """Ask for the wanted value of a computed place."""
    from .backward_edit import EditTarget
    from .solver import load_bitwuzla

    target = EditTarget(state.trace, place)
    if not target.inputs:
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
    """Ask for the operand that should give a typed value, and set it."""
    if not is_entered or target.trace is not state.trace:
        return
    yield Act("go_back")
    if target.has_value(text):
        yield ShowHint(f"{target.name} is {make_printable(text.strip())} already", is_sticky=True)
        return
    inputs = target.inputs
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
    index = yield AskItem(title, items, index)
    if index is not None:
        yield from _find_sources(state, target, text, (*inputs, None)[index])


def _find_sources(
    state: ExplorerState, target: EditTarget, text: str, source: Input | None
) -> Requests:
    """Set an operand, or all, so that a place has a typed value."""
    from .backward_edit import find_sources

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
        yield ShowHint(sentence, "right", is_sticky=True, keys=(("edit.undo", "undoes it"),))
