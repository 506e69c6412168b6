"""How much is shown of each step: decided once for all steps, so that none changes its height
when the next is revealed.

Room is given in one fixed order, and only while it suffices whichever step is the current one: so
a larger pane shows whatever a smaller one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum

from ...engine.records import NamedTuple


class Level(IntEnum):
    """How much of a block is shown."""

    FOLDED = 0
    """All its rows in one line, if they fit."""
    ROWS = 1
    OPEN = 2
    """With its figures."""
    WIRED = 3
    """With the wires from the registers to what is selected."""


class Levels(NamedTuple):
    """The level of everything that is drawn."""

    steps: tuple[Level, ...]
    """Of a step that is not the current one."""
    current: Level = Level.OPEN
    """At least of the current one."""
    registers: Level = Level.FOLDED
    veiled: Level = Level.FOLDED
    """Of what is still to come: its names behind each other, or in a line each."""
    is_steady: bool = False
    """All is open at once: what is to come has its place, and the sentences stand below."""
    is_spaced: bool = False
    """A blank line stands between steps."""
    heights: tuple[int, ...] = ()
    """How many lines each step has, where they are steady."""


class Heights(NamedTuple):
    """How many lines things take."""

    step: Callable[[int, Level], int]
    words: Sequence[int]
    """The sentences of each step while it is the current one."""
    registers: Callable[[Level], int]
    """Everything above the steps."""
    veiled: Callable[[int, Level], int]
    """What comes after a step."""

    def count_lines(self, current: int, levels: Levels) -> int:
        """All lines while a step is the current one."""
        steps = (
            self.step(at, max(level, levels.current) if at == current else level)
            for at, level in enumerate(levels.steps[: current + 1])
        )
        below = self.words[current] + self.veiled(current, levels.veiled)
        return self.registers(levels.registers) + sum(steps) + below

    @property
    def open_heights(self) -> tuple[int, ...]:
        """The lines of each step where everything is open."""
        return tuple(self.step(at, Level.WIRED) for at in range(len(self.words)))


def choose_levels(heights: Heights, room: int, *, can_be_steady: bool) -> Levels:
    """The levels at which every step fits into so many lines while it is the current one."""
    count = len(heights.words)
    lines = heights.open_heights
    needed = heights.registers(Level.OPEN) + sum(lines) + max(heights.words)
    if can_be_steady and needed <= room:
        every, is_spaced = (Level.WIRED,) * count, needed + count <= room
        return Levels(every, Level.WIRED, Level.OPEN, Level.ROWS, True, is_spaced, lines)
    levels = Levels((Level.FOLDED,) * count)
    for more in _upgrades(levels):
        if any(heights.count_lines(at, more) > room for at in range(count)):
            break
        levels = more
    return levels


def _upgrades(levels: Levels) -> Iterator[Levels]:
    """What is opened next while there is room; each with all those before it."""

    def opened(to: Level) -> Iterator[Levels]:
        nonlocal levels
        for at in range(len(levels.steps)):
            steps = (*levels.steps[:at], to, *levels.steps[at + 1 :])
            levels = levels._replace(steps=steps)
            yield levels

    levels = levels._replace(current=Level.WIRED)
    yield levels
    yield from opened(Level.ROWS)
    levels = levels._replace(veiled=Level.ROWS)
    yield levels
    levels = levels._replace(registers=Level.OPEN)
    yield levels
    yield from opened(Level.OPEN)
    yield from opened(Level.WIRED)
