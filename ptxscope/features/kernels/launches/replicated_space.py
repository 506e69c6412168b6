"""An address space of many replicas, which share the pages that they do not write."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .fidelity import Causes
from .memory import AddressSpace
from .memory_regions import Access, Numbers, make_sparse_zeros

PAGE_BYTES = 1 << 10
"""Bytes of a page, which lies in one buffer or less; no access crosses its end."""
ROW_SHARE = PAGE_BYTES // 4
"""The size of a space, divided by the bytes of its page numbers."""


class ReplicatedSpace(AddressSpace):
    """A space with an instance for each replica: its own pages, and pages of the original space.

    The bytes of all pages are one row, in which a place is the offset in the page after the start
    of the page.
    """

    def __init__(self, space: AddressSpace, count: int) -> None:
        """Begin with the contents of a space of one instance, of which nothing is unknown."""
        super().__init__(space.name)
        self.regions, self.size = space.regions, space.size
        self.replica_count = count
        self.shared_count = page_count = -(-space.size // PAGE_BYTES)
        """The pages that are shared come first, in the order of their offsets."""
        if count == 1:
            self.shared_count = 0
        self.page_numbers = np.tile(np.arange(page_count, dtype=np.int32), (count, 1))
        """The page at each multiple of ``PAGE_BYTES``, a row for each replica."""
        self.owners = np.zeros(0 if self.shared_count else page_count, np.int64)
        """The replica of each page that is not shared."""
        self._resize(page_count)
        self.data[0, : space.size] = space.data[0, : space.size]

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return self.shared_count + len(self.owners)

    def find_places(self, replicas: Numbers | int, offsets: Numbers) -> Numbers:
        """Return the places of bytes of replicas; the arrays broadcast."""
        numbers: Numbers = self.page_numbers[replicas, offsets // PAGE_BYTES].astype(np.int64)
        numbers *= PAGE_BYTES
        numbers += offsets % PAGE_BYTES
        return numbers

    def read_row(
        self, instance: int, start: int, end: int
    ) -> tuple[npt.NDArray[np.uint8], Causes | None]:
        """Return the bytes of a replica from one offset to another, and their causes."""
        places = self.find_places(instance, np.arange(start, end))
        causes = None if self.causes is None else self.causes[0, places]
        return self.data[0, places], causes

    def _find_places(
        self, access: Access, instances: Numbers | None, *, writes: bool = False
    ) -> Numbers:
        replicas = 0 if instances is None else instances[access.lanes]
        if writes and self.shared_count:
            self._copy_shared(replicas, access.offsets // PAGE_BYTES)
        return self.find_places(replicas, access.offsets)

    def _copy_shared(self, replicas: Numbers | int, positions: Numbers) -> None:
        """Give replicas pages of their own at some positions."""
        is_shared = self.page_numbers[replicas, positions] < self.shared_count
        if not is_shared.any():
            return
        keys = replicas * self.page_numbers.shape[1] + positions
        keys = np.unique(keys[is_shared])
        first, end = self.page_count, self.page_count + len(keys)
        if end * PAGE_BYTES > self.data.shape[1]:
            self._resize(2 * end)
        table, pages = self.page_numbers.reshape(-1), self.data.reshape(-1, PAGE_BYTES)
        pages[first:end] = pages[table[keys]]
        table[keys] = np.arange(first, end)
        new_owners = keys // self.page_numbers.shape[1]
        self.owners = np.concatenate((self.owners, new_owners))

    def _resize(self, page_count: int) -> None:
        """Provide the memory of a number of pages."""
        size, old_size = page_count * PAGE_BYTES, self.data.shape[1]
        data, self.data = self.data, make_sparse_zeros(size, np.uint8).reshape(1, -1)
        self.data[:, :old_size] = data
        if self.causes is not None:
            causes, self.causes = self.causes, make_sparse_zeros(size, np.uint64).reshape(1, -1)
            self.causes[:, :old_size] = causes
        if self.stamps is not None:
            stamps, self.stamps = self.stamps, make_sparse_zeros(size, np.int64)
            self.stamps[:old_size] = stamps
