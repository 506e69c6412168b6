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


def loaded(text: str) -> Part:
    """The JSON of a text; raises ValueError that says where it is none."""
    if not text.strip():
        raise ValueError("this is no JSON: it is empty")
    try:
        return Part(json.loads(text))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        ends = not text[error.pos :].strip()
        why = f"it ends too early, at {where}" if ends else f"{where} is not as JSON is written"
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError:
        why = "a number in it has too many digits"
    raise ValueError(f"this is no JSON: {why}")


class Part(NamedTuple):
    """A part of what was recorded."""

    value: Any
    path: str = ""

    def of(self, name: str, *kinds: type) -> Part:
        """A field of an object, of one of these types; raises ValueError."""
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.value:
            raise ValueError(f"{path} is missing")
        return Part(self.value[name], path).checked(*kinds)

    def items(self, *kinds: type) -> Iterator[Part]:
        """The items of a list, of one of these types; raises ValueError."""
        for at, item in enumerate(self.value):
            yield Part(item, f"{self.path}[{at}]").checked(*kinds)

    def checked(self, *kinds: type) -> Part:
        """Itself, where it is of one of these types; raises ValueError where it is not."""
        if type(self.value) not in kinds:
            wanted = " or ".join(_KINDS[kind] for kind in kinds)
            raise self.wrong(f"{wanted} has to stand there")
        return self

    def wrong(self, why: str) -> ValueError:
        """The error that says what is here, and what is wrong with it."""
        return ValueError(f"{self.path or 'it'} is {shown(self.value)}; {why}")


def shown(value: object) -> str:
    """A value in a few characters of JSON; what holds others by its kind."""
    if isinstance(value, dict | list):
        return f"{_KINDS[type(value)]} of {len(value)}"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except ValueError:  # digits that Python does not write
        return "a number of very many digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def hold(given: Part, anew: object, passes: Callable[[str, object], bool], *, more: bool) -> None:
    """Raise ValueError at the first place where what is given is not what is computed anew.

    ``passes`` says of a field, and of its value anew, that another of its kind may stand there;
    where ``more``, so may fields that are not known here.
    """
    _hold(given, anew, "", passes, more)


def _hold(
    given: Part, anew: Any, called: str, passes: Callable[[str, object], bool], more: bool
) -> None:
    where = f" ({called})" if called else ""
    if isinstance(anew, dict) and isinstance(given.value, dict):
        for name, value in anew.items():
            found = given.of(name, *_KINDS)
            if not (type(found.value) is type(value) and passes(name, value)):
                _hold(found, value, called, passes, more)
        unknown = next((name for name in given.value if name not in anew), None)
        if unknown is not None and not more:
            path = given._replace(path=f"{given.path}.{unknown}" if given.path else unknown).path
            raise ValueError(f"{path[:200]}{where} is nothing that a trace has")
    elif isinstance(anew, list) and isinstance(given.value, list):
        if len(anew) != len(given.value):
            raise ValueError(f"{given.path}{where} has {_counted(given.value, anew)}")
        for item, value in zip(given.items(*_KINDS), anew, strict=True):
            names = [called, *_names(value)]
            _hold(item, value, ", ".join(filter(None, names)), passes, more)
    elif type(anew) is not type(given.value) or anew != given.value:
        raise ValueError(
            f"{given.path}{where} is {shown(given.value)}, which differs from what is computed "
            f"anew: {shown(anew)}"
        )


def _names(item: object) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (told.format(item[name]) for name, told in _NAMES if name in item)


def _counted(given: list[Any], anew: list[Any]) -> str:
    """How many items there are and should be, and which of those that have names are not there."""
    there = {name for item in given for name in _names(item)}
    lacking = [name for item in anew for name in _names(item) if name not in there]
    said = f"{len(given)} of {len(anew)} items" if len(given) < len(anew) else f"{len(given)} items"
    if lacking:
        return f"{said}; missing: {', '.join(lacking)}"
    return f"{said}; computed anew it has {len(anew)}"
