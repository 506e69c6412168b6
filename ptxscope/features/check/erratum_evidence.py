"""The recorded evidence on errata: the behaviour of machine code, by release of ptxas."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

RECORD = Path(__file__).with_name("evidence.csv")
"""The record, which ``tools/errata_evidence.py`` writes."""


class EvidenceRow(NamedTuple):
    """A piece of evidence on an erratum: the answer of a release of ptxas."""

    erratum: str
    method: str
    """``proved``: the machine code of the example equals a model for all operands; ``computed``:
    it was interpreted on the operands of the example; ``executed``: results of other lines;
    ``device``: a published result of a GPU.
    """
    result: str
    """The answer: ``ptxas``, which has the erratum, or ``isa``."""
    ptxas: str
    """The release; empty if the record does not name it."""
    targets: str
    """The targets, separated by blanks; empty if the record does not name them."""
    lines: int
    """The number of lines, or of results of lines."""


@cache
def load_evidence() -> tuple[EvidenceRow, ...]:
    """Return the record."""
    with RECORD.open(encoding="utf-8", newline="") as stream:
        return tuple(_parse_row(row) for row in csv.DictReader(stream))


def _parse_row(row: Mapping[str, str]) -> EvidenceRow:
    erratum, method, result, ptxas, targets, lines = (row[x] for x in EvidenceRow._fields)
    return EvidenceRow(erratum, method, result, ptxas, targets, int(lines))


def list_evidence(id_: str) -> tuple[EvidenceRow, ...]:
    """Return the rows on an erratum."""
    return tuple(row for row in load_evidence() if row.erratum == id_)


_FINDINGS = {
    ("proved", "ptxas"): "Proved for all operands, by a solver: the machine code of this line "
    "computes what is described here, and not the documented result.",
    ("computed", "ptxas"): "Computed on these operands: the machine code gives the wrong result.",
    ("proved", "isa"): "Proved for all operands, by a solver: the machine code of this line is as "
    "documented.",
    ("computed", "isa"): "Computed on these operands: the machine code is as documented.",
}
NO_PROOF = "Not proved: the machine code of this line has branches, which are not interpreted."
NO_GPU = "No GPU has run it: values and proofs assume a meaning for each machine instruction."
ON_A_GPU = (
    "A GPU shows it: in a published record of its results, `vadd.u32.u32.s32.sat` of 0xffffffff "
    "and 0x7fffffff gives 0x7ffffffe."
)


def iter_findings(id_: str) -> Iterator[tuple[str, ...]]:
    """Yield the lines of each kind of evidence; the last one is on GPUs."""
    rows = list_evidence(id_)
    if not any(x.method in ("proved", "computed") for x in rows):
        yield (NO_PROOF,)
    for (method, result), text in _FINDINGS.items():
        if rows_of_kind := [x for x in rows if (x.method, x.result) == (method, result)]:
            yield text, *_iter_releases(rows_of_kind)
    if executed_rows := [x for x in rows if x.method == "executed"]:
        counts = " and ".join(f"{x.lines:,} with ptxas {x.ptxas}" for x in executed_rows)
        yield (f"Other lines, executed in an interpreter: {counts} show this fault.",)
    yield (ON_A_GPU if any(x.method == "device" for x in rows) else NO_GPU,)


def _iter_releases(rows: Sequence[EvidenceRow]) -> Iterator[str]:
    """Yield a line for each list of targets, with its releases."""
    releases: dict[str, list[str]] = {}
    for row in rows:
        releases.setdefault(row.targets, []).append(row.ptxas)
    for targets, names in releases.items():
        yield f"ptxas {', '.join(names)} for {join_targets(targets.split())}"


def join_targets(targets: Sequence[str]) -> str:
    """Return targets as one text: ``sm_75, 80, 90``."""
    return ", ".join((targets[0], *(x.removeprefix("sm_") for x in targets[1:])))
