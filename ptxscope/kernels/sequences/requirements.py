"""What a text must hold before it is read as PTX: words of a pattern, and which opcode uses which.

It is much cheaper to find than the dataflow, and excludes nothing that has the pattern.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from ...engine.isa.catalog import MOVES
from ...engine.syntax.source import GAP, remove_comments
from .dataflow import ANY_SIGN, CONSTANT, INPUT
from .pattern import Pattern

_WORD = re.compile(r"[A-Za-z]\w*+", re.ASCII)
_STATEMENT = re.compile(
    r"(?<![\w.%$])([a-z]\w*+)(?>(?:\s*+\.\w++)+)\s++([^,;]*+)(?>,([^;]*+)|);", re.ASCII
)
"""A statement: its opcode, what it writes, what it reads."""
_NAME = re.compile(r"[%\w$]++", re.ASCII)
_COMPUTED = re.compile(r"~|!\s*+\d|(?<![\w%$])\d\w*+\s*+(?:[-+*/%&|^?]|<<|>>)", re.ASCII)
"""A constant that is computed from others."""
_OPERAND = re.compile(r"[%$][0-9]++", re.ASCII)
"""An operand of an asm statement, which may be a constant."""
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]++|0[bB][01]++|0[0-7]*+|[1-9][0-9]*+)U?+", re.ASCII)
_ANY = "*"
"""A value of which it is not known what computes it."""
_MASK = (1 << 32) - 1

Use = tuple[str, str | int]
"""An opcode, and the opcode that computes one of its operands, or a constant."""


class Requirement(NamedTuple):
    """What a text without a pattern may lack."""

    uses: frozenset[Use]
    words: frozenset[str]
    """The opcodes and modifiers."""


def make_requirement(pattern: Pattern) -> Requirement:
    """Return the requirement of a pattern. Signs of types are left out, and what ``mov`` copies."""
    uses, words = set[Use](), set[str]()
    for operation, arguments in pattern.nodes:
        if operation in (INPUT, CONSTANT):
            continue
        opcode, *modifiers = operation.split(".")
        has_any_sign = opcode in ANY_SIGN and len(modifiers[-1]) == 3
        names = modifiers[:-1] if has_any_sign else modifiers
        words |= {opcode, *(x for x in names if not x.isdecimal())}
        for argument in (pattern.nodes[x] for x in arguments):
            source = argument.operation.partition(".")[0]
            if argument.operation == CONSTANT:
                uses.add((opcode, argument.arguments[0]))
            elif source not in {INPUT, *MOVES}:
                uses.add((opcode, source))
    return Requirement(frozenset(x for x in uses if x[0] not in MOVES), frozenset(words))


def may_hold(ptx: str, requirements: Sequence[Requirement]) -> bool:
    """Return whether PTX meets one of the requirements, as any does that has its pattern.

    If a part of it is unknown, or a constant is computed, it may have any.
    """
    ptx = remove_comments(ptx)
    if GAP in ptx or _COMPUTED.search(ptx):
        return True
    uses = frozenset(_iter_uses(ptx))
    open_opcodes = {opcode for opcode, source in uses if source == _ANY}
    words = frozenset(_WORD.findall(ptx))
    return any(
        all(x in uses or x[0] in open_opcodes for x in needed.uses) and needed.words <= words
        for needed in requirements
    )


def _iter_uses(ptx: str) -> Iterator[Use]:
    statements: list[tuple[str, str, str]] = _STATEMENT.findall(ptx)
    writers = defaultdict[str, set[str | int]](set)
    """What computes a register: opcodes, and the constants that it is set to."""
    copies = list[tuple[str, str]]()
    for opcode, targets, sources in statements:
        is_list = "{" in targets or "{" in sources
        for name in _NAME.findall(targets + sources if is_list else targets):
            if is_list:
                writers[name].add(_ANY)
            elif opcode in MOVES:
                copies.append((name, sources))
            else:
                writers[name].add(opcode)
    written = dict.fromkeys((*writers, *dict(copies)), frozenset[str | int]((_ANY,)))
    for name, sources in copies:
        writers[name] |= set(_iter_sources(sources, written))
    for opcode, _, sources in statements:
        yield from ((opcode, x) for x in _iter_sources(sources, writers))


def _iter_sources(text: str, writers: Mapping[str, Set[str | int]]) -> Iterator[str | int]:
    """Yield what computes the operands in a text."""
    for word in _NAME.findall(text):
        if word in writers:
            yield from writers[word]
        elif _OPERAND.fullmatch(word):
            yield _ANY
        else:
            yield from _read_integer(word)


@lru_cache(maxsize=1 << 10)
def _read_integer(word: str) -> tuple[int, ...]:
    """Return the 32 bits of a literal, and those after a minus sign; empty for other words."""
    match = _INTEGER.fullmatch(word)
    if not match:
        return ()
    digits = match[1]
    number = int(digits, 8 if digits[0] == "0" and digits[1:].isdecimal() else 0)
    return number & _MASK, -number & _MASK
