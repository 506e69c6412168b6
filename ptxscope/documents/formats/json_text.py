"""JSON that every reader accepts: ASCII, and only valid Unicode in strings."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(ud[89a-f]..)|.)")
"""Matches an escape; the group is a lone surrogate."""


def format_json(value: object, indent: int | None = None) -> str:
    """Format a value as JSON; a lone surrogate, which is not a character, becomes U+FFFD."""
    text = json.dumps(value, indent=indent)
    if "\\ud" not in text:
        return text
    return _ESCAPE.sub(lambda match: r"\ufffd" if match[1] else match[0], text)


class StreamFormat(NamedTuple):
    """The text around the pieces of a format."""

    head: str = ""
    first: str = ""
    """Text before the first piece."""
    separator: str = ""
    """Text before every other piece."""
    tail: str = ""
    empty: str = ""
    """End of an output without pieces."""
