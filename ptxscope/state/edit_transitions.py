"""Transitions that edit the line, its modifiers, its operands and the picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..engine.isa.encodings import format_hex
from ..engine.semantics.models import PTXAS_MODELS
from ..engine.syntax.errors import make_printable
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import parse
from ..engine.tracing.annotations import NOTHING
from ..engine.tracing.step_text import format_operand_name
from . import edits
from .explorer_state import Edit, ExplorerState
from .requests import (
    Act,
    AskItem,
    AskValue,
    MenuItem,
    Notify,
    Open,
    Requests,
    ShowHint,
    ShowOutcome,
    refuse,
)
from .session import describe_edit
from .setup import Setup

if TYPE_CHECKING:
    from ..engine.isa.intrinsics import Intrinsic
    from ..scene.scene_model import Place


def edit(state: ExplorerState, setup: Setup, *, coalesce: bool = False) -> Requests:
    """Apply an edit; with ``coalesce``, one undo reverts it and the last one together."""
    yield from report_edit(state, state.edit(setup, coalesce=coalesce))


def report_edit(state: ExplorerState, edit: Edit | None) -> Requests:
    """Report dropped notes, a waiting pin, and an operand that a listing computes."""
    if edit is None:
        return
    pin, before = state.pin, edit.old_setup.instruction.opcode
    now = state.setup.instruction.opcode
    old_notes, notes = edit.old_setup.annotations, state.setup.annotations
    if old_notes != NOTHING == notes and edit.old_setup.line != state.setup.line:
        text = f"Title, caption and notes of {before} are dropped"
        yield ShowHint(text, keys=(("edit.undo", "restores them"),))
    if pin is not None and pin.instruction.opcode == before != now:
        text = f"The pin waits for {before}: it is not compared with {now}"
        yield ShowHint(text, keys=(("pin", "unpins it"),))
    if state.cursor is not None and (name := state.find_computed_operand(edit)):
        yield _refuse_edit(state, name)


def _refuse_edit(state: ExplorerState, name: str) -> ShowHint:
    cursor = state.cursor
    if cursor and name in cursor.program_run.program.constants:
        return refuse(f"{name} is a constant of the asm statement")
    return refuse(f"{name} is computed by the listing: edit its inputs instead")


# --- the line and the instruction ------------------------------------------------------------


def type_line(state: ExplorerState, text: str, *, is_pasted: bool = False) -> Requests:
    """Apply the typed line as part of one edit."""
    yield from report_edit(state, state.type_line(text, is_pasted=is_pasted))


def check_fix(state: ExplorerState) -> ShowHint | None:
    """Return why no word of the line can be replaced, or None."""
    error = state.setup.error
    if error is None:
        return ShowHint("There is no error to fix")
    if error.fix is not None:
        return None
    hint = error.errors[0].hint
    allowed = f" · allowed: {make_printable(hint)}" if hint else ""
    return ShowHint(f"The error has no single fix{allowed}")


def fix_line(state: ExplorerState) -> Requests:
    """Replace the wrong word by the suggestion."""
    setup = state.setup
    if setup.error and setup.error.fix:
        (start, end), fix = setup.error.fix
        line = setup.line[:start] + fix + setup.line[end:]
        yield from edit(state, edits.with_line(setup, line))


def open_instruction(
    state: ExplorerState, ins: Instruction, values: Mapping[str, int] | None = None
) -> Requests:
    """Open an instruction, with values of registers by name."""
    state.add_recent(ins.opcode)
    setup = edits.with_instruction(state.setup, ins)
    yield from edit(state, edits.with_registers(setup, values or {}))


def open_choice(state: ExplorerState, opcode: str, intrinsic: Intrinsic | None = None) -> Requests:
    """Open an instruction of the browser, also by a CUDA intrinsic."""
    if intrinsic is None:
        state.add_recent(opcode)
        yield from edit(state, edits.with_opcode(state.setup, opcode))
    else:
        yield from open_instruction(state, parse(intrinsic.ptx))
        differs = intrinsic.differs or "it computes the same"
        yield Notify(differs, intrinsic.name, seconds=10)
    yield Act("leave_browser")


def set_slot(state: ExplorerState, slot: str, value: object) -> Requests:
    """Apply another modifier."""
    yield from edit(state, edits.with_choice(state.setup, slot, value))


def choose_option(
    state: ExplorerState,  # noqa: ARG001
    take: Callable[[Any], None],
    title: str,
    options: Sequence[object],
    index: int,
    offset: object,
) -> Requests:
    """Offer the options of a slot at a place of the screen; ``take`` gets the choice."""
    chosen = yield Open("dialogs.prompts:ChoicePopup", (title, options, index, offset))
    if chosen is not None:
        take(options[chosen])


def switch_model(state: ExplorerState) -> Requests:
    """Switch to the next answer: isa, ptxas, and an older ptxas if its answer differs."""
    setup, deviations = state.setup, state.session.deviations
    others = [deviation.other.model.name for deviation in deviations]
    names = ["isa", *dict.fromkeys([PTXAS_MODELS[0].name, *others])]
    index = names.index(setup.model) if setup.model in names else 0
    yield from edit(state, edits.with_model(setup, names[(index + 1) % len(names)]))


# --- operands --------------------------------------------------------------------------------


def set_value(state: ExplorerState, role: str, bits: int, *, coalesce: bool = False) -> Requests:
    """Apply a value of an operand."""
    yield from edit(state, edits.with_value(state.setup, role, bits), coalesce=coalesce)


def enter_value(state: ExplorerState, role: str, bits: int, *, has_moved: bool) -> Requests:
    """Apply a typed value, and return from its field unless the focus has moved."""
    if not has_moved:
        yield Act("go_back")
    yield from set_value(state, role, bits)


def refuse_value(state: ExplorerState, reason: str) -> Requests:  # noqa: ARG001
    """Explain why a value is unchanged."""
    yield refuse(reason)


def ask_value(state: ExplorerState, field: Any, start: str, place: Place | None = None) -> Requests:
    """Ask for an operand's value, unless a listing computes it."""
    if state.cursor and (name := state.cursor.find_computed_register(state.setup, field.role)):
        yield _refuse_edit(state, name)
    else:
        yield AskValue(field, start, place)


