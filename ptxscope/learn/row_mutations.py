"""The mistakes that people make at a micro-operation, from what they see of a trace."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.diagnosis.row_mutations import list_inputs
from ..engine.micro_operations.base import MutationSite, RowMutation
from ..engine.micro_operations.saturation import iter_early_narrowings
from ..engine.tracing.trace import RowTrace, Trace
from .question import get_visible_operands


def iter_mutations(trace: Trace, row: RowTrace, lane: int | None) -> Iterator[RowMutation]:
    """Yield the plausible mutations of a row, those that read only visible operands."""
    site, visible_operands = MutationSite(trace.views[row.key], lane), get_visible_operands(trace)
    for mutation in row.micro.iter_mutations(site):
        if all(name in visible_operands for name in list_inputs(mutation).intersection("abc")):
            yield mutation
    if row.micro.is_exact:
        yield from iter_early_narrowings(site)
