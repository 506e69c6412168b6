"""What is called legal, illegal or unread, where that once differed from ptxas 13.0.88 (sm_75).

Every verdict and value here was asked of the assembler: whether it takes the line, and for
constants whether the machine code is that of the value written out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope import PtxError, evaluate, parse
from ptxscope.cli import main
from ptxscope.kernels.program_runs.execution import execute
from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_listing, check_source, check_text
from ptxscope.sources.source_language import Language, language_of
from ptxscope.sources.source_programs import load
from ptxscope.state.open_listing import open_listing
from tests.reference_data import read_lines

DECLARED = """\
.version 8.0
.target sm_75
.address_size 64
.global .align 4 .b32 buf[4] = {1, -2, 3, 4};
.extern .shared .align 16 .b8 smem[];
.func (.reg .b32 out) fn (.reg .b32 in) { LINE_IN_FN ret; }
.visible .entry k(.param .u64 Q, .param .b32 P) {
.reg .b32 %r<4>, %x1<12>, d, a, b, c; .reg .pred p, q; .reg .b64 l; .reg .f32 f;
.reg .v4 .f32 mx; .reg .v4 .s32 mi; .reg .v2 .b16 mh;
.shared .b32 sh;
{ .reg .b32 z; }
LINE
ret; }
"""


def _in_kernel(line: str, function: bool = False) -> list[CheckedInstruction]:
    text = DECLARED.replace("LINE_IN_FN", line if function else "")
    return list(check_listing([text.replace("LINE", "" if function else line)], "x.ptx"))


# --- vector components --------------------------------------------------------------------


def _list_lines(kind: str) -> list[str]:
    return [line for x, line, _ in read_lines("kernel_lines.txt", 3) if x == kind]


@pytest.mark.parametrize("line", _list_lines("component"))
def test_a_component_of_a_vector_is_a_register(line: str) -> None:
    (item,) = _in_kernel(line)
    assert item.diagnostics == ()
    assert parse(str(parse(line))) == parse(line)


@pytest.mark.parametrize("line", _list_lines("illegal"))
def test_what_is_no_component_and_a_sum_that_ptxas_refuses_are_illegal(line: str) -> None:
    (item,) = _in_kernel(line)
    assert not item.is_legal


def test_two_names_of_a_component_are_one_register() -> None:
    line = "selp.b32 d, mx.g, mx.b, p"
    assert evaluate(line, {"mx.y": 5, "mx.z": 6, "p": 1}) == {"d": 5}
    assert [x.name for x in parse("setp.eq.f32 p, mx.r, mx.x").inputs] == ["mx.x"]


def test_a_run_carries_components_and_forgets_them_with_their_vector() -> None:
    text = """mov.b32 mx.x, 5; mov.b32 mx.g, 6; setp.eq.u32 p, mx.r, mx.y;
    selp.b32 d, mx.r, mx.y, p; selp.b32 mx.z, mx.x, 9, p; LINE selp.b32 e, mx.b, d, q;"""
    (program,) = load(text.replace("LINE", ""))
    run = execute(program, {"q": 1})
    assert (run.registers["d"].bits, run.registers["e"].bits) == (6, 9)
    (program,) = load(text.replace("LINE", "tex.2d.v4.s32.f32 mx, [t, {i, j}];"))
    assert [need.name for need in execute(program, {"q": 1}).missing_inputs] == ["mx.z"]


# --- sums -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", _list_lines("sum"))
def test_a_sum_that_ptxas_takes_is_not_checked_and_not_illegal(line: str) -> None:
    (item,) = _in_kernel(line)
    assert (item.is_legal, item.is_unreadable) == (True, True)
    with pytest.raises(PtxError, match="does not compute"):
        parse(line)
    (program,) = load(line)
    assert program.problems == ()
    assert set(program.statements[0].writes) <= {"d", "p"}


# --- declarations ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "word"),
    [fields for kind, *fields in read_lines("kernel_lines.txt", 3) if kind == "undeclared"],
)
def test_what_no_declaration_makes_a_register_is_illegal(line: str, word: str) -> None:
    (item,) = _in_kernel(line)
    assert not item.is_legal
    assert [x.rule for x in item.diagnostics] == ["undeclared"]
    span = item.diagnostics[0].location.span
    assert item.diagnostics[0].location.excerpt[slice(*span)].lstrip("@") == word


@pytest.mark.parametrize(
    ("line", "function"),
    [
        ("vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;", False),
        ("selp.b32 %r03, %r000, b, p;", False),
        ("vadd.u32.u32.u32 out, in, in;", True),
        ("{ .reg .b32 z; selp.b32 z, %r1, a, p; }", False),
    ],
)
def test_what_is_declared_is_legal(line: str, function: bool) -> None:
    (item,) = _in_kernel(line, function)
    assert item.diagnostics == ()


def test_chunks_do_not_change_what_is_declared() -> None:
    legal, illegal = _list_lines("component"), _list_lines("undeclared")
    text = DECLARED.replace("LINE_IN_FN", "").replace("LINE", "\n".join([*illegal, *legal]))
    whole = list(check_listing([text], "x"))
    assert list(check_listing(iter(text), "x")) == whole
    assert [item.is_legal for item in whole] == [False] * len(illegal) + [True] * len(legal)


@pytest.mark.parametrize(
    "text",
    [
        "vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;",
        "{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, %2, %3; }",
        'asm("{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, $2, %3; }" : "=r"(d) : REST);',
        'asm(".reg .u32 s;"); asm("{ .reg .u32 t; vadd4.u32.u32.u32 t, s, s, s; }");',
    ],
)
def test_registers_that_may_be_declared_elsewhere_are_not_accused(text: str) -> None:
    (item,) = check_text(text, "-")
    notes = ["note"] if "REST" in text else []  # a macro hides the type of `%1`
    assert [x.rule for x in item.diagnostics] == notes


def test_a_register_that_an_asm_statement_alone_could_declare_is_refused() -> None:
    text = 'asm("{ .reg .u32 %%t<2>; vadd4.u32.u32.u32 %0, %1, %%t7, %1; }" : "=r"(d) : "r"(a));'
    (item,) = check_text(text, "x.cu")
    assert [x.rule for x in item.diagnostics] == ["undeclared"]


# --- text that is no instruction --------------------------------------------------------------

_FORMATTED = [
    ('T = "vadd4.{t}.u32.u32 d, a, b, c;"', Language.PYTHON),
    ('T = "set.lt.u32.u32 {d}, {a}, {b};"', Language.PYTHON),
    ('k = """{{ vadd4.u32.u32.u32 $0, {}, $2, $3; }}"""', Language.PYTHON),
    ('auto t = fmt::format("vadd4.u32.u32.u32 {0}, {1}, b, c;", x);', Language.C),
    ('snprintf(s, n, "vadd4.%s.u32.u32 %%r1, %%r2, %%r3, %%r4; // .u32");', Language.C),
]


@pytest.mark.parametrize(("text", "language"), _FORMATTED)
def test_what_is_filled_in_is_not_checked_and_said_once(text: str, language: Language) -> None:
    items = list(check_source(text, "x", language))
    assert all(item.is_legal and item.is_unreadable for item in items)
    assert len(items) <= 1


_SENTENCES = [
    ('"""The vadd4.u32.u32.u32 instruction; see the manual."""', Language.PYTHON),
    ('"""Uses vadd4.u32.u32.u32, of sm_30, on four bytes; slow."""', Language.PYTHON),
    ('x = "vadd4.u32.u32.u32; vset4.u32.u32.eq;"', Language.PYTHON),
    ('puts("vmin.s32.s32.s32 is emulated; use min.s32");', Language.C),
]


@pytest.mark.parametrize(("text", "language"), _SENTENCES)
def test_a_sentence_that_names_an_opcode_is_no_instruction(text: str, language: Language) -> None:
    assert list(check_source(text, "x", language)) == []


def test_an_error_in_a_string_of_ptx_is_still_an_error() -> None:
    (item,) = check_source('T = "vadd4.u32.u32.u32 d, a, b;"', "x", Language.PYTHON)
    assert not item.is_legal
    (item,) = check_source('T = ".reg .u32 d; vadd4.u32.u32.u32 d;"', "x", Language.PYTHON)
    assert not item.is_legal


# --- files of other kinds ---------------------------------------------------------------------

_JAVA = "class A {\n  void f(Set<B> set) {\n    set.add(x, y);\n set.s32 (a, b);\n  }\n}\n"
_RUST = "fn main() {\n    let v = s.set.lt(a, b);\n    set.eq.u8(a, b);\n}\n"
_WORDS = 'Notes.\n"set.lt.u32" compares, and\nset.contains, vset.x too; d, a, b.\n'


@pytest.mark.parametrize(
    ("name", "text"), [("A.java", _JAVA), ("m.go", _RUST), ("n.txt", _WORDS), ("-", _JAVA)]
)
def test_a_file_of_another_kind_is_said_to_be_unread(name: str, text: str) -> None:
    assert language_of(name, text) is Language.UNKNOWN
    (item,) = check_text(text, name)
    assert (item.is_legal, item.is_unreadable) == (True, True)
    assert "nothing was recognised" in item.diagnostics[0].message
    assert open_listing(text, name) is None


def test_what_is_read() -> None:
    cases = {
        ("a.ptx", _JAVA): Language.PTX,
        ("boost.ipp", "set.x(a, b);"): Language.C,
        ("k.cl", ""): Language.C,
        ("m.rs", _RUST): Language.RUST,
        ("a.html", "<p>set.lt.u32 x, y;"): Language.HTML,
        ("a.md", ".version 7.0"): Language.MARKDOWN,
        ("a.txt", "Notes.\n```\nvadd.u32.u32.u32 d, a, b;\n```\n"): Language.MARKDOWN,
        ("a.txt", "Notes.\nvadd.u32.u32.u32 d, a, b;\n"): Language.UNKNOWN,
        ("a.txt", "\nFatbin elf code:\n================\narch = sm_75\n"): Language.PTX,
        ("a.log", "ptxas info\n.version 7.0\n.target sm_70\n"): Language.PTX,
        ("-", "Notes.\nvadd.u32.u32.u32 d, a, b;\n"): Language.PTX,
        ("a.txt", "// x\n\t@%p1 vadd4.u32.u32.u32\t%r1, %r2, %r3, %r4;\n"): Language.PTX,
        ("a.txt", "{ .reg .u32 t;\nmov.u32 t, 5; }"): Language.PTX,
        ("a.s", "L: vad4.u32.u32.u32 a, b, c, d;"): Language.PTX,
        ("a.log", ".version 7.0\n"): Language.PTX,
        ("-", ""): Language.PTX,
    }
    assert {case: language_of(*case) for case in cases} == cases


def test_check_says_what_it_did_not_recognise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "A.java"
    path.write_text(_JAVA, encoding="utf-8")
    assert main(["check", "-q", str(path)]) == 0
    said = capsys.readouterr().out
    assert "A.java:1:1: note: this is neither PTX nor source code" in said
    assert said.endswith("0 instructions, 0 illegal, 0 that an erratum can change; 1 not checked\n")


# --- constants ----------------------------------------------------------------------------------

_NO_CONSTANTS = [
    *("1/0", "0 ? 1/0 : 3", "1.0/0.0", "(-9223372036854775807 - 1) / -1", "1.0 == 1", "1.5 * 2"),
    *(
        "0x1fffffffffffffffff",
        "010000000000000000000000",
        "0b1" + "0" * 64,
        "111111111111111111111",
    ),
    *("1 ? 1.0 : 2.0", "1.0 ? 1 : 2", "1.0 && 1", "!1.0", "1e-310", "1e-400", "1e400"),
    *("+0f3F800000", "0f3F800000 + 1.0", "0f3F800000 < 0f40000000", "1 ? 0f3F800000 : 1"),
]


@pytest.mark.parametrize("type_", ["u64", "f64"])
@pytest.mark.parametrize("text", _NO_CONSTANTS)
def test_what_ptxas_does_not_take_is_no_constant(text: str, type_: str) -> None:
    with pytest.raises(PtxError):
        parse(f"selp.{type_} d, {text}, b, p")


def test_what_is_surprising_of_a_literal_is_noted() -> None:
    assert "64 bits" in parse("selp.u32 d, 0x10000000000000005, b, p").notes[0]
    assert "as its bits" in parse("selp.f64 d, 0f3F800000, b, p").notes[0]
    assert parse("selp.f32 d, 0f3F800000, b, p").notes == ()
