"""PTX in MLIR, Julia and notebooks; the syntax as their documentation has it."""

from __future__ import annotations

import json

import pytest

from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_text
from ptxscope.sources.source_language import Language, language_of
from ptxscope.sources.source_programs import load


def check(text: str, name: str) -> list[CheckedInstruction]:
    return list(check_text(text, name))


def place(text: str, item: CheckedInstruction) -> str:
    """The text from the place of an instruction's first diagnostic to the end of the line."""
    location = item.diagnostics[0].location if item.diagnostics else item.location
    return text.split("\n")[location.line - 1][location.column - 1 :]


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("k.mlir", Language.MLIR),
        ("k.jl", Language.JULIA),
        ("k.ipynb", Language.NOTEBOOK),
        ("k.cl", Language.C),
        ("k.hip", Language.C),
        ("k.pyx", Language.PYTHON),
    ],
)
def test_a_file_is_read_by_its_name(name: str, language: Language) -> None:
    assert language_of(name, "x") is language


def test_asm_of_c_and_of_cython_is_read() -> None:
    asm = 'asm("vadd4.u32.u32.u32 %0, %1, %1;" : "=r"(d) : "r"(a));'
    for name in ("k.cl", "k.hip"):
        (item,) = check(f"void f() {{ {asm} }}", name)
        assert item.ptx == "vadd4.u32.u32.u32 %0, %1, %1;" or not item.is_legal
    (item,) = check(f"cdef extern from *:\n  '''\n  {asm}\n  '''\n", "k.pyx")
    assert item.message


# --- MLIR -------------------------------------------------------------------------------------

MLIR = r"""
func.func @f(%a: i32, %b: i32) -> i32 {
  // llvm.inline_asm "vmin4.u32.u32 $0, $1, $2, $1;", "=r,r,r" %a, %b : (i32, i32) -> i32
  %0 = llvm.inline_asm has_side_effects asm_dialect = att
    "vadd4.u32.u32.u32 $0, $1, $2, $1;\0A", "=r,r,r" %a, %b : (i32, i32) -> i32
  %1 = llvm.inline_asm "{ .reg .pred p; vadd4.u32.u32 $0, $1, $2, $1; }", "=r,r,r" %a, %b
    : (i32, i32) -> i32
  %2 = nvvm.inline_ptx "vmax4.u32.u32.u32 {$w0}, {$r0}, {$r1}, {$r0};" ro(%a, %b : i32, i32) -> i32
  %3 = nvvm.inline_ptx "vmax4.u32.u32.u32 $0, $1, $2, $1;" ro(%a, %c : i32, f32) -> i32
  nvvm.inline_ptx "cp.async.wait_all;"
  %4 = llvm.inline_asm "movl $1, $0; addl $2, $0", "=r,r,r" %a, %b : (i32, i32) -> i32
  return %2 : i32
}
"""


def test_mlir_is_read_with_its_operands() -> None:
    items = check(MLIR, "k.mlir")
    assert [(x.ptx.split(".")[0], x.is_legal) for x in items] == [
        ("vadd4", True),
        ("vadd4", False),
        ("vmax4", True),
        ("vmax4", False),
    ]
    assert items[2].ptx == "vmax4.u32.u32.u32 $w0, $r0, $r1, $r0;"
    assert place(MLIR, items[1]).startswith(" $0, $1, $2, $1; }")
    assert [x.rule for x in items[3].diagnostics] == ["register-type"]
    assert place(MLIR, items[3]).startswith("$2, $1;")


def test_the_operands_of_mlir_are_reviewed() -> None:
    text = '%0 = nvvm.inline_ptx "add.u32 {$w0}, {$w0}, {$r0};" ro(%a : i32) -> i32'
    (item,) = check(text, "k.mlir")
    assert [x.rule for x in item.diagnostics] == ["unwritten"]
    assert place(text, item).startswith("{$w0}, {$r0}")
    text = '%0 = nvvm.inline_ptx "add.u32 {$rw0}, {$rw0}, {$r0};" ro(%a : i32) rw(%b : i32)'
    assert check(text, "k.mlir") == []
    two = "add.u32 $0, $1, 1; add.u32 $0, $0, $2;"
    text = f'%0 = llvm.inline_asm "{two}", "=r,r,r" %a, %b : (i32, i32) -> i32'
    (item,) = check(text, "k.mlir")
    assert [x.rule for x in item.diagnostics] == ["clobber"]
    assert check(text.replace('"=r', '"=&r'), "k.mlir") == []


# --- Julia ------------------------------------------------------------------------------------

