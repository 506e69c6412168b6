"""Causes that programmers know, each planted by arithmetic done here: it is told first."""

from __future__ import annotations

import pytest

from ptxscope import diagnose, evaluate, parse
from ptxscope.diagnosis.selector_problem import SelectorSimplicity, iter_simple_selectors
from ptxscope.engine.isa.types import parse_selector
from tests.tiers import sampled

WORD = 0xFFFFFFFF


def signed(byte: int) -> int:
    return byte - 256 if byte & 0x80 else byte


def packed(lanes: list[int]) -> int:
    return int.from_bytes(bytes(lane & 0xFF for lane in lanes), "big")


def lanes_of(word: int) -> list[int]:
    return [*word.to_bytes(4, "big")]


def symmetric(a: int, b: int) -> int:
    sums = [signed(x) + signed(y) for x, y in zip(lanes_of(a), lanes_of(b), strict=True)]
    return packed([max(-127, min(127, x)) for x in sums])


def distances(a: int, b: int) -> int:
    return sum(abs(x - y) for x, y in zip(lanes_of(a), lanes_of(b), strict=True))


def halves_swapped(word: int) -> int:
    return word >> 16 | (word & 0xFFFF) << 16


# the line | the operands | what was seen | what is said first
PLANTED: list[tuple[str, dict[str, int], int, str]] = [
    # c is 0: c >= 0 takes a, c > 0 takes b
    ("slct.s32.s32 d, a, b, c", {"a": 17, "b": 34, "c": 0}, 34, "it took a only if c > 0"),
    ("slct.b32.f32 d, a, b, c", {"a": 17, "b": 34, "c": 0}, 34, "it took a only if c > 0"),
    (
        "vmad.s32.s32.s32.shr7 d, a.h0, b.h0, c",
        {"a": 300, "b": -7 & WORD, "c": 1000},
        (300 * -7 // 128) + 1000,
        "the product were shifted before c was added",
    ),
    (
        "vmad.u32.u32.u32.shr15 d, a.h0, b.h0, c",
        {"a": 60000, "b": 50000, "c": 12345},
        (60000 * 50000 >> 15) + 12345,
        "the product were shifted before c was added",
    ),
    (
        "vadd2.u32.u32.u32 d, a, b, c",
        {"a": 0x00010203, "b": 0x01000405, "c": 0},
        halves_swapped(0x01010608),
        "with the half-words of d swapped",
    ),
    (
        "vadd2.s32.s32.s32.sat d, a, b, c",
        {"a": 0x7FFF0203, "b": 0x01000405, "c": 0},
        halves_swapped(0x7FFF0608),
        "with the half-words of d swapped",
    ),
    (
        "vadd4.s32.s32.s32.sat d, a, b, c",
        {"a": 0x80FF9001, "b": 0x80029080, "c": 0},
        symmetric(0x80FF9001, 0x80029080),
        "the clamp's range were symmetric",
    ),
    (
        "vadd.s32.s32.s32.sat d.b0, a, b, c",
        {"a": -100 & WORD, "b": -90 & WORD, "c": 0x11223344},
        0x11223300 | -127 & 0xFF,
        "the clamp's range were symmetric",
    ),
    (
        "vmad.s32.s32.s32.sat d, a, b, c",
        {"a": 0x80000000, "b": 2, "c": 0},
        -(2**31 - 1) & WORD,
        "the clamp's range were symmetric",
    ),
    (
        "vabsdiff4.u32.u32.u32.add d, a, b, c",
        {"a": 0xFF00FF10, "b": 0x00FF0020, "c": 9},
        (distances(0xFF00FF10, 0x00FF0020) + 9) % 256,
        "with d stored in a byte",
    ),
    (
        "vabsdiff4.u32.u32.u32.add d, a, b, c",
        {"a": 0xFF00FF10, "b": 0x00FF0020, "c": 119},
        signed((distances(0xFF00FF10, 0x00FF0020) + 119) % 256) & WORD,
        "with d stored in a signed byte",
    ),
    (
        "vadd.u32.u32.u32 d, a, b",
        {"a": 0x12345678, "b": 0x11111111},
        (0x12345678 + 0x11111111) % 2**16,
        "with d stored in a half-word",
    ),
    (
        "vmad.s32.s32.s32 d, a.h0, b.h0, c",
        {"a": 300, "b": 200, "c": 5},
        300 * 200 + 5 - 2**16 & WORD,
        "with d stored in a signed half-word",
    ),
    # two of four comparisons hold
    (
        "vset4.s32.s32.lt.add d, a, b, c",
        {"a": 0x01020304, "b": 0x02020205, "c": 10},
        10 - 2,
        "true counted as -1",
    ),
    (
        "vset2.u32.u32.ge.add d, a, b, c",
        {"a": 0x00050005, "b": 0x00030009, "c": 0},
        -1 & WORD,
        "true counted as -1",
    ),
    # byte 0 from the other end is byte 3, byte 1 byte 2
    (
        "vadd.u32.u32.u32 d, a.b0, b",
        {"a": 0x12345678, "b": 1},
        0x12 + 1,
        "with `a.b3` rather than `a.b0`",
    ),
    (
        "vadd.u32.u32.u32 d, a.b1, b",
        {"a": 0x12345678, "b": 1},
        0x34 + 1,
        "with `a.b2` rather than `a.b1`",
    ),
]


@sampled
@pytest.mark.parametrize(("line", "values", "got", "said"), PLANTED)
def test_the_planted_cause_is_the_first_finding(
    line: str, values: dict[str, int], got: int, said: str
) -> None:
    findings = diagnose(line, values, got)
    assert said in findings[0].sentence, [x.sentence for x in findings[:4]]
    assert len(findings[0].causes) == 1
    assert evaluate(line, values)["d"] != got


@pytest.mark.parametrize(("got", "count"), [(0x1C, 2), (0x21C, 2), (0x11C, 0)])
def test_storage_in_a_smaller_type_explains_only_values_that_fit(got: int, count: int) -> None:
    values = {"a": 0xF0102030, "b": 0x40501122, "c": 9}  # 0x21c in all
    said = [x.sentence for x in diagnose("vadd4.u32.u32.u32.add d, a, b, c", values, got)]
    kind = "half-word" if got == 0x21C else "byte"
    stored = [x for x in said if "with d stored in" in x]
    assert len(stored) == count
    assert all(f"stored in a {kind}" in x or f"a signed {kind}" in x for x in stored)


def mirrored(word: str) -> str:
    """Every digit counted from the other end of its register: 0 is 3, 4 is 7."""
    return "".join(str(3 - int(x) if x < "4" else 11 - int(x)) for x in word)


@sampled
@pytest.mark.parametrize("opcode", ["vsub4", "vavrg4", "vadd4"])
@pytest.mark.parametrize("written", [("0012", "5467"), ("1023", "7456"), ("0316", "4576")])
def test_digits_that_are_counted_from_the_wrong_end(opcode: str, written: tuple[str, str]) -> None:
    values = {"a": 0x91A2B3C4, "b": 0x25364758, "c": 0}
    a, b = written
    line = f"{opcode}.u32.u32.u32 d, a.b{a}, b.b{b}, c"
    for read in ((mirrored(a), b), (a, mirrored(b))):
        ran = f"{opcode}.u32.u32.u32 d, a.b{read[0]}, b.b{read[1]}, c"
        findings = diagnose(line, values, evaluate(ran, values)["d"])
        lines = [x.ptx for x in findings[:3]]
        assert str(parse(ran)) in lines, [x.sentence for x in findings[:4]]
    ran = f"{opcode}.u32.u32.u32 d, a.b{mirrored(a)}, b.b{mirrored(b)}, c"
    findings = diagnose(line, values, evaluate(ran, values)["d"])
    said = [x.sentence for x in findings[:3]]
    # bytes that are counted from the other end are bytes of reversed registers
    assert any("with the bytes of every register reversed" in x for x in said), said


def test_the_mirrored_selector_is_a_simple_selector() -> None:
    found = iter_simple_selectors(parse_selector("b0012").lanes, "a")
    assert found[parse_selector("b3321").lanes] is SelectorSimplicity.MIRRORED


def test_a_reversed_selector_precedes_an_ambiguous_one() -> None:
    # by vmax4 the bytes of a decide, but for a few of b's
    line = "vmax4.u32.u32.u32 d, a.b0316, b.b4576, c"
    values = {"a": 0x91A2B3C4, "b": 0x25364758, "c": 0}
    ran = "vmax4.u32.u32.u32 d, a.b0316, b.b7645, c"
    found = diagnose(line, values, evaluate(ran, values)["d"])
    many = [
        i for i, x in enumerate(found) if x.matches and x.matches.match_count >= 100 and x.cost > 3
    ]
    at = next(i for i, x in enumerate(found) if x.ptx == str(parse(ran)))
    assert at <= 2  # behind the same bytes of b reversed, and a single digit of a
    assert not many or at < min(many)
