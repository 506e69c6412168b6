"""Read-only dicts, for the fields of frozen records."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NoReturn, Self, TypeVar

_KeyT = TypeVar("_KeyT")
_ValueT = TypeVar("_ValueT")


class FrozenDict(dict[_KeyT, _ValueT]):
    """A read-only, therefore hashable dict; ``json`` and ``pickle`` handle it like a dict."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("it is read-only; dict(…) makes a copy that can be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[Self], tuple[dict[_KeyT, _ValueT]]]:
        return type(self), (dict(self),)


def freeze_dicts(record: Any) -> None:
    """Replace the dicts among the fields of a frozen dataclass by read-only copies."""
    for field in fields(record):
        value = getattr(record, field.name)
        if type(value) is dict:
            object.__setattr__(record, field.name, FrozenDict(value))


def get_field_values(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, as its pickled state: without cached properties."""
    return {field.name: getattr(record, field.name) for field in fields(record)}
