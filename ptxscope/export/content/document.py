"""What every format says about a trace, before any format has drawn it.

A Document is the trace in words and numbers: plain text throughout, not escaped for any
format, so that all formats say the same. What a writer wrote is kept (see ``harmless``); whatever
shows it in a terminal makes it printable there.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterator
from itertools import groupby

from ... import __version__
from ...engine.isa.roles import Role
from ...engine.records import NamedTuple
from ...engine.semantics.errata import ERRATA, Erratum
from ...engine.semantics.micro_operation import Flag
from ...engine.semantics.micro_operations import Clamp, Extend, Merge, Select
from ...engine.semantics.models import PTXAS_MODELS, format_versions
from ...engine.semantics.plan import Stage
from ...engine.syntax.errors import make_printable
from ...engine.syntax.values import format_hex
from ...engine.tracing.annotations import Note
from ...engine.tracing.divergence import (
    Divergence,
    find_agreeing_traces,
    find_divergence,
    find_divergences,
    has_one_answer,
)
from ...engine.tracing.formula import Formula
from ...engine.tracing.lane_text import (
    describe_lane,
    format_result,
    get_part_name,
    get_row_name,
    interpret_bits,
)
from ...engine.tracing.step_text import describe_step, format_title
from ...engine.tracing.trace import RowTrace, Step, Trace
from ..options import DEFAULT, Motion, Options
from .hidden_rows import HIDDEN_RESULT_TEXT, find_hidden_rows
from .option_support import has_effect
from .sanitizer import sanitize_text

EXTENSIONS = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}
"""Flags that a step's own sentence already tells."""
NOTHING_KEPT = "nothing is written: the predicate goes nowhere"
"""What stands for the results where there are none."""
AGREED = "One answer: on these values isa and every known ptxas agree."
NOT_SHOWN = "the result is not shown here"
"""What stands for the results where a writer keeps them back."""


class OperandView(NamedTuple):
    """A value that is read."""

    role: str
    label: str
    """``a``; ``old`` for a destination that a guard may keep; ``@`` for a guard."""
    name: str
    """As it was written; empty where it is the label."""
    bits: str
    """In hexadecimal, in full width."""
    meant: str


class CellView(NamedTuple):
    """One lane of a row."""

    lane: int
    name: str
    """``lane 2``; ``byte 2`` where a scalar instruction merges."""
    value: int
    text: str
    """In few characters."""
    formula: Formula
    sentence: str
    flags: tuple[Flag, ...]
    """What happened and is not told by the step's own sentence."""


class RowView(NamedTuple):
    """One micro-operation; the cell of the most significant lane first."""

    row: RowTrace
    name: str
    """What it is called where it is shown."""
    cells: tuple[CellView, ...]


class StepView(NamedTuple):
    """One step."""

    number: int
    stage: Stage
    title: str
    about: str
    rows: tuple[RowView, ...]
    notes: tuple[str, ...]
    """What a writer said of it."""


class ResultView(NamedTuple):
    """A destination that is kept."""

    name: str
    bits: str
    meant: str


class ModelAnswer(NamedTuple):
    """What one model makes of the instruction."""

    label: str
    result: str
    errata: tuple[str, ...]
    """Ids of what acts in it."""
    cancel: bool = False
    """They make up for each other: the result is the documented one."""

    @property
    def why(self) -> str:
        """What acts in it, in words; empty where nothing does."""
        return ", ".join(self.errata) + (" cancel out" if self.cancel else "")


class Answers(NamedTuple):
    """Where the models part."""

    all: tuple[ModelAnswer, ...]
    """The documented one first."""
    stage: Stage
    """The first step at which they differ."""
    step: str
    """Its title."""
    errata: tuple[Erratum, ...]
    """What makes the difference."""
    other: str
    """Whose answer differs from the trace's own."""
    of: Trace | None
    """The other trace, where its steps are told."""
    steps: tuple[StepView, ...]
    """The other answer's steps, from the first that differs."""


class Document(NamedTuple):
    """Everything that is told of a trace."""

    trace: Trace
    title: str
    ptx: str
    model: str
    operands: tuple[OperandView, ...]
    steps: tuple[StepView, ...]
    left_out: str
    """Which steps are not shown, in a sentence; empty where all are."""
    results: tuple[ResultView, ...]
    no_result: str
    """What stands for the results where there are none; empty where there are."""
    notes: tuple[str, ...]
    lane_notes: tuple[str, ...]
    """What a writer said of a lane, or of the whole."""
    answers: Answers | None
    agreed: str
    """That both answers are the same, where both are wanted; else empty."""
    caption: str
    source: str
    """Section of the PTX ISA, versions."""
    command: str
    """The shell command that makes this document."""
    words: tuple[str, ...]
    """The words of that command."""


