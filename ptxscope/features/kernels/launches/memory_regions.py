"""The regions of an address space: their addresses, the checks of every access, their pages.

A journal has all writes of a wave to a space, from which its contents at any time are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.syntax.errors import format_count
from .fidelity import Causes

Numbers = npt.NDArray[np.int64]

WINDOW_BITS = 40
"""The bits of an offset in a generic address; those above choose the space."""
_WINDOWS = {"param": 0x7B, "const": 0x7C, "local": 0x7D, "shared": 0x7E, "global": 0x7F}
SPACES: tuple[str, ...] = tuple(_WINDOWS)


def get_window_start(space: str) -> int:
    """Return the generic address of a space's offset 0."""
    return _WINDOWS[space] << WINDOW_BITS


def find_space_of_window(window: int) -> str | None:
    """Return the space of the bits of a generic address above ``WINDOW_BITS``."""
    return next((space for space, x in _WINDOWS.items() if x == window), None)


class Region(NamedTuple):
    """A buffer or a variable in a space."""

    name: str
    start: int
    bytes: int
    element_bytes: int
    is_read_only: bool = False

    @property
    def end(self) -> int:
        """The offset after its last byte."""
        return self.start + self.bytes


def describe_address(regions: Mapping[str, Sequence[Region]], address: int) -> str:
    """Return the place of a generic address: ``param0[5]``; empty if it is in none of the regions.

    ``regions`` are by space. The end of a region counts, too.
    """
    space = find_space_of_window(address >> WINDOW_BITS)
    offset = address & (1 << WINDOW_BITS) - 1
    region = next((x for x in regions.get(space or "", ()) if x.start <= offset <= x.end), None)
    if region is None:
        return ""
    index, rest = divmod(offset - region.start, region.element_bytes)
    return f"{region.name}{offset - region.start:+d}" if rest else f"{region.name}[{index}]"


class AccessError(Exception):
    """An access that no memory allows."""

    def __init__(self, lanes: Numbers, message: str) -> None:
        """``message`` is the first thread's."""
        super().__init__(message)
        self.lanes = lanes
        """The lanes of the threads in their wave, at least one."""


class Access(NamedTuple):
    """The places that threads read or write."""

    lanes: Numbers
    """The lanes of the threads."""
    offsets: Numbers
    width: int
    """Bytes of each element."""
    element_count: int = 1
    """Elements that each thread reads or writes, side by side."""


