"""A counterexample run again: both kernels by the executor of kernels, from the same memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.syntax.errors import format_count
from ..kernels.launches.kernel_run import KernelRun, Launch
from ..kernels.launches.launch import LaunchShape
from ..kernels.launches.launch_text import Argument, FieldBuffer, Structure
from ..kernels.launches.memory_regions import get_window_start
from ..kernels.launches.thread_state import LaunchError
from .file_kernel import LETTERS, FileKernel
from .launch_registers import make_shape
from .parameters import WORD_BYTES, is_structure, iter_field_names

MAX_THREADS = 1 << 14
"""Threads of a launch that is run."""
MAX_BYTES = 1 << 24
"""Bytes of a buffer of a launch that is run."""
_FIRST_EXTRA_BYTES, _MAX_EXTRA_BYTES = 16, 1 << 16
"""The bytes of a buffer after the thread's accesses, which grow if other threads need more."""
ALIGNMENT = 256
"""The alignment in bytes of the executor's buffers."""
_MAX_STEPS = 10_000_000


class DifferentLaunch(NamedTuple):
    """Parameters, a thread and contents of memory for which two kernels leave different bytes."""

    operands: Mapping[str, int]
    """The parameters, ``param0``, and the special registers of the thread."""
    memory: Mapping[tuple[str, int], int]
    """The bytes at the places of buffers that the thread accesses."""
    shared_bytes: int = 0
    """The bytes of dynamic shared memory that the thread needs."""


class WordDifference(NamedTuple):
    """A word that has different bits after two runs."""

    buffer: str
    """``param0``, or the name of a variable."""
    offset: int
    """In bytes."""
    bytes: int
    before: int
    values: tuple[int, int]
    lines: tuple[int, int]
    """The lines that wrote it; 0 for none."""

    @property
    def label(self) -> str:
        """The word as an element of its buffer: ``param0[2]``."""
        return f"{self.buffer}[{self.offset // self.bytes}]"


class Replay(NamedTuple):
    """The runs of a counterexample."""

    example: DifferentLaunch
    shape: LaunchShape
    arguments: Mapping[str, Argument]
    runs: tuple[KernelRun | LaunchError, ...] = ()
    differences: tuple[WordDifference, ...] = ()
    signed: frozenset[str] = frozenset()
    """The buffers with signed elements."""
    floats: frozenset[str] = frozenset()
    """The buffers with elements of ``.f32`` or ``.f64``."""
    obstacle: str = ""
    """The reason why the counterexample is not run, or proves nothing, as a clause."""

    @property
    def has_conflicts(self) -> bool:
        """Whether threads of a run access one place without a barrier between them."""
        return any(isinstance(x, KernelRun) and x.conflicts for x in self.runs)

    @property
    def is_confirmed(self) -> bool:
        """Whether the runs leave different bytes, or the kernel fails that should."""
        fails = [isinstance(x, LaunchError) for x in self.runs]
        return bool(self.differences) or (any(fails) and not self.obstacle)


def replay(
    sources: Sequence[FileKernel],
    example: DifferentLaunch,
    units: Mapping[str, int],
    *,
    may_alias: bool,
    is_illegal: bool,
) -> Replay:
    """Run both kernels on a counterexample.

    ``units`` has the bytes of an element of each buffer by its parameter. ``is_illegal``: one of
    the kernels should fail, by an access that is not aligned or beyond a variable.
    """
    shape = make_shape(example.operands)
    threads = shape.block_count * shape.block_size
    if threads > MAX_THREADS:
        return Replay(example, shape, {}, obstacle=f"it has {format_count(threads, 'thread')}")
    extra, one_sided = 0, None
    while True:
        arguments = (_make_common_arguments if may_alias else _make_arguments)(
            sources[0], example, units, extra
        )
        if isinstance(arguments, str):
            return Replay(example, shape, {}, obstacle=arguments)
        if example.shared_bytes:
            shape = shape._replace(dynamic_shared_bytes=example.shared_bytes + extra)
        ready = Replay(example, shape, arguments)
        launches = [make_launch(x, ready) for x in sources]
        runs = tuple(map(_run, launches))
        failures = [x for x in runs if isinstance(x, LaunchError)]
        if len(failures) == 1:
            one_sided = one_sided or ready._replace(runs=runs)
        if is_illegal or not failures or extra > _MAX_EXTRA_BYTES:
            break
        extra = max(extra << 4, _FIRST_EXTRA_BYTES)  # other threads may access more than the one
    first, second = runs
    if isinstance(first, KernelRun) and isinstance(second, KernelRun):
        if not (first.is_complete and second.is_complete):
            return Replay(example, shape, arguments, runs, obstacle="a run takes too many steps")
        differences: tuple[WordDifference, ...] = ()
        if not (first.fidelity.decisions or second.fidelity.decisions):
            differences = tuple(_list_differences(first, second, launches[0]))
        return Replay(example, shape, arguments, runs, differences)
    if len(failures) == 1 and one_sided:
        if is_illegal:
            return one_sided
        # buffers are too small for a load that only one kernel makes: that is no difference
        (letter,) = (
            x for x, run in zip(LETTERS, runs, strict=True) if isinstance(run, LaunchError)
        )
        return one_sided._replace(obstacle=f"{letter} fails: {failures[0]}")
    obstacle = f"both runs end, of A because {failures[0]}"
    return Replay(example, shape, arguments, runs, obstacle=obstacle)


