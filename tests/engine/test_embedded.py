"""PTX in files of many kinds: ``check``, ``run`` and the explorer find the same in each."""

from __future__ import annotations

from textwrap import dedent
from typing import NamedTuple

import pytest

from ptxscope import PtxError, parse
from ptxscope.engine.program.program import Program
from ptxscope.kernels.program_runs.execution import execute
from ptxscope.kernels.program_runs.program_run import StopReason
from ptxscope.sources.lint import check_text
from ptxscope.sources.source_programs import load
from ptxscope.state.open_listing import open_listing


class Source(NamedTuple):
    """A file, and the lines of it that hold one of the 27."""

    name: str
    text: str
    legal: dict[int, str]
    """The opcode by its line."""
    illegal: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    """Lines of statements of which a macro or an expression is a part."""


_CUDA = Source(
    "sad.cu",
    r"""
    #include <cstdio>
    #define NL "\n\t"
    // T is ".u32", as a header has it
    // asm("vmax4.u32.u32.u32 %0, %1, %2, %3;") is not here
    __device__ unsigned sad(unsigned a, unsigned b, unsigned c) {
      unsigned d;
      asm volatile("{ .reg .u32 t;" NL
          "vabsdiff4.u32.u32.u32 t, %1, %2, %3;" NL
    #if __CUDA_ARCH__ >= 300 && defined("x;y")
          "vadd4.u32.u32.u32.sat t, t, t, %3;"
    #else
          "vadd4.u32.u32.u32.wrap t, t, t, %3;"  /* illegal */
    #endif
          "vmin4" T ".u32.u32 %0, t, %2, %3; }"
          : "=r"(d) : "r"(a), "r"(b), "r"(c) : "memory");
      asm(CALL("vset4.u32.u32.lt %0, %1, %2, %3;") : "=r"(d) : "r"(a), "r"(b), "r"(c));
      printf("set.lt.u32.u32 was used; %u\n", a);
      return d;
    }
    const char *module = ".version 7.0\n.target sm_70\n"
      ".entry k() { .reg .b32 r<4>;\n"
      "  vavrg4.u32.u32.u32 r1, r2, r3, r0;\n"
      "}";
    """,
    {9: "vabsdiff4", 11: "vadd4", 17: "vset4", 23: "vavrg4"},
    (13,),
    (15,),
)
_PYTHON = Source(
    "kernels.py",
    r'''
    """It's a module: `vadd4.u32.u32.u32 d, a, b, c;` is prose, isn't it."""
    import triton.language as tl

    def add(x, y):
        """Don't read this: vsub4.u32.u32.u32 d, a, b, c; it's "quoted"."""
        return tl.inline_asm_elementwise(
            "vadd4.u32.u32.u32.sat $0, $1, $2, $3;",
            "=r,r,r,r", [x, y, y], dtype=tl.int32, is_pure=True, pack=4)

    KERNEL = f"""
    .version 8.0
    .target sm_80
    .entry k() {{
      .reg .b32 %r<{count}>;
      vmin4.u32.u32.u32 %r1, %r2, %r3, %r0;
      vmax4.{kind}.u32.u32 %r1, %r2, %r3, %r0;
      vmax2.s32.s32.s32 %r1, %r2, %r3, %r{last}{half};
    }}"""
    LINE = "vavrg4.u32.u32.u32 %%r1, %%r2, %%r3, %%r0; mov.u32 %%r4, %s;" % value
    SUM = ("vset2.u32.u32.eq d, a, b, c;" +
           "vset2." + kind + ".u32.eq d, a, b, c;")
    CUDA = r"""
      __global__ void k(unsigned *p) {
        asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" MORE
            : "=r"(p[0]) : "r"(p[1]), "r"(p[2]), "r"(p[3]));
      }"""
    print(f"vadd4.u32.u32.u32: {count} results; {kind}, {last}")
    ''',
    {8: "vadd4", 16: "vmin4", 20: "vavrg4", 21: "vset2", 25: "vabsdiff4"},
    (),
    (17, 18, 22),
)
_LLVM = Source(
    "ir.py",
    r"""
    IR = '''
    define i32 @f(i32 %a, i32 %b) {
      %r = call i32 asm "vmax.s32.s32.s32 $0, $1, $2;", "=r,r,r"(i32 %a, i32 %b)
      %s = call i32 asm sideeffect "vmin.u32.u32.u32 ${0:x}, $1, $1;\\0Avadd.bogus $0;", "=r,r"()
      ret i32 %r
    }'''
    MORE = f'call i32 asm "vsub.{t}.u32.u32 $0, $1, $2;", "=r,r,r"(i32 %a, i32 %b)'
    """,
    {4: "vmax", 5: "vmin"},
    (5,),
    (8,),
)
_RUST = Source(
    "video.rs",
    r"""
    //! Not here: "vadd4.u32.u32.u32 d, a, b, c;".
    impl<'a> Set<'a> {
        fn set(&self, x: &'a str) -> char { self.set.lt(x, 'y'); set.eq.u8(x, y); '"' }
        pub unsafe fn add4(a: u32, b: u32) -> u32 {
            let d: u32;
            asm!(
                "vadd4.u32.u32.u32 {d}, {a}, {b}, {0};",
                "vsub4.u32.u32.u32 {d}, {d}, {b}, {b}, {b};",
                in(reg32) 0, d = out(reg32) d, a = in(reg32) a, b = in(reg32) b,
            );
            d
        }
    }
    const MODULE: &str = r#"
    .version 7.0
    .target sm_70
    .entry k() { .reg .b32 r<4>;
      vmin4.u32.u32.u32 r1, r2, r3, r0;
    }"#;
    const LINE: &[u8] = b"slct.b32.s32 d, a, \
        b, c;\n";
    """,
    {8: "vadd4", 19: "vmin4", 21: "slct"},
    (9,),
)
_MARKDOWN = Source(
    "notes.md",
    r"""
    # Notes

    Here `vadd4.u32.u32.u32 d, a, b, c;` is prose, and set.lt.u32 x, y; too.

    ```ptx
    vadd4.u32.u32.u32 d, a, b, c;
    vadd4.u32.u32.bogus d, a, b, c;
    ```

      ~~~ {.cuda}
      asm("vsub4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
      ~~~

    ````python
    s = "vmax4.u32.u32.u32 d, a, b, c;"
    ```
    ````

    ```console
    $ ptxscope trace 'vmin4.foo d, a, b, c;'
    ```

    ```
    vset4.u32.u32.lt d, a, b, c;
    ```
    """,
    {7: "vadd4", 12: "vsub4", 16: "vmax4", 25: "vset4"},
    (8,),
)
_HTML = Source(
    "page.html",
    """
    <!doctype html><title>set.lt.u32 x, y;</title>
    <p>Here <code>vadd4.u32.foo d, a, b, c;</code> is prose.
    <pre class="ptx"><b>vadd4</b>.u32.u32.u32 d, a, b, c; // &lt;
    vadd4.u32.u32.u32.<i>bogus</i> d, a, b, c;</pre>
    <PRE><code>asm(&quot;vsub4.u32.u32.u32 %0, %1, %2, %3;&#34; : "=r"(d) : "r"(a), "r"(b), "r"(c));
    </code></PRE>
    <script>set.lt(x, y); vset4.u32(a, b);</script>
    """,
    {4: "vadd4", 6: "vsub4"},
    (5,),
)
_WORDS = Source(
    "notes.txt",
    """
    Notes on self.set, and on vadd4.
    vadd4.foo d, a, b, c; is wrong, select x, y; too.
    """,
    {},
)
_NVRTC = Source(
    "jit.cpp",
    r"""
    const char *source = "__device__ unsigned f(unsigned a, unsigned b) { unsigned d;\n"
      " asm(\"vadd4.u32.u32.u32.sat %0, %1, %2, %3;\" :\"=r\"(d):\"r\"(a), \"r\"(b), \"r\"(d));\n"
      "  return d; }";
    const char *raw = R"(
      asm volatile("vsub4.u32.u32.u64 %0,"
                   " %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0));
      asm volatile("vmin4.u32.u32.u32 %0,"
                   " %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0));
    )";
    """,
    {3: "vadd4", 8: "vmin4"},
    (6,),
)
_LISTING = Source(
    "lines.txt",
    """
    // what was tried
    @p vadd4.u32.u32.u32 d, a, b, c;
    vadd4.u32.u32.u32.bogus d, a, b, c;
    """,
    {3: "vadd4"},
    (4,),
)
_SOURCES = [_CUDA, _PYTHON, _LLVM, _RUST, _MARKDOWN, _HTML, _WORDS, _NVRTC, _LISTING]


