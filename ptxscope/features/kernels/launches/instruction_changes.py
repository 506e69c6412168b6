"""Changes of instructions of the catalog that may explain a wrong result of a run.

They are the causes of ``explain``, other registers and other constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from ....diagnosis.causes import Cause, CauseKind, Variants, change_instruction
from ....diagnosis.form_causes import iter_form_causes
from ....diagnosis.line_changes import iter_carry_changes, iter_digit_changes
from ....diagnosis.value_causes import iter_value_causes
from ....engine.arrays.call_sequence import get_storage_dtype
from ....engine.isa.entry import Entry
from ....engine.isa.types import Type
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

_ALL_ROLES = frozenset(("a", "b", "c", "e", "d", "p", "q", "cc", "guard"))
REGISTER_COST = 5
_NEAR_STATEMENTS = 12
"""Statements before and after, whose registers may have been meant."""


class ChangeKind(IntEnum):
    """The kinds of changes, in the order in which they are tried, if none before explains all."""

    LIKELY = 0
    MISSING = 1
    """A statement that is missing: no change of one that is there."""
    UNLIKELY = 2
    VALUES = 3
    """What an instruction reads or writes is another value, as if one were missing before it."""


CONSTANT_COSTS = {ChangeKind.LIKELY: 3, ChangeKind.UNLIKELY: 5}
"""The costs of constants near the written one, and of others."""


class StatementChange(NamedTuple):
    """A statement, and another in its place."""

    original: Statement
    statement: Statement
    plan: Plan | None
    """What the changed instruction computes; None if its statement is not of the catalog."""
    phrase: str
    """Completion of "line 114 …": ``with `.u32` rather than `.s32```."""
    cost: int
    """Unlikelihood, from 0 to 6."""
    cause: Cause | None = None
    """What changes the operands or the results of the statement, which stays as it is."""
    copies: tuple[StatementChange, ...] = ()
    """The same change of other statements, made at once."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that it changes, in order."""
        return (self.original, *(x.original for x in self.copies))

    @property
    def key(self) -> tuple[int, str]:
        """What is equal for changes that make the same of the statement, besides its copies."""
        text = self.statement.text
        return id(self.original), self.phrase if text == self.original.text else text


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
        if has_carries:
            yield from _iter_carry_changes(statement, model)
    elif kind is ChangeKind.UNLIKELY:
        yield from _iter_register_changes(function, index, far_names, model)
    elif kind is ChangeKind.VALUES:
        yield from _iter_value_changes(statement, model)
    if kind in CONSTANT_COSTS:
        yield from _iter_constant_changes(statement, model, kind)


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
    """Yield the causes of ``explain`` that change the line, or what it means."""
    ins = statement.instruction
    assert ins
    variants = Variants(ins, _ALL_ROLES)
    plans = set[int]()
    swaps = (x for x in iter_value_causes(ins, _ALL_ROLES) if x.is_swap)
    for cause in chain(iter_form_causes(ins, has_nan=True), iter_digit_changes(ins), swaps):
        if not _changes_line(cause) or variants.is_redundant((cause,)):
            continue
        variant = variants.make_variant((cause,))
        if variant is None:
            continue
        changed = change_instruction(ins, (cause,), variant)
        plan = _make_plan(changed, Model("", cause.errata) if cause.errata else model)
        if cause.slots and not cause.literals:
            if id(plan) in plans:  # as another change; plans are cached
                continue
            plans.add(id(plan))
        yield _make_change(statement, changed, plan, cause.phrase, cause.cost)


def _iter_carry_changes(statement: Statement, model: Model) -> Iterator[StatementChange]:
    """Yield the sum that reads a carry or does not, and writes one or does not."""
    assert statement.instruction
    for ins, phrase, cost in iter_carry_changes(statement.instruction):
        yield _make_change(statement, ins, _make_plan(ins, model), phrase, cost)


def _iter_value_changes(statement: Statement, model: Model) -> Iterator[StatementChange]:
    """Yield the causes of ``explain`` that change values only."""
    ins = statement.instruction
    assert ins
    plan = _make_plan(ins, model)
    roles = frozenset(x.role for x in plan.sources)
    for cause in iter_value_causes(ins, roles):
        if not cause.is_swap:
            yield StatementChange(statement, statement, plan, cause.phrase, cause.cost, cause)


def _changes_line(cause: Cause) -> bool:
    """Whether a cause is another line or a misconception, and not what a GPU or a reader does."""
    if cause.kind is CauseKind.PTXAS or cause.model:
        return False
    return cause.has_plan_change or cause.is_swap or bool(cause.literals)


def _make_plan(ins: Instruction, model: Model) -> Plan:
    """Return the plan for the lanes that act; one that reads its guard only under E14."""
    rules = model.make_rules(ins.form)
    return make_plan(ins if rules.old_converted else replace(ins, guard=None), rules)