def _make_arguments(
    source: FileKernel, example: DifferentLaunch, units: Mapping[str, int], extra: int
) -> dict[str, Argument] | str:
    """Return the arguments of a launch, or the reason for none."""
    arguments: dict[str, Argument] = {}
    for i, parameter in enumerate(source.kernel.parameters):
        data, pointers = b"", list[FieldBuffer]()
        for offset, name in iter_field_names(i, parameter):
            word = example.operands.get(name, 0)
            data += word.to_bytes(WORD_BYTES, "little")
            arguments[f"param{i}"] = word
            if name in units:
                buffer = _make_buffer(example, name, units[name], extra)
                if isinstance(buffer, str):
                    return buffer
                pointers.append(FieldBuffer(offset, offset, buffer))
                arguments[f"param{i}"] = buffer
        if is_structure(parameter):
            words = np.frombuffer(data[: parameter.bytes], np.uint8).copy()
            arguments[f"param{i}"] = Structure(words, tuple(pointers))
    return arguments


def _make_buffer(
    example: DifferentLaunch, name: str, unit: int, extra: int
) -> npt.NDArray[Any] | str:
    """Return the contents of a buffer, or the reason for none."""
    places = {offset: x for (root, offset), x in example.memory.items() if root == name}
    size = max(places, default=0) + 1 + extra
    if size > MAX_BYTES:
        return f"{name} has {format_count(size, 'byte')}"
    data: npt.NDArray[np.uint8] = np.zeros(-(-size // unit) * unit, np.uint8)
    data[list(places)] = list(places.values())
    return data.view(f"u{unit}")


def _make_common_arguments(
    source: FileKernel, example: DifferentLaunch, units: Mapping[str, int], extra: int
) -> dict[str, Argument] | str:
    """Return the arguments of a launch whose pointers share one buffer, or the reason for none.

    The pointer with the lowest address takes the buffer, the others numbers.
    """
    bases = {name: example.operands.get(name, 0) for name in units}
    places = {offset: x for (_, offset), x in example.memory.items()}
    parameters = {f"param{i}": x for i, x in enumerate(source.kernel.parameters)}
    if not units.keys() <= parameters.keys() or any(map(is_structure, parameters.values())):
        return "variables or structures take part"
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


def _set_contents(source: FileKernel, example: DifferentLaunch) -> FileKernel:
    """Return a kernel whose module has variables with the bytes of the counterexample."""
    variables = {}
    for name, variable in source.code.variables.items():
        places = {offset: x for (root, offset), x in example.memory.items() if root == name}
        if places:
            width = variable.element_bytes
            data = bytearray(variable.bytes)
            for offset, value in places.items():
                data[offset] = value
            starts = range(0, len(data), width)
            values = tuple(int.from_bytes(data[x : x + width], "little") for x in starts)
            variables[name] = variable._replace(values=values)
    code = source.code._replace(variables={**source.code.variables, **variables})
    return source._replace(code=code)


def make_launch(source: FileKernel, replay: Replay) -> Launch:
    """Return the launch of one side."""
    return Launch(
        _set_contents(source, replay.example).code,
        source.kernel,
        replay.arguments,
        replay.shape,
        source.model,
        _MAX_STEPS,
    )


def _run(launch: Launch) -> KernelRun | LaunchError:
    try:
        return launch.run()
    except LaunchError as error:
        return error


def _list_differences(a: KernelRun, b: KernelRun, launch: Launch) -> Iterator[WordDifference]:
    """Yield the words that are known in both runs and differ."""
    others = {x.label: x for x in b.buffers.values()}
    before = {x.name: x.array.reshape(-1) for x in launch.make_memory().buffers}
    for x in a.buffers.values():
        y = others.get(x.label)
        if y is None or x.data.dtype != y.data.dtype or x.data.size != y.data.size:
            continue
        differs = x.data.reshape(-1) != y.data.reshape(-1)
        for causes in (x.causes, y.causes):
            if causes is not None:
                differs &= causes == 0
        size = x.data.dtype.itemsize
        for i in np.flatnonzero(differs).tolist():
            words = (int(z[i]) for z in (before[x.name], x.data.reshape(-1), y.data.reshape(-1)))
            lines = x.find_line(i), y.find_line(i)
            yield WordDifference(
                x.label, size * i, size, next(words), (next(words), next(words)), lines
            )


def explain_unknown(sources: Sequence[FileKernel], replay: Replay) -> str:
    """Return the reason why a run does not know all bytes that it leaves; empty if it does."""
    for letter, source, run in zip(LETTERS, sources, replay.runs, strict=False):
        if not isinstance(run, KernelRun):
            continue
        for buffer in run.buffers.values():
            if buffer.causes is None:
                continue
            for causes in np.unique(buffer.causes).tolist():
                for cause in run.fidelity.iter_causes(causes):
                    if cause is not None:
                        place = f"{cause.statement.name} in {letter}, "
                        place += source.format_line(cause.statement.line)
                        return (
                            f"for the operands that the solver found, the result of {place}, is "
                            f"unknown: {cause.reason}."
                        )
    return ""
