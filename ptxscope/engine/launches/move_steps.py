"""Moves: registers, constants, special registers, addresses, and parts of registers."""

from __future__ import annotations

import numpy as np

from ..program.statement import Statement
from ..program.statement_operands import (
    TYPE_BITS,
    Operand,
    RegisterOperand,
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


def make_move(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``mov``; None if its operands are of another kind."""
    if len(statement.operands) != 2 or not statement.modifiers:
        return None
    destination, source = statement.operands
    type_ = statement.modifiers[-1]
    if TYPE_BITS.get(type_, 128) > 64:
        return None
    if isinstance(destination, VectorOperand):
        return _make_unpacking(frame, destination, source, type_)
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


def make_packing(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``mov.b64 d, {a, b}``; None for other operands."""
    destination, source = statement.operands
    type_ = statement.modifiers[-1] if statement.modifiers else ""
    register = frame.find_register(destination)
    if TYPE_BITS.get(type_, 128) > 64 or not isinstance(source, VectorOperand) or not register:
        return None
    count = len(source.parts)
    part_type = f"b{TYPE_BITS[type_] // count}"
    parts = [frame.find_source(x, part_type) for x in source.parts]
    values = [x for x in parts if x is not None]
    part_dtype = np.dtype(f"u{TYPE_BITS[type_] // count // 8}")
    if len(values) < count or not part_dtype.itemsize:
        return None

    def join(parts: list[Bits]) -> Bits:
        packed = np.empty((len(register.bits), count), part_dtype)
        for i, x in enumerate(parts):
            packed[:, i] = x
        bits: Bits = packed.view(find_dtype(type_)).reshape(-1)
        return bits

    def pack(group: ThreadGroup) -> None:
        causes = unite_causes(values)
        unknown = None if causes is None else join([x.list_unknown() for x in values])
        write_values(register, join([x.bits for x in values]), group, causes, unknown)

    return pack


def _make_unpacking(
    frame: CallFrame, destination: VectorOperand, source: Operand | None, type_: str
) -> Step | None:
    values = frame.find_source(source, type_)
    count = len(destination.parts)
    part_bytes = TYPE_BITS[type_] // count // 8
    if values is None or not part_bytes:
        return None
    parts: list[tuple[int, ThreadValues]] = []
    for i, part in enumerate(destination.parts):
        if isinstance(part, RegisterOperand):
            parts.append((i, frame.get_register(part.name)))
        elif not isinstance(part, SinkOperand):
            return None

    def split(bits: Bits) -> Bits:
        return bits.view(f"u{part_bytes}").reshape(-1, count).copy()

    def unpack(group: ThreadGroup) -> None:
        columns, causes = split(values.bits), values.causes
        unknown = None if values.unknown is None else split(values.unknown)
        for i, register in parts:
            part_unknown = None if unknown is None else unknown[:, i]
            part = make_elements(columns[:, i], causes, part_unknown)
            write_values(register, part.bits, group, part.causes, part.unknown)

    return unpack


def make_any_move(frame: CallFrame, statement: Statement) -> Step | None:
    """Return the step of ``mov``, of a value or of parts."""
    if len(statement.operands) == 2 and isinstance(statement.operands[1], VectorOperand):
        return make_packing(frame, statement)
    return make_move(frame, statement)


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
