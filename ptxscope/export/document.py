"""What every format says about a trace, before any format has drawn it.

A Document is the trace in words and numbers: plain text throughout, not escaped for any
format, so that all formats say the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from .. import __version__
from ..engine.isa.roles import Role
from ..engine.semantics.arithmetic import Lanes
from ..engine.semantics.errata import Erratum
from ..engine.semantics.micro import Clamp, Extend, Merge, Select
from ..engine.semantics.models import PTXAS_MODELS, versions
from ..engine.semantics.operation import Flag, Micro
from ..engine.semantics.plan import Stage
from ..engine.text.errors import printable
from ..engine.text.values import hex_text
from ..engine.tracing.annotations import Note
from ..engine.tracing.divergence import Divergence, divergence_of, divergences
from ..engine.tracing.formula import Formula
from ..engine.tracing.stages import about, title
from ..engine.tracing.trace import RowTrace, Step, Trace
from ..engine.tracing.words import part_name, reading, result_text, row_name, words
from .options import Options

EXTENSIONS = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}
"""Flags that a step's own sentence already tells."""
NOTHING_KEPT = "nothing is written: the predicate goes nowhere"
"""What stands for the results where there are none."""


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

    @property
    def key(self) -> str:
        """The row's key."""
        return self.row.key

    @property
    def stage(self) -> Stage:
        """The stage that it is of."""
        return self.row.stage

    @property
    def role(self) -> str:
        """What it yields in its stage: ``a``, ``t``; of one that writes, the destination."""
        return self.row.name

    @property
    def micro(self) -> Micro:
        """What was computed."""
        return self.row.micro

    @property
    def input_keys(self) -> tuple[str, ...]:
        """Where each input came from: keys of earlier rows, or operand roles."""
        return self.row.input_keys

    @property
    def inputs(self) -> tuple[Lanes, ...]:
        """The lane values of each input."""
        return self.row.inputs


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


class Answer(NamedTuple):
    """What one model makes of the instruction."""

    label: str
    result: str
    errata: tuple[str, ...]
    """Ids of what changed it."""


class Answers(NamedTuple):
    """Where the models part."""

    all: tuple[Answer, ...]
    """The documented one first."""
    step: str
    """The title of the first step at which they differ."""
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
    results: tuple[ResultView, ...]
    notes: tuple[str, ...]
    lane_notes: tuple[str, ...]
    """What a writer said of a lane, or of the whole."""
    answers: Answers | None
    caption: str
    source: str
    """Section of the PTX ISA, versions."""
    command: str
    """The shell command that prints this trace."""


def document(trace: Trace, options: Options) -> Document:
    """A trace as a Document."""
    entry, extra = trace.instruction.entry, trace.annotations
    least = entry.minimum(trace.instruction.form)
    return Document(
        trace,
        printable(extra.title),
        printable(str(trace.instruction)),
        trace.model.name,
        tuple(_operands(trace)),
        tuple(_step(trace, step) for step in trace.steps if options.shows(step.stage)),
        tuple(_results(trace)),
        tuple(map(printable, trace.notes)),
        tuple(map(_note, extra.on_lanes)),
        _answers(trace, options),
        printable(extra.caption),
        f"PTX ISA {entry.section} ({least}); ptxscope {__version__}",
        command(trace),
    )


def command(trace: Trace) -> str:
    """The shell command that prints this trace, notes and all."""
    parts = ["ptxscope", "trace", str(trace.instruction)]
    for needed in trace.instruction.inputs:
        bits = hex_text(trace.operands[needed.roles[0]], needed.type.bits)
        parts.append(f"{needed.name}={bits}")
    if trace.model.errata:
        parts += ["--model", trace.model.name]
    extra = trace.annotations
    if extra.title:
        parts += ["--title", extra.title]
    if extra.caption:
        parts += ["--caption", extra.caption]
    for note in extra.notes:
        parts += ["--note", f"{note.target}={note.text}"]
    return " ".join(map(shlex.quote, map(printable, parts)))


def both_of(trace: Trace, options: Options) -> tuple[Trace, ...]:
    """The trace, and where both answers are wanted and part, the other one."""
    divergence = divergence_of(trace, divergences(trace)) if options.both else None
    return (divergence.isa, divergence.other) if divergence else (trace,)


