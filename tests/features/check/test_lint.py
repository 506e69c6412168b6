"""What is said of the instructions of listings and sources."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, evaluate, parse, trace
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import PTXAS_MODELS
from ptxscope.engine.semantics.rules import ERRATA, FUSION_ERRATA, Erratum
from ptxscope.engine.syntax.register_checks import find_register_problems, is_compatible
from ptxscope.engine.syntax.scopes import Scopes
from ptxscope.engine.syntax.tokens import tokenize
from ptxscope.features.check.check_report import item_to_json
from ptxscope.features.check.check_rules import list_added_rules, map_rules
from ptxscope.features.check.counterexample import find_counterexample
from ptxscope.features.check.diagnostic import CheckedInstruction
from ptxscope.features.check.lint import check_source, check_text
from ptxscope.features.check.listing_checks import check_listing
from ptxscope.sources.source_language import Language, find_language
from tests.driving.command_line import run
from tests.features.check.check_cases import CHECK_DATA
from tests.reference_data import read_lines, table, verdicts
from tests.tiers import sampled, some


def listing(text: str) -> list[CheckedInstruction]:
    return list(check_listing([text], "x.ptx"))


def source(text: str, language: Language = Language.C) -> list[CheckedInstruction]:
    return list(check_source(text, "x", language))


def test_the_language_follows_from_name_or_content() -> None:
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
    assert {case: find_language(*case) for case in cases} == cases


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
        items = source(text, find_language("-", text)) if '"' in text else listing(text)
        assert all(item.is_legal for item in items) == legal, text


_HEADERS = Path("/usr/local/cuda/include")


@pytest.mark.soak
@pytest.mark.skipif(not _HEADERS.exists(), reason="needs the headers of CUDA")
def test_check_calls_no_line_of_the_cuda_headers_illegal() -> None:
    count = 0
    for path in sorted(_HEADERS.rglob("*")):
        if path.suffix in (".h", ".hpp", ".cuh", ".inl"):
            text = path.read_text(encoding="utf-8", errors="replace")
            for item in check_source(text, str(path), Language.C):
                count += 1
                assert item.is_legal, item
    assert count > 100


def test_the_cache_distinguishes_one_register_from_two() -> None:
    two, one = listing("vadd.u32.u32.u32.sat %r1, %r2, %r3;\nvadd.u32.u32.u32.sat %r1, %r9, %r9;")
    assert two.example
    assert set(two.example.values) == {"%r2", "%r3"}
    assert one.example
    assert set(one.example.values) == {"%r9"}
    assert one.ptx == "vadd.u32.u32.u32.sat %r1, %r9, %r9;"
    clash = listing("setp.lt.s32 %p1, %p1, %r1;\nsetp.lt.s32 %p1, %r7, %r1;")
    assert [item.is_legal for item in clash] == [False, True]
    assert "`%p1`" in clash[0].message


def test_register_names_are_reported_unchanged() -> None:
    for names in ("%z0, %z2, %z1", "%z0, %r1, %r2", "$0, $1, $2", "x, t0, w1"):
        (item,) = listing(f"vadd.u32.u32.u32.sat {names};")
        assert item.ptx == f"vadd.u32.u32.u32.sat {names};"
        assert item.example
        assert list(item.example.values) == names.split(", ")[1:]


@pytest.mark.parametrize("x", ERRATA, ids=[x.id for x in ERRATA])
def test_a_warning_on_an_erratum_has_operands_that_show_the_erratum(x: Erratum) -> None:
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
        # an unguarded `set`, guarded ones that no erratum touches, and `setp`
        "set.lt.and.f32.s32 d, a, b, r",
        "@p set.lt.and.u32.s32 d, a, b, r",
        "@p set.lt.s32.f64 d, a, b",
        "@p setp.lt.f32 q, a, b",
    ],
)
def test_an_erratum_that_the_operands_exclude_is_not_reported(line: str) -> None:
    (item,) = listing(line + ";")
    assert (item.errata, item.diagnostics, item.replacement) == ((), (), None)
    for a in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        values = {x.name: a & (1 << x.type.bits) - 1 for x in parse(line).inputs}
        for model in PTXAS_MODELS:
            assert evaluate(line, values) == evaluate(line, values, model=model)


@pytest.mark.parametrize(
    "line",
    [
        "@p vset.s32.u32.lt.min d, a, b, c;",
        "@!q vadd.u32.s32.s32.sat d.h1, a, b, c;",
        "@%p1 vset.s32.u32.lt.min %r1, %r2, %r3, %r1;",
        "@%p2 vadd.s32.s32.s32 %r1.h1, %r1, %r3, %r4;",
        "@p  set.lt.and.f32.s32  d,a,b,r;",  # the PTX ISA's own example
        "@%p9 set.lt.f32.f64 %r7, %fd1, %fd1;",
        "@!%p9 set.gt.s32.s16 %r7, %rs1, 5;",
    ],
)
def test_an_example_of_a_guarded_line_has_guard_and_old_value(line: str) -> None:
    (item,) = listing(line)
    example = item.example
    assert example
    ins = parse(line)
    assert set(example.values) == {x.name for x in ins.inputs}
    (name,) = ins.results.values()
    assert evaluate(line, example.values) == {name: example.isa}
    assert evaluate(line, example.values, model=example.model) == {name: example.ptxas}
    if ins.opcode == "set" and ins.guard:  # it destroys d where the guard is false
        assert item.errata == ("E14",)
        assert example.values[ins.guard.name] == ins.guard.negated


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


def test_a_replacement_follows_the_syntax_of_its_place() -> None:
    line = "@%p1 vadd.u32.s32.s32.sat %r1.b0, %r2, %r3, %r1;"
    (plain,) = listing(line)
    assert plain.replacement
    assert "@%p1 bfi.b32 %r1, w0, %r1, 0, 8;" in "\n".join(plain.replacement)
    (quoted,) = source('asm("' + line.replace("%", "%%").replace("%%r2", "%0") + '" :: "r"(a));')
    assert quoted.replacement
    assert "@%%p1 bfi.b32 %%r1, w0, %%r1, 0, 8;" in "\n".join(quoted.replacement)
    assert "    cvt.s64.s32 t0, %0;" in quoted.replacement


DECLARED = ["pred", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "f64"]


def test_type_compatibility_follows_the_manual() -> None:
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
    found = {type_: " ".join(x for x in DECLARED if is_compatible(x, type_)) for type_ in wanted}
    assert found == wanted
    # asked of ptxas 13.0
    assert [x for x in wanted if is_compatible("f16x2", x)] == [Type.S32, Type.U32, Type.B32]


def test_every_rule_is_described() -> None:
    added = {rule.id for rule in list_added_rules()}
    ids = [x.id for x in (*ERRATA, *FUSION_ERRATA)]
    assert [x for x in map_rules() if x not in added][-len(ids) :] == ids
    assert all(about.endswith(".") for _, about in map_rules().values())


_BITS = ["vadd4.s32", ".s32.s32 ", "%0, ", "d, a, b, c;", '"', "'", "\\", "\n", "asm(", ")", ":"]
_BITS += ['"""', 'R"(', ')"', "/*", "*/", "//", "#", "{", "}", ".reg .u32 ", "%r<5>;", "@p ", "%%"]
_BITS += ["f'", "setp.lt.s32 p, %1, 5;", ".version 9", ".target sm_", "\\x", "é", "\\\n", ".entry"]


