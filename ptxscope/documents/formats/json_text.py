"""JSON that every reader accepts, ASCII with only valid Unicode in strings; records as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(ud[89a-f]..)|.)")
"""Matches an escape; the group is a lone surrogate."""


def format_json(value: object, indent: int | None = None) -> str:
    """Format a value as JSON; lone surrogates become U+FFFD."""
    text = json.dumps(value, indent=indent)
    if "\\ud" not in text:
        return text
    return _ESCAPE.sub(lambda match: r"\ufffd" if match[1] else match[0], text)


Fields = Mapping[type, str | Callable[[Any], object]]
"""By type, the fields in JSON, ``line=location.line`` for a nested one; or a function."""


def convert_to_json(value: Any, fields: Fields) -> Any:
    """Convert a record and nested ones to JSON; other named tuples are converted whole."""
    rule = fields.get(type(value))
    if isinstance(rule, str):
        items = (item.partition("=") for item in rule.split())
        return {name: convert_to_json(_get(value, path or name), fields) for name, _, path in items}
    if rule is not None:
        return rule(value)
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: convert_to_json(x, fields) for name, x in value.items()}
    if isinstance(value, tuple | list):
        return [convert_to_json(x, fields) for x in value]
    return value


def _get(record: Any, path: str) -> Any:
    """Return a field of a record or a nested one; None if a nested record is None."""
    for name in path.split("."):
        record = None if record is None else getattr(record, name)
    return record
