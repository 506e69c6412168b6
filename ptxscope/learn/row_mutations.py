"""Plans with a mutated row: the mistakes that people make at a micro-operation.

The engine runs a mutated plan like any other; this module computes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.isa.types import Type
from ..engine.micro_operations.base import PREVIOUS_RESULT, MutationSite, RowMutation
from ..engine.micro_operations.saturation import iter_early_narrowings
from ..engine.semantics.plan import Plan, Row, Source
from ..engine.tracing.trace import RowTrace, Trace
from .question import get_visible_operands


def iter_mutations(trace: Trace, row: RowTrace, lane: int | None) -> Iterator[RowMutation]:
    """Yield the plausible mutations of a row, those that read only visible operands."""
    site, visible_operands = MutationSite(trace.views[row.key], lane), get_visible_operands(trace)
    for mutation in row.micro.iter_mutations(site):
        if all(name in visible_operands for name in _list_inputs(mutation).intersection("abc")):
            yield mutation
    if row.micro.is_exact:
        yield from iter_early_narrowings(site)


def _list_inputs(mutation: RowMutation) -> set[str]:
    return {name for _, inputs in mutation.operations for name in inputs}


def with_mutation(plan: Plan, key: str, mutation: RowMutation) -> Plan:
    """Return the plan with a mutated row; the mutation may read any operand."""
    rows: list[Row] = []
    for row in plan.rows:
        if row.key != key:
            rows.append(row)
            continue
        previous_key = ""
        for number, (micro, inputs) in enumerate(mutation.operations, 1):
            own_key = key if number == len(mutation.operations) else f"{key} {number}"
            input_keys = tuple(previous_key if name == PREVIOUS_RESULT else name for name in inputs)
            rows.append(row._replace(key=own_key, micro=micro, inputs=input_keys))
            previous_key = own_key
    new_roles = _list_inputs(mutation) - {source.role for source in plan.sources}
    new_sources = tuple(Source(role, Type.U32) for role in sorted(new_roles.intersection("ab")))
    return plan._replace(rows=tuple(rows), sources=plan.sources + new_sources)
