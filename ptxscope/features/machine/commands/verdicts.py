"""Verdicts on lines and blocks for a command, with its progress, and their titles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ....cli.support.streams import CommandError, ProgressBar, print_message
from ....engine.isa.catalog import CATALOG
from ....engine.syntax.errors import format_count, make_printable
from ....engine.syntax.opcodes import format_opcode_question, suggest_opcodes
from ..form_verdict import FormVerdict
from ..machine_report import VerdictCounts
from ..statement_runs import FileRuns
from ..tools import report_tool_errors
from ..verification import Program, Task, VerdictStore, verify_all


def check_opcodes(option: str, names: Sequence[str]) -> None:
    """Raise CommandError for a name that is no opcode of the catalog."""
    for name in names:
        if name not in CATALOG:
            question = format_opcode_question(suggest_opcodes(name))
            hint = question or f"it is one of {', '.join(CATALOG)}"
            raise CommandError(f"error: {option} {make_printable(name)}: {hint}")


def find_verdicts(
    tasks: Sequence[Task],
    chosen: Sequence[Sequence[Program]],
    jobs: int | None,
    store_name: str = "verdicts",
    *,
    is_fresh: bool = False,
) -> list[list[FormVerdict]]:
    """Return the verdicts of each task on its lines; known ones come from the store of a name."""
    store = VerdictStore(None if is_fresh else _find_cache(), store_name)
    jobs = jobs or os.cpu_count() or 1
    done, total = 0, sum(map(len, chosen))
    with ProgressBar() as bar:

        def advance(verdicts: Sequence[FormVerdict]) -> None:
            nonlocal done
            done += len(verdicts)
            bar.advance_to(done)

        bar.begin("proving", total, "lines", is_slow=total > len(tasks))
        try:
            with report_tool_errors():
                return [
                    verify_all(task, lines, store, jobs, advance)
                    for task, lines in zip(tasks, chosen, strict=True)
                ]
        except KeyboardInterrupt:
            bar.hide()
            print_message(
                f"stopped after {done:,} of {total:,} lines; the same command continues from there"
            )
            raise


def _find_cache() -> Path | None:
    from platformdirs import user_cache_path

    path = user_cache_path("ptxscope", appauthor=False)
    return path if path.is_absolute() else None


def format_title(
    task: Task,
    verdicts: Sequence[FormVerdict],
    file_runs: FileRuns | None = None,
    noun: str = "lines",
) -> str:
    """Return the title of a report: the assembler, the target, and how much was proved."""
    tools = f"ptxas {task.ptxas.build}, {task.target}"
    seconds = VerdictCounts(verdicts).seconds
    if file_runs:
        count = format_count(len(file_runs.runs), "run")
        statements = format_count(sum(x.count for x in file_runs.runs), "statement")
        return f"{tools}: {count} of {statements}, {seconds:.1f} s of proofs"
    if len(verdicts) == 1:
        return tools
    return f"{tools}: {len(verdicts):,} {noun}, {seconds:.1f} s of proofs"
