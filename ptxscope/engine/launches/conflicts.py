"""Accesses of two threads to one place, without a barrier between them."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from ..records import NamedTuple

Numbers = npt.NDArray[np.int64]


class ConflictKind(StrEnum):
    """What two threads do to one place without a barrier between them; the second acts later."""

    WRITES = "write different values to"
    READ_AFTER_WRITE = "write and read"
    WRITE_AFTER_READ = "read and write"


class Conflict(NamedTuple):
    """Two threads that access one place, at least one to write, without a barrier between them."""

    kind: ConflictKind
    lane: int
    """The lane of the thread that acts last."""
    other_thread: int
    """The number of the other thread, of all threads of the grid."""
    place: str
    """``param0[5]``."""


class Accessors(NamedTuple):
    """The threads of a wave as those that write and read."""

    threads: Numbers
    """The number of each lane's thread, of all threads of the grid, from 0."""
    epochs: Numbers
    """For each lane, the number of the last barrier or fence that its thread has passed."""
    block_size: int
    """Threads in a block."""
    own_lanes: Numbers
    """The lanes that have a thread, in the order of the threads' numbers."""
    own_threads: Numbers
    """The numbers of these threads."""

    def find_lanes(self, threads: Numbers) -> Numbers:
        """Return the lanes of some threads; -1 for one that is not in the wave."""
        places = np.searchsorted(self.own_threads, threads)
        places[places == len(self.own_threads)] = 0
        return np.where(self.own_threads[places] == threads, self.own_lanes[places], -1)
