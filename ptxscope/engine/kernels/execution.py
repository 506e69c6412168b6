"""Execution of a program: registers carried along, each of the 27 instructions traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Generic, TypeVar

from ..isa.types import Type
from ..records import NamedTuple, replace
from ..semantics.models import Model
from ..semantics.plan_execution import compute_results
from ..syntax.instruction import Instruction
from ..tracing.evaluation import bind_values, convert_to_bits, make_plan, resolve_model
from ..tracing.trace import Trace
from .plain_instructions import join, split
from .program import PlainSource, Program, Statement, StatementKind
from .run_inputs import UnknownSites, find_unknown_sites, make_initial_key, register_of


class Value(NamedTuple):
    """The contents of a register at some time."""

    bits: int | None
    """Unsigned; None if unknown."""
    width: int
    by: Statement | None = None
    """The statement that wrote it; None for an initial value or a constant."""
    given: bool = False
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
    other: str = ""
    """Key of the value that the name is taken for."""

    @property
    def message(self) -> str:
        """The reader of the register, and why its value is unknown."""
        by, line = self.clobbered_by, self.other.partition("@")[2].partition("#")[0]
        why = [f"{by.opcode} at line {by.line} made it unknown"] if by else []
        if line:
            since = "the start" if line == "0" else f"line {line}"
            why.append(f"{self.name}=… is its value from {since} on")
        behind = f" ({'; '.join(why)})" if why else ""
        return (
            f"{self.name} is read at line {self.reader.line} and nothing known has written it"
            f"{behind}"
        )


class RunStep(NamedTuple):
    """One statement of a run, and its effect."""

    number: int
    """From 1."""
    statement: Statement
    trace: Trace | None
    """Trace of one of the 27; None if a false guard kept it from reading unknown registers."""
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
        """The instruction, if it is one of the 27."""
        return self.statement.instruction


class StopReason(StrEnum):
    """The reason why a run ended."""

    END = "end"
    """After the last statement."""
    LEFT = "left"
    """At a branch that was taken, or at the end of the kernel."""
    BREAK = "break"
    """At the requested line."""
    NEEDS = "needs"
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
    needed: tuple[MissingInput, ...]
    """The inputs that the run needs to go on, as far as they are known."""
    unused: tuple[str, ...]
    """Keys of the inputs that nothing has read."""
    answers: Mapping[str, str]
    """The input used for each unknown value, by keys: ``u@17`` to ``u``."""

    def find_writes(self, name: str) -> tuple[RunStep, ...]:
        """Return the steps that wrote a register, or made it unknown.

        If several blocks declare a register of that name, it is the outermost that was written.
        """
        depths = self.program.compute_depths(name)
        found: dict[int, list[RunStep]] = {}
        for step in self.steps:
            if name in step.writes:
                found.setdefault(depths[id(step.statement)], []).append(step)
        return tuple(found[min(found)]) if found else ()


def execute(
    program: Program,
    values: Mapping[str, int],
    model: str | Model = "isa",
    *,
    stop: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Run:
    """Run a program on integers by register name, up to line ``stop`` if there is one.

    An input supplies one unknown value of a register: ``u@17`` the value after line 17, ``u`` the
    first that is read and has no input of its own. A branch that is taken ends the run.
    ``on_progress`` is called with the number of finished statements.

    Raise ValueError for a name that the program does not have, a line that makes nothing unknown,
    or a value that does not fit.
    """
    known = find_unknown_sites(program)
    given = {key: _make_given_value(program, known, key, value) for key, value in values.items()}
    machine = _Machine(program, known, given, resolve_model(model))
    ending = machine.run(stop, on_progress)
    state = machine.collect_final_values(machine.stopped if machine.needs else machine.state)
    return Run(
        program,
        machine.model,
        tuple(machine.iter_steps()),
        state,
        StopReason.NEEDS if machine.needs else ending,
        tuple(machine.needs.values()),
        tuple(key for key in given if key not in machine.used),
        machine.answers,
    )


def _make_given_value(program: Program, known: UnknownSites, key: str, value: int) -> Value:
    name = register_of(key)
    if name not in program.types:
        raise ValueError(f"{key} is not a register of {program.name}")
    if not known.has_key(key):
        raise ValueError(f"{key}: nothing there makes {name} unknown")
    if name in program.constants:
        raise ValueError(f"{name} is a constant")
    at = known.statements.get(key)
    type_ = program.find_value_type(name, at) if at else program.types[name]
    return Value(convert_to_bits(value, type_, key), type_.bits, given=True)


class _MissingError(Exception):
    """A register is read while its value is unknown."""


_MOST_NAMES = 4
"""Registers that a note lists."""
Held = TypeVar("Held")


class ShadowedRegisters(Generic[Held]):
    """Values of registers that an inner block's registers of the same names hide."""

    def __init__(self) -> None:
        self._outside: list[dict[str, Held]] = []

    def open(self, state: dict[str, Held], statement: Statement) -> None:
        """At an ``OPEN``, remove the hidden registers from the state."""
        self._outside.append({x: state.pop(x) for x in statement.writes if x in state})

    def close(self, state: dict[str, Held], statement: Statement) -> None:
        """At its ``CLOSE``, restore them."""
        kept = self._outside.pop() if self._outside else {}
        for name in statement.writes:
            state.pop(name, None)
            if name in kept:
                state[name] = kept[name]


