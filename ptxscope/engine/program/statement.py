"""Statements of PTX, and their moves of vectors and parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..isa.catalog import find_entry
from ..isa.types import Type
from ..syntax.errors import Problem, Span
from ..syntax.instruction import Guard, Instruction, Register
from ..syntax.opcodes import ALL_OPCODES
from .statement_operands import Operand, SpecialOperand


class StatementKind(StrEnum):
    """The role of a statement in a run."""

    INSTRUCTION = "explained"
    """An instruction of the catalog."""
    PLAIN_INSTRUCTION = "plain"
    """Executed but not explained step by step: an instruction that occurs in all code."""
    BRANCH = "branch"
    """A jump, or the end of the kernel."""
    LABEL = "label"
    BLOCK_START = "open"
    """A ``{`` inside the kernel that declares local registers."""
    BLOCK_END = "close"
    UNKNOWN = "other"
    """Any other statement; the registers that it writes become unknown."""


class Statement(NamedTuple):
    """One statement of a program."""

    kind: StatementKind
    line: int
    """From 1, in the loaded text."""
    text: str
    """The source text without the ``;``, with blanks collapsed."""
    opcode: str = ""
    """The opcode, or the name of a label."""
    modifiers: tuple[str, ...] = ()
    """Without their dots."""
    operands: tuple[Operand | None, ...] = ()
    """Their registers have unique names; an operand of any other kind is None."""
    guard: Guard | None = None
    instruction: Instruction | None = None
    """The instruction, if it is legal and in the catalog."""
    move: VectorMove | None = None
    writes: tuple[str, ...] = ()
    """Registers that it writes, or may write.

    For a ``BLOCK_START``, the registers that it declares; for a ``BLOCK_END``, the names that
    regain their outer values.
    """
    declared: tuple[tuple[str, str | None], ...] = ()
    """Its registers, each with its declared type at this point."""
    targets: tuple[int, ...] = ()
    """The indices of the labels that it branches to."""
    problems: tuple[Problem, ...] = ()
    """Why it is not a legal instruction, at positions in the loaded text."""
    plain_problems: tuple[Problem, ...] = ()
    """Why a statement other than an explained instruction is illegal."""
    omission: str = ""
    """Why a run cannot compute it; the registers that it writes become unknown."""
    is_opaque: bool = False
    """Whether it may write any register, or leave the program."""
    span: Span = (0, 0)
    """Its position in the loaded text; empty for a brace or a label."""
    unique_names: Mapping[str, str] = {}
    """Unique names of registers whose names outer registers share."""
    number: int = 0
    """From 0, among the statements of its program."""

    @property
    def name(self) -> str:
        """The opcode with its modifiers."""
        return ".".join([self.opcode, *self.modifiers])

    @property
    def is_brace(self) -> bool:
        """Whether it begins or ends a block with local registers."""
        return self.kind in (StatementKind.BLOCK_START, StatementKind.BLOCK_END)

    @property
    def explained_instruction(self) -> Instruction | None:
        """The instruction, if its steps are explained; also of a statement under ``#if``."""
        is_explained = self.kind is StatementKind.INSTRUCTION or (
            self.kind is StatementKind.UNKNOWN
            and self.instruction is not None
            and not self.instruction.entry.is_common
        )
        return self.instruction if is_explained else None

    def explain_omission(self) -> str:
        """Return why it is not executed and, if it is illegal, the alternatives."""
        for problem in (*self.problems, *self.plain_problems):
            hint = f" (allowed: {problem.hint})" if problem.hint else ""
            return f"{self.name} is illegal: {problem.message}{hint}"
        if self.omission:
            return f"{self.name} is not run: {self.omission}"
        if self.opcode not in ALL_OPCODES:
            return f"{self.opcode} is not an opcode of PTX"
        names = [x.name for x in self.operands if isinstance(x, SpecialOperand)] or [self.name]
        is_known = find_entry(self.opcode, self.modifiers) and names == [self.name]
        operands = " with these operands" if is_known else ""
        return f"{' '.join(names)} is not modelled{operands}"

    def get_unique_name(self, name: str) -> str:
        """Return the unique name of one of its registers."""
        base, dot, component = name.partition(".")
        return f"{self.unique_names.get(base, base)}{dot}{component}" if self.unique_names else name

    def iter_plain_sources(self) -> Iterator[tuple[str, Type]]:
        """Yield the registers that a plain instruction reads besides a guard, with their types."""
        if self.move:
            yield from self.move.iter_source_types()
        elif self.kind is StatementKind.PLAIN_INSTRUCTION and self.instruction:
            for role, source in self.instruction.roles.items():
                if isinstance(source, Register):
                    yield source.name, self.instruction.type_of(role)

    def iter_plain_targets(self) -> Iterator[tuple[str, Type]]:
        """Yield the registers that a plain instruction writes, with their types."""
        if self.move:
            yield from self.move.iter_target_types()
        elif self.kind is StatementKind.PLAIN_INSTRUCTION and self.instruction:
            for role, name in self.instruction.results.items():
                yield name, self.instruction.type_of(role)

    @property
    def is_copy(self) -> bool:
        """Whether it is a ``mov``, possibly guarded, that only copies a value."""
        ins = self.instruction
        return ins is not None and ins.entry.is_move and not ins.form.nega

    @property
    def may_become_unknown(self) -> bool:
        """Whether its results may become unknown without an input being reported as missing.

        This is so if it is not executed, or if a product, a conversion or an instruction on 64 bits
        lacks inputs: most of these compute indices and addresses, which a run lacks.
        """
        operands = (*self.iter_plain_sources(), *self.iter_plain_targets())
        ins = self.instruction if self.kind is StatementKind.PLAIN_INSTRUCTION else None
        return (
            self.kind is StatementKind.UNKNOWN
            or any(x.bits == 64 for _, x in operands)
            or (ins is not None and ins.entry.computes_indices)
        )


# --- mov between a word and its parts (PTX ISA 9.7.9.4), and between lists of registers

_PART_BITS = {("b16", 2): 8, ("b32", 2): 16, ("b32", 4): 8, ("b64", 2): 32, ("b64", 4): 16}
"""The width of a part, by the type of the word and the number of parts."""
_VECTOR = re.compile(r"v([24])\.[bus](16|32|64)|v([24])\.f(32|64)")
"""The types of a ``mov`` of several registers: the number and the width."""
_VECTOR_BITS = 128
"""Maximum bits of such a ``mov``."""
SINK = "_"
"""The name of a discarded part."""


class MoveStep(NamedTuple):
    """One of the instructions that together are equal to a move."""

    line: str
    """The instruction, in d, a and b."""
    target: str
    """The register d."""
    sources: tuple[str | int, ...]
    """The registers a and b; for a literal a, its bits."""


class VectorMove(NamedTuple):
    """``mov.b32 d, {low, high}``, the reverse, or ``mov.v2.b32 {c, d}, {a, b}``."""

    part_bits: int
    """The width of a part: 8 to 64. A part of 8 bits is in a register of 16 bits."""
    targets: tuple[str, ...]
    """The destination, or one for each part, the lowest first; ``_`` discards a part."""
    sources: tuple[str | int, ...]
    """The word, or the parts, the lowest first: registers, or the bits of literals."""

    def iter_source_types(self) -> Iterator[tuple[str, Type]]:
        """Yield the registers that it reads, with their types."""
        type_ = self._get_type(len(self.sources))
        return ((name, type_) for name in self.sources if isinstance(name, str))

    def iter_target_types(self) -> Iterator[tuple[str, Type]]:
        """Yield the registers that it writes, with their types."""
        type_ = self._get_type(len(self.targets))
        return ((name, type_) for name in self.targets if name != SINK)

    def iter_steps(self) -> Iterator[MoveStep]:
        """Yield equivalent instructions, for parts of 16 or 32 bits.

        Parts have new names, ``d.0``, which no register in the text can have.
        """
        part_bits = self.part_bits
        if len(self.targets) == len(self.sources):  # all sources are read first
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
    """Return the move of a type between operands, or None if there is no such move."""
    if match := _VECTOR.fullmatch(type_name):
        count, bits = (int(x) for x in match.groups() if x)
        is_legal = count * bits <= _VECTOR_BITS and len(targets) == len(sources) == count
        return VectorMove(bits, targets, sources) if is_legal else None
    if 1 not in (len(targets), len(sources)):
        return None
    part_bits = _PART_BITS.get((type_name, max(len(targets), len(sources))))
    return VectorMove(part_bits, targets, sources) if part_bits else None
