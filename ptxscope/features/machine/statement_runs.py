"""The runs of statements of a file that are computed one after the other, to be verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...blocks.block_reader import BlockReader
from ...engine.program.program import Program, iter_names
from ...engine.program.statement import Statement, StatementKind
from ...engine.syntax.errors import PtxError
from ...engine.tracing.basic_block import BasicBlock
from ...sources.source_programs import load

_COMPUTED = (StatementKind.INSTRUCTION, StatementKind.PLAIN_INSTRUCTION)
_MAX_STATEMENTS = 256
"""The statements of a run; a longer one is several."""


@dataclass(frozen=True, slots=True)
class StatementRun:
    """Statements of a program that run one after the other and are computed."""

    program: str
    """The name of the kernel, the function or the asm statement."""
    lines: range
    """The lines of the first and of the last statement, and those between."""
    count: int
    """The number of statements."""
    block: BasicBlock | None
    """The block of these; its results are the registers that are read after it, or never."""
    reason: str = ""
    """The reason why there is no block."""

    @property
    def title(self) -> str:
        """The program and the lines: ``kernel:12-19``; of an asm statement ``asm:12-19``."""
        first, last = self.lines[0], self.lines[-1]
        return f"{self.program.partition(':')[0]}:{first}" + (f"-{last}" if last > first else "")


@dataclass(frozen=True, slots=True)
class FileRuns:
    """The runs of a file, and the statements between them."""

    runs: list[StatementRun] = field(default_factory=list)
    omitted: Counter[str] = field(default_factory=Counter)
    """The number of other statements by opcode: of memory, branches, and others."""

    @property
    def blocks(self) -> list[BasicBlock]:
        """The blocks of the runs that have one."""
        return [x.block for x in self.runs if x.block]


def list_runs(
    text: str, name: str = "", *, program_name: str = "", lines: range | None = None
) -> FileRuns:
    """Return the runs of a text, of a file's if it has a name, or of one of its programs.

    ``lines``, from 1, selects statements. Raise ValueError if no program has the name.
    """
    found = FileRuns()
    programs = load(text, name, is_excerpt=not name)
    if program_name and program_name not in (names := [x.name for x in programs]):
        advice = ""
        if name.endswith(".cu"):
            advice = f"; for a kernel of CUDA, verify its listing: nvcc -ptx {name}"
        raise ValueError(
            f"{name} has {', '.join(names) or 'no kernel'}, not {program_name}{advice}"
        )
    for program in programs:
        if program_name in ("", program.name):
            for statements in _iter_statements(program, lines, found.omitted):
                run = _make_run(program, statements)
                if run.block or run.reason:
                    found.runs.append(run)
                else:
                    found.omitted["mov"] += run.count
    return found


def _iter_statements(
    program: Program, lines: range | None, omitted: Counter[str]
) -> Iterator[Sequence[Statement]]:
    """Yield the longest lists of computed statements; a whole program keeps its braces."""
    statements = [x for x in program.statements if lines is None or x.is_brace or x.line in lines]
    computed = [x for x in statements if _is_computed(x)]
    others = [x for x in statements if not _is_computed(x) and not x.is_brace]
    if not others and computed and len(computed) <= _MAX_STATEMENTS:
        yield statements
        return
    omitted.update(x.opcode or x.text for x in others if x.kind is not StatementKind.LABEL)
    run: list[Statement] = []
    for x in statements:
        if _is_computed(x) and len(run) < _MAX_STATEMENTS:
            run.append(x)
        elif run:
            yield run
            run = [x] if _is_computed(x) else []
    if run:
        yield run


def _is_computed(x: Statement) -> bool:
    return x.kind in _COMPUTED and not x.problems


def _make_run(program: Program, statements: Sequence[Statement]) -> StatementRun:
    """Return a run; one that only copies values has no block, and no reason why."""
    computed = [x for x in statements if _is_computed(x)]
    lines = range(computed[0].line, computed[-1].line + 1)
    inside = {x.number for x in statements}
    outside_names = {
        name for x in program.statements if x.number not in inside for name in iter_names(x)
    }
    block, reason = None, ""
    reader = BlockReader("", program, with_memory=False, max_statements=4 * _MAX_STATEMENTS)
    try:
        block = reader.read([*statements]).with_results(outside_names)
    except PtxError as error:
        reason = error.message if reader.statements else ""
    return StatementRun(program.name, lines, len(computed), block, reason)
