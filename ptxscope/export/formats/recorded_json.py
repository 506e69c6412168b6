"""Recorded JSON: access with the path in every error, and comparison with computed values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from ...engine.records import NamedTuple

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
_NAMES = (("number", "step {}"), ("key", "row {}"), ("lane", "lane {}"), ("role", "{}"))
"""Labels of the objects in a list, by a field that identifies them."""
_SHOWN = 40


def parse_json(text: str) -> RecordedNode:
    """Parse JSON; raise ValueError with the place of an error."""
    if not text.strip():
        raise ValueError("this is no JSON: it is empty")
    try:
        return RecordedNode(json.loads(text))
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        is_cut_off = not text[error.pos :].strip()
        reason = (
            f"it ends too early, at {position}"
            if is_cut_off
            else f"{position} is not as JSON is written"
        )
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError:
        reason = "a number in it has too many digits"
    raise ValueError(f"this is no JSON: {reason}")


class RecordedNode(NamedTuple):
    """A part of the recorded JSON."""

    value: Any
    path: str = ""

    def get_field(self, name: str, *kinds: type) -> RecordedNode:
        """Return a field of an object; raise ValueError if it is missing or has another type."""
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.value:
            raise ValueError(f"{path} is missing")
        return RecordedNode(self.value[name], path).check_type(*kinds)

    def iter_items(self, *kinds: type) -> Iterator[RecordedNode]:
        """Yield the items of a list; raise ValueError if one has another type."""
        for index, item in enumerate(self.value):
            yield RecordedNode(item, f"{self.path}[{index}]").check_type(*kinds)

    def check_type(self, *kinds: type) -> RecordedNode:
        """Return the node itself; raise ValueError if its value has another type."""
        if type(self.value) not in kinds:
            expected_types = " or ".join(_KINDS[kind] for kind in kinds)
            raise self.make_error(f"{expected_types} has to stand there")
        return self

    def make_error(self, reason: str) -> ValueError:
        """Return an error with the path, the value and the problem."""
        return ValueError(f"{self.path or 'it'} is {abbreviate_json(self.value)}; {reason}")


def abbreviate_json(value: object) -> str:
    """Format a value in a few characters of JSON; an object or a list by its kind."""
    if isinstance(value, dict | list):
        return f"{_KINDS[type(value)]} of {len(value)}"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except ValueError:  # more digits than Python writes
        return "a number of very many digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def require_equal(
    node: RecordedNode,
    computed: object,
    can_differ: Callable[[str, object], bool],
    *,
    has_extra_fields: bool,
) -> None:
    """Raise ValueError at the first recorded value that differs from the computed one.

    `can_differ` accepts, by the name of a field and its computed value, another value of the same
    type. With `has_extra_fields`, unknown fields are accepted too.
    """
    _require_equal_items(node, computed, "", can_differ, has_extra_fields)


def _require_equal_items(
    node: RecordedNode,
    computed: Any,
    label: str,
    can_differ: Callable[[str, object], bool],
    has_extra_fields: bool,
) -> None:
    label_suffix = f" ({label})" if label else ""
    if isinstance(computed, dict) and isinstance(node.value, dict):
        for name, value in computed.items():
            field_node = node.get_field(name, *_KINDS)
            if not (type(field_node.value) is type(value) and can_differ(name, value)):
                _require_equal_items(field_node, value, label, can_differ, has_extra_fields)
        unknown = next((name for name in node.value if name not in computed), None)
        if unknown is not None and not has_extra_fields:
            path = node._replace(path=f"{node.path}.{unknown}" if node.path else unknown).path
            raise ValueError(f"{path[:200]}{label_suffix} is nothing that a trace has")
    elif isinstance(computed, list) and isinstance(node.value, list):
        if len(computed) != len(node.value):
            raise ValueError(
                f"{node.path}{label_suffix} has {_format_count_difference(node.value, computed)}"
            )
        for item, value in zip(node.iter_items(*_KINDS), computed, strict=True):
            names = [label, *_iter_names(value)]
            _require_equal_items(
                item, value, ", ".join(filter(None, names)), can_differ, has_extra_fields
            )
    elif type(computed) is not type(node.value) or computed != node.value:
        raise ValueError(
            f"{node.path}{label_suffix} is {abbreviate_json(node.value)}, which differs "
            "from what is computed "
            f"anew: {abbreviate_json(computed)}"
        )


def _iter_names(item: object) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (template.format(item[name]) for name, template in _NAMES if name in item)


def _format_count_difference(items: list[Any], computed: list[Any]) -> str:
    """Format the number of items, the expected number, and the labels of missing items."""
    item_names = {name for item in items for name in _iter_names(item)}
    missing_names = [
        name for item in computed for name in _iter_names(item) if name not in item_names
    ]
    count_text = (
        f"{len(items)} of {len(computed)} items"
        if len(items) < len(computed)
        else f"{len(items)} items"
    )
    if missing_names:
        return f"{count_text}; missing: {', '.join(missing_names)}"
    return f"{count_text}; computed anew it has {len(computed)}"
