"""A run of a program, line by line: steps, registers, and missing inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..diagnosis.observation import Observed
from ..engine.isa.types import Type
from ..engine.micro_operations.merge import Merge
from ..engine.program.control_flow import INITIAL, WritePlace
from ..engine.program.program import Program
from ..engine.program.statement import Statement, StatementKind
from ..engine.semantics.models import Model
from ..engine.syntax.instruction import Instruction, Register
from ..engine.tracing.trace import Trace
from ..sources.source_lines import SourceLines


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
    """Key of the input that supplies it; empty if computed."""


class MissingInput(NamedTuple):
    """A register that is read while its value is unknown."""

    name: str
    type: Type
    reader: Statement
    clobbered_by: Statement | None
    """The statement that made it unknown; None if no statement wrote it."""
    key: str
    """Key of the missing input: the register's name, or ``u@17`` if the name is taken."""
    taken_key: str = ""
    """Key of the value that already uses the name."""

    @property
    def message(self) -> str:
        """The reader of the register, and the reason why its value is unknown."""
        return self.describe(SourceLines(""))

    def describe(self, sources: SourceLines) -> str:
        """Return the reader of the register, and the reason why its value is unknown."""
        clobberer, line = self.clobbered_by, self.taken_key.partition("@")[2].partition("#")[0]
        reasons = (
            [f"{clobberer.name} at {sources.format_line(clobberer.line)} made it unknown"]
            if clobberer
            else []
        )
        if line:
            start = "the start" if line == "0" else sources.format_line(int(line))
            reasons.append(f"{self.name}=… is its value from {start} on")
        explanation = f" ({'; '.join(reasons)})" if reasons else ""
        place = sources.format_line(self.reader.line)
        return f"{self.name} is read at {place}, but its value is unknown{explanation}"


class RunStep(NamedTuple):
    """One statement of a run, and its effect."""

    number: int
    """From 1."""
    statement: Statement
    trace: Trace | None
    """Trace of an explained instruction; None if it is inactive and an input is unknown."""
    reads: Mapping[str, Value]
    """Known values of the registers that it reads, and of old values that its guard may keep."""
    writes: Mapping[str, int | None]
    """Bits by name; None for unknown ones."""
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
        """The instruction, if it is in the catalog."""
        return self.statement.explained_instruction


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
    """The inputs that the run needs to continue, as far as known."""
    unused: tuple[str, ...]
    """Keys of the unused inputs."""
    answers: Mapping[str, str]
    """The input used for each unknown value, by keys: ``u@17`` to ``u``."""
    values: Mapping[WritePlace, Value] = {}
    """The contents of the registers, by place."""

    def find_writes(self, name: str) -> tuple[RunStep, ...]:
        """Return the steps that wrote a register, or made it unknown.

        If several blocks declare a register of that name, it is the outermost written one.
        """
        depths = self.program.compute_depths(name)
        steps_by_depth: dict[int, list[RunStep]] = {}
        for step in self.steps:
            if name in step.writes:
                steps_by_depth.setdefault(depths[step.statement.number], []).append(step)
        return tuple(steps_by_depth[min(steps_by_depth)]) if steps_by_depth else ()


class UnknownSites(NamedTuple):
    """The places where registers become unknown, except the start."""

    keys: Mapping[WritePlace, str]
    """The key of the unknown contents of each place."""
    statements: Mapping[str, Statement]
    """Statements by key."""

    def find_key(self, place: WritePlace) -> str:
        """Return the key of the unknown contents of a place; empty if they are computed."""
        is_initial = place.statement == INITIAL
        return make_initial_key(place.register) if is_initial else self.keys.get(place, "")

    def list_keys(self, name: str) -> tuple[str, ...]:
        """Return every key of a register except that of the start."""
        return tuple(key for place, key in self.keys.items() if place.register == name)

    def has_key(self, key: str) -> bool:
        """Return whether a key accepts an input."""
        return key in self.statements or key in (
            get_register_name(key),
            make_initial_key(get_register_name(key)),
        )


def find_unknown_sites(program: Program) -> UnknownSites:
    """Return the places of a program where registers become unknown."""
    keys: dict[WritePlace, str] = {}
    statements: dict[str, Statement] = {}
    counts = Counter[str]()
    braces = (x for x in program.statements if x.kind is StatementKind.BLOCK_START)
    # a key rarely refers to a brace
    for statement in (*(x for x in program.statements if x.may_become_unknown), *braces):
        for name in dict.fromkeys(statement.writes):
            key = f"{name}@{statement.line}"
            counts[key] += 1
            key = f"{key}#{counts[key]}" if counts[key] > 1 else key
            keys[WritePlace(statement.number, name)] = key
            statements[key] = statement
    return UnknownSites(keys, statements)


def make_initial_key(name: str) -> str:
    """Return the key of a register's value before the first statement."""
    return f"{name}@0"


def get_register_name(key: str) -> str:
    """Return the register of a key."""
    return key.partition("@")[0]


def find_origins(run: Run, step: RunStep) -> Iterator[RunStep]:
    """Yield the steps that a step's values come from, the latest first."""
    numbers = {value.step for value in step.reads.values()}
    for earlier in reversed(run.steps[: step.number - 1]):
        if earlier.number in numbers:
            yield earlier
            numbers |= {value.step for value in earlier.reads.values()}


def find_culprits(run: Run, expected_results: Mapping[str, Observed]) -> dict[str, RunStep]:
    """Return the culprit of each register that differs from the observation.

    It is the step that wrote the register last or, if that step only copied a register or kept the
    wrong bits, the step where they came from. Unwritten registers are omitted.
    """
    culprits: dict[str, RunStep] = {}
    for name, observed in expected_results.items():
        steps, value = run.find_writes(name), run.registers.get(name)
        if not steps or value is None:
            continue
        wrong_bits = (
            observed.known_mask if value.bits is None else observed.compute_difference(value.bits)
        )
        if wrong_bits:
            culprits[name] = _find_bit_source(run, steps[-1], wrong_bits)
    return culprits


def find_first_culprit(run: Run, expected_results: Mapping[str, Observed]) -> RunStep | None:
    """Return the earliest culprit, or None if no written register differs."""
    return min(
        find_culprits(run, expected_results).values(), key=lambda step: step.number, default=None
    )


def _find_bit_source(run: Run, step: RunStep, bits: int) -> RunStep:
    """Return the step that some bits of a step's result come from unchanged."""
    while True:
        value = step.reads.get(_find_kept_register(step, bits))
        if value is None or not value.step:
            return step
        step = run.steps[value.step - 1]


def _find_kept_register(step: RunStep, bits: int) -> str:
    """Return the register that a step copied some bits from, or an empty string."""
    statement, trace = step.statement, step.trace
    if statement.is_copy:
        return next((name for name, _ in statement.iter_plain_sources()), "")
    if trace is None:
        return ""
    merges = [row.micro for row in trace.rows.values() if isinstance(row.micro, Merge)]
    c = trace.instruction.roles.get("c")
    if not merges or not isinstance(c, Register):
        return ""
    masks = (
        ((1 << merge.unit) - 1) << merge.unit * lane for merge in merges for lane in merge.lanes
    )
    return "" if any(mask & bits for mask in masks) else c.name
