"""Changes of instructions of the catalog that may explain a wrong result of a run.

They are the causes of ``explain``, and other registers; ``literal_changes`` has other constants.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from itertools import chain
from typing import NamedTuple

from ....diagnosis.causes import (
    Bits,
    Cause,
    CauseKind,
    ObservedCase,
    Variants,
    change_instruction,
)
from ....diagnosis.form_causes import iter_form_causes
from ....diagnosis.line_changes import iter_carry_changes
from ....diagnosis.value_causes import iter_value_causes, make_operand_cause
from ....engine.arrays.call_sequence import get_storage_dtype
from ....engine.isa.entry import Entry
from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.semantics.models import Model
from ....engine.semantics.plan import Plan
from ....engine.syntax.instruction import Immediate, Instruction, Register
from ....engine.syntax.opcodes import (
    LOADS,
)
from ....engine.tracing.evaluation import make_plan
from .register_names import iter_read_names, iter_register_names, iter_written_names
from .thread_state import find_dtype

ALL_ROLES = frozenset(("a", "b", "c", "e", "d", "p", "q", "cc", "guard"))
TABLE = "lut"
"""The role of the table of ``lop3``."""
REGISTER_COST = 5
_NEAR_STATEMENTS = 12
"""Statements before and after, whose registers may have been meant."""


_NEIGHBOUR_COST = 4
_SIGN_COST = 3
_BITWISE = frozenset(("and", "or", "xor"))
_COUNTED_ROLES = {"min": "ab", "max": "ab", "shr": "a", "add": "a", "sub": "a"}
"""The operands of opcodes that may be 1 too high or too low; of a sum, one stands for both."""


class ChangeKind(IntEnum):
    """The kinds of changes, in the order in which they are tried, if none before explains all."""

    LIKELY = 0
    LITERALS = 1
    """A literal that is solved, as far from the written one as may be."""
    MISSING = 2
    """A statement that is missing: no change of one that is there."""
    UNLIKELY = 3
    VALUES = 4
    """An operand or a result has another value, as if a statement before it were missing."""


CONSTANT_COSTS = {ChangeKind.LIKELY: 3, ChangeKind.LITERALS: 4, ChangeKind.UNLIKELY: 5}
"""The costs of constants near the written one, of typing errors, and of others."""


class LiteralValues(NamedTuple):
    """Values for a literal of a statement, each in replicas of its own."""

    role: str
    values: tuple[int, ...]
    make: Callable[[int], StatementChange]
    """Returns the change to one of them."""


class StatementChange(NamedTuple):
    """A statement, and its replacement."""

    original: Statement
    statement: Statement
    plan: Plan | None
    """The computation of the changed instruction; None if its statement is not of the catalog."""
    phrase: str
    """Completion of "line 114 …": ``with `.u32` rather than `.s32```."""
    cost: int
    """Unlikelihood, from 0 to 6."""
    cause: Cause | None = None
    """The change of operands or results of the statement, which is unchanged itself."""
    copies: tuple[StatementChange, ...] = ()
    """The same change of other statements, made at once."""
    literal: LiteralValues | None = None
    """The literal for which this stands for several changes; its cost is added to theirs."""
    literal_role: str = ""
    """The role of the literal that it changes."""
    distance: tuple[int, int] = (0, 0)
    """The distance from the written literal to the new one."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that it changes, in order."""
        return (self.original, *(x.original for x in self.copies))

    @property
    def replica_count(self) -> int:
        """The number of changes for which it stands."""
        return len(self.literal.values) if self.literal else 1

    def pick(self, index: int) -> StatementChange:
        """Return one of the changes for which it stands."""
        if not self.literal:
            return self
        change = self.literal.make(self.literal.values[index])
        copies = tuple(x.pick(index) for x in self.copies)
        return change._replace(copies=copies, cost=change.cost + self.cost)

    def narrow(self, start: int, end: int) -> StatementChange:
        """Return a change that stands for some of the changes."""
        if not self.literal:
            return self
        literal = self.literal._replace(values=self.literal.values[start:end])
        return self._replace(
            literal=literal, copies=tuple(x.narrow(start, end) for x in self.copies)
        )

    @property
    def keys(self) -> Iterator[tuple[int, str]]:
        """Keys that are equal for changes with the same effect on a statement."""
        text, identity = self.statement.text, id(self.original)
        yield identity, self.phrase if text == self.original.text else text
        if self.literal_role:
            yield identity, f"literal {self.literal_role}"
        if function := _find_function(self.statement.instruction):
            yield identity, function


def _find_function(ins: Instruction | None) -> str:
    """Return a key that is equal for equal functions of ``lop3``, in any order of the operands."""
    if ins is None or ins.form.lut is None:
        return ""
    order = sorted(range(3), key=lambda x: str(ins.sources[x]))
    table = permute_table(ins.form.lut, order)
    return f"{table} {[str(ins.sources[x]) for x in order]}"


