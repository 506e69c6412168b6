"""The line as it is typed: while it is a block, it is open at its last step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...engine.syntax.errors import PtxError
from ...engine.tracing.basic_block import BasicBlock
from ...state.edits import with_line
from ...state.explorer_state import ExplorerState
from ...state.open_block import find_typed_block, open_block
from ...state.open_listing import ListingCursor
from ...state.setup import Setup, find_register_constants


def type_statements(state: ExplorerState, text: str) -> None:
    """Apply a typed line; further typing joins this edit."""
    state.type_setup(*with_statements(state.setup, state.cursor, text))


def with_statements(
    setup: Setup, cursor: ListingCursor | None, text: str
) -> tuple[Setup, ListingCursor | None]:
    """Return the setup with another line, and, for a block, the cursor at its end.

    The cursor is None for one instruction. If the line has an error, only the error changes.
    """
    user_values = _map_values(setup, cursor)
    alone = with_line(replace(setup, place=None, is_detached=False), text)
    if cursor is not None and alone.error is None:  # its roles belonged to a statement
        pairs = alone.instruction.names.items()
        values = {
            role: user_values[x] for role, name in pairs for x in (role, name) if x in user_values
        }
        alone = replace(alone, values=values | find_register_constants(alone.instruction))
    block, error = None, alone.error
    try:
        block = find_typed_block(alone)
    except PtxError as failure:
        error = failure
    if block is not None:
        return open_typed_block(block, setup, user_values)
    return (alone, None) if error is None else (replace(setup, line=text, error=error), cursor)


def open_typed_block(
    block: BasicBlock, setup: Setup, values: Mapping[str, int]
) -> tuple[Setup, ListingCursor]:
    """Return the setup of a block's last statement, and its cursor; values are kept by name."""
    known_values = {
        operand.name: values[operand.name] & (1 << operand.type.bits) - 1
        for operand in block.inputs
        if operand.name in values
    }
    cursor = open_block(block, setup.model, known_values).move_by(len(block.statements))
    return cursor.make_setup(setup), cursor


def _map_values(setup: Setup, cursor: ListingCursor | None) -> Mapping[str, int]:
    """Return the user's values by register, or by role for an old instruction."""
    if cursor is not None:
        return cursor.listing.inputs_by_program[cursor.program]
    names = setup.instruction.names
    named = {names[role]: bits for role, bits in setup.values.items() if role in names}
    return {**setup.values, **named}
