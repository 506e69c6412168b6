"""The statements that one thread executes, with the origin of every value that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import TYPE_BITS, MemoryOperand, VectorOperand
from ....engine.syntax.opcodes import (
    ADDRESS_PLACES,
    ATOMICS,
    CALLS,
    STORES,
    VALUE_PLACES,
    WITHOUT_DESTINATION,
)
from ....sources.source_lines import SourceLines, read_source_lines
from .conflicts import get_threads
from .memory_regions import AccessError, Region, WriteJournal
from .memory_steps import Address, Target, parse_memory_form
from .register_names import (
    count_written_operands,
    iter_address_names,
    iter_register_names,
    iter_source_names,
    iter_written_names,
)
from .thread_state import (
    CallFrame,
    LocalPlace,
    RegisterPlace,
    ThreadGroup,
    ThreadValues,
    TransferPlace,
    UnmodelledError,
    WaveState,
)

ACCESSES = VALUE_PLACES.keys() | ADDRESS_PLACES.keys()
"""Opcodes that access memory at an address."""

MAX_STEPS = 1 << 20
"""Limit of recorded statements."""


class ValueRead(NamedTuple):
    """A value that a step reads, from a register or from a place in memory."""

    name: str
    """``%r4``, or ``param0[2]``."""
    bits: int | None
    """Unsigned; None if unknown."""
    step: int
    """The number of the step that wrote it; 0 if no step of this thread did."""
    writer: str = ""
    """The thread and the line that wrote a place, if it was another thread."""
    is_address: bool = False
    """Whether it only decides the place of an access, or whether the step acts."""
    width: int = 0
    """Width in bits of a place; 0 for a register."""


class RegisterWrite(NamedTuple):
    """A register that a step writes."""

    name: str
    bits: int | None
    """Unsigned; None if unknown."""
    width: int
    """In bits."""
    depth: int
    """The number of calls around its function: one more for a parameter than for its argument."""


class PlaceWrite(NamedTuple):
    """A place in memory that a step writes: one element of a vector."""

    name: str
    """``param0[2]``."""
    bits: int | None
    """Its new value; None if unknown."""
    space: str
    start: int
    """The offset in the space."""
    size: int
    """In bytes."""


class ThreadStep(NamedTuple):
    """One statement, executed by the thread."""

    number: int
    """From 1."""
    statement: Statement
    reads: tuple[ValueRead, ...]
    writes: tuple[RegisterWrite, ...]
    """Also the parameters of the function that it calls, and the result that it returns."""
    places: tuple[PlaceWrite, ...]
    """In the order of the elements of a vector."""
    is_active: bool
    """Whether its guard lets it act."""
    depth: int
    """The number of calls around it."""
    write_counts: Mapping[str, int] = {}
    """The writes of all threads before it, by space, if they are kept."""


class _WatchedRegister:
    """A register of a frame that a statement reads or writes."""

    __slots__ = ("is_address", "key", "mask", "name", "values", "width")

    def __init__(self, frame: CallFrame, name: str, *, is_address: bool = False) -> None:
        self.name, self.is_address, self.key = name, is_address, (frame.number, name)
        self.values = frame.get_register(name)
        bits = self.values.bits
        width = 1 if bits.dtype == bool else 8 * bits.dtype.itemsize
        self.width = min(TYPE_BITS.get(frame.function.registers.get(name, ""), width), width)
        self.mask = (1 << self.width) - 1

    def peek(self, lane: int) -> int | None:
        """Return the bits of a lane; None if one is unknown."""
        values = self.values
        if values.causes is not None and values.causes[lane]:
            return None
        return int(values.bits[lane]) & self.mask


class _WatchedStatement(NamedTuple):
    """A statement of a frame, with what it reads and writes."""

    guard: ThreadValues | None
    reads: tuple[_WatchedRegister, ...]
    writes: tuple[_WatchedRegister, ...]
    """Without the result of a call, which is written later: ``note_transfer``."""
    addresses: tuple[Address, ...]
    loads: bool
    """Whether it reads the places of its addresses."""
    stores: bool
    """Whether it writes them."""


def _watch(statement: Statement, frame: CallFrame) -> _WatchedStatement:
    address_names = set(iter_address_names(statement))
    guard = statement.guard
    if guard:
        address_names.add(guard.name)
    read_names = dict.fromkeys((*iter_source_names(statement), *sorted(address_names)))
    addresses = list[Address]()
    for x in statement.operands if statement.opcode in ACCESSES else ():
        if isinstance(x, MemoryOperand):
            with suppress(UnmodelledError):
                addresses.append(Address(frame, x, parse_memory_form(statement)))
    written_names = () if statement.opcode in CALLS else iter_written_names(statement)
    return _WatchedStatement(
        frame.get_register(guard.name) if guard else None,
        tuple(_WatchedRegister(frame, x, is_address=x in address_names) for x in read_names),
        tuple(_WatchedRegister(frame, x) for x in written_names),
        tuple(addresses),
        statement.opcode in ACCESSES - WITHOUT_DESTINATION,
        statement.opcode in STORES | ATOMICS,
    )


class ThreadLog:
    """Records the steps of one thread; an observer of the wave that has it."""

    def __init__(self, thread: int, *, keeps_memory: bool = False) -> None:
        """With ``keeps_memory``, the contents of memory are known at each step."""
        self.thread = thread
        """The number of the thread, of all threads of the grid."""
        self.steps: list[ThreadStep] = []
        self.is_cut = False
        """Whether steps after the last one are missing."""
        self._lane = -1
        self._lanes = np.array([-1])
        """The lane alone."""
        self._format_thread: Callable[[int], str] = str
        self._text = ""
        """The listing."""
        self._writers: dict[tuple[int, str], int] = {}
        """The step that wrote each register, by frame."""
        self._memory: dict[tuple[str, int], int] = {}
        """The step that wrote each byte, by space and offset."""
        self._watched: dict[tuple[int, int], _WatchedStatement] = {}
        """By the number of the frame and the id of the statement."""
        self._reads: tuple[ValueRead, ...] = ()
        self._targets: list[Target] = []
        self._is_active = True
        self._keeps_memory = keeps_memory
        self.journals: dict[str, WriteJournal] = {}
        """All writes of the wave to global memory, and to its block's shared memory, by space."""
        self.regions: dict[str, tuple[Region, ...]] = {}
        """The buffers and variables in these spaces."""
        self._write_counts: dict[str, int] = {}

    def attach(self, state: WaveState) -> None:
        """Observe a wave if the thread is in it."""
        lanes = np.flatnonzero((state.wave.threads == self.thread) & state.wave.has_thread)
        if lanes.size:
            self._lane, self._lanes = int(lanes[0]), lanes[:1]
            state.observer = self
            self._text = state.code.text
            self._format_thread = state.wave.shape.format_thread
        state.spaces["global"].journal = None  # of an earlier wave
        if not lanes.size:
            return
        self.regions = {name: tuple(state.spaces[name].regions) for name in ("global", "shared")}
        slot = int(state.wave.slots[self._lane])
        if self._keeps_memory:
            for name, instance in (("global", None), ("shared", slot)):
                space, row = state.spaces[name], instance or 0
                causes = None if space.causes is None else space.causes[row]
                journal = WriteJournal(space.data[row], causes, instance)
                space.journal = self.journals[name] = journal

    def begin(self, statement: Statement, frame: CallFrame, group: ThreadGroup) -> None:
        """Note the values that the thread is about to read."""
        if not group.mask[self._lane]:
            return
        key = frame.number, id(statement)
        watched = self._watched.get(key)
        if watched is None:
            watched = self._watched[key] = _watch(statement, frame)
        if self.journals:
            self._write_counts = {name: len(x) for name, x in self.journals.items()}
        self._is_active = True
        if watched.guard and statement.guard:
            truth = bool(watched.guard.bits[self._lane])
            self._is_active = truth is not statement.guard.negated
        self._targets = list(self._find_targets(watched)) if watched.addresses else []
        lane, writers = self._lane, self._writers
        reads = [
            ValueRead(x.name, x.peek(lane), writers.get(x.key, 0), "", x.is_address)
            for x in watched.reads
        ]
        if watched.loads and self._is_active:
            reads += [self._read_place(x) for x in self._targets if x.space.name != "param"]
        self._reads = tuple(reads)

    def end(self, statement: Statement, frame: CallFrame, group: ThreadGroup) -> None:
        """Note the values that the thread has written."""
        if not group.mask[self._lane]:
            return
        if len(self.steps) >= MAX_STEPS:
            self.is_cut = True
            return
        watched = self._watched[frame.number, id(statement)]
        number = len(self.steps) + 1
        writes, places = list[RegisterWrite](), list[PlaceWrite]()
        if self._is_active:
            for x in watched.writes:
                writes.append(RegisterWrite(x.name, x.peek(self._lane), x.width, frame.depth))
                self._writers[x.key] = number
            if watched.stores:
                places = [y for x in self._targets for y in self._note_store(x, number)]
        self.steps.append(
            ThreadStep(
                number,
                statement,
                self._reads,
                tuple(writes),
                tuple(places),
                self._is_active,
                frame.depth,
                self._write_counts,
            )
        )

    def note_transfer(
        self, group: ThreadGroup, source: TransferPlace | None, destination: TransferPlace
    ) -> None:
        """Note that an argument or a result is copied: the source and the copy have one writer.

        The last step, a call or a return, then shows the register that it writes.
        """
        if not group.mask[self._lane] or not self.steps or self.is_cut:
            return
        last = self.steps[-1]
        if isinstance(source, LocalPlace):
            writers = [self._memory.get(("local", source.start + i), 0) for i in range(source.size)]
        elif source:
            writers = [self._writers.get((source.frame.number, source.name), 0)]
        else:
            writers = [last.number]
        if isinstance(destination, LocalPlace):
            for i in range(destination.size):
                self._memory["local", destination.start + i] = writers[i % len(writers)]
            return
        frame, name = destination
        self._writers[frame.number, name] = max(writers)
        write = self._make_write(frame, name)
        self.steps[-1] = last._replace(writes=(*last.writes, write))

    def note_late_result(self, group: ThreadGroup, destination: RegisterPlace) -> None:
        """Replace the value of a register that the last step writes."""
        if not group.mask[self._lane] or not self.steps or self.is_cut:
            return
        last, (frame, name) = self.steps[-1], destination
        write = self._make_write(frame, name)
        self.steps[-1] = last._replace(writes=(write,))

    def _make_write(self, frame: CallFrame, name: str) -> RegisterWrite:
        register = _WatchedRegister(frame, name)
        return RegisterWrite(name, register.peek(self._lane), register.width, frame.depth)

    def _find_targets(self, watched: _WatchedStatement) -> Iterator[Target]:
        """Yield the places that a load, a store or an atomic operation accesses."""
        for address in watched.addresses:
            try:
                for target in address.iter_targets(self._lanes):
                    target.space.check(target.access, writes=False)
                    yield target
            except AccessError:  # the step reports it
                return

    def _find_byte(self, target: Target) -> tuple[int, int]:
        """Return the offset of a place, and its index among all instances."""
        offset = int(target.access.offsets[0])
        instance = 0 if target.instances is None else int(target.instances[self._lane])
        return offset, offset + instance * target.space.data.shape[1]

    def _read_place(self, target: Target) -> ValueRead:
        offset, index = self._find_byte(target)
        space = target.space
        place = space.format_place(offset, target.access.width)
        size = target.access.width * target.access.element_count
        own_step = max(self._memory.get((space.name, offset + i), 0) for i in range(size))
        thread = -1
        if space.stamps is not None and index < space.stamps.size:
            thread = int(get_threads(space.stamps[index]))
        line = int(space.lines[index]) if space.lines is not None else 0
        bits = self._peek_place(target)
        if own_step and thread in (-1, self.thread):
            return ValueRead(place, bits, own_step, width=8 * size)
        return ValueRead(place, bits, 0, self._describe_writer(thread, line), width=8 * size)

    def _peek_place(self, target: Target) -> int | None:
        """Return the bits in a place; None if one is unknown."""
        _, index = self._find_byte(target)
        end = index + target.access.width * target.access.element_count
        causes = target.space.causes
        if causes is not None and causes.reshape(-1)[index:end].any():
            return None
        return int.from_bytes(target.space.data.reshape(-1)[index:end].tobytes(), "little")

    def _note_store(self, target: Target, number: int) -> Iterator[PlaceWrite]:
        """Yield each element that a step writes."""
        access, space, width = target.access, target.space, target.access.width
        for i in range(access.element_count):
            part = access._replace(offsets=access.offsets + i * width, element_count=1)
            element = target._replace(access=part)
            offset, _ = self._find_byte(element)
            for byte in range(offset, offset + width):
                self._memory[space.name, byte] = number
            name = space.format_place(offset, width)
            yield PlaceWrite(name, self._peek_place(element), space.name, offset, width)

    @property
    def sources(self) -> SourceLines:
        """The lines of the sources of the code."""
        return read_source_lines(self._text)

    def _describe_writer(self, thread: int, line: int) -> str:
        if not line:
            return "as given"
        place = self.sources.format_line(line)
        return place if thread < 0 else f"{place}, {self._format_thread(thread)}"

    def find_origins(self, step: ThreadStep) -> Iterator[tuple[int, ThreadStep]]:
        """Yield all steps that lead to a step's values, each with its depth in the tree.

        Each step comes once; a step's only source is as deep as the step itself. Video instructions
        come before common ones, and values before addresses and guards.
        """
        seen = {step.number}
        pending = [(0, step)]
        while pending:
            depth, current = pending.pop()
            yield depth, current
            sources = [
                (read.is_address, _is_common(self.steps[read.step - 1]), -read.step)
                for read in current.reads
                if read.step and read.step not in seen
            ]
            for _, _, number in sorted(set(sources), reverse=True):
                if -number not in seen:
                    seen.add(-number)
                    pending.append((depth + (len(sources) > 1), self.steps[-number - 1]))

    def find_store(self, name: str, index: int) -> ThreadStep | None:
        """Return the last step that wrote an element of a buffer; None if the thread did not.

        If it stored a vector, it has only the parts in the element, and the reads for them.
        """
        region = next((x for x in self.regions.get("global", ()) if x.name == name), None)
        if region is None:
            return None
        start = region.start + index * region.element_bytes
        end = start + region.element_bytes
        for step in reversed(self.steps):
            global_places = [x for x in step.places if x.space == "global"]
            if any(x.start <= start < x.start + x.size for x in global_places):
                return _narrow_store(step, start, end)
        return None


def _narrow_store(step: ThreadStep, start: int, end: int) -> ThreadStep:
    """Return a step as if it stored only the parts of its vector that reach into some bytes."""
    sources = step.statement.operands[count_written_operands(step.statement) :]
    vector = next((x for x in sources if isinstance(x, VectorOperand)), None)
    if vector is None or len(vector.parts) != len(step.places):
        return step
    pairs = zip(step.places, vector.parts, strict=True)
    written = [(x, part) for x, part in pairs if x.start < end and start < x.start + x.size]
    names = {name for _, part in written for name in iter_register_names(part)}
    return step._replace(
        reads=tuple(x for x in step.reads if x.is_address or x.name in names),
        places=tuple(x for x, _ in written),
    )


def _is_common(step: ThreadStep) -> bool:
    ins = step.statement.instruction
    return ins is None or ins.entry.is_common
