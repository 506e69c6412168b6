"""Branches by a label or an index, and calls: arguments, frames, results (PTX ISA 9.7.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.program.statement_operands import (
    ConstantOperand,
    ListOperand,
    Operand,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from ....engine.program.variables import Variable
from .memory import AddressSpace, join_bytes
from .printed_text import find_integer, make_reader, read_string
from .register_names import iter_register_names
from .thread_state import (
    CallFrame,
    CallSite,
    LaunchError,
    LocalPlace,
    RegisterPlace,
    ThreadGroup,
    ThreadValues,
    Transfer,
    TransferPlace,
    WaveState,
    write_causes,
    write_values,
)

_MAX_DEPTH = 64
"""Maximum depth of calls."""
_WORD_BYTES = (1, 2, 4, 8)
"""The sizes of parameters in memory that a register can hold."""
_FAILED_ASSERTION = "__assertfail"
"""The function that a failed ``assert`` calls; it ends the kernel."""
_PRINT = "vprintf"
"""The function that ``printf`` calls."""
_HARMLESS_FUNCTIONS = frozenset((_PRINT, _FAILED_ASSERTION))
"""Functions without a body that write no memory of the kernel's."""

Leaving = Callable[[ThreadGroup], None]
"""The act of threads at a statement that ends a block."""


class Machine(Protocol):
    """The executor of the threads of a wave."""

    state: WaveState

    def send(self, frame: CallFrame, block: int, group: ThreadGroup) -> None:
        """Let threads go on at the start of a block."""

    def get_frame(self, function: Program, depth: int) -> CallFrame:
        """Return the frame of a function at a depth of calls."""

    def find_targets(self, frame: CallFrame, statement: Statement) -> list[int]:
        """Return the numbers of the blocks to which a statement branches."""


def make_branch(machine: Machine, frame: CallFrame, statement: Statement) -> Leaving:
    """Return the act of threads at ``bra``."""
    if not statement.targets:
        raise LaunchError("there is no such label", statement)
    target = machine.find_targets(frame, statement)[0]
    return lambda group: machine.send(frame, target, group)


def make_indexed_branch(machine: Machine, frame: CallFrame, statement: Statement) -> Leaving:
    """Return the act of threads at ``brx``."""
    index = frame.find_source(next(iter(statement.operands), None), "u32")
    targets = machine.find_targets(frame, statement)
    if index is None or not targets:
        raise LaunchError("there is no such list of labels", statement)

    def branch(group: ThreadGroup) -> None:
        if index.causes is not None and index.causes[group.mask].any():
            count = int(np.count_nonzero(index.causes[group.mask]))
            machine.state.fidelity.note_decision(statement, "the branch", count)
        values = index.bits[group.lanes]
        is_wrong = values >= len(targets)
        if is_wrong.any():
            message = f"the index is {values[is_wrong][0]}, of {len(targets)} labels"
            machine.state.fail(statement, group.lanes[is_wrong], message)
        for value in np.unique(values).tolist():
            part = group.narrow(index.bits == value)
            assert part
            machine.send(frame, targets[value], part)

    return branch


# --- calls


class _CallInFrame(NamedTuple):
    """A call statement in a frame."""

    machine: Machine
    frame: CallFrame
    statement: Statement
    next_block: int
    """The block at which threads continue when the function returns."""
    results: tuple[Operand, ...]
    arguments: tuple[Operand, ...]


def make_call(machine: Machine, frame: CallFrame, statement: Statement, next_block: int) -> Leaving:
    """Return the act of threads at ``call``; they continue at a block when the function returns."""
    operands = list(statement.operands)
    results: tuple[Operand, ...] = ()
    if operands and isinstance(operands[0], ListOperand):
        results = operands.pop(0).parts  # type: ignore[union-attr]
    callee = operands.pop(0) if operands else None
    arguments: tuple[Operand, ...] = ()
    if operands and isinstance(operands[0], ListOperand):
        arguments = operands[0].parts
    elif operands and isinstance(operands[0], ConstantOperand):  # (5)
        arguments = (operands[0],)
    call = _CallInFrame(machine, frame, statement, next_block, results, arguments)
    if isinstance(callee, SymbolOperand):
        function = machine.state.code.functions.get(callee.name)
        return _make_entrance(call, function, callee.name)
    if isinstance(callee, RegisterOperand):
        return _make_indirect_call(call, frame.get_register(callee.name))
    raise LaunchError("this call is not understood", statement)


