"""What explains a wrong answer is what whoever gave it could see, and the likeliest first."""

from __future__ import annotations

import pytest

from ptxscope import trace
from ptxscope.learn.judge import Question, judge
from ptxscope.learn.mistakes import mistakes

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
    why = judge(Question(trace(line, values), "d", lane), text).why
    assert not any("`d.b" in said or "`d.h" in said for said in why), why


@pytest.mark.parametrize("case", UNREAD)
def test_another_c_makes_no_other_mistakes_where_none_is_read(
    case: tuple[str, dict[str, int], int | None, str],
) -> None:
    line, values, lane, _ = case
    found = [
        list(mistakes(Question(trace(line, {**values, "c": c}), "d", lane)))
        for c in (0, 0xFFFFFFFF, 0x80FF7F01)
    ]
    assert found[0] == found[1] == found[2]


def test_a_mask_is_blamed_where_its_register_is_shown_in_another_place() -> None:
    # c is a: lane 3 of d.b210 keeps a's byte 3, 0x40
    line, values = "vadd4.u32.u32.u32 d, %1, %2, %1", {"%1": 0x40010101, "%2": 0x01010101}
    told = [x.said for x in mistakes(Question(trace(line, values), "d", 3))]
    assert any("`d.b210`" in said for said in told)
