"""Verdicts on pairs of statements: counts, and the pairs that an assembler compiles wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...documents.formats.markup import (
    Block,
    make_heading,
    make_paragraph,
    make_points,
    make_verbatim,
)
from ...engine.syntax.errors import format_count
from .form_verdict import FormVerdict, VerdictOutcome
from .machine_report import VerdictCounts, code_to_json, format_verdict, iter_count_lines
from .statement_pairs import strip_declarations

_SHOWN = 40
"""The first statements of which an example is shown."""


def iter_pair_blocks(verdicts: Sequence[FormVerdict], title: str) -> Iterator[Block]:
    """Yield counts of verdicts, and for each first statement an example that departs."""
    yield make_heading(title)
    yield make_verbatim(iter_count_lines(VerdictCounts(verdicts)), is_close=True)
    groups = group_departures(verdicts)
    if not groups:
        return
    total = format_count(sum(map(len, groups.values())), "sequence")
    yield make_heading(f"{total} equal to no known model, by the first statement")
    shown = sorted(groups.items(), key=lambda x: -len(x[1]))[:_SHOWN]
    points = (
        [f"{first}: {len(found):,}, such as {found[0].line}", format_verdict(found[0])]
        for first, found in shown
    )
    yield make_points(points, ("  ", "    ", "    "), is_close=True)
    if len(groups) > len(shown):
        yield make_paragraph(f"{len(groups) - len(shown):,} more first statements", "  ", "  ")


def group_departures(verdicts: Sequence[FormVerdict]) -> dict[str, list[FormVerdict]]:
    """Return the verdicts of texts that equal no known model, the shortest first, by statement."""
    groups: dict[str, list[FormVerdict]] = {}
    for x in sorted(verdicts, key=lambda x: len(x.line)):
        if x.outcome is VerdictOutcome.DEPARTED:
            text = strip_declarations(x.line)
            groups.setdefault(text.partition(";")[0], []).append(x._replace(line=text))
    return groups


def pairs_to_json(verdicts: Sequence[FormVerdict]) -> list[dict[str, object]]:
    """Return the verdicts on all pairs that are not as documented as JSON."""
    return [code_to_json(x) for x in verdicts if x.is_as_documented is not True]
