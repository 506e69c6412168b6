"""The basic blocks whose statements threads all run without waiting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....engine.program.control_flow import CodeBlock, find_blocks
from ....engine.program.statement import Statement
from ....engine.syntax.opcodes import BARRIERS, CALLS, COLLECTIVES, NEVER_FALLS_THROUGH

_LEAVING = NEVER_FALLS_THROUGH | BARRIERS | CALLS
"""The opcodes after which threads may continue elsewhere, or wait."""


def is_collective(statement: Statement) -> bool:
    """Whether threads of a warp wait for each other at a statement, to exchange values."""
    if statement.opcode in BARRIERS:
        return "warp" in statement.modifiers
    return statement.opcode in COLLECTIVES and "sync" in statement.modifiers


def is_leaving(statement: Statement) -> bool:
    """Whether threads may continue elsewhere after a statement, or wait."""
    return statement.opcode in _LEAVING and not is_collective(statement)


def find_thread_blocks(
    statements: Sequence[Statement], labels: Iterable[int]
) -> tuple[CodeBlock, ...]:
    """Return the basic blocks whose statements threads all run without waiting.

    ``labels`` are the indices of the statements after each label.
    """
    leaving = (i + 1 for i, x in enumerate(statements) if is_leaving(x))
    collective = (i for i, x in enumerate(statements) if is_collective(x))
    return find_blocks(statements, (*labels, *leaving, *collective))
