"""Registers and carries of an asm statement whose values differ from those that its text expects.

An operand with ``=`` has no value at the start; without ``&`` it may share the register of an
input; an operand without ``=`` and ``+`` must keep its value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ...engine.isa.catalog import MOVES
from ...engine.syntax.asm_operands import AsmOperands
from ...engine.syntax.errors import Span, quote_word
from ...engine.syntax.opcodes import BRANCHES
from ...engine.syntax.tokens import (
    RawInstruction,
    Token,
    TokenGroup,
    TokenGroupKind,
    read_raw_instruction,
)
from ...sources.c_source import blank_literals
from ...sources.embedded_ptx import EmbeddedPtx, PieceKind
from ...sources.source_language import Language
from ...sources.source_location import find_span
from .candidate_reader import parse_register_directive
from .diagnostic import CheckedInstruction, Diagnostic
from .placeholders import format_constraint
from .statement_registers import RegisterAccesses, find_accesses, is_padding

_MAX_NUMBERED = 64
"""Maximum number of numbered registers in one directive that are followed."""


class FlowFinding(NamedTuple):
    """Something wrong with a register."""

    rule: str
    message: str
    statement: RawInstruction
    register: Token
    operand: str = ""
    """The operand whose constraint is wrong."""
    constraint: str = ""
    """The constraint that would be right."""


class _Write(NamedTuple):
    """A write of an operand."""

    statement: RawInstruction
    register: Token
    guard: str
    number: int
    """The number of the statement."""
    source: str = ""
    """The register that a ``mov`` copies: as the same register, it would keep its value."""


def find_flow_problems(
    text: str, words: list[Token], groups: Sequence[TokenGroup], operands: AsmOperands
) -> Iterator[FlowFinding]:
    """Yield the registers of an asm statement's text whose values are not as expected.

    The text is PTX without gaps. Each register is reported once for each rule.
    """
    if not operands.has_all_expressions:
        return
    flow = _Flow(operands)
    for group in groups:
        if group.kind is TokenGroupKind.DIRECTIVE:
            flow.declare(words[group.start : group.end])
        elif group.kind is TokenGroupKind.LABEL:
            flow.is_straight = False
        elif group.kind is TokenGroupKind.STATEMENT:
            statement = read_raw_instruction(text, words, group)
            accesses = find_accesses(statement)
            if accesses is None:
                return
            yield from flow.read_statement(statement, accesses)
    yield from flow.find_clobbers()
    yield from flow.find_partial_writes()


class _Flow:
    """The state of the registers while the statements are read in order."""

    def __init__(self, operands: AsmOperands) -> None:
        constraints = dict[str, list[str]]()
        for expression in operands.expressions:
            constraints.setdefault(expression.name, []).append(expression.constraint)
        self.operands = operands
        self.types, self.literals = operands.types, operands.literals
        self.outputs = {
            name: letters[0]
            for name, letters in constraints.items()
            if name in self.types and all("=" in x for x in letters)
        }
        """The operands without a value at the start, with their constraints."""
        tied = {f"{name[0]}{x}" for name, letters in constraints.items() for x in letters}
        for name in tied & self.outputs.keys():
            del self.outputs[name]
        self.inputs = {
            name: letters[0]
            for name, letters in constraints.items()
            if name in self.types and not any(set(x) & {"=", "+"} or x.isdecimal() for x in letters)
        }
        """The operands that keep their value, with their constraints."""
        self.unwritten = set(self.outputs)
        """The registers that have no value yet."""
        self.declared = set[str]()
        self.is_straight = True
        """Whether control can come only from the statement before."""
        self.has_branches = False
        self.written_inputs = set[str]()
        self.writes = dict[str, list[_Write]]()
        """The first write of each output; the second, too, if the first is a copy."""
        self.write_guards = dict[str, set[str]]()
        """The guards of the writes of each output."""
        self.reads = dict[tuple[str, str | None], dict[str, int]]()
        """The last read of each input, the latest last, by type and guard; None is any guard."""
        self.number = 0

    def declare(self, directive: Sequence[Token]) -> None:
        """Note the registers of a ``.reg`` directive."""
        for name, count, declaration in parse_register_directive(directive) or ():
            if declaration.vector or name in self.types or (count or 0) > _MAX_NUMBERED:
                continue
            # two registers of one name, in separate blocks, are not followed
            note = (
                self.unwritten.difference_update if name in self.declared else self.unwritten.update
            )
            note([name] if count is None else [f"{name}{x}" for x in range(count)])
            self.declared.add(name)

    def read_statement(
        self, statement: RawInstruction, accesses: RegisterAccesses
    ) -> Iterator[FlowFinding]:
        """Yield the problems of a statement, and note its reads and writes."""
        guard = ""
        if statement.guard:
            guard = f"{'!' * statement.is_guard_negated}{statement.guard.text}"
        self.number += 1
        for register in accesses.reads:
            name = register.text
            has_meaning = name in self.outputs or not is_padding(statement, register)
            if name in self.unwritten and self.is_straight and has_meaning:
                yield self._describe_unwritten(statement, register)
            self.unwritten.discard(name)
            if name in self.inputs and name not in self.literals:
                for key in (guard, None):
                    reads = self.reads.setdefault((self.types[name], key), {})
                    reads.pop(name, None)
                    reads[name] = self.number
        for register in accesses.writes:
            name = register.text
            self.unwritten.discard(name)
            if name in self.inputs and name not in self.written_inputs:
                self.written_inputs.add(name)
                yield self._describe_input(statement, register)
            if name in self.outputs:
                source = _find_copied_register(statement)
                writes = self.writes.setdefault(name, [])
                self.write_guards.setdefault(name, set()).add(guard)
                if not writes or (len(writes) == 1 and writes[0].source not in ("", source)):
                    writes.append(_Write(statement, register, guard, self.number, source))
        self.has_branches |= statement.opcode.text in BRANCHES

    def find_clobbers(self) -> Iterator[FlowFinding]:
        """Yield the outputs that are written when an input is still needed."""
        if self.has_branches:
            return
        for name, constraint in self.outputs.items():
            for write in self.writes.get(name, ()) if "&" not in constraint else ():
                if overlapping := self._find_later_read(write, self.types[name]):
                    message = (
                        f"{quote_word(name)} is written here, and {quote_word(overlapping)} is "
                        "read after it: without `&` the compiler may give both the same register"
                    )
                    fixed = constraint.replace("=", "=&")
                    yield FlowFinding(
                        "clobber", message, write.statement, write.register, name, fixed
                    )
                    break

    def find_partial_writes(self) -> Iterator[FlowFinding]:
        """Yield the outputs that only a ``mov`` under one guard writes.

        Other instructions may be guarded because their result is not needed otherwise.
        """
        if self.has_branches or not self.is_straight:
            return
        for name, constraint in self.outputs.items():
            guards = self.write_guards.get(name, {""})
            write = self.writes[name][0] if len(guards) == 1 and "" not in guards else None
            if write and write.statement.opcode.text in MOVES:
                message = (
                    f"{quote_word(name)} is written only under {quote_word(f'@{write.guard}')}; "
                    "otherwise it has no value: "
                    f"{format_constraint(self.operands, name, constraint)} passes none in"
                )
                yield self._make_unwritten(message, write.statement, write.register)

    def _find_later_read(self, write: _Write, type_: str) -> str:
        """Return an input of a type that is read after a write that has run; empty for none."""
        # a read under another guard may be one that excludes the write
        for guard in (write.guard, "") if write.guard else (None,):
            reads = self.reads.get((type_, guard), {})
            name = next((x for x in reversed(reads) if x != write.source), "")
            if name and reads[name] > write.number:
                return name
        return ""

    def _describe_unwritten(self, statement: RawInstruction, register: Token) -> FlowFinding:
        name, word = register.text, quote_word(register.text)
        if name not in self.outputs:
            message = f"{word} is read here, and nothing before writes it"
            return FlowFinding("unwritten", message, statement, register)
        message = (
            f"{word} is read here, and nothing before writes it: "
            f"{format_constraint(self.operands, name, self.outputs[name])} passes no value in"
        )
        return self._make_unwritten(message, statement, register)

    def _make_unwritten(
        self, message: str, statement: RawInstruction, register: Token
    ) -> FlowFinding:
        """Return the finding for an output that should be an input, too."""
        fixed = self.outputs[register.text].replace("=", "+").replace("&", "")
        return FlowFinding("unwritten", message, statement, register, register.text, fixed)

    def _describe_input(self, statement: RawInstruction, register: Token) -> FlowFinding:
        name = register.text
        constraint = self.inputs[name]
        message = (
            f"{quote_word(name)} is written here, but "
            f"{format_constraint(self.operands, name, constraint)} makes it an input, which must "
            "keep its value"
        )
        return FlowFinding("input", message, statement, register)


def _find_copied_register(statement: RawInstruction) -> str:
    """Return the register that a ``mov`` without a guard copies; empty for other statements."""
    operands = statement.operands
    is_copy = statement.opcode.text in MOVES and not statement.guard and len(operands) == 2
    return operands[1][0].text if is_copy and len(operands[0]) == len(operands[1]) == 1 else ""


# --- carries that one asm statement reads and another must write --------------------------------
#
# Nothing guarantees that such a carry is kept, but nvcc keeps the order of `asm volatile` and ptxas
# the carry (13.0), and libraries for big integers rely on it. nvcc deletes or moves the others.

RULE = "asm-carry"
_MARK = re.compile(r"[{}]")
_FUNCTION_HEAD = re.compile(r"\)[\w\s:&*<>,>\[\]'-]*\Z")
"""The end of the text between two marks if a function's body begins after it."""
_HEAD_CHARS = 300
_WRITE = re.compile(r"\.cc\b")
_VOLATILE = re.compile(r"\b(?:volatile|__volatile(?:__)?)\b[^;{}]*\Z")
_ASM_CHARS = 200
"""Characters before the text of an asm statement in which ``volatile`` may stand."""
_VOLATILE_HINT = "asm volatile"
_WRAPPERS = -2
"""The number of all functions that wrap one instruction: they share it."""
_READ_UNSAFELY = (
    "this asm statement reads a carry that another one has to write, and is not `volatile`: nvcc "
    "may move it"
)
_WRITTEN_UNSAFELY = (
    "only another asm statement can read the carry that this one writes, and it is not "
    "`volatile`: nvcc may move it, or delete it if its result is unused"
)
_FOLLOWS_UNSAFE_WRITE = (
    "the asm statement that writes this carry (line {}) is not `volatile`: nvcc may move it, or "
    "delete it if its result is unused"
)


