"""What is said of the instructions of listings and sources."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, evaluate, parse, trace
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import PTXAS_MODELS
from ptxscope.engine.semantics.rules import ERRATA, Erratum
from ptxscope.engine.syntax.register_checks import find_register_problems, is_compatible
from ptxscope.engine.syntax.scopes import Scopes
from ptxscope.engine.syntax.tokens import tokenize
from ptxscope.sources.counterexample import find_counterexample
from ptxscope.sources.diagnostic import CHECK_RULES, CheckedInstruction, Severity
from ptxscope.sources.lint import check_listing, check_source, check_text
from ptxscope.sources.source_language import Language, language_of
from tests.reference_data import DATA, table, verdicts
from tests.tiers import sampled, some

HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n"


def listing(text: str) -> list[CheckedInstruction]:
    return list(check_listing([text], "x.ptx"))


def source(text: str, language: Language = Language.C) -> list[CheckedInstruction]:
    return list(check_source(text, "x", language))


def rules(text: str) -> list[str]:
    return [diagnostic.rule for item in listing(text) for diagnostic in item.diagnostics]


# --- sources ------------------------------------------------------------------------------

_LINE = "vadd4.s32.s32.s32 %0, %1, %2, %3;"
_FOUND = [
    f'asm("{_LINE}" : "=r"(d) : "r"(a), "r"(b), "r"(c));',
    f'asm volatile ( // why\n  "{_LINE}" : "=r"(d) : "r"(a), "r"(b), "r"(c));',
    f'__asm__ __volatile__("{{\\n\\t"\n "{_LINE}\\n\\t" "}}" :: OPERANDS);',
    'asm("vadd4.s32" /* x */ ".s32.s32 %0,"\n\t" %1, %2, %3;" :: OPERANDS);',
    f'asm(R"({_LINE})" : "+r"(a[0]), "+r"(b), "+r"(c), "+r"(d) : );',
    f'asm(R"x(\n   {_LINE} // )" \n)x" :: OPERANDS);',
    f'#define ADD(d, a) \\\n  asm("mov.u32 d, %0;" \\\n   "{_LINE}" : "+r"(d) : __VA_ARGS__)\n',
    'asm("vadd4.s32\\\n.s32.s32 %0, %1, %2, %3;" :: OPERANDS);',
    f'const char *k = ".version 7.0\\n"\n   "{_LINE}\\n";',
    f'x = \'"\'; asm("{_LINE}" :: OPERANDS);',
    f'a(1\'000); asm("{_LINE}" :: OPERANDS);',
    f"a(1'000, '\"'); asm(\"{_LINE}\" :: OPERANDS);",
    f'a(u8\'"\'); asm("{_LINE}" :: OPERANDS);',
    'asm("vadd4.s32.s32.s32\\t%r1, %r2, %r3, %r4;");',
]


@pytest.mark.parametrize("text", _FOUND)
def test_an_asm_statement_of_c_is_found_at_its_place(text: str) -> None:
    (item,) = source(text)
    assert item.is_legal
    assert item.ptx.startswith("vadd4.s32.s32.s32 ")
    line = text.splitlines()[item.location.line - 1]
    assert line[item.location.column - 1 :].startswith("vadd4.s32")
    assert item.location.excerpt == line
    assert line[slice(*item.location.span)] == "vadd4"


_PYTHON = [
    f'ASM = """\n  {_LINE}\n"""',
    f"ASM = r'{_LINE}'",
    f'ASM = "mov.u32 a, b;" \\\n  "{_LINE}"',
    f'ASM = ("mov.u32 a, b;"  # one "two"\n  \'{_LINE}\')',
    f"ASM = f'{{{{ {_LINE} }}}}'",
    f"k = RawKernel(r'''\n__global__ void k() {{ asm(\"{_LINE}\" :: OPERANDS); }}''')",
    f'k = "void k() {{\\n asm(\\"{_LINE}\\" :: OPERANDS); }}"',
    f"x = 'it\\'s'; y = b'''{_LINE}'''",
    'ASM = "vadd4.s32.s32.s32 $0, $1, $2, $3;"',
]


@pytest.mark.parametrize("text", _PYTHON)
def test_ptx_in_a_string_of_python_is_found_at_its_place(text: str) -> None:
    (item,) = source(text, Language.PYTHON)
    assert item.is_legal
    line = text.splitlines()[item.location.line - 1]
    assert line[item.location.column - 1 :].startswith("vadd4.s32")
    assert line[slice(*item.location.span)] == "vadd4"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (f'// asm("{_LINE}");', Language.C),
        (f'/* asm("{_LINE}"); */', Language.C),
        (f'// why \\\n asm("{_LINE}");', Language.C),
        ('puts("use vadd4.s32.s32.s32 where you can");', Language.C),
        ('asm("add.u32 %0, %1, %2;" :: );', Language.C),
        ("std::set<int> a; a.set.x(); vset.y();", Language.C),
        (f"# asm = '{_LINE}'", Language.PYTHON),
        ('"""Tells of set.contains; and of vadd4.s32."""', Language.PYTHON),
        ("x.set.add(1)", Language.PYTHON),
        ('asm("', Language.C),
        ("'''", Language.PYTHON),
        ("", Language.C),
    ],
)
def test_what_is_no_instruction_is_left_alone(text: str, language: Language) -> None:
    assert [item for item in source(text, language) if not item.diagnostics] == []
    assert not any(item.ptx.startswith("vadd4.s32.s32.s32 %") for item in source(text, language))


@pytest.mark.parametrize(
    "text",
    [
        'asm("vadd4." TYPE ".s32 %0, %1, %2, %3;" ::);',
        '#define OP(t) asm("vadd4." #t " %0, %1, %2, %3;" ::)',
        'asm("vadd4.s32.s32.s32 " OPERANDS);',
    ],
)
def test_what_is_glued_with_a_macro_is_said_to_be_unread(text: str) -> None:
    (item,) = source(text)
    assert item.is_unreadable
    assert item.is_legal
    assert [diagnostic.severity for diagnostic in item.diagnostics] == [Severity.NOTE]


@pytest.mark.parametrize(
    "operands", ["OPERANDS", ":: OPERANDS", 'OUTPUTS, "r"(a)', "OPERANDS(d, a)", ': "=r"(d), MORE']
)
def test_operands_in_a_macro_are_said_to_be_unchecked(operands: str) -> None:
    # `OPERANDS` may hold too few operands, or "l"(d): nvcc would refuse both
    text = f'asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" {operands});'
    (item,) = source(text)
    assert item.is_legal
    (note,) = item.diagnostics
    assert note.rule == "note"
    assert note.severity is Severity.NOTE
    name = "%1" if '"=r"(d)' in operands else "%0"
    assert text[note.location.column - 1 :].startswith(f"{name},")
    assert note.message.startswith(f"the type of `{name}` is unknown and not checked")
    wrong = text.replace(".s32 %0", ".bad %0")
    (item,) = source(wrong)
    assert not item.is_legal


@pytest.mark.parametrize(
    "text",
    [
        f'asm("{_LINE}" : "=r"(d) : "r"(a), "r"(b), "r"(c) CLOBBERS);',
        'asm("vadd4.s32.s32.s32 d, a, b, c;" OPERANDS);',
        'asm("vadd4.s32.s32.s32 %%d, %%a, %%b, %%c;" OPERANDS);',
        f'asm("{_LINE}" : "=r"(d) : "r"(a), "r"(b), "r"(c) : "memory", CLOBBERS);',
    ],
)
def test_operands_of_known_types_and_other_registers_need_no_note(text: str) -> None:
    (item,) = source(text)
    assert item.is_legal
    assert not item.diagnostics


def test_what_an_f_string_puts_together_is_said_to_be_unread() -> None:
    (item,) = source('f"vadd4.{t}.s32.s32 d, a, b, c;"', Language.PYTHON)
    assert item.is_unreadable


def test_other_f_strings_are_left_alone() -> None:
    assert source('f"set.{x}; or not"', Language.PYTHON) == []


def test_the_types_of_asm_operands_are_known() -> None:
    text = 'asm("vadd.u32.u32.u32 %0, %1, %2;" : "+l"(f(x, ":")), "+r"(b) : "f"(c) : "memory");'
    (item,) = source(text)
    assert [(x.rule, text[x.location.column - 1 :][:2]) for x in item.diagnostics] == [
        ("register-type", "%0"),
        ("register-type", "%2"),
    ]
    assert not item.is_legal
    good = (
        'asm("{ .reg .pred p; setp.lt.f64 p, %1, %2; selp.b16 %0, 1, 2, p; }"'
        ' : "=h"(a) : "d"(b), "d"(c));'
    )
    assert all(item.is_legal for item in source(good))


def test_an_error_in_a_glued_string_is_at_its_place() -> None:
    text = 'asm("{\\n\\t"\n    "vadd4.s32.s32.\\x73\\x33 d, a, b, c;" ::);'
    (item,) = source(text)
    assert not item.is_legal
    assert (item.location.line, item.location.column) == (2, 19)
    assert item.location.excerpt[slice(*item.location.span)] == ".\\x73\\x33"


def test_every_kernel_of_the_sample_is_found() -> None:
    path = DATA / "video.cu"
    text = path.read_text(encoding="utf-8")
    found = source(text)
    assert [x.ptx for x in found if x.is_intrinsic] == ["__vsadu4", "__vavgu4"]
    items = [x for x in found if not x.is_intrinsic]
    written = [text.count(f'"{op}') for op in ("v", "set", "slct")]
    assert len(items) == sum(written) == 1 + 4 + 4 + 5 + 1 + 3 + 5
    assert all(item.is_legal for item in items)
    warned = [item.location.line for item in items if item.errata]
    lines = text.splitlines()
    assert warned == [at for at, line in enumerate(lines, 1) if "vadd.u32.s32.s32.sat" in line]


def test_the_language_is_told_by_name_or_content() -> None:
    cases = {
        ("a.PTX", ""): Language.PTX,
        ("a.cuh", ".version 1.0"): Language.C,
        ("a.py", 'asm("'): Language.PYTHON,
        ("-", "\n .version 7.0"): Language.PTX,
        ("-", 'void f() { asm("x"); }'): Language.C,
        ("a.txt", 'import x\nk = """asm("x")"""'): Language.PYTHON,
        ("-", ' "vadd4"'): Language.TEXT,
        ("-", "vadd4.s32"): Language.PTX,
    }
    assert {case: language_of(*case) for case in cases} == cases


@pytest.mark.parametrize("stride", some([50, 1]))
def test_reference_lines_have_the_verdicts_that_are_known(stride: int) -> None:
    for row in table("accept.csv")[::stride]:
        (item,) = listing(row["ptx"] + ";")
        assert item.is_legal, row
        assert item.ptx == str(parse(row["ptx"]))
    for row in table("reject.csv")[::stride]:
        text = row["ptx"] + ";"
        if not text.startswith(("v", "s")):
            continue
        if ".x" in text:  # a component, unless the register is known to be a scalar
            text = ".reg .b32 d, a, b, c; .reg .pred p;" + text
        for item in listing(text):
            assert not item.is_legal, row
            assert item.message
    for legal, text in verdicts("lines.txt"):
        items = source(text, language_of("-", text)) if '"' in text else listing(text)
        assert all(item.is_legal for item in items) == legal, text


@pytest.mark.parametrize(
    "line",
    [
        "set.eq.f16x2.f16x2 d, a, b;",
        "set.gtu.ftz.u32.f16 d, a, b;",
        "setp.lt.and.bf16 p, a, b, c;",
        "@p setp.nan.bf16x2 p|q, a, b;",
    ],
)
def test_instructions_for_halves_are_legal(line: str) -> None:
    (item,) = listing(line)
    assert not item.is_unreadable
    assert item.is_legal
    assert [item.is_legal for item in listing(line.replace("f16", "q16"))] == [False]


_HEADERS = Path("/usr/local/cuda/include")


@pytest.mark.soak
@pytest.mark.skipif(not _HEADERS.exists(), reason="needs the headers of CUDA")
def test_nothing_in_the_headers_of_cuda_is_called_illegal() -> None:
    count = 0
    for path in sorted(_HEADERS.rglob("*")):
        if path.suffix in (".h", ".hpp", ".cuh", ".inl"):
            text = path.read_text(encoding="utf-8", errors="replace")
            for item in check_source(text, str(path), Language.C):
                count += 1
                assert item.is_legal, item
    assert count > 100


# --- what is said ---------------------------------------------------------------------------


def test_the_cache_tells_one_register_from_two() -> None:
    two, one = listing("vadd.u32.u32.u32.sat %r1, %r2, %r3;\nvadd.u32.u32.u32.sat %r1, %r9, %r9;")
    assert two.example
    assert set(two.example.values) == {"%r2", "%r3"}
    assert one.example
    assert set(one.example.values) == {"%r9"}
    assert one.ptx == "vadd.u32.u32.u32.sat %r1, %r9, %r9;"
    clash = listing("setp.lt.s32 %p1, %p1, %r1;\nsetp.lt.s32 %p1, %r7, %r1;")
    assert [item.is_legal for item in clash] == [False, True]
    assert "`%p1`" in clash[0].message


def test_any_register_names_come_back_as_they_were_written() -> None:
    for names in ("%z0, %z2, %z1", "%z0, %r1, %r2", "$0, $1, $2", "x, t0, w1"):
        (item,) = listing(f"vadd.u32.u32.u32.sat {names};")
        assert item.ptx == f"vadd.u32.u32.u32.sat {names};"
        assert item.example
        assert list(item.example.values) == names.split(", ")[1:]


@pytest.mark.parametrize("x", ERRATA, ids=[x.id for x in ERRATA])
def test_an_erratum_is_warned_of_with_operands_for_which_it_shows(x: Erratum) -> None:
    line = x.example[0]
    (item,) = listing(line + ";")
    assert x.id in item.errata
    assert item.is_legal
    example = item.example
    assert example
    assert example.isa != example.ptxas
    assert evaluate(line, example.values) == {"d": example.isa}
    assert evaluate(line, example.values, model=example.model) == {"d": example.ptxas}
    assert item.replacement
    assert [
        diagnostic.rule for diagnostic in item.diagnostics if diagnostic.rule in item.errata
    ] == [*item.errata]


@pytest.mark.parametrize(
    "line",
    [
        "vadd.u32.u32.u32.sat d, 0, b",
        "vsub.u32.u32.u32.sat d, a, 0",
        "vshl.u32.u32.u32.sat.clamp d, a, 0",
        "vset.s32.u32.lt.min d, a, b, 5",
    ],
)
def test_where_the_operands_keep_an_erratum_from_showing_nothing_is_said(line: str) -> None:
    (item,) = listing(line + ";")
    assert item.errata == ()
    assert item.diagnostics == ()
    for a in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        values = {x.name: a for x in parse(line).inputs}
        for model in PTXAS_MODELS:
            assert evaluate(line, values) == evaluate(line, values, model=model)


@pytest.mark.parametrize(
    "line",
    [
        "@p vset.s32.u32.lt.min d, a, b, c;",
        "@!q vadd.u32.s32.s32.sat d.h1, a, b, c;",
        "@%p1 vset.s32.u32.lt.min %r1, %r2, %r3, %r1;",
        "@%p2 vadd.s32.s32.s32 %r1.h1, %r1, %r3, %r4;",
    ],
)
def test_an_example_of_a_guarded_line_gives_its_guard_and_what_it_might_keep(line: str) -> None:
    (item,) = listing(line)
    example = item.example
    assert example
    assert set(example.values) == {x.name for x in parse(line).inputs}
    name = "%r1" if "%" in line else "d"
    assert evaluate(line, example.values) == {name: example.isa}
    assert evaluate(line, example.values, model=example.model) == {name: example.ptxas}


def test_an_example_is_of_the_newest_assembler_that_departs() -> None:
    repaired = find_counterexample(parse("vadd.s32.s32.s32 d.h1, a, b, c"))
    assert repaired
    assert repaired.model.name == "ptxas-13.0"
    assert [x.id for x in repaired.errata] == ["E1"]
    both = find_counterexample(parse("@p vadd.u32.s32.s32.sat d.h1, a, b, c"))
    assert both
    assert both.model.name == "ptxas-13.5"
    assert [x.id for x in both.errata] == ["E1", "E3"]
    assert find_counterexample(parse("vadd4.s32.s32.s32 d, a, b, c")) is None


def test_a_replacement_is_written_as_the_place_wants_it() -> None:
    line = "@%p1 vadd.u32.s32.s32.sat %r1.b0, %r2, %r3, %r1;"
    (plain,) = listing(line)
    assert plain.replacement
    assert "@%p1 bfi.b32 %r1, w0, %r1, 0, 8;" in "\n".join(plain.replacement)
    (quoted,) = source('asm("' + line.replace("%", "%%").replace("%%r2", "%0") + '" :: "r"(a));')
    assert quoted.replacement
    assert "@%%p1 bfi.b32 %%r1, w0, %%r1, 0, 8;" in "\n".join(quoted.replacement)
    assert "    cvt.s64.s32 t0, %0;" in quoted.replacement


def test_notes_are_said_at_the_opcode() -> None:
    (item,) = listing("  @p vadd.u32.u32.u32 d, a, b, c;")
    assert [(x.rule, x.severity) for x in item.diagnostics] == [("note", "note")]
    assert item.is_legal
    assert item.notes == (item.diagnostics[0].message,)
    assert item.location.column == 6


def test_versions_and_targets_that_are_too_low_are_errors() -> None:
    body = "vadd4.u32.u32.u32 a, b, c, d; vadd.u32.u32.u32 a, b, c; set.lt.ftz.u32.f32 a, b, c;"
    body += "set.lt.u32.f32 a, b, c;"
    for version, target, wanted in [
        ("8.0", "sm_75", [0, 0, 0, 0]),
        ("3.0", "sm_30", [0, 0, 0, 0]),
        ("2.3", "sm_30", [1, 0, 0, 0]),
        ("3.0", "sm_21", [1, 0, 0, 0]),
        ("2.0", "sm_20", [2, 0, 0, 0]),
        ("1.4", "sm_13", [2, 2, 0, 0]),
        ("1.3", "sm_10", [2, 2, 1, 0]),
        ("10.0", "sm_100a", [0, 0, 0, 0]),
    ]:
        items = listing(f".version {version}\n.target {target}\n{body}")
        assert [len(item.diagnostics) for item in items] == wanted, (version, target)
        assert {x.rule for item in items for x in item.diagnostics} <= {"version"}
        assert [item.is_legal for item in items] == [not count for count in wanted]


def test_a_declared_type_that_does_not_fit_is_an_error_at_the_operand() -> None:
    text = HEAD + ".entry k() {\n.reg .b64 %rd<9>; .reg .pred p; .reg .f32 f; .reg .u32 g, r;\n"
    (item,) = listing(text + "  @g vadd.u32.u32.u32 r, f, %rd1.b0;\n}")
    pointed = [(x.rule, x.location.excerpt[slice(*x.location.span)]) for x in item.diagnostics]
    assert [rule for rule, _ in pointed] == ["register-type"] * 3
    assert sorted(text.split(".")[0] for _, text in pointed) == ["%rd1", "f", "g"]
    assert not item.is_legal
    assert rules(text + "@p vadd.u32.u32.u32 r, r, r;\n}") == []


_DECLARED = ["pred", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "f64"]
_LINES = {
    Type.PRED: "set.lt.and.u32.u32 r, r, r, X",
    Type.B16: "selp.b16 X, 1, 1, q",
    Type.U16: "setp.lt.u16 q, X, X",
    Type.S32: "vadd.s32.s32.s32 r, X, r",
    Type.U32: "vadd4.u32.u32.u32 X, r, r, r",
    Type.B32: "selp.b32 r, X, r, q",
    Type.F32: "slct.u32.f32 r, r, r, X",
    Type.S64: "setp.lt.s64 q, X, X",
    Type.B64: "setp.eq.b64 q, X, X",
    Type.F64: "setp.lt.f64 q, X, X",
}


def test_types_agree_where_the_manual_says_so() -> None:
    # PTX ISA 9.2, table of operand type checking: .bX with all of its size, .sX with .uX, .fX
    # with .fX and .bX
    wanted = {
        Type.PRED: "pred",
        Type.B16: "b16 u16 s16 f16",
        Type.U16: "b16 u16 s16",
        Type.S32: "b32 u32 s32",
        Type.U32: "b32 u32 s32",
        Type.B32: "b32 u32 s32 f32",
        Type.F32: "b32 f32",
        Type.S64: "b64 u64",
        Type.B64: "b64 u64 f64",
        Type.F64: "b64 f64",
    }
    found = {type_: " ".join(x for x in _DECLARED if is_compatible(x, type_)) for type_ in wanted}
    assert found == wanted
    # asked of ptxas 13.0
    assert [x for x in wanted if is_compatible("f16x2", x)] == [Type.S32, Type.U32, Type.B32]


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("ptxas") is None, reason="needs ptxas")
def test_ptxas_agrees_on_types(tmp_path: Path) -> None:
    head = [*HEAD.splitlines(), ".entry k() {", ".reg .pred q; .reg .b32 r;"]
    head += [f".reg .{x} x_{x};" for x in _DECLARED]
    cases = [(declared, type_) for type_ in _LINES for declared in _DECLARED]
    lines = [_LINES[type_].replace("X", f"x_{declared}") + ";" for declared, type_ in cases]
    path = tmp_path / "types.ptx"
    path.write_text("\n".join([*head, *lines, "ret;", "}", ""]), encoding="ascii")
    command = ["ptxas", "-arch=sm_75", str(path), "-o", str(tmp_path / "x.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wrong = {int(x) - len(head) - 1 for x in re.findall(r"line (\d+); error", done.stderr)}
    found = listing(path.read_text(encoding="ascii"))
    assert [i for i, item in enumerate(found) if not item.is_legal] == sorted(wrong)


def test_every_rule_is_described() -> None:
    assert list(CHECK_RULES)[-len(ERRATA) :] == [x.id for x in ERRATA]
    assert all(about.endswith(".") for _, about in CHECK_RULES.values())


_BITS = ["vadd4.s32", ".s32.s32 ", "%0, ", "d, a, b, c;", '"', "'", "\\", "\n", "asm(", ")", ":"]
_BITS += ['"""', 'R"(', ')"', "/*", "*/", "//", "#", "{", "}", ".reg .u32 ", "%r<5>;", "@p ", "%%"]
_BITS += ["f'", "setp.lt.s32 p, %1, 5;", ".version 9", ".target sm_", "\\x", "é", "\\\n", ".entry"]


