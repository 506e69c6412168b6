%%% certainly no PTX: RISC-V, ARM, AMD, Hexagon, MIPS, x86
void f() { asm volatile("vsetvli t0, %0, e8, m1\n\t vadd.vv v1, v2, v3\n" :: "r"(n) : "v1"); }
void f() { asm volatile("vsub.vv v1, v2, v3" ::: "t0", "memory"); }
void f() { asm volatile("vmax.s32 q4, q4, q5 \n" "vadd.u32 q0, q1, q2\n" :: "r"(p) : "cc", "q0"); }
void f() { asm("vadd.f32 %q0, %q1, %q2" : "=w"(a) : "w"(b), "w"(c)); }
void f() { asm("vmin.u16 %P0, %P1, %P2;" : "=w"(a) : "w"(b), "w"(c)); }
void f() { asm volatile("v_addc_co_u32 %0, vcc, %1, %2, vcc" : "=v"(a) : "v"(b), "v"(c)); }
void f() { asm("{ v0.w = vadd(v1.w, v2.w)\n %0 = vmin(%1, %2) }" : "=r"(d) : "r"(a), "r"(b)); }
void f() { asm("add.d $f0, %0, %1; sub.s $f1, %0, %1" :: "r"(a), "r"(b)); }
void f() { asm("shl $3, %0; sete %1" : "=r"(d) : "r"(a), "r"(b)); }
void f() { asm("prmt.b32 %0, %1, %2, 1" : "=x"(d) : "x"(a), "m"(b)); }
%% one note in a file
void f() {
asm volatile("vadd.vv v1, v2, v3");
asm volatile("vadd.vv v1, v2, v3");
}
%% one note in a file
void f() {
asm("vadd.i32 q0, q1, q2\n\tvmin.u16 d0, d1, d2" : "=r"(d) : "r"(a), "r"(b));
asm("vadd.i32 q0, q1, q2\n\tvmin.u16 d0, d1, d2" : "=r"(d) : "r"(a), "r"(b));
}
%% one note in a file
void f() {
asm volatile("vmin.s32 d0, d0, d1;" "vmax.s32 d0, d0, d1;");
asm volatile("vmin.s32 d0, d0, d1;" "vmax.s32 d0, d0, d1;");
}
%% one note in a file
void f() {
asm("bfi %0, %1, #8, #8" : "+r"(a) : "r"(b));
asm("bfi %0, %1, #8, #8" : "+r"(a) : "r"(b));
}
%% one note in a file
void f() {
asm("bfi %w0, %w1, 8, 8" : "+r"(a) : "r"(b));
asm("bfi %w0, %w1, 8, 8" : "+r"(a) : "r"(b));
}
%%% x.cu slips in PTX stay errors
void f() { asm("vadd.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); }
void f() { asm("vad4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b)); }
void f() { asm("vadd4 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b)); }
void f() { asm("vadd4.u32.u32.u32 %0, %1, %2, %1" : "=r"(d) : "r"(a), "r"(b)); }
void f() { asm("foo vadd4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b)); }
void f() { asm("{ .reg .u32 q1; mov.u32 q1, %1; vadd.u32.u32 %0, q1, %2; }" : "=r"(d) : "r"(a), "r"(b)); }
