"""Results of an instruction that was understood wrongly: the first explanation says how."""

from __future__ import annotations

import pytest

from ptxscope import diagnose


def explain(line: str, given: str, observed: int) -> list[str]:
    """Return the causes of every explanation, in order, as text."""
    values = {x: int(y, 0) for x, y in (word.split("=") for word in given.split())}
    findings = diagnose(line, values, observed)
    return [" and ".join(cause.phrase for cause in x.causes) for x in findings]


@pytest.mark.parametrize(
    ("line", "given", "observed", "cause"),
    [
        ("addc.u32 d, a, b", "a=1 b=2 CC.CF=1", 3, "without the carry: with CC.CF = 0"),
        ("addc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=1", 0x120, "without the carry: with CC.CF = 0"),
        ("addc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=0", 0x121, "with CC.CF inverted"),
        ("subc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=1", 0xE0, "without the borrow: with CC.CF = 0"),
        ("subc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=0", 0xDF, "with CC.CF inverted"),
        (
            "madc.lo.u32 d, a, b, c",
            "a=9 b=7 c=1 CC.CF=1",
            64,
            "without the carry: with CC.CF = 0",
        ),
    ],
)
def test_another_carry_is_told_first(line: str, given: str, observed: int, cause: str) -> None:
    assert explain(line, given, observed)[0] == cause


@pytest.mark.parametrize(
    ("line", "given", "observed", "cause"),
    [
        ("bfi.b32 d, a, b, c, e", "a=0xff b=0xffffffff c=8 e=8", 0x0000FF00, "with b = 0"),
        ("bfi.b32 d, a, b, 8, 8", "a=0xff b=0x12345678", 0x0000FF00, "with b = 0"),
        ("shf.l.wrap.b32 d, a, b, 20", "a=0x12345678 b=0x9abcdef1", 0x00012345, "with b = 0"),
    ],
)
def test_an_operand_that_was_never_written_is_told_first(
    line: str, given: str, observed: int, cause: str
) -> None:
    assert explain(line, given, observed)[0] == cause


@pytest.mark.parametrize(
    ("line", "given", "observed", "cause"),
    [
        (
            "dp4a.s32.s32 d, a, b, c",
            "a=0x80808080 b=0x80808080 c=0x7fffffff",
            0x7FFFFFFF,
            "if step 5, `write`, clamped to -2147483648..2147483647",
        ),
        ("clz.b32 d, a", "a=0xf0", 7, "if step 1, `count`, took the position of the highest 1"),
        ("clz.b32 d, a", "a=0x110", 4, "if step 1, `count`, counted the zeros below the lowest 1"),
        (
            "brev.b32 d, a",
            "a=0x12345678",
            0x78563412,
            "if step 1, `reverse`, reversed the bytes, but not the bits within them",
        ),
        ("fns.b32 d, a, b, c", "a=0xf0 b=0 c=2", 6, "if step 2, `find`, counted from 0"),
        ("fns.b32 d, a, b, c", "a=0xf0 b=31 c=-2", 5, "if step 2, `find`, counted from 0"),
    ],
)
def test_a_step_done_wrongly_is_told_first(
    line: str, given: str, observed: int, cause: str
) -> None:
    assert explain(line, given, observed)[0] == cause


def test_a_change_of_the_line_stands_for_a_step_done_wrongly() -> None:
    causes = explain("bfind.u32 d, a", "a=0xf0", 24)
    assert causes[0] == "with `.shiftamt`"
    assert not any(cause.startswith("if step") for cause in causes)


def test_many_observations_of_a_step_done_wrongly_are_explained() -> None:
    numbers = [(1 << index) + index for index in range(32)] * 3
    given = [{"a": number} for number in numbers]
    findings = diagnose("clz.b32 d, a", given, [x.bit_length() - 1 for x in numbers])
    assert "took the position of the highest 1" in findings[0].sentence
    assert [findings[0].get_result(x)["d"] for x in range(3)] == [0, 1, 2]