@given(st.lists(st.sampled_from(_BITS), max_size=30).map("".join))
def test_no_text_breaks_it(text: str) -> None:
    lines = text.split("\n")
    for items in (listing(text), *(source(text, x) for x in Language if x is not Language.PTX)):
        for item in items:
            for place in (item.location, *(x.location for x in item.diagnostics)):
                assert place.excerpt == lines[place.line - 1]
                start, end = place.span
                assert 0 <= start <= end <= len(place.excerpt)
                assert place.column == start + 1


@pytest.mark.parametrize(
    "text",
    [
        '"vadd4.u32.u32.u32.%s %%0, %%1, %%2, %%3;" % T',
        '"vadd4.u32.u32.u32.{} %0, %1, %2, %3;".format(T)',
        '("vadd4.u32.u32.u32 {}, {}, {};"\n).format(*r)',
        '"vadd4.u32.u32.u32 %0, %1, %2, " + rest',
    ],
)
def test_a_python_template_is_said_to_be_unread(text: str) -> None:
    (item,) = source(text, Language.PYTHON)
    assert item.is_unreadable
    assert item.is_legal


def test_of_a_very_long_line_only_what_is_near_is_shown() -> None:
    line = "vadd4.u32.u32.u32 %0, %1, %2, %3;"
    text = 'asm("' + line * 400 + "vadd4.bad %0, %1, %2, %3;" + line * 400 + '" :: OPERANDS);'
    bad = [item for item in source(text) if not item.is_legal]
    assert len(bad) == 1
    place = bad[0].diagnostics[0].location
    assert len(place.excerpt) < 1000
    assert place.excerpt[slice(*place.span)] == ".bad"
    assert text[place.column - 1 :].startswith(".bad")


