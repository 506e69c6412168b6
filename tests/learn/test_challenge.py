"""Exercises: the same for all who share a seed, each with just one answer, judged as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from ptxscope import PtxError
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.json_node import parse_json
from ptxscope.engine.semantics.misconceptions import MISCONCEPTIONS
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.engine.tracing.trace import Trace
from ptxscope.learn.exercises import (
    Exercise,
    format_prompt,
    format_solution,
    grade_answer,
    iter_exercises,
    list_hints,
    map_families,
    question_lines,
)
from ptxscope.learn.mistakes import find_likely_mistakes, iter_mistakes
from ptxscope.learn.seeded_random import (
    LEVELS,
    SeededRandom,
    draw_form,
    draw_operands,
    make_instruction,
)
from ptxscope.learn.tally import Count, ExerciseKind, ExerciseOutcome, Tally, tally_from_json
from ptxscope.state.state_store import StateStore
from tests.reference import reference
from tests.tiers import ci_only, some

SEEDS = [str(seed) for seed in range(24)]


def drawn(seed: str, level: int, count: int = 12, family: str = "") -> list[Exercise]:
    return list(islice(iter_exercises(seed, level, family), count))


def values(found: Exercise) -> dict[str, int]:
    """The operands by name."""
    ins = found.trace.instruction
    bits = found.trace.operands
    return {name: bits[role] for role, name in ins.names.items() if role in bits}


def by_hand(line: object, given: dict[str, int], model: str = "isa") -> dict[str, int]:
    """The result by the reference of the tests."""
    return reference(str(line), given, model)


def test_the_generator_is_splitmix64() -> None:
    # the first numbers from state 0, as published with the generator
    draw = SeededRandom("")
    draw._state = 0
    assert [draw.draw_bits() for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


def test_the_seed_of_a_text_is_its_fnv_1a() -> None:
    # from the table of test vectors of FNV
    assert SeededRandom("")._state == 0xCBF29CE484222325
    assert SeededRandom("foobar")._state == 0x85944171F73967E8


def test_a_seed_gives_the_same_exercises_in_every_process() -> None:
    program = (
        "from itertools import islice\n"
        "from ptxscope.learn.exercises import *\n"
        "print([(question_lines(x), format_solution(x)) for l in (1, 2, 3)"
        " for x in islice(iter_exercises('class', l), 8)])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path.cwd())},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "4711")
    }
    assert len(told) == 1


def test_another_seed_level_or_family_gives_others() -> None:
    def told(*what: str | int) -> list[tuple[str, ...]]:
        return [question_lines(x) for x in islice(iter_exercises(*what), 6)]  # type: ignore[arg-type]

    all_ = [told("a"), told("b"), told("a", 2), told("a", 1, "simd")]
    assert len({str(x) for x in all_}) == len(all_)


@pytest.mark.parametrize("seed", some(SEEDS, 0, 1))
@pytest.mark.parametrize("level", LEVELS)
def test_every_exercise_has_the_answer_that_the_reference_computes(seed: str, level: int) -> None:
    for found in drawn(seed, level):
        ins = found.trace.instruction
        expected = by_hand(ins, values(found))
        if found.kind is ExerciseKind.RESULT:
            name, bits = next(iter(ins.results.values())), expected
            assert grade_answer(found, hex(bits[name])).is_right, question_lines(found)
            assert format_solution(found).startswith(f"{name} = ")
        elif found.kind is ExerciseKind.MODIFIER:
            fits = [by_hand(x, values(found)) == expected for x in found.choices]
            assert fits.count(True) == 1
            told = [grade_answer(found, str(at)).is_right for at in range(1, len(fits) + 1)]
            assert told == fits
            assert grade_answer(found, str(ins)).is_right
        else:
            assert by_hand(ins, values(found), found.other_model.name) != expected
            given = values(found)
            told_ = " ".join(f"{x.name}={given[x.name]:#x}" for x in ins.inputs)
            assert grade_answer(found, told_).is_right
        assert format_prompt(found)
        assert all(list_hints(found))


def test_all_kinds_and_all_instructions_come() -> None:
    found = [x for seed in SEEDS[:12] for x in drawn(seed, 2, 9)]
    kinds = Counter(x.kind for x in found)
    assert min(kinds[kind] for kind in ExerciseKind) > len(found) // 20
    assert len({x.opcode for x in found}) > 20


def test_what_parts_under_a_guard_is_asked_with_it() -> None:
    parts = (x for seed in SEEDS for x in drawn(seed, 1, 20, "set") if x.kind is ExerciseKind.PART)
    found = next(parts)
    assert str(found.trace.instruction).startswith("@")
    assert "E14" in " ".join(list_hints(found))


@ci_only
def test_a_family_is_kept_to() -> None:
    for name, opcodes in map_families().items():
        assert {x.opcode for x in drawn("s", 2, 3, name)} <= set(opcodes)
    assert map_families()["vadd"] == ("vadd", "vadd2", "vadd4")
    with pytest.raises(KeyError):
        next(iter_exercises("s", 1, "vfoo"))


@pytest.mark.parametrize("level", LEVELS)
def test_forms_can_be_drawn_of_every_instruction(level: int) -> None:
    for opcode in CATALOG:
        draw = SeededRandom(f"{opcode} {level}")
        for _ in range(6):
            ins = make_instruction(draw_form(draw, opcode, level))
            given = draw_operands(draw, ins, level)
            assert set(given) >= {x.name for x in ins.inputs}
            roles = {name: role for role, name in ins.names.items()}
            assert all(bits >> ins.type_of(roles[x]).bits == 0 for x, bits in given.items())


# --- wrong answers -----------------------------------------------------------------------


@ci_only
def test_every_habits_answer_to_ten_exercises_is_named_as_that() -> None:
    told = Counter[str]()
    sentences = {habit.id: habit.sentence for habit in MISCONCEPTIONS}
    for family in ("vset", "set", "vavrg", "vadd4"):
        for found in (x for x in drawn("habits", 2, 16, family) if x.kind is ExerciseKind.RESULT):
            for mistake in iter_mistakes(found.question):
                if mistake.id in sentences:
                    likely = find_likely_mistakes(found.question, mistake.value)
                    said = [x.sentence for x in likely]
                    assert any(sentences[mistake.id] in x for x in said), question_lines(found)
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
def test_a_habit_is_named(line: str, given: dict[str, int], text: str, habit: str) -> None:
    from ptxscope.engine.syntax.parser import parse

    ins = parse(line)
    found = Exercise(1, ExerciseKind.RESULT, 1, Trace.of(ins, ISA_MODEL, bind_values(ins, given)))
    right = by_hand(line, given)["d"]
    assert grade_answer(found, hex(right)).is_right
    assert not grade_answer(found, text).is_right
    sentence = next(x.sentence for x in MISCONCEPTIONS if x.id == habit)
    likely = find_likely_mistakes(found.question, int(text, 0))
    assert any(sentence in mistake.sentence for mistake in likely)


def test_a_wrong_line_is_told_with_what_it_gives() -> None:
    found = next(x for x in drawn("7", 1) if x.kind is ExerciseKind.MODIFIER)
    for at, choice in enumerate(found.choices, 1):
        if choice != found.trace.instruction:
            verdict = grade_answer(found, f" {at}) ")
            given = by_hand(choice, values(found))
            assert not verdict.is_right
            if list(given) == ["d"]:
                assert f"{at}) gives {given['d']:#010x}" in verdict.sentences[0]


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (ExerciseKind.RESULT, "zz", "is not a value"),
        (ExerciseKind.MODIFIER, "9", "not one of the lines"),
        (ExerciseKind.MODIFIER, "vadd", "not one of the lines"),
        (ExerciseKind.MODIFIER, "²", "not one of the lines"),
        (ExerciseKind.PART, "a=1 b", "`b` gives no operand"),
        (ExerciseKind.PART, "a=1 a=2", "`a` is given twice"),
        (ExerciseKind.PART, "a=1 b=zz", "`zz` is not a value"),
        (ExerciseKind.PART, "a=1", "no value for b"),
        (ExerciseKind.PART, "x" * 5000, "too long"),
    ],
)
def test_what_is_no_answer_is_pointed_at(kind: ExerciseKind, text: str, message: str) -> None:
    found = next(
        x
        for seed in SEEDS
        for x in drawn(seed, 2)
        if x.kind is kind and len(x.trace.instruction.inputs) > 1
    )
    with pytest.raises(PtxError) as raised:
        grade_answer(found, text)
    assert message in raised.value.message
    start, end = raised.value.span
    assert 0 <= start < end


# --- the tally ---------------------------------------------------------------------------


def test_a_tally_counts_and_is_read_back() -> None:
    tally = Tally().with_exercise(("vadd4", ExerciseKind.RESULT), ExerciseOutcome.WRONG, 2)
    tally = tally.with_exercise(
        ("vadd4", ExerciseKind.RESULT), ExerciseOutcome.RIGHT
    ).with_exercise(("set", ExerciseKind.PART), ExerciseOutcome.SKIPPED)
    assert tally.total == Count(right=1, wrong=1, skipped=1, hints=2)
    assert tally_from_json(parse_json(tally.json)) == tally
    header, first, second = tally.csv.splitlines()
    assert header == "opcode,kind,right,wrong,skipped,hints"
    assert (first, second) == ("set,part,0,0,1,0", "vadd4,result,1,1,0,2")


def test_what_was_got_wrong_comes_more_often() -> None:
    tally = Tally()
    for _ in range(5):
        tally = tally.with_exercise(("vmad", ExerciseKind.RESULT), ExerciseOutcome.WRONG)
    # of 27 instructions of weight 4, one has 16 now: 1 of 7.5 that come
    bent = [x.opcode for seed in SEEDS[:6] for x in islice(iter_exercises(seed, 1, "", tally), 25)]
    assert 10 < bent.count("vmad") < 40
    assert len(set(bent)) > len(CATALOG) // 2  # the others still come


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "null",
        "[]",
        "{",
        "\0",
        "[" * 100_000,
        '{"schema": "ptxscope.tally/1"}',
        '{"schema": "ptxscope.tally/1", "rows": [{"opcode": "ld", "kind": "part"}]}',
        '{"schema": "ptxscope.tally/1", "rows": [{"opcode": "set", "kind": "?"}]}',
        '{"schema": "ptxscope.tally/1", "rows": [{"opcode": "set", "kind": "part", "right": -1}]}',
        '{"schema": "ptxscope.tally/1", "rows": [{"opcode": ["set"], "kind": "part"}]}',
    ],
    ids=range(11),
)
def test_a_damaged_tally_is_set_aside(tmp_path: Path, damaged: str) -> None:
    store = StateStore(tmp_path, tmp_path)
    store.tally.write_text(damaged)
    assert store.load_tally() == Tally()
    assert len(store.messages) == 1
    assert (tmp_path / "tally.damaged").read_text() == damaged
    tally = Tally().with_exercise(("set", ExerciseKind.PART), ExerciseOutcome.RIGHT)
    store.save_tally(tally)
    assert StateStore(tmp_path, tmp_path).load_tally() == tally
    assert json.loads(store.tally.read_text())["rows"][0]["opcode"] == "set"
