"""The content of a trace: its statements, steps, results and answers, in words and numbers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from ... import __version__
from ...engine.isa.encodings import format_hex, format_value
from ...engine.isa.entry import format_citation
from ...engine.isa.types import Role
from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import Flag, Stage
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, format_versions
from ...engine.semantics.plan import Plan
from ...engine.semantics.rules import ALL_ERRATA
from ...engine.syntax.errors import make_printable
from ...engine.tracing.annotations import Note
from ...engine.tracing.basic_block import BlockStatement
from ...engine.tracing.deviation import (
    find_agreeing_traces,
    find_deviation,
    find_deviations,
    has_one_answer,
)
from ...engine.tracing.step_text import (
    describe_lane,
    describe_step,
    format_result,
    format_title,
    get_part_name,
    interpret_bits,
)
from ...engine.tracing.trace import Step, StepPlace, Trace
from ..options import DEFAULT, TALL, Options
from .annotated_trace import HIDDEN_RESULT_TEXT, find_hidden_rows, find_revealing_rows
from .command_words import format_command, list_command_words
from .document import (
    Answers,
    CellView,
    Document,
    ModelAnswer,
    OperandView,
    ResultView,
    Section,
    StepView,
)
from .sanitizer import sanitize_text

NOTHING_KEPT = "nothing is written: the predicate is discarded"
"""Text instead of the results if all are discarded."""
AGREED = "One answer: on these values isa and every known ptxas agree."
NOT_SHOWN = "the result is not shown here"
"""Text instead of the results if the author hides them."""

EXTENSIONS = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}
"""Flags that the sentence of a step already mentions."""


def build_document(trace: Trace, options: Options = DEFAULT) -> Document:
    """Return the Document of a trace, or the sections of two traces side by side, without a result.

    The headings are then the lines, and the operands the common inputs; if the line is the same,
    the headings are the differing registers. Raise ValueError if a statement to fold does not
    exist.
    """
    doc = _build_document(trace, options)
    if options.beside is None:
        return doc
    docs = doc, _build_document(options.beside, options)
    inputs = [{x.name: x.bits for x in _iter_given(each.trace)} for each in docs]
    shared = dict(inputs[0].items() & inputs[1].items())
    headings = [
        ", ".join(f"{name} = {bits}" for name, bits in registers.items() if name not in shared)
        if docs[0].ptx == docs[1].ptx else ""
        for registers in inputs
    ]  # fmt: skip
    sections = tuple(
        doc.sections[0]._replace(heading=heading or doc.ptx, is_other=index > 0, answers=None)
        for index, (doc, heading) in enumerate(zip(docs, headings, strict=True))
    )
    operands = tuple(x for x in _iter_given(trace) if x.name in shared)
    sources = [_format_source(each) for each in (trace, options.beside)]
    left, right = ("On the left", "on the right") if options.layout == TALL else ("Above", "below")
    source = _format_footer(f"{left}, {sources[0]}; {right}, {sources[1]}", options)
    return doc._replace(
        sections=sections, steps=(), operands=operands, results=(), no_result="", answers=None,
        agreement="", source=source if sources[0] != sources[1] else doc.source,
    )  # fmt: skip


def _build_document(trace: Trace, options: Options) -> Document:
    """Return the Document of one trace."""
    block, count, extra = trace.block, len(trace.parts), trace.annotations
    if unknown := sorted(options.folded - {*range(1, count + 1)}):
        raise ValueError(f"there is no statement {unknown[0]} to fold; the block has {count}")
    other = find_other(trace) if options.both and count > 1 else None
    sections = tuple(_iter_sections(trace, other, options))
    first, is_only = sections[0], sections[0].is_only
    results = tuple(_iter_results(trace)) if options.result else ()
    has_agreement = has_one_answer(trace) if is_only else not other
    return Document(
        trace,
        sanitize_text(extra.title),
        "\n".join(map(make_printable, block.lines or (str(block),))),
        trace.model.name,
        first.operands if is_only else tuple(_iter_given(trace)),
        sections,
        tuple(step for x in sections if not (x.is_folded or x.is_other) for step in x.steps),
        results,
        _describe_no_result(results, options),
        first.notes if is_only else tuple(_iter_block_notes(trace, options)),
        first.answers if is_only else None,
        AGREED if options.both and options.result and has_agreement else "",
        sanitize_text(extra.caption),
        _format_footer(_format_source(trace), options),
        format_command(trace, options) if options.footer else "",
        list_command_words(trace, options) if options.footer else (),
        other,
    )


def make_section(
    statement: BlockStatement,
    part: Trace,
    options: Options,
    step_count: int = 0,
    *,
    is_only: bool = False,
) -> Section:
    """Return the section of a statement; each operand has its source beside its value.

    ``step_count`` is the number of earlier steps.
    """
    results = tuple(_iter_results(part)) if options.result else ()
    hidden = find_hidden_rows(part, options)
    steps = (
        _make_step_view(part, step, hidden)._replace(
            number=step_count + step.number, prefix=statement.prefix
        )
        for step in part.steps
        if options.shows(step.place)
    )
    return Section(
        part,
        statement,
        "" if is_only else make_printable(f"{statement.number}. {statement.text}"),
        tuple(
            operand._replace(meant=operand.meant + format_origin(statement, operand.role))
            for operand in _iter_operands(part)
        ),
        tuple(steps),
        describe_omission(part, options, step_count),
        results,
        _describe_no_result(results, options),
        tuple(map(make_printable, part.notes)),
        _format_notes(part.annotations.on_lanes),
        _make_answers(part, options),
        options,
        step_count,
        is_only=is_only,
    )


def _iter_sections(trace: Trace, other: Trace | None, options: Options) -> Iterator[Section]:
    """Yield the statements; differing ones under both models."""
    if len(trace.parts) == 1:
        ((statement, part),) = trace.statements
        section = make_section(statement, part, options, is_only=True)
        results = tuple(_iter_results(trace)) if options.result else ()
        yield section._replace(results=results, notes=tuple(map(make_printable, trace.notes)))
        return
    differing = frozenset(_iter_differing(trace, other)) if other else frozenset()
    hidden = frozenset() if options.result or options.is_early else find_revealing_rows(trace)
    pairs = zip(trace.statements, other.parts if other else trace.parts, strict=True)
    step_count = 0
    for (statement, part), other_part in pairs:
        part_options = _choose_part(statement, part, options, trace.plan, hidden)
        is_two = statement.number in differing
        for is_other, own_part in enumerate((part, other_part)[: 1 + is_two]):
            section = make_section(statement, own_part, part_options, step_count)
            model = make_printable(f" ({own_part.model.name})" * is_two)
            yield section._replace(
                heading=section.heading + model,
                answers=None if is_two else section.answers,
                is_folded=statement.number in options.folded or not section.steps,
                is_other=bool(is_other),
            )
        step_count += len(part.steps)


def _format_footer(source: str, options: Options) -> str:
    """Return the source and the version, according to the options."""
    version = f"; ptxscope {__version__}" if options.has_version else ""
    return f"{source}{version}" if options.footer else ""


def _format_source(trace: Trace) -> str:
    """Return the sections of the PTX ISA and, for a single form, its first version."""
    first, *others = trace.parts
    ins = first.instruction
    sections = format_citation(trace.block.sections)
    return sections if others else f"{sections} ({ins.entry.compute_minimum(ins.form)})"


def _iter_block_notes(trace: Trace, options: Options) -> Iterator[str]:
    yield from map(make_printable, trace.block.notes)
    if options.result:
        yield from _iter_differences(trace)


def _iter_given(trace: Trace) -> Iterator[OperandView]:
    """Yield the input registers of a block."""
    for x in trace.block.inputs:
        role, bits = x.roles[0], trace.operands[x.roles[0]]
        yield OperandView(role, "", make_printable(x.name), format_hex(bits, x.type.bits),
                          format_value(bits, x.type))  # fmt: skip


def _describe_no_result(results: tuple[ResultView, ...], options: Options) -> str:
    return "" if results else NOTHING_KEPT if options.result else NOT_SHOWN


def _iter_results(trace: Trace) -> Iterator[ResultView]:
    for role, name in trace.block.results.items():
        digits = format_hex(trace.result[name], trace.block.type_of(role).bits)
        yield ResultView(make_printable(name), digits, _interpret_result(trace, name))


def _interpret_result(trace: Trace, name: str) -> str:
    """Return the meaning of a result in its statement, such as its lanes."""
    place, bits = trace.block.outputs[name], trace.result[name]
    if not place.statement:
        return format_value(bits, trace.block.type_of(place.key))
    return interpret_bits(trace.parts[place.statement - 1].instruction, place.role, bits)


def find_other(trace: Trace) -> Trace | None:
    """Return the trace under another model with other results or intermediate values, if any.

    For an assembler, the other model is the documentation.
    """
    models = (ISA_MODEL,) if trace.model.errata else PTXAS_MODELS
    others = [x for x in map(trace.with_model, models) if any(_iter_differing(trace, x))]
    return next((x for x in others if x.result != trace.result), others[0] if others else None)


def _iter_differing(trace: Trace, other: Trace) -> Iterator[int]:
    """Yield the numbers of the statements with other inputs or results in another trace."""
    for number, (x, y) in enumerate(zip(trace.parts, other.parts, strict=True), 1):
        if x.operands != y.operands or x.result != y.result:
            yield number


def _choose_part(
    statement: BlockStatement, part: Trace, options: Options, plan: Plan, hidden: frozenset[str]
) -> Options:
    """Return the options for a statement's part of the block."""
    places = [
        step.place for step in part.steps if options.shows(StepPlace(statement.number, step.stage))
    ]
    is_early = options.is_early and part.steps[-1].place not in places
    own_rows = [row for row in plan.rows if row.key.startswith(statement.prefix)]
    own_keys = {row.key for row in own_rows}
    if any(x in hidden - own_keys for row in own_rows for x in row.inputs):
        places = []  # its registers would reveal the result
    return options._replace(
        both=False,
        folded=DEFAULT.folded,
        steps=None if len(places) == len(part.steps) else frozenset(places),
        result=not (is_early or own_keys & hidden),
        is_early=is_early,
    )


