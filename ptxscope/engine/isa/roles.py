"""What an operand is to an instruction: its role, how views label it, in which order they stand."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A role, in the order in which values are asked for and shown."""

    A = "a"
    B = "b"
    C = "c"
    GUARD = "guard"
    D = "d"
    """As an input, its old value, which a guard may keep; so are p and q."""
    P = "p"
    Q = "q"

    @property
    def label(self) -> str:
        """What stands in front of a value that is read: ``a``, ``@``, ``old``."""
        if self is Role.GUARD:
            return "@"
        return "old" if self in DESTINATIONS else str(self)


SOURCES = (Role.A, Role.B, Role.C)
"""In the order in which they are written."""
DESTINATIONS = (Role.D, Role.P, Role.Q)
ORDER = {role: at for at, role in enumerate(Role)}
