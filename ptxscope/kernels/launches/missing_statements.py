"""Statements that a function may lack: a register set to 0 at first, and a barrier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...engine.isa.other_opcodes import BARRIERS
from ...engine.program.control_flow import find_thread_blocks
from ...engine.program.program import Program
from ...engine.program.statement import Statement, StatementKind
from ...engine.program.statement_operands import TYPE_BITS, ConstantOperand, RegisterOperand
from .device_code import DeviceCode

_ZEROS = {"f32": "0f00000000", "f64": "0d0000000000000000"}


class MissingStatement(NamedTuple):
    """A statement that may be missing in a function."""

    function: Program
    place: Statement
    """The statement of the function that is named."""
    statement: Statement
    phrase: str
    """Completion of "line 114 …": ``with a barrier before it``."""
    position: int
    """The statement of the function before which it is inserted."""
    is_before_label: bool
    """Whether it is inserted before the labels there, so branches to them skip it."""

    def insert(self, code: DeviceCode) -> DeviceCode:
        """Return code that has the statement."""
        first_moved = self.position + (not self.is_before_label)
        old = [x._replace(targets=tuple(y + (y >= first_moved) for y in x.targets))
               for x in self.function.statements]  # fmt: skip
        labels = {i + (i >= first_moved): x for i, x in self.function.labels.items()}
        new = (*old[: self.position], self.statement, *old[self.position :])
        function = self.function._replace(statements=new, labels=labels)
        return code._replace(functions={**code.functions, function.name: function})


def iter_missing_statements(function: Program, *, has_shared: bool) -> Iterator[MissingStatement]:
    """Yield what may be missing; with shared memory also barriers."""
    if not function.statements:  # it is not in the text
        return
    yield from _iter_initial_values(function)
    if has_shared:
        yield from _iter_barriers(function)


def _iter_initial_values(function: Program) -> Iterator[MissingStatement]:
    """Yield zeros for registers that may be read before they are written, or that a loop updates.

    The former are set at the start of the function, the latter before each of the loops.
    """
    statements = function.statements
    loops = {(y, i) for i, x in enumerate(statements) for y in x.targets if y <= i}
    found: dict[tuple[int, str], Statement] = {}
    for name, statement in _iter_unwritten(function):
        found.setdefault((0, name), statement)
    for i, statement in enumerate(statements):
        starts = sorted({start for start, end in loops if start <= i <= end})
        for name in sorted({*statement.iter_read_names()} & {*statement.iter_written_names()}):
            # the start of the function is as good as the outermost loop for what nothing writes
            for start in starts[(0, name) in found :]:
                found.setdefault((start, name), statements[start])
    for (index, name), place in found.items():
        type_, shown = function.registers.get(name, "pred"), name.partition("#")[0]
        if 8 < TYPE_BITS.get(type_, 128) < 128:
            text = f"mov.{type_} {shown}, {_ZEROS.get(type_, '0')}"
            operands = RegisterOperand(name), ConstantOperand(0)
            kind = StatementKind.PLAIN_INSTRUCTION
            statement = Statement(kind, place.line, text, "mov", (type_,), operands)
            where = "before the loop that begins here" if index else "at the start of the function"
            phrase = f"with `{shown}` set to 0 {where}"
            yield MissingStatement(function, place, statement, phrase, index, is_before_label=True)


def _iter_unwritten(function: Program) -> Iterator[tuple[str, Statement]]:
    """Yield the registers that a way through a function reads before it writes them."""
    statements = function.statements
    blocks = find_thread_blocks(statements, function.labels)
    writes = [frozenset(() if x.guard else x.iter_written_names()) for x in statements]
    entries: dict[int, frozenset[str]] = {0: frozenset(x.name for x in function.parameters)}
    pending = [0]
    while pending:
        number = pending.pop()
        block = blocks[number]
        written = entries[number].union(*writes[block.start : block.end])
        for x in sorted(set(block.following)):
            entry = entries.get(x, written) & written
            if entry != entries.get(x):
                entries[x] = entry
                pending.append(x)
    for number, entry in sorted(entries.items()):
        known = set(entry)
        for i in range(blocks[number].start, blocks[number].end):
            statement = statements[i]
            kept = set(statement.iter_written_names()) if statement.guard else set[str]()
            for name in sorted((kept | {*statement.iter_read_names()}) - known):
                if name.partition(".")[0] not in known:
                    yield name, statement
            known |= writes[i]


def _iter_barriers(function: Program) -> Iterator[MissingStatement]:
    """Yield barriers between reads and writes of shared memory, and at the first after a label."""
    last = ""
    for index, statement in enumerate(function.statements):
        if index in function.labels:
            last = ""
        if statement.opcode in BARRIERS:
            last = statement.opcode
        if "shared" not in [x.partition("::")[0] for x in statement.modifiers]:
            continue
        if last not in BARRIERS and last != statement.opcode:
            kind, operands = StatementKind.UNKNOWN, (ConstantOperand(0),)
            new = Statement(kind, statement.line, "bar.sync 0", "bar", ("sync",), operands)
            phrase = "with a barrier before it"
            yield MissingStatement(function, statement, new, phrase, index, is_before_label=False)
        last = statement.opcode
