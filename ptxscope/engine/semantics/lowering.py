"""The lowering of forms to plans, by the module of their family."""

from __future__ import annotations

from functools import lru_cache

from ..isa.catalog import get_entry
from ..isa.entry import Entry, Group
from ..isa.form import Form
from ..isa.types import Destinations, Type
from .plan import Builder, Lowering, Plan
from .rules import ISA, Rules


@lru_cache(maxsize=1 << 12)
def lower(form: Form, rules: Rules = ISA, guard: bool | None = None) -> Plan:
    """Return the plan of a legal form.

    ``guard`` adds a last step that keeps the destination's old value if the predicate forbids the
    write: True stands for ``@!p``, False for ``@p``, None for no guard. It has no effect if the
    destination is discarded.
    """
    entry = get_entry(form)
    types = {operand.role: operand.get_type(form) for operand in entry.operands}
    builder = Builder(types | {"guard": Type.PRED})
    results = _find_lowering(entry)(builder, form, rules)
    if guard is not None and form.dst is not Destinations.SINK:  # a sink has no old value to keep
        from .guard_lowering import lower_guard

        results = lower_guard(builder, form, rules, results, is_negated=guard)
    return builder.build_plan(form, results)


def load_families() -> None:
    """Load the lowering of every family, and with them every kind of micro-operation."""
    from . import comparison_lowering, guard_lowering, integer_lowering, video_lowering  # noqa: F401


def _find_lowering(entry: Entry) -> Lowering:
    # loaded on first use: the others' micro-operations take 4 % of the start of a `trace`
    if entry.group in (Group.SCALAR, Group.SIMD):
        from .video_lowering import LOWERINGS
    elif entry.group is Group.COMPARE:
        from .comparison_lowering import LOWERINGS
    else:
        from .integer_lowering import LOWERINGS
    return LOWERINGS[entry.opcode]
