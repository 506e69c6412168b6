"""Answers are judged: right in every notation, wrong ones by what they come of."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, trace
from ptxscope.engine.isa.types import Type
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


def test_a_hint_on_a_plain_write_names_the_idea_alone() -> None:
    # 0x12345678 fits: the write changes nothing; 0xffffffff + 1 wraps as it is written
    shift = list_hints(Question(trace("shr.u32 d, a, 16", {"a": 0x12345678}), "d"))
    assert not any("Write: " in said for said in shift[:-1])
    line, values = "vadd.u32.u32.u32 d, a, b", {"a": 0xFFFFFFFF, "b": 1}
    assert any("Write: " in said for said in list_hints(Question(trace(line, values), "d"))[:-1])


def test_a_remainder_of_64_bits_is_predicted() -> None:
    # its interval has more than 128 bits
    question = Question(trace("rem.u64 d, a, b", {"a": 2**63 + 5, "b": 2**63}), "operate.t", 0)
    assert grade_answer(question, "5").is_right
    assert not grade_answer(question, "-5").is_right
