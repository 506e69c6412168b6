"""The choice among the ticks of an axis: as many as fit side by side."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.micro_operations.drawings import Tick

_TICK_ROOM = 8
"""Room between the texts of two ticks side by side in px."""


def choose_ticks(
    ticks: Sequence[Tick], room: float, width: float, margin: float = _TICK_ROOM
) -> list[Tick]:
    """Return the ticks that fit side by side, by priority.

    `width` is that of a character in px, or 0 on an axis upwards, and `margin` the room of a tick
    beside its text.
    """
    extents: list[tuple[float, float, Tick]] = []
    for tick in ticks:
        tick_width = len(tick.text) * width + margin
        low = min(
            max(tick.position * room - tick_width / 2, -tick_width / 2), room - tick_width / 2
        )
        if all(low + tick_width <= start or low >= end for start, end, _ in extents):
            extents.append((low, low + tick_width, tick))
    return [tick for *_, tick in extents]
