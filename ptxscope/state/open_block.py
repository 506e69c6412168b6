"""A line of several statements: a block that opens as a listing, or a listing."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

from ..engine.syntax.errors import NotOneError, PtxError
from ..engine.syntax.parser import OMISSION_PREFIX, scan
from .setup import Setup

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