def _make_change(
    statement: Statement, changed: Instruction, plan: Plan, phrase: str, cost: int
) -> StatementChange:
    guard = statement.guard
    if guard and changed.guard:
        guard = guard._replace(negated=changed.guard.negated)
    text = str(changed).rstrip(";")
    new_statement = statement._replace(instruction=changed, guard=guard, text=text)
    return StatementChange(statement, new_statement, plan, phrase, cost)


def _iter_register_changes(
    function: Program, index: int, far_names: Sequence[str], model: Model
) -> Iterator[StatementChange]:
    """Yield two exchanged sources, and another register nearby, of the same type, for each."""
    statement = function.statements[index]
    ins = statement.instruction
    assert ins
    plan, names = _make_plan(ins, model), list_near_names(function, index, far_names)
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
                changed = _change_sources(ins, sources)
                yield _make_change(statement, changed, plan, phrase, REGISTER_COST)
    if len(ins.sources) > 2:
        a, b, c, *rest = ins.sources
        for x, y, order in ((a, c, (c, b, a)), (b, c, (a, c, b))):
            phrase = f"with {x} and {y} exchanged"
            changed = _change_sources(ins, (*order, *rest))
            yield _make_change(statement, changed, plan, phrase, REGISTER_COST)


def _get_operands_key(entry: Entry, sources: tuple[Register | Immediate, ...]) -> tuple[str, ...]:
    """Return what is the same for operands of which the order does not matter."""
    texts = [str(x) for x in sources]
    if entry.is_commutative:
        texts[:2] = sorted(texts[:2])
    return tuple(texts)


def _change_sources(ins: Instruction, sources: tuple[Register | Immediate, ...]) -> Instruction:
    return replace(ins, sources=sources, text="", spans={}, notes=())


def list_far_names(function: Program) -> list[str]:
    """Return the registers with parameters, and those that nothing reads.

    A register that should be read somewhere, and is not, is often the one that was meant.
    """
    statements = function.statements
    read_names = {name for x in statements for name in iter_read_names(x)}
    parameters = [x for x in statements if x.opcode in LOADS and "param" in x.modifiers]
    names = [name for x in parameters for name in _iter_names(x)]
    return names + [y for x in statements for y in iter_written_names(x) if y not in read_names]


def list_near_names(function: Program, index: int, far_names: Sequence[str]) -> list[str]:
    """Return the registers of the statements around one, and those that may be meant anywhere."""
    start, end = max(index - _NEAR_STATEMENTS, 0), index + _NEAR_STATEMENTS
    names = (name for x in function.statements[start:end] for name in _iter_names(x))
    return list(dict.fromkeys((*names, *far_names)))


def _iter_names(statement: Statement) -> Iterator[str]:
    if statement.instruction:
        yield from statement.instruction.names.values()
    for x in statement.operands:
        yield from iter_register_names(x)


# --- constants ---------------------------------------------------------------------------


def _iter_constant_changes(
    statement: Statement, model: Model, kind: ChangeKind
) -> Iterator[StatementChange]:
    """Yield other constants of an instruction: those near the written one, or with another bit."""
    ins = statement.instruction
    assert ins
    plan, cost = _make_plan(ins, model), CONSTANT_COSTS[kind]
    for index, (role, source) in enumerate(zip(ins.roles, ins.sources, strict=False)):
        type_ = ins.type_of(role)
        if isinstance(source, Immediate) and not type_.is_float:
            for bits in iter_constants(source.bits, type_.bits, kind):
                immediate = Immediate(bits, _format_like(source.text, bits, type_))
                sources = (*ins.sources[:index], immediate, *ins.sources[index + 1 :])
                phrase = f"with `{immediate}` rather than `{source}`"
                changed = _change_sources(ins, sources)
                yield _make_change(statement, changed, plan, phrase, cost)


def _format_like(text: str, bits: int, type_: Type) -> str:
    if text.lower().startswith("0x"):
        return f"{bits:#x}"
    is_negative = type_.signed and bits >> type_.bits - 1
    return str(bits - (1 << type_.bits) if is_negative else bits)


def iter_constants(bits: int, width: int, kind: ChangeKind) -> Iterator[int]:
    """Yield other constants of a width."""
    mask = (1 << width) - 1
    near = [bits + 1, bits - 1, 2 * bits, bits // 2, -bits, ~bits]
    if bits & (bits + 1) == 0:  # a mask of low bits
        count = bits.bit_length()
        near += [(1 << x) - 1 for x in (count + 1, count - 1, 2 * count, count // 2) if x >= 0]
    elif bits & (bits - 1):  # between two powers of two
        near += [1 << bits.bit_length(), 1 << bits.bit_length() - 1]
    near_bits = {x & mask: None for x in near}
    if kind is ChangeKind.LIKELY:
        yield from (x for x in near_bits if x != bits)
        return
    for place in range(width):
        if bits ^ 1 << place not in near_bits:
            yield bits ^ 1 << place
