"""The calls of a plan, ready to run: in little memory, on blocks that stay in cache.

Registers are given out by when they are last read: what a call is the last to read, it may write
over. What becomes a result is computed in its place in the array that is given for it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..records import NamedTuple
from ..semantics.plan import Plan
from .call_sequence import (
    ArrayCall,
    Buffer,
    BufferKind,
    CallConstant,
    CallSequence,
    Dtype,
    Function,
    LaneView,
    copy,
)
from .demand import record_plan
from .instruction_selection import select

Array = npt.NDArray[Any]
"""A flat array."""
BLOCK = 1 << 18
"""The most results that are computed at a time."""
_LEAST = 1 << 15
"""Fewer, and calling would cost more than the calls."""
_CACHED = 1 << 22
"""Bytes of scratch memory that the outer cache keeps beside what is read and written: to go on to
the next block costs more than the inner cache spares."""


class CallOperand(NamedTuple):
    """What a call is given: a constant, or lanes in scratch memory or in a given array."""

    place: Buffer | CallConstant
    dtype: Dtype
    lanes: int


class Call(NamedTuple):
    """A function, and the numbers of the slots that it reads and writes."""

    function: Function
    inputs: tuple[int, ...]
    out: int


class RunBuffers(NamedTuple):
    """What is read and written, as flat arrays of the types that ``storage`` names."""

    size: int
    """How many results there are."""
    most: int
    """How many of them are computed at a time: a block."""
    blocked: Mapping[Buffer, Array]
    """Arrays of all elements, of which each block has its own."""
    broadcast: Mapping[Buffer, Array]
    """Operands of so many elements as a block: all are the same, or they are filled in for each."""
    refill: Iterator[None] | None = None
    """Fills in the operands for the next block."""

    def iter_blocks(self) -> Iterator[tuple[int, int]]:
        """Where each begins and ends."""
        for start in range(0, self.size, self.most):
            if self.refill:
                next(self.refill)
            yield start, min(start + self.most, self.size)


class ArrayProgram:
    """What a plan computes, as calls. Any number of threads may run it."""

    def __init__(self, plan: Plan, *, told: bool = False) -> None:
        self.plan = plan
        steps = select(record_plan(plan, with_flags=told))
        self.results = {name: view.bytes for name, view in steps.results.items()}
        """How many bytes each result has."""
        memory = _Memory(steps)
        self.calls = tuple(memory.calls)
        self.slots = tuple(memory.slots)
        self.scratch = tuple(memory.sizes)
        """How many bytes each piece of scratch memory has of each result."""
        fit = _CACHED // max(sum(self.scratch), 1)
        self.block = min(max(1 << fit.bit_length() - 1, _LEAST), BLOCK)
        """How many results are best computed at a time."""

    def __str__(self) -> str:
        """The calls as they are made, a line each."""
        return "\n".join(
            f"{_format_slot(self.slots[call.out])} = "
            f"{getattr(call.function, '__name__', call.function)}"
            f"({', '.join(_format_slot(self.slots[at]) for at in call.inputs)})"
            for call in self.calls
        )

    def run(self, feed: RunBuffers) -> None:
        """Compute results, a block after the other."""
        scratch, given = self._copy_environment(feed.most)
        here, moving = list(scratch), list[tuple[int, Array, int]]()
        for at, place, dtype in given:
            if place in feed.broadcast:
                here[at] = feed.broadcast[place].view(dtype)
            else:
                here[at] = view = feed.blocked[place].view(dtype)
                moving.append((at, view, view.size // feed.size))
        for start, end in feed.iter_blocks():
            if end - start < feed.most:
                here = [_take_first(x, end - start, feed.most) for x in here]
            if end - start < feed.size:
                for at, view, lanes in moving:
                    here[at] = view[start * lanes : end * lanes]
            for function, inputs, out in self.calls:
                function(*[here[at] for at in inputs], out=here[out])

    def _copy_environment(self, most: int) -> tuple[list[Any], list[tuple[int, Buffer, Dtype]]]:
        """What the slots are, as far as no block decides; and those that each block is."""
        if getattr(_kept, "of", None) != (id(self), most):
            _kept.of, _kept.program, _kept.environment = (
                (id(self), most),
                self,
                self._make_environment(most),
            )
        found: tuple[list[Any], list[tuple[int, Buffer, Dtype]]] = _kept.environment
        return found

    def _make_environment(self, most: int) -> tuple[list[Any], list[tuple[int, Buffer, Dtype]]]:
        memory = [np.empty(size * most, np.uint8) for size in self.scratch]
        slots: list[Any] = []
        given: list[tuple[int, Buffer, Dtype]] = []
        for at, (place, dtype, lanes) in enumerate(self.slots):
            if isinstance(place, CallConstant):
                slots.append(np.array(place.value, dtype))
            elif place.kind is BufferKind.SCRATCH:
                slots.append(memory[int(place.name)][: most * lanes * dtype.itemsize].view(dtype))
            else:
                slots.append(None)
                given.append((at, place, dtype))
        return slots, given


_kept = threading.local()
"""The memory of the program that a thread ran last, for the next time."""


def _take_first(x: Array | None, size: int, most: int) -> Array | None:
    """Of scratch memory for so many results, what fewer take."""
    return x[: x.size // most * size] if x is not None and x.ndim else x


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
    """The calls of some steps, with every register in its place."""

    def __init__(self, given: CallSequence) -> None:
        steps, self._places = _deliver_results(given)
        self.calls: list[Call] = []
        self.slots: dict[CallOperand, int] = {}
        self.sizes: list[int] = []
        self._free: list[int] = []
        last = {x.register: at for at, step in enumerate(steps) for x in _iter_views(step)}
        for at, step in enumerate(steps):
            inputs = tuple(self._find_slot(x) for x in step.inputs)
            # the first comes last, and is written over first
            read = {x.register: x for x in reversed(step.inputs) if isinstance(x, LaneView)}
            ends = [x for x in read.values() if last[x.register] == at]
            size = step.out.dtype.itemsize
            self._release_registers(x.register for x in ends if x.dtype.itemsize == size)
            self._assign_place(step.out)
            self._release_registers(x.register for x in ends if x.dtype.itemsize != size)
            self.calls.append(Call(step.function, inputs, self._find_slot(step.out)))

    def _find_slot(self, x: LaneView | CallConstant) -> int:
        place = x if isinstance(x, CallConstant) else self._place(x.register)
        slot = CallOperand(place, x.dtype, 0 if isinstance(x, CallConstant) else x.lanes)
        return self.slots.setdefault(slot, len(self.slots))

    def _place(self, register: int | Buffer) -> Buffer:
        return register if isinstance(register, Buffer) else self._places[register]

    def _release_registers(self, registers: Iterable[int | Buffer]) -> None:
        places = (self._place(register) for register in registers)
        self._free += (int(place.name) for place in places if place.kind is BufferKind.SCRATCH)

    def _assign_place(self, out: LaneView) -> None:
        """A place for what is written: one that is free and large enough, or is made so."""
        assert isinstance(out.register, int)
        if out.register in self._places:
            return
        if not self._free:
            self._free.append(len(self.sizes))
            self.sizes.append(0)
        # what was freed last is the likeliest to be in cache
        large = [x for x in self._free if self.sizes[x] >= out.bytes]
        chosen = (large or self._free)[-1]
        self._free.remove(chosen)
        self.sizes[chosen] = max(self.sizes[chosen], out.bytes)
        self._places[out.register] = Buffer(BufferKind.SCRATCH, chosen)


def _iter_views(step: ArrayCall) -> Iterable[LaneView]:
    return (x for x in step.inputs if isinstance(x, LaneView))


def _deliver_results(given: CallSequence) -> tuple[list[ArrayCall], dict[int, Buffer]]:
    """The steps, and the registers that are results; what can't be one's own is copied."""
    steps, places = list(given.steps), dict[int, Buffer]()
    made = {step.out.register for step in steps}
    for role, view in given.results.items():
        register = view.register
        if isinstance(register, Buffer) or register in places:
            register = 1 + max((x for x in made if isinstance(x, int)), default=-1)
            made.add(register)
            steps.append(ArrayCall(copy, (view,), view._replace(register=register)))
        places[register] = Buffer(BufferKind.RESULT, role)
    return steps, places
