"""Sources in the styles of real projects, each with all that `check` is to say of it.

The findings were stated before `check` was run, by line (from 1) and rule.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

import pytest

from ptxscope.sources.lint import check_source, check_text
from ptxscope.sources.preprocessor import Definitions
from ptxscope.sources.source_language import Language, language_of


class Reviewed(NamedTuple):
    name: str
    text: str
    findings: tuple[tuple[int, str], ...] = ()
    definitions: Definitions = MappingProxyType({})


SOURCES = {
    "a warp scan that adds in place": Reviewed(
        "scan.cuh",
        r"""
template <> __device__ __forceinline__ int InclusiveScanStep(int input, int mask, int offset) {
  int output;
  asm volatile(
      "{"
      "  .reg .s32 r0;"
      "  .reg .pred p;"
      "  shfl.sync.up.b32 r0|p, %1, %2, 0x0, %3;"
      "  @p add.s32 r0, r0, %4;"
      "  mov.s32 %0, r0;"
      "}"
      : "=r"(output) : "r"(input), "r"(offset), "r"(mask), "r"(input));
  return output;
}
""",
    ),
    "the same with an output that is written early": Reviewed(
        "scan.cuh",
        r"""
__device__ double step(double input, int offset, int mask) {
  double output;
  asm volatile("{"
      "  .reg .u32 lo, hi;"
      "  .reg .pred p;"
      "  mov.b64 {lo, hi}, %1;"
      "  shfl.sync.down.b32 lo|p, lo, %2, 0x1f, %3;"
      "  shfl.sync.down.b32 hi|p, hi, %2, 0x1f, %3;"
      "  mov.b64 %0, {lo, hi};"
      "  @p add.f64 %0, %0, %1;"
      "}"
      : "=d"(output) : "d"(input), "r"(offset), "r"(mask));
  return output;
}
""",
        ((10, "clobber"),),
    ),
    "a load that a predicate decides, with zeros before": Reviewed(
        "memory.h",
        r"""
struct global_load {
  __device__ global_load(uint4 &D, void const *ptr, bool pred) {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  setp.ne.b32 p, %5, 0;\n"
        "  mov.b32 %0, %6;\n"
        "  mov.b32 %1, %7;\n"
        "  @p ld.global.v2.u32 {%0, %1}, [%4];\n"
        "}\n"
        : "=r"(D.x), "=r"(D.y), "=r"(D.z), "=r"(D.w)
        : "l"(ptr), "r"((int)pred), "r"(D.x), "r"(D.y));
  }
};
""",
        ((8, "clobber"),),  # %0 may be %7; %1 is written after the last input of 32 bits
    ),
    "a store that an input is converted for, into an input": Reviewed(
        "tma.hpp",
        r"""
__device__ void fence(uint32_t smem) {
#if defined(TMA)
  uint64_t const wide = 0;
  asm volatile("cvt.u64.u32 %0, %1;" :: "l"(wide), "r"(smem));
#endif
  asm volatile("fence.proxy.async.shared::cta;");
}
""",
        ((5, "input"),),
    ),
    "a multiprecision addition, whole and torn": Reviewed(
        "bigint.cu",
        r"""
__device__ void add(uint32_t *r, const uint32_t *a, const uint32_t *b) {
  asm("add.cc.u32 %0, %2, %4;\n\t"
      "addc.u32 %1, %3, %5;\n\t"
      : "=&r"(r[0]), "=r"(r[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r[2]) : "r"(a[2]), "r"(b[2]));
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(r[3]) : "r"(a[3]), "r"(b[3]));
}
""",
        (),  # nvcc keeps the order of `asm volatile`
    ),
    "a comparison that reads its own predicate": Reviewed(
        "hash.cu",
        r"""
