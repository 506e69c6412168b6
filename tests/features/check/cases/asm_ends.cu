%%% what stands between asm statements, as nvcc 13.0 has it
asm("vadd.u32.u32.u32 %0, %1, %2" : "=r"(d) : "r"(a), "r"(b)); asm(";");
%% what stands between asm statements, as nvcc 13.0 has it
asm("vadd.u32.u32.u32 %0, %1, %2" : "=r"(d) : "r"(a), "r"(b));
asm("; vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
%%% what stands between asm statements, as nvcc 13.0 has it
asm("vadd.u32.u32.u32 %0, %1, %2" : "=r"(d) : "r"(a), "r"(b)); } void g() { asm(";");
asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); asm(";");
asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); asm("; vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("foo vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
asm("@p { vadd.u32.u32.u32 %0, %1, %2; }" : "=r"(d) : "r"(a), "r"(b));
asm("{ vadd.u32.u32.u32 %0, %1, %2; };" : "=r"(d) : "r"(a), "r"(b));
asm(".reg .u32 t, t; vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
x = "use vadd.u32.u32.u32 d, a, b;";
%% what no condition lets be compiled is a note
#if 0
#ifdef X
asm("vadd.bogus %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#endif
asm("vadd.bogus %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vadd.bogus %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#endif
asm("vadd.bogus %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#if (0) // x
asm("vadd.bogus %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
%% 01 is not 0
#if 01
asm("vadd.bogus %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#endif
%%% comments in front of the text
asm volatile /* sum */ ("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm/**/("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm /* a */ volatile("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
%% comments in front of the text
asm // c
 volatile // d
("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
%% comments in front of the text
asm volatile // why \
 still 
("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
%%% comments in front of the text
__asm__ __volatile__ /* asm( */ ("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm /* ( */ __volatile /* ) */ ("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
%% comments in front of the text
asm volatile \
("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
%%% comments in front of the text
asm volatile /* sum */ ("vadd.u32.u32.u32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
asm/**/("vadd.u32.u32.u32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
asm volatile /* sum */ ("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
asm/**/("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
asm /* a */ volatile("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
%% comments in front of the text
asm // c
 volatile // d
("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
%% comments in front of the text
asm volatile // why \
 still 
("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
%%% comments in front of the text
__asm__ __volatile__ /* asm( */ ("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
asm /* ( */ __volatile /* ) */ ("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
%% comments in front of the text
asm volatile \
("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
%%% comments in front of the text
asm volatile /* sum */ ("vadd.u32.u32.u32 %%0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm/**/("vadd.u32.u32.u32 %%0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile /* sum */ ("vadd4.u32.u32 " "%0, %1, %1;" : "=r"(r) : "r"(x));
asm/**/("vadd4.u32.u32 " "%0, %1, %1;" : "=r"(r) : "r"(x));
asm volatile /* sum */ ("vadd4.u32.u32 bad13" ";" );
asm/**/("vadd4.u32.u32 bad13" ";" );
%%% a comment behind an opcode
asm volatile("vadd/*x*/.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("vadd//x\n.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("vadd/*x*/.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("vadd4/* lanes */.u32.u32 %0, %1, %2, %1;" : "=r"(r) : "r"(x), "r"(y));
%% no asm begins in a comment behind asm
asm /* asm("vadd.u32 d;"); */; asm // asm("vadd.u32 d;")
;
%%% an operand by its name
asm("vadd.u32.u32.u32 %[d], %[a], %[b].b0;" : [d] "=r"(d) : [a] "r"(x), [b] "r"(y));
%%% a register that this asm statement alone could declare
asm("{ .reg .u32 %%t<2>; vadd4.u32.u32.u32 %0, %1, %%t7, %1; }" : "=r"(d) : "r"(a));
%%% - registers that may be declared elsewhere
vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;
{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, %2, %3; }
asm("{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, $2, %3; }" : "=r"(d) : REST);
asm(".reg .u32 s;"); asm("{ .reg .u32 t; vadd4.u32.u32.u32 t, s, s, s; }");
%% x.py an asm with a comment, in Python and in a file without a name
import cupy
code = r'''__global__ void k(unsigned *o) {
  unsigned r = 0, x = o[1], y = o[2];
  asm /* ; */ ("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
  o[0] = r;
}
'''
%% - an asm with a comment, in Python and in a file without a name
__global__ void k(unsigned *o) {
  unsigned r = 0, x = o[1], y = o[2];
  asm /**/ ("vadd.u32.u32.u32 %0, %1, %5;" : "=r"(r) : "r"(x), "r"(y));
  o[0] = r;
}
