"""What may lie behind an unexpected result: a single change, as data.

A cause changes slots of the form, the model, the operands, or how the result was read.
``form_causes`` makes the first two, ``value_causes`` the others; ``search`` combines them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from ..records import NamedTuple
from ..semantics.errata import Erratum
from ..semantics.models import Model
from ..syntax.instruction import Immediate
from .observation import Observation

Bits = Mapping[str, int]
"""Operands or results by role."""


class CauseKind(StrEnum):
    """What sort of explanation it is."""

    DOCUMENTED = "documented"
    PTXAS = "ptxas"
    MODIFIER = "modifier"
    OPCODE = "opcode"
    SELECTOR = "selector"
    OPERAND = "operand"
    READING = "reading"
    MISCONCEPTION = "habit"  # as machines read it
    COMBINATION = "combination"


class ObservedCase(NamedTuple):
    """An observation beside the documented result."""

    observation: Observation
    documented: Bits


class Cause(NamedTuple):
    """One change that may explain a result."""

    kind: CauseKind
    decided_axes: frozenset[str]
    """What it decides: two causes that share an axis are never combined."""
    phrase: str
    """Completes "the instruction gives this …"."""
    cost: int
    """How far-fetched it is: 0 what is certain to happen, 6 what seldom does."""
    slots: tuple[tuple[str, object], ...] = ()
    """Slots of the form and their other values."""
    literals: tuple[tuple[str, Immediate], ...] = ()
    """Literals by role as they are written with those."""
    errata: tuple[Erratum, ...] = ()
    """Errata or misconceptions that are switched on."""
    model: Model | None = None
    """The assembler whose answer it is."""
    operands: Callable[[Bits, ObservedCase], Bits] | None = None
    """Other operands, by role."""
    swap: bool = False
    """Whether these operands are a and b, exchanged."""
    reading: Callable[[Bits], Bits] | None = None
    """Another reading of the result, by role."""
    guard: bool = False
    """Whether the guard is read the other way."""

    @property
    def changes_plan(self) -> bool:
        """Whether it changes what is computed; else it changes values alone."""
        return bool(self.slots or self.errata or self.guard)
