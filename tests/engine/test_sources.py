"""What is put together from what is not known, operands of asm statements, docstrings."""

from __future__ import annotations

import pytest

from ptxscope.engine.program.statement import StatementKind
from ptxscope.kernels.program_runs.execution import execute
from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_source, check_text
from ptxscope.sources.source_language import Language
from ptxscope.sources.source_programs import load


def source(text: str, language: Language = Language.C) -> list[CheckedInstruction]:
    return list(check_source(text, "x", language))


def noted(text: str, language: Language = Language.C) -> str:
    """The text from where the one note stands."""
    (item,) = source(text, language)
    assert item.is_unreadable
    assert item.is_legal
    (finding,) = item.diagnostics
    assert "not checked" in finding.message
    line = text.splitlines()[finding.location.line - 1]
    return line[finding.location.column - 1 :]


_OPERANDS = ' : "=r"(d) : "r"(a), "r"(b), "r"(c));'


# --- put together from what is not known --------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('asm("vadd4" TY ".foo %0,%1,%2,%3;"', "vadd4"),
        ('asm("vadd4.u32.u32.u32" TY " %0,%1,%2,%3;"', "vadd4"),
        ('asm("vadd4." TY ".u32.u32 %0, %1, %2, %3;"', "vadd4"),
        ('asm("set" CMP " %0, %1, %2;"', "set"),
        ('asm("mov.u32 %0, %1;\\n\\t" "vset4" TY " %0, %1, %2, %3;"', "vset4"),
        ('asm("@%%p vset4" TY " %0, %1, %2, %3;"', "vset4"),
        ('asm("mov.u32 %0, %1;" NL "vset4" TY " %0, %1, %2, %3;"', "vset4"),
        ('asm("mov.u32 %0, %1;" NL "vset4.u32.u32" TY " %0, %1, %2, %3;"', "vset4"),
        ('asm(OPC TY " %0, %1, %2, %3;"', "OPC"),
        ('asm volatile(OPC ".u32.u32.u32 %0, %1, %2, %3;"', "OPC"),
        ('asm(STR(op) ".s32.s32.s32 %0, %1, %2, %3;"', "STR"),
        ('asm(/* why */ OPC " %0, %1, %2, %3;"', "OPC"),
        ('asm("{\\n\\t.reg .u32 t;\\n\\t" o ".u32.u32.u32 t, %1, %2, %3;}"', "o "),
        ('asm("v" #op "4.u32.u32.u32 %0, %1, %2, %3;"', 'v" #op'),
        ('asm("vadd4.u32.u32.u32 %0, %1, %2, "\n#ifdef X\n"%3;"\n#endif\n', "vadd4"),
        ("asm(BODY", "BODY"),
    ],
)
def test_an_asm_statement_put_together_is_noted_once(text: str, place: str) -> None:
    assert noted(text + _OPERANDS).startswith(place)


@pytest.mark.parametrize("op", ["op", "#op"])
def test_a_macro_with_the_opcode_as_an_argument_is_noted_at_its_asm_statement(op: str) -> None:
    text = f'#define VOP(r, op) \\\n  asm({op} " %0, %1, %2, %3;"{_OPERANDS}\n'
    assert noted(text).startswith(op)
    assert noted(f"{text}VOP(f2)").startswith(op)  # no use of it: an argument is missing


def test_a_string_that_is_not_closed_is_reported_once() -> None:
    # in a string of Python without r, `\n` ends the line of C
    body = r""""{\n" "setp.ne.b32 p, %0, 0;\n" "}\n" :: "r"(p)"""
    text = f'K = """\nasm volatile({body});\n"""\n'
    items = list(check_text(text, "x.py"))
    assert [x.message for x in items if not x.is_legal] == ["this string literal is not closed"]


def test_a_statement_that_is_all_literal_is_checked_in_spite_of_what_is_not() -> None:
    text = 'asm("{\\n\\t.reg .u32 t;\\n\\t" o ".u32 t, %1;\\n\\t" '
    text += '"vsub4.u32.u32.u32.foo %0, t, %2, %3;}"'
    note, error = source(text + _OPERANDS)
    assert note.is_unreadable
    assert "`.foo`" in error.message


