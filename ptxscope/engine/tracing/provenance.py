"""Provenance: the operand bits that a lane depends on, and the lanes that depend on an operand.

Each micro-operation reports how its output bits depend on its inputs; this module follows the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ..isa.encodings import format_bit_range
from ..micro_operations.base import RowTrace
from ..micro_operations.properties import MAX_LANE_BITS
from ..syntax.errors import make_printable
from .trace import Trace


class LaneBits(NamedTuple):
    """A range of bits of one lane of a row, or of an operand (lane 0)."""

    key: str
    """A row's key or an operand's role."""
    lane: int
    low: int
    high: int
    """End of the range: one above the highest bit."""


class Origin(NamedTuple):
    """Bits low to high-1 of an operand."""

    role: str
    low: int
    high: int


def find_provenance(
    trace: Trace, key: str, lane: int, low: int = 0, high: int = MAX_LANE_BITS
) -> tuple[Origin, ...]:
    """Return the operand bits behind bits low to high-1 of a row's lane, as disjoint ranges."""
    masks: dict[str, int] = {}
    for cell in find_ancestors(trace, LaneBits(key, lane, low, high)):
        if cell.key not in trace.rows:
            masks[cell.key] = masks.get(cell.key, 0) | _make_operand_mask(trace, cell)
    return tuple(
        Origin(role, start, stop)
        for role, mask in sorted(masks.items())
        for start, stop in _iter_bit_ranges(mask)
    )


def format_origins(origins: Iterable[Origin], names: Mapping[str, str]) -> str:
    """Format the bits of named operands: ``a bits 15:8 and b bit 0``; "" for none."""
    parts = (
        f"{names[role]} {format_bit_range(low, high - low)}"
        for role, low, high in origins
        if role in names
    )
    return make_printable(" and ".join(parts))


def describe_origins(
    trace: Trace, key: str, lane: int, low: int = 0, high: int = MAX_LANE_BITS
) -> str:
    """Describe the input bits that bits of a row depend on: ``a bits 15:8 and b bit 0``.

    ``key`` is the row's key in the plan of the block, such as ``s2.write.d``.
    """
    origins = find_provenance(trace, key, lane, low, high)
    return format_origins(origins, trace.block.names) or "no register"


def find_ancestors(trace: Trace, cell: LaneBits) -> set[LaneBits]:
    """Return a cell and every cell that it depends on, back to the operands."""
    ancestors: set[LaneBits] = set()
    pending_cells = [cell]
    while pending_cells:
        current = pending_cells.pop()
        if current not in ancestors:
            ancestors.add(current)
            if current.key in trace.rows:
                pending_cells.extend(_iter_inputs(trace.rows[current.key], current))
    return ancestors


def find_descendants(trace: Trace, cell: LaneBits) -> set[tuple[str, int]]:
    """Return the key and lane of every row that depends on bits of a cell."""
    return {
        (key, lane)
        for key, row in trace.rows.items()
        for lane in range(len(row.values))
        if is_descendant(trace, cell, LaneBits(key, lane, 0, MAX_LANE_BITS))
    }


def is_descendant(trace: Trace, cell: LaneBits, other: LaneBits) -> bool:
    """Whether another cell depends on bits of a cell."""
    return any(_is_overlapping(cell, ancestor) for ancestor in find_ancestors(trace, other))


def _is_overlapping(x: LaneBits, y: LaneBits) -> bool:
    return x.key == y.key and x.lane == y.lane and x.low < y.high and y.low < x.high


def _iter_inputs(row: RowTrace, cell: LaneBits) -> Iterator[LaneBits]:
    """Yield the cells that a cell is computed from directly."""
    for part in row.micro.find_origins(cell.lane, cell.low, cell.high, row.input_values):
        if part.low < part.high:
            yield LaneBits(row.inputs[part.input].key, part.lane, part.low, part.high)


def _make_operand_mask(trace: Trace, cell: LaneBits) -> int:
    width = next(source.type.bits for source in trace.plan.sources if source.role == cell.key)
    return (1 << min(cell.high, width)) - (1 << min(cell.low, width))


def _iter_bit_ranges(mask: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of set bits as (start, end), lowest first."""
    low = 0
    while mask >> low:
        while not mask >> low & 1:
            low += 1
        high = low
        while mask >> high & 1:
            high += 1
        yield low, high
        low = high