def format_origin(statement: BlockStatement, role: str) -> str:
    """Return the source of an operand, to follow its value: ``, of statement 1``.

    It is empty for a literal, and for an input register with the same name.
    """
    place = statement.reads.get(role)
    if place is None:
        return ""
    if place.statement:
        return f", of statement {place.statement}"
    is_named = statement.instruction.format_operand(role) == place.role
    return "" if is_named else f", of {make_printable(place.role)}"


def _iter_differences(trace: Trace) -> Iterator[str]:
    """Yield a sentence for each result of known assemblers other than the documented one."""
    isa = trace.with_model(ISA_MODEL)
    answers: dict[tuple[int, ...], list[Trace]] = {}
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


def describe_omission(trace: Trace, options: Options, step_count: int = 0) -> str:
    """Return a sentence with the omitted steps, numbered after ``step_count``."""
    steps = (
        f"{step_count + step.number} {format_title(step)}"
        for step in trace.steps
        if not options.shows(step.place)
    )
    listed = ", ".join(steps)
    return listed and f"Steps not shown: {listed}."


def _iter_operands(trace: Trace) -> Iterator[OperandView]:
    ins = trace.instruction
    for source in sorted(trace.plan.sources):
        role = source.role
        label = Role(role).label
        bits = trace.operands[role]
        yield OperandView(
            role,
            label,
            "" if ins.format_operand(role) == label else make_printable(ins.format_operand(role)),
            format_hex(bits, ins.type_of(role).bits),
            interpret_bits(ins, role, bits),
        )


