"""An erratum: a difference from the documented result, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..isa.form import Form

Version = tuple[int, int]

OLDEST: Version = (11, 8)
NEWEST: Version = (13, 5)
"""The oldest and newest version of ptxas that were measured."""
TARGETS = "sm_70 and later"
"""The targets on which short sequences emulate the video instructions, and the errata apply."""


class Erratum(NamedTuple):
    """A difference from the documented result: an assembler's, or a mistaken reader's."""

    id: str
    forms: str
    """The affected forms, in words."""
    opcodes: tuple[str, ...]
    applies_to: Callable[[Form], bool]
    """Whether a form of these opcodes is affected."""
    rules: dict[str, bool]
    """The fields of Rules and the values that they are set to."""
    sentence: str
    example: tuple[str, dict[str, int], int, int]
    """A line, operand values by name, and the results of ``isa`` and ``ptxas``."""
    repaired_in: Version | None = None
    """The first version without the erratum."""
    remark: str = ""
    """A remark shown when errata are listed."""
    targets: str = TARGETS

    def __hash__(self) -> int:
        """Hash the id: the fields hold dicts, which have no hash."""
        return hash(self.id)

    def touches(self, form: Form) -> bool:
        """Whether the erratum covers this form; ``find_errata`` also checks for an effect."""
        return form.opcode in self.opcodes and self.applies_to(form)

    @property
    def versions(self) -> str:
        """The versions that have the erratum, as text."""
        oldest = "{}.{}".format(*OLDEST)
        if self.repaired_in:
            return f"{oldest} to {self.repaired_in[0]}.{self.repaired_in[1] - 1}"
        return "{} to {}.{} (newest known)".format(oldest, *NEWEST)
