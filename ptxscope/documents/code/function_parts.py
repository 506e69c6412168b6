"""The name, the parameters and the results of a function in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from ...engine.isa.roles import ORDER, Role
from ...engine.semantics.plan import Plan, Row, Source
from ...engine.tracing.step_text import format_stage_title
from ...engine.tracing.trace import Trace
from .plan_code import Assignment


def list_parameters(plan: Plan) -> list[Source]:
    """Return the parameters of a function: a, b, c in order, a guard, old values."""
    return sorted(plan.sources, key=lambda source: ORDER[Role(source.role)])


def group_by_step(
    rows: Iterable[Row], assignments: Iterable[Assignment]
) -> Iterator[tuple[str, list[Assignment]]]:
    """Yield the assignments of each step below its title, as documents have it."""
    for stage, group in groupby(assignments, key=lambda x: x.stage):
        own_rows = tuple(row for row in rows if row.stage is stage)
        yield format_stage_title(stage, own_rows), list(group)


def list_results(trace: Trace, assignments: list[Assignment]) -> list[tuple[str, str]]:
    """Return role and variable of every destination that is kept."""
    names = {x.row: x.name for x in assignments}
    kept_roles = trace.instruction.results
    return [(x.role, names[x.key]) for x in trace.plan.results if x.role in kept_roles]


def make_function_name(trace: Trace) -> str:
    """Return ``vadd4_s32_s32_u32_sat``, with all selectors, and the model unless it is ``isa``."""
    form = trace.instruction.form
    parts = [trace.instruction.mnemonic]
    parts += [f"{slot}_{form.get(slot)}" for slot in ("dsel", "mask", "asel", "bsel")
              if form.get(slot) is not None]  # fmt: skip
    parts += [slot for slot in ("nega", "negb", "negc") if form.get(slot)]
    if trace.model.errata:
        parts.append(trace.model.name)
    return re.sub(r"\W+", "_", "_".join(parts))