def test_a_guarded_set_is_warned_of_and_an_unguarded_one_is_not() -> None:
    (manual,) = listing("@p  set.lt.and.f32.s32  d,a,b,r;")  # the PTX ISA's own example
    assert manual.errata == ("E14",)
    assert manual.example
    assert manual.example.values["p"] == 0
    assert manual.example.isa == manual.example.values["d"]
    assert manual.replacement
    assert manual.replacement[2:4] == (
        "    set.lt.and.f32.s32 w0, a, b, r;",
        "    @p mov.b32 d, w0;",
    )
    for line in (
        "set.lt.and.f32.s32 d, a, b, r;",
        "@p set.lt.and.u32.s32 d, a, b, r;",
        "@p set.lt.s32.f64 d, a, b;",
        "@p setp.lt.f32 q, a, b;",
    ):
        (item,) = listing(line)
        assert (item.errata, item.replacement) == ((), None), line
    for line in ("@%p9 set.lt.f32.f64 %r7, %fd1, %fd1;", "@!%p9 set.gt.s32.s16 %r7, %rs1, 5;"):
        (item,) = listing(line)
        assert item.errata == ("E14",)
        assert item.example
        assert item.example.values["%p9"] == ("!" in line)
        for name in ("isa", "ptxas"):
            bits = evaluate(line, item.example.values, model=name)
            assert bits == {"%r7": getattr(item.example, name)}