def programs(source: Source) -> tuple[Program, ...]:
    return load(dedent(source.text), source.name)


@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: source.name)
def test_check_finds_what_is_ptx_and_nothing_else(source: Source) -> None:
    items = [x for x in check_text(dedent(source.text), source.name) if x.ptx]
    legal = {
        x.location.line: x.ptx.removeprefix("@p ").partition(".")[0]
        for x in items
        if x.is_legal and not x.is_unreadable
    }
    assert legal == source.legal
    assert tuple(dict.fromkeys(x.location.line for x in items if not x.is_legal)) == source.illegal
    assert tuple(x.location.line for x in items if x.is_unreadable) == source.unread


@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: source.name)
def test_a_run_finds_what_check_finds(source: Source) -> None:
    statements = [x for program in programs(source) for x in program.statements]
    legal = {x.line: x.explained.opcode for x in statements if x.explained}
    assert legal == source.legal
    assert {x.line for x in statements if x.problems} == set(source.illegal)
    assert set(source.unread) <= {x.line for x in statements if x.omission}


@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: source.name)
def test_the_explorer_opens_what_check_finds(source: Source) -> None:
    cursor = open_listing(dedent(source.text), source.name)
    rows = cursor.rows if cursor else ()
    every = len(cursor.listing.programs) if cursor else 0
    assert all(row.program < every for row in rows)
    assert {row.line for row in rows if row.explained} == {*source.legal, *source.illegal}


