"""The elements that a launch must give, and the threads that run first with its changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ....diagnosis.observation import Observed
from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.syntax.opcodes import ATOMICS, BARRIERS, COLLECTIVES
from ....engine.tracing.operand_bits import check_argument
from .expected_elements import (
    ExpectedBuffer,
    ExpectedResults,
    ExpectedWords,
    check_position,
    narrow,
    read_elements,
)
from .kernel_run import KernelRun, Launch
from .launch_memory import BoundBuffer, LaunchMemory
from .launch_text import find_parameter
from .replicas import ThreadSelection

_EXCHANGES = BARRIERS | COLLECTIVES | {"activemask", "mbarrier"}
"""Opcodes by which the threads of a block depend on each other."""
_MAX_THREADS = 8
"""Threads that run first, if they exchange nothing."""


class ExpectedLaunch(NamedTuple):
    """The elements that a launch must give."""

    results: ExpectedResults
    first_threads: ThreadSelection
    """The threads that run first: some that wrote a wrong element, if one is known."""
    all_threads: ThreadSelection


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
    return ExpectedLaunch(ExpectedResults(words), first_threads, all_threads)


def _read_elements(
    launch: Launch, memory: LaunchMemory, name: str, expected: ExpectedBuffer
) -> tuple[BoundBuffer, dict[int, Observed]]:
    """Return a buffer with its expected elements that are known at least in part."""
    check_argument("a buffer", name, str, "the name of its parameter")
    buffer = _find_buffer(launch, memory, name)
    array = buffer.array
    try:
        elements = read_elements(expected, array.dtype)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    check_position(name, array.size, max(elements, default=0))
    width = 8 * array.dtype.itemsize
    narrow_elements = ((i, narrow(x, width)) for i, x in elements.items())
    return buffer, {index: x for index, x in narrow_elements if x.known_mask}


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
    expected: Sequence[tuple[BoundBuffer, dict[int, Observed]]],
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
        words = buffer.words
        for index, observed in elements.items():
            is_right = buffer.is_known(index) and observed.matches(int(words[index]))
            (right if is_right else wrong).append(buffer.find_thread(index))
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
    elements: Mapping[int, Observed],
) -> ExpectedWords:
    size = launch.shape.block_size
    indices = np.array(list(elements), np.int64)
    dtype = np.dtype(f"u{buffer.array.dtype.itemsize}")
    words = np.array([x.bits for x in elements.values()], dtype)
    masks = np.array([x.known_mask for x in elements.values()], dtype)
    threads = np.full(len(indices), -1)
    if result:
        threads = result.buffers[buffer.name].threads[indices]
    is_own = np.isin(threads // size, list(first_threads.blocks)) & (threads >= 0)
    if first_threads.numbers is not None:
        is_own &= np.isin(threads % size, list(first_threads.numbers))
    return ExpectedWords(buffer, indices, words, masks, is_own)
