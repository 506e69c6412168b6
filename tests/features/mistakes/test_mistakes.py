"""What explains a wrong answer is what whoever gave it could see, and the likeliest first."""

from __future__ import annotations

import re
from random import Random

import pytest

from ptxscope import trace
from ptxscope.features.mistakes.mistakes import Mistake, find_likely_mistakes, iter_mistakes
from ptxscope.learn.grader import grade_answer, list_hints
from ptxscope.learn.practice import Practice, SeededRandom, map_families
from ptxscope.learn.question import Question
from tests.tiers import some

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
def test_a_hidden_selector_explains_no_answer(
    case: tuple[str, dict[str, int], int | None, str],
) -> None:
    line, values, lane, text = case
    why = grade_answer(Question(trace(line, values), "d", lane), text).sentences
    assert not any("`d.b" in said or "`d.h" in said for said in why), why


@pytest.mark.parametrize("case", UNREAD)
def test_an_unread_c_does_not_affect_the_mistakes(
    case: tuple[str, dict[str, int], int | None, str],
) -> None:
    line, values, lane, _ = case
    found = [
        list(iter_mistakes(Question(trace(line, {**values, "c": c}), "d", lane)))
        for c in (0, 0xFFFFFFFF, 0x80FF7F01)
    ]
    assert found[0] == found[1] == found[2]


def test_a_mask_is_blamed_if_c_is_visible_as_another_operand() -> None:
    # c is a: lane 2 of d.b10 keeps a's byte 2, 0x03; d.b210 would write 0x03 + 0x01
    line, values = "vadd4.u32.u32.u32 d.b10, %1, %2, %1", {"%1": 0x40030101, "%2": 0x01010101}
    mistakes = iter_mistakes(Question(trace(line, values), "d", 2))
    told = [x.value for x in mistakes if "`d.b210`" in x.sentence]
    assert told == [4]


QUAD = "vadd4.s32.s32.s32.sat d, a, b, c"
LANES = {"a": 0x80FF7F01, "b": 0x01010180, "c": 0}


def test_mirrored_lanes_precede_exchanged_operands() -> None:
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


def test_answers_that_are_not_hexadecimal_have_no_remark_on_decimals() -> None:
    assert grade_answer(
        Question(trace(QUAD, LANES), "select.a", 3), "255"
    ).sentences  # 0x255 is no byte
    for text in ("0b11", "1.5", "7", "4294967295"):
        line, values = "slct.f32.s32 d, a, b, c", {"a": 1, "b": 2, "c": 0}
        why = grade_answer(Question(trace(line, values), "d"), text).sentences
        assert not any("decimal" in said for said in why)


# --- permutations, fields and other integer instructions --------------------------------------


@pytest.mark.parametrize("opcode", ["bfe", "bfi", "sad", "fns", "lop3"])
def test_an_opcode_of_another_shape_is_not_offered_as_a_mistake(opcode: str) -> None:
    """Whoever predicts a field does not compute a sum of distances."""
    trace = Practice(opcode, 2).pick_trace(SeededRandom("shape"))
    told = [x.sentence for x in iter_mistakes(Question(trace, "d"))]
    assert told
    assert not any(f"rather than `{opcode}`" in said or "lut" in said for said in told)


def test_an_impossible_shift_amount_is_skipped() -> None:
    """Left as it is, 40 would put the window of .l below bit 0."""
    shown = trace("shf.l.wrap.b32 d, a, b, c", {"a": 1, "b": 2, "c": 40})
    assert [*iter_mistakes(Question(shown, "d"))]


@pytest.mark.parametrize("mode", ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"])
def test_a_mode_number_above_3_has_no_truncation_mistake(mode: str) -> None:
    """n is the low two bits of c; nobody arranges by 5 as by 0 because 5 is not cut."""
    values = {"a": 0x33221100, "b": 0x77665544, "c": 5}
    for mistake in iter_mistakes(Question(trace(f"prmt.b32.{mode} d, a, b, c", values), "d")):
        assert "truncate" not in mistake.sentence


@pytest.mark.parametrize("family", ["permute", "fields", "packed"])
@pytest.mark.parametrize("seed", some([str(seed) for seed in range(8)]))
def test_every_line_of_a_new_family_has_mistakes_and_hints(family: str, seed: str) -> None:
    opcodes, draw = map_families()[family], SeededRandom(seed)
    for level in (1, 2, 3):
        for _ in range(10):
            trace = Practice(family, level).pick_trace(draw)
            assert trace.instruction.opcode in opcodes
            question = Question(trace, next(iter(trace.instruction.results)))
            assert all(list_hints(question))
            assert all(x.sentence for x in iter_mistakes(question))


def test_exercises_on_fields_have_sensible_positions_and_lengths() -> None:
    """Random words as positions and lengths would leave nothing of a."""
    draw = SeededRandom("f")
    found = [Practice("bfe").pick_trace(draw) for _ in range(40)]
    results = [next(iter(x.result.values())) for x in found]
    assert sum(0 < x < 0xFFFFFFFF for x in results) > len(results) // 2
    assert all(x.operands["b"] <= 40 for x in found)


@pytest.mark.parametrize("seed", some([str(seed) for seed in range(6)]))
def test_unlikely_mistakes_explain_only_what_no_other_does(seed: str) -> None:
    """Nobody reads a modifier that is not there; of equally likely mistakes, none is certain."""
    draw = SeededRandom(seed)
    for family in map_families():
        trace = Practice(family, 2).pick_trace(draw)
        question = Question(trace, next(iter(trace.instruction.results)))
        found = [*iter_mistakes(question)]
        assert not any(
            re.search(r"rather than `\w+`\.$|with `\.\w+`\.$", x.sentence) for x in found
        )
        for value in {x.value for x in found}:
            costs = {
                x.sentence: x.cost for x in sorted(found, key=lambda x: -x.cost) if x.value == value
            }
            best = find_likely_mistakes(question, value)
            lowest = min(costs.values())
            if len(costs) > 1 and lowest > 2:
                assert not best
            elif [*costs.values()].count(lowest) > 1 and best[0].sentence not in costs:
                assert best[0].name.startswith("Perhaps you ")


def test_a_carry_crosses_lanes_as_in_one_sum_of_the_registers() -> None:
    draw = Random(5)
    for opcode, unit in (("vadd4", 8), ("vadd2", 16)):
        for _ in range(20):
            a, b = draw.getrandbits(32), draw.getrandbits(32)
            line = f"{opcode}.u32.u32.u32 d, a, b, c"
            found = iter_mistakes(Question(trace(line, {"a": a, "b": b, "c": 0}), "d"))
            values = {x.value for x in found if "carry cross" in x.sentence}
            lanes = range(0, 32, unit)
            field = (1 << unit) - 1
            apart = sum(((a >> low & field) + (b >> low & field) & field) << low for low in lanes)
            whole = a + b & 0xFFFFFFFF
            assert values == ({whole} if whole != apart else set())
