"""Wrong results of constants: what ptxas makes of them.

Expected: docs/semantics.md, 2.1 and SASS.md, 10, where the values are read off ptxas' machine code.
Which operands lose the absolute value was asked of ptxas 13.0.88 for sm_120: UI2I.SAT, no IABS.
"""

from __future__ import annotations

from ptxscope.diagnosis.causes import CauseKind
from ptxscope.diagnosis.explanations import diagnose
from ptxscope.engine.syntax.asm_bindings import parse_pasted
from ptxscope.engine.tracing.evaluation import evaluate
from ptxscope.engine.tracing.folding_bugs import FOLDING_BUGS
from ptxscope.engine.tracing.trace import trace


def test_literals_of_an_asm_statement_are_constants() -> None:
    asm = 'asm("vabsdiff4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(d) : "r"(0x8001), {});'
    lost = asm.format('"r"(0x7f800002), "r"(1)')
    assert any(
        "loses the absolute value for sm_120 and sm_121" in note
        for note in trace(parse_pasted(lost), {}).notes
    )


def test_c_of_slct_is_folded_if_it_is_a_literal() -> None:
    """Asked of ptxas 13.0.88, for sm_75 and sm_120."""
    asm = 'asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), {}(2142016040));'
    for constraint in ('"r"', '"n"'):
        ins = parse_pasted(asm.format(constraint))
        (note,) = trace(ins, {"%1": 1, "%2": 12}).notes
        assert "takes %2, not %1 as documented" in note
        first, *_ = diagnose(ins, {"%1": 1, "%2": 12}, 12)
        assert (first.kind, first.ptx) == (CauseKind.PTXAS, "slct.s32.f32 %0, %1, %2, 0f7FAC9228;")


PTX, VALUES, DOCUMENTED, FOLDED = FOLDING_BUGS[1].example


def test_a_lost_absolute_value_explains_a_result() -> None:
    first, *others = diagnose(PTX, VALUES, FOLDED)
    assert first.kind is CauseKind.PTXAS
    assert "for sm_120 and sm_121, if a, b and c are constants" in first.sentence
    assert first.trace.result == {"d": 0x00008000}
    assert not any("sm_120" in other.sentence for other in others)
    zero = diagnose(PTX, {**VALUES, "c": 0}, FOLDED)
    assert not any("sm_120" in finding.sentence for finding in zero)
    signed = diagnose(PTX.replace("u32.u32.sat", "s32.s32.sat"), VALUES, FOLDED)
    assert not any("sm_120" in finding.sentence for finding in signed)


def test_a_folding_bug_has_the_documented_and_the_measured_result() -> None:
    assert evaluate(PTX, VALUES) == {"d": DOCUMENTED}
    ptx, values, documented, folded = FOLDING_BUGS[0].example
    assert evaluate(ptx, values) == {"d": documented}
    assert folded == 12  # docs/semantics.md, 2.1: 1 at -O0, 12 at -O1
