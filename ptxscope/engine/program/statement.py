"""Statements of PTX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..isa.catalog import find_entry
from ..isa.types import Type
from ..syntax.errors import Problem, Span
from ..syntax.instruction import Guard, Instruction, Register
from ..syntax.opcodes import ALL_OPCODES
from ..syntax.register_accesses import count_written
from .statement_operands import (
    ListOperand,
    MemoryOperand,
    Operand,
    RegisterOperand,
    SpecialOperand,
    iter_register_names,
)
from .vector_move import VectorMove

_OPENINGS = {ListOperand: "(", MemoryOperand: "["}


class StatementKind(StrEnum):
    """The role of a statement in a run."""

    INSTRUCTION = "explained"
    """An instruction of the catalog."""
    PLAIN_INSTRUCTION = "plain"
    """Executed, but not explained step by step: an instruction that stands in all code."""
    BRANCH = "branch"
    """A jump, or the end of the kernel."""
    LABEL = "label"
    BLOCK_START = "open"
    """A ``{`` inside the kernel that declares registers of its own."""
    BLOCK_END = "close"
    UNKNOWN = "other"
    """Anything else; the registers it writes become unknown."""


class Statement(NamedTuple):
    """One statement of a program."""

    kind: StatementKind
    line: int
    """From 1, in the loaded text."""
    text: str
    """As written without the ``;``, with blanks collapsed."""
    opcode: str = ""
    """The opcode, or the name of a label."""
    modifiers: tuple[str, ...] = ()
    """Without their dots."""
    operands: tuple[Operand | None, ...] = ()
    """Their registers have unique names; None for an operand of none of these kinds."""
    guard: Guard | None = None
    instruction: Instruction | None = None
    """The instruction, if it is a legal one of the catalog."""
    move: VectorMove | None = None
    writes: tuple[str, ...] = ()
    """Registers that it writes, or may write.

    For a ``BLOCK_START``, those that it declares; for a ``BLOCK_END``, those of them that regain
    their outer values.
    """
    declared: tuple[tuple[str, str | None], ...] = ()
    """The registers that it names, each with its declared type at this point."""
    targets: tuple[int, ...] = ()
    """The indices of the labels to which it branches."""
    problems: tuple[Problem, ...] = ()
    """Why it is not a legal instruction, at positions in the loaded text."""
    plain_problems: tuple[Problem, ...] = ()
    """Why a statement that is not meant as an explained instruction is not a legal one."""
    omission: str = ""
    """Why a run cannot compute it; the registers it writes become unknown."""
    is_opaque: bool = False
    """Whether it may write any register, and leave the program."""
    span: Span = (0, 0)
    """Its position in the loaded text; of a brace or a label, none."""
    unique_names: Mapping[str, str] = {}
    """Unique names in its function, of registers of which an outer one has the same name."""
    number: int = 0
    """From 0, among the statements of its program."""

    @property
    def name(self) -> str:
        """The opcode with its modifiers."""
        return ".".join([self.opcode, *self.modifiers])

    @property
    def is_brace(self) -> bool:
        """Whether it begins or ends a block with registers of its own."""
        return self.kind in (StatementKind.BLOCK_START, StatementKind.BLOCK_END)

    @property
    def explained(self) -> Instruction | None:
        """The instruction, if its steps are explained; also of a statement under ``#if``."""
        is_explained = self.kind is StatementKind.INSTRUCTION or (
            self.kind is StatementKind.UNKNOWN
            and self.instruction is not None
            and not self.instruction.entry.is_common
        )
        return self.instruction if is_explained else None

    def explain_omission(self) -> str:
        """Return why no executor computes it, and what is allowed if it is illegal."""
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
        """Return the unique name of a register that it names."""
        base, dot, component = name.partition(".")
        return f"{self.unique_names.get(base, base)}{dot}{component}" if self.unique_names else name

    @property
    def written_count(self) -> int:
        """The number of the first operands that it writes."""
        openings = [_OPENINGS.get(type(x), "") for x in self.operands]
        return count_written(self.opcode, self.modifiers, openings)

    def iter_written_names(self) -> Iterator[str]:
        """Yield the unique names of the registers that it writes."""
        if self.instruction:
            yield from self.instruction.results.values()
            return
        for operand in self.operands[: self.written_count]:
            yield from iter_register_names(operand)

    def iter_source_names(self) -> Iterator[str]:
        """Yield the registers whose values it reads, except its guard and addresses."""
        if self.instruction:
            results = set(self.instruction.results)
            for role, name in self.instruction.names.items():
                if role not in results and role != "guard":
                    yield name
            return
        for operand in self.operands[self.written_count :]:
            yield from iter_register_names(operand)

    def iter_address_names(self) -> Iterator[str]:
        """Yield the registers of its addresses."""
        for operand in self.operands:
            if isinstance(operand, MemoryOperand) and isinstance(operand.base, RegisterOperand):
                yield operand.base.name

    def iter_read_names(self) -> Iterator[str]:
        """Yield the registers that it reads, also for its guard and its addresses."""
        yield from self.iter_source_names()
        yield from self.iter_address_names()
        if self.guard:
            yield self.guard.name

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
        """Whether it is a ``mov`` that gives a value another name, if its guard lets it."""
        ins = self.instruction
        return ins is not None and ins.entry.is_move and not ins.form.nega

    @property
    def may_become_unknown(self) -> bool:
        """Whether its results may become unknown, although no input of a run is missing.

        These are the results of a statement that is not executed, and of a product or of a plain
        instruction on 64 bits without all of its inputs: most are indices and addresses, which a
        run lacks.
        """
        operands = (*self.iter_plain_sources(), *self.iter_plain_targets())
        ins = self.instruction if self.kind is StatementKind.PLAIN_INSTRUCTION else None
        return (
            self.kind is StatementKind.UNKNOWN
            or any(x.bits == 64 for _, x in operands)
            or (ins is not None and ins.entry.computes_indices)
        )
