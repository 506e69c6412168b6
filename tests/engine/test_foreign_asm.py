"""Assembly of other machines in sources: nothing is said of it, or one note in a file.

The statements are as public code has them: for RISC-V, ARM, AMD, Hexagon, MIPS and x86.
"""

from __future__ import annotations

import pytest

from ptxscope.sources.embedded_ptx import find_ptx
from ptxscope.sources.lint import check_text
from ptxscope.sources.source_language import Language

_IN = ' : "r"(a), "r"(b)'
_SILENT = [
    # RISC-V
    'asm volatile("vsetvli t0, %0, e8, m1\\n\\t vadd.vv v1, v2, v3\\n" :: "r"(n) : "v1");',
    'asm volatile("vsub.vv v1, v2, v3" ::: "t0", "memory");',
    # ARM of 32 and 64 bits
    'asm volatile("vmax.s32 q4, q4, q5 \\n" "vadd.u32 q0, q1, q2\\n" :: "r"(p) : "cc", "q0");',
    'asm("vadd.f32 %q0, %q1, %q2" : "=w"(a) : "w"(b), "w"(c));',
    'asm("vmin.u16 %P0, %P1, %P2;" : "=w"(a) : "w"(b), "w"(c));',
    # AMD
    'asm volatile("v_addc_co_u32 %0, vcc, %1, %2, vcc" : "=v"(a) : "v"(b), "v"(c));',
    # Hexagon
    'asm("{ v0.w = vadd(v1.w, v2.w)\\n %0 = vmin(%1, %2) }" : "=r"(d)' + _IN + ");",
    # MIPS, x86
    'asm("add.d $f0, %0, %1; sub.s $f1, %0, %1" :: "r"(a), "r"(b));',
    'asm("shl $3, %0; sete %1" : "=r"(d)' + _IN + ");",
    'asm("prmt.b32 %0, %1, %2, 1" : "=x"(d) : "x"(a), "m"(b));',
]
_DOUBTFUL = [
    'asm volatile("vadd.vv v1, v2, v3");',
    'asm("vadd.i32 q0, q1, q2\\n\\tvmin.u16 d0, d1, d2" : "=r"(d)' + _IN + ");",
    'asm volatile("vmin.s32 d0, d0, d1;" "vmax.s32 d0, d0, d1;");',
    'asm("bfi %0, %1, #8, #8" : "+r"(a) : "r"(b));',
    'asm("bfi %w0, %w1, 8, 8" : "+r"(a) : "r"(b));',
]
_PTX = [
    # slips of which each stays an error
    f'asm("vadd.u32.u32 %0, %1, %2;" : "=r"(d){_IN});',
    f'asm("vad4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d){_IN});',
    f'asm("vadd4 %0, %1, %2, %1;" : "=r"(d){_IN});',
    f'asm("vadd4.u32.u32.u32 %0, %1, %2, %1" : "=r"(d){_IN});',
    f'asm("foo vadd4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d){_IN});',
    f'asm("{{ .reg .u32 q1; mov.u32 q1, %1; vadd.u32.u32 %0, q1, %2; }}" : "=r"(d){_IN});',
]


@pytest.mark.parametrize("statement", _SILENT)
def test_nothing_is_said_of_what_is_certainly_no_ptx(statement: str) -> None:
    assert not list(check_text(f"void f() {{ {statement} }}", "f.c"))
    assert not list(find_ptx(statement, Language.C))


@pytest.mark.parametrize("statement", _DOUBTFUL)
def test_one_note_is_given_in_a_file_where_it_may_be_ptx(statement: str) -> None:
    (item,) = check_text(f"void f() {{\n{statement}\n{statement}\n}}", "f.c")
    assert (item.location.line, item.is_legal, item.is_unreadable) == (2, True, True)


@pytest.mark.parametrize("statement", _PTX)
def test_a_slip_in_ptx_stays_an_error(statement: str) -> None:
    (item,) = check_text(f"void f() {{ {statement} }}", "f.cu")
    assert not item.is_legal


def test_registers_of_another_machine_are_known_in_rust_and_llvm() -> None:
    rust = 'unsafe { asm!("vadd.vv v3, v1, v2", "vsub.u32 {x}, {x}, {x};", x = in(reg) a) }'
    assert not list(check_text(rust, "f.rs"))
    llvm = 'call i32 asm "vadd.u32 $0, $1, $1;", "=r,r,~{q0},~{memory}"(i32 %a)'
    assert not list(check_text(llvm, "f.ll"))
    llvm = 'call i32 asm "vadd.u32 $0, $1, $1;", "=r,r,~{memory}"(i32 %a)'
    assert [x.is_legal for x in check_text(llvm, "f.ll")] == [False]
