%% x.cu a wrapper of one instruction, in a namespace
namespace n { u32 f(u32 x, u32 y) { u32 r; asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); return r; } }
%% x.cu a wrapper in a macro
#define F(r, x, y) asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
%% x.cu nvcc keeps the order of what is volatile, and ptxas the carry
void f() {
asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
for (;;) {
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); } }
%% x.cu nothing keeps this order
void f() {
asm("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); }
%% x.cu nothing in the function writes a carry: once for each function
void f() {
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); }
void g() const {
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); }
%% x.cu a carry of another function
void f() { asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); }
void g() {
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); }
%% x.cu a block in the statement
void f() { asm volatile("{ addc.u32 %0, %1, %1; } sub.u32 %0, %1, %2;" : "=&r"(r) : "r"(x), "r"(y)); }
%% x.cu it is written in the statement itself
void f() { asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %2, %3;" : "=&r"(r), "=r"(s) : "r"(x), "r"(y)); }
%% x.cu an ignored clobber, at the write
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" // ptxscope: ignore[clobber]
: "=r"(d)
: "r"(a), "r"(b));
%% x.cu at the constraint
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;"
: "=r"(d) // ptxscope: ignore[clobber]
: "r"(a), "r"(b));
%% x.cu of another rule
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;"
: "=r"(d) // ptxscope: ignore[input]
: "r"(a), "r"(b));
%% x.cu at the inputs
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;"
: "=r"(d)
: "r"(a), "r"(b)); // ptxscope: ignore[clobber]
%% x.cu on a line of its own
asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" // x
// ptxscope: ignore
: "=r"(d)
: "r"(a), "r"(b));
%% x.cu wrappers that are not volatile: nvcc 13.0 deletes the first if its result is unused
u32 first(u32 x, u32 y) { u32 r; asm("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); return r; }
u32 next(u32 x, u32 y) { u32 r; asm("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); return r; }
u32 last(u32 x, u32 y) { u32 r; asm("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); return r; }
%% x.cu volatile wrappers have one note
u32 first(u32 x, u32 y) { u32 r; asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); return r; }
u32 next(u32 x, u32 y) { u32 r; asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); return r; }
u32 last(u32 x, u32 y) { u32 r; asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); return r; }
%% x.cu an asm statement without outputs is volatile
void f() { asm("{ .reg .u32 t; addc.u32 t, %0, %0; st.global.u32 [%1], t; }" :: "r"(x), "l"(p)); }
