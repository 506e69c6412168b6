"""The elements that a launch must give, and the threads that run first with its changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.syntax.opcodes import ATOMICS, BARRIERS, COLLECTIVES
from ....engine.tracing.operand_bits import check_argument
from .conflicts import Mask
from .expected_elements import (
    ExpectedBuffer,
    ExpectedElements,
    check_positions,
    read_elements,
)
from .expected_results import ExpectedResults, ExpectedWords
from .kernel_run import KernelRun, Launch
from .launch_memory import BoundBuffer, LaunchMemory
from .launch_text import find_parameter
from .replicas import ThreadSelection
from .replicated_space import PAGE_BYTES

_EXCHANGES = BARRIERS | COLLECTIVES | {"activemask", "ldmatrix", "mbarrier", "mma"}
"""Opcodes by which the threads of a block depend on each other."""
_MAX_THREADS = 8
"""Threads that run first, if they exchange nothing."""


class ExpectedLaunch(NamedTuple):
    """The elements that a launch must give."""

    results: ExpectedResults
    first_threads: ThreadSelection
    """The threads that run first: some that wrote a wrong element, if one is known."""
    all_threads: ThreadSelection
    first_bytes: int
    """The bytes of global memory that the first threads wrote, with the others of their pages."""
    all_bytes: int
    """The bytes of global memory that all threads wrote, with the others of their pages."""
    step_count: int
    """The statements that a thread executed on average; 0 if that is not known."""


def read_expected_launch(
    launch: Launch,
    memory: LaunchMemory,
    functions: Sequence[Program],
    result: KernelRun | None,
    expected: Mapping[str, ExpectedBuffer],
) -> ExpectedLaunch:
    """Return the elements that a launch must give; ``functions`` are all that it runs.

    Raise ValueError if a buffer has no such element.
    """
    elements = [_read_elements(launch, memory, *x) for x in expected.items()]
    all_threads = ThreadSelection(range(launch.shape.block_count))
    first_threads = all_threads
    if result:
        first_threads = _select_threads(launch, memory, functions, result, elements) or all_threads
    words = tuple(_make_words(launch, result, first_threads, *x) for x in elements)
    first_bytes, all_bytes = (
        _count_bytes(launch, memory, result, x) for x in (first_threads, all_threads)
    )
    thread_count = launch.shape.thread_count
    step_count = result.step_count // thread_count if result and result.is_complete else 0
    return ExpectedLaunch(
        ExpectedResults(words), first_threads, all_threads, first_bytes, all_bytes, step_count
    )


def _read_elements(
    launch: Launch, memory: LaunchMemory, name: str, expected: ExpectedBuffer
) -> tuple[BoundBuffer, ExpectedElements]:
    """Return a buffer with its expected elements that are known at least in part."""
    check_argument("a buffer", name, str, "the name of its parameter")
    buffer = _find_buffer(launch, memory, name)
    array = buffer.array
    try:
        elements = read_elements(expected, array.dtype)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    check_positions(name, array.size, elements)
    narrow = elements.narrow(array.dtype)
    return buffer, narrow.select(narrow.known_masks != 0)


def _find_buffer(launch: Launch, memory: LaunchMemory, name: str) -> BoundBuffer:
    position = find_parameter(launch.kernel, name)
    for x in memory.buffers:
        if x.name == name or (position is not None and x.position == position):
            return x
    raise ValueError(f"{name} is not a buffer of this run")


def _select_threads(
    launch: Launch,
    memory: LaunchMemory,
    functions: Sequence[Program],
    result: KernelRun,
    expected: Sequence[tuple[BoundBuffer, ExpectedElements]],
) -> ThreadSelection | None:
    """Return some threads that wrote a wrong element, with those on which they depend.

    Return None if none did, or if these may be all threads.
    """
    statements = [x for function in functions for x in function.statements]
    if any(map(_depends_on_blocks, statements)):
        return None
    wrong, right = list[int](), list[int]()
    for bound, elements in expected:
        buffer = result.buffers[bound.name]
        threads, is_right = buffer.threads[elements.indices], elements.find_right(buffer)
        wrong += threads[~is_right].tolist()
        right += threads[is_right].tolist()
    wrong, right = ([x for x in dict.fromkeys(y) if x >= 0] for y in (wrong, right))
    if not wrong:
        return None
    size = launch.shape.block_size
    block = wrong[0] // size
    if memory.shared_bytes > 0 or any(x.opcode in _EXCHANGES for x in statements):
        return ThreadSelection((block,))
    numbers = [x % size for x in wrong if x // size == block]
    other_numbers = [x % size for x in right if x // size == block]
    other_count = min(len(other_numbers), _MAX_THREADS // 2)
    chosen = _choose(numbers, _MAX_THREADS - other_count) + _choose(other_numbers, other_count)
    return ThreadSelection((block,), sorted(set(chosen)))


def _depends_on_blocks(statement: Statement) -> bool:
    """Whether the threads of one block may change values that threads of another read."""
    return statement.opcode in ATOMICS and "shared" not in [
        modifier.partition("::")[0] for modifier in statement.modifiers
    ]


def _choose(numbers: Sequence[int], count: int) -> list[int]:
    """Return some of the numbers, from the first to the last."""
    if len(numbers) <= count:
        return list(numbers)
    return [numbers[i * (len(numbers) - 1) // (count - 1)] for i in range(count)]


def _make_words(
    launch: Launch,
    result: KernelRun | None,
    first_threads: ThreadSelection,
    buffer: BoundBuffer,
    elements: ExpectedElements,
) -> ExpectedWords:
    threads = np.full(len(elements), -1)
    if result:
        threads = result.buffers[buffer.name].threads[elements.indices]
    return ExpectedWords(buffer, elements, _find_selected(launch, first_threads, threads))


def _find_selected(
    launch: Launch, selection: ThreadSelection, threads: npt.NDArray[np.int64]
) -> Mask:
    """Return which threads of the grid are selected; -1 stands for none."""
    size, blocks = launch.shape.block_size, np.array(selection.blocks)
    mask: Mask = np.isin(threads // size, blocks) & (threads >= 0)
    if selection.numbers is not None:
        mask &= np.isin(threads % size, list(selection.numbers))
    return mask


def _count_bytes(
    launch: Launch, memory: LaunchMemory, result: KernelRun | None, selection: ThreadSelection
) -> int:
    """Return the bytes of the pages that some threads wrote; all bytes if there is no run."""
    size = memory.spaces["global"].size
    if result is None:
        return size
    pages = set[int]()
    for x in memory.buffers:
        threads = result.buffers[x.name].threads
        written = np.flatnonzero(_find_selected(launch, selection, threads))
        offsets = x.region.start + written * x.array.dtype.itemsize
        pages |= set(np.unique(offsets // PAGE_BYTES).tolist())
    return min(len(pages) * PAGE_BYTES, size)
