"""Execution of a program: registers carried along, each instruction of the catalog traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from ..isa.types import Type
from ..program.program import Program
from ..program.statement import Statement, StatementKind
from ..semantics.models import Model
from ..semantics.plan_execution import compute_results
from ..syntax.instruction import Instruction
from ..tracing.evaluation import make_model_plan, make_plan, resolve_model
from ..tracing.operand_bits import bind_values, convert_to_bits
from ..tracing.trace import Trace
from .run_inputs import UnknownSites, find_unknown_sites, make_initial_key, register_of


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

    def find_writes(self, name: str) -> tuple[RunStep, ...]:
        """Return the steps that wrote a register, or made it unknown.

        If several blocks declare a register of that name, it is the outermost that was written.
        """
        depths = self.program.compute_depths(name)
        steps_by_depth: dict[int, list[RunStep]] = {}
        for step in self.steps:
            if name in step.writes:
                steps_by_depth.setdefault(depths[id(step.statement)], []).append(step)
        return tuple(steps_by_depth[min(steps_by_depth)]) if steps_by_depth else ()


def execute(
    program: Program,
    values: Mapping[str, int],
    model: str | Model = "isa",
    *,
    stop_line: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Run:
    """Run a program on integers by register name, up to ``stop_line`` if there is one.

    An input supplies one unknown value of a register: ``u@17`` the value after line 17, ``u`` the
    first that is read and has no input of its own. A branch that is taken ends the run.
    ``on_progress`` is called with the number of finished statements.

    Raise ValueError for a name that the program does not have, a line that makes nothing unknown,
    or a value that does not fit.
    """
    sites = find_unknown_sites(program)
    inputs = {key: _make_given_value(program, sites, key, value) for key, value in values.items()}
    machine = _Machine(program, sites, inputs, resolve_model(model))
    ending = machine.run_statements(stop_line, on_progress)
    state = machine.collect_final_values(
        machine.stop_state if machine.missing_inputs else machine.state
    )
    return Run(
        program,
        machine.model,
        tuple(machine.iter_steps()),
        state,
        StopReason.MISSING_INPUT if machine.missing_inputs else ending,
        tuple(machine.missing_inputs.values()),
        tuple(key for key in inputs if key not in machine.used_keys),
        machine.answers,
        tuple(machine.later),
    )


def _make_given_value(program: Program, sites: UnknownSites, key: str, value: int) -> Value:
    name = register_of(key)
    if name not in program.types:
        raise ValueError(f"{key} is not a register of {program.name}")
    if not sites.has_key(key):
        raise ValueError(f"{key}: nothing there makes {name} unknown")
    if name in program.constants:
        raise ValueError(f"{name} is a constant")
    statement = sites.statements.get(key)
    type_ = program.find_value_type(name, statement) if statement else program.types[name]
    return Value(convert_to_bits(value, type_, key), type_.bits, is_input=True)


class _MissingError(Exception):
    """A register is read while its value is unknown."""


class _UnknownError(Exception):
    """A statement that can forget its results reads an unknown value."""


_MAX_NAMES = 4
"""Registers that a note lists."""
StateT = TypeVar("StateT")


class ShadowedRegisters(Generic[StateT]):
    """Values of registers that an inner block's registers of the same names hide."""

    def __init__(self) -> None:
        self._hidden_states: list[dict[str, StateT]] = []

    def enter_block(self, state: dict[str, StateT], statement: Statement) -> None:
        """At a ``BLOCK_START``, remove the hidden registers from the state."""
        self._hidden_states.append({x: state.pop(x) for x in statement.writes if x in state})

    def leave_block(self, state: dict[str, StateT], statement: Statement) -> None:
        """At its ``BLOCK_END``, restore them."""
        for name in statement.writes:
            state.pop(name, None)
        state |= self._hidden_states.pop() if self._hidden_states else {}

    def forget_values(self) -> None:
        """Forget all hidden values."""
        for hidden_values in self._hidden_states:
            hidden_values.clear()


