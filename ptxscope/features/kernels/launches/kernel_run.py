"""Kernels run from their parameters to their stores, with a report on exactness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from operator import index
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.program import Program
from ....engine.semantics.models import ISA_MODEL, Model
from ....engine.syntax.errors import PtxError
from ....engine.tracing.evaluation import resolve_model
from ....engine.tracing.operand_bits import check_argument, check_count
from ....sources.source_lines import read_source_lines
from .conflicts import KernelConflict, get_threads
from .device_code import DeviceCode, load_device_code
from .fidelity import Causes, Fidelity
from .launch import LaunchShape, Shape
from .launch_memory import BoundBuffer, LaunchMemory
from .launch_text import Argument, find_parameter, read_arguments
from .lockstep import Lockstep, StepLimitError
from .memory import AddressSpace
from .memory_regions import make_sparse_zeros, make_written_pages
from .printed_text import Printer
from .thread_log import ThreadLog
from .thread_state import LaunchError, PrintedText, WaveState

Array = npt.NDArray[Any]
DEFAULT_MAX_STEPS = 100_000_000
OnProgress = Callable[[int, int | None], None]
"""Called with the number of executed statements, summed over threads, and the estimate of all."""


class KernelBuffer(NamedTuple):
    """The contents of a buffer or a variable after a run."""

    name: str
    """The parameter's name."""
    position: int | None
    """The parameter's position; None for a variable."""
    data: Array
    """The elements in the shape and type of the argument; unknown ones have any bits."""
    causes: Causes | None
    """The reasons why elements are unknown, in order; None if all are known."""
    byte_lines: npt.NDArray[np.int32]
    """The line of the statement that wrote each byte last, a row for each element; 0 for none."""
    stamps: npt.NDArray[np.int64] | None
    """The last writer of each element, as a stamp of ``Accessors``; None if no thread wrote any."""
    written_parts: tuple[slice, ...]
    """All elements that threads wrote, and some others."""
    is_changed: bool

    @property
    def lines(self) -> npt.NDArray[np.int32]:
        """The line of the statement that wrote each element last, in order; 0 for none."""
        lines = np.zeros(len(self.byte_lines), np.int32)
        for part in self.written_parts:
            lines[part] = self.byte_lines[part].max(axis=1)
        return lines

    @property
    def threads(self) -> npt.NDArray[np.int64]:
        """The number of the thread of the grid that wrote each element last, in order.

        -1 for an element that no thread wrote, or only atomic operations.
        """
        return np.full(self.data.size, -1) if self.stamps is None else get_threads(self.stamps)

    @property
    def label(self) -> str:
        """``param0``, or a variable's name."""
        return self.name if self.position is None else f"param{self.position}"

    @property
    def all_causes(self) -> int:
        """The set of all causes why elements are unknown."""
        return 0 if self.causes is None else int(np.bitwise_or.reduce(self.causes))

    def is_known(self, index: int) -> bool:
        """Whether an element is known as a whole."""
        return self.causes is None or not self.causes[index]

    def find_line(self, index: int) -> int:
        """Return the line of the statement that wrote an element last; 0 for none."""
        return int(self.byte_lines[index].max(initial=0))

    def find_thread(self, index: int) -> int:
        """Return the number of the thread that wrote an element last, as in ``threads``."""
        return -1 if self.stamps is None else int(get_threads(self.stamps[index]))

    def find_first_written(self) -> int | None:
        """Return the first element that a statement wrote, or None."""
        for part in self.written_parts:
            is_written = self.byte_lines[part].any(axis=1)
            if is_written.any():
                return int(part.start + np.argmax(is_written))
        return None

    @property
    def values(self) -> Array:
        """The elements; a masked array that hides the unknown ones if there are any."""
        if self.causes is None:
            return self.data
        return np.ma.MaskedArray(self.data, (self.causes != 0).reshape(self.data.shape))

    @property
    def words(self) -> npt.NDArray[Any]:
        """The bits of all elements in order, as unsigned integers."""
        return self.data.reshape(-1).view(f"u{self.data.dtype.itemsize}")