JULIA = r'''
# @asmcall("vmin4.u32.u32 \$0, \$1, \$2, \$1;", "=r,r,r", UInt32, Tuple{UInt32, UInt32}, a, b)
add(a, b) = LLVM.Interop.@asmcall("vadd4.u32.u32.u32 \$0, \$1, \$2, \$1;", "=r,r,r",
    UInt32, Tuple{UInt32,UInt32}, a', b)
bad(a, b) = @asmcall(raw"vadd4.u32.u32 $0, $1, $2, $1;", "=r,r,r", UInt32, T, a, b)
wide(a, b) = @asmcall("""
    vmax4.u32.u32.u32 \$0, \$1, \$2, \$1;
    """, "=r,r,l", true, UInt32, Tuple{UInt32,UInt64}, a, b)
two() = @asmcall "mov.u32 \$0, %laneid;" "=r" false UInt32 Tuple{}
gap(t) = @asmcall("vadd4.$t.u32.u32 \$0, \$1, \$2, \$1;", "=r,r,r", UInt32, T, a, b)
x86() = @asmcall("movq \$1, \$0", "=r,r", Int, Tuple{Int}, 3)
c = '"'; println("vadd4 is an instruction")
const K = """.version 8.0
.target sm_90
.visible .entry k() { .reg .b32 %r<4>; vmin4.u32.u32.u32 %r1, %r2, %r3, %r9; ret; }"""
'''


def test_julia_is_read_with_its_operands() -> None:
    items = check(JULIA, "k.jl")
    assert [(x.ptx.split(".")[0], x.is_legal, x.is_unreadable) for x in items] == [
        ("vadd4", True, False),
        ("vadd4", False, False),
        ("vmax4", False, False),
        ("vadd4", True, True),
        ("vmin4", True, False),
    ]
    assert items[0].ptx == "vadd4.u32.u32.u32 $0, $1, $2, $1;"
    assert place(JULIA, items[1]).startswith(" $0, $1, $2")
    assert place(JULIA, items[2]).startswith(r"$2, \$1;")
    assert [x.rule for x in items[4].diagnostics] == ["unseen"]
    assert place(JULIA, items[4]).startswith("%r9;")


# --- notebooks --------------------------------------------------------------------------------

ASM = 'asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));'


def notebook(*cells: tuple[str, str], language: str = "python", **kinds: object) -> str:
    return json.dumps(
        {
            "cells": [
                {
                    "cell_type": kind,
                    "metadata": {"source": ["asm(1)"]},
                    "source": source.splitlines(keepends=True),
                    "outputs": [{"data": {"text/plain": [source]}}],
                }
                for kind, source in cells
            ],
            "metadata": {"kernelspec": {"name": "x", "language": language}},
            "nbformat": 4,
        },
        indent=1,
    )


@pytest.mark.parametrize(
    ("cell", "language"),
    [
        (("code", f"%%cu\n#include <cstdio>\n{ASM}\n"), "python"),
        (("code", f"%%cuda --name x.cu\n{ASM}"), "python"),
        (("code", f"%%writefile  src/x.cu\n{ASM}"), "python"),
        (("code", f"import cupy\nk = cupy.RawKernel(r'''\n{ASM}\n''', 'k')"), "python"),
        (("code", ASM), "C++"),
        (("markdown", f"# Text\n\n```cuda\n{ASM}\n```\n"), "python"),
        (("code", 'f() = @asmcall(raw"vadd4.u32.u32 $0, $1, $2, $1;", "=r,r,r")'), "julia"),
    ],
)
def test_each_cell_of_a_notebook_is_read_by_its_language(
    cell: tuple[str, str], language: str
) -> None:
    text = notebook(("code", "x = 1\n"), cell, ("raw", ASM), language=language)
    (item,) = check(text, "k.ipynb")
    assert not item.is_legal
    assert place(text, item)[1] in "%$"
    assert place(text, item)[2:5] == "0, "


def test_a_source_may_be_one_string_and_comes_before_the_type() -> None:
    text = json.dumps({"cells": [{"source": f"%%cu\n{ASM}", "cell_type": "code"}]})
    (item,) = check(text, "k.ipynb")
    assert place(text, item).startswith(" %0, %1")
    assert check('{"cells": [{"source": ["x', "k.ipynb") == []
    assert check("[]" * 20 + "}}", "k.ipynb") == []


def test_a_run_reads_them_too() -> None:
    assert any("vadd4" in y.text for x in load(MLIR, "k.mlir") for y in x.statements)
    assert any("vmax4" in y.text for x in load(JULIA, "k.jl") for y in x.statements)
    assert load(notebook(("code", f"%%cu\n{ASM}")), "k.ipynb")