@given(st.lists(st.sampled_from(_BITS), max_size=30).map("".join))
def test_check_survives_any_text(text: str) -> None:
    lines = text.split("\n")
    for items in (listing(text), *(source(text, x) for x in Language if x is not Language.PTX)):
        for item in items:
            for place in (item.location, *(x.location for x in item.diagnostics)):
                assert place.excerpt == lines[place.line - 1]
                start, end = place.span
                assert 0 <= start <= end <= len(place.excerpt)
                assert place.column == start + 1


def test_the_excerpt_of_a_very_long_line_is_short() -> None:
    line = "vadd4.u32.u32.u32 %0, %1, %2, %3;"
    text = 'asm("' + line * 400 + "vadd4.bad %0, %1, %2, %3;" + line * 400 + '" :: OPERANDS);'
    bad = [item for item in source(text) if not item.is_legal]
    assert len(bad) == 1
    place = bad[0].diagnostics[0].location
    assert len(place.excerpt) < 1000
    assert place.excerpt[slice(*place.span)] == ".bad"
    assert text[place.column - 1 :].startswith(".bad")


@pytest.mark.parametrize(("operands", "taken"), read_lines(CHECK_DATA / "folded_slct.txt", 2))
def test_a_constant_c_of_slct_is_noted_if_folding_changes_the_result(
    operands: str, taken: str
) -> None:
    (item,) = listing(f"slct.s32.s32 {operands};")
    assert item.is_legal
    assert not item.errata
    if taken != "-":
        (note,) = item.notes
        assert f"ptxas 11.8 to 13.3 at -O1 and above takes {taken} documented" in note
        assert [(x.rule, x.severity) for x in item.diagnostics] == [("note", "note")]
        known = {x.name: 0 for x in parse(f"slct.s32.s32 {operands}").inputs}
        assert note in trace(f"slct.s32.s32 {operands}", known).notes
    else:
        assert item.notes == ()


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
    reported = set[tuple[str, str]]()
    """What is not declared is reported once."""
    for line in lines:
        item = next(found)
        try:
            instruction = parse(line)
        except PtxError:
            assert not item.is_legal
            continue
        wanted = []
        for problem in find_register_problems(instruction, scopes):
            use = line[slice(*problem.span)], problem.message
            if use not in reported:
                wanted.append(problem.message)
            if ", but " not in problem.message:
                reported.add(use)
        said = [x.message for x in item.diagnostics if x.rule in ("undeclared", "register-type")]
        assert (item.ptx, said) == (str(instruction), wanted)


def test_a_guard_and_a_sink_crash_ptxas() -> None:
    for destination in ("_", "_|q"):
        notes = parse(f"@p setp.gt.u32 {destination}, a, b;").notes
        assert any("crashes ptxas 11.8 to 13.5" in note for note in notes)
        assert not any("accepted by ptxas" in note for note in notes)
        assert not any("crash" in note for note in parse(f"setp.gt.u32 {destination}, a, b;").notes)
    assert parse("@p setp.gt.u32 p|_, a, b;").notes == ()


def test_a_component_that_a_vector_lacks_can_be_run() -> None:
    text = ".reg .v2 .b32 v; .reg .b32 a, d; .reg .pred p; setp.gt.u32 p, v.z, a; selp.b32 d,1,0,p;"
    assert "d = 0x00000001" in run("run", text, "v.z=1", "a=0").stdout


def test_an_unread_line_is_neither_legal_nor_illegal() -> None:
    (unread,) = check_text('x = "vadd.u32.u32.u32 d, a, {b};"', "k.py")
    (read,) = check_text('x = "vadd.u32.u32.u32 d, a, b;"', "k.py")
    assert [item_to_json(x)["legal"] for x in (unread, read)] == [None, True]
