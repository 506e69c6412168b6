"""Possible causes of an unexpected result: single changes, as data.

A cause changes slots of the form, the model, the operands, or the way the result was read.
``form_causes`` makes the first two kinds and ``value_causes`` the others; ``cause_search`` combines
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..engine.semantics.models import Model
from ..engine.semantics.rules import Erratum
from ..engine.syntax.instruction import Immediate
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
    """An observation beside the documented result."""

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
    """Unlikelihood, from 0 (certain to happen) to 6 (rare)."""
    slots: tuple[tuple[str, object], ...] = ()
    """Slots of the form and their other values."""
    literals: tuple[tuple[str, Immediate], ...] = ()
    """New literals by role, as written."""
    errata: tuple[Erratum, ...] = ()
    """Errata or misconceptions that apply."""
    model: Model | None = None
    """The assembler that gives this result."""
    operands: Callable[[Bits, ObservedCase], Bits] | None = None
    """Function that changes the operands, by role."""
    exchanged_roles: tuple[str, ...] = ()
    """Two roles whose operands are exchanged in the line; ``operands`` exchanges their values."""
    reading: Callable[[Bits], Bits] | None = None
    """Function that misreads the result, by role."""
    is_guard_inverted: bool = False
    """Whether the guard is read with the opposite sense."""

    @property
    def is_swap(self) -> bool:
        """Whether it exchanges two operands of the line."""
        return bool(self.exchanged_roles)

    @property
    def has_plan_change(self) -> bool:
        """Whether it changes the computation; otherwise it only changes values."""
        return bool(self.slots or self.errata or self.is_guard_inverted)