class KernelRun(NamedTuple):
    """The end of a run."""

    kernel: Program
    shape: LaunchShape
    model: Model
    buffers: Mapping[str, KernelBuffer]
    """The buffers of the parameters and the global variables, by name."""
    fidelity: Fidelity
    conflicts: tuple[KernelConflict, ...]
    step_count: int
    """Statements executed, counted for each thread."""
    positions: tuple[tuple[int, int], ...]
    """The lines at which threads were when the limit of steps was reached, with their number."""
    is_complete: bool
    """Whether all threads came to their ends within the limit of steps."""
    printed: tuple[PrintedText, ...] = ()
    """The texts that threads printed by ``printf``, in the order of the threads."""
    lost_print_count: int = 0
    """The calls of ``printf`` after too much text, which is not kept."""
    text: str = ""
    """The listing."""

    def get_buffer(self, name: str) -> KernelBuffer:
        """Return a buffer by the name or the position (``param2``) of its parameter.

        Raise ValueError if none exists.
        """
        if name in self.buffers:
            return self.buffers[name]
        position = find_parameter(self.kernel, name)
        for x in self.buffers.values():
            if position is not None and x.position == position:
                return x
        names = ", ".join(self.buffers) or "none"
        raise ValueError(f"{name} is not a buffer of this run; there are: {names}")

    def __repr__(self) -> str:
        grid, block = (",".join(map(str, x)) for x in (self.shape.grid, self.shape.block))
        changed = ", ".join(x.name for x in self.buffers.values() if x.is_changed) or "nothing"
        return (
            f"<KernelRun of {self.kernel.name}, grid {grid}, block {block}: changed {changed}; "
            f"{'exact' if self.is_exact else 'not exact'}>"
        )

    def format_line(self, line: int) -> str:
        """Return ``line 12 (sad.cu:5)``, or ``line 12`` if no ``.loc`` names the source."""
        return read_source_lines(self.text).format_line(line)

    @property
    def is_exact(self) -> bool:
        """Whether all buffers are exact: nothing unknown decided anything or reached them."""
        return (
            self.is_complete
            and not self.fidelity.decisions
            and all(x.causes is None for x in self.buffers.values())
        )


class Launch(NamedTuple):
    """A kernel with its arguments, its shape, its model and its limit."""

    code: DeviceCode
    kernel: Program
    arguments: Mapping[str, Argument]
    shape: LaunchShape
    model: Model = ISA_MODEL
    max_steps: int = DEFAULT_MAX_STEPS

    def make_memory(self) -> LaunchMemory:
        """Return the memory before the run. Raise ValueError for an argument that does not fit."""
        values = read_arguments(self.kernel, self.arguments)
        return LaunchMemory(self.code, self.kernel, self.shape, values)

    def run(self, on_progress: OnProgress | None = None, log: ThreadLog | None = None) -> KernelRun:
        """Run the kernel, as ``run_kernel`` does."""
        problems = tuple(
            problem
            for function in self.code.functions.values()
            for statement in function.statements
            for problem in statement.problems
        )
        if problems:
            raise PtxError(self.code.text, problems)
        self.shape.check()
        return _run_waves(self.make_memory(), self.model, self.max_steps, on_progress, log)

    def find_reaches(self, on_progress: OnProgress) -> tuple[Mapping[int, int], bool]:
        """Return how many bytes of each buffer a run reaches, by the position of its parameter.

        The second value is false if the run can't go on, or ``on_progress`` ends it by
        TimeoutError. Raise ValueError for an argument that does not fit.
        """
        memory, is_complete = self.make_memory(), False
        with suppress(LaunchError, TimeoutError):
            _run_waves(memory, self.model, self.max_steps, on_progress, None)
            is_complete = True
        reaches = memory.spaces["global"].reaches
        buffers = [(x.position, x.region.name) for x in memory.buffers]
        return {x: reaches.get(name, 0) for x, name in buffers if x is not None}, is_complete


def run_kernel(
    code: str | DeviceCode,
    arguments: Mapping[str, Argument],
    *,
    kernel: str | None = None,
    grid: int | tuple[int, ...] = 1,
    block: int | tuple[int, ...] = 1,
    dynamic_shared_bytes: int = 0,
    model: str | Model = "isa",
    max_steps: int = DEFAULT_MAX_STEPS,
    on_progress: OnProgress | None = None,
    log: ThreadLog | None = None,
) -> KernelRun:
    """Run a kernel of PTX text with arguments by the names of parameters, or ``param0``.

    A pointer takes an array, which stays unchanged: the buffers are in the result. ``kernel`` may
    be omitted if there is one. ``on_progress`` is called with the number of statements executed,
    each counted for every thread, and with that of all as the first blocks suggest it, if some have
    ended. ``log`` records the steps of its thread.

    Raise ValueError for an argument or a shape that does not fit, PtxError for PTX that an
    assembler rejects, and LaunchError if the kernel can't go on: its message has the line, the
    thread, the buffer and the index.
    """
    check_argument("on_progress", on_progress, (Callable, NoneType), "a function")  # type: ignore[arg-type]
    launch = make_launch(
        code, arguments, kernel, grid, block, dynamic_shared_bytes, model, max_steps
    )
    return launch.run(on_progress, log)


