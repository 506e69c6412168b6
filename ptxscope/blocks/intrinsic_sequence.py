"""Sequences of statements that compute a CUDA intrinsic, as a feature finds them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from ..engine.program.program import Program
from ..engine.program.statement import Statement
from ..engine.syntax.source import GAP
from ..feature import Service, find_services


class IntrinsicSequence(NamedTuple):
    """Statements that compute an intrinsic, possibly with others in between."""

    intrinsic: str
    """The intrinsic's name: ``__vaddss4``."""
    arguments: tuple[str, ...]
    """Its inputs, registers or constants, in the order of C's parameters."""
    result: str
    """The register of the result."""
    statements: tuple[Statement, ...]
    """In order; the last one writes the result."""
    write_claim: Callable[[], tuple[str, str]]
    """Returns PTX that computes d from a, b and c as they do, and the intrinsic's call in C."""

    @property
    def call(self) -> str:
        """The call as C writes it: ``__vaddss4(%r1, %r2)``."""
        return f"{self.intrinsic}({', '.join(self.arguments)})"

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the statements, from 1."""
        return tuple(sorted({x.line for x in self.statements}))

    @property
    def line_ranges(self) -> tuple[range, ...]:
        """The lines, as ranges."""
        lines = self.lines
        starts = [lines[0], *(b for a, b in pairwise(lines) if b != a + 1)]
        ends = [*(a for a, b in pairwise(lines) if b != a + 1), lines[-1]]
        return tuple(range(a, b + 1) for a, b in zip(starts, ends, strict=True))

    def __str__(self) -> str:
        return self.describe()

    def describe(self, lines_before: int = 0) -> str:
        """Return a sentence without a full stop: ``lines 40–52 compute __vadd4(a, b) → d``.

        ``lines_before`` is the number of lines before the loaded text.
        """
        lines = self.format_lines(lines_before)
        lead = f"line {lines} computes" if len(self.lines) == 1 else f"lines {lines} compute"
        return f"{lead} `{self.call}` → {self.result}"

    def format_lines(self, lines_before: int = 0) -> str:
        """Return the numbers of the lines: ``40–43, 45``."""
        ends = [(x[0] + lines_before, x[-1] + lines_before) for x in self.line_ranges]
        return ", ".join(f"{a}–{b}" if a < b else f"{a}" for a, b in ends)


_MASKS = (
    *(0x80808080, 0x7F7F7F7F, 0x01010101, 0xFEFEFEFE),
    *(0x80008000, 0x7FFF7FFF, 0x00010001, 0xFFFEFFFE, 0x00FF00FF, 0xFF00FF00),
    *(0x00010000, 0xFFFF0000),
)
"""Lane masks: a sequence has one, or an instruction on lanes, or limits half-words."""
_HINTS = tuple(
    dict.fromkeys(
        (
            "s16x2",
            "u16x2",
            *(str(x) for x in _MASKS),
            *(str((1 << 32) - x) for x in _MASKS if x >> 31),  # after a minus sign
            *(f"{zeros}{x:x}" for x in _MASKS for zeros in ("0x", "0x0", "0x000")),
        )
    )
)
_HALF_WORDS = ("65535", "0xffff", "0x0000ffff")
_LIMITS = ("min.s32", "max.s32")


def may_have_sequences(text: str) -> bool:
    """Return whether a text has the marks of a sequence: masks, or operations on lanes."""
    text = text.lower()
    if any(hint in text for hint in _HINTS):
        return True
    return any(x in text for x in _HALF_WORDS) and any(x in text for x in _LIMITS)


def find_sequences(program: Program) -> tuple[IntrinsicSequence, ...]:
    """Return the sequences of a program, in the order of their ends, if a feature finds them."""
    if not may_have_sequences(program.text):
        return ()
    return tuple(x for find in find_services(Service.FIND_SEQUENCES) for x in find(program))


def has_several_statements(ptx: str) -> bool:
    """Whether PTX has several statements, or a macro that may be several."""
    return GAP in ptx or ";" in ptx.rstrip(";\n\t ")
