"""An open listing, its input values, and the cursor in it.

This module is independent of the terminal. An OpenListing has programs and the input values of
their registers, and runs each program once. A ListingCursor is a position in it; moving computes
nothing. An edited value that no statement computes becomes an input of the run, from which later
statements are computed.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from .. import files
from ..blocks.execution import execute
from ..blocks.program_run import (
    Run,
    RunStep,
    UnknownSites,
    find_first_culprit,
    find_unknown_sites,
    get_register_name,
    make_initial_key,
)
from ..diagnosis.observation import parse_observed
from ..engine.program.control_flow import WritePlace, follow_places, make_initial_place
from ..engine.program.program import Program
from ..engine.program.statement import Statement
from ..engine.records import FrozenRecord
from ..engine.semantics.models import parse_model
from ..engine.syntax.errors import Problem, PtxError, quote_word
from ..feature import find_command
from ..sources.source_lines import read_source_lines
from ..sources.source_programs import load
from .edits import with_line
from .listing_rows import ListingRow, iter_rows, list_explained
from .session import LISTING_KEY
from .setup import Setup, make_setup

if TYPE_CHECKING:
    from ..engine.tracing.basic_block import BasicBlock
    from ..engine.tracing.trace import Trace
    from .session import Moment

MAX_CHARS = 1_000_000
"""Maximum characters of a listing in the explorer."""
_MAX_NAMED_LINES = 4
"""Maximum unreadable lines in a note."""


@dataclass(frozen=True)
class OpenListing(FrozenRecord):
    """A listing and the input values of its registers."""

    programs: tuple[Program, ...]
    inputs_by_program: tuple[Mapping[str, int], ...]
    """For each program, the input bits by register."""
    model: str = "isa"
    name: str = field(default="", compare=False, repr=False)
    text: str = field(default="", compare=False, repr=False)
    """The text of the file at its opening."""
    block: BasicBlock | None = None
    """The statements as one evaluation, for a block."""

    @cached_property
    def runs(self) -> dict[int, Run]:
        """The runs so far, by program; empty after a change of inputs."""
        return {}

    @cached_property
    def lists(self) -> dict[tuple[int, bool], tuple[ListingRow, ...]]:
        """The rows so far, by program and whether they have results."""
        return {}

    def run_program(self, program: int) -> Run:
        """Return a program's run on its inputs."""
        if program not in self.runs:
            inputs = self.inputs_by_program[program]
            self.runs[program] = execute(self.programs[program], inputs, parse_model(self.model))
        return self.runs[program]

    def format_line(self, line: int) -> str:
        """Return ``line 12``, or with a source (``.loc``) ``line 12 (sad.cu:5)``."""
        return read_source_lines(self.text).format_line(line)

    def make_rows(self, program: int) -> tuple[ListingRow, ...]:
        """Return the rows: the kernels' names and all statements, with results of one program."""
        rows = (
            self._make_program_rows(number, with_results=number == program)
            for number in range(len(self.programs))
        )
        return tuple(chain.from_iterable(rows))

    def _make_program_rows(self, program: int, *, with_results: bool) -> tuple[ListingRow, ...]:
        key = program, with_results
        if key not in self.lists:
            run = self.run_program(program) if with_results else None
            self.lists[key] = tuple(iter_rows(program, self.programs[program], run))
        return self.lists[key]


