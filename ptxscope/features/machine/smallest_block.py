"""The smallest part of a block whose machine code departs from the documentation like the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...blocks.block_parser import parse_block
from ...engine.syntax.errors import PtxError
from ...engine.tracing.basic_block import BasicBlock
from .kernel_source import list_statements, make_kernel_source


def find_smallest_block(
    block: BasicBlock, has_departure: Callable[[list[BasicBlock]], list[bool]]
) -> BasicBlock:
    """Return a block without the statements that do not matter, with legal names.

    Return the block itself if its text alone, without declarations, does not depart.
    ``has_departure`` decides several blocks at once.
    """
    lines = list_statements(block)
    smallest = _read(lines)
    if smallest is None or not all(has_departure([smallest])):
        return block
    while True:
        blocks = {index: _read(_remove(lines, [index])) for index in range(len(lines))}
        candidates = {index: x for index, x in blocks.items() if x}
        decided = has_departure([*candidates.values()]) if candidates else []
        removable = [x for x, departs in zip(candidates, decided, strict=True) if departs]
        if not removable:
            return smallest
        rest = _remove(lines, removable)
        together = _read(rest)
        if not together or not all(has_departure([together])):
            rest, together = _remove(lines, removable[-1:]), candidates[removable[-1]]
        lines, smallest = rest, together


def _remove(lines: Sequence[str], indices: Sequence[int]) -> list[str]:
    return [x for index, x in enumerate(lines) if index not in indices]


def _read(lines: Sequence[str]) -> BasicBlock | None:
    """Return the block of some lines; None if no kernel can have it."""
    try:
        block = parse_block("\n".join(lines), max_statements=len(lines)).without_braces()
        make_kernel_source(block)
    except (PtxError, ValueError):
        return None
    return block
