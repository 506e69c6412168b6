"""``mov`` between a word and its parts (PTX ISA 9.7.9.4), and between lists of registers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..isa.types import Type

_PART_BITS = {("b16", 2): 8, ("b32", 2): 16, ("b32", 4): 8, ("b64", 2): 32, ("b64", 4): 16}
"""The width of a part, by the type of the word and the number of parts."""
_VECTOR = re.compile(r"v([24])\.[bus](16|32|64)|v([24])\.f(32|64)")
"""The types of a ``mov`` of several registers: the number and the width."""
_VECTOR_BITS = 128
"""Most bits that it moves."""
SINK = "_"
"""The name of a part that nothing takes."""


class MoveStep(NamedTuple):
    """An instruction of those that together give the result of a move."""

    line: str
    """The instruction, in d, a and b."""
    target: str
    """The register d."""
    sources: tuple[str | int, ...]
    """The registers a and b; the bits of a literal for a."""


class VectorMove(NamedTuple):
    """``mov.b32 d, {low, high}``, the reverse, or ``mov.v2.b32 {c, d}, {a, b}``."""

    part_bits: int
    """The width of a part: 8 to 64. A part of 8 bits is held in a register of 16."""
    targets: tuple[str, ...]
    """The destination, or one for each part, the lowest first; ``_`` takes nothing."""
    sources: tuple[str | int, ...]
    """A register or the bits of a literal for the word, or for each part, the lowest first."""

    def iter_source_types(self) -> Iterator[tuple[str, Type]]:
        """Yield the registers that it reads, with their types."""
        type_ = self._get_type(len(self.sources))
        return ((name, type_) for name in self.sources if isinstance(name, str))

    def iter_target_types(self) -> Iterator[tuple[str, Type]]:
        """Yield the registers that it writes, with their types."""
        type_ = self._get_type(len(self.targets))
        return ((name, type_) for name in self.targets if name != SINK)

    def iter_steps(self) -> Iterator[MoveStep]:
        """Yield instructions that give the same, for parts of 16 or 32 bits.

        Those with a name of their own, ``d.0``, are no register of the text.
        """
        part_bits = self.part_bits
        if len(self.targets) == len(self.sources):  # all are read before one is written
            pairs = [x for x in zip(self.targets, self.sources, strict=True) if x[0] != SINK]
            line = f"mov.b{part_bits} d, a"
            yield from (MoveStep(line, f"{target}.0", (source,)) for target, source in pairs)
            yield from (MoveStep(line, target, (f"{target}.0",)) for target, _ in pairs)
            return
        word_bits = part_bits * max(len(self.targets), len(self.sources))
        if len(self.sources) == 1:
            for index, target in enumerate(self.targets):
                source = self.sources[0]
                if target == SINK:
                    continue
                if index:
                    shift = f"shr.u{word_bits} d, a, {part_bits * index}"
                    yield MoveStep(shift, f"{target}.0", (source,))
                    source = f"{target}.0"
                yield MoveStep(f"cvt.u{part_bits}.u{word_bits} d, a", target, (source,))
            return
        (target,), last = self.targets, len(self.sources) - 1
        total, part = f"{target}.0", f"{target}.1"
        for index, source in enumerate(self.sources):
            wide = part if index else total
            yield MoveStep(f"cvt.u{word_bits}.u{part_bits} d, a", wide, (source,))
            if index:
                yield MoveStep(f"shl.b{word_bits} d, a, {part_bits * index}", part, (part,))
                joined = target if index == last else total
                yield MoveStep(f"or.b{word_bits} d, a, b", joined, (total, part))

    def _get_type(self, count: int) -> Type:
        """Return the type of one of ``count`` operands on a side."""
        bits = self.part_bits
        if count == 1:
            bits *= max(len(self.targets), len(self.sources))
        return Type(f"b{max(bits, 16)}")

    def compute_results(self, values: Mapping[str, int]) -> dict[str, int]:
        """Return the written bits by register; ``values`` has the bits of the registers read."""
        bits = [values[x] if isinstance(x, str) else x for x in self.sources]
        mask = (1 << self.part_bits) - 1
        if len(bits) == len(self.targets):
            pairs = zip(self.targets, bits, strict=True)
            return {x: part & mask for x, part in pairs if x != SINK}
        if len(bits) == 1:
            parts = (bits[0] >> self.part_bits * index & mask for index in range(len(self.targets)))
            return {x: part for x, part in zip(self.targets, parts, strict=True) if x != SINK}
        word = sum((part & mask) << self.part_bits * index for index, part in enumerate(bits))
        return {self.targets[0]: word}


def make_vector_move(
    type_name: str, targets: tuple[str, ...], sources: tuple[str | int, ...]
) -> VectorMove | None:
    """Return the move of a type between operands, or None if it has none between these."""
    if match := _VECTOR.fullmatch(type_name):
        count, bits = (int(x) for x in match.groups() if x)
        is_legal = count * bits <= _VECTOR_BITS and len(targets) == len(sources) == count
        return VectorMove(bits, targets, sources) if is_legal else None
    if 1 not in (len(targets), len(sources)):
        return None
    part_bits = _PART_BITS.get((type_name, max(len(targets), len(sources))))
    return VectorMove(part_bits, targets, sources) if part_bits else None
