"""Counts of exercises and their outcomes, by instruction and kind of exercise."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import reduce
from typing import NamedTuple, Protocol

from ..engine.isa.catalog import CATALOG
from ..engine.json_node import JsonNode

SCHEMA = "ptxscope.tally/1"
_MOST = 10**9


class ExerciseKind(StrEnum):
    """The kind of an exercise."""

    RESULT = "result"
    MODIFIER = "modifier"
    PART = "part"


class ExerciseOutcome(StrEnum):
    """The outcome of an exercise."""

    RIGHT = "right"
    WRONG = "wrong"
    SKIPPED = "skipped"


class Count(NamedTuple):
    """Number of exercises with each outcome, and number of hints."""

    right: int = 0
    wrong: int = 0
    skipped: int = 0
    hints: int = 0

    def add(self, other_count: Count) -> Count:
        """Return the sum of two counts."""
        return Count(*(min(x + y, _MOST) for x, y in zip(self, other_count, strict=True)))

    @property
    def total(self) -> int:
        """Number of exercises."""
        return self.right + self.wrong + self.skipped


def _sum_counts(counts: Iterable[Count]) -> Count:
    return reduce(Count.add, counts, Count())


TallyKey = tuple[str, ExerciseKind]
"""An opcode and a kind of exercise."""


class Tally(NamedTuple):
    """Counts; at most one for each opcode and kind."""

    counts: Mapping[TallyKey, Count] = {}

    def with_exercise(self, key: TallyKey, outcome: ExerciseOutcome, hints: int = 0) -> Tally:
        """Return the tally with one more exercise."""
        one = Count(hints=hints)._replace(**{str(outcome): 1})
        return Tally({**self.counts, key: self.counts.get(key, Count()).add(one)})

    @property
    def total(self) -> Count:
        """The sum of all counts."""
        return _sum_counts(self.counts.values())

    def compute_weight(self, subject: str) -> int:
        """Return the weight of an instruction or kind in a draw; more mistakes raise it."""
        count = _sum_counts(count for key, count in self.counts.items() if subject in key)
        return 4 + 12 * count.wrong // max(count.right + count.wrong, 1)

    @property
    def rows(self) -> Iterator[dict[str, str | int]]:
        """A row for each instruction and kind, in the order of the catalog."""
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
    """A store for a tally."""

    messages: list[str]
    """Problems with the saved tally."""

    def load_tally(self) -> Tally:
        """Return the saved tally."""

    def save_tally(self, tally: Tally) -> None:
        """Save the tally; raise OSError if it cannot be written."""


def tally_from_json(data: JsonNode) -> Tally:
    """Parse what ``Tally.json`` has; raise ValueError for anything else."""
    data.check_schema(SCHEMA)
    return Tally(dict(map(_parse_row, data.get_field("rows", list).iter_items(dict))))


def _parse_row(row: JsonNode) -> tuple[TallyKey, Count]:
    opcode = row.get_field("opcode", str)
    if opcode.value not in CATALOG:
        raise opcode.make_error("this is not an instruction")
    counts = [row.get_field(name, int) for name in Count._fields]
    for count in counts:
        if not 0 <= count.value <= _MOST:
            raise count.make_error(f"counts are 0 to {_MOST:,}")
    kind = ExerciseKind(row.get_field("kind", str).value)
    return (opcode.value, kind), Count(*(count.value for count in counts))
