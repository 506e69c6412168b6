"""The registers that a statement reads and writes, by name."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.control_flow import is_leaving
from ..program.statement import Statement
from ..program.statement_operands import (
    ListOperand,
    MemoryOperand,
    Operand,
    PairOperand,
    RegisterOperand,
    VectorOperand,
)


def iter_register_names(operand: Operand | None) -> Iterator[str]:
    """Yield the registers of an operand, except those of an address."""
    if isinstance(operand, RegisterOperand):
        yield operand.name
    elif isinstance(operand, (VectorOperand, PairOperand, ListOperand)):
        for part in operand.parts:
            yield from iter_register_names(part)


def iter_written_names(statement: Statement) -> Iterator[str]:
    """Yield the registers that a statement writes."""
    if is_leaving(statement):
        if "red" in statement.modifiers:
            yield from iter_register_names(statement.operands[0])
    elif statement.instruction:
        yield from statement.instruction.results.values()
    elif statement.operands:
        yield from iter_register_names(statement.operands[0])


def iter_source_names(statement: Statement) -> Iterator[str]:
    """Yield the registers whose values a statement reads, except its guard and addresses."""
    if statement.instruction:
        results = set(statement.instruction.results)
        for role, name in statement.instruction.names.items():
            if role not in results and role != "guard":
                yield name
        return
    is_first_written = not is_leaving(statement) or "red" in statement.modifiers
    if statement.opcode == "call":
        is_first_written = isinstance(next(iter(statement.operands), None), ListOperand)
    for operand in statement.operands[is_first_written:]:
        yield from iter_register_names(operand)


def iter_read_names(statement: Statement) -> Iterator[str]:
    """Yield the registers that a statement reads, also for its guard and its addresses."""
    yield from iter_source_names(statement)
    yield from iter_address_names(statement)
    if statement.guard:
        yield statement.guard.name


def iter_address_names(statement: Statement) -> Iterator[str]:
    """Yield the registers of a statement's addresses."""
    for operand in statement.operands:
        if isinstance(operand, MemoryOperand) and isinstance(operand.base, RegisterOperand):
            yield operand.base.name
