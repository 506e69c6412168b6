"""How long a step stays while the steps are played."""

from __future__ import annotations

import pytest

from ptxscope import parse
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.tracing.step_text import describe_step, format_lane_sentence
from ptxscope.state.setup import make_example, make_setup, trace_of
from ptxscope.state.step_transitions import compute_reading_seconds, estimate_seconds
from tests.state.states import LINE, VALUES


def test_a_step_with_more_words_stays_longer() -> None:
    assert estimate_seconds(0) == 1.5
    assert estimate_seconds(40) == pytest.approx(40 * 0.15)
    assert estimate_seconds(1000) == 8
    trace = trace_of(make_setup(parse(LINE), VALUES))
    times = {step.stage.value: compute_reading_seconds(trace, step) for step in trace.steps}
    words = {x.stage.value: len(describe_step(x).split()) for x in trace.steps}
    assert times[max(words, key=words.__getitem__)] == max(times.values()) > times["write"]
    assert times["write"] == min(times.values())


def test_only_words_that_are_shown_are_waited_for() -> None:
    """A lane that nothing happened to says nothing where little room is; one clamped does."""
    calm, loud = {"a": 0x01010101, "b": 0x01010101}, {"a": 0x7F7F0101, "b": 0x7F7F0101}
    line = parse("vadd4.s32.s32.s32.sat d, a, b, c")
    times = []
    for values in (calm, loud):
        trace = trace_of(make_setup(line, values))
        step = next(x for x in trace.steps if x.stage.value == "saturate")
        times.append(compute_reading_seconds(trace, step))
    said = describe_step(step).split()
    assert times[0] == pytest.approx(max(1.5, 0.15 * len(said)))
    told = [format_lane_sentence(step.rows[0], lane).split() for lane in (3, 2)]
    assert times[1] == pytest.approx(0.15 * (len(said) + sum(map(len, told))))
    assert times[0] < times[1] <= 8


def test_no_step_of_an_example_looks_hung() -> None:
    for opcode in CATALOG:
        trace = trace_of(make_example(opcode))
        assert all(1.5 <= compute_reading_seconds(trace, step) <= 8 for step in trace.steps), opcode
