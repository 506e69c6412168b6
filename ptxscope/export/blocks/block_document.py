"""The content of a block's trace: a document for each statement, and the registers around them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from ... import __version__
from ...engine.blocks.basic_block import BlockStatement
from ...engine.blocks.block_trace import BlockTrace
from ...engine.isa.types import Type
from ...engine.isa.value_text import format_hex, format_value
from ...engine.records import NamedTuple
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, format_versions
from ...engine.syntax.errors import make_printable, quote_value
from ...engine.tracing.operand_bits import Signature
from ..content.document import (
    Document,
    OperandView,
    ResultView,
    build_document,
    list_annotation_words,
)
from ..content.sanitizer import sanitize_text
from ..options import DEFAULT, Options


class StatementSection(NamedTuple):
    """A statement of a block."""

    statement: BlockStatement
    heading: str
    """The statement as written."""
    doc: Document
    """Its document; the numbers of its steps go through all statements."""
    notes: tuple[str, ...]
    is_folded: bool
    """Whether its steps are left out."""


class BlockDocument(NamedTuple):
    """The whole content of a block's trace."""

    trace: BlockTrace
    title: str
    ptx: str
    """The statements, one to a line."""
    model: str
    operands: tuple[OperandView, ...]
    """The registers that the block is given."""
    sections: tuple[StatementSection, ...]
    results: tuple[ResultView, ...]
    no_result: str
    notes: tuple[str, ...]
    caption: str
    source: str
    command: str
    """Shell command that reproduces this document."""
    words: tuple[str, ...]
    """Words of that command."""

    @property
    def count_text(self) -> str:
        """The number of statements, in words."""
        count = len(self.sections)
        return f"{count} statement{'s' * (count != 1)}"


_STAGE_OPTIONS = ("both", "stages", "result", "slide", "is_early")
"""Fields of ``Options`` that choose steps of one instruction."""


def build_block_document(trace: BlockTrace, options: Options = DEFAULT) -> BlockDocument:
    """Return the document of a block.

    Raise ValueError for an option that is only for one instruction, and for a statement to fold
    that the block lacks.
    """
    for name in _STAGE_OPTIONS:
        if getattr(options, name) != getattr(DEFAULT, name):
            raise ValueError(
                f"the option {name} is for one instruction; a block of several is shortened "
                "by folding statements"
            )
    block, count = trace.block, len(trace.parts)
    if unknown := sorted(options.folded - {*range(1, count + 1)}):
        raise ValueError(f"there is no statement {unknown[0]} to fold; the block has {count}")
    numbers = dict.fromkeys(x.instruction.entry.section for x in block.statements)
    return BlockDocument(
        trace,
        sanitize_text(trace.annotations.title),
        "\n".join(map(make_printable, block.lines)),
        trace.model.name,
        tuple(
            _make_operand_view(block, x.roles[0], trace.operands[x.roles[0]]) for x in block.inputs
        ),
        tuple(_iter_sections(trace, options)),
        tuple(
            ResultView(
                make_printable(name),
                format_hex(trace.result[name], block.type_of(role).bits),
                format_value(trace.result[name], block.type_of(role)),
            )
            for role, name in block.results.items()
        ),
        "",
        (*map(make_printable, block.notes), *_iter_differences(trace)),
        sanitize_text(trace.annotations.caption),
        f"PTX ISA {', '.join(numbers)}; ptxscope {__version__}",
        format_block_command(trace, options),
        list_block_command_words(trace, options),
    )


def _make_operand_view(block: Signature, role: str, bits: int) -> OperandView:
    type_ = block.type_of(role)
    name = make_printable(block.format_operand(role))
    return OperandView(role, "", name, format_hex(bits, type_.bits), format_value(bits, type_))


