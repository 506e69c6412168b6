"""The state of the threads of a wave: registers over all lanes, groups of threads, frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.program.statement_operands import (
    TYPE_BITS,
    ConstantOperand,
    Operand,
    RegisterOperand,
    SinkOperand,
    convert_constant_operand,
)
from ....engine.semantics.models import Model
from ....sources.source_lines import read_source_lines
from .conflicts import Accessors, Conflict, KernelConflict, Mask, ThreadScope
from .device_code import DeviceCode
from .fidelity import NEVER_WRITTEN, Causes, Fidelity
from .float_arithmetic import FusibleProducts, find_fusible_products
from .launch import Wave
from .memory import AddressSpace, Bits, Elements, fill_unknown, make_elements
from .memory_regions import Numbers
from .pending_copies import PendingCopies

_BUFFER_LABEL = re.compile(r"param\d+")
"""The labels of a kernel's buffers, which no variable may have."""


class PrintedText(NamedTuple):
    """The text that one call of ``printf`` printed."""

    thread: str
    """``thread (5,0,0) of block (1,0,0)``."""
    line: int
    """The line of the call."""
    text: str


class LaunchError(Exception):
    """A kernel that can't continue: an invalid access, a trap, threads that wait for each other."""

    def __init__(
        self,
        message: str,
        statement: Statement | None = None,
        thread: str = "",
        lanes: Numbers | None = None,
        thread_number: int | None = None,
    ) -> None:
        self.statement, self.thread = statement, thread
        self.printed: tuple[PrintedText, ...] = ()
        """The texts that threads had printed before."""
        self.thread_number = thread_number
        """The number of the first of these threads, of all threads of the grid."""
        self.lanes = lanes
        """The lanes of the threads that can't continue in their wave; None for all of it."""
        self._message = " ".join(filter(None, (thread, message)))
        place = f"line {statement.line}: {statement.text}: " if statement else ""
        super().__init__(place + self._message)

    def name_source(self, text: str) -> None:
        """Name the line of the source beside the line of the listing, whose text this is."""
        if self.statement:
            line = read_source_lines(text).format_line(self.statement.line)
            self.args = (f"{line}: {self.statement.text}: {self._message}",)


class UnmodelledError(Exception):
    """A statement of a kind that no step models."""


class ThreadValues:
    """A value for each lane: a register, or a constant."""

    __slots__ = ("bits", "causes", "unknown")

    def __init__(
        self, bits: Bits, causes: Causes | None = None, unknown: Bits | None = None
    ) -> None:
        self.bits = bits
        """Unsigned integers, or truths. The array stays the same."""
        self.set_causes(causes, unknown)

    def set_causes(self, causes: Causes | None, unknown: Bits | None = None) -> None:
        """Set why values are unknown, and their unknown bits; by default, these are all."""
        self.causes = causes
        """The reasons why values are unknown, in part or as a whole; None if all are known.

        The array is never changed.
        """
        self.unknown = None if causes is None else unknown
        """The unknown bits; None if they are all bits of the values that have causes."""

    def list_unknown(self) -> Bits:
        """Return the unknown bits of each value."""
        if self.unknown is not None:
            return self.unknown
        return fill_unknown(self.causes, len(self.bits), self.bits.dtype)

    def gather(self, lanes: Numbers, dtype: np.dtype[Any]) -> Elements:
        """Return the values of some lanes, as another type."""
        bits = self.bits[lanes].astype(dtype, copy=False)
        causes = None if self.causes is None else self.causes[lanes]
        unknown = None if self.unknown is None else self.unknown[lanes].astype(dtype, copy=False)
        return make_elements(bits, causes, unknown)


