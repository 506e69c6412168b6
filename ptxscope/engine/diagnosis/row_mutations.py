"""Causes that do a step wrongly: the mistakes that the micro-operations of a plan know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..isa.types import Type
from ..micro_operations.base import PREVIOUS_RESULT, MutationSite, RowMutation
from ..semantics.plan import Plan, Row, Source
from ..tracing.step_text import format_title
from ..tracing.trace import Trace
from .causes import Cause, CauseKind

_MIN_COST = 3
"""Cost of the likeliest mistake: a change of the line is more plausible."""


def iter_mutation_causes(trace: Trace) -> Iterator[Cause]:
    """Yield every mistake in every row of a documented trace."""
    aspects = frozenset(("step",))
    for number, step in enumerate(trace.steps, 1):
        for row in step.rows:
            for mutation in row.micro.iter_mutations(MutationSite(trace.views[row.key], None)):
                phrase = f"if step {number}, `{format_title(step)}`, {mutation.description}"
                cost = _MIN_COST + mutation.weight
                yield Cause(
                    CauseKind.MISTAKE, aspects, phrase, cost, mutations=((row.key, mutation),)
                )


def with_mutations(plan: Plan, mutations: Iterable[tuple[str, RowMutation]]) -> Plan:
    """Return the plan with mutated rows, by key."""
    for key, mutation in mutations:
        plan = with_mutation(plan, key, mutation)
    return plan


def with_mutation(plan: Plan, key: str, mutation: RowMutation) -> Plan:
    """Return the plan with a mutated row; the mutation may read any operand.

    The range of the row may be too small, so the plan is for exact numbers only.
    """
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
    new_roles = list_inputs(mutation) - {source.role for source in plan.sources}
    new_sources = tuple(Source(role, Type.U32) for role in sorted(new_roles.intersection("ab")))
    return plan._replace(rows=tuple(rows), sources=plan.sources + new_sources)


def list_inputs(mutation: RowMutation) -> set[str]:
    """Return the keys of all inputs of a mutation."""
    return {name for _, inputs in mutation.operations for name in inputs}