def find_functions(code: str) -> list[Span]:
    """Return the bodies of the functions of a source whose strings and comments are blanked."""
    spans, depth, start, last_mark = list[Span](), 0, 0, 0
    for match in _MARK.finditer(code):
        position = match.start()
        if match[0] == "}":
            depth -= depth > 0
            if depth == 0 and start:
                spans.append((start, position))
                start = 0
        elif start:
            depth += 1
        else:
            head = code[max(last_mark, position - _HEAD_CHARS) : position]
            if _FUNCTION_HEAD.search(head.rpartition(";")[2]):
                depth, start = 1, position
        last_mark = match.end()
    return [*spans, (start, len(code))] if start else spans


class CarryNotes:
    """Selects the notes on such carries: one for each function, or all wrappers of a statement.

    A statement that is not ``volatile`` has a warning instead.
    """

    def __init__(self, text: str, language: Language, pieces: Sequence[EmbeddedPtx]) -> None:
        self._text, self._pieces, self._language = text, pieces, language
        self._noted_functions = set[int]()
        self._writer: EmbeddedPtx | None = None
        """The last piece so far that writes a carry."""

    def choose_notes(
        self, piece: EmbeddedPtx, items: Iterable[CheckedInstruction]
    ) -> Iterator[CheckedInstruction]:
        """Yield the instructions of the next piece with the notes and warnings that it needs."""
        for item in items:
            if any(x.rule == RULE for x in item.diagnostics):
                yield item._replace(diagnostics=tuple(self._choose(piece, item.diagnostics)))
            elif self._is_unsafe_wrapper(piece, item):
                warning = Diagnostic("carry", _WRITTEN_UNSAFELY, item.location, _VOLATILE_HINT)
                yield item._replace(diagnostics=(*item.diagnostics, warning))
            else:
                yield item
        if _WRITE.search(piece.ptx):
            self._writer = piece

    def _choose(
        self, piece: EmbeddedPtx, diagnostics: Iterable[Diagnostic]
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostics of a statement that reads the carry of another asm statement."""
        function = self._find_function(piece)
        is_wrapper = self._is_wrapper(piece, function)
        writer = self._writer
        if writer and (is_wrapper or self._find_function(writer) != function):
            writer = None
        warning = ""
        if not self._is_volatile(piece):
            warning = _READ_UNSAFELY
        elif writer and not self._is_volatile(writer):
            line = writer.make_locator(0).locate(0, 1).line
            warning = _FOLLOWS_UNSAFE_WRITE.format(line)
        number = _WRAPPERS if is_wrapper and not warning else function
        is_noted = number in self._noted_functions and not (is_wrapper and warning)
        for x in diagnostics:
            if x.rule != RULE:
                yield x
            elif not is_noted and (warning or not writer):
                self._noted_functions.add(number)
                yield (Diagnostic("carry", warning, x.location, _VOLATILE_HINT) if warning else x)

    def _is_unsafe_wrapper(self, piece: EmbeddedPtx, item: CheckedInstruction) -> bool:
        """Return whether an instruction is alone in a function, and nothing keeps its carry."""
        return (
            _WRITE.search(item.ptx) is not None
            and self._is_wrapper(piece, self._find_function(piece))
            and not self._is_volatile(piece)
        )

    def _is_wrapper(self, piece: EmbeddedPtx, function: int) -> bool:
        """Return whether a function wraps one instruction.

        An asm statement outside functions belongs to a macro.
        """
        return piece.ptx.count(";") < 2 and (function < 0 or self._counts[function] == 1)

    def _is_volatile(self, piece: EmbeddedPtx) -> bool:
        """Return whether an asm statement is ``volatile``; one without outputs always is."""
        has_outputs = piece.operands and any(
            set(x.constraint) & {"=", "+"} for x in piece.operands.expressions
        )
        if piece.kind is not PieceKind.ASM or not has_outputs:
            return True
        text = piece.fragments[1].ptx if len(piece.fragments) > 1 else self._text
        start = piece.fragments[0].origins[0]
        return _VOLATILE.search(text[max(start - _ASM_CHARS, 0) : start]) is not None

    def _find_function(self, piece: EmbeddedPtx) -> int:
        """Return the number of the function that holds a piece; -1 for none."""
        return find_span(self._functions, piece.fragments[-1].origins[0])

    @cached_property
    def _functions(self) -> list[Span]:
        is_c = self._language is Language.C
        return find_functions(blank_literals(self._text) if is_c else self._text)

    @cached_property
    def _counts(self) -> Counter[int]:
        """The number of pieces in each function."""
        return Counter(map(self._find_function, self._pieces))
