"""A basic block: statements in order, joined by registers into one plan.

A value has a place: the statement that writes it and the role there, or 0 and the name of a
register that the block reads before it writes it. Places, literals and the row keys of a statement
get a prefix in the joined plan, ``s2.``, ``s0.``, so that a key names one value of the block. To
every back end, that plan is like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from ..isa.types import Type
from ..records import FrozenDict, freeze_dicts, get_field_values
from ..semantics.erratum import Erratum
from ..semantics.models import ISA_MODEL, Model
from ..semantics.plan import Plan, Result, Row, Source
from ..syntax.errors import Span
from ..syntax.instruction import Input, Instruction
from .evaluation import make_model_plan


class ValuePlace(NamedTuple):
    """The place of a value: a result of a statement, or a register that the block is given."""

    statement: int
    """The number of the statement that writes it, from 1; 0 for a register that is given."""
    role: str
    """The role of the destination; for a given register its name."""

    @property
    def key(self) -> str:
        """The role in the block: ``s2.d``, ``s0.%r1``."""
        return f"s{self.statement}.{self.role}"


class BlockStatement(NamedTuple):
    """A statement of a block."""

    number: int
    """From 1."""
    text: str
    """As written, without the ``;``; or an instruction that does a part of a statement."""
    line: int
    """From 1, in the text that was read."""
    instruction: Instruction
    reads: Mapping[str, ValuePlace]
    """The place of the value of each register, by role; constants have none."""
    whole_text: str = ""
    """The statement as written of which it does a part; empty if it does all of it."""

    @property
    def places(self) -> Mapping[str, ValuePlace]:
        """The place of each result by role."""
        return {role: ValuePlace(self.number, role) for role in self.instruction.results}

    @property
    def prefix(self) -> str:
        """The start of the keys of its rows in the plan of the block: ``s2.``."""
        return f"s{self.number}."


class BlockGuard(NamedTuple):
    """A predicate that lets threads leave the block before its results are of use."""

    place: ValuePlace
    name: str
    """The register."""
    stays_with: bool
    """The value with which a thread stays."""

    @property
    def condition(self) -> str:
        """When a thread stays: ``not %p1``."""
        return self.name if self.stays_with else f"not {self.name}"


@dataclass(frozen=True)
class BasicBlock:
    """Statements that run one after the other, as one computation.

    It has the registers of an ``Instruction``, with roles of its own: ``s0.%r1`` is the register
    %r1 that it is given, ``s2.d`` the result d of statement 2, ``s2.c`` a literal.
    """

    statements: tuple[BlockStatement, ...]
    outputs: Mapping[str, ValuePlace]
    """The place of each result by the register's name, in the order of their statements."""
    lines: tuple[str, ...]
    """Every statement as written, with its ``;``, and the braces around registers of their own."""
    text: str = field(default="", compare=False, repr=False)
    """The text that was read."""
    spans: Mapping[str, Span] = field(default_factory=dict, compare=False, repr=False)
    """The span of the statements in the text, as ``line``."""
    notes: tuple[str, ...] = ()
    """Remarks on statements that were left out."""
    read_values: Mapping[str, ValuePlace] = field(default_factory=dict)
    """The place of what is in each other register at the end that the block writes, and reads."""
    guards: tuple[BlockGuard, ...] = ()
    """The branches to its end, each with a guard, that a thread must not take."""

    def __post_init__(self) -> None:
        freeze_dicts(self)

    def __getstate__(self) -> dict[str, object]:
        return get_field_values(self)

    @property
    def is_line(self) -> bool:
        """Whether it is one instruction, whose roles and row keys are those of the block."""
        return not self.lines

    @cached_property
    def errata(self) -> tuple[Erratum, ...]:
        """The errata that can change the result of one of its statements."""
        return tuple(dict.fromkeys(y for x in self.statements for y in x.instruction.errata))

    @property
    def instruction(self) -> Instruction:
        """The only instruction; raise ValueError if there are several."""
        (statement,) = self.statements
        return statement.instruction

    def without_braces(self) -> BasicBlock:
        """Return the line of a block that is one instruction and nothing else."""
        first = self.statements[0]
        line = make_block(first.instruction)
        is_line = len(self.statements) == 1 and not (self.notes or self.guards or first.whole_text)
        has_same_names = self.outputs == line.outputs and all(
            place == line.statements[0].reads.get(role) for role, place in first.reads.items()
        )
        return line if is_line and has_same_names else self

    def get_prefix(self, statement: BlockStatement) -> str:
        """Return the start of the row keys of a statement: ``s2.``; a line has none."""
        return "" if self.is_line else statement.prefix

    def key_of(self, place: ValuePlace) -> str:
        """Return the role of the block at a place: ``s2.d``; that of a line's result is ``d``."""
        return place.role if self.is_line else place.key

    def get_statement(self, number: int) -> BlockStatement:
        """Return a statement by its number, from 1."""
        return self.statements[number - 1]

    def with_results(self, names: Iterable[str]) -> BasicBlock:
        """Return the block with more results: those of the registers that it writes, and reads."""
        places = {*self.outputs.values()}
        more = {name: self.read_values[name] for name in names if name in self.read_values}
        added = {name: place for name, place in more.items() if place not in places}
        return replace(self, outputs={**self.outputs, **added}) if added else self

    def with_guard_results(self) -> BasicBlock:
        """Return the block with the predicates of its guards that it computes among its results."""
        if not self.guards:
            return self
        guards = {x.name: x.place for x in self.guards if x.place.statement}
        outputs = {**self.outputs, **guards}.items()
        return replace(self, outputs=dict(sorted(outputs, key=lambda x: x[1].statement)))

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
                place = statement.reads.get(role) or ValuePlace(statement.number, role)
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

    # --- the registers, as those of an Instruction -----------------------------------------

    @cached_property
    def _readers(self) -> Mapping[str, tuple[Instruction, str]]:
        """The first instruction that reads each given register, and the role there."""
        readers: dict[str, tuple[Instruction, str]] = {}
        for statement in self.statements:
            for role, (number, name) in statement.reads.items():
                if number == 0:
                    readers.setdefault(name, (statement.instruction, role))
        return readers

    def _find_operand(self, role: str) -> tuple[Instruction, str]:
        """Return an instruction that has an operand or a result, and its role there."""
        if self.is_line:
            return self.instruction, role
        number, _, own_role = role[1:].partition(".")
        if number == "0":
            return self._readers[own_role]
        return self.get_statement(int(number)).instruction, own_role

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of the PTX ISA on its instructions, each once."""
        return tuple(dict.fromkeys(x.instruction.entry.section for x in self.statements))

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """The bits of the constant operands by role: ``s2.c``."""
        return FrozenDict(
            (self.get_prefix(statement) + role, bits)
            for statement in self.statements
            for role, bits in statement.instruction.constants.items()
        )

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The given registers by role."""
        if self.is_line:
            return self.instruction.names
        return FrozenDict((ValuePlace(0, name).key, name) for name in self._readers)

    @cached_property
    def results(self) -> Mapping[str, str]:
        """The register of each result by role."""
        return FrozenDict((self.key_of(place), name) for name, place in self.outputs.items())

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """The given registers whose values affect some statement."""
        if self.is_line:
            return self.instruction.inputs
        read_roles = {source.role for source in self.plan.sources}
        return tuple(
            Input(name, self.type_of(role), (role,))
            for role, name in self.names.items()
            if role in read_roles
        )

    def type_of(self, role: str) -> Type:
        """Return the type of a given register, a literal or a result."""
        ins, own_role = self._find_operand(role)
        return ins.type_of(own_role)

    def format_operand(self, role: str) -> str:
        """Return a register's name, or a literal as it is written."""
        ins, own_role = self._find_operand(role)
        return self.names.get(role) or ins.format_operand(own_role)

    def __repr__(self) -> str:
        return f"<BasicBlock {self}>"

    def __str__(self) -> str:
        """Return the statements in braces, or the one instruction."""
        if self.is_line:
            return str(self.instruction)
        text = " ".join(self.lines)
        has_braces = self.lines[0][0] == "{" and self.lines[-1] == "}" and text.count("}") == 1
        return text if has_braces else f"{{ {text} }}"


def make_block(program: Instruction | BasicBlock) -> BasicBlock:
    """Return a block, or that of one instruction: its results may be none.

    It has no written lines: equal instructions have equal blocks, however they were written.
    """
    if isinstance(program, BasicBlock):
        return program
    reads = FrozenDict((role, ValuePlace(0, name)) for role, name in program.names.items())
    statement = BlockStatement(1, "", 1, program, reads)
    outputs = FrozenDict((name, ValuePlace(1, role)) for role, name in program.results.items())
    return BasicBlock((statement,), outputs, (), program.text, program.spans)
