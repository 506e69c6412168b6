"""The lowering of moves, logic and shifts (PTX ISA 9.7.8, 9.7.9)."""

from __future__ import annotations

from ..isa.form import Form
from ..isa.types import BoolOp, Type
from ..micro_operations.bitwise import CombineBits, InvertBits
from ..micro_operations.logic import Combine, Not
from ..micro_operations.saturation import Truncate
from ..micro_operations.shifts import LimitAmount, ShiftLeft, ShiftRight
from ..micro_operations.stage import Stage
from .plan import Builder
from .rules import Rules


def _write(b: Builder, form: Form, t: str) -> dict[str, str]:
    """Write the low bits of a number to d."""
    assert form.stype
    micro = Truncate(form.stype.bits, b.get_range(t).low < 0)
    return {"d": b.add_row(Stage.WRITE, "d", micro, t)}


def lower_mov(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``mov``."""
    return _write(b, form, "a")


def lower_logic(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``and``, ``or`` and ``xor``."""
    assert form.stype
    boolop = BoolOp(form.opcode)
    if form.stype is Type.PRED:
        return _write(b, form, b.add_row(Stage.BOOLEAN, "t", Combine(boolop), "a", "b"))
    micro = CombineBits(form.stype.bits, boolop)
    return _write(b, form, b.add_row(Stage.OPERATE, "t", micro, "a", "b"))


def lower_not(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``not``."""
    assert form.stype
    if form.stype is Type.PRED:
        return _write(b, form, b.add_row(Stage.BOOLEAN, "t", Not(), "a"))
    return _write(b, form, b.add_row(Stage.OPERATE, "t", InvertBits(form.stype.bits), "a"))


def lower_shift(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``shl`` and ``shr``: an amount above the width counts as the width."""
    assert form.stype
    bits, x = form.stype.bits, "a"
    if form.stype.signed:
        x = b.extend(Stage.EXTEND, "a", "a", bits, signed=True)
    amount = b.add_row(Stage.OPERATE, "amount", LimitAmount(wrap=False, bits=bits), "b")
    shift = ShiftLeft() if form.opcode == "shl" else ShiftRight()
    return _write(b, form, b.add_row(Stage.OPERATE, "t", shift, x, amount))


LOWERINGS = {
    "mov": lower_mov,
    "and": lower_logic,
    "or": lower_logic,
    "xor": lower_logic,
    "not": lower_not,
    "shl": lower_shift,
    "shr": lower_shift,
}
"""The lowering of each opcode."""