class _Machine:
    """The registers of a run."""

    def __init__(
        self, program: Program, sites: UnknownSites, inputs: Mapping[str, Value], model: Model
    ) -> None:
        self.program, self.sites, self.inputs, self.model = program, sites, inputs, model
        self.state = {name: self._read_initial_value(name) for name in map(register_of, inputs)}
        for name, bits in program.constants.items():
            self.state[name] = Value(bits, program.types[name].bits)
        self.missing_inputs: dict[str, MissingInput] = {}
        self.used_keys: set[str] = set()
        self.answers: dict[str, str] = {}
        self.answered_keys: dict[str, str] = {}
        """The inverse of ``answers``."""
        self.missing_keys: dict[str, str] = {}
        """For each register, the key of its first unknown value that was read."""
        self.blocks = ShadowedRegisters[Value]()
        self.steps: list[RunStep] = []
        self.later: list[RunStep] = []
        self.reads: dict[str, Value] = {}
        self.number = 0
        self.stop_state: dict[str, Value] = {}

    def run_statements(
        self, stop_line: int | None, on_progress: Callable[[int], None] | None
    ) -> StopReason:
        """Execute the statements; after a missing input, only collect further missing inputs."""
        for index, statement in enumerate(self.program.statements):
            if on_progress:
                on_progress(index)
            if stop_line is not None and statement.line >= stop_line:
                return StopReason.BREAK
            if statement.kind is StatementKind.BLOCK_START:
                self.blocks.enter_block(self.state, statement)
                self.state |= {
                    name: self._read_initial_value(name, self.sites.key(statement, name))
                    for name in statement.writes
                }
            elif statement.kind is StatementKind.BLOCK_END:
                self.blocks.leave_block(self.state, statement)
            else:
                self.number = len(self.steps) + 1
                step, is_over = self._step(statement)
                if not self.missing_inputs:
                    self.steps.append(step)
                elif step.note or step.writes:
                    self.later.append(step)
                if is_over:
                    return StopReason.BRANCH_TAKEN
        return StopReason.END

    def collect_final_values(self, state: Mapping[str, Value]) -> dict[str, Value]:
        """Return the final registers without untouched ones; apply unused inputs."""
        final_values = {name: self._resolve_value(name, x, x.width) for name, x in state.items()}
        return {name: x for name, x in final_values.items() if x.bits is not None or x.writer}

    def iter_steps(self) -> Iterator[RunStep]:
        """Yield the steps, with the inputs for values that they make unknown."""
        for step in self.steps:
            if step.statement.can_forget and None in step.writes.values():
                keys = {x: self.sites.key(step.statement, x) for x in step.writes}
                input_keys = {x: self.answers.get(key) for x, key in keys.items()}
                writes = {
                    x: self.inputs[key].bits if key else None for x, key in input_keys.items()
                }
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
        if key not in self.inputs:
            is_free = name in self.inputs and name not in self.answered_keys
            if not is_free or self.inputs[name].width != width:
                return value
            key = name
        self.answers[value.key] = key
        self.answered_keys[key] = value.key
        bits = self.inputs[key].bits
        assert bits is not None
        return value._replace(bits=bits & ((1 << width) - 1), width=width, is_input=True)

    def _step(self, statement: Statement) -> tuple[RunStep, bool]:
        """Execute a statement; return its step and whether the run ends with it."""
        self.reads = {}
        trace, note, is_over = None, "", False
        unknown_results: dict[str, int | None] = dict.fromkeys(statement.writes)
        results: dict[str, int | None] = {}
        is_active = self._evaluate_guard(statement)
        if statement.kind is StatementKind.BRANCH:
            note, is_over = _describe_branch(statement, is_active)
        elif statement.kind is StatementKind.LABEL:
            pass
        elif is_active is False:
            trace = self._trace_inactive(statement)
            results = self._convert_destinations(statement)
            effect = "the old value is converted (E14)" if results else "nothing is written"
            note = f"{statement.guard} is false: {effect}"
        elif statement.kind is StatementKind.UNKNOWN:
            self._forget_results(statement)
            results = dict(unknown_results)
            note = _format_forgotten(statement, results)
        else:
            try:
                trace, new_results = self._compute_statement(statement, is_active is not None)
                self._write(statement, new_results)
                results = dict(new_results)
            except _UnknownError:
                self._forget_results(statement)
                results = dict(unknown_results)
                note = _format_forgotten(statement, results)
            except _MissingError:
                for name in unknown_results:
                    width = self.program.types[name].bits
                    self.state[name] = Value(None, width, statement, is_pending=True)
        return RunStep(self.number, statement, trace, self.reads, results, note), is_over

    def _evaluate_guard(self, statement: Statement) -> bool | None:
        """Return whether the guard lets a statement act, or None if that is unknown."""
        if statement.guard is None:
            return True
        value = self._peek_bits(statement.guard.name, 1)
        return None if value is None else bool(value) is not statement.guard.negated

    def _find_value(self, name: str) -> Value:
        return self.state.get(name) or self._read_initial_value(name)

    def _peek_bits(self, name: str, width: int) -> int | None:
        value = self._resolve_value(name, self._find_value(name), width)
        if value.bits is None or value.width != width:
            if value.key:
                self.missing_keys.setdefault(name, value.key)
            return None
        self.state[name] = self.reads[name] = value
        if value.is_input:
            self.used_keys.add(self.answers[value.key])
        return value.bits

    def _read_register(self, name: str, type_: Type, statement: Statement) -> int | None:
        """Return a register's bits, or None after recording that they are unknown."""
        value = self.state.get(name)
        if value and value.is_pending:
            return None
        bits = self._peek_bits(name, type_.bits)
        if bits is None:
            need = self._note_missing_input(
                name, value or self._read_initial_value(name), type_, statement
            )
            if not self.missing_inputs:
                self.stop_state = dict(self.state)
            self.missing_inputs.setdefault(need.key, need)
            self.state[name] = Value(None, type_.bits, need.clobbered_by, is_pending=True)
        return bits

    def _note_missing_input(
        self, name: str, value: Value, type_: Type, reader: Statement
    ) -> MissingInput:
        """Return a missing input; its key is the name unless that is another value's."""
        suggested = self.program.find_value_type(name, value.writer)
        type_ = suggested if suggested.bits == type_.bits else type_
        need = MissingInput(name, type_, reader, value.writer, name)
        first_key = (self.answered_keys if name in self.inputs else self.missing_keys).get(name, "")
        if not value.key or value.key == first_key:
            return need
        return need._replace(key=value.key, taken_key=first_key)

    def _read_all(self, types: Mapping[str, Type], statement: Statement) -> dict[str, int]:
        """Return bits by name; raise _MissingError after recording all unknown ones."""
        bits_by_name = {
            name: self._read_register(name, type_, statement) for name, type_ in types.items()
        }
        known_bits = {name: bits for name, bits in bits_by_name.items() if bits is not None}
        if len(known_bits) < len(bits_by_name):
            raise _MissingError
        return known_bits

    def _compute_statement(
        self, statement: Statement, is_guarded: bool
    ) -> tuple[Trace | None, dict[str, int]]:
        """Return the trace and results of a statement whose guard holds or is unknown.

        Raise _MissingError if an input is missing.
        """
        guard: dict[str, Type] = {}
        if statement.guard and not is_guarded:
            guard[statement.guard.name] = Type.PRED
        if ins := statement.explained:
            unguarded = replace(ins, guard=None)
            bits = self._read_all({x.name: x.type for x in unguarded.inputs} | guard, statement)
            bits_by_name = {x.name: self._peek_bits(x.name, x.type.bits) for x in ins.inputs}
            bits |= {name: value for name, value in bits_by_name.items() if value is not None}
            is_complete = all(x.name in bits for x in ins.inputs)
            trace = _trace(ins if is_complete else unguarded, bits, self.model)
            return trace, dict(trace.result)
        types = dict(statement.iter_plain_sources()) | guard
        if statement.can_forget:
            self._check_known(types)
        bits = self._read_all(types, statement)
        return None, _compute_plain_results(statement, bits, self.model)

    def _check_known(self, types: Mapping[str, Type]) -> None:
        """Raise _UnknownError if a register is unknown, _MissingError if an input would tell it."""
        for name, type_ in types.items():
            value = self._resolve_value(name, self._find_value(name), type_.bits)
            if value.bits is None or value.width != type_.bits:
                raise _MissingError if value.is_pending else _UnknownError
            self.state[name] = value

    def _trace_inactive(self, statement: Statement) -> Trace | None:
        """Return the trace of an instruction with a false guard, if all inputs are known."""
        ins = statement.explained
        if ins is None:
            return None
        bits_by_name = {x.name: self._peek_bits(x.name, x.type.bits) for x in ins.inputs}
        bits = {name: value for name, value in bits_by_name.items() if value is not None}
        return _trace(ins, bits, self.model) if len(bits) == len(bits_by_name) else None

    def _convert_destinations(self, statement: Statement) -> dict[str, int | None]:
        """Return destinations that change although the guard is false (E14)."""
        ins = statement.explained
        if ins is None or ins.guard is None:
            return {}
        rules = self.model.make_rules(ins.form)
        if not rules.old_converted:
            return {}
        (name,) = ins.results.values()
        old_bits = self._peek_bits(name, ins.type_of("d").bits)
        if old_bits is None:
            return {name: None}
        plan = make_plan(ins, rules)
        zeros = {source.role: 0 for source in plan.sources}  # only d matters
        operands = {**zeros, "guard": int(ins.guard.negated), "d": old_bits}
        results = {name: compute_results(plan, operands)["d"]}
        self._write(statement, results)
        return dict(results)

    def _write(self, statement: Statement, results: Mapping[str, int]) -> None:
        for name, bits in results.items():
            width = _find_width(statement, name)
            self.state[name] = Value(bits, width, statement, step=self.number)

    def _forget_results(self, statement: Statement) -> None:
        """Make the registers that a statement writes unknown."""
        for name in statement.writes:
            value = self._read_initial_value(name, self.sites.key(statement, name))
            self.state[name] = value._replace(writer=statement, step=self.number)