def permute_table(table: int, order: Sequence[int]) -> int:
    """Return the table of the same function of its operands in another order."""
    entries = [[entry >> 2 - x & 1 for x in range(3)] for entry in range(8)]
    moved = [sum(entry[x] << 2 - i for i, x in enumerate(order)) for entry in entries]
    return sum((table >> entry & 1) << place for entry, place in enumerate(moved))


def iter_instruction_changes(
    function: Program,
    index: int,
    far_names: Sequence[str],
    model: Model,
    kind: ChangeKind,
    *,
    has_carries: bool,
) -> Iterator[StatementChange]:
    """Yield the changes of the statement at an index, which is an instruction of the catalog."""
    statement = function.statements[index]
    if kind is ChangeKind.LIKELY:
        yield from _iter_line_changes(statement, model)
        yield from _iter_sign_changes(statement, model)
        if has_carries:
            yield from _iter_carry_changes(statement, model)
    elif kind is ChangeKind.UNLIKELY:
        yield from _iter_register_changes(function, index, far_names, model)
    elif kind is ChangeKind.VALUES:
        yield from _iter_value_changes(statement, model)


def fits_registers(change: StatementChange, function: Program) -> bool:
    """Whether the registers of a changed instruction have the widths that it needs."""
    ins, plan = change.statement.instruction, change.plan
    if ins is None or plan is None:
        return True
    types = {x.role: x.type for x in plan.results if x.role in ins.results}
    types |= {x.role: x.type for x in plan.sources if x.role not in ins.constants}
    return types.keys() <= ins.names.keys() and all(
        find_dtype(function.registers.get(ins.names[role], "pred")) == get_storage_dtype(type_)
        for role, type_ in types.items()
    )


def _iter_line_changes(statement: Statement, model: Model) -> Iterator[StatementChange]:
    """Yield the causes of ``explain`` that change the line or its meaning."""
    ins = statement.instruction
    assert ins
    variants = Variants(ins, ALL_ROLES)
    plans = set[int]()
    swaps = (x for x in iter_value_causes(ins, ALL_ROLES) if x.is_swap)
    for cause in chain(iter_form_causes(ins, has_nan=True), swaps):
        if cause.literals or not _changes_line(cause) or variants.is_redundant((cause,)):
            continue
        change = make_cause_change(statement, cause, variants, model)
        if change is None:
            continue
        if cause.slots:
            if id(change.plan) in plans:  # as another change; plans are cached
                continue
            plans.add(id(change.plan))
        yield change


def make_cause_change(
    statement: Statement, cause: Cause, variants: Variants, model: Model
) -> StatementChange | None:
    """Return the statement as a cause changes it; None if that is impossible."""
    variant = variants.make_variant((cause,))
    if variant is None:
        return None
    assert statement.instruction
    changed = change_instruction(statement.instruction, (cause,), variant)
    plan = make_statement_plan(changed, Model("", cause.errata) if cause.errata else model)
    return make_change(statement, changed, plan, cause.phrase, cause.cost)


def _iter_sign_changes(statement: Statement, model: Model) -> Iterator[StatementChange]:
    """Yield each register of a bitwise operation with another sign: a ``~``, ``!`` or ``-``."""
    ins = statement.instruction
    assert ins
    for role in "ab" if ins.form.opcode in _BITWISE else "":
        type_, source = ins.type_of(role), ins.roles[role]
        if isinstance(source, Register) and source.bits is None:
            signs = ["!"] if type_.bits == 1 else ["-", "~"]
            if ins.form.opcode == "xor" and role == "b":
                signs = ["-"] if type_.bits > 1 else []  # one inverted operand stands for both
            for sign in signs:
                phrase = show_names(f"with {sign}{source.name} rather than {source.name}")
                change = partial(_apply_sign, sign, (1 << type_.bits) - 1)
                cause = make_operand_cause(role, phrase, _SIGN_COST, change)
                plan = make_statement_plan(ins, model)
                yield StatementChange(statement, statement, plan, phrase, cause.cost, cause)


def _apply_sign(sign: str, mask: int, role: str, operands: Bits, _: ObservedCase) -> int:
    return -operands[role] & mask if sign == "-" else operands[role] ^ mask


def _iter_carry_changes(statement: Statement, model: Model) -> Iterator[StatementChange]:
    """Yield the sum with the reading, or the writing, of a carry added or removed."""
    assert statement.instruction
    for ins, phrase, cost in iter_carry_changes(statement.instruction):
        yield make_change(statement, ins, make_statement_plan(ins, model), phrase, cost)


def _iter_value_changes(statement: Statement, model: Model) -> Iterator[StatementChange]:
    """Yield the causes of ``explain`` that change values only."""
    ins = statement.instruction
    assert ins
    plan = make_statement_plan(ins, model)
    roles = frozenset(x.role for x in plan.sources)
    for cause in iter_value_causes(ins, roles):
        if not cause.is_swap:
            yield StatementChange(statement, statement, plan, cause.phrase, cause.cost, cause)
    for cause in _iter_neighbours(ins):
        yield StatementChange(statement, statement, plan, cause.phrase, cause.cost, cause)