def test_a_pasted_call_is_searched_for_strings() -> None:
    text = 'x = elementwise(\n  "vadd4.u32.u32.u32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c])'
    cursor = open_listing(text, "pasted")
    assert cursor
    assert cursor.statement.line == 2
    assert [x.is_unreadable for x in check_text(text, "x.txt")] == [True]


# --- running past what can't be read ------------------------------------------------------

_BLOCK = r"""asm("{ .reg .u32 t;"
    "vadd.u32.u32.u32 t, %1, %2;"
    MACRO(x)
    "vsub.u32.u32.u32 t, %1, %2;"
#if A
    "vadd.u32.u32.u32 t, t, %2;"
    "ret;"
#else
    "add.u32 t, t, 1;"
#endif
    "vmax.u32.u32.u32 %0, %1, " Y "; }"
    : "=r"(o[0]) : "r"(a), "r"(b));"""


def test_what_a_macro_may_write_is_unknown_and_what_is_only_read_stays_known() -> None:
    (program,) = load(_BLOCK)
    assert [(x.line, x.text) for x in program.omitted_statements] == [
        (3, "<MACRO(x)>"),
        (6, "vadd.u32.u32.u32 t, t, %2"),
        (7, "ret"),
        (9, "add.u32 t, t, 1"),
        (11, "vmax.u32.u32.u32 %0, %1, <Y>"),
    ]
    run = execute(program, {"%1": 7, "%2": 5})
    assert run.ending is StopReason.END
    bits = {step.line: step.writes["t"] for step in run.steps}
    assert bits == {2: 12, 3: None, 4: 2, 6: None, 7: None, 9: None, 11: None}
    known = {name: x.bits for name, x in run.registers.items()}
    assert known == {"%0": None, "%1": 7, "%2": 5, "t": None}


def test_a_value_is_asked_for_behind_a_macro() -> None:
    text = _BLOCK.replace(
        'MACRO(x)\n    "vsub.u32.u32.u32 t, %1', 'MACRO(x)\n    "vsub.u32.u32.u32 t, t'
    )
    (program,) = load(text)
    run = execute(program, {"%1": 7, "%2": 5})
    assert [need.key for need in run.missing_inputs] == ["t"]
    assert "<MACRO(x)> at line 3 made it unknown" in run.missing_inputs[0].message
    run = execute(program, {"%1": 7, "%2": 5, "t@3": 100})
    assert [step.writes for step in run.steps if step.line == 4] == [{"t": 95}]


def test_lines_of_the_preprocessor_that_add_nothing_do_nothing() -> None:
    text = 'asm("vadd.u32.u32.u32 t, a, b;"\n#pragma x\n#line 3\n"not.b32 t, t;");'
    (program,) = load(text)
    assert program.omitted_statements == ()
    text = text.replace("#pragma x", '#include "more.ptx"')
    (program,) = load(text)
    assert [x.text for x in program.omitted_statements] == ['<#include "more.ptx" #line 3>']


def test_many_macros_write_each_register_once() -> None:
    text = "".join(f'"mov.b32 t{n}, t{n + 1};" M ' for n in range(300))
    (program,) = load(f"asm({text});")
    assert sum(len(x.writes) for x in program.omitted_statements) == 600


def test_an_instruction_beside_a_macro_is_traced_and_the_macro_named() -> None:
    operands = ': "=r"(d) : "r"(a), "r"(b));'
    ins = parse(f'asm("vadd.u32.u32.u32 %0, %1, %2;" MACRO {operands}')
    assert str(ins) == "vadd.u32.u32.u32 %0, %1, %2;"
    assert ins.notes == ("ignored text: `<MACRO>`",)
    for text in (
        '"vadd.u32.u32.u32 %0, " X ", %2;"',
        'OP " %0, %1, %2;"',
        '"vadd" T " %0, %1, %2;"',
    ):
        with pytest.raises(PtxError) as caught:
            parse(f"asm({text} {operands}")
        assert caught.value.errors[0].unread
        assert "a macro" in caught.value.message


def test_only_what_is_a_macro_in_the_source_is_one() -> None:
    (program,) = load("{ .reg .b32 t; \N{OBJECT REPLACEMENT CHARACTER} vadd.u32.u32.u32 t, t, t; }")
    assert program.omitted_statements == ()
