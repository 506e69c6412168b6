"""What stands where little does: comments behind an opcode or an `asm`, more than a guard.

Each verdict is that of ptxas 13.0.88 (sm_75), or of nvcc 13.0.88 for a source.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ptxscope import PtxError, evaluate, parse
from ptxscope.engine.syntax.asm_bindings import read_bindings_of
from ptxscope.engine.syntax.parser import scan
from ptxscope.kernels.program_runs.execution import execute
from ptxscope.sources.candidate_reader import CandidateReader
from ptxscope.sources.lint import check_text
from ptxscope.sources.source_programs import load

MODULE = """\
.version 8.0
.target sm_75
.entry k() {{
.reg .b32 d, a, b, c; .reg .pred p, q;
{}
ret;
}}
"""
KERNEL = """\
__global__ void k(unsigned *o) {{
  unsigned r = 0, x = o[1], y = o[2];
  {}
  o[0] = r;
}}
"""


def _cut(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


_OPERANDS = "d, a, b;"
_TYPES = ".u32.u32.u32"


@pytest.mark.parametrize(
    "text",
    [
        "mov.u32 d, set/* .lt */; ret; // set\n",
        "add.u32 d, a, vadd // .u32\n;",
        "set/* */: mov.b32 a, b;",
        "// set /* */ .lt\n",
        "vadd /* never closed .u32 d, a, b;",
    ],
)
def test_a_comment_does_not_make_a_word_an_opcode(text: str) -> None:
    for size in range(1, len(text) + 1):
        assert not list(CandidateReader(_cut(text, size)))


@pytest.mark.parametrize("gap", ["/* {} */", "// {}\n", "\n/*{}*/\n/*\n*/"])
def test_statements_after_a_long_comment_are_found_in_any_chunks(gap: str) -> None:
    text = f"ret;\nvadd{gap.format('; } x ' * 500)}.u32.u32.u32 d, a, b;\nvad/**/.u32 d; ret;\n"
    wanted = [(x.text, x.start, x.line, x.column) for x in CandidateReader([text])]
    assert [text.startswith(x, at) for x, at, _, _ in wanted] == [True, True]
    assert [at for _, at, _, _ in wanted] == [x.span[0] for x in scan(text)]
    for size in (1, 5, 100, 2999):
        found = [(x.text, x.start, x.line, x.column) for x in CandidateReader(_cut(text, size))]
        assert found == wanted


def test_an_unterminated_statement_ends_before_the_next_opcode() -> None:
    text = "vadd.u32.u32.u32 d, a, b\nvsub /* x\n*/ .u32.u32.u32 d, a, b;"
    assert [x.text for x in CandidateReader([text])] == text.split("\n", 1)


# --- guards -------------------------------------------------------------------------------

_ADD = f"vadd{_TYPES} {_OPERANDS}"
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


def test_a_comment_is_neither_a_guard_nor_its_end() -> None:
    text = f"// see @p\n{_ADD} /* @q */ {_ADD} @q /* {'; @p ' * 500}*/ {_ADD}"
    wanted = [_ADD, _ADD, text[text.index("@q /* ;") :]]
    for size in (1, 5, 100, 2999, len(text)):
        assert [x.text for x in CandidateReader(_cut(text, size))] == wanted


def test_a_statement_does_not_take_the_guard_of_another() -> None:
    for head in ("@p bra L", "@p bra L;", "@p ret; }", "@p;"):
        (found,) = CandidateReader([f"{head}\n{_ADD}"])
        assert found.text == _ADD
    assert [x.text for x in CandidateReader(["@p { \n" + _ADD])] == ["@p {", _ADD]


# --- asm statements -----------------------------------------------------------------------

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
    (item,) = check_text(KERNEL.format(head + rest), "x.cu")
    assert item.is_legal == (not STATEMENTS[rest])
    assert STATEMENTS[rest] in item.message
    if "%5" not in rest and "%%0" not in rest and '"=f"' not in rest:
        (pasted,) = scan(head + rest)
        assert (pasted.instruction is not None) == item.is_legal


def test_a_comment_after_asm_volatile_does_not_hide_the_constraints() -> None:
    text = (
        'asm volatile /* c */ ("slct.f32.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(x), "f"(y), "f"(z));'
    )
    assert read_bindings_of(parse(text)).find_operands_of_variable("z") == ("%3",)


# nvcc 13.0.88: "symbolic operand reference not supported!"; clang takes it
_NAMED = 'asm("vadd.u32.u32.u32 %[d], %[a], %[b].b0;" : [d] "=r"(d) : [a] "r"(x), [b] "r"(y));'


def test_an_operand_by_its_name_is_noted_and_run() -> None:
    said = "nvcc 13.0 does not accept operands by name; clang does"
    (item,) = check_text(_NAMED, "x.cu")
    assert [(x.message, x.hint) for x in item.diagnostics] == [(said, "%0, %1, …")]
    with pytest.raises(PtxError) as caught:
        parse(_NAMED)
    found = [(x.message, x.hint, _NAMED[slice(*x.span)]) for x in caught.value.errors]
    assert found == [(said, "%0, %1, …", x) for x in ("%[d]", "%[a]", "%[b].b0")]
    (program,) = load(_NAMED)
    assert [x.text for x in program.statements] == ["vadd.u32.u32.u32 %0, %1, %2.b0"]
    assert program.bound.inputs == {"x": ("%1",), "y": ("%2",)}


def test_a_lone_percent_sign_has_no_remark_on_names() -> None:
    with pytest.raises(PtxError) as caught:
        parse("vadd.u32.u32.u32 d, %, [a];")
    assert not any("by its name" in x.message for x in caught.value.errors)
