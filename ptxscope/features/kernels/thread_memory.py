"""The contents of a buffer at a step of a thread, as the explorer shows them.

Each step knows how many writes of all threads came before it, so contents are those of that moment,
whichever thread wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .launches.kernel_run import KernelBuffer
from .launches.launch_text import find_parameter, format_dtype
from .launches.memory_regions import MemoryContents, Region

if TYPE_CHECKING:
    from .thread_run import ThreadRun

MAX_ELEMENTS = 1 << 14
"""Maximum elements of a buffer that are shown: those around the last change."""


class ShownElement(NamedTuple):
    """An element of a buffer."""

    text: str
    """Its value, or ``?``."""
    hex_text: str
    """Its bits, or ``?``."""
    is_changed: bool
    """Whether the thread's last step wrote it."""
    is_written: bool
    """Whether a thread of the wave has written it."""
    is_wrong: bool
    """Whether it is not as expected at the end, or differs from that of another run."""


class ShownBuffer(NamedTuple):
    """A buffer at some step."""

    title: str
    """``param1 out (u32 × 64)``."""
    start: int
    """The index of the first element that is shown."""
    elements: tuple[ShownElement, ...]
    element_count: int
    focus: int | None
    """The index of the element to have in view; None for the first."""

    def compare(self, other: ShownBuffer) -> ShownBuffer:
        """Return the buffer with the elements marked that differ from those of another run."""
        texts = {i: x.hex_text for i, x in enumerate(other.elements, other.start)}
        elements = tuple(
            x._replace(is_wrong=texts.get(i, x.hex_text) != x.hex_text)
            for i, x in enumerate(self.elements, self.start)
        )
        wrong = (i for i, x in enumerate(elements, self.start) if x.is_wrong)
        return self._replace(elements=elements, focus=next(wrong, self.focus))


def list_buffer_names(run: ThreadRun) -> tuple[str, ...]:
    """Return the buffers and the variables that the kernel names: ``param0``, ``tile``."""
    text = "\n".join(x.text for x in run.launch.statements)
    return tuple(
        region.name
        for regions in run.regions.values()
        for region in regions
        if region.bytes
        and (find_parameter(run.launch.kernel, region.name) is not None or region.name in text)
    )


def show_buffer(run: ThreadRun, name: str) -> ShownBuffer:
    """Return the contents of a buffer before the next step, or at the end."""
    space, region = next(
        (space, region)
        for space, regions in run.regions.items()
        for region in regions
        if region.name == name
    )
    buffer, title = _find_buffer(run, space, name), name
    if buffer and buffer.position is not None:
        title = f"{name} {buffer.name}"
    dtype = buffer.data.dtype if buffer else _find_dtype(run, space, region)
    is_end = run.next_step is None
    contents = _read_contents(run, space, region, buffer if is_end else None)
    size = dtype.itemsize
    count = region.bytes // size
    changed = _find_changed(run, space, region, size)
    wrong = _find_wrong(run, buffer) if is_end else set[int]()
    focus = min(changed or wrong, default=None)
    start = 0 if count <= MAX_ELEMENTS else max((focus or 0) - MAX_ELEMENTS // 2, 0)
    end = min(start + MAX_ELEMENTS, count)
    part = slice(start * size, end * size)
    values = np.ascontiguousarray(contents.data[part]).view(dtype)
    elements = tuple(
        ShownElement(
            "?" if unknown else str(value),
            "?" if unknown else bits,
            i in changed,
            written,
            i in wrong,
        )
        for i, value, bits, unknown, written in zip(
            range(start, end),
            values,
            _format_bits(contents.data[part], size),
            _unite_bytes(contents.is_unknown[part], size),
            _unite_bytes(contents.is_written[part], size),
            strict=True,
        )
    )
    title = f"{title} ({format_dtype(dtype)} × {count:,})"
    return ShownBuffer(title, start, elements, count, focus)


def _format_bits(data: npt.NDArray[np.uint8], size: int) -> Iterator[str]:
    """Yield the hexadecimal digits of each element, which is little-endian."""
    text = data.reshape(-1, size)[:, ::-1].tobytes().hex()
    return (text[i : i + 2 * size] for i in range(0, len(text), 2 * size))


def _unite_bytes(flags: npt.NDArray[np.bool_], size: int) -> list[bool]:
    """Return for each element whether a flag of one of its bytes is set."""
    united: list[bool] = flags.reshape(-1, size).max(axis=1, initial=False).tolist()
    return united


def _find_buffer(run: ThreadRun, space: str, name: str) -> KernelBuffer | None:
    """Return a buffer at the end of the run; None for shared memory or a run that fails."""
    if space != "global" or run.result is None:
        return None
    position = find_parameter(run.launch.kernel, name)
    for x in run.result.buffers.values():
        if x.name == name or (position is not None and x.position == position):
            return x
    return None


def _find_dtype(run: ThreadRun, space: str, region: Region) -> np.dtype[Any]:
    """Return the type of the argument, or of the stored values if it is declared as bytes."""
    position = find_parameter(run.launch.kernel, region.name) if space == "global" else None
    for name, value in run.launch.arguments.items() if position is not None else ():
        is_here = find_parameter(run.launch.kernel, name) == position
        if is_here and isinstance(value, np.ndarray):
            return value.dtype
    width = region.element_bytes
    if width == 1:  # as nvcc declares all arrays
        width = run.journals[space].find_width(region.start, region.end)
    return np.dtype(f"u{width if region.bytes % width == 0 else 1}")


def _read_contents(
    run: ThreadRun, space: str, region: Region, final: KernelBuffer | None
) -> MemoryContents:
    """Return the bytes before the next step; ``final`` is the buffer if the run has ended."""
    if final is not None:
        size = final.data.dtype.itemsize
        data = np.ascontiguousarray(final.data).reshape(-1).view(np.uint8)
        unknown = np.zeros(len(data), bool)
        if final.causes is not None:
            unknown = np.repeat(final.causes != 0, size)
        return MemoryContents(data, unknown, np.repeat(final.lines != 0, size))
    journal = run.journals[space]
    count = run.next_step.write_counts[space] if run.next_step else len(journal)
    return journal.read(region.start, region.end, count)


def _find_changed(run: ThreadRun, space: str, region: Region, size: int) -> set[int]:
    changed: set[int] = set()
    for place in run.last_step.places if run.last_step else ():
        if place.space == space and region.start <= place.start < region.end:
            offset = place.start - region.start
            changed |= set(range(offset // size, (offset + place.size - 1) // size + 1))
    return changed


def _find_wrong(run: ThreadRun, buffer: KernelBuffer | None) -> set[int]:
    from .launches.expected_elements import find_differences

    if buffer is None or run.result is None:
        return set()
    elements = run.launch.expected.get(buffer.name, {})
    return set(find_differences(run.result, buffer.name, elements))
