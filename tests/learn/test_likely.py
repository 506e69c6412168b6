"""What explains a wrong answer is what whoever gave it could see, and the likeliest first."""

from __future__ import annotations

import pytest

from ptxscope import trace
from ptxscope.learn.grader import grade_answer
from ptxscope.learn.mistakes import Mistake, iter_mistakes
from ptxscope.learn.question import Question

UNREAD = [
    # (line, operands, lane, answer): c decides nothing, and what blames a mask takes its bytes
    (
        "vset4.u32.u32.lt d, a, b, c",
        {"a": 0x7EFF7F00, "b": 0x00FD06FE, "c": 0x123456FF},
        None,
        "0xff",
    ),
    ("vmin2.s32.s32.s32 d, a, b, c", {"a": 0x00050007, "b": 0x00060008, "c": 0x11110000}, 0, "0"),
    ("vavrg4.u32.u32.u32 d, a, b, c", {"a": 0x04040404, "b": 0x06060606, "c": 0xFF00}, 0, "0"),
]


@pytest.mark.parametrize("case", UNREAD)
def test_what_is_not_shown_explains_nothing(
    case: tuple[str, dict[str, int], int | None, str],
) -> None:
    line, values, lane, text = case
    why = grade_answer(Question(trace(line, values), "d", lane), text).sentences
    assert not any("`d.b" in said or "`d.h" in said for said in why), why


@pytest.mark.parametrize("case", UNREAD)
def test_another_c_makes_no_other_mistakes_where_none_is_read(
    case: tuple[str, dict[str, int], int | None, str],
) -> None:
    line, values, lane, _ = case
    found = [
        list(iter_mistakes(Question(trace(line, {**values, "c": c}), "d", lane)))
        for c in (0, 0xFFFFFFFF, 0x80FF7F01)
    ]
    assert found[0] == found[1] == found[2]


def test_a_mask_is_blamed_where_its_register_is_shown_in_another_place() -> None:
    # c is a: lane 3 of d.b210 keeps a's byte 3, 0x40
    line, values = "vadd4.u32.u32.u32 d, %1, %2, %1", {"%1": 0x40010101, "%2": 0x01010101}
    told = [x.sentence for x in iter_mistakes(Question(trace(line, values), "d", 3))]
    assert any("`d.b210`" in said for said in told)


QUAD = "vadd4.s32.s32.s32.sat d, a, b, c"
LANES = {"a": 0x80FF7F01, "b": 0x01010180, "c": 0}
LIKELIEST = [
    # the smaller bytes of lanes 3 to 0 are 2, 3, 4, 5
    (
        "vmin4.u32.u32.u32 d, a, b, c",
        {"a": 0x02090405, "b": 0x09030909, "c": 0},
        "operate.t",
        0,
        "2",
        "That is lane 3's value: lane 0 is the rightmost.",
    ),
    # a's bytes through a selector of b's alone: lane 0 is 5, lane 3 is 0xff; a's own are others
    (
        "vmin4.u32.u32.u32 d, a.b7654, b, c",
        {"a": 0xD4FA0102, "b": 0xFF030405, "c": 0},
        "operate.t",
        0,
        "255",
        "That is lane 3's value: lane 0 is the rightmost.",
    ),
    # subtracted: 5 - 1 = 4, 9 - 2 = 7; with a and b exchanged lane 0 would be -7
    (
        "vsub2.s32.s32.s32 d, a, b, c",
        {"a": 0x00050009, "b": 0x00010002, "c": 0},
        "operate.t",
        0,
        "4",
        "That is lane 1's value: lane 0 is the rightmost.",
    ),
]


@pytest.mark.parametrize("case", LIKELIEST)
def test_the_lane_of_the_other_end_is_said_first(
    case: tuple[str, dict[str, int], str, int, str, str],
) -> None:
    line, values, key, lane, text, first = case
    assert grade_answer(Question(trace(line, values), key, lane), text).sentences[0] == first


def test_the_other_end_comes_before_a_and_b_exchanged() -> None:
    # lane 1 is 9 - 2 = 7, lane 0 is 2 - 9 = -7, and 7 with a and b exchanged
    line, values = "vsub2.s32.s32.s32.sat d, a, b, c", {"a": 0x00090002, "b": 0x00020009, "c": 0}
    told = [
        x.sentence
        for x in sorted(
            iter_mistakes(Question(trace(line, values), "saturate.t", 0)), key=weight_of
        )
        if x.value == 7
    ]
    mirrored = told.index("That is lane 1's value: lane 0 is the rightmost.")
    assert mirrored < told.index("That would be right with a and b exchanged.")


def weight_of(mistake: Mistake) -> int:
    return mistake.cost


def test_a_byte_of_another_register_is_told_with_whose_place_it_took() -> None:
    line, values = "vadd4.u32.u32.u32 d, a, b, c", {"a": 0x11223344, "b": 0x40302010, "c": 0}
    why = grade_answer(Question(trace(line, values), "select.b", 0), "0x22").sentences
    assert why[0].startswith("You took byte 2 of a instead of b's byte 0: byte 0 of b")


@pytest.mark.parametrize(
    ("key", "lane", "text", "first"),
    [
        ("select.a", 3, "80", "80 is decimal; 0x80 is right."),
        ("merge.t", 3, "81", "81 is decimal; 0x81 is right."),
        ("extend.a", 3, "-80", "-80 is decimal; -0x80 is right."),
        (
            "extend.a",
            3,
            "80",
            "80 is decimal, not 0x80. You kept 0x80 as 128: atype is s32, so it is -128.",
        ),
    ],
)
def test_digits_that_are_meant_as_hexadecimal(
    key: str, lane: int | None, text: str, first: str
) -> None:
    answer = grade_answer(Question(trace(QUAD, LANES), key, lane), text)
    assert not answer.is_right
    assert "".join(answer.sentences[:1]) == first


def test_what_is_no_hexadecimal_of_the_answer_is_told_as_before() -> None:
    assert grade_answer(
        Question(trace(QUAD, LANES), "select.a", 3), "255"
    ).sentences  # 0x255 is no byte
    for text in ("0b11", "1.5", "7", "4294967295"):
        line, values = "slct.f32.s32 d, a, b, c", {"a": 1, "b": 2, "c": 0}
        why = grade_answer(Question(trace(line, values), "d"), text).sentences
        assert not any("decimal" in said for said in why)
