"""Recorded JSON: read with what is wrong and where, and held against what is computed anew."""

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
"""What an object of a list is called, by a field that it has."""
_SHOWN = 40


def parse_json(text: str) -> RecordedNode:
    """The JSON of a text; raises ValueError that says where it is none."""
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
    """A part of what was recorded."""

    value: Any
    path: str = ""

    def get_field(self, name: str, *kinds: type) -> RecordedNode:
        """A field of an object, of one of these types; raises ValueError."""
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.value:
            raise ValueError(f"{path} is missing")
        return RecordedNode(self.value[name], path).check_type(*kinds)

    def iter_items(self, *kinds: type) -> Iterator[RecordedNode]:
        """The items of a list, of one of these types; raises ValueError."""
        for at, item in enumerate(self.value):
            yield RecordedNode(item, f"{self.path}[{at}]").check_type(*kinds)

    def check_type(self, *kinds: type) -> RecordedNode:
        """Itself, where it is of one of these types; raises ValueError where it is not."""
        if type(self.value) not in kinds:
            wanted = " or ".join(_KINDS[kind] for kind in kinds)
            raise self.make_error(f"{wanted} has to stand there")
        return self

    def make_error(self, why: str) -> ValueError:
        """The error that says what is here, and what is wrong with it."""
        return ValueError(f"{self.path or 'it'} is {abbreviate_json(self.value)}; {why}")


def abbreviate_json(value: object) -> str:
    """A value in a few characters of JSON; what holds others by its kind."""
    if isinstance(value, dict | list):
        return f"{_KINDS[type(value)]} of {len(value)}"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except ValueError:  # digits that Python does not write
        return "a number of very many digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def require_equal(
    given: RecordedNode, anew: object, passes: Callable[[str, object], bool], *, more: bool
) -> None:
    """Raise ValueError at the first place where what is given is not what is computed anew.

    ``passes`` says of a field, and of its value anew, that another of its kind may stand there;
    where ``more``, so may fields that are not known here.
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
    """How many items there are and should be, and which of those that have names are not there."""
    there = {name for item in given for name in _iter_names(item)}
    lacking = [name for item in anew for name in _iter_names(item) if name not in there]
    said = f"{len(given)} of {len(anew)} items" if len(given) < len(anew) else f"{len(given)} items"
    if lacking:
        return f"{said}; missing: {', '.join(lacking)}"
    return f"{said}; computed anew it has {len(anew)}"