def make_launch(
    code: str | DeviceCode,
    arguments: Mapping[str, Argument],
    kernel: str | None,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    dynamic_shared_bytes: int,
    model: str | Model,
    max_steps: int,
) -> Launch:
    """Return the launch of the arguments of ``run_kernel``.

    Raise TypeError, which names the expected type, for an argument of another type, and ValueError
    for a kernel that is not there or a shape of another kind.
    """
    check_argument("code", code, (str, DeviceCode), "PTX as text")
    check_argument("arguments", arguments, Mapping, "arguments by the names of parameters")
    check_argument("kernel", kernel, (str, NoneType), "the name of a kernel")
    check_count("dynamic_shared_bytes", dynamic_shared_bytes)
    check_count("max_steps", max_steps)
    code = load_device_code(code, kernel=kernel) if isinstance(code, str) else code
    shape = LaunchShape(
        _complete_shape("grid", grid), _complete_shape("block", block), dynamic_shared_bytes
    )
    function = choose_kernel(code, kernel)
    return Launch(code, function, arguments, shape, resolve_model(model), max_steps)


def choose_kernel(code: DeviceCode, name: str | None) -> Program:
    """Return the kernel of a name, or the only one. Raise ValueError if none exists."""
    kernels = {x.name: x for x in code.kernels if x.has_body}
    if name is not None and name in kernels:
        return kernels[name]
    names = ", ".join(kernels) or "none"
    if name is not None:
        raise ValueError(f"{name} is not a kernel here; there are: {names}")
    if not kernels:
        raise ValueError("there is no kernel here")
    if len(kernels) != 1:
        raise ValueError(f"there are {len(kernels)} kernels; choose one of: {names}")
    return next(iter(kernels.values()))


def _complete_shape(name: str, shape: int | tuple[int, ...]) -> Shape:
    try:
        numbers = tuple(map(index, shape if isinstance(shape, (tuple, list)) else (shape,)))
    except TypeError:
        numbers = ()
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{name} is one to three integers, not {shape!r}")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _run_waves(
    memory: LaunchMemory,
    model: Model,
    max_steps: int,
    on_progress: OnProgress | None,
    log: ThreadLog | None,
) -> KernelRun:
    fidelity, printer, step_count, is_complete = Fidelity(), Printer(), 0, True
    positions: list[tuple[int, int]] = []
    space = memory.spaces["global"]
    space.lines = make_sparse_zeros(space.data.size, np.int32)
    space.written_pages = make_written_pages(space.data.size)
    conflicts: dict[int, KernelConflict] = {}
    total: int | None = None

    def advance(count: int) -> None:
        if on_progress:
            on_progress(count, total)

    for wave in memory.shape.iter_waves(memory.local_bytes, memory.shared_bytes):
        spaces = memory.make_spaces(wave)
        state = WaveState(memory.code, wave, spaces, memory.symbols, fidelity, model)
        state.print_text = partial(printer.print_text, state)
        state.has_comparison = True
        if log:
            log.attach(state)
        lockstep = Lockstep(
            state, memory.kernel, step_count, max_steps, advance if on_progress else None
        )
        try:
            lockstep.run()
        except StepLimitError:
            is_complete, positions = False, lockstep.list_positions()
        except LaunchError as error:
            error.printed = printer.list_texts()
            error.name_source(memory.code.text)
            raise
        finally:
            lockstep.close()
        step_count = lockstep.step_count
        block_count = int(wave.block_numbers[-1]) + 1
        total = step_count * memory.shape.block_count // block_count
        for key, conflict in state.conflicts.items():
            conflicts.setdefault(key, conflict)
        if not is_complete:
            break
    return KernelRun(
        memory.kernel,
        memory.shape,
        model,
        {x.name: _read_buffer(space, x) for x in memory.buffers},
        fidelity,
        tuple(conflicts.values()),
        step_count,
        tuple(positions),
        is_complete,
        printer.list_texts(),
        printer.lost_count,
        memory.code.text,
    )


def _read_buffer(space: AddressSpace, x: BoundBuffer) -> KernelBuffer:
    """Return a buffer as a view of the memory, which nothing else uses after the run."""
    array, (start, end) = x.array, (x.region.start, x.region.end)
    count, size = array.size, array.dtype.itemsize
    data = space.data[0, start:end].view(array.dtype)
    assert space.lines is not None
    assert space.written_pages is not None
    parts = tuple(space.written_pages.iter_parts(start, end, size))
    causes, is_known = np.zeros(count, np.uint64), True
    if space.causes is not None:
        rows = space.causes[0, start:end].reshape(count, size)
        for part in parts:
            causes[part] = np.bitwise_or.reduce(rows[part], axis=1)
            is_known = is_known and not causes[part].any()
    words, old_words = (y.reshape(-1).view(f"u{size}") for y in (data, array))
    is_changed = not is_known or any(
        not np.array_equal(words[part], old_words[part]) for part in parts
    )
    return KernelBuffer(
        x.name,
        x.position,
        data.reshape(array.shape),
        None if is_known else causes,
        space.lines[start:end].reshape(count, size),
        None if space.stamps is None else space.stamps[start:end:size],
        parts,
        is_changed,
    )
