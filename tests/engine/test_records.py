"""The records: they do what those of the standard library do."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from ptxscope.engine.records import NamedTuple


class _Ours(NamedTuple):
    """Two fields, one of them given."""

    name: str
    bits: int = 32

    @property
    def text(self) -> str:
        return f"{self.name}: {self.bits}"


class _Theirs(typing.NamedTuple):
    name: str
    bits: int = 32


def test_they_are_tuples_with_names() -> None:
    ours, theirs = _Ours("d"), _Theirs("d")
    assert tuple(ours) == tuple(theirs)
    assert (ours.bits, ours[0], hash(ours)) == (32, "d", hash(theirs))
    assert repr(ours).removeprefix("_Ours") == repr(theirs).removeprefix("_Theirs")
    assert (ours._asdict(), ours._fields) == (theirs._asdict(), theirs._fields)
    assert _Ours._field_defaults == {"bits": 32}
    assert (ours._replace(bits=8), _Ours(bits=8, name="d")) == (("d", 8), ("d", 8))
    assert _Ours._make(["a", 1]).text == "a: 1"
    assert pickle.loads(pickle.dumps(ours)) == copy.copy(ours) == ours
    match ours:
        case _Ours(name, bits):
            assert (name, bits) == ("d", 32)


@pytest.mark.parametrize("given", [{}, {"name": "d", "kind": 1}, {"bits": 1}])
def test_other_fields_are_refused(given: dict[str, typing.Any]) -> None:
    with pytest.raises(TypeError):
        _Ours(**given)
    with pytest.raises(AttributeError):
        _Ours("d").name = "a"  # type: ignore[misc]
