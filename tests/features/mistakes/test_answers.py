"""Wrong answers are explained by their mistakes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import trace
from ptxscope.engine.semantics.models import ISA_MODEL, MISCONCEPTIONS
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.syntax.parser import parse
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.features.mistakes.mistakes import find_likely_mistakes, iter_mistakes
from ptxscope.learn.grader import (
    compute_expected,
    format_reply,
    grade_answer,
    list_hints,
)
from ptxscope.learn.question import Question, locate_answer
from tests.learn.test_judge import LANES, QUAD, questions
from tests.learn.test_practice import by_hand, drawn, question_of
from tests.strategies import evaluations, guarded_evaluations
from tests.tiers import ci_only, examples


@examples(150)
@given(evaluations() | guarded_evaluations(), st.integers(0, 2**32))
def test_a_wrong_answer_has_few_sentences_and_hints(
    evaluation: tuple[Instruction, dict[str, int]], seed: int
) -> None:
    traced, rng = trace(*evaluation), Random(seed)
    asked = questions(traced)
    for question in rng.sample(asked, min(2, len(asked))):
        where, right = locate_answer(question), compute_expected(question)
        other = (right ^ 1 << rng.randrange(where.width)) % 2**where.width
        text = str(1 - right) if where.is_truth else hex(other)
        answer = grade_answer(question, text)
        assert not answer.is_right
        assert answer.expected == right
        assert len(answer.sentences) <= (4 if question.key in ("d", "p", "q") else 1)
        assert all(said.endswith((".", "?", ")")) for said in answer.sentences)
        assert all(list_hints(question))


@pytest.mark.parametrize("habit", MISCONCEPTIONS, ids=lambda x: x.id)
def test_the_result_of_a_misconception_is_recognised(habit) -> None:  # type: ignore[no-untyped-def]
    line, values, right, wrong = habit.example
    question = Question(trace(line, values), "d")
    assert compute_expected(question) == right
    answer = grade_answer(question, hex(wrong))
    assert not answer.is_right
    assert any(habit.sentence in x.sentence for x in find_likely_mistakes(question, wrong))


MIXED = "vmin4.u32.u32.s32.sat d.b20, a.b0416, b, c"

MIXED_VALUES = {"a": 0x7F80FF01, "b": 0x01FF0280, "c": 0x11223344}


def byte_of(register: str, index: int, *, signed: bool) -> int:
    bits = MIXED_VALUES[register].to_bytes(4, "little")[index]
    return bits - 256 if signed and bits > 127 else bits


TAKEN = {"a": [("b", 2), ("a", 1), ("b", 0), ("a", 0)], "b": [("b", at) for at in range(4)]}
"""By operand, the byte of each lane from 0 on: .b0416 ends in 6, which is b's byte 2."""


@pytest.mark.parametrize(("role", "signed"), [("a", False), ("b", True)])
@pytest.mark.parametrize("lane", range(4))
def test_numbers_in_explanations_are_true(role: str, signed: bool, lane: int) -> None:
    question = Question(trace(MIXED, MIXED_VALUES), f"extend.{role}", lane)
    lanes = [byte_of(*taken, signed=signed) for taken in TAKEN[role]]
    assert compute_expected(question) == lanes[lane]
    told = 0
    for answered in {-1, -2, -128, *range(4), 126, 127, 128, 254, 255} - {lanes[lane]}:
        for _, said in find_likely_mistakes(question, answered, is_pattern=False):
            if other := re.match(r"That is lane (\d)'s value", said):
                assert lanes[int(other[1])] == answered, said
                told += 1
            if took := re.match(r"You took byte (\d) of ([ab])", said):
                assert byte_of(took[2], int(took[1]), signed=signed) == answered, said
                told += 1
    assert told > 2


