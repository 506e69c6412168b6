"""Sums of floats that an assembler may fuse with a product, since neither states a rounding.

The product is not rounded then, and the sum may have other bits (PTX ISA 9.7.3 and 9.7.4, ``add``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...engine.program.control_flow import find_thread_blocks
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import RegisterOperand

_TYPES = frozenset(("f32", "f16", "f16x2", "bf16", "bf16x2"))
_ROUNDINGS = frozenset(("rn", "rz", "rm", "rp"))


class FusibleProduct(NamedTuple):
    """An operand of a sum, which a statement before it in its basic block computes."""

    statement: Statement
    place: int
    """0 if the product is the first operand of the sum, 1 if it is the second."""


class FusibleProducts(NamedTuple):
    """The sums and products of a function that may be fused."""

    sums: Mapping[int, tuple[FusibleProduct, ...]]
    """The products in each sum, by the id of its statement."""
    products: frozenset[int]
    """The ids of the statements that compute a product."""


def find_fusible_products(function: Program) -> FusibleProducts:
    """Return the sums of a function that may be fused with a product."""
    sums: dict[int, tuple[FusibleProduct, ...]] = {}
    for block in find_thread_blocks(function.statements, function.labels):
        products: dict[str, Statement] = {}
        for statement in function.statements[block.start : block.end]:
            if statement.opcode in ("add", "sub") and _has_free_rounding(statement):
                sums[id(statement)] = tuple(_iter_products(statement, products))
            names = list(statement.iter_written_names())
            for name in names:
                products.pop(name, None)
            is_product = statement.opcode == "mul" and _has_free_rounding(statement)
            if is_product and "sat" not in statement.modifiers and statement.guard is None:
                products |= dict.fromkeys(names, statement)
    return FusibleProducts(sums, frozenset(id(y.statement) for x in sums.values() for y in x))


def _has_free_rounding(statement: Statement) -> bool:
    """Whether a statement is arithmetic on floats that an assembler may round with another."""
    *flags, type_ = statement.modifiers or ("",)
    return type_ in _TYPES and not _ROUNDINGS.intersection(flags)


def _iter_products(
    statement: Statement, products: Mapping[str, Statement]
) -> Iterator[FusibleProduct]:
    for place, operand in enumerate(statement.operands[1:]):
        product = products.get(operand.name) if isinstance(operand, RegisterOperand) else None
        if product is None or product.modifiers[-1] != statement.modifiers[-1]:
            continue
        if ("ftz" in product.modifiers) == ("ftz" in statement.modifiers):
            yield FusibleProduct(product, place)
