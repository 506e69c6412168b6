"""Pairs of rows from two answers, and their differing values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import Stage
from ..engine.tracing.trace import Trace
from .scene_model import Cell, CellSpan, SpanKind

OUTCOMES = (SpanKind.CHIP, SpanKind.VALUE, SpanKind.CLAMPED, SpanKind.HOLDS, SpanKind.FAILS)
"""Kinds of spans that show the result of a row."""


class Pair(NamedTuple):
    """Rows with the same key in both answers; a side is None if its answer lacks the row."""

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
        if self.isa is None or self.other is None or len(self.isa.values) != len(self.other.values):
            return frozenset()
        both = zip(self.isa.values, self.other.values, strict=True)
        return frozenset(lane for lane, (x, y) in enumerate(both) if x != y)


def iter_pairs(isa: Trace, other_trace: Trace, stage: Stage) -> Iterator[Pair]:
    """Yield the rows of a stage in order, paired by key."""
    left, right = _map_rows(isa, stage), _map_rows(other_trace, stage)
    for key in _merge_keys(list(left), list(right)):
        yield Pair(key, left.get(key), right.get(key))


def mark_differences(cell: Cell, other_cell: Cell) -> Cell:
    """Return a cell whose outcome marks the digits that differ from the other answer's."""
    index, other_index = find_outcome_span(cell), find_outcome_span(other_cell)
    if (
        index is None
        or other_index is None
        or cell.spans[index].text == other_cell.spans[other_index].text
    ):
        return cell
    span, text = cell.spans[index], other_cell.spans[other_index].text
    if len(span.text) != len(text):
        runs = [span._replace(kind=SpanKind.DIFFERS)]
    else:
        digit_pairs = zip(span.text, text, strict=True)
        runs = [
            CellSpan("".join(x for x, _ in pair), SpanKind.DIFFERS if differs else SpanKind.VALUE)
            for differs, pair in groupby(digit_pairs, key=lambda pair: pair[0] != pair[1])
        ]
    return cell._replace(spans=(*cell.spans[:index], *runs, *cell.spans[index + 1 :]))


def hide_equal_cells(cells: Sequence[Cell], other_cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells, empty if the other answer's cell has the same outcome."""
    if len(cells) != len(other_cells):
        return tuple(cells)
    pairs = zip(cells, other_cells, strict=True)
    return tuple(
        cell._replace(spans=())
        if _get_outcome_text(cell) == _get_outcome_text(other_cell)
        else cell
        for cell, other_cell in pairs
    )


def _get_outcome_text(cell: Cell) -> str | None:
    index = find_outcome_span(cell)
    return None if index is None else cell.spans[index].text


def find_outcome_span(cell: Cell) -> int | None:
    """Return the index of the span with a cell's outcome."""
    return max((i for i, span in enumerate(cell.spans) if span.kind in OUTCOMES), default=None)


def find_differing_bits(x: int, y: int) -> list[tuple[int, int]]:
    """Return the ranges (high, low) of differing bits of two patterns, the highest first."""
    ranges: list[tuple[int, int]] = []
    changed = x ^ y
    while changed:
        high = changed.bit_length() - 1
        rest = ~changed & (1 << high) - 1
        low = rest.bit_length()  # ones continue from the highest one down to here
        ranges.append((high, low))
        changed &= (1 << low) - 1
    return ranges


def _map_rows(trace: Trace, stage: Stage) -> dict[str, RowTrace]:
    return {row.key: row for row in trace.rows.values() if row.stage is stage}


def _merge_keys(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Merge the keys of both sides in order; keys of the right side alone come first."""

    def find_position(key: str) -> float:
        if key in left:
            return left.index(key)
        following = (other for other in right[right.index(key) :] if other in left)
        next_key = next(following, None)
        return (left.index(next_key) if next_key else len(left)) - 0.5

    return sorted({**dict.fromkeys(left), **dict.fromkeys(right)}, key=find_position)
