"""Two tiers: what runs each time, and what `dev.py thorough` adds for CI: larger draws, and tests
that need a terminal, a browser, a clock or a build, or that check what is generated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings

USUAL = 120
"""Examples of a property in the thorough tier, where a test does not say another number."""
QUICK = 12
"""The default run draws this many times fewer of them."""

ALONE = pytest.StashKey[set[str]]()
"""The collected tests that run only in the thorough tier."""

SAMPLE = 64
"""The default run takes one of so many cases of what is `sampled`."""
MANY, THIRD = 32, 3
"""Of more than so many cases of what is `sampled` and not `whole`, thorough takes a third."""

thorough = pytest.mark.thorough
ci_only = pytest.mark.ci_only
sampled = pytest.mark.sampled
whole = pytest.mark.sampled(is_whole=True)


def some(values: Iterable[Any], *kept: int) -> list[Any]:
    """Parameters, of which the first, or those at some places, run each time."""
    return [
        value if at in (kept or (0,)) else pytest.param(value, marks=thorough)
        for at, value in enumerate(values)
    ]


def mark_left(items: Iterable[pytest.Item]) -> None:
    """Leave the cases of what is `sampled` to the thorough tier, but the first and some others."""
    begun = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if item.get_closest_marker("sampled") and not item.get_closest_marker("thorough"):
            if name in begun and crc32(f"sampled {item.nodeid}".encode()) % SAMPLE:
                item.add_marker(thorough)
            begun.add(name)


def is_drawn(item: pytest.Item, counts: Counter[str]) -> bool:
    """Return whether thorough takes a case, of so many of its function: a soak takes all."""
    mark = item.get_closest_marker("sampled")
    is_one_of_many = counts[item.nodeid.partition("[")[0]] > MANY
    if mark is None or mark.kwargs.get("is_whole") or not is_one_of_many:
        return True
    return crc32(f"third {item.nodeid}".encode()) % THIRD == 0


def examples(count: int) -> settings:
    """So many examples of a property when thorough; fewer each time, and more in a soak."""
    return settings(max_examples=max(settings().max_examples * count // USUAL, 1), deadline=None)
