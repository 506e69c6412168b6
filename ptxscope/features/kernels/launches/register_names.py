"""The registers that a statement of a run reads and writes, by their unique names."""

from __future__ import annotations

from collections.abc import Iterator

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import (
    ListOperand,
    MemoryOperand,
    Operand,
    PairOperand,
    RegisterOperand,
    VectorOperand,
)
from ....engine.syntax.register_accesses import count_written

_OPENINGS = {ListOperand: "(", MemoryOperand: "["}


def count_written_operands(statement: Statement) -> int:
    """Return the number of first operands that a statement writes."""
    openings = [_OPENINGS.get(type(x), "") for x in statement.operands]
    return count_written(statement.opcode, statement.modifiers, openings)


def iter_written_names(statement: Statement) -> Iterator[str]:
    """Yield the unique names of the registers that a statement writes."""
    if statement.instruction:
        yield from statement.instruction.results.values()
        return
    for operand in statement.operands[: count_written_operands(statement)]:
        yield from iter_register_names(operand)


def iter_source_names(statement: Statement) -> Iterator[str]:
    """Yield the registers whose values a statement reads, except its guard and addresses."""
    if statement.instruction:
        results = set(statement.instruction.results)
        for role, name in statement.instruction.names.items():
            if role not in results and role != "guard":
                yield name
        return
    for operand in statement.operands[count_written_operands(statement) :]:
        yield from iter_register_names(operand)


def iter_address_names(statement: Statement) -> Iterator[str]:
    """Yield the registers of the addresses of a statement."""
    for operand in statement.operands:
        if isinstance(operand, MemoryOperand) and isinstance(operand.base, RegisterOperand):
            yield operand.base.name


def iter_read_names(statement: Statement) -> Iterator[str]:
    """Yield the registers that a statement reads, also for its guard and its addresses."""
    yield from iter_source_names(statement)
    yield from iter_address_names(statement)
    if statement.guard:
        yield statement.guard.name


def iter_register_names(operand: Operand | None) -> Iterator[str]:
    """Yield the registers of an operand, except those of an address."""
    if isinstance(operand, RegisterOperand):
        yield operand.name
    elif isinstance(operand, (VectorOperand, PairOperand, ListOperand)):
        for part in operand.parts:
            yield from iter_register_names(part)