__device__ unsigned f(unsigned x) {
  unsigned r;
  asm("{ .reg .pred p;\n\t"
      "setp.lt.and.u32 p, %1, 9, p;\n\t"
      "selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(x));
  asm("{ .reg .pred p;\n\t"
      "setp.ne.u32 p, %1, 0;\n\t"
      "setp.lt.and.u32 p, %1, 9, p;\n\t"
      "selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(x));
  return r;
}
""",
        ((5, "unwritten"),),
    ),
    "constraints and percents": Reviewed(
        "util.cuh",
        r"""
__device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %laneid;" : "=r"(r)); return r; }
__device__ unsigned warp() { unsigned r; asm("mov.u32 %0, %%warpid;" : "=r"(r)); return r; }
__device__ size_t clk() { size_t r; asm volatile("mov.u64 %0, %%clock64;" : "=r"(r)); return r; }
__device__ void inc(unsigned *p) { asm volatile("red.global.add.u32 [%0], %2;" :: "l"(p), "r"(1)); }
__device__ float rcp(float x) { float r; asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "d"(x)); }
""",
        ((2, "note"), (4, "register-type"), (5, "undeclared"), (6, "register-type")),
    ),
    "a header with a ladder of architectures": Reviewed(
        "simd.cuh",
        r"""
#pragma once
#define PTX_DUAL(op) #op "2.s32.s32.s32"
__device__ int add2(int a, int b) {
  int d;
#if __CUDA_ARCH__ >= 900
  d = 0;
#elif __CUDA_ARCH__ >= 300
  asm(PTX_DUAL(vadd) " %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
  asm("vadd2.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
  return d;
}
""",
        (),
        {"__CUDA_ARCH__": "750"},
    ),
    "the same for an architecture without the instruction": Reviewed(
        "simd.cuh",
        r"""
#if __CUDA_ARCH__ >= 300
asm("vadd2.s32.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vadd2.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
""",
        ((5, "illegal"),),
        {"__CUDA_ARCH__": "200"},
    ),
    "instructions by a macro": Reviewed(
        "minmax.cu",
        r"""
#define MINMAX(op)                                                   \
  __device__ unsigned op##4(unsigned a, unsigned b) {                \
    unsigned d;                                                      \
    asm(#op "4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b)); \
    return d;                                                        \
  }
MINMAX(vmin)
MINMAX(vmix)
""",
        ((9, "illegal"),),
    ),
    "x86 and ARM beside CUDA": Reviewed(
        "cpu.cpp",
        r"""
static inline uint64_t ticks() {
  uint32_t lo, hi;
  asm volatile("rdtsc" : "=a"(lo), "=d"(hi));
  asm volatile("add %1, %0; add %2, %0" : "=r"(lo) : "r"(lo), "r"(hi));
  asm volatile("mrs %0, cntvct_el0" : "=r"(lo));
  asm volatile("fmla v0.4s, v1.4s, v2.4s\n mov %0, %1" : "=r"(lo) : "r"(hi));
  return lo;
}
""",
    ),
    "a kernel in a string of Python": Reviewed(
        "kernels.py",
        r'''
import cupy
kernel = cupy.RawKernel(r"""
extern "C" __global__ void k(unsigned *o, unsigned a) {
  unsigned d;
  asm("add.u32 %0, %0, %1;" : "=r"(d) : "r"(a));
  o[0] = d;
}
""", "k")
def emit(d, a, b, c):
    return f"vadd4.u32.u32.u32 {d}, {a}, {b}, {c};"
def wrong(d, a, b, c):
    return f"vadd4.u32.u32.bogus {d}, {a}, {b}, {c};"
def many(ops):
    return f"vadd4.u32.u32.u32 {ops};"
''',
        ((6, "unwritten"), (13, "illegal"), (13, "illegal"), (15, "unread")),
    ),
    "Rust": Reviewed(
        "lib.rs",
        r"""
#![feature(asm_experimental_arch)]
pub unsafe fn sad(a: u32, b: u32, c: u32) -> u32 {
    let d: u32;
    asm!("vabsdiff4.u32.u32.u32.add {d}, {a}, {b}, {c};", d = lateout(reg32) d, a = in(reg32) a,
         b = in(reg32) b, c = in(reg32) c, options(pure, nomem));
    d
}
pub unsafe fn twice(a: u32) -> u32 {
    let d: u32;
    asm!("add.u32 {d}, {a}, {a};",
         "add.u32 {d}, {d}, {a};", d = lateout(reg32) d, a = in(reg32) a);
    d
}
""",
        ((11, "clobber"),),
    ),
    "LLVM": Reviewed(
        "k.ll",
        r"""
define i32 @f(i32 %a, i64 %p) {
  call void asm sideeffect "", "~{memory}"()
  %1 = call i32 asm "vadd4.u32.u32.u32 $0, $1, $1, $1;", "=r,r"(i32 %a)
  %2 = call i32 asm "ld.global.u64 $0, [$1];", "=r,l"(i64 %p)
  %3 = call i32 asm "mov.u32 $0, 1; add.u32 $0, $0, $1;", "=r,r"(i32 %a)
  ret i32 %1
}
""",
        ((5, "register-type"), (6, "clobber")),
    ),
    "ignored on purpose": Reviewed(
        "pad.cu",
        r"""
__device__ unsigned f(unsigned a) {
  unsigned d;
  // d is zero at first: ptxscope: ignore[unwritten]
  asm("@p add.u32 %0, %0, %1;" : "=r"(d) : "r"(a));
  asm("vadd.u32.s32.s32.sat %0.b0, %1, %1, %1;" : "=r"(d) : "r"(a)); // ptxscope: ignore[E3]
  return d;
}
""",
    ),
    "what a preprocessor leaves": Reviewed(
        "k.ii",
        """
# 1 "k.cu"
# 1 "/usr/include/x.h" 1 3
asm("vadd4.u32.u32 %0;" : "=r"(d));
# 12 "k.cu" 2
asm("vadd4.u32.u32 " "%0, %1, %1, %1;" : "=r"(d) : "r"(a));
""",
        ((12, "illegal"),),
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_all_that_is_to_be_said_is_said(name: str) -> None:
    source = SOURCES[name]
    text = source.text.removeprefix("\n") if source.name == "k.ii" else source.text
    if source.definitions:
        assert language_of(source.name, text) is Language.C
        items = check_source(text, source.name, Language.C, source.definitions)
    else:
        items = check_text(text, source.name)
    found = [(x.location.line, x.rule) for item in items for x in item.diagnostics]
    assert tuple(found) == source.findings
