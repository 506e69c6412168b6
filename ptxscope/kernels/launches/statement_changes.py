"""Changes of single statements that may explain a wrong result of a run.

Those of an instruction of the catalog are the causes of ``explain``. Others change a constant, a
register, a guard, or a modifier of a statement that the catalog lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from ...diagnosis.carry_changes import iter_carry_changes
from ...diagnosis.causes import Cause, CauseKind
from ...diagnosis.digit_changes import iter_digit_changes
from ...diagnosis.form_causes import iter_form_causes
from ...diagnosis.value_causes import iter_value_causes
from ...diagnosis.variants import Variants, change_instruction
from ...engine.arrays.call_sequence import get_storage_dtype
from ...engine.isa.entry import Entry
from ...engine.isa.other_opcodes import (
    ACCESSES,
    COLLECTIVES,
    CONFUSABLE_FLOAT_OPCODES,
    CONFUSABLE_MODIFIERS,
    JUMPS,
    LOADS,
)
from ...engine.isa.types import CARRY_REGISTER, Type
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import (
    TYPE_BITS,
    ConstantOperand,
    MemoryOperand,
    Operand,
    RegisterOperand,
    SpecialOperand,
    iter_register_names,
)
from ...engine.semantics.models import Model
from ...engine.semantics.plan import Plan
from ...engine.syntax.errors import format_count
from ...engine.syntax.instruction import Immediate, Instruction, Register
from ...engine.tracing.evaluation import make_plan
from .operand_replacement import replace_operand_text
from .thread_state import find_dtype

_ALL_ROLES = frozenset(("a", "b", "c", "e", "d", "p", "q", "cc", "guard"))
_GUARD_COST = 3
_MODIFIER_COST = 2
_SPECIAL_COST = 3
_NEAR_CONSTANT_COST = 3
_CONSTANT_COST = 5
_REGISTER_COST = 5
_OFFSET_COST = 5
_LABEL_COST = 5
_NEAR_LABELS = 2
"""Labels before and after one, which may have been meant."""
_NEAR_STATEMENTS = 12
"""Statements before and after, whose registers may have been meant."""


class Likelihood(IntEnum):
    """The order in which changes are tried: each kind if none before explains all."""

    LIKELY = 0
    MISSING = 1
    """A statement that is missing: no change of one that is there."""
    UNLIKELY = 2
    VALUES = 3
    """What an instruction reads or writes is another value, as if one were missing before it."""


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


def iter_changes(
    function: Program, model: Model, likelihood: Likelihood
) -> Iterator[StatementChange]:
    """Yield the changes of all statements of a function, in order; none of what is missing."""
    if likelihood is Likelihood.MISSING:
        return
    far_names = _list_far_names(function)
    has_carries = any(CARRY_REGISTER in x.names.values() for x in _iter_instructions(function))
    for index, statement in enumerate(function.statements):
        if likelihood is Likelihood.VALUES:
            yield from (x for x in _iter_value_changes(statement, model) if _fits(x, function))
            continue
        if statement.instruction:
            if likelihood is Likelihood.LIKELY:
                changes = _iter_line_changes(statement, model)
                if has_carries:
                    changes = chain(changes, _iter_carry_changes(statement, model))
            else:
                changes = _iter_register_changes(function, index, far_names, model)
        elif likelihood is Likelihood.LIKELY:
            changes = chain(_iter_guard_changes(statement), _iter_modifier_changes(statement))
            changes = chain(changes, _iter_special_changes(statement))
        else:
            changes = _iter_operand_changes(function, index, far_names)
            changes = chain(
                _iter_offset_changes(statement), _iter_label_changes(function, statement), changes
            )
        constant_changes = _iter_constant_changes(statement, model, likelihood)
        for change in chain(changes, constant_changes):
            if _fits(change, function):
                yield change


def _iter_instructions(function: Program) -> Iterator[Instruction]:
    return (x.instruction for x in function.statements if x.instruction)


def _fits(change: StatementChange, function: Program) -> bool:
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


# --- instructions of the catalog ---------------------------------------------------------


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
    if ins is None:
        return
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
    plan, names = _make_plan(ins, model), _list_near_names(function, index, far_names)
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
                yield _make_change(statement, changed, plan, phrase, _REGISTER_COST)
    if len(ins.sources) > 2:
        a, b, c, *rest = ins.sources
        for x, y, order in ((a, c, (c, b, a)), (b, c, (a, c, b))):
            phrase = f"with {x} and {y} exchanged"
            changed = _change_sources(ins, (*order, *rest))
            yield _make_change(statement, changed, plan, phrase, _REGISTER_COST)


def _get_operands_key(entry: Entry, sources: tuple[Register | Immediate, ...]) -> tuple[str, ...]:
    """Return what is the same for operands of which the order does not matter."""
    texts = [str(x) for x in sources]
    if entry.is_commutative:
        texts[:2] = sorted(texts[:2])
    return tuple(texts)


def _change_sources(ins: Instruction, sources: tuple[Register | Immediate, ...]) -> Instruction:
    return replace(ins, sources=sources, text="", spans={}, notes=())


def _list_far_names(function: Program) -> list[str]:
    """Return the registers with parameters, and those that nothing reads.

    A register that should be read somewhere, and is not, is often the one that was meant.
    """
    statements = function.statements
    read_names = {name for x in statements for name in x.iter_read_names()}
    parameters = [x for x in statements if x.opcode in LOADS and "param" in x.modifiers]
    names = [name for x in parameters for name in _iter_names(x)]
    return names + [y for x in statements for y in x.iter_written_names() if y not in read_names]


def _list_near_names(function: Program, index: int, far_names: Sequence[str]) -> list[str]:
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
    statement: Statement, model: Model, likelihood: Likelihood
) -> Iterator[StatementChange]:
    """Yield other constants: first those near the written one, then those with one other bit."""
    ins = statement.instruction
    cost = _CONSTANT_COST if likelihood else _NEAR_CONSTANT_COST
    if ins:
        plan = _make_plan(ins, model)
        for index, (role, source) in enumerate(zip(ins.roles, ins.sources, strict=False)):
            type_ = ins.type_of(role)
            if isinstance(source, Immediate) and not type_.is_float:
                for bits in _iter_constants(source.bits, type_.bits, likelihood):
                    immediate = Immediate(bits, _format_like(source.text, bits, type_))
                    sources = (*ins.sources[:index], immediate, *ins.sources[index + 1 :])
                    phrase = f"with `{immediate}` rather than `{source}`"
                    changed = _change_sources(ins, sources)
                    yield _make_change(statement, changed, plan, phrase, cost)
    elif statement.opcode in ACCESSES | COLLECTIVES:
        for index, x in enumerate(statement.operands):
            if isinstance(x, ConstantOperand) and isinstance(x.value, int):
                for bits in _iter_constants(x.value & 0xFFFFFFFF, 32, likelihood):
                    phrase = f"with `{bits}` rather than `{x.value}`"
                    operand = ConstantOperand(bits)
                    yield _replace_operand(statement, index, operand, phrase, cost)


def _format_like(text: str, bits: int, type_: Type) -> str:
    if text.lower().startswith("0x"):
        return f"{bits:#x}"
    is_negative = type_.signed and bits >> type_.bits - 1
    return str(bits - (1 << type_.bits) if is_negative else bits)


def _iter_constants(bits: int, width: int, likelihood: Likelihood) -> Iterator[int]:
    """Yield other constants of a width."""
    mask = (1 << width) - 1
    near = [bits + 1, bits - 1, 2 * bits, bits // 2, -bits, ~bits]
    if bits & (bits + 1) == 0:  # a mask of low bits
        count = bits.bit_length()
        near += [(1 << x) - 1 for x in (count + 1, count - 1, 2 * count, count // 2) if x >= 0]
    elif bits & (bits - 1):  # between two powers of two
        near += [1 << bits.bit_length(), 1 << bits.bit_length() - 1]
    near_bits = {x & mask: None for x in near}
    if likelihood is Likelihood.LIKELY:
        yield from (x for x in near_bits if x != bits)
        return
    for place in range(width):
        if bits ^ 1 << place not in near_bits:
            yield bits ^ 1 << place


# --- statements that the catalog lacks ---------------------------------------------------

_SPECIAL_REGISTERS = (
    *(f"%{x}.{axis}" for x in ("tid", "ctaid", "ntid", "nctaid") for axis in "xyz"),
    *("%laneid", "%warpid"),
)


def _iter_guard_changes(statement: Statement) -> Iterator[StatementChange]:
    """Yield the guard with the opposite sense."""
    guard = statement.guard
    if guard:
        old, new = f"@{guard.name}", f"@!{guard.name}"
        if guard.negated:
            old, new = new, old
        text = statement.text.replace(old, new, 1)
        changed = statement._replace(guard=guard._replace(negated=not guard.negated), text=text)
        phrase = f"with `{new}` rather than `{old}`"
        yield StatementChange(statement, changed, None, phrase, _GUARD_COST)


def _iter_modifier_changes(statement: Statement) -> Iterator[StatementChange]:
    """Yield modifiers and opcodes that are easily confused with those written."""
    modifiers = statement.modifiers
    for family in CONFUSABLE_MODIFIERS.get(statement.opcode, ()):
        for index, old in enumerate(modifiers):
            for new in family if old in family else ():
                if new != old:
                    names = (*modifiers[:index], new, *modifiers[index + 1 :])
                    changed = _rename(statement, statement.opcode, names)
                    phrase = f"with `.{new}` rather than `.{old}`"
                    yield StatementChange(statement, changed, None, phrase, _MODIFIER_COST)
    for family in CONFUSABLE_FLOAT_OPCODES if "f32" in modifiers else ():
        for new in family if statement.opcode in family else ():
            if new != statement.opcode:
                changed = _rename(statement, new, modifiers)
                phrase = f"with `{new}` rather than `{statement.opcode}`"
                yield StatementChange(statement, changed, None, phrase, _MODIFIER_COST)


def _rename(statement: Statement, opcode: str, modifiers: tuple[str, ...]) -> Statement:
    changed = statement._replace(opcode=opcode, modifiers=modifiers)
    return changed._replace(text=statement.text.replace(statement.name, changed.name, 1))


def _iter_special_changes(statement: Statement) -> Iterator[StatementChange]:
    """Yield other special registers."""
    for index, x in enumerate(statement.operands):
        if not isinstance(x, SpecialOperand):
            continue
        for name in _SPECIAL_REGISTERS:
            if name != x.name:
                phrase = f"with `{name}` rather than `{x.name}`"
                operand = SpecialOperand(name)
                yield _replace_operand(statement, index, operand, phrase, _SPECIAL_COST)


def _iter_operand_changes(
    function: Program, index: int, far_names: Sequence[str]
) -> Iterator[StatementChange]:
    """Yield another register nearby, of the same type, for each source and each address."""
    statement = function.statements[index]
    first = statement.written_count
    for place, x in enumerate(statement.operands[first:], first):
        register = x.base if isinstance(x, MemoryOperand) else x
        if not isinstance(register, RegisterOperand):
            continue
        type_ = function.registers.get(register.name)
        for name in _list_near_names(function, index, far_names):
            if name == register.name or function.registers.get(name) != type_:
                continue
            new = register._replace(name=name)
            operand = x._replace(base=new) if isinstance(x, MemoryOperand) else new
            phrase = f"with `{name}` rather than `{register.name}`"
            yield _replace_operand(statement, place, operand, phrase, _REGISTER_COST)


def _iter_offset_changes(statement: Statement) -> Iterator[StatementChange]:
    """Yield the address of an element before or after."""
    width = next((TYPE_BITS[x] // 8 for x in statement.modifiers[::-1] if x in TYPE_BITS), 0)
    if statement.opcode not in ACCESSES or not width:
        return
    for index, x in enumerate(statement.operands):
        if isinstance(x, MemoryOperand) and isinstance(x.base, RegisterOperand):
            for distance in (width, -width):
                size = format_count(width, "byte")
                phrase = f"at an address {size} {'higher' if distance > 0 else 'lower'}"
                operand = x._replace(offset=x.offset + distance)
                yield _replace_operand(statement, index, operand, phrase, _OFFSET_COST)


def _iter_label_changes(function: Program, statement: Statement) -> Iterator[StatementChange]:
    """Yield the labels before and after the one to which a statement branches."""
    if statement.opcode not in JUMPS or not statement.targets:
        return
    old, labels = statement.targets[0], sorted(function.labels)
    place = labels.index(old)
    for index in labels[max(place - _NEAR_LABELS, 0) : place + _NEAR_LABELS + 1]:
        if index != old:
            name = function.labels[index]
            text = f"{statement.text.rpartition(' ')[0]} {name}"
            phrase = f"with `{name}` rather than `{function.labels[old]}`"
            changed = statement._replace(targets=(index,), text=text)
            yield StatementChange(statement, changed, None, phrase, _LABEL_COST)


def _replace_operand(
    statement: Statement, index: int, operand: Operand, phrase: str, cost: int
) -> StatementChange:
    operands = (*statement.operands[:index], operand, *statement.operands[index + 1 :])
    text = replace_operand_text(statement, index, operand)
    return StatementChange(
        statement, statement._replace(operands=operands, text=text), None, phrase, cost
    )
