"""The lowering of additions, subtractions, minima and maxima beside the 27 (PTX ISA 9.7.1, 9.7.2).

They are scalar, packed, or links of a chain with a carry.
"""

from __future__ import annotations

from collections.abc import Callable

from ..isa.form import Form
from ..isa.integers import get_limits
from ..isa.types import ProductWord, Type
from ..micro_operations.base import MicroOperation
from ..micro_operations.carries import TakeBits
from ..micro_operations.logic import Not
from ..micro_operations.merge import Merge, Pack
from ..micro_operations.numbers import Add, Maximum, Minimum, Multiply, Negate, Subtract
from ..micro_operations.selection import Select
from ..micro_operations.stage import Stage
from ..micro_operations.truncation import Truncate
from .common_lowering import lower_mul
from .plan import Builder
from .rules import Rules

_Lowering = Callable[[Builder, Form, Rules], dict[str, str]]


def build_lanes(b: Builder, role: str, signed: bool, unit: int, lanes: range) -> str:
    """Select lanes of an operand and read them as numbers."""
    part = b.add_row(Stage.SELECT, role, Select(unit, tuple((0, i) for i in lanes)), role)
    return b.extend(Stage.EXTEND, role, part, unit, signed)


def _build_operand(b: Builder, type_: Type, role: str) -> str:
    """Read an operand as a number, or as one number for each lane."""
    if type_.lanes == 1:
        return b.extend(Stage.EXTEND, role, role, type_.bits, type_.signed)
    return build_lanes(b, role, type_.signed, type_.bits // type_.lanes, range(type_.lanes))


def _make_lowering(operation: MicroOperation, *roles: str) -> _Lowering:
    """Return the lowering of an operation on scalars or lanes, clamped with .sat or .relu."""

    def lower(b: Builder, form: Form, _: Rules) -> dict[str, str]:
        type_ = form.stype
        assert type_
        unit = type_.bits // type_.lanes
        operands = [_build_operand(b, type_, role) for role in roles]
        t = b.add_row(Stage.OPERATE, "t", operation, *operands)
        if form.sat:
            t = b.clamp(t, *get_limits(unit, type_.signed))
        if form.relu:
            t = b.clamp(t, 0, None)
        if type_.lanes == 1:
            return {"d": b.add_row(Stage.WRITE, "d", Truncate(unit, type_.signed), t)}
        merge_key = b.add_row(
            Stage.MERGE, "t", Merge(unit, tuple(range(type_.lanes)), type_.signed), t
        )
        return {"d": b.add_row(Stage.WRITE, "d", Pack(unit), merge_key)}

    return lower


# --- chains with a carry (9.7.2) ---------------------------------------------------------


def _make_link(operation: MicroOperation, opcode: str) -> _Lowering:
    """Return the lowering of a link: unsigned numbers, since the carry is that of their sum."""
    without_carry = _make_lowering(operation, "a", "b")

    def lower(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
        if form.opcode == opcode and not form.cc:
            return without_carry(b, form, rules)
        return _build_carries(b, form, rules, b.add_row(Stage.OPERATE, "t", operation, "a", "b"))

    return lower


def _lower_mad(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``mad.cc`` and ``madc``: a word of the product, then c and the carry."""
    if form.opcode == "mad" and not form.cc:
        return lower_mul(b, form, rules)
    type_ = form.stype
    assert type_
    x, y = _build_operand(b, type_, "a"), _build_operand(b, type_, "b")
    t = b.add_row(Stage.OPERATE, "t", Multiply(), x, y)
    low = type_.bits if form.product_word is ProductWord.HI else 0
    word = b.add_row(Stage.OPERATE, "word", TakeBits(low, type_.bits), t)
    c = b.extend(Stage.SUM, "c", "c", type_.bits, signed=False)
    return _build_carries(b, form, rules, b.add_row(Stage.SUM, "t", Add(), word, c))


def _build_carries(b: Builder, form: Form, rules: Rules, t: str) -> dict[str, str]:
    """Add or subtract the carry if the opcode ends in c; write the result and the new carry."""
    type_ = form.stype
    assert type_
    if form.opcode.endswith("c"):
        operation = Subtract() if form.opcode == "subc" else Add()
        carry = "cc"
        if rules.borrow_inverted and form.is_carry_in_inverted:
            carry = b.add_row(Stage.CARRY, "borrow", Not(), carry)
        t = b.add_row(Stage.CARRY, "t", operation, t, carry)
    results = {"d": b.add_row(Stage.WRITE, "d", Truncate(type_.bits, signed=False), t)}
    if form.cc:
        carry = b.add_row(Stage.CARRY, "carry", TakeBits(type_.bits, 1), t)
        if rules.borrow_inverted and form.is_carry_out_inverted:
            carry = b.add_row(Stage.CARRY, "inverse", Not(), carry)
        results["cf"] = b.add_row(Stage.WRITE, "cf", Truncate(1, signed=False), carry)
    return results


LOWERINGS: dict[str, _Lowering] = {
    "add": _make_link(Add(), "add"),
    "addc": _make_link(Add(), "add"),
    "sub": _make_link(Subtract(), "sub"),
    "subc": _make_link(Subtract(), "sub"),
    "min": _make_lowering(Minimum(), "a", "b"),
    "max": _make_lowering(Maximum(), "a", "b"),
    "neg": _make_lowering(Negate(), "a"),
    "mad": _lower_mad,
    "madc": _lower_mad,
}
"""The lowering of each opcode."""
