"""Which values of an axis are written beside it, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...engine.isa.types import Type
from ...engine.records import NamedTuple
from ...engine.syntax.constants import decode_float
from ...sweep.computation import SweepAxis
from ...sweep.register_parts import RegisterPart

NEARLY = "\u2248"
"""Before a number that is rounded."""
_LONGEST = 14
"""Characters of a value beside an axis."""
_FLOATS = ("-inf", "-1.0", "0.0", "1.0", "inf")


class Tick(NamedTuple):
    """A value beside an axis."""

    part: float
    """Where, from 0 to 1."""
    text: str
    strong: bool = False
    """It is the current one."""


def choose_ticks(ticks: Sequence[Tick], room: float, width: float) -> list[Tick]:
    """Those that fit beside each other, the first ones first; by widths of a character in px."""
    kept: list[tuple[float, float, Tick]] = []
    for tick in ticks:
        wide = len(tick.text) * width + 8
        low = min(max(tick.part * room - wide / 2, -wide / 2), room - wide / 2)
        if all(low + wide <= start or low >= end for start, end, _ in kept):
            kept.append((low, low + wide, tick))
    return [tick for *_, tick in kept]


def abbreviate_value(lane: RegisterPart, bits: int) -> str:
    """A value as people write it; where that is long, nearly so."""
    said = lane.format_value(bits)
    if len(said) <= _LONGEST:
        return said
    number = decode_float(bits, lane.unit) if lane.is_float else float(said)
    return f"{NEARLY}{number:.3g}"


def list_ticks(
    axis: SweepAxis, here: int | None, *, is_by_rank: bool, breaks: Iterable[int] = ()
) -> list[Tick]:
    """The values to write along an axis: its ends, the current one, then those people look for.

    ``by_place`` is where values stand by how many there are between them, else one after another;
    ``breaks`` are where the results begin to go another way.
    """
    places = [0, axis.size - 1, *breaks, *map(axis.where, iter_landmarks(axis.lane))]
    if here is not None:
        places.insert(2, here)
    found = [at for at in dict.fromkeys(places) if at is not None]
    return list(ticks_at(axis, found, here, by_place=is_by_rank))


def ticks_at(
    axis: SweepAxis, places: Iterable[int], here: int | None = None, *, by_place: bool
) -> Iterator[Tick]:
    """The values at places of an axis."""
    for at in places:
        part, text = (
            _compute_fraction(axis, at, by_place),
            abbreviate_value(axis.lane, axis.get_value(at)),
        )
        yield Tick(part, text, strong=at == here)


def iter_landmarks(lane: RegisterPart) -> Iterator[int]:
    """Values that people look for: zero, powers of two, and of floats the landmarks."""
    if lane.is_float:
        yield from (lane.read(text) for text in _FLOATS)
    elif lane.type is not Type.PRED:
        yield 0
        half = lane.unit - 1
        for bit in (half, half - 1):
            yield 1 << bit
        yield lane.mask & ~((1 << (half - 1)) - 1)


def iter_infinities(axis: SweepAxis) -> Iterator[int]:
    """The places of the infinities, where a float's numbers end and NaN begins."""
    if axis.lane.is_float:
        places = (axis.where(axis.lane.read(text)) for text in (_FLOATS[0], _FLOATS[-1]))
        yield from (at for at in places if at is not None)


def _compute_fraction(axis: SweepAxis, at: int, is_by_rank: bool) -> float:
    if not is_by_rank:
        return (at + 0.5) / axis.size
    low, high = axis.lane.compute_rank(axis.low), axis.lane.compute_rank(axis.high)
    return (int(axis.places[at]) - low + 0.5) / (high - low + 1)
