%% scan.cuh a warp scan that adds in place
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
%% scan.cuh the same with an output that is written early
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
%% memory.h a load that a predicate decides, with zeros before
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
%% tma.hpp a store that an input is converted for, into an input
__device__ void fence(uint32_t smem) {
#if defined(TMA)
  uint64_t const wide = 0;
  asm volatile("cvt.u64.u32 %0, %1;" :: "l"(wide), "r"(smem));
#endif
  asm volatile("fence.proxy.async.shared::cta;");
}
%% bigint.cu a multiprecision addition, whole and torn
__device__ void add(uint32_t *r, const uint32_t *a, const uint32_t *b) {
  asm("add.cc.u32 %0, %2, %4;\n\t"
      "addc.u32 %1, %3, %5;\n\t"
      : "=&r"(r[0]), "=r"(r[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r[2]) : "r"(a[2]), "r"(b[2]));
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(r[3]) : "r"(a[3]), "r"(b[3]));
}
%% hash.cu a comparison that reads its own predicate
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
%% util.cuh constraints and percents
__device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %laneid;" : "=r"(r)); return r; }
__device__ unsigned warp() { unsigned r; asm("mov.u32 %0, %%warpid;" : "=r"(r)); return r; }
__device__ size_t clk() { size_t r; asm volatile("mov.u64 %0, %%clock64;" : "=r"(r)); return r; }
__device__ void inc(unsigned *p) { asm volatile("red.global.add.u32 [%0], %2;" :: "l"(p), "r"(1)); }
__device__ float rcp(float x) { float r; asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "d"(x)); }
%% simd.cuh -D__CUDA_ARCH__=750 a header with a ladder of architectures
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
%% simd.cuh -D__CUDA_ARCH__=200 the same for an architecture without the instruction
#if __CUDA_ARCH__ >= 300
asm("vadd2.s32.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vadd2.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
%% minmax.cu instructions by a macro
#define MINMAX(op)                                                   \
  __device__ unsigned op##4(unsigned a, unsigned b) {                \
    unsigned d;                                                      \
    asm(#op "4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b)); \
    return d;                                                        \
  }
MINMAX(vmin)
MINMAX(vmix)
%% cpu.cpp x86 and ARM beside CUDA
static inline uint64_t ticks() {
  uint32_t lo, hi;
  asm volatile("rdtsc" : "=a"(lo), "=d"(hi));
  asm volatile("add %1, %0; add %2, %0" : "=r"(lo) : "r"(lo), "r"(hi));
  asm volatile("mrs %0, cntvct_el0" : "=r"(lo));
  asm volatile("fmla v0.4s, v1.4s, v2.4s\n mov %0, %1" : "=r"(lo) : "r"(hi));
  return lo;
}
%% pad.cu ignored on purpose
__device__ unsigned f(unsigned a) {
  unsigned d;
  // d is zero at first: ptxscope: ignore[unwritten]
  asm("@p add.u32 %0, %0, %1;" : "=r"(d) : "r"(a));
  asm("vadd.u32.s32.s32.sat %0.b0, %1, %1, %1;" : "=r"(d) : "r"(a)); // ptxscope: ignore[E3]
  return d;
}
%% barrier.cuh a barrier that is waited for in a loop
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
%% mma_sm80.hpp a matrix multiplication, whole and with an operand too many
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
%% copy.h asynchronous copies with a size that is a constant
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
%% field.cuh a square of four words, with carries in one statement
__device__ void madc(uint32_t *r, uint32_t a, uint32_t b, uint32_t c) {
  asm("mad.lo.cc.u32 %0, %2, %3, %0;\n\t"
      "madc.hi.u32 %1, %2, %4, 0;"
      : "+r"(r[0]), "=r"(r[1]) : "r"(a), "r"(b), "r"(c));
  asm("sub.cc.u32 %0, %0, %1;" : "+r"(r[0]) : "r"(b));
  asm("{ .reg .u32 t; subc.u32 t, 0, 0; and.b32 %0, t, %1; }" : "=r"(r[1]) : "r"(a));
}
%% bits.hpp tables of bits
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
%% half.hpp halves
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
%% scan.cu a raw string over several lines
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
%% fence.h statements that are no PTX, and some without operands
#define FENCE() asm volatile("" ::: "memory")
inline void pause() { __asm__ __volatile__("pause" ::: "memory"); }
inline void cpuid(int *r) { asm("cpuid" : "=a"(r[0]), "=b"(r[1]) : "a"(0), "c"(0)); }
__device__ inline void sync() { asm volatile("bar.sync 0;"); }
__device__ inline void grid() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline void wrong() { asm volatile("mov.u32 %%r1, %%tid.x;"); }
%% limits.cuh a ladder of macros
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
%% hash.cl OpenCL of NVIDIA
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
%% both.hip HIP for both
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
%% mbarrier.h a barrier that says why it is over
__device__ bool done(unsigned &value, unsigned bar, unsigned parity) {
  unsigned r;
  asm("{ .reg .pred p, q;\n\t"
      ".reg .b8 v;\n\t"
      "mbarrier.test_wait.parity.phase_type::primary.acquire.cta.shared::cta.b64 p|q, v, [%2], %3;"
      "selp.b32 %0, 1, 0, p; cvt.u32.u8 %1, v; }" : "=r"(r), "=r"(value) : "r"(bar), "r"(parity));
  return r;
}
