"""Which values go with a result that a writer keeps back."""

from __future__ import annotations

from ...engine.semantics import micro_operations as m
from ...engine.tracing.trace import Trace
from ..options import Options

_BIT_MOVES = (m.Truncate, m.Wrap, m.Pack, m.Merge, m.Encode, m.Choose)
"""They put bits elsewhere and compute nothing: who sees what goes in knows what comes out."""
HIDDEN_RESULT_TEXT = "What comes out is kept back."
"""What a step says of it."""


def find_hidden_rows(trace: Trace, options: Options) -> frozenset[str]:
    """The keys of the rows whose values tell the result, where that is kept back.

    They are the rows that write it, and back from there those that only carry it, up to the one
    that computed it, whichever steps are shown. Steps that end early (``--until``) keep the values
    that are computed in them: only the rows that carry the result go.
    """
    if options.result or not trace.steps:
        return frozenset()
    is_ended_early = options.is_early and not options.shows(trace.steps[-1].stage)
    found: set[str] = set()
    open_ = [result.key for result in trace.plan.results]
    while open_:
        row = trace.rows.get(open_.pop())  # no operand is kept back
        if row is None or row.key in found:
            continue
        is_carrier = isinstance(row.micro, _BIT_MOVES)
        if is_carrier or not is_ended_early:
            found.add(row.key)
        if is_carrier:
            open_ += row.input_keys
    return frozenset(found)