@pytest.mark.parametrize(
    "text",
    [
        'asm(X "vmin4.u32.u32.u32 %0, %1, %2, %3; vmin4.u32.u32" TY " %0, %1, %2, %3;"' + _OPERANDS,
        'k = "vmin4.u32.u32.u32 %0, %1, %2, %3; vmin4.u32.u32" TY " %0, %1, %2, %3;";',
        's << "vmin4.u32.u32.u32 %0, %1, %2, %3; vmin4.u32.u32" << t << " %0, %1, %2, %3;";',
    ],
)
def test_what_is_cut_off_is_never_illegal_and_what_is_whole_is_checked(text: str) -> None:
    whole, cut = source(text)
    assert (whole.ptx, whole.diagnostics) == ("vmin4.u32.u32.u32 %0, %1, %2, %3;", ())
    assert (cut.ptx, cut.is_unreadable, cut.is_legal) == ("vmin4", True, True)


_WRONG = "vadd4.u32.u32.u32.bogus %0, %1, %2, %3;"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (f'asm("{_WRONG}" MACRO{_OPERANDS}', Language.C),
        (f'asm(MACRO "{_WRONG}"{_OPERANDS}', Language.C),
        (f'asm("{{ " DECLARE(t) "{_WRONG}" NL "mov.u32 %0, " X "; }}"{_OPERANDS}', Language.C),
        (f'asm("mov.u32 %0, 1;"\n#if A == ":"\n"{_WRONG}"\n#endif\n{_OPERANDS}', Language.C),
        (f'asm(BLOCK("{_WRONG}"){_OPERANDS}', Language.C),
        (f'#define M(x) asm("mov.u32 %0, " #x "; \\\n " "{_WRONG}" NL{_OPERANDS}', Language.C),
        (f'asm(/* "x" */ NL /* " */ "{_WRONG}" // ; )\n NL{_OPERANDS}', Language.C),
        (f's = "{_WRONG}" + rest;', Language.C),
        (f'x = f"mov.u32 %0, {{x}}; {_WRONG}"', Language.PYTHON),
        (f'x = "{_WRONG}" + rest', Language.PYTHON),
        (f'x = ("mov.u32 a, %s; {_WRONG.replace("%", "%%")}") % x', Language.PYTHON),
        (f'x = "{{{{ mov.u32 a, {{0[x]}}; {_WRONG} }}}}".format(x)', Language.PYTHON),
        (f"""x = f'asm("{_WRONG}" {{x}} : "=r"(d) : "r"(a), "r"(b), "r"(c));'""", Language.PYTHON),
    ],
)
def test_only_the_statement_that_a_macro_touches_is_not_checked(
    text: str, language: Language
) -> None:
    (item,) = source(text, language)
    assert not item.is_legal
    assert item.message == "unknown modifier `.bogus`"
    line = text.splitlines()[item.location.line - 1]
    assert line[item.location.column - 1 :].startswith(".bogus")


def test_each_statement_that_a_macro_touches_is_noted() -> None:
    found = source('asm(OPC " %0, %1;" "vset4" TY " %0, %1, %2, %3;"' + _OPERANDS)
    assert [(x.ptx, x.is_unreadable) for x in found] == [("OPC", True), ("vset4", True)]


def test_a_register_that_a_macro_may_declare_is_not_called_undeclared() -> None:
    text = 'asm("{ .reg .u32 t;" DECLARE(u) "vadd4.u32.u32.u32 %0, u, t, %1; }"'
    (item,) = source(text + _OPERANDS)
    assert item.diagnostics == ()
    (item,) = source(text.replace(" DECLARE(u)", "") + _OPERANDS)
    assert item.diagnostics != ()


def test_a_register_that_both_branches_of_a_condition_declare_is_no_error() -> None:
    text = 'asm("{ "\n#if A\n".reg .u32 t;"\n#else\n".reg .b32 t;"\n#endif\n'
    (item,) = source(text + '"vadd4.u32.u32.u32 %0, t, t, %1; }"' + _OPERANDS)
    assert item.diagnostics == ()