class ThreadGroup:
    """Threads that execute the same statement, at least one."""

    __slots__ = ("_lanes", "_state", "count", "mask")

    def __init__(self, mask: Mask, count: int, state: WaveState) -> None:
        self.mask, self.count, self._state = mask, count, state
        self._lanes: Numbers | None = None

    @property
    def lanes(self) -> Numbers:
        """The lanes of the threads, ascending."""
        if self._lanes is None:
            self._lanes = np.flatnonzero(self.mask)
        return self._lanes

    @property
    def has_all(self) -> bool:
        """Whether these are all threads of the wave that have not ended."""
        return self.count == self._state.live_count

    def remove(self, mask: Mask) -> None:
        """Remove threads; none may be left."""
        self.mask = self.mask & ~mask
        self.count = int(np.count_nonzero(self.mask))
        self._lanes = None

    def narrow(self, mask: Mask) -> ThreadGroup | None:
        """Return the threads of the group for which a mask is true, or None."""
        mask = self.mask & mask
        count = int(np.count_nonzero(mask))
        if count == self.count:
            return self
        return ThreadGroup(mask, count, self._state) if count else None

    def choose(self, truths: Mask, *, is_negated: bool) -> ThreadGroup | None:
        """Return the threads of the group for which a guard holds, or None."""
        if self.count == 1:
            return self if bool(truths[self.lanes[0]]) is not is_negated else None
        return self.narrow(~truths if is_negated else truths)

    def narrow_to(self, start: int, end: int, *, is_inside: bool = True) -> ThreadGroup | None:
        """Return the threads in a range of lanes, or outside of it, or None."""
        mask = np.full(len(self.mask), not is_inside)
        mask[start:end] = is_inside
        return self.narrow(mask)


class RegisterPlace(NamedTuple):
    """A register of a function that threads are in."""

    frame: CallFrame
    name: str


class LocalPlace(NamedTuple):
    """Bytes of local memory, where parameters of functions are."""

    start: int
    size: int


TransferPlace = RegisterPlace | LocalPlace
"""The source or the destination of an argument or a result of a call."""


class Observer(Protocol):
    """A callback for every statement that threads execute."""

    def begin(self, statement: Statement, frame: CallFrame, group: ThreadGroup) -> None:
        """Before a statement."""

    def end(self, statement: Statement, frame: CallFrame, group: ThreadGroup) -> None:
        """After a statement; before threads leave a block by it."""

    def note_transfer(
        self, group: ThreadGroup, source: TransferPlace | None, destination: TransferPlace
    ) -> None:
        """After an argument or a result of a call is copied; a constant has no source."""

    def note_late_result(self, group: ThreadGroup, destination: RegisterPlace) -> None:
        """After a barrier has written late results, for the threads that waited."""


PrintText = Callable[[int, int, Sequence[ThreadValues | None]], None]
"""Called with the lane, the line and the arguments of a thread that prints."""


