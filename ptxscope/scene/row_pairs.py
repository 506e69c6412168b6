"""Pairs of rows from two answers, and the values in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..engine.records import NamedTuple
from ..engine.semantics.plan import Stage
from ..engine.tracing.trace import RowTrace, Trace
from .scene_model import Cell, CellSpan, SpanKind

OUTCOMES = (SpanKind.CHIP, SpanKind.VALUE, SpanKind.CLAMPED, SpanKind.HOLDS, SpanKind.FAILS)
"""Looks of spans that show the result of a row."""


class Pair(NamedTuple):
    """Rows with the same key in both answers; one side is None if that answer has no such row."""

    key: str
    isa: RowTrace | None
    other: RowTrace | None

    @property
    def rows(self) -> tuple[RowTrace | None, RowTrace | None]:
        """Both sides, the documented one first."""
        return self.isa, self.other

    @property
    def is_different(self) -> bool:
        """Whether the values differ, or one side has no row."""
        return self.isa is None or self.other is None or self.isa.values != self.other.values

    @property
    def lanes(self) -> frozenset[int]:
        """Lanes that both sides have, with different values."""
        if self.isa is None or self.other is None or len(self.isa.lanes) != len(self.other.lanes):
            return frozenset()
        both = zip(self.isa.values, self.other.values, strict=True)
        return frozenset(lane for lane, (x, y) in enumerate(both) if x != y)


def iter_pairs(isa: Trace, other: Trace, stage: Stage) -> Iterator[Pair]:
    """Yield the rows of a stage in order, paired by key."""
    left, right = _map_rows(isa, stage), _map_rows(other, stage)
    for key in _merge_keys(list(left), list(right)):
        yield Pair(key, left.get(key), right.get(key))


def mark_differences(cell: Cell, other: Cell) -> Cell:
    """Return a cell whose outcome marks the digits that differ from the other answer's."""
    at, there = _find_outcome_span(cell), _find_outcome_span(other)
    if at is None or there is None or cell.spans[at].text == other.spans[there].text:
        return cell
    span, text = cell.spans[at], other.spans[there].text
    if len(span.text) != len(text):
        runs = [span._replace(look=SpanKind.DIFFERS)]
    else:
        same = zip(span.text, text, strict=True)
        runs = [
            CellSpan("".join(x for x, _ in pair), SpanKind.DIFFERS if differs else SpanKind.VALUE)
            for differs, pair in groupby(same, key=lambda pair: pair[0] != pair[1])
        ]
    return cell._replace(spans=(*cell.spans[:at], *runs, *cell.spans[at + 1 :]))


def hide_equal_cells(cells: Sequence[Cell], others: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells, emptied if the other answer's cell has the same outcome."""
    if len(cells) != len(others):
        return tuple(cells)
    both = zip(cells, others, strict=True)
    return tuple(
        cell._replace(spans=()) if _outcome_text(cell) == _outcome_text(other) else cell
        for cell, other in both
    )


def _outcome_text(cell: Cell) -> str | None:
    at = _find_outcome_span(cell)
    return None if at is None else cell.spans[at].text


def _find_outcome_span(cell: Cell) -> int | None:
    """Return the index of the span with the outcome of a cell."""
    return max((i for i, span in enumerate(cell.spans) if span.look in OUTCOMES), default=None)


def find_differing_bits(x: int, y: int) -> list[tuple[int, int]]:
    """Return the ranges (high, low) of the bits in which two patterns differ, the highest first."""
    found: list[tuple[int, int]] = []
    changed = x ^ y
    while changed:
        high = changed.bit_length() - 1
        rest = ~changed & (1 << high) - 1
        low = rest.bit_length()  # ones continue from the highest one down to here
        found.append((high, low))
        changed &= (1 << low) - 1
    return found


def _map_rows(trace: Trace, stage: Stage) -> dict[str, RowTrace]:
    return {row.key: row for row in trace.rows.values() if row.stage is stage}


def _merge_keys(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Merge the keys of both sides in order; keys of the right side alone come first."""

    def position(key: str) -> float:
        if key in left:
            return left.index(key)
        following = (other for other in right[right.index(key) :] if other in left)
        before = next(following, None)
        return (left.index(before) if before else len(left)) - 0.5

    return sorted({**dict.fromkeys(left), **dict.fromkeys(right)}, key=position)
