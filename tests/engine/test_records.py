"""The records: they do what those of the standard library do."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import typing

import pytest

from ptxscope import Instruction, Trace, export, parse, trace
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.records import NamedTuple
from tests.tiers import sampled


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
    with pytest.raises(ValueError, match="kind"):
        _Ours("d")._replace(kind=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes 2 values, not 1"):
        _Ours._make(["d"])


_USED = """
import pickle, sys
ins, traces = pickle.load(sys.stdin.buffer)
print(ins, ins.entry.opcode, *(x.result for x in traces), [x.errata for x in traces])
"""


def _used(opcode: str) -> tuple[Instruction, list[Trace]]:
    """An example and its traces, of which all was asked that is kept with them."""
    ptx, values = CATALOG[opcode].example
    ins = parse(ptx)
    traces = [trace(ins, values, model=name) for name in ("isa", "ptxas", "ptxas-13.0+H1")]
    for one in traces:
        assert one.plan
        assert one.instruction.entry
        assert one.instruction.inputs
        assert export(one, "json")
    return ins, traces


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
def test_instructions_and_traces_are_pickled_and_copied(opcode: str) -> None:
    ins, traces = _used(opcode)
    assert pickle.loads(pickle.dumps(ins)) == copy.deepcopy(ins) == copy.copy(ins) == ins
    assert hash(pickle.loads(pickle.dumps(ins))) == hash(ins)
    assert pickle.loads(pickle.dumps(ins)).spans == ins.spans
    for one in traces:
        for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
            assert other == one
            assert (other.result, other.errata) == (one.result, one.errata)
            assert export(other, "json") == export(one, "json")


def test_another_process_goes_on_with_what_was_pickled() -> None:
    used = _used("vadd")
    done = subprocess.run(
        [sys.executable, "-c", _USED], input=pickle.dumps(used), capture_output=True, check=True
    )
    ins, traces = used
    wanted = [ins, "vadd", *(x.result for x in traces), [x.errata for x in traces]]
    assert done.stdout.decode().split() == " ".join(map(str, wanted)).split()