def build_document(trace: Trace, options: Options = DEFAULT) -> Document:
    """A trace as a Document."""
    entry, extra = trace.instruction.entry, trace.annotations
    least = entry.compute_minimum(trace.instruction.form)
    results = tuple(_iter_results(trace)) if options.result else ()
    hidden = find_hidden_rows(trace, options)
    return Document(
        trace,
        sanitize_text(extra.title),
        make_printable(str(trace.instruction)),
        trace.model.name,
        tuple(_iter_operands(trace)),
        tuple(_step(trace, step, hidden) for step in trace.steps if options.shows(step.stage)),
        _describe_omission(trace, options),
        results,
        "" if results else NOTHING_KEPT if options.result else NOT_SHOWN,
        tuple(map(make_printable, trace.notes)),
        tuple(map(_format_note, extra.on_lanes)),
        _make_answers(trace, options),
        AGREED if options.both and options.result and has_one_answer(trace) else "",
        sanitize_text(extra.caption),
        f"PTX ISA {entry.section} ({least}); ptxscope {__version__}",
        format_command(trace, options),
        list_command_words(trace, options),
    )


def format_command(trace: Trace, options: Options = DEFAULT) -> str:
    """The shell command that makes a document of this trace, notes and all."""
    return shlex.join(list_command_words(trace, options))


def list_command_words(trace: Trace, options: Options = DEFAULT) -> tuple[str, ...]:
    """The words of that command."""
    return tuple(map(sanitize_text, _iter_command_words(trace, options)))


def _iter_command_words(trace: Trace, options: Options) -> Iterator[str]:
    ins = trace.instruction
    yield from ("ptxscope", "trace", str(ins))
    besides = (x.role for x in trace.plan.sources)  # a model may read what isn't documented
    read: dict[str, str] = {}
    for role in (*(needed.roles[0] for needed in ins.inputs), *besides):
        if role in ins.names:
            read.setdefault(ins.names[role], role)
    for name, role in read.items():
        yield f"{name}={format_hex(trace.operands[role], ins.type_of(role).bits)}"
    if trace.model.errata:
        yield from ("--model", trace.model.name)
    if options.format and options.format != "text":
        yield from ("-f", options.format)
    for name, value in (
        *_list_annotation_options(trace),
        *_list_style_options(options),
        *_list_part_options(trace, options),
    ):
        if has_effect(name, options.format):
            yield from _format_option(f"--{name}", value)


_Given = Iterator[tuple[str, str | None]]
"""Options, and the value of each that takes one."""


def _list_annotation_options(trace: Trace) -> _Given:
    """What a writer said."""
    extra = trace.annotations
    if extra.title:
        yield "title", extra.title
    if extra.caption:
        yield "caption", extra.caption
    for note in extra.notes:
        yield "note", f"{note.target}={note.text}"


_MOTIONS = {Motion.STEPPING: "stepping", Motion.PLAYING: "animate"}


def _list_style_options(options: Options) -> _Given:
    """How it looks."""
    if options.both:
        yield "both", None
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
    """An option and its value, which may begin as an option does."""
    if value is None:
        return (name,)
    return (f"{name}={value}",) if value.startswith("-") else (name, value)


def _list_part_options(trace: Trace, options: Options) -> _Given:
    """By which a part of a trace is shown."""
    every = [step.stage for step in trace.steps]
    shown = [at for at, stage in enumerate(every) if options.shows(stage)]
    whole = len(shown) == len(every)
    if shown and options.is_early and not whole and shown == [*range(len(shown))]:
        yield "until", str(every[shown[-1]])
        return
    if shown and not whole:
        runs = [
            [at for _, at in run] for _, run in groupby(enumerate(shown), lambda x: x[0] - x[1])
        ]
        ends = (dict.fromkeys((run[0] + 1, run[-1] + 1)) for run in runs)
        yield "steps", ",".join("-".join(map(str, end)) for end in ends)
    if not options.result:
        yield "no-result", None


def _describe_omission(trace: Trace, options: Options) -> str:
    steps = (f"{x.number} {format_title(x)}" for x in trace.steps if not options.shows(x.stage))
    listed = ", ".join(steps)
    return listed and f"Steps not shown: {listed}."


def list_traces(trace: Trace, options: Options) -> tuple[Trace, ...]:
    """The trace, and where both answers are wanted and part, the other one."""
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
    """What registers are called, and their roles."""
    ins = trace.instruction
    for role in trace.operands:
        yield make_printable(ins.format_operand(role)), role
    for role, name in ins.results.items():
        yield make_printable(name), role


