"""The copies to shared memory that threads have begun and not waited for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .conflicts import Mask
from .memory import AddressSpace, Elements, make_elements
from .memory_regions import Access, Numbers


class PendingCopy(NamedTuple):
    """The words that some threads have copied and not waited for."""

    space: AddressSpace
    access: Access
    instances: Numbers | None
    words: list[Elements]
    groups: Numbers
    """The number of groups that each thread had committed before the copy."""
    cause: np.uint64
    """The cause of the unknown bytes meanwhile."""


class PendingCopies:
    """The copies that the threads of a wave have not waited for."""

    def __init__(self, lane_count: int) -> None:
        self.copies: list[PendingCopy] = []
        self.groups = np.zeros(lane_count, np.int64)
        """The number of groups that each thread has committed."""

    def complete(self, threads: Mask, limits: Numbers) -> None:
        """Write what some threads have copied in the groups below a number for each lane."""
        kept = []
        for copy in self.copies:
            lanes = copy.access.lanes
            is_done = threads[lanes] & (copy.groups < limits[lanes])
            if is_done.any():
                _write_words(_select(copy, is_done))
            if not is_done.all():
                kept.append(_select(copy, ~is_done))
        self.copies = kept


def _select(copy: PendingCopy, mask: Mask) -> PendingCopy:
    """Return the part of a copy that some of its threads make."""
    positions, access = np.flatnonzero(mask), copy.access
    return copy._replace(
        access=access._replace(lanes=access.lanes[positions], offsets=access.offsets[positions]),
        words=[x.select(positions) for x in copy.words],
        groups=copy.groups[positions],
    )


def _write_words(copy: PendingCopy) -> None:
    """Write the words of a copy; words that something else has written meanwhile stay unknown."""
    words = []
    found = copy.space.load(copy.access, copy.instances)
    for word, old in zip(copy.words, found, strict=True):
        old_causes = np.zeros(len(word.bits), np.uint64) if old.causes is None else old.causes
        is_overwritten = old_causes & copy.cause == 0
        causes = np.where(is_overwritten, copy.cause, np.uint64(0))
        if not is_overwritten.any():
            words.append(word)
            continue
        if word.causes is not None:
            causes |= word.causes
        words.append(make_elements(word.bits, causes))
    copy.space.store(copy.access, copy.instances, words, None)
