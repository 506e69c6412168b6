"""Possible causes of an unexpected result: single changes, as data, and the changed instructions.

A cause changes slots of the form, the model, the operands, or the way the result was read.
``form_causes`` makes the first two kinds, ``value_causes`` the others; ``cause_search`` combines
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from ..engine.isa.catalog import find_violations, get_entry, with_c
from ..engine.isa.types import Form, Type
from ..engine.semantics.lowering import lower
from ..engine.semantics.models import Model
from ..engine.semantics.plan import Plan
from ..engine.semantics.rules import ISA, Erratum, Rules
from ..engine.syntax.constants import convert_literal
from ..engine.syntax.instruction import Immediate, Instruction, Register
from .observation import Observation

Bits = Mapping[str, int]
"""Operands or results by role."""


class CauseKind(StrEnum):
    """The kind of an explanation."""

    DOCUMENTED = "documented"
    PTXAS = "ptxas"
    MODIFIER = "modifier"
    OPCODE = "opcode"
    SELECTOR = "selector"
    OPERAND = "operand"
    READING = "reading"
    MISCONCEPTION = "habit"  # the value in JSON output
    COMBINATION = "combination"


class ObservedCase(NamedTuple):
    """An observation and the documented result."""

    observation: Observation
    documented: Bits


class Cause(NamedTuple):
    """One change that may explain a result."""

    kind: CauseKind
    changed_aspects: frozenset[str]
    """The aspects that it changes: two causes that share an aspect are never combined."""
    phrase: str
    """Completion of "the instruction gives this …"."""
    cost: int
    """Unlikelihood, from 0 (certain) to 6 (rare)."""
    slots: tuple[tuple[str, object], ...] = ()
    """Slots of the form and their other values."""
    literals: tuple[tuple[str, Immediate], ...] = ()
    """The texts of new literals, by role."""
    errata: tuple[Erratum, ...] = ()
    """Errata or misconceptions that apply."""
    model: Model | None = None
    """The assembler with this result."""
    operands: Callable[[Bits, ObservedCase], Bits] | None = None
    """Function that changes the operands, by role."""
    exchanged_roles: tuple[str, ...] = ()
    """Two roles exchanged in the line; ``operands`` exchanges their values."""
    reading: Callable[[Bits], Bits] | None = None
    """Function that misreads the result, by role."""
    is_guard_inverted: bool = False
    """Whether the guard is read with the opposite sense."""
    is_other_computation: bool = False
    """Whether ``operands`` only emulate another computation with the same result."""

    @property
    def is_swap(self) -> bool:
        """Whether it exchanges two operands of the line."""
        return bool(self.exchanged_roles)

    @property
    def has_plan_change(self) -> bool:
        """Whether it changes the computation; otherwise it only changes values."""
        return bool(self.slots or self.errata or self.is_guard_inverted)


# --- changed instructions ---------------------------------------------------------------------


class Variant(NamedTuple):
    """A changed instruction, as the arguments of its plan."""

    form: Form
    rules: Rules
    guard: bool | None

    @property
    def plan(self) -> Plan:
        """The plan."""
        return lower(self.form, self.rules, self.guard)

    @property
    def documented(self) -> Plan:
        """The documented plan of the same form."""
        return lower(self.form, ISA, self.guard)


@lru_cache(maxsize=64)
def _has_same_bits(literal: Immediate, type_: Type) -> bool:
    """Return whether a literal has the same bits as an operand of a type.

    A float literal is not an integer, and an integer literal not a float.
    """
    return convert_literal(literal.text, type_) == literal.bits


def _can_take_immediates(form: Form, sources: Mapping[str, Register | Immediate]) -> bool:
    """Return whether a form can take the literals among the operands."""
    entry = get_entry(form)
    return all(
        entry.can_take_immediates and _has_same_bits(source, entry.get_operand(role).get_type(form))
        for role, source in sources.items()
        if isinstance(source, Immediate) and (role != "c" or form.c)
    )


class Variants:
    """The variants of one instruction, each computed once.

    Two caches keep a search of thousands of combinations fast. The cache here is keyed by the
    changes, so that causes that change only values share a variant. The cache of ``lower`` is keyed
    by form, rules and guard, so that equivalent causes share a plan.
    """

    def __init__(self, ins: Instruction, known_roles: frozenset[str]) -> None:
        """``known_roles`` are the roles with a value."""
        self._ins, self._known_roles = ins, known_roles
        self._variants: dict[tuple[object, ...], Variant | None] = {}

    def make_variant(self, causes: Iterable[Cause]) -> Variant | None:
        """Return the instruction with the changes of all causes.

        Return None if it cannot be written, or reads an operand without a value.
        """
        changing = [cause for cause in causes if cause.has_plan_change]
        key = tuple(
            (
                cause.slots,
                cause.literals,
                tuple(e.id for e in cause.errata),
                cause.is_guard_inverted,
            )
            for cause in changing
        )
        if key not in self._variants:
            self._variants[key] = self._make(changing)
        return self._variants[key]

    def is_redundant(self, causes: Sequence[Cause]) -> bool:
        """Return whether the causes conflict, or one of them has no effect on the plan.

        Fewer causes then explain the same. Causes that change only values do not count: their
        effect depends on the values.
        """
        changing = [cause for cause in causes if cause.has_plan_change]
        if not changing:
            return False
        variant = self.make_variant(changing)
        if variant is None:
            return True
        return any(self._is_same_without(cause, changing, variant.plan) for cause in changing)

    def _is_same_without(self, omitted_cause: Cause, changing: Sequence[Cause], plan: Plan) -> bool:
        """Return whether the other causes alone give a plan with the same rows."""
        variant = self.make_variant([cause for cause in changing if cause is not omitted_cause])
        return variant is not None and variant.plan.rows == plan.rows

    def _make(self, changing: Sequence[Cause]) -> Variant | None:
        form = self._make_form(changing)
        if form is None:
            return None
        errata = tuple(erratum for cause in changing for erratum in cause.errata)
        rules = Model("", errata).make_rules(form) if errata else ISA
        variant = Variant(form, rules, self._get_guard(changing))
        # the trace of an explanation also needs the documented result of its form
        readable = self._is_readable(variant.plan) and self._is_readable(variant.documented)
        return variant if readable else None

    def _make_form(self, changing: Sequence[Cause]) -> Form | None:
        """Return the form with the changed slots, or None if it is not legal."""
        slots = {name: value for cause in changing for name, value in cause.slots}
        if not slots:
            return self._ins.form
        form = change_form(self._ins.form, slots, has_c=len(self._ins.sources) > 2)
        if form is None or find_violations(form):
            return None
        sources = dict(self._ins.roles)
        sources.update(x for y in changing for x in y.literals)
        return form if _can_take_immediates(form, sources) else None

    def _get_guard(self, changing: Iterable[Cause]) -> bool | None:
        """Return the guard for ``lower``: whether it is negated, or None."""
        guard = self._ins.guard
        if guard is None:
            return None
        return guard.negated ^ any(cause.is_guard_inverted for cause in changing)

    def _is_readable(self, plan: Plan) -> bool:
        return all(source.role in self._known_roles for source in plan.sources)


def change_instruction(ins: Instruction, causes: Sequence[Cause], variant: Variant) -> Instruction:
    """Return the changed instruction; ``variant`` belongs to the causes."""
    sources_by_role = dict(ins.roles)
    sources_by_role.update(x for cause in causes for x in cause.literals)
    for x, y in (cause.exchanged_roles for cause in causes if cause.exchanged_roles):
        sources_by_role[x], sources_by_role[y] = sources_by_role[y], sources_by_role[x]
    sources = list(sources_by_role.values())
    if not variant.form.c and ins.form.c:
        del sources[2:]
    if variant.form.c and len(sources) == 2:
        sources.append(sources[1])  # required by the syntax but not read
    guard = ins.guard
    if guard and variant.guard is not None:
        guard = guard._replace(negated=variant.guard)
    return replace(
        ins, form=variant.form, sources=tuple(sources), guard=guard, text="", spans={}, notes=()
    )


def change_form(form: Form, slots: Mapping[str, object], has_c: bool) -> Form | None:
    """Return a form with other values in some slots, and with c if necessary.

    Return None if a necessary c is absent, or if another opcode, or another shape of this one, does
    not take a slot's value. The form may break a constraint. An opcode that requires a c accepts
    any register for it.
    """
    new_form: Form | None = form._replace(**slots)  # type: ignore[arg-type]
    if new_form and ("opcode" in slots or get_entry(new_form) is not get_entry(form)):
        new_form = carry_over_form(new_form)
    elif any(value is None and _is_required(form, name) for name, value in slots.items()):
        return None
    if new_form is None:
        return None
    # an ignored c stays unless the opcode changes
    is_kept = form.c and not (form.boolop or form.secop or form.dsel or "opcode" in slots)
    new_form = with_c(new_form, with_unused_c=is_kept)
    is_c_required = new_form.c and ("opcode" not in slots or get_entry(new_form).is_c_optional)
    return None if is_c_required and not has_c else new_form


def _is_required(form: Form, name: str) -> bool:
    slot = get_entry(form).find_slot(name)
    return slot is not None and not slot.is_optional


def carry_over_form(form: Form) -> Form | None:
    """Complete a form after a change of opcode: add a c if the instruction requires it.

    Return None if a slot has a value that the instruction does not take.
    """
    # the surrounding statements set these for the old opcode
    form = form._replace(is_carry_in_inverted=False, is_carry_out_inverted=False, fusions=())
    entry = get_entry(form)
    for name in Form._fields[1:]:
        if name == "c":
            continue
        value, slot = form.get(name), entry.find_slot(name)
        if slot is None:
            if value:
                return None
        elif not (slot.is_optional and value == slot.absent) and value not in slot.values:
            return None
    return form if entry.is_c_optional else form._replace(c=entry.needs_c)
