"""The Python API with values of wrong types, and what it returns can't be changed."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import ptxscope
from ptxscope.engine.records import FrozenDict
from tests.driving.wrong_values import read_message

LINE = "vadd4.u32.u32.u32 d, a, b, c"
VALUES = {"a": 1, "b": 2, "c": 3}
WRONG: tuple[Any, ...] = (3, 3.5, None, [1], b"x", object(), "x" * 100_000)


CHANGES: tuple[Callable[[Any], object], ...] = (
    lambda x: x.update(d=77),
    lambda x: x.clear(),
    lambda x: x.setdefault("z", 1),
    lambda x: x.__setitem__("d", 77),
    lambda x: x.popitem(),
    lambda x: x.__ior__({"d": 77}),
)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda x: type(x).__name__)
def test_a_wrong_type_is_named(wrong: Any) -> None:
    trace = ptxscope.trace(LINE, VALUES)
    assert "Trace" in read_message(ptxscope.export, wrong)
    assert "Trace" in read_message(ptxscope.replay, wrong)
    assert "model" in read_message(ptxscope.evaluate, LINE, VALUES, model=wrong)
    assert "model" in read_message(ptxscope.trace, LINE, VALUES, model=wrong)
    for call in (ptxscope.evaluate, ptxscope.trace):
        assert "values is" in read_message(call, LINE, wrong)
    read_message(ptxscope.diagnose, LINE, wrong, observed=5)
    read_message(ptxscope.diagnose, LINE, VALUES, observed={wrong if wrong != [1] else 1: 5})
    if wrong != 3:  # a number of a step
        read_message(trace.figure, until=wrong)
    read_message(trace.figure, notes=wrong)


@pytest.mark.parametrize("wrong", [3, 3.5, [1], b"x", object(), ("a",), {1: 2}, True, int])
def test_a_wrong_type_of_a_program_is_named(wrong: Any) -> None:
    assert "PTX as text" in read_message(ptxscope.parse_block, wrong)
    assert "PTX as text" in read_message(ptxscope.trace_block, wrong, VALUES)
    assert "PTX as text" in read_message(ptxscope.evaluate_block, wrong, VALUES)


@pytest.mark.parametrize("model", ["isa", "ptxas"])
def test_a_trace_is_frozen_and_has_a_hash(model: str) -> None:
    trace = ptxscope.trace(LINE, VALUES, model=model)
    mappings: dict[str, Any] = {
        "result": trace.result,
        "operands": trace.operands,
        "rows": trace.rows,
        "spans": trace.instruction.spans,
        "names": trace.instruction.names,
        "roles": trace.instruction.roles,
        "results": trace.instruction.results,
    }
    for name, mapping in mappings.items():
        before = dict(mapping)
        for change in CHANGES:
            with pytest.raises(TypeError, match="read-only"):
                change(mapping)
        assert mapping == before, name
    assert trace.result == {"d": 6 - 3}
    assert json.loads(json.dumps(trace.result)) == {"d": 3}
    for other in (copy.deepcopy(trace), pickle.loads(pickle.dumps(trace))):
        assert other == trace
        assert hash(other) == hash(trace)
    assert len({trace, ptxscope.trace(LINE, VALUES, model=model)}) == 1


def test_a_frozen_dict_is_a_copy() -> None:
    given = {"a": 1}
    frozen = FrozenDict(given)
    given["a"] = 2
    assert frozen == {"a": 1}
    assert frozen | {"b": 2} == {"a": 1, "b": 2}
    assert copy.copy(frozen) == frozen


@pytest.mark.parametrize("observed", [5, 0x03000000, 3])
def test_explanations_can_be_pickled(observed: int) -> None:
    found = ptxscope.diagnose(
        "vadd4.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2, "c": 0}, observed=observed
    )
    assert found
    for ours, theirs in zip(found, pickle.loads(pickle.dumps(found)), strict=True):
        assert str(theirs) == str(ours)
        assert theirs.get_result() == ours.get_result()
        assert theirs.cost == ours.cost
        assert theirs.trace == ours.trace
