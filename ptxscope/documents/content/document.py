"""The content of a trace, common to all formats.

A Document is the trace in words and numbers, as plain text that formats escape. An author's text is
preserved (see ``sanitize_text``); a terminal makes it printable on output.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import Flag, Formula, Stage
from ...engine.semantics.rules import Erratum
from ...engine.tracing.basic_block import BlockStatement
from ...engine.tracing.trace import Trace
from ..options import Options


class OperandView(NamedTuple):
    """An input value."""

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
    """Flags that the step's sentence does not mention."""


class StepView(NamedTuple):
    """A step."""

    number: int
    stage: Stage
    title: str
    about: str
    rows: tuple[RowTrace, ...]
    notes: tuple[str, ...]
    """Notes of the author on the step."""
    prefix: str = ""
    """In a block, the prefix of its statement: ``s2.``."""

    @property
    def mark(self) -> str:
        """Its name in a picture: ``step-saturate``, ``step-s2.saturate``."""
        return f"step-{self.prefix}{self.stage}"


class ResultView(NamedTuple):
    """A kept destination."""

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
    """Whether the errata cancel out: the result is the documented one."""

    @property
    def reason(self) -> str:
        """The errata in words; empty if no erratum affects the answer."""
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
    """Model with an answer other than the trace's."""
    other_trace: Trace | None
    """The other trace, or None if its steps are not shown."""
    steps: tuple[StepView, ...]
    """Steps of the other answer, from the first difference."""


class Section(NamedTuple):
    """A statement: its inputs, its steps, and its results."""

    trace: Trace
    """The trace of the statement alone."""
    statement: BlockStatement
    heading: str
    """The statement as written, with the model if two are shown; empty for a single line."""
    operands: tuple[OperandView, ...]
    steps: tuple[StepView, ...]
    """The shown steps, numbered through all statements."""
    omission: str
    """Sentence with the omitted steps; empty if all are shown."""
    results: tuple[ResultView, ...]
    no_result: str
    """Text instead of the results; empty if there are results."""
    notes: tuple[str, ...]
    lane_notes: tuple[str, ...]
    """The author's notes on lanes, or on the whole."""
    answers: Answers | None
    options: Options
    """The shown part of the trace."""
    step_count: int = 0
    """The number of steps of the earlier statements."""
    is_folded: bool = False
    """Whether its steps are left out."""
    is_other: bool = False
    """Whether it is evaluated under the other model."""
    is_only: bool = False
    """Whether it is the only statement."""

    @property
    def key(self) -> str:
        """Its name in a document: ``s2``, ``s2-other`` under the other model; "" for a line."""
        name = self.statement.prefix.rstrip(".")
        return "-".join(filter(None, (name, "other" * self.is_other)))

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.trace.model.name

    @property
    def is_hidden(self) -> bool:
        """Whether only its line is shown, because its values come later than the shown ones."""
        return not self.steps and not self.options.result

    @property
    def branch(self) -> str:
        """The prefix of its values in a picture: ``s2.``."""
        return f"{self.key}." if self.key else ""

    def name_part(self, name: str) -> str:
        """Return the name of a part of it in a picture: ``result-s2``."""
        return f"{name}-{self.key}" if self.key else name

    def name_step(self, step: StepView) -> str:
        """Return the id of one of its steps in a picture: ``s2-step-saturate``."""
        return f"{self.key}-step-{step.stage}" if self.key else f"step-{step.stage}"

    def without_sentences(self) -> Section:
        """Return the section without sentences of ptxscope."""
        answers = self.answers and self.answers._replace(
            errata=(), steps=_drop_sentences(self.answers.steps)
        )
        return self._replace(steps=_drop_sentences(self.steps), notes=(), answers=answers)


class Document(NamedTuple):
    """The whole content of a trace: statements, texts and results.

    A single instruction has the values, results and notes of its only section.
    """

    trace: Trace
    title: str
    ptx: str
    """The instruction; or the statements, one per line."""
    model: str
    operands: tuple[OperandView, ...]
    """The input values; of several statements, the input registers."""
    sections: tuple[Section, ...]
    """The statements in order; a differing one is followed by itself under the other model."""
    steps: tuple[StepView, ...]
    """The shown steps of all unfolded statements."""
    results: tuple[ResultView, ...]
    no_result: str
    """Text instead of the results; empty if there are results."""
    notes: tuple[str, ...]
    """Sentences without a full stop."""
    answers: Answers | None
    agreement: str
    """Sentence that both answers agree, if both are requested."""
    caption: str
    source: str
    """The edition and sections of the PTX ISA, and versions; empty without a footer."""
    command: str
    """Shell command that reproduces this document; empty without a footer."""
    words: tuple[str, ...]
    """Words of that command."""
    other: Trace | None = None
    """The block's trace under the other model, if its steps are shown."""

    @property
    def ascii_source(self) -> str:
        """The source for terminals and code, in ASCII."""
        return self.source.replace("§", "section ")

    @property
    def is_only(self) -> bool:
        """Whether it has one statement."""
        return len(self.trace.parts) == 1

    @property
    def omission(self) -> str:
        """Sentence with the omitted steps of an instruction; empty if all are shown."""
        return self.sections[0].omission if self.sections[0].is_only else ""

    @property
    def lane_notes(self) -> tuple[str, ...]:
        """The author's notes on lanes of an instruction, or on the whole."""
        return self.sections[0].lane_notes if self.sections[0].is_only else ()

    @property
    def subject(self) -> str:
        """The opcode of the instruction, or the number of statements in words."""
        first, *others = self.trace.parts
        return f"{len(others) + 1} statements" if others else first.instruction.opcode

    @property
    def name(self) -> str:
        """The title, or the instruction of a single line, or the subject."""
        return self.title or (self.subject if "\n" in self.ptx else self.ptx)

    def without_sentences(self) -> Document:
        """Return the document without sentences of ptxscope, for a picture beside a text."""
        sections = tuple(x.without_sentences() for x in self.sections)
        return self._replace(
            sections=sections,
            steps=_drop_sentences(self.steps),
            notes=(),
            answers=self.answers and sections[0].answers,
            agreement="",
        )

    def take_steps(self, count: int, title: str) -> Document:
        """Return the document up to a step, with the result only after the last one."""
        if count == len(self.steps):
            return self._replace(title=title)
        steps = self.steps[:count]
        return self._replace(title=title, steps=steps, results=(), answers=None, agreement="")


def _drop_sentences(steps: Iterable[StepView]) -> tuple[StepView, ...]:
    return tuple(step._replace(about="") for step in steps)
