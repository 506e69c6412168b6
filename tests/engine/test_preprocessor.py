"""What the preprocessor of C does to a source: conditions, macros, line markers.

Expected verdicts and places follow C11 6.10 (conditions 6.10.1, macros 6.10.3, lines 6.10.4) and
GCC's documentation of line markers.
"""

from __future__ import annotations

import pytest

from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_source, check_text
from ptxscope.sources.preprocessor import select_branches
from ptxscope.sources.source_language import Language, language_of

IO = ' : "=r"(d) : "r"(a), "r"(b));'


def check(text: str, **definitions: str | None) -> list[CheckedInstruction]:
    return list(check_source(text, "x.cu", Language.C, definitions))


# --- conditions -----------------------------------------------------------------------------


def _holds(condition: str, **definitions: str | None) -> bool | None:
    """Whether a condition is found to hold; None if it is left as it is."""
    text = select_branches(f"#if {condition}\nyes\n#else\nno\n#endif\n", definitions)
    assert len(text) == len(f"#if {condition}\nyes\n#else\nno\n#endif\n")
    found = ("yes" in text, "no" in text)
    assert ("#" in text) == (found == (True, True))
    return {(True, False): True, (False, True): False, (True, True): None}[found]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("ARCH >= 800", True),
        ("ARCH < 800", False),
        ("ARCH == 900 && defined(ARCH)", True),
        ("defined ARCH", True),
        ("!defined(ARCH)", False),
        ("!defined GONE", True),
        ("GONE", False),
        ("GONE + 1 == 1", True),
        ("OTHER", None),
        ("defined(OTHER)", None),
        ("OTHER && ARCH < 800", False),
        ("OTHER || ARCH >= 800", True),
        ("OTHER && ARCH >= 800", None),
        ("OTHER || ARCH < 800", None),
        ("!OTHER", None),
        ("1 ? ARCH == 900 : OTHER", True),
        ("(ARCH / 10 - 0x5aULL) == 0", True),
        ("-7 / 2 == -3 && -7 % 2 == -1", True),  # towards zero
        ("010 == 8 && 0b11 == 3 && 1'000 == 1000", True),
        ("1 + 2 * 3 == 7 && (1 | 2 ^ 3 & 1) == 3", True),
        ("2 - 1 - 1 == 0 && 8 >> 1 << 1 == 8", True),
        ("~0 == -1 && !!5 == 1 && 3 > 2 > 0", True),
        ("NEXT == 901", True),
        ("ARCH /* } */ == 900 // ok", True),
        ("ARCH \\\n == 900", True),
        ("1 - -1 == 2", True),
        ("--1", None),  # one token, which no preprocessor takes
        ("1 / 0", None),
        ("1 << 99", None),
        ("CALL(ARCH)", None),
        ("__has_include(<x.h>)", None),
        ("ARCH ==", None),
        ('"x"', None),
        ("LOOP", None),
        ("", None),
    ],
)
def test_a_condition_is_evaluated_as_far_as_it_is_known(condition: str, holds: bool | None) -> None:
    known = {"ARCH": "900", "GONE": None, "NEXT": "ARCH + 1", "LOOP": "LOOP + 1"}
    assert _holds(condition, **known) == holds


LADDER = f"""\
#ifndef X_H
#define X_H
#if __CUDA_ARCH__ >= 900
asm("vmin4.u32.u32 %0, %1, %2, %1;"{IO}
#elif __CUDA_ARCH__ >= 700 && MODE == 2
asm("vmax4.u32.u32 %0, %1, %2, %1;"{IO}
#elif __CUDA_ARCH__ >= 700
asm("vadd4.u32.u32 %0, %1, %2, %1;"{IO}
#else
asm("vsub4.u32.u32 %0, %1, %2, %1;"{IO}
#endif
#undef MODE
#define MODE 2
#if MODE == 2
asm("vset4.u32.u32 %0, %1, %2, %1;"{IO}
#endif
#endif
"""


def opcodes(text: str, **definitions: str | None) -> list[str]:
    return [item.ptx.partition(".")[0] for item in check(text, **definitions)]