def iter_names(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield the displayed name and the role of each register."""
    ins = trace.instruction
    for role in trace.operands:
        yield make_printable(ins.format_operand(role)), role
    for role, name in ins.results.items():
        yield make_printable(name), role


def _make_step_view(trace: Trace, step: Step, hidden: Container[str] = ()) -> StepView:
    notes = _format_notes(trace.annotations.get_notes(step.stage))
    rows = tuple(row for row in step.rows if row.key not in hidden)
    about = make_printable(describe_step(step))
    about += f" {HIDDEN_RESULT_TEXT}" * (len(rows) < len(step.rows))
    return StepView(step.number, step.stage, format_title(step), about, rows, notes)


def make_cells(row: RowTrace) -> tuple[CellView, ...]:
    """Return the lanes of a row in words, the most significant first."""
    hidden_flags, part = EXTENSIONS, get_part_name(row)
    if len(row.inputs[0].values) == 1:
        hidden_flags = EXTENSIONS | {Flag.MASKED_OUT}  # the bytes of a scalar are not lanes
    cells = []
    for lane in range(len(row.values) - 1, -1, -1):
        description = describe_lane(row, lane)
        has_lanes = len(row.values) > 1
        text = (has_lanes and description.short_text) or str(description.formula)
        cells.append(
            CellView(
                lane,
                f"{part} {lane}",
                row.values[lane],
                make_printable(text),
                description.formula.map_sides(make_printable),
                make_printable(description.sentence),
                tuple(flag for flag in row.flags[lane] if flag not in hidden_flags),
            )
        )
    return tuple(cells)


def _format_notes(notes: Iterable[Note]) -> tuple[str, ...]:
    """Return the texts of non-empty notes: some formats allow no empty block."""
    return tuple(
        (f"lane {note.lane}: " if note.lane is not None else "") + sanitize_text(note.text)
        for note in notes
        if note.text.strip()
    )


def _make_answers(trace: Trace, options: Options) -> Answers | None:
    deviations = find_deviations(trace)
    if not deviations:
        return None
    deviation = find_deviation(trace, deviations) or deviations[0]
    if not options.result and not (options.both and options.shows(StepPlace(1, deviation.stage))):
        return None  # the deviation itself would reveal the result

    def format_answer(answer_trace: Trace) -> str:
        return format_result(answer_trace) if options.result else "not shown"

    isa = ModelAnswer("isa, as documented", format_answer(deviations[0].isa), ())
    agreeing_traces = tuple(
        {tuple(e.id for e in x.active_errata): x for x in find_agreeing_traces(trace)}.values()
    )
    other_answers = tuple(
        ModelAnswer(
            f"ptxas {_format_versions(other_trace)}, sm_70+",
            format_answer(other_trace),
            tuple(erratum.id for erratum in other_trace.active_errata),
            other_trace.result == deviations[0].isa.result and bool(other_trace.active_errata),
        )
        for other_trace in (*agreeing_traces, *(deviation.other for deviation in deviations))
    )
    ids = {id_ for answer in other_answers for id_ in answer.errata}
    # the description of an erratum reveals its effect on the result
    errata = (e for e in ALL_ERRATA if e.id in ids and options.result)
    is_other_model = trace.model == deviation.other.model
    other_trace = deviation.isa if is_other_model else deviation.other
    steps = tuple(iter_steps(other_trace, deviation.stage, options)) if options.both else ()
    all_steps = deviation.isa.steps + deviation.other.steps
    first = next(step for step in all_steps if step.stage is deviation.stage)
    return Answers(
        (isa, *other_answers),
        deviation.stage,
        format_title(first),
        tuple(errata),
        other_trace.model.name,
        other_trace if steps else None,
        steps,
    )


def iter_steps(trace: Trace, stage: Stage, options: Options = DEFAULT) -> Iterator[StepView]:
    """Yield the shown steps of a trace from a stage onwards."""
    order, hidden = list(Stage), find_hidden_rows(trace, options)
    for step in trace.steps:
        if order.index(step.stage) >= order.index(stage) and options.shows(step.place):
            yield _make_step_view(trace, step, hidden)


def _format_versions(trace: Trace) -> str:
    """Format the versions with this result and these errata, so that labels are unique."""
    answers = ((x.model, x.result, x.active_errata) for x in map(trace.with_model, PTXAS_MODELS))
    models = [m for m, *x in answers if x == [trace.result, trace.active_errata]]
    return format_versions(models, trace.instruction.form)
