"""The content of a trace for every format, before any format renders it.

A Document is the trace in words and numbers: plain text, not escaped for any format, so that all
formats agree. An author's text is preserved (see ``sanitize_text``); a terminal makes it printable
on output.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Iterator
from itertools import groupby
from typing import Protocol

from ... import __version__
from ...engine.isa.roles import Role
from ...engine.isa.value_text import format_hex
from ...engine.micro_operations.formula import Formula
from ...engine.micro_operations.properties import Flag
from ...engine.micro_operations.stage import Stage
from ...engine.records import NamedTuple
from ...engine.semantics.errata import ERRATA
from ...engine.semantics.erratum import Erratum
from ...engine.semantics.models import PTXAS_MODELS, Model, format_versions
from ...engine.syntax.errors import make_printable
from ...engine.tracing.annotations import Annotations, Note
from ...engine.tracing.divergence import (
    Divergence,
    find_agreeing_traces,
    find_divergence,
    find_divergences,
    has_one_answer,
)
from ...engine.tracing.lane_text import (
    describe_lane,
    format_result,
    get_part_name,
    get_row_name,
    interpret_bits,
)
from ...engine.tracing.step_text import describe_step, format_title
from ...engine.tracing.trace import RowTrace, Step, Trace
from ..options import DEFAULT, MachineSection, Motion, Options
from .hidden_rows import HIDDEN_RESULT_TEXT, find_hidden_rows
from .option_support import has_effect
from .sanitizer import sanitize_text

EXTENSIONS = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}
"""Flags that the sentence of a step already mentions."""
NOTHING_KEPT = "nothing is written: the predicate is discarded"
"""Text instead of the results if none is kept."""
AGREED = "One answer: on these values isa and every known ptxas agree."
NOT_SHOWN = "the result is not shown here"
"""Text instead of the results if the author hides them."""


class OperandView(NamedTuple):
    """A value that is read."""

    role: str
    label: str
    """``a``; ``old`` for a destination that a guard may keep; ``@`` for a guard."""
    name: str
    """Name as written; empty if it equals the label."""
    bits: str
    """Hexadecimal digits in full width."""
    meant: str


class CellView(NamedTuple):
    """One lane of a row."""

    lane: int
    name: str
    """``lane 2``; ``byte 2`` if a scalar instruction merges."""
    value: int
    text: str
    """Short form."""
    formula: Formula
    sentence: str
    flags: tuple[Flag, ...]
    """Flags that the sentence of the step does not mention."""


class DocumentRow(NamedTuple):
    """A micro-operation; the cell of the most significant lane comes first."""

    row: RowTrace
    name: str
    """Displayed name."""
    cells: tuple[CellView, ...]
    figure_lines: tuple[str, ...] = ()
    """Lines of its figure, for plain text."""


class StepView(NamedTuple):
    """A step."""

    number: int
    stage: Stage
    title: str
    about: str
    rows: tuple[DocumentRow, ...]
    notes: tuple[str, ...]
    """Notes of the author on the step."""
    prefix: str = ""
    """In a block, the prefix of its statement: ``s2.``."""

    @property
    def mark(self) -> str:
        """Its name in a picture: ``step-saturate``, ``step-s2.saturate``."""
        return f"step-{self.prefix}{self.stage}"


class ResultView(NamedTuple):
    """A destination that is kept."""

    name: str
    bits: str
    meant: str


class ModelAnswer(NamedTuple):
    """The answer of one model."""

    label: str
    result: str
    errata: tuple[str, ...]
    """Ids of the errata that affect it."""
    is_cancelled_out: bool = False
    """Whether the errata cancel out, so that the result is the documented one."""

    @property
    def reason(self) -> str:
        """The errata in words; empty if none affects the answer."""
        return ", ".join(self.errata) + (" cancel out" if self.is_cancelled_out else "")


class Answers(NamedTuple):
    """The answers of models that differ."""

    all: tuple[ModelAnswer, ...]
    """All answers, the documented one first."""
    stage: Stage
    """The first step that differs."""
    step: str
    """Title of the first step that differs."""
    errata: tuple[Erratum, ...]
    """Errata behind the difference."""
    other_name: str
    """Model whose answer differs from the trace's own."""
    other_trace: Trace | None
    """The other trace, or None if its steps are not shown."""
    steps: tuple[StepView, ...]
    """Steps of the other answer, from the first that differs."""


