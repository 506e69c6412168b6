"""Instructions and traces are pickled and copied."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

from ptxscope import Instruction, Trace, export, parse, trace
from ptxscope.engine.isa.catalog import CATALOG
from tests.tiers import sampled

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


def test_another_process_loads_pickled_instructions_and_traces() -> None:
    used = _used("vadd")
    done = subprocess.run(
        [sys.executable, "-c", _USED], input=pickle.dumps(used), capture_output=True, check=True
    )
    ins, traces = used
    wanted = [ins, "vadd", *(x.result for x in traces), [x.errata for x in traces]]
    assert done.stdout.decode().split() == " ".join(map(str, wanted)).split()
