"""A run of a program, line by line: its steps, the registers, and the inputs that it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from ...engine.isa.types import Type
from ...engine.program.places import WritePlace
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.semantics.models import Model
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.trace import Trace


class Value(NamedTuple):
    """The contents of a register at some time."""

    bits: int | None
    """Unsigned; None if unknown."""
    width: int
    writer: Statement | None = None
    """The statement that wrote it; None for an initial value or a constant."""
    is_input: bool = False
    """Whether it was supplied rather than computed."""
    step: int = 0
    """Number of the step that wrote it; 0 for an initial value."""
    is_pending: bool = False
    """Whether it is unknown only because a required input is missing."""
    key: str = ""
    """Key of the input that supplies it; empty if it was computed."""


class MissingInput(NamedTuple):
    """A register that is read while its value is unknown."""

    name: str
    type: Type
    reader: Statement
    clobbered_by: Statement | None
    """The statement that made it unknown; None if nothing has written it."""
    key: str
    """Key of the missing input: the register's name, or ``u@17`` if the name is taken."""
    taken_key: str = ""
    """Key of the value that the name is taken for."""

    @property
    def message(self) -> str:
        """The reader of the register, and why its value is unknown."""
        clobberer, line = self.clobbered_by, self.taken_key.partition("@")[2].partition("#")[0]
        reasons = (
            [f"{clobberer.name} at line {clobberer.line} made it unknown"] if clobberer else []
        )
        if line:
            start = "the start" if line == "0" else f"line {line}"
            reasons.append(f"{self.name}=… is its value from {start} on")
        explanation = f" ({'; '.join(reasons)})" if reasons else ""
        return (
            f"{self.name} is read at line {self.reader.line}, but its value is unknown{explanation}"
        )


class RunStep(NamedTuple):
    """One statement of a run, and its effect."""

    number: int
    """From 1."""
    statement: Statement
    trace: Trace | None
    """Trace of an explained instruction; None if it is inactive and an input is unknown."""
    reads: Mapping[str, Value]
    """Known values of the registers it reads, and of an old value its guard might keep."""
    writes: Mapping[str, int | None]
    """Bits by name; None if they became unknown."""
    note: str

    @property
    def line(self) -> int:
        """Line of the statement, from 1."""
        return self.statement.line

    @property
    def text(self) -> str:
        """The statement as written."""
        return self.statement.text

    @property
    def instruction(self) -> Instruction | None:
        """The instruction, if it is an instruction of the catalog."""
        return self.statement.explained


class StopReason(StrEnum):
    """The reason why a run ended."""

    END = "end"
    """After the last statement."""
    BRANCH_TAKEN = "left"
    """At a branch that was taken, or at the end of the kernel."""
    BREAK = "break"
    """At the requested line."""
    MISSING_INPUT = "needs"
    """At a register whose value is unknown."""


class Run(NamedTuple):
    """The steps and the final state of a run."""

    program: Program
    model: Model
    steps: tuple[RunStep, ...]
    """One step for each statement, up to the end of the run."""
    registers: Mapping[str, Value]
    """The final contents of every register, in the order of their first values."""
    ending: StopReason
    missing_inputs: tuple[MissingInput, ...]
    """The inputs that the run needs to go on, as far as they are known."""
    unused: tuple[str, ...]
    """Keys of the inputs that nothing has read."""
    answers: Mapping[str, str]
    """The input used for each unknown value, by keys: ``u@17`` to ``u``."""
    later_steps: tuple[RunStep, ...] = ()
    """Steps of statements after the first missing input that depend on no missing input."""
    values: Mapping[WritePlace, Value] = {}
    """The contents of the registers, by the place that wrote them."""

    def find_writes(self, name: str) -> tuple[RunStep, ...]:
        """Return the steps that wrote a register, or made it unknown.

        If several blocks declare a register of that name, it is the outermost that was written.
        """
        depths = self.program.compute_depths(name)
        steps_by_depth: dict[int, list[RunStep]] = {}
        for step in self.steps:
            if name in step.writes:
                steps_by_depth.setdefault(depths[step.statement.number], []).append(step)
        return tuple(steps_by_depth[min(steps_by_depth)]) if steps_by_depth else ()
