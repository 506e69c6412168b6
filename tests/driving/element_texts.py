"""The text of elements."""

from __future__ import annotations

from typing import Any


def text_of(children: Any) -> str:
    """All text of elements."""
    if isinstance(children, str):
        return children
    parts = children[2:] if children and isinstance(children[0], str) else children
    return " ".join(map(text_of, parts))
