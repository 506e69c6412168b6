"""What a nudge, a digit or a wire changes at each place of the picture."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ptxscope import PtxError
from ptxscope.engine.isa.types import Type
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import BitRef, LaneRef, Place
from ptxscope.state.figure_edits import flip_mask, link_places, nudge_place, parse_part, select_part
from tests.driving.states import answer, make_state, said

VADD4 = ("vadd4.s32.s32.u32 d, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC})
MASKED = ("vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c", VADD4[1])
A, B = 0x03020180, 0x77F65504
PRMT = ("prmt.b32 d, a, b, c", {"a": A, "b": B, "c": 0xABCD8AE4})
LOP3 = ("lop3.b32 d, a, b, c, 0xca", {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0})
WORD = {"a": 0x12345678, "b": 8, "c": 4}
SETP = "setp.lt.f32 p, a, b"


@pytest.mark.parametrize(
    ("line", "values", "place", "deltas", "expected"),
    [
        # a chip: no carry into its neighbour, and an accumulator is one word
        (*VADD4, LaneRef("a", 2), (1,), {"a": 0x80007F01}),
        (*VADD4, LaneRef("a", 2), (1, -1, -1), {"a": 0x80FE7F01}),
        ("vadd4.u32.u32.u32.add d, a, b, c", {"c": 255}, LaneRef("c", 0), (1,), {"c": 256}),
        ("vset2.s32.s32.lt.add d, a, b, c", {"c": 255}, LaneRef("c", 0), (1,), {"c": 256}),
        # the next float
        (SETP, {"a": 0xBF800000}, LaneRef("a", 0), (1,), {"a": 0xBF7FFFFF}),
        # a selected part: the next source, in the width of a scalar's selector
        (*MASKED, LaneRef("select.b", 3), (1,), "vadd4.s32.s32.u32.sat d.b310, a, b.b5567, c;"),
        (*MASKED, LaneRef("select.b", 3), (1, -1), MASKED[0] + ";"),
        ("vmad.s32.u32.s32 d, a.b3, b.h0, c", {}, LaneRef("select.b", 0), (1,), "h1, c;"),
        ("vmad.s32.u32.s32 d, a.b3, b.h0, c", {}, LaneRef("select.b", 0), (1, 1), "h0, c;"),
        # a digit of prmt, in a register or in the line, or the number of a mode
        (*PRMT, LaneRef("c", 3), (1,), {"c": 0xABCD9AE4}),
        ("prmt.b32 d, a, b, 0x3210", PRMT[1], LaneRef("operate.t", 0), (4,), "a, b, 0x3214;"),
        ("prmt.b32.f4e d, a, b, c", {"c": 0}, LaneRef("operate.t", 0), (1,), {"c": 1}),
        # an entry of a truth table, or a bit of a word
        (*LOP3, BitRef("lut", 0, 5), (1,), "c, 0xea;"),
        (*LOP3, BitRef("lut", 0, 5), (1, 1), "c, 0xca;"),
        (*LOP3, BitRef("b", 0, 31), (1,), {"b": 0x92345678}),
        # a window over a word
        ("bfe.u32 d, a, b, c", WORD, LaneRef("operate.t", 0), (1, 1, -1), {"b": 9}),
        ("bfe.u32 d, a, 8, 4", WORD, LaneRef("operate.t", 0), (1, 1, -1), "a, 0x9, 4;"),
        ("bfi.b32 d, a, a, 8, 4", WORD, LaneRef("operate.t", 0), (1, 1, -1), "a, 0x9, 4;"),
    ],
)
def test_a_nudge_changes_what_decides_a_place(
    line: str,
    values: Mapping[str, int],
    place: Place,
    deltas: tuple[int, ...],
    expected: str | dict[str, int],
) -> None:
    state = make_state(line, values)
    for delta in deltas:
        answer(nudge_place(state, build_scene(state.trace), place, delta))
    if isinstance(expected, str):
        assert state.setup.line.endswith(expected)
    else:
        assert state.trace.operands == make_state(line, {**values, **expected}).trace.operands
        assert state.setup.line == f"{line};"
    assert len(state.session.undo_history) == len(deltas)


def test_there_is_no_float_next_to_a_nan() -> None:
    state = make_state(SETP, {"a": 0x7FC00000})
    asked = answer(nudge_place(state, build_scene(state.trace), LaneRef("a", 0), 1))
    assert "there is no float next to" in said(asked)
    assert not state.session.undo_history


@pytest.mark.parametrize(
    ("line", "start", "end", "linked"),
    [
        (VADD4[0], LaneRef("b", 0), LaneRef("select.b", 3), "b.b4654, c;"),
        (VADD4[0], LaneRef("select.b", 2), LaneRef("b", 1), "b.b7554, c;"),
        ("vadd.s32.u32.s32.sat d, a.b1, b.b2", LaneRef("a", 3), LaneRef("select.a", 0), "a.b3, b"),
        ("vadd.s32.u32.s32.sat d, a.b1, b.h0", LaneRef("a", 0), LaneRef("select.a", 0), "a.b0, b"),
        ("vadd.s32.u32.s32.sat d, a.h1, b.h0", LaneRef("a", 0), LaneRef("select.a", 0), "a.h0, b"),
        ("prmt.b32 d, a, b, 0x3210", LaneRef("b", 3), LaneRef("operate.t", 0), "0x3217;"),
        ("prmt.b32 d, a, b, 0x3210", LaneRef("select.c", 1), LaneRef("b", 2), "0x3260;"),
    ],
)
def test_a_wire_from_a_part_to_a_lane_selects_it(
    line: str, start: Place, end: Place, linked: str
) -> None:
    state = make_state(line, {"a": 0x44332211})
    answer(link_places(state, build_scene(state.trace), start, end))
    assert linked in state.setup.line


def test_a_wire_from_another_register_is_refused() -> None:
    state = make_state("vadd.s32.u32.s32.sat d, a.b1, b.b2", {"a": 1})
    ends = LaneRef("b", 0), LaneRef("select.a", 0)
    asked = answer(link_places(state, build_scene(state.trace), *ends))
    assert "takes a part of a only" in said(asked)
    assert not state.session.undo_history


def test_each_digit_of_a_selector_and_each_lane_of_a_mask_is_an_edit() -> None:
    state = make_state(*VADD4)
    for lane, digit in ((3, 4), (2, 5), (1, 6), (0, 7)):
        answer(select_part(state, "bsel", lane, digit))
    answer(flip_mask(state, 2))
    assert state.setup.line == "vadd4.s32.s32.u32 d.b310, a, b.b4567, c;"
    for _ in range(3):
        state.undo()
    assert state.setup.line == "vadd4.s32.s32.u32 d, a, b.b4554, c;"


def test_a_digit_keeps_the_width_of_a_scalars_selector() -> None:
    state = make_state("vmad.s32.u32.s32 d, a.b1, b.h1, c", {})
    answer(select_part(state, "asel", 0, 3))
    answer(select_part(state, "bsel", 0, 0))
    assert "a.b3, b.h0" in state.setup.line


def test_a_typed_lane_says_what_fits() -> None:
    assert parse_part("-7", Type.S32, 8, 3, 0x80FF7F01) == 0xF9FF7F01
    assert parse_part("30", Type.S32, 8, 3, 0x80FF7F01) == 0x1EFF7F01
    with pytest.raises(PtxError) as caught:
        parse_part("300", Type.S32, 8, 3, 0x80FF7F01)
    assert "the value does not fit in 8 bits; allowed: -128 to 255" in caught.value.summary
