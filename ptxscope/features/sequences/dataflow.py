"""The dataflow of a program: the operation of each statement, and the values that it reads.

Statements that apply the same operation to the same values are one node, so that neither the order
of independent statements nor the names of registers matter.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ...engine.isa.catalog import ENTRIES
from ...engine.isa.entry import SlotPlace
from ...engine.isa.types import CARRY_REGISTER, Form
from ...engine.program.control_flow import INITIAL, CodeBlock, WritePlace, Writers, find_blocks
from ...engine.program.statement import SINK, Statement, StatementKind, VectorMove
from ...engine.syntax.errors import Span
from ...engine.syntax.instruction import (
    Instruction,
    Register,
    format_mnemonic,
    format_operand_prefix,
    format_operand_suffix,
)
from ...engine.syntax.opcodes import BRANCHES

INPUT = ""
"""The operation of a node with a value from elsewhere."""
CONSTANT = "#"
"""The operation of a constant; its only argument is the bits."""


class FlowNode(NamedTuple):
    """A value: an operation on earlier values."""

    operation: str
    """An opcode with its modifiers, ``INPUT``, or ``CONSTANT``.

    ``mov.b32.1`` is part 1 of a word, ``mov.b32`` a word of parts.
    """
    arguments: tuple[int, ...]
    """The numbers of its operands' nodes; for a constant, its bits."""


class Computation(NamedTuple):
    """A statement that computes a node."""

    statement: Statement
    register: str


class DataFlow:
    """The nodes of a program, each after its arguments."""

    def __init__(self) -> None:
        self.nodes: list[FlowNode] = []
        self.registers: list[str] = []
        """The first register of each node; empty for a constant."""
        self.computations: list[list[Computation]] = []
        """The statements that compute each node, in the order of the text."""
        self._numbers: dict[FlowNode, int] = {}

    def add_input(self, register: str) -> int:
        """Add a value from elsewhere, in a register, and return its number."""
        return self._append(FlowNode(INPUT, ()), register)

    def add(self, node: FlowNode, statement: Statement | None = None, register: str = "") -> int:
        """Return the number of a node; add it if there is no equal one."""
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = self._append(node, register)
        if statement:
            self.computations[number].append(Computation(statement, register))
        return number

    def add_constant(self, bits: int) -> int:
        """Return the number of a constant."""
        return self.add(FlowNode(CONSTANT, (bits,)))

    def find_computation(self, number: int, end: Statement) -> Computation | None:
        """Return the last computation of a node before a statement, or else its first, if any."""
        computations = self.computations[number]
        index = bisect_right(computations, end.span, key=_get_span)
        return computations[max(index - 1, 0)] if computations else None

    def _append(self, node: FlowNode, register: str) -> int:
        self.nodes.append(node)
        self.registers.append(register)
        self.computations.append([])
        return len(self.nodes) - 1


def _get_span(computation: Computation) -> Span:
    return computation.statement.span


ANY_SIGN = frozenset(x.opcode for x in ENTRIES if x.ignores_sign)
"""Opcodes whose low bits are the same for signed and unsigned operands."""


@cache
def _describe_form(form: Form) -> str:
    """Return an operation's name, the same for equal operations; "" if operands have modifiers."""
    places = (SlotPlace.A, SlotPlace.B, SlotPlace.C, SlotPlace.E, SlotPlace.D)
    if any(format_operand_prefix(form, x) or format_operand_suffix(form, x) for x in places):
        return ""
    name = format_mnemonic(form)
    opcode, *modifiers = name.split(".")
    is_wrapped = len(modifiers) == 1 or modifiers[:-1] == ["lo"]
    if opcode in ANY_SIGN and is_wrapped and modifiers[-1] in ("u16", "u32", "u64"):
        name = f"{name[: name.rindex('.')]}.s{modifiers[-1][1:]}"
    return name


def find_flow(statements: Sequence[Statement], *, is_whole: bool = True) -> DataFlow:
    """Return the dataflow of a program; unless ``is_whole``, its labels are also entry points.

    A register has the value of the only statement that may have written it last. If there are
    several, it is a new input in each basic block that reads it.
    """
    ends = [x.kind is StatementKind.BRANCH or x.is_opaque for x in statements]
    labels = [i for i, x in enumerate(statements) if x.kind is StatementKind.LABEL]
    blocks = find_blocks(statements, (*labels, *(i + 1 for i, x in enumerate(ends) if x)))
    reader = _FlowReader(statements)
    # a macro may write any register and branch anywhere; so may the code at a label elsewhere
    if is_whole and not any(x.is_opaque or _leads_elsewhere(x) for x in statements):
        reader.writers = Writers(blocks, [_list_unique_writes(x) for x in statements])
    for number, block in enumerate(blocks):
        reader.read_block(number, block)
    return reader.flow


