"""A counterexample run again: both kernels by the executor of kernels, from the same memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.syntax.errors import format_count
from ..kernels.launches.kernel_run import KernelRun, Launch
from ..kernels.launches.launch import LaunchShape
from ..kernels.launches.launch_text import Argument
from ..kernels.launches.memory_regions import get_window_start
from ..kernels.launches.thread_state import LaunchError
from .launch_registers import make_shape

if TYPE_CHECKING:
    from .comparison import KernelSource

MAX_THREADS = 1 << 14
"""Threads of a launch that is run."""
MAX_BYTES = 1 << 24
"""Bytes of a buffer of a launch that is run."""
_FIRST_EXTRA_BYTES, _MAX_EXTRA_BYTES = 16, 1 << 16
"""The bytes of a buffer beyond what the thread accesses, which grow if other threads need more."""
ALIGNMENT = 256
"""The bytes of which an address of the executor's buffers is a multiple."""
_MAX_STEPS = 10_000_000


class Counterexample(NamedTuple):
    """Parameters, a thread and contents of memory for which two kernels leave other bytes."""

    operands: Mapping[str, int]
    """The parameters, ``param0``, and the special registers of the thread."""
    memory: Mapping[tuple[str, int], int]
    """The bytes that the thread finds where it accesses buffers."""


class Difference(NamedTuple):
    """A word that two runs leave in other bits."""

    position: int
    """The position of the parameter that points to the buffer."""
    offset: int
    """In bytes."""
    bytes: int
    before: int
    values: tuple[int, int]
    lines: tuple[int, int]
    """The lines that wrote it; 0 for none."""


class Replay(NamedTuple):
    """The runs of a counterexample."""

    shape: LaunchShape
    arguments: Mapping[str, Argument]
    runs: tuple[KernelRun | LaunchError, ...] = ()
    differences: tuple[Difference, ...] = ()
    obstacle: str = ""
    """The reason why the counterexample is not run, or does not tell, as a clause."""

    @property
    def is_confirmed(self) -> bool:
        """Whether the runs leave other bytes, or the one fails that should."""
        fails = [isinstance(x, LaunchError) for x in self.runs]
        return bool(self.differences) or (any(fails) and not self.obstacle)


def replay(
    sources: Sequence[KernelSource],
    example: Counterexample,
    units: Mapping[str, int],
    *,
    may_alias: bool,
    is_misaligned: bool,
) -> Replay:
    """Run both kernels on a counterexample.

    ``units`` has the bytes of an element of each buffer by its parameter. ``is_misaligned``: one of
    the kernels should fail, by an access that is not aligned.
    """
    shape = make_shape(example.operands)
    threads = shape.block_count * shape.block_size
    if threads > MAX_THREADS:
        return Replay(shape, {}, obstacle=f"it has {format_count(threads, 'thread')}")
    extra = 0
    while True:
        arguments = (_make_common_arguments if may_alias else _make_arguments)(
            sources[0], example, units, extra
        )
        if isinstance(arguments, str):
            return Replay(shape, {}, obstacle=arguments)
        runs = tuple(_run(x, arguments, shape) for x in sources)
        failures = [x for x in runs if isinstance(x, LaunchError)]
        if is_misaligned or not failures or extra > _MAX_EXTRA_BYTES:
            break
        extra = max(extra << 4, _FIRST_EXTRA_BYTES)  # other threads may access more than the one
    first, second = runs
    if isinstance(first, KernelRun) and isinstance(second, KernelRun):
        if not (first.is_complete and second.is_complete):
            return Replay(shape, arguments, runs, obstacle="a run takes too many steps")
        return Replay(shape, arguments, runs, tuple(_list_differences(first, second, arguments)))
    obstacle = "" if is_misaligned and len(failures) == 1 else f"a run ends: {failures[0]}"
    return Replay(shape, arguments, runs, obstacle=obstacle)


def _make_arguments(
    source: KernelSource, example: Counterexample, units: Mapping[str, int], extra: int
) -> dict[str, Argument] | str:
    """Return the arguments of a launch, or why there are none."""
    arguments: dict[str, Argument] = {}
    for i in range(len(source.kernel.parameters)):
        name = f"param{i}"
        if name not in units:
            arguments[name] = example.operands.get(name, 0)
            continue
        places = {offset: x for (root, offset), x in example.memory.items() if root == name}
        size = max(places, default=0) + 1 + extra
        if size > MAX_BYTES:
            return f"{name} has {format_count(size, 'byte')}"
        data: npt.NDArray[np.uint8] = np.zeros(-(-size // 8) * 8, np.uint8)
        data[list(places)] = list(places.values())
        arguments[name] = data.view(f"u{units[name]}")
    return arguments


def _make_common_arguments(
    source: KernelSource, example: Counterexample, units: Mapping[str, int], extra: int
) -> dict[str, Argument] | str:
    """Return the arguments of a launch whose pointers point into one buffer, or why there are none.

    The pointer with the lowest address takes the buffer, the others numbers.
    """
    bases = {name: example.operands.get(name, 0) for name in units}
    places = {offset: x for (_, offset), x in example.memory.items()}
    first = min(bases, key=lambda x: bases[x])
    low, high = bases[first], max([*places, *bases.values()])
    if min([*places, low]) < low or low % ALIGNMENT:
        return "its buffers begin at other addresses than the executor's"
    size = high - low + 1 + extra
    if size > MAX_BYTES:
        return f"its buffers are {format_count(size, 'byte')} apart"
    data: npt.NDArray[np.uint8] = np.zeros(-(-size // 8) * 8, np.uint8)
    data[[x - low for x in places]] = list(places.values())
    arguments: dict[str, Argument] = {}
    for i in range(len(source.kernel.parameters)):
        name = f"param{i}"
        arguments[name] = example.operands.get(name, 0)
    arguments[first] = data.view(f"u{units[first]}")
    launch = Launch(source.code, source.kernel, arguments, LaunchShape())
    start = get_window_start("global") + launch.make_memory().buffers[0].region.start
    arguments |= {x: start + base - low for x, base in bases.items() if x != first}
    return arguments


def _run(
    source: KernelSource, arguments: Mapping[str, Argument], shape: LaunchShape
) -> KernelRun | LaunchError:
    launch = Launch(source.code, source.kernel, arguments, shape, source.model, _MAX_STEPS)
    try:
        return launch.run()
    except LaunchError as error:
        return error


def _list_differences(
    a: KernelRun, b: KernelRun, arguments: Mapping[str, Argument]
) -> Iterator[Difference]:
    """Yield the words that are known in both runs, and differ."""
    others = {x.position: x for x in b.buffers.values()}
    for x in a.buffers.values():
        if x.position is None:
            continue
        y, before = others[x.position], arguments[f"param{x.position}"]
        assert isinstance(before, np.ndarray)
        differs = x.data != y.data
        for causes in (x.causes, y.causes):
            if causes is not None:
                differs &= causes == 0
        size = x.data.dtype.itemsize
        for i in np.flatnonzero(differs).tolist():
            words = int(before[i]), int(x.data[i]), int(y.data[i])
            lines = x.find_line(i), y.find_line(i)
            yield Difference(x.position, size * i, size, words[0], words[1:], lines)
