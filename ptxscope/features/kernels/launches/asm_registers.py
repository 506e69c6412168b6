"""Outputs of asm statements that share an input's register: explanations of a kernel's run.

Without ``&`` in its constraint, an output of an asm statement may have the register of an input,
which the statement then reads too late. nvcc gives both one register, as in a loop that updates a
variable.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from ....engine.program.program import Program
from ....engine.program.statement import Statement, StatementKind
from ....engine.program.statement_operands import RegisterOperand
from ....engine.syntax.instruction import Register
from .device_code import DeviceCode
from .register_names import iter_read_names, iter_written_names
from .statement_changes import insert_statement

_ASM_MARK = re.compile(r"^[ \t]*+// (begin|end) inline asm", re.MULTILINE)
_CONSTRAINTS = {"16": "h", "32": "r", "64": "l", "f32": "f", "f64": "d"}
"""The letters of constraints by the type of a register, or its width."""


def iter_asm_statements(statements: Iterable[Statement], text: str) -> Iterator[list[Statement]]:
    """Yield the statements of each asm statement that a compiler has marked."""
    start, line, counted_end = 0, 1, 0
    numbers: dict[int, int] = {}
    """The number of the asm statement by line."""
    for match in _ASM_MARK.finditer(text):
        line += text.count("\n", counted_end, match.start())
        counted_end = match.start()
        if match[1] == "begin":
            start = line
        elif start:
            numbers |= dict.fromkeys(range(start, line), start)
            start = 0
    inside = (x for x in statements if x.line in numbers)
    for _, group in groupby(inside, lambda x: numbers[x.line]):
        yield list(group)


class SharedRegister(NamedTuple):
    """A function in which some asm statements read another register."""

    function: Program
    statements: tuple[Statement, ...]
    """The first of each asm statement that reads another register; the first of all is named."""
    phrase: str
    """Completion of "line 114 …": ``if `%r3` has the register of `%r1`, …``."""
    renamed: Mapping[int, Mapping[str, str]]
    """The registers that they read instead, by the ids of the statements."""
    saved: tuple[tuple[Statement, str, str], ...] = ()
    """A statement before which a register is saved, that register, and the copy."""

    def apply(self, code: DeviceCode) -> DeviceCode:
        """Return code in which they read the other registers."""
        function = self.function
        statements = tuple(
            _rename(x, self.renamed[id(x)]) if id(x) in self.renamed else x
            for x in function.statements
        )
        positions = {id(x): i for i, x in enumerate(function.statements)}
        copies = {copy: function.registers[name] for _, name, copy in self.saved}
        function = function._replace(
            statements=statements, registers={**function.registers, **copies}
        )
        for first, name, copy in self.saved[::-1]:
            operands = RegisterOperand(copy), RegisterOperand(name)
            kind, type_ = StatementKind.PLAIN_INSTRUCTION, function.registers[name]
            move = Statement(kind, first.line, f"mov {copy}, {name}", "mov", (type_,), operands)
            place = positions[id(first)]
            function = insert_statement(function, place, move, is_before_label=False)
        return code._replace(functions={**code.functions, function.name: function})


def iter_shared_registers(function: Program, text: str) -> Iterator[SharedRegister]:
    """Yield the registers that asm statements of a listing may share, equal statements at once.

    Where an output has an input's register, later statements may have meant the input's old value;
    where they differ, an assembler that gives them one register changes what is read.
    """
    registers_by_key: dict[object, list[SharedRegister]] = {}
    readers = Counter(y for x in function.statements for y in {*iter_read_names(x)})
    for asm in iter_asm_statements(function.statements, text):
        for key, change in _iter_changes(function, asm, readers):
            registers_by_key.setdefault((*(x.name for x in asm), *key), []).append(change)
    for changes in registers_by_key.values():
        yield SharedRegister(
            function,
            tuple(y for x in changes for y in x.statements),
            changes[0].phrase,
            {key: names for x in changes for key, names in x.renamed.items()},
            tuple(y for x in changes for y in x.saved),
        )


def _iter_changes(
    function: Program, asm: Sequence[Statement], readers: Mapping[str, int]
) -> Iterator[tuple[tuple[int, ...], SharedRegister]]:
    """Yield the registers that an asm statement may share, with a key: whether it does, and where.

    ``readers`` counts the statements of the function that read each register.
    """
    reads = [{*iter_read_names(x)} for x in asm]
    writes = [{*iter_written_names(x)} for x in asm]
    first_writes = {x: i for i, names in [*enumerate(writes)][::-1] for x in names}
    own_readers = Counter(x for names in reads for x in names)
    inputs = [x for x in own_readers if _is_read_first(x, reads, first_writes)]
    for output, first in first_writes.items():
        letter = _find_constraint(function.registers.get(output, ""))
        if output in inputs:
            copy = f"{output} before"
            if later := _rename_later(asm, first, output, copy):
                phrase = (
                    f"with the `{_show(output)}` from before the asm statement, whose output took "
                    f"its register (write `=&{letter}`)"
                )
                saved = ((asm[0], output, copy),)
                yield (
                    (True, first, *later[1]),
                    SharedRegister(function, later[0], phrase, later[2], saved),
                )
        elif readers[output] > own_readers[output]:
            for source in inputs:
                is_alike = function.registers.get(source) == function.registers.get(output)
                later = _rename_later(asm, first, source, output)
                if later and is_alike and source not in first_writes:
                    phrase = (
                        f"if `{_show(output)}` has the register of `{_show(source)}`, as its "
                        f"constraint `={letter}` allows (write `=&{letter}`),"
                    )
                    change = SharedRegister(function, later[0], phrase, later[2])
                    yield (False, first, *later[1]), change


def _is_read_first(name: str, reads: Sequence[Set[str]], first_writes: Mapping[str, int]) -> bool:
    """Whether an asm statement reads a register before it writes it."""
    end = first_writes.get(name, len(reads) - 1)
    return any(name in x for x in reads[: end + 1])


def _rename_later(
    asm: Sequence[Statement], first: int, name: str, new_name: str
) -> tuple[tuple[Statement, ...], list[int], dict[int, dict[str, str]]] | None:
    """Return the renamed reads of a register after a statement; None if nothing reads it.

    These are the first statement, the places and operands, and the new names.
    """
    places, renamed = list[int](), dict[int, dict[str, str]]()
    statements = list[Statement]()
    for i, x in enumerate(asm[first + 1 :], first + 1):
        sources = x.instruction.sources if x.instruction else ()
        indices = [j for j, y in enumerate(sources) if isinstance(y, Register) and y.name == name]
        if indices:
            statements.append(x)
            places += [i, *indices]
            renamed[id(x)] = {name: new_name}
    return (tuple(statements[:1]), places, renamed) if statements else None


def _rename(statement: Statement, names: Mapping[str, str]) -> Statement:
    """Return a statement that reads other registers."""
    ins = statement.instruction
    assert ins
    sources = tuple(
        x._replace(name=names.get(x.name, x.name)) if isinstance(x, Register) else x
        for x in ins.sources
    )
    return statement._replace(instruction=replace(ins, sources=sources))


def _show(name: str) -> str:
    return name.partition("#")[0]


def _find_constraint(type_: str) -> str:
    """Return the letter of the constraint for a register of a type."""
    return _CONSTRAINTS.get(type_) or _CONSTRAINTS.get(type_[1:], "r")
