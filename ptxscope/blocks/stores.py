"""Stores that a block can compare, with their addresses and operands."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..engine.program.statement import Statement
from ..engine.program.statement_operands import MemoryOperand, Operand, VectorOperand
from ..engine.syntax.opcodes import BARRIERS, FENCES, STORES, WAITS

_FORM = re.compile(
    r"st(\.weak)?(\.(const|global|local|param|shared|shared::cta))?(\.(wb|cg|cs|wt))?"
    r"(\.v(?P<count>[24]))?\.[busf](?P<bits>8|16|32|64)"
)
"""Plain stores; others, such as ``st.async`` and ``st.release``, may do more than write."""
_EFFECT_FREE = (BARRIERS | FENCES | WAITS) - {"discard"}
"""Opcodes that do not change memory."""


class Store(NamedTuple):
    """A plain store without a guard."""

    form: str
    """The opcode with its modifiers, and with the width instead of the type."""
    address: MemoryOperand
    bits: int
    """The width of a value."""
    values: tuple[Operand, ...]


def find_store(statement: Statement) -> Store | None:
    """Return a statement as a store, or None for any other statement."""
    match = _FORM.fullmatch(statement.name)
    if statement.opcode not in STORES or statement.guard or not match:
        return None
    if len(statement.operands) != 2:
        return None
    address, value = statement.operands
    if not isinstance(address, MemoryOperand):
        return None
    values = value.parts if isinstance(value, VectorOperand) else (value,)
    if None in values or len(values) != int(match["count"] or 1):
        return None
    bits = int(match["bits"])
    form = f"{statement.name.rpartition('.')[0]}.{bits}"
    return Store(form, address, bits, tuple(x for x in values if x is not None))


def is_effect_free(statement: Statement) -> bool:
    """Whether a statement that computes nothing leaves memory unchanged."""
    return statement.opcode in _EFFECT_FREE
