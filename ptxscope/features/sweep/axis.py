"""The axes of a sweep, their ticks, and a sweep on integers: all that the web explorer has.

Nothing here needs NumPy, which the web explorer lacks; places on an axis are computed
for arrays, too.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...engine.isa.encodings import decode_float
from ...engine.isa.types import Type
from ...engine.micro_operations.drawings import Tick
from ...engine.semantics.models import Model
from ...engine.semantics.plan import compute_results
from ...engine.tracing.basic_block import BasicBlock
from .register_parts import RegisterPart

NEARLY = "\u2248"
"""Prefix of a rounded number."""
_MAX_LABEL_CHARS = 14
"""Longest label of a value in characters."""
_FLOATS = ("-inf", "-1.0", "0.0", "1.0", "inf")


class SweepAxis(NamedTuple):
    """The values that a register part takes, in order."""

    part: RegisterPart
    low: int
    """Bits of the first value; `high` has those of the last."""
    high: int
    stride: int
    """1 if all values are present; otherwise the interval between even samples."""
    ranks: array[int]
    """Rank of each value among all values of the part: see ``RegisterPart.compute_rank``."""

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.ranks)

    def get_value(self, index: int) -> int:
        """Return the bits of the value at an index."""
        return self.part.get_value_at(self.ranks[index])

    def format_value_at(self, index: int) -> str:
        """Format the value at an index."""
        return self.part.format_value(self.get_value(index))

    def find_index(self, bits: int) -> int | None:
        """Return the index of a value, or None if it is not among the values."""
        rank = self.part.compute_rank(bits)
        index = bisect_left(self.ranks, rank)
        return index if index < self.size and self.ranks[index] == rank else None

    @property
    def span(self) -> int:
        """Number of values from the first to the last, computed or not."""
        return self.part.compute_rank(self.high) - self.part.compute_rank(self.low) + 1

    def compute_start(self, ranks: Any) -> Any:
        """Return where a value begins, or each of an array, by rank: from 0 to below 1."""
        return (ranks - self.part.compute_rank(self.low)) / float(self.span)

    def list_ticks(
        self, current_index: int | None, *, is_by_rank: bool, breaks: Iterable[int] = ()
    ) -> list[Tick]:
        """Return the ticks: the ends, the current value, breaks, then landmarks.

        `is_by_rank` places values by their rank, otherwise by their index. `breaks` are the indices
        at which the trend of the results changes.
        """
        candidates = [0, self.size - 1, *breaks, *map(self.find_index, iter_landmarks(self.part))]
        if current_index is not None:
            candidates.insert(2, current_index)
        indices = [index for index in dict.fromkeys(candidates) if index is not None]
        return list(self.iter_ticks(indices, current_index, is_by_rank=is_by_rank))

    def iter_ticks(
        self, indices: Iterable[int], current_index: int | None = None, *, is_by_rank: bool
    ) -> Iterator[Tick]:
        """Yield the ticks of the values at indices, in their middle."""
        for index in indices:
            part = (index + 0.5) / self.size
            if is_by_rank:
                part = self.compute_start(self.ranks[index]) + 0.5 / self.span
            text = abbreviate_value(self.part, self.get_value(index))
            yield Tick(text, part, is_current=index == current_index)

    def iter_infinities(self) -> Iterator[int]:
        """Yield the indices of the infinities, where a float's numbers end and NaN begins."""
        if self.part.is_float:
            texts = (_FLOATS[0], _FLOATS[-1])
            indices = (self.find_index(self.part.parse_value(text)) for text in texts)
            yield from (index for index in indices if index is not None)


class ResultAxis(NamedTuple):
    """The results that a plot shows, by rank."""

    part: RegisterPart
    low: int
    """Rank of the least result; `high` has that of the greatest."""
    high: int

    def compute_part(self, ranks: Any) -> Any:
        """Return the position of a result, or each of an array: from 0 to 1."""
        if self.high == self.low:
            return ranks * 0.0 + 0.5
        return (ranks - self.low) / float(self.high - self.low)

    def format_ends(self) -> tuple[str, str]:
        """Format the least and the greatest result."""
        low, high = (self.part.get_value_at(rank) for rank in (self.low, self.high))
        return self.part.format_value(low), self.part.format_value(high)

    def list_ticks(self, current_rank: int | None, ranks: Iterable[int]) -> list[Tick]:
        """Return the ticks: the current result, the ends, then others that are between these."""
        first = () if current_rank is None else (current_rank,)
        return [
            Tick(
                abbreviate_value(self.part, self.part.get_value_at(rank)),
                self.compute_part(rank),
                is_current=rank == current_rank,
            )
            for rank in dict.fromkeys((*first, self.high, self.low, *ranks))
            if self.low <= rank <= self.high
        ]


