"""The truth tables of ``lop3`` as formulas (PTX ISA 9.7.8.6).

Bit 4a + 2b + c of a table is the result for the bits a, b and c, so the tables of a, b and c are
0xf0, 0xcc and 0xaa, and the table of a formula is the formula of these tables.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

VARIABLES = {"a": 0xF0, "b": 0xCC, "c": 0xAA}
_ALL = 0xFF
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
"""The operators of two operands; among formulas of one length, the first one found is used."""
_SIGNS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}


class TruthFormula(NamedTuple):
    """A formula of bits: a variable or a constant (no operands), or an operator."""

    operator: str
    """``a``, ``b``, ``c``, ``0`` or ``1``; else ``~``, ``&``, ``|`` or ``^``."""
    operands: tuple[TruthFormula, ...] = ()

    def __str__(self) -> str:
        """Return the formula as text, with as few parentheses as possible: ``(a & b) | c``."""
        if not self.operands:
            return self.operator
        texts = [
            f"({part})"
            if part.operands and part.operator not in ("~", self.operator)
            else str(part)
            for part in self.operands
        ]
        return f"~{texts[0]}" if self.operator == "~" else f" {self.operator} ".join(texts)


@cache
def find_formulas() -> dict[int, TruthFormula]:
    """Return a shortest formula for each of the 256 truth tables.

    Formulas are searched by their number of operators; a negation counts as one.
    """
    formulas = {0: TruthFormula("0"), _ALL: TruthFormula("1")}
    levels: list[list[int]] = [[]]
    for name, table in VARIABLES.items():
        formulas[table] = TruthFormula(name)
        levels[0].append(table)
    while len(formulas) < _ALL + 1:
        length = len(levels)
        levels.append([])
        for table, formula in _iter_formulas(levels, length, formulas):
            if table not in formulas:
                formulas[table] = formula
                levels[length].append(table)
    return formulas


def _iter_formulas(
    levels: list[list[int]], length: int, formulas: dict[int, TruthFormula]
) -> Iterator[tuple[int, TruthFormula]]:
    """Yield tables with formulas of exactly ``length`` operators over shorter ones."""
    for table in levels[length - 1]:
        yield table ^ _ALL, TruthFormula("~", (formulas[table],))
    for sign, combine in _OPERATORS.items():
        for right in range((length + 1) // 2):
            for x, y in product(levels[length - 1 - right], levels[right]):
                yield combine(x, y), TruthFormula(sign, (formulas[x], formulas[y]))


@cache
def _find_choices() -> dict[int, str]:
    """Return ``a ? b : c`` and the like by table: a variable chooses between the others or ``~``.

    Each is easier to read than the formula: 0xca, ``((b ^ c) & a) ^ c``, is ``a ? b : c``.
    """
    choices = {}
    for flips, (x, y, z) in product(product((0, _ALL), repeat=2), permutations(VARIABLES)):
        yes, no = (VARIABLES[name] ^ flip for name, flip in zip((y, z), flips, strict=True))
        left, right = (
            name if not flip else f"~{name}" for name, flip in zip((y, z), flips, strict=True)
        )
        table = VARIABLES[x] & yes | (_ALL ^ VARIABLES[x]) & no
        choices[table] = f"{x} ? {left} : {right}"
    return choices


def format_function(table: int, names: Mapping[str, str] | None = None) -> str:
    """Return the function of a table, with other names for its variables: ``a ? b : c``."""
    text = _find_choices().get(table) or str(find_formulas()[table])
    return "".join((names or {}).get(letter, letter) for letter in text)


def find_ignored_variables(table: int) -> tuple[str, ...]:
    """Return the variables that a truth table does not depend on: ``("a", "c")``."""
    return tuple(
        name
        for name, ones, shift in (("a", 0xF0, 4), ("b", 0xCC, 2), ("c", 0xAA, 1))
        if (table & ones) >> shift == table & ~ones & _ALL
    )


def parse_formula(text: str) -> int:
    """Return the truth table of a formula of a, b and c with ``& | ^ ~`` and parentheses.

    Raise ValueError with a message that names the first wrong character.
    """
    words = "".join(text.split()).replace("!", "~")
    _check_order(words)
    try:
        return _evaluate(ast.parse(words, mode="eval").body) & _ALL
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError("the formula is nested too deeply") from None


def _check_order(words: str) -> None:
    """Raise ValueError at the first character that does not continue a formula."""
    for word in words:
        if word not in "abc&|^~()":
            raise ValueError(f"`{word}` is not part of a formula of a, b, c")
    depth, is_operand_missing = 0, True
    for word in words:
        if is_operand_missing and word not in "abc~(":
            raise ValueError(f"`{word}` can't begin an operand")
        if not is_operand_missing and (word in "abc~(" or (word == ")" and not depth)):
            raise ValueError(
                "a `)` is missing" if depth else f"`{word}` does not continue a formula"
            )
        depth += (word == "(") - (word == ")")
        is_operand_missing = word not in "abc)"
    if is_operand_missing:
        raise ValueError("the formula ends too early")
    if depth:
        raise ValueError("a `)` is missing")


def _evaluate(formula: ast.expr) -> int:
    if isinstance(formula, ast.Name):
        return VARIABLES[formula.id]
    if isinstance(formula, ast.UnaryOp):
        return ~_evaluate(formula.operand)
    assert isinstance(formula, ast.BinOp)
    combine = _OPERATORS[_SIGNS[type(formula.op)]]
    return combine(_evaluate(formula.left), _evaluate(formula.right))