class WaveState:
    """The state that the threads of a wave share."""

    def __init__(
        self,
        code: DeviceCode,
        wave: Wave,
        spaces: dict[str, AddressSpace],
        symbols: dict[str, tuple[str, int]],
        fidelity: Fidelity,
        model: Model,
    ) -> None:
        self.code, self.wave, self.spaces, self.symbols = code, wave, spaces, symbols
        self.fidelity, self.model = fidelity, model
        self.live = wave.has_thread.copy()
        self.live_count = int(np.count_nonzero(self.live))
        self.instances: dict[str, Numbers] = {
            "shared": wave.slots,
            "local": np.arange(wave.lane_count),
        }
        if wave.replica_count > 1:
            self.instances["global"] = wave.replicas
        own_lanes = np.flatnonzero(wave.has_thread)
        self.accessors = Accessors(
            wave.threads,
            np.zeros((len(ThreadScope), wave.lane_count), np.int64),
            wave.shape.block_size,
            wave.threads + 1,
            own_lanes,
            wave.threads[own_lanes],
            code.has_fences,
            wave.replica_count == 1 and wave.shape.thread_count > 1,
        )
        self._epoch = 0
        self.conflicts: dict[int, KernelConflict] = {}
        """The first conflict at each statement, by its id."""
        self.scratch_memory: list[npt.NDArray[np.uint8]] = []
        """Memory that the steps share; it keeps nothing between two steps."""
        self._scratch: dict[tuple[Any, int], Bits] = {}
        self._constants: dict[tuple[int, Any], ThreadValues] = {}
        self._fusible_products: dict[str, FusibleProducts] = {}
        self.copies = PendingCopies(wave.lane_count)
        self.factors: dict[int, list[ThreadValues]] = {}
        """The operands of each product that may be fused, by the id of its statement."""
        self.observer: Observer | None = None
        """The observer of each statement; set before the first step is made."""
        self.has_comparison = False
        """Whether the results of other models are compared; set before the first step is made."""
        self.print_text: PrintText | None = None
        """The function that keeps the texts that threads print; None if nothing does."""

    def get_scratch(self, dtype: np.dtype[Any], index: int = 0) -> Bits:
        """Return an array for a step's result, the same for every step."""
        return self._scratch.setdefault((dtype, index), np.empty(self.wave.lane_count, dtype))

    def get_constant(self, bits: int, dtype: np.dtype[Any]) -> ThreadValues:
        """Return a constant for all lanes, which nothing writes."""
        key = (bits, dtype)
        if key not in self._constants:
            self._constants[key] = ThreadValues(np.full(self.wave.lane_count, bits, dtype))
        return self._constants[key]

    def get_fusible_products(self, function: Program) -> FusibleProducts:
        """Return the sums of a function that may be fused with a product."""
        if function.name not in self._fusible_products:
            self._fusible_products[function.name] = find_fusible_products(function)
        return self._fusible_products[function.name]

    def fail(self, statement: Statement, lanes: Numbers, message: str) -> NoReturn:
        """Raise LaunchError for the threads in some lanes; the message is the first one's."""
        number = int(self.wave.threads[lanes[0]])
        thread = self.wave.shape.format_thread(number)
        raise LaunchError(message, statement, thread, lanes, number)

    def begin_epoch(self, mask: Mask, scope: ThreadScope) -> None:
        """Note that threads pass a barrier or a fence together."""
        self._epoch += 1
        self.accessors.begin_epoch(self._epoch, mask, scope)

    def note_conflict(self, statement: Statement, conflict: Conflict | None) -> None:
        """Keep the first conflict of a statement."""
        if conflict and id(statement) not in self.conflicts:
            shape, number = self.wave.shape, int(self.wave.threads[conflict.lane])
            self.conflicts[id(statement)] = KernelConflict(
                conflict.kind,
                statement.line,
                statement.text,
                shape.format_thread(number),
                shape.format_thread(conflict.other_thread),
                conflict.other_line or statement.line,
                conflict.place,
            )


class Transfer(NamedTuple):
    """A value that a call copies: an argument or a result, or a component of one."""

    inner: Operand
    """The parameter, or a component: a register, or a place in local memory."""
    outer: Operand
    """The operand of the caller; an argument may also be a constant."""
    type: str
    bytes: int


class CallSite(NamedTuple):
    """A call by which threads enter a function."""

    caller: CallFrame
    return_to: int
    """The block of the caller at which they continue."""
    results: tuple[Transfer, ...]


