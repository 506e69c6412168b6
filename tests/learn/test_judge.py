"""Answers are judged: right in every notation, wrong ones by what they come of."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, trace
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import MISCONCEPTIONS
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.tracing.step_text import describe_lane
from ptxscope.engine.tracing.trace import Trace
from ptxscope.learn.grader import (
    compute_expected,
    format_reply,
    format_right_answer,
    grade_answer,
    list_hints,
)
from ptxscope.learn.mistakes import find_likely_mistakes, iter_mistakes
from ptxscope.learn.question import Question, locate_answer
from tests.strategies import evaluations, guarded_evaluations
from tests.tiers import examples

QUAD = "vadd4.s32.s32.s32.sat d, a, b, c"
LANES = {"a": 0x80FF7F01, "b": 0x01010180, "c": 0}


def questions(traced: Trace) -> list[Question]:
    """Every place that can be asked about."""
    found = []
    for key in (*traced.rows, *(x.role for x in traced.plan.results)):
        for lane in (None, 0, 1, 2, 3):
            question = Question(traced, key, lane)
            try:
                locate_answer(question)
            except ValueError:
                continue
            found.append(question)
    return found


def notations(question: Question) -> list[str]:
    """The right answer, written down another way than judging reads it."""
    where, right = locate_answer(question), compute_expected(question)
    bits = right % 2**where.width
    if where.is_truth:
        return [str(right), "true" if right else "false", f"0x{right:x}"]
    if where.type is Type.PRED:
        return [str(right), "true" if right else "false"]
    told = [f"0x{bits:x}", f"0b{bits:b}", f"  0X{bits:X} "]
    if where.type is not None and where.type.is_float:
        letter = {32: "f", 64: "d"}.get(where.width)
        return [*told, *([f"0{letter}{bits:0{where.width // 4}X}"] if letter else [])]
    if not where.is_number:
        told += [str(bits), str(bits - 2**where.width if bits >> (where.width - 1) else bits)]
    if where.type is not None and where.width == 32:
        told.append("[" + ",".join(str(bits >> at & 255) for at in (24, 16, 8, 0)) + "]")
        told.append(f"[h:{bits >> 16},{bits & 0xFFFF}]")
    return [*told, *([str(right), hex(right)] if where.is_number else [])]


@pytest.mark.parametrize("key", ["compare", "p"])
@pytest.mark.parametrize(("a", "words"), [(1, "yes y true 1 YES"), (3, "no n false 0 N")])
def test_yes_and_no_answer_a_question_on_a_predicate(key: str, a: int, words: str) -> None:
    question = Question(trace("setp.lt.s32 p, a, b", {"a": a, "b": 2}), key)
    for word in words.split():
        assert grade_answer(question, word).is_right, word
    for word in ("maybe", "", "f"):
        with pytest.raises(PtxError) as raised:
            grade_answer(question, word)
        assert raised.value.hint == "yes, no, true, false, 1, 0"


def test_yes_is_refused_as_a_number() -> None:
    with pytest.raises(PtxError):
        grade_answer(Question(trace(QUAD, LANES), "operate", 0), "yes")


@examples(300)
@given(evaluations() | guarded_evaluations(), st.integers(0, 2**32))
def test_the_engines_own_value_is_right_in_every_notation_and_as_displayed(
    evaluation: tuple[Instruction, dict[str, int]], seed: int
) -> None:
    traced = trace(*evaluation)
    asked = questions(traced)
    for question in Random(seed).sample(asked, min(6, len(asked))):
        for text in (*notations(question), format_right_answer(question)):
            answer = grade_answer(question, text)
            assert answer.is_right, (question.key, question.lane, text)
            assert answer == (True, compute_expected(question), compute_expected(question), ())


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
    ("key", "lane", "text", "message"),
    [
        ("saturate", 1, "", "a value is missing"),
        ("saturate", 1, "12q", "`12q` is not an integer"),
        ("saturate", 1, "[1,2,3,4]", "about one lane"),
        ("select.a", 1, "256", "the value does not fit in 8 bits"),
        ("d", None, "[1,2,3]", "3 lanes do not make 32 bits"),
    ],
)
def test_an_answer_that_is_not_a_value_has_an_error_with_a_hint(
    key: str, lane: int, text: str, message: str
) -> None:
    with pytest.raises(PtxError) as raised:
        grade_answer(Question(trace(QUAD, LANES), key, lane), text)
    assert message in raised.value.message
    assert raised.value.hint


def test_a_question_on_an_unknown_place_is_refused() -> None:
    traced = trace(QUAD, LANES)
    for key, lane in (("saturate", 4), ("saturate", None), ("extend", 0), ("scale", 0), ("d", 4)):
        with pytest.raises(ValueError, match=r"lane|one row"):
            compute_expected(Question(traced, key, lane))


def test_the_last_hint_explains_the_result() -> None:
    told = list_hints(Question(trace(QUAD, LANES), "saturate", 1))
    assert told[-1] == "Lane 1: 128 is above 127, the largest s8, so it becomes 127."
    assert "127" not in told[0].replace("-128..127", "")


def test_a_hint_on_several_operands_names_each() -> None:
    # 0x10 twice; 0xfffd is -3, 0x7ffe 32766
    scalar = trace("vmad.u32.u32.u32 d, a.b0, b.b1, c", {"a": 0x10, "b": 0x1000, "c": 5})
    readings = list_hints(Question(scalar, "d"))[1]
    assert readings.startswith("a: 0x10 is 16 as u8; zero-extended. b: 0x10 is 16 as u8; ")
    lanes = trace("vadd2.s32.s32.s32 d, a, b, c", {"a": 0x7FFEFFFD, "b": 4, "c": 0})
    readings = list_hints(Question(lanes, "d"))[1]
    assert readings.startswith("a, lane 0: 0xfffd is -3 as s16; ")
    assert "; lane 1: 0x7ffe is 32766 as s16; " in readings
    assert " b, lane 0: 0x0004 is 4 as s16; " in readings


def test_a_rule_says_its_verb_once() -> None:
    scalar = trace("vadd.u32.u32.u32 d, a.b0, b, c", {"a": 0x10, "b": 0x1000, "c": 5})
    assert list_hints(Question(scalar, "select.a", 0))[0] == "Selects byte 0 of a and all of b."


def test_the_hint_on_a_selector_is_its_rule() -> None:
    # lane 2 takes digit 3: a's byte 3
    traced = trace("vadd4.u32.u32.u32 d, a.b7310, b, c", {"a": 0x04030201, "b": 0x40302010})
    first, second, last = list_hints(Question(traced, "select.a", 2))
    assert first == (
        "Select: Digits 0 to 3 are bytes of a, 4 to 7 of b; the last digit is lane 0's."
    )
    assert second == "Look up a.b3."
    assert "0x04" in last
    assert list_hints(Question(traced, "select.b", 2))[0] == (
        "Select: Each lane takes its own byte of b."
    )


def test_a_task_is_one_that_can_be_done() -> None:
    # 0x40 - 0x50 is -16, 0xf0 in eight bits
    line, values = "vsub4.u32.u32.u32 d.b0, a, b, c", {"a": 0x40, "b": 0x50, "c": 0}
    told = list_hints(Question(trace(line, values), "merge.t", 0))
    assert told[2].endswith(" Write the low 8 bits of -16.")


def test_hints_narrow_from_the_byte_over_its_sign_to_the_end_of_the_range() -> None:
    # lane 3: byte 2 of a, 0x80 is -128; byte 3 of b is 1; -128 - 1 is below -128
    line, values = "vsub4.s32.s32.s32.sat d, a.b2210, b, c", {"a": 0x00800000, "b": 0x01000000}
    *told, last = list_hints(Question(trace(line, values), "saturate.t", 3))
    where, sign, end = told
    assert where == "Lane 3 comes from a.b2 and b.b3."
    assert "0x80 is -128 as s8" in sign
    assert "-128..127" in end
    assert "so it becomes -128" in last
    # a whole register of lanes: how lanes are selected, how they are read, what is done
    told = [*list_hints(Question(trace(line.replace(".b2210", ""), values), "d"))]
    assert told[0].startswith("Select: ")
    assert len(told) == 4


def test_the_reply_to_an_unexplained_answer_names_the_origins() -> None:
    line, values = "vadd4.u32.u32.u32 d, a.b0123, b, c", {"a": 0x04030201, "b": 0x40302010}
    question = Question(trace(line, values), "operate.t", 0)
    answer = grade_answer(question, "57")
    assert format_reply(question, answer) == "Lane 0 comes from a.b3 and b.b0."


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


def test_the_answer_for_a_discarded_predicate_is_its_value() -> None:
    traced = trace("setp.gt.and.f32 _, a, b, c", {"a": 0x3F800000, "b": 0, "c": 1})  # 1.0 > 0.0
    assert format_right_answer(Question(traced, "write.p", 0)) == "1"


@examples(100)
@given(evaluations(), st.integers(0, 2**32))
def test_the_first_hint_contains_the_rule_without_arithmetic(
    evaluation: tuple[Instruction, dict[str, int]], seed: int
) -> None:
    traced = trace(*evaluation)
    for question in Random(seed).sample(questions(traced), 3):
        first, *more = list_hints(question)
        assert "Work out" not in first
        row, lane = traced.rows[locate_answer(question).key], locate_answer(question).lane or 0
        left = describe_lane(row, min(lane, len(row.values) - 1)).formula.left
        if re.search(r"\d [-+*/&<>=|]+ |\d,", left):  # numbers, and what is done with them
            assert left not in first
        assert more


def test_the_reply_on_a_comparison_with_nan_has_one_colon() -> None:
    # a NaN compares as not greater, so p is false
    question = Question(trace("setp.gt.f32 p, a, b", {"a": 0x7FC00000, "b": 0x7FC00000}), "p")
    answer = grade_answer(question, "1")
    assert format_reply(question, answer) == "You let a comparison with NaN hold."


def test_a_hint_on_a_plain_write_names_the_idea_alone() -> None:
    # 0x12345678 fits: the write changes nothing; 0xffffffff + 1 wraps as it is written
    shift = list_hints(Question(trace("shr.u32 d, a, 16", {"a": 0x12345678}), "d"))
    assert not any("Write: " in said for said in shift[:-1])
    line, values = "vadd.u32.u32.u32 d, a, b", {"a": 0xFFFFFFFF, "b": 1}
    assert any("Write: " in said for said in list_hints(Question(trace(line, values), "d"))[:-1])
