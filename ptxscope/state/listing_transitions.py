"""Transitions of an open listing: opening, moving, expected values, runs, checks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..engine.syntax.errors import PtxError, make_printable
from ..feature import find_command
from .edit_transitions import edit, open_instruction, report_edit
from .edits import with_line
from .explorer_state import ExplorerState
from .requests import Act, AskText, Focus, Notify, Requests, ShowHint, ShowOutcome, refuse

if TYPE_CHECKING:
    from .open_listing import ListingCursor


def check_listing(state: ExplorerState) -> ShowHint | None:
    """Return that no listing is open, or None."""
    keys = (("listing.open", "opens one, or paste it"),)
    return None if state.cursor else ShowHint("No listing is open", keys=keys)


# --- opening ---------------------------------------------------------------------------------


def paste_text(state: ExplorerState, text: str) -> Requests:
    """Open a pasted instruction, or several as a listing, or report errors."""
    from ..blocks.block_parser import MAX_STATEMENTS, find_block
    from ..engine.syntax.asm_bindings import parse_pasted
    from ..engine.syntax.parser import scan
    from ..engine.syntax.values import parse_value
    from .open_block import open_block
    from .open_listing import MAX_CHARS

    if len(text) > MAX_CHARS:
        hint = "; `ptxscope check` reads a file of any length" if find_command("check") else ""
        yield Notify(f"more than {MAX_CHARS:,} characters{hint}", "Not pasted", "warning")
        return
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # as terminals pass lines on
    statements = list(scan(text))
    block, is_listing = None, len(statements) > 1
    if len(statements) <= MAX_STATEMENTS:
        try:
            block = find_block(text)
        except PtxError:  # another statement writes registers
            is_listing = True
    if block is not None:
        yield from open_cursor(state, open_block(block, state.setup.model))
        return
    if is_listing and any(item.instruction for item in statements):
        yield from open_text(state, text, "pasted")
        return
    line, assignments = _split_values(text)
    try:
        ins = parse_pasted(line)
    except PtxError:
        line = " ".join(make_printable(text).split())
        yield from edit(state, with_line(state.setup, line))
        yield Focus("line")
        return
    values: Mapping[str, int] = {}
    if not assignments.keys() <= set(ins.names.values()):
        ins = parse_pasted(text)
    else:
        types = {name: ins.type_of(role) for role, name in ins.names.items()}
        try:
            values = {name: parse_value(x, types[name]) for name, x in assignments.items()}
        except PtxError as error:
            yield refuse(f"nothing is pasted: {error.message}")
            return
    yield from open_instruction(state, ins, values)


def _split_values(text: str) -> tuple[str, dict[str, str]]:
    """Split a text from the assignments at its end: ``…; a=-100 b=0x7f``."""
    line, is_ended, rest = text.rpartition(";")
    pairs = [word.partition("=") for word in rest.split()]
    if not is_ended or not all(name and value for name, _, value in pairs):
        return text, {}
    return f"{line};", {name: value for name, _, value in pairs}


def open_typed_text(state: ExplorerState, text: str) -> Requests:
    """Open a typed line of several instructions as if it were pasted."""
    from .open_block import describe_opening

    if text == state.setup.line and describe_opening(state.setup):
        yield from paste_text(state, text)


def open_text(state: ExplorerState, text: str, name: str) -> Requests:
    """Open a text as a listing, at its first instruction."""
    from .open_listing import open_listing

    cursor = open_listing(text, name, state.setup.model)
    if cursor is None:
        yield Notify(name, "It has no instruction that ptxscope explains")
    else:
        yield from open_cursor(state, cursor)


def open_cursor(state: ExplorerState, cursor: ListingCursor, *, is_first: bool = False) -> Requests:
    """Open a listing beside the trace; with ``is_first``, undo ends there.

    A block begins at the first step of its first statement, and the keys for steps pass through all
    statements.
    """
    from ..learn.practice import pick_block_values

    yield from go_to(state, cursor)
    block = cursor.listing.block
    if block is not None:
        state.go_to_step(1)
    if is_first:
        state.session.undo_history.clear()
    yield Focus("listing")
    if block is not None and cursor.listing.inputs_by_program == (pick_block_values(block),):
        keys = ("edit.random", "draws others"), ("go.operands", "types yours")
        yield ShowHint("These values are an example", keys=keys)


def ask_file(state: ExplorerState, name: str = "") -> Requests:
    """Ask for a listing, or a source with inline assembly, and open it."""
    name = yield AskText("Open a listing", "file", name, "a .ptx, .cu, .c or .py file", "open it")
    if name and name.strip():
        yield from open_file(state, name.strip())


def open_file(state: ExplorerState, name: str) -> Requests:
    """Open a file as a listing, or report the problem and ask again."""
    from .open_listing import read_listing

    try:
        text = read_listing(name)
    except ValueError as error:
        yield Notify(str(error), "Not opened", "error")
        yield from ask_file(state, name)
        return
    yield from open_text(state, text, Path(name).name)


# --- moving ----------------------------------------------------------------------------------


def focus_listing(state: ExplorerState) -> Requests:
    """Focus the listing, or ask for one if none is open."""
    if state.cursor is not None:
        yield Focus("listing")
    else:
        yield Act("end_typing")
        yield from ask_file(state)


def go_to(state: ExplorerState, cursor: ListingCursor) -> Requests:
    """Show a listing, and the evaluation of the statement under its cursor."""
    yield Act("show_listing", (True,))
    yield from report_edit(state, state.show_statement(cursor))


def go_by(state: ExplorerState, delta: int) -> Requests:
    """Go to another instruction of the listing."""
    if state.cursor is not None:
        yield from go_to(state, state.cursor.move_by(delta))


# --- questions -------------------------------------------------------------------------------


def ask_observation(state: ExplorerState, text: str = "") -> Requests:
    """Ask for a register's observed value at the end, and go to the cause of a difference."""
    title, hint = "What did a register hold at the end?", "%r7=0x7f, %r7=0x??01??00"
    text = yield AskText(title, "observed", text, hint, "find what wrote it")
    before = state.cursor
    if not text or not text.strip() or before is None:
        return
    try:
        cursor, message = before.find_culprit(text)
    except PtxError as error:
        yield Notify(error.message, severity="error")
        yield from ask_observation(state, text)
        return
    if cursor is not before and cursor.is_explained:
        yield from go_to(state, cursor)
    yield ShowOutcome("Observed", make_printable(message))
