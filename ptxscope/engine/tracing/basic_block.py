"""A basic block: statements in order, joined by registers into one plan.

A value has a place: the statement that writes it and the role there, or 0 and the name of a
register that the block reads first. Places, literals and the row keys of a statement get a prefix
in the joined plan, ``s2.`` or ``s0.``, so that keys are unique in the block. Back ends treat that
plan like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from ..isa.types import ORDER, Type
from ..records import FrozenDict, FrozenRecord
from ..semantics.models import ISA_MODEL, Model
from ..semantics.plan import Plan, Result, Row, Source
from ..semantics.rules import Erratum
from ..syntax.errors import Span
from ..syntax.instruction import Input, Instruction
from .evaluation import make_model_plan


class ValuePlace(NamedTuple):
    """The place of a value: a result of a statement, or an input register of the block."""

    statement: int
    """The number of the statement that writes it, from 1; 0 for an input register."""
    role: str
    """The role of the destination; for an input register, its name."""
    own_role: str = ""
    """Its role in the block of one instruction."""

    @property
    def key(self) -> str:
        """The role in the block: ``s2.d``, ``s0.%r1``; if it is one instruction, ``d``, ``a``."""
        return self.own_role or f"s{self.statement}.{self.role}"


class BlockStatement(NamedTuple):
    """A statement of a block."""

    number: int
    """From 1."""
    text: str
    """Its source text without the ``;``; or an instruction for a part of a statement."""
    line: int
    """From 1, in the source text."""
    instruction: Instruction
    reads: Mapping[str, ValuePlace]
    """The place of each register's value, by role; constants have no place."""
    whole_text: str = ""
    """The source text of the statement that it is a part of; else empty."""
    has_prefix: bool = True
    """Whether keys in the block begin with its number; False if the block is one instruction."""

    @property
    def prefix(self) -> str:
        """The start of the keys of its rows in the plan of the block: ``s2.``, or nothing."""
        return f"s{self.number}." * self.has_prefix

    @property
    def places(self) -> Mapping[str, ValuePlace]:
        """The place of each result by role."""
        return {role: self.make_place(role) for role in self.instruction.results}

    def make_place(self, role: str) -> ValuePlace:
        """Return the place of a result or a literal."""
        return ValuePlace(self.number, role, "" if self.has_prefix else role)

    def find_place(self, role: str) -> ValuePlace:
        """Return the place of the value of an operand: a register or a literal."""
        return self.reads.get(role) or self.make_place(role)


class BlockGuard(NamedTuple):
    """A predicate with which threads leave the block, so that its results do not matter."""

    place: ValuePlace
    name: str
    staying_value: bool
    """The value with which a thread stays."""

    @property
    def condition(self) -> str:
        """The condition on which a thread stays: ``not %p1``."""
        return self.name if self.staying_value else f"not {self.name}"


STORED = "stored"
"""The kind of stores of known values."""


class OuterAccess(NamedTuple):
    """A statement that exchanges values with memory, or anything else outside the registers."""

    text: str
    line: int
    """From 1, in the source text."""
    kind: str
    """The verb for registers: ``loaded``, ``STORED``; empty for an unknown effect."""
    names: tuple[str, ...] = ()
    """The registers that it writes; for a store, the stored results.

    Values that the block does not compute begin with ``=``: ``=%r1`` is an input, ``=0x5`` a
    literal.
    """
    form: str = ""
    """The opcode of a store with its modifiers, and with the width instead of the type."""
    is_apart: bool = True
    """Whether a store certainly does not overlap the earlier stores."""