@dataclass(frozen=True)
class ListingCursor:
    """A position at a statement of an open listing."""

    key: ClassVar[str] = LISTING_KEY
    values_label: ClassVar[str] = "the values of the listing"
    listing: OpenListing
    program: int
    index: int
    """The statement under the cursor."""

    @property
    def statement(self) -> Statement:
        """The statement under the cursor."""
        return self.listing.programs[self.program].statements[self.index]

    @property
    def is_explained(self) -> bool:
        """Whether the statement under the cursor is explained, even if illegal."""
        return self.index in list_explained(self.listing.programs[self.program])

    @property
    def program_run(self) -> Run:
        """The run of the program under the cursor."""
        return self.listing.run_program(self.program)

    @property
    def rows(self) -> tuple[ListingRow, ...]:
        """The rows: the kernels' names and all statements, with results of the current program."""
        return self.listing.make_rows(self.program)

    @property
    def step(self) -> RunStep | None:
        """The run's step at the cursor; None if not reached."""
        return next((x for x in self.program_run.steps if x.statement.number == self.index), None)

    @cached_property
    def _sites(self) -> UnknownSites:
        return find_unknown_sites(self.listing.programs[self.program])

    @cached_property
    def _values_before(self) -> Mapping[str, int | str]:
        """The register contents before the statement, for registers that earlier statements write.

        Each is the computed value, or the key of its input; empty if the run has not reached the
        statement that computes the register.
        """
        program, places = self.listing.programs[self.program], dict[str, WritePlace]()
        places |= {name: make_initial_place(name) for name in program.constants}
        deque(follow_places(program.statements[: self.index], places), maxlen=0)
        return {name: self._find_value_at(place) for name, place in places.items()}

    def _find_value_at(self, place: WritePlace) -> int | str:
        """Return the computed value at a place, or the key of its input."""
        value = self.program_run.values.get(place)
        if value and value.bits is not None and not value.is_input:
            return value.bits
        return (value.key if value else "") or self._sites.find_key(place)

    @property
    def _computed_values(self) -> Mapping[str, int]:
        """The computed register values before the statement."""
        return {name: x for name, x in self._values_before.items() if isinstance(x, int)}

    @cached_property
    def _input_values(self) -> Mapping[str, int]:
        """The known register values before the statement."""
        inputs = self.listing.inputs_by_program[self.program]
        keys = {
            name: self._find_input_key(name)
            for name in (*map(get_register_name, inputs), *self._values_before)
        }
        values = {name: inputs[key] for name, key in keys.items() if key in inputs}
        return {**values, **self._computed_values}

    def _find_input_key(self, name: str) -> str:
        """Return the input key of a register before the statement; empty if it is computed."""
        place = self._values_before.get(name, make_initial_key(name))
        if not place or isinstance(place, int):
            return ""
        inputs, answers = self.listing.inputs_by_program[self.program], self.program_run.answers
        if place in answers:
            return answers[place]
        is_free = name in inputs and name not in answers.values()
        is_only_value = place == make_initial_key(name) and not self._sites.list_keys(name)
        return name if place not in inputs and (is_free or is_only_value) else place

    def make_setup(self, old_setup: Setup) -> Setup:
        """Return the setup of the statement; an unknown register is 0.

        An illegal statement has its line. If the line alone is not legal, the setup has the
        instruction of ``old_setup``.
        """
        ins, place = self.statement.instruction, (self.program, self.index)
        if ins is None:
            line = with_line(old_setup, f"{self.statement.text};")
            if line.error is None:
                input_values, names = self._input_values, line.instruction.names
                values = {
                    role: input_values[name] for role, name in names.items() if name in input_values
                }
                line = replace(line, values=values)
            return replace(line, place=place, is_detached=True)
        return replace(make_setup(ins, self._input_values, self.listing.model), place=place)

    def update_setup(self, setup: Setup) -> Setup:
        """Return the setup with the run's values of its registers."""
        if setup.is_detached or setup.place != (self.program, self.index):
            return setup
        ins = setup.instruction
        input_values = (
            self._computed_values if ins == self.statement.instruction else self._input_values
        )
        values = {
            role: input_values[name] for role, name in ins.names.items() if name in input_values
        }
        is_unchanged = all(setup.values.get(role) == bits for role, bits in values.items())
        return setup if is_unchanged else replace(setup, values={**setup.values, **values})

    def find_computed_register(self, setup: Setup, role: str) -> str:
        """Return the register of a role if the run computes its value; may be empty."""
        is_followed = setup.instruction == self.statement.instruction and not setup.is_detached
        name = setup.instruction.names.get(role, "")
        has_place = setup.place == (self.program, self.index)
        return name if is_followed and has_place and name in self._computed_values else ""

    def list_notes(self, setup: Setup) -> tuple[str, ...]:
        """Return notes on unknown values, the end of the run, and edits."""
        ins, notes = self.statement.instruction, list[str]()
        if setup.place is None or setup.error is not None:
            return ()
        if ins is None and setup.line == f"{self.statement.text};":
            notes.append(f"it can't run in the listing: {self.statement.problems[0].message}")
            return (*notes, *self._list_unknown_values(setup))
        if omitted := self.listing.programs[self.program].omitted_statements:
            lines = dict.fromkeys(str(statement.line) for statement in omitted)
            notes.append(f"the run can't read line {', '.join(list(lines)[:_MAX_NAMED_LINES])}")
        if setup.instruction != ins:
            notes.append("changed here only: the listing keeps its line, and u undoes this")
        if setup.origin and setup.origin.values == setup.values:
            notes.append(f"the operands of {setup.origin.text}")
            return tuple(notes)
        if setup.is_detached:
            notes.append("these operands differ from the run's; go to a line to see the run's")
            return tuple(notes)
        notes += self._list_unknown_values(setup)
        if self.step is None:
            notes += self._iter_unreached_reasons()
        return tuple(notes)

    def _list_unknown_values(self, setup: Setup) -> Iterator[str]:
        inputs, input_values = setup.instruction.inputs, self._input_values
        unknown = [
            operand.name
            for operand in inputs
            if operand.name not in input_values and operand.roles[0] not in setup.values
        ]
        if unknown:
            yield f"unknown, shown as 0: {', '.join(unknown)}"

    def _iter_unreached_reasons(self) -> Iterator[str]:
        """Yield reasons why the run has not reached the statement."""
        need = next(iter(self.program_run.missing_inputs), None)
        if need is None and self.program_run.steps:
            line = self.listing.format_line(self.program_run.steps[-1].line)
            yield f"not reached: {line} ends the run"
        elif need and need.reader.number != self.index:
            line = self.listing.format_line(need.reader.line)
            yield f"the run stops at {line}, which needs {need.name}"

    # --- a block -------------------------------------------------------------------------

    @cached_property
    def block_trace(self) -> Trace | None:
        """The evaluation of a block's statements."""
        block = self.listing.block
        if block is None:
            return None
        from ..blocks.block_parser import trace_block

        inputs = self.listing.inputs_by_program[self.program]
        values = {x.name: inputs.get(x.name, 0) for x in block.inputs}
        return trace_block(block, values, model=self.listing.model)

    @property
    def statement_number(self) -> int:
        """The number of the statement in its block, from 1."""
        statements = self.listing.programs[self.program].statements
        return sum(x.explained_instruction is not None for x in statements[: self.index + 1])

    @property
    def _explained(self) -> list[tuple[int, int]]:
        """The places of the explained instructions, even of illegal ones."""
        return [
            (number, index)
            for number, program in enumerate(self.listing.programs)
            for index in list_explained(program)
        ]

    def move_by(self, delta: int) -> ListingCursor:
        """Return the cursor at the next or previous explained instruction, even if illegal."""
        places, place = self._explained, (self.program, self.index)
        index = places.index(place) + delta if place in places else 0
        return self.move_to(*places[min(max(index, 0), len(places) - 1)])

    def move_to(self, program: int, index: int) -> ListingCursor:
        """Return the cursor at a statement."""
        return replace(self, program=program, index=index)

    def move_to_line(self, line: int, ptx: str) -> ListingCursor | None:
        """Return the cursor at an instruction on a line, or None."""
        programs = self.listing.programs
        places = [(p, i) for p, i in self._explained if programs[p].statements[i].line == line]
        same = [(p, i) for p, i in places if str(programs[p].statements[i].instruction) == ptx]
        return self.move_to(*(same or places)[-1]) if places else None

    # --- in the undo history -------------------------------------------------------------

    def follow_setup(self, setup: Setup) -> tuple[ListingCursor, Setup]:
        """Return the listing, run on the explorer's values, and the setup with the run's values."""
        cursor = self.rerun_on(setup)
        return cursor, cursor.update_setup(setup)

    def count_chars(self, previous: ListingCursor | None) -> int:
        """Return the characters of the listing; 0 if it is shared with an older cursor."""
        is_same = previous is not None and previous.listing.programs is self.listing.programs
        return 0 if is_same else len(self.listing.text)

    def without_caches(self) -> ListingCursor:
        """Return a copy without computed values."""
        return replace(self, listing=replace(self.listing))

    def describe_change(self, old: Moment, new: Moment) -> str:
        """Return the newly opened listing, or the new line; may be empty."""
        name, place = quote_word(self.listing.name), new.setup.place
        before, after = old.extras.get(self.key), new.extras.get(self.key)
        if after is self and not (
            isinstance(before, ListingCursor) and before.listing.programs is self.listing.programs
        ):
            return f"the listing {name}"
        if place is not None and old.setup.place != place:
            return f"line {self.statement.line} of {name}"
        return ""

    # --- the run -------------------------------------------------------------------------

    def rerun_on(self, setup: Setup) -> ListingCursor:
        """Return the listing, run on the explorer's values and model.

        An edited instruction does not affect later statements; nor do values of registers that
        earlier statements computed.
        """
        ins = self.statement.instruction
        if ins is None or setup.instruction != ins or setup.is_detached:
            return self
        inputs = dict(self.listing.inputs_by_program[self.program])
        for operand in ins.inputs:
            bits = setup.values.get(operand.roles[0])
            key = self._find_input_key(operand.name)
            if key and bits is None:
                inputs.pop(key, None)
            elif key and bits is not None:
                inputs[key] = bits
        cursor = self.with_inputs(inputs, setup.model)
        return self if cursor == self else cursor

    def with_inputs(self, inputs: Mapping[str, int], model_name: str) -> ListingCursor:
        """Return the listing with other inputs of the program under the cursor, on a model."""
        all_inputs = list(self.listing.inputs_by_program)
        all_inputs[self.program] = inputs
        listing = replace(self.listing, inputs_by_program=tuple(all_inputs), model=model_name)
        return replace(self, listing=listing)

    def find_culprit(self, text: str) -> tuple[ListingCursor, str]:
        """Return the cursor at the statement that wrote unexpected bits, and a message.

        ``text`` is ``NAME=VALUE``: a register and its observed value at the end. Without such a
        statement, the cursor stays and the message has the reason. Raise PtxError if the text is
        invalid.
        """
        register, _, value = text.partition("=")
        program = self.listing.programs[self.program]
        name = next(iter(program.find_registers(register.strip(), is_at_end=True)), None)
        if name is None:
            message = f"`{register.strip()}` is not a register here"
            raise PtxError(text, (Problem(message, (0, len(register)), "%r1=5"),))
        try:
            observed_value = parse_observed(value, program.find_value_type(name))
        except PtxError as error:
            raise error.shift_into(text, len(register) + 1) from None
        register_value = self.program_run.registers.get(name)
        if self.program_run.missing_inputs:
            need = self.program_run.missing_inputs[0]
            line = self.listing.format_line(need.reader.line)
            return self, f"the run stops at {line}, which needs {need.name}"
        bits = register_value.bits if register_value else None
        if bits is not None and observed_value.matches(bits):
            return self, f"{name} is as observed"
        step = find_first_culprit(self.program_run, {name: observed_value})
        if step is None:
            return self, f"nothing in {program.name} writes {name}"
        line = self.listing.format_line(step.line)
        culprit_text = f"{line} wrote the bits that differ: {step.text}"
        return self.move_to(self.program, step.statement.number), culprit_text


def open_listing(text: str, name: str, model_name: str = "isa") -> ListingCursor | None:
    """Return a listing at its first explained instruction, or None without one."""
    programs = tuple(x for x in load(text, name) if list_explained(x))
    if not programs:
        return None
    first = list_explained(programs[0])[0]
    listing = OpenListing(programs, ({},) * len(programs), model_name, name, text)
    return ListingCursor(listing, 0, first)


def read_listing(name: str) -> str:
    """Return a file's text. Raise ValueError if it cannot be read or is too long."""
    try:
        data = files.read(files.expand_path(name), 4 * MAX_CHARS)
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}") from None
    if files.is_binary(data):
        raise ValueError(f"{name} is not a text file")
    encoding = files.find_encoding(data)
    text = io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors="replace").read()
    if len(text) > MAX_CHARS:
        hint = "; `ptxscope check` reads it" if find_command("check") else ""
        raise ValueError(f"{name} has {len(text):,} characters{hint}")
    return text
