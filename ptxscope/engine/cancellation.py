"""Stopping of a search from another thread."""

from __future__ import annotations

from collections.abc import Callable


class Stopped(Exception):  # noqa: N818 - a request, not an error
    """Raised in a search whose answer is no longer needed."""


IsStopped = Callable[[], bool]
"""Returns whether the answer of a search is no longer needed."""


def never() -> bool:
    """Return False, for a search that nothing stops."""
    return False