class _Machine:
    """The registers of a run."""

    def __init__(
        self, program: Program, known: UnknownSites, given: Mapping[str, Value], model: Model
    ) -> None:
        self.program, self.places, self.given, self.model = program, known, given, model
        self.state = {name: self._read_initial_value(name) for name in map(register_of, given)}
        for name, bits in program.constants.items():
            self.state[name] = Value(bits, program.types[name].bits)
        self.needs: dict[str, MissingInput] = {}
        self.used: set[str] = set()
        self.answers: dict[str, str] = {}
        self.answered: dict[str, str] = {}
        """The inverse of ``answers``."""
        self.missed: dict[str, str] = {}
        """For each register, the key of its first unknown value that was read."""
        self.blocks = ShadowedRegisters[Value]()
        self.steps: list[RunStep] = []
        self.reads: dict[str, Value] = {}
        self.number = 0
        self.stopped: dict[str, Value] = {}

    def run(self, stop: int | None, told: Callable[[int], None] | None) -> StopReason:
        """Execute the statements; after a missing input, only collect further missing inputs."""
        for at, statement in enumerate(self.program.statements):
            if told:
                told(at)
            if stop is not None and statement.line >= stop:
                return StopReason.BREAK
            if statement.kind is StatementKind.OPEN:
                self.blocks.open(self.state, statement)
                self.state |= {
                    name: self._read_initial_value(name, self.places.key(statement, name))
                    for name in statement.writes
                }
            elif statement.kind is StatementKind.CLOSE:
                self.blocks.close(self.state, statement)
            else:
                self.number = len(self.steps) + 1
                step, left = self._step(statement)
                if not self.needs:
                    self.steps.append(step)
                if left:
                    return StopReason.LEFT
        return StopReason.END

    def collect_final_values(self, state: Mapping[str, Value]) -> dict[str, Value]:
        """Return the final registers without untouched ones; apply unused inputs."""
        known = {name: self._resolve_value(name, x, x.width) for name, x in state.items()}
        return {name: x for name, x in known.items() if x.bits is not None or x.by}

    def iter_steps(self) -> Iterator[RunStep]:
        """Yield the steps, with the inputs for values that they make unknown."""
        for step in self.steps:
            if step.statement.kind is StatementKind.OTHER and step.writes:
                keys = {x: self.places.key(step.statement, x) for x in step.writes}
                found = {x: self.answers.get(key) for x, key in keys.items()}
                writes = {x: self.given[key].bits if key else None for x, key in found.items()}
                step = step._replace(writes=writes, note=_format_forgotten(step.statement, writes))
            yield step

    def _read_initial_value(self, name: str, key: str = "") -> Value:
        """Return the value of a register that nothing has written."""
        return Value(None, self.program.types[name].bits, key=key or make_initial_key(name))

    def _resolve_value(self, name: str, value: Value, width: int) -> Value:
        """Return a value, or the input for it if it is unknown."""
        if value.bits is not None or value.is_pending or not value.key:
            return value
        key = value.key
        if key not in self.given:
            free = name in self.given and name not in self.answered
            if not free or self.given[name].width != width:
                return value
            key = name
        self.answers[value.key] = key
        self.answered[key] = value.key
        bits = self.given[key].bits
        assert bits is not None
        return value._replace(bits=bits & ((1 << width) - 1), width=width, given=True)

    def _step(self, statement: Statement) -> tuple[RunStep, bool]:
        """Execute a statement; return its step and whether the run ends with it."""
        self.reads = {}
        trace, note, left = None, "", False
        before: dict[str, int | None] = dict.fromkeys(statement.writes)
        written: dict[str, int | None] = {}
        acts = self._evaluate_guard(statement)
        if statement.kind is StatementKind.BRANCH:
            note, left = _describe_branch(statement, acts)
        elif statement.kind is StatementKind.LABEL:
            pass
        elif acts is False:
            trace = self._trace_inactive(statement)
            written = self._convert_destinations(statement)
            what = "the old value is converted (E14)" if written else "nothing is written"
            note = f"{_format_guard(statement)} is false: {what}"
        elif statement.kind is StatementKind.OTHER:
            self._forget_results(statement)
            written = dict(before)
            note = _format_forgotten(statement, written)
        else:
            try:
                trace, results = self._compute_statement(statement, acts is not None)
                self._write(statement, results)
                written = dict(results)
            except _MissingError:
                for name in before:
                    width = self.program.types[name].bits
                    self.state[name] = Value(None, width, statement, is_pending=True)
        return RunStep(self.number, statement, trace, self.reads, written, note), left

    def _evaluate_guard(self, statement: Statement) -> bool | None:
        """Return whether the guard lets a statement act, or None if that is unknown."""
        if statement.guard is None:
            return True
        value = self._peek_bits(statement.guard, 1)
        return None if value is None else bool(value) is not statement.negated

    def _peek_bits(self, name: str, width: int) -> int | None:
        value = self._resolve_value(
            name, self.state.get(name) or self._read_initial_value(name), width
        )
        if value.bits is None or value.width != width:
            if value.key:
                self.missed.setdefault(name, value.key)
            return None
        self.state[name] = self.reads[name] = value
        if value.given:
            self.used.add(self.answers[value.key])
        return value.bits

    def _read(self, name: str, type_: Type, statement: Statement) -> int | None:
        """Return a register's bits, or None after recording that they are unknown."""
        value = self.state.get(name)
        if value and value.is_pending:
            return None
        bits = self._peek_bits(name, type_.bits)
        if bits is None:
            need = self._note_missing_input(
                name, value or self._read_initial_value(name), type_, statement
            )
            if not self.needs:
                self.stopped = dict(self.state)
            self.needs.setdefault(need.key, need)
            self.state[name] = Value(None, type_.bits, need.clobbered_by, is_pending=True)
        return bits

    def _note_missing_input(
        self, name: str, value: Value, type_: Type, reader: Statement
    ) -> MissingInput:
        """Return a missing input; its key is the name unless that is another value's."""
        suggested = self.program.find_value_type(name, value.by)
        type_ = suggested if suggested.bits == type_.bits else type_
        need = MissingInput(name, type_, reader, value.by, name)
        first = (self.answered if name in self.given else self.missed).get(name, "")
        if not value.key or value.key == first:
            return need
        return need._replace(key=value.key, other=first)

    def _read_all(self, wanted: Mapping[str, Type], statement: Statement) -> dict[str, int]:
        """Return bits by name; raise _MissingError after recording all unknown ones."""
        found = {name: self._read(name, type_, statement) for name, type_ in wanted.items()}
        known = {name: bits for name, bits in found.items() if bits is not None}
        if len(known) < len(found):
            raise _MissingError
        return known

    def _compute_statement(
        self, statement: Statement, is_guarded: bool
    ) -> tuple[Trace | None, dict[str, int]]:
        """Return the trace and results of a statement whose guard holds or is unknown.

        Raise _MissingError if an input is missing.
        """
        guard: dict[str, Type] = {}
        if statement.guard and not is_guarded:
            guard[statement.guard] = Type.PRED
        ins, plain = statement.instruction, statement.plain
        if ins:
            acting = replace(ins, guard=None)
            bits = self._read_all({x.name: x.type for x in acting.inputs} | guard, statement)
            old = {x.name: self._peek_bits(x.name, x.type.bits) for x in ins.inputs}
            bits |= {name: value for name, value in old.items() if value is not None}
            whole = all(x.name in bits for x in ins.inputs)
            trace = _trace(ins if whole else acting, bits, self.model)
            return trace, dict(trace.result)
        assert plain
        wanted = {
            name: t
            for x in statement.reads
            for name, t in _map_operand_types(x, plain.type).items()
        }
        bits = self._read_all(wanted | guard, statement)
        sources = [
            x.bits if not x.names else _join_components(tuple(bits[name] for name in x.names))
            for x in statement.reads
        ]
        result = plain.compute_result(tuple(sources))
        parts = split(result) if len(statement.writes) > 1 else (result,)
        return None, dict(zip(statement.writes, parts, strict=True))

    def _trace_inactive(self, statement: Statement) -> Trace | None:
        """Return the trace of an instruction with a false guard, if all inputs are known."""
        ins = statement.instruction
        if ins is None:
            return None
        found = {x.name: self._peek_bits(x.name, x.type.bits) for x in ins.inputs}
        bits = {name: value for name, value in found.items() if value is not None}
        return _trace(ins, bits, self.model) if len(bits) == len(found) else None

    def _convert_destinations(self, statement: Statement) -> dict[str, int | None]:
        """Return destinations that change although the guard is false (E14)."""
        ins = statement.instruction
        if ins is None or ins.guard is None:
            return {}
        rules = self.model.make_rules(ins.form)
        if not rules.old_converted:
            return {}
        (name,) = ins.results.values()
        old = self._peek_bits(name, ins.type_of("d").bits)
        if old is None:
            return {name: None}
        plan = make_plan(ins, rules)
        rest = {source.role: 0 for source in plan.sources}  # only d matters
        operands = {**rest, "guard": int(ins.guard.negated), "d": old}
        found = {name: compute_results(plan, operands)["d"]}
        self._write(statement, found)
        return dict(found)

    def _write(self, statement: Statement, results: Mapping[str, int]) -> None:
        for name, bits in results.items():
            width = _find_width(statement, name)
            self.state[name] = Value(bits, width, statement, step=self.number)

    def _forget_results(self, statement: Statement) -> None:
        """Make the registers that a statement writes unknown."""
        for name in statement.writes:
            value = self._read_initial_value(name, self.places.key(statement, name))
            self.state[name] = value._replace(by=statement, step=self.number)