def _iter_results(trace: Trace) -> Iterator[ResultView]:
    ins = trace.instruction
    for role, name in ins.results.items():
        bits = trace.result[name]
        shown = format_hex(bits, ins.type_of(role).bits)
        yield ResultView(make_printable(name), shown, interpret_bits(ins, role, bits))


def _step(trace: Trace, step: Step, hidden: Container[str] = ()) -> StepView:
    notes = tuple(map(_format_note, trace.annotations.get_notes(step.stage)))
    rows = tuple(_make_row_view(trace, row) for row in step.rows if row.key not in hidden)
    said = make_printable(describe_step(trace, step))
    said += f" {HIDDEN_RESULT_TEXT}" * (len(rows) < len(step.rows))
    return StepView(step.number, step.stage, format_title(step), said, rows, notes)


def _make_row_view(trace: Trace, row: RowTrace) -> RowView:
    quiet, part = EXTENSIONS, get_part_name(trace, row)
    if len(row.inputs[0]) == 1:
        quiet = EXTENSIONS | {Flag.MASKED_OUT}  # its bytes are not lanes
    cells = []
    for lane in range(len(row.lanes) - 1, -1, -1):
        said = describe_lane(trace, row, lane)
        flags = tuple(flag for flag in row.lanes[lane].flags if flag not in quiet)
        text = make_printable(_shorten_lane(row, lane, said.formula))
        cells.append(
            CellView(
                lane,
                f"{part} {lane}",
                row.lanes[lane].value,
                text,
                said.formula.map_sides(make_printable),
                make_printable(said.sentence),
                flags,
            )
        )
    return RowView(row, get_row_name(trace, row.row), tuple(cells))


def _shorten_lane(row: RowTrace, lane: int, formula: Formula) -> str:
    """A lane of several in few characters: its value and what it came from."""
    if len(row.lanes) == 1:
        return str(formula)
    value, before = row.lanes[lane].value, row.inputs[0]
    match row.micro:
        case Select(unit, _):
            return f"{format_hex(value, unit)[2:]} {formula.left}"
        case Extend():
            return str(value)
        case Clamp():
            return str(value) if value == before[lane] else f"{before[lane]} -> {value}"
        case Merge(unit, _, _, _):
            return f"{formula.left} -> {format_hex(value, unit)[2:]}"
    return str(formula)


def _format_note(note: Note) -> str:
    where = f"lane {note.lane}: " if note.lane is not None else ""
    return where + sanitize_text(note.text)


def _make_answers(trace: Trace, options: Options) -> Answers | None:
    found = find_divergences(trace)
    if not found:
        return None
    divergence = find_divergence(trace, found) or found[0]
    if not options.result and not (options.both and options.shows(divergence.stage)):
        return None  # that they part, and where, would tell of the result

    def told(of: Trace) -> str:
        return format_result(of) if options.result else "not shown"

    isa = ModelAnswer("isa, as documented", told(found[0].isa), ())
    alike = tuple(
        {tuple(e.id for e in x.active_errata): x for x in find_agreeing_traces(trace)}.values()
    )
    others = tuple(
        ModelAnswer(
            f"ptxas {_format_versions(other)}, sm_70+",
            told(other),
            tuple(erratum.id for erratum in other.active_errata),
            other.result == found[0].isa.result and bool(other.active_errata),
        )
        for other in (*alike, *(divergence.other for divergence in found))
    )
    ids = {id_ for answer in others for id_ in answer.errata}
    # what an erratum is in words tells what comes of it
    errata = (e for e in ERRATA if e.id in ids and options.result)
    same = trace.model == divergence.other.model
    other = divergence.isa if same else divergence.other
    steps = tuple(iter_steps(other, divergence.stage, options)) if options.both else ()
    return Answers(
        (isa, *others),
        divergence.stage,
        _format_divergence_title(divergence),
        tuple(errata),
        other.model.name,
        other if steps else None,
        steps,
    )


def iter_steps(trace: Trace, stage: Stage, options: Options = DEFAULT) -> Iterator[StepView]:
    """The steps of a trace from a stage on, those of them that are shown."""
    order, hidden = list(Stage), find_hidden_rows(trace, options)
    for step in trace.steps:
        if order.index(step.stage) >= order.index(stage) and options.shows(step.stage):
            yield _step(trace, step, hidden)


def _format_divergence_title(divergence: Divergence) -> str:
    steps = divergence.isa.steps + divergence.other.steps
    return format_title(next(step for step in steps if step.stage is divergence.stage))


def _format_versions(other: Trace) -> str:
    """The versions with this answer for these reasons, so that no two answers are called alike."""
    every = ((m, Trace(other.instruction, m, other.operands)) for m in PTXAS_MODELS)
    return format_versions(
        [m for m, x in every if (x.result, x.active_errata) == (other.result, other.active_errata)]
    )
