%%% asm that is put together is noted once
asm("vadd4" TY ".foo %0,%1,%2,%3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("vadd4.u32.u32.u32" TY " %0,%1,%2,%3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("vadd4." TY ".u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("set" CMP " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("mov.u32 %0, %1;\n\t" "vset4" TY " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("@%%p vset4" TY " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("mov.u32 %0, %1;" NL "vset4" TY " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("mov.u32 %0, %1;" NL "vset4.u32.u32" TY " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm(OPC TY " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm volatile(OPC ".u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm(STR(op) ".s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm(/* why */ OPC " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("{\n\t.reg .u32 t;\n\t" o ".u32.u32.u32 t, %1, %2, %3;}" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("v" #op "4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% asm that is put together is noted once
asm("vadd4.u32.u32.u32 %0, %1, %2, "
#ifdef X
"%3;"
#endif
 : "=r"(d) : "r"(a), "r"(b), "r"(c));
%%% asm that is put together is noted once
asm(BODY : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% a macro with the opcode as an argument
#define VOP(r, op) \
  asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));

%% no use of it: an argument is missing
#define VOP(r, op) \
  asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
VOP(f2)
%% a macro with the opcode as an argument
#define VOP(r, op) \
  asm(#op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));

%% no use of it: an argument is missing
#define VOP(r, op) \
  asm(#op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
VOP(f2)
%%% a statement that is all literal is checked
asm("{\n\t.reg .u32 t;\n\t" o ".u32 t, %1;\n\t" "vsub4.u32.u32.u32.foo %0, t, %2, %3;}" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%%% a statement that is whole, and one that is cut off
asm(X "vmin4.u32.u32.u32 %0, %1, %2, %3; vmin4.u32.u32" TY " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
k = "vmin4.u32.u32.u32 %0, %1, %2, %3; vmin4.u32.u32" TY " %0, %1, %2, %3;";
s << "vmin4.u32.u32.u32 %0, %1, %2, %3; vmin4.u32.u32" << t << " %0, %1, %2, %3;";
%%% only the statement that a macro touches is not checked
asm("vadd4.u32.u32.u32.bogus %0, %1, %2, %3;" MACRO : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm(MACRO "vadd4.u32.u32.u32.bogus %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("{ " DECLARE(t) "vadd4.u32.u32.u32.bogus %0, %1, %2, %3;" NL "mov.u32 %0, " X "; }" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% only the statement that a macro touches is not checked
asm("mov.u32 %0, 1;"
#if A == ":"
"vadd4.u32.u32.u32.bogus %0, %1, %2, %3;"
#endif
 : "=r"(d) : "r"(a), "r"(b), "r"(c));
%%% only the statement that a macro touches is not checked
asm(BLOCK("vadd4.u32.u32.u32.bogus %0, %1, %2, %3;") : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% only the statement that a macro touches is not checked
#define M(x) asm("mov.u32 %0, " #x "; \
 " "vadd4.u32.u32.u32.bogus %0, %1, %2, %3;" NL : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% only the statement that a macro touches is not checked
asm(/* "x" */ NL /* " */ "vadd4.u32.u32.u32.bogus %0, %1, %2, %3;" // ; )
 NL : "=r"(d) : "r"(a), "r"(b), "r"(c));
%%% only the statement that a macro touches is not checked
s = "vadd4.u32.u32.u32.bogus %0, %1, %2, %3;" + rest;
%%% each statement that a macro touches
asm(OPC " %0, %1;" "vset4" TY " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%%% a macro may declare u; without it nothing does
asm("{ .reg .u32 t;" DECLARE(u) "vadd4.u32.u32.u32 %0, u, t, %1; }" : "=r"(d) : "r"(a), "r"(b), "r"(c));
asm("{ .reg .u32 t;" "vadd4.u32.u32.u32 %0, u, t, %1; }" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% both branches declare t
asm("{ "
#if A
".reg .u32 t;"
#else
".reg .b32 t;"
#endif
"vadd4.u32.u32.u32 %0, t, t, %1; }" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%%% the character that stands for a gap
asm("vadd4.u32.u32.u32 %0, %1, %2, ￼;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%%% a string that is put together is noted once
sprintf(b,"vset4.%s.u32.lt %%r%d, %%r%d, %%r%d, %%r%d;", t, 1,2,3,4);
sprintf(b, "vset%d.u32.u32.lt %%r1, %%r2, %%r3, %%r4;", n);
sprintf(b, "mov.u32 a, b;\n\tvset4.%s.%s.lt d, a, b, c;", t, u);
fmt::format("vadd4.{}.{}.{} d, a, b, c;", t, t, t);
s = "vmax4." + t + ".u32.u32 a, b, c, d;";
s << "vmax4." << t << ".u32.u32 " << d << ", a, b, c;\n";
s << "vadd4.u32.u32.u32 " << d << ", " << a << ";\n";
k = "vmax4" TY " %0, %1, %2, %3;";
k = string("vmax4.u32.u32.u32 ") + d + ", a, b, c;";
%%% prose
printf("vadd4 result: %d\n", d);
printf("vadd4.u32 result: %d\n", d);
printf("vadd4.%s failed, %d errors;", d);
cout << "vadd4 result: " << d;
cout << "vadd4.u32 result: " << d << "; set x to " << y;
log("set x, y; setp failed; slct.");
key = "set." + name; key = "set" + name;
throw E("vset4.u32.u32.lt needs " + c);
const char *names[] = {"vadd4.u32.u32.u32", "vset4"};
%% prose
#define A "vadd4.u32.u32.u32"
#define B "x"
int c;
%% prose
#include "set.h"
int x;
%%% prose
asm("mov.u32 %0, " X ";" : "=r"(d));
asm("mov.u32 set, " X ";" : "=r"(d));
asm("ld." SPACE ".u32 %0, [%1];" : "=r"(d) : "l"(p));
%% prose
// asm(OPC " %0;")
puts("asm(OPC)");
%%% operands that are filled in
sprintf(b, "vadd4.u32.u32.u32 %%r%d, %%r%d, %%r%d, %%r%d;", r);
sprintf(b, "vadd4.u32.u32.u32 %s, %s, %s, %s;", r);
sprintf(b, "vadd4.u32.u32.u32 %%r1, %%r2, %%r3, 0x%x;", r);
sprintf(b, "vadd4.u32.u32.u32 {}, {}, {}, {};", r);
%%% a register that is called like a field
k = ".reg .u32 %s, %d; vadd4.u32.u32.u32 %d, %s, %s, %s;";
%%% a macro may hold the operands, as nvcc 13.0 compiles it
asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" OPERANDS);
asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" OPS(d, f(a)));
asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" OUT : "r"(a), "r"(b), "r"(0));
asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" OUT(d) : "r"(a), "r"(b), "r"(0));
%%% a macro that ends the text
asm("vmax4.u32.u32.u32 %0, %1, %2, " LAST);
%%% a placeholder past the operands
asm("vadd4.u32.u32.u32 %0,%1,%1,%7;" : "=r"(d) : "r"(a));
asm("vadd4.u32.u32.u32 %0,%0,%1,%0;" : "+r"(d));
asm("{ .reg .b32 a; vadd4.u32.u32.u32 a,a,a,%3; }" ::);
asm("vadd4.u32.u32.u32 %0,%1,%2,%3;" ::);
asm("vadd4.u32.u32.u32 %0,%1,%2,%3;");
%% a placeholder past the operands
asm("vadd4.u32.u32.u32 %0,%1,%2,%3;"
#if X
#endif
);
%%% a placeholder past the operands
asm("vadd.u32.u32.u32.add %0,%1,%2,%3;" : "=" "&r"(d) : "r"(f(x, ":)", ')')), "n"(1) : "memory");
%%% placeholders that may be operands
asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d) : ARGS(a));
asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d) : "r"(a) REST);
%% placeholders that may be operands
asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d)
#ifdef X
 : "r"(a)
#endif
);
%%% placeholders that may be operands
asm("vadd4.u32.u32.u32 %0,%1,%2,%7;" : "=r"(d) : "r"(a)
asm("{.reg .u32 %%7; vadd4.u32.u32.u32 %0,%1,%1,%%7;}" : "=r"(d) : "r"(a));
asm(R"({.reg .u32 %%7; vadd4.u32.u32.u32 %0,%1,%1,%%7;})" : "=r"(d) : "r"(a));
asm("{.reg .u32 %7; vadd4.u32.u32.u32 %7,%7,%7,%7;}" ::);
asm("vadd.u32.u32.u32.add %0,%1,%2,%3;" : "+r"(d) : "r"(a), "n"(1), "r"(b) : "memory");
%%% types are counted by operand
asm("vadd.u32.u32.u32 %0, %1, %2;" : "=" "r"(d) : "r"(a), "f"(b));
asm("vadd.u32.u32.u32 %0, %1, %2;" : OUT("=r", d), "=r"(x) : "f"(b));
%%% named operands are registers
asm("vadd4.u32.u32.u32 %[d], %[a], %[b], %[a];" : [d] "=r"(d) : [a] "r"(a), [ b ] "r"(b));
asm("vadd4.u32.u32.u32 %[d], %[a], %[b], %[a];" : [d] "=r"(d) : [a] "l"(a), [ b ] "r"(b));
%%% a name that is no operand
asm("vadd4.u32.u32.u32 %[d], %[a], %[x], %[a];" : [d] "=r"(d) : [a] "r"(a));
asm("vadd4.u32.u32.u32 %[d], %[a], %[x], %[a];" : [d] "=r"(d) : ARGS);
%%% a modifier that is an operand
asm("vadd4.%2.u32.u32 %0, %1, %1, %1;" : "=r"(d) : "r"(a), "C"(type));
%%% a letter and a digit behind % are a modifier and an operand to nvcc 13.0.88
asm("{ .reg .b32 %p1; vadd4.u32.u32.u32 %0, %p1, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %%p1; vadd4.u32.u32.u32 %0, %%p1, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %r10; vadd4.u32.u32.u32 %0, %r10, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %%r10; vadd4.u32.u32.u32 %0, %%r10, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %r1x; vadd4.u32.u32.u32 %0, %r1x, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %%r1x; vadd4.u32.u32.u32 %0, %%r1x, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %P2; vadd4.u32.u32.u32 %0, %P2, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %%P2; vadd4.u32.u32.u32 %0, %%P2, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %rd1; vadd4.u32.u32.u32 %0, %rd1, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %rs3; vadd4.u32.u32.u32 %0, %rs3, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %xy; vadd4.u32.u32.u32 %0, %xy, %1, %1; }" : "=r"(d) : "r"(a));
asm("{ .reg .b32 %r1; vadd4.u32.u32.u32 %r1, %r1, %r1, %r1; }");
%%% a constraint is named
asm("vadd.u32.u32.u32 %0,%1,%2;" : "=r"(d) : "l"(a), "r"(b));
%% a `;` alone ends a statement or is an error, as in ptxas 13.0
asm("vadd4.u32.u32.u32 %0, %1, %1, %1;" : "=r"(d) : "r"(a));
asm(";");
%% a `;` alone ends a statement or is an error, as in ptxas 13.0
asm("vadd4.u32.u32.u32 %0, %1, %1, %1" : "=r"(d) : "r"(a));
asm(";");
%%% a `;` alone ends a statement or is an error, as in ptxas 13.0
asm("mov.u32 %0, 1;" : "=r"(d)); asm volatile(";" ::);
asm("mov.u32 %0, 1" : "=r"(d)); asm(";");
%% PTX in no asm statement
__device__ void f(unsigned a, unsigned& d) { asm("brev.b32 %0, %1;" : "=r"(d) : "r"(a)); }
  @%p1 prmt.b32 %r1, %r2, %r3, 0x5410;
// vadd4.u32.u32.u32 d, a, b, c;
#if 0
vadd4.u32.u32.u32 d, a, b, c;
#endif
#define S(x) S2(x)
int x = S(vadd4.u32.u32.u32 d, a, b, c;) + add.u32 + y(lop3.b32 ? 1 : 2);
{ vadd4.u32.u32.u32 d, a, b,
  c; }
%%% what is filled in is not checked and said once
auto t = fmt::format("vadd4.u32.u32.u32 {0}, {1}, b, c;", x);
snprintf(s, n, "vadd4.%s.u32.u32 %%r1, %%r2, %%r3, %%r4; // .u32");
%%% prose
puts("vmin.s32.s32.s32 is emulated; use min.s32");
%%% asm statements are found at their places
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% asm statements are found at their places
asm volatile ( // why
  "vadd4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
%% asm statements are found at their places
__asm__ __volatile__("{\n\t"
 "vadd4.s32.s32.s32 %0, %1, %2, %3;\n\t" "}" :: OPERANDS);
%% asm statements are found at their places
asm("vadd4.s32" /* x */ ".s32.s32 %0,"
	" %1, %2, %3;" :: OPERANDS);
%%% asm statements are found at their places
asm(R"(vadd4.s32.s32.s32 %0, %1, %2, %3;)" : "+r"(a[0]), "+r"(b), "+r"(c), "+r"(d) : );
%% asm statements are found at their places
asm(R"x(
   vadd4.s32.s32.s32 %0, %1, %2, %3; // )" 
)x" :: OPERANDS);
%% asm statements are found at their places
#define ADD(d, a) \
  asm("mov.u32 d, %0;" \
   "vadd4.s32.s32.s32 %0, %1, %2, %3;" : "+r"(d) : __VA_ARGS__)

%% asm statements are found at their places
asm("vadd4.s32\
.s32.s32 %0, %1, %2, %3;" :: OPERANDS);
%% asm statements are found at their places
const char *k = ".version 7.0\n"
   "vadd4.s32.s32.s32 %0, %1, %2, %3;\n";
%%% asm statements are found at their places
x = '"'; asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" :: OPERANDS);
a(1'000); asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" :: OPERANDS);
a(1'000, '"'); asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" :: OPERANDS);
a(u8'"'); asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" :: OPERANDS);
asm("vadd4.s32.s32.s32\t%r1, %r2, %r3, %r4;");
%%% no instruction
// asm("vadd4.s32.s32.s32 %0, %1, %2, %3;");
/* asm("vadd4.s32.s32.s32 %0, %1, %2, %3;"); */
%% no instruction
// why \
 asm("vadd4.s32.s32.s32 %0, %1, %2, %3;");
%%% no instruction
puts("use vadd4.s32.s32.s32 where you can");
asm("add.u32 %0, %1, %2;" :: );
std::set<int> a; a.set.x(); vset.y();
asm("
%%% what is glued with a macro is not read
asm("vadd4." TYPE ".s32 %0, %1, %2, %3;" ::);
#define OP(t) asm("vadd4." #t " %0, %1, %2, %3;" ::)
asm("vadd4.s32.s32.s32 " OPERANDS);
%%% operands in a macro may be too few, or of other types
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" OPERANDS);
asm("vadd4.s32.s32.bad %0, %1, %2, %3;" OPERANDS);
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" :: OPERANDS);
asm("vadd4.s32.s32.bad %0, %1, %2, %3;" :: OPERANDS);
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" OUTPUTS, "r"(a));
asm("vadd4.s32.s32.bad %0, %1, %2, %3;" OUTPUTS, "r"(a));
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" OPERANDS(d, a));
asm("vadd4.s32.s32.bad %0, %1, %2, %3;" OPERANDS(d, a));
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d), MORE);
asm("vadd4.s32.s32.bad %0, %1, %2, %3;" : "=r"(d), MORE);
%%% known types and other registers need no note
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c) CLOBBERS);
asm("vadd4.s32.s32.s32 d, a, b, c;" OPERANDS);
asm("vadd4.s32.s32.s32 %%d, %%a, %%b, %%c;" OPERANDS);
asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c) : "memory", CLOBBERS);
%%% the types of operands are known
asm("vadd.u32.u32.u32 %0, %1, %2;" : "+l"(f(x, ":")), "+r"(b) : "f"(c) : "memory");
asm("{ .reg .pred p; setp.lt.f64 p, %1, %2; selp.b16 %0, 1, 2, p; }" : "=h"(a) : "d"(b), "d"(c));
%% an error in a glued string is at its place
asm("{\n\t"
    "vadd4.s32.s32.\x73\x33 d, a, b, c;" ::);