ROWS = [
    line.split(" | ")
    for line in (Path(__file__).parent / "wrong_answers.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("line", "operands", "place", "text", "said"), ROWS)
def test_an_answer_is_right_or_explained_by_its_mistake(
    line: str, operands: str, place: str, text: str, said: str
) -> None:
    key, _, lane = place.rstrip("]").partition("[")
    values = {name: int(bits, 0) for name, bits in (x.split("=") for x in operands.split())}
    answer = grade_answer(Question(trace(line, values), key, int(lane) if lane else None), text)
    assert answer.is_right == (said == "right")
    if said in ("right", "unexplained"):
        assert answer.sentences == ()
    elif said.startswith("= "):
        assert answer.sentences[0] == said.removeprefix("= ")
    else:
        assert said in answer.sentences[0]


def test_ptxas_against_the_documentation() -> None:
    line = "vadd.s32.s32.s32 d.h1, a, b, c"
    values = {"a": 0x00015678, "b": 1, "c": 0x11223344}  # 0x15679: its low half is 0x5679
    documented = Question(trace(line, values), "d", 1)
    compiled = Question(trace(line, values, model="ptxas-13.0"), "d", 1)
    assert grade_answer(documented, "0x5679").is_right
    assert grade_answer(compiled, "1").is_right
    assert "ptxas 11.8 to 13.2 has that. E1:" in grade_answer(documented, "1").sentences[0]
    assert "The documentation has that" in grade_answer(compiled, "0x5679").sentences[0]


def test_different_mistakes_in_several_lanes_are_explained_separately() -> None:
    # lanes 3 to 0 are -127, 0, 127, -127: lane 1 not clamped, lane 0 with b's byte as 128
    answer = grade_answer(Question(trace(QUAD, LANES), "d"), "[-127,0,128,127]")
    assert answer.sentences[0].startswith("In lane 0 you kept 0x80 as 128: ")
    assert answer.sentences[1].startswith("In lane 1 you did not clamp: ")
    assert len(answer.sentences) == 2


# lanes 3 to 0 of a are -2, 127, -1, 125, of b.b4543 2, 5, 2, 254: 0, 132, 1, 379, which is 255
BYTES = ("vadd4.u32.s32.u32.sat d, a, b.b4543, c", {"a": 0xFE7FFF7D, "b": 0x80060502, "c": 0})


def test_only_one_of_contradictory_mistakes_is_reported() -> None:
    question = Question(trace(*BYTES), "d")
    # 379 - 256 = 123, which 125 - 2 is too
    assert grade_answer(question, "[0,132,1,123]").sentences == (
        "Perhaps you did not clamp (lane 0): 379 is above 255, the largest u8, so it becomes 255.",
    )
    alike = [mistake.sentence for mistake in find_likely_mistakes(question, 0x0084017B)]
    assert len(alike) > 3
    assert "You read 0xfe as -2: btype is u32, so it is 254." in alike


def test_one_mistake_in_several_lanes_is_explained_once_per_lane() -> None:
    # lane 2 would be 127 - 5 = 122 subtracted; lane 0 not clamped is 123
    why = grade_answer(Question(trace(*BYTES), "d"), "[0,122,1,123]").sentences
    assert [said[:9] for said in why] == ["In lane 0", "In lane 2"]
    assert "subtracted: 127 + 5 is 132" in why[1]


@pytest.mark.parametrize(
    ("line", "values", "text", "why"),
    [
        # -1 >= 0 does not hold, so b is selected
        ("slct.u32.s32 d, a, b, c", {"a": 1, "b": 2, "c": -1}, "1", "-1 >= 0 is false"),
        ("selp.b32 d, a, b, p", {"a": 1, "b": 2, "p": 1}, "2", "p is true"),
    ],
)
def test_the_reply_to_a_wrong_choice_gives_the_reason(
    line: str, values: dict[str, int], text: str, why: str
) -> None:
    question = Question(trace(line, values), "choose.t")
    told = format_reply(question, grade_answer(question, text))
    assert told.startswith(f"You took {'a' if text == '1' else 'b'}, but ")
    assert why in told


def test_an_answer_for_one_lane_has_no_mistake_of_order() -> None:
    values = {"a": 0x10203040, "b": 0x10003041, "c": 0}
    question = Question(trace("vset4.u32.u32.eq d, a, b, c", values), "d", 3)
    assert not any("side by side" in x.sentence for x in iter_mistakes(question))


def test_no_reply_contains_the_right_answer() -> None:
    # the lanes of 0x01000000 turned round
    question = Question(trace("vset4.u32.u32.eq d, a, b, c", {"a": 0, "b": 0xFFFFFF, "c": 0}), "d")
    answer = grade_answer(question, "0x00000001")
    assert "side by side" in answer.sentences[0]
    for count in range(1, 9):
        assert "0x01000000" not in format_reply(question, answer, count)


def test_the_reply_on_a_comparison_with_nan_has_one_colon() -> None:
    # a NaN compares as not greater, so p is false
    question = Question(trace("setp.gt.f32 p, a, b", {"a": 0x7FC00000, "b": 0x7FC00000}), "p")
    answer = grade_answer(question, "1")
    assert format_reply(question, answer) == "You let a comparison with NaN hold."


@ci_only
def test_the_answer_of_every_misconception_is_recognised() -> None:
    told = Counter[str]()
    sentences = {habit.id: habit.sentence for habit in MISCONCEPTIONS}
    for family in ("vset", "set", "vavrg", "vadd4"):
        for question in map(question_of, drawn(family, 2, 40)):
            for mistake in iter_mistakes(question):
                if mistake.id in sentences:
                    likely = find_likely_mistakes(question, mistake.value)
                    said = [x.sentence for x in likely]
                    assert any(sentences[mistake.id] in x for x in said), question
                    told[mistake.id] += 1
    assert set(told) >= {"H1", "H2", "H3", "H4", "H6", "H7"}


WRONG = [
    # H1, H2: all ones for true is set's, 1 vset's
    ("vset4.u32.u32.lt d, a, b, c", {"a": 0x00000001, "b": 0x01000002, "c": 0}, "0xff0000ff", "H1"),
    ("set.gt.u32.u32 d, a, b", {"a": 9, "b": 8}, "1", "H2"),
    # (4 + 7) / 2 is 5.5: 6 away from zero, 5 down; (2 + 3) / 2 is 2.5: 3, and 2 to even
    ("vavrg4.u32.u32.u32 d, a, b, c", {"a": 4, "b": 7, "c": 0}, "5", "H3"),
    ("vavrg4.s32.s32.s32 d, a, b, c", {"a": 2, "b": 3, "c": 0}, "2", "H4"),
    # (-2 + 1) / 2 is -0.5: -1 away from zero, 0 in C; (-8 - 5) / 2 is -6.5: -7, and -6 in C
    ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0xFFFE, "b": 0x0001, "c": 0}, "0", "H17"),
    ("vavrg4.s32.s32.s32 d, a, b, c", {"a": 0xF8, "b": 0xFB, "c": 0}, "0xfa", "H17"),
    # 2^32 - 1 + 2 wraps to 1, clamped it stays 2^32 - 1
    ("vmax.u32.u32.u32.add d, a, b, c", {"a": 5, "b": 2, "c": 2**32 - 1}, "0xffffffff", "H5"),
    # 200 + 100 + 7 is 307; cut to a byte first 44 + 7 = 51
    ("vadd4.u32.u32.u32.add d, a, b, c", {"a": 200, "b": 100, "c": 7}, "51", "H6"),
    # lane 0 takes 3; lanes 3 to 1 are b's 0x09 0x08 0x07
    (
        "vmin4.u32.u32.u32 d.b0, a, b, c",
        {"a": 0x03, "b": 0x09080706, "c": 0x11111111},
        "0x09080703",
        "H7",
    ),
]


@pytest.mark.parametrize(("line", "given", "text", "habit"), WRONG)
def test_a_misconception_is_among_the_likely_mistakes(
    line: str, given: dict[str, int], text: str, habit: str
) -> None:
    ins = parse(line)
    question = question_of(make_trace(ins, ISA_MODEL, bind_values(ins, given)))
    right = by_hand(line, given)["d"]
    assert grade_answer(question, hex(right)).is_right
    assert not grade_answer(question, text).is_right
    sentence = next(x.sentence for x in MISCONCEPTIONS if x.id == habit)
    likely = find_likely_mistakes(question, int(text, 0))
    assert any(sentence in mistake.sentence for mistake in likely)