def _operands(trace: Trace) -> Iterator[OperandView]:
    ins = trace.instruction
    for source in sorted(trace.plan.sources):
        role = source.role
        label = Role(role).label
        bits = trace.operands[role]
        yield OperandView(
            role,
            label,
            "" if ins.called(role) == label else printable(ins.called(role)),
            hex_text(bits, ins.type_of(role).bits),
            reading(ins, role, bits),
        )


def _results(trace: Trace) -> Iterator[ResultView]:
    ins = trace.instruction
    for role, name in ins.results.items():
        bits = trace.result[name]
        shown = hex_text(bits, ins.type_of(role).bits)
        yield ResultView(printable(name), shown, reading(ins, role, bits))


def _step(trace: Trace, step: Step) -> StepView:
    notes = tuple(map(_note, trace.annotations.at(step.stage)))
    rows = tuple(_row(trace, row) for row in step.rows)
    return StepView(
        step.number, step.stage, title(step), printable(about(trace, step)), rows, notes
    )


def _row(trace: Trace, row: RowTrace) -> RowView:
    quiet, part = EXTENSIONS, part_name(trace, row)
    if len(row.inputs[0]) == 1:
        quiet = EXTENSIONS | {Flag.MASKED_OUT}  # its bytes are not lanes
    cells = []
    for lane in range(len(row.lanes) - 1, -1, -1):
        said = words(trace, row, lane)
        flags = tuple(flag for flag in row.lanes[lane].flags if flag not in quiet)
        text = printable(_short(row, lane, said.formula))
        cells.append(
            CellView(
                lane,
                f"{part} {lane}",
                row.lanes[lane].value,
                text,
                said.formula.each(printable),
                printable(said.sentence),
                flags,
            )
        )
    return RowView(row, row_name(trace, row.row), tuple(cells))


def _short(row: RowTrace, lane: int, formula: Formula) -> str:
    """A lane of several in few characters: its value and what it came from."""
    if len(row.lanes) == 1:
        return str(formula)
    value, before = row.lanes[lane].value, row.inputs[0]
    match row.micro:
        case Select(unit, _):
            return f"{hex_text(value, unit)[2:]} {formula.left}"
        case Extend():
            return str(value)
        case Clamp():
            return str(value) if value == before[lane] else f"{before[lane]} -> {value}"
        case Merge(unit, _, _, _):
            return f"{formula.left} -> {hex_text(value, unit)[2:]}"
    return str(formula._replace(grouped=False))


def _note(note: Note) -> str:
    where = f"lane {note.lane}: " if note.lane is not None else ""
    return printable(where + note.text)


def _answers(trace: Trace, options: Options) -> Answers | None:
    found = divergences(trace)
    if not found:
        return None
    isa = Answer("isa, as documented", result_text(found[0].isa), ())
    others = (
        Answer(
            f"ptxas {_versions(divergence)}, sm_70+",
            result_text(divergence.other),
            tuple(erratum.id for erratum in divergence.errata),
        )
        for divergence in found
    )
    errata = {e.id: e for divergence in found for e in divergence.errata}.values()
    divergence = divergence_of(trace, found) or found[0]
    same = trace.model == divergence.other.model
    other = divergence.isa if same else divergence.other
    steps = tuple(steps_from(other, divergence.stage)) if options.both else ()
    return Answers(
        (isa, *others),
        _title_of(divergence),
        tuple(errata),
        other.model.name,
        other if options.both else None,
        steps,
    )


def steps_from(trace: Trace, stage: Stage) -> Iterator[StepView]:
    """The steps of a trace from a stage on."""
    order = list(Stage)
    for step in trace.steps:
        if order.index(step.stage) >= order.index(stage):
            yield _step(trace, step)


def _title_of(divergence: Divergence) -> str:
    steps = divergence.isa.steps + divergence.other.steps
    return title(next(step for step in steps if step.stage is divergence.stage))


def _versions(divergence: Divergence) -> str:
    """The versions with this answer."""
    result = divergence.other.result
    ins, operands = divergence.other.instruction, divergence.other.operands
    return versions([m for m in PTXAS_MODELS if Trace(ins, m, operands).result == result])
