"""Statements that few write, and what ptxas makes of them: asked of ptxas 13.0.88 for sm_90."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxscope.engine.syntax.parser import parse
from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_listing, check_text
from tests.cli.running import run

HEAD = """\
.version 8.8
.target sm_90
.address_size 64
.visible .entry k() {
.reg .pred p, q; .reg .v2 .b32 v; .reg .v4 .b32 w; .reg .f16x2 h; .reg .b32 a, b, c, d;
"""


def check(body: str) -> list[CheckedInstruction]:
    return list(check_text(f"{HEAD}{body}\nret;\n}}\n", "k.ptx"))


def is_legal(body: str) -> bool:
    return all(item.is_legal for item in check(body))


def test_a_guard_and_a_sink_crash_ptxas() -> None:
    for destination in ("_", "_|q"):
        notes = parse(f"@p setp.gt.u32 {destination}, a, b;").notes
        assert any("crashes ptxas 11.8 to 13.5" in note for note in notes)
        assert not any("accepted by ptxas" in note for note in notes)
        assert not any("crash" in note for note in parse(f"setp.gt.u32 {destination}, a, b;").notes)
    assert parse("@p setp.gt.u32 p|_, a, b;").notes == ()


@pytest.mark.parametrize(
    ("register", "holds"),
    [("v.x", True), ("v.g", True), ("v.z", False), ("v.a", False), ("w.z", True), ("w.w", True)],
)
def test_a_component_that_a_vector_lacks_is_a_warning(register: str, holds: bool) -> None:
    (item,) = check(f"setp.gt.u32 p, {register}, b;")
    assert item.is_legal
    assert [x.rule for x in item.diagnostics] == ([] if holds else ["component"])


def test_a_component_that_a_vector_lacks_can_be_run() -> None:
    text = ".reg .v2 .b32 v; .reg .b32 a, d; .reg .pred p; setp.gt.u32 p, v.z, a; selp.b32 d,1,0,p;"
    assert "d = 0x00000001" in run("run", text, "v.z=1", "a=0").stdout


@pytest.mark.parametrize(
    ("line", "legal"),
    [
        ("vset.u32.u32.lt d, h, h;", True),
        ("vset.u32.u32.lt h, a, b;", False),
        ("vset.s32.s32.lt.add d, a, b, h;", False),
        ("vset2.u32.u32.lt h, a, b, c;", False),
        ("vset4.u32.u32.lt d, h, h, c;", True),
        ("vset4.u32.u32.lt.add d, a, b, h;", False),
        ("vmad.s32.s32.s32 h, h, h, h;", True),
        ("vmad.s32.s32.s32 d, -h, b, c;", False),
        ("vmad.s32.s32.s32 d, a, b, -h;", False),
        ("vmad.s32.s32.s32 d, h, b, -c;", True),
        ("vadd4.u32.u32.u32 h, h, h, h;", True),
        ("vavrg2.u32.u32.u32 h, h, h, h;", True),
        ("set.lt.u32.u32 h, h, h;", True),
        ("selp.b32 h, h, h, p;", True),
        ("selp.f32 d, h, b, p;", False),
    ],
)
def test_registers_of_two_halves(line: str, legal: bool) -> None:
    assert is_legal(line) is legal


def test_what_is_not_checked_is_neither_legal_nor_illegal(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text('x = "vadd.u32.u32.u32 d, a, {b};"\n', encoding="utf-8")
    (item,) = json.loads(run("check", "-f", "json", str(file)).stdout)
    assert item["legal"] is None
    assert [x["rule"] for x in item["findings"]] == ["unread"]
    file.write_text('x = "vadd.u32.u32.u32 d, a, b;"\n', encoding="utf-8")
    assert json.loads(run("check", "-f", "json", str(file)).stdout)[0]["legal"] is True


@pytest.mark.parametrize(
    "statement",
    [
        "vadd -d, a, b;",
        "vadd-d, a, b;",
        "vadd (d), a, b;",
        "vadd(d), a, b;",
        "vadd [d], a, b;",
        "vadd {d}, a, b;",
        "vadd 5, a, b;",
        "vadd d a, b;",
        "vadd\n d, a, b;",
        "vadd\n\n  -d, a, b;",
        "selp !p, a, b, p;",
        "@p vadd -d, a, b;",
        "L: vadd -d, a, b;",
        "{ vadd -d, a, b; }",
        "ret; vadd -d, a, b;",
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_an_opcode_without_modifiers_is_told_whatever_follows(statement: str, size: int) -> None:
    text = f"{HEAD}{statement}\nvadd.u32.u32.u32 d, a, b;\n}}\n"
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    wrong, fine = check_listing(chunks, "k.ptx")
    assert "is missing its" in wrong.message
    assert fine.is_legal


@pytest.mark.parametrize(
    "text",
    [
        "add.u32 d, a, vadd;",
        "add.u32 d,\n vadd , d;",
        "vadd: ret;",
        "vadd : ret;",
        ".reg .b32 vadd, set ;",
        ".global .b32 set = 5;",
        ".func (.reg .b32 r) set (.reg .b32 x);",
        "call (r), set, (a);",
        "bra set ;",
        "// vadd -d\n/* set (x) */",
    ],
)
def test_what_is_called_like_an_opcode_is_none(text: str) -> None:
    assert list(check_text(f"{HEAD}{text}\n}}\n", "k.ptx")) == []


ADD = "vadd.u32.u32.u32 d, a, b;"


def in_chunks(body: str, size: int) -> list[CheckedInstruction]:
    text = f"{HEAD}{body}\nret;\n}}\n"
    return list(check_listing((text[at : at + size] for at in range(0, len(text), size)), "k.ptx"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (f"foo {ADD}", "`foo` is not part of this statement"),
        (f"ret; foo @p {ADD}", "`foo` is not part of this statement"),
        (f"@p {{\n{ADD}\n}}", "a block takes none"),
        (f"@!p\n{{ {ADD} }}", "a block takes none"),
        (f"{{ {ADD} }};", "ends no statement"),
        (f"{{ {ADD} }}\n // c\n;", "ends no statement"),
        (f"{{\n{ADD}\n {{ {ADD} }} ; }}", "ends no statement"),
        (f"{ADD}\n;", "ends no statement"),
        (f"{ADD}\nadd.u32 a, b, 3;;", "ends no statement"),
        (f"{ADD}\n.reg .b32 e;;", "ends no statement"),
        (f"{ADD}\nL: ;", "ends no statement"),
        (f"{ADD} // c\n/* d\n */ ;", "ends no statement"),
        (f".reg .b32 a; {ADD}", "`a` is already declared"),
        (f".reg .b32 x<3>, x2; {ADD}", "`x2` is already declared"),
        (f".reg .b32 x<3>; .reg .b32 x<2>; {ADD}", "`x` is already declared"),
        (f"{{ .reg .b32 t; .reg .u32 u, t; {ADD} }}", "`t` is already declared"),
    ],
)
@pytest.mark.parametrize("size", [1, 10, 1 << 20])
def test_what_stands_between_statements(body: str, said: str, size: int) -> None:
    wrong = [item for item in in_chunks(body, size) if not item.is_legal]
    assert len(wrong) == 1
    assert said in wrong[0].message
    assert wrong == [item for item in check(body) if not item.is_legal]


@pytest.mark.parametrize(
    "body",
    [
        f"{{ .reg .b32 a; {ADD} }}",
        f".reg .u32 x2; .reg .b32 x<2>; {ADD}",
        f"{{ .reg .b32 t; }} {{ .reg .b32 t; }} {ADD}",
        f".global .b32 x[2] = {{-1, 2}}; {ADD}",
        f".global .b32 x[2] = {{\n-1,\n2\n}}; {ADD}",
        f"st.global.v2.f32 [a], {{0f00000000, 1.0}}; {ADD}",
        f"mov.b64 {{a, b}}, c; {ADD}",
        f"L: {ADD}",
        f"@p bra L; {{ {ADD} }}",
        f"/* foo */ {ADD}",
        f"@p\n{ADD}",
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_what_may_stand_between_statements(body: str, size: int) -> None:
    assert [item.message for item in in_chunks(body, size)] == [""]


ASM = 'asm("{}" : "=r"(d) : "r"(a), "r"(b));'
_ADD = "vadd.u32.u32.u32 %0, %1, %2"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (f'{ASM.format(_ADD)} asm(";");', [""]),  # asked of nvcc 13.0
        (f"{ASM.format(_ADD)}\n{ASM.format('; ' + _ADD + ';')}", ["", ""]),
        (f'{ASM.format(_ADD)} }} void g() {{ asm(";");', ["`;` is missing"]),
        (f'{ASM.format(_ADD + ";")} asm(";");', ["", "ends no statement"]),  # nvcc too
        (f"{ASM.format(_ADD + ';')} {ASM.format('; ' + _ADD + ';')}", ["", "ends no statement"]),
        (ASM.format(f"foo {_ADD};"), ["`foo` is not part"]),
        (ASM.format(f"@p {{ {_ADD}; }}"), ["a block takes none", ""]),
        (ASM.format(f"{{ {_ADD}; }};"), ["ends no statement"]),
        (ASM.format(f".reg .u32 t, t; {_ADD};"), ["`t` is already declared", ""]),
        ('x = "use vadd.u32.u32.u32 d, a, b;";', [""]),
    ],
)
def test_what_stands_between_the_statements_of_asm(text: str, messages: list[str]) -> None:
    found = list(check_text(text, "k.cu"))
    assert len(found) == len(messages)
    for item, message in zip(found, messages, strict=True):
        assert message in item.message
        assert bool(message) is not item.is_legal


def test_what_no_condition_lets_be_compiled_is_a_note() -> None:
    bad = ASM.format("vadd.bogus %0, %1, %2;")
    text = (
        f"#if 0\n#ifdef X\n{bad}\n#endif\n{bad}\n#else\n{bad}\n#endif\n{bad}\n#if (0) // x\n{bad}\n"
    )
    found = list(check_text(text, "k.cu"))
    assert [item.location.line for item in found if not item.is_legal] == [7, 9]
    notes = [item for item in found if item.is_unreadable]
    assert [item.location.line for item in notes] == [3, 5, 11]
    assert all("in `#if 0`: neither" in item.diagnostics[0].message for item in notes)
    assert not any("#if 0" in x.message for x in check_text(f"#if 01\n{bad}\n#endif", "k.cu"))