@pytest.mark.parametrize(
    ("operands", "taken"),
    [
        ("r, 1, 12, 2142016040", "12, not 1 as"),  # docs/semantics.md, 2.1
        ("r, a, b, 0x80000000", "a, not b as"),
        ("r, a, b, -2147483648", "a, not b as"),
        ("r, a, b, 0x7f800001", "b, not a as"),
        ("r, a, b, 0x7fffffff", "b, not a as"),
        ("r, a, b, 0x7f800000", ""),  # infinity
        ("r, a, b, 0x80000001", ""),
        ("r, a, b, -5", ""),  # a NaN, and negative
        ("r, a, b, 0", ""),
        ("r, a, b, 5", ""),
        ("r, a, b, c", ""),
        ("r, a, a, 0x80000000", ""),
        ("r, 3, 0x3, 0x80000000", ""),
    ],
)
def test_a_constant_c_of_slct_is_told_where_folding_it_gives_another_answer(
    operands: str, taken: str
) -> None:
    (item,) = listing(f"slct.s32.s32 {operands};")
    assert item.is_legal
    assert not item.errata
    if taken:
        (note,) = item.notes
        assert f"ptxas 11.8 to 13.3 at -O1 and above takes {taken} documented" in note
        assert [(x.rule, x.severity) for x in item.diagnostics] == [("note", "note")]
        known = {x.name: 0 for x in parse(f"slct.s32.s32 {operands}").inputs}
        assert note in trace(f"slct.s32.s32 {operands}", known).notes
    else:
        assert item.notes == ()


