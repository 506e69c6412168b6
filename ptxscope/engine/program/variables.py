"""Variables and parameters in memory, and their declarations (PTX ISA 5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..syntax.tokens import Token, TokenKind, is_constant
from .statement_operands import (
    TYPE_BITS,
    SymbolOperand,
    convert_constant_operand,
    read_constant,
    read_symbol,
    split_words,
)

_SPACES = frozenset((".global", ".shared", ".const", ".local", ".param", ".reg"))
_MAX_ALIGNMENT = 1 << 12
_MAX_COUNT = 1 << 48
"""Maximum elements of a variable, far beyond any that fits in memory."""


class Variable(NamedTuple):
    """A variable or a parameter in memory."""

    name: str
    """Unique in its function."""
    space: str
    """``global``, ``shared``, ``const``, ``local``, ``param`` or ``reg``."""
    type: str
    """The type of its elements: ``u32``."""
    alignment: int
    """In bytes."""
    element_bytes: int
    element_count: int = 1
    """The number of elements; 0 for an array without a size."""
    values: tuple[int | SymbolOperand, ...] = ()
    """The initial elements; any others are 0."""
    is_array: bool = False

    @property
    def bytes(self) -> int:
        """The size in bytes."""
        return self.element_bytes * self.element_count


def parse_parameters(words: Sequence[Token]) -> Iterator[Variable]:
    """Yield the parameters of a header, without their parentheses."""
    for part in split_words(words, ","):
        yield from parse_variables(part)


def parse_variables(words: Sequence[Token]) -> Iterator[Variable]:
    """Yield the variables of ``.shared .align 4 .b8 x[16], y;``; none for other words."""
    space, type_, alignment, vector, i = "", "", 0, 1, 0
    is_pointer = False
    while i < len(words):
        word = words[i]
        name = word.text[1:]
        if word.text in _SPACES:
            space = space or name
        elif word.text == ".align" and i + 1 < len(words):
            alignment = alignment if is_pointer else min(_count(words[i + 1]), _MAX_ALIGNMENT)
            i += 1
        elif word.text == ".ptr":  # the rest describes the memory that it points to
            is_pointer = True
        elif word.text in (".v2", ".v4"):
            vector = int(name[1])
        elif word.kind is TokenKind.DOTTED and name in TYPE_BITS:
            type_ = name
        elif word.kind is TokenKind.NAME and space and type_:
            break
        i += 1
    if not space or not type_:
        return
    for declarator in split_words([x for x in words[i:] if x.text != ";"], ","):
        if declarator and declarator[0].kind is TokenKind.NAME:
            yield _parse_declarator(declarator, space, type_, alignment, vector)


def _parse_declarator(
    words: Sequence[Token], space: str, type_: str, alignment: int, vector: int
) -> Variable:
    """Return the variable of ``x[4][2] = {1, 2}``."""
    count, is_array = 1, False
    end = next((i for i, word in enumerate(words) if word.text == "="), len(words))
    for word, next_word in pairwise(words[:end]):
        if word.text == "[":
            is_array = True
            count = min(count * _count(next_word), _MAX_COUNT)
    unit = max(TYPE_BITS[type_] // 8, 1)
    values = tuple(_parse_initial_values(words[end + 1 :], type_))
    if is_array and not count and values:
        count = -(-len(values) // vector)
    return Variable(
        words[0].text,
        space,
        type_,
        alignment or unit * vector,
        unit,
        count * vector,
        values,
        is_array=is_array,
    )


def _parse_initial_values(words: Sequence[Token], type_: str) -> Iterator[int | SymbolOperand]:
    flat_words = [word for word in words if word.text not in ("{", "}")]
    for part in split_words(flat_words, ","):
        if not part:
            continue
        if is_constant(part):
            constant = read_constant(part)
            yield convert_constant_operand(constant, type_) if constant else 0
        elif part[0].text == "generic" and len(part) > 2:
            symbol = read_symbol([x for x in part[1:] if x.text not in "()"])
            yield symbol._replace(is_generic=True) if symbol else 0
        else:
            yield read_symbol(part) or 0


def _count(word: Token) -> int:
    constant = read_constant([word]) if word.kind is TokenKind.NUMBER else None
    return max(int(constant.value), 0) if constant else 0
