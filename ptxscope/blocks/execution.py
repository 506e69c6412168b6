"""Execution of a program: the registers, and a trace of each instruction of the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from ..engine.isa.types import Type
from ..engine.program.control_flow import WritePlace, follow_places, make_initial_place
from ..engine.program.program import Program
from ..engine.program.statement import Statement, StatementKind
from ..engine.semantics.models import Model
from ..engine.semantics.plan import compute_results
from ..engine.syntax.errors import abbreviate_names
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.opcodes import ENDS
from ..engine.tracing.evaluation import make_model_plan, make_plan, resolve_model
from ..engine.tracing.operand_bits import bind_values, convert_to_bits
from ..engine.tracing.trace import Trace, make_trace
from .program_run import (
    MissingInput,
    Run,
    RunStep,
    StopReason,
    UnknownSites,
    Value,
    find_unknown_sites,
    get_register_name,
)


class MissingError(Exception):
    """A register is read while its value is unknown."""


class UnknownError(Exception):
    """A statement is not run, or reads an unknown value so that its results become unknown."""


class Registers:
    """The contents of registers; unknown ones are looked up among the inputs."""

    def __init__(self, program: Program, sites: UnknownSites, inputs: Mapping[str, Value]) -> None:
        self.program, self.sites, self.inputs = program, sites, inputs
        self.places = {name: make_initial_place(name) for name in map(get_register_name, inputs)}
        """The place of the current contents of each register."""
        self.values: dict[WritePlace, Value] = {}
        """The contents of the registers by place; a place without an entry is unknown."""
        for name, bits in program.constants.items():
            self._set_value(name, Value(bits, program.types[name].bits))
        self.reads: dict[str, Value] = {}
        """The values that the current statement read."""
        self.missing_inputs: dict[str, MissingInput] = {}
        self.stop_values: dict[str, Value] = {}
        """The registers when the first input was missing."""
        self.used_keys: set[str] = set()
        self.answers: dict[str, str] = {}
        self._answered_keys: dict[str, str] = {}
        """The inverse of ``answers``."""
        self._missing_keys: dict[str, str] = {}
        """The key of the first unknown value read of each register."""

    def collect_final_values(self) -> dict[str, Value]:
        """Return the final contents of all used registers; apply unused inputs."""
        values = self.stop_values if self.missing_inputs else self._collect_values()
        final_values = {name: self._resolve_value(name, x, x.width) for name, x in values.items()}
        return {name: x for name, x in final_values.items() if x.bits is not None or x.writer}

    def find_answers(self, statement: Statement, names: Iterable[str]) -> dict[str, int | None]:
        """Return the inputs for the unknown results of a statement, or None."""
        places = {x: WritePlace(statement.number, x) for x in names}
        keys = {x: self.answers.get(self.sites.find_key(place)) for x, place in places.items()}
        return {x: self.inputs[key].bits if key else None for x, key in keys.items()}

    def await_results(self, statement: Statement) -> None:
        """Make the results of a statement unknown until an input is supplied."""
        for name in statement.writes:
            width = self.program.types[name].bits
            value = Value(None, width, statement, is_pending=True)
            self.values[WritePlace(statement.number, name)] = value

    def keep_contents(self, statement: Statement) -> None:
        """Keep the contents of the registers that a statement could have written but did not."""
        for name in statement.writes:
            if WritePlace(statement.number, name) not in self.values:
                self.values[WritePlace(statement.number, name)] = self._find_value(name)

    def _make_unknown(self, place: WritePlace) -> Value:
        width = self.program.types[place.register].bits
        return Value(None, width, key=self.sites.find_key(place))

    def _collect_values(self) -> dict[str, Value]:
        return {name: self._find_value(name) for name in self.places}

    def _resolve_value(self, name: str, value: Value, width: int) -> Value:
        """Return a value, or the input for it if it is unknown."""
        if value.bits is not None or value.is_pending or not value.key:
            return value
        key = value.key
        if key not in self.inputs:
            is_free = name in self.inputs and name not in self._answered_keys
            if not is_free or self.inputs[name].width != width:
                return value
            key = name
        self.answers[value.key] = key
        self._answered_keys[key] = value.key
        bits = self.inputs[key].bits
        assert bits is not None
        return value._replace(bits=bits & ((1 << width) - 1), width=width, is_input=True)

    def _find_value(self, name: str) -> Value:
        place = self.places.get(name) or make_initial_place(name)
        return self.values.get(place) or self._make_unknown(place)

    def _set_value(self, name: str, value: Value) -> None:
        self.values[self.places.setdefault(name, make_initial_place(name))] = value

    def peek_bits(self, name: str, width: int) -> int | None:
        """Return the bits of a register; None if they are unknown, or of another width."""
        value = self._resolve_value(name, self._find_value(name), width)
        if value.bits is None or value.width != width:
            if value.key:
                self._missing_keys.setdefault(name, value.key)
            return None
        self._set_value(name, value)
        self.reads[name] = value
        if value.is_input:
            self.used_keys.add(self.answers[value.key])
        return value.bits

    def _read_register(self, name: str, type_: Type, statement: Statement) -> int | None:
        """Return a register's bits, or None after recording that they are unknown."""
        value = self._find_value(name)
        if value.is_pending:
            return None
        bits = self.peek_bits(name, type_.bits)
        if bits is None:
            need = self._make_missing_input(name, value, type_, statement)
            if not self.missing_inputs:
                self.stop_values = self._collect_values()
            self.missing_inputs.setdefault(need.key, need)
            pending = Value(None, type_.bits, need.clobbered_by, is_pending=True)
            self._set_value(name, pending)
        return bits

    def _make_missing_input(
        self, name: str, value: Value, type_: Type, reader: Statement
    ) -> MissingInput:
        """Return a missing input; its key is the name, unless another value has that key."""
        suggested = self.program.find_value_type(name, value.writer)
        type_ = suggested if suggested.bits == type_.bits else type_
        need = MissingInput(name, type_, reader, value.writer, name)
        first_key = (self._answered_keys if name in self.inputs else self._missing_keys).get(
            name, ""
        )
        if not value.key or value.key == first_key:
            return need
        return need._replace(key=value.key, taken_key=first_key)

    def read_all(self, types: Mapping[str, Type], statement: Statement) -> dict[str, int]:
        """Return bits by name; raise MissingError after recording all unknown registers."""
        bits_by_name = {
            name: self._read_register(name, type_, statement) for name, type_ in types.items()
        }
        known_bits = {name: bits for name, bits in bits_by_name.items() if bits is not None}
        if len(known_bits) < len(bits_by_name):
            raise MissingError
        return known_bits

    def check_known(self, types: Mapping[str, Type]) -> None:
        """Raise UnknownError for an unknown register, MissingError if an input could supply it."""
        for name, type_ in types.items():
            value = self._resolve_value(name, self._find_value(name), type_.bits)
            if value.bits is None or value.width != type_.bits:
                raise MissingError if value.is_pending else UnknownError
            self._set_value(name, value)

    def write(self, statement: Statement, results: Mapping[str, int], step: int) -> None:
        """Write the results of a statement, by register."""
        for name, bits in results.items():
            width = _find_width(statement, name)
            self.values[WritePlace(statement.number, name)] = Value(
                bits, width, statement, step=step
            )

    def make_results_unknown(self, statement: Statement, step: int) -> None:
        """Make the registers that a statement writes unknown."""
        for name in statement.writes:
            place = WritePlace(statement.number, name)
            self.values[place] = self._make_unknown(place)._replace(writer=statement, step=step)


