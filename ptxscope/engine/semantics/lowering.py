"""The lowering of forms to plans, by the module of their family."""

from __future__ import annotations

from functools import lru_cache

from ..isa.catalog import get_entry
from ..isa.entry import Entry, Group
from ..isa.types import Destinations, Form, Type
from ..micro_operations.properties import Stage
from .plan import Builder, Lowering, Plan
from .rules import ISA, Rules


@lru_cache(maxsize=1 << 12)
def lower(form: Form, rules: Rules = ISA, guard: bool | None = None) -> Plan:
    """Return the plan of a legal form.

    ``guard`` adds a last step that keeps the destination's old value if the predicate forbids the
    write: True is ``@!p``, False ``@p``, None no guard. It has no effect if the destination is
    discarded.
    """
    entry = get_entry(form)
    types = {operand.role: operand.get_type(form) for operand in entry.operands}
    builder = Builder(types | {"guard": Type.PRED}, form.fusions if rules.is_fused else ())
    results = _find_lowering(entry)(builder, form, rules)
    if guard is not None and form.dst is not Destinations.SINK:  # a sink has no old value to keep
        results = _lower_guard(builder, form, rules, results, is_negated=guard)
    return builder.build_plan(form, results)


def _find_lowering(entry: Entry) -> Lowering:
    # loaded on first use: the others' micro-operations take 4 % of the start of a `trace`
    if entry.group in (Group.SCALAR, Group.SIMD):
        from .video_lowering import LOWERINGS
    elif entry.group is Group.COMPARE:
        from .comparison_lowering import LOWERINGS
    else:
        from .integer_lowering import LOWERINGS
    return LOWERINGS[entry.opcode]


# --- guards: ``@p`` and ``@!p`` ------------------------------------------------------------


def _lower_guard(
    b: Builder, form: Form, rules: Rules, results: dict[str, str], is_negated: bool
) -> dict[str, str]:
    """Append a step that keeps the destinations' old values if the predicate forbids the write."""
    from ..micro_operations.logic import Choose, Not

    b.get_range("guard")  # sources are listed in order of first use
    old_values = {x: _convert_old_value(b, form, x) if rules.old_converted else x for x in results}
    allowed = b.add_row(Stage.GUARD, "guard", Not(), "guard") if is_negated else "guard"
    return {
        role: b.add_row(Stage.GUARD, role, Choose(), allowed, key, old_values[role])
        for role, key in results.items()
    }


def _convert_old_value(b: Builder, form: Form, role: str) -> str:
    """Apply the conversion of ``set`` to d's old value (2, E14)."""
    from ..micro_operations.bitwise import Magnitude, ToBits
    from ..micro_operations.logic import ToFloat

    assert form.dtype
    bits = 16 if form.source_type.bits == 16 else 32
    # a half in a register is the low half of a word whose high half is zero
    number = b.extend(Stage.GUARD, "number", role, form.dtype.bits, bits <= form.dtype.bits)
    number = b.wrap(Stage.GUARD, "low", number, bits, signed=True)
    if not form.dtype.is_float:
        return b.add_row(Stage.GUARD, "old", ToBits(32), number)
    number = b.add_row(Stage.GUARD, "magnitude", Magnitude(bits), number)
    return b.add_row(Stage.GUARD, "old", ToFloat(form.dtype), number)
