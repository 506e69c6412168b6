"""The text of a statement with another operand in a place."""

from __future__ import annotations

from ...engine.program.statement import Statement
from ...engine.program.statement_operands import (
    ConstantOperand,
    MemoryOperand,
    Operand,
    RegisterOperand,
    SpecialOperand,
)


def replace_operand_text(statement: Statement, index: int, operand: Operand) -> str:
    """Return the text of a statement with another operand in a place."""
    start = statement.text.find(statement.name) + len(statement.name)
    parts, depth = [""], 0
    for character in statement.text[start:]:
        depth += (character in "[{(") - (character in ")}]")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    if index < len(parts):
        blanks = parts[index][: len(parts[index]) - len(parts[index].lstrip())]
        parts[index] = blanks + _format_operand(operand, parts[index].strip())
    return statement.text[:start] + ",".join(parts)


def _format_operand(operand: Operand, old: str) -> str:
    """Return an operand as it is written; ``old`` if it is of a kind that is not changed."""
    if isinstance(operand, MemoryOperand) and isinstance(operand.base, RegisterOperand):
        offset = f"{operand.offset:+d}" if operand.offset else ""
        return f"[{_get_written_name(operand.base.name)}{offset.replace('-', '+-')}]"
    if isinstance(operand, RegisterOperand):
        return ("!" if operand.is_negated else "") + _get_written_name(operand.name)
    if isinstance(operand, ConstantOperand):
        return str(operand.value)
    return operand.name if isinstance(operand, SpecialOperand) else old


def _get_written_name(name: str) -> str:
    """Return a register's name without what makes it unique."""
    return name.partition("#")[0]