def test_a_ladder_is_followed_with_definitions_and_read_whole_without() -> None:
    assert opcodes(LADDER) == ["vmin4", "vmax4", "vadd4", "vsub4", "vset4"]
    assert opcodes(LADDER, __CUDA_ARCH__="900") == ["vmin4", "vset4"]
    assert opcodes(LADDER, __CUDA_ARCH__="800", MODE="2") == ["vmax4", "vset4"]
    assert opcodes(LADDER, __CUDA_ARCH__="800", MODE="1") == ["vadd4", "vset4"]
    assert opcodes(LADDER, __CUDA_ARCH__="800") == ["vmax4", "vadd4", "vset4"]  # MODE is unknown
    assert opcodes(LADDER, __CUDA_ARCH__="500") == ["vsub4", "vset4"]
    assert [x.location.line for x in check(LADDER, __CUDA_ARCH__="500")] == [10, 15]


def test_a_condition_within_an_asm_statement_is_followed() -> None:
    text = f"""\
asm("{{ .reg .u32 t;"
#if __CUDA_ARCH__ >= 300
    "vadd4.u32.u32.u32 t, %1, %2, %1;"
#else
    "vadd4.u32.u32 t, %1, %2, %1;"
#endif
    "mov.u32 %0, t; }}"{IO}
"""
    assert [x.is_legal for x in check(text)] == [True, False]
    assert [x.is_legal for x in check(text, __CUDA_ARCH__="900")] == [True]
    assert [x.location.line for x in check(text, __CUDA_ARCH__="200")] == [5]


def test_what_looks_like_a_condition_in_a_comment_or_a_string_is_none() -> None:
    text = f"""\
/*
#if 0
*/
const char *s = R"(
#if 0
)", *t = "/*";
asm("vadd4.u32.u32 %0, %1, %2, %1;"{IO}
#ifdef X // */
#endif
"""
    assert opcodes(text, A="1") == ["vadd4"]


def test_code_in_if_0_is_passed_over() -> None:
    text = f'#if 0\nasm("vadd4.u32.u32 %0, %1, %2, %1;"{IO}\n#endif\n'
    (item,) = check(text)
    assert item.is_unreadable
    assert check(text, A="1") == []


# --- macros -----------------------------------------------------------------------------------

ADD = '"vadd4.u32.u32.u32 %0, %1, %2, %1;"'
EXPANDED = {
    "an object macro": '#define OP "vadd4"\nasm(OP ".u32.u32.u32 %0, %1, %2, %1;"',
    "a macro of a macro": '#define T ".u32"\n#define TTT T T T\nasm("vadd4" TTT " %0, %1, %2, %1;"',
    "a macro defined in terms of a later one": (
        '#define TT T T\n#define T ".u32"\nasm("vadd4" TT T " %0, %1, %2, %1;"'
    ),
    "a string of an argument": (
        '#define OP(x, y) #x "." #y\nasm(OP(vadd4, u32) ".u32.u32 %0, %1, %2, %1;"'
    ),
    "an argument": (
        '#define TWICE(x) x x\n#define U ".u32"\nasm("vadd4.u32" TWICE(U) " %0, %1, %2, %1;"'
    ),
    "pasted names": (
        '#define OP_4 "vadd4"\n#define OP(n) OP_##n\nasm(OP(4) ".u32.u32.u32 %0, %1, %2, %1;"'
    ),
    "a definition on two lines": (
        '#define OP "vadd4" \\\n  ".u32"\nasm(OP ".u32.u32 %0, %1, %2, %1;"'
    ),
    "the last definition": (
        '#define OP "vsub4"\n#undef OP\n#define OP "vadd4"\nasm(OP ".u32.u32.u32 %0, %1, %2, %1;"'
    ),
    "a whole asm in a macro": (
        '#define T ".u32"\n#define F(x) \\\n  asm("vadd4" T T T " %0, %1, %2, %1;"'
    ),
    "a name that stands for itself": '#define T T ".u32"\nasm("vadd4" OP(T) " %0, %1, %2, %1;"',
}


@pytest.mark.parametrize("name", EXPANDED)
def test_a_macro_of_the_file_is_expanded(name: str) -> None:
    (item,) = check(EXPANDED[name] + IO)
    if name.startswith("a name"):
        assert item.is_unreadable
    else:
        assert item.ptx == "vadd4.u32.u32.u32 %0, %1, %2, %1;"
        assert item.diagnostics == ()


def test_what_is_wrong_in_a_macro_is_reported_where_the_macro_is_used() -> None:
    text = f'#define OP "vadd4.u32.u32"\n  asm(OP " %0, %1, %2, %1;"{IO}'
    (item,) = check(text)
    (diagnostic,) = item.diagnostics
    assert (diagnostic.location.line, diagnostic.location.excerpt) == (2, text.split("\n")[1])
    (item,) = check(f'#define T "u32"\n  asm("vadd4.u32.u32." T " %0, %1, %9, %1;"{IO}')
    (diagnostic,) = item.diagnostics
    assert diagnostic.location.excerpt[slice(*diagnostic.location.span)] == "%9"


