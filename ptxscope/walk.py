"""Going through a listing in the explorer: its programs, the values given, the place reached.

Nothing here knows of the terminal. A value that is edited where nothing known has written
the register is given to the run, so what follows is computed with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from .engine.execute import Run, Step, Value, execute
from .engine.instruction import Instruction
from .engine.models import errata_of, model
from .engine.parting import partings
from .engine.program import Program, Statement, What, load
from .engine.types import Type
from .engine.values import hex_text
from .session import Setup, opened

LONGEST = 4_000_000
"""Characters of a listing that the explorer opens; ``check`` takes any."""


class Row(NamedTuple):
    """A line of the list."""

    program: int
    place: int
    """Of the statement in it; -1 for the program's name."""
    line: int
    text: str
    explained: bool = False
    """It is one of the 27, or means to be."""
    result: str = ""
    """What was written, where it is known."""
    errata: tuple[str, ...] = ()
    """Ids of what makes ptxas differ here."""
    possible: tuple[str, ...] = ()
    """Ids of what makes ptxas differ on some operands."""
    problem: str = ""
    """What is wrong with the line."""
    needs: tuple[str, ...] = ()
    """Registers that it reads and whose values must be given."""


@dataclass(frozen=True)
class Walk:
    """A listing, and where a reader is in it."""

    programs: tuple[Program, ...]
    program: int
    index: int
    """The statement under the cursor."""
    given: tuple[Mapping[str, int], ...]
    """For each program, the bits given to registers."""
    model: str = "isa"
    name: str = field(default="", compare=False)

    @property
    def statement(self) -> Statement:
        """The statement under the cursor."""
        return self.programs[self.program].statements[self.index]

    @cached_property
    def run(self) -> Run:
        """The program under the cursor, run on what was given."""
        return execute(self.programs[self.program], self.given[self.program], model(self.model))

    @property
    def step(self) -> Step | None:
        """What the statement under the cursor did; None where the run has not come to it."""
        return next((x for x in self.run.steps if x.statement is self.statement), None)

    @property
    def _held(self) -> Mapping[str, Value]:
        """What the registers hold that the statement reads, or held where the run stopped."""
        step = self.step
        return step.reads if step else self.run.registers

    def _bits(self) -> dict[str, int]:
        known = {name: value.bits for name, value in self._held.items()}
        return {name: bits for name, bits in known.items() if bits is not None}

    def setup(self) -> Setup | None:
        """What the explorer shows of the statement; None where it is none of the 27, or illegal.

        A register that nobody knows is shown as 0.
        """
        ins = self.statement.instruction
        return opened(ins, self._bits(), self.model) if ins else None

    def current(self, setup: Setup) -> Setup:
        """The setup with what the run computed for the registers that the statement reads."""
        ins = self.statement.instruction
        if ins is None or setup.instruction != ins:
            return setup
        known = {name: x.bits for name, x in self._held.items() if not x.given}
        values = {
            role: bits for role, name in ins.names.items() if (bits := known.get(name)) is not None
        }
        same = all(setup.values.get(role) == bits for role, bits in values.items())
        return setup if same else replace(setup, values={**setup.values, **values})

    def notes(self, setup: Setup) -> tuple[str, ...]:
        """What a reader must know: values that are not known, where the run stops, edits."""
        ins, said = self.statement.instruction, list[str]()
        if ins is None:
            return ()
        if setup.instruction != ins:
            return ("changed here only: the listing keeps its line, and u takes this back",)
        held = self._bits()
        unknown = [x.name for x in ins.inputs if x.name not in held]
        if unknown:
            said.append(f"not known, shown as 0: {', '.join(unknown)}")
        if self.step is None and self.run.needed:
            need = self.run.needed[0]
            if need.reader is not self.statement:
                said.append(f"the run stops at line {need.reader.line}, which needs {need.name}")
        return tuple(said)

    def moved(self, by: int) -> Walk:
        """The listing at the next instruction of the 27, or the one before, also illegal ones."""
        places = [
            (p, i)
            for p, program in enumerate(self.programs)
            for i, statement in enumerate(program.statements)
            if is_explained(statement)
        ]
        here = (self.program, self.index)
        at = places.index(here) + by if here in places else 0
        program, index = places[min(max(at, 0), len(places) - 1)]
        return replace(self, program=program, index=index)

    def at(self, program: int, index: int) -> Walk:
        """The listing at a statement."""
        return replace(self, program=program, index=index)

    @property
    def text(self) -> str:
        """The listing as it was opened."""
        return self.programs[0].text

    def at_line(self, line: int, ptx: str) -> Walk:
        """The listing at an instruction on a line; where it is, if there is none."""
        here = [
            (str(statement.instruction) == ptx, p, i)
            for p, program in enumerate(self.programs)
            for i, statement in enumerate(program.statements)
            if statement.line == line and is_explained(statement)
        ]
        return self.at(*max(here)[1:]) if here else self

    def found(self, ins: Instruction) -> Walk:
        """The listing at the next statement that is an instruction; where it is, if none is."""
        if self.statement.instruction == ins:
            return self
        for p, program in enumerate(self.programs):
            for i, statement in enumerate(program.statements):
                if statement.instruction == ins:
                    return self.at(p, i)
        return self

    def following(self, setup: Setup) -> Walk:
        """The listing run on the values and the model that the explorer shows.

        Where the instruction was changed, nothing follows; neither do values of registers
        that earlier statements computed.
        """
        ins = self.statement.instruction
        if ins is None or setup.instruction != ins:
            return self
        held = self._held
        given = dict(self.given[self.program])
        for needed in ins.inputs:
            bits = setup.values.get(needed.roles[0])
            value = held.get(needed.name)
            if value and value.bits is not None and not value.given:
                continue  # computed
            if bits is None:
                given.pop(needed.name, None)
            else:
                given[needed.name] = bits
        everything = (*self.given[: self.program], given, *self.given[self.program + 1 :])
        if everything == self.given and setup.model == self.model:
            return self
        return replace(self, given=everything, model=setup.model)

    def rows(self) -> tuple[Row, ...]:
        """The list: the kernels' names and all statements; results where the cursor is."""
        return tuple(self._rows())

    def _rows(self) -> Iterator[Row]:
        for number, program in enumerate(self.programs):
            if not program.name.startswith(("asm:", "block")):
                yield Row(number, -1, 0, program.name)
            steps = self.run.steps if number == self.program else ()
            done = {id(step.statement): step for step in steps}
            needs = self.run.needed if number == self.program else ()
            for index, statement in enumerate(program.statements):
                if statement.what not in (What.OPEN, What.CLOSE):
                    step = done.get(id(statement))
                    row = _row(number, index, statement, step, program.types)
                    here = tuple(need.name for need in needs if need.reader is statement)
                    yield row._replace(needs=here) if here else row