def make_given_value(program: Program, sites: UnknownSites, key: str, value: int) -> Value:
    """Return an input; raise ValueError if its key does not exist or the value does not fit."""
    name = get_register_name(key)
    if name not in program.types:
        raise ValueError(f"{key} is not a register of {program.name}")
    if not sites.has_key(key):
        raise ValueError(f"{key}: nothing there makes {name} unknown")
    if name in program.constants:
        raise ValueError(f"{name} is a constant")
    statement = sites.statements.get(key)
    type_ = program.find_value_type(name, statement) if statement else program.types[name]
    return Value(convert_to_bits(value, type_, key), type_.bits, is_input=True)


def _find_width(statement: Statement, name: str) -> int:
    if ins := statement.explained_instruction:
        return next(ins.type_of(role).bits for role, x in ins.results.items() if x == name)
    return dict(statement.iter_plain_targets())[name].bits


_MAX_NAMES = 4
"""Maximum registers in a note."""


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
    first value read without such an input. A taken branch ends the run. ``on_progress`` is called
    with the number of finished statements.

    Raise ValueError for a name that the program lacks, a line that makes nothing unknown, or a
    value that does not fit.
    """
    sites = find_unknown_sites(program)
    inputs = {key: make_given_value(program, sites, key, value) for key, value in values.items()}
    registers = Registers(program, sites, inputs)
    machine = _Machine(program, registers, resolve_model(model))
    ending = machine.run_statements(stop_line, on_progress)
    final_values = registers.collect_final_values()
    return Run(
        program,
        machine.model,
        tuple(machine.iter_steps()),
        final_values,
        StopReason.MISSING_INPUT if registers.missing_inputs else ending,
        tuple(registers.missing_inputs.values()),
        tuple(key for key in inputs if key not in registers.used_keys),
        registers.answers,
        registers.values,
    )


class _Machine:
    """Executes the statements of a program in order."""

    def __init__(self, program: Program, registers: Registers, model: Model) -> None:
        self.program, self.registers, self.model = program, registers, model
        self.steps: list[RunStep] = []
        self.number = 0

    def run_statements(
        self, stop_line: int | None, on_progress: Callable[[int], None] | None
    ) -> StopReason:
        """Execute the statements; after a missing input, only collect further missing inputs."""
        for statement in follow_places(self.program.statements, self.registers.places):
            if on_progress:
                on_progress(statement.number)
            if stop_line is not None and statement.line >= stop_line:
                return StopReason.BREAK
            if statement.is_brace:
                continue
            self.number = len(self.steps) + 1
            step, is_over = self._step(statement)
            self.registers.keep_contents(statement)
            if not self.registers.missing_inputs:
                self.steps.append(step)
            if is_over:
                return StopReason.BRANCH_TAKEN
        return StopReason.END

    def iter_steps(self) -> Iterator[RunStep]:
        """Yield the steps; apply inputs to the values that they make unknown."""
        for step in self.steps:
            if step.statement.may_become_unknown and None in step.writes.values():
                writes = self.registers.find_answers(step.statement, step.writes)
                step = step._replace(writes=writes, note=_format_forgotten(step.statement, writes))
            yield step

    def _step(self, statement: Statement) -> tuple[RunStep, bool]:
        """Execute a statement; return its step and whether the run ends with it."""
        reads = self.registers.reads = {}
        trace, note, is_over = None, "", False
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
        else:
            try:
                trace, new_results = self._compute_statement(statement, is_active is not None)
                self.registers.write(statement, new_results, self.number)
                results = dict(new_results)
            except UnknownError:
                self.registers.make_results_unknown(statement, self.number)
                results = dict.fromkeys(statement.writes)
                note = _format_forgotten(statement, results)
            except MissingError:
                self.registers.await_results(statement)
        return RunStep(self.number, statement, trace, reads, results, note), is_over

    def _evaluate_guard(self, statement: Statement) -> bool | None:
        """Return whether the guard lets a statement act, or None if that is unknown."""
        if statement.guard is None:
            return True
        value = self.registers.peek_bits(statement.guard.name, 1)
        return None if value is None else bool(value) is not statement.guard.negated

    def _compute_statement(
        self, statement: Statement, is_guarded: bool
    ) -> tuple[Trace | None, dict[str, int]]:
        """Return the trace and results of a statement whose guard is true or unknown.

        Raise MissingError if an input is missing, and UnknownError if the results are unknown.
        """
        if statement.kind is StatementKind.UNKNOWN:
            raise UnknownError
        guard: dict[str, Type] = {}
        if statement.guard and not is_guarded:
            guard[statement.guard.name] = Type.PRED
        if ins := statement.explained_instruction:
            unguarded = replace(ins, guard=None)
            bits = self.registers.read_all(
                {x.name: x.type for x in unguarded.inputs} | guard, statement
            )
            bits_by_name = {
                source.name: self.registers.peek_bits(source.name, source.type.bits)
                for source in ins.inputs
            }
            bits |= {name: value for name, value in bits_by_name.items() if value is not None}
            is_complete = all(x.name in bits for x in ins.inputs)
            trace = _trace(ins if is_complete else unguarded, bits, self.model)
            return trace, dict(trace.result)
        types = dict(statement.iter_plain_sources()) | guard
        if statement.may_become_unknown:
            self.registers.check_known(types)
        bits = self.registers.read_all(types, statement)
        return None, _compute_plain_results(statement, bits, self.model)

    def _trace_inactive(self, statement: Statement) -> Trace | None:
        """Return the trace of an instruction with a false guard, if all inputs are known."""
        ins = statement.explained_instruction
        if ins is None:
            return None
        bits_by_name = {x.name: self.registers.peek_bits(x.name, x.type.bits) for x in ins.inputs}
        bits = {name: value for name, value in bits_by_name.items() if value is not None}
        return _trace(ins, bits, self.model) if len(bits) == len(bits_by_name) else None

    def _convert_destinations(self, statement: Statement) -> dict[str, int | None]:
        """Return destinations that change although the guard is false (E14)."""
        ins = statement.explained_instruction
        if ins is None or ins.guard is None:
            return {}
        rules = self.model.make_rules(ins.form)
        if not rules.old_converted:
            return {}
        (name,) = ins.results.values()
        old_bits = self.registers.peek_bits(name, ins.type_of("d").bits)
        if old_bits is None:
            return {name: None}
        plan = make_plan(ins, rules)
        zeros = {source.role: 0 for source in plan.sources}  # only d matters
        operands = {**zeros, "guard": int(ins.guard.negated), "d": old_bits}
        results = {name: compute_results(plan, operands)["d"]}
        self.registers.write(statement, results, self.number)
        return dict(results)


def _format_forgotten(statement: Statement, writes: Mapping[str, int | None]) -> str:
    """Return a note on the unknown results of a statement."""
    unknown_names = [name for name, bits in writes.items() if bits is None]
    if writes and not unknown_names:
        return "as given"
    names = abbreviate_names(unknown_names, _MAX_NAMES)
    effect = f"makes {names} unknown" if writes else "writes no register"
    is_known = statement.kind is not StatementKind.UNKNOWN
    return effect if is_known else f"{statement.explain_omission()}; {effect}"


def _compute_plain_results(
    statement: Statement, bits: Mapping[str, int], model: Model
) -> dict[str, int]:
    """Return the results of a plain instruction with a true guard, by register."""
    if statement.move:
        return statement.move.compute_results(bits)
    assert statement.instruction
    ins = replace(statement.instruction, guard=None)
    results = compute_results(make_model_plan(ins, model), bind_values(ins, bits))
    return {ins.results[role]: value for role, value in results.items()}


def _trace(ins: Instruction, bits: Mapping[str, int], model: Model) -> Trace:
    return make_trace(ins, model, bind_values(ins, bits))


def _describe_branch(statement: Statement, is_active: bool | None) -> tuple[str, bool]:
    if is_active is None:
        assert statement.guard
        return (
            f"{statement.guard.name} is unknown: the run continues as if the branch were not taken",
            False,
        )
    if not is_active:
        return f"{statement.guard} is false: not taken", False
    is_end = statement.opcode in ENDS
    return ("ends here" if is_end else "taken; the run does not follow it"), True
