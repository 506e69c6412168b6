"""The dataflow of straight-line code: what each statement computes, of which earlier values.

Two statements that apply the same operation to the same values are one node, so that neither the
order of independent statements nor the names of registers matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from ..isa.entry import SlotPlace
from ..isa.form import Form
from ..isa.roles import CARRY_REGISTER
from ..kernels.execution import ShadowedRegisters
from ..kernels.program import Statement, StatementKind
from ..kernels.vector_move import SINK, VectorMove
from ..records import NamedTuple
from ..syntax.instruction import (
    Instruction,
    Register,
    format_mnemonic,
    format_operand_prefix,
    format_operand_suffix,
)

GIVEN = ""
"""The operation of a node whose value comes from elsewhere."""
CONSTANT = "#"
"""The operation of a constant; its only argument is the bits."""


class Node(NamedTuple):
    """A value: an operation of earlier values."""

    operation: str
    """An opcode with its modifiers, ``GIVEN``, or ``CONSTANT``.

    ``mov.b32.1`` is part 1 of a word, ``mov.b32`` a word of parts.
    """
    arguments: tuple[int, ...]
    """The numbers of the nodes that it takes; of a constant, its bits."""


class DataFlow:
    """The nodes of a stretch of straight-line code, each after its arguments."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.statements: list[Statement | None] = []
        """The statement that first computes each node; of a value from elsewhere, None."""
        self.names: list[str] = []
        """The register that first holds each node; of a constant, an empty string."""
        self._numbers: dict[Node, int] = {}

    def add_given(self, name: str) -> int:
        """Add a value from elsewhere, in a register, and return its number."""
        self._append(Node(GIVEN, ()), None, name)
        return len(self.nodes) - 1

    def add(self, node: Node, statement: Statement | None = None, name: str = "") -> int:
        """Return the number of a node, which is added if there is none like it."""
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self._append(node, statement, name)
        return number

    def add_constant(self, bits: int) -> int:
        """Return the number of a constant."""
        return self.add(Node(CONSTANT, (bits,)))

    def _append(self, node: Node, statement: Statement | None, name: str) -> None:
        self.nodes.append(node)
        self.statements.append(statement)
        self.names.append(name)


_ANY_SIGN = ("add", "sub", "mul", "mad")
"""Opcodes of which the low bits are the same for signed and unsigned operands."""


@cache
def _describe_form(form: Form) -> str:
    """Return an operation's name, one for equal operations; empty if operands have modifiers."""
    places = (SlotPlace.A, SlotPlace.B, SlotPlace.C, SlotPlace.E, SlotPlace.D)
    if any(format_operand_prefix(form, x) or format_operand_suffix(form, x) for x in places):
        return ""
    name = format_mnemonic(form)
    opcode, *modifiers = name.split(".")
    is_wrapped = len(modifiers) == 1 or modifiers[:-1] == ["lo"]
    if opcode in _ANY_SIGN and is_wrapped and modifiers[-1] in ("u16", "u32", "u64"):
        name = f"{name[: name.rindex('.')]}.s{modifiers[-1][1:]}"
    return name


def find_flows(statements: Iterable[Statement]) -> Iterator[DataFlow]:
    """Yield the dataflow of each stretch of statements that run one after the other."""
    reader = _Reader()
    for statement in statements:
        if statement.kind in (StatementKind.LABEL, StatementKind.BRANCH) or statement.is_opaque:
            yield reader.flow
            reader.begin_stretch()
        else:
            reader.read(statement)
    yield reader.flow


class _Reader:
    """Reads statements, with the node that each register holds."""

    def __init__(self) -> None:
        self.flow = DataFlow()
        self._state: dict[str, int] = {}
        self._shadowed = ShadowedRegisters[int]()
        self._inner_names: list[frozenset[str]] = []
        """The registers that each open block declares."""

    def begin_stretch(self) -> None:
        """Forget all values: the next statement may run after another than the last one."""
        self.flow = DataFlow()
        self._state.clear()
        self._shadowed.forget_values()

    def read(self, statement: Statement) -> None:
        """Add what a statement computes."""
        match statement.kind:
            case StatementKind.BLOCK_START:
                self._shadowed.enter_block(self._state, statement)
                self._inner_names.append(frozenset(statement.writes))
            case StatementKind.BLOCK_END:
                self._shadowed.leave_block(self._state, statement)
                self._inner_names.pop()
            case StatementKind.UNKNOWN:
                self._forget(statement)
            case _ if statement.guard:
                self._forget(statement)
            case _ if statement.move:
                self._add_move(statement, statement.move)
            case _:
                ins = statement.instruction or statement.plain
                assert ins
                self._add_instruction(statement, ins)

    def _forget(self, statement: Statement) -> None:
        for name in statement.writes:
            self._state[name] = self.flow.add_given(name)

    def _read_register(self, name: str) -> int:
        if name not in self._state:
            self._state[name] = self.flow.add_given(name)
        return self._state[name]

    def _add_instruction(self, statement: Statement, ins: Instruction) -> None:
        operation = _describe_form(ins.form)
        if not operation or len(ins.results) != 1 or CARRY_REGISTER in ins.names.values():
            self._forget(statement)
            return
        arguments = [
            self._read_register(x.name)
            if isinstance(x, Register) and x.bits is None
            else self.flow.add_constant(x.bits or 0)
            for x in ins.roles.values()
        ]
        if ins.form.lut is not None:
            arguments.append(self.flow.add_constant(ins.form.lut))
        (name,) = ins.results.values()
        if ins.opcode == "mov":
            number = self._state[name] = arguments[0]
            if any(self.flow.names[number] in names for names in self._inner_names):
                self.flow.names[number] = name
        else:
            self._state[name] = self.flow.add(Node(operation, tuple(arguments)), statement, name)

    def _add_move(self, statement: Statement, move: VectorMove) -> None:
        arguments = tuple(
            self.flow.add_constant(x) if isinstance(x, int) else self._read_register(x)
            for x in move.sources
        )
        bits = move.part_bits * max(len(move.targets), len(move.sources))
        operation = f"mov.b{bits}"
        if len(move.targets) == 1:
            name = move.targets[0]
            self._state[name] = self.flow.add(Node(operation, arguments), statement, name)
            return
        for index, name in enumerate(move.targets):
            if name != SINK:
                part = Node(f"{operation}.{index}", arguments)
                self._state[name] = self.flow.add(part, statement, name)
