"""A line of several statements: a block that opens as a listing, or a listing."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ..engine.syntax.errors import NotOneError, PtxError
from ..engine.syntax.parser import OMISSION_PREFIX, scan
from .edits import with_line
from .setup import Setup, find_register_constants

if TYPE_CHECKING:
    from ..engine.program.statement import Statement
    from ..engine.tracing.basic_block import BasicBlock, BlockStatement
    from .open_listing import ListingCursor


def describe_opening(setup: Setup) -> str:
    """Return the kind that Enter opens: ``block`` or ``listing``; empty for one instruction."""
    try:
        block = find_typed_block(setup)
    except PtxError:  # another statement writes registers
        return "listing"
    if block:
        return "block"
    has_several = isinstance(setup.error, NotOneError)
    return "listing" if has_several and len([*scan(setup.line)]) > 1 else ""


def find_typed_block(setup: Setup) -> BasicBlock | None:
    """Return the line as a block; None unless it has several instructions.

    Raise PtxError if one of several statements cannot be computed.
    """
    has_omission = setup.error is None and any(
        note.startswith(OMISSION_PREFIX) for note in setup.instruction.notes
    )
    has_several = has_omission or isinstance(setup.error, NotOneError)
    # one statement outside the catalog may be equal to several instructions
    has_list = setup.error is not None and "{" in setup.line
    if not has_several and not has_list:
        return None
    from ..blocks.block_parser import find_block  # only for such a line

    with nullcontext() if has_several else suppress(PtxError):
        return find_block(setup.line)
    return None


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


# --- opening a block -------------------------------------------------------------------------


def open_block(
    block: BasicBlock, model_name: str = "isa", values: Mapping[str, int] | None = None
) -> ListingCursor:
    """Open a block at its first statement; registers without a value get edge cases."""
    from ..engine.program.program import map_types
    from ..learn.practice import pick_block_values
    from ..sources.source_programs import load
    from .open_listing import ListingCursor, OpenListing

    texts = {(x.line, x.whole_text or x.text) for x in block.statements}
    programs = load(block.text, is_excerpt=True)
    program = next(x for x in programs if texts <= {(y.line, y.text) for y in x.statements})
    rest = deque(block.statements)
    statements: list[Statement] = []
    for statement in program.statements:
        parts: list[Statement] = []
        while rest and _is_part(statement, rest[0], is_first=not parts):
            parts.append(_make_part(statement, rest.popleft()))
        statements += parts or [statement]
    statements = [x._replace(number=number) for number, x in enumerate(statements)]
    program = program._replace(statements=tuple(statements), types=map_types(statements))
    inputs = {**pick_block_values(block), **(values or {})}
    listing = OpenListing((program,), (inputs,), model_name, "pasted", block.text, block)
    first = next(i for i, x in enumerate(statements) if x.explained_instruction)
    return ListingCursor(listing, 0, first)


def _is_part(statement: Statement, x: BlockStatement, *, is_first: bool) -> bool:
    """Whether a block statement computes a statement, or a part of it."""
    if x.whole_text:
        return x.whole_text == statement.text
    return x.text == statement.text and is_first


def _make_part(statement: Statement, part: BlockStatement) -> Statement:
    from ..engine.program.statement import StatementKind

    ins = statement.explained_instruction or part.instruction
    return statement._replace(
        kind=StatementKind.INSTRUCTION,
        text=part.text,
        writes=tuple(ins.results.values()),
        instruction=ins,
        move=None,
    )