def _iter_sections(trace: BlockTrace, options: Options) -> Iterator[StatementSection]:
    """Yield the statements; the source of each operand is beside its value."""
    step_count = 0
    for statement, part in trace.statements:
        doc = build_document(part, options._replace(folded=DEFAULT.folded))
        steps = tuple(x._replace(number=step_count + x.number) for x in doc.steps)
        operands = tuple(
            x._replace(meant=x.meant + format_origin(statement, x.role)) for x in doc.operands
        )
        step_count += len(steps)
        yield StatementSection(
            statement,
            make_printable(f"{statement.number}. {statement.text}"),
            doc._replace(steps=steps, operands=operands),
            doc.notes,
            statement.number in options.folded,
        )


def format_origin(statement: BlockStatement, role: str) -> str:
    """Return where an operand comes from, after its value: ``, of statement 1``.

    It is empty for a literal, and for a register that the block is given under this name.
    """
    place = statement.reads.get(role)
    if place is None:
        return ""
    if place.statement:
        return f", of statement {place.statement}"
    is_named = statement.instruction.format_operand(role) == place.role
    return "" if is_named else f", of {make_printable(place.role)}"


def _iter_differences(trace: BlockTrace) -> Iterator[str]:
    """Yield a sentence for each result that known assemblers compute instead of the documented."""
    isa = trace.with_model(ISA_MODEL)
    answers: dict[tuple[int, ...], list[BlockTrace]] = {}
    for other in map(trace.with_model, PTXAS_MODELS):
        answers.setdefault(tuple(other.result.values()), []).append(other)
    for others in answers.values():
        other = others[0]
        if other.result == isa.result:
            continue
        number, part = next(
            (number, x)
            for number, (x, y) in enumerate(zip(other.parts, isa.parts, strict=True), 1)
            if x.result != y.result
        )
        values = ", ".join(
            f"{name} = {format_hex(other.result[name], trace.block.type_of(role).bits)}"
            for role, name in trace.block.results.items()
        )
        versions = format_versions([x.model for x in others], part.instruction.form)
        errata = ", ".join(part.errata)
        yield make_printable(
            f"ptxas {versions} gives {values}: statement {number} is the first that differs"
            + f", by {errata}" * bool(errata)
        )


def format_block_command(trace: BlockTrace, options: Options = DEFAULT) -> str:
    """Format the shell command that reproduces the document of a block."""
    return shlex.join(list_block_command_words(trace, options))


def list_block_command_words(trace: BlockTrace, options: Options = DEFAULT) -> tuple[str, ...]:
    """Return the words of that command."""
    return tuple(map(sanitize_text, _iter_command_words(trace, options)))


def _iter_command_words(trace: BlockTrace, options: Options) -> Iterator[str]:
    block = trace.block
    yield from ("ptxscope", "trace", str(block))
    for source in block.inputs:
        bits = trace.operands[source.roles[0]]
        is_truth = source.type is Type.PRED
        yield f"{source.name}={bits if is_truth else format_hex(bits, source.type.bits)}"
    yield from list_annotation_words(trace.annotations, trace.model, options)
    if options.folded:
        yield f"--fold={format_folded(options.folded, len(block.statements))}"


_BUT_LAST = "but-last"


def parse_folded(text: str, count: int) -> frozenset[int]:
    """Parse the statements to fold: ``2-4,6``, ``all``, or ``but-last``; raise ValueError."""
    if text in ("all", _BUT_LAST):
        return frozenset(range(1, count + (text == "all")))
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*+(\d{1,3})(?:\s*+-\s*+(\d{1,3}))?\s*+", part)
        if not match or not 0 < int(match[1]) <= int(match[2] or match[1]) <= count:
            raise ValueError(
                f"{quote_value(part)} is not a statement; there are 1 to {count}, "
                f"as in 2-4,6, all, or {_BUT_LAST}"
            )
        numbers |= {*range(int(match[1]), int(match[2] or match[1]) + 1)}
    return frozenset(numbers)


def format_folded(numbers: frozenset[int], count: int) -> str:
    """Return the statements to fold as ``parse_folded`` reads them."""
    names = {frozenset(range(1, count + 1)): "all", frozenset(range(1, count)): _BUT_LAST}
    return names.get(numbers) or ",".join(map(str, sorted(numbers)))
