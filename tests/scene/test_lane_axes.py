"""The clamp in characters: overshoots on their true side, to scale, in their lanes' columns."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope.engine.tracing.trace import Trace, trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import NumberLine
from ptxscope.widgets.base.ascii_glyphs import convert_to_ascii
from ptxscope.widgets.lanes.lane_axes import axis_lines
from ptxscope.widgets.lanes.lane_layout import LanesState, draw
from tests.scene.lanes import text_of

THIRD = ("vadd4.s32.s32.s32.sat d.b310, a, b.b4567, c", 0x807F7FA6, 0x7F017F80)
"""MOCKS.md, third edition: lanes 3 to 0 come to -256, 254, 128 and 37."""
EACH = {"80x24": 14, "120x40": 16, "200x60": 32}
SIGNED, UNSIGNED = (-128, 127), (0, 255)


def clamp_of(one: Trace) -> NumberLine:
    figure = build_scene(one).rows["saturate.t"].figure
    assert isinstance(figure, NumberLine)
    return figure


def columns_of(lines: list[str], each: int) -> list[list[str]]:
    """For each lane, the highest first, its lines."""
    return [[line[each * at : each * (at + 1)].rstrip() for line in lines] for at in range(4)]


def third() -> Trace:
    ptx, a, b = THIRD
    return trace(ptx, {"a": a, "b": b, "c": 0xCCCCCCCC})


@pytest.mark.parametrize("size", EACH)
def test_each_lane_has_an_axis_with_its_overshoot_on_the_right_side(size: str) -> None:
    each = EACH[size]
    lanes = columns_of(text_of(axis_lines(clamp_of(third()), 4 * each, 4)), each)
    shapes = [re.sub("[─┼╌]", "", line.strip()) for line, _ in lanes]
    assert shapes == ["○▸●┤", "├●◂○", "├●◂○", "├●┤"]
    for line, numbers in lanes:
        left, right = (re.search(end, line) for end in ("├|(?<=▸)●", "┤|●(?=◂)"))
        assert left
        assert right
        assert numbers.split()[0] == "-128"
        assert numbers.split()[-1] == "127"
        assert abs(numbers.index("-128") + 2 - left.start()) <= 2  # below its end
        assert abs(numbers.index(" 127") + 2 - right.start()) <= 2


values = st.lists(st.integers(0, 0xFFFFFFFF), min_size=2, max_size=2)


@given(values, st.sampled_from(["s32", "u32"]), st.sampled_from(list(EACH.values())))
def test_all_overshoots_of_a_step_have_one_scale(ab: list[int], dtype: str, each: int) -> None:
    one = trace(f"vsub4.{dtype}.s32.s32.sat d, a, b, c", {"a": ab[0], "b": ab[1], "c": 0})
    low, high = SIGNED if dtype == "s32" else UNSIGNED
    line, _ = text_of(axis_lines(clamp_of(one), 4 * each, 4))
    lengths = set()
    for lane, value in enumerate(one.rows["saturate.t"].inputs[0].values):
        own = line[(3 - lane) * each : (4 - lane) * each]
        axis = re.sub("^.*▸|◂.*$", "", own).strip()
        lengths.add(len(axis))
        way = re.sub("[^○╌▸◂]", "", own)
        if low <= value <= high:
            assert way == ""
            place = (value - low) / (high - low) * (len(axis) - 1)
            assert abs(axis.index("●") - place) <= 0.5
        elif value < low:
            assert re.fullmatch("○╌*▸", way)
            beyond = (low - value) / (high - low)
        else:
            assert re.fullmatch("◂╌*○", way)
            beyond = (value - high) / (high - low)
        if way:
            assert abs(len(way) - max(beyond * (len(axis) - 1), 2)) <= 0.5
    assert len(lengths) == 1


@given(values)
def test_narrow_columns_show_lanes_above_their_marks(ab: list[int]) -> None:
    one = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": ab[0], "b": ab[1], "c": 0})
    before = one.rows["saturate.t"].inputs[0].values
    head, line, numbers = text_of(axis_lines(clamp_of(one), 44, 4))
    lanes = [int(x) for x in head.split()]
    assert sorted(lanes) == [0, 1, 2, 3]
    assert [before[lane] for lane in lanes] == sorted(before)
    assert line.count("○") <= sum(not -128 <= x <= 127 for x in before)
    assert numbers.split()[0] == "-128"
    assert numbers.split()[-1] == "127"


def test_an_overlong_overshoot_is_drawn_broken() -> None:
    one = trace("vadd.s32.s32.s32.sat d.b0, a, b, c", {"a": 0x7FFFFFFF, "b": 1, "c": 0})
    for width in (24, 58, 128):
        line, _ = text_of(axis_lines(clamp_of(one), width, 1))
        assert line.strip().endswith("●◂╱╌╌○")
        assert len(line) <= width


@pytest.mark.parametrize(("width", "height"), [(78, 15), (87, 26), (155, 46)])
def test_a_clamp_is_written_from_left_to_right(width: int, height: int) -> None:
    lines = draw(LanesState(third(), 4), width, height).lines
    said = "\n".join(text_of(lines))
    for change in ("-256 ▸ -128", "254 ▸ 127", "128 ▸ 127"):
        assert change in said
    plain = "\n".join(
        "".join(convert_to_ascii(tuple(piece.text for piece in line))) for line in lines
    )
    assert re.search("254 ?-> 127", plain)
    assert not re.search(r"\d ?[<>v] ?-?\d", plain)  # no comparison
