"""What goes wrong with prmt, lop3, bit fields and dot products is named as what was done."""

from __future__ import annotations

import pytest

from ptxscope import trace
from ptxscope.learn.grader import grade_answer, list_hints
from ptxscope.learn.mistakes import iter_mistakes
from ptxscope.learn.practice import Practice, SeededRandom, map_families
from ptxscope.learn.question import Question
from tests.tiers import some

CASES = [
    # digits 3 to 0 are 8, 8, 8, 0: byte 0 of a is 0x80, and eight copies of its top bit are 0xff
    (
        "prmt.b32 d, a, b, c",
        {"a": 0x33221180, "b": 0, "c": 0x8880},
        "0x80808080",
        "took the byte itself",
    ),
    # digit 3, the last one, is byte 0's: the bytes of a backwards, 0x00112233
    (
        "prmt.b32 d, a, b, c",
        {"a": 0x33221100, "b": 0, "c": 0x0123},
        "0x33221100",
        "read the digits from the left",
    ),
    (
        "prmt.b32 d, a, b, c",
        {"a": 0x33221100, "b": 0x77665544, "c": 0x3200},
        "0x77664444",
        "counted the bytes of b before those of a",
    ),
    # a ? b : c is 0x12bc56f0; a ? c : b takes the other bytes
    (
        "lop3.b32 d, a, b, c, 0xca",
        {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0},
        "0x9a34de78",
        "exchanged b and c",
    ),
    (
        "lop3.b32 d, a, b, c, 0xca",
        {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0},
        hex(0x12BC56F0 ^ 0xFFFFFFFF),
        "inverted the table",
    ),
    # 0x80 is the and; backwards it is 0x01, where no bit is 1
    (
        "lop3.b32 d, a, b, c, 0x80",
        {"a": 0xFF, "b": 0xF0, "c": 0x3C},
        "0xffffff00",
        "counted the table's bits from the left",
    ),
    # bits 15:4 are 0x567; bits 15:12 are 5; bits 12:4 are 0x567 % 0x200
    (
        "bfe.u32 d, a, b, c",
        {"a": 0x12345678, "b": 4, "c": 12},
        "5",
        "took the position for the length",
    ),
    (
        "bfe.u32 d, a, b, c",
        {"a": 0x12345678, "b": 4, "c": 12},
        "0x167",
        "took the length for the number of the last bit",
    ),
    (
        "bfe.s32 d, a, b, c",
        {"a": 0xF00, "b": 8, "c": 4},
        "15",
        "extended it with the other sign",
    ),
    # a's low bits, 0x234, go to bits 15:4; a's own bits 15:4 are 0x123
    (
        "bfi.b32 d, a, b, c, e",
        {"a": 0xABCD1234, "b": 0x11111111, "c": 4, "e": 12},
        "0x11111231",
        "took the same bits of a",
    ),
    # bits 12:4 become 0x234 % 0x200
    (
        "bfi.b32 d, a, b, c, e",
        {"a": 0xABCD1234, "b": 0x11111111, "c": 4, "e": 12},
        hex(0x11111111 & ~0x1FF0 | 0x34 << 4),
        "took the length for the number of the last bit",
    ),
    # ones from bit 4 to bit 15; from 4 to 12 they are nine
    ("bmsk.clamp.b32 d, a, b", {"a": 4, "b": 12}, "0x1ff0", "took the length for the number of"),
    (
        "shf.l.wrap.b32 d, a, b, c",
        {"a": 0x89ABCDEF, "b": 0x01234567, "c": 8},
        "0x6789abcd",
        "shifted the other way",
    ),
    (
        "shf.l.wrap.b32 d, a, b, c",
        {"a": 0x89ABCDEF, "b": 0x01234567, "c": 8},
        "0x23456700",
        "shifted b alone",
    ),
    (
        "shf.r.clamp.b32 d, a, b, c",
        {"a": 0x89ABCDEF, "b": 0x01234567, "c": 8},
        "0x0089abcd",
        "shifted a alone",
    ),
    ("brev.b32 d, a", {"a": 0x80000305}, "0x05030080", "reversed the bytes"),
    ("brev.b32 d, a", {"a": 0x80000305}, "0x50300008", "reversed the hexadecimal digits"),
    # the lowest 1 of 0x12340 is bit 6
    ("clz.b32 d, a", {"a": 0x12340}, "6", "counted the zeros below the lowest 1"),
    ("clz.b32 d, a", {"a": 0x12340}, "16", "took the position of the highest 1"),
    ("popc.b32 d, a", {"a": 0x12340}, "27", "counted the zeros"),
    # ones at 1, 3, 5, 7, …: the second from bit 3 up is bit 5, and down bit 1
    (
        "fns.b32 d, a, b, c",
        {"a": 0xAAAAAAAA, "b": 3, "c": 2},
        "7",
        "did not count the 1 at bit b itself",
    ),
    ("fns.b32 d, a, b, c", {"a": 0xAAAAAAAA, "b": 9, "c": -2}, "5", "did not count the 1 at bit b"),
    ("fns.b32 d, a, b, c", {"a": 0xAAAAAAAA, "b": 3, "c": 2}, "1", "counted in the other directio"),
    # -1 * 255, taken as 255 * 255
    (
        "dp4a.s32.u32 d, a, b, c",
        {"a": 0xFF, "b": 0xFF, "c": 1},
        str(255 * 255 + 1),
        "kept 0xff as 255",
    ),
    ("dp4a.u32.u32 d, a, b, c", {"a": 3, "b": 4, "c": 5}, "12", "left c out"),
    ("sad.s32 d, a, b, c", {"a": 5, "b": 9, "c": 10}, "6", "kept the sign of the difference"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda x: f"{x[0]} {x[2]}")
def test_a_mistake_is_told_first(case: tuple[str, dict[str, int], str, str]) -> None:
    line, values, answered, told = case
    answer = grade_answer(Question(trace(line, values), "d"), answered)
    assert not answer.is_right
    assert told in " ".join(answer.explanations[0][:2])


@pytest.mark.parametrize("opcode", ["bfe", "bfi", "sad", "fns", "lop3"])
def test_an_opcode_of_another_shape_is_no_mistake(opcode: str) -> None:
    """Whoever predicts a field does not compute a sum of distances."""
    trace = Practice(opcode, 2).pick_trace(SeededRandom("shape"))
    told = [x.sentence for x in iter_mistakes(Question(trace, "d"))]
    assert told
    assert not any(f"rather than `{opcode}`" in said or "lut" in said for said in told)


def test_an_amount_that_no_window_has_is_passed_over() -> None:
    """Left as it is, 40 would put the window of .l below bit 0."""
    shown = trace("shf.l.wrap.b32 d, a, b, c", {"a": 1, "b": 2, "c": 40})
    assert [*iter_mistakes(Question(shown, "d"))]


@pytest.mark.parametrize("mode", ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"])
def test_a_number_above_3_is_never_taken_for_0(mode: str) -> None:
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


def test_fields_are_asked_about_with_fields_that_matter() -> None:
    """Random words as positions and lengths would leave nothing of a."""
    draw = SeededRandom("f")
    found = [Practice("bfe").pick_trace(draw) for _ in range(40)]
    results = [next(iter(x.result.values())) for x in found]
    assert sum(0 < x < 0xFFFFFFFF for x in results) > len(results) // 2
    assert all(x.operands["b"] <= 40 for x in found)
