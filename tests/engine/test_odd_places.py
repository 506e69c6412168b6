"""What stands where little does: comments behind an opcode or an `asm`, more than a guard.

Each verdict is that of ptxas 13.0.88 (sm_75), or of nvcc 13.0.88 for a source.
"""

from __future__ import annotations

import pytest

from ptxscope import PtxError, evaluate, parse
from ptxscope.blocks.execution import execute
from ptxscope.engine.syntax.asm_bindings import read_bindings_of
from ptxscope.engine.syntax.parser import scan
from ptxscope.sources.source_programs import load

_ADD = "vadd.u32.u32.u32 d, a, b;"
GUARDS = {
    **dict.fromkeys(("@p", "@!p", "@ ! p", "@p/**/", "@/**/p", "@!/* ; */p", "L: @p"), ""),
    **dict.fromkeys(("@p\n", "@p // ; @q\n", "@!\np\n", "@p /* @q */", "@p bra L; L: @q"), ""),
    **{x: x for x in ("@!!p", "@! ! p", "@p @p", "@p @q", "@@p", "@!@p", "@p !", "@p,", "@p:")},
    **{x: x for x in ("@(p)", "@[p]", "@{p}", "@-p", "@~p", "@p.x", "@p 1", "@p _", "@p foo")},
    **{x: x for x in ("@p L:", "@p .u32", "@p /", "@p /* c */ @q")},
    **dict.fromkeys(("@!!p\n", "@!\n!p"), "@!"),
    **dict.fromkeys(("@p\n@p\n", "@p\n@q"), "@p"),
}
"""What is not a guard, where ptxas says that it is a syntax error."""


@pytest.mark.parametrize("guard", GUARDS)
def test_a_guard_of_a_pasted_line_is_checked_alike(guard: str) -> None:
    if "bra" in guard:
        return
    if GUARDS[guard]:
        with pytest.raises(PtxError, match="is not a guard"):
            parse(f"{guard} {_ADD}")
    else:
        assert str(parse(f"{guard} {_ADD}").guard) in ("@p", "@!p")


def test_a_guard_on_a_line_of_its_own_guards() -> None:
    assert evaluate(f"@p\n{_ADD}", {"a": 1, "b": 2, "p": 0, "d": 7}) == {"d": 7}
    (program,) = load(f"mov.b32 a, 1; setp.eq.u32 p, a, 2; mov.b32 d, 7; @p\n{_ADD}")
    run = execute(program, {"b": 2})
    assert run.registers["d"].bits == 7


HEADS = [
    "asm volatile /* sum */ (",
    "asm/**/(",
    "asm /* a */ volatile(",
    "asm // c\n volatile // d\n(",
    "asm volatile // why \\\n still \n(",
    "__asm__ __volatile__ /* asm( */ (",
    "asm /* ( */ __volatile /* ) */ (",
    "asm volatile \\\n(",
]
STATEMENTS = {
    '"vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));': "",
    '"vadd.u32.u32.u32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));': "`%0` is .f32",
    '"vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));': "`%5` is beyond the operands",
    '"vadd.u32.u32.u32 %%0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));': "`%0` is not declared, and",
    '"vadd4.u32.u32 " "%0, %1, %1;" : "=r"(r) : "r"(x));': "`vadd4` is missing",
    '"vadd4.u32.u32 bad13" ";" );': "`vadd4` is missing",
}
"""What nvcc and ptxas take, and what they refuse."""


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("rest", STATEMENTS)
def test_an_asm_statement_is_read_with_comments_in_front_of_its_text(head: str, rest: str) -> None:
    if "%5" not in rest and "%%0" not in rest and '"=f"' not in rest:
        (pasted,) = scan(head + rest)
        assert (pasted.instruction is not None) == (not STATEMENTS[rest])


def test_a_comment_after_asm_volatile_does_not_hide_the_constraints() -> None:
    text = (
        'asm volatile /* c */ ("slct.f32.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(x), "f"(y), "f"(z));'
    )
    assert read_bindings_of(parse(text)).find_operands_of_variable("z") == ("%3",)


# nvcc 13.0.88: "symbolic operand reference not supported!"; clang takes it
NAMED = 'asm("vadd.u32.u32.u32 %[d], %[a], %[b].b0;" : [d] "=r"(d) : [a] "r"(x), [b] "r"(y));'


def test_an_operand_by_its_name_is_noted_and_run() -> None:
    said = "nvcc 13.0 does not accept operands by name; clang does"
    with pytest.raises(PtxError) as caught:
        parse(NAMED)
    found = [(x.message, x.hint, NAMED[slice(*x.span)]) for x in caught.value.errors]
    assert found == [(said, "%0, %1, …", x) for x in ("%[d]", "%[a]", "%[b].b0")]
    (program,) = load(NAMED)
    assert [x.text for x in program.statements] == ["vadd.u32.u32.u32 %0, %1, %2.b0"]
    assert program.bound.inputs == {"x": ("%1",), "y": ("%2",)}


def test_a_lone_percent_sign_has_no_remark_on_names() -> None:
    with pytest.raises(PtxError) as caught:
        parse("vadd.u32.u32.u32 d, %, [a];")
    assert not any("by its name" in x.message for x in caught.value.errors)
