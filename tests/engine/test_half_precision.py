"""`set` and `setp` of PTX ISA 9.7.7: legal, of the same names as two of the 27, not explained."""

from __future__ import annotations

import pytest

from ptxscope.engine.kernels.execution import StopReason, execute
from ptxscope.engine.kernels.program_loader import load
from ptxscope.engine.listings.lint import check_text
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.parser import parse, scan
from ptxscope.state.open_listing import open_listing

SAID = "half-precision `set` and `setp` are not known here; this is not checked"
LINES = [
    "setp.lt.f16 p, a, b;",
    "setp.lt.bf16x2 p|q, a, b;",
    "setp.ltu.ftz.f16x2 p|q, a, b;",
    "@!p setp.lt.and.bf16 p, a, b, c;",
    "set.eq.f16x2.f16x2 d, a, b;",
    "set.gtu.ftz.u32.f16 d, a, b;",
    "set .eq .u16 .bf16 d, a, b;",
]
KERNEL = """.version 8.0
.target sm_90
.entry h() {
 .reg .b32 %r<9>; .reg .b16 %h<3>; .reg .pred %p<3>;
 vadd4.u32.u32.u32 %r4, %r1, %r2, %r1;
 setp.lt.f16 %p1, %h1, %h2;
 setp.ge.f16x2 %p1|%p2, %r1, %r2;
 set.lt.bf16x2.bf16x2 %r4, %r1, %r2;
 vadd4.u32.u32.u32 %r3, %r1, %r2, %r1;
 ret;
}
"""


@pytest.mark.parametrize("line", LINES)
def test_every_reader_says_the_same_of_them(line: str) -> None:
    with pytest.raises(PtxError) as caught:
        parse(line)
    assert [(x.message, x.unread) for x in caught.value.errors] == [(SAID, True)]
    start, end = caught.value.span
    assert line[start:end] == line[line.index("set") : -1]
    (item,) = check_text(f".version 8.0\n{line}\n", "x.ptx")
    assert [x.message for x in item.diagnostics] == [SAID]
    assert item.is_legal
    assert item.is_unreadable


@pytest.mark.parametrize(
    "line", ["setp.lt.q16 p, a, b;", "vset.f16.s32.lt d, a, b;", "set. eq.u16.f16 d, a, b;"]
)
def test_what_is_in_no_section_is_illegal_still(line: str) -> None:
    assert not any(problem.unread for item in scan(line) for problem in item.problems)
    assert all(item.problems for item in scan(line))


def test_a_run_goes_on_behind_them_without_what_they_write() -> None:
    (program,) = load(KERNEL)
    assert program.problems == ()
    run = execute(program, {"%r1": 0x01020304, "%r2": 0x01010101})
    assert run.ending is StopReason.BRANCH_TAKEN
    assert run.registers["%r3"].bits == 0x02030405
    unknown = {name for name, value in run.registers.items() if value.bits is None}
    assert unknown == {"%p1", "%p2", "%r4"}


def test_the_list_of_the_explorer_does_not_mark_them() -> None:
    walk = open_listing(KERNEL, "h.ptx")
    assert walk
    rows = [row for row in walk.rows if "16" in row.text]
    assert len(rows) == 3
    assert [(row.problem, row.explained) for row in rows] == [("", False)] * 3
