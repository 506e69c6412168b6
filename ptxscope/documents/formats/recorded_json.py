"""Comparison of recorded JSON with computed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...engine.json_node import KINDS, JsonNode, abbreviate_json

_NAMES = (("number", "step {}"), ("key", "row {}"), ("lane", "lane {}"), ("role", "{}"))
"""Labels of the objects in a list, by a field that identifies them."""


def require_equal(
    node: JsonNode,
    computed_value: object,
    can_differ: Callable[[str, object], bool],
    *,
    has_extra_fields: bool,
) -> None:
    """Raise ValueError at the first recorded value that differs from the computed one.

    `can_differ` accepts, by the name of a field and its computed value, another value of the same
    type. With `has_extra_fields`, unknown fields are accepted too.
    """
    _require_equal_items(node, computed_value, "", can_differ, has_extra_fields)


def _require_equal_items(
    node: JsonNode,
    computed_value: Any,
    label: str,
    can_differ: Callable[[str, object], bool],
    has_extra_fields: bool,
) -> None:
    label_suffix = f" ({label})" if label else ""
    if isinstance(computed_value, dict) and isinstance(node.value, dict):
        for name, value in computed_value.items():
            field_node = node.get_field(name, *KINDS)
            if not (type(field_node.value) is type(value) and can_differ(name, value)):
                _require_equal_items(field_node, value, label, can_differ, has_extra_fields)
        unknown = next((name for name in node.value if name not in computed_value), None)
        if unknown is not None and not has_extra_fields:
            path = node._replace(path=f"{node.path}.{unknown}" if node.path else unknown).path
            raise ValueError(f"{path[:200]}{label_suffix} is not part of a trace")
    elif isinstance(computed_value, list) and isinstance(node.value, list):
        if len(computed_value) != len(node.value):
            difference = _format_count_difference(node.value, computed_value)
            raise ValueError(f"{node.path}{label_suffix} has {difference}")
        for item, value in zip(node.iter_items(*KINDS), computed_value, strict=True):
            names = [label, *_iter_names(value)]
            _require_equal_items(
                item, value, ", ".join(filter(None, names)), can_differ, has_extra_fields
            )
    elif type(computed_value) is not type(node.value) or computed_value != node.value:
        raise ValueError(
            f"{node.path}{label_suffix} is {abbreviate_json(node.value)}, which differs "
            f"from a new computation: {abbreviate_json(computed_value)}"
        )


def _iter_names(item: object) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (template.format(item[name]) for name, template in _NAMES if name in item)


def _format_count_difference(items: list[Any], computed_value: list[Any]) -> str:
    """Format the number of items, the expected number, and the labels of missing items."""
    item_names = {name for item in items for name in _iter_names(item)}
    missing_names = [
        name for item in computed_value for name in _iter_names(item) if name not in item_names
    ]
    count_text = (
        f"{len(items)} of {len(computed_value)} items"
        if len(items) < len(computed_value)
        else f"{len(items)} items"
    )
    if missing_names:
        return f"{count_text}; missing: {', '.join(missing_names)}"
    return f"{count_text}; a new computation has {len(computed_value)}"
