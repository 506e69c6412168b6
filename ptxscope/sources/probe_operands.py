"""Operands on which a search for deviations of assemblers runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from random import Random

from ..engine.syntax.instruction import Instruction

_EDGES = (0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0x20, 5, 0x8000, 0xFF, 0x1_0000)
_MAX_EDGE_CASES = 1000
"""Sets of edge cases that are tried."""

GeneratedOperands = dict[str, tuple[dict[str, int], int, int]]
"""By model, the first operands with a deviation, the documented result and the model's."""


def list_input_widths(ins: Instruction) -> tuple[int, ...]:
    """Return the width in bits of each register that is read."""
    return tuple(x.type.bits for x in ins.inputs)


def draw_operands(bits: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield a value for each width in bits, endlessly; always the same sequence."""
    edges = [tuple(dict.fromkeys(x & ((1 << width) - 1) for x in _EDGES)) for width in bits]
    yield from islice(product(*edges), _MAX_EDGE_CASES)
    rng = Random(1)  # noqa: S311 - not for security
    choice, random = rng.choice, rng.getrandbits
    while True:
        yield tuple(
            choice((random(width), choice(edge_values)))
            for width, edge_values in zip(bits, edges, strict=True)
        )
