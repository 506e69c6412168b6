"""The rows of an open listing: each statement with its result, its errata and its sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..blocks.intrinsic_sequence import find_sequences
from ..blocks.program_run import Run, RunStep
from ..engine.isa.encodings import format_hex
from ..engine.isa.types import Type
from ..engine.program.program import Program
from ..engine.program.statement import Statement, StatementKind
from ..engine.semantics.rules import FLAG_ERRATUM
from ..engine.tracing.deviation import find_deviations
from ..feature import Service, find_services
from ..sources.source_lines import read_source_lines


class ListingRow(NamedTuple):
    """A row of the list."""

    program: int
    place: int
    """The index of the statement in its program; -1 for the program's name."""
    line: int
    text: str
    is_explained: bool = False
    """Whether it is an instruction of the catalog, even an illegal one."""
    result: str = ""
    """The value written, if known."""
    errata: tuple[str, ...] = ()
    """Ids of the errata that change the result of ptxas here."""
    possible_errata: tuple[str, ...] = ()
    """Ids of the errata that change the result of ptxas on some operands."""
    problem: str = ""
    """The problem with the line, if any."""
    missing_names: tuple[str, ...] = ()
    """Input registers whose values must be supplied."""
    unread: str = ""
    """The reason why the run cannot compute it."""
    sources: frozenset[int] = frozenset()
    """The places of the statements whose results it reads, including a carry."""
    sequence: tuple[int, int] | None = None
    """Its program and, if it belongs to just one sequence, the number of that."""
    call: str = ""
    """The computation of a sequence that ends here: ``__vadd4(a, b) → d``."""
    source: str = ""
    """Its source line in CUDA C++: ``sad.cu:5``."""


def iter_rows(number: int, program: Program, run: Run | None = None) -> Iterator[ListingRow]:
    """Yield the rows of a program, with any name and, after a run, results."""
    if not program.name.startswith(("asm:", "block")):
        yield ListingRow(number, -1, 0, program.name)
    steps = {step.statement.number: step for step in run.steps} if run else {}
    indices = {step.number: index for index, step in steps.items()}
    needs = defaultdict[int, list[str]](list)
    for need in run.missing_inputs if run else ():
        needs[need.reader.number].append(need.name)
    sequences, calls = _map_sequences(program)
    source_lines = read_source_lines(program.text)
    explained_indices = frozenset(list_explained(program))
    for index, statement in enumerate(program.statements):
        if statement.is_brace:
            continue
        problem = statement.problems[0].message if statement.problems else ""
        possible_errata = () if problem else _list_possible_errata(statement, program.constants)
        step = steps.get(index)
        reads = step.reads.values() if step else ()
        yield ListingRow(
            *(number, index, statement.line, statement.text),
            index in explained_indices,
            _format_results(step, program.types) if step and not problem else "",
            _list_errata(step) if step and possible_errata else (),
            possible_errata,
            problem,
            tuple(needs[index]),
            f"not run: {statement.omission}" if statement.omission else "",
            frozenset(indices[x.step] for x in reads if x.step in indices),
            (number, sequences[index]) if index in sequences else None,
            calls.get(index, ""),
            source_lines.find(statement.line),
        )


def _list_possible_errata(statement: Statement, constants: Mapping[str, int]) -> tuple[str, ...]:
    """Return the ids of the errata that may change a result; a feature may rule some out."""
    ins = statement.explained_instruction
    if ins is None:
        return ()
    ins = ins.with_constants(constants)
    searches = find_services(Service.LIST_POSSIBLE_ERRATA) if ins.errata else ()
    errata = searches[0](ins) if searches else ins.errata
    return tuple(x.id for x in errata if x is not FLAG_ERRATUM)


def _list_errata(step: RunStep) -> tuple[str, ...]:
    deviations = find_deviations(step.trace) if step.trace else ()
    return tuple(dict.fromkeys(e.id for deviation in deviations for e in deviation.errata))


def _format_results(step: RunStep, types: Mapping[str, Type]) -> str:
    results = {name: bits for name, bits in step.writes.items() if bits is not None}
    return " ".join(format_hex(bits, types[name].bits) for name, bits in results.items())


def _map_sequences(program: Program) -> tuple[dict[int, int], dict[int, str]]:
    """Return the sequence of each statement in just one, and the calls by last statement."""
    sequences = find_sequences(program)
    places = [(y.number, number) for number, x in enumerate(sequences) for y in x.statements]
    counts = Counter(place for place, _ in places)
    calls = {}
    for sequence in sequences:
        text = f"{sequence.call} → {sequence.result}  lines {sequence.format_lines()}"
        calls[sequence.statements[-1].number] = text
    return {place: number for place, number in places if counts[place] == 1}, calls


def list_explained(program: Program) -> tuple[int, ...]:
    """Return the indices of the instructions of the catalog, even illegal ones.

    In a program without any, common instructions are explained.
    """
    places = [*enumerate(program.statements)]
    indices = tuple(i for i, x in places if x.explained_instruction or x.problems)
    plain = (i for i, x in places if x.kind is StatementKind.PLAIN_INSTRUCTION and x.instruction)
    return indices or tuple(plain)
