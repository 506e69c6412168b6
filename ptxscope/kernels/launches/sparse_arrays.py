"""Large arrays of which pages that nothing writes take no memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_MIN_SPARSE_BYTES = 1 << 22
"""NumPy asks for pages of 2 MiB for arrays of this size, of which one byte then takes all."""
_PAGE_BYTES = 1 << 12
_MAX_PART = 1 << 20
"""Elements that are looked at together."""


def make_sparse_zeros(count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros; each page takes memory once something is written there."""
    size = count * np.dtype(dtype).itemsize
    if size >= _MIN_SPARSE_BYTES:
        import mmap

        if hasattr(mmap, "MAP_ANONYMOUS"):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
            try:
                pages = mmap.mmap(-1, size, flags=flags)
            except (OSError, ValueError, OverflowError):
                raise MemoryError(f"{size:,} bytes") from None
            if hasattr(mmap, "MADV_NOHUGEPAGE"):
                with suppress(OSError):  # of a system without such pages
                    pages.madvise(mmap.MADV_NOHUGEPAGE)
            return np.frombuffer(pages, dtype)
    return np.zeros(count, dtype)


class WrittenPages(NamedTuple):
    """The pages of a space that were written."""

    is_written: npt.NDArray[np.bool_]

    def note(self, offsets: npt.NDArray[np.int64]) -> None:
        """Note that elements are written, none of them across the end of a page."""
        self.is_written[offsets // _PAGE_BYTES] = True

    def iter_parts(self, start: int, end: int, size: int) -> Iterator[slice]:
        """Yield the written parts of a buffer, in elements of ``size`` bytes, in order."""
        first = start // _PAGE_BYTES
        pages = first + np.flatnonzero(self.is_written[first : -(-end // _PAGE_BYTES)])
        breaks = np.flatnonzero(np.diff(pages) != 1) + 1
        for run in np.split(pages, breaks) if pages.size else ():
            low = max(int(run[0]) * _PAGE_BYTES, start) - start
            high = min((int(run[-1]) + 1) * _PAGE_BYTES, end) - start
            for part in range(low // size, high // size, _MAX_PART):
                yield slice(part, min(part + _MAX_PART, high // size))


def make_written_pages(size: int) -> WrittenPages:
    """Return the pages of a space of some bytes, none of them written."""
    return WrittenPages(np.zeros(-(-size // _PAGE_BYTES), bool))


def get_physical_memory() -> int | None:
    """Return the bytes of physical memory; None if the system does not report them."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
