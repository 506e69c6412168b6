"""Steps keep their places when the next one is revealed."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.tracing.trace import Trace, trace
from ptxscope.widgets.lanes.lane_layout import LanesDrawing, LanesState, draw
from tests.scene.lanes import SIZES, random_trace, text_of
from tests.tiers import examples, some

VADD4 = "vadd4.s32.s32.s32.sat d.b310, a, b.b4567, c"


def drawings(one: Trace, size: tuple[int, int]) -> list[LanesDrawing]:
    return [draw(LanesState(one, step.number), *size) for step in one.steps]


def heights(drawing: LanesDrawing) -> dict[int, int]:
    return {step: end - start for step, (start, end) in drawing.steps.items()}


@pytest.mark.parametrize("size", some(SIZES))
def test_the_next_step_keeps_the_height_of_other_steps(size: tuple[int, int]) -> None:
    """Of any form; but that of the step which was open, where not all can be open."""
    rng = Random(22)
    for opcode in CATALOG:
        for _ in range(examples(10).max_examples):
            one = random_trace(opcode, rng)
            drawn = drawings(one, size)
            assert len({drawing.levels for drawing in drawn}) == 1
            for number, (before, after) in enumerate(pairwise(drawn), 1):
                was, now = heights(before), heights(after)
                kept = range(1, number + before.levels.is_steady)
                assert all(was[step] == now[step] for step in kept), (one.instruction, number)
            if drawn[0].levels.is_steady:
                assert_that_lines_are_only_added(one, drawn)


def assert_that_lines_are_only_added(one: Trace, drawn: list[LanesDrawing]) -> None:
    """Up to the sentences, which stand below."""
    end = drawn[-1].steps[len(one.steps)][1]
    for before, after in pairwise(drawn):
        for was, now in zip(text_of(before.lines)[:end], text_of(after.lines)[:end], strict=True):
            same = was.replace("▸", " ", was[:1] == "▸").rstrip()
            assert now[1:].startswith(same[1:]) or "╮" in now or "╭" in now, one.instruction


@pytest.mark.parametrize("size", [(87, 26), (155, 46)])
def test_wires_remain_when_the_next_step_is_shown(size: tuple[int, int]) -> None:
    one = trace(VADD4, {"a": 0x807F7FA6, "b": 0x7F017F80, "c": 0xCCCCCCCC})
    for drawing in drawings(one, size):
        assert drawing.levels.is_steady
        assert sum("╰──" in line for line in text_of(drawing.lines)) >= 2


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_step_has_at_most_one_sentence_and_a_lane_has_none(size: tuple[int, int]) -> None:
    one = trace(VADD4, {"a": 0x807F7FA6, "b": 0x7F017F80, "c": 0xCCCCCCCC})
    for drawing in drawings(one, size):
        text = "\n".join(text_of(drawing.lines)[1:])
        assert "lane 3:" not in text
        assert text.count(".sat clamps") <= 1


@pytest.mark.parametrize("size", SIZES[1:])
def test_registers_are_listed_in_the_order_a_b_c(size: tuple[int, int]) -> None:
    for ptx in (VADD4, "vmad.s32.s32.s32 d, a, b, c", "vset4.s32.s32.lt.add d, a, b, c"):
        one = trace(ptx, {"a": 1, "b": 2, "c": 3})
        lines = text_of(draw(LanesState(one, 2), *size).lines)
        names = [line.split()[0] for line in lines if line.strip()]
        assert [name for name in names if name in "abc"][:3] == ["a", "b", "c"]


FLUSHED = ("setp.lt.ftz.or.f32 p|q, a, b, !c", {"a": 0x7FC00000, "b": 1, "c": 1})


@pytest.mark.parametrize("size", [(87, 26), (154, 46)])  # of terminals of 120x40 and 200x60
def test_float_fields_are_drawn_at_the_register_and_at_the_step(
    size: tuple[int, int],
) -> None:
    drawn = drawings(trace(*FLUSHED), size)
    seen = [heights(drawing) for drawing in drawn]
    for number, (now, later) in enumerate(pairwise(seen), 1):  # the sentences are the last step's
        assert [later[step] for step in range(1, number)] == [now[x] for x in range(1, number)]
    last = "\n".join(text_of(drawn[-1].lines))
    assert "┤ inf" in last
    assert last.count("├─ or ── ") == 2
    assert last.count("10000000000000000000000") == 1  # a's fraction; a is not flushed
    assert last.count("00000000000000000000001") == 2  # b's, and what b loses
    assert last.count("sign │ exponent │ fraction") == 2  # of the registers, and of the step
    assert last.count("so subnormal") == 1


def test_all_registers_are_in_sight_at_80_columns() -> None:
    for drawing in drawings(trace(*FLUSHED), (78, 15)):
        assert len(drawing.lines) <= 15