def _row(
    program: int,
    index: int,
    statement: Statement,
    step: Step | None,
    types: Mapping[str, Type],
) -> Row:
    row = Row(program, index, statement.line, statement.text, is_explained(statement))
    if statement.problems:
        return row._replace(problem=statement.problems[0].message)
    if statement.instruction:
        ids = tuple(erratum.id for erratum in errata_of(statement.instruction.form))
        row = row._replace(possible=ids)
    if step is None:
        return row
    known = {name: bits for name, bits in step.writes.items() if bits is not None}
    row = row._replace(result=" ".join(hex_text(x, types[n].bits) for n, x in known.items()))
    if step.trace is None or not row.possible:
        return row
    errata = {e.id: e for parting in partings(step.trace) for e in parting.errata}
    return row._replace(errata=tuple(errata))


def is_explained(statement: Statement) -> bool:
    """Whether it is one of the 27, or means to be."""
    return statement.what is What.EXPLAINED or bool(statement.problems)


def opened_listing(text: str, name: str, model_name: str = "isa") -> Walk | None:
    """A listing at its first instruction; None where it has none of the 27."""
    programs = tuple(x for x in load(text) if any(map(is_explained, x.statements)))
    if not programs:
        return None
    first = next(i for i, x in enumerate(programs[0].statements) if is_explained(x))
    return Walk(programs, 0, first, ({},) * len(programs), model_name, name)


def read_listing(name: str) -> str:
    """A file's text; raises ValueError where it can't be read, or is too long to be a list."""
    try:
        text = Path(name).expanduser().read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}") from None
    if len(text) > LONGEST:
        raise ValueError(f"{name} has {len(text):,} characters; `ptxscope check` reads it")
    return text
