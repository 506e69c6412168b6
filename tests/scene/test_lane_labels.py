"""Whole registers stand before the lane columns, under the heading of no lane."""

from __future__ import annotations

from random import Random

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.tracing.trace import trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import LaneRef
from ptxscope.widgets.base.pane import StyledLine, StyledText, measure_line
from ptxscope.widgets.lanes.lane_cells import LABEL, NUMBER
from ptxscope.widgets.lanes.lane_layout import LanesState, draw
from tests.scene.lanes import SIZES, random_trace, text_of
from tests.tiers import examples, sampled

SIMD = [entry.opcode for entry in CATALOG.values() if entry.lanes > 1]


def ends_of(lines: list[StyledLine], place: LaneRef) -> list[int]:
    """The columns behind the pieces of a place."""
    return [
        measure_line(line[: at + 1])
        for line in lines
        for at, piece in enumerate(line)
        if piece.target == place and piece.text.strip()
    ]


@pytest.mark.parametrize("c", [5, 0x80000000])
@pytest.mark.parametrize("size", SIZES)
def test_a_sum_stands_outside_the_lane_columns(size: tuple[int, int], c: int) -> None:
    one = trace("vset4.s32.u32.lt.add d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101, "c": c})
    lines = draw(LanesState(one, 5), *size).lines
    for place in (LaneRef("c", 0), LaneRef("write.d", 0)):
        assert (ends := ends_of(lines, place))
        assert max(ends) <= LABEL, "\n".join(text_of(lines))
    assert any(f" c ▐{c:08x}▌" in line for line in text_of(lines))


@pytest.mark.parametrize("size", SIZES[1:])
def test_c_enters_the_running_sum_from_the_left(size: tuple[int, int]) -> None:
    one = trace("vset4.s32.u32.lt.add d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101, "c": 5})
    (rail,) = [line for line in text_of(draw(LanesState(one, 4), *size).lines) if "⊕" in line]
    assert rail[:LABEL].split() == ["c", "5", "━"]
    assert [total.strip("━ ") for total in rail[LABEL:].split("⊕")[1:]] == ["6", "7", "7", "7"]


def test_whole_registers_begin_outside_the_lane_columns() -> None:
    """Of any form with lanes, with every operand a register, at every size and step."""
    rng = Random(4)
    for opcode in SIMD:
        for _ in range(examples(20).max_examples):
            one = random_trace(opcode, rng)
            drawn = build_scene(one)
            wholes = {c.place for r in drawn.registers if not r.is_by_lane for c in r.cells}
            wholes |= {r.cells[0].place for r in drawn.rows.values() if len(r.cells) == 1}
            for size in SIZES:
                for line in draw(LanesState(one, len(one.steps)), *size).lines:
                    assert not _begins_in_a_lane(line, wholes), text_of([line])


@pytest.mark.parametrize("opcode", CATALOG)
@sampled
def test_a_blank_separates_the_name_of_a_row_from_its_values(opcode: str) -> None:
    rng = Random(opcode)
    for _ in range(examples(8).max_examples):
        one = random_trace(opcode, rng)
        for size in SIZES:
            for line in draw(LanesState(one, len(one.steps)), *size).lines:
                if len(line) > 1 and len(line[0].text) == NUMBER and line[1].style_name == "label":
                    name = line[1].text
                    assert name.endswith(" "), name
                    assert len(name) <= LABEL - NUMBER, name


def _begins_in_a_lane(line: StyledLine, wholes: set[LaneRef]) -> bool:
    first = next((at for at, x in enumerate(line) if x.target in wholes and _is_bits(x)), None)
    return first is not None and measure_line(line[:first]) >= LABEL


def _is_bits(piece: StyledText) -> bool:
    return "chip" in piece.style_name
