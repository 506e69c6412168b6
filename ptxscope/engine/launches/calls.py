"""Calls of functions: arguments, frames, results (PTX ISA 9.7.12.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from .device_code import (
    CodeStatement,
    Function,
    ListOperand,
    Operand,
    RegisterOperand,
    SymbolOperand,
    Variable,
)
from .thread_state import (
    Frame,
    Group,
    LaunchError,
    ThreadValues,
    WaveState,
    write_causes,
    write_values,
)

Leaving = Callable[[Group], None]
"""What threads do at a statement that ends their block."""
_MAX_DEPTH = 64
"""Maximum depth of calls."""
_HARMLESS_FUNCTIONS = frozenset(("vprintf", "__assertfail"))
"""Functions without a body that write no memory of the kernel's."""


class Machine(Protocol):
    """What runs the threads."""

    state: WaveState

    def send(self, frame: Frame, block: int, group: Group) -> None:
        """Let threads go on at the start of a block."""

    def add_frame(self, frame: Frame) -> Frame:
        """Add a frame, and return it."""


def make_call(machine: Machine, frame: Frame, statement: CodeStatement, next_block: int) -> Leaving:
    """Return what threads do at ``call``; they go on at a block when the function returns."""
    operands = list(statement.operands)
    results: tuple[Operand, ...] = ()
    if operands and isinstance(operands[0], ListOperand):
        results = operands.pop(0).parts  # type: ignore[union-attr]
    callee = operands.pop(0) if operands else None
    arguments: tuple[Operand, ...] = ()
    if operands and isinstance(operands[0], ListOperand):
        arguments = operands[0].parts
    if isinstance(callee, SymbolOperand):
        function = machine.state.code.functions.get(callee.name)
        return _make_entrance(
            machine, frame, statement, next_block, function, results, arguments, callee.name
        )
    if isinstance(callee, RegisterOperand):
        return _make_indirect_call(
            machine,
            frame,
            statement,
            next_block,
            frame.get_register(callee.name),
            results,
            arguments,
        )
    raise LaunchError("this call is not understood", statement)


def _make_indirect_call(
    machine: Machine,
    frame: Frame,
    statement: CodeStatement,
    next_block: int,
    address: ThreadValues,
    results: tuple[Operand, ...],
    arguments: tuple[Operand, ...],
) -> Leaving:
    functions = list(machine.state.code.functions.values())
    entrances: dict[int, Leaving] = {}

    def call(group: Group) -> None:
        values = address.bits[group.lanes]
        is_wrong = (values < 1) | (values > len(functions))
        if is_wrong.any():
            message = f"there is no function at {values[is_wrong][0]:#x}"
            machine.state.fail(statement, group.lanes[is_wrong], message)
        parts = [(x, group.narrow(address.bits == x)) for x in np.unique(values).tolist()]
        for value, part in parts:
            if value not in entrances and part:
                entrances[value] = make_entrance(value, part)
        for value, part in parts:
            if part:
                entrances[value](part)

    def make_entrance(value: int, part: Group) -> Leaving:
        function = functions[value - 1]
        try:
            return _make_entrance(
                machine,
                frame,
                statement,
                next_block,
                function,
                results,
                arguments,
                function.name,
            )
        except LaunchError as error:
            error.lanes = part.lanes
            raise

    return call


def _make_entrance(
    machine: Machine,
    frame: Frame,
    statement: CodeStatement,
    next_block: int,
    function: Function | None,
    results: tuple[Operand, ...],
    arguments: tuple[Operand, ...],
    name: str,
) -> Leaving:
    """Return what threads do that call a function."""
    if function is None or not function.has_body:
        return _make_foreign_call(machine, frame, statement, next_block, results, name)
    if frame.depth >= _MAX_DEPTH:
        raise LaunchError(f"calls are nested more than {_MAX_DEPTH} deep", statement)
    if len(arguments) != len(function.parameters) or len(results) != len(function.results):
        raise LaunchError(f"{name} has other parameters", statement)
    child = machine.add_frame(Frame(machine.state, function, frame, next_block))
    child.returns = tuple(zip(function.results, results, strict=True))

    def call(group: Group) -> None:
        child.forget_registers(group)
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            copy_value(machine.state, group, frame, argument, child, parameter)
        machine.send(child, 0, group)

    return call


def _make_foreign_call(
    machine: Machine,
    frame: Frame,
    statement: CodeStatement,
    next_block: int,
    results: tuple[Operand, ...],
    name: str,
) -> Leaving:
    """Return what threads do that call a function that is not in the text."""
    state = machine.state
    reason = f"the function {name} is not here"
    cause = state.fidelity.get_cause(statement, reason)
    causes = np.full(state.wave.lane_count, cause)

    def call(group: Group) -> None:
        for result in results:
            if isinstance(result, RegisterOperand):
                write_causes(frame.get_register(result.name), group, causes)
            elif isinstance(result, SymbolOperand) and (place := frame.find_symbol(result.name)):
                size = frame.function.variables[result.name].bytes
                local = state.spaces["local"]
                assert local.causes is not None
                local.causes[group.lanes, place[1] : place[1] + size] = cause
        if name not in _HARMLESS_FUNCTIONS:
            state.fidelity.note_decision(statement, "what it does", group.count, reason)
        machine.send(frame, next_block, group)

    return call


def copy_value(
    state: WaveState,
    group: Group,
    source_frame: Frame,
    source: Operand | Variable,
    destination_frame: Frame,
    destination: Operand | Variable,
) -> None:
    """Copy an argument to a parameter, or a result to where the caller wants it."""
    source_place, target_place = (
        frame.find_symbol(x.name) if isinstance(x, (Variable, SymbolOperand)) else None
        for frame, x in ((source_frame, source), (destination_frame, destination))
    )
    sizes = [x.bytes for x in (source, destination) if isinstance(x, Variable)]
    local = state.spaces["local"]
    if source_place and target_place and sizes:
        lanes, size = group.lanes, sizes[0]
        start, end = source_place[1], target_place[1]
        local.data[lanes, end : end + size] = local.data[lanes, start : start + size]
        assert local.causes is not None
        local.causes[lanes, end : end + size] = local.causes[lanes, start : start + size]
        if state.observer:
            state.observer.note_copy(group, start, end, size)
        return
    values = _find_values(source_frame, source)
    target = _find_values(destination_frame, destination)
    if values and target:
        write_values(target, values.bits, group, values.causes)


def _find_values(frame: Frame, x: Operand | Variable) -> ThreadValues | None:
    """Return the register of an operand or of a parameter, or a constant."""
    if isinstance(x, Variable):
        return frame.get_register(x.name)
    if isinstance(x, RegisterOperand):
        return frame.get_register(x.name)
    return frame.find_source(x, "b32")