def _iter_neighbours(ins: Instruction) -> Iterator[Cause]:
    """Yield registers that are 1 too high or too low: a wrong bound, or no rounding."""
    for role in _COUNTED_ROLES.get(ins.form.opcode, ""):
        type_, source = ins.type_of(role), ins.roles[role]
        if isinstance(source, Register) and source.bits is None and type_.lanes == 1:
            steps = [-1, 1]
            amount = ins.roles["b"]
            if ins.form.opcode == "shr" and isinstance(amount, Immediate):
                steps = [(1 << min(amount.bits, type_.bits) >> 1) or 1]  # rounds to the nearest
            for step in steps:
                sign = "-" if step < 0 else "+"
                phrase = f"with {source.name} {sign} {abs(step)} rather than {source.name}"
                change = partial(_add_step, step, (1 << type_.bits) - 1)
                yield make_operand_cause(role, phrase, _NEIGHBOUR_COST, change)


def _add_step(step: int, mask: int, role: str, operands: Bits, _: ObservedCase) -> int:
    return operands[role] + step & mask


def _changes_line(cause: Cause) -> bool:
    """Whether a cause is another line or a misconception, not an effect of a GPU or a reader."""
    if cause.kind is CauseKind.PTXAS or cause.model:
        return False
    return cause.has_plan_change or cause.is_swap or bool(cause.literals)


def make_statement_plan(ins: Instruction, model: Model) -> Plan:
    """Return the plan for the lanes that act; one that reads its guard only under E14."""
    rules = model.make_rules(ins.form)
    return make_plan(ins if rules.old_converted else replace(ins, guard=None), rules)


def make_change(
    statement: Statement, changed: Instruction, plan: Plan, phrase: str, cost: int
) -> StatementChange:
    """Return the change of a statement to another instruction, with its plan."""
    guard = statement.guard
    if guard and changed.guard:
        guard = guard._replace(negated=changed.guard.negated)
    text = show_names(str(changed).rstrip(";"))
    new_statement = statement._replace(instruction=changed, guard=guard, text=text)
    return StatementChange(statement, new_statement, plan, show_names(phrase), cost)


def show_names(text: str) -> str:
    """Return a text with the registers as written, without the numbers that make names unique."""
    return re.sub(r"#\d++", "", text)


def _iter_register_changes(
    function: Program, index: int, far_names: Sequence[str], model: Model
) -> Iterator[StatementChange]:
    """Yield two exchanged sources, and another register nearby, of the same type, for each."""
    statement = function.statements[index]
    ins = statement.instruction
    assert ins
    plan, names = make_statement_plan(ins, model), list_near_names(function, index, far_names)
    tried = {_get_operands_key(ins.entry, ins.sources)}
    for place, source in enumerate(ins.sources):
        if not isinstance(source, Register):
            continue
        type_ = function.registers.get(source.name)
        for name in names:
            if name != source.name and function.registers.get(name) == type_:
                sources = (*ins.sources[:place], Register(name), *ins.sources[place + 1 :])
                key = _get_operands_key(ins.entry, sources)
                if key in tried:
                    continue
                tried.add(key)
                phrase = f"with `{name}` rather than `{source.name}`"
                changed = change_sources(ins, sources)
                yield make_change(statement, changed, plan, phrase, REGISTER_COST)
    if len(ins.sources) > 2:
        a, b, c, *rest = ins.sources
        for x, y, order in ((a, c, (c, b, a)), (b, c, (a, c, b))):
            phrase = f"with {x} and {y} exchanged"
            changed = change_sources(ins, (*order, *rest))
            yield make_change(statement, changed, plan, phrase, REGISTER_COST)


def _get_operands_key(entry: Entry, sources: tuple[Register | Immediate, ...]) -> tuple[str, ...]:
    """Return a key that ignores the order of commutative operands."""
    texts = [str(x) for x in sources]
    if entry.is_commutative:
        texts[:2] = sorted(texts[:2])
    return tuple(texts)


def change_sources(ins: Instruction, sources: tuple[Register | Immediate, ...]) -> Instruction:
    """Return an instruction with other operands."""
    return replace(ins, sources=sources, text="", spans={}, notes=())


def list_far_names(function: Program) -> list[str]:
    """Return the registers with parameters, and the registers that nothing reads.

    A register that nothing reads is often the intended one.
    """
    statements = function.statements
    read_names = {name for x in statements for name in iter_read_names(x)}
    parameters = [x for x in statements if x.opcode in LOADS and "param" in x.modifiers]
    names = [name for x in parameters for name in _iter_names(x)]
    return names + [y for x in statements for y in iter_written_names(x) if y not in read_names]


def list_near_names(function: Program, index: int, far_names: Sequence[str]) -> list[str]:
    """Return the registers of the statements around one, and those likely anywhere."""
    start, end = max(index - _NEAR_STATEMENTS, 0), index + _NEAR_STATEMENTS
    names = (name for x in function.statements[start:end] for name in _iter_names(x))
    return list(dict.fromkeys((*names, *far_names)))


def _iter_names(statement: Statement) -> Iterator[str]:
    if statement.instruction:
        yield from statement.instruction.names.values()
    for x in statement.operands:
        yield from iter_register_names(x)
