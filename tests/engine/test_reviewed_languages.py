"""Sources of every language and style that has PTX, each with all that `check` is to say of it.

The findings were stated before `check` was run, by line (from 1; the first is empty) and rule, from
the PTX ISA and from what the constraints of each language mean; where nvcc or ptxas can say whether
a statement is legal, they were asked.
"""

from __future__ import annotations

import json

import pytest

from ptxscope.sources.lint import check_text
from tests.engine.test_reviewed_sources import Reviewed

_NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["`vadd4.bogus` is no PTX\n"]},
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": [
                    "src = r'''\n",
                    'asm("vmax4.s32.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));\n',
                    'asm("vmax4.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));\n',
                    "'''",
                ],
            },
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    },
    indent=1,
)

SOURCES = {
    # --- C++ for CUDA
    "a barrier that is waited for in a loop": Reviewed(
        "barrier.cuh",
        r"""
__device__ void wait(uint64_t *bar, int phase) {
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile(
      "{\n"
      ".reg .pred                P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1                       bra DONE;\n"
      "bra                   LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(address), "r"(phase));
}
""",
    ),
    "a matrix multiplication, whole and with an operand too many": Reviewed(
        "mma_sm80.hpp",
        r"""
struct MMA {
  __device__ static void fma(uint32_t &d0, uint32_t &d1, uint32_t const &a0, uint32_t const &a1,
                             uint32_t const &b0, uint32_t const &c0, uint32_t const &c1) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3}, {%4}, {%5, %6};\n"
        : "=r"(d0), "=r"(d1)
        : "r"(a0), "r"(a1), "r"(b0), "r"(c0), "r"(c1));
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3}, {%4}, {%5, %7};\n"
        : "=r"(d0), "=r"(d1)
        : "r"(a0), "r"(a1), "r"(b0), "r"(c0), "r"(c1));
  }
};
""",
        ((12, "undeclared"),),
    ),
    "asynchronous copies with a size that is a constant": Reviewed(
        "copy.h",
        r"""
template <int Bytes> __device__ void cp_async(void *smem, const void *global, bool guard) {
  unsigned to = __cvta_generic_to_shared(smem);
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  setp.ne.b32 p, %0, 0;\n"
      "  @p cp.async.cg.shared.global [%1], [%2], %3;\n"
      "}\n" ::"r"((int)guard), "r"(to), "l"(global), "n"(Bytes));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0) : "memory");
}
""",
    ),
    "a square of four words, with carries in one statement": Reviewed(
        "field.cuh",
        r"""
__device__ void madc(uint32_t *r, uint32_t a, uint32_t b, uint32_t c) {
  asm("mad.lo.cc.u32 %0, %2, %3, %0;\n\t"
      "madc.hi.u32 %1, %2, %4, 0;"
      : "+r"(r[0]), "=r"(r[1]) : "r"(a), "r"(b), "r"(c));
  asm("sub.cc.u32 %0, %0, %1;" : "+r"(r[0]) : "r"(b));
  asm("{ .reg .u32 t; subc.u32 t, 0, 0; and.b32 %0, t, %1; }" : "=r"(r[1]) : "r"(a));
}
""",
        ((7, "asm-carry"),),  # only an equal input may share the register of `"+r"`
    ),
    "tables of bits": Reviewed(
        "bits.hpp",
        r"""
__device__ uint32_t both(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0xc0;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  asm("bfe.u32 %0, %1, 8, 8;" : "=r"(d) : "r"(a));
  asm("bfe.u32 %0, %1, 0, 32;" : "=r"(d) : "r"(a));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  asm("shf.l.wrap.b32 %0, %1, %2, 32;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
""",
        ((4, "shorter"), (7, "shorter"), (9, "shorter")),
    ),
    "halves": Reviewed(
        "half.hpp",
        r"""
__device__ __half mul(const __half a, const __half b) {
  __half r;
  asm("{ mul.f16 %0,%1,%2; }\n" : "=h"(r.x) : "h"(a.x), "h"(b.x));
  return r;
}
__device__ unsigned short less(unsigned a, unsigned b) {
  unsigned short r;
  asm("{ set.lt.u32.f16 %0,%1,%2; }\n" : "=h"(r) : "r"(a), "r"(b));
  return r;
}
""",
        ((9, "register-type"), (9, "register-type"), (9, "register-type")),
    ),
    "a raw string over several lines": Reviewed(
        "scan.cu",
        r"""
__device__ unsigned up(unsigned x) {
  unsigned r;
  asm volatile(R"({
    .reg .pred p;
    shfl.sync.up.b32 %0|p, %1, 1, 0, -1;
    @p add.u32 %0, %0, %1;
    @!p mov.u32 %0, %1;
  })" : "=r"(r) : "r"(x));
  asm volatile(R"({
    vadd2.s32.s32.s32 %0, %1, %1;
  })" : "=r"(r) : "r"(x));
  return r;
}
""",
        ((6, "clobber"), (11, "illegal")),
    ),
    "statements that are no PTX, and some without operands": Reviewed(
        "fence.h",
        r"""
#define FENCE() asm volatile("" ::: "memory")
inline void pause() { __asm__ __volatile__("pause" ::: "memory"); }
inline void cpuid(int *r) { asm("cpuid" : "=a"(r[0]), "=b"(r[1]) : "a"(0), "c"(0)); }
__device__ inline void sync() { asm volatile("bar.sync 0;"); }
__device__ inline void grid() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline void wrong() { asm volatile("mov.u32 %%r1, %%tid.x;"); }
""",
        ((7, "illegal"),),
    ),
    "a ladder of macros": Reviewed(
        "limits.cuh",
        r"""
#define LUT(x) x
#define OPCODE "prmt.b32"
#define SELECTOR 0x0123
#define SWAP(d, a) asm(OPCODE " %0, %1, %1, 0x0123;" : "=r"(d) : "r"(a))
__device__ unsigned swap(unsigned a) {
  unsigned d;
  SWAP(d, a);
  asm(OPCODE " %0, %1, 0, 0x3210;" : "=r"(d) : "r"(a));
  asm(UNKNOWN_OPCODE " %0, %1, 0, 0x3210;" : "=r"(d) : "r"(a));
  asm("vadd4" ".u32" ".u32" " %0, %1, %1, %1;" : "=r"(d) : "r"(a));
  return d;
}
""",
        ((9, "shorter"), (10, "unread"), (11, "illegal")),
    ),
    # --- other C
    "OpenCL of NVIDIA": Reviewed(
        "hash.cl",
        r"""
#ifdef NVIDIA
inline uint rotate(uint x, uint y) {
  uint r;
  asm("prmt.b32 %0, %1, %1, 0x2103;" : "=r"(r) : "r"(x));
  asm("sad.u32 %0, %1, %2, %0;" : "=r"(r) : "r"(x), "r"(y));
  return r;
}
#else
inline uint rotate(uint x) { return (x << 8) | (x >> 24); }
#endif
__kernel void k(__global uint *p) { p[get_global_id(0)] = rotate(p[0]); }
""",
        ((6, "unwritten"),),
    ),
    "HIP for both": Reviewed(
        "both.hip",
        r"""
#include <hip/hip_runtime.h>
__device__ unsigned sad(unsigned a, unsigned b, unsigned c) {
  unsigned d;
#if defined(__HIP_PLATFORM_AMD__)
  asm volatile("v_sad_u8 %0, %1, %2, %3" : "=v"(d) : "v"(a), "v"(b), "v"(c));
  asm volatile("s_waitcnt vmcnt(0)\n s_barrier");
#else
  asm volatile("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  asm volatile("vabsdiff4.u32.u32.u32.max %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
#endif
  return d;
}
""",
        ((10, "illegal"),),
    ),
    "Cython": Reviewed(
        "fast.pyx",
        r'''
# cython: language_level=3
cdef extern from *:
    """
    __device__ unsigned find(unsigned x) {
        unsigned r;
        asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x));
        asm("bfind.shiftamt.s64 %0, %1;" : "=r"(r) : "r"(x));
        return r;
    }
    """
    unsigned find(unsigned x)
''',
        ((8, "register-type"),),
    ),
    # --- Python
    "Triton, four bytes at once": Reviewed(
        "quantize.py",
        r'''
import triton
import triton.language as tl
@triton.jit
def add_bytes(x, y):
    return tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b32 t<2>;
            vadd4.u32.u32.u32.sat t0, $1, $2, $2;
            prmt.b32 $0, t0, t1, 0x3210;
        }
        """,
        constraints="=r,r,r",
        args=[x, y], dtype=tl.uint8, is_pure=True, pack=4)
@triton.jit
def two(x, y):
    return tl.inline_asm_elementwise("""
        mov.b32 $0, $2;
        add.u32 $1, $2, $3;
        """, "=r,=r,r,r", [x, y], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
@triton.jit
def two_early(x, y):
    return tl.inline_asm_elementwise("mov.b32 $0, $2; add.u32 $1, $2, $3;",
        "=&r,=r,r,r", [x, y], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
''',
        ((11, "shorter"), (19, "clobber")),  # the value of t1 does not matter
    ),
    "Triton, with a constraint of the wrong width and an operand too many": Reviewed(
        "clock.py",
        r"""
import triton.language as tl
def clock():
    return tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64,
                                     is_pure=False, pack=1)
def lane():
    return tl.inline_asm_elementwise("mov.u32 $0, %laneid;", "=l", [], dtype=tl.int32,
                                     is_pure=True, pack=1)
def product(a, b):
    return tl.inline_asm_elementwise("dp4a.u32.u32 $0, $1, $2, $3;", "=r,r,r", [a, b],
                                     dtype=tl.int32, is_pure=True, pack=1)
""",
        ((7, "register-type"), (10, "undeclared")),
    ),
    "Triton, constraints in parentheses": Reviewed(
        "relu.py",
        r"""
import triton.language as tl
def relu(x, y):
    return tl.inline_asm_elementwise(
        asm=(
            "{ .reg .b32 t<2>;"
            "max.s16x2 t0, $1, $2;"
            "max.s16x2 $0, t1, $2; }"
        ),
        constraints=(  # one output
            "=r,"  # four bytes
            "r,r"
        ),
        args=[x, y], dtype=tl.int16, is_pure=True, pack=2)
""",
        ((8, "unwritten"),),
    ),
    "Triton's IR": Reviewed(
        "kernel.mlir",
        r"""
tt.func @k(%a: tensor<16xi32>) {
  %0 = tt.elementwise_inline_asm "vadd4.u32.u32.u32 $0, $1, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %a : tensor<16xi32> -> tensor<16xi32>
  %1 = tt.elementwise_inline_asm "vadd4.u32.u32.u32 $0, $1, $2, $1;" {packed_element = 1 : i32, constraints = "=r,r", pure = true} %a : tensor<16xi32> -> tensor<16xi32>
  %2 = tt.elementwise_inline_asm "mov.u32 $0, 1; add.u32 $0, $0, $1;" {constraints = "=r,r"} %a : tensor<16xi32> -> tensor<16xi32>
  tt.return
}
""",  # noqa: E501
        ((4, "undeclared"), (5, "clobber")),
    ),
    "Rust, names and numbers without an operand": Reviewed(
        "lanes.rs",
        r"""
pub unsafe fn f(a: u32, b: u32) -> u32 {
    let d: u32;
    asm!("vadd4.u32.u32.u32 {0}, {1}, {3}, {1};", out(reg32) d, in(reg32) a, in(reg32) b);
    asm!("vadd4.u32.u32.u32 {d}, {a}, {c}, {a};", d = out(reg32) d, a = in(reg32) a);
    asm!("mov.u32 {d}, %laneid; add.u32 {d}, {d}, {n};", d = out(reg32) d, n = const 3);
    asm!("mov.u32 {d}, {x}; bra {y};", d = out(reg32) d, y = label { return 0; });
    d
}
""",
        ((4, "undeclared"), (5, "undeclared")),
    ),
    "Julia, a number without an operand": Reviewed(
        "lanes.jl",
        r"""
f(a) = @asmcall("vadd4.u32.u32.u32 \$0, \$1, \$2, \$1;", "=r,r", UInt32, Tuple{UInt32}, a)
g(a) = @asmcall("vadd4.u32.u32.u32 \$0, \$1, \$1, \$1; // \$\$9", "=r,r", UInt32, Tuple{UInt32}, a)
""".replace("\\\\", "\\"),
        ((2, "undeclared"),),
    ),
    "CuPy": Reviewed(
        "elementwise.py",
        r"""
import cupy as cp
compare = cp.ElementwiseKernel('uint32 a, uint32 b', 'uint32 d', '''
  asm("vset4.u32.u32.ge %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
  asm("vset4.u32.u32.gez %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
''', 'compare')
module = cp.RawModule(code='extern "C" __global__ void k(unsigned *p) {'
                           'asm("vneg4.u32 %0, %1;" : "=r"(*p) : "r"(1)); }')
""",
        ((5, "illegal"), (8, "illegal")),
    ),
    "PyTorch, compiled at run time": Reviewed(
        "extension.py",
        r'''
from torch.utils.cpp_extension import load_inline
cuda_source = r"""
__global__ void k(int *out) {
  long lane; int warp;
  asm("mov.u32 %0, %%laneid;" : "=l"(lane));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  out[0] = lane + warp;
}
"""
module = load_inline("m", cpp_sources="", cuda_sources=cuda_source, functions=["k"])
''',
        ((6, "register-type"),),
    ),
    "Numba, through llvmlite": Reviewed(
        "intrinsics.py",
        r"""
from llvmlite import ir
from numba.core.extending import intrinsic
@intrinsic
def vabsdiff4(context, a, b, c):
    def codegen(context, builder, signature, arguments):
        i32 = ir.IntType(32)
        fnty = ir.FunctionType(i32, [i32, i32, i32])
        asm = ir.InlineAsm(fnty, "vabsdiff4.u32.u32.u32.add $0, $1, $2, $3;", "=r,r,r,r")
        return builder.call(asm, arguments)
    return a(a, b, c), codegen
def dot(builder, fnty, a, b):
    return builder.call(ir.InlineAsm(fnty, "dp4a.u32.s32 $0, $1, $2;", "=r,r,r"), [a, b])
""",
        ((13, "illegal"),),
    ),
    "a generator of C++": Reviewed(
        "generate.py",
        r'''
def kernel(name, n):
    return f"""
__global__ void {name}(unsigned *p) {{
  unsigned d, a = p[{n}];
  asm("vadd4.u32.u32.u32 %0, %1, %1, %1;" : "=r"(d) : "r"(a));
  asm("vadd4.u32.u32 %0, %1, %1, %1;" : "=r"(d) : "r"(a));
  asm("{name}.u32 %0, %1;" : "=r"(d) : "r"(a));
}}
"""
''',
        ((7, "illegal"), (8, "unread")),
    ),
    # --- other compilers
    "Rust, operands in and out": Reviewed(
        "dot.rs",
        r"""
use core::arch::asm;
#[inline]
pub fn dot(a: u32, b: u32, mut c: u32) -> u32 {
    unsafe {
        asm!("dp4a.u32.u32 {c}, {a}, {b}, {c};", c = inout(reg32) c, a = in(reg32) a,
             b = in(reg32) b, options(pure, nomem, nostack));
    }
    c
}
pub fn wide(a: u64) -> u32 {
    let d: u32;
    unsafe { asm!("popc.b32 {d}, {a};", d = out(reg32) d, a = in(reg64) a); }
    d
}
""",
        ((13, "register-type"),),
    ),
    "LLVM, structures of results": Reviewed(
        "carry.ll",
        r"""
target triple = "nvptx64-nvidia-cuda"
define i64 @add(i32 %a, i32 %b, i32 %c, i32 %d) {
  %1 = call { i32, i32 } asm "add.cc.u32 $0, $2, $4; addc.u32 $1, $3, $5;",
       "=r,=r,r,r,r,r"(i32 %a, i32 %b, i32 %c, i32 %d)
  %2 = call { i32, i32 } asm "add.cc.u32 $0, $2, $4; addc.u32 $1, $3, $5;", "=&r,=r,r,r,r,r"(
       i32 %a, i32 %b, i32 %c, i32 %d)
  %3 = call i32 asm sideeffect "mov.u32 $0, %tid.x;", "=r"()
  %4 = call i32 asm "bfi.b32 $0, $1, $2, 0;", "=r,r,r"(i32 %a, i32 %b)
  ret i64 0
}
""",
        ((4, "clobber"), (9, "illegal")),
    ),
    "MLIR": Reviewed(
        "kernel.mlir",
        r"""
module {
  llvm.func @f(%a: i32, %b: i32) -> i32 {
    %0 = llvm.inline_asm asm_dialect = att "vadd4.u32.u32.u32 $0, $1, $2, $1;", "=r,r,r" %a, %b
      : (i32, i32) -> i32
    %1 = llvm.inline_asm has_side_effects "vadd4.u32.u32 $0, $1, $2, $1;", "=r,r,r"
      %a, %b : (i32, i32) -> i32
    llvm.return %0 : i32
  }
}
""",
        ((6, "illegal"),),
    ),
    "Julia": Reviewed(
        "bits.jl",
        r"""
using LLVM.Interop
@inline function vadd4(a::UInt32, b::UInt32)
    @asmcall("vadd4.u32.u32.u32 \$0, \$1, \$2, \$1;", "=r,r,r", UInt32,
             Tuple{UInt32,UInt32}, a, b)
end
# vadd4.bogus in a comment
@inline field(a::UInt32) = @asmcall("bfe.u32 \$0, \$1, 8;", "=r,r", UInt32, Tuple{UInt32}, a)
""",
        ((8, "illegal"),),
    ),
    "constants of LLVM, and a name that Python replaces": Reviewed(
        "select.py",
        r'''
def select(a, b, c, table):
    return llvm.inline_asm(
        T.i32(), [a, b, c, table],
        "lop3.b32 $0, $1, $2, $3, $4;", "=r,r,r,r,n",
        has_side_effects=False, asm_dialect=0)
MASKED = """{
    .reg .b32 w0;
    lop3.b32 w0, w0, __MASK__, __OTHERS__, 0x6a;
}"""
print(MASKED.replace("__MASK__", "7").replace("__OTHERS__", "9"))
''',
        ((5, "unread"), (9, "unread")),
    ),
    "LLVM, constants": Reviewed(
        "table.ll",
        r"""
  %1 = call i32 asm "lop3.b32 $0, $1, $2, $3, $4;", "=r,r,r,r,n"(i32 %a, i32 %b, i32 %c, i32 150)
  %2 = call i32 asm "bfe.u32 $0, $1, $2, $3;", "=r,r,n,n"(i32 %a, i32 8, i32 8)
""",
    ),
    "a barrier that says why it is over": Reviewed(
        "mbarrier.h",
        r"""
__device__ bool done(unsigned &value, unsigned bar, unsigned parity) {
  unsigned r;
  asm("{ .reg .pred p, q;\n\t"
      ".reg .b8 v;\n\t"
      "mbarrier.test_wait.parity.phase_type::primary.acquire.cta.shared::cta.b64 p|q, v, [%2], %3;"
      "selp.b32 %0, 1, 0, p; cvt.u32.u8 %1, v; }" : "=r"(r), "=r"(value) : "r"(bar), "r"(parity));
  return r;
}
""",
    ),
    # --- documents and listings
    "a notebook": Reviewed("explore.ipynb", _NOTEBOOK, ((18, "illegal"),)),
    "a page": Reviewed(
        "README.md",
        r"""
The instruction `vadd4.u32` adds bytes; vadd4 is fast.

```ptx
.reg .b32 %r<4>;
vadd4.u32.u32.u32 %r1, %r2, %r3, %r3;
vadd4.u32.u32.u32 %r1, %r2, 5, %r3;
```

```cuda
asm("vavrg4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
asm("vavrg4.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
```

```
$ vadd4 --help
```
""",
        ((7, "illegal"), (12, "illegal")),
    ),
    "a listing of nvcc for an architecture that lacks the instruction": Reviewed(
        "old.ptx",
        r"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<3>;
	ld.param.u64 	%rd1, [k_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	ld.global.u32 	%r1, [%rd2];
	// begin inline asm
	add.u16x2 %r2, %r1, %r1;
	// end inline asm
	dp4a.u32.u32 	%r3, %r1, %r1, %r2;
	prmt.b32 	%r4, %r3, %rd1, 30212;
	st.global.u32 	[%rd2], %r4;
	ret;
}
""",
        ((13, "version"), (16, "register-type")),
    ),
    "a listing of clang": Reviewed(
        "clang.ptx",
        r"""
//
// Generated by LLVM NVPTX Back-End
//
.version 4.2
.target sm_75
.address_size 64
.visible .func  (.param .b32 func_retval0) f(
	.param .b32 f_param_0
)                                       // @f
{
	.reg .b32 	%r<4>;
// %bb.0:
	ld.param.b32 	%r1, [f_param_0];
	fns.b32 	%r2, %r1, 0, 1;
	bfe.u32 	%r3, %r2, 8, 8;
	addc.u32 	%r3, %r3, 0;
	st.param.b32 	[func_retval0], %r3;
	ret;
                                        // -- End function
}
""",
        ((15, "version"), (17, "carry")),
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_all_that_is_to_be_said_is_said(name: str) -> None:
    source = SOURCES[name]
    found = [
        (x.location.line, x.rule)
        for item in check_text(source.text, source.name)
        for x in item.diagnostics
    ]
    assert tuple(found) == source.findings


def test_there_are_enough() -> None:
    assert len(SOURCES) >= 24