def abbreviate_value(lane: RegisterPart, bits: int) -> str:
    """Format a value, rounded if it is long."""
    text = lane.format_value(bits)
    if len(text) <= _MAX_LABEL_CHARS:
        return text
    number = decode_float(bits, lane.float_type) if lane.float_type else float(text)
    return f"{NEARLY}{number:.3g}"


def iter_landmarks(lane: RegisterPart) -> Iterator[int]:
    """Yield landmark values: zero, powers of two, and for floats the infinities, 1 and -1."""
    if lane.is_float:
        yield from (lane.parse_value(text) for text in _FLOATS)
    elif lane.type is not Type.PRED:
        yield 0
        half = lane.unit - 1
        for bit in (half, half - 1):
            yield 1 << bit
        yield lane.mask & ~((1 << (half - 1)) - 1)


def make_axis(
    part: RegisterPart,
    max_values: int,
    operands: Mapping[str, int],
    bounds: tuple[int, int] | None = None,
) -> SweepAxis:
    """Return all values of a part in the range, or even samples with the edge cases added."""
    low, high = (part.compute_rank(x) for x in bounds) if bounds else (0, part.values - 1)
    stride = -(-(high - low + 1) // max_values)
    ranks: Iterable[int] = range(low, high + 1)
    if stride > 1:
        stride |= 1  # an even stride would give all samples the same low bits
        edge_ranks = {mark for mark in _iter_edge_ranks(part, operands) if low <= mark <= high}
        ranks = sorted({*range(low, high + 1, stride), *edge_ranks, high})
    axis_ranks = array("Q", ranks)
    return SweepAxis(part, part.get_value_at(low), part.get_value_at(high), stride, axis_ranks)


def _iter_edge_ranks(part: RegisterPart, operands: Mapping[str, int]) -> Iterator[int]:
    """Yield the ranks of edge cases, and of their neighbours."""
    bits = part.unit
    top = 1 << (bits - 1)
    edge_bits = {part.extract(x) for x in operands.values()} | {0, top}
    if part.is_float:
        fraction = 23 if bits == 32 else 52
        infinity = (top - 1) >> fraction << fraction
        smallest_rank = ((1 << (bits - 2 - fraction)) - 1) << fraction
        subnormal = 1 << fraction
        quiet = infinity | subnormal >> 1
        edge_bits |= {
            magnitude | sign
            for magnitude in (infinity, quiet, smallest_rank, subnormal)
            for sign in (0, top)
        }
    for mark in edge_bits:
        rank = part.compute_rank(mark)
        yield from (rank - 1, rank, rank + 1)


def describe_sampling(axis: SweepAxis, *, has_changes: bool = True) -> str:
    """Describe how the values were sampled; empty if all values are present.

    With ``has_changes``, values near changes of the result were added.
    """
    if axis.stride == 1:
        return ""
    sampling = f"one of every {axis.stride:,} values of {axis.part.label}"
    return f"{sampling}, and more near special values" + " and near changes" * has_changes


def format_sampling(axis: SweepAxis, *, has_changes: bool = True) -> str:
    """Return a sentence that values were sampled; empty if all values are present."""
    sampling = describe_sampling(axis, has_changes=has_changes)
    return sampling and (
        f"Not all values are computed, but {sampling}. What follows is about the computed "
        "values; between them, the result may differ."
    )


@dataclass(eq=False)
class IntegerSweep:
    """The swept parts and the part that is shown. ``Sweep`` adds arrays."""

    instruction: BasicBlock
    """The instruction, or the block of several."""
    model: Model
    operands: Mapping[str, int]
    """Bits by role; swept operands have those of the current point."""
    x: SweepAxis
    y: SweepAxis | None
    result_part: RegisterPart
    """The part of the result that the sweep shows."""
    has_current_point: bool = True
    """Whether there is a current point."""

    @property
    def current_point(self) -> tuple[int | None, int | None]:
        """Indices of the current point along x and y; None if it is not among the values."""
        if not self.has_current_point:
            return None, None
        x_index = self.x.find_index(self.x.part.extract(self.operands[self.x.part.role]))
        if self.y is None:
            return x_index, None
        return x_index, self.y.find_index(self.y.part.extract(self.operands[self.y.part.role]))

    def compute_line(self) -> list[int]:
        """Return the bits of the result's part for each value of x."""
        plan, part, result = (
            self.instruction.make_plan(self.model),
            self.x.part,
            self.result_part,
        )
        names = self.instruction.names
        roles = [role for role in self.operands if names.get(role) == part.name]
        line = []
        for index in range(self.x.size):
            bits = self.x.get_value(index)
            swept = {role: part.insert(self.operands[role], bits) for role in roles}
            line.append(
                result.extract(compute_results(plan, {**self.operands, **swept})[result.role])
            )
        return line
