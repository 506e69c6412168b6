"""The proofs of `ptxscope verify` by instruction: the table of docs/dev/evidence.md.

`python3 -m tools.verified RESULT.json…` adds the output of `ptxscope verify -f json`.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ptxscope.engine.isa.catalog import CATALOG

from .block_table import format_blocks

DOCS = Path(__file__).resolve().parent.parent / "docs" / "dev"
TABLE = DOCS / "verified.csv"
PAGE = DOCS / "evidence.md"
HEADING = "## Machine code"


class VerifiedRow(NamedTuple):
    """The proofs about the lines of an instruction."""

    opcode: str
    ptxas: str
    arch: str
    date: str
    lines: int
    documented: int
    """Lines proved to be as documented."""
    departing: int
    """Lines proved equal to the model that differs from the documentation."""
    errata: str
    undecided: int
    other: int
    """Lines that are refused, not interpreted, or equal to no known model."""
    seconds: float


def make_rows(document: dict[str, Any], date: str) -> Iterator[VerifiedRow]:
    """Yield the rows of a result of `verify -f json`."""
    for target in document["targets"]:
        groups: dict[str, list[dict[str, Any]]] = {}
        for verdict in target["verdicts"]:
            words = verdict["ptx"].split()
            name = words[words[0].startswith("@")]
            groups.setdefault(name.split(".")[0], []).append(verdict)
        for opcode, verdicts in groups.items():
            yield _make_row(opcode, verdicts, document["ptxas"], target["arch"], date)


def _make_row(
    opcode: str, verdicts: Sequence[dict[str, Any]], ptxas: str, arch: str, date: str
) -> VerifiedRow:
    outcomes = Counter(x["outcome"] for x in verdicts)
    documented = sum(x["outcome"] == "proved" and bool(x["as_documented"]) for x in verdicts)
    ids = {id_ for x in verdicts for id_ in x["errata"]}
    return VerifiedRow(
        opcode=opcode,
        ptxas=ptxas,
        arch=arch,
        date=date,
        lines=len(verdicts),
        documented=documented,
        departing=outcomes["proved"] - documented,
        errata=" ".join(sorted(ids, key=lambda x: int(x[1:]))),
        undecided=outcomes["undecided"],
        other=len(verdicts) - outcomes["proved"] - outcomes["undecided"],
        seconds=round(sum(x["seconds"] for x in verdicts), 1),
    )


def read_rows() -> list[VerifiedRow]:
    """Return the rows of the table."""
    if not TABLE.is_file():
        return []
    with TABLE.open(encoding="utf-8", newline="") as stream:
        return [_parse_row(row) for row in csv.DictReader(stream)]


def _parse_row(row: dict[str, str]) -> VerifiedRow:
    texts = [row[name] for name in VerifiedRow._fields]
    opcode, ptxas, arch, date, lines, documented, departing, errata, undecided, other, s = texts
    counts = map(int, (lines, documented, departing, undecided, other))
    names = ("lines", "documented", "departing", "undecided", "other")
    return VerifiedRow(
        opcode=opcode,
        ptxas=ptxas,
        arch=arch,
        date=date,
        errata=errata,
        seconds=float(s),
        **dict(zip(names, counts, strict=True)),
    )


def write_rows(rows: Sequence[VerifiedRow]) -> None:
    """Write the table, in the order of the catalog; later rows replace earlier ones."""
    order = {opcode: index for index, opcode in enumerate(CATALOG)}
    latest = {(x.ptxas, x.arch, x.opcode): x for x in rows}
    kept = sorted(latest.values(), key=lambda x: (x.ptxas, x.arch, order[x.opcode]))
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(VerifiedRow._fields)
        writer.writerows(kept)


def format_section() -> list[str]:
    """Return the section of the page, a line each."""
    rows = read_rows()
    lines = [
        HEADING,
        "",
        "[`ptxscope verify`](../verify.md) proves that the machine code that NVIDIA's assembler "
        "generates for a line equals a model for all operands. *As documented*: equal to `isa`. "
        "*With errata*: equal to the model of that release, with a counterexample to `isa` that is "
        "computed again on numbers. *Undecided*: the solver found no answer in time. *Other*: the "
        "assembler refuses two lines, because it takes the selector `.b1024` for a type; `div`, "
        "`rem`, `fns` and `bfind` of 64 bits become code with branches or calls, which is not "
        "interpreted.",
        "",
    ]
    groups: dict[tuple[str, str, str], list[VerifiedRow]] = {}
    for row in rows:
        groups.setdefault((row.ptxas, row.arch, row.date), []).append(row)
    lines += _iter_table(
        "ptxas,target,date", [(key, _add_rows(group)) for key, group in groups.items()]
    )
    if groups:
        (ptxas, arch, _), largest = max(groups.items(), key=lambda x: _add_rows(x[1]).lines)
        lines += [f"By instruction, of ptxas {ptxas} for {arch}:", ""]
        lines += _iter_table("instruction", [((f"`{x.opcode}`",), x) for x in largest])
        lines += [
            "`docs/dev/verified.csv` has these figures for every target. `ptxscope verify "
            "--all --arch sm_90` repeats the proofs of comparison, selection and video "
            "instructions, `--family` those of any instruction; `--sample N` takes N lines.",
            "",
        ]
    return [*lines, *format_blocks(), *_SAMPLED, ""]


def _add_rows(rows: Sequence[VerifiedRow]) -> VerifiedRow:
    """Return the sums over instructions."""
    ids = {id_ for x in rows for id_ in x.errata.split()}
    return rows[0]._replace(
        lines=sum(x.lines for x in rows),
        documented=sum(x.documented for x in rows),
        departing=sum(x.departing for x in rows),
        errata=" ".join(sorted(ids, key=lambda x: int(x[1:]))),
        undecided=sum(x.undecided for x in rows),
        other=sum(x.other for x in rows),
        seconds=sum(x.seconds for x in rows),
    )


def _iter_table(titles: str, rows: Sequence[tuple[Sequence[str], VerifiedRow]]) -> Iterator[str]:
    columns = f"{titles},lines,as documented,with errata,errata,undecided,other,s".split(",")
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for names, x in rows:
        ids = x.errata.replace(" ", ", ") or "-"
        counts = f"{x.lines:,} | {x.documented:,} | {x.departing:,} | {ids}"
        yield f"| {' | '.join(names)} | {counts} | {x.undecided} | {x.other} | {x.seconds:,.0f} |"
    yield ""


_SAMPLED = """\
### How much is sampled

- **Sampled at random**: the lines above of other targets and releases, nearly all selectors of
  SIMD instructions, and guards and literals, some of which are in the examples of the errata.
- **Compared with published results** of other projects: about 900 test vectors agree with `isa`,
  832 of them SIMD.
- **Assumed**: the meaning of some eighty machine opcodes. Simple PTX operations that become one
  opcode alone confirm most of them.
- **Not confirmed** on a GPU: the errata except E2, and the meaning of the opcodes.
  [`ptxscope verify --gpu`](../verify.md#on-a-gpu) confirms both if you have a GPU.""".splitlines()


def replace_section(page: str) -> str:
    """Return the page with its last section renewed."""
    start = page.find(f"{HEADING}\n")
    return "\n".join([page[:start].rstrip(), "", *format_section()])


def main() -> None:
    """Add results to the table, and renew the page."""
    date = datetime.now(UTC).date().isoformat()
    rows = read_rows()
    for name in sys.argv[1:]:
        rows += make_rows(json.loads(Path(name).read_text("utf-8")), date)
    write_rows(rows)
    PAGE.write_text(replace_section(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
