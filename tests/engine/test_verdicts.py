"""What a parser, a run and the language of a file make of odd text, as ptxas 13.0.88 (sm_75) does.

Every verdict and value here was asked of the assembler: whether it takes the line, and for
constants whether the machine code is that of the value written out.
"""

from __future__ import annotations

import pytest

from ptxscope import PtxError, parse
from ptxscope.blocks.execution import execute
from ptxscope.sources.source_language import Language, find_language
from ptxscope.sources.source_programs import load
from ptxscope.state.open_listing import open_listing
from tests.reference_data import read_lines


def _list_lines(kind: str) -> list[str]:
    return [line for x, line, _ in read_lines("kernel_lines.txt", 3) if x == kind]


@pytest.mark.parametrize("line", _list_lines("component"))
def test_a_component_of_a_vector_is_a_register(line: str) -> None:
    assert parse(str(parse(line))) == parse(line)


def test_two_names_of_a_component_are_one_register() -> None:
    assert [x.name for x in parse("setp.eq.f32 p, mx.r, mx.x").inputs] == ["mx.x"]


def test_vector_components_become_unknown_with_their_vector() -> None:
    text = """mov.b32 mx.x, 5; mov.b32 mx.g, 6; setp.eq.u32 p, mx.r, mx.y;
    selp.b32 d, mx.r, mx.y, p; selp.b32 mx.z, mx.x, 9, p; LINE selp.b32 e, mx.b, d, q;"""
    (program,) = load(text.replace("LINE", ""))
    run = execute(program, {"q": 1})
    assert (run.registers["d"].bits, run.registers["e"].bits) == (6, 9)
    (program,) = load(text.replace("LINE", "tex.2d.v4.s32.f32 mx, [t, {i, j}];"))
    assert [need.name for need in execute(program, {"q": 1}).missing_inputs] == ["mx.z"]


@pytest.mark.parametrize("line", _list_lines("sum"))
def test_an_unmodelled_sum_that_ptxas_accepts_is_not_illegal(line: str) -> None:
    with pytest.raises(PtxError, match="does not compute"):
        parse(line)
    (program,) = load(line)
    assert program.problems == ()
    assert set(program.statements[0].writes) <= {"d", "p"}


_JAVA = "class A {\n  void f(Set<B> set) {\n    set.add(x, y);\n set.s32 (a, b);\n  }\n}\n"
_RUST = "fn main() {\n    let v = s.set.lt(a, b);\n    set.eq.u8(a, b);\n}\n"
_WORDS = 'Notes.\n"set.lt.u32" compares, and\nset.contains, vset.x too; d, a, b.\n'


def test_a_file_of_an_unknown_language_is_not_opened() -> None:
    assert open_listing(_JAVA, "A.java") is None


def test_the_language_of_odd_files_is_recognised() -> None:
    cases = {
        ("A.java", _JAVA): Language.UNKNOWN,
        ("m.go", _RUST): Language.UNKNOWN,
        ("n.txt", _WORDS): Language.UNKNOWN,
        ("-", _JAVA): Language.UNKNOWN,
        ("a.ptx", _JAVA): Language.PTX,
        ("boost.ipp", "set.x(a, b);"): Language.C,
        ("k.cl", ""): Language.C,
        ("k.hip", ""): Language.C,
        ("k.ii", ""): Language.C,
        ("k.pyx", ""): Language.PYTHON,
        ("k.mlir", ""): Language.MLIR,
        ("k.jl", ""): Language.JULIA,
        ("k.ipynb", ""): Language.NOTEBOOK,
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
    assert {case: find_language(*case) for case in cases} == cases


_NO_CONSTANTS = [
    *("1/0", "0 ? 1/0 : 3", "1.0/0.0", "(-9223372036854775807 - 1) / -1", "1.0 == 1", "1.5 * 2"),
    *("0x1fffffffffffffffff", f"01{'0' * 22}", f"0b1{'0' * 64}", "111111111111111111111"),
    *("1 ? 1.0 : 2.0", "1.0 ? 1 : 2", "1.0 && 1", "!1.0", "1e-310", "1e-400", "1e400"),
    *("+0f3F800000", "0f3F800000 + 1.0", "0f3F800000 < 0f40000000", "1 ? 0f3F800000 : 1"),
]


@pytest.mark.parametrize("type_", ["u64", "f64"])
@pytest.mark.parametrize("text", _NO_CONSTANTS)
def test_constants_that_ptxas_rejects_are_refused(text: str, type_: str) -> None:
    with pytest.raises(PtxError):
        parse(f"selp.{type_} d, {text}, b, p")
