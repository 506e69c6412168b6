__device__ void f() {
CASE
}
%%% read before it is written
asm("add.u32 %0, %0, %1;" : "=r"(d) : "r"(a), "r"(b));
asm("@p add.u32 %0, %0, %1;" : "=&r"(d) : "r"(a), "r"(b));
asm("st.global.u32 [%1], %0;" : "=r"(d) : "l"(p));
asm("fma.rn.f32 %0, %1, %1, %0;" : "=f"(d) : "f"(a));
asm volatile("{ .reg .b64 t; mov.b64 t, {%0, %1}; }" : "=r"(d), "+r"(e));
asm("mad.lo.u32 %0, %1, %1, %0;" : "=r"(d) : "r"(a));
asm("{ .reg .pred p; setp.lt.and.u32 p, %1, 3, p; selp.u32 %0, 1, 2, p; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .pred q; @q mov.u32 %0, %1; @!q mov.u32 %0, 1; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .b32 t; add.u32 %0, t, %1; mov.u32 t, 1; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .b128 t; ld.relaxed.gpu.b128 [%2], t; }" : "=l"(x), "=l"(y) : "l"(p));
asm("{ .reg .b32 t<3>; mov.b32 t0, 1; add.u32 %0, t1, t0; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .b32 t; prmt.b32 %0, %1, t, 0x3214; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .pred p; isspacep.local p, %1; @p mov.s32 %0, 1; }" : "=r"(d) : "l"(x));
asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @!p mov.u32 %0, %2; }" : "=&r"(d) : "r"(a), "r"(b));
%%% written while an input is needed
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %1;" : "=r"(d) : "r"(a), "r"(b));
asm("mov.u32 %0, 1; @p add.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("@p mov.u32 %0, 1; @p add.u32 %0, %0, %2; @!p mov.u32 %0, 0;" : "=r"(d) : "r"(a), "r"(b));
asm("mov.u32 %0, %1; add.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("mov.u32 %0, %1; add.u32 %0, %0, 1; xor.b32 %0, %0, %1;" : "=r"(d) : "r"(a), "r"(b));
asm("vadd.u32.u32.u32 %0, %1, 1; vadd.u32.u32.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("mov.b64 {%0, %1}, %2; st.global.u32 [%3], %0; st.global.u32 [%3], %4;" : "=r"(d), "=&r"(e) : "l"(x), "l"(p), "r"(a));
asm("{.reg .pred pv; .reg .s16 s0, s1, s2, s3; max.s16x2 %0, %2, %3; mov.b32 {s0, s1}, %0; mov.b32 {s2, s3}, %2; setp.eq.s16 pv, s0, s2; selp.b32 %1, 1, 0, pv;}" : "=r"(d), "=r"(e) : "r"(a), "r"(b));
%%% nothing is to be said of these, but that they are not read
asm("add.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("mov.u32 %0, 1; add.u32 %0, %0, 1;" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .b32 t; add.u32 t, %1, %2; add.u32 %0, t, %1; }" : "=r"(d) : "r"(a), "r"(b));
asm("add.u32 %0, %0, %1; add.u32 %0, %0, %1;" : "+r"(d) : "r"(a));
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" : "=&r"(d) : "r"(a), "r"(b));
asm("mov.u32 %0, 1; st.global.u32 [%1], %0;" : "=r"(d) : "l"(p));
asm("mov.u32 %0, 1; mov.b32 %1, %2;" : "=r"(d), "=f"(e) : "f"(a));
asm("mov.u32 %0, 1; add.u32 %0, %0, %1;" : "=r"(d) : "n"(3));
asm("mov.u32 %0, 1; add.u32 %0, %0, %1;" : "=r"(d) : "r"(3));
asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mov.u32 %0, %1; @!p mov.u32 %0, %2; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .pred p, q; setp.ne.u32 p|q, %1, 0; @p mov.u32 %0, %1; @q mov.u32 %0, %2; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p ld.global.u32 %0, [%2]; }" : "=r"(d) : "r"(a), "l"(x));
asm("{ .reg .pred p; mov.u32 %0, 0; setp.ne.u32 p, %1, 0; @p mov.u32 %0, 1; }" : "=&r"(d) : "r"(a));
asm("{ .reg .b32 t<3>; mov.b32 t0, %1; { .reg .b32 t<3>; add.u32 %0, t1, 1; } }" : "=r"(d) : "r"(a), "r"(b));
asm("@p bra L; mov.u32 %0, %1; bra M; L: mov.u32 %0, %2; M:" : "=r"(d) : "r"(a), "r"(b));
asm("{ .reg .b32 t; bra L; K: add.u32 %0, t, 1; bra M; L: mov.u32 t, %1; bra K; M: }" : "=r"(d) : "r"(a), "r"(b));
asm("mov.u32 %0, %1; st.global.u32 [%2], %1;" : "=r"(d) : "r"(a), "l"(p));
asm("{ .reg .pred p; setp.eq.u32 p, %1, 1; setp.lt.and.u32 p, %1, 3, p; selp.u32 %0, 1, 2, p; }" : "=r"(d) : "r"(a), "r"(b));
asm("xor.b32 %0, %0, %0;" : "=r"(d));
asm("sub.u32 %0, %0, %0;" : "=r"(d));
asm("{ .reg .b16 t, u; cvt.rn.satfinite.e4m3x2.f32 t, %1, %1; mov.b32 %0, {t, u}; }" : "=r"(d) : "f"(f));
asm("{ .reg .b32 t; mov.u32 t, 1; } { .reg .b32 t; mov.u32 t, %1; mov.u32 %0, t; }" : "=r"(d) : "r"(a), "r"(b));
asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p), "r"(a));
asm volatile("bar.sync %0, %1;" :: "r"(a), "r"(b));
asm volatile("bar.red.popc.u32 %0, 0, p;" : "=r"(d));
asm volatile("call (%0), f, (%1);" : "=r"(d) : "r"(a));
asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(a), "l"(p));
asm volatile("tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%0, %1}, %2, [%3];" : "=r"(a), "=r"(b), "=r"(c) : "r"(t));
asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" :: "r"(a), "r"(b));
asm("mov.b64 {%0, _}, %1;" : "=r"(d) : "l"(x));
asm("mov.b64 %0, {%1, %2};" : "=l"(x) : "r"(a), "f"(f));
asm("mov.b64 %0, {%1, %2, %1, %2};" : "=l"(x) : "h"(a), "h"(b));
asm("ld.global.v2.u32 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p));
asm("st.global.v4.f32 [%0], {%1, %1, %2, %2};" :: "l"(p), "f"(f), "r"(a));
asm("{ .reg .b32 t; prmt.b32 %0, %1, t, 0x3120; }" : "=r"(d) : "r"(a), "r"(b));
asm volatile("mbarrier.try_wait.b64 p|q, v, [%0], %1;" :: "r"(a), "r"(b));
asm("movl %1, %0; addl %2, %0" : "=r"(d) : "r"(a), "r"(b));
asm("add %0, %0, %1; add %0, %0, %2" : "=r"(d) : "r"(a), "r"(b));
asm volatile("rdtsc; shl $32, %0" : "=a"(d), "=d"(e));
asm("add.u32 %0, %0, %1;" : OUT("=r", d), "=r"(e) : "r"(a));
asm("mov.u32 %0, 1;" MORE "add.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("{.reg .u32 %%1; mov.u32 %%1, %2; mov.u32 %0, %%1;}" : "=r"(d) : "r"(a), "r"(b));
asm("mov.u32 %0, %%tid.x;" : "=r"(d));
asm("mov.u32 %tid, 1;");
asm("mov.bf16 {%0, %1}, %2;" : "=h"(d), "=h"(e) : "r"(a));
%%% an input that is written
asm("add.u32 %1, %1, 1; mov.u32 %0, %1;" : "=r"(d) : "r"(a));
asm("add.u32 %1, %1, 1; mov.u32 %0, %1;" : "=r"(d), "+r"(a));
%%% constraints that do not suit, as nvcc 13.0 refuses them; ptxas refuses an address of .f64
asm("mov.u32 %0, %1;" : "=l"(x) : "r"(a));
asm("mov.u32 %0, %1;" : "=r"(d) : "f"(f));
asm("mul.wide.u32 %0, %1, %1;" : "=r"(d) : "r"(a));
asm("ld.global.u64 %0, [%1];" : "=r"(d) : "l"(p));
asm("ld.global.u32 %0, [%1];" : "=r"(d) : "r"(a));
asm("mov.b64 %0, {%1, %2};" : "=l"(x) : "r"(a), "l"(y));
asm("mov.b64 {%0, %1}, %2;" : "=r"(d), "=h"(e) : "l"(x));
asm("mov.b32 {%0, %1}, %2;" : "=h"(d), "=h"(e) : "l"(x));
asm("st.global.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"(x), "r"(a));
asm("ld.global.v2.u32 {%0, %1}, [%2];" : "=h"(d), "=r"(e) : "l"(p));
%%% placeholders of every instruction
asm("mov.u32 %0, %3;" : "=r"(d) : "r"(a));
asm("mov.u32 %0, %r1;" : "=r"(d) : "r"(a));
asm("mov.u32 %0, %tid.x;" : "=r"(d) : "r"(a));
asm("mov.u32 t, %%tid.x;");
%%% a literal whose value is not known
asm("lop3.b32 %0, %1, %1, %1, %2;" : "=r"(d) : "r"(a), [lut] "n"((x & y) | z));
asm("lop3.b32 %0, %1, %1, %1, %[lut];" : "=r"(d) : "r"(a), [lut] "n"((x & y) | z));
asm("lop3.u32 %0, %1, %1, %1, %2;" : "=r"(d) : "r"(a), [lut] "n"((x & y) | z));
%%% each finding once
asm("vadd.u32.u32.u32 %0, %0, %7;" : "=r"(d));
%%% a list of bytes is not judged
asm("mov.b32 %0, {%1, %1, %1, %1};" : "=l"(x) : "h"(a));