def test_a_character_that_stands_for_a_gap_is_no_gap() -> None:
    (item,) = source(
        'asm("vadd4.u32.u32.u32 %0, %1, %2, \N{OBJECT REPLACEMENT CHARACTER};"' + _OPERANDS
    )
    assert not item.is_legal


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('sprintf(b,"vset4.%s.u32.lt %%r%d, %%r%d, %%r%d, %%r%d;", t, 1,2,3,4);', "vset4"),
        ('sprintf(b, "vset%d.u32.u32.lt %%r1, %%r2, %%r3, %%r4;", n);', "vset%d"),
        ('sprintf(b, "mov.u32 a, b;\\n\\tvset4.%s.%s.lt d, a, b, c;", t, u);', "vset4"),
        ('fmt::format("vadd4.{}.{}.{} d, a, b, c;", t, t, t);', "vadd4"),
        ('s = "vmax4." + t + ".u32.u32 a, b, c, d;";', "vmax4"),
        ('s << "vmax4." << t << ".u32.u32 " << d << ", a, b, c;\\n";', "vmax4"),
        ('s << "vadd4.u32.u32.u32 " << d << ", " << a << ";\\n";', "vadd4"),
        ('k = "vmax4" TY " %0, %1, %2, %3;";', "vmax4"),
        ('k = string("vmax4.u32.u32.u32 ") + d + ", a, b, c;";', "vmax4"),
    ],
)
def test_a_string_of_c_put_together_is_noted_once(text: str, place: str) -> None:
    assert noted(text).startswith(place)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('x = "vmax4." + t + ".u32.u32 a, b, c, d;"', "vmax4"),
        ('x = "vmax4." + t', "vmax4"),
        ('x = "vmax4.u32.u32.u32 " + operands', "vmax4"),
        ('x = "vmax4.%s.%s.%s %%r1, %%r2, %%r3, %%r4;" % t', "vmax4"),
        ('x = "vset%d.u32.u32.lt a, b, c, d;" % n', "vset%d"),
        ('T = "vmax4.{t}.u32.u32 a, b, c, d;"', "vmax4"),
        ('T = "vmax4.${t}.u32.u32 a, b, c, d;"', "vmax4"),
        ('T = "vmax4.{{ t }}.u32.u32 a, b, c, d;"', "vmax4"),
        ('x = ("mov.u32 a, b;\\n" + "vset4." + cmp(1)\n  + ".u32 a, b, c, d;")', "vset4"),
        ("cuda = '''asm(OPC \" %0, %1, %2, %3;\" : \"=r\"(d) : \"r\"(a));'''", "OPC"),
        ('cuda = \'\'\'asm("vset4" OPC " %0, %1;" : "=r"(d) : "r"(a));\'\'\'', "vset4"),
    ],
)
def test_a_string_of_python_put_together_is_noted_once(text: str, place: str) -> None:
    assert noted(text, Language.PYTHON).startswith(place)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('printf("vadd4 result: %d\\n", d);', Language.C),
        ('printf("vadd4.u32 result: %d\\n", d);', Language.C),
        ('printf("vadd4.%s failed, %d errors;", d);', Language.C),
        ('cout << "vadd4 result: " << d;', Language.C),
        ('cout << "vadd4.u32 result: " << d << "; set x to " << y;', Language.C),
        ('log("set x, y; setp failed; slct.");', Language.C),
        ('key = "set." + name; key = "set" + name;', Language.C),
        ('throw E("vset4.u32.u32.lt needs " + c);', Language.C),
        ('const char *names[] = {"vadd4.u32.u32.u32", "vset4"};', Language.C),
        ('#define A "vadd4.u32.u32.u32"\n#define B "x"\nint c;', Language.C),
        ('#include "set.h"\nint x;', Language.C),
        ('asm("mov.u32 %0, " X ";" : "=r"(d));', Language.C),
        ('asm("mov.u32 set, " X ";" : "=r"(d));', Language.C),
        ('asm("ld." SPACE ".u32 %0, [%1];" : "=r"(d) : "l"(p));', Language.C),
        ('// asm(OPC " %0;")\nputs("asm(OPC)");', Language.C),
        ('x = "set." + key', Language.PYTHON),
        ('print("vadd4 took " + t)', Language.PYTHON),
        ('print(f"vadd4.u32.u32.u32: {a} {b}")', Language.PYTHON),
        ('print(f"vadd4.{t} needs {a}, {b} or {c}")', Language.PYTHON),
        ('raise E("vset4.u32.u32.lt needs " + c)', Language.PYTHON),
        ('raise E("use vset4.u32.u32.lt, or " + c)', Language.PYTHON),
        ('x = "set %s, %s" % (a, b)', Language.PYTHON),
        ("x = 'asm(x) is how it begins'", Language.PYTHON),
    ],
)
def test_prose_gets_no_note(text: str, language: Language) -> None:
    assert source(text, language) == []


