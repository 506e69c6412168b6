"""The roles of operands: their labels and their order."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A role, in the order in which values are entered and shown."""

    A = "a"
    B = "b"
    C = "c"
    TABLE = "lut"
    """The truth table of ``lop3``: a literal of the form, not an input."""
    E = "e"
    CARRY = "cc"
    """The carry flag CC.CF as a source; no operand in the text."""
    GUARD = "guard"
    D = "d"
    """As an input, the old value of the destination, which a guard may keep; likewise p and q."""
    P = "p"
    Q = "q"
    CARRY_OUT = "cf"
    """The carry flag CC.CF as a destination."""

    @property
    def label(self) -> str:
        """The label in front of an input value: ``a``, ``@``, ``old``."""
        if self is Role.GUARD:
            return "@"
        return "old" if self in DESTINATIONS else str(self)


DESTINATIONS = (Role.D, Role.P, Role.Q, Role.CARRY_OUT)
CARRY_REGISTER = "CC.CF"
"""The register of the carry flag; no register in a text can have this name."""
ORDER = {role: index for index, role in enumerate(Role)}
