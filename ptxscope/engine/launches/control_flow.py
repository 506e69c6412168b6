"""Basic blocks: statements that run one after the other, up to one that may go elsewhere."""

from __future__ import annotations

from typing import NamedTuple

from ..program.statement import Statement
from .device_code import Function

LEAVING = frozenset(("bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier"))
"""The opcodes after which threads may be elsewhere, or wait."""
_COLLECTIVE = frozenset(("vote", "shfl", "match", "redux", "elect"))
"""The opcodes at which the threads of a warp exchange values."""


class CodeBlock(NamedTuple):
    """The statements ``start`` to ``end`` of a function."""

    start: int
    end: int
    """The index after the last statement."""


class ControlFlow(NamedTuple):
    """The basic blocks of a function, in order; a branch always leads to the start of one."""

    blocks: tuple[CodeBlock, ...]
    numbers: dict[int, int]
    """The number of the block that begins at a statement; one after the last at its end."""


def is_collective(statement: Statement) -> bool:
    """Whether threads of a warp wait for each other at a statement, to exchange values."""
    if statement.opcode == "bar":
        return "warp" in statement.modifiers
    return statement.opcode in _COLLECTIVE and "sync" in statement.modifiers


def find_blocks(function: Function) -> ControlFlow:
    """Return the basic blocks of a function."""
    statements = function.statements
    starts = {0, *function.labels}
    for index, statement in enumerate(statements):
        if is_leaving(statement):
            starts.add(index + 1)
        if is_collective(statement):
            starts.add(index)
    ordered_starts = sorted(x for x in starts if x < len(statements))
    ends = [*ordered_starts[1:], len(statements)]
    blocks = tuple(CodeBlock(*x) for x in zip(ordered_starts, ends, strict=False))
    numbers = {block.start: number for number, block in enumerate(blocks)}
    numbers[len(statements)] = len(blocks)
    return ControlFlow(blocks, numbers)


def is_leaving(statement: Statement) -> bool:
    """Whether a statement ends its block."""
    return statement.opcode in LEAVING and not is_collective(statement)
