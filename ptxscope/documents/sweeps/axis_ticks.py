"""Ticks of an axis: the labelled values, and their positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...engine.isa.floats import decode_float
from ...engine.isa.types import Type
from ...sweep.register_parts import RegisterPart

if TYPE_CHECKING:
    from ...sweep.computation import SweepAxis

NEARLY = "\u2248"
"""Prefix of a rounded number."""
_LONGEST = 14
"""Longest label of a value in characters."""
_FLOATS = ("-inf", "-1.0", "0.0", "1.0", "inf")


class AxisTick(NamedTuple):
    """A labelled value on an axis."""

    part: float
    """Position from 0 to 1."""
    text: str
    is_current: bool = False
    """Whether it is the current value."""


def choose_ticks(ticks: Sequence[AxisTick], room: float, width: float) -> list[AxisTick]:
    """Return the ticks that fit side by side, by priority; `width` is that of a character in px."""
    extents: list[tuple[float, float, AxisTick]] = []
    for tick in ticks:
        tick_width = len(tick.text) * width + 8
        low = min(max(tick.part * room - tick_width / 2, -tick_width / 2), room - tick_width / 2)
        if all(low + tick_width <= start or low >= end for start, end, _ in extents):
            extents.append((low, low + tick_width, tick))
    return [tick for *_, tick in extents]


def abbreviate_value(lane: RegisterPart, bits: int) -> str:
    """Format a value, rounded if it is long."""
    text = lane.format_value(bits)
    if len(text) <= _LONGEST:
        return text
    number = decode_float(bits, lane.float_type) if lane.float_type else float(text)
    return f"{NEARLY}{number:.3g}"


def list_ticks(
    axis: SweepAxis, current_index: int | None, *, is_by_rank: bool, breaks: Iterable[int] = ()
) -> list[AxisTick]:
    """Return the ticks of an axis: its ends, the current value, breaks, then landmarks.

    `is_by_rank` places values by their rank, otherwise by their index. `breaks` are the indices at
    which the course of the results changes.
    """
    candidates = [0, axis.size - 1, *breaks, *map(axis.find_index, iter_landmarks(axis.part))]
    if current_index is not None:
        candidates.insert(2, current_index)
    indices = [index for index in dict.fromkeys(candidates) if index is not None]
    return list(iter_ticks(axis, indices, current_index, is_by_rank=is_by_rank))


def iter_ticks(
    axis: SweepAxis, indices: Iterable[int], current_index: int | None = None, *, is_by_rank: bool
) -> Iterator[AxisTick]:
    """Yield the ticks of the values at indices."""
    for index in indices:
        part, text = (
            _compute_fraction(axis, index, is_by_rank),
            abbreviate_value(axis.part, axis.get_value(index)),
        )
        yield AxisTick(part, text, is_current=index == current_index)


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


def iter_infinities(axis: SweepAxis) -> Iterator[int]:
    """Yield the indices of the infinities, where a float's numbers end and NaN begins."""
    if axis.part.is_float:
        texts = (_FLOATS[0], _FLOATS[-1])
        indices = (axis.find_index(axis.part.parse_value(text)) for text in texts)
        yield from (index for index in indices if index is not None)


def _compute_fraction(axis: SweepAxis, index: int, is_by_rank: bool) -> float:
    if not is_by_rank:
        return (index + 0.5) / axis.size
    low, high = axis.part.compute_rank(axis.low), axis.part.compute_rank(axis.high)
    return (int(axis.ranks[index]) - low + 0.5) / (high - low + 1)
