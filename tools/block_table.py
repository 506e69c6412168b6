"""The table of `tools.verified_blocks`, and its part of docs/dev/evidence.md."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_type_hints

TABLE = Path(__file__).resolve().parent.parent / "docs" / "dev" / "verified_blocks.csv"
SECONDS = 3.0
"""The time for each proof."""


class BlockRow(NamedTuple):
    """The verdicts on blocks of one kind, for a target and a level of optimization."""

    blocks: str
    ptxas: str
    arch: str
    level: int
    date: str
    number: int
    documented: int
    departing: int
    """Blocks that equal a release of ptxas which differs from the documentation."""
    errata: str
    unknown: int
    """Blocks that equal no known model."""
    undecided: int
    uninterpreted: int
    refused: int
    seconds: float
    examples: str
    """The first blocks that equal no known model."""


def read_rows() -> list[BlockRow]:
    """Return the rows of the table."""
    if not TABLE.is_file():
        return []
    with TABLE.open(encoding="utf-8", newline="") as stream:
        return [
            BlockRow(*(_read(x, row[x]) for x in BlockRow._fields))  # type: ignore[arg-type]
            for row in csv.DictReader(stream)
        ]


def _read(name: str, text: str) -> str | int | float:
    type_: type[str | int | float] = get_type_hints(BlockRow)[name]
    return type_(text)


def format_blocks() -> Iterator[str]:
    """Yield the part of the page on blocks, a line each."""
    rows = read_rows()
    if not rows:
        return
    yield "### Blocks"
    yield ""
    yield (
        "`ptxscope verify` proves blocks, too: those of the tests of ptxscope, the runs of "
        "statements of their listings, most of them by nvcc, and random blocks of 3 to 8 "
        f"statements. Each proof had {SECONDS:.0f} s. *No model*: the machine code differs from "
        "the documentation and from every release of `ptxas`. *Not interpreted*: an opcode has no "
        "known meaning here, or the block has no kernel of its own. *Refused*: the target lacks an "
        "instruction. "
        "`python3 -m tools.verified_blocks` repeats the proofs."
    )
    yield ""
    titles = (
        "blocks, ptxas, target, date, number, as documented, with errata, errata, no model, "
        "undecided, not interpreted, refused, s"
    ).split(", ")
    yield f"| {' | '.join(titles)} |"
    yield "|---" * len(titles) + "|"
    for x in rows:
        values = (
            *(x.blocks, x.ptxas, f"{x.arch} -O{x.level}", x.date, f"{x.number:,}"),
            *(f"{x.documented:,}", f"{x.departing:,}", x.errata.replace(" ", ", ") or "-"),
            *map(str, (x.unknown, x.undecided, x.uninterpreted, x.refused)),
            f"{x.seconds:,.0f}",
        )
        yield f"| {' | '.join(values)} |"
    yield ""
    examples = dict.fromkeys(y for x in rows for y in x.examples.split(" | ") if y)
    if examples:
        yield "Equal to no known model:"
        yield ""
        yield from (f"- `{x}`" for x in examples)
        yield ""
