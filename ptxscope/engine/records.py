"""Records that are cheap to define: most classes of the engine are records.

``NamedTuple`` replaces the one of ``typing``, which compiles a function and every annotation of a
class: with it, ``trace`` would be over the 1.75 × an empty program of ``dev.py bench start``.
``Record`` is a frozen dataclass without code generation.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _Fields(tuple):
        """What all named tuples have in common."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            record = tuple.__new__(cls, values)
            if len(record) != len(cls._fields):
                raise TypeError(
                    f"{cls.__name__} takes {len(cls._fields)} values, not {len(record)}"
                )
            return record

        def _replace(self, /, **changes):
            record = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return record

        __replace__ = _replace  # for copy.replace of Python 3.13

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = ", ".join(map("{}={!r}".format, self._fields, self))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(self)

    class _Maker(type):
        """The metaclass that turns a class's annotations into the fields of a named tuple."""

        def __new__(cls, name, _, body):
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            code = _compile_new(len(fields)).replace(
                co_varnames=("cls", *fields), co_name="__new__", co_qualname=f"{name}.__new__"
            )
            new = FunctionType(code, {"new": tuple.__new__}, None, (*defaults.values(),))
            body |= {field: _Getter(index, None) for index, field in enumerate(fields)}
            body |= {"__new__": new, "__slots__": (), "__match_args__": fields}
            return type(name, (_Fields,), body | {"_fields": fields, "_field_defaults": defaults})

    @cache
    def _compile_new(count):
        """Return the code of ``__new__`` for a count of fields, which differs only by their names.

        To compile it for every class would take most of the time of its definition.
        """
        fields = "".join(f"_{index}, " for index in range(count))
        return eval(f"lambda cls, {fields}: new(cls, ({fields}))").__code__  # noqa: S307

    _Getter = type(namedtuple("_", "field").field)
    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})


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


@dataclass_transform(frozen_default=True)
class Record:
    """A frozen record whose fields are its annotations, compared field by field.

    Fields that a class lists in ``exclude_from_eq`` are ignored by ``==``, hash and repr. Dicts
    become read-only copies.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _compared: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, exclude_from_eq: tuple[str, ...] = ()) -> None:
        super().__init_subclass__()
        cls._fields = tuple(cls.__annotations__)
        type.__setattr__(cls, "__match_args__", cls._fields)
        cls._defaults = {name: vars(cls)[name] for name in cls._fields if name in vars(cls)}
        cls._compared = tuple(name for name in cls._fields if name not in exclude_from_eq)

    def __init__(self, *values: Any, **named_values: Any) -> None:
        fields, contents = self._fields, self.__dict__
        contents.update(zip(fields, values, strict=False))
        if named_values or len(values) != len(fields):
            contents.update(self._defaults | contents | named_values)
            if len(values) > len(fields) or contents.keys() != set(fields):
                raise TypeError(f"{type(self).__name__} takes {', '.join(fields) or 'nothing'}")
        for name, value in contents.items():
            if type(value) is dict:
                contents[name] = FrozenDict(value)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} can't be deleted")

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields only: cached properties are recomputed after unpickling."""
        return {name: self.__dict__[name] for name in self._fields}

    @property
    def _key(self) -> tuple[object, ...]:
        return tuple(self.__dict__[name] for name in self._compared)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key == other._key

    def __hash__(self) -> int:
        return hash((type(self), self._key))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._compared)
        return f"{type(self).__name__}({fields})"

    def __replace__(self, **changes: Any) -> Self:
        """Return a copy with other values for some fields; raise TypeError for an unknown field."""
        fields = {name: self.__dict__[name] for name in self._fields}
        return type(self)(**fields | changes)


R = TypeVar("R", bound=Record)


def replace(record: R, **changes: Any) -> R:
    """Return a copy of a record with other field values; raise TypeError for an unknown field."""
    return record.__replace__(**changes)
