"""``check --verify``: the asm statements and runs of statements that ptxas compiles wrongly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....cli.support.inputs import open_text
from ....cli.support.streams import CommandError
from ....engine.syntax.errors import format_count, make_printable
from ..form_verdict import FormVerdict, VerdictOutcome
from ..machine_report import VerdictCounts, format_verdict
from ..statement_runs import StatementRun, list_runs
from ..toolchain import NVDISASM, PTXAS, find_tool
from ..tools import check_archs, report_tool_errors
from ..verification import Task
from .verdicts import find_verdicts

_SECONDS = 10.0
"""The time for each proof."""
_SHOWN = 6
"""The opcodes of statements that are named in the sentence on what is not verified."""


def verify_files(
    names: Sequence[str], archs: Sequence[str], jobs: int | None
) -> tuple[list[str], bool]:
    """Return lines on the machine code of files, and whether some of it equals no known model.

    Each asm statement, and each run of statements of a listing, is compiled alone. Raise
    CommandError if a tool is missing or fails.
    """
    with report_tool_errors():
        ptxas, nvdisasm = find_tool(PTXAS), find_tool(NVDISASM)
    tasks = [Task(ptxas, nvdisasm, arch, _SECONDS) for arch in check_archs(archs)]
    runs, omitted = list[tuple[str, StatementRun]](), Counter[str]()
    for name in names:
        try:
            with open_text(name) as stream:
                found = list_runs(stream.read(), Path(name).name)
        except CommandError:
            continue  # the check has said why
        omitted += found.omitted
        runs += ((name, x) for x in found.runs)
    blocks = [x.block for _, x in runs if x.block]
    verdict_lists = find_verdicts(tasks, [blocks] * len(tasks), jobs)
    lines = list[str]()
    for task, verdicts in zip(tasks, verdict_lists, strict=True):
        placed = [x for x in runs if x[1].block]
        lines += (
            _format_fault(name, run, verdict, task)
            for (name, run), verdict in zip(placed, verdicts, strict=True)
            if verdict.outcome is VerdictOutcome.DEPARTED
        )
        lines += _iter_sentences(task, verdicts, len(runs) - len(blocks), omitted)
    outcomes = (x.outcome for verdicts in verdict_lists for x in verdicts)
    return lines, VerdictOutcome.DEPARTED in outcomes


def _format_fault(name: str, run: StatementRun, verdict: FormVerdict, task: Task) -> str:
    place = f"{make_printable(name)}:{run.lines[0]}"
    sentence = make_printable(format_verdict(verdict, with_time=False))
    assembler = f"ptxas {task.ptxas.build} for {task.target}"
    return f"{place}: error: {assembler}, {run.title}: {sentence} [verify]"


def _iter_sentences(
    task: Task, verdicts: Sequence[FormVerdict], unread: int, omitted: Counter[str]
) -> Iterator[str]:
    """Yield how many runs are verified, and what could not be."""
    counts = VerdictCounts(verdicts)
    errata = sum(counts.errata.values())
    departing = counts.outcomes[VerdictOutcome.DEPARTED]
    yield (
        f"ptxas {task.ptxas.build} for {task.target}: "
        f"{format_count(counts.documented_count, 'run')} as documented, {errata:,} with known "
        f"errata, {departing:,} equal to no known model"
    )
    parts = [
        f"{count:,} {outcome}"
        for outcome in (VerdictOutcome.UNDECIDED, VerdictOutcome.UNKNOWN, VerdictOutcome.REFUSED)
        if (count := counts.outcomes[outcome] + unread * (outcome is VerdictOutcome.UNKNOWN))
    ]
    if opcodes := ", ".join(f"{x} {n}" for x, n in counts.opcodes.most_common(_SHOWN)):
        parts.append(f"unknown opcodes: {opcodes}")
    if omitted:
        names = ", ".join(make_printable(x) for x, _ in omitted.most_common(_SHOWN))
        more = ", …" if len(omitted) > _SHOWN else ""
        parts.append(f"{format_count(omitted.total(), 'other statement')} ({names}{more})")
    if parts:
        yield f"not verified: {'; '.join(parts)}"