class Page(Protocol):
    """What is around the steps: of an instruction's document, or of a block's."""

    @property
    def title(self) -> str:
        """The title of the author."""

    @property
    def ptx(self) -> str:
        """The instruction, or the block."""

    @property
    def name(self) -> str:
        """The title, or what stands for it."""

    @property
    def subject(self) -> str:
        """What a slide has at its head: the instruction, or the registers of the block."""

    @property
    def steps(self) -> tuple[StepView, ...]:
        """The steps that are shown."""

    def with_steps(self, steps: tuple[StepView, ...]) -> Page:
        """Return the same with some of the steps."""

    def take_steps(self, count: int, title: str) -> Page:
        """Return it up to a step, without the result unless that is the last one."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def operands(self) -> tuple[OperandView, ...]:
        """The values that are read."""

    @property
    def results(self) -> tuple[ResultView, ...]:
        """The values that are written."""

    @property
    def no_result(self) -> str:
        """Text instead of the results; empty if there are results."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences without a full stop."""

    @property
    def caption(self) -> str:
        """The caption of the author."""

    @property
    def source(self) -> str:
        """Sections of the PTX ISA, and versions."""

    @property
    def command(self) -> str:
        """The shell command that reproduces it."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of that command."""


class Document(NamedTuple):
    """The whole content of a trace."""

    trace: Trace
    title: str
    ptx: str
    model: str
    operands: tuple[OperandView, ...]
    steps: tuple[StepView, ...]
    omission: str
    """Sentence with the steps that are not shown; empty if all are."""
    results: tuple[ResultView, ...]
    no_result: str
    """Text instead of the results; empty if there are results."""
    notes: tuple[str, ...]
    lane_notes: tuple[str, ...]
    """Notes of the author on lanes, or on the whole."""
    answers: Answers | None
    agreement: str
    """Sentence that both answers agree, if both are requested; otherwise empty."""
    caption: str
    source: str
    """Section of the PTX ISA, and versions."""
    command: str
    """Shell command that reproduces this document."""
    words: tuple[str, ...]
    """Words of that command."""
    machine_code: MachineSection | None
    """Machine code of the instruction, if it is requested."""

    @property
    def subject(self) -> str:
        """The instruction."""
        return self.ptx

    @property
    def name(self) -> str:
        """The title, or the instruction."""
        return self.title or self.ptx

    def with_steps(self, steps: tuple[StepView, ...]) -> Document:
        """Return the document with some of its steps."""
        return self._replace(steps=steps)

    def take_steps(self, count: int, title: str) -> Document:
        """Return the document up to a step, without the result unless that is the last one."""
        if count == len(self.steps):
            return self._replace(title=title)
        steps = self.steps[:count]
        return self._replace(title=title, steps=steps, results=(), answers=None, agreement="")


def build_document(trace: Trace, options: Options = DEFAULT) -> Document:
    """Return the Document of a trace."""
    entry, extra = trace.instruction.entry, trace.annotations
    minimum = entry.compute_minimum(trace.instruction.form)
    results = tuple(_iter_results(trace)) if options.result else ()
    hidden = find_hidden_rows(trace, options)
    return Document(
        trace,
        sanitize_text(extra.title),
        make_printable(str(trace.instruction)),
        trace.model.name,
        tuple(_iter_operands(trace)),
        tuple(
            _make_step_view(trace, step, hidden)
            for step in trace.steps
            if options.shows(step.stage)
        ),
        describe_omission(trace, options),
        results,
        "" if results else NOTHING_KEPT if options.result else NOT_SHOWN,
        tuple(map(make_printable, trace.notes)),
        _format_notes(extra.on_lanes),
        _make_answers(trace, options),
        AGREED if options.both and options.result and has_one_answer(trace) else "",
        sanitize_text(extra.caption),
        f"PTX ISA {entry.section} ({minimum}); ptxscope {__version__}",
        format_command(trace, options),
        list_command_words(trace, options),
        options.machine_code,
    )


def format_command(trace: Trace, options: Options = DEFAULT) -> str:
    """Format the shell command that reproduces the document of a trace, with its notes."""
    return shlex.join(list_command_words(trace, options))


def list_command_words(trace: Trace, options: Options = DEFAULT) -> tuple[str, ...]:
    """Return the words of that command."""
    return tuple(map(sanitize_text, _iter_command_words(trace, options)))


