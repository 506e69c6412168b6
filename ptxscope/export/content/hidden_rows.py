"""The rows whose values are hidden together with the result."""

from __future__ import annotations

from ...engine.semantics import micro_operations as m
from ...engine.tracing.trace import Trace
from ..options import Options

_BIT_MOVES = (m.Truncate, m.Wrap, m.Pack, m.Merge, m.Encode, m.Choose)
"""Operations that only move bits, so that their inputs reveal their output."""
HIDDEN_RESULT_TEXT = "What comes out is kept back."
"""Sentence of a step with hidden rows."""


def find_hidden_rows(trace: Trace, options: Options) -> frozenset[str]:
    """Return the keys of the rows whose values reveal a hidden result.

    These are the rows that write the result, the rows that only carry it, and the row that computes
    it. If the shown part ends before the last step, the computed values in it stay visible, and
    only the carrying rows are hidden.
    """
    if options.result or not trace.steps:
        return frozenset()
    is_ended_early = not options.shows(trace.steps[-1].stage)
    hidden_keys: set[str] = set()
    pending = [result.key for result in trace.plan.results]
    while pending:
        row = trace.rows.get(pending.pop())  # operands are never hidden
        if row is None or row.key in hidden_keys:
            continue
        is_carrier = isinstance(row.micro, _BIT_MOVES)
        if is_carrier or not is_ended_early:
            hidden_keys.add(row.key)
        if is_carrier:
            pending += row.input_keys
    return frozenset(hidden_keys)