@pytest.mark.parametrize(
    "operands",
    ["%%r%d, %%r%d, %%r%d, %%r%d", "%s, %s, %s, %s", "%%r1, %%r2, %%r3, 0x%x", "{}, {}, {}, {}"],
)
def test_operands_that_are_filled_in_are_never_illegal(operands: str) -> None:
    noted(f'sprintf(b, "vadd4.u32.u32.u32 {operands};", r);')


def test_a_register_that_is_called_like_what_is_filled_in_is_one() -> None:
    text = 'k = ".reg .u32 %s, %d; vadd4.u32.u32.u32 %d, %s, %s, %s;";'
    assert [item.diagnostics for item in source(text)] == [()]


def test_literals_joined_with_a_plus_are_known() -> None:
    (item,) = source('x = "vadd4.u32.u32" + ".foo a, b, c, d;"', Language.PYTHON)
    assert not item.is_legal


# --- the operands of an asm statement -----------------------------------------------------


@pytest.mark.parametrize(
    "operands",
    ["OPERANDS", "OPS(d, f(a))", 'OUT : "r"(a), "r"(b), "r"(0)', 'OUT(d) : "r"(a), "r"(b), "r"(0)'],
)
def test_a_macro_behind_the_text_may_hold_the_operands(operands: str) -> None:
    """As nvcc 13.0 compiles it, with ``#define OPERANDS : "=r"(d) : "r"(a), "r"(b), "r"(0)``."""
    text = f'asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" {operands});'
    (item,) = source(text)
    assert item.is_legal
    assert [x.rule for x in item.diagnostics] == ["note"]  # the types are not known
    assert not item.notes
    (program,) = load(text)
    kinds = [StatementKind.INSTRUCTION, *[StatementKind.UNKNOWN] * operands.startswith("OUT")]
    assert [x.kind for x in program.statements] == kinds
    assert not program.constants


def test_a_macro_that_ends_the_text_is_not_taken_for_the_operands() -> None:
    (program,) = load('asm("vmax4.u32.u32.u32 %0, %1, %2, %3; " MORE OPERANDS);')
    assert [x.text for x in program.omitted_statements] == ["<MORE OPERANDS>"]
    (item,) = source('asm("vmax4.u32.u32.u32 %0, %1, %2, " LAST);')
    assert item.is_unreadable


def past(text: str, name: str) -> str:
    """What is said of an operand, and nothing else is wrong."""
    (item,) = source(text)
    (finding,) = (x for x in item.diagnostics if x.severity == "error")
    assert finding.location.excerpt[slice(*finding.location.span)] == name
    assert not item.is_legal
    return finding.message


def test_a_placeholder_past_the_operands_is_an_error() -> None:
    said = past('asm("vadd4.u32.u32.u32 %0,%1,%1,%7;" : "=r"(d) : "r"(a));', "%7")
    assert said == "`%7` is beyond the operands of this asm statement: %0 to %1"
    assert "%0" in past('asm("vadd4.u32.u32.u32 %0,%0,%1,%0;" : "+r"(d));', "%1")
    declared = "{ .reg .b32 a; vadd4.u32.u32.u32 a,a,a,%3; }"
    assert "none" in past(f'asm("{declared}" ::);', "%3")
    assert "none" in past('asm("vadd4.u32.u32.u32 %0,%1,%2,%3;" ::);', "%0")
    assert "none" in past('asm("vadd4.u32.u32.u32 %0,%1,%2,%3;");', "%0")
    assert "none" in past('asm("vadd4.u32.u32.u32 %0,%1,%2,%3;"\n#if X\n#endif\n);', "%0")
    assert "%0 to %2" in past(
        'asm("vadd.u32.u32.u32.add %0,%1,%2,%3;" : "=" "&r"(d) : "r"(f(x, ":)", \')\')), "n"(1)'
        ' : "memory");',
        "%3",
    )