@dataclass(frozen=True)
class BasicBlock(FrozenRecord):
    """Statements in a straight line, as one computation.

    It has the interface of an ``Instruction``, with other roles: ``s0.%r1`` is the input register
    %r1, ``s2.d`` the result d of statement 2, ``s2.c`` a literal.
    """

    statements: tuple[BlockStatement, ...]
    outputs: Mapping[str, ValuePlace]
    """The place of each result by the register's name, in the order of their statements."""
    lines: tuple[str, ...]
    """The source text of every statement, with its ``;``, and braces around local registers."""
    text: str = field(default="", compare=False, repr=False)
    """The source text."""
    spans: Mapping[str, Span] = field(default_factory=dict, compare=False, repr=False)
    """The span of the statements in the text, as ``line``."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """Remarks on omitted statements, and on values that are treated as inputs."""
    read_values: Mapping[str, ValuePlace] = field(default_factory=dict)
    """The final places of the other registers that the block both writes and reads."""
    guards: tuple[BlockGuard, ...] = ()
    """The guarded branches to its end, which a thread must not take."""
    outer_accesses: tuple[OuterAccess, ...] = ()
    """The loads, stores and reads of special registers, which are not evaluated."""

    @property
    def is_line(self) -> bool:
        """Whether it is one instruction, and has its roles and row keys."""
        return not self.lines

    @cached_property
    def errata(self) -> tuple[Erratum, ...]:
        """The errata that can change a statement's result."""
        return tuple(dict.fromkeys(y for x in self.statements for y in x.instruction.errata))

    @property
    def instruction(self) -> Instruction:
        """The only instruction; raise ValueError if there are several."""
        (statement,) = self.statements
        return statement.instruction

    def without_braces(self) -> BasicBlock:
        """Return the line of a block that is only one instruction."""
        first = self.statements[0]
        ins = first.instruction
        is_whole = len(self.statements) == 1 and not (self.notes or self.guards or first.whole_text)
        has_same_names = all(ins.names.get(x) == place.role for x, place in first.reads.items())
        results = {place.role: name for name, place in self.outputs.items()}
        return make_block(ins) if is_whole and has_same_names and results == ins.results else self

    def get_statement(self, number: int) -> BlockStatement:
        """Return a statement by its number, from 1."""
        return self.statements[number - 1]

    def with_results(self, names: Iterable[str]) -> BasicBlock:
        """Return the block with more results, of registers that it writes and reads."""
        places = {*self.outputs.values()}
        more = {name: self.read_values[name] for name in names if name in self.read_values}
        added = {name: place for name, place in more.items() if place not in places}
        return replace(self, outputs={**self.outputs, **added}) if added else self

    def make_plan(self, model: Model = ISA_MODEL) -> Plan:
        """Return the joined plan of all statements under a model."""
        if self.is_line:
            return make_model_plan(self.instruction, model)
        rows: list[Row] = []
        sources: dict[str, Source] = {}
        result_keys: dict[ValuePlace, str] = {}
        for statement in self.statements:
            ins, prefix = statement.instruction, statement.prefix
            plan = make_model_plan(ins, model)
            keys = {row.key: prefix + row.key for row in plan.rows}
            for role, type_ in plan.sources:
                place = statement.find_place(role)
                keys[role] = result_keys.get(place, place.key)
                if place not in result_keys:
                    sources.setdefault(place.key, Source(place.key, type_))
            rows += (
                row._replace(key=keys[row.key], inputs=tuple(keys[x] for x in row.inputs))
                for row in plan.rows
            )
            for role, _, key in plan.results:
                result_keys[ValuePlace(statement.number, role)] = keys[key]
        results = (
            Result(place.key, self.type_of(place.key), result_keys[place])
            for place in self.outputs.values()
        )
        return Plan(None, tuple(sources.values()), tuple(rows), tuple(results))

    @cached_property
    def plan(self) -> Plan:
        """The plan under the documentation."""
        return self.make_plan()

    # --- the interface of an Instruction --------------------------------------------------

    @cached_property
    def _readers(self) -> Mapping[str, tuple[Instruction, str]]:
        """By role, the first instruction that reads each input register, and the role there."""
        readers: dict[str, tuple[Instruction, str]] = {}
        for statement in self.statements:
            for role, place in statement.reads.items():
                if place.statement == 0:
                    readers.setdefault(place.key, (statement.instruction, role))
        return readers

    def _find_operand(self, role: str) -> tuple[Instruction, str]:
        """Return an instruction with an operand or a result, and its role there."""
        if role in self._readers:
            return self._readers[role]
        prefix, _, own_role = role.rpartition(".")
        return self.get_statement(int(prefix[1:] or 1)).instruction, own_role

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of the PTX ISA on its instructions, without duplicates."""
        return tuple(dict.fromkeys(x.instruction.entry.section for x in self.statements))

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """The bits of the constant operands by role: ``s2.c``."""
        return FrozenDict(
            (statement.prefix + role, bits)
            for statement in self.statements
            for role, bits in statement.instruction.constants.items()
        )

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The input registers by role; for one instruction, also its results."""
        places = (place for x in self.statements for place in x.reads.values())
        return FrozenDict((x.key, x.role) for x in places if x.statement == 0)

    @cached_property
    def results(self) -> Mapping[str, str]:
        """The register of each result by role."""
        return FrozenDict((place.key, name) for name, place in self.outputs.items())

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """The input registers whose values affect a statement."""
        read_roles = {source.role for source in self.plan.sources} - self.constants.keys()
        roles: dict[str, list[str]] = {}
        for role in sorted(self.names, key=lambda x: ORDER.get(x, 0)):  # type: ignore[call-overload]
            if role in read_roles:
                roles.setdefault(self.names[role], []).append(role)
        return tuple(Input(name, self.type_of(x[0]), tuple(x)) for name, x in roles.items())

    def type_of(self, role: str) -> Type:
        """Return the type of an input register, a literal or a result."""
        ins, own_role = self._find_operand(role)
        return ins.type_of(own_role)

    def format_operand(self, role: str) -> str:
        """Return a register's name, or a literal's text."""
        ins, own_role = self._find_operand(role)
        return self.names.get(role) or ins.format_operand(own_role)

    def __repr__(self) -> str:
        return f"<BasicBlock {self}>"

    def __str__(self) -> str:
        """Return the statements in braces, or the one instruction."""
        if not self.lines:
            return str(self.instruction)
        text = " ".join(self.lines)
        has_braces = self.lines[0][0] == "{" and self.lines[-1] == "}" and text.count("}") == 1
        return text if has_braces else f"{{ {text} }}"


def make_block(ins: Instruction) -> BasicBlock:
    """Return the block of one instruction, possibly without results.

    It has no source lines: equal instructions have equal blocks, whatever their spelling.
    """
    reads = FrozenDict((role, ValuePlace(0, name, role)) for role, name in ins.names.items())
    statement = BlockStatement(1, "", 1, ins, reads, has_prefix=False)
    outputs = FrozenDict((ins.results[role], x) for role, x in statement.places.items())
    return BasicBlock((statement,), outputs, (), ins.text, ins.spans)