def _leads_elsewhere(statement: Statement) -> bool:
    return statement.opcode in BRANCHES and not statement.targets


def _list_unique_writes(statement: Statement) -> list[str]:
    """Return the unique names of the registers that a statement writes, or makes unknown."""
    if statement.kind is StatementKind.BLOCK_END:
        return []
    return [statement.get_unique_name(x) for x in statement.writes]


class _FlowReader:
    """Reads statements, and tracks the node of each register by its unique name."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.flow = DataFlow()
        self.writers: Writers | None = None
        """None if any statement may write any register."""
        self._statements = statements
        self._state: dict[str, int] = {}
        self._inner_names: list[frozenset[str]] = []
        """The registers that each open block declares."""
        self._nodes: dict[WritePlace, int] = {}
        """The node of the value at each place."""
        self._number = self._index = 0

    def read_block(self, number: int, block: CodeBlock) -> None:
        """Add the computations of a basic block."""
        self._number = number
        self._state.clear()
        for self._index in range(block.start, block.end):
            self._read(self._statements[self._index])

    def _read(self, statement: Statement) -> None:
        match statement.kind:
            case StatementKind.LABEL | StatementKind.BRANCH:
                pass
            case StatementKind.BLOCK_START:
                self._forget(statement)
                self._inner_names.append(frozenset(statement.writes))
            case StatementKind.BLOCK_END:
                self._inner_names.pop()
            case StatementKind.UNKNOWN:
                if not statement.is_opaque:
                    self._forget(statement)
            case _ if statement.guard:
                self._forget(statement)
            case _ if statement.move:
                self._add_move(statement, statement.move)
            case _:
                assert statement.instruction
                self._add_instruction(statement, statement.instruction)

    def _write(self, name: str, number: int) -> None:
        unique = self._statements[self._index].get_unique_name(name)
        self._state[unique] = self._nodes[WritePlace(self._index, unique)] = number

    def _forget(self, statement: Statement) -> None:
        for name in statement.writes:
            self._write(name, self.flow.add_input(name))

    def _read_register(self, name: str) -> int:
        unique = self._statements[self._index].get_unique_name(name)
        if unique not in self._state:
            self._state[unique] = self._find_earlier_value(name, unique)
        return self._state[unique]

    def _find_earlier_value(self, name: str, unique: str) -> int:
        """Return the value of a register at its first use in a block."""
        writers = self.writers.find(self._number, unique) if self.writers else ()
        if len(writers) != 1:
            return self.flow.add_input(name)
        place = WritePlace(next(iter(writers)), unique)
        if place.statement == INITIAL and place not in self._nodes:
            self._nodes[place] = self.flow.add_input(name)
        return self._nodes[place] if place in self._nodes else self.flow.add_input(name)

    def _add_instruction(self, statement: Statement, ins: Instruction) -> None:
        operation = _describe_form(ins.form)
        if not operation or len(ins.results) != 1 or CARRY_REGISTER in ins.names.values():
            self._forget(statement)
            return
        arguments = [
            self._read_register(source.name)
            if isinstance(source, Register) and source.bits is None
            else self.flow.add_constant(source.bits or 0)
            for source in ins.roles.values()
        ]
        if ins.form.lut is not None:
            arguments.append(self.flow.add_constant(ins.form.lut))
        (name,) = ins.results.values()
        if ins.entry.is_move:
            number = arguments[0]
            self._write(name, number)
            held = self.flow.computations[number]
            if held and any(held[-1].register in names for names in self._inner_names):
                self.flow.computations[number][-1] = held[-1]._replace(register=name)
        else:
            self._write(name, self.flow.add(FlowNode(operation, tuple(arguments)), statement, name))

    def _add_move(self, statement: Statement, move: VectorMove) -> None:
        arguments = tuple(
            self.flow.add_constant(source)
            if isinstance(source, int)
            else self._read_register(source)
            for source in move.sources
        )
        bits = move.part_bits * max(len(move.targets), len(move.sources))
        operation = f"mov.b{bits}"
        if len(move.targets) == 1:
            name = move.targets[0]
            self._write(name, self.flow.add(FlowNode(operation, arguments), statement, name))
            return
        for index, name in enumerate(move.targets):
            if name != SINK:
                part = FlowNode(f"{operation}.{index}", arguments)
                self._write(name, self.flow.add(part, statement, name))