@pytest.mark.parametrize(
    "text",
    [
        'asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d) : ARGS(a));',
        'asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d) : "r"(a) REST);',
        'asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d)\n#ifdef X\n : "r"(a)\n#endif\n);',
        'asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d) : "r"(a)',
        'asm("{.reg .u32 %%7; vadd4.u32.u32.u32 %0,%1,%1,%%7;}" : "=r"(d) : "r"(a));',
        'asm(R"({.reg .u32 %%7; vadd4.u32.u32.u32 %0,%1,%1,%%7;})" : "=r"(d) : "r"(a));',
        'asm("{.reg .u32 %7; vadd4.u32.u32.u32 %7,%7,%7,%7;}" ::);',
        'asm("vadd.u32.u32.u32.add %0,%1,%2,%3;" : "+r"(d) : "r"(a), "n"(1), "r"(b) : "memory");',
    ],
)
def test_placeholders_that_may_be_operands_are_left_alone(text: str) -> None:
    (item,) = source(text)
    assert item.is_legal
    assert not item.is_unreadable


def test_the_types_of_operands_are_counted_by_operand() -> None:
    text = 'asm("vadd.u32.u32.u32 %0, %1, %2;" : "=" "r"(d) : "r"(a), "f"(b));'
    (item,) = source(text)
    assert [text[x.location.column - 1 :][:2] for x in item.diagnostics] == ["%2"]
    (item,) = source('asm("vadd.u32.u32.u32 %0, %1, %2;" : OUT("=r", d), "=r"(x) : "f"(b));')
    assert item.is_legal


def test_named_operands_are_registers() -> None:
    text = (
        'asm("vadd4.u32.u32.u32 %[d], %[a], %[b], %[a];" : [d] "=r"(d) : [a] "r"(a), [ b ] "r"(b));'
    )
    (item,) = source(text)
    assert item.is_legal
    assert item.ptx == "vadd4.u32.u32.u32 %0, %1, %2, %1;"
    (item,) = source(text.replace('[a] "r"', '[a] "l"'))
    wrong = [x.location for x in item.diagnostics if x.rule == "register-type"]
    assert [x.excerpt[slice(*x.span)] for x in wrong] == ["%[a]", "%[a]"]


def test_a_name_that_is_no_operand_is_an_error() -> None:
    text = 'asm("vadd4.u32.u32.u32 %[d], %[a], %[x], %[a];" : [d] "=r"(d) : [a] "r"(a));'
    assert past(text, "%[x]") == "`%[x]` names no operand of this asm statement"
    assert noted(text.replace('[a] "r"(a)', "ARGS")).startswith("vadd4")


def test_a_modifier_that_is_an_operand_is_noted() -> None:
    text = 'asm("vadd4.%2.u32.u32 %0, %1, %1, %1;" : "=r"(d) : "r"(a), "C"(type));'
    assert noted(text).startswith("vadd4")


# --- docstrings of Python -----------------------------------------------------------------

_PROSE = [
    "Tells of vadd4.u32.u32.u32 and vset4; e.g. `vmin4.foo %0, %1;` is bad.",
    "Docs: set the value; vmax2 slct selp. vadd.s32.s32.s32 d, a, b;",
    "vmin4.foo %0, %1; is bad",
    "vmin4.u32.foo %0, %1, %2, %3;\n\n    What this does is bad.",
]


@pytest.mark.parametrize("prose", _PROSE)
@pytest.mark.parametrize(
    "head",
    [
        "",
        "#!/usr/bin/python\n# why\n\n",
        "def f():\n    ",
        "def f(): ",
        "async def f(a, b='x:', *, c: int = (1)) -> 'y':  # why\n    ",
        "class A(B[1:2], metaclass=C):\n    x = 1\n"
        "    def f(\n        self,\n    ) -> None:\n        ",
        "class A:\n    ",
    ],
)
def test_a_docstring_is_not_ptx(head: str, prose: str) -> None:
    assert source(f'{head}"""{prose}"""\n    x = 1\n', Language.PYTHON) == []


