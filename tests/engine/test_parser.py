"""Parsing what people paste, and the errors that say what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from ptxscope import Instruction, PtxError, diagnose, evaluate, parse, parse_all, trace
from ptxscope.engine.isa.types import Cmp, Destinations, SecOp, Selector, Type
from ptxscope.engine.syntax.errors import NotOneError, format_problem
from ptxscope.engine.syntax.instruction import Guard, Immediate, Register
from tests.reference_data import read_lines
from tests.strategies import INSTRUCTIONS


def fail(text: str) -> PtxError:
    with pytest.raises(PtxError) as caught:
        parse(text)
    return caught.value


@given(INSTRUCTIONS)
def test_canonical_text_parses_back(ins: Instruction) -> None:
    assert parse(str(ins)) == ins


def test_every_part_of_an_instruction_has_a_type_and_a_span() -> None:
    text = "@!p vadd4.u32.sat.s32.s32 %r1.b310, %r2.b4567, %r3, %r1;"
    ins = parse(text)
    assert ins.form.dtype is Type.U32
    assert ins.form.atype is Type.S32
    assert ins.form.sat
    assert ins.form.mask == Selector(8, (0, 1, 3))
    assert ins.form.asel == Selector(8, (7, 6, 5, 4))
    assert ins.guard == Guard("p", True)
    assert ins.destinations == ("%r1",)
    assert ins.sources == (Register("%r2"), Register("%r3"), Register("%r1"))
    assert str(ins) == "@!p vadd4.u32.s32.s32.sat %r1.b310, %r2.b4567, %r3, %r1;"
    spans = {part: text[slice(*span)] for part, span in ins.spans.items()}
    assert spans["opcode"] == "vadd4"
    assert spans["sat"] == ".sat"
    assert spans["atype"] == ".s32"
    assert spans["mask"] == ".b310"
    assert spans["a"] == "%r2.b4567"
    assert spans["guard"] == "p"


@pytest.mark.parametrize(
    "text",
    [
        "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0",
        "  vset4 .s32 .u32 .lt .add\n\t%r1 , %r2,%r3 ,%r0 ;  ",
        "/* why? */ vset4.s32.u32.lt.add %r1, %r2, // a and b\n %r3, %r0;",
        "{ .reg .b32 t; vset4.s32.u32.lt.add %r1, %r2, %r3, %r0; }",
        "$L__BB0_2:\n\tvset4.s32.u32.lt.add %r1, %r2, %r3, %r0;\n\tret;",
        'asm("vset4.s32.u32.lt.add %%r1, %%r2, %%r3, %%r0;" : : );',
        'asm volatile("vset4.s32.u32.lt" ".add %r1, %r2, %r3, %r0;\\n\\t" : "=r"(x) : "r"(y));',
        '__asm__ __volatile__ ( /* a */ "vset4.s32.u32.lt.add" // b\n   "%r1, %r2, %r3, %r0;")',
        '"vset4.s32.u32.lt.add" "%r1, %r2, %r3, %r0;"',
        'asm(R"ptx(\n  vset4.s32.u32.lt.add %r1, %r2, %r3, %r0;\n)ptx" : "=r"(x))',
        ".version 8.0\n.target sm_75\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<4>;\nld.global.u32 %r2, [%rd1];\nvset4.s32.u32.lt.add %r1, %r2, %r3, %r0;\n"
        "ret;\n}",
    ],
)
def test_an_instruction_is_parsed_from_pasted_surroundings(text: str) -> None:
    ins = parse(text)
    assert str(ins) == "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0;"
    start, end = ins.spans["opcode"]
    assert text[start:end] == "vset4"
    start, end = ins.spans["c"]
    assert text[start:end].endswith("%r0") or text[start:end].endswith("%%r0")


def test_several_instructions() -> None:
    block = "{ .reg .pred p; setp.ne.b32 p, %1, 0; mov.u32 x, 1; selp.b32 %0, %2, %3, p; }"
    assert [ins.opcode for ins in parse_all(block)] == ["setp", "selp"]
    without = "vadd.u32.u32.u32 d, a, b\n@p vsub.u32.u32.u32 d, a, b\nset.lt.u32.s32 d, a, b"
    assert [ins.opcode for ins in parse_all(without)] == ["vadd", "vsub", "set"]
    error = fail(block)
    assert "2 instructions" in error.message
    assert block[slice(*error.span)].startswith("selp")
    texts = ["vadd.u32.u32.u32 %0, %1, %2;", "selp.b32 %0, %1, %2, p;"]
    two = f'asm("{texts[0]}" : "=r"(d)); asm("{texts[1]}");'
    assert [str(ins) for ins in parse_all(two)] == texts


@pytest.mark.parametrize(
    ("dst", "destinations"),
    [
        ("p", ("p",)),
        ("p|q", ("p", "q")),
        ("p|_", ("p", None)),
        ("_|q", (None, "q")),
        ("_", (None,)),
        ("p | q", ("p", "q")),
    ],
)
def test_destinations_of_setp(dst: str, destinations: tuple[str | None, ...]) -> None:
    ins = parse(f"setp.lt.s32 {dst}, a, b")
    assert ins.destinations == destinations
    assert ins.form.dst == Destinations(dst.replace(" ", ""))


@pytest.mark.parametrize(
    ("line", "bits"),
    [*read_lines("literals.txt", 2), (f"selp.u64 d, 0x{'0' * 300}5, b, p", "5")],
)
def test_a_literal_has_the_same_bits_as_in_ptxas(line: str, bits: str) -> None:
    (literal,) = (x for x in parse(line).sources if isinstance(x, Immediate))
    assert literal.bits == int(bits, 0)


def test_a_sign_before_a_literal_belongs_to_it() -> None:
    assert not parse("vmad.s32.s32.s32 d, -5, b, c").form.nega
    assert parse("vmad.s32.s32.s32 d, -a, b, c").form.nega
    assert parse("selp.b32 d, a, b, !1").form.negc


@pytest.mark.parametrize(("text", "message", "under", "hint"), read_lines("parse_errors.txt", 4))
def test_a_parser_error_has_message_span_and_hint(
    text: str, message: str, under: str, hint: str
) -> None:
    errors = fail(text).errors
    matching = [problem for problem in errors if message in problem.message]
    assert matching, errors
    start, end = matching[0].span
    assert text[start:end].startswith(under)
    assert hint in matching[0].hint
    assert not under or start < end


def test_the_allowed_types_of_all_shapes_are_named_once() -> None:
    allowed = fail("sub.u16x2 d, a, b").errors[0].hint.split()
    assert set(allowed) == {f".{x}" for x in "u16 u32 u64 s16 s32 s64 u8x4 s8x4".split()}
    assert len(allowed) == len(set(allowed))


def test_every_error_of_a_line_is_reported() -> None:
    text = "vadd.u32.u16.u32.foo d.b9, -a, 08"
    found = [text[slice(*problem.span)] for problem in fail(text).errors]
    assert found == [".u16", ".foo", ".b9", "-", "08"]


def test_errors_point_through_glued_strings_and_escapes() -> None:
    text = 'asm("vadd.u32.u32"  /* ! */ ".u32\\n\\t%%d, %%a.b7, %%b;" : )'
    error = fail(text)
    assert text[slice(*error.span)] == ".b7"
    lines = str(error).splitlines()
    caret = next(i for i, line in enumerate(lines) if line.strip() == "^^^")
    assert lines[caret - 1][lines[caret].index("^") :].startswith(".b7")


def test_a_fix_repairs_the_line() -> None:
    text = "varvg2.s32.s32.s32 d, a, b, c"
    problem = fail(text).errors[0]
    assert problem.fix is not None
    start, end = problem.span
    assert parse(text[:start] + problem.fix + text[end:]).opcode == "vavrg2"


@pytest.mark.parametrize("hostile", ["\x1b[31m", "\u202e", "\x00", "\x7f", "😀", "\u05d0", "é"])
def test_hostile_text_is_shown_as_text(hostile: str) -> None:
    shown = str(fail(f"vadd.u32.u32.u32 d, a{hostile}, b"))
    assert all(char == "\n" or char.isprintable() for char in shown)
    assert "\u202e" not in shown


def test_a_very_long_line_is_shown_around_its_error() -> None:
    lines = str(fail("vadd.u32.u32.u32 d, " + "x" * 10_000 + "!, b")).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1][lines[2].index("^")] == "!"


def test_the_diagram_of_a_later_line_shows_that_line() -> None:
    text = "// first\n\nvadd.u32.u32.u32 d, a.b9, b"
    _, line, *_ = format_problem(text, fail(text).errors[0]).splitlines()
    assert line == "  vadd.u32.u32.u32 d, a.b9, b"


def test_set_combines_with_a_predicate() -> None:
    ins = parse("set.lt.and.u32.s32 d, a, b, !c")
    assert ins.form.cmp is Cmp.LT
    assert ins.form.negc
    assert ins.type_of("c") is Type.PRED
    assert parse("vset4.s32.u32.lt.add d, a, b, c").form.secop is SecOp.ADD


def test_the_inputs_of_an_instruction_are_its_read_registers() -> None:
    def reads(text: str) -> list[str]:
        return [needed.name for needed in parse(text).inputs]

    assert reads("vadd.u32.u32.u32 d, a, b") == ["a", "b"]
    assert reads("vadd.u32.u32.u32 d, a, b, c") == ["a", "b"]
    assert reads("vadd.u32.u32.u32 d.b0, a, b, c") == ["a", "b", "c"]
    assert reads("vadd4.u32.u32.u32 d, a, b, c") == ["a", "b"]
    assert reads("vadd4.u32.u32.u32 d.b0, a, b, c") == ["a", "b", "c"]
    assert reads("vadd4.u32.u32.u32 d, a, b.b3210, c") == ["a"]
    assert reads("vadd.u32.u32.u32 a, a, 5, a") == ["a"]
    assert reads("@p setp.lt.s32 q|r, a, b") == ["a", "b", "p", "q", "r"]


def test_a_string_of_a_directive_may_hold_anything_and_an_escape_no_digits() -> None:
    assert parse('asm("vadd.u32.u32.u32 d, a, b\\x;");').names["b"] == "bx"
    text = '.file 1 "a;b{.cu"\n.pragma "x;y";\nvadd.u32.u32.u32 d, a, b;'
    assert str(parse(text)) == "vadd.u32.u32.u32 d, a, b;"
    assert fail('vadd.u32.u32.u32 d, a, "b;";').errors


ADD = "vadd.u32.u32.u32 d, a, b;"
ASM = 'asm("vmin4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{ADD} foo bar", "`foo bar`"),
        (f"{ADD} foo\nbar ;", "`foo bar`"),
        (f"ld.u32 a, [x]; {ADD} st.global.u32 [x], d; ret;", "`ld.u32 a, [x]` and 2 more"),
        (f"{ADD} @p", "`@p`"),
        (f'asm("bar.sync 0; {ADD}");', "`bar.sync 0`"),
        (f"{ADD} {'x' * 99};", f"`{'x' * 40}…`"),
        (ADD.rstrip(";"), ""),
        (f" {ADD} ; ;\n", ""),
        (f"// foo bar\n{ADD} /* foo bar; */", ""),
        (f"L: {{ .reg .b32 t; {ADD} }}", ""),
        (f'int foo = bar; asm("{ADD}"); foo(bar);', ""),
        (f"/* {ADD} */ {ASM}", ""),
        (f"set.x = 3; {ASM} vadd(a, b);", ""),
    ],
)
def test_ignored_text_is_reported_in_a_note(text: str, said: str) -> None:
    assert [x for x in parse(text).notes if "ignored" in x] == [f"ignored text: {said}"] * bool(
        said
    )
    assert parse(text) == parse(ASM if ASM in text else ADD)


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        (f"mov.u32 a, 1; {ADD} ret;", "mov.u32 a, 1"),
        (f'asm("mov.b32 t, 1; {ADD}");', "mov.b32 t, 1"),
        (f"{ADD} ex2.approx.f32 e, d;", "ex2.approx.f32 e, d"),
        (f"@p and.b32 a, a, b; {ADD}", "@p and.b32 a, a, b"),
        (f"add.u32 a, a, b; {ADD}", "add.u32 a, a, b"),
        (f"{ADD} mad.rn.f32 x, y, z, d;", "mad.rn.f32 x, y, z, d"),
    ],
)
def test_a_statement_that_computes_a_register_is_not_ignored(text: str, ignored: str) -> None:
    """In every function that takes the text of one instruction, as in the commands."""
    values = {"a": 1, "b": 2}
    for read in (
        parse,
        lambda x: trace(x, values),
        lambda x: evaluate(x, values),
        lambda x: diagnose(x, values, 0),
    ):
        with pytest.raises(NotOneError) as caught:
            read(text)
        (problem,) = caught.value.errors
        assert problem.message == f"`{ignored}` would be ignored, but it computes a register"
        assert text[slice(*problem.span)] == ignored


@pytest.mark.parametrize("text", [f"{ADD} {ASM}", f"{ASM}\n{ADD}", f"int x; {ASM} {ADD} y();"])
def test_ptx_beside_an_asm_statement_is_a_second_instruction(text: str) -> None:
    error = fail(text)
    assert isinstance(error, NotOneError)
    assert error.message == "there are 2 instructions here, not one"
    assert text[slice(*error.span)] == ADD.rstrip(";")


@pytest.mark.parametrize("other", [None, b"vadd.u32.u32.u32 d, a, b;", 5, ["vadd"]])
def test_a_value_that_is_not_text_is_refused_by_its_type(other: Any) -> None:
    entries: list[Callable[[Any], object]] = [
        parse,
        parse_all,
        lambda x: trace(x, {"a": 1, "b": 2}),
        lambda x: evaluate(x, {"a": 1, "b": 2}),
        lambda x: diagnose(x, {"a": 1, "b": 2}, 3),
    ]
    for entry in entries:
        with pytest.raises(TypeError) as caught:
            entry(other)
        assert str(caught.value) == f"PTX must be text, not {type(other).__name__}"