CALLED = {
    "an opcode as an argument": (
        '#define F(op, d, a, b) asm(op ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b))\n'
        'F("vadd4", x, y, z);\nF("vadd4.s32", x, y, z);',
        [(2, 'F("vadd4", x, y, z)', True), (3, 'F("vadd4.s32", x, y, z)', False)],
    ),
    "a string of an argument, in a function that the macro defines": (
        "#define F(op) unsigned f_##op(unsigned a) { unsigned d; \\\n"
        '  asm(#op ".b32 %0, %1;" : "=r"(d) : "r"(a)); return d; }\n'
        "F(popc)\n F( brv )\n",
        [(3, "F(popc)", True), (4, "F( brv )", False)],
    ),
    "by another macro": (
        '#define F(op, d, a) asm(op " %0, %1;" : "=r"(d) : "r"(a))\n'
        '#define G(d, a) F("brev.b32", d, a)\n#define H(d, a) do { F("clz.u32", d, a); } while (0)\n'  # noqa: E501
        "G(x, y);\nH(x, y);",
        [(4, "G(x, y)", True), (5, "H(x, y)", False)],
    ),
    "two statements": (
        '#define F(op) asm("brev.b32 %0, %1;" : "=r"(d) : "r"(a)); asm(op ".b32 %0, %1;"'
        ' : "=r"(d) : "r"(a))\nF("clz");\n',
        [(2, 'F("clz")', True), (2, 'F("clz")', True)],
    ),
    "an operand that does not exist": (
        '#define F(op) asm(op " %0, %2;" : "=r"(d) : "r"(a))\nF("brev.b32");\n',
        [(2, 'F("brev.b32")', False)],
    ),
}


@pytest.mark.parametrize("name", CALLED)
def test_a_macro_whose_asm_depends_on_an_argument_is_expanded_where_it_is_called(
    name: str,
) -> None:
    text, expected = CALLED[name]
    found = [
        (x.location.line, x.location.excerpt[slice(*x.location.span)], x.is_legal)
        for x in check(text)
    ]
    assert found == expected
    assert not any(x.is_unreadable for x in check(text))


NOT_CALLED = [
    'F("brev", 1);',  # an argument too many
    "auto x = F;",
    '// F("brev")',
    'puts("F(\\"brev\\")");',
    '#define G F("brev")',
    '#undef F\nF("brev");',
    '#ifdef X\n#define F(op) op\n#endif\nF("brev");',
]


@pytest.mark.parametrize("use", NOT_CALLED)
def test_a_macro_that_is_not_called_is_noted_where_it_is_defined(use: str) -> None:
    text = f'#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))\n{use}\n'
    (item,) = check(text)
    assert item.is_unreadable
    assert item.location.line == 1


def test_a_macro_whose_asm_is_literal_is_checked_once() -> None:
    text = '#define F(d, a) asm("brev.b32 %0, %1, %1;" : "=r"(d) : "r"(a))\nF(x, y);\nF(y, x);\n'
    (item,) = check(text)
    assert (item.location.line, item.is_legal) == (1, False)


def test_operands_in_macros_are_known() -> None:
    (item,) = check(f'#define IN(x) "r"(x)\nasm({ADD} : "=r"(d) : IN(a), IN(b));')
    assert item.diagnostics == ()
    (item,) = check(f'#define IN(x) "l"(x)\nasm({ADD} : "=r"(d) : IN(a), IN(b));')
    assert {x.rule for x in item.diagnostics} == {"register-type"}
    (item,) = check(f'#define OPERANDS : "=r"(d) : "r"(a), "r"(b)\nasm({ADD} OPERANDS);')
    assert item.diagnostics == ()
    (item,) = check('#define N 3\nasm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "n"(N));')
    assert item.ptx == "vadd.u32.u32.u32 %0, %1, 3;"


def test_registers_of_a_macro_have_their_percents() -> None:
    text = (
        '#define T "{ .reg .u32 %%t;"\n'
        'asm(T "vadd4.u32.u32.u32 %%t, %1, %2, %1; mov.u32 %0, %%t; }"'
    )
    (item,) = check(text + IO)
    assert item.diagnostics == ()
    (item,) = check(text.replace('{ .reg .u32 %%t;"', '{ .reg .u32 %t;"') + IO)
    assert item.is_legal  # nvcc takes %t where no digit follows


