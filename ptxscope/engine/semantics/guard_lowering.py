"""The lowering of guards: ``@p`` and ``@!p``."""

from __future__ import annotations

from ..isa.form import Form
from ..micro_operations.carries import Magnitude, ToBits
from ..micro_operations.float_bits import ToFloat
from ..micro_operations.logic import Choose, Not
from ..micro_operations.stage import Stage
from .plan import Builder
from .rules import Rules


def lower_guard(
    b: Builder, form: Form, rules: Rules, results: dict[str, str], is_negated: bool
) -> dict[str, str]:
    """Append a step that keeps the destinations' old values if the predicate forbids the write."""
    b.get_range("guard")  # sources are listed in order of first use
    old_values = {x: _convert_old_value(b, form, x) if rules.old_converted else x for x in results}
    allowed = b.add_row(Stage.GUARD, "guard", Not(), "guard") if is_negated else "guard"
    return {
        role: b.add_row(Stage.GUARD, role, Choose(), allowed, key, old_values[role])
        for role, key in results.items()
    }


def _convert_old_value(b: Builder, form: Form, role: str) -> str:
    """Apply the conversion of ``set`` to d's old value (2, E14)."""
    assert form.stype
    assert form.dtype
    bits = 16 if form.stype.bits == 16 else 32
    # a half in a register is the low half of a word that it fills with zeros
    number = b.extend(Stage.GUARD, "number", role, form.dtype.bits, bits <= form.dtype.bits)
    number = b.wrap(Stage.GUARD, "low", number, bits, signed=True)
    if not form.dtype.is_float:
        return b.add_row(Stage.GUARD, "old", ToBits(32), number)
    number = b.add_row(Stage.GUARD, "magnitude", Magnitude(bits), number)
    return b.add_row(Stage.GUARD, "old", ToFloat(form.dtype), number)