def _format_forgotten(statement: Statement, writes: Mapping[str, int | None]) -> str:
    """Return a note on the unknown results of a statement."""
    if statement.problems:
        return f"illegal: {statement.problems[0].message}"
    unknown = [name for name, bits in writes.items() if bits is None]
    if statement.unread:
        what = f"; makes {_list_names(unknown)} unknown" if unknown else ""
        return f"not run{what}"
    if unknown:
        return f"makes {', '.join(unknown)} unknown"
    return "as given" if writes else "writes no register"


def _list_names(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _join_components(parts: tuple[int, ...]) -> int:
    return join(parts) if len(parts) > 1 else parts[0]


def _map_operand_types(operand: PlainSource, type_: Type) -> dict[str, Type]:
    return dict.fromkeys(operand.names, Type.B16 if len(operand.names) > 1 else type_)


def _find_width(statement: Statement, name: str) -> int:
    if statement.instruction:
        names = statement.instruction.results
        return next(
            statement.instruction.type_of(role).bits for role, x in names.items() if x == name
        )
    assert statement.plain
    return 16 if len(statement.writes) > 1 else statement.plain.type.bits


def _trace(ins: Instruction, bits: Mapping[str, int], model: Model) -> Trace:
    return Trace(ins, model, bind_values(ins, bits))


def _format_guard(statement: Statement) -> str:
    return f"@{'!' if statement.negated else ''}{statement.guard}"


def _describe_branch(statement: Statement, acts: bool | None) -> tuple[str, bool]:
    if acts is None:
        return f"{statement.guard} is not known: taken as if the branch were not", False
    if not acts:
        return f"{_format_guard(statement)} is false: not taken", False
    ends = statement.opcode.partition(".")[0] in ("ret", "exit", "trap")
    return ("ends here" if ends else "taken; the run does not follow it"), True