UNCERTAIN = [
    '#ifdef X\n#define OP "vadd4"\n#else\n#define OP "vsub4"\n#endif\nasm(OP',
    '#ifdef X\n#define OP "vadd4"\n#endif\nasm(OP',
    '#define OP "vadd4"\n#undef OP\nasm(OP',
    '#define OP(...) "vadd4"\nasm(OP()',
    '#define OP(x) "vadd4"\nasm(OP',
    '#define OP(x) "vadd4"\nasm(OP(1, 2)',
    "asm(OP",
    '// #define OP "vadd4"\nasm(OP',
    '#define OP "vadd4"\n#define F(OP) asm(OP',
]


@pytest.mark.parametrize("text", UNCERTAIN)
def test_a_macro_that_is_not_certain_is_not_expanded(text: str) -> None:
    (item,) = check(f'{text} ".u32.u32.u32 %0, %1, %2, %1;"{IO}')
    assert item.is_unreadable


def test_a_definition_from_outside_is_expanded_and_decides_conditions() -> None:
    text = f'asm(OP ".u32.u32.u32 %0, %1, %2, %1;"{IO}'
    (item,) = check(text, OP='"vadd4"')
    assert item.ptx == "vadd4.u32.u32.u32 %0, %1, %2, %1;"
    (item,) = check(UNCERTAIN[0] + text[6:], X="1")
    assert item.ptx.startswith("vadd4")
    (item,) = check(UNCERTAIN[0] + text[6:], X=None)
    assert item.ptx.startswith("vsub4")
    guarded = f'#ifndef A_H\n#define A_H\n#define OP "vadd4"\n{text}\n#endif'
    (item,) = check(guarded)
    assert item.ptx.startswith("vadd4")


def test_macros_that_grow_without_bound_are_left_alone() -> None:
    lines = [f"#define A{i} A{i + 1} A{i + 1}" for i in range(60)]
    text = "\n".join([*lines, '#define A60 "vadd4"', f'asm(A0 ".u32"{IO}'])
    (item,) = check(text)
    assert item.is_unreadable


def test_what_is_nested_deeply_is_left_alone() -> None:
    deep = "A(" * 2000 + '"vadd4"' + ")" * 2000
    (item,) = check(f'#define A(x) x\nasm({deep} ".u32.u32.u32 %0, %1, %2, %1;"{IO}')
    assert item.is_unreadable
    for part, end in (("1 ? ", "1" + " : 1" * 200), ("(", "1" + ")" * 200), ("!", "1")):
        assert _holds(part * 200 + end) is None


# --- line markers -------------------------------------------------------------------------------

PREPROCESSED = f"""\
# 0 "x.cu"
# 1 "/usr/include/stdc-predef.h" 1 3 4
# 1 "/opt/cuda/bin/../include/cuda_runtime.h" 1
# 9 "/opt/cuda/bin/../include/crt/device.h"
asm("vadd4.u32.u32 %0, %1, %2, %1;"{IO}
# 1 "x.cu" 2
# 3 "inc/y.cuh" 1
asm("vsub4.u32.u32 %0, %1, %2, %1;"{IO}
# 40 "x.cu" 2

asm("vmin4.u32.u32 "
  "%0, %1, %9, %1;"{IO}
#line 7
asm("vmax4.u32.u32 %0, %1, %2, %1;"{IO}
#line 70 "a\\"b.cu"
asm("vset4.u32.u32 %0, %1, %2, %1;"{IO}
"""


def test_line_markers_are_obeyed() -> None:
    assert language_of("-", PREPROCESSED) is Language.C
    items = list(check_text(PREPROCESSED, "-"))
    places = [
        (item.file, x.location.line, item.ptx.split(".")[0])
        for item in items
        for x in item.diagnostics
    ]
    assert places == [
        ("inc/y.cuh", 3, "vsub4"),
        ("x.cu", 41, "vmin4"),
        ("x.cu", 42, "vmin4"),
        ("x.cu", 7, "vmax4"),
        ('a"b.cu', 70, "vset4"),
    ]


def test_other_lines_with_a_number_are_no_markers() -> None:
    text = f'#define A 3\n# pragma once\n#x 3 "y.cu"\nasm("vadd4.u32.u32 %0, %1, %2, %1;"{IO}'
    (item,) = check(text)
    assert (item.file, item.location.line) == ("x.cu", 4)