def _make_indirect_call(call: _CallInFrame, address: ThreadValues) -> Leaving:
    functions = list(call.machine.state.code.functions.values())
    entrances: dict[int, Leaving] = {}

    def act(group: ThreadGroup) -> None:
        values = address.bits[group.lanes]
        is_wrong = (values < 1) | (values > len(functions))
        if is_wrong.any():
            message = f"there is no function at {values[is_wrong][0]:#x}"
            call.machine.state.fail(call.statement, group.lanes[is_wrong], message)
        parts = [(x, group.narrow(address.bits == x)) for x in np.unique(values).tolist()]
        for value, part in parts:
            if value not in entrances and part:
                entrances[value] = make_entrance(functions[value - 1], part)
        for value, part in parts:
            if part:
                entrances[value](part)

    def make_entrance(function: Program, part: ThreadGroup) -> Leaving:
        try:
            return _make_entrance(call, function, function.name)
        except LaunchError as error:
            error.lanes = part.lanes
            raise

    return act


def _make_entrance(call: _CallInFrame, function: Program | None, name: str) -> Leaving:
    """Return the act of threads that call a function."""
    if function is None or not function.has_body:
        return _make_foreign_call(call, name)
    machine, frame = call.machine, call.frame
    if frame.depth >= _MAX_DEPTH:
        raise LaunchError(f"calls are nested more than {_MAX_DEPTH} deep", call.statement)
    pairs = (function.parameters, call.arguments), (function.results, call.results)
    if any(len(variables) != len(operands) for variables, operands in pairs):
        raise LaunchError(f"{name} has different parameters", call.statement)
    child = machine.get_frame(function, frame.depth + 1)
    inputs, outputs = (
        tuple(transfer for x in zip(variables, operands, strict=True) for transfer in _split(*x))
        for variables, operands in pairs
    )
    site_number = len(child.call_sites)
    child.call_sites.append(CallSite(frame, call.next_block, outputs))

    def enter(group: ThreadGroup) -> None:
        child.enter(group, site_number)
        for x in inputs:
            _copy_value(group, x, (frame, x.outer), (child, x.inner))
        machine.send(child, 0, group)

    return enter


def _split(variable: Variable, operand: Operand) -> Iterator[Transfer]:
    """Yield the transfers between a parameter and an operand: one for each component of vectors."""
    is_register = variable.space == "reg"
    parts: tuple[Operand, ...] = (operand,)
    if isinstance(operand, VectorOperand):
        parts = operand.parts
    elif is_register and variable.element_count > 1:
        return  # a literal for a vector: ptxas takes it, and no manual explains it
    size = variable.bytes // len(parts)
    for i, part in enumerate(parts):
        inner: Operand = SymbolOperand(variable.name, i * size)
        if is_register:
            inner = RegisterOperand(variable.name + ("." + "xyzw"[i] if len(parts) > 1 else ""))
        yield Transfer(inner, part, variable.type, size)


def leave_frame(machine: Machine, frame: CallFrame, group: ThreadGroup) -> None:
    """Let threads return from a function to their callers, with its results."""
    numbers = frame.site_numbers
    for number in np.unique(numbers[group.lanes]).tolist():
        part, site = group.narrow(numbers == number), frame.call_sites[number]
        assert part
        for x in site.results:
            _copy_value(part, x, (frame, x.inner), (site.caller, x.outer))
        machine.send(site.caller, site.return_to, part)


def _describe_assertion(frame: CallFrame, arguments: tuple[Operand, ...], lane: int) -> str:
    """Return ``: i < n, in void f(int), a.cu:13``, if the arguments are known."""
    read = make_reader(frame.state, lane)
    values: list[int | None] = [find_integer(_find_argument(frame, x), lane) for x in arguments]
    condition, file, line, function = [*values, None, None, None, None][:4]
    places = (": ", condition), (", in ", function), (", ", file)
    texts = [lead + read_string(read, address) for lead, address in places if address]
    return "".join(texts) + (f":{line}" if file and line is not None else "")


def _find_argument(frame: CallFrame, operand: Operand) -> ThreadValues | None:
    """Return the values of an argument of a function that is not in the text."""
    name = operand.name if isinstance(operand, SymbolOperand) else ""
    variable = frame.function.variables.get(name)
    size = variable.bytes if variable else 8
    place = _find_place(frame, operand, size)
    return _find_values(frame.state.spaces["local"], frame, operand, place, f"b{8 * size}")


