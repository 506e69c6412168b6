"""Moves: registers, constants, special registers, addresses, and parts of registers."""

from __future__ import annotations

import numpy as np

from ...engine.program.statement import Statement, make_vector_move
from ...engine.program.statement_operands import (
    TYPE_BITS,
    Operand,
    SinkOperand,
    SpecialOperand,
    SymbolOperand,
    VectorOperand,
)
from .memory import make_elements
from .memory_regions import SPACES, WINDOW_BITS, find_space_of_window, get_window_start
from .thread_state import (
    Bits,
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    find_dtype,
    unite_causes,
    write_values,
)


def _make_move(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``mov``; None if its operands are of another kind."""
    if len(statement.operands) != 2 or not statement.modifiers:
        return None
    destination, source = statement.operands
    type_ = statement.modifiers[-1]
    if TYPE_BITS.get(type_, 128) > 64:
        return None
    register = frame.find_register(destination)
    values = find_move_source(frame, source, type_)
    return _make_copy(register, values) if register and values else None


def find_move_source(frame: CallFrame, source: Operand | None, type_: str) -> ThreadValues | None:
    """Return what a ``mov`` copies, except a vector; None if it is not known."""
    dtype = find_dtype(type_)
    if isinstance(source, SpecialOperand):
        special = frame.state.wave.make_special_register(source.name)
        if isinstance(special, int):
            return frame.state.get_constant(special, dtype)
        return None if special is None else ThreadValues(special.astype(dtype))
    if isinstance(source, SymbolOperand):
        address = find_address(frame, source)
        return None if address is None else frame.state.get_constant(address, dtype)
    if isinstance(source, VectorOperand):
        return None
    return frame.find_source(source, type_)


def find_address(frame: CallFrame, symbol: SymbolOperand) -> int | None:
    """Return the address of a variable in its space, or of a function; None for another name."""
    if place := frame.find_symbol(symbol.name):
        space, offset = place
        start = get_window_start(space) if space == "global" else 0
        return start + offset + symbol.offset
    names = list(frame.state.code.functions)
    return names.index(symbol.name) + 1 if symbol.name in names else None


def _make_copy(destination: ThreadValues, source: ThreadValues) -> Step:
    def copy(group: ThreadGroup) -> None:
        write_values(destination, source.bits, group, source.causes, source.unknown)

    return copy


def _make_parts_move(
    frame: CallFrame, statement: Statement, *operands: tuple[Operand | None, ...]
) -> Step | None:
    """Return the step of ``mov.b64 d, {a, b}``, of the reverse, or of ``mov.v2.b32``."""
    destinations, sources = operands
    target_count, source_count = len(destinations), len(sources)
    names = ("",) * target_count, ("",) * source_count
    move = make_vector_move(".".join(statement.modifiers), *names)
    if move is None:
        return None
    count = max(target_count, source_count)
    part_dtype = np.dtype(f"u{move.part_bits // 8}")
    source_type = f"b{move.part_bits * count // source_count}"
    found = [frame.find_source(x, source_type) for x in sources]
    values = [x for x in found if x is not None]
    registers = [frame.find_register(x) for x in destinations]
    pairs = zip(registers, destinations, strict=True)
    is_known = all(register or isinstance(x, SinkOperand) for register, x in pairs)
    if len(values) < source_count or not is_known:
        return None

    def convert(arrays: list[Bits]) -> list[Bits]:
        """Return the elements of each destination."""
        if source_count == 1:
            columns = arrays[0].view(part_dtype).reshape(-1, count).copy()
        else:
            columns = np.empty((len(arrays[0]), count), part_dtype)
            for i, x in enumerate(arrays):
                columns[:, i] = x
        if target_count > 1:
            return [*columns.T]
        return [columns.view(f"u{part_dtype.itemsize * count}").reshape(-1)]

    def act(group: ThreadGroup) -> None:
        bits, causes = convert([x.bits for x in values]), unite_causes(values)
        unknown = None if causes is None else convert([x.list_unknown() for x in values])
        for i, register in enumerate(registers):
            if register:
                part = make_elements(bits[i], causes, None if unknown is None else unknown[i])
                write_values(register, part.bits, group, part.causes, part.unknown)

    return act


def make_any_move(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``mov``, of a value or of parts."""
    operands = statement.operands
    if len(operands) == 2 and any(isinstance(x, VectorOperand) for x in operands):
        parts = (x.parts if isinstance(x, VectorOperand) else (x,) for x in operands)
        return _make_parts_move(frame, statement, *parts)
    return _make_move(frame, statement)


def make_address_conversion(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``cvta`` on 64 bits (PTX ISA 9.7.9.20)."""
    if len(statement.operands) != 2 or statement.modifiers[-1:] != ("u64",):
        return None
    destination, source = statement.operands
    space = next((x for y in statement.modifiers if (x := y.partition("::")[0]) in SPACES), None)
    if isinstance(source, SymbolOperand):
        source_place = frame.find_symbol(source.name)
        space = source_place[0] if source_place and space == "param" else space
    register, values = frame.find_register(destination), find_move_source(frame, source, "u64")
    if space is None or values is None or register is None:
        return None
    if space == "global":
        return _make_copy(register, values)
    start = np.uint64(get_window_start(space))
    convert = np.subtract if "to" in statement.modifiers else np.add

    def convert_address(group: ThreadGroup) -> None:
        write_values(register, convert(values.bits, start), group, values.causes)

    return convert_address


def make_space_test(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``isspacep`` (PTX ISA 9.7.9.19)."""
    if len(statement.operands) != 2:
        return None
    destination, source = statement.operands
    space = statement.modifiers[0].partition("::")[0] if statement.modifiers else ""
    register, values = frame.find_register(destination), frame.find_source(source, "u64")
    if space not in SPACES or values is None or register is None:
        return None
    window = get_window_start(space) >> WINDOW_BITS
    assert find_space_of_window(window) == space

    def test(group: ThreadGroup) -> None:
        bits = values.bits >> np.uint64(WINDOW_BITS) == window
        write_values(register, bits, group, values.causes)

    return test