def offer_values(state: ExplorerState, role: str) -> Requests:
    """Offer edge cases for an operand."""
    ins = state.setup.instruction
    edge_cases = edits.list_edge_cases(ins.type_of(role), ins.count_lanes(role))
    width = ins.type_of(role).bits
    items = [
        MenuItem(name, "" if name == (text := format_hex(bits, width)) else text)
        for name, bits in edge_cases
    ]
    title = f"Edge cases for {format_operand_name(state.trace, role)}"
    index = yield AskItem(title, items, 0)
    if index is not None:
        yield from set_value(state, role, edge_cases[index][1])


def randomize_values(state: ExplorerState) -> Requests:
    """Set the source operands to random values."""
    yield from edit(state, edits.randomize_values(state.setup, state.random))


def swap_operands(state: ExplorerState) -> Requests:
    """Exchange a and b."""
    yield from edit(state, edits.swap_operands(state.setup))


# --- undo ------------------------------------------------------------------------------------


def check_undo(state: ExplorerState) -> ShowHint | None:
    """Return that there is no edit to undo, or None."""
    return None if state.session.undo_history else ShowHint("There is no edit to undo")


def check_redo(state: ExplorerState) -> ShowHint | None:
    """Return that there is no edit to redo, or None."""
    return None if state.session.redo_history else ShowHint("There is no edit to redo")


def undo(state: ExplorerState) -> Requests:
    """Undo the last edit and describe it."""
    after = state.session.moment
    state.undo()
    edit = describe_edit(state.session.moment, after)
    yield ShowOutcome("Undone", make_printable(edit), (("edit.redo", "restores it"),))


def redo(state: ExplorerState) -> Requests:
    """Redo the last undone edit and describe it."""
    before = state.session.moment
    state.redo()
    edit = describe_edit(before, state.session.moment)
    yield ShowOutcome("Restored", make_printable(edit), (("edit.undo", "undoes it"),))
