"""Kernels of tests: a file in ``tests/data`` has several, each a module of its own with a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tests.reference_data import DATA


@cache
def read_kernels(file: str) -> Mapping[str, str]:
    """The PTX below each ``// --- name`` of a file."""
    _, *parts = re.split(r"^// --- (.+)\n", (DATA / file).read_text("utf-8"), flags=re.MULTILINE)
    return {name: x.strip() + "\n" for name, x in zip(parts[::2], parts[1::2], strict=True)}
