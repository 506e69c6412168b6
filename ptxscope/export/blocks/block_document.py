"""The content of a block's trace: a document for each statement, and the registers around them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import groupby

from ... import __version__
from ...engine.blocks.basic_block import BlockStatement
from ...engine.blocks.block_trace import BlockTrace
from ...engine.isa.types import Type
from ...engine.isa.value_text import format_hex, format_value
from ...engine.records import NamedTuple
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, format_versions
from ...engine.semantics.plan import Plan
from ...engine.syntax.errors import make_printable, quote_value
from ...engine.tracing.lane_text import interpret_bits
from ...engine.tracing.operand_bits import Signature
from ...engine.tracing.trace import Trace
from ..content.document import (
    AGREED,
    NOT_SHOWN,
    Document,
    OperandView,
    ResultView,
    StepView,
    build_document,
    describe_omission,
    list_annotation_words,
)
from ..content.hidden_rows import find_revealing_rows
from ..content.option_support import has_effect
from ..content.sanitizer import sanitize_text
from ..options import DEFAULT, Options


class StatementSection(NamedTuple):
    """A statement of a block."""

    statement: BlockStatement
    heading: str
    """The statement as written, with the model if two are shown."""
    doc: Document
    """Its document; the numbers of its steps go through all statements."""
    options: Options
    """The part of its trace that is shown."""
    step_count: int
    """The number of steps of the statements before it."""
    is_folded: bool
    """Whether its steps are left out."""
    is_other: bool = False
    """Whether it is evaluated under the other model."""

    @property
    def key(self) -> str:
        """Its name in a document: ``s2``, or ``s2-other`` under the other model."""
        return f"s{self.statement.number}" + "-other" * self.is_other

    @property
    def is_hidden(self) -> bool:
        """Whether its line is all that is shown, because its values come after those shown."""
        return not self.doc.steps and not self.options.result

    @property
    def branch(self) -> str:
        """The prefix of its values in a picture: ``s2.``."""
        return f"{self.key}."


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
    """The statements in order, each that differs followed by itself under the other model."""
    steps: tuple[StepView, ...]
    """The shown steps of all statements that are not folded."""
    results: tuple[ResultView, ...]
    no_result: str
    notes: tuple[str, ...]
    agreement: str
    """Sentence that both answers agree, if both are requested; otherwise empty."""
    caption: str
    source: str
    command: str
    """Shell command that reproduces this document."""
    words: tuple[str, ...]
    """Words of that command."""
    other: BlockTrace | None = None
    """The trace under the other model, if its steps are shown."""

    @property
    def count_text(self) -> str:
        """The number of statements, in words."""
        count = len(self.trace.parts)
        return f"{count} statement{'s' * (count != 1)}"

    @property
    def name(self) -> str:
        """The title, or the number of statements."""
        return self.title or self.count_text

    @property
    def subject(self) -> str:
        """The given registers with their bits."""
        return ", ".join(f"{x.name} = {x.bits}" for x in self.operands) or self.count_text

    def with_steps(self, steps: tuple[StepView, ...]) -> BlockDocument:
        """Return the document with some of its steps."""
        return self._replace(steps=steps)

    def take_steps(self, count: int, title: str) -> BlockDocument:
        """Return the document up to a step, without the results unless that is the last one."""
        if count == len(self.steps):
            return self._replace(title=title)
        return self._replace(title=title, steps=self.steps[:count], results=(), agreement="")


def build_block_document(trace: BlockTrace, options: Options = DEFAULT) -> BlockDocument:
    """Return the document of a block.

    Raise ValueError for a statement to fold that the block lacks.
    """
    block, count = trace.block, len(trace.parts)
    if unknown := sorted(options.folded - {*range(1, count + 1)}):
        raise ValueError(f"there is no statement {unknown[0]} to fold; the block has {count}")
    other = find_other(trace) if options.both else None
    sections = tuple(_iter_sections(trace, other, options))
    return BlockDocument(
        trace,
        sanitize_text(trace.annotations.title),
        "\n".join(map(make_printable, block.lines)),
        trace.model.name,
        tuple(
            _make_operand_view(block, x.roles[0], trace.operands[x.roles[0]]) for x in block.inputs
        ),
        sections,
        tuple(step for x in sections if not (x.is_folded or x.is_other) for step in x.doc.steps),
        tuple(
            ResultView(
                make_printable(name),
                format_hex(trace.result[name], block.type_of(role).bits),
                _interpret_result(trace, name),
            )
            for role, name in block.results.items()
            if options.result
        ),
        "" if options.result else NOT_SHOWN,
        (*map(make_printable, block.notes), *(_iter_differences(trace) if options.result else ())),
        AGREED if options.both and options.result and not other else "",
        sanitize_text(trace.annotations.caption),
        f"PTX ISA {', '.join(block.sections)}; ptxscope {__version__}",
        format_block_command(trace, options),
        list_block_command_words(trace, options),
        other,
    )


def _interpret_result(trace: BlockTrace, name: str) -> str:
    """Return the meaning of a result as its statement has it: the lanes of an instruction's."""
    place, bits = trace.block.outputs[name], trace.result[name]
    if not place.statement:
        return format_value(bits, trace.block.type_of(place.key))
    return interpret_bits(trace.parts[place.statement - 1].instruction, place.role, bits)