def _make_foreign_call(call: _CallInFrame, name: str) -> Leaving:
    """Return the act of threads that call a function without a body."""
    frame, statement, state = call.frame, call.statement, call.machine.state
    reason = f"the function {name} is not defined here"
    cause = state.fidelity.get_cause(statement, reason)
    causes = np.full(state.wave.lane_count, cause)

    def act(group: ThreadGroup) -> None:
        if name == _FAILED_ASSERTION and not state.fidelity.decisions:
            details = _describe_assertion(frame, call.arguments, int(group.lanes[0]))
            state.fail(statement, group.lanes, f"calls {name}: an assertion fails{details}")
        if name == _PRINT and state.print_text:
            values = [_find_argument(frame, x) for x in call.arguments]
            for lane in group.lanes.tolist():
                state.print_text(lane, statement.line, values)
        for result in call.results:
            for register in iter_register_names(result):
                write_causes(frame.get_register(register), group, causes)
                if state.observer:
                    state.observer.note_transfer(group, None, RegisterPlace(frame, register))
            if isinstance(result, SymbolOperand) and (place := frame.find_symbol(result.name)):
                size = frame.function.variables[result.name].bytes
                local = state.spaces["local"]
                assert local.causes is not None
                local.causes[group.lanes, place[1] : place[1] + size] = cause
        if name not in _HARMLESS_FUNCTIONS:
            state.fidelity.note_decision(statement, "what it does", group.count, reason)
        call.machine.send(frame, call.next_block, group)

    return act


def _copy_value(
    group: ThreadGroup,
    transfer: Transfer,
    source: tuple[CallFrame, Operand],
    destination: tuple[CallFrame, Operand],
) -> None:
    """Copy an argument to a parameter, or a result to the caller's destination."""
    origin = _find_place(*source, transfer.bytes)
    target = _find_place(*destination, transfer.bytes)
    state = source[0].state
    local = state.spaces["local"]
    if isinstance(origin, LocalPlace) and isinstance(target, LocalPlace):
        _copy_bytes(local, group, origin, target)
    else:
        values = _find_values(local, *source, origin, transfer.type)
        if target is None or values is None:
            return
        if isinstance(target, RegisterPlace):
            register = target.frame.get_register(target.name)
            write_values(register, values.bits, group, values.causes, values.unknown)
        elif target.size in _WORD_BYTES:
            _store_values(local, group, target, values)
    if state.observer:
        state.observer.note_transfer(group, origin, target)


def _find_place(frame: CallFrame, x: Operand, size: int) -> TransferPlace | None:
    """Return the place of an argument or a result of some bytes; None for a constant."""
    if isinstance(x, SymbolOperand):
        space, start = frame.find_symbol(x.name) or ("", 0)
        return LocalPlace(start + x.offset, size) if space == "local" else None
    return RegisterPlace(frame, x.name) if isinstance(x, RegisterOperand) else None


def _find_values(
    local: AddressSpace,
    frame: CallFrame,
    source: Operand,
    place: TransferPlace | None,
    type_: str,
) -> ThreadValues | None:
    """Return the values of a register, of a word in local memory, or of a constant."""
    if isinstance(place, RegisterPlace):
        return place.frame.get_register(place.name)
    if place is None:
        return frame.find_source(source, type_) if isinstance(source, ConstantOperand) else None
    if place.size not in _WORD_BYTES:
        return None
    assert local.causes is not None
    start, end = place.start, place.start + place.size
    words = np.ascontiguousarray(local.data[:, start:end]).view(f"u{place.size}")
    return ThreadValues(*join_bytes(words[:, 0], local.causes[:, start:end]))


def _store_values(
    local: AddressSpace, group: ThreadGroup, place: LocalPlace, values: ThreadValues
) -> None:
    lanes, start, end = group.lanes, place.start, place.start + place.size
    elements = values.gather(lanes, np.dtype(f"u{place.size}"))
    local.data[lanes, start:end] = elements.bits.view(np.uint8).reshape(-1, place.size)
    assert local.causes is not None
    local.causes[lanes, start:end] = elements.list_byte_causes()


def _copy_bytes(
    local: AddressSpace, group: ThreadGroup, source: LocalPlace, destination: LocalPlace
) -> None:
    lanes, start, end = group.lanes, source.start, destination.start
    size = min(source.size, destination.size)
    assert local.causes is not None
    for rows in (local.data, local.causes):
        rows[lanes, end : end + size] = rows[lanes, start : start + size]
