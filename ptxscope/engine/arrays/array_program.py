"""The calls of a plan, ready to run on blocks that fit in the cache.

Scratch memory is reused after the last read of a register; a call may therefore overwrite its
input. Results are computed directly in the output arrays.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..semantics.plan import Plan
from .call_sequence import (
    ArrayCall,
    ArrayView,
    Buffer,
    BufferKind,
    CallConstant,
    CallSequence,
    Dtype,
    Function,
    copy,
)
from .demand import prepare_plan
from .instruction_selection import select_calls

Array = npt.NDArray[Any]
"""A flat array."""
MAX_BLOCK = 1 << 18
"""Maximum number of results in a block."""
_MIN_BLOCK = 1 << 15
"""Minimum number of results in a block: below it, the overhead of calling dominates."""
_CACHE_BYTES = 1 << 22
"""Bytes of scratch memory that fit in the outer cache together with inputs and outputs.

Smaller blocks for the inner cache would cost more than they save.
"""


class CallOperand(NamedTuple):
    """An operand of a call: a constant, or lanes in scratch memory, an operand or a result."""

    place: Buffer | CallConstant
    dtype: Dtype
    lanes: int


class Call(NamedTuple):
    """A function, and the indices of the slots that it reads and writes."""

    function: Function
    inputs: tuple[int, ...]
    out: int


class RunBuffers(NamedTuple):
    """The operands and results of one run, as flat arrays of the types of ``get_storage_dtype``."""

    size: int
    block_size: int
    blocked: Mapping[Buffer, Array]
    """Arrays of all elements; each block uses its slice."""
    broadcast: Mapping[Buffer, Array]
    """Operands with one block of elements: constant, or refilled before each block."""
    refill: Iterator[None] | None = None
    """Refills the operands for the next block."""

    def iter_blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each block."""
        for start in range(0, self.size, self.block_size):
            if self.refill:
                next(self.refill)
            yield start, min(start + self.block_size, self.size)


