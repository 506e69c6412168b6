"""Moves: registers, constants, special registers, addresses, and parts of registers."""

from __future__ import annotations

import numpy as np

from ...engine.program.statement import Statement, make_vector_move
from ...engine.program.statement_operands import (
    TYPE_BITS,
    Operand,
    SpecialOperand,
    SymbolOperand,
    VectorOperand,
)
from .memory import Bits, make_elements
from .memory_regions import SPACES, WINDOW_BITS, get_window_start
from .thread_state import (
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    find_dtype,
    get_operands,
    require,
    unite_causes,
    write_values,
)


def _get_move_source(frame: CallFrame, source: Operand | None, type_: str) -> ThreadValues:
    """Return what a ``mov`` copies, except a vector."""
    dtype = find_dtype(type_)
    if isinstance(source, SpecialOperand):
        special = frame.state.wave.make_special_register(source.name)
        if special is None:
            raise UnmodelledError
        if isinstance(special, int):
            return frame.state.get_constant(special, dtype)
        return ThreadValues(special.astype(dtype))
    if isinstance(source, SymbolOperand):
        return frame.state.get_constant(require(_find_address(frame, source)), dtype)
    return frame.get_source(source, type_)


def _find_address(frame: CallFrame, symbol: SymbolOperand) -> int | None:
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
) -> Step:
    """Return the step of ``mov.b64 d, {a, b}``, of the reverse, or of ``mov.v2.b32``."""
    destinations, sources = operands
    target_count, source_count = len(destinations), len(sources)
    names = ("",) * target_count, ("",) * source_count
    move = require(make_vector_move(".".join(statement.modifiers), *names))
    count = max(target_count, source_count)
    part_dtype = np.dtype(f"u{move.part_bits // 8}")
    source_type = f"b{move.part_bits * count // source_count}"
    values = [frame.get_source(x, source_type) for x in sources]
    registers = [frame.get_part(x) for x in destinations]

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


def make_move(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``mov``, of a value or of parts."""
    destination, source = operands = get_operands(statement, 2, is_exact=True)
    if any(isinstance(x, VectorOperand) for x in operands):
        parts = (x.parts if isinstance(x, VectorOperand) else (x,) for x in operands)
        return _make_parts_move(frame, statement, *parts)
    type_ = "".join(statement.modifiers[-1:])
    if TYPE_BITS.get(type_, 128) > 64:
        raise UnmodelledError
    return _make_copy(frame.get_destination(destination), _get_move_source(frame, source, type_))


def make_address_conversion(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``cvta`` on 64 bits (PTX ISA 9.7.9.20)."""
    destination, source = get_operands(statement, 2, is_exact=True)
    names = [x.partition("::")[0] for x in statement.modifiers]
    space = next((x for x in names if x in SPACES), None)
    if space is None or names[-1] != "u64":
        raise UnmodelledError
    if isinstance(source, SymbolOperand) and (place := frame.find_symbol(source.name)):
        space = place[0] if space == "param" else space
    register, values = frame.get_destination(destination), _get_move_source(frame, source, "u64")
    if space == "global":
        return _make_copy(register, values)
    start = np.uint64(get_window_start(space))
    convert = np.subtract if "to" in statement.modifiers else np.add

    def convert_address(group: ThreadGroup) -> None:
        write_values(register, convert(values.bits, start), group, values.causes)

    return convert_address


def make_space_test(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``isspacep`` (PTX ISA 9.7.9.19)."""
    destination, source = get_operands(statement, 2, is_exact=True)
    register, values = frame.get_destination(destination), frame.get_source(source, "u64")
    space = "".join(statement.modifiers[:1]).partition("::")[0]
    if space not in SPACES:
        raise UnmodelledError
    window = get_window_start(space) >> WINDOW_BITS

    def test(group: ThreadGroup) -> None:
        bits = values.bits >> np.uint64(WINDOW_BITS) == window
        write_values(register, bits, group, values.causes)

    return test
