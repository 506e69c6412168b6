"""Typed access to JSON that may be damaged; every error has a path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
"""The name of each type."""
_SHOWN = 40


def parse_json(text: str) -> JsonNode:
    """Parse JSON; raise ValueError with the position of an error."""
    if not text.strip():
        raise ValueError("this is not JSON: it is empty")
    try:
        return JsonNode(json.loads(text))
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        is_cut_off = not text[error.pos :].strip()
        reason = (
            f"it ends too early, at {position}" if is_cut_off else f"{position} is not valid JSON"
        )
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError:
        reason = "a number in it has too many digits"
    raise ValueError(f"this is not JSON: {reason}")


class JsonNode(NamedTuple):
    """A part of a JSON document."""

    value: Any
    path: str = ""

    def get_field(self, name: str, *kinds: type) -> JsonNode:
        """Return a field of an object; raise ValueError if it is missing or has another type."""
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.value:
            raise ValueError(f"{path} is missing")
        return JsonNode(self.value[name], path).check_type(*kinds)

    def iter_items(self, *kinds: type) -> Iterator[JsonNode]:
        """Yield the items of a list; raise ValueError if one has another type."""
        for index, item in enumerate(self.value):
            yield JsonNode(item, f"{self.path}[{index}]").check_type(*kinds)

    def check_type(self, *kinds: type) -> JsonNode:
        """Return the node itself; raise ValueError if its value has another type."""
        if type(self.value) not in kinds:
            expected_types = " or ".join(KINDS[kind] for kind in kinds)
            raise self.make_error(f"{expected_types} is required")
        return self

    def check_schema(self, schema: str) -> None:
        """Raise ValueError unless the value is an object with a schema."""
        node = self.check_type(dict).get_field("schema", str)
        if node.value != schema:
            raise node.make_error(f"{abbreviate_json(schema)} is required")

    def make_error(self, reason: str) -> ValueError:
        """Return an error with the path, the value and the reason."""
        return ValueError(f"{self.path or 'it'} is {abbreviate_json(self.value)}; {reason}")


def abbreviate_json(value: object) -> str:
    """Format a value as a few characters of JSON; an object or a list as its kind."""
    if isinstance(value, dict | list):
        return f"{KINDS[type(value)]} of {len(value)}"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except ValueError:  # more digits than Python formats
        return "a number of very many digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
