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
        where = f"line {error.lineno}, column {error.colno}"
        ends = not text[error.pos :].strip()
        why = f"it ends too early, at {where}" if ends else f"{where} is not as JSON is written"
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError:
        why = "a number in it has too many digits"
    raise ValueError(f"this is no JSON: {why}")


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
        for at, item in enumerate(self.value):
            yield RecordedNode(item, f"{self.path}[{at}]").check_type(*kinds)

    def check_type(self, *kinds: type) -> RecordedNode:
        """Return the node itself; raise ValueError if its value has another type."""
        if type(self.value) not in kinds:
            wanted = " or ".join(_KINDS[kind] for kind in kinds)
            raise self.make_error(f"{wanted} has to stand there")
        return self

    def make_error(self, why: str) -> ValueError:
        """Return an error with the path, the value and the problem."""
        return ValueError(f"{self.path or 'it'} is {abbreviate_json(self.value)}; {why}")


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
    given: RecordedNode, anew: object, passes: Callable[[str, object], bool], *, more: bool
) -> None:
    """Raise ValueError at the first recorded value that differs from the computed one.

    `passes` accepts, by the name of a field and its computed value, another value of the same
    type. With `more`, unknown fields are accepted too.
    """
    _require_equal_items(given, anew, "", passes, more)


def _require_equal_items(
    given: RecordedNode,
    anew: Any,
    called: str,
    passes: Callable[[str, object], bool],
    allows_more: bool,
) -> None:
    where = f" ({called})" if called else ""
    if isinstance(anew, dict) and isinstance(given.value, dict):
        for name, value in anew.items():
            found = given.get_field(name, *_KINDS)
            if not (type(found.value) is type(value) and passes(name, value)):
                _require_equal_items(found, value, called, passes, allows_more)
        unknown = next((name for name in given.value if name not in anew), None)
        if unknown is not None and not allows_more:
            path = given._replace(path=f"{given.path}.{unknown}" if given.path else unknown).path
            raise ValueError(f"{path[:200]}{where} is nothing that a trace has")
    elif isinstance(anew, list) and isinstance(given.value, list):
        if len(anew) != len(given.value):
            raise ValueError(
                f"{given.path}{where} has {_format_count_difference(given.value, anew)}"
            )
        for item, value in zip(given.iter_items(*_KINDS), anew, strict=True):
            names = [called, *_iter_names(value)]
            _require_equal_items(item, value, ", ".join(filter(None, names)), passes, allows_more)
    elif type(anew) is not type(given.value) or anew != given.value:
        raise ValueError(
            f"{given.path}{where} is {abbreviate_json(given.value)}, which differs "
            "from what is computed "
            f"anew: {abbreviate_json(anew)}"
        )


def _iter_names(item: object) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (told.format(item[name]) for name, told in _NAMES if name in item)


def _format_count_difference(given: list[Any], anew: list[Any]) -> str:
    """Format the number of items, the expected number, and the labels of missing items."""
    there = {name for item in given for name in _iter_names(item)}
    lacking = [name for item in anew for name in _iter_names(item) if name not in there]
    said = f"{len(given)} of {len(anew)} items" if len(given) < len(anew) else f"{len(given)} items"
    if lacking:
        return f"{said}; missing: {', '.join(lacking)}"
    return f"{said}; computed anew it has {len(anew)}"
