"""The truth tables of ``lop3`` as formulas (PTX ISA 9.7.8.6).

Bit 4a + 2b + c of a table is the result for the bits a, b and c, so the tables of a, b and c are
0xf0, 0xcc and 0xaa, and the table of a formula is the formula of these tables.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

VARIABLES = {"a": 0xF0, "b": 0xCC, "c": 0xAA}
_ALL = 0xFF
_BINDING = {"|": 1, "^": 2, "&": 3, "~": 4}
"""How tightly each operator binds, as in C and Python."""
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
"""The operators of two operands; of formulas of one length, the first one found is taken."""
_WORDS = re.compile(r"\s*([abc&|^~()!])")


class Formula(NamedTuple):
    """A formula of bits: a variable or a constant (no operands), or an operator."""

    operator: str
    """``a``, ``b``, ``c``, ``0`` or ``1``; else ``~``, ``&``, ``|`` or ``^``."""
    operands: tuple[Formula, ...] = ()

    def __str__(self) -> str:
        """Return the formula as text, with as few parentheses as can be: ``(a & b) | c``."""
        if not self.operands:
            return self.operator
        texts = [
            f"({x})" if x.operands and x.operator not in (self.operator, "~") else str(x)
            for x in self.operands
        ]
        return f"~{texts[0]}" if self.operator == "~" else f" {self.operator} ".join(texts)


@cache
def find_formulas() -> dict[int, Formula]:
    """Return a shortest formula for each of the 256 truth tables.

    Formulas are found in the order of their numbers of operators, a negation counting as one.
    """
    formulas = {0: Formula("0"), _ALL: Formula("1")}
    levels: list[list[int]] = [[]]
    for name, table in VARIABLES.items():
        formulas[table] = Formula(name)
        levels[0].append(table)
    while len(formulas) < _ALL + 1:
        cost = len(levels)
        levels.append([])
        for table, formula in _iter_formulas(levels, cost, formulas):
            if table not in formulas:
                formulas[table] = formula
                levels[cost].append(table)
    return formulas


def _iter_formulas(
    levels: list[list[int]], cost: int, formulas: dict[int, Formula]
) -> Iterator[tuple[int, Formula]]:
    """Yield tables with formulas of exactly ``cost`` operators over shorter ones."""
    for x in levels[cost - 1]:
        yield x ^ _ALL, Formula("~", (formulas[x],))
    for sign, combine in _OPERATORS.items():
        for right in range((cost + 1) // 2):
            for x, y in product(levels[cost - 1 - right], levels[right]):
                yield combine(x, y), Formula(sign, (formulas[x], formulas[y]))


def find_ignored_variables(table: int) -> tuple[str, ...]:
    """Return the variables that a truth table does not depend on: ``("a", "c")``."""
    return tuple(
        name
        for name, ones, shift in (("a", 0xF0, 4), ("b", 0xCC, 2), ("c", 0xAA, 1))
        if (table & ones) >> shift == table & ~ones & _ALL
    )


def parse_formula(text: str) -> int:
    """Return the truth table of a formula of a, b and c with ``& | ^ ~`` and parentheses.

    Raise ValueError, whose message names the character that is wrong.
    """
    words = _split_words(text)
    table, end = _parse_operand(words, 0, 0)
    if end < len(words):
        raise ValueError(f"`{words[end]}` does not continue a formula")
    return table


def _split_words(text: str) -> list[str]:
    words, position = [], 0
    while text[position:].strip():
        match = _WORDS.match(text, position)
        if not match:
            raise ValueError(f"`{text[position:].strip()[0]}` is not part of a formula of a, b, c")
        words.append("~" if match[1] == "!" else match[1])
        position = match.end()
    return words


def _parse_operand(words: list[str], index: int, binding: int) -> tuple[int, int]:
    """Return the table of the longest formula from an index, and the index after it."""
    if index >= len(words):
        raise ValueError("the formula ends too early")
    word = words[index]
    if word == "~":
        table, index = _parse_operand(words, index + 1, _BINDING["~"])
        table ^= _ALL
    elif word == "(":
        table, index = _parse_operand(words, index + 1, 0)
        if index >= len(words) or words[index] != ")":
            raise ValueError("a `)` is missing")
        index += 1
    elif word in VARIABLES:
        table, index = VARIABLES[word], index + 1
    else:
        raise ValueError(f"`{word}` can't begin an operand")
    while index < len(words) and binding < _BINDING.get(words[index], 0) < _BINDING["~"]:
        sign = words[index]
        right, index = _parse_operand(words, index + 1, _BINDING[sign])
        table = _OPERATORS[sign](table, right)
    return table, index
