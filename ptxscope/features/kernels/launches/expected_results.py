"""The expected elements of a launch, held against a run and against many replicas at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .conflicts import Mask
from .expected_elements import ExpectedElements
from .fidelity import NEVER_WRITTEN
from .kernel_run import KernelRun
from .launch_memory import BoundBuffer
from .memory import Bits
from .memory_regions import Numbers
from .replicated_space import PAGE_BYTES, ReplicatedSpace

_MAX_PART = 1 << 20
"""Elements that are looked at together."""


class _Tallies(NamedTuple):
    """The number of elements of each replica, in one buffer or several."""

    right: Numbers
    """Those that are known and as expected."""
    own_right: Numbers
    """Those of them that the threads that run first wrote in the run."""
    written: Numbers
    """Those that its threads have written, not atomically."""
    written_wrong: Numbers
    """Those of them that are not known or not as expected."""


class ExpectedWords(NamedTuple):
    """The expected elements of one buffer, for all replicas of a launch at once."""

    buffer: BoundBuffer
    elements: ExpectedElements
    is_own: Mask
    """Whether the threads that run first have written each."""

    @property
    def _dtype(self) -> np.dtype[np.unsignedinteger]:
        return np.dtype(f"u{self.buffer.array.dtype.itemsize}")

    @property
    def offsets(self) -> Numbers:
        """The offset of each element in global memory."""
        return self.buffer.region.start + self.elements.indices * self._dtype.itemsize

    def tally(self, space: ReplicatedSpace) -> _Tallies:
        """Count the elements of each replica.

        The pages that replicas share are looked at once, then each page of one of them.
        """
        count, columns = space.replica_count, np.arange(len(self.elements.indices))
        order = np.argsort(self.offsets, kind="stable")
        offsets = self.offsets[order]
        tallies = _Tallies(*(np.zeros(count, np.int64) for _ in _Tallies._fields))
        is_right = np.zeros(len(columns), bool)
        if space.shared_count:
            is_right, _ = self._judge(space, offsets, order)
            tallies.right[:] = np.count_nonzero(is_right)
            tallies.own_right[:] = np.count_nonzero(is_right & self.is_own[order])
        for replicas, positions, places in _iter_own_elements(space, offsets):
            chosen = order[positions]
            right, written = self._judge(space, places, chosen)
            is_own = self.is_own[chosen]
            gains = right.astype(np.int64) - is_right[positions]
            tallies.right[:] += _sum_by_replica(replicas, gains, count)
            tallies.own_right[:] += _sum_by_replica(replicas, gains * is_own, count)
            tallies.written[:] += _sum_by_replica(replicas, written, count)
            tallies.written_wrong[:] += _sum_by_replica(replicas, written & ~right, count)
        return tallies

    def _judge(
        self, space: ReplicatedSpace, places: Numbers, columns: Numbers
    ) -> tuple[Mask, Mask]:
        """Return which elements at some places are known and right, and which are written."""
        rows = places // self._dtype.itemsize
        is_right = self._find_wrong_bits(space, rows, columns) == 0
        is_written = np.zeros(len(rows), bool)
        if space.stamps is not None:
            is_written = _find_any(space.stamps, rows, self._dtype.itemsize)
        return is_right, is_written

    def _find_wrong_bits(self, space: ReplicatedSpace, rows: Numbers, columns: Numbers) -> Bits:
        """Return the bits that are not known or not right of words at some rows of the space."""
        words, masks = (x[columns] for x in (self.elements.bits, self.elements.known_masks))
        wrong: Bits = (space.data.reshape(-1).view(self._dtype)[rows] ^ words) & masks
        if space.causes is not None:
            is_unknown = _find_any(space.causes, rows, self._dtype.itemsize)
            wrong = np.where(is_unknown, masks, wrong)
        return wrong

    def iter_wrong_bits(self, space: ReplicatedSpace) -> Iterator[tuple[slice, Bits]]:
        """Yield some replicas and the bits of their own elements that are not known or not right.

        If the threads that run first own no element, all elements count.
        """
        columns = np.flatnonzero(self.is_own)
        columns = columns if columns.size else np.arange(len(self.is_own))
        offsets = self.offsets[columns]
        step = max(_MAX_PART // max(len(columns), 1), 1)
        for start in range(0, space.replica_count, step):
            part = slice(start, min(start + step, space.replica_count))
            replicas = np.arange(part.start, part.stop)[:, np.newaxis]
            rows = space.find_places(replicas, offsets) // self._dtype.itemsize
            yield part, self._find_wrong_bits(space, rows, columns)


def _iter_own_elements(
    space: ReplicatedSpace, offsets: Numbers
) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """Yield the elements in pages that are not shared: replicas, positions in order, places.

    ``offsets`` are those of all elements, ascending.
    """
    table = space.page_numbers
    replicas = space.owners
    numbers = np.arange(space.shared_count, space.page_count)
    positions = np.zeros(space.page_count, np.int64)
    rows, columns = np.nonzero(table >= space.shared_count)
    positions[table[rows, columns]] = columns
    starts = positions[numbers] * PAGE_BYTES
    firsts, ends = (np.searchsorted(offsets, x) for x in (starts, starts + PAGE_BYTES))
    step = max(_MAX_PART // PAGE_BYTES, 1)
    for start in range(0, len(numbers), step):
        part = slice(start, start + step)
        counts = ends[part] - firsts[part]
        if not counts.any():
            continue
        pages = np.repeat(np.arange(start, start + len(counts)), counts)
        skipped = np.repeat(np.cumsum(counts) - counts, counts)
        elements = np.arange(len(pages)) - skipped + firsts[pages]
        places = offsets[elements] - starts[pages] + numbers[pages] * PAGE_BYTES
        yield replicas[pages], elements, places


def _sum_by_replica(replicas: Numbers, values: npt.NDArray[np.int64] | Mask, count: int) -> Numbers:
    """Return the sum of the values of each replica."""
    return np.bincount(replicas, values, count).astype(np.int64)


def _find_any(records: Bits, rows: Numbers, width: int) -> Mask:
    """Return which elements have a record of one of their bytes that is not 0."""
    mask: Mask = (records.reshape(-1, width)[rows] != 0).any(axis=-1)
    return mask


class ExpectedResults(NamedTuple):
    """The expected elements of all buffers."""

    elements: tuple[ExpectedWords, ...]

    @property
    def element_count(self) -> int:
        """The number of elements."""
        return sum(len(x.elements) for x in self.elements)

    def count_matches(self, result: KernelRun) -> int:
        """Return the number of elements of a run that are known and as expected."""
        matches = (x.elements.find_right(result.buffers[x.buffer.name]) for x in self.elements)
        return sum(int(np.count_nonzero(x)) for x in matches)

    def count_own_matches(self, result: KernelRun) -> int:
        """Return the number of elements of the first threads that are as expected in a run."""
        count = 0
        for x in self.elements:
            words = result.buffers[x.buffer.name].words[x.elements.indices]
            count += int(np.count_nonzero(x.elements.match(words) & x.is_own))
        return count

    def read_unwritten(self, result: KernelRun) -> bool:
        """Whether elements of a run are unknown because nothing wrote their sources."""
        causes = (result.buffers[x.buffer.name].causes for x in self.elements)
        return any(bool((x & np.uint64(NEVER_WRITTEN)).any()) for x in causes if x is not None)

    def count_all(self, space: ReplicatedSpace) -> Numbers:
        """Return for each replica the number of elements that are as expected."""
        counts = np.zeros(space.replica_count, np.int64)
        for x in self.elements:
            counts += x.tally(space).right
        return counts

    def measure(self, space: ReplicatedSpace) -> tuple[Numbers, Numbers]:
        """Return for each replica the number of wrong bits, and the place of the lowest of them.

        These are bits of the elements that the first threads wrote. If none is wrong, the place is
        64.
        """
        counts = np.zeros(space.replica_count, np.int64)
        places = np.full(space.replica_count, 64)
        for x in self.elements:
            for part, wrong in x.iter_wrong_bits(space):
                counts[part] += np.bitwise_count(wrong).sum(axis=1, dtype=np.int64)
                union = np.bitwise_or.reduce(wrong, axis=1).astype(np.uint64)
                lowest = np.bitwise_count((union & (~union + np.uint64(1))) - np.uint64(1))
                places[part] = np.minimum(places[part], lowest)
        return counts, places

    def judge(self, space: ReplicatedSpace, *, is_whole: bool) -> tuple[Mask, Numbers]:
        """Return for each replica whether the first threads are right, and the right elements.

        The elements that they wrote must be as expected; if they wrote none, their own elements
        must. If they are all threads, ``is_whole``, every element must be as expected.
        """
        none = _Tallies(*np.zeros((len(_Tallies._fields), space.replica_count), np.int64))
        columns = zip(none, *(x.tally(space) for x in self.elements), strict=True)
        tallies = _Tallies(*(np.sum(x, axis=0) for x in columns))
        if is_whole:
            return tallies.right == self.element_count, tallies.own_right
        own_count = sum(int(np.count_nonzero(x.is_own)) for x in self.elements)
        is_own_right = tallies.own_right == own_count
        is_right = np.where(tallies.written > 0, tallies.written_wrong == 0, is_own_right)
        return is_right, tallies.own_right
