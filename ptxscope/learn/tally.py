"""What was asked of somebody, and how it went: counts by instruction and kind of exercise."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import reduce
from typing import Any, Protocol

from ..engine.isa.catalog import CATALOG
from ..engine.records import NamedTuple

SCHEMA = "ptxscope.tally/1"
_MOST = 10**9


class ExerciseKind(StrEnum):
    """What an exercise asks."""

    RESULT = "result"
    MODIFIER = "modifier"
    PART = "part"


class ExerciseOutcome(StrEnum):
    """How an exercise ended."""

    RIGHT = "right"
    WRONG = "wrong"
    SKIPPED = "skipped"


class Count(NamedTuple):
    """How often each outcome came, and how many hints were taken."""

    right: int = 0
    wrong: int = 0
    skipped: int = 0
    hints: int = 0

    def add(self, other: Count) -> Count:
        """Both together."""
        return Count(*(min(x + y, _MOST) for x, y in zip(self, other, strict=True)))

    @property
    def asked(self) -> int:
        """How many exercises there were."""
        return self.right + self.wrong + self.skipped


def _sum_counts(counts: Iterable[Count]) -> Count:
    return reduce(Count.add, counts, Count())


TallyKey = tuple[str, ExerciseKind]
"""An opcode, and what was asked."""


class Tally(NamedTuple):
    """Counts; there are never more than the catalog has opcodes for each kind."""

    counts: Mapping[TallyKey, Count] = {}

    def with_(self, key: TallyKey, outcome: ExerciseOutcome, hints: int = 0) -> Tally:
        """One exercise more."""
        one = Count(hints=hints)._replace(**{str(outcome): 1})
        return Tally({**self.counts, key: self.counts.get(key, Count()).add(one)})

    @property
    def total(self) -> Count:
        """All of them."""
        return _sum_counts(self.counts.values())

    def compute_weight(self, what: str) -> int:
        """How often an instruction, or a kind, is to be asked: more where more was got wrong."""
        count = _sum_counts(count for key, count in self.counts.items() if what in key)
        return 4 + 12 * count.wrong // max(count.right + count.wrong, 1)

    @property
    def rows(self) -> Iterator[dict[str, str | int]]:
        """A row for each instruction and kind, in the catalog's order."""
        for opcode in CATALOG:
            for kind in ExerciseKind:
                if count := self.counts.get((opcode, kind)):
                    yield {"opcode": opcode, "kind": str(kind), **count._asdict()}

    @property
    def csv(self) -> str:
        """The rows as CSV with a header."""
        out = io.StringIO()
        writer = csv.DictWriter(out, ["opcode", "kind", *Count._fields], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return out.getvalue()

    @property
    def json(self) -> str:
        """The rows as JSON."""
        return json.dumps({"schema": SCHEMA, "rows": list(self.rows)}, indent=1) + "\n"


class Keeper(Protocol):
    """What keeps a tally."""

    messages: list[str]
    """What went wrong with what was kept."""

    def load_tally(self) -> Tally:
        """What was kept."""

    def save_tally(self, found: Tally) -> None:
        """Keep it; raises OSError where that can't be done."""


def from_json(text: str) -> Tally:
    """What ``Tally.json`` gave; raises ValueError for anything else."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"it is not {SCHEMA}")
    rows = data.get("rows")
    if not isinstance(rows, list):
        raise ValueError("it has no rows")
    return Tally(dict(map(_parse_row, rows)))


def _parse_row(row: Any) -> tuple[TallyKey, Count]:
    opcode = row.get("opcode") if isinstance(row, dict) else None
    if not isinstance(opcode, str) or opcode not in CATALOG:
        raise ValueError("a row is not of one of the instructions")
    counts = [row.get(name, 0) for name in Count._fields]
    if not all(type(count) is int and 0 <= count <= _MOST for count in counts):
        raise ValueError(f"{opcode} has a count that is none")
    return (opcode, ExerciseKind(row.get("kind"))), Count(*counts)