def test_of_the_eleven_types_of_slct_only_s32_is_folded_wrongly() -> None:
    types = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64".split()
    items = listing("".join(f"slct.{x}.s32 r, a, b, 0x80000000;" for x in types))
    assert [type_ for type_, item in zip(types, items, strict=True) if item.notes] == ["s32"]
    assert rules("slct.s32.f32 r, a, b, 0f80000000;") == []


BARE = """\
vmin4 ;
// vmin4 ;
vmin4;
/* ; */ vset\t;
@!%p vset ;
.loc 1 2 3
\tvmad;
L: selp
\t;
{ setp; }
"""
NOT_BARE = """\
.reg .b32 vmin4;
add.u32 d, a, vmin4;
add.u32 d, a,
  vset;
call vset;
bra vmax;
mov.b64 {vadd, vsub}, vmad;
mov.u32 vmad , vmin;
vsub4x ;
a set;
$vset; %vset; _vset; .vset;
"""


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64, 1000])
def test_a_bare_opcode_is_an_illegal_statement(size: int) -> None:
    text = NOT_BARE + BARE + NOT_BARE
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    found = list(check_listing(chunks, "x.ptx"))
    first = NOT_BARE.count("\n")
    assert [x.location.line - first for x in found] == [1, 3, 4, 5, 7, 8, 10]
    assert not any(x.is_legal for x in found)
    assert "is missing its destination type" in found[0].message
    assert not list(check_listing([NOT_BARE], "x.ptx"))
    (in_c,) = check_text('void f() { int vset; asm("vmin4 ;"); x = vset; vset; }', "x.cu")
    assert not in_c.is_legal