def _iter_command_words(trace: Trace, options: Options) -> Iterator[str]:
    ins = trace.instruction
    yield from ("ptxscope", "trace", str(ins))
    # a model may read operands that the documentation does not mention
    extra_roles = (x.role for x in trace.plan.sources)
    read_roles: dict[str, str] = {}
    for role in (*(needed.roles[0] for needed in ins.inputs), *extra_roles):
        if role in ins.names:
            read_roles.setdefault(ins.names[role], role)
    for name, role in read_roles.items():
        yield f"{name}={format_hex(trace.operands[role], ins.type_of(role).bits)}"
    yield from list_annotation_words(trace.annotations, trace.model, options)
    for name, value in _list_part_options(trace, options):
        if has_effect(name, options.format):
            yield from _format_option(f"--{name}", value)


def list_annotation_words(
    annotations: Annotations, model: Model, options: Options
) -> Iterator[str]:
    """Yield the words for the model, the format, the author's texts and the appearance."""
    if model.errata:
        yield from ("--model", model.name)
    if options.format and options.format != "text":
        yield from ("-f", options.format)
    for name, value in (*_list_annotation_options(annotations), *_list_style_options(options)):
        if has_effect(name, options.format):
            yield from _format_option(f"--{name}", value)


_OptionValues = Iterator[tuple[str, str | None]]
"""Names of options, with the value of each that takes one."""


def _list_annotation_options(extra: Annotations) -> _OptionValues:
    """Yield the options for the author's texts."""
    if extra.title:
        yield "title", extra.title
    if extra.caption:
        yield "caption", extra.caption
    for note in extra.notes:
        yield "note", f"{note.target}={note.text}"


_MOTIONS = {Motion.STEPPING: "stepping", Motion.PLAYING: "animate"}


def _list_style_options(options: Options) -> _OptionValues:
    """Yield the options for the appearance."""
    if options.both:
        yield "both", None
    if options.machine_code:
        yield "sass", options.machine_code.arch
    if options.standalone:
        yield "standalone", None
    if options.theme is not DEFAULT.theme:
        yield "theme", str(options.theme)
    if options.id:
        yield "id", options.id
    if options.heading_level != DEFAULT.heading_level:
        yield "heading-level", str(options.heading_level)
    if options.slide:
        yield "slide", None
    if options.compact:
        yield "compact", None
    if options.motion in _MOTIONS:
        yield _MOTIONS[options.motion], None
    if options.width is not None:
        yield "width", str(options.width)
    elif options.scale is not None:
        yield "scale", f"{options.scale:g}"


def _format_option(name: str, value: str | None) -> tuple[str, ...]:
    """Format an option and its value, which may begin with a dash."""
    if value is None:
        return (name,)
    return (f"{name}={value}",) if value.startswith("-") else (name, value)


def _list_part_options(trace: Trace, options: Options) -> _OptionValues:
    """Yield the options that show a part of a trace."""
    stages = [step.stage for step in trace.steps]
    shown_indices = [index for index, stage in enumerate(stages) if options.shows(stage)]
    is_whole = len(shown_indices) == len(stages)
    if (
        shown_indices
        and options.is_early
        and not is_whole
        and shown_indices == [*range(len(shown_indices))]
    ):
        yield "until", str(stages[shown_indices[-1]])
        return
    if shown_indices and not is_whole:
        runs = [
            [index for _, index in run]
            for _, run in groupby(enumerate(shown_indices), lambda x: x[0] - x[1])
        ]
        ends = (dict.fromkeys((run[0] + 1, run[-1] + 1)) for run in runs)
        yield "steps", ",".join("-".join(map(str, end)) for end in ends)
    if not options.result:
        yield "no-result", None


def describe_omission(trace: Trace, options: Options, step_count: int = 0) -> str:
    """Return a sentence that lists the steps that are not shown, numbered after `step_count`."""
    steps = (
        f"{step_count + x.number} {format_title(x)}"
        for x in trace.steps
        if not options.shows(x.stage)
    )
    listed = ", ".join(steps)
    return listed and f"Steps not shown: {listed}."


def list_traces(trace: Trace, options: Options) -> tuple[Trace, ...]:
    """Return the trace, and the other one if both answers are requested and differ."""
    divergence = find_divergence(trace, find_divergences(trace)) if options.both else None
    return (divergence.isa, divergence.other) if divergence else (trace,)


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


def _iter_results(trace: Trace) -> Iterator[ResultView]:
    ins = trace.instruction
    for role, name in ins.results.items():
        bits = trace.result[name]
        digits = format_hex(bits, ins.type_of(role).bits)
        yield ResultView(make_printable(name), digits, interpret_bits(ins, role, bits))


