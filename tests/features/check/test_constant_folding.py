"""Where ``check`` finds instructions with constants that ptxas folds wrongly.

Expected as in tests/engine/test_constant_folding.py.
"""

from __future__ import annotations

from ptxscope.features.check.diagnostic import CheckedInstruction
from ptxscope.features.check.lint import check_text

HEAD = ".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k() {\n"


MOVED = "mov.u32 %r1, 0x8001;\nmov.b32 %r2, 2139095042;\nmov.s32 %r3, 305419896;\n"


QUAD = "vabsdiff4.u32.u32.u32.sat %r4, %r1, %r2, %r3;\n"


LOST = "loses the absolute value for sm_120 and sm_121"


def check(body: str, head: str = HEAD) -> list[CheckedInstruction]:
    return list(check_text(f"{head}.reg .b32 %r<9>;\n.reg .pred %p<3>;\n{body}}}\n", "k.ptx"))


def warnings(items: list[CheckedInstruction]) -> list[str]:
    return [x.message for item in items for x in item.diagnostics if x.rule == "F2"]


def test_a_wrong_folding_depends_on_the_target_and_is_looked_for_in_the_lines_before() -> None:
    """The rest is in cases/constant_folding.ptx."""
    assert len(warnings(check(MOVED + QUAD))) == 1
    assert not warnings(check(MOVED + QUAD, HEAD.replace("sm_120", "sm_90")))
    assert warnings(check(MOVED + QUAD, HEAD.replace("sm_120", "sm_121a")))
    assert warnings(check(MOVED + QUAD, ""))  # it may be compiled for any
    assert not warnings(check(f"{MOVED}// {'x' * 10000}\n{QUAD}"))  # too far


def test_literals_of_an_asm_statement_are_constants() -> None:
    asm = 'asm("vabsdiff4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(d) : "r"(0x8001), {});'
    (item,) = check_text(asm.format('"r"(0x7f800002), "r"(1)'), "k.cu")
    assert LOST in warnings([item])[0]
    (item,) = check_text(asm.format('"r"(0x7f800002), "r"(c)'), "k.cu")
    assert not warnings([item])


def test_a_moved_c_of_slct_is_folded_as_a_literal_is() -> None:
    """Asked of ptxas 13.0.88, for sm_75 and sm_120."""
    (item,) = check("mov.u32 %r3, 2142016040;\nslct.s32.s32 %r4, %r1, %r2, %r3;\n")
    assert "takes %r2, not %r1 as documented" in item.notes[0]
    (item,) = check("mov.u32 %r3, 5;\nslct.s32.s32 %r4, %r1, %r2, %r3;\n")
    assert not item.notes
