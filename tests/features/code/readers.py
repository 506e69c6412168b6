"""Readers of the formats of code."""

from __future__ import annotations

import re
from collections.abc import Callable


def _python(text: str) -> None:
    compile(text, "exported", "exec")


def _c(text: str) -> None:
    """No text ends a comment; all functions are compiled in one batch."""
    assert "*/" not in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


READERS: dict[str, Callable[[str], object]] = {"c": _c, "python": _python}