class CallFrame:
    """A function that threads are in at some depth of calls: its registers and its variables.

    Threads from all calls share it, since each is in one of them and has its own lane.
    """

    def __init__(self, state: WaveState, function: Program, depth: int = 0) -> None:
        self.state, self.function, self.depth = state, function, depth
        self.call_sites: list[CallSite] = []
        self.site_numbers = np.zeros(state.wave.lane_count, np.int64)
        """The position in ``call_sites`` of the call by which each thread has entered."""
        self.registers: dict[str, ThreadValues] = {}
        self.symbols: dict[str, tuple[str, int]] = {}
        """The spaces and offsets of its variables."""
        self.number = 0
        """The frame's number in its wave."""
        local = state.spaces["local"]
        kernel_parameters = {x.name for x in function.parameters if function.is_kernel}
        for variable in function.variables.values():
            if variable.space in ("local", "param") and variable.name not in kernel_parameters:
                label = variable.name
                if _BUFFER_LABEL.fullmatch(label):  # nvcc names the arguments of calls so
                    label = f".param {label}"
                region = local.add_region(
                    label,
                    variable.bytes,
                    variable.element_bytes,
                    max(variable.alignment, 16),
                    32,
                )
                self.symbols[variable.name] = ("local", region.start)
        local.allocate()

    def find_symbol(self, name: str) -> tuple[str, int] | None:
        """Return the space and offset of a variable; None if it is not declared."""
        if found := self.symbols.get(name):
            return found
        return self.state.symbols.get(f"{self.function.name}:{name}") or self.state.symbols.get(
            name
        )

    def get_register(self, name: str) -> ThreadValues:
        """Return a register; nothing has written it at first."""
        values = self.registers.get(name)
        if values is None:
            count = self.state.wave.lane_count
            type_ = self.function.registers.get(name, "pred")
            values = ThreadValues(
                np.zeros(count, find_dtype(type_)), np.full(count, NEVER_WRITTEN, np.uint64)
            )
            self.registers[name] = values
        return values

    def enter(self, group: ThreadGroup, site_number: int) -> None:
        """Let threads enter by a call; their registers and variables are unknown at first."""
        self.site_numbers[group.mask] = site_number
        local = self.state.spaces["local"]
        assert local.causes is not None
        for name, (_, start) in self.symbols.items():
            end = start + self.function.variables[name].bytes
            local.causes[group.lanes, start:end] = NEVER_WRITTEN
        causes = np.full(len(group.mask), NEVER_WRITTEN, np.uint64)
        for values in self.registers.values():
            write_causes(values, group, causes)

    def find_register(self, operand: Operand | None) -> ThreadValues | None:
        """Return a register; None for any other operand."""
        return self.get_register(operand.name) if isinstance(operand, RegisterOperand) else None

    def find_source(self, operand: Operand | None, type_: str) -> ThreadValues | None:
        """Return a register or a constant; None for any other operand."""
        if isinstance(operand, RegisterOperand):
            return self.get_register(operand.name)
        if isinstance(operand, ConstantOperand) and type_ in TYPE_BITS:
            bits = convert_constant_operand(operand, type_)
            return self.state.get_constant(bits, find_dtype(type_))
        return None

    def get_destination(self, operand: Operand | None) -> ThreadValues:
        """Return a register; raise UnmodelledError for any other operand."""
        return require(self.find_register(operand))

    def get_part(self, operand: Operand | None) -> ThreadValues | None:
        """Return a register, or None for ``_``; raise UnmodelledError for any other operand."""
        return None if isinstance(operand, SinkOperand) else self.get_destination(operand)

    def get_source(self, operand: Operand | None, type_: str) -> ThreadValues:
        """Return a register or a constant; raise UnmodelledError for any other operand."""
        return require(self.find_source(operand, type_))


Step = Callable[[ThreadGroup], None]
"""A statement, executed by a group of threads."""
BoundCall = tuple[Callable[..., object], tuple[Bits, ...], Bits | None]
"""A function of arrays, its operands and its result."""


class StraightStep:
    """A statement that computes registers from others, for each thread alone, and can't fail."""

    __slots__ = ("act", "calls", "results", "sources")

    def __init__(
        self,
        act: Step,
        calls: Sequence[BoundCall],
        sources: Sequence[ThreadValues],
        results: Sequence[ThreadValues],
    ) -> None:
        """``calls`` do the same for all lanes, if all sources are known; there may be none."""
        self.act, self.calls, self.sources, self.results = act, calls, sources, results

    def __call__(self, group: ThreadGroup) -> None:
        """Execute the statement."""
        self.act(group)


