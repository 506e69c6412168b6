"""Formulas as data, so that every view can format one without parsing it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple


class Sign(StrEnum):
    """The sign between the two sides of a formula."""

    IS = "="
    BECOMES = "->"
    """Between a number and its bits."""
    FOR = "for"
    """Between a value and the destination that it goes to if a guard allows it."""


class Formula(NamedTuple):
    """``7 + 2 = 9``; ``-1 -> 0xff``; ``(2 < 3) = 1``."""

    left: str
    right: str
    sign: Sign = Sign.IS
    grouped: bool = False
    """Whether the left side needs brackets inline, because it has a sign of its own."""

    def __str__(self) -> str:
        left_side = f"({self.left})" if self.grouped else self.left
        return f"{left_side} {self.sign} {self.right}"

    def map_sides(self, change: Callable[[str], str]) -> Formula:
        """Return the formula with ``change`` applied to both sides."""
        return self._replace(left=change(self.left), right=change(self.right))


def make_equation(left_side: str, right_side: object, *, is_grouped: bool = False) -> Formula:
    """Return ``left = right``."""
    return Formula(left_side, str(right_side), grouped=is_grouped)


def make_transition(left_side: object, right_side: str) -> Formula:
    """Return ``left -> right``."""
    return Formula(str(left_side), right_side, Sign.BECOMES)