def _make_step_view(trace: Trace, step: Step, hidden: Container[str] = ()) -> StepView:
    notes = _format_notes(trace.annotations.get_notes(step.stage))
    rows = tuple(_make_row_view(trace, row) for row in step.rows if row.key not in hidden)
    about = make_printable(describe_step(trace, step))
    about += f" {HIDDEN_RESULT_TEXT}" * (len(rows) < len(step.rows))
    return StepView(step.number, step.stage, format_title(step), about, rows, notes)


def _make_row_view(trace: Trace, row: RowTrace) -> DocumentRow:
    hidden_flags, part = EXTENSIONS, get_part_name(trace, row)
    if len(row.inputs[0]) == 1:
        hidden_flags = EXTENSIONS | {Flag.MASKED_OUT}  # the bytes of a scalar are not lanes
    cells = []
    for lane in range(len(row.lanes) - 1, -1, -1):
        description = describe_lane(trace, row, lane)
        flags = tuple(flag for flag in row.lanes[lane].flags if flag not in hidden_flags)
        has_lanes = len(row.lanes) > 1
        text = (has_lanes and description.short_text) or str(description.formula)
        cells.append(
            CellView(
                lane,
                f"{part} {lane}",
                row.lanes[lane].value,
                make_printable(text),
                description.formula.map_sides(make_printable),
                make_printable(description.sentence),
                flags,
            )
        )
    return DocumentRow(
        row, get_row_name(trace, row.row), tuple(cells), tuple(_iter_figure_lines(trace, row))
    )


def _iter_figure_lines(trace: Trace, row: RowTrace) -> Iterator[str]:
    view = trace.views[row.key]
    figure = view.micro.make_figure(view)
    if figure and figure.is_in_text:
        from .figure_text import figure_lines  # loaded late: few rows have such a figure

        yield from map(make_printable, figure_lines(view))


def _format_notes(notes: Iterable[Note]) -> tuple[str, ...]:
    """Return the texts of notes, without empty ones: some formats allow no empty block."""
    return tuple(
        (f"lane {note.lane}: " if note.lane is not None else "") + sanitize_text(note.text)
        for note in notes
        if note.text.strip()
    )


def _make_answers(trace: Trace, options: Options) -> Answers | None:
    divergences = find_divergences(trace)
    if not divergences:
        return None
    divergence = find_divergence(trace, divergences) or divergences[0]
    if not options.result and not (options.both and options.shows(divergence.stage)):
        return None  # the divergence itself would reveal the result

    def format_answer(answer_trace: Trace) -> str:
        return format_result(answer_trace) if options.result else "not shown"

    isa = ModelAnswer("isa, as documented", format_answer(divergences[0].isa), ())
    agreeing_traces = tuple(
        {tuple(e.id for e in x.active_errata): x for x in find_agreeing_traces(trace)}.values()
    )
    other_answers = tuple(
        ModelAnswer(
            f"ptxas {_format_versions(other_trace)}, sm_70+",
            format_answer(other_trace),
            tuple(erratum.id for erratum in other_trace.active_errata),
            other_trace.result == divergences[0].isa.result and bool(other_trace.active_errata),
        )
        for other_trace in (*agreeing_traces, *(divergence.other for divergence in divergences))
    )
    ids = {id_ for answer in other_answers for id_ in answer.errata}
    # the description of an erratum reveals its effect on the result
    errata = (e for e in ERRATA if e.id in ids and options.result)
    is_other_model = trace.model == divergence.other.model
    other_trace = divergence.isa if is_other_model else divergence.other
    steps = tuple(iter_steps(other_trace, divergence.stage, options)) if options.both else ()
    return Answers(
        (isa, *other_answers),
        divergence.stage,
        _format_divergence_title(divergence),
        tuple(errata),
        other_trace.model.name,
        other_trace if steps else None,
        steps,
    )


def iter_steps(trace: Trace, stage: Stage, options: Options = DEFAULT) -> Iterator[StepView]:
    """Yield the shown steps of a trace from a stage onwards."""
    order, hidden = list(Stage), find_hidden_rows(trace, options)
    for step in trace.steps:
        if order.index(step.stage) >= order.index(stage) and options.shows(step.stage):
            yield _make_step_view(trace, step, hidden)


def _format_divergence_title(divergence: Divergence) -> str:
    steps = divergence.isa.steps + divergence.other.steps
    return format_title(next(step for step in steps if step.stage is divergence.stage))


def _format_versions(trace: Trace) -> str:
    """Format the versions with this result and these errata, so that labels are unique."""
    answers = ((x.model, x.result, x.active_errata) for x in map(trace.with_model, PTXAS_MODELS))
    models = [m for m, *x in answers if x == [trace.result, trace.active_errata]]
    return format_versions(models, trace.instruction.form)
