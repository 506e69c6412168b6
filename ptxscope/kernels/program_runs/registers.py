"""The registers of a run, and the inputs that supply what is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...engine.isa.types import Type
from ...engine.program.control_flow import WritePlace, make_initial_place
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.tracing.operand_bits import convert_to_bits
from .program_run import MissingInput, UnknownSites, Value, register_of


class MissingError(Exception):
    """A register is read while its value is unknown."""


class UnknownError(Exception):
    """A statement that can forget its results reads an unknown value."""


class Registers:
    """The contents of registers; unknown ones are looked up among the inputs."""

    def __init__(self, program: Program, sites: UnknownSites, inputs: Mapping[str, Value]) -> None:
        self.program, self.sites, self.inputs = program, sites, inputs
        self.places = {name: make_initial_place(name) for name in map(register_of, inputs)}
        """The place of the current contents of each register."""
        self.values: dict[WritePlace, Value] = {}
        """The contents of the registers by place; a place without an entry is unknown."""
        for name, bits in program.constants.items():
            self._set_value(name, Value(bits, program.types[name].bits))
        self.reads: dict[str, Value] = {}
        """The values that the current statement has read."""
        self.missing_inputs: dict[str, MissingInput] = {}
        self.stop_values: dict[str, Value] = {}
        """The registers when the first input was missing."""
        self.used_keys: set[str] = set()
        self.answers: dict[str, str] = {}
        self._answered_keys: dict[str, str] = {}
        """The inverse of ``answers``."""
        self._missing_keys: dict[str, str] = {}
        """For each register, the key of its first unknown value that was read."""

    def collect_final_values(self) -> dict[str, Value]:
        """Return the final registers without untouched ones; apply unused inputs."""
        values = self.stop_values if self.missing_inputs else self._collect_values()
        final_values = {name: self._resolve_value(name, x, x.width) for name, x in values.items()}
        return {name: x for name, x in final_values.items() if x.bits is not None or x.writer}

    def find_answers(self, statement: Statement, names: Iterable[str]) -> dict[str, int | None]:
        """Return the inputs for the unknown results of a statement; None where there is none."""
        places = {x: WritePlace(statement.number, x) for x in names}
        keys = {x: self.answers.get(self.sites.find_key(place)) for x, place in places.items()}
        return {x: self.inputs[key].bits if key else None for x, key in keys.items()}

    def await_results(self, statement: Statement) -> None:
        """Make the results of a statement unknown for want of an input."""
        for name in statement.writes:
            width = self.program.types[name].bits
            value = Value(None, width, statement, is_pending=True)
            self.values[WritePlace(statement.number, name)] = value

    def keep_contents(self, statement: Statement) -> None:
        """Keep the contents of the registers that a statement may write, and did not write."""
        for name in statement.writes:
            if WritePlace(statement.number, name) not in self.values:
                self.values[WritePlace(statement.number, name)] = self._find_value(name)

    def _make_unknown(self, place: WritePlace) -> Value:
        """Return the unknown contents of a place."""
        width = self.program.types[place.register].bits
        return Value(None, width, key=self.sites.find_key(place))

    def _collect_values(self) -> dict[str, Value]:
        """Return the contents of each register."""
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
        """Record the contents of a register."""
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
        """Return a missing input; its key is the name unless that is another value's."""
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
        """Return bits by name; raise MissingError after recording all unknown ones."""
        bits_by_name = {
            name: self._read_register(name, type_, statement) for name, type_ in types.items()
        }
        known_bits = {name: bits for name, bits in bits_by_name.items() if bits is not None}
        if len(known_bits) < len(bits_by_name):
            raise MissingError
        return known_bits

    def check_known(self, types: Mapping[str, Type]) -> None:
        """Raise UnknownError if a register is unknown, MissingError if an input would tell it."""
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
    """Return an input; raise ValueError if the program has no such one, or it does not fit."""
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


def _find_width(statement: Statement, name: str) -> int:
    if ins := statement.explained:
        return next(ins.type_of(role).bits for role, x in ins.results.items() if x == name)
    return dict(statement.iter_plain_targets())[name].bits
