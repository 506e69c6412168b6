"""The instruction of a row, as far as micro-operations need it to describe the row."""

from __future__ import annotations

from typing import Protocol

from ..isa.entry import Entry
from ..isa.form import Form
from ..isa.types import Type

_MAX_NAME_CHARS = 16
"""Characters of the longest register name that sentences repeat."""


class GuardView(Protocol):
    """The guard of an instruction."""

    @property
    def negated(self) -> bool:
        """Whether it is written ``@!p``."""


class InstructionView(Protocol):
    """The instruction of a row."""

    @property
    def form(self) -> Form:
        """Its opcode and slots."""

    @property
    def entry(self) -> Entry:
        """Its entry in the catalog."""

    @property
    def guard(self) -> GuardView | None:
        """Its guard."""

    def type_of(self, role: str) -> Type:
        """Return the type of an operand."""

    def has_lanes(self, role: str) -> bool:
        """Return whether an operand's bits are separate lanes."""

    def format_operand(self, role: str) -> str:
        """Return an operand as it is written; the role if it is not written."""


def format_short_name(ins: InstructionView, role: str) -> str:
    """Return an operand's name for sentences: its role if the name is long."""
    name = ins.format_operand(role)
    return name if len(name) <= _MAX_NAME_CHARS else role


def name_operands(text: str, ins: InstructionView) -> str:
    """Return a sentence with the names of operands for ``{a}``; a discarded one is its role."""
    names = {role: format_short_name(ins, role) for role in "abcdepq" if f"{{{role}}}" in text}
    return text.format_map({role: role if x == "_" else x for role, x in names.items()})


def format_guard(ins: InstructionView) -> str:
    """Return the guard as sentences name it: ``@!p``."""
    negated = ins.guard is not None and ins.guard.negated
    return f"@{'!' if negated else ''}{format_short_name(ins, 'guard')}"
