"""Operands to try: edge cases and random bits, in a fixed sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from random import Random

from ..isa.types import Type
from ..syntax.instruction import Instruction

_EDGES = (0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0x20, 5, 0x8000, 0xFF, 0x1_0000)
_MAX_EDGE_CASES = 1000
"""Maximum sets of edge cases."""
_EDGE_BYTES = (0x00, 0x01, 0x7F, 0x80, 0xFF)
_EDGE_WORDS = (0, 1, 2, 31, 32, 33, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF)
_MAX_OPERANDS = 200_000
"""Maximum sets of operands that are drawn by name."""
_SEED = 1


def list_input_widths(ins: Instruction) -> tuple[int, ...]:
    """Return the width in bits of each input register."""
    return tuple(x.type.bits for x in ins.inputs)


def draw_values(bits: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield random values for each width in bits, endlessly."""
    edges = [tuple(dict.fromkeys(x & ((1 << width) - 1) for x in _EDGES)) for width in bits]
    yield from islice(product(*edges), _MAX_EDGE_CASES)
    rng = Random(_SEED)  # noqa: S311 - not for security
    choice, random = rng.choice, rng.getrandbits
    while True:
        yield tuple(
            choice((random(width), choice(edge_values)))
            for width, edge_values in zip(bits, edges, strict=True)
        )


def draw_operands(inputs: Mapping[str, Type]) -> Iterator[dict[str, int]]:
    """Yield sets of operands: edges of words and of bytes, neighbours, and random bits."""
    rng = Random(_SEED)  # noqa: S311 - not for security
    bits = sum(type_.bits for type_ in inputs.values())
    for _ in range(_MAX_OPERANDS if bits > 20 else 64 << bits):
        operands: dict[str, int] = {}
        for name, type_ in inputs.items():
            near = rng.choice([*operands.values(), 0]) + rng.choice((-1, 0, 1))
            edge_bytes = bytes(rng.choices(_EDGE_BYTES, k=8))
            choices = (
                rng.getrandbits(64),
                int.from_bytes(edge_bytes, "little"),
                rng.choice(_EDGE_WORDS),
                -rng.choice(_EDGE_WORDS),
                (1 << type_.bits - 1) - rng.choice((0, 1)),
                near,
            )
            operands[name] = rng.choice(choices) & (1 << type_.bits) - 1
        yield operands
