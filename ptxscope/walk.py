"""Going through a listing in the explorer: its programs, the values given, the place reached.

Nothing here knows of the terminal. A value that is edited where nothing known has written
the register is given to the run, so what follows is computed with it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from . import files
from .engine.diagnosis.observation import parse_observed
from .engine.isa.types import Type
from .engine.kernels.blame import first_wrong
from .engine.kernels.execute import Run, Step, execute
from .engine.kernels.program import Program, Statement, What, load
from .engine.listings.inline_asm import Language, asm_only, language_of
from .engine.semantics.models import model
from .engine.text.errors import Problem, PtxError
from .engine.text.values import hex_text
from .engine.tracing.divergence import partings
from .session import Setup, opened, with_line

_KEPT = ("run", "rows")
"""What is the same wherever in a program the cursor stands."""
LONGEST = 1_000_000
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
    text: str = field(default="", compare=False, repr=False)
    """The file as it was opened."""

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

    @cached_property
    def _computed(self) -> Mapping[str, int]:
        """What the registers hold before the statement that the run, and nobody else, wrote."""
        held: dict[str, int | None] = {}
        for step in self.run.steps:
            if step.statement is self.statement:
                break
            known = step.statement.what is not What.OTHER
            held |= {name: bits if known else None for name, bits in step.writes.items()}
        return {name: bits for name, bits in held.items() if bits is not None}

    @property
    def _held(self) -> Mapping[str, int]:
        """What is known of the registers before the statement."""
        return {**self.given[self.program], **self._computed}

    def setup(self, before: Setup) -> Setup:
        """What the explorer shows of the statement; a register that nobody knows is 0.

        Of an illegal one it is the line, with the instruction that was shown before.
        """
        ins, place = self.statement.instruction, (self.program, self.index)
        if ins is None:
            line = with_line(before, f"{self.statement.text};")
            return replace(line, place=place, apart=True)
        return replace(opened(ins, self._held, self.model), place=place)

    def current(self, setup: Setup) -> Setup:
        """The setup with what the run knows of the registers that it names."""
        if setup.apart or setup.place != (self.program, self.index):
            return setup
        ins = setup.instruction
        held = self._computed if ins == self.statement.instruction else self._held
        values = {role: held[name] for role, name in ins.names.items() if name in held}
        same = all(setup.values.get(role) == bits for role, bits in values.items())
        return setup if same else replace(setup, values={**setup.values, **values})

    def notes(self, setup: Setup) -> tuple[str, ...]:
        """What a reader must know: values that are not known, where the run stops, edits."""
        ins, said = self.statement.instruction, list[str]()
        if setup.place is None or setup.error is not None:
            return ()
        if setup.instruction != ins:
            said.append("changed here only: the listing keeps its line, and u takes this back")
        if setup.apart:
            said.append("these operands are not the run's; going to a line shows its own")
            return tuple(said)
        unknown = [x.name for x in setup.instruction.inputs if x.name not in self._held]
        if unknown:
            said.append(f"not known, shown as 0: {', '.join(unknown)}")
        if self.step is None:
            said += self._missed()
        return tuple(said)

    def _missed(self) -> Iterator[str]:
        """Why the run has not come to the statement."""
        need = next(iter(self.run.needed), None)
        if need is None and self.run.steps:
            yield f"not reached: line {self.run.steps[-1].line} ends the run"
        elif need and need.reader is not self.statement:
            yield f"the run stops at line {need.reader.line}, which needs {need.name}"

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
        return self.at(program, index)

    def at(self, program: int, index: int) -> Walk:
        """The listing at a statement."""
        there = replace(self, program=program, index=index)
        if program == self.program:  # which has been run
            there.__dict__.update({x: self.__dict__[x] for x in _KEPT if x in self.__dict__})
        return there

    def at_line(self, line: int, ptx: str) -> Walk | None:
        """The listing at an instruction on a line; None where there is none."""
        here = [
            (str(statement.instruction) == ptx, p, i)
            for p, program in enumerate(self.programs)
            for i, statement in enumerate(program.statements)
            if statement.line == line and is_explained(statement)
        ]
        return self.at(*max(here)[1:]) if here else None

    def bare(self) -> Walk:
        """The same, without what was computed."""
        return replace(self)

    def following(self, setup: Setup) -> Walk:
        """The listing run on the values and the model that the explorer shows.

        Where the instruction was changed, nothing follows; neither do values of registers
        that earlier statements computed.
        """
        ins = self.statement.instruction
        if ins is None or setup.instruction != ins or setup.apart:
            return self
        given = dict(self.given[self.program])
        for needed in ins.inputs:
            bits = setup.values.get(needed.roles[0])
            if needed.name in self._computed:
                continue
            if bits is None:
                given.pop(needed.name, None)
            else:
                given[needed.name] = bits
        everything = (*self.given[: self.program], given, *self.given[self.program + 1 :])
        if everything == self.given and setup.model == self.model:
            return self
        return replace(self, given=everything, model=setup.model)

    def blamed(self, text: str) -> tuple[Walk, str]:
        """Where bits were written that differ from what a register was seen to hold at the end.

        ``text`` is ``NAME=VALUE``. Returns the listing there, and what is to be said; raises
        PtxError.
        """
        written, _, value = text.partition("=")
        program = self.programs[self.program]
        name = program.register(written.strip())
        if name is None:
            message = f"`{written.strip()}` is no register here"
            raise PtxError(text, (Problem(message, (0, len(written)), "%r1=5"),))
        try:
            seen = parse_observed(value, program.types[name])
        except PtxError as error:
            raise error.within(text, len(written) + 1) from None
        held = self.run.registers.get(name)
        if self.run.needed:
            need = self.run.needed[0]
            return self, f"the run stops at line {need.reader.line}, which needs {need.name}"
        if held is not None and held.bits is not None and seen.fits(held.bits):
            return self, f"{name} is as observed"
        step = first_wrong(self.run, {name: seen})
        if step is None:
            return self, f"nothing in {program.name} writes {name}"
        index = next(i for i, x in enumerate(program.statements) if x is step.statement)
        said = f"line {step.line} wrote the bits that differ: {step.text}"
        return self.at(self.program, index), said

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The list: the kernels' names and all statements; results where the cursor is."""
        return tuple(self._rows())

    def _rows(self) -> Iterator[Row]:
        for number, program in enumerate(self.programs):
            if not program.name.startswith(("asm:", "block")):
                yield Row(number, -1, 0, program.name)
            steps = self.run.steps if number == self.program else ()
            done = {id(step.statement): step for step in steps}
            needs: dict[int, tuple[str, ...]] = {}
            for need in self.run.needed if number == self.program else ():
                needs[id(need.reader)] = (*needs.get(id(need.reader), ()), need.name)
            for index, statement in enumerate(program.statements):
                if statement.what not in (What.OPEN, What.CLOSE):
                    step = done.get(id(statement))
                    row = _row(number, index, statement, step, program.types)
                    yield row._replace(needs=needs.get(id(statement), ()))


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
        ids = tuple(erratum.id for erratum in statement.instruction.errata)
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
    if language_of(name, text) is Language.UNKNOWN:
        return None
    programs = tuple(x for x in load(asm_only(text, name)) if any(map(is_explained, x.statements)))
    if not programs:
        return None
    first = next(i for i, x in enumerate(programs[0].statements) if is_explained(x))
    return Walk(programs, 0, first, ({},) * len(programs), model_name, name, text)


def read_listing(name: str) -> str:
    """A file's text; raises ValueError where it can't be read, or is too long to be a list."""
    try:
        data = files.read(files.named(name), 4 * LONGEST)
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}") from None
    if files.is_binary(data):
        raise ValueError(f"{name} is not a text file")
    encoding = files.encoding_of(data)
    text = io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors="replace").read()
    if len(text) > LONGEST:
        raise ValueError(f"{name} has {len(text):,} characters; `ptxscope check` reads it")
    return text
