"""A formula with its numbers, as data: views put it together, and none takes one apart."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from ..records import NamedTuple


class Sign(StrEnum):
    """What stands between the two sides."""

    IS = "="
    BECOMES = "->"
    """A number, and the bits that are made of it."""
    FOR = "for"
    """A value, and the destination that it goes to if a guard lets it."""


class Formula(NamedTuple):
    """``7 + 2 = 9``; ``-1 -> 0xff``; ``(2 < 3) = 1``."""

    left: str
    right: str
    sign: Sign = Sign.IS
    grouped: bool = False
    """Written in line, the left side stands in brackets: it has a sign of its own."""

    def __str__(self) -> str:
        left = f"({self.left})" if self.grouped else self.left
        return f"{left} {self.sign} {self.right}"

    def map_sides(self, change: Callable[[str], str]) -> Formula:
        """The formula with both sides changed."""
        return self._replace(left=change(self.left), right=change(self.right))


def make_equation(left: str, right: object, *, is_grouped: bool = False) -> Formula:
    """``left = right``."""
    return Formula(left, str(right), grouped=is_grouped)


def make_transition(left: object, right: str) -> Formula:
    """``left -> right``."""
    return Formula(str(left), right, Sign.BECOMES)
