"""What the feature computes."""

from __future__ import annotations

from collections.abc import Iterator

from ptxscope import Trace


def iter_counts(trace: Trace) -> Iterator[str]:
    """Yield a line for each result."""
    for name, bits in trace.result.items():
        count = bits.bit_count()
        yield f"{name}: {count} bit{'s' * (count != 1)} set"