def _format_forgotten(statement: Statement, writes: Mapping[str, int | None]) -> str:
    """Return a note on the unknown results of a statement."""
    if statement.problems:
        return f"illegal: {statement.problems[0].message}"
    unknown_names = [name for name, bits in writes.items() if bits is None]
    if statement.unread:
        suffix = f"; makes {_list_names(unknown_names)} unknown" if unknown_names else ""
        return f"not run{suffix}"
    if unknown_names:
        return f"makes {', '.join(unknown_names)} unknown"
    return "as given" if writes else "writes no register"


def _list_names(names: list[str]) -> str:
    suffix = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + suffix


def _compute_plain_results(
    statement: Statement, bits: Mapping[str, int], model: Model
) -> dict[str, int]:
    """Return the results of a plain instruction whose guard holds, by register."""
    if statement.move:
        return statement.move.compute_results(bits)
    assert statement.instruction
    ins = replace(statement.instruction, guard=None)
    results = compute_results(make_model_plan(ins, model), bind_values(ins, bits))
    return {ins.results[role]: value for role, value in results.items()}


def _find_width(statement: Statement, name: str) -> int:
    if ins := statement.explained:
        return next(ins.type_of(role).bits for role, x in ins.results.items() if x == name)
    return dict(statement.iter_plain_targets())[name].bits


def _trace(ins: Instruction, bits: Mapping[str, int], model: Model) -> Trace:
    return Trace.of(ins, model, bind_values(ins, bits))


def _describe_branch(statement: Statement, is_active: bool | None) -> tuple[str, bool]:
    if is_active is None:
        assert statement.guard
        return (
            f"{statement.guard.name} is unknown: the run continues as if the branch were not taken",
            False,
        )
    if not is_active:
        return f"{statement.guard} is false: not taken", False
    is_end = statement.opcode in ("ret", "exit", "trap")
    return ("ends here" if is_end else "taken; the run does not follow it"), True
