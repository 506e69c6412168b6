"""JSON that any reader takes: ASCII, and every string in it Unicode."""

from __future__ import annotations

import json
import re

from ...engine.records import NamedTuple

_ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(ud[89a-f]..)|.)")
"""An escape; the group is half of a pair that has no other half."""


def format_json(value: object, indent: int | None = None) -> str:
    """A value as JSON; half a surrogate pair, which is no character, becomes U+FFFD."""
    text = json.dumps(value, indent=indent)
    if "\\ud" not in text:
        return text
    return _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], text)


class StreamFormat(NamedTuple):
    """What stands around the pieces of a format."""

    begin: str = ""
    first: str = ""
    """In front of the first piece."""
    between: str = ""
    """In front of every other."""
    end: str = ""
    empty: str = ""
    """The end where there is no piece."""
