"""All writes of a wave to an address space, from which its contents at any time are computed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .fidelity import Causes
from .memory_regions import Numbers

Bytes = npt.NDArray[np.uint8]

_MAX_ELEMENTS = 1 << 22
"""Elements that are kept; later ones are not."""


class MemoryWrite(NamedTuple):
    """Elements that threads write at once."""

    offsets: Numbers
    values: npt.NDArray[Any]
    """Unsigned, one for each offset."""
    is_unknown: npt.NDArray[np.bool_] | None
    """Which of their bytes are not known, a row for each; None if all are."""


class MemoryContents(NamedTuple):
    """Some bytes at some time."""

    data: Bytes
    is_unknown: npt.NDArray[np.bool_]
    is_written: npt.NDArray[np.bool_]
    """Which bytes the wave has written."""


class _ByteWrites(NamedTuple):
    """The writes to a range, byte by byte, in order."""

    places: Numbers
    data: Bytes
    is_unknown: npt.NDArray[np.bool_]
    numbers: Numbers
    """The number of the write, from 0."""


class WriteJournal:
    """The writes of a wave to one instance of a space, after its contents at the start."""

    def __init__(self, data: Bytes, causes: Causes | None, instance: int | None = None) -> None:
        """Begin with the bytes of an instance; ``instance`` is its number if there are several."""
        self.instance = instance
        self.is_cut = False
        """Whether writes after the last one are missing."""
        self._data = data.copy()
        self._is_unknown = np.zeros(len(data), bool) if causes is None else causes != 0
        self._writes: list[MemoryWrite] = []
        self._element_count = 0
        self._find_byte_writes = lru_cache(maxsize=8)(self._list_byte_writes)

    def __len__(self) -> int:
        return len(self._writes)

    def note(self, write: MemoryWrite, instances: Numbers | None) -> None:
        """Keep a write, or the part of it in the own instance; ``instances`` are the threads'."""
        if self.is_cut:
            return
        if self.instance is not None and instances is not None:
            is_own = instances == self.instance
            if not is_own.any():
                return
            unknown = None if write.is_unknown is None else write.is_unknown[is_own]
            write = MemoryWrite(write.offsets[is_own], write.values[is_own], unknown)
        self._element_count += len(write.offsets)
        self.is_cut = self._element_count > _MAX_ELEMENTS
        if not self.is_cut:
            self._writes.append(write)

    def read(self, start: int, end: int, count: int) -> MemoryContents:
        """Return the bytes from one offset to another after so many writes."""
        writes = self._find_byte_writes(start, end, len(self._writes))
        done = int(np.searchsorted(writes.numbers, count))
        places = writes.places[:done]
        data, is_unknown = self._data[start:end].copy(), self._is_unknown[start:end].copy()
        data[places], is_unknown[places] = writes.data[:done], writes.is_unknown[:done]
        is_written = np.zeros(end - start, bool)
        is_written[places] = True
        return MemoryContents(data, is_unknown, is_written)

    def find_width(self, start: int, end: int) -> int:
        """Return the bytes of the widest element that is written in a range; 1 if none is."""
        widths = (
            write.values.dtype.itemsize
            for write in self._writes
            if ((write.offsets >= start) & (write.offsets < end)).any()
        )
        return max(widths, default=1)

    def _list_byte_writes(self, start: int, end: int, _: int) -> _ByteWrites:
        parts: list[_ByteWrites] = []
        for number, write in enumerate(self._writes):
            is_inside = (write.offsets >= start) & (write.offsets < end)
            if not is_inside.any():
                continue
            width = write.values.dtype.itemsize
            offsets = write.offsets[is_inside]
            places = (offsets[:, np.newaxis] - start + np.arange(width)).reshape(-1)
            data = np.ascontiguousarray(write.values[is_inside]).view(np.uint8)
            unknown = np.zeros(len(places), bool)
            if write.is_unknown is not None:
                unknown = write.is_unknown[is_inside].reshape(-1)
            parts.append(_ByteWrites(places, data, unknown, np.full(len(places), number)))
        if not parts:
            none = np.zeros(0, np.int64)
            return _ByteWrites(none, none.astype(np.uint8), none.astype(bool), none)
        return _ByteWrites(*(np.concatenate(x) for x in zip(*parts, strict=True)))
