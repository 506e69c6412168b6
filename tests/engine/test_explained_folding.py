"""A constant c of ``slct`` that ptxas folds as a float, among what explains a result.

Expected: docs/semantics.md, 2.1, and IEEE 754's patterns.
"""

from __future__ import annotations

import pytest

from ptxscope.diagnosis.causes import CauseKind
from ptxscope.diagnosis.explanations import diagnose
from ptxscope.engine.syntax.instruction import Immediate
from ptxscope.engine.syntax.parser import parse

FOLDED = "as ptxas 11.8 to 13.3 at -O1 and above folds it"


@pytest.mark.parametrize(
    ("ptx", "values", "got", "why", "written"),
    [
        (
            "slct.s32.s32 d, a, b, 2142016040;",
            {"a": 1, "b": 12},
            12,
            "a NaN, which is not >= 0",
            "slct.s32.f32 d, a, b, 0f7FAC9228;",
        ),
        (
            "slct.s32.s32 d, 7, 12, 0x80000000;",
            {},
            7,
            "-0.0, which is >= 0",
            "slct.s32.f32 d, 7, 12, 0f80000000;",
        ),
    ],
)
def test_the_folding_is_the_first_finding(
    ptx: str, values: dict[str, int], got: int, why: str, written: str
) -> None:
    first, *others = diagnose(ptx, values, got)
    assert first.kind is CauseKind.PTXAS
    assert first.sentence.startswith(f"The instruction gives this {FOLDED}")
    assert why in first.sentence
    assert first.ptx == written
    assert first.trace.result == {"d": got}
    assert parse(written) == first.instruction  # it can be traced as it is told
    assert not any(FOLDED in other.sentence for other in others)


@pytest.mark.parametrize(
    "ptx",
    [
        "slct.u32.s32 d, a, b, 2142016040;",  # dtype .s32 alone
        "slct.s32.s32 d, a, b, 5;",  # a float that is >= 0 as the integer is
        "slct.s32.s32 d, a, b, -1;",  # a NaN: false as the integer's comparison is
        "slct.u32.s32 d, a, b, c;",
    ],
)
def test_folding_explains_no_other_form(ptx: str) -> None:
    values = {"a": 1, "b": 12} | ({"c": 2142016040} if ", c;" in ptx else {})
    for got in (1, 12, 99):
        found = diagnose(ptx, values, got)
        assert not any(FOLDED in finding.sentence for finding in found)


@pytest.mark.parametrize(("c", "got"), [(0x7FC00000, 12), (0x80000000, 1)])
def test_folding_explains_a_register_c_that_may_be_a_constant(c: int, got: int) -> None:
    first, *_ = diagnose("slct.s32.s32 d, a, b, c;", {"a": 1, "b": 12, "c": c}, got)
    assert first.kind is CauseKind.PTXAS
    assert f"{FOLDED}, where c is a constant" in first.sentence
    for other in (5, 0xFFFFFFFF):  # the float 0x5 is >= 0, the NaN is not: as the integers
        findings = diagnose("slct.s32.s32 d, a, b, c;", {"a": 1, "b": 12, "c": other}, got)
        assert not any(FOLDED in x.sentence for x in findings)


def test_findings_keep_the_literals_of_the_line() -> None:
    for ptx, got in (("slct.s32.s32 d, 7, 12, 0x80000000", 7), ("set.lt.u32.s32 d, 5, -1", 1)):
        ins = parse(ptx)
        for finding in diagnose(ptx, {}, got):
            told = finding.instruction.roles
            if not any(cause.literals for cause in finding.causes):
                assert {x.bits for x in told.values() if isinstance(x, Immediate)} == {
                    x.bits for x in ins.roles.values() if isinstance(x, Immediate)
                }
            written = {role: x.bits for role, x in told.items() if isinstance(x, Immediate)}
            assert finding.operands[0] == written, finding.sentence
            assert "=" not in finding.sentence.replace(">=", ""), finding.sentence
