"""Frozen records, and read-only dicts for their fields."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NoReturn, Self, TypeVar

_KeyT = TypeVar("_KeyT")
_ValueT = TypeVar("_ValueT")


class FrozenDict(dict[_KeyT, _ValueT]):
    """A read-only and hashable dict; ``json`` and ``pickle`` handle it like a dict."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("it is read-only; dict(…) makes a copy that can be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[Self], tuple[dict[_KeyT, _ValueT]]]:
        return type(self), (dict(self),)


class FrozenRecord:
    """A base of frozen dataclasses: dicts become read-only, cached properties are not pickled."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, value in _list_fields(self):
            if type(value) is dict:
                object.__setattr__(self, name, FrozenDict(value))

    def __getstate__(self) -> dict[str, Any]:
        return dict(_list_fields(self))


def _list_fields(record: Any) -> list[tuple[str, Any]]:
    return [(field.name, getattr(record, field.name)) for field in fields(record)]
