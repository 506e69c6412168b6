"""The level of detail of each step, chosen once for all steps, so that heights never change.

Room is assigned in one fixed order, and only while it suffices for every current step. So a larger
pane shows whatever a smaller one shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple


class Level(IntEnum):
    """The level of detail of a block."""

    FOLDED = 0
    """All its rows on one line, if they fit."""
    ROWS = 1
    OPEN = 2
    """With figures."""
    WIRED = 3
    """With the links from the registers to the selected rows."""


class Levels(NamedTuple):
    """The level of every block."""

    steps: tuple[Level, ...]
    """The level of each step while it is not current."""
    current: Level = Level.OPEN
    """The minimum level of the current step."""
    registers: Level = Level.FOLDED
    veiled: Level = Level.FOLDED
    """The level of hidden steps: their names on one line, or on a line each."""
    is_steady: bool = False
    """Whether everything is open at once: hidden steps have their places, sentences are below."""
    is_spaced: bool = False
    """Whether a blank line separates steps."""
    heights: tuple[int, ...] = ()
    """The lines of each step, if everything is open at once."""


class Heights(NamedTuple):
    """The heights of the blocks in lines."""

    step: Callable[[int, Level], int]
    words: Sequence[int]
    """The sentences of each step while it is current."""
    registers: Callable[[Level], int]
    """Everything above the steps."""
    veiled: Callable[[int, Level], int]
    """The hidden steps after a step."""

    def count_lines(self, current: int, levels: Levels) -> int:
        """Return the total while a step is current."""
        steps = (
            self.step(index, max(level, levels.current) if index == current else level)
            for index, level in enumerate(levels.steps[: current + 1])
        )
        below = self.words[current] + self.veiled(current, levels.veiled)
        return self.registers(levels.registers) + sum(steps) + below

    @property
    def open_heights(self) -> tuple[int, ...]:
        """The lines of each step if everything is open."""
        return tuple(self.step(index, Level.WIRED) for index in range(len(self.words)))


def choose_levels(heights: Heights, room: int, *, can_be_steady: bool) -> Levels:
    """Return the levels at which every step fits into ``room`` lines while it is current."""
    count = len(heights.words)
    lines = heights.open_heights
    needed_lines = heights.registers(Level.OPEN) + sum(lines) + max(heights.words)
    if can_be_steady and needed_lines <= room:
        levels_by_step, is_spaced = (Level.WIRED,) * count, needed_lines + count <= room
        return Levels(levels_by_step, Level.WIRED, Level.OPEN, Level.ROWS, True, is_spaced, lines)
    levels = Levels((Level.FOLDED,) * count)
    for upgrade in _upgrades(levels):
        if any(heights.count_lines(index, upgrade) > room for index in range(count)):
            break
        levels = upgrade
    return levels


def _upgrades(levels: Levels) -> Iterator[Levels]:
    """Yield the next levels to try while there is room; each includes those before it."""

    def open_steps(level: Level) -> Iterator[Levels]:
        nonlocal levels
        for index in range(len(levels.steps)):
            steps = (*levels.steps[:index], level, *levels.steps[index + 1 :])
            levels = levels._replace(steps=steps)
            yield levels

    levels = levels._replace(current=Level.WIRED)
    yield levels
    yield from open_steps(Level.ROWS)
    levels = levels._replace(veiled=Level.ROWS)
    yield levels
    levels = levels._replace(registers=Level.OPEN)
    yield levels
    yield from open_steps(Level.OPEN)
    yield from open_steps(Level.WIRED)
