"""What a text must hold before it is read as PTX: the words and constants of some pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..records import NamedTuple
from ..syntax.source import GAP
from .dataflow import ANY_SIGN, CONSTANT, GIVEN
from .pattern import Pattern

_WORD = re.compile(r"[A-Za-z]\w*+", re.ASCII)
_INTEGER = re.compile(
    r"(?<![\w%$.])(?:0[xX][0-9a-fA-F]++|0[bB][01]++|0[0-7]*+|[1-9][0-9]*+)(?![.\dA-TV-Za-z_])",
    re.ASCII,
)
_COMPUTED = re.compile(r"~|!\s*+\d|(?<![\w%$])\d\w*+\s*+(?:[-+*/%&|^?]|<<|>>)", re.ASCII)
"""A constant that is computed from others."""
_WORD_MASK = (1 << 32) - 1


class Requirement(NamedTuple):
    """The words and constants without which a text does not hold a pattern."""

    words: frozenset[str]
    constants: frozenset[int]


def make_requirements(patterns: Sequence[Pattern]) -> tuple[Requirement, ...]:
    """Return the requirements of patterns, without those that include another's."""
    found = {_make_requirement(x) for x in patterns}
    return tuple(
        x
        for x in found
        if not any(y != x and y.words <= x.words and y.constants <= x.constants for y in found)
    )


def _make_requirement(pattern: Pattern) -> Requirement:
    words, constants = set[str](), set[int]()
    for operation, arguments in pattern.nodes:
        if operation == CONSTANT:
            constants.add(arguments[0])
        elif operation != GIVEN:
            opcode, *modifiers = operation.split(".")
            names = modifiers[:-1] if opcode in ANY_SIGN and len(modifiers[-1]) == 3 else modifiers
            words |= {opcode, *(x for x in names if not x.isdecimal())}
    return Requirement(frozenset(words), frozenset(constants))


def may_hold(ptx: str, requirements: Sequence[Requirement]) -> bool:
    """Return whether PTX has all words and constants that one of the requirements names.

    If a part of it is unknown, or a constant is computed, it may have any.
    """
    if GAP in ptx or _COMPUTED.search(ptx):
        return True
    constants = frozenset(_iter_constants(ptx))
    remaining = [x.words for x in requirements if x.constants <= constants]
    words = frozenset(_WORD.findall(ptx)) if remaining else frozenset()
    return any(x <= words for x in remaining)


def _iter_constants(ptx: str) -> Iterator[int]:
    """Yield the integers of a text, as 32 bits, and those with a minus sign before them."""
    for text in dict.fromkeys(_INTEGER.findall(ptx)):
        number = int(text, 8 if text[0] == "0" and text[1:].isdecimal() else 0)
        yield number & _WORD_MASK
        yield -number & _WORD_MASK