class ArrayProgram:
    """The computation of a plan as calls. Any number of threads may run it."""

    def __init__(self, plan: Plan, *, with_flags: bool = False) -> None:
        self.plan = plan
        steps = select_calls(prepare_plan(plan, with_flags=with_flags))
        self.results = {name: view.bytes for name, view in steps.results.items()}
        """The bytes per result of each destination, by name."""
        memory = _Memory(steps)
        self.calls = tuple(memory.calls)
        self.slots = tuple(memory.slots)
        self.scratch = tuple(memory.sizes)
        """The bytes per result of each piece of scratch memory."""
        fit = _CACHE_BYTES // max(sum(self.scratch), 1)
        self.block = min(max(1 << fit.bit_length() - 1, _MIN_BLOCK), MAX_BLOCK)
        """The best number of results in a block."""

    def __str__(self) -> str:
        """Return the calls in order, one per line."""
        return "\n".join(
            f"{_format_slot(self.slots[call.out])} = "
            f"{getattr(call.function, '__name__', call.function)}"
            f"({', '.join(_format_slot(self.slots[index]) for index in call.inputs)})"
            for call in self.calls
        )

    def run(self, buffers: RunBuffers) -> None:
        """Compute all results, block by block."""
        scratch, open_slots = self._copy_environment(buffers.block_size)
        arrays, blocked_slots = list(scratch), list[tuple[int, Array, int]]()
        for index, place, dtype in open_slots:
            if place in buffers.broadcast:
                arrays[index] = buffers.broadcast[place].view(dtype)
            else:
                arrays[index] = view = buffers.blocked[place].view(dtype)
                blocked_slots.append((index, view, view.size // buffers.size))
        for start, end in buffers.iter_blocks():
            if end - start < buffers.block_size:
                arrays = [_take_first(x, end - start, buffers.block_size) for x in arrays]
            if end - start < buffers.size:
                for index, view, lanes in blocked_slots:
                    arrays[index] = view[start * lanes : end * lanes]
            for function, inputs, out in self.calls:
                function(*[arrays[index] for index in inputs], out=arrays[out])

    def bind(self, arrays: Mapping[Buffer, Array], size: int, memory: list[Array]) -> list[Any]:
        """Return the arrays of all slots for one block, with those of operands and results.

        Programs that do not run at the same time may share ``memory``, which is scratch memory.
        """
        for index, bytes_ in enumerate(self.scratch):
            if index == len(memory):
                memory.append(np.empty(0, np.uint8))
            if memory[index].size < bytes_ * size:
                memory[index] = np.empty(bytes_ * size, np.uint8)
        slots, open_slots = self._make_environment(size, memory)
        for index, place, dtype in open_slots:
            slots[index] = arrays[place].view(dtype)
        return slots

    def _copy_environment(
        self, block_size: int
    ) -> tuple[list[Any], list[tuple[int, Buffer, Dtype]]]:
        """Return the slots, with those common to all blocks filled in, and the others."""
        if getattr(_thread_cache, "key", None) != (id(self), block_size):
            _thread_cache.key, _thread_cache.program, _thread_cache.environment = (
                (id(self), block_size),
                self,
                self._make_environment(
                    block_size, [np.empty(size * block_size, np.uint8) for size in self.scratch]
                ),
            )
        environment: tuple[list[Any], list[tuple[int, Buffer, Dtype]]] = _thread_cache.environment
        return environment

    def _make_environment(
        self, block_size: int, memory: Sequence[Array]
    ) -> tuple[list[Any], list[tuple[int, Buffer, Dtype]]]:
        slots: list[Any] = []
        open_slots: list[tuple[int, Buffer, Dtype]] = []
        for index, (place, dtype, lanes) in enumerate(self.slots):
            if isinstance(place, CallConstant):
                slots.append(np.array(place.value, dtype))
            elif place.kind is BufferKind.SCRATCH:
                slots.append(
                    memory[int(place.name)][: block_size * lanes * dtype.itemsize].view(dtype)
                )
            else:
                slots.append(None)
                open_slots.append((index, place, dtype))
        return slots, open_slots


_thread_cache = threading.local()
"""The memory of each thread's last program, kept for the next run."""


def _take_first(x: Array | None, size: int, block_size: int) -> Array | None:
    """Shorten scratch memory from a whole block to ``size`` results."""
    return x[: x.size // block_size * size] if x is not None and x.ndim else x


def _format_slot(slot: CallOperand) -> str:
    if isinstance(slot.place, CallConstant):
        return str(slot.place.value)
    kind, name = slot.place
    if kind is BufferKind.SCRATCH:
        name = f"t{name}"
    elif kind is BufferKind.RESULT:
        name = f"{name}'"
    return f"{name}:{slot.dtype}" + (f"x{slot.lanes}" if slot.lanes > 1 else "")


class _Memory:
    """The calls of a sequence, with a place assigned to every register."""

    def __init__(self, sequence: CallSequence) -> None:
        steps, self._places = _deliver_results(sequence)
        self.calls: list[Call] = []
        self.slots: dict[CallOperand, int] = {}
        self.sizes: list[int] = []
        self._free: list[int] = []
        last_reads = {
            view.register: index
            for index, step in enumerate(steps)
            for view in step.inputs
            if isinstance(view, ArrayView)
        }
        for index, step in enumerate(steps):
            inputs = tuple(self._find_slot(x) for x in step.inputs)
            # freed places are reused last in, first out, so the first input is overwritten first
            views = {x.register: x for x in reversed(step.inputs) if isinstance(x, ArrayView)}
            ends = [x for x in views.values() if last_reads[x.register] == index]
            size = step.out.dtype.itemsize
            self._release_registers(x.register for x in ends if x.dtype.itemsize == size)
            self._assign_place(step.out)
            self._release_registers(x.register for x in ends if x.dtype.itemsize != size)
            self.calls.append(Call(step.function, inputs, self._find_slot(step.out)))

    def _find_slot(self, x: ArrayView | CallConstant) -> int:
        place = x if isinstance(x, CallConstant) else self._place(x.register)
        slot = CallOperand(place, x.dtype, 0 if isinstance(x, CallConstant) else x.lanes)
        return self.slots.setdefault(slot, len(self.slots))

    def _place(self, register: int | Buffer) -> Buffer:
        return register if isinstance(register, Buffer) else self._places[register]

    def _release_registers(self, registers: Iterable[int | Buffer]) -> None:
        places = (self._place(register) for register in registers)
        self._free += (int(place.name) for place in places if place.kind is BufferKind.SCRATCH)

    def _assign_place(self, out: ArrayView) -> None:
        """Assign a place for an output: a free one that is large enough, or one enlarged to fit."""
        assert isinstance(out.register, int)
        if out.register in self._places:
            return
        if not self._free:
            self._free.append(len(self.sizes))
            self.sizes.append(0)
        # the place freed last is most likely in the cache
        large = [x for x in self._free if self.sizes[x] >= out.bytes]
        index = (large or self._free)[-1]
        self._free.remove(index)
        self.sizes[index] = max(self.sizes[index], out.bytes)
        self._places[out.register] = Buffer(BufferKind.SCRATCH, index)


def _deliver_results(sequence: CallSequence) -> tuple[list[ArrayCall], dict[int, Buffer]]:
    """Return the steps and the results' registers; copy results that are operands or duplicates."""
    steps, places = list(sequence.steps), dict[int, Buffer]()
    registers = {step.out.register for step in steps}
    for role, view in sequence.results.items():
        register = view.register
        if isinstance(register, Buffer) or register in places:
            register = 1 + max((x for x in registers if isinstance(x, int)), default=-1)
            registers.add(register)
            steps.append(ArrayCall(copy, (view,), view._replace(register=register)))
        places[register] = Buffer(BufferKind.RESULT, role)
    return steps, places
