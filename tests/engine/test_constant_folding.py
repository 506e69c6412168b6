"""Wrong results of constants: what ptxas makes of them, and where a listing shows that they are.

Expected: docs/semantics.md, 2.1 and SASS.md, 10, where the values are read off ptxas' machine code.
Which operands lose the absolute value was asked of ptxas 13.0.88 for sm_120: UI2I.SAT, no IABS.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ptxscope.diagnosis.causes import CauseKind
from ptxscope.diagnosis.explanations import diagnose
from ptxscope.engine.syntax.asm_bindings import parse_pasted
from ptxscope.engine.tracing.evaluation import evaluate
from ptxscope.engine.tracing.folding_bugs import FOLDING_BUGS
from ptxscope.engine.tracing.trace import trace
from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_listing, check_text
from tests.cli.running import run

HEAD = ".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k() {\n"
MOVED = "mov.u32 %r1, 0x8001;\nmov.b32 %r2, 2139095042;\nmov.s32 %r3, 305419896;\n"
QUAD = "vabsdiff4.u32.u32.u32.sat %r4, %r1, %r2, %r3;\n"
LOST = "loses the absolute value for sm_120 and sm_121"


def check(body: str, head: str = HEAD) -> list[CheckedInstruction]:
    return list(check_text(f"{head}.reg .b32 %r<9>;\n.reg .pred %p<3>;\n{body}}}\n", "k.ptx"))


def warnings(items: list[CheckedInstruction]) -> list[str]:
    return [x.message for item in items for x in item.diagnostics if x.rule == "F2"]


@pytest.mark.parametrize(
    ("line", "folded", "documented"),
    [
        ("vabsdiff4.u32.u32.u32.sat %r4, %r1, %r2, %r3;", "0x00008000", "0x7f808001"),
        ("vabsdiff2.u32.u32.u32.sat %r4, %r1, %r2, %r3;", "0x00007fff", "0x7f807fff"),
        ("vabsdiff4.u32.u32.u32.sat %r4.b0, %r1, %r2, %r3;", "0x12345600", "0x12345601"),
    ],
)
def test_moved_constants_lose_the_absolute_value(line: str, folded: str, documented: str) -> None:
    (message,) = warnings(check(MOVED + line))
    assert message.startswith("F2: with these constants ptxas 12.8 to 13.5 at -O1 and above loses")
    assert f"%r4 becomes {folded}, not {documented} as documented" in message
    assert not warnings(check(MOVED + line, HEAD.replace("sm_120", "sm_90")))
    assert warnings(check(MOVED + line, HEAD.replace("sm_120", "sm_121a")))
    assert warnings(check(MOVED + line, ""))  # it may be compiled for any


@pytest.mark.parametrize(
    "body",
    [
        MOVED.replace("305419896", "0") + QUAD,  # a c of 0
        MOVED.replace("305419896", "0x8001") + QUAD,  # c is a
        MOVED.replace("305419896", "0x7f800002") + QUAD,
        MOVED.replace("2139095042", "1") + QUAD,  # |a - b| is a - b
        MOVED + QUAD.replace(".sat", ""),
        MOVED + QUAD.replace("u32.u32.sat", "s32.s32.sat"),
        MOVED + QUAD.replace("4.u32.u32", "4.s32.u32"),
        MOVED + "ld.global.u32 %r2, [%rd1];" + QUAD,
        MOVED + "mov.b64 {%r1, %r2}, %rd1;" + QUAD,
        MOVED + "add.u32 %r3, %r3, %r5;" + QUAD,
        MOVED + "@%p1 mov.u32 %r3, 7;" + QUAD,
        MOVED + "vadd4.u32.u32.u32 %r1, %r5, %r5, %r5;" + QUAD,
        MOVED + "call (%r3), f, (%r5);" + QUAD,
        MOVED + "L:\n" + QUAD,  # another way may lead here
        "{\n" + MOVED + "}\n" + QUAD,
        "{\n" + MOVED + ".reg .b32 %r1;\n" + QUAD + "}\n",
        "{\n" + MOVED + ".reg .b32 %r<5>;\n" + QUAD + "}\n",
        MOVED.replace("mov.s32 %r3", "// mov.s32 %r3") + QUAD,
        MOVED + "// " + "x" * 10000 + "\n" + QUAD,  # too far to be looked for
        QUAD,
    ],
)
def test_check_does_not_warn_if_no_wrong_folding_is_known(body: str) -> None:
    assert not warnings(check(body))


@pytest.mark.parametrize(
    "body",
    [
        MOVED + ".loc 1 2 3\n// c\n@%p1 bra L;\n" + QUAD,
        MOVED + "{ .reg .b32 t;\n" + QUAD + "}\n",
        "L:\n" + MOVED + "st.global.u32 [%rd1], %r5; add.u32 %r5, %r1, %r2;" + QUAD,
        MOVED + "vabsdiff2.u32.u32.u32 %r5, %r5, %r5, %r5;" + QUAD,
    ],
)
def test_statements_in_between_do_not_remove_the_folding_warning(body: str) -> None:
    assert len(warnings(check(body))) == 1


def test_a_guarded_use_is_reported_as_a_possible_loss() -> None:
    """With a guard that is the same in all threads there is an IABS; with another there is none."""
    (message,) = warnings(check(MOVED + "@%p1 " + QUAD))
    assert "can lose the absolute value" in message


@pytest.mark.parametrize("size", [1, 7, 100])
def test_chunks_may_end_anywhere(size: int) -> None:
    text = HEAD + ".reg .b32 %r<9>;\n" + 3 * (MOVED + QUAD + "L:\n" + QUAD) + "}\n"

    def chunks() -> Iterator[str]:
        yield from (text[at : at + size] for at in range(0, len(text), size))

    assert list(check_listing(chunks(), "k.ptx")) == list(check_listing([text], "k.ptx"))
    assert len(warnings(list(check_listing(chunks(), "k.ptx")))) == 3


def test_literals_of_an_asm_statement_are_constants() -> None:
    asm = 'asm("vabsdiff4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(d) : "r"(0x8001), {});'
    lost = asm.format('"r"(0x7f800002), "r"(1)')
    (item,) = check_text(lost, "k.cu")
    assert LOST in warnings([item])[0]
    assert any(LOST in note for note in trace(parse_pasted(lost), {}).notes)
    (item,) = check_text(asm.format('"r"(0x7f800002), "r"(c)'), "k.cu")
    assert not warnings([item])


def test_a_moved_c_of_slct_is_folded_as_a_literal_is() -> None:
    """Asked of ptxas 13.0.88, for sm_75 and sm_120."""
    (item,) = check("mov.u32 %r3, 2142016040;\nslct.s32.s32 %r4, %r1, %r2, %r3;\n")
    assert "takes %r2, not %r1 as documented" in item.notes[0]
    (item,) = check("mov.u32 %r3, 5;\nslct.s32.s32 %r4, %r1, %r2, %r3;\n")
    assert not item.notes
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
    assert "for sm_120 and sm_121, where a, b and c are constants" in first.sentence
    assert first.trace.result == {"d": 0x00008000}
    assert not any("sm_120" in other.sentence for other in others)
    zero = diagnose(PTX, {**VALUES, "c": 0}, FOLDED)
    assert not any("sm_120" in finding.sentence for finding in zero)
    signed = diagnose(PTX.replace("u32.u32.sat", "s32.s32.sat"), VALUES, FOLDED)
    assert not any("sm_120" in finding.sentence for finding in signed)


def test_the_errata_list_includes_the_folding_bugs() -> None:
    assert evaluate(PTX, VALUES) == {"d": DOCUMENTED}
    said = run("errata").stdout
    assert all(f"{bug.id}  {bug.forms}" in said for bug in FOLDING_BUGS)
    assert '"isa": "0x7f808001"' in run("errata", "f2", "-f", "json").stdout
    ptx, values, documented, folded = FOLDING_BUGS[0].example
    assert evaluate(ptx, values) == {"d": documented}
    assert folded == 12  # docs/semantics.md, 2.1: 1 at -O0, 12 at -O1
