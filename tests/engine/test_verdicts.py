"""What is called legal, illegal or unread, where that once differed from ptxas 13.0.88 (sm_75).

Every verdict and value here was asked of the assembler: whether it takes the line, and for
constants whether the machine code is that of the value written out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope import PtxError, evaluate, parse
from ptxscope.cli import main
from ptxscope.engine.syntax.instruction import Immediate
from ptxscope.kernels.program_runs.execution import execute
from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_listing, check_source, check_text
from ptxscope.sources.source_language import Language, language_of
from ptxscope.sources.source_programs import load
from ptxscope.state.open_listing import open_listing

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

_COMPONENTS = [
    "selp.f32 f, mx.x, mx.y, p;",
    "selp.f32 mx.r, mx.g, mx.b, p;",
    "selp.f32 f, mx.a, mx .w, p;",
    "selp.b32 d, mx.z, mi.w, p;",
    "selp.b16 mh.y, mh.x, mh.y, p;",
    "setp.eq.f32 p|q, mx.x, mx.y;",
    "set.eq.and.u32.f32 mi.x, mx.x, mx.y, p;",
    "slct.f32.f32 mx.x, mx.x, mx.y, mx.w;",
    "slct.u32.s32 d, a, b, mi.y;",
    "brev.b32 mi.x, mi.y;",
    "lop3.b32 d, mi.x, mx.y, mi.z, 0x80;",
    "clz.b32 d, mx.y;",
]
_NO_COMPONENTS = [
    "slct.u32.s32 d, a, b, mx.y;",  # a float
    "selp.f32 f, f.x, mx.x, p;",  # no vector
    "selp.f32 f, mx, mx.x, p;",  # all of a vector
    "selp.f32 f, mx.q, mx.y, p;",
    "selp.f32 f, mx.b0, mx.y, p;",
    "selp.f32 f, mx.xy, mx.y, p;",
    "selp.f32 f, -mx.x, mx.y, p;",
    "selp.f32 f, f, f, mx.x;",
    "setp.eq.f32 mx.x, f, f;",
    "vadd.u32.u32.u32 d, mi.x, b;",
    "vadd.u32.u32.u32 mi.x, a, b;",
    "vadd4.u32.u32.u32 d, a, b, mi.x;",
    "vmad.u32.u32.u32 d, a, b, mi.x;",
    "vset.u32.u32.eq d, a.b1, mi.b;",
]


@pytest.mark.parametrize("line", _COMPONENTS)
def test_a_component_of_a_vector_is_a_register(line: str) -> None:
    (item,) = _in_kernel(line)
    assert item.diagnostics == ()
    assert parse(str(parse(line))) == parse(line)


@pytest.mark.parametrize("line", _NO_COMPONENTS)
def test_what_is_no_component_is_illegal(line: str) -> None:
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

_SUMS = [
    "selp.b32 d, a+1, b, p;",
    "selp.b32 d, %r1 + 4, b+ -1, p;",
    "set.eq.u32.u32 d, a, b+0x10;",
    "setp.eq.u32 p, buf+4, b;",
    "setp.eq.b64 p, l, sh+4;",
    "slct.b32.s32 d, a, b, c+(2*3);",
    "selp.b32 d, a, b, p+1;",
    "setp.eq.and.u32 p, a, b, q+1;",
    "set.lt.or.u32.u32 d, a, b, q+1;",
    "vadd.u32.u32.u32.add d, a, b, c+1;",
    "vmad.u32.u32.u32 d, a, b, c+1;",
]
_NO_SUMS = [
    "selp.b32 d, a-1, b, p;",
    "selp.b32 d, 1+a, b, p;",
    "selp.b32 d, a+b, b, p;",
    "selp.b32 d, a+1.5, b, p;",
    "selp.b32 d, (a+1), b, p;",
    "selp.b32 d, -a+1, b, p;",
    "selp.b32 d+1, a, b, p;",
    "selp.b32 d, mi.x+1, b, p;",
    "setp.eq.and.u32 p, a, b, !q+1;",
    "selp.b32 d, a, b, !p+1;",
    "vmad.u32.u32.u32 d, a, b, -c+1;",
    "vadd.u32.u32.u32 d, a+1, b;",
    "vmad.u32.u32.u32 d, a, b+1, c;",
    "vadd4.u32.u32.u32 d, a, b, c+1;",
    "vadd4.u32.u32.u32 d, a+1, b, c;",
]


@pytest.mark.parametrize("line", _SUMS)
def test_a_sum_that_ptxas_takes_is_not_checked_and_not_illegal(line: str) -> None:
    (item,) = _in_kernel(line)
    assert (item.is_legal, item.is_unreadable) == (True, True)
    with pytest.raises(PtxError, match="does not compute"):
        parse(line)
    (program,) = load(line)
    assert program.problems == ()
    assert set(program.statements[0].writes) <= {"d", "p"}


@pytest.mark.parametrize("line", _NO_SUMS)
def test_a_sum_that_ptxas_refuses_is_illegal(line: str) -> None:
    (item,) = _in_kernel(line)
    assert not item.is_legal


# --- declarations ---------------------------------------------------------------------------

_REFUSED = {
    "vadd4.u32.u32.u32 %r0, %r9, %r2, %r3;": "%r9",
    "selp.b32 d, %r4, b, p;": "%r4",
    "selp.b32 d, %r, b, p;": "%r",
    "selp.b32 d, %r1x, b, p;": "%r1x",
    "selp.b32 d, %x10, b, p;": "%x10",
    "selp.b32 z, a, b, p;": "z",
    "selp.b32 d, a, b, nowhere;": "nowhere",
    "@nowhere selp.b32 d, a, b, p;": "nowhere",
    "vadd.u32.u32.u32 d, in, b;": "in",
    "selp.b32 d, buf, b, p;": "buf",
    "selp.b32 d, a, smem, p;": "smem",
    "set.eq.u32.u32 d, sh, b;": "sh",
    "setp.eq.u64 p, Q, 5;": "Q",
    "vadd.u32.u32.u32 d, P, b;": "P",
}


@pytest.mark.parametrize("line", _REFUSED)
def test_what_no_declaration_makes_a_register_is_illegal(line: str) -> None:
    (item,) = _in_kernel(line)
    assert not item.is_legal
    assert [x.rule for x in item.diagnostics] == ["undeclared"]
    span = item.diagnostics[0].location.span
    assert item.diagnostics[0].location.excerpt[slice(*span)].lstrip("@") == _REFUSED[line]


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
    text = DECLARED.replace("LINE_IN_FN", "").replace("LINE", "\n".join([*_REFUSED, *_COMPONENTS]))
    whole = list(check_listing([text], "x"))
    assert list(check_listing(iter(text), "x")) == whole
    assert [item.is_legal for item in whole] == [False] * len(_REFUSED) + [True] * len(_COMPONENTS)


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

_VALUES = {
    "-5 % 3": 2,
    "8 % -3": 8,
    "(5 % 3) - 3 < 0": 0,
    "~0 >> 1": 0x7FFFFFFFFFFFFFFF,
    "~1 >= 63": 1,
    "!1U - 1 < 0": 1,
    "-1 >> 1": 0xFFFFFFFFFFFFFFFF,
    "(-1 & -1) >> 1": 0xFFFFFFFFFFFFFFFF,
    "(-1 | 0U) >> 1": 0x7FFFFFFFFFFFFFFF,
    "1 ? -1 : 2U": 0xFFFFFFFFFFFFFFFF,
    "1 << 65": 2,
    "(-9223372036854775807 - 1) % -1": 0x8000000000000000,
    "0x10000000000000005": 5,
    "0x1ffffffffffffffff": 0xFFFFFFFFFFFFFFFF,
    "36893488147419103233": 1,
    "020000000000000000000000": 0,
    "18446744073709551616*0-1<1": 1,
    "0x18000000000000000*0-1<1": 0,
    "0x" + "0" * 300 + "5": 5,
    "(1.0 < 2.0) + 1": 2,
    "0d7FF8000000000000 == 0d7FF8000000000000": 0,
}
_FLOATS = {
    "1.0 + 2.0": 0x4008000000000000,
    "2.0 * (3.0 + 1.0)": 0x4020000000000000,
    "1e308 * 10.0": 0x7FF0000000000000,
    "0d7FF0000000000000 * 0.0": 0xFFF8000000000000,
    "0d7FF0000000000001 * 1.0": 0x7FF8000000000001,
    "1.0 - 0d7FF8000000000001": 0x7FF8000000000001,
    "0f3F800000": 0x3F800000,
    "2.2250738585072014e-308": 0x0010000000000000,
}
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


@pytest.mark.parametrize("text", _VALUES)
def test_an_integer_constant_is_worth_what_ptxas_makes_of_it(text: str) -> None:
    source = parse(f"selp.u64 d, {text}, b, p").sources[0]
    assert isinstance(source, Immediate)
    assert source.bits == _VALUES[text]


@pytest.mark.parametrize("text", _FLOATS)
def test_a_float_constant_is_worth_what_ptxas_makes_of_it(text: str) -> None:
    source = parse(f"selp.f64 d, {text}, b, p").sources[0]
    assert isinstance(source, Immediate)
    assert source.bits == _FLOATS[text]


@pytest.mark.parametrize("type_", ["u64", "f64"])
@pytest.mark.parametrize("text", _NO_CONSTANTS)
def test_what_ptxas_does_not_take_is_no_constant(text: str, type_: str) -> None:
    with pytest.raises(PtxError):
        parse(f"selp.{type_} d, {text}, b, p")


def test_what_is_surprising_of_a_literal_is_noted() -> None:
    assert "64 bits" in parse("selp.u32 d, 0x10000000000000005, b, p").notes[0]
    assert "as its bits" in parse("selp.f64 d, 0f3F800000, b, p").notes[0]
    assert parse("selp.f32 d, 0f3F800000, b, p").notes == ()
