"""Searches that can be stopped from another thread."""

from __future__ import annotations

from collections.abc import Callable


class Stopped(Exception):  # noqa: N818 - a request, not an error
    """The answer is no longer wanted."""


IsStopped = Callable[[], bool]
"""Whether the answer is no longer wanted: what another thread says to a search at work."""


def never() -> bool:
    """Return False: the answer stays wanted."""
    return False
