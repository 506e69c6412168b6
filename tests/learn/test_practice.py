"""Lines to predict: drawn from a family, easy ones first, and their wrong answers named."""

from __future__ import annotations

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.entry import CORE_GROUPS
from ptxscope.engine.syntax.instruction import make_instruction
from ptxscope.engine.tracing.trace import Trace
from ptxscope.learn.grader import grade_answer, list_hints
from ptxscope.learn.practice import (
    LEVELS,
    Practice,
    SeededRandom,
    map_families,
    pick_form,
    pick_operands,
)
from ptxscope.learn.question import Question
from tests.reference import reference
from tests.tiers import ci_only, some

SEEDS = [str(seed) for seed in range(6)]


def drawn(family: str, level: int, count: int, seed: str = "s") -> list[Trace]:
    draw = SeededRandom(f"{seed} {level} {family}")
    return [Practice(family, level).pick_trace(draw) for _ in range(count)]


def question_of(trace: Trace) -> Question:
    """The question about the first result."""
    return Question(trace, next(iter(trace.instruction.results)))


def by_hand(line: object, given: dict[str, int], model: str = "isa") -> dict[str, int]:
    """The result by the reference of the tests."""
    return reference(str(line), given, model)


# published with FNV: texts whose 64-bit FNV-1a is 0
@pytest.mark.parametrize("seed", ["!0IC=VloaY", "QvXtM>@Fp%", "77kepQFQ8Kl"])
def test_the_generator_is_splitmix64_from_the_fnv_1a_of_a_text(seed: str) -> None:
    draw = SeededRandom(seed)
    # the first numbers from state 0, as published with the generator
    assert [draw.pick_bits() for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@pytest.mark.parametrize("family", ["vadd", "simd", "set", "permute"])
def test_three_right_answers_in_a_row_make_the_lines_harder(family: str) -> None:
    practice = Practice(family)
    levels = []
    for is_right in (True, True, False, True, True, True, True, True, True, True):
        practice = practice.with_answer(is_right=is_right)
        levels.append(practice.level)
    assert levels == [1, 1, 1, 1, 1, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("family", ["vadd", "compare", "scalar", "simd", "permute", "vmad"])
def test_easy_lines_have_no_selector_and_no_mask(family: str) -> None:
    for trace in drawn(family, 1, 40):
        form = trace.instruction.form
        assert not any((form.asel, form.bsel, form.dsel, form.mask)), form
    selected = [x.instruction.form for x in drawn("vadd", 3, 40)]
    assert any(x.asel or x.dsel for x in selected)
    assert any(x.mask for x in selected)


def test_easy_lines_prefer_video_instructions() -> None:
    mixed = next(x for x, y in map_families().items() if len({CATALOG[z].group for z in y}) > 1)
    for trace in drawn(mixed, 1, 20):
        assert CATALOG[trace.instruction.opcode].group in CORE_GROUPS
    assert {x.instruction.opcode for x in drawn("fields", 1, 40)} == set(map_families()["fields"])


@ci_only
def test_exercises_stay_within_their_family() -> None:
    for name, opcodes in map_families().items():
        assert {x.instruction.opcode for x in drawn(name, 2, 3)} <= set(opcodes)
    assert map_families()["vadd"] == ("vadd", "vadd2", "vadd4")


@pytest.mark.parametrize("seed", some(SEEDS))
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", ["compare", "scalar", "simd"])
def test_the_right_answer_equals_the_reference(seed: str, level: int, family: str) -> None:
    for trace in drawn(family, level, 4, seed):
        ins, question = trace.instruction, question_of(trace)
        held = trace.operands
        given = {name: held[role] for role, name in ins.names.items() if role in held}
        bits = by_hand(ins, given)[ins.results[question.key]]
        assert grade_answer(question, hex(bits)).is_right, ins
        assert not grade_answer(question, hex(bits ^ 1)).is_right, ins
        assert all(list_hints(question))


@pytest.mark.parametrize("level", LEVELS)
def test_forms_can_be_drawn_of_every_instruction(level: int) -> None:
    for opcode in CATALOG:
        draw = SeededRandom(f"{opcode} {level}")
        for _ in range(6):
            ins = make_instruction(pick_form(draw, opcode, level))
            given = pick_operands(draw, ins, level)
            assert set(given) >= {x.name for x in ins.inputs}
            roles = {name: role for role, name in ins.names.items()}
            assert all(bits >> ins.type_of(roles[x]).bits == 0 for x, bits in given.items())