@pytest.mark.parametrize(
    "text",
    [
        '"""{}""" + x',
        'x = "{}"',
        'def f():\n    x = "{}"',
        'def f():\n    return "{}"',
        'd = {{1:\n"{}"}}',
        'def f():\n    """Tells."""\n    x = "{}"',
        'import a\n"{}"',
        'if x:\n    "{}"',
        'lambda: "{}"',
        'class A:\n    x: int = "{}"',
    ],
)
def test_another_string_is_no_docstring(text: str) -> None:
    assert source(text.format("vmin4.u32.u32.foo %0, %1, %2, %3;"), Language.PYTHON)


@pytest.mark.parametrize(
    "text",
    [
        "vmin4.u32.u32.foo %0, %1, %2, %3;",
        "\n  // why\n  mov.u32 %0, 1;\n @p vmin4.u32.u32.foo %0, %1, %2, %3;\n ret;\n",
        ".version 7.0\n.target sm_75\n.visible .entry k(.param .u32 a)\n{ .reg .b32 %r<5>;\n"
        "L: vmin4.u32.u32.foo %r0, %r1, %r2, %r3;\nbra L;\n}",
    ],
)
def test_a_docstring_that_is_all_ptx_is_checked(text: str) -> None:
    for head in ("", "def f():\n"):
        (item,) = source(f'{head}"""{text}"""', Language.PYTHON)
        assert "`.foo`" in item.message


def test_a_register_whose_percent_is_not_doubled_is_an_error_where_nvcc_refuses_it() -> None:
    # asked of nvcc 13.0.88: a letter and a digit behind % are a modifier and an operand to it
    line = 'asm("{{ .reg .b32 {0}; vadd4.u32.u32.u32 %0, {0}, %1, %1; }}" {1});'
    operands = ': "=r"(d) : "r"(a)'
    for name in ("%p1", "%r10", "%r1x", "%P2"):
        said = past(line.format(name, operands), name)
        assert said.endswith(f"in an asm statement with operands: write `%{name}`")
        (right,) = source(line.format(f"%{name}", operands))
        assert right.is_legal
    for name in ("%rd1", "%rs3", "%xy"):
        (item,) = source(line.format(name, operands))
        assert item.is_legal
    (alone,) = source('asm("{ .reg .b32 %r1; vadd4.u32.u32.u32 %r1, %r1, %r1, %r1; }");')
    assert alone.is_legal


def test_a_constraint_is_named_where_there_is_one() -> None:
    said = past('asm("vadd.u32.u32.u32 %0,%1,%2;" : "=r"(d) : "l"(a), "r"(b));', "%1")
    assert said == "`%1` is .b64 by its constraint, but operand a is .u32"
    ptx = ".entry k() { .reg .b64 %1; .reg .b32 %r<4>; vadd.u32.u32.u32 %r1, %1, %r2; }"
    (item,) = check_text(".version 8.0\n.target sm_75\n" + ptx, "x.ptx")
    assert item.diagnostics[0].message == "`%1` is declared .b64, but operand a is .u32"


# --- opcodes that are filled in, and empty statements ---------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        'x = f"{op}.u32.u32.u32 a, a, a, a;"',
        'x = f"\\n\\t{op}.u32.u32.u32.sat %0, %1, %2, %3;\\n"',
        'x = "{}.ge.s32 p, a, b;".format(op)',
        'x = "%s.u32.u32.u32 a, a, a, a;" % op',
    ],
)
def test_an_opcode_that_python_fills_in_is_noted(line: str) -> None:
    assert noted(line, Language.PYTHON)[:2] in ("{o", "{}", "%s")


@pytest.mark.parametrize(
    "line",
    [
        'x = f"{op}.u32 is a type, and one of many, as is .s32;"',
        'x = f"{op}.txt a, b, c, d;"',
        'x = f"{op}.u32 a, b;"',  # a mov, say
        'x = f"{op}, a, b, c;"',
    ],
)
def test_other_strings_that_python_fills_in_are_not(line: str) -> None:
    assert source(line, Language.PYTHON) == []