def find_other(trace: BlockTrace) -> BlockTrace | None:
    """Return the trace under another model that has other results, or other values on the way.

    It is the documentation if the model is that of an assembler.
    """
    models = (ISA_MODEL,) if trace.model.errata else PTXAS_MODELS
    others = [x for x in map(trace.with_model, models) if any(_iter_differing(trace, x))]
    return next((x for x in others if x.result != trace.result), others[0] if others else None)


def _iter_differing(trace: BlockTrace, other: BlockTrace) -> Iterator[int]:
    """Yield the numbers of the statements that read or write other values in another trace."""
    for number, (x, y) in enumerate(zip(trace.parts, other.parts, strict=True), 1):
        if x.operands != y.operands or x.result != y.result:
            yield number


def _make_operand_view(block: Signature, role: str, bits: int) -> OperandView:
    type_ = block.type_of(role)
    name = make_printable(block.format_operand(role))
    return OperandView(role, "", name, format_hex(bits, type_.bits), format_value(bits, type_))


def _iter_sections(
    trace: BlockTrace, other: BlockTrace | None, options: Options
) -> Iterator[StatementSection]:
    """Yield the statements, those that differ under both models."""
    differing = frozenset(_iter_differing(trace, other)) if other else frozenset()
    hidden = frozenset() if options.result or options.is_early else find_revealing_rows(trace)
    pairs = zip(trace.statements, other.parts if other else trace.parts, strict=True)
    step_count = 0
    for (statement, part), other_part in pairs:
        part_options = _choose_part(statement, part, step_count, options, trace.plan, hidden)
        is_two = statement.number in differing
        for is_other, own_part in enumerate((part, other_part)[: 1 + is_two]):
            doc = build_statement_document(statement, own_part, part_options, step_count)
            heading = f"{statement.number}. {statement.text}"
            yield StatementSection(
                statement,
                make_printable(heading + f" ({own_part.model.name})" * is_two),
                doc._replace(answers=None if is_two else doc.answers),
                part_options,
                step_count,
                statement.number in options.folded or not doc.steps,
                bool(is_other),
            )
        step_count += len(part.steps)


def build_statement_document(
    statement: BlockStatement, part: Trace, options: Options, step_count: int
) -> Document:
    """Return the document of a statement; the source of each operand is beside its value.

    ``step_count`` is the number of steps before it.
    """
    doc = build_document(part, options)
    return doc._replace(
        steps=tuple(
            x._replace(number=step_count + x.number, prefix=statement.prefix) for x in doc.steps
        ),
        operands=tuple(
            x._replace(meant=x.meant + format_origin(statement, x.role)) for x in doc.operands
        ),
        omission=describe_omission(part, options, step_count),
    )


def _choose_part(
    statement: BlockStatement,
    part: Trace,
    step_count: int,
    options: Options,
    plan: Plan,
    hidden: frozenset[str],
) -> Options:
    """Return the options that show of a statement what the options show of the block."""
    stages = [
        step.stage
        for step in part.steps
        if options.shows(step.stage) and options.shows_number(step_count + step.number)
    ]
    is_early = options.is_early and part.steps[-1].stage not in stages
    own_rows = [row for row in plan.rows if row.key.startswith(statement.prefix)]
    own_keys = {row.key for row in own_rows}
    if any(x in hidden - own_keys for row in own_rows for x in row.inputs):
        stages = []  # its registers would reveal the result
    return options._replace(
        both=False,
        steps=None,
        folded=DEFAULT.folded,
        stages=None if len(stages) == len(part.steps) else frozenset(stages),
        result=not (is_early or own_keys & hidden),
        is_early=is_early,
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
    if has_effect("steps", options.format):
        yield from _iter_part_words(options, len(trace.steps))
    if options.folded:
        yield f"--fold={format_folded(options.folded, len(block.statements))}"


def _iter_part_words(options: Options, count: int) -> Iterator[str]:
    """Yield the options that show a part of a block of ``count`` steps."""
    numbers = sorted(options.steps or ())
    if numbers and options.is_early and numbers == [*range(1, len(numbers) + 1)]:
        yield from ("--until", str(numbers[-1]))
        return
    if numbers and len(numbers) < count:
        runs = groupby(enumerate(numbers), lambda x: x[1] - x[0])
        ends = [[number for _, number in run] for _, run in runs]
        yield from ("--steps", ",".join("-".join(map(str, sorted({x[0], x[-1]}))) for x in ends))
    if not options.result:
        yield "--no-result"


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
