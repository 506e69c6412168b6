"""The rows whose values are hidden together with the result."""

from __future__ import annotations

from ...engine.tracing.trace import Trace
from ..options import Options

HIDDEN_RESULT_TEXT = "The result is hidden."
"""Sentence of a step with hidden rows."""


def find_hidden_rows(trace: Trace, options: Options) -> frozenset[str]:
    """Return the keys of the rows whose values reveal a hidden result.

    These are the rows that write the result, the rows that only carry it, and the row that computes
    it, whichever steps are shown. If the steps end early (``--until``), the computed values in them
    stay visible, and only the carrying rows are hidden.
    """
    if options.result or not trace.steps:
        return frozenset()
    is_ended_early = options.is_early and not options.shows(trace.steps[-1].place)
    return find_revealing_rows(trace, with_computing=not is_ended_early)


def find_revealing_rows(trace: Trace, *, with_computing: bool = True) -> frozenset[str]:
    """Return the keys of the rows that write or carry the result, and of those that compute it."""
    hidden_keys: set[str] = set()
    pending = [result.key for result in trace.plan.results]
    while pending:
        row = trace.rows.get(pending.pop())  # operands are never hidden
        if row is None or row.key in hidden_keys:
            continue
        is_carrier = row.micro.has_revealing_inputs
        if is_carrier or with_computing:
            hidden_keys.add(row.key)
        if is_carrier:
            pending += row.input_keys
    return frozenset(hidden_keys)