VADD4 = 'asm("vadd4.u32.u32.u32 %0, %1, %1, %1{}" : "=r"(d) : "r"(a));'


def test_a_semicolon_alone_ends_a_statement_or_is_an_error() -> None:
    """ptxas 13.0: "Parsing error near ';'" where the statement before has its own."""
    good, empty = source(VADD4.format(";") + '\nasm(";");')
    assert good.is_legal
    assert empty.message == "this `;` ends no statement: ptxas rejects empty statements"
    assert (empty.location.line, empty.location.column) == (2, 6)
    (only,) = source(VADD4.format("") + '\nasm(";");')
    assert only.is_legal
    assert [
        x.is_legal for x in source('asm("mov.u32 %0, 1;" : "=r"(d)); asm volatile(";" ::);')
    ] == [False]
    assert not source('asm("mov.u32 %0, 1" : "=r"(d)); asm(";");')


def test_a_setp_that_crashes_ptxas_is_a_warning() -> None:
    (item,) = check_text("@p setp.eq.s32 _|q, a, b;", "-")
    (finding,) = item.diagnostics
    assert (finding.rule, finding.severity) == ("crash", "warning")
    assert "11.8 to 13.5" in finding.message
    *_, crash = check_text("@p setp.eq.s32 _, a, b;", "-").__next__().diagnostics
    assert crash.severity == "warning"


def test_a_statement_whose_opcode_is_a_macro_is_named_by_it() -> None:
    text = 'asm("{ .reg .u32 t;" MYOP ".u32 t, %1, %1; not.b32 %0, t; }" : "=r"(d) : "r"(a));'
    (program,) = load(text)
    (need,) = execute(program, {"%1": 1}).missing_inputs
    assert "(<MYOP>.u32 at line 1 made it unknown)" in need.message


def test_ptx_in_no_asm_statement_is_noted() -> None:
    text = """\
__device__ void f(unsigned a, unsigned& d) { asm("brev.b32 %0, %1;" : "=r"(d) : "r"(a)); }
  @%p1 prmt.b32 %r1, %r2, %r3, 0x5410;
// vadd4.u32.u32.u32 d, a, b, c;
#if 0
vadd4.u32.u32.u32 d, a, b, c;
#endif
#define S(x) S2(x)
int x = S(vadd4.u32.u32.u32 d, a, b, c;) + add.u32 + y(lop3.b32 ? 1 : 2);
{ vadd4.u32.u32.u32 d, a, b,
  c; }
"""
    items = [x for x in check_text(text, "k.cu") if x.diagnostics]
    assert [(x.location.line, x.location.column, x.ptx) for x in items] == [
        (2, 8, "prmt.b32 %r1, %r2, %r3, 0x5410;"),
        (9, 3, "vadd4.u32.u32.u32 d, a, b, c;"),
    ]
    assert {x.diagnostics[0].rule for x in items} == {"unread"}
    assert "outside asm statements" in items[0].diagnostics[0].message


_RUST_MACROS = r"""
macro_rules! f { ($ty:literal, $x:expr, $($r:expr),*) => { unsafe {
  asm!(concat!("add.", $ty, " {0}, {1}, {1};"), out(reg32) d, in(reg32) a);
  asm!(concat!("vadd4.u32.", $ty, ".u32 {0}, {1}, {1}, {1};"), out(reg32) d, in(reg32) a);
  asm!(concat!("vadd4.u32", ".u32.u32", " {0}, {1},",
    " {1}, {1};"), "and.u32 {0}, {1}, {1};", out(reg32) d, in(reg32) a);
  asm!($("vadd4.u32.u32.", $x, ".u32 {0};",)* "vsub4.u32.u32.u32 {0}, {1}, {1}, {1};",
    out(reg32) d, in(reg32) a);
  asm!("vmin4.u32.u32.u32 {0}, {1}, {2}, {3};", out(reg32) d, $(in(reg32) $r),*);
} } }
"""


def test_macros_in_the_asm_of_rust_are_read_or_noted() -> None:
    found = [
        (x.location.line, "unread" if x.is_unreadable else x.is_legal)
        for x in check_text(_RUST_MACROS, "f.rs")
    ]
    assert found == [(4, "unread"), (5, True), (6, False), (7, True), (9, True)]
