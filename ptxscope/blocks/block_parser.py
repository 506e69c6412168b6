"""Basic blocks from pasted text, or from lines of a file: parsed, traced, evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..engine.program.program import Program
from ..engine.program.statement import Statement, StatementKind
from ..engine.records import FrozenDict
from ..engine.semantics.models import Model
from ..engine.syntax.errors import NotOneError, Problem, PtxError, Span, quote_word
from ..engine.syntax.intrinsic_calls import has_calls
from ..engine.syntax.opcodes import LOADS, OTHER_OPCODES
from ..engine.syntax.parser import parse
from ..engine.tracing.basic_block import BasicBlock
from ..engine.tracing.evaluation import Scalar, evaluate_plan, merge_values
from ..engine.tracing.operand_bits import check_argument
from ..engine.tracing.trace import Trace, trace_program
from ..sources.source_programs import load
from .block_reader import BlockReader

if TYPE_CHECKING:
    from ..engine.tracing.evaluation import Given, Outputs, Value

MAX_STATEMENTS = 64
"""Maximum statements of a block meant for reading."""


def parse_block(
    text: str,
    name: str = "",
    lines: range | None = None,
    *,
    with_memory: bool = False,
    max_statements: int = MAX_STATEMENTS,
) -> BasicBlock:
    """Parse a straight line of statements: plain PTX, in braces, or an ``asm`` statement.

    ``lines``, from 1, selects statements of the text of the file ``name``. Every statement is an
    instruction of the catalog. ``with_memory`` also allows loads, ``cvta`` and moves of special
    registers: they are left out, and their results become inputs. The stored values, if any, are
    then the block's results; addresses are left out. A result is a register that no later statement
    reads, and that the block does not declare in braces; in an ``asm`` statement, an output
    operand. A guarded branch to the end of the block is one of its ``guards`` if nothing is stored
    before it. Raise PtxError if there is no result, if a statement is illegal or of another kind,
    or if the text has several programs.
    """
    check_argument("text", text, str, "PTX as text")
    if lines is not None and has_calls(excerpt := _blank_other_lines(text, lines)):
        return parse_block(excerpt, max_statements=max_statements)
    loaded = load(text, name, is_excerpt=not name)
    programs = [x for x in loaded if any(map(_is_computed, _select(x, lines)))]
    if len(programs) != 1:
        if not programs and lines is None:
            _check_one_statement(text)
        for statement in (y for x in loaded if not programs for y in _select(x, lines)):
            if _is_meant_to_compute(statement):
                message = f"{quote_word(statement.name)} is not modelled in a block"
                problem = Problem(message, statement.span, "an instruction of the catalog")
                raise PtxError(text, (problem,))
        place = "" if lines is None else f" in {_format_lines(lines)}"
        count = f"{len(programs)} blocks of PTX are" if programs else "no statement is"
        span = (0, len(text.rstrip())) if lines is None else _find_line_span(text, lines)
        raise NotOneError(text, (Problem(f"{count} here{place}; one block is needed", span),))
    reader = BlockReader(text, programs[0], with_memory, max_statements)
    return reader.read(_select(programs[0], lines))


def _check_one_statement(text: str) -> None:
    """Raise PtxError for an illegal or misspelt instruction in a text without statements."""
    try:
        parse(text)
    except PtxError as error:
        if not isinstance(error, NotOneError) and not all(x.unread for x in error.errors):
            raise


def _format_lines(lines: range) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"


def _find_line_span(text: str, lines: range) -> Span:
    """Return the span of some lines of a text, from 1, without surrounding blanks."""
    written = text.split("\n")
    selected = "\n".join(written[lines[0] - 1 : lines[-1]])
    start = sum(len(line) + 1 for line in written[: lines[0] - 1])
    blanks = len(selected) - len(selected.lstrip())
    return start + blanks, start + len(selected.rstrip())


def find_block(text: str) -> BasicBlock | None:
    """Return the block of a text with several instructions.

    Return None if one instruction does the same, for statements in several blocks, and for a single
    statement that is not computed. Raise PtxError if one of several cannot be computed.
    """
    computing, results = list[Statement](), set[str]()
    for program in load(text, is_excerpt=True):
        for x in program.statements:
            # a loaded value is an input, unless it replaces a result
            is_load = x.opcode in LOADS and results.isdisjoint(x.writes)
            if x.explained_instruction or (_is_meant_to_compute(x) and not is_load):
                computing.append(x)
                results.update(x.writes)
    is_one = len(computing) == 1 and bool(computing[0].instruction)
    has_others = any(x.explained_instruction is None for x in computing)
    try:
        block = parse_block(text)
    except PtxError as error:
        if len(computing) > 1 and (has_others or not isinstance(error, NotOneError)):
            raise
        return None
    return None if is_one else block


def _is_meant_to_compute(statement: Statement) -> bool:
    """Whether a statement certainly writes a register; one with a gap may be anything."""
    if statement.kind is StatementKind.PLAIN_INSTRUCTION:
        return True
    is_ptx = bool(statement.modifiers) or statement.opcode in OTHER_OPCODES
    return (
        statement.kind is StatementKind.UNKNOWN
        and is_ptx
        and bool(statement.writes)
        and not statement.omission
    )


def _blank_other_lines(text: str, lines: range) -> str:
    """Replace all but some lines of a text with blanks; line numbers stay."""
    selected = text.split("\n")[lines.start - 1 : lines.stop - 1]
    return "\n" * (lines.start - 1) + "\n".join(selected)


def _select(program: Program, lines: range | None) -> list[Statement]:
    """Return the statements on some lines, and all braces."""
    return [x for x in program.statements if lines is None or x.is_brace or x.line in lines]


def _is_computed(statement: Statement) -> bool:
    kinds = (StatementKind.INSTRUCTION, StatementKind.PLAIN_INSTRUCTION)
    return statement.kind in kinds or bool(statement.problems)


def trace_block(
    block: str | BasicBlock,
    values: Mapping[str, Scalar] = FrozenDict(),
    *,
    model: str | Model = "isa",
    **named: Scalar,
) -> Trace:
    """Trace a block on values by register name, like ``trace``.

    The values are for the input registers, which the block reads before it writes them. Raise
    PtxError if the block is invalid, and ValueError if a value is; the message names the register.
    """
    return trace_program(read_block(block), merge_values(values, named), model=model)


def evaluate_block(
    block: str | BasicBlock,
    values: Mapping[str, Given] = FrozenDict(),
    *,
    model: str | Model = "isa",
    out: Outputs | None = None,
    **named: Given,
) -> dict[str, Value]:
    """Return the bits of a block's results by name, for integers or arrays, like ``evaluate``.

    All statements are one plan, so arrays are read once. Raise PtxError if the block is invalid,
    and ValueError if a value is.
    """
    block = read_block(block)
    operands = merge_values(values, named)
    return evaluate_plan(block, block.make_plan, operands, model=model, out=out)


def read_block(block: str | BasicBlock) -> BasicBlock:
    """Return the block, or parse a text; raise PtxError if it is invalid."""
    return block if isinstance(block, BasicBlock) else parse_block(block).without_braces()
