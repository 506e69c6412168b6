"""The memory of a launch: buffers in address spaces, with checks of every access.

An address space has one or more instances of equal size: shared memory one for each block, local
memory one for each thread. Offsets are relative to an instance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.arrays.physical_memory import get_physical_memory
from .conflicts import Accessors, Conflict, ConflictKind, Lines, Mask, Visitors, get_threads
from .fidelity import NEVER_WRITTEN, Causes
from .memory_regions import (
    Access,
    MemoryWrite,
    Numbers,
    Region,
    RegionMap,
    WriteJournal,
    WrittenPages,
    make_sparse_zeros,
)

Bits = npt.NDArray[Any]

_Earlier = tuple[ConflictKind, Numbers, Lines]
"""Earlier accesses that another may conflict with: their kind, stamps and lines."""

_MAX_BYTES = {
    "param": 1 << 16,
    "const": 1 << 20,
    "local": 1 << 19,
    "shared": 1 << 18,
    "global": 1 << 33,
}
"""Bytes of an instance of each space, with the gaps between buffers; at least as in GPUs."""
GUARD_BYTES = 256
"""Bytes between two buffers; their addresses are multiples of it."""
_CHUNK = 1 << 20
"""Bytes that are copied together."""
_RECORD_BYTES = 8
"""Bytes of the largest record of each byte of memory: its writer."""


def check_memory(size: int) -> None:
    """Raise ValueError if a launch with buffers of some bytes does not fit in this machine.

    An allocation would not fail: many systems grant more memory than they have.
    """
    memory = get_physical_memory()
    if memory is not None and size * _RECORD_BYTES > memory:
        raise ValueError(
            f"buffers of {size:,} bytes can need {_RECORD_BYTES} times as much in a run; "
            f"this machine has {memory:,} bytes"
        )


class Elements(NamedTuple):
    """An element for each of some threads."""

    bits: Bits
    causes: Causes | None = None
    """The reasons why they are unknown, in part or as a whole; None if all are known."""
    unknown: Bits | None = None
    """The unknown bits; None if they are all bits of the elements that have causes."""

    def select(self, positions: Numbers | slice) -> Elements:
        """Return the elements at some positions."""
        causes = None if self.causes is None else self.causes[positions]
        unknown = None if self.unknown is None else self.unknown[positions]
        return Elements(self.bits[positions], causes, unknown)

    def list_byte_causes(self) -> Causes | int:
        """Return the causes of each byte, a row for each element; 0 if all are known."""
        if self.causes is None:
            return 0
        causes: Causes = self.causes[:, np.newaxis]
        if self.unknown is None:
            return causes
        is_unknown = np.ascontiguousarray(self.unknown).view(np.uint8).reshape(len(causes), -1) != 0
        return np.where(is_unknown, causes, np.uint64(0))


def make_elements(bits: Bits, causes: Causes | None, unknown: Bits | None = None) -> Elements:
    """Return elements; only unknown bits have causes."""
    if causes is not None and unknown is not None:
        causes = np.where(unknown != 0, causes, np.uint64(0))
    if causes is None or not causes.any():
        return Elements(bits)
    return Elements(bits, causes, unknown)


def fill_unknown(causes: Causes | None, count: int, dtype: np.dtype[Any]) -> Bits:
    """Return all bits of each element that has causes, and none of the others."""
    full = ~np.zeros(1, dtype)
    if causes is None:
        return np.zeros(count, dtype)
    bits: Bits = np.where(causes != 0, full, np.zeros(1, dtype))
    return bits


def join_bytes(bits: Bits, byte_causes: Causes) -> Elements:
    """Return elements from the causes of their bytes, a row for each."""
    causes = np.bitwise_or.reduce(byte_causes, axis=1)
    if not causes.any():
        return Elements(bits)
    is_unknown = np.where(byte_causes != 0, np.uint8(0xFF), np.uint8(0))
    return Elements(bits, causes, is_unknown.view(bits.dtype)[:, 0])


class AddressSpace(RegionMap):
    """The bytes of a space, in one or more instances."""

    def __init__(self, name: str, instance_count: int = 1, *, is_tracked: bool = False) -> None:
        """If ``is_tracked``, memory is unknown until it is written."""
        super().__init__(name)
        self.instance_count, self.is_tracked = instance_count, is_tracked
        self.size = 0
        """Bytes of an instance."""
        self.data: npt.NDArray[np.uint8] = np.zeros((instance_count, 0), np.uint8)
        self._viewed: Bits | None = None
        self._views: dict[int, Bits] = {}
        """The bytes as elements, by their width."""
        self.causes: Causes | None = self._make_causes(0) if is_tracked else None
        """The reasons why bytes are unknown; None if all are known."""
        self.stamps: Numbers | None = None
        """The last writer of each byte, as ``Accessors`` makes its stamp."""
        self.readers: Visitors | None = None
        """The last readers of each first byte that was read."""
        self.updaters: Visitors | None = None
        """The last threads that updated each first byte by an atomic operation."""
        self.lines: Lines | None = None
        """The line of the statement that wrote each byte last, 0 for none; None if not kept."""
        self.written_pages: WrittenPages | None = None
        """The pages that threads wrote; None if they are not kept."""
        self.journal: WriteJournal | None = None
        """The journal of every write, or None."""

    # --- layout

    def add_region(
        self,
        name: str,
        size: int,
        element_bytes: int,
        alignment: int = GUARD_BYTES,
        guard_bytes: int = GUARD_BYTES,
        *,
        is_read_only: bool = False,
    ) -> Region:
        """Add a buffer after the others."""
        start = -(-self.size // alignment) * alignment
        if start + size > _MAX_BYTES[self.name]:
            raise ValueError(
                f"{self.name} memory has at most {_MAX_BYTES[self.name]:,} bytes; "
                f"{name} would need {size:,}"
            )
        region = Region(name, start, size, element_bytes, is_read_only)
        self.regions.append(region)
        self.size = -(-(start + size + guard_bytes) // 32) * 32
        return region

    def allocate(self) -> None:
        """Provide the memory of all regions, zeros at first; untouched pages take none."""
        size, capacity = self.size, self.data.shape[1]
        if size <= capacity:
            return
        if capacity:
            size = max(size, 2 * capacity)
        data = make_sparse_zeros(self.instance_count * size, np.uint8)
        self.data, old_data = data.reshape(self.instance_count, size), self.data
        self.data[:, :capacity] = old_data
        if self.causes is not None:
            causes = self._make_causes(size)
            causes[:, :capacity] = self.causes
            self.causes = causes

    def _make_causes(self, size: int) -> Causes:
        if self.is_tracked:
            return np.full((self.instance_count, size), NEVER_WRITTEN, np.uint64)
        return make_sparse_zeros(self.instance_count * size, np.uint64).reshape(-1, size)

    def write_bytes(self, region: Region, data: bytes | npt.NDArray[np.uint8]) -> None:
        """Set the first bytes of a region, which are zeros, in every instance."""
        self.allocate()
        part = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        target = self.data[:, region.start : region.start + part.size]
        for i in range(0, part.size, _CHUNK):
            if part[i : i + _CHUNK].any():  # pages of zeros take no memory
                target[:, i : i + _CHUNK] = part[i : i + _CHUNK]
        if self.causes is not None:
            self.causes[:, region.start : region.start + part.size] = 0

    # --- accesses

    def read_row(
        self, instance: int, start: int, end: int
    ) -> tuple[npt.NDArray[np.uint8], Causes | None]:
        """Return the bytes of an instance from one offset to another, and their causes."""
        causes = None if self.causes is None else self.causes[instance, start:end]
        return self.data[instance, start:end], causes

    def view(self, width: int) -> Bits:
        """Return the bytes of all instances as elements of a width."""
        if self._viewed is not self.data:
            self._viewed, self._views = self.data, {}
        if width not in self._views:
            self._views[width] = self.data.reshape(-1).view(f"u{width}")
        return self._views[width]

    def find_indices(
        self, access: Access, instances: Numbers | None, *, writes: bool = False
    ) -> Numbers:
        """Return the index of each thread's first element, in elements of the width."""
        places = self._find_places(access, instances, writes=writes)
        return places // access.width if access.width > 1 else places

    def load(self, access: Access, instances: Numbers | None) -> list[Elements]:
        """Return the elements of each thread."""
        self.check(access, writes=False)
        index = self.find_indices(access, instances)
        view = self.view(access.width)
        values = [view[index + i] if i else view[index] for i in range(access.element_count)]
        if self.causes is None:
            return [Elements(x) for x in values]
        rows = self.causes.reshape(-1, access.width)
        return [join_bytes(x, rows[index + i]) for i, x in enumerate(values)]

    def store(
        self,
        access: Access,
        instances: Numbers | None,
        elements: Sequence[Elements],
        writers: Accessors | None,
    ) -> Conflict | None:
        """Write the elements of each thread; return a conflict, if there is one.

        Without ``writers``, there are none: the accesses are atomic, or the memory is private.
        """
        self.check(access, writes=True)
        index = self.find_indices(access, instances, writes=True)
        view = self.view(access.width)
        values = [x.bits for x in elements]
        is_known = all(x.causes is None for x in elements)
        conflict = None
        if writers is not None:
            conflict = self._find_conflict(access, index, view, values, writers)
        for i, part in enumerate(values):
            view[index + i if i else index] = part
        if writers and writers.finds_conflicts and conflict is None and is_known:
            conflict = self._find_collision(access, index, view, values, writers)
        if not is_known and self.causes is None:
            self.causes = self._make_causes(self.data.shape[1])
        if self.causes is not None:
            rows = self.causes.reshape(-1, access.width)
            for i, x in enumerate(elements):
                rows[index + i] = x.list_byte_causes()
        if self.written_pages is not None:
            self.written_pages.note(access.offsets)
        if self.journal is not None:
            self._note_write(self.journal, access, instances, elements)
        return conflict if is_known else None

    def _note_write(
        self,
        journal: WriteJournal,
        access: Access,
        instances: Numbers | None,
        elements: Sequence[Elements],
    ) -> None:
        own_instances = None if instances is None else instances[access.lanes]
        for i, x in enumerate(elements):
            is_unknown = None
            if x.causes is not None:
                shape = len(x.bits), access.width
                is_unknown = np.broadcast_to(x.list_byte_causes(), shape) != 0
            write = MemoryWrite(access.offsets + i * access.width, x.bits, is_unknown)
            journal.note(write, own_instances)

    def note_reads(
        self, access: Access, instances: Numbers | None, accessors: Accessors, line: int
    ) -> Conflict | None:
        """Note the readers; return a conflict with an earlier writer, if there is one."""
        places = self._find_places(access, instances)
        if self.readers is None:
            self.readers = Visitors(self.data.size)
        self.readers.note(places, accessors.stamps[access.lanes], line)
        earlier = self._list_writers(ConflictKind.READ_AFTER_WRITE, places)
        earlier += _list_visitors(ConflictKind.READ_AFTER_UPDATE, self.updaters, places)
        return self._find_race(earlier, access, accessors)

    def check_update(
        self, access: Access, instances: Numbers | None, accessors: Accessors
    ) -> Conflict | None:
        """Return a conflict of an atomic operation with an earlier writer, if there is one."""
        places = self._find_places(access, instances)
        earlier = self._list_writers(ConflictKind.UPDATE_AFTER_WRITE, places)
        return self._find_race(earlier, access, accessors)

    def note_update(
        self, access: Access, instances: Numbers | None, accessors: Accessors, line: int
    ) -> None:
        """Note the threads that update places by an atomic operation."""
        if self.updaters is None:
            self.updaters = Visitors(self.data.size)
        places = self._find_places(access, instances)
        self.updaters.note(places, accessors.stamps[access.lanes], line)

    def _find_places(
        self,
        access: Access,
        instances: Numbers | None,
        *,
        writes: bool = False,  # noqa: ARG002 - a page that is shared has to be copied then
    ) -> Numbers:
        """Return the index of each thread's first byte among all instances."""
        places = access.offsets
        if instances is not None:
            places = places + instances[access.lanes] * self.data.shape[1]
        return places

    def _list_writers(self, kind: ConflictKind, places: Numbers) -> list[_Earlier]:
        """Return the last writers of places, if they are kept."""
        if self.stamps is None or self.lines is None:
            return []
        return [(kind, self.stamps[places], self.lines[places])]

    def _find_race(
        self,
        earlier: list[_Earlier],
        access: Access,
        accessors: Accessors,
        counts: Mask | bool = True,
    ) -> Conflict | None:
        """Return the first conflict with earlier threads; ``counts`` is false where none is."""
        for kind, stamps, lines in earlier:
            races = counts & accessors.find_races(access.lanes, stamps)
            if conflict := self._make_conflict(kind, access, races, stamps, lines):
                return conflict
        return None

    def _make_conflict(
        self, kind: ConflictKind, access: Access, races: Mask, stamps: Numbers, lines: Lines
    ) -> Conflict | None:
        """Return the first of the races with threads of some stamps, or None."""
        if not races.any():
            return None
        i = int(np.argmax(races))
        place = self.format_place(int(access.offsets[i]), access.width)
        thread = int(get_threads(stamps[i]))
        return Conflict(kind, int(access.lanes[i]), thread, int(lines[i]), place)

    def note_line(self, access: Access, instances: Numbers | None, line: int) -> None:
        """Record the line of the statement that writes, if lines are kept."""
        if self.lines is not None:
            rows = self.lines.reshape(-1, access.width * access.element_count)
            index = self.find_indices(access, instances)
            rows[index if access.element_count == 1 else index // access.element_count] = line

    def _find_conflict(
        self,
        access: Access,
        index: Numbers,
        view: Bits,
        values: list[Bits],
        writers: Accessors,
    ) -> Conflict | None:
        """Note the writers; return a conflict with an earlier writer or reader."""
        if self.stamps is None:
            self.stamps = make_sparse_zeros(self.data.size, np.int64)
        rows = self.stamps.reshape(-1, access.width * access.element_count)
        row_numbers = index if access.element_count == 1 else index // access.element_count
        new_stamps = writers.stamps[access.lanes][:, np.newaxis]
        if not writers.finds_conflicts or self.lines is None:
            rows[row_numbers] = new_stamps
            return None
        old_stamps = rows[row_numbers, 0]
        rows[row_numbers] = new_stamps
        is_changed = np.zeros(len(index), bool)
        for i, part in enumerate(values):
            is_changed |= view[index + i] != part
        if not is_changed.any():
            return None
        places = index * access.width
        earlier: list[_Earlier] = [(ConflictKind.WRITES, old_stamps, self.lines[places])]
        earlier += _list_visitors(ConflictKind.WRITE_AFTER_READ, self.readers, places)
        earlier += _list_visitors(ConflictKind.WRITE_AFTER_UPDATE, self.updaters, places)
        return self._find_race(earlier, access, writers, is_changed)

    def _find_collision(
        self,
        access: Access,
        index: Numbers,
        view: Bits,
        values: list[Bits],
        writers: Accessors,
    ) -> Conflict | None:
        """Return a conflict between threads that have just written."""
        for i, part in enumerate(values):
            lost = view[index + i] != part
            if lost.any():
                first = int(np.flatnonzero(lost)[0])
                winner = int(np.flatnonzero(index == index[first])[-1])
                return Conflict(
                    ConflictKind.WRITES,
                    int(access.lanes[winner]),
                    int(writers.threads[access.lanes[first]]),
                    0,
                    self.format_place(int(access.offsets[first]), access.width),
                )
        return None


def _list_visitors(
    kind: ConflictKind, visitors: Visitors | None, places: Numbers
) -> list[_Earlier]:
    return [(kind, *found) for found in visitors.get_all(places)] if visitors else []