@sampled
@pytest.mark.parametrize("seed", range(20))
def test_each_statement_is_judged_by_its_own_registers(seed: int) -> None:
    # many are alike but for their registers; each is read alone here, and asked of what is declared
    rng = Random(seed)
    kinds = ["b32", "u32", "f32", "pred", "b64", "v4 .b32", "f16x2"]
    declared = [f".reg .{rng.choice(kinds)} {name}<4>;" for name in ("%r", "%f", "%p", "%h")]
    declared += [".reg .b32 %r1, x;", ".shared .b32 %r2;"]
    forms = [
        "vadd.u32.u32.u32 {0}, {1}, {2}",
        "@{3} vset4.s32.u32.lt.add {0}, {1}, {2}, {4}",
        "setp.lt.u32 {0}|{1}, {2}, {3}.x",
        "selp.b32 {0}, 5, {1}, {2}",
    ]
    names = ["%r0", "%r1", "%r2", "%r3", "%f1", "%f3", "%p0", "%p00", "%h1", "%rd1", "%r9", "x"]
    lines = [rng.choice(forms).format(*rng.choices(names, k=5)) for _ in range(60)]
    scopes = Scopes()
    scopes.read_directives(tokenize(" ".join(declared)))
    found = iter(listing("\n".join([*declared, *(f"{line};" for line in lines)])))
    for line in lines:
        item = next(found)
        try:
            instruction = parse(line)
        except PtxError:
            assert not item.is_legal
            continue
        wanted = [problem.message for problem in find_register_problems(instruction, scopes)]
        said = [x.message for x in item.diagnostics if x.rule in ("undeclared", "register-type")]
        assert (item.ptx, said) == (str(instruction), wanted)


