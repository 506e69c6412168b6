%% an object macro
#define OP "vadd4"
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro of a macro
#define T ".u32"
#define TTT T T T
asm("vadd4" TTT " %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro defined in terms of a later one
#define TT T T
#define T ".u32"
asm("vadd4" TT T " %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a string of an argument
#define OP(x, y) #x "." #y
asm(OP(vadd4, u32) ".u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% an argument
#define TWICE(x) x x
#define U ".u32"
asm("vadd4.u32" TWICE(U) " %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% pasted names
#define OP_4 "vadd4"
#define OP(n) OP_##n
asm(OP(4) ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a definition on two lines
#define OP "vadd4" \
  ".u32"
asm(OP ".u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% the last definition
#define OP "vsub4"
#undef OP
#define OP "vadd4"
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a whole asm in a macro
#define T ".u32"
#define F(x) \
  asm("vadd4" T T T " %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a name that stands for itself
#define T T ".u32"
asm("vadd4" OP(T) " %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% what is wrong in a macro is reported where it is used
#define OP "vadd4.u32.u32"
  asm(OP " %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% what is wrong beside a macro is at its place
#define T "u32"
  asm("vadd4.u32.u32." T " %0, %1, %9, %1;" : "=r"(d) : "r"(a), "r"(b));
%% called: an opcode as an argument
#define F(op, d, a, b) asm(op ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b))
F("vadd4", x, y, z);
F("vadd4.s32", x, y, z);
%% called: a string of an argument, in a function that the macro defines
#define F(op) unsigned f_##op(unsigned a) { unsigned d; \
  asm(#op ".b32 %0, %1;" : "=r"(d) : "r"(a)); return d; }
F(popc)
 F( brv )
%% called: by another macro
#define F(op, d, a) asm(op " %0, %1;" : "=r"(d) : "r"(a))
#define G(d, a) F("brev.b32", d, a)
#define H(d, a) do { F("clz.u32", d, a); } while (0)
G(x, y);
H(x, y);
%% called: two statements
#define F(op) asm("brev.b32 %0, %1;" : "=r"(d) : "r"(a)); asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
F("clz");
%% called: an operand that does not exist
#define F(op) asm(op " %0, %2;" : "=r"(d) : "r"(a))
F("brev.b32");
%% a macro that is not called is noted where it is defined
#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
F("brev", 1);
%% a macro that is not called is noted where it is defined
#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
auto x = F;
%% a macro that is not called is noted where it is defined
#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
// F("brev")
%% a macro that is not called is noted where it is defined
#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
puts("F(\"brev\")");
%% a macro that is not called is noted where it is defined
#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
#define G F("brev")
%% a macro that is not called is noted where it is defined
#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
#undef F
F("brev");
%% a macro that is not called is noted where it is defined
#define F(op) asm(op ".b32 %0, %1;" : "=r"(d) : "r"(a))
#ifdef X
#define F(op) op
#endif
F("brev");
%% a macro whose asm is literal is checked once
#define F(d, a) asm("brev.b32 %0, %1, %1;" : "=r"(d) : "r"(a))
F(x, y);
F(y, x);
%% operands in macros
#define IN(x) "r"(x)
asm("vadd4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : IN(a), IN(b));
%% operands in macros of a wrong type
#define IN(x) "l"(x)
asm("vadd4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : IN(a), IN(b));
%% all operands in a macro
#define OPERANDS : "=r"(d) : "r"(a), "r"(b)
asm("vadd4.u32.u32.u32 %0, %1, %2, %1;" OPERANDS);
%% a constant in a macro
#define N 3
asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "n"(N));
%% registers of a macro have their percents
#define T "{ .reg .u32 %%t;"
asm(T "vadd4.u32.u32.u32 %%t, %1, %2, %1; mov.u32 %0, %%t; }" : "=r"(d) : "r"(a), "r"(b));
%% nvcc takes %t where no digit follows
#define T "{ .reg .u32 %t;"
asm(T "vadd4.u32.u32.u32 %%t, %1, %2, %1; mov.u32 %0, %%t; }" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
#ifdef X
#define OP "vadd4"
#else
#define OP "vsub4"
#endif
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
#ifdef X
#define OP "vadd4"
#endif
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
#define OP "vadd4"
#undef OP
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
#define OP(...) "vadd4"
asm(OP() ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
#define OP(x) "vadd4"
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
#define OP(x) "vadd4"
asm(OP(1, 2) ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
// #define OP "vadd4"
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% a macro that is not certain
#define OP "vadd4"
#define F(OP) asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% -DOP="vadd4" a definition from outside
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% -DX=1 a definition from outside decides a condition
#ifdef X
#define OP "vadd4"
#else
#define OP "vsub4"
#endif
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% -UX a definition from outside decides a condition
#ifdef X
#define OP "vadd4"
#else
#define OP "vsub4"
#endif
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
%% the guard of the file is no condition
#ifndef A_H
#define A_H
#define OP "vadd4"
asm(OP ".u32.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
%% a ladder of conditions
#ifndef X_H
#define X_H
#if __CUDA_ARCH__ >= 900
asm("vmin4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700 && MODE == 2
asm("vmax4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vsub4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#undef MODE
#define MODE 2
#if MODE == 2
asm("vset4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#endif
%% -D__CUDA_ARCH__=900 a ladder of conditions
#ifndef X_H
#define X_H
#if __CUDA_ARCH__ >= 900
asm("vmin4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700 && MODE == 2
asm("vmax4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vsub4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#undef MODE
#define MODE 2
#if MODE == 2
asm("vset4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#endif
%% -D__CUDA_ARCH__=800 -DMODE=2 a ladder of conditions
#ifndef X_H
#define X_H
#if __CUDA_ARCH__ >= 900
asm("vmin4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700 && MODE == 2
asm("vmax4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vsub4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#undef MODE
#define MODE 2
#if MODE == 2
asm("vset4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#endif
%% -D__CUDA_ARCH__=800 -DMODE=1 a ladder of conditions
#ifndef X_H
#define X_H
#if __CUDA_ARCH__ >= 900
asm("vmin4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700 && MODE == 2
asm("vmax4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vsub4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#undef MODE
#define MODE 2
#if MODE == 2
asm("vset4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#endif
%% -D__CUDA_ARCH__=800 a ladder of conditions
#ifndef X_H
#define X_H
#if __CUDA_ARCH__ >= 900
asm("vmin4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700 && MODE == 2
asm("vmax4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vsub4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#undef MODE
#define MODE 2
#if MODE == 2
asm("vset4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#endif
%% -D__CUDA_ARCH__=500 a ladder of conditions
#ifndef X_H
#define X_H
#if __CUDA_ARCH__ >= 900
asm("vmin4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700 && MODE == 2
asm("vmax4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 700
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#else
asm("vsub4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#undef MODE
#define MODE 2
#if MODE == 2
asm("vset4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
#endif
%% a condition within an asm statement
asm("{ .reg .u32 t;"
#if __CUDA_ARCH__ >= 300
    "vadd4.u32.u32.u32 t, %1, %2, %1;"
#else
    "vadd4.u32.u32 t, %1, %2, %1;"
#endif
    "mov.u32 %0, t; }" : "=r"(d) : "r"(a), "r"(b));
%% -D__CUDA_ARCH__=900 a condition within an asm statement
asm("{ .reg .u32 t;"
#if __CUDA_ARCH__ >= 300
    "vadd4.u32.u32.u32 t, %1, %2, %1;"
#else
    "vadd4.u32.u32 t, %1, %2, %1;"
#endif
    "mov.u32 %0, t; }" : "=r"(d) : "r"(a), "r"(b));
%% -D__CUDA_ARCH__=200 a condition within an asm statement
asm("{ .reg .u32 t;"
#if __CUDA_ARCH__ >= 300
    "vadd4.u32.u32.u32 t, %1, %2, %1;"
#else
    "vadd4.u32.u32 t, %1, %2, %1;"
#endif
    "mov.u32 %0, t; }" : "=r"(d) : "r"(a), "r"(b));
%% -DA=1 what looks like a condition in a comment or a string
/*
#if 0
*/
const char *s = R"(
#if 0
)", *t = "/*";
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#ifdef X // */
#endif
%% code in #if 0
#if 0
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
%% -DA=1 code in #if 0
#if 0
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
#endif
%% lines with a number that are no markers
#define A 3
# pragma once
#x 3 "y.cu"
asm("vadd4.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
