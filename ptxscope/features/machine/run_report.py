"""Verdicts on the runs of statements of a file, as a report and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...documents.formats.markup import (
    Block,
    make_heading,
    make_paragraph,
    make_points,
    make_verbatim,
)
from ...engine.syntax.errors import format_count, make_printable
from .form_verdict import FormVerdict, VerdictOutcome
from .machine_report import ExpectedModel, code_to_json, format_outcome, format_verdict
from .statement_runs import FileRuns, StatementRun

Judged = tuple[StatementRun, FormVerdict]


def pair_runs(file_runs: FileRuns, verdicts: Sequence[FormVerdict]) -> list[Judged]:
    """Return each run with its verdict; those without a block are not interpreted."""
    found = iter(verdicts)
    return [
        (x, next(found))
        if x.block
        else (x, FormVerdict("", VerdictOutcome.UNKNOWN, reason=x.reason))
        for x in file_runs.runs
    ]


def iter_run_blocks(
    file_runs: FileRuns, verdicts: Sequence[FormVerdict], title: str, expected: ExpectedModel
) -> Iterator[Block]:
    """Yield a line for each run, and sentences on the runs that deviate from the expected model."""
    judged = pair_runs(file_runs, verdicts)
    yield make_heading(title)
    width = max(len(make_printable(run.title)) for run, _ in judged)
    counts = [format_count(run.count, "statement") for run, _ in judged]
    count_width = max(map(len, counts))
    yield make_verbatim(
        (
            f"  {make_printable(run.title):<{width}}  {count:>{count_width}}  "
            f"{format_outcome(verdict)}"
            for (run, verdict), count in zip(judged, counts, strict=True)
        ),
        is_close=True,
    )
    others = [(x, y) for x, y in judged if not (y.line and expected.is_followed(y))]
    if others:
        yield make_heading(f"Not shown to be as {expected.name}")
        points = [[make_printable(x.title), make_printable(format_verdict(y))] for x, y in others]
        yield make_points(points, ("  ", "    ", "    "), is_close=True)
    if file_runs.omitted:
        names = ", ".join(
            f"{make_printable(name)} {count}" for name, count in file_runs.omitted.most_common()
        )
        total = format_count(file_runs.omitted.total(), "statement")
        yield make_paragraph(f"Not verified, because they are not computed: {total} ({names}).")


def run_to_json(run: StatementRun, verdict: FormVerdict) -> dict[str, object]:
    """Return a run and its verdict as JSON."""
    place = {"run": run.title, "lines": [run.lines[0], run.lines[-1]], "statements": run.count}
    return {**place, **code_to_json(verdict)}
