"""The pairs of computations of ``data/proof_pairs.txt``, with their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"


class Pair(NamedTuple):
    """Two computations of one name for each operand, and whether they are equal."""

    name: str
    a: str
    b: str
    equal: bool
    where: str = ""


def _read_pairs() -> Iterator[Pair]:
    text = (DATA / "proof_pairs.txt").read_text("utf-8")
    lines = [x.strip() for x in text.splitlines() if x and not x.startswith("#")]
    for head, a, b in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        verdict, rest = head.split(": ", 1)
        name, _, where = rest.partition(" | ")
        yield Pair(name, a, b, {"equal": True, "different": False}[verdict], where)


PAIRS: Sequence[Pair] = (*_read_pairs(),)