@pytest.mark.parametrize(
    ("version", "target", "needs"),
    [  # as ptxas 13.2 and later: sm_120a/f, 121a/f (plain sm_120 no); sm_107a/f from 9.4
        ("9.2", "sm_120a", ""),
        ("9.2", "sm_120f", ""),
        ("9.2", "sm_121a", ""),
        ("9.2", "sm_121f", ""),
        ("9.4", "sm_107a", ""),
        ("9.4", "sm_107f", ""),
        ("9.2", "sm_120", ".target sm_120f"),
        ("9.2", "sm_121", ".target sm_120f"),
        ("9.4", "sm_107", ".target sm_120f"),
        ("9.2", "sm_107f", ".version 9.4"),
        ("9.1", "sm_120f", ".version 9.2"),
        ("9.2", "sm_100f", ".target sm_120f"),
        ("9.2", "sm_90a", ".target sm_120f"),
        ("9.2", "sm_120f, sm_90a", ".target sm_120f"),
    ],
)
@pytest.mark.parametrize("line", ["add.sat.u8x4 r, r, r;", "min.s8x4 r, r, r;", "neg.s8x4 r, r;"])
def test_a_family_of_targets_is_named_with_its_letter(
    version: str, target: str, needs: str, line: str
) -> None:
    text = f".version {version}\n.target {target}\n.address_size 64\n.reg .b32 r;\n{line}\n"
    (item,) = check_listing([text], "x.ptx")
    assert item.is_legal == (not needs)
    assert needs in item.message
    assert "needs" not in item.message.replace(f"needs {needs}", "", 1)
