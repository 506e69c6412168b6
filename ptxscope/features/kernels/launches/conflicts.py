"""Accesses of two threads to one place, without a barrier between them."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .launch import WARP
from .memory_regions import Numbers, make_sparse_zeros

Lines = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class ConflictKind(StrEnum):
    """The acts of two threads on one place without a barrier between them; the second is later."""

    WRITES = "write different values to"
    READ_AFTER_WRITE = "write and read"
    WRITE_AFTER_READ = "read and write"
    UPDATE_AFTER_WRITE = "write and update"
    READ_AFTER_UPDATE = "update and read"
    WRITE_AFTER_UPDATE = "update and write"


class Conflict(NamedTuple):
    """Two accesses that conflict, as memory finds them."""

    kind: ConflictKind
    lane: int
    """The lane of the thread that acts last."""
    other_thread: int
    """The number of the other thread, of all threads of the grid."""
    other_line: int
    """The line at which the other thread acts; 0 if it is the same."""
    place: str
    """``param0[5]``."""


class KernelConflict(NamedTuple):
    """Two threads that access one place, at least one to write, without a barrier between them."""

    kind: ConflictKind
    line: int
    """The line of the later access."""
    text: str
    thread: str
    """``thread (5,0,0) of block (0,0,0)``."""
    other_thread: str
    other_line: int
    place: str
    """``param0[5]``."""


class ThreadScope(IntEnum):
    """The threads that a barrier or a fence orders."""

    WARP = 0
    BLOCK = 1
    GRID = 2


class Accessors(NamedTuple):
    """The threads of a wave, as writers and readers."""

    threads: Numbers
    """The number of each lane's thread, of all threads of the grid, from 0."""
    epochs: Numbers
    """For each scope and lane, the last epoch that its thread began by a barrier or a fence of that
    scope or a wider one."""
    block_size: int
    """Threads in a block."""
    stamps: Numbers
    """The thread of each lane and its time: the thread's number + 1, its epoch above 32 bits.

    The epoch is that of the scope of a warp, which every barrier and fence begins.
    """
    own_lanes: Numbers
    """The lanes that have a thread, in the order of the threads' numbers."""
    own_threads: Numbers
    """The numbers of these threads."""
    has_fences: bool
    """Whether the code has fences or atomic operations, which may order threads of two waves."""
    finds_conflicts: bool
    """Whether conflicts are looked for: there are several threads, each in one lane."""

    def begin_epoch(self, epoch: int, mask: Mask, scope: ThreadScope) -> None:
        """Note that threads pass a barrier or a fence together."""
        self.epochs[: scope + 1, mask] = epoch
        self.stamps[mask] = (self.threads[mask] + 1) | epoch << 32

    def find_races(self, lanes: Numbers, stamps: Numbers) -> Mask:
        """Return the stamps of other threads that no barrier or fence has ordered since, as a mask.

        A stamp of 0 belongs to no thread.
        """
        threads, others = self.threads[lanes], get_threads(stamps)
        races: Mask = (stamps != 0) & (others != threads)
        if not races.any():
            return races
        threads, others = threads[races], others[races]
        blocks, other_blocks = threads // self.block_size, others // self.block_size
        warps, other_warps = (x % self.block_size // WARP for x in (threads, others))
        scopes = np.where(
            blocks != other_blocks,
            ThreadScope.GRID,
            np.where(warps != other_warps, ThreadScope.BLOCK, ThreadScope.WARP),
        )
        places = np.searchsorted(self.own_threads, others)
        places[places == len(self.own_threads)] = 0
        is_here = self.own_threads[places] == others
        epochs = self.epochs[scopes, self.own_lanes[places]]
        is_ordered = np.where(is_here, epochs > stamps[races] >> 32, self.has_fences)
        races[races] = ~is_ordered
        return races


def get_threads(stamps: Numbers) -> Numbers:
    """Return the numbers of the threads of stamps; -1 for none."""
    threads: Numbers = (stamps & 0xFFFFFFFF) - 1
    return threads


class Visitors:
    """The last readers of each place, or the last threads with atomic operations on it.

    Two threads are kept, so that at least one of them differs from the next writer.
    """

    def __init__(self, size: int) -> None:
        self._last, self._other = (
            (make_sparse_zeros(size, np.int64), make_sparse_zeros(size, np.int32)) for _ in range(2)
        )

    def note(self, places: Numbers, stamps: Numbers, line: int) -> None:
        """Note the visitors of places at a line."""
        (last, last_lines), (other, other_lines) = self._last, self._other
        old, old_lines = last[places], last_lines[places]
        last[places], last_lines[places] = stamps, line
        new = last[places]
        moved = np.flatnonzero((old != 0) & ((old ^ new) & 0xFFFFFFFF != 0))
        if moved.size:
            other[places[moved]], other_lines[places[moved]] = old[moved], old_lines[moved]
        if (is_lost := new != stamps).any():  # several threads visit one place at once
            other[places[is_lost]], other_lines[places[is_lost]] = stamps[is_lost], line

    def get_all(self, places: Numbers) -> tuple[tuple[Numbers, Lines], ...]:
        """Return the stamps of the visitors of places, and their lines."""
        return tuple((stamps[places], lines[places]) for stamps, lines in (self._last, self._other))