def join_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield steps that do the same as others; straight ones side by side are one."""
    run = list[StraightStep]()
    for x in (*steps, None):
        if isinstance(x, StraightStep) and x.calls:
            run.append(x)
            continue
        if len(run) > 1:
            yield _join_straight(run)
        else:
            yield from run
        run = []
        if x:
            yield x


def _join_straight(steps: Sequence[StraightStep]) -> Step:
    """Return a step that makes the calls of some steps at once if all that they read is known."""
    calls = [y for x in steps for y in x.calls]
    results = {id(y): y for x in steps for y in x.results}.values()
    sources, written = dict[int, ThreadValues](), set[int]()
    for x in steps:
        sources |= {id(y): y for y in x.sources if id(y) not in written}
        written |= {id(y) for y in x.results}
    inputs, outputs = tuple(sources.values()), tuple(results)

    def act(group: ThreadGroup) -> None:
        if group.has_all:
            for values in inputs:
                if values.causes is not None:
                    break
            else:
                for function, operands, result in calls:
                    function(*operands, out=result)
                for values in outputs:
                    values.set_causes(None)
                return
        for step in steps:
            step.act(group)

    return act


_ValueT = TypeVar("_ValueT")


def require(value: _ValueT | None) -> _ValueT:
    """Return a value; raise UnmodelledError for None."""
    if value is None:
        raise UnmodelledError
    return value


def get_operands(
    statement: Statement, count: int, *, is_exact: bool = False
) -> Sequence[Operand | None]:
    """Return the first operands of a statement; raise UnmodelledError if it has fewer.

    With ``is_exact``, it has no others.
    """
    if len(statement.operands) < count or (is_exact and len(statement.operands) > count):
        raise UnmodelledError
    return statement.operands[:count]


def choose_modifier(statement: Statement, names: Container[str]) -> str:
    """Return the first modifier of some names; raise UnmodelledError if none exists."""
    return require(next((x for x in statement.modifiers if x in names), None))


def find_dtype(type_: str) -> np.dtype[Any]:
    """Return the array type of registers of a PTX type: unsigned integers, or truths."""
    bits = TYPE_BITS.get(type_, 32)
    return np.dtype(bool) if bits == 1 else np.dtype(f"u{max(min(bits, 64), 16) // 8}")


def unite_causes(values: Iterable[ThreadValues]) -> Causes | None:
    """Return the causes of all values together."""
    united: Causes | None = None
    for x in values:
        if x.causes is not None:
            united = x.causes if united is None else united | x.causes
    return united


def write_values(
    destination: ThreadValues,
    bits: Bits,
    group: ThreadGroup,
    causes: Causes | None,
    unknown: Bits | None = None,
) -> None:
    """Write an element for each lane; only the group's lanes count.

    ``unknown`` are the unknown bits, by default all bits of the elements that have causes.
    """
    if group.has_all:
        np.copyto(destination.bits, bits, casting="unsafe")
        destination.set_causes(causes, unknown)
        return
    np.copyto(destination.bits, bits, where=group.mask, casting="unsafe")
    write_causes(destination, group, causes, unknown)


def write_causes(
    destination: ThreadValues,
    group: ThreadGroup,
    causes: Causes | None,
    unknown: Bits | None = None,
) -> None:
    """Replace the causes and the unknown bits of the group's threads."""
    if group.has_all:
        destination.set_causes(causes, unknown)
        return
    if causes is None and destination.causes is None:
        return
    old_causes = np.uint64(0) if destination.causes is None else destination.causes
    new_causes = np.where(group.mask, np.uint64(0) if causes is None else causes, old_causes)
    if not new_causes.any():
        destination.set_causes(None)
        return
    if unknown is not None or destination.unknown is not None:
        new = ThreadValues(destination.bits, causes, unknown).list_unknown()
        unknown = np.where(group.mask, new, destination.list_unknown())
    destination.set_causes(new_causes, unknown)


def write_lanes(destination: ThreadValues, elements: Elements, group: ThreadGroup) -> None:
    """Write an element for each thread of the group."""
    lanes, (bits, causes, unknown) = group.lanes, elements
    destination.bits[lanes] = bits
    if causes is not None:
        full_causes = np.zeros(len(destination.bits), np.uint64)
        full_causes[lanes] = causes
        causes = full_causes
    if unknown is not None:
        full_unknown = np.zeros_like(destination.bits)
        full_unknown[lanes] = unknown
        unknown = full_unknown
    write_causes(destination, group, causes, unknown)
