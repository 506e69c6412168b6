%% k.cu a constraint of two branches
#ifdef WIDE
#define CON "l"
#else
#define CON "r"
#endif
void f() { asm("vadd4.u32.u32.u32 %0, %1, %1, %2;" : "=r"(d) : CON(a), "r"(b));
asm("add.u32 %0, %1, 1;" : "=r"(d) : CON(a));
asm("mov.u32 %0, 1; add.u32 %0, %0, %1;" : "=r"(d) : CON(a));
asm("vadd4.u32.u32.u32 %0, %1, %1, %1;" : "=r"(d) : "r"(a));
asm("add.u32 %0, %1, 1;" : "=l"(d) : CON(a)); }
%% k.cu one that is defined
#define WIDE
#ifdef WIDE
#define CON "l"
#else
#define CON "r"
#endif
void f() { asm("add.u32 %0, %1, 1;" : "=r"(d) : CON(a)); }
%% k.cu -DWIDE one that is given
#ifdef WIDE
#define CON "l"
#else
#define CON "r"
#endif
void f() { asm("add.u32 %0, %1, 1;" : "=r"(d) : CON(a)); }
%% k.cu the pointers of another machine, in a header
#ifndef K_H
#define K_H
#if defined(_WIN64) || defined(__LP64__)
#  define PTR "l"
#else
#  define PTR "r"
#endif
void f() { asm("ld.global.u32 %0, [%1];" : "=r"(d) : PTR(p));
#if defined(_WIN64) || defined(__LP64__)
  asm("add.u64 %0, %1, 1;" : "=l"(d) : PTR(p));
#else
  asm("add.u32 %0, %1, 1;" : "=r"(d) : PTR(p));
#endif
}
#endif
%% k.cu three branches, and none
#if A
#define CON "h"
#elif defined B
#define CON "r"
#elif C > 1
#define CON "l"
#endif
void f() { asm("add.u32 %0, %1, 1;" : "=r"(d) : CON(a)); }
%% k.cu an output
#ifndef OLD
#define OUT "=r"
#else
#define OUT "=h"
#endif
void f() { asm("vadd.u32.u32.u32 %0, %1, %1;" : OUT(d) : "r"(a)); }
%% k.cu the expression of another branch is not that of this one
#ifdef X
#define CON "r"
#endif
#ifndef X
#define CON "l"
#endif
void f() { asm("add.u64 %0, %1, 1;" : "=l"(d) : CON(a)); }