class RegionMap:
    """The regions of a space, in the order of their offsets."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.regions: list[Region] = []
        self.reaches: dict[str, int] = {}
        """The bytes of each region up to the highest one that was accessed, by name."""
        self._last_region: Region | None = None

    def find_region(self, offset: int) -> Region | None:
        """Return the region of a byte."""
        region = self._last_region
        if region and region.start <= offset < region.end:
            return region
        return next((x for x in self.regions if x.start <= offset < x.end), None)

    def _find_nearest(self, offset: int) -> Region | None:
        """Return the region of a byte, or the one next to it; None if all are far away."""
        if region := self.find_region(offset):
            return region
        regions = sorted(self.regions, key=lambda x: max(x.start - offset, offset - x.end + 1, 0))
        if not regions or abs(offset - regions[0].start) >= max(1 << 20, 4 * regions[0].bytes):
            return None
        return regions[0]

    def format_place(self, offset: int, width: int = 1) -> str:
        """Return ``param0[5]``; ``param0+3`` if no element of at least the width begins there.

        ``width`` is in bytes. The region is the nearest.
        """
        region = self._find_nearest(offset)
        if region is None and not self.regions:
            return f"{self.name} memory + {offset}"
        if region is None:
            return f"address {offset + get_window_start(self.name):#x}"
        distance = offset - region.start
        if distance % region.element_bytes or width > region.element_bytes:
            return f"{region.name}{distance:+d}"
        return f"{region.name}[{distance // region.element_bytes}]"

    def check(self, access: Access, *, writes: bool) -> None:
        """Raise AccessError if a thread accesses a place outside of all regions, or misaligned."""
        offsets, total = access.offsets, access.width * access.element_count
        if len(offsets) == 1:
            low = high = union = int(offsets[0])
        else:
            low, high = int(offsets.min()), int(offsets.max())
            union = int(np.bitwise_or.reduce(offsets))
        region = self._last_region
        if region is None or low < region.start or high + total > region.end:
            region = self._find_common_region(access, low, high, total)
        if union & (total - 1):
            positions = np.flatnonzero(offsets & (total - 1))
            offset = int(offsets[positions[0]])
            raise AccessError(
                access.lanes[positions],
                f"{total} bytes at {self.format_place(offset, access.width)}, misaligned: the "
                f"address is {offset % total} above a multiple of {total}",
            )
        if writes and region and region.is_read_only:
            raise AccessError(access.lanes, f"{region.name}, which is read-only")
        self._last_region = region
        if region:
            self._note_reach(region, high + total)

    def _note_reach(self, region: Region, end: int) -> None:
        size = end - region.start
        if size > self.reaches.get(region.name, 0):
            self.reaches[region.name] = size

    def _find_common_region(self, access: Access, low: int, high: int, total: int) -> Region | None:
        """Return the region of all places; None if there are several."""
        region = self.find_region(low)
        if region and high + total <= region.end:
            return region
        starts = np.array([x.start for x in self.regions] or [0])
        ends = np.array([x.end for x in self.regions] or [0])
        numbers = np.searchsorted(starts, access.offsets, side="right") - 1
        outside = np.flatnonzero((numbers < 0) | (access.offsets > ends[numbers] - total))
        if outside.size:
            offset = int(access.offsets[outside[0]])
            message = self._describe_outside(offset, access.width, total)
            raise AccessError(access.lanes[outside], message)
        for number in np.unique(numbers).tolist():
            end = int(access.offsets[numbers == number].max()) + total
            self._note_reach(self.regions[number], end)
        return None

    def _describe_outside(self, offset: int, width: int, total: int) -> str:
        access_text = f"{format_count(total, 'byte')} at {self.format_place(offset, width)}"
        region = self._find_nearest(offset)
        if region is None:
            return f"{access_text}, where there is no buffer"
        size, noun = region.bytes // region.element_bytes, "element"
        if width > region.element_bytes:
            size, noun = region.bytes, "byte"
        return f"{access_text}, outside its {format_count(size, noun)}"


def split_addresses(addresses: Numbers) -> Mapping[str | None, npt.NDArray[np.bool_]]:
    """Return which generic addresses are in which space; None for those in no space."""
    windows = addresses >> WINDOW_BITS
    return {find_space_of_window(int(x)): windows == x for x in np.unique(windows)}


# --- large arrays of which pages that nothing writes take no memory

_MIN_SPARSE_BYTES = 1 << 22
"""Size from which NumPy asks for pages of 2 MiB, each of which one byte then takes as a whole."""
_PAGE_BYTES = 1 << 12
_MAX_PART = 1 << 20
"""Elements that are looked at together."""


def make_sparse_zeros(count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros; a page takes memory at the first write."""
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


Bytes = npt.NDArray[np.uint8]

_MAX_ELEMENTS = 1 << 22
"""Elements that are kept; later ones are not."""


class MemoryWrite(NamedTuple):
    """Elements that threads write at once."""

    offsets: Numbers
    values: npt.NDArray[Any]
    """Unsigned, one for each offset."""
    is_unknown: npt.NDArray[np.bool_] | None
    """Flags of their bytes that are unknown, a row for each element; None if all are known."""


class MemoryContents(NamedTuple):
    """The contents of some bytes at some time."""

    data: Bytes
    is_unknown: npt.NDArray[np.bool_]
    is_written: npt.NDArray[np.bool_]
    """Flags of the bytes that the wave has written."""


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
        """Record a write, or its part in the own instance; ``instances`` are the threads'."""
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
        """Return the bytes from one offset to another after a number of writes."""
        writes = self._find_byte_writes(start, end, len(self._writes))
        write_count = int(np.searchsorted(writes.numbers, count))
        places = writes.places[:write_count]
        data, is_unknown = self._data[start:end].copy(), self._is_unknown[start:end].copy()
        data[places], is_unknown[places] = (
            writes.data[:write_count],
            writes.is_unknown[:write_count],
        )
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
            empty = np.zeros(0, np.int64)
            return _ByteWrites(empty, empty.astype(np.uint8), empty.astype(bool), empty)
        return _ByteWrites(*(np.concatenate(x) for x in zip(*parts, strict=True)))
