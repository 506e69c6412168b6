"""The reference data that the tests share (see tests/data/)."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ptxscope import Instruction, parse

DATA = Path(__file__).parent / "data"
MODELS = {"isa": "isa", "ptxas-13.0": "ptxas_13_0", "ptxas-13.5": "ptxas_13_5"}
"""Model name to column of the golden files."""


class Golden(NamedTuple):
    """One row of golden.csv, errata.csv or guarded.csv."""

    ptx: str
    values: dict[str, int]
    results: dict[str, tuple[int, ...]]
    """Model name to the destinations' bits."""
    file: str

    @property
    def instruction(self) -> Instruction:
        """What the line says; lines are few, and each is parsed once."""
        return parsed(self.ptx)

    @property
    def operands(self) -> dict[str, int]:
        """Values by the names that the line has."""
        named = set(self.instruction.names.values())
        return {name: bits for name, bits in self.values.items() if name in named}


parsed = cache(parse)


@cache
def golden_rows() -> tuple[Golden, ...]:
    """Every row of the golden files."""
    found = []
    for name in ("golden.csv", "errata.csv", "guarded.csv"):
        with (DATA / name).open(newline="") as file:
            for row in csv.DictReader(file):
                columns = {x: x for x in "abc"} | ({"p": "p", "d": "d_old"} if "p" in row else {})
                values = {name: int(row[x], 16) for name, x in columns.items() if row[x]}
                results = {
                    model: tuple(int(part, 16) for part in row[column].split("|"))
                    for model, column in MODELS.items()
                }
                found.append(Golden(row["ptx"], values, results, name))
    return tuple(found)


@cache
def plain_rows() -> tuple[Golden, ...]:
    """Executed rows of instructions outside the 27; PTX 9.2's rows come from ptxas 13.5."""
    found = []
    for name, column in (("plain.csv", "ptxas_13_0"), ("plain_ptx_9_2.csv", "ptxas_13_5")):
        for row in table(name):
            values = {x: int(row[x], 16) for x in "abce" if row[x]}
            results = {
                model: tuple(int(part, 16) for part in row[x].split("|"))
                for model, x in (("isa", "isa"), ("ptxas-13.0", column))
                if row[x]
            }
            found.append(Golden(row["ptx"], values, results, name))
    return tuple(found)


def group_by_line(rows: Iterable[Golden]) -> tuple[tuple[str, tuple[Golden, ...]], ...]:
    """Rows by line."""
    groups = groupby(
        sorted(rows, key=lambda row: (row.ptx, sorted(row.values))),
        key=lambda row: (row.ptx, sorted(row.values)),
    )
    return tuple((ptx, tuple(rows)) for (ptx, _), rows in groups)


@cache
def golden_forms() -> tuple[tuple[str, tuple[Golden, ...]], ...]:
    """The golden rows by line."""
    return group_by_line(golden_rows())


@cache
def golden_opcodes() -> frozenset[str]:
    """The opcodes that the golden files have rows of."""
    return frozenset(parsed(ptx).opcode for ptx, _ in golden_forms())


def table(name: str) -> list[dict[str, str]]:
    """A CSV file as dictionaries."""
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


def read_lines(name: str | Path, count: int) -> list[list[str]]:
    """The fields of the lines of a text, between the last ` | `; comments begin with `#`.

    A file of ``tests/data`` has a name, one of a feature's tests a path.
    """
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    rows = (f"{line} ".rsplit(" | ", count - 1) for line in lines if line[:1] not in ("", "#"))
    return [[field.strip() for field in row] for row in rows]


def parse_values(text: str) -> dict[str, int]:
    """The values by name of ``a=5 b=-1 c=0xff``."""
    return {name: int(x, 0) for name, _, x in (part.partition("=") for part in text.split())}


def verdicts(name: str) -> list[tuple[bool, str]]:
    """``lines.txt`` or ``published.txt``: legal or not, and the text."""
    lines = (DATA / name).read_text().splitlines()
    parts = (line.split("\t") for line in lines if not line.startswith("#"))
    return [(part[0] == "legal", part[1]) for part in parts]
